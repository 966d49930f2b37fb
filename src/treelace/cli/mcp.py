"""`treelace mcp`: sites for an assistant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output, allows_private
from treelace.cli.options import common_options, option
from treelace.errors import MissingError

if TYPE_CHECKING:
    from treelace.limits import Limits


@click.command("mcp")
@click.argument("folders", nargs=-1, metavar="[SITE…]")
@option("--studio URL", "Where `treelace studio` runs: permalinks begin with it.", default="")
@option("--fetch", "Previews may fetch any public page, not only those that a site has.")
@option("--write", "Alerts, rules and repairs may be changed; each change is confirmed by a code.")
@common_options
def mcp_command(
    *,
    folders: tuple[str, ...],
    studio: str,
    fetch: bool,
    write: bool,
    output: Output,
    limits: Limits,
) -> None:
    """A server of the Model Context Protocol on standard input and output: an assistant asks it for
    tables, changes, the origin of values, differences, alerts and repairs. It only reads, and
    fetches nothing, unless you say so.

    \b
    SITE is a site's folder; without one, the site here or those in the folders here are there. Your
    assistant starts it; in its settings the command is `treelace`, the arguments are `mcp SITE`.
    Examples:
      treelace mcp shop
      treelace mcp shop news --studio http://127.0.0.1:8123
    """
    del output  # standard output belongs to the protocol
    try:
        from treelace.mcp.server import make_server
    except ImportError as error:
        package = (error.name or "mcp").partition(".")[0]
        raise MissingError("`treelace mcp`", package=package, extra="mcp") from error
    from treelace.studio.sites import Sites, folders_here

    found = [Path(folder) for folder in folders] or folders_here(Path())
    sites = Sites(found, limits=limits, read_only=not write, allow_private=allows_private())
    try:
        make_server(sites, studio=studio, may_fetch=fetch, may_write=write).run("stdio")
    finally:
        sites.close()
