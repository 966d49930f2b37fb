"""`treelace index build | add | remove | search`: pages found by their structure."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from treelace import _kernel, named
from treelace.cli.common import Output, expand, read_page
from treelace.cli.exits import Exit
from treelace.cli.families import option_option
from treelace.cli.options import common_options, form_option, option
from treelace.errors import TreelaceError
from treelace.limits import Limits
from treelace.similarity.engine import on_all_cores
from treelace.similarity.index_plan import Plan
from treelace.similarity.structure_index import StructureIndex


@click.group("index")
def index_group() -> None:
    """Pages by their structure, in one file: pages like this one, pages that contain this.

    \b
    Examples:
      treelace index build pages.index archive/
      treelace index search pages.index page.html
      treelace index search pages.index part.html --contains
    """


@index_group.command("build")
@click.argument("index", metavar="INDEX")
@click.argument("paths", metavar="PATHS…", nargs=-1, required=True)
@option(
    "--replace", "Replace an index that is there; it stays as it is until the new one is whole."
)
@option("--sketches-only", "Keep no features: less room, and answers are estimates.")
@option(
    "--slots",
    "Minima for each of the seven families of facts; the same as --option slots=N.",
    click.IntRange(4, 145),
    default=36,
)
@option_option("index", "rows=4", "plan")
@common_options
def build_command(
    *,
    index: str,
    paths: tuple[str, ...],
    replace: bool,
    sketches_only: bool,
    slots: int,
    plan: dict[str, Any],
    output: Output,
    limits: Limits,
) -> Exit:
    """A new index of pages: files, and the pages in folders (.html, .htm, .xhtml, .xml, also .gz
    and .zst), each under its path.

    A page that cannot be read is named on standard error and left out; the exit code is then 3.

    \b
    Examples:
      treelace index build pages.index archive/ extra.html
      treelace index build pages.index archive/ --replace --sketches-only
    """
    places = expand(paths)
    if os.path.exists(index) and not replace:
        raise click.UsageError(
            f"{index}: is there already; `treelace index add` adds to it, --replace makes it anew"
        )
    half = f"{index}.{os.getpid()}.new"
    try:
        with StructureIndex.create(
            half,
            plan=named.make("index", {"plan": Plan}, "plan", {"slots": slots} | plan),
            keeps_features=not sketches_only,
        ) as made:
            bad = _fill(made, places, output, limits)
            _tell(output, made, index)
        os.replace(half, index)
    finally:
        if os.path.exists(half):
            os.unlink(half)
    return Exit.BAD_INPUT if bad else Exit.DONE


@index_group.command("add")
@click.argument("index", metavar="INDEX")
@click.argument("paths", metavar="PATHS…", nargs=-1, required=True)
@common_options
def add_command(*, index: str, paths: tuple[str, ...], output: Output, limits: Limits) -> Exit:
    """Adds pages to INDEX; a page whose path is there replaces the one that has it. Interrupted, it
    keeps what it had committed.

    \b
    Examples:
      treelace index add pages.index new/
      treelace index add pages.index archive/changed.html
    """
    places = expand(paths)
    with StructureIndex.open(index, is_writable=True) as opened:
        bad = _fill(opened, places, output, limits)
        _tell(output, opened, index)
    return Exit.BAD_INPUT if bad else Exit.DONE


@index_group.command("remove")
@click.argument("index", metavar="INDEX")
@click.argument("names", metavar="NAMES…", nargs=-1, required=True)
@common_options
def remove_command(*, index: str, names: tuple[str, ...], output: Output, limits: Limits) -> Exit:
    """Removes pages from INDEX by the names they were added under. Exit 1 if one was not there; the
    others are removed.

    \b
    Examples:
      treelace index remove pages.index archive/old.html
    """
    with StructureIndex.open(index, is_writable=True) as opened:
        missing = [name for name in names if name not in opened]
        opened.remove(names)
        for name in missing:
            output.say(f"treelace: {index}: no page is called {name}")
        _tell(output, opened, index)
    return Exit.NO if missing else Exit.DONE


@index_group.command("search")
@click.argument("index", metavar="INDEX")
@click.argument("page", metavar="PAGE")
@option("--contains", "Pages that contain the structure of PAGE, which may be a part of a page.")
@option("-n, --number as wanted", "How many pages at most.", click.IntRange(1), default=10)
@option(
    "--at-least",
    "How alike they must be (0 without it), or how much they must contain (0.8 without it).",
    click.FloatRange(0, 1),
)
@form_option(["text", "json"], "text", "How to write the answer.")
@common_options
def search_command(
    *,
    index: str,
    page: str,
    contains: bool,
    wanted: int,
    at_least: float | None,
    form: str,
    output: Output,
    limits: Limits,
) -> Exit:
    """Pages of INDEX like PAGE, the most alike first, each with its similarity. Exit 1 where there
    is none.

    \b
    Examples:
      treelace index search pages.index page.html
      treelace index search pages.index page.html -n 100 --at-least 0.7 --to json
      echo "<ul class=products><li><h3><a href=x>" | treelace index search pages.index - --contains
    """
    with StructureIndex.open(index) as opened:
        if contains:
            asked = read_page(page, limits=limits, fragment=True)
            found = opened.search_containing(
                asked, limit=wanted, at_least=0.8 if at_least is None else at_least, limits=limits
            )
        else:
            found = opened.search(
                read_page(page, limits=limits), limit=wanted, at_least=at_least or 0.0
            )
    if form == "json":
        output.write(
            json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=1) + "\n"
        )
    else:
        output.write("".join(f"{one.similarity:.6f}  {one.name}\n" for one in found))
    return Exit.DONE if found else Exit.NO


def _fill(index: StructureIndex, places: list[str], output: Output, limits: Limits) -> int:
    """Adds every page that can be read; how many could not."""
    bad = 0

    def read(place: str) -> Any:
        try:
            return index.features(read_page(place, limits=limits))
        except (TreelaceError, OSError) as error:
            return error

    def good() -> Iterator[tuple[str, _kernel.Features]]:
        nonlocal bad
        results = output.progress(on_all_cores(read, places), total=len(places), label="reading")
        for place, result in zip(places, results, strict=True):
            if isinstance(result, Exception):
                bad += 1
                output.say_left_out(place, result)
            else:
                yield place, result

    index.add_features(good())
    if bad:
        output.say(f"treelace: {bad} of {len(places)} pages left out")
    return bad


def _tell(output: Output, index: StructureIndex, path: str) -> None:
    output.explain(f"{path}: {len(index):,} pages")
