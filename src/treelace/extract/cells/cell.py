"""Cell: a value of a table that knows where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from treelace.tree import Node

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


class CellSource(Protocol):
    """Who made a cell and knows, by its slot, what is in it."""

    @property
    def texts(self) -> list[str]:
        """The texts of all cells."""

    def node(self, slot: int) -> Node:
        """The element that holds a cell."""

    def items(self, slot: int) -> tuple[Item, ...]:
        """What a cell is made of."""

    def value(self, slot: int) -> Value:
        """The value of a cell."""

    def link(self, slot: int) -> str | None:
        """Where a cell leads to."""


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
    _read: CellSource | None

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
    def of(cls, read: CellSource, slot: int) -> Cell:
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
    def _source(self) -> CellSource:
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
