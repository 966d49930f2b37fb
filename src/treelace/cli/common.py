"""What commands share: where pages come from, and where answers go."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from treelace.cli.exits import complain, one_line
from treelace.crawl.urls import is_url
from treelace.errors import ParseError, TreelaceError
from treelace.limits import Limits
from treelace.look import escape_controls
from treelace.tree import Tree, parse
from treelace.tree.files import pages_in, read_packed

ALLOW_PRIVATE = "treelace.allow_private"
STDIN_READ = "treelace.stdin_read"


class Output:
    """Answers to a file or to standard output, messages to standard error."""

    def __init__(
        self,
        path: str,
        *,
        is_quiet: bool = False,
        is_verbose: bool = False,
        shows_progress: bool = False,
    ) -> None:
        self.path = path
        self.is_quiet = is_quiet
        self.is_verbose = is_verbose
        self.shows_progress = shows_progress

    @property
    def is_terminal(self) -> bool:
        """Whether the answer goes to a person's screen."""
        return self.path == "-" and sys.stdout.isatty()

    @property
    def has_colour(self) -> bool:
        """Whether the answer may have colours."""
        return self.is_terminal and "NO_COLOR" not in os.environ

    def write(self, answer: str | bytes, *, is_coloured: bool = False) -> None:
        """Writes the whole answer, with its line ends; a file appears complete or not at all.

        On a terminal, control characters of a page are shown, not obeyed; the colours of an
        answer that `is_coloured` are kept.
        """
        if self.is_terminal:
            words = answer if isinstance(answer, str) else answer.decode("utf-8", "replace")
            answer = escape_controls(words, keeps_colours=is_coloured)
        data = answer.encode("utf-8", "surrogatepass") if isinstance(answer, str) else answer
        if self.path == "-":
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        target = Path(self.path)
        if target.exists() and not target.is_file():
            with target.open("wb") as device:  # a pipe or a device is written in place
                device.write(data)
            return
        half = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            half.write_bytes(data)
            half.replace(target)
        except OSError as error:
            error.filename = (
                self.path
            )  # what was asked for, not what stands in for it until it is whole
            raise
        finally:
            half.unlink(missing_ok=True)

    def say(self, message: str) -> None:
        """A line for people on standard error."""
        if not self.is_quiet:
            complain(message)

    def say_left_out(self, place: str, error: Exception) -> None:
        """A line about a page among many that could not be read."""
        self.say(
            f"{one_line(error)} (left out)"
            if place in str(error)
            else f"treelace: {place}: {error} (left out)"
        )

    def explain(self, message: str) -> None:
        """A line for people who asked for more."""
        if self.is_verbose:
            complain(message)

    def progress(self, items: Iterable[Any], *, total: int | None, label: str) -> Iterator[Any]:
        """The items, with a progress bar on standard error for a person; `total` may be None."""
        if not self.shows_progress:
            yield from items
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            yield from bar.track(items, total=total, description=label)


def read_page(
    place: str,
    *,
    limits: Limits,
    format: str = "auto",
    encoding: str | None = None,
    fragment: bool | str = False,
) -> Tree:
    """The tree of a page: a file, - for standard input, or a URL (one polite fetch)."""
    source: object = Path(place)
    if is_url(place):
        source, said = fetched(place, limits=limits)
        encoding = encoding or said
    elif place == "-":
        source = standard_input(limits=limits)
    try:
        return parse(
            source,
            format=format,  # type: ignore[arg-type]
            encoding=encoding,
            fragment=fragment,
            limits=limits,
        )
    except ParseError as error:
        error.args = (f"{place}: {error.args[0]}",) if place not in str(error) else error.args
        raise
    except TreelaceError as error:
        error.args = (f"{place}: {error.args[0]}",)
        raise


def standard_input(*, limits: Limits) -> bytes:
    """All of standard input, unpacked; an error the second time, when it would be empty."""
    context = click.get_current_context(silent=True)
    if context is not None:
        if context.meta.get(STDIN_READ):
            raise click.UsageError(
                "'-' is there twice, but standard input can be read only once: name a file for the"
                " other one"
            )
        context.meta[STDIN_READ] = True
    return read_packed(sys.stdin.buffer, limits=limits, name="standard input")


def fetched(place: str, *, limits: Limits) -> tuple[bytes, str | None]:
    """The bytes of the page at a URL, and the encoding the server named."""
    from treelace.crawl.fetch import fetch
    from treelace.crawl.settings import FetchSettings, charset_of

    settings = FetchSettings(
        allow_private=allows_private(), bytes=limits.bytes, seconds=limits.seconds
    )
    page = fetch(place, settings)
    return page.body, charset_of(page.content_type)


def allows_private() -> bool:
    """Whether this command may reach this machine and private networks."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(ALLOW_PRIVATE))


def expand(paths: Iterable[str]) -> list[str]:
    """Files as they are, folders as their pages, sorted; a folder without pages is an error."""
    found: list[str] = []
    for path in paths:
        is_folder = path != "-" and Path(path).is_dir()
        found += map(str, pages_in(Path(path))) if is_folder else [path]
    return found
