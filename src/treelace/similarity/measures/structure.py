"""Our own: seven families of small structural facts, each with a vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS
from treelace.similarity.measure import FeatureMeasure
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure(FeatureMeasure):
    """How likely two pages come from one template, by seven sets of small facts. The default.

    With F₁ … F₇ the families below as sets, and J the Jaccard coefficient |A ∩ B| / |A ∪ B|:

        sim = (mean of √J(Fᵢ(left), Fᵢ(right)))²

    over the families that at least one of the two documents has (two pages without classes are not
    alike in their classes).

    | family | a fact |
    |---|---|
    | shapes | an element's name with the names of its attributes |
    | edges | name and classes of a parent with those of its child |
    | words | an element's name with one word of letters of its class or id |
    | resources | the address of a script, style sheet or icon, without its query |
    | looks | a value of a presentational attribute (`bgcolor`, `width`, `style`, …) |
    | roles | a value that says what part an element plays (`type`, `rel`, `role`, a `name`, …) |
    | paths | the names from the root to an element |

    Left out are `script`, `style`, `noscript`, `template` with all inside them, the inside of `svg`
    and `math`, and attributes that begin with `on`. Runs of digits in names, classes and addresses
    count as one 0. How often a fact occurs does not matter: a list may be long or short.

    With `slots` each family is sketched by the minima of slots/7 functions, and J estimated by how
    many agree (MinHash).

    Time O(n), comparing O(facts) or O(slots). Symmetric. Different documents may reach 1; text is
    not looked at. Not a metric.

    >>> from treelace import parse
    >>> short = parse("<ul class=shop><li>1</ul>")
    >>> long = parse("<ul class=shop><li>1<li>2<li>3</ul>")
    >>> Structure().similarity(short, long)
    1.0
    >>> round(Structure().similarity(short, parse("<ol><li>1</ol>")), 2)
    0.26
    """

    name: ClassVar[str] = "structure"
    slots: int | None = None
    """Size of the sketch, at least 7; None keeps every fact."""
    seed: int = 0
    """Which functions a sketch is made with."""

    def __post_init__(self) -> None:
        if self.slots is not None and not 7 <= self.slots <= 2**20:
            raise UsageError(
                f"a sketch of seven families has 7 to {2**20} slots: slots is {self.slots}; None"
                " keeps every fact"
            )
        if not 0 <= self.seed < 2**64:
            raise UsageError(f"a seed is a number from 0 to 2**64 - 1: seed is {self.seed}")

    @property
    def comparison(self) -> str:
        """Square of the mean root of the families' Jaccard coefficients, or its estimate."""
        return "families" if self.slots is None else "family-sketch"

    def features(self, tree: Tree) -> _kernel.Features:
        """The seven sets, or their sketches."""
        return _kernel.structure_features(tree.kernel, self.slots, self.seed, DEFAULT_LIMITS)

    def explain(self, left: Tree, right: Tree) -> str:
        """The vote of each family, in one line."""
        votes = _kernel.family_votes(self.features(left), self.features(right))
        return ", ".join(
            f"{family} {'–' if vote is None else f'{vote:.3f}'}" for family, vote in votes
        )
