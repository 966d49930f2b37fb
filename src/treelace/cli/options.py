"""The options of commands: how one is declared, and those that commands share."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from treelace.cli.common import ALLOW_PRIVATE, Output, read_page
from treelace.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from treelace.tree import Tree

F = TypeVar("F", bound="Callable[..., Any]")
Read = Callable[[str], "Tree"]
"""Reads the document at a place, as the options of the command say."""

TABLE_FORMS = ("table", "csv", "json", "jsonl")
_SAID_IN_HELP = ("", ".", "-")
"""Defaults that the words of an option explain better than their value."""


def option(
    written: str, help: str, type: Any = None, *, default: Any = None, **more: Any
) -> Callable[[F], F]:
    """An option as people write it: `--keep-days N`, or `-k, --count N as wanted` where the command
    knows it by another name. Without a word for its value and without a type it is a flag.
    """
    names, _, name = written.partition(" as ")
    names, _, metavar = names.replace(", -", ",-").partition(" ")
    if type is None and not metavar:
        more["is_flag"] = True
    elif default is not None:
        more |= {"default": default, "show_default": default not in _SAID_IN_HELP}
    declared = [*names.split(","), *([name] if name else [])]
    return click.option(*declared, type=type, metavar=metavar or None, help=help, **more)


def form_option(forms: Iterable[str], default: str, what: str) -> Callable[[F], F]:
    """Adds --to, which says in which of these forms the answer is written."""
    return option("--to as form", what, click.Choice(tuple(forms)), default=default)


def wait_option(command: F) -> F:
    """Adds --wait."""
    return option("--wait", "Wait while another process is adding versions.")(command)


def site_option(command: F) -> F:
    """Adds --site."""
    about = "The site's folder, or URL#NAME for one of a database; default: the current folder."
    return option("--site DIR as folder", about, default=".")(command)


def log_option(command: F) -> F:
    """Adds --log-json."""
    return option(
        "--log-json FILE as log",
        "Add what happens to this file, one JSON object a line; usually set in treelace.toml,"
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


def document_options(command: F) -> F:
    """Adds how a document is to be read, and the shared options; the command gets `read`."""

    @functools.wraps(command)
    def reading(
        *, format: str, encoding: str | None, fragment: bool, limits: Limits, **rest: Any
    ) -> Any:
        read = partial(
            read_page, limits=limits, format=format, encoding=encoding, fragment=fragment
        )
        return command(read=read, limits=limits, **rest)

    formats = click.Choice(["auto", "html", "xml"])
    declared: Any = common_options(reading)
    for add in (
        option("--fragment", "Read a piece of a document, not a whole one."),
        option("--encoding NAME", "What the transport said the encoding is."),
        option("--format", "How to read the document.", formats, default="auto"),
    ):
        declared = add(declared)
    return declared  # type: ignore[no-any-return]


def common_options(command: F) -> F:
    """Adds --output, --quiet, --limit and the rest, and hands the command an `Output` and its
    `Limits`, as the keyword arguments `output` and `limits`.
    """
    where = "Write there instead of standard output; - is standard output."
    return option("-o, --output FILE as output_path", where, default="-")(_shared_options(command))


def folder_options(command: F) -> F:
    """`common_options` for several files: the command takes a `folder: Path`, made when needed."""

    @option("-o, --output-folder DIR as folder", "Where the files go.", required=True)
    @functools.wraps(command)
    def wrapped(*args: Any, folder: str, **rest: Any) -> Any:
        return command(*args, folder=Path(folder), **rest)

    return _shared_options(wrapped)  # type: ignore[return-value]


class ListsByDefault(click.Group):
    """A group that runs `list` when no command is named: `treelace classes --site shop`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts `list` before options that come first."""
        is_bare = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, ["list", *args] if is_bare else args)


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


def _shared_options(command: F) -> F:
    @option(
        "--limit NAME=VALUE as limit_pairs",
        "Raise or lower a limit, e.g. nodes=1e7.",
        _LimitType(),
        multiple=True,
    )
    @option("-q, --quiet", "Say nothing on standard error but errors.")
    @option("-v, --verbose", "Say more on standard error.")
    @option("--no-progress", "No progress bar.")
    @option(
        "--allow-private",
        "Where a page is a URL: also fetch from this machine and private networks.",
    )
    @option("--debug", "On an error, show the traceback.")
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
        shows_progress = not (no_progress or quiet) and sys.stderr.isatty()
        output = Output(
            output_path, is_quiet=quiet, is_verbose=verbose, shows_progress=shows_progress
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
