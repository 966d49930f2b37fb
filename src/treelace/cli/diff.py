"""`treelace diff`, `apply`, `invert`, `compose` and `merge`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from treelace.cli.common import Output, standard_input
from treelace.cli.exits import Exit, complain
from treelace.cli.families import Algorithm, algorithm_options
from treelace.cli.options import Read, common_options, document_options, form_option, option
from treelace.diff import Delta
from treelace.diff.ignore import Ignore
from treelace.diff.outputs import DELTA_OUTPUTS, OUTPUTS, Change, write
from treelace.errors import TreelaceError
from treelace.limits import Limits
from treelace.matching import Matcher
from treelace.tree import Tree

F = TypeVar("F", bound="Callable[..., Any]")


def _ignore_options(command: F) -> F:
    """Adds the options of what to ignore; the command is given them as `rules`."""

    @option(
        "--ignore-xpath EXPR as xpath",
        "Do not tell of these nodes and what is inside them.",
        multiple=True,
    )
    @option("--ignore-css SELECTOR as css", "The same, by CSS.", multiple=True)
    @option(
        "--ignore-attribute NAME as attributes",
        "Do not tell of attributes of this name.",
        multiple=True,
    )
    @option(
        "--ignore-regex PATTERN as regex",
        "Do not tell of texts that differ only in what this matches.",
        multiple=True,
    )
    @option(
        "--ignore-order TAG as unordered",
        "Do not tell of other orders of the children of these elements.",
        multiple=True,
    )
    @option("--ignore-space as white_space", "Do not tell of white space.")
    @wraps(command)
    def with_rules(**given: Any) -> Any:
        said = {one.name: given.pop(one.name) for one in fields(Ignore)}
        return command(rules=Ignore(**said), **given)

    return cast("F", with_rules)


_matcher_options = algorithm_options("matcher", "auto", "depth=3 for buld")
_delta_form_option = form_option(DELTA_OUTPUTS, "xml", "How to write the delta.")


@click.command("diff")
@click.argument("old")
@click.argument("new")
@form_option(OUTPUTS, "text", "How to say what changed.")
@option("--stat as is_stat", "Only how much changed; the same as --to stat.")
@_matcher_options
@option("--no-order-moves", "No moves within one parent: delete and insert instead.")
@option(
    "--color as colour",
    "Colours in the text.",
    click.Choice(["auto", "always", "never"]),
    default="auto",
)
@_ignore_options
@option(
    "--site DIR as folder",
    "The site of PAGE@V1 and PAGE@V2; default: the current folder.",
    default=".",
)
@document_options
def diff_command(
    *,
    old: str,
    new: str,
    form: str,
    is_stat: bool,
    matcher: Algorithm,
    no_order_moves: bool,
    colour: str,
    rules: Ignore,
    folder: str,
    read: Read,
    output: Output,
    limits: Limits,
) -> int:
    """What changed from OLD to NEW, two documents or two folders of pages. Exit code 0: nothing
    (that is not ignored); 1: something.

    \b
    Inside a site OLD and NEW may be versions of a page, PAGE@V: which node is which was decided
    when they came in. The rules to ignore concern what is told (text, html, stat); a delta is
    always exact.
    Examples:
      treelace diff monday.html tuesday.html
      treelace diff old.xml new.xml --stat
      treelace diff old.xml new.xml --to xml -o changes.delta.xml
      treelace diff old.html new.html --to html -o changes.html
      treelace diff old.html new.html --ignore-css .ads --ignore-space
      treelace diff https://shop.example/@6 https://shop.example/@7 --site shop
      treelace diff monday/ tuesday/ --stat
      treelace diff old.xml new.xml --matcher buld --option depth=3 --option blanks=false
    """
    from treelace.matching.matchers import matcher_named

    form = "stat" if is_stat else form
    chosen = matcher_named(matcher.name, **{"limits": limits} | matcher.options)
    has_colour = output.has_colour if colour == "auto" else colour == "always"
    if Path(old).is_dir() and Path(new).is_dir():
        from treelace.cli.diff_folders import FolderReport, diff_folders

        shown = FolderReport(form=form, rules=rules, has_colour=has_colour, output=output)
        return diff_folders(old, new, shown, read=read, matcher=chosen, limits=limits)
    change = _versions(old, new, folder, limits) or _difference(
        read(old), read(new), chosen, order_moves=not no_order_moves, limits=limits
    )
    change = replace(change, old_name=old, new_name=new, ignore=rules, has_colour=has_colour)
    output.write(write(change, form), is_coloured=has_colour)
    is_same = not change.reported() if rules else change.old == change.new
    return Exit.DONE if is_same else Exit.NO


def _difference(
    old: Tree, new: Tree, matcher: Matcher, *, order_moves: bool, limits: Limits
) -> Change:
    """What changed between two documents."""
    from treelace.diff import diff

    delta = diff(old, new, matcher=matcher, order_moves=order_moves, limits=limits)
    return Change(delta=delta, old=old, new=new, limits=limits)


def _versions(old: str, new: str, folder: str, limits: Limits) -> Change | None:
    """What changed between two versions that a site has; None where files are meant."""
    import os

    if (
        os.path.exists(old)
        or os.path.exists(new)
        or "-" in (old, new)
        or not os.path.isfile(os.path.join(folder, "treelace.toml"))
    ):
        return None
    from treelace.site import Site

    with Site(folder, read_only=True, limits=limits) as site:
        return site.compare(old, new)


@click.command("apply")
@click.argument("delta")
@click.argument("old")
@document_options
def apply_command(
    *,
    delta: str,
    old: str,
    read: Read,
    output: Output,
    limits: Limits,
) -> None:
    """The document that DELTA makes of OLD. A delta for another document is refused, and both are
    named.

    \b
    Examples:
      treelace apply changes.delta.xml old.xml -o new.xml
      treelace diff old.html new.html --to xml | treelace apply - old.html
    """
    change = read_delta(delta, limits=limits)
    output.write(document(change.apply(read(old), limits=limits), limits))


@click.command("invert")
@click.argument("delta")
@_delta_form_option
@common_options
def invert_command(*, delta: str, form: str, output: Output, limits: Limits) -> None:
    """The delta that leads back.

    \b
    Example:
      treelace invert changes.delta.xml | treelace apply - new.xml -o old.xml
    """
    output.write(delta_in(~read_delta(delta, limits=limits), form, limits))


@click.command("compose")
@click.argument("first")
@click.argument("second")
@_delta_form_option
@common_options
def compose_command(*, first: str, second: str, form: str, output: Output, limits: Limits) -> None:
    """FIRST and then SECOND, as one delta; no document is needed.

    \b
    Example:
      treelace compose monday-tuesday.delta.xml tuesday-friday.delta.xml -o monday-friday.delta.xml
    """
    both = read_delta(first, limits=limits).compose(
        read_delta(second, limits=limits), limits=limits
    )
    output.write(delta_in(both, form, limits))


@click.command("merge")
@click.argument("base")
@click.argument("left")
@click.argument("right")
@_matcher_options
@document_options
def merge_command(
    *,
    base: str,
    left: str,
    right: str,
    matcher: Algorithm,
    read: Read,
    output: Output,
    limits: Limits,
) -> int:
    """The changes of LEFT and RIGHT, both made from BASE, in one document. Exit code 1: there are
    conflicts.

    \b
    Conflicts are named on standard error, one a line, with the node, both values and the base; the
    document has LEFT's.
    Examples:
      treelace merge base.xml mine.xml theirs.xml -o merged.xml
      git config merge.treelace.driver "treelace merge --format xml %O %A %B -o %A"
    """
    from treelace.diff import merge
    from treelace.matching.matchers import matcher_named

    chosen = matcher_named(matcher.name, **{"limits": limits} | matcher.options)
    merged = merge(read(base), read(left), read(right), matcher=chosen, limits=limits)
    output.write(document(merged.tree, limits))
    for conflict in merged.conflicts:
        complain(f"conflict: {conflict}")
    return Exit.NO if merged.conflicts else Exit.DONE


def read_delta(place: str, *, limits: Limits) -> Delta:
    """The delta in a file, or - for standard input, in any form; an error names the place."""
    from treelace.diff import Delta
    from treelace.tree.files import read_file

    data = standard_input(limits=limits) if place == "-" else read_file(place, limits=limits)
    try:
        return Delta.read(data, limits=limits)
    except TreelaceError as error:
        error.args = (f"{place}: {error.args[0]}",)
        raise


def delta_in(delta: Delta, form: str, limits: Limits) -> str | bytes:
    """A delta in one of its forms."""
    return DELTA_OUTPUTS[form](delta, limits=limits)


def document(tree: Tree, limits: Limits) -> str | bytes:
    """A document as a file should hold it, in the language it was read from."""
    if tree.format == "html":
        return (
            tree.to_html(limits=limits) if tree.is_fragment else tree.to_html_bytes(limits=limits)
        )
    return tree.to_xml(limits=limits)
