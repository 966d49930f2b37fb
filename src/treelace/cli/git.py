"""`treelace git-diff`: what git calls for files whose attributes say `diff=treelace`."""

from __future__ import annotations

import os

import click

from treelace.cli.common import Output, read_page
from treelace.cli.options import common_options
from treelace.errors import TreelaceError
from treelace.limits import Limits


@click.command("git-diff")
@click.argument(
    "arguments",
    nargs=-1,
    required=True,
    metavar="PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE [NEW-PATH …]",
)
@common_options
def git_diff_command(*, arguments: tuple[str, ...], output: Output, limits: Limits) -> None:
    """What changed in one file, as git asks for it (`GIT_EXTERNAL_DIFF`, `diff.<driver>.command`).
    Exit code 0, as git wants it.

    \b
    Examples:
      git config diff.treelace.command "treelace git-diff"
      echo "*.xml diff=treelace" >> .gitattributes
    """
    from treelace.diff import diff
    from treelace.diff.outputs import Change
    from treelace.diff.outputs.stat import stat
    from treelace.diff.outputs.text import text

    path = arguments[0]
    if len(arguments) < 7:
        output.write(f"* {path} is unmerged\n")
        return
    old, new, name = arguments[1], arguments[4], arguments[7] if len(arguments) > 7 else path
    if os.devnull in (old, new):
        output.write(
            f"treelace diff {path}: {'new file' if old == os.devnull else 'file is gone'}\n"
        )
        return
    has_colour = output.has_colour or (
        "GIT_PAGER_IN_USE" in os.environ and "NO_COLOR" not in os.environ
    )
    try:
        first, second = read_page(old, limits=limits), read_page(new, limits=limits)
        delta = diff(first, second, limits=limits)
        change = Change(delta=delta, old=first, new=second, has_colour=has_colour)
        output.write(
            f"treelace diff {path}{f' → {name}' if name != path else ''}:"
            f" {stat(change)}{text(change)}",
            is_coloured=has_colour,
        )
    except TreelaceError as error:
        # git would stop at the first file that is not well-formed; say it and go on
        output.write(f"treelace diff {path}: {error}\n")
