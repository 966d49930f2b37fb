"""XIDs: node identities that survive versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace import _kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treelace.tree import Tree


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Xids:
    """The XID of every node of one version, by its index.

    In a first version it is the position in post-order from 1, and the document has 0. A matched
    node keeps its XID, a new one gets the next free number, and a number is never used again
    (Marian, Abiteboul, Cobéna, Mignet; VLDB 2001).

    >>> from treelace.tree import Tree
    >>> Xids.first(Tree.from_brackets("{a{b}{c}}"))
    <Xids: 0 3 1 2; next 4>
    """

    of: NDArray[np.uint64]
    next: int

    @classmethod
    def first(cls, tree: Tree) -> Xids:
        """The numbers of a first version."""
        return cls(*_kernel.first_xids(tree.kernel))

    def index(self, xid: int) -> int:
        """The node with this XID; `KeyError` if it is not in this version."""
        import numpy as np

        found = np.flatnonzero(self.of == xid)
        if not len(found):
            raise KeyError(xid)
        return int(found[0])

    def __eq__(self, other: object) -> bool:
        import numpy as np

        return (
            isinstance(other, Xids)
            and self.next == other.next
            and bool(np.array_equal(self.of, other.of))
        )

    def __hash__(self) -> int:
        return hash((self.next, self.of.tobytes()))

    def __len__(self) -> int:
        return len(self.of)

    def __repr__(self) -> str:
        shown = " ".join(str(xid) for xid in self.of[:8].tolist())
        return f"<Xids: {shown}{' …' if len(self.of) > 8 else ''}; next {self.next}>"
