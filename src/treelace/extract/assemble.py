"""From records and the column of each item to a Table: cells that read as text, with links, images, names and places."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from treelace.extract.locales import Locale, locale_of
from treelace.extract.table import Cell, Column, Item, Table
from treelace.extract.typed import typed
from treelace.extract.view import INLINE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.extract.view import PageView


class Region(NamedTuple):
    """Records of one part of a page: for each its root nodes, in document order; and how sure it is."""

    records: tuple[tuple[int, ...], ...]
    confidence: float


def assemble(view: PageView, region: Region, columns: Sequence[Mapping[int, Sequence[int]]], *, names: Sequence[str] | None = None) -> Table:
    """The table of a region. `columns[r]` gives, for record r, the items (text nodes and images) of each column number.

    Columns come in the order of their numbers, those that no record fills are left out, and their names are made from what the page
    calls them unless `names` are given.
    """
    from treelace.extract.naming import column_names

    numbers = sorted({number for row in columns for number, items in row.items() if items})
    body: list[tuple[Cell | None, ...]] = []
    for roots, row in zip(region.records, columns, strict=True):
        body.append(tuple(_cell(view, roots, row[number]) if row.get(number) else None for number in numbers))
    if names is None:
        names = column_names(view, region.records, [[row.get(number, ()) for row in columns] for number in numbers])
    else:
        names = [names[number] for number in numbers]
    locale = Locale(view.language) if view.language else locale_of(view.tree)
    made = [typed([row[at] for row in body], locale) for at in range(len(numbers))]
    heads = tuple(Column(name, kind) for name, (kind, _) in zip(names, made, strict=True))
    body = list(zip(*(cells for _, cells in made), strict=True))
    records = tuple(tuple(view.tree[root] for root in roots) for roots in region.records)
    return Table(heads, tuple(body), place_of(view, region.records), region.confidence, records)


def _cell(view: PageView, roots: tuple[int, ...], nodes: Sequence[int]) -> Cell:
    tree, items, text, last = view.tree, [], "", -1
    core = _core(view, nodes)
    linked: set[int] = set()
    for node in nodes:
        if node in view.texts:
            items.append(Item("text", view.texts[node], tree[node]))
            if core[0] <= node <= core[-1]:
                text += view.texts[node] if not text or _runs_on(view, last, node) else " " + view.texts[node]
                last = node
        else:
            items.append(Item("image", view.address(view.images[node]), tree[node]))
        link = _link_around(view, node, roots)
        if link is not None and link not in linked:
            linked.add(link)
            items.append(Item("link", view.address(tree[link].attribute("href") or ""), tree[link]))
    text = text or next(item.text for item in items if item.kind == "image")
    return Cell(text, tree[holder_of(view, core)], tuple(items))


def _core(view: PageView, nodes: Sequence[int]) -> Sequence[int]:
    """The nodes without the brackets and commas at their ends."""
    full = [number for number, node in enumerate(nodes) if any(map(str.isalnum, view.texts.get(node, "")))]
    return nodes[full[0] : full[-1] + 1] if full else nodes


def _runs_on(view: PageView, last: int, node: int) -> bool:
    """Whether the second text continues the first without a space: nothing but inline tags between, and no white space on either side."""
    if view.raw[last][-1:].isspace() or view.raw[node][:1].isspace():
        return False
    between = range(last + 1, node)
    return not any(view.raw.get(index, "").isspace() or view.tags[index] == "br" or view.tags[index] not in INLINE for index in between) and not any(
        view.tags[index] not in INLINE for index in _left(view, last, node)
    )


def _left(view: PageView, last: int, node: int) -> list[int]:
    """The elements that end between two nodes."""
    found, above = [], view.parents[last]
    while above and view.ends[above] <= node:
        found.append(above)
        above = view.parents[above]
    return found


def _link_around(view: PageView, node: int, roots: tuple[int, ...]) -> int | None:
    top = next((root for root in roots if root <= node < view.ends[root]), node)
    while node >= top and node:
        if view.tags[node] == "a" and view.tree[node].attribute("href") is not None:
            return node
        node = view.parents[node]
    return None


def holder_of(view: PageView, nodes: Sequence[int]) -> int:
    """The lowest element around all of these nodes; an image is its own."""
    above = nodes[0] if view.tags[nodes[0]] != "#text" else view.parents[nodes[0]]
    while above and not all(above <= node < view.ends[above] for node in nodes):
        above = view.parents[above]
    return above


def place_of(view: PageView, records: tuple[tuple[int, ...], ...]) -> str:
    """Where the region is: the tags from the root to the lowest element around all records."""
    ends = (records[0][0], records[-1][-1])
    above = view.parents[ends[0]]
    while above and not all(above < node < view.ends[above] for node in ends):
        above = view.parents[above]
    path = []
    while above:
        path.append(view.tags[above])
        above = view.parents[above]
    return "/".join(reversed(path))
