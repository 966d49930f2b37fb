"""Learns a wrapper from one list page or several detail pages, with examples and selectors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

from msgspec.structs import replace

from treelace.errors import UsageError, WrapperError
from treelace.extract import Table, extract
from treelace.extract.types.inference import column_type
from treelace.limits import Limits
from treelace.named import unique_names
from treelace.tree import Tree
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.learn.added_columns import with_added_columns
from treelace.wrappers.learn.calibration import calibrated
from treelace.wrappers.learn.details import learn_details
from treelace.wrappers.learn.lists import learn_list, learn_shared_list
from treelace.wrappers.learn.one_record import are_one_record_each
from treelace.wrappers.learn.pattern import evidence_of, expected_column
from treelace.wrappers.learn.shared_list import shared_list
from treelace.wrappers.model.form import ColumnForm, RegionForm, WrapperForm
from treelace.wrappers.model.page_class import learn_class
from treelace.wrappers.model.selectors import compiled_selector

MIN_LIST_CONFIDENCE, MIN_LIST_TEXT_SHARE, MIN_LIST_RECORDS = 0.8, 0.4, 5
"""Pages are lists if the first table of each reaches this confidence, text share and length."""


def learn(
    pages: Sequence[Tree],
    *,
    examples: Mapping[str, str],
    columns: Mapping[str, str],
    kind: Literal["auto", "list", "detail"],
    urls: Sequence[str] = (),
    members: Sequence[str] = (),
    all_columns: bool = True,
    limits: Limits,
) -> WrapperForm:
    """The form of a wrapper learnt from pages."""
    if not pages:
        raise UsageError("a wrapper is learnt from at least one page")
    is_shared = len(pages) > 1 and kind != "detail" and not examples
    shared = shared_list(pages, urls, members) if is_shared else None
    if kind == "auto":
        if shared and are_one_record_each(pages, shared.records):
            shared = None
        kind = "list" if len(pages) == 1 or shared or _are_lists(pages) else "detail"
    if kind == "list":
        first = (
            _from_list(pages[0], examples, limits=limits)
            if shared is None
            else learn_shared_list(pages, shared, limits=limits)
        )
        if len(pages) > 1:
            first = calibrated(first, [Page(page, limits=limits) for page in pages])
        inner: tuple[RegionForm, ...] = ()
    else:
        first, *rest = learn_details(pages, all_columns=all_columns, limits=limits)
        inner = tuple(rest)
    first = _with_examples(first, pages[0], examples, limits=limits)
    return WrapperForm(
        "wrapper",
        1,
        learn_class(pages),
        (_with_selectors(first, pages[0], columns, limits=limits), *inner),
    )


def _are_lists(pages: Sequence[Tree]) -> bool:
    """Whether all pages have a strong list of records that are several elements each, which is much
    of their text and has other texts on each; lists of single elements are found by agreement.
    """
    seen: list[set[str]] = []
    for page in pages:
        tables = extract(page, all_columns=True)
        if not tables or tables[0].confidence < MIN_LIST_CONFIDENCE:
            return False
        if len(tables[0].cells) < MIN_LIST_RECORDS or len(tables[0].records[0]) == 1:
            return False
        texts = [cell.text for row in tables[0].cells for cell in row if cell is not None]
        body = next((node.text for node in page.select("body", limit=1)), "")
        if sum(map(len, texts)) < MIN_LIST_TEXT_SHARE * len(" ".join(body.split())):
            return False
        seen.append(set(texts))
    return all(2 * len(left & right) < len(left) for left, right in pairwise(seen))


def _from_list(page: Tree, examples: Mapping[str, str], *, limits: Limits) -> RegionForm:
    tables = extract(page, all_columns=True)
    if not tables:
        raise WrapperError(
            "no repeated structure found: there is no list to learn from; several pages of one kind"
            " are learnt as detail pages"
        )
    best = max(
        range(len(tables)),
        key=lambda number: (len(_columns_of_examples(tables[number], examples)), -number),
    )
    missing = [
        f"{name} = {value!r}"
        for name, value in examples.items()
        if name not in _columns_of_examples(tables[best], examples)
    ]
    if missing:
        raise WrapperError(
            f"no table of the page has {', '.join(missing)} as a cell; `treelace extract` shows the"
            " tables there are"
        )
    roots = [[node.index for node in nodes] for nodes in tables[best].records]
    return with_added_columns(learn_list(page, tables[best], limits=limits), [page], [roots])


def _columns_of_examples(table: Table, examples: Mapping[str, str]) -> dict[str, int]:
    """The column of each example that a cell has: whole texts before parts, early columns first."""
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
    table = RegionReader(region).read(Page(page, limits=limits)).table
    column_of = _columns_of_examples(table, examples)
    missing = [f"{name} = {value!r}" for name, value in examples.items() if name not in column_of]
    if missing:
        raise WrapperError(
            f"no field of the first page is {', '.join(missing)}; give a selector with columns="
            " (--column) instead"
        )
    names = {region.columns[number].name: name for name, number in column_of.items()}
    others = [column.name for column in region.columns if column.name not in names]
    names |= dict(zip(others, unique_names(others, taken=examples), strict=True))
    return _renamed(region, names, [region.columns[column_of[name]].name for name in examples])


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
    """The region with columns by selectors first; they replace learnt ones of the same name."""
    if not columns:
        return region
    for name, selector in columns.items():
        if not name:
            raise UsageError(f"the column of the selector {selector!r} has no name")
        compiled_selector(selector)
    own = tuple(ColumnForm(name, select=selector) for name, selector in columns.items())
    kept = tuple(column for column in region.columns if column.name not in columns)
    pattern = tuple(
        replace(row, column="") if row.column in columns else row for row in region.pattern
    )
    region = replace(region, columns=own + kept, pattern=pattern)
    table = RegionReader(region).read(Page(page, limits=limits)).table
    made = []
    for number, column in enumerate(own):
        texts = [cell.text for row in table.cells if (cell := row[number]) is not None]
        if not texts:
            raise WrapperError(
                f"the selector {column.select!r} of column {column.name!r} finds nothing in the"
                " records of the first page"
            )
        expected = expected_column(column.name, column_type(texts), texts, len(table.cells))
        made.append(replace(expected, select=column.select))
    own_rows = evidence_of(
        {
            column.name: cell.text if cell is not None else None
            for column, cell in zip(made, row[: len(made)], strict=True)
        }
        for row in table.cells
    )
    learnt_rows = [*region.evidence, *({} for _ in own_rows)]
    evidence = tuple(
        row | {name: text for name, text in other.items() if name not in columns}
        for row, other in zip(own_rows, learnt_rows, strict=False)
    )
    return replace(region, columns=tuple(made) + kept, evidence=evidence)
