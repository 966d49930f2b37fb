"""`treelace diff`, `apply` and `invert`: what changed, and documents made from that."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output, common_options, read_page
from treelace.cli.exits import Exit
from treelace.cli.tree import source_options
from treelace.errors import TreelaceError

if TYPE_CHECKING:
    from treelace.diff import Delta
    from treelace.limits import Limits
    from treelace.tree import Tree

DIFF_FORMS = ("text", "stat", "xml")
DELTA_FORMS = ("xml",)


@click.command("diff")
@click.argument("old")
@click.argument("new")
@click.option("--to", "form", type=click.Choice(DIFF_FORMS), default="text", show_default=True, help="How to say what changed.")
@click.option("--stat", "is_stat", is_flag=True, help="Only how much changed; the same as --to stat.")
@click.option("--matcher", default="auto", show_default=True, metavar="NAME", help="Which matcher; `treelace matchers` lists them.")
@click.option("--no-order-moves", is_flag=True, help="No moves within one parent: delete and insert instead.")
@source_options
@common_options
def diff_command(
    *,
    old: str,
    new: str,
    form: str,
    is_stat: bool,
    matcher: str,
    no_order_moves: bool,
    format: str,
    encoding: str | None,
    fragment: bool,
    output: Output,
    limits: Limits,
) -> int:
    """What changed from OLD to NEW. Exit code 0: nothing; 1: something.

    \b
    Examples:
      treelace diff monday.html tuesday.html
      treelace diff old.xml new.xml --stat
      treelace diff old.xml new.xml --to xml -o changes.delta.xml
    """
    from treelace.diff import diff
    from treelace.diff.render import stat, text
    from treelace.matching.matchers import matcher_named

    first = read_page(old, limits=limits, format=format, encoding=encoding, fragment=fragment)
    second = read_page(new, limits=limits, format=format, encoding=encoding, fragment=fragment)
    delta = diff(first, second, matcher=matcher_named(matcher, limits=limits), order_moves=not no_order_moves, limits=limits)
    if is_stat or form == "stat":
        output.write(stat(delta, first, second))
    elif form == "text":
        output.write(text(delta, first, second, has_colour=output.has_colour))
    else:
        write_delta(delta, form, output, limits)
    return Exit.NO if first != second else Exit.DONE


@click.command("apply")
@click.argument("delta")
@click.argument("old")
@source_options
@common_options
def apply_command(*, delta: str, old: str, format: str, encoding: str | None, fragment: bool, output: Output, limits: Limits) -> None:
    """The document that DELTA makes of OLD. A delta for another document is refused, and both are named.

    \b
    Examples:
      treelace apply changes.delta.xml old.xml -o new.xml
      treelace diff old.html new.html --to xml | treelace apply - old.html
    """
    change = read_delta(delta, limits=limits)
    tree = read_page(old, limits=limits, format=format, encoding=encoding, fragment=fragment)
    output.write(document(change.apply(tree, limits=limits), limits))


@click.command("invert")
@click.argument("delta")
@click.option("--to", "form", type=click.Choice(DELTA_FORMS), default="xml", show_default=True, help="How to write the delta.")
@common_options
def invert_command(*, delta: str, form: str, output: Output, limits: Limits) -> None:
    """The delta that leads back.

    \b
    Example:
      treelace invert changes.delta.xml | treelace apply - new.xml -o old.xml
    """
    write_delta(~read_delta(delta, limits=limits), form, output, limits)


def read_delta(place: str, *, limits: Limits) -> Delta:
    """The delta in a file, or - for standard input, in any of its forms. An error names the place."""
    from treelace.diff import Delta
    from treelace.tree.files import read_file, read_packed

    data = read_packed(sys.stdin.buffer, limits=limits, name="standard input") if place == "-" else read_file(place, limits=limits)
    try:
        return Delta.read(data, limits=limits)
    except TreelaceError as error:
        error.args = (f"{place}: {error.args[0]}",)
        raise


def write_delta(delta: Delta, form: str, output: Output, limits: Limits) -> None:
    """Writes a delta in one of its forms."""
    output.write(delta.to_xml(limits=limits))


def document(tree: Tree, limits: Limits) -> str | bytes:
    """A document as a file should hold it, in the language it was read from."""
    if tree.format == "html":
        return tree.to_html(limits=limits) if tree.is_fragment else tree.to_html_bytes(limits=limits)
    return tree.to_xml(limits=limits)
