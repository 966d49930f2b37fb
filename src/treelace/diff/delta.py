"""Delta: a set of operations that turns one tree into another, and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from treelace import _kernel
from treelace.diff import packing
from treelace.diff.operations import Operation, operations_of
from treelace.diff.xids import Xids
from treelace.errors import DamagedError, DeltaError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.look import escape
from treelace.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

_PLURALS = {"order": "orders of attributes", "attribute": "attributes"}


@dataclass(frozen=True, eq=False, repr=False)
class Delta:
    """What turns one document into another, and back.

    A **set** of operations; positions are child positions from 1 and count all child nodes, those
    of a delete and of a move's origin in the old document, those of an insert and of a move's
    target in the new one. It is complete: it holds old and new values. It names both documents by
    their digests, and its nodes by XIDs. Immutable; made by `treelace.diff`.

    Laws: `diff(a, b).apply(a) == b`, `(~diff(a, b)).apply(b) == a`, `~~d == d`, `(d1 | d2).apply(a)
    == d2.apply(d1.apply(a))`.

    >>> from treelace import parse
    >>> from treelace.diff import diff
    >>> old, new = parse("<p>tea: 3</p>"), parse("<p>tea: 4</p>")
    >>> delta = diff(old, new)
    >>> delta
    <Delta: 1 update>
    >>> delta.apply(old) == new, (~delta).apply(new) == old
    (True, True)
    >>> delta.apply(new)
    Traceback (most recent call last):
        ...
    treelace.errors.DeltaError: this delta is for the document ..., not for ...
    """

    _delta: _kernel.Delta

    @property
    def old_digest(self) -> str:
        """First 16 digits of the digest of the document it applies to."""
        return self._delta.from_digest.hex()

    @property
    def new_digest(self) -> str:
        """First 16 digits of the digest of the document it makes."""
        return self._delta.to_digest.hex()

    @property
    def next_xid(self) -> int:
        """The first XID that is free in both versions."""
        return self._delta.next_xid

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """Updates, renames and attributes in document order, then deletes, moves and inserts."""
        return operations_of(self._delta)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many operations there are of each kind."""
        return dict(self._delta.counts())

    # running

    def apply(
        self, tree: Tree, *, xids: Xids | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> Tree:
        """The new document. `DeltaError` for another `tree` than its own, or a damaged delta.

        `xids` are those of `tree`, where the delta does not say them itself. O(n) in the size of
        the document.
        """
        return self.apply_with_xids(tree, xids=xids, limits=limits)[0]

    def apply_with_xids(
        self, tree: Tree, *, xids: Xids | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> tuple[Tree, Xids]:
        """The new document and the XIDs of its nodes."""
        made, of, following = self._delta.apply(tree.kernel, _parts(xids), limits)
        return Tree(made), Xids(of, following)

    def invert(self) -> Delta:
        """The delta that leads back; also `~delta`."""
        return Delta(self._delta.invert())

    __invert__ = invert

    def compose(self, second: Delta, *, limits: Limits = DEFAULT_LIMITS) -> Delta:
        """This delta and then `second`, as one; also `delta | second`. Neither document is needed.

        If `second` was made without the XIDs this one leaves (see `new_xids`), its numbers are
        translated.

        >>> from treelace import parse
        >>> from treelace.diff import diff
        >>> one, two, three = parse("<p>1"), parse("<p>2"), parse("<p>3<b>new</b>")
        >>> both = diff(one, two) | diff(two, three)
        >>> both, both.apply(one) == three
        (<Delta: 1 update, 1 insert>, True)
        """
        return Delta(self._delta.compose(second._delta, limits))

    def __or__(self, second: object) -> Delta:
        return self.compose(second) if isinstance(second, Delta) else NotImplemented

    def verify(self, tree: Tree, *, limits: Limits = DEFAULT_LIMITS) -> None:
        """Runs there and back, both ways; `DeltaError` unless each step gives the right document.

        >>> from treelace import parse
        >>> from treelace.diff import diff
        >>> old, new = parse("<p>one"), parse("<p>two<p>three")
        >>> diff(old, new).verify(old)
        """
        new, new_xids = self.apply_with_xids(tree, limits=limits)
        back, old_xids = self.invert().apply_with_xids(new, limits=limits)
        if (
            back != tree
            or old_xids != self.old_xids(tree)
            or new_xids.of.tolist() != self.new_xids(new).of.tolist()
        ):
            raise DeltaError("this delta is damaged: it does not lead back")

    # identities

    def old_xids(self, old: Tree) -> Xids:
        """The XIDs of the nodes of the document it applies to."""
        return self._xids(old, self._delta.from_map)

    def new_xids(self, new: Tree) -> Xids:
        """The XIDs of the document's nodes, with which the next `diff` of a chain goes on.

        >>> from treelace import parse
        >>> from treelace.diff import diff
        >>> one, two, three = parse("<p>1"), parse("<p>1<b>new</b>"), parse("<b>new</b><p>1")
        >>> first = diff(one, two)
        >>> second = diff(two, three, xids=first.new_xids(two))
        """
        return self._xids(new, self._delta.to_map)

    def _xids(self, tree: Tree, xid_map: str | None) -> Xids:
        if xid_map is None:
            first = Xids.first(tree)
            return Xids(first.of, max(first.next, self.next_xid))
        try:
            return Xids(_kernel.read_xid_map(tree.kernel, xid_map, self.next_xid), self.next_xid)
        except DamagedError as error:
            raise DeltaError(f"these are not the XIDs of this document: {error}") from error

    # forms

    def to_xml(self, *, long: bool = False, limits: Limits = DEFAULT_LIMITS) -> str:
        """The XML form (schema: `delta.rng`), or with `long` its first form (`delta-1.rng`), where
        every value stands between tags: easier to query, and larger.
        """
        return self._delta.to_xml(long, limits)

    @classmethod
    def from_xml(cls, source: str | bytes, *, limits: Limits = DEFAULT_LIMITS) -> Delta:
        """Reads the XML form; `DeltaError` for anything else."""
        data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        return cls(_kernel.Delta.from_xml(data, limits))

    def to_json(self, *, limits: Limits = DEFAULT_LIMITS) -> str:
        """The JSON form: `docs/explanation/delta.md` has its keys."""
        return self._delta.to_json(limits)

    @classmethod
    def from_json(cls, source: str | bytes, *, limits: Limits = DEFAULT_LIMITS) -> Delta:
        """Reads the JSON form; `DeltaError` for anything else."""
        try:
            text = source if isinstance(source, str) else source.decode("utf-8")
            text.encode("utf-8")
        except UnicodeError as error:
            raise DeltaError(f"this is no delta: {error}") from error
        return cls(_kernel.Delta.from_json(text, limits))

    def to_bytes(self, *, limits: Limits = DEFAULT_LIMITS) -> bytes:
        """The compact binary form, packed."""
        return packing.pack(self._delta.to_binary(limits))

    @classmethod
    def from_bytes(cls, source: bytes, *, limits: Limits = DEFAULT_LIMITS) -> Delta:
        """Reads the binary form; `DeltaError` for anything else."""
        return cls(_kernel.Delta.from_binary(packing.unpack(source, limits), limits))

    @classmethod
    def read(cls, source: str | bytes, *, limits: Limits = DEFAULT_LIMITS) -> Delta:
        """Reads any form, told apart by how it begins."""
        if isinstance(source, bytes) and packing.is_packed(source):
            return cls.from_bytes(source, limits=limits)
        start = source[:64].lstrip()
        is_json = start.startswith("{") if isinstance(start, str) else start.startswith(b"{")
        return (
            cls.from_json(source, limits=limits) if is_json else cls.from_xml(source, limits=limits)
        )

    # a delta is immutable, and travels as text

    def __copy__(self) -> Delta:
        return self

    def __deepcopy__(self, memo: object) -> Delta:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return Delta.from_bytes, (self.to_bytes(),)

    def __bool__(self) -> bool:
        return len(self._delta) > 0

    def __len__(self) -> int:
        return len(self._delta)

    def __eq__(self, other: object) -> bool:
        return self._delta == other._delta if isinstance(other, Delta) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.old_digest, self.new_digest, len(self)))

    def _repr_html_(self) -> str:
        return f"<code>{escape(repr(self))}</code><pre>{escape(self.to_xml()[:4000])}</pre>"

    def __repr__(self) -> str:
        words = [
            f"{count:,} {_PLURALS.get(name, name + 's') if count > 1 else name}"
            for name, count in self.counts.items()
        ]
        return f"<Delta: {', '.join(words) or 'no change'}>"


def _parts(xids: Xids | None) -> tuple[NDArray[np.uint64], int] | None:
    return None if xids is None else (xids.of, xids.next)
