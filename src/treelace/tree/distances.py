"""Distances of two trees by a cheapest mapping of their nodes.

Each is a measure as it stands (`treelace.similarity`), and with its mapping a matcher
(`treelace.matching`). `E` is the string edit distance of two lists of children, T(v) a subtree,
F(v) the forest of its children, c a child, and |·| a number of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from treelace.tree.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeDistance:
    """The unit cost of a cheapest mapping of two trees' nodes; the name says which are allowed.

    A label is the tag; with `attributes` the tag and its attributes; with `text` texts and comments
    are nodes too, called by what they say. What would need more memory than `limits.memory` is
    refused before it is allocated. With d the distance and |·| the number of nodes in view:

        sim = max(0, 1 − d / max(|left|, |right|))        `over="larger"`, as Buttler has it
        sim = max(0, 1 − d / (|left| + |right|))          `over="both"`: d is never more
    """

    name: ClassVar[str]
    attributes: bool = False
    text: bool = False
    over: Literal["larger", "both"] = "larger"
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        if self.over not in ("larger", "both"):
            raise UsageError(f"a distance is divided by larger or both, not by '{self.over}'")

    def distance(self, left: Tree, right: Tree) -> float:
        """What the cheapest mapping costs, from 0."""
        return float(self.distance_and_sizes(left, right)[0])

    def distance_and_sizes(self, left: Tree, right: Tree) -> tuple[int, int, int]:
        """The distance, and the number of nodes in view of each tree."""
        return _kernel.restricted_distance(
            self.name, left.kernel, right.kernel, self.attributes, self.text, self.limits
        )

    def similarity(self, left: Tree, right: Tree) -> float:
        """How alike two documents are, from 0 to 1; two empty ones are alike."""
        distance, *sizes = self.distance_and_sizes(left, right)
        most = sum(sizes) if self.over == "both" else max(sizes)
        return max(0.0, 1 - distance / most) if most else 1.0


class TreeEditDistance(TreeDistance):
    """The fewest deletions, insertions and renames of nodes (Tai 1979; Buttler 2004).

    Symmetric, and a metric as a distance. Time O(n³) at worst, memory O(n m): the dearest measure
    there is.

    >>> from treelace.tree import Tree
    >>> left, right = Tree.from_brackets("{a{b{c}{d}}}"), Tree.from_brackets("{a{c}{d}}")
    >>> TreeEditDistance().distance(left, right), TreeEditDistance().similarity(left, right)
    (1.0, 0.75)
    """

    name: ClassVar[str] = "tree-edit-distance"


class TopDown(TreeDistance):
    """Pairs children only below paired parents (Selkow, "The tree-to-tree editing problem", 1977).

    Insertions and deletions take whole subtrees, at one for each node; roots are always paired:

        S(a, b) = [a ≠ b] + E(children of a, children of b; |T|, |T|, S)

    Symmetric. Time and memory O(n m) at worst, on pages far less: only nodes of one level meet. At
    least the constrained distance. One inserted wrapper costs everything below it twice. Ties go to
    the earliest pairs in the document.

    >>> from treelace.tree import Tree
    >>> TopDown().distance(Tree.from_brackets("{a{b{c}{d}}}"), Tree.from_brackets("{a{c}{d}}"))
    4.0
    """

    name: ClassVar[str] = "top-down"


class RestrictedTopDown(TreeDistance):
    """Top-down, with renames at leaves only (Reis, Golgher, Silva, Laender; RTDM, WWW 2004).

    The cost of two nodes that meet: 0 if their subtrees are equal; [a ≠ b] + (|T(a)| - 1) + (|T(b)|
    - 1) if either is a leaf; their children lined up if both are inner nodes with equal labels;
    otherwise they do not meet. Roots that do not meet are |T1| + |T2| apart, and nothing is paired.
    We leave out the paper's threshold, above which it gives up.

    Symmetric. Time and memory O(n m) at worst. Ties go to the earliest pairs in the document.

    >>> from treelace.tree import Tree
    >>> left, right = Tree.from_brackets("{a{b}{c}}"), Tree.from_brackets("{x{b}{c}}")
    >>> RestrictedTopDown().distance(left, right)
    6.0
    """

    name: ClassVar[str] = "restricted-top-down"


class BottomUp(TreeDistance):
    """Pairs equal subtrees and nothing else (Valiente, SPIRE 2001).

    The old tree is read level by level; an unpaired node whose subtree occurs somewhere in the new
    tree, free from top to bottom, is paired with the first such place in document order, node for
    node. The distance is n + m - 2 · pairs.

    Linear time and memory. Moves are seen, order is not kept, and one changed leaf unpairs all its
    ancestors. The mapping is found greedily and may depend on the order of the two documents; the
    similarity takes the smaller of both distances, so that it is symmetric. We differ from the
    paper in one thing: labels must be equal, so there is no cost for renames.

    >>> from treelace.tree import Tree
    >>> left, right = Tree.from_brackets("{a{b{d}}{c}}"), Tree.from_brackets("{a{c}{b{d}}}")
    >>> BottomUp().distance(left, right)
    2.0
    """

    name: ClassVar[str] = "bottom-up"

    def similarity(self, left: Tree, right: Tree) -> float:
        """How alike two documents are, by the smaller distance of both ways."""
        one, other = (
            TreeDistance.similarity(self, left, right),
            TreeDistance.similarity(self, right, left),
        )
        return max(one, other)


class Constrained(TreeDistance):
    """Maps disjoint subtrees to disjoint subtrees (Zhang 1995).

        C(a, b)  = min( Cf(F(a), F(b)) + [a ≠ b],
                        |T(b)| + min C(a, c) - |T(c)|,  |T(a)| + min C(c, b) - |T(c)| )
        Cf(F, G) = min( E(F, G; |T|, |T|, C),
                        |G| + min Cf(F, F(c)) - |F(c)|,  |F| + min Cf(F(c), G) - |F(c)| )

    Symmetric. Time O(n m), memory two numbers for each pair of nodes. Between the alignment
    distance and the top-down one; usually equal to the edit distance on pages, at a fraction of its
    time.

    >>> from treelace.tree import Tree
    >>> left, right = Tree.from_brackets("{a{b}{c}{d}}"), Tree.from_brackets("{a{g{b}{c}}{d}}")
    >>> Constrained().distance(left, right)
    3.0
    """

    name: ClassVar[str] = "constrained"


class Alignment(TreeDistance):
    """Lets both trees grow by insertions into one shape (Jiang, Wang, Zhang 1995).

    Each place of the common shape then holds a node of one tree, of the other, or of both; the last
    are the pairs. All insertions come before all deletions, which is what makes it dearer than the
    edit distance. With a and b the last trees of two forests F and G, and F[..k], F[k..] the trees
    of F before and from the k-th on:

        A(a, b)  = min( Af(F(a), F(b)) + [a ≠ b],
                        |T(b)| + min A(a, c) - |T(c)|,  |T(a)| + min A(c, b) - |T(c)| )
        Af(F, G) = min( Af(F - T(a), G) + |T(a)|,  Af(F, G - T(b)) + |T(b)|,
                        Af(F - T(a), G - T(b)) + A(a, b),
                        1 + min over k of Af(F[..k], G - T(b)) + Af(F[k..], F(b)),
                        1 + min over k of Af(F - T(a), G[..k]) + Af(F(a), G[k..]) )

    Symmetric. Time O(n m (d + d')²) with d, d' the largest numbers of children; memory O(n m + m Σ
    d² + n Σ d'²): it is for small trees, and wide ones are refused early. Between the edit distance
    and the constrained one. Not a metric: it breaks the triangle inequality.

    >>> from treelace.tree import Tree
    >>> left, right = Tree.from_brackets("{a{e{b}{c}}{d}}"), Tree.from_brackets("{a{b}{f{c}{d}}}")
    >>> Alignment().distance(left, right)
    4.0
    """

    name: ClassVar[str] = "alignment"


class NiermanJagadish(TreeDistance):
    """Top-down; a subtree that the other tree has comes or goes for 1 (WebDB 2002).

    A tree is contained in another if some node there has its root's label and its children are
    contained, in order, in some of that node's children. With graft(b) = 1 if T(b) is contained in
    the old tree, else 1 + Σ graft(children), and prune(a) likewise:

        D(a, b) = [a ≠ b] + E(children of a, children of b; prune, graft, D)

    So a list with more rows is near a list with fewer. This is the distance that Buttler's survey
    ran. Time O(n m), memory a bit for each pair of nodes and a number for each pair that meets.
    Symmetric; not a metric. Ties go to the earliest pairs in the document.

    >>> from treelace.tree import Tree
    >>> left, right = Tree.from_brackets("{a{x{b}}}"), Tree.from_brackets("{a{x{b}}{x{b}}}")
    >>> NiermanJagadish().distance(left, right)
    1.0
    """

    name: ClassVar[str] = "nierman-jagadish"


class SimpleTreeMatching(TreeDistance):
    """The most equal pairs, parents first and in order (Yang 1991; Zhai & Liu, Figure 9).

        STM(A, B) = 0 if the roots' labels differ, else 1 + M[m, n]
        M[i, j]   = max( M[i, j-1],  M[i-1, j],  M[i-1, j-1] + STM(Ai, Bj) )

    for the lists of children A1 … Am and B1 … Bn. Ties go to the earliest pairs in the document:
    the way back tries j - 1, then i - 1, then the pair. The distance is |A| + |B| - 2 STM, the
    similarity STM / ((|A| + |B|) / 2): the papers' own normalisation, not that of the other
    distances.

    Symmetric. Time and memory O(n m) at worst; only nodes whose ancestors' labels agree ever meet.
    Levels are never crossed and nothing is renamed.

    >>> from treelace.tree import Tree
    >>> left = Tree.from_brackets("{a{b{c}{d}}{e}{b{c}}}")
    >>> right = Tree.from_brackets("{a{b{d}{c}}{b{c}{f}}{e}}")
    >>> stm = SimpleTreeMatching()
    >>> stm.score(left, right), round(stm.similarity(left, right), 3)
    (5, 0.667)
    """

    name: ClassVar[str] = "simple-tree-matching"

    def score(self, left: Tree, right: Tree) -> int:
        """STM: the number of pairs (the document nodes not counted)."""
        distance, left_size, right_size = self.distance_and_sizes(left, right)
        return (left_size + right_size - distance) // 2

    def similarity(self, left: Tree, right: Tree) -> float:
        """STM over the mean size; two empty documents are alike."""
        distance, left_size, right_size = self.distance_and_sizes(left, right)
        nodes = left_size + right_size
        return (nodes - distance) / nodes if nodes else 1.0
