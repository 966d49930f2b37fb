"""`treelace init`, `check`, `import`, `pages`: a site, and pages into it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

import click

from treelace.cli.common import Output, common_options, form_option
from treelace.cli.exits import Exit, complain

if TYPE_CHECKING:
    from collections.abc import Callable

    from treelace.limits import Limits
    from treelace.site import Trouble

F = TypeVar("F", bound="Callable[..., Any]")

MOST_LATE = 5
"""Pages older than what is known, named one by one."""


class ListsByDefault(click.Group):
    """A group that runs `list` when no command is named: `treelace classes --site shop`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts `list` before options that come first."""
        is_bare = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, ["list", *args] if is_bare else args)


def site_option(command: F) -> F:
    """Adds --site."""
    return click.option(
        "--site",
        "folder",
        metavar="DIR",
        default=".",
        help="The site's folder; default: the current one.",
    )(command)


def log_option(command: F) -> F:
    """Adds --log-json."""
    return click.option(
        "--log-json",
        "log",
        metavar="FILE",
        help="Add what happens to this file, one JSON object a line; usually set in treelace.toml,"
        " [log].",
    )(command)


def with_site(*, read_only: bool = False) -> Callable[[F], F]:
    """Adds --site and the shared options; the command gets an open `site` and its `output`."""

    def decorated(command: F) -> F:
        @functools.wraps(command)
        def opened(*, folder: str, output: Output, limits: Limits, **rest: Any) -> Any:
            from treelace.site import Site

            with Site(folder, read_only=read_only, limits=limits) as site:
                return command(site=site, output=output, **rest)

        return site_option(common_options(opened))  # type: ignore[return-value]

    return decorated


@click.command("init")
@click.argument("folder", metavar="DIR")
@click.argument("url")
@click.option(
    "--store",
    "store",
    metavar="PLACE",
    default="store.sqlite",
    show_default=True,
    help="A SQLite file, postgresql://…, or env:NAME.",
)
@common_options
def init_command(*, folder: str, url: str, store: str, output: Output, limits: Limits) -> None:
    """Makes a site: the folder DIR with treelace.toml and an empty store, for the site that begins
    at URL.

    \b
    Examples:
      treelace init shop https://shop.example/
      treelace init shop https://shop.example/ --store postgresql://localhost/shop
    """
    from treelace.site import Site

    with Site.create(folder, url, store=store, limits=limits) as site:
        output.say(
            f"{site.folder}: a site for {url}; next: treelace crawl --site {site.folder}, or"
            f" treelace import PAGES --site {site.folder}"
        )


@click.command("check")
@site_option
@common_options
def check_command(*, folder: str, output: Output, limits: Limits) -> None:
    """Reads treelace.toml and its wrappers, and opens the store; what is wrong is named with its
    line and field.

    \b
    Example:
      treelace check --site shop
    """
    from treelace.site import Site

    with Site(folder, read_only=True, limits=limits) as site:
        output.write(f"{site.check()}\n")


@click.command("import")
@click.argument("places", nargs=-1, required=True, metavar="FOLDER|WARC|SITE|NAME:WHERE…")
@click.option("--wait", is_flag=True, help="Wait while another process is adding versions.")
@site_option
@common_options
def import_command(
    *, places: tuple[str, ...], wait: bool, folder: str, output: Output, limits: Limits
) -> int:
    """Takes pages in; each that changed becomes a version.

    \b
    A FOLDER with an index.csv (file,url,time) is taken in the order of the times; else each file is
    a page named by its path. A SITE is taken in whole, into a site that is still empty. NAME:WHERE
    is a source of another package. Taking the same pages in again adds nothing. Exit code 3: some
    pages could not be read; they are named, the others are in.
    Examples:
      treelace import saved-pages --site shop
      treelace import crawl-2026.warc.gz --site shop
    """
    from treelace.site import Imported, Site

    troubles: list[Trouble] = []

    def on_trouble(trouble: Trouble) -> None:
        troubles.append(trouble)
        complain(f"treelace: {trouble.place}: {_words(trouble.error)}")

    shown = 0
    bar = output.progress if output.shows_progress else None
    with Site(folder, limits=limits) as site:
        for done in site.importing(*places, wait=wait, on_trouble=on_trouble, progress=bar):
            if isinstance(done, Imported):
                for line in done.failures[shown:]:
                    complain(f"treelace: {line}")
                shown = len(done.failures)
                output.explain(f"{done.fetches:,} pages read: {done}")
    for line in done.late[:MOST_LATE] if isinstance(done, Imported) else ():
        output.say(line)
    output.write(f"{done}\n")
    return Exit.BAD_INPUT if troubles or shown else Exit.DONE


def _words(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


@click.command("pages")
@click.option("--like", metavar="TEXT", help="Only addresses that contain TEXT.")
@form_option(["table", "csv", "json", "jsonl"], "table", "How to write them.")
@site_option
@common_options
def pages_command(
    *, like: str | None, form: str, folder: str, output: Output, limits: Limits
) -> None:
    """The pages of a site: class, versions, when first and last seen.

    \b
    Examples:
      treelace pages --site shop
      treelace pages --like /product/ --to csv
    """
    from treelace.site import Site

    with Site(folder, read_only=True, limits=limits) as site:
        output.write(site.pages(like=like).written(form))
