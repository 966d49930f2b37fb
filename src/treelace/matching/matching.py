"""What a matcher gives: pairs of nodes with a confidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from treelace import _kernel, look
from treelace.errors import MatchError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treelace.tree import Tree

    Truth: TypeAlias = "Matching | Iterable[tuple[int, int]] | NDArray[np.integer[Any]]"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matching:
    """One-to-one pairs of nodes of equal kind, sorted by old index.

    `old[k]` and `new[k]` are the indexes of pair `k` in `old_tree` and `new_tree`, `confidence[k]`
    in [0, 1] says how sure the matcher is of it. The arrays are read-only. Equal means: the same
    pairs with the same confidences.

    >>> from treelace.tree import Tree
    >>> old, new = Tree.from_brackets("{a{b}{c}}"), Tree.from_brackets("{a{c}{d}}")
    >>> matching = Matching(old, new, [0, 1, 3], [0, 1, 2])
    >>> matching
    <Matching: 3 pairs of 4 old and 4 new nodes>
    >>> matching.pairs
    [(0, 0), (1, 1), (3, 2)]
    >>> matching.to_new(3), matching.to_new(2)
    (2, None)
    >>> matching.f1([(0, 0), (1, 1)])
    0.8
    """

    old_tree: Tree
    new_tree: Tree
    old: NDArray[np.uint32]
    new: NDArray[np.uint32]
    confidence: NDArray[np.float64]

    def __init__(
        self,
        old_tree: Tree,
        new_tree: Tree,
        old: Iterable[int] | NDArray[np.integer[Any]],
        new: Iterable[int] | NDArray[np.integer[Any]],
        confidence: Iterable[float] | NDArray[np.floating[Any]] | None = None,
    ) -> None:
        """Pairs in any order, confidences by default 1.0; `MatchError` for invalid pairs."""
        import numpy as np

        old_column, new_column = _column(old, np.uint32), _column(new, np.uint32)
        sure = np.ones(len(old_column)) if confidence is None else _column(confidence, np.float64)
        if len(old_column) == len(new_column) == len(sure) and np.any(
            old_column[1:] <= old_column[:-1]
        ):
            order = np.argsort(old_column, kind="stable")
            old_column, new_column, sure = old_column[order], new_column[order], sure[order]
        _kernel.check_pairs(old_tree.kernel, new_tree.kernel, old_column, new_column, sure)
        for column in (old_column, new_column, sure):
            column.setflags(write=False)
        for name, value in (
            ("old_tree", old_tree),
            ("new_tree", new_tree),
            ("old", old_column),
            ("new", new_column),
            ("confidence", sure),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def from_element_pairs(
        cls, old_tree: Tree, new_tree: Tree, rows: Iterable[Iterable[float]]
    ) -> Matching:
        """From rows of (old element index, new element index[, confidence]), as files have them."""
        import numpy as np

        table = [tuple(row) for row in rows]
        old_elements, new_elements = (
            _kernel.element_nodes(old_tree.kernel),
            _kernel.element_nodes(new_tree.kernel),
        )
        for row in table:
            if not (0 <= row[0] < len(old_elements) and 0 <= row[1] < len(new_elements)):
                raise MatchError(
                    f"pair {row[:2]} names an element that is not there: the trees have"
                    f" {len(old_elements)} and {len(new_elements)}"
                )
        old = old_elements[np.array([row[0] for row in table], dtype=np.int64)]
        new = new_elements[np.array([row[1] for row in table], dtype=np.int64)]
        return cls(old_tree, new_tree, old, new, [row[2] if len(row) > 2 else 1.0 for row in table])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs as (old index, new index), in the order of the old tree."""
        return list(zip(self.old.tolist(), self.new.tolist(), strict=True))

    @property
    def elements(self) -> Matching:
        """The pairs of elements alone, without document, text, comments and template contents."""
        rows = _kernel.element_pairs(
            self.old_tree.kernel, self.new_tree.kernel, self.old, self.new
        )[2]
        return Matching(
            self.old_tree, self.new_tree, self.old[rows], self.new[rows], self.confidence[rows]
        )

    def element_pairs(self) -> list[tuple[int, int, float]]:
        """Rows of (old element index, new element index, confidence), as in files."""
        old, new, rows = _kernel.element_pairs(
            self.old_tree.kernel, self.new_tree.kernel, self.old, self.new
        )
        return list(zip(old.tolist(), new.tolist(), self.confidence[rows].tolist(), strict=True))

    def to_new(self, index: int) -> int | None:
        """The partner of node `index` of the old tree, if it has one."""
        import numpy as np

        row = int(np.searchsorted(self.old, index))
        return int(self.new[row]) if row < len(self.old) and self.old[row] == index else None

    def to_old(self, index: int) -> int | None:
        """The partner of node `index` of the new tree, if it has one."""
        import numpy as np

        rows = np.flatnonzero(self.new == index)
        return int(self.old[rows[0]]) if len(rows) else None

    def new_of_old(self) -> NDArray[np.int64]:
        """For each node of the old tree its partner, or -1: for those who ask about many nodes."""
        return _lookup(len(self.old_tree), self.old, self.new)

    def old_of_new(self) -> NDArray[np.int64]:
        """For each node of the new tree its partner, or -1."""
        return _lookup(len(self.new_tree), self.new, self.old)

    def precision(self, truth: Truth) -> float:
        """Share of our pairs that are true; 1.0 where there are none of ours."""
        return self._shared(truth) / len(self) if len(self) else 1.0

    def recall(self, truth: Truth) -> float:
        """Share of the true pairs that we have; 1.0 where there are no true ones."""
        true = len(_pair_set(truth))
        return self._shared(truth) / true if true else 1.0

    def f1(self, truth: Truth) -> float:
        """Harmonic mean of precision and recall: twice the shared pairs over the pairs of both."""
        both = len(self) + len(_pair_set(truth))
        return 2 * self._shared(truth) / both if both else 1.0

    def to_text(self) -> str:
        """For a terminal: pairs of elements with confidence, unpaired ones, and a summary."""
        from treelace.matching.text_report import as_text

        return as_text(self)

    def to_html(self, *, title: str = "Matching", names: tuple[str, str] = ("", "")) -> str:
        """A self-contained page: two trees side by side under `names`, with joined pairs."""
        from treelace.matching.drawing import to_html

        return to_html(self, title=title, names=names)

    def _repr_html_(self) -> str:
        """The drawing, in a frame of its own that may run nothing but its own script."""
        style = "width:100%;height:600px;border:1px solid #ccc"
        return look.frame(self.to_html(), title="a matching", may_run_scripts=True, style=style)

    def _shared(self, truth: Truth) -> int:
        return len(set(self.pairs) & _pair_set(truth))

    def __len__(self) -> int:
        return len(self.old)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        return iter(
            zip(self.old.tolist(), self.new.tolist(), self.confidence.tolist(), strict=True)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matching):
            return NotImplemented
        import numpy as np

        same_pairs = np.array_equal(self.old, other.old) and np.array_equal(self.new, other.new)
        return same_pairs and np.array_equal(self.confidence, other.confidence)

    def __hash__(self) -> int:
        return hash((self.old.tobytes(), self.new.tobytes(), self.confidence.tobytes()))

    def __repr__(self) -> str:
        return (
            f"<Matching: {len(self):,} pairs of {len(self.old_tree):,} old and"
            f" {len(self.new_tree):,} new nodes>"
        )


def _column(numbers: Any, dtype: Any) -> NDArray[Any]:
    import numpy as np

    column = np.array(numbers if isinstance(numbers, np.ndarray) else list(numbers), dtype=dtype)
    return np.ascontiguousarray(column)


def _lookup(
    size: int, indexes: NDArray[np.uint32], partners: NDArray[np.uint32]
) -> NDArray[np.int64]:
    import numpy as np

    table = np.full(size, -1, dtype=np.int64)
    table[indexes] = partners
    return table


def _pair_set(truth: Truth) -> set[tuple[int, int]]:
    if isinstance(truth, Matching):
        return set(truth.pairs)
    return {(int(old), int(new)) for old, new in truth}
