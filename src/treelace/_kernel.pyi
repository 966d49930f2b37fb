"""What the compiled kernel offers. Written by hand; `make check` compares it with the module."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from treelace.limits import Limits

_NameParts = tuple[str, str, str]
_Row = tuple[int, int, _NameParts, str, list[tuple[_NameParts, str]], int]

# tree

@final
class Tree:
    """An immutable tree; `treelace.Tree` wraps it. Every `index` out of range raises IndexError."""

    def __len__(self) -> int: ...
    def kind(self, index: int) -> int:
        """Number of the node's kind."""
    def local_name(self, index: int) -> str:
        """Local name; empty where there is none."""
    def name_parts(self, index: int) -> _NameParts:
        """Prefix, namespace, local name."""
    def text(self, index: int) -> str:
        """Own text of a leaf; empty for elements."""
    def string_value(self, index: int) -> str:
        """All text inside."""
    def parent(self, index: int) -> int | None:
        """Parent, None for the document."""
    def end(self, index: int) -> int:
        """One past the subtree."""
    def depth(self, index: int) -> int:
        """Level."""
    def line(self, index: int) -> int:
        """Source line, or 0."""
    def in_template(self, index: int) -> bool:
        """Whether the node stands in the contents of a template."""
    def is_reference(self, index: int) -> bool:
        """Whether a text refers to an entity whose replacement is not known."""
    def children(self, index: int) -> list[int]:
        """Children, left to right."""
    def attributes(self, index: int) -> list[tuple[str, str, str, str]]:
        """Prefix, namespace, local name, value of each attribute."""
    def attribute(self, index: int, namespace: str, local: str) -> str | None:
        """One attribute's value."""
    def id_attributes(self, index: int) -> list[str]:
        """Local names of the attributes of type ID."""
    def element_index(self, index: int) -> int | None:
        """Number among the elements, template contents left out."""
    def node_of_element(self, element_index: int) -> int | None:
        """The node with this element index."""
    def brackets(self) -> str:
        """Bracket notation of the elements."""
    def name_table(self) -> list[_NameParts]:
        """Names by their numbers."""
    @property
    def is_html(self) -> bool: ...
    @property
    def is_fragment(self) -> bool: ...
    @property
    def encoding(self) -> str: ...
    @property
    def quirks(self) -> str: ...
    @property
    def problems(self) -> list[tuple[int, str]]: ...
    @property
    def problem_count(self) -> int: ...
    @property
    def memory(self) -> int: ...
    @property
    def kinds(self) -> NDArray[np.uint8]: ...
    @property
    def name_ids(self) -> NDArray[np.uint32]: ...
    @property
    def parents(self) -> NDArray[np.uint32]: ...
    @property
    def ends(self) -> NDArray[np.uint32]: ...
    @property
    def depths(self) -> NDArray[np.uint32]: ...
    @property
    def lines(self) -> NDArray[np.uint32]: ...
    @property
    def element_indexes(self) -> NDArray[np.uint32]: ...

def tree_from_rows(rows: list[_Row], is_html: bool, is_fragment: bool, limits: Limits) -> Tree:
    """A tree from rows (kind, depth, name, text, attributes, line) in document order."""

# delta

_Xids = tuple[NDArray[np.uint64], int]

@final
class Delta:
    """A delta; `treelace.Delta` wraps it."""

    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def from_digest(self) -> bytes: ...
    @property
    def to_digest(self) -> bytes: ...
    @property
    def from_map(self) -> str | None: ...
    @property
    def to_map(self) -> str | None: ...
    @property
    def next_xid(self) -> int: ...
    @property
    def content(self) -> Tree: ...
    @property
    def content_xids(self) -> NDArray[np.uint64]: ...
    @property
    def holes(self) -> list[int]: ...
    def operation(self, number: int) -> tuple[object, ...]:
        """One operation: its name and its values."""
    def counts(self) -> list[tuple[str, int]]:
        """How many operations there are of each kind."""
    def apply(
        self, tree: Tree, xids: _Xids | None, limits: Limits
    ) -> tuple[Tree, NDArray[np.uint64], int]:
        """The new document, the XIDs of its nodes, the first free one."""
    def invert(self) -> Delta:
        """The delta that leads back."""
    def compose(self, second: Delta, limits: Limits) -> Delta:
        """Both, one after the other, as one."""
    def to_json(self, limits: Limits) -> str:
        """The JSON form."""
    @staticmethod
    def from_json(source: str, limits: Limits) -> Delta:
        """Reads the JSON form."""
    def to_binary(self, limits: Limits) -> bytes:
        """The binary form, not packed."""
    @staticmethod
    def from_binary(source: bytes, limits: Limits) -> Delta:
        """Reads the binary form."""
    def to_xml(self, is_long: bool, limits: Limits) -> str:
        """The XML form."""
    @staticmethod
    def from_xml(source: bytes, limits: Limits) -> Delta:
        """Reads the XML form."""

def build_delta(
    old_tree: Tree,
    new_tree: Tree,
    old: NDArray[np.uint32],
    new: NDArray[np.uint32],
    xids: _Xids | None,
    options: tuple[bool, bool, bool | None],
    limits: Limits,
) -> Delta:
    """The delta of a matching; options: inner edits, leave out moves within a parent, keep the
    order of attributes.
    """

def first_xids(tree: Tree) -> tuple[NDArray[np.uint64], int]:
    """The XIDs of a first version, and the first free one."""

def read_xid_map(tree: Tree, map: str, next_xid: int) -> NDArray[np.uint64]:
    """The XIDs that a map lists in post-order."""

# parsing

def parse_html(
    source: str | bytes, transport: str | None, context: str | None, limits: Limits
) -> Tree:
    """HTML as browsers read it. `transport` is an encoding's label or a whole Content-Type, for
    bytes; `context` makes a fragment ("td", "svg desc"). Surrogates that stand alone in a `str`
    become U+FFFD, which is a problem.
    """

def parse_xml(
    source: str | bytes,
    transport: str | None,
    is_fragment: bool,
    limits: Limits,
    *,
    namespaces: bool = True,
) -> Tree:
    """XML 1.0, 5th edition; without `namespaces` a colon is a letter like any other. Raises
    ParseError with line and column.
    """

def parse_brackets(text: str, limits: Limits) -> Tree:
    """Bracket notation."""

def check_tree(tree: Tree) -> None:
    """Raises DamagedError unless every invariant of the columns holds; for tests."""

# equality and digests

def equal(left: Tree, right: Tree) -> bool:
    """Whether two trees are equal by what Canonical XML sees, and the doctype."""

def equal_subtree(left: Tree, left_index: int, right: Tree, right_index: int) -> bool:
    """Whether two subtrees are equal."""

def digest(tree: Tree, index: int) -> bytes:
    """Digest of one subtree, 16 bytes."""

def digests(tree: Tree) -> NDArray[np.uint8]:
    """Digests of all subtrees, 16 bytes a row."""

# writing

class _XmlOptions(Protocol):
    @property
    def declaration(self) -> bool: ...
    @property
    def doctype(self) -> bool: ...
    @property
    def defaults(self) -> bool: ...
    @property
    def declare_namespaces(self) -> bool | None: ...
    @property
    def on_invalid(self) -> str: ...

class _CanonicalOptions(Protocol):
    @property
    def version(self) -> str: ...
    @property
    def exclusive(self) -> bool: ...
    @property
    def comments(self) -> bool: ...
    @property
    def prefixes(self) -> list[str]: ...
    @property
    def on_invalid(self) -> str: ...

def write_html(tree: Tree, index: int, limits: Limits) -> str:
    """A node and what is below it as HTML, by the standard's serialisation; so that it reads back
    equal.
    """

def html_obstacle(tree: Tree) -> tuple[int, str] | None:
    """The first node that HTML cannot express, and why; None where what `write_html` writes reads
    back equal.
    """

def write_html_bytes(tree: Tree, limits: Limits) -> bytes:
    """A whole tree as HTML in UTF-8, with a byte-order mark where the document declares another
    encoding.
    """

class _OutlineOptions(Protocol):
    @property
    def depth(self) -> int | None: ...
    @property
    def fold(self) -> bool: ...
    @property
    def attributes(self) -> bool | None: ...
    @property
    def width(self) -> int: ...

def is_expressible_xml(tree: Tree, limits: Limits) -> bool:
    """Whether XML can express the tree."""

def write_xml(tree: Tree, index: int, options: _XmlOptions, limits: Limits) -> str:
    """XML of a subtree."""

def c14n(tree: Tree, index: int, options: _CanonicalOptions, limits: Limits) -> bytes:
    """Canonical XML of a subtree."""

def write_json(tree: Tree, index: int, indent: int | None, limits: Limits) -> str:
    """JSON form of a subtree."""

def read_json(text: str, limits: Limits) -> Tree:
    """The tree of its JSON form."""

def outline(tree: Tree, index: int, options: _OutlineOptions, limits: Limits) -> str:
    """Outline of a subtree, for people."""

def store_tree(tree: Tree) -> bytes:
    """A tree as bytes, compact and checked."""

def load_tree(bytes: bytes) -> Tree:
    """The tree of these bytes; DamagedError where they are not what store_tree gave."""

# selection

_Attributes = tuple[list[int], list[int], list[str]]
_Mixed = tuple[list[int], list[int], list[str], list[str]]

@final
class CompiledCss:
    """A selector list, compiled; may be used from many threads. `namespaces` maps prefixes to
    namespaces, `""` to the default one.
    """

    def __new__(cls, expression: str, namespaces: dict[str, str] | None = None) -> CompiledCss: ...
    def select(self, tree: Tree, scope: int, limit: int | None, seconds: float) -> list[int]:
        """The elements below `scope` that match, in document order."""
    def matches(self, tree: Tree, index: int, seconds: float) -> bool:
        """Whether an element matches."""

@final
class CompiledXPath:
    """An XPath 1.0 expression, compiled; may be used from many threads."""

    def __new__(
        cls, expression: str, namespaces: dict[str, str] | None = None
    ) -> CompiledXPath: ...
    @property
    def variables(self) -> list[str]: ...
    def evaluate(
        self,
        tree: Tree,
        index: int,
        variables: list[tuple[str, str | float | bool | list[int]]],
        seconds: float,
    ) -> bool | float | str | list[int] | _Attributes | _Mixed:
        """The value. Nodes are a list of indexes; attributes three lists: indexes of their
        elements, numbers, values; where kinds are mixed, or there are namespaces, four: indexes,
        numbers (-1: a node, -2: a namespace), values, prefixes.
        """

def xpath_of(tree: Tree, index: int) -> str | None:
    """The absolute XPath of a node; None for what XPath does not see."""

def css_of(tree: Tree, index: int) -> str | None:
    """A selector that matches this element and nothing else in its tree; None for other nodes."""

# matching

_Pairs = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]

def check_pairs(
    old_tree: Tree,
    new_tree: Tree,
    old: NDArray[np.uint32],
    new: NDArray[np.uint32],
    confidence: NDArray[np.float64],
) -> None:
    """Raises MatchError unless the pairs are one-to-one, of equal kind, sorted by old index, with
    confidences in [0, 1].
    """

def element_pairs(
    old_tree: Tree, new_tree: Tree, old: NDArray[np.uint32], new: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """Element indexes of the pairs of elements, and the row of each."""

def element_nodes(tree: Tree) -> NDArray[np.uint32]:
    """The nodes that have an element index, by that index."""

def match_same_path(old: Tree, new: Tree, limits: Limits) -> _Pairs:
    """Pairs of nodes with equal absolute paths."""

def match_lace(old: Tree, new: Tree, reads_text: bool, limits: Limits) -> _Pairs:
    """Pairs by rounds of rescoring with context."""

def lace_study(
    old: Tree,
    new: Tree,
    reads_text: bool,
    weights: NDArray[np.float32],
    forest: bytes | None,
    limits: Limits,
    start: list[tuple[int, int]] | None = None,
) -> tuple[_Pairs, NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]:
    """As `match_lace`, with other weights and trees; with it round, old node, new node and evidence
    (as many numbers as there are terms) of every candidate.

    `forest` is one forest of `generated/forest.bin`; without one rows in doubt keep the sums of
    their evidence. `start` are pairs of nodes to begin with, in place of the anchors. The
    confidence of a pair is only by how much it beats its rivals.
    """

def lace_doubts(
    old: Tree,
    new: Tree,
    reads_text: bool,
    weights: NDArray[np.float32],
    forest: bytes | None,
    limits: Limits,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]:
    """Old node, new node and features (all of one candidate, then of the next) of the candidates in
    doubt in the last round.

    The features: the terms, their sum, the best rival and the number of rivals on either side, what
    else the trees look at. Weights and forest as for `lace_study`. What
    `experiments.lace_quality.forest` grows its trees on.
    """

def lace_seen(
    old: Tree,
    new: Tree,
    reads_text: bool,
    weights: NDArray[np.float32],
    forest: bytes | None,
    limits: Limits,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]:
    """Old node, new node and what the confidence goes by (all of one pair, then of the next) of the
    pairs of elements and of texts that say something.

    Weights and forest as for `lace_study`. What `experiments.lace_quality.confidence` grows its
    trees on.
    """

def lace_weights() -> tuple[list[str], int, list[float], list[float]]:
    """Names of lace's terms, how many of them (the first) need no context, the weights with texts
    and without.

    The weights are those of elements, then those of texts; each by stage: the terms, the share of
    what needs no context, the threshold.
    """

def match_document(
    old: Tree, new: Tree, keys: list[str], rates: list[tuple[str, float]], limits: Limits
) -> _Pairs:
    """Pairs by unique content, votes and order: our own matcher for versions of one document."""

def match_buld(
    old: Tree,
    new: Tree,
    depth: int,
    leaves_blanks_out: bool,
    keys: list[str],
    rates: list[tuple[str, float]],
    limits: Limits,
) -> _Pairs:
    """Pairs by BULD (Cobéna, Abiteboul, Marian 2002)."""

class _Sftm(Protocol):
    @property
    def alpha(self) -> float: ...

def match_sftm(old: Tree, new: Tree, options: _Sftm, limits: Limits) -> _Pairs:
    """Pairs of elements by SFTM; the fields of `options` are its parameters."""

def sftm_graph(old: Tree, new: Tree, options: _Sftm, limits: Limits) -> _Pairs:
    """The edges of SFTM's graph: old element, new element, similarity; sorted."""

class _Ftm(Protocol):
    @property
    def beta(self) -> float: ...

def match_ftm(old: Tree, new: Tree, attributes: bool, options: _Ftm, limits: Limits) -> _Pairs:
    """Pairs by FTM; the fields of `options` are its parameters."""

def ftm_search(
    old: Tree, new: Tree, attributes: bool, options: _Ftm, limits: Limits
) -> tuple[float, list[tuple[int, int, float]]]:
    """What the matching found costs, and its pairs of nodes with theirs."""

def ftm_priced(
    old: Tree,
    new: Tree,
    pairs: list[tuple[int, int]],
    attributes: bool,
    options: _Ftm,
    limits: Limits,
) -> tuple[float, list[tuple[int, int, float]]]:
    """What this matching costs, and its pairs with theirs."""

def ftm_bounds(
    old: Tree,
    new: Tree,
    fixed: list[tuple[int, int]],
    attributes: bool,
    options: _Ftm,
    limits: Limits,
) -> list[tuple[int, int, tuple[float, float], tuple[float, float]]]:
    """Least and most ancestry and sibling cost of each pair that remains after some are fixed."""

# distances

class _Costs(Protocol):
    @property
    def graded(self) -> bool: ...

def edit_distance(
    old: Tree,
    new: Tree,
    attributes: bool,
    text: bool,
    costs: _Costs | None,
    at_most: float | None,
    limits: Limits,
) -> float | None:
    """Tree edit distance; None where it is more than `at_most`."""

def edit_mapping_by(
    old: Tree, new: Tree, strategy: str, at_most: int | None, limits: Limits
) -> tuple[float, list[tuple[int, int]]] | None:
    """Unit-cost distance and mapping by one given way of computing them, for tests and
    benchmarks.
    """

def match_edit(
    old: Tree, new: Tree, attributes: bool, text: bool, costs: _Costs | None, limits: Limits
) -> _Pairs:
    """Pairs of a cheapest mapping."""

def restricted_distance(
    name: str, old: Tree, new: Tree, attributes: bool, text: bool, limits: Limits
) -> tuple[int, int, int]:
    """A unit-cost distance by the name of its matcher (the edit distance or a restricted one), and
    the sizes of the two trees.
    """

def match_restricted(
    name: str, old: Tree, new: Tree, attributes: bool, text: bool, limits: Limits
) -> _Pairs:
    """Pairs of a cheapest mapping of a restricted distance."""

def match_subtrees(
    left: Tree,
    left_index: int,
    right: Tree,
    right_index: int,
    attributes: bool,
    text: bool,
    limits: Limits,
) -> tuple[int, list[tuple[int, int]]]:
    """Simple tree matching of two subtrees: the number of pairs, and the pairs."""

def edit_bounds(
    left: Tree, right: Tree, attributes: bool, text: bool, limits: Limits
) -> tuple[int, int, int, int]:
    """Lower bounds of the unit-cost edit distance: labels, degrees, binary branches, traversals."""

def edit_within(
    query: Tree, trees: list[Tree], most: int, attributes: bool, text: bool, limits: Limits
) -> list[tuple[int, int]]:
    """Place and distance of each tree at most so far away."""

def edit_nearest(
    query: Tree, trees: list[Tree], count: int, attributes: bool, text: bool, limits: Limits
) -> list[tuple[int, int]]:
    """Place and distance of the nearest trees."""

# similarity

@final
class Features:
    """What a measure keeps of one document. Immutable, pickles, compares by value."""

    @staticmethod
    def from_bytes(data: bytes) -> Features:
        """From the stored form; DamagedError for damage or another version."""
    def to_bytes(self) -> bytes:
        """The stored form, which carries its version."""
    def cut(self, k: int) -> Features:
        """The sketch that a smaller k would have given."""
    def values(self) -> NDArray[np.float64]:
        """Numbers of a series, magnitudes of a spectrum, values of a sketch (those as uint64)."""
    def families(self) -> list[tuple[str, NDArray[Any]]]:
        """Each family with its facts, ascending (uint64), or with the minima of a sketch (uint32;
        none for an empty family).
        """
    def sketch(self, slots: int, seed: int) -> Features:
        """Families as the minima of slots / 7 functions each."""
    @property
    def kind(self) -> str:
        """bag, sample, skeleton, series, spectrum, families or family-sketch."""
    @property
    def memory(self) -> int:
        """Bytes of memory."""

@final
class Collection:
    """The numbers of tags that a set of documents shares, and its greatest depth. Immutable,
    pickles.
    """

    @staticmethod
    def of(skeletons: list[Features]) -> Collection:
        """Of these documents, whatever their order."""
    @staticmethod
    def from_bytes(data: bytes) -> Collection:
        """From the stored form; DamagedError for damage or another version."""
    def to_bytes(self) -> bytes:
        """The stored form, which carries its version."""
    def series(
        self, skeletons: list[Features], encoding: str, ends: str, scaling: str
    ) -> list[Features]:
        """The series of each document."""
    def spectra(
        self,
        skeletons: list[Features],
        encoding: str,
        ends: str,
        scaling: str,
        transform: str,
        limits: Limits,
    ) -> list[Features]:
        """The spectrum of each document, comparable with each other."""
    @property
    def base(self) -> int:
        """One more than there are codes."""
    @property
    def max_level(self) -> int:
        """The greatest level of a tag."""

def tag_features(tree: Tree, texts: bool) -> Features:
    """Bag of tags."""

def path_features(tree: Tree, texts: bool, leaves: bool, limits: Limits) -> Features:
    """Bag of paths to nodes or to leaves."""

def prefix_features(tree: Tree, texts: bool, weights: str, limits: Limits) -> Features:
    """Bag of path prefixes, each as often as leaves lie behind it; weights one, outer or inner."""

def shingle_features(
    tree: Tree, window: int, texts: bool, is_bag: bool, k: int | None, seed: int, limits: Limits
) -> Features:
    """Bag of path shingles, or the k smallest of them."""

def structure_features(
    tree: Tree, slots: int | None, seed: int, limits: Limits, body_only: bool = False
) -> Features:
    """Seven sets of structural facts, or their sketches; `body_only` leaves out the head and what
    the page loads.
    """

def family_votes(left: Features, right: Features) -> list[tuple[str, float | None]]:
    """For each family its name and the share of facts in common; None where neither has any."""

def shared_counts(left: Features, right: Features) -> tuple[int, int, int, int, int, int]:
    """Of two bags: different tokens of the left, of the right, of both; occurrences likewise."""

def skeleton_features(tree: Tree, tag_code: str, attributes: bool, limits: Limits) -> Features:
    """Tags in document order, not yet numbered."""

def compare(left: Features, right: Features, how: str, limits: Limits) -> float:
    """Similarity (or distance) of two documents by their features."""

def compare_all(
    left: list[Features],
    right: list[Features] | None,
    how: str,
    progress: Callable[[int, int], object] | None,
    limits: Limits,
) -> NDArray[np.float64]:
    """All pairs of one list, or of two, on all cores."""

# structure index

class _Plan(Protocol):
    @property
    def families(self) -> int: ...
    @property
    def contained(self) -> int: ...
    @property
    def slots(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def one_in(self) -> int: ...
    @property
    def seed(self) -> int: ...

_Part = tuple[NDArray[np.uint8], NDArray[np.uint32]]
_Found = list[tuple[int, int, float]]

@final
class IndexBuilder:
    """Pages on their way into a segment of a structure index."""

    def __new__(cls, plan: _Plan) -> IndexBuilder: ...
    @staticmethod
    def merged(
        plan: _Plan,
        arrays: list[_Part],
        file: NDArray[np.uint8],
        keep: Callable[[bytes], int] | None,
        rest: Callable[[], object],
        limits: Limits,
    ) -> IndexBuilder:
        """Every page of these parts that was not removed; with `keep`, which gives its new place,
        the record of each page's sets is moved.

        `rest` is called whenever a part was gone through.
        """
    def add(self, name: str, features: Features, facts: int) -> None:
        """A page, and where the record of its sets begins in the file; 0 where it is not kept."""
    def add_sketches(
        self,
        names: list[str],
        slots: NDArray[np.uint8],
        samples: NDArray[np.uint32],
        ends: NDArray[np.uint64],
    ) -> None:
        """Pages by their sketches: a row of slots for each, and all samples one after another, each
        up to its end.
        """
    def __len__(self) -> int: ...
    def write(self, take: Callable[[bytes], object], limits: Limits) -> None:
        """Hands the bytes of the segment to `take`, piece after piece; the builder is empty
        afterwards.
        """

def index_facts(features: Features) -> bytes:
    """The record of a page's sets."""

def index_sketch(plan: _Plan, features: Features) -> tuple[bytes, list[int]]:
    """The slots of a page, and the sample of its facts."""

def index_alike(
    plan: _Plan,
    arrays: list[_Part],
    file: NDArray[np.uint8],
    features: Features,
    limit: int,
    at_least: float,
    effort: int,
    shortlist: int,
    limits: Limits,
) -> _Found:
    """Pages most like one: part, page, similarity."""

def index_containing(
    plan: _Plan,
    arrays: list[_Part],
    file: NDArray[np.uint8],
    features: Features,
    limit: int,
    at_least: float,
    effort: int,
    limits: Limits,
) -> _Found:
    """Pages that contain most of a structure: part, page, share."""

def index_named(segments: list[NDArray[np.uint8]], names: list[str]) -> list[list[int]]:
    """For each segment its pages that have one of these names."""

def index_names(bytes: NDArray[np.uint8], pages: list[int]) -> list[str]:
    """The names of pages of a segment."""

def checksum(bytes: NDArray[np.uint8]) -> int:
    """What bytes are known by when they are read again."""

# patterns

_PatternRow = tuple[int, str, list[str], str, str, int, bool, list[str]]
_Aligned = tuple[NDArray[np.uint32], NDArray[np.uint32], float, float]

@final
class Pattern:
    """What pages of one template have in common: rows (depth, tag, keys, wrappers, text, pages that
    have it, whether fixed, shapes).
    """

    def __new__(cls, rows: list[_PatternRow], pages: int) -> Pattern: ...
    @property
    def pages(self) -> int: ...
    def rows(self) -> list[_PatternRow]:
        """The rows in document order."""
    def lay(self, tree: Tree, parts: list[list[int]], limits: Limits) -> Laid:
        """Each part (top nodes) laid along, to be sorted into columns."""
    def align(self, tree: Tree, parts: list[list[int]], limits: Limits) -> list[_Aligned]:
        """Each part (top nodes) laid along: nodes, the row of each (2³² − 1 for a leaf without),
        shares of usual rows found and of rows covered.
        """

@final
class PatternColumns:
    """Which row of a pattern belongs to which column (-1: none), which rows are leaves, rows that
    hold a list of values, and columns by what the holder of their leaves is called.
    """

    def __new__(
        cls,
        count: int,
        of_row: list[int],
        is_leaf: list[bool],
        runs: list[list[int]],
        of_holder: dict[str, int],
    ) -> PatternColumns: ...

@final
class Laid:
    """Parts of a page laid along a pattern."""

    def fits(self) -> list[float]:
        """The share of the usual rows that each part has."""
    def held(self, part: int) -> list[tuple[int, int]]:
        """The nodes of a part, and the row of each (2³² − 1 for a leaf without)."""
    def sort(
        self, columns: PatternColumns, parts: list[int], known: list[dict[int, int]] | None = None
    ) -> _Slots:
        """The leaves of these parts in their columns; `known` are leaves of each whose column (-1:
        none) is known, whatever the pattern says.
        """
    def after_labels(self, part: int, labels: list[str]) -> list[int | None]:
        """For each label the text of a part just after the only one that reads so."""

def leaf_cells(
    tree: Tree, slots: _Slots, limits: Limits
) -> tuple[list[str], list[int], list[int], list[int], list[int]]:
    """What stands in each slot of leaves (texts and images): its text as it reads, the element
    around it, the end of its items; and of each item its kind (text, link, image) and its node.
    """

def learn_pattern(
    parts: list[tuple[Tree, list[int], dict[int, int]]], limits: Limits
) -> tuple[Pattern, list[_Aligned]]:
    """The pattern of parts (a tree, its top nodes, numbers of leaves that belong together), and
    each part laid along it.
    """

class _ColumnRules(Protocol):
    """`treelace.extract.columns.alignment.ColumnRules`."""

    @property
    def steady(self) -> float: ...
    @property
    def same_class(self) -> float: ...
    @property
    def same_kind(self) -> float: ...
    @property
    def same_text(self) -> float: ...
    @property
    def longest_label(self) -> int: ...
    @property
    def longest_kind(self) -> int: ...
    @property
    def opening(self) -> str: ...

_Slots: TypeAlias = tuple[list[int], list[int], list[int], list[int]]

@final
class TagStrings:
    """The tags of a page in document order (as numbers), compared part by part."""

    def __new__(cls, tags: list[int]) -> TagStrings: ...
    def distances(self, parts: NDArray[np.uint32], limits: Limits) -> NDArray[np.uint32]:
        """Edit distances of pairs of parts: four numbers each, where the left and the right one
        start and end.
        """

def match_labels(
    left: tuple[list[int], list[int]],
    right: tuple[list[int], list[int]],
    wants_pairs: bool,
    limits: Limits,
) -> tuple[int, list[tuple[int, int]]]:
    """Simple tree matching of two trees, each its labels in document order and one past each
    subtree: the number of pairs, and the pairs.
    """

@final
class PageRules:
    """What the caller knows of HTML: bits of roles by tag and by the `role` an element says it has,
    words of navigation, of lists and of five topics (and whether a word must end there), signs and
    codes of money, similarities at which children are clustered, and bounds: nodes of a shape,
    children that are clustered, records looked at, leaders of clusters, heads of groups, common
    shapes.
    """

    def __new__(
        cls,
        *,
        roles: list[tuple[str, int]],
        landmarks: list[tuple[str, int]],
        frame_words: list[tuple[str, bool]],
        list_words: list[tuple[str, bool]],
        topics: list[list[tuple[str, bool]]],
        signs: str,
        codes: list[str],
        thresholds: list[float],
        bounds: tuple[int, int, int, int, int, int],
        odd: float,
        fading: float,
    ) -> PageRules: ...

@final
class PageView:
    """A page as a reader sees it: what is visible, and the children of each node without mere
    formatting.
    """

    def __new__(cls, tree: Tree, rules: PageRules, limits: Limits) -> PageView: ...
    @property
    def tag_names(self) -> list[str]:
        """Tags by number."""
    @property
    def tags(self) -> NDArray[np.uint32]:
        """Number of each node's tag."""
    @property
    def shown(self) -> NDArray[np.bool_]:
        """Whether each node is visible."""
    @property
    def kids(self) -> NDArray[np.uint32]:
        """The children of all nodes, one after the other."""
    @property
    def kid_starts(self) -> NDArray[np.uint32]:
        """Where the children of each node start; one more entry than there are nodes."""
    @property
    def text_nodes(self) -> NDArray[np.uint32]:
        """The visible texts."""
    @property
    def text_before(self) -> NDArray[np.uint32]:
        """How many visible texts stand before each node; one more entry than there are nodes."""
    def texts(self) -> list[str]:
        """The visible texts, white space collapsed."""
    def images(self) -> list[tuple[int, str]]:
        """The visible images with their sources."""
    @property
    def class_numbers(self) -> NDArray[np.uint32]:
        """Number of each node's class words in `class_lists`; 0 for those that have none or are not
        visible.
        """
    def class_lists(self) -> list[list[str]]:
        """The lists of class words there are, the empty one first."""
    def having(self, attribute: str) -> list[tuple[int, str]]:
        """The visible elements that have an attribute, with its values."""
    def place(self, first: int, last: int) -> str:
        """The tags from the root to the lowest element around two nodes."""
    def line_up(
        self, records: Sequence[Sequence[int]], rules: _ColumnRules, limits: Limits
    ) -> _Slots:
        """The items of records lined up: record, column and end of the items of each slot, and the
        items.
        """
    def cells(
        self, records: Sequence[Sequence[int]], slots: _Slots, limits: Limits
    ) -> tuple[list[str], list[int], list[int], list[int], list[int]]:
        """What stands in each slot: its text as it reads, the element around it, the end of its
        items; and of each item its kind (text, link, image) and its node.
        """
    def candidates(self, limits: Limits) -> Candidates:
        """Everything that could be a list of records."""

@final
class Candidates:
    """Lists of records on a page, with their features."""

    def __len__(self) -> int: ...
    def features(self) -> NDArray[np.float64]:
        """One row for each candidate."""
    def records(self, number: int) -> list[list[int]]:
        """The nodes of each record of one candidate."""
    def how(self) -> list[int]:
        """How each was found, as a number."""
    def is_joined(self) -> list[bool]:
        """Whether the records of each stand under several parents."""
    def weigh(self, forest: Forest) -> NDArray[np.float64]:
        """What a forest makes of each candidate."""
    def choose(
        self,
        order: NDArray[np.uint32],
        beliefs: NDArray[np.float64],
        *,
        most: int,
        looked_at: int,
        taken: float,
        same: float,
        whole: tuple[float, float, float],
    ) -> list[tuple[list[list[int]], float]]:
        """The records of the lists that are kept, header rows left out, with the belief left for
        each: of the first `looked_at` of the order again and again the one with most belief, which
        falls by `taken` times the share of texts that a kept list has too; lists that share `same`
        of their texts with a kept one are left out. A list whose records are all among those of a
        joined one is kept as that one, with its own belief, where that has so many times its
        records, records that are so alike beside its own, and such odds beside its own: `whole`.
        """

@final
class Forest:
    """Decision trees over the features of candidates, one after the other in preorder: the left
    child of a node follows it (up to the bound), `rights` has the right one, 0 for a leaf.
    """

    def __new__(
        cls,
        *,
        roots: list[int],
        features: list[int],
        bounds: list[float],
        rights: list[int],
        values: list[float],
        base: float,
    ) -> Forest: ...
