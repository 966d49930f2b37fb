"""Inner tables: which of the lists inside the pages of a class are tables of their own.

A company's page is one record, and the list of its jobs is a table inside it. So are the questions
below an article and the reviews of a product. Not every list is one: paragraphs and lines of code
are running text, tags and properties say the same on many pages, and a strip of related products
shows records of other pages, others tomorrow. A list is kept where its records have a name of their
own that no other page shows, say more than one thing each, and do not lead to pages of the class.

Of a site that is known in part only some cards of a strip lead to pages that are known. So those
count too that lead to where the pages of the class stand, or whose classes say that they are
related, if any other card leads to a page of the class.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from treelace.classes.model import PAGE
from treelace.extract.types import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Table
    from treelace.tree import Node, Tree
    from treelace.wrappers import PageReader, Wrapper
    from treelace.wrappers.model.form import RegionForm

MAX_TABLES = 3
"""Tables that are kept inside the pages of a class."""
MIN_PAGES = 0.6
"""Share of the pages that show two records or more."""
MIN_COLUMNS, MIN_FILL = 2, 0.5
"""Columns of texts that so many of the records have: less is a list of values."""
MIN_TOLD_APART, MIN_ON_ONE_PAGE = 0.9, 0.8
"""Share of the records of a page that their name tells apart; share of names that one page has."""
MAX_NAME_LENGTH = 200
"""Characters of a name on the mean: longer texts are prose."""
MAX_TO_THE_CLASS = 0.5
"""Share of the records that lead to pages of the class: more is a strip of its neighbours."""
MIN_KNOWN_TO_THE_CLASS = 0.1
"""Share of the records that lead to known pages of the class, for others to be counted with them by
where they lead or what they are called.
"""
NO_RECORDS = frozenset("p h1 h2 h3 h4 h5 h6 a b i em strong span br pre code blockquote".split())
"""Elements that are parts of a text and no records."""


def inner_tables(
    wrapper: Wrapper, trees: Sequence[Tree], urls: Sequence[str], members: Sequence[str]
) -> tuple[RegionForm, ...]:
    """The tables inside the pages of a class that are kept, each with the column that names its
    records first; `members` are the addresses of all pages of the class.
    """
    pages = [
        wrapper.apply(tree, force=True, url=url)[1:]
        for tree, url in zip(trees, urls or [""] * len(trees), strict=True)
    ]
    class_pages = set(map(page_address, members))
    kept: list[RegionForm] = []
    for number, region in enumerate(wrapper.regions[1:]):
        tables = [tables[number] for tables in pages if len(tables) > number]
        if region.like.partition(".")[0] in NO_RECORDS or region.kind != "inner":
            continue
        name = _naming_column(region, tables, len(trees))
        if name is not None and not _lead_to(class_pages, tables):
            first = region.columns[name]
            others = (column for column in region.columns if column is not first)
            kept.append(replace(region, columns=(first, *others)))
    return tuple(kept[:MAX_TABLES])


def inner_keys(reader: PageReader | None) -> tuple[tuple[str, ...], ...]:
    """The key of each table inside the pages of a class: the page and the name of the record."""
    regions = () if reader is None else reader.regions[1:]
    return tuple(
        (PAGE, region.columns[0].name) if region.kind == "inner" else () for region in regions
    )


def page_address(url: str) -> str:
    """The address of a page, however a link to it is written."""
    return url.partition("#")[0].rstrip("/")


def _naming_column(region: RegionForm, tables: Sequence[Table], pages: int) -> int | None:
    """The column that names the records, where they are a table; None where they are none."""
    if sum(len(table.cells) > 1 for table in tables) < MIN_PAGES * pages:
        return None
    count = sum(len(table.cells) for table in tables)
    full = []
    for at, column in enumerate(region.columns):
        texts = [[row[at] or "" for row in table.rows] for table in tables]
        filled = sum(bool(text) for some in texts for text in some)
        if filled >= MIN_FILL * count and column.type != "image":
            full.append(at)
    if len(full) < MIN_COLUMNS:
        return None
    return next((at for at in full if _names_records(at, region, tables)), None)


def _names_records(at: int, region: RegionForm, tables: Sequence[Table]) -> bool:
    """Whether the texts of a column tell the records of a page apart, and its pages from others."""
    if region.columns[at].type != TEXT.name:
        return False
    names = [[row[at] or "" for row in table.rows] for table in tables]
    every = [text for some in names for text in some]
    apart = sum(len({text for text in some if text}) for some in names)
    shown_by = Counter(text for some in names for text in set(some))
    alone = sum(count == 1 for count in shown_by.values())
    return (
        apart >= MIN_TOLD_APART * len(every)
        and alone >= MIN_ON_ONE_PAGE * len(shown_by)
        and sum(map(len, every)) <= MAX_NAME_LENGTH * len(every)
        and 2 * sum(any(map(str.isalpha, text)) for text in every) > len(every)
    )


def _lead_to(class_pages: set[str], tables: Sequence[Table]) -> bool:
    """Whether most records lead to pages of the class, or to others like them."""
    rows = [row for table in tables for row in table.cells]
    firsts = [nodes[0] for table in tables for nodes in table.records]
    links = [
        {page_address(cell.link) for cell in row if cell is not None and cell.link} for row in rows
    ]
    known = [not class_pages.isdisjoint(targets) for targets in links]
    if sum(known) < max(1, MIN_KNOWN_TO_THE_CLASS * len(rows)):
        return False
    (place, _), *_ = Counter(map(_place, class_pages)).most_common(1)
    leading = sum(
        is_known or place in map(_place, targets) or (bool(targets) and _is_related(first))
        for is_known, targets, first in zip(known, links, firsts, strict=True)
    )
    return leading > MAX_TO_THE_CLASS * len(rows)


def _place(address: str) -> str:
    """Where a page stands: its address without the last part."""
    return address.rpartition("/")[0]


def _is_related(first: Node) -> bool:
    from treelace.wrappers.learn.text_blocks import is_called_strip

    return is_called_strip(first.tree, first.index)
