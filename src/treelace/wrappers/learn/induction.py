"""Learning a wrapper: from one list page or from several detail pages, with examples and selectors
mixed in.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from treelace.errors import UsageError, WrapperError
from treelace.extract import extract
from treelace.wrappers.apply.region_reader import Page, Reader
from treelace.wrappers.learn.details import learn_details
from treelace.wrappers.learn.lists import learn_list
from treelace.wrappers.model.form import ColumnForm, RegionForm, WrapperForm
from treelace.wrappers.model.selectors import compiled
from treelace.wrappers.wrapper import class_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.extract import Table
    from treelace.limits import Limits
    from treelace.tree import Tree

STRONG, MUCH, FEWEST = 0.8, 0.4, 5
"""Several pages are lists if the first table of each is so sure, has this share of the page's text,
and so many records.
"""


def learn(
    pages: Sequence[Tree],
    *,
    examples: Mapping[str, str],
    columns: Mapping[str, str],
    kind: Literal["auto", "list", "detail"],
    limits: Limits,
) -> WrapperForm:
    """The form of a wrapper learnt from pages."""
    if not pages:
        raise UsageError("a wrapper is learnt from at least one page")
    if kind == "auto":
        kind = "list" if len(pages) == 1 or _are_lists(pages) else "detail"
    if kind == "list":
        first = _from_list(pages[0], examples, limits=limits)
        inner: tuple[RegionForm, ...] = ()
    else:
        first, *rest = learn_details(pages, limits=limits)
        inner = tuple(rest)
    first = _with_examples(first, pages[0], examples, limits=limits)
    return WrapperForm(
        "wrapper",
        1,
        class_of(pages),
        (_with_selectors(first, pages[0], columns, limits=limits), *inner),
    )


def _are_lists(pages: Sequence[Tree]) -> bool:
    """Whether each page shows the same strong list: a sure first table with much of the page's
    text, and other texts on each page.
    """
    seen: list[set[str]] = []
    for page in pages:
        tables = extract(page)
        if not tables or tables[0].confidence < STRONG or len(tables[0].cells) < FEWEST:
            return False
        texts = [cell.text for row in tables[0].cells for cell in row if cell is not None]
        body = next((node.text for node in page.select("body", limit=1)), "")
        if sum(map(len, texts)) < MUCH * len(" ".join(body.split())):
            return False
        seen.append(set(texts))
    return all(2 * len(left & right) < len(left) for left, right in pairwise(seen))


def _from_list(page: Tree, examples: Mapping[str, str], *, limits: Limits) -> RegionForm:
    tables = extract(page)
    if not tables:
        raise WrapperError(
            "no repeated structure found: there is no list to learn from; several pages of one kind"
            " are learnt as detail pages"
        )
    best = max(
        range(len(tables)), key=lambda number: (len(_hits(tables[number], examples)), -number)
    )
    missing = [
        f"{name} = {value!r}"
        for name, value in examples.items()
        if name not in _hits(tables[best], examples)
    ]
    if missing:
        raise WrapperError(
            f"no table of the page has {', '.join(missing)} as a cell; `treelace extract` shows the"
            " tables there are"
        )
    return learn_list(page, tables[best], limits=limits)


def _hits(table: Table, examples: Mapping[str, str]) -> dict[str, int]:
    """For each example that some cell of a table has, the number of its column: whole texts before
    parts, early columns first.
    """
    found: dict[str, int] = {}
    for name, value in examples.items():
        wanted = " ".join(value.split())
        part = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
        for is_right in (wanted.__eq__, part.search):
            for number in range(len(table.columns)):
                if (
                    name not in found
                    and number not in found.values()
                    and any(
                        cell is not None and is_right(cell.text)
                        for row in table.cells
                        for cell in (row[number],)
                    )
                ):
                    found[name] = number
    return found


def _with_examples(
    region: RegionForm, page: Tree, examples: Mapping[str, str], *, limits: Limits
) -> RegionForm:
    """The region with the columns of the examples first, under the names the examples have."""
    if not examples:
        return region
    table, _ = Reader(region).table(Page(page), None, limits=limits)
    hits = _hits(table, examples)
    missing = [f"{name} = {value!r}" for name, value in examples.items() if name not in hits]
    if missing:
        raise WrapperError(
            f"no field of the first page is {', '.join(missing)}; give a selector with columns="
            " (--column) instead"
        )
    names = {region.columns[number].name: name for name, number in hits.items()}
    taken = set(examples)
    for column in region.columns:
        if column.name not in names:
            name, count = column.name, 2
            while name in taken:
                name, count = f"{column.name} {count}", count + 1
            names[column.name] = name
            taken.add(name)
    return _renamed(region, names, [region.columns[hits[name]].name for name in examples])


def _renamed(region: RegionForm, names: Mapping[str, str], first: Sequence[str]) -> RegionForm:
    order = sorted(
        region.columns,
        key=lambda column: first.index(column.name) if column.name in first else len(first),
    )
    return replace(
        region,
        columns=tuple(replace(column, name=names[column.name]) for column in order),
        pattern=tuple(
            replace(row, column=names[row.column]) if row.column else row for row in region.pattern
        ),
        evidence=tuple(
            {names[name]: text for name, text in row.items()} for row in region.evidence
        ),
    )


def _with_selectors(
    region: RegionForm, page: Tree, columns: Mapping[str, str], *, limits: Limits
) -> RegionForm:
    """The region with columns by selectors first; one of the same name that was learnt gives
    way.
    """
    if not columns:
        return region
    from treelace.extract.types.inference import column_type
    from treelace.wrappers.model.text_shapes import shapes_of

    for name, selector in columns.items():
        if not name:
            raise UsageError(f"the column of the selector {selector!r} has no name")
        compiled(selector)
    own = tuple(ColumnForm(name, select=selector) for name, selector in columns.items())
    kept = tuple(column for column in region.columns if column.name not in columns)
    pattern = tuple(
        replace(row, column="") if row.column in columns else row for row in region.pattern
    )
    region = replace(region, columns=own + kept, pattern=pattern)
    table, _ = Reader(region).table(Page(page), None, limits=limits)
    made = []
    for number, column in enumerate(own):
        texts = [cell.text for row in table.cells if (cell := row[number]) is not None]
        if not texts:
            raise WrapperError(
                f"the selector {column.select!r} of column {column.name!r} finds nothing in the"
                " records of the first page"
            )
        fill = round(len(texts) / len(table.cells), 3)
        length = round(sum(map(len, texts)) / len(texts), 1)
        made.append(
            replace(
                column,
                type=column_type(texts),
                fill=fill,
                required=fill == 1,
                length=length,
                shapes=shapes_of(texts),
            )
        )
    rows = tuple(
        {
            **{
                column.name: cell.text[:200]
                for column, cell in zip(made, cells[: len(made)], strict=True)
                if cell is not None
            },
            **{
                name: text
                for name, text in (
                    region.evidence[number] if number < len(region.evidence) else {}
                ).items()
                if name not in columns
            },
        }
        for number, cells in enumerate(table.cells[:3])
    )
    return replace(region, columns=tuple(made) + kept, evidence=rows)
