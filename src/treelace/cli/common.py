"""What commands share: where pages come from, where answers go, limits, and their options."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from treelace.cli.exits import complain, one_line
from treelace.crawl.urls import is_url
from treelace.errors import ParseError, TreelaceError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.look import escape_controls
from treelace.tree import Tree, parse

F = TypeVar("F", bound="Callable[..., Any]")

ALLOW_PRIVATE = "treelace.allow_private"
STDIN_READ = "treelace.stdin_read"
PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".xml")
PACKED_SUFFIXES = (".gz", ".zst")


class _LimitType(click.ParamType[tuple[str, float]]):
    name = "name=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        known = [field.name for field in fields(Limits)]
        name, _, number = str(value).partition("=")
        if name not in known:
            self.fail(f"no limit '{name}': there are {', '.join(known)}", param, ctx)
        try:
            return name, float(number) if name == "seconds" else int(float(number))
        except (ValueError, OverflowError):
            self.fail(f"'{number}' is no number (write --limit {name}=1e9)", param, ctx)


def common_options(command: F) -> F:
    """Adds --output, --quiet, --limit and the rest, and hands the command an `Output` and its
    `Limits`.

    The command takes `output: Output` and `limits: Limits` as keyword arguments.
    """
    where = click.option(
        "-o",
        "--output",
        "output_path",
        metavar="FILE",
        default="-",
        help="Write there instead of standard output; - is standard output.",
    )
    return where(_shared_options(command))


def form_option(forms: Iterable[str], default: str, what: str) -> Callable[[F], F]:
    """Adds --to, which says in which of these forms the answer is written."""
    choice = click.Choice(tuple(forms))
    return click.option("--to", "form", type=choice, default=default, show_default=True, help=what)


def folder_options(command: F) -> F:
    """`output_options` for several files: the command takes a `folder: Path`, made when needed."""

    @click.option(
        "-o", "--output-folder", "folder", required=True, metavar="DIR", help="Where the files go."
    )
    @functools.wraps(command)
    def wrapped(*args: Any, folder: str, **rest: Any) -> Any:
        return command(*args, folder=Path(folder), **rest)

    return _shared_options(wrapped)  # type: ignore[return-value]


def _shared_options(command: F) -> F:
    @click.option(
        "--limit",
        "limit_pairs",
        multiple=True,
        type=_LimitType(),
        metavar="NAME=VALUE",
        help="Raise or lower a limit, e.g. nodes=1e7.",
    )
    @click.option("-q", "--quiet", is_flag=True, help="Say nothing on standard error but errors.")
    @click.option("-v", "--verbose", is_flag=True, help="Say more on standard error.")
    @click.option("--no-progress", is_flag=True, help="No progress bar.")
    @click.option(
        "--allow-private",
        is_flag=True,
        help="Where a page is a URL: also fetch from this machine and private networks.",
    )
    @click.option("--debug", is_flag=True, help="On an error, show the traceback.")
    @functools.wraps(command)
    def wrapped(
        *args: Any,
        limit_pairs: tuple[tuple[str, float], ...],
        quiet: bool,
        verbose: bool,
        no_progress: bool,
        allow_private: bool,
        debug: bool,
        output_path: str = "-",
        **rest: Any,
    ) -> Any:
        click.get_current_context().meta[ALLOW_PRIVATE] = allow_private
        limits = replace(DEFAULT_LIMITS, **dict(limit_pairs))  # type: ignore[arg-type]
        output = Output(
            output_path,
            is_quiet=quiet,
            is_verbose=verbose,
            shows_progress=not (no_progress or quiet) and sys.stderr.isatty(),
        )
        return command(*args, output=output, limits=limits, **rest)

    return wrapped  # type: ignore[return-value]


def read_options(given: Iterable[str]) -> dict[str, Any]:
    """The options of an algorithm, each written NAME=VALUE: a number, true, false, none, numbers
    with commas between, JSON, or a word.

    >>> read_options(["alpha=0.6", "as-printed=true", "from_parents=0.4,0.04", "scheme=nested"])
    {'alpha': 0.6, 'as_printed': True, 'from_parents': (0.4, 0.04), 'scheme': 'nested'}
    """
    options = {}
    for written in given:
        name, is_written, value = written.partition("=")
        if not is_written:
            raise click.UsageError(f"--option is NAME=VALUE, not '{written}'")
        options[name.strip().replace("-", "_")] = _option_value(value)
    return options


def _option_value(value: str) -> Any:
    try:
        return json.loads(
            {"none": "null", "true": "true", "false": "false"}.get(value.strip().lower(), value)
        )
    except ValueError:
        return (
            tuple(map(_option_value, value.split(",")))
            if "," in value and value.strip()[:1] not in "[{"
            else value
        )


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
    from treelace.tree.files import read_packed

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
        folder = Path(path)
        if path == "-" or not folder.is_dir():
            found.append(path)
            continue
        below = sorted(
            str(file) for file in folder.rglob("*") if file.is_file() and _is_page(file.name)
        )
        if not below:
            raise click.UsageError(
                f"{path}: no pages in this folder ({', '.join(PAGE_SUFFIXES)}, also packed as"
                f" {', '.join(PACKED_SUFFIXES)})"
            )
        found.extend(below)
    return found


def _is_page(name: str) -> bool:
    stem = name.lower()
    for packed in PACKED_SUFFIXES:
        stem = stem.removesuffix(packed)
    return stem.endswith(PAGE_SUFFIXES)
