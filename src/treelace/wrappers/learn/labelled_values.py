"""Facts: labels with their values on detail pages (`<tr><th>Origin<td>Assam`,
`<dt>Origin<dd>Assam`), each label a column of its own.

Where all pages of a kind have the same labels, the pattern reads the values and the labels name
them. Where the labels differ from page to page (tea has an origin, a kettle has a power), what
stands in the first row is one thing here and another there: then the columns that mix them are left
out, and each label that several pages have becomes a column with a selector that looks for the
label. It finds it in whatever row, and still after a table has become a list of terms.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from treelace.wrappers.learn.fields import Slot
from treelace.wrappers.model.form import ColumnForm
from treelace.wrappers.model.text_shapes import LONG, shapes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.tree import Tree

SEVERAL = 2
"""Pages that must have a label."""

IN_FACTS = 0.8
"""Share of a column's values that stand in facts for it to be one of them."""


def fact_columns(
    trees: Sequence[Tree], slots: Sequence[Slot]
) -> tuple[list[Slot], tuple[ColumnForm, ...]]:
    """The slots without those that mix the facts of different labels, and a column for each of
    these labels.
    """
    facts = [facts_of(tree) for tree in trees]
    counts = Counter(label for found in facts for label in found)
    facts = [
        {label: places for label, places in found.items() if counts[label] >= SEVERAL}
        for found in facts
    ]
    cells = [{at: label for label, places in found.items() for at in places} for found in facts]
    mixed: list[Slot] = []
    labels: Counter[str] = Counter()
    for slot in slots:
        inside = Counter(
            label
            for page, node in slot.nodes.items()
            if (label := _label_around(trees[page], node, cells[page]))
        )
        if len(inside) > 1 and inside.total() >= IN_FACTS * len(slot.nodes):
            mixed.append(slot)
            labels.update(inside)
    columns = []
    for label in sorted(labels):
        texts = [
            _text(tree, found[label][1])
            for tree, found in zip(trees, facts, strict=True)
            if label in found
        ]
        texts = [text for text in texts if text]
        if len(texts) >= SEVERAL and (selector := selector_of(label)):
            columns.append(_column(label, selector, texts, len(trees)))
    taken = {column.name for column in columns}
    kept = (
        [slot for slot in slots if slot not in mixed and slot.name not in taken]
        if columns
        else list(slots)
    )
    return kept, tuple(columns)


def facts_of(tree: Tree) -> dict[str, tuple[int, int]]:
    """The facts of a page: each label with the elements of label and value; a label that stands
    there twice is none.

    >>> from treelace import parse
    >>> list(facts_of(parse("<table><tr><th>Origin<td>Assam<tr><th>Note<td>a<tr><th>Note<td>b</table><dl><dt>Power<dd>2 kW</dl>")))
    ['Origin', 'Power']
    """
    found: dict[str, tuple[int, int]] = {}
    twice: set[str] = set()
    pairs = []
    for row in tree.select("tr"):
        cells = [child.index for child in row.children if child.is_element]
        if len(cells) == 2:
            pairs.append((cells[0], cells[1]))
    for term in tree.select("dt + dd"):
        before = [
            child.index
            for child in tree[tree.parent(term.index) or 0].children
            if child.is_element and child.index < term.index
        ]
        if before and tree.local_name(before[-1]) == "dt":
            pairs.append((before[-1], term.index))
    for label, value in pairs:
        text = _text(tree, label)
        if not (1 < len(text) <= LONG and any(map(str.isalpha, text))) or ":" in text.rstrip(
            ": "
        ):  # a label and its value in one
            continue
        if text in found:
            twice.add(text)
        found[text] = (label, value)
    return {text: places for text, places in found.items() if text not in twice}


def selector_of(label: str) -> str:
    """A selector for the value beside a label; empty where XPath cannot write the label."""
    quote = "'" if "'" not in label else '"'
    if quote in label:
        return ""
    return (
        "xpath://*[self::th or self::td or self::dt][normalize-space() ="
        f" {quote}{label}{quote}]/following-sibling::*[1][self::td or self::dd]"
    )


def _column(label: str, selector: str, texts: Sequence[str], pages: int) -> ColumnForm:
    from treelace.extract.types.inference import column_type

    length = round(sum(map(len, texts)) / len(texts), 1)
    name = label.strip(" :\u00a0-–|*.") or label
    return ColumnForm(
        name,
        column_type(texts),
        fill=round(len(texts) / pages, 3),
        length=length,
        shapes=shapes_of(texts),
        select=selector,
    )


def _label_around(tree: Tree, node: int, cells: dict[int, str]) -> str:
    """The label of the fact that a node stands in, as label or as value; empty where it stands in
    none.
    """
    above: int | None = node
    for _ in range(6):
        if above is None:
            return ""
        if above in cells:
            return cells[above]
        above = tree.parent(above)
    return ""


def _text(tree: Tree, element: int) -> str:
    return " ".join(tree[element].text.split())
