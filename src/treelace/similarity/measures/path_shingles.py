"""Runs of neighbouring paths that two documents have in common, or a fixed-size sample of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS
from treelace.similarity.measure import FeatureMeasure
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class PathShingles(FeatureMeasure):
    """Windows of w paths in document order, as bags or sets (Buttler 2004, section III).

    With S(D) the shingles of D, `resemblance` and `containment` (of left in right) are

        r = |S(left) ∩ S(right)| / |S(left) ∪ S(right)|        c = |S(left) ∩ S(right)| / |S(left)|

    where a bag counts the smaller, the greater, and the left number of occurrences. A document with
    fewer than w nodes has one shingle of all of them.

    With `k` a document is sketched by the k smallest shingles of the permutation that `seed`
    chooses (bottom-k; Broder 1997); in a bag the i-th occurrence of a shingle is an element of its
    own. r is then estimated without bias, with a standard deviation of about √(r (1 − r) / k); c
    from the part of the permutation that both sketches know. A small document in a large one may
    have no shingle in that part, with a probability of about (1 − |left| / |right|)^k; c is then 0.
    At k = 10 and a tenth of the size that is a third of all cases: ask with a k of fifty or more. A
    sketch can be cut to any smaller k later (`sketch.cut(k)`), and sketches of different k compare
    at the smaller one.

    Time O(n) whatever the window, memory O(n) or O(k); comparing sketches O(k). Resemblance is
    symmetric, containment is not.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{html{body{p}{ul{li}}}}")
    >>> right = Tree.from_brackets("{html{body{p}{p}{ul{li}{li}{li}}}}")
    >>> PathShingles(window=1).similarity(left, right)
    0.625
    >>> PathShingles(window=1, ask="containment").similarity(left, right)
    1.0
    """

    name: ClassVar[str] = "path-shingles"
    window: int = 3
    """Paths in one shingle."""
    is_bag: bool = True
    """Whether it matters how often a shingle occurs."""
    k: int | None = None
    """Size of the sketch; None keeps every shingle."""
    seed: int = 0
    """Which permutation a sketch is drawn from."""
    ask: Literal["resemblance", "containment"] = "resemblance"
    """What is asked of two documents."""
    texts: bool = True
    """Whether texts that are not blank are nodes."""

    def __post_init__(self) -> None:
        if self.window < 1:
            raise UsageError(f"a shingle holds at least one path: window is {self.window}")
        if self.k is not None and self.k < 1:
            raise UsageError(
                f"a sketch holds at least one shingle: k is {self.k}; None keeps them all"
            )
        if not 0 <= self.seed < 2**64:
            raise UsageError(f"a seed is a number from 0 to 2**64 - 1: seed is {self.seed}")
        if self.ask not in ("resemblance", "containment"):
            raise UsageError(
                f"two documents can be asked for resemblance or containment, not for '{self.ask}'"
            )

    @property
    def comparison(self) -> str:
        """What is asked, of bags, sets or sketches."""
        if self.k is not None:
            return self.ask
        return ("bag-" if self.is_bag else "set-") + (
            "jaccard" if self.ask == "resemblance" else "containment"
        )

    def features(self, tree: Tree) -> _kernel.Features:
        """The shingles with their counts, or the k smallest."""
        return _kernel.shingle_features(
            tree.kernel, self.window, self.texts, self.is_bag, self.k, self.seed, DEFAULT_LIMITS
        )
