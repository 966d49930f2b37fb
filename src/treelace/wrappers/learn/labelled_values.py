"""Labelled values of detail pages (`<dt>Origin<dd>Assam`): each label is a column of its own.

Where all pages of a kind have the same labels, the pattern reads the values and the labels name
them. Where the labels differ from page to page (tea has an origin, a kettle has a power), what
stands in the first row is one thing here and another there: then the columns that mix them are left
out, and each label that several pages have becomes a column with a selector that looks for the
label. It finds it in whatever row, and still after a table has become a list of terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from treelace.extract.types.inference import column_type
from treelace.tree import Tree
from treelace.wrappers.apply.table_heads import TableHeads
from treelace.wrappers.learn.fields import Field
from treelace.wrappers.learn.pattern import Part, expected_column
from treelace.wrappers.model.form import ColumnForm
from treelace.wrappers.model.text_shapes import MAX_NAME_LENGTH, has_letters

MIN_PAGES_PER_LABEL = 2
"""Pages that must have a label, and a value beside it."""

MIN_LABELLED_SHARE = 0.8
"""Share of a column's values that must stand beside labels for it to mix them."""

MAX_LEVELS = 6
"""Levels from a text up to the cell that holds a label or a value."""


def label_columns(
    trees: Sequence[Tree], fields: Sequence[Field]
) -> tuple[list[Field], tuple[ColumnForm, ...]]:
    """The fields that hold one label's values, and a column for each label of the mixed ones."""
    pages = [labelled_values(tree) for tree in trees]
    counts = Counter(label for found in pages for label in found)
    pages = [
        {label: places for label, places in found.items() if counts[label] >= MIN_PAGES_PER_LABEL}
        for found in pages
    ]
    cells = [{at: label for label, places in found.items() for at in places} for found in pages]
    mixed: list[Field] = []
    labels: Counter[str] = Counter()
    for field in fields:
        inside = Counter(
            label
            for page, node in field.nodes.items()
            if (label := _label_around(trees[page], node, cells[page]))
        )
        if len(inside) > 1 and inside.total() >= MIN_LABELLED_SHARE * len(field.nodes):
            mixed.append(field)
            labels.update(inside)
    columns = []
    for label in sorted(labels):
        texts = [
            _text(tree, found[label][1])
            for tree, found in zip(trees, pages, strict=True)
            if label in found
        ]
        texts = [text for text in texts if text]
        if len(texts) >= MIN_PAGES_PER_LABEL and (selector := label_selector(label)):
            columns.append(_column(label, selector, texts, len(trees)))
    taken = {column.name for column in columns}
    kept = (
        [field for field in fields if field not in mixed and field.name not in taken]
        if columns
        else list(fields)
    )
    return kept, tuple(columns)


def labelled_spans(trees: Sequence[Tree], labels: Collection[str]) -> list[list[tuple[int, int]]]:
    """Where on each page these labels and their values stand."""
    return [
        [
            (element, tree.end(element))
            for label, places in labelled_values(tree).items()
            if _name(label) in labels
            for element in places
        ]
        for tree in trees
    ]


def labelled_values(tree: Tree) -> dict[str, tuple[int, int]]:
    """A page's labels with the elements of label and value; repeated labels are left out.

    >>> from treelace import parse
    >>> table = "<table><tr><th>Origin<td>Assam<tr><th>Note<td>a<tr><th>Note<td>b</table>"
    >>> list(labelled_values(parse(f"{table}<dl><dt>Power<dd>2 kW</dl>")))
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
        if not (1 < len(text) <= MAX_NAME_LENGTH and has_letters(text)) or ":" in text.rstrip(
            ": "
        ):  # a label and its value in one
            continue
        if text in found:
            twice.add(text)
        found[text] = (label, value)
    return {text: places for text, places in found.items() if text not in twice}


def label_selector(label: str) -> str:
    """A selector for the value beside a label; empty where XPath cannot write the label."""
    quote = "'" if "'" not in label else '"'
    if quote in label:
        return ""
    return (
        "xpath://*[self::th or self::td or self::dt][normalize-space() ="
        f" {quote}{label}{quote}]/following-sibling::*[1][self::td or self::dd]"
    )


def _column(label: str, selector: str, texts: Sequence[str], pages: int) -> ColumnForm:
    column = expected_column(_name(label), column_type(texts), texts, pages)
    return replace(column, required=False, select=selector)


def _name(label: str) -> str:
    return label.strip(" :\u00a0-–|*.") or label


def _label_around(tree: Tree, node: int, cells: dict[int, str]) -> str:
    """The label that a node is part of, or whose value stands beside it; empty if none."""
    above: int | None = node
    for _ in range(MAX_LEVELS):
        if above is None:
            return ""
        if above in cells:
            return cells[above]
        above = tree.parent(above)
    return ""


def _text(tree: Tree, element: int) -> str:
    return " ".join(tree[element].text.split())


def label_by_heads(fields: Sequence[Field], parts: Sequence[Part]) -> None:
    """Gives fields in cells of tables the heads of their columns as labels."""
    readers = {id(part.tree): TableHeads(part.tree) for part in parts}
    for field in fields:
        heads: Counter[str] = Counter()
        for record, node in field.nodes.items():
            tree, (root, *_) = parts[record].tree, parts[record].roots
            cells = readers[id(tree)].cells(root)
            heads.update(head for cell, head in cells if cell <= node < tree.end(cell))
        head, count = heads.most_common(1)[0] if heads else ("", 0)
        if 2 * count > len(field.nodes):
            field.label = head
