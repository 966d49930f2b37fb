"""Exit codes, and which error has which."""

from __future__ import annotations

from enum import IntEnum

import click

from treelace.errors import (
    CrawlError,
    LimitError,
    MissingError,
    StoreError,
    TreelaceError,
    UsageError,
)
from treelace.look import escape_controls


class Exit(IntEnum):
    """What the program says when it ends."""

    DONE = 0
    NO = 1
    """Done, and the answer is no: differences, nothing extracted, a conflict, damage."""
    WRONG_USE = 2
    BAD_INPUT = 3
    LIMIT = 4
    OUTSIDE = 5
    """The store or the network failed."""
    INTERRUPTED = 130


def exit_for(error: BaseException) -> Exit:
    """The exit code of an error."""
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        return Exit.INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return Exit.DONE
    if isinstance(error, (click.ClickException, UsageError, MissingError)):
        return Exit.WRONG_USE
    if isinstance(error, LimitError):
        return Exit.LIMIT
    if isinstance(error, (StoreError, CrawlError)):
        return Exit.OUTSIDE
    return Exit.BAD_INPUT


def complain(message: str) -> None:
    """Says a line on standard error, whatever a page or a server put into it."""
    click.echo(escape_controls(message), err=True)


def one_line(error: BaseException) -> str:
    """What went wrong, where, and what to do, in one line."""
    if isinstance(error, click.ClickException):
        message = error.format_message()
    elif isinstance(error, click.Abort):
        message = "interrupted"
    elif isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename is not None else ""
        message = f"{place}{error.strerror or error}"
    elif isinstance(error, TreelaceError):
        message = str(error)
    else:
        message = (
            f"{type(error).__name__}: {error} (this is a bug in treelace; run again with --debug"
            " for the traceback)"
        )
    return "treelace: " + " ".join(message.split())
