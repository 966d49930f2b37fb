"""What the schema of a wrapper's file cannot say: rows that make a tree, columns that are there,
selectors that can be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.errors import WrapperError
from treelace.extract.types import TYPES
from treelace.wrappers.model.json_file import line_of
from treelace.wrappers.model.page_class import decoded_sketch
from treelace.wrappers.model.selectors import compiled_selector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treelace.wrappers.model.form import RegionForm, WrapperForm


def check_form(form: WrapperForm, text: str) -> None:
    """A `WrapperError` with line and place for the first mistake in a file that the schema allows:
    rows that make no tree, columns that are not there, selectors or a sketch that nobody can read.
    """
    for path, what in _problems(form):
        raise WrapperError(f"wrapper, line {line_of(text, path)}, {path}: {what}")


def _problems(form: WrapperForm) -> Iterator[tuple[str, str]]:
    """What is wrong in a file, in its order: where, and what was expected there."""
    if not form.regions:
        yield "$.regions", "expected at least one region"
    for number, region in enumerate(form.regions):
        for path, what in _region_problems(region, form.regions[0]):
            yield f"$.regions[{number}]{path}", what
    try:
        decoded_sketch(form.page_class)
    except WrapperError:
        yield "$.page_class.sketch", "expected the sketch that treelace wrote"


def _region_problems(region: RegionForm, first: RegionForm) -> Iterator[tuple[str, str]]:
    names = [column.name for column in region.columns]
    for at, name in enumerate(names):
        if name in names[:at] or not name:
            yield f".columns[{at}].name", f"expected a name that no other column has, got {name!r}"
    for at, column in enumerate(region.columns):
        if column.type not in TYPES:
            yield f".columns[{at}].type", f"expected {', '.join(TYPES)}, got {column.type!r}"
        if column.select:
            yield from _selector_problems(f".columns[{at}].select", column.select)
        for number, anchor in enumerate(column.anchors):
            if not anchor.startswith(("label:", "holder:")):
                yield from _selector_problems(f".columns[{at}].anchors[{number}]", anchor)
    yield from _pattern_problems(region, names)
    if region.kind == "list" and not region.anchors:
        yield ".anchors", "expected at least one selector that finds the records"
    for at, anchor in enumerate(region.anchors):
        yield from _selector_problems(f".anchors[{at}]", anchor)
    if region.kind == "inner" and not 0 <= region.parent < len(first.pattern):
        yield (
            ".parent",
            (
                f"expected a row of the first region's pattern, 0 to {len(first.pattern) - 1}, got"
                f" {region.parent}"
            ),
        )
    for at, run in enumerate(region.runs):
        if any(row >= len(region.pattern) for row in run):
            yield (
                f".runs[{at}]",
                f"expected rows of the pattern, 0 to {len(region.pattern) - 1}, got {list(run)}",
            )
    if region.records[0] > region.records[1]:
        yield ".records", f"expected the fewest and the most records, got {list(region.records)}"
    for path, name in region.paths.items():
        if name and name not in names:
            yield f".paths.{path}", f"expected the name of a column or nothing, got {name!r}"


def _pattern_problems(region: RegionForm, names: list[str]) -> Iterator[tuple[str, str]]:
    depth = 0
    for at, row in enumerate(region.pattern):
        if (at == 0) != (row.depth == 0) or row.depth > depth + 1:
            yield (
                f".pattern[{at}].depth",
                f"expected {'0' if at == 0 else f'1 to {depth + 1}'}, got {row.depth}",
            )
        if row.column and row.column not in names:
            yield f".pattern[{at}].column", f"expected the name of a column, got {row.column!r}"
        depth = row.depth


def _selector_problems(place: str, selector: str) -> Iterator[tuple[str, str]]:
    try:
        compiled_selector(selector)
    except WrapperError as error:
        yield place, f"expected a selector: {error}"
