"""`treelace studio`: sites in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output, allows_private
from treelace.cli.options import common_options, option
from treelace.errors import MissingError

if TYPE_CHECKING:
    from treelace.limits import Limits


@click.command("studio")
@click.argument("folders", nargs=-1, metavar="[SITE…]")
@option("--port N", "Listen there; default: a free one.", click.IntRange(0, 65535), default=0)
@option(
    "--listen ADDRESS as address",
    "Listen on another address than this machine's own; wants a password.",
)
@option("--origin URL", "What browsers call the studio, behind a proxy with TLS: https://HOST.")
@option("--pages-origin URL", "The same for captured pages; default: the next port.")
@option(
    "--password-file FILE",
    "The password, in a file that you alone can read; else TREELACE_STUDIO_PASSWORD.",
)
@option("--no-open", "Only print the link, open no browser.")
@option("--read-only", "Nothing can be changed through it.")
@option("--api-only", "Only the HTTP interface, /api/v1, for programs; no page, no browser.")
@common_options
def studio_command(
    *,
    folders: tuple[str, ...],
    port: int,
    address: str | None,
    origin: str | None,
    pages_origin: str | None,
    password_file: str | None,
    no_open: bool,
    read_only: bool,
    api_only: bool,
    output: Output,
    limits: Limits,
) -> None:
    """Sites in a browser: their tables and their past, what changed on a page, alerts.

    \b
    SITE is a site's folder, or URL#NAME for one of a database; without one, the site here or those
    in the folders here are shown. The studio listens on this machine alone, unless --listen says
    another address: then it wants a password. The link that is printed has a token, without which
    nothing is answered; it ends with the studio (Ctrl-C).
    Examples:
      treelace studio shop
      treelace studio shop news --no-open --port 8123
      treelace studio shop --api-only --read-only
    """
    try:
        from treelace.studio.password import read_password
        from treelace.studio.server import Listening, serve
        from treelace.studio.sites import Sites, folders_here
    except ImportError as error:
        package = (error.name or "starlette").partition(".")[0]
        raise MissingError("the studio", package=package, extra="studio") from error

    found = list(folders) or folders_here(Path())
    sites = Sites(found, limits=limits, read_only=read_only, allow_private=allows_private())

    def on_start(link: str) -> None:
        output.write(f"{link}\n")
        output.say("the studio is open; Ctrl-C ends it")
        if not (no_open or api_only):
            import webbrowser

            webbrowser.open(link)

    listening = None
    if address or origin or pages_origin or password_file:
        listening = Listening(
            address=address or "127.0.0.1",
            origin=origin or "",
            pages_origin=pages_origin or "",
            password=read_password(password_file),
        )
    serve(sites, port=port, api_only=api_only, listening=listening, on_start=on_start)
