"""Cell: a value of a table that knows where it came from.

A page's table has hundreds of cells, and most callers want their texts alone. So the kernel reads
all cells of a table in one call, as arrays (`ReadCells`); a `Cell` is a view of one place in them,
and its items, its element and its value are made at the first look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

from treelace.extract.cells.lazy_tuple import LazyTuple
from treelace.tree import Node, Tree

if TYPE_CHECKING:  # types bring every language along
    from treelace.extract.types import Value


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of data with its node: a visible text (a text node), a link target or an image
    source (the element that has it).
    """

    kind: Literal["text", "link", "image"]
    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and the type of its values."""

    name: str
    type: str = "text"


class Cell:
    """One value: the text as it reads, the element that holds it, the items it is made of (brackets
    and commas at its ends included), and its value by the type of its column, None where it does
    not read as one. Immutable; equal if all four are.

    >>> from treelace import parse
    >>> Cell("tea", parse("<p>tea").element(3)).text
    'tea'
    """

    __slots__ = ("_items", "_node", "_read", "_slot", "_text", "_value")

    _items: tuple[Item, ...]
    _node: Node
    _value: Value
    _read: ReadCells | None

    def __init__(
        self, text: str, node: Node, items: tuple[Item, ...] = (), value: Value = None
    ) -> None:
        self._text, self._node, self._items, self._value, self._read, self._slot = (
            text,
            node,
            items,
            value,
            None,
            -1,
        )

    @classmethod
    def of(cls, read: ReadCells, slot: int) -> Cell:
        """The cell of a slot that the kernel read."""
        made = cls.__new__(cls)
        made._text, made._read, made._slot = read.texts[slot], read, slot
        return made

    @property
    def text(self) -> str:
        """The text as it reads."""
        return self._text

    @property
    def node(self) -> Node:
        """The element that holds the cell."""
        try:
            return self._node
        except AttributeError:
            self._node = self._source.node(self._slot)
            return self._node

    @property
    def items(self) -> tuple[Item, ...]:
        """What the cell is made of."""
        try:
            return self._items
        except AttributeError:
            self._items = self._source.items(self._slot)
            return self._items

    @property
    def value(self) -> Value:
        """The value by the type of the column."""
        try:
            return self._value
        except AttributeError:
            self._value = self._source.value(self._slot)
            return self._value

    @property
    def _source(self) -> ReadCells:
        assert self._read is not None
        return self._read

    @property
    def link(self) -> str | None:
        """Where the cell leads to, if it is a link."""
        if self._read is not None:
            return self._read.link(self._slot)
        return next((item.text for item in self._items if item.kind == "link"), None)

    @property
    def xpath(self) -> str | None:
        """Where the element that holds the cell stands, as XPath."""
        return self.node.xpath

    @property
    def css(self) -> str | None:
        """The same as a CSS selector."""
        return self.node.css

    def with_value(self, value: Value) -> Cell:
        """The cell with another value."""
        made = Cell.__new__(Cell)
        made._text, made._read, made._slot, made._value = self._text, self._read, self._slot, value
        if self._read is None:
            made._node, made._items = self._node, self._items
        return made

    def to_lxml(self, document: Any = None) -> Any:
        """The element that holds the cell, in lxml. `document` is the page as lxml has it
        (`cell.node.tree.to_lxml()`): given once, the cells of a table are elements of one document;
        else it is made anew.
        """
        found = (self.node.tree.to_lxml() if document is None else document).xpath(self.node.xpath)
        return found[0] if found else None

    def _parts(self) -> tuple[str, Node, tuple[Item, ...], Value]:
        return self._text, self.node, self.items, self.value

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, Cell) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        return (
            f"Cell(text={self.text!r}, node={self.node!r}, items={self.items!r},"
            f" value={self.value!r})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Cell, self._parts()


_KINDS: tuple[Literal["text", "link", "image"], ...] = ("text", "link", "image")
"""The kinds of items by the kernel's numbers."""

_LINK, _IMAGE = 1, 2


class Reader(Protocol):
    """Who knows the words and the addresses of a page, by its nodes; addresses are resolved."""

    @property
    def tree(self) -> Tree: ...  # noqa: D102
    def words(self, node: int) -> str: ...  # noqa: D102
    def link(self, node: int) -> str: ...  # noqa: D102
    def image(self, node: int) -> str: ...  # noqa: D102


class ReadCells:
    """The cells of a table as the kernel read them, one for each slot (a record and a column that
    has something there).

    `read` are their texts, the elements that hold them, the ends of their items, and kinds and
    nodes of all items. `values` gives the values of the texts of a column.
    """

    def __init__(
        self,
        page: Reader,
        records: Sequence[int],
        columns: Sequence[int],
        read: tuple[list[str], list[int], list[int], list[int], list[int]],
        values: Callable[[int, Sequence[str]], Sequence[Value]],
    ) -> None:
        self.page, self.records, self.columns, self._values_of = page, records, columns, values
        self.texts, self.holders, self.ends, self.kinds, self.nodes = read
        for slot, text in enumerate(self.texts):
            start = self.ends[slot - 1] if slot else 0
            if not text:  # images alone
                self.texts[slot] = self._first_image(slot)
            elif self.ends[slot] > start + 1:
                from treelace.extract.cells.link_texts import with_links_apart
                from treelace.extract.cells.money_text import with_its_sign

                nodes = [node for kind, node in self._items(slot) if not kind]
                if len(nodes) > 1:
                    pieces = [page.tree.own_text(node) for node in nodes]
                    apart = with_links_apart(text, page.tree, nodes)
                    self.texts[slot] = with_its_sign(apart, pieces)
        self._values: dict[int, dict[int, Value]] = {}

    @cached_property
    def slots_of(self) -> dict[int, list[int]]:
        """The slots of each column that has any."""
        made: dict[int, list[int]] = {}
        for slot, column in enumerate(self.columns):
            made.setdefault(column, []).append(slot)
        return made

    def rows(self, size: int, places: dict[int, int]) -> list[tuple[Cell | None, ...]]:
        """The cells row by row; `places` are the places of the columns that are wanted."""
        made: list[list[Cell | None]] = [[None] * len(places) for _ in range(size)]
        for slot, (record, column) in enumerate(zip(self.records, self.columns, strict=True)):
            if column in places:
                made[record][places[column]] = Cell.of(self, slot)
        return list(map(tuple, made))

    def row_texts(self, size: int, places: dict[int, int]) -> list[list[str | None]]:
        """The texts row by row."""
        made: list[list[str | None]] = [[None] * len(places) for _ in range(size)]
        for record, column, text in zip(self.records, self.columns, self.texts, strict=True):
            if column in places:
                made[record][places[column]] = text
        return made

    def column_texts(self, column: int) -> list[str]:
        """The texts of a column, record by record."""
        return [self.texts[slot] for slot in self.slots_of.get(column, ())]

    def node(self, slot: int) -> Node:
        """The element that holds a cell."""
        return Node(self.page.tree, self.holders[slot])

    def items(self, slot: int) -> tuple[Item, ...]:
        """What a cell is made of."""
        tree, read = self.page.tree, (self.page.words, self.page.link, self.page.image)
        return tuple(
            Item(_KINDS[kind], read[kind](node), Node(tree, node))
            for kind, node in self._items(slot)
        )

    def link(self, slot: int) -> str | None:
        """Where a cell leads to."""
        return next(
            (self.page.link(node) for kind, node in self._items(slot) if kind == _LINK), None
        )

    def is_image(self, slot: int) -> bool:
        """Whether a cell has no text."""
        return all(kind for kind, _ in self._items(slot))

    def says_something(self, slot: int) -> bool:
        """Whether a cell has a letter or digit, or an image."""
        return any(map(str.isalnum, self.texts[slot])) or any(
            kind == _IMAGE for kind, _ in self._items(slot)
        )

    def value(self, slot: int) -> Value:
        """The value of a cell; those of its column are found at once."""
        column = self.columns[slot]
        if column not in self._values:
            self._values[column] = dict(
                zip(
                    self.slots_of[column],
                    self._values_of(column, self.column_texts(column)),
                    strict=True,
                )
            )
        return self._values[column][slot]

    def _items(self, slot: int) -> Iterator[tuple[int, int]]:
        span = slice(self.ends[slot - 1] if slot else 0, self.ends[slot])
        return zip(self.kinds[span], self.nodes[span], strict=True)

    def _first_image(self, slot: int) -> str:
        return next(
            (self.page.image(node) for kind, node in self._items(slot) if kind == _IMAGE), ""
        )


class Grid(LazyTuple[tuple[Cell | None, ...]]):
    """The rows of a table; their texts are read without making a cell."""

    __slots__ = ("_places", "_read")

    def __init__(
        self, read: Callable[[], ReadCells], places: Callable[[], dict[int, int]], *, size: int
    ) -> None:
        super().__init__(lambda: read().rows(size, places()), size=size)
        self._read, self._places = read, places

    @property
    def texts(self) -> list[list[str | None]]:
        """The texts, row by row."""
        return self._read().row_texts(len(self), self._places())
