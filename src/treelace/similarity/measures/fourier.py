"""Documents as signals, compared by their frequencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS
from treelace.similarity.measure import FeatureMeasure
from treelace.tree import Tree

TagEncoding = Literal["direct", "pairwise", "nested"]
DocumentEncoding = Literal["trivial", "linear", "multilevel"]
Scaling = Literal["amplitude", "raw", "z-score", "length"]
SCALINGS: tuple[Scaling, ...] = get_args(Scaling)

SCHEMES: dict[str, tuple[DocumentEncoding, TagEncoding]] = {
    "trivial": ("trivial", "direct"),
    "linear": ("linear", "direct"),
    "nested": ("trivial", "nested"),
    "multilevel": ("multilevel", "direct"),
    "pairwise": ("multilevel", "pairwise"),
}
"""The five schemes that Flesca et al. measure: how a document and how a tag is encoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """How a document becomes a series of numbers (Flesca et al., section 3.1).

    The tags of a document in order, start and end, get codes: `direct` (number of the name),
    `pairwise` (number of the pair of this tag and the next; 0 for the last), `nested` (number of
    the path from the root). An end tag gets minus the code of its start tag (`symmetric`) or 0
    (`null`); pairwise codes are neither. The series then is `trivial` (the codes), `linear` (their
    running sums) or `multilevel`: with l the number of tags open at a tag,

        S = code · B^(maxdepth − l) + Σ over the open tags of code · B^(maxdepth − l)

    Numbers are given by first appearance over a collection of documents, taken in the order of
    their length and contents; B is one more than there are codes. An end tag has the level of its
    start tag. The paper transforms "the (normalized) time series" and does not say how it is
    normalised. `scaling` has four readings: `z-score` (less its mean, over its standard deviation,
    as is usual for time series), `length` (over the number of tags), `amplitude` (multilevel series
    over B^maxdepth, others as they are), `raw`. Distances depend on it, and so do ε and q_k. The
    default is the reading with the least mean ε over the paper's tests on our pages, and the only
    one under which its Figures 4 and 5 hold (`experiments/flesca`). Multilevel series are divided
    by B^maxdepth under all but `raw`, so that nothing overflows. A double then holds about
    53 / log₂ B levels beside each other (8 for 100 names): what stands deeper is rounded away, here
    as in the paper.
    """

    document: DocumentEncoding = "multilevel"
    tags: TagEncoding = "direct"
    ends: Literal["symmetric", "null"] = "symmetric"
    attributes: bool | None = None
    """Whether attributes count as pairs of tags `ATTRIB@name`; None: in XML but not in HTML."""
    scaling: Scaling = "z-score"

    def __post_init__(self) -> None:
        for what, given, known in (
            ("scaling", self.scaling, SCALINGS),
            ("code of end tags", self.ends, ("symmetric", "null")),
        ):
            if given not in known:
                raise UsageError(f"no {what} is called '{given}': there are {', '.join(known)}")

    @classmethod
    def scheme(cls, name: str) -> Signal:
        """The scheme with this name.

        >>> Signal.scheme("nested").tags
        'nested'
        """
        if name not in SCHEMES:
            raise UsageError(
                f"no Fourier scheme is called '{name}': there are {', '.join(SCHEMES)}"
            )
        document, tags = SCHEMES[name]
        return cls(document=document, tags=tags)

    def skeleton(self, tree: Tree) -> _kernel.Features:
        """The tags of a document, not yet numbered."""
        attributes = not tree.is_html if self.attributes is None else self.attributes
        return _kernel.skeleton_features(tree.kernel, self.tags, attributes, DEFAULT_LIMITS)

    def collection(self, trees: Iterable[Tree]) -> _kernel.Collection:
        """What these documents must agree on: the numbers of their tags and the greatest depth."""
        return _kernel.Collection.of([self.skeleton(tree) for tree in trees])

    def series(
        self, skeletons: Sequence[_kernel.Features], collection: _kernel.Collection | None = None
    ) -> list[_kernel.Features]:
        """The series of these documents, numbered by a collection (their own, if none is given)."""
        collection = collection or _kernel.Collection.of(list(skeletons))
        return collection.series(list(skeletons), self.document, self.ends, self.scaling)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesMeasure(FeatureMeasure):
    """What measures on series of numbers share: how a document becomes one."""

    scheme: str | Signal = "multilevel"
    """Name of a scheme (trivial, linear, nested, multilevel, pairwise), or a `Signal`."""
    scaling: Scaling | None = None
    """How series are normalised (amplitude, raw, z-score, length); None: as the `Signal` says."""
    ends: Literal["symmetric", "null"] | None = None
    """The code of an end tag: minus its start tag's, or 0; None: as the `Signal` says."""
    attributes: bool | None = None
    """Whether attributes count as tags; None: as the `Signal` says."""
    collection: _kernel.Collection | None = None
    """The documents that number the tags; None: those that are compared."""

    def __post_init__(self) -> None:
        self.signal  # noqa: B018 - an unknown scheme is an error here, not at the first page

    @property
    def signal(self) -> Signal:
        """How a document becomes a series."""
        signal = self.scheme if isinstance(self.scheme, Signal) else Signal.scheme(self.scheme)
        return replace(
            signal,
            scaling=self.scaling or signal.scaling,
            ends=self.ends or signal.ends,
            attributes=signal.attributes if self.attributes is None else self.attributes,
        )

    def features(self, tree: Tree) -> _kernel.Features:
        """The tags in order, not yet numbered."""
        return self.signal.skeleton(tree)

    def distance(self, left: Tree, right: Tree) -> float:
        """The distance of the two documents, from 0."""
        first, second = self.together([self.features(left), self.features(right)])
        return _kernel.compare(first, second, self.comparison + "-distance", DEFAULT_LIMITS)

    def explain(self, left: Tree, right: Tree) -> str:
        """The distance, in one line."""
        return f"distance {self.distance(left, right):.6g}; the similarity is 1 / (1 + distance)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fourier(SeriesMeasure):
    """The distance of two documents' spectra (Flesca et al., section 3.2).

    With h the series of a document (`Signal`, or one of the paper's five schemes by its name) and H
    its discrete Fourier transform:

        dist = √ Σ over k = 1 … M/2 of (|H_left(k)| − |H_right(k)|)²        sim = 1 / (1 + dist)

    `exact` transforms each series at its own length and interpolates the magnitudes linearly to the
    union of both grids of frequencies (Flesca); `power-of-two` pads both with zeros to the power of
    two that holds the longer one (Buttler). The paper does not say how a distance becomes a
    similarity; 1 / (1 + dist) is our reading. How series are normalised it does not say either:
    `scaling` (see `Signal`).

    Needs a collection for the numbers of the tags. Without one a pair or a matrix makes its own, so
    numbers of different calls do not compare; give `collection=` to make them. Tags that the
    collection does not know share one number.

    Time O(n log n), comparing O(n). Symmetric, and a metric on series of one length. Magnitudes do
    not see where in a document something stands: shifted or reversed series are the same.

    >>> from treelace.tree import Tree
    >>> left, right = Tree.from_brackets("{a{b}}"), Tree.from_brackets("{a{b}{b}}")
    >>> round(Fourier(scheme="trivial").distance(left, right), 6)
    2.358737
    """

    name: ClassVar[str] = "fourier"
    transform: Literal["exact", "power-of-two"] = "exact"

    def __post_init__(self) -> None:
        # no super(): a dataclass with slots is another class than its body saw
        SeriesMeasure.__post_init__(self)
        if self.transform not in ("exact", "power-of-two"):
            raise UsageError(
                f"no transform is called '{self.transform}': there are exact and power-of-two"
            )

    @property
    def comparison(self) -> str:
        """1 / (1 + distance of the spectra)."""
        return "spectrum" if self.transform == "exact" else "power-spectrum"

    def together(self, features: Sequence[_kernel.Features]) -> Sequence[_kernel.Features]:
        """The spectra, made with the numbers of one collection."""
        collection = self.collection or _kernel.Collection.of(list(features))
        signal = self.signal
        return collection.spectra(
            list(features),
            signal.document,
            signal.ends,
            signal.scaling,
            self.transform,
            DEFAULT_LIMITS,
        )
