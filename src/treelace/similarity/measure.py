"""What a measure is: one contract for every way to put a number on two documents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol, runtime_checkable

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Tree


@runtime_checkable
class Measure(Protocol):
    """Says how alike two documents are.

    Every measure promises, and tests/contracts/test_measures.py checks: the answer lies in [0, 1];
    a document compared with itself gives 1; the order of the two does not matter (but for
    containment, which is a question with a direction); the same input gives the same number;
    neither tree is touched. Not promised: that 1 means equal documents.
    """

    name: ClassVar[str]

    def similarity(self, left: Tree, right: Tree) -> float:
        """How alike two documents are, from 0 to 1."""
        ...


class FeatureMeasure(ABC):
    """A measure in two steps: the features of one document, then the comparison of two features.

    Features are read once from a tree, are small, pickle, and are all that a matrix, a classifier
    or an index has to keep.
    """

    __slots__ = ()
    name: ClassVar[str]

    @property
    @abstractmethod
    def comparison(self) -> str:
        """The kernel's name for how two features become a number."""

    @abstractmethod
    def features(self, tree: Tree) -> _kernel.Features:
        """What this measure keeps of one document."""

    def together(self, features: Sequence[_kernel.Features]) -> Sequence[_kernel.Features]:
        """The features made comparable as one collection; most measures return them unchanged."""
        return features

    def compare(self, left: _kernel.Features, right: _kernel.Features) -> float:
        """The similarity of the two documents with these features, made comparable before."""
        return _kernel.compare(left, right, self.comparison, DEFAULT_LIMITS)

    def similarity(self, left: Tree, right: Tree) -> float:
        """How alike two documents are, from 0 to 1."""
        first, second = self.together([self.features(left), self.features(right)])
        return self.compare(first, second)

    def explain(self, left: Tree, right: Tree) -> str:
        """What the number comes from, in one line."""
        first, second = self.together([self.features(left), self.features(right)])
        if first.kind != "bag":
            return (
                f"{first.kind} of {first.memory:,} bytes against {second.memory:,} bytes, by"
                f" {self.comparison}"
            )
        a, b, both, many_a, many_b, many = _kernel.shared_counts(first, second)
        return (
            f"{both:,} in common of {a:,} and {b:,} different ones; {many:,} of {many_a:,} and"
            f" {many_b:,} with repeats"
        )
