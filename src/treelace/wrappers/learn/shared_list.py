"""The list that pages of one class share, found by agreement over the pages.

One page says little: a cart, an empty category or a tag with one row is no list by itself, and a
product page with a strip of related products looks like one. So each kind of element that recurs is
asked about all pages: how much of what only its page says stands in it, whether each has a link of
its own, and whether these lead to pages of the same class, as those of a strip do.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from statistics import fmean
from urllib.parse import urljoin

from treelace.extract import extract
from treelace.extract.page.html_rules import UNSEEN
from treelace.extract.page.page_view import PageView
from treelace.tree import Tree
from treelace.wrappers.apply.records import is_head_row

MAX_PAGES_WITH_OWN_TEXT = 0.3
"""Share of the pages that may have a text which still is a page's own; others are frame."""
MAX_WEIGHT_OF_A_TEXT, WEIGHT_OF_A_LINK = 60, 20
"""Characters that count of one text, so that prose does not outweigh everything; and a link."""
MIN_PAGES_WITH_LIST = 0.5
"""Share of the pages that show the list, with one record or more."""
MIN_PAGES_WITH_RECORDS = 0.25
"""Share of the pages that show two records or more, and two pages at least."""
MIN_SHARE_OF_OWN_TEXT = 0.5
"""Share of what is the pages' own that stands in the records of a list: a strip has less."""
MIN_SHARE_WITHOUT_LINKS = 0.95
"""The same where records have no links of their own and the list is not cut into pages."""
MIN_LINKED, MAX_INWARD = 0.8, 0.5
"""Share of records with a link of their own; share of these that lead to pages of the class."""
MIN_ALIKE = 0.6
"""How alike the elements of a list are built; the parts of a page differ more."""
MIN_VOTES_WITH_LINKS, MIN_VOTES, SAME_RECORDS = 0.3, 0.7, 0.7
"""The votes that make a list of records with links, and without; the records in common that make a
vote.
"""
MIN_SHARE_OF_POSTS = 0.8
"""Share of the pages' own texts in records that are whole posts: no table is made of them."""
MIN_SHARE_OF_ALL, MIN_ALIKE_OF_ALL = 0.95, 0.8
"""Records with links that are alike, and all that the pages say: they are a list without votes."""
MIN_SHARE_WITH_PROSE, MAX_PROSE = 0.8, 2.0
"""An article that shows a list has more paragraphs of its own besides, and less in the list."""
SAME_SHARE = 0.9
"""Elements around or inside records hold nearly as much as the records: so much of the most."""
MAX_COMPARED = 12
"""Elements of a page that are compared with the next."""
MAX_CLASS_WORDS = 6
"""Class words of an element that are tried as its name."""

_LINKED_HEADINGS = ", ".join(f"h{level} a[href], a[href] h{level}" for level in range(1, 7))
_NUMBERED = re.compile(r"/page[/-]?\d+/?$|[?&](?:page|paged|pg|p|start|offset)=\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SharedList:
    """The elements that are the records of a list, page by page, in document order; `share` is how
    much of the pages' own texts and links stands in them.
    """

    records: tuple[tuple[int, ...], ...]
    share: float
    linked: float
    """Share of the records that have a link of their own."""
    inward: float
    """Share of these links that lead to pages of the class."""
    headed: float
    """Share of the records that have a heading with a link."""
    alike: float
    """How alike the records of a page are built, on the mean, from 0 to 1."""
    prose: float
    """Long texts of a page's own that stand in no record, on the mean."""
    votes: float = 0.0
    """Share of the pages with two records or more whose likeliest table has just these records,
    each weighed by the confidence in the table.
    """

    @property
    def most(self) -> int:
        """Records of the longest page."""
        return max(map(len, self.records))


def shared_list(
    pages: Sequence[Tree], urls: Sequence[str] = (), members: Sequence[str] = ()
) -> SharedList | None:
    """The list of these pages; None where each is one record, or nothing is shared.

    `urls` are the addresses of the pages, `members` those of all pages of the class.
    """
    seen = _seen_pages(pages, urls or [""] * len(pages), frozenset(map(_plain, members or urls)))
    candidates = [one for one in _candidates(seen) if _is_shown(one, len(pages))]
    if not candidates:
        return None
    tables = [_likeliest_table(page) for page in pages]
    is_cut = sum(bool(_NUMBERED.search(url)) for url in members or urls) > 1
    found = [
        one
        for one in (replace(one, votes=_votes(one, tables)) for one in candidates)
        if _is_list(one, is_cut=is_cut)
    ]
    if not found:
        return None
    found = [replace(one, records=_with_links(one, seen)) for one in found]
    found = [replace(one, records=_built_alike(one, seen)) for one in found]
    most = max(one.share for one in found)
    # of elements that hold about the same the smallest: not the box of a year's posts
    best = max(
        (one for one in found if one.share >= SAME_SHARE * most),
        key=lambda one: (round(one.votes, 1), sum(map(len, one.records))),
    )
    # and of as many elements inside each other the one that holds most: a date may stand outside
    around = (one for one in found if _are_inside(best.records, one.records, pages))
    return max((best, *around), key=lambda one: one.share)


def _are_inside(
    inner: Sequence[Sequence[int]], outer: Sequence[Sequence[int]], pages: Sequence[Tree]
) -> bool:
    """Whether each element of one list stands inside one of another list, in the same order."""
    return all(
        len(some) == len(others)
        and all(b <= a < page.end(b) for a, b in zip(some, others, strict=True))
        for some, others, page in zip(inner, outer, pages, strict=True)
    )


def _with_links(one: SharedList, seen: Sequence[_SeenPage]) -> tuple[tuple[int, ...], ...]:
    """The records that have a link, where nearly all have one of their own: no heads of tables."""
    if one.linked < MIN_LINKED:
        return one.records
    return tuple(
        tuple(node for node in records if page.links_in(node))
        for page, records in zip(seen, one.records, strict=True)
    )


def _built_alike(one: SharedList, seen: Sequence[_SeenPage]) -> tuple[tuple[int, ...], ...]:
    """The records that have something in common with most: no box of other things among cards."""
    builds = [
        [structure_of(page.tree, node) for node in records]
        for page, records in zip(seen, one.records, strict=True)
    ]
    counts = Counter(path for some in builds for build in some for path in build)
    half = sum(map(len, builds)) / 2
    common = {path for path, count in counts.items() if count > half}
    return tuple(
        tuple(node for node, build in zip(records, some, strict=True) if build & common)
        if common
        else records
        for records, some in zip(one.records, builds, strict=True)
    )


def _is_shown(one: SharedList, pages: int) -> bool:
    """Whether enough pages show it, in elements that are alike and hold most that is their own."""
    shown = sum(bool(records) for records in one.records)
    several = sum(len(records) > 1 for records in one.records)
    return (
        shown >= MIN_PAGES_WITH_LIST * pages
        and several >= max(min(2, pages), MIN_PAGES_WITH_RECORDS * pages)
        and one.share >= MIN_SHARE_OF_OWN_TEXT
        and one.inward < MAX_INWARD
        and one.alike >= MIN_ALIKE
    )


def _is_list(one: SharedList, *, is_cut: bool) -> bool:
    """Whether its records have links of their own, and either the pages' likeliest tables are this
    list or the records are posts, which have headings, or all that the pages say; or each page says
    that it is this list, and it is cut into pages or all that the pages say.
    """
    is_post = one.headed >= MIN_LINKED and one.share >= MIN_SHARE_OF_POSTS
    is_all = one.share >= MIN_SHARE_OF_ALL and one.alike >= MIN_ALIKE_OF_ALL and one.most > 2
    if one.linked >= MIN_LINKED and (one.votes >= MIN_VOTES_WITH_LINKS or is_post or is_all):
        return one.share >= MIN_SHARE_WITH_PROSE or one.prose <= MAX_PROSE
    return one.votes >= MIN_VOTES and (is_cut or one.share >= MIN_SHARE_WITHOUT_LINKS)


def _likeliest_table(page: Tree) -> tuple[frozenset[int], float]:
    """The first nodes of the records of the likeliest table, and the confidence in it."""
    tables = extract(page)
    if not tables:
        return frozenset(), 0.0
    return frozenset(nodes[0].index for nodes in tables[0].records), tables[0].confidence


def _votes(one: SharedList, tables: Sequence[tuple[frozenset[int], float]]) -> float:
    votes = [
        confidence if overlap(set(records), starts) >= SAME_RECORDS else 0.0
        for records, (starts, confidence) in zip(one.records, tables, strict=True)
        if len(records) > 1
    ]
    return fmean(votes)


def overlap(left: Set[int] | Set[str], right: Set[int] | Set[str]) -> float:
    """The share of what two sets have that both have."""
    return len(left & right) / max(1, len(left | right))


@dataclass(frozen=True, slots=True)
class _SeenPage:
    """A page with what is its own: where it stands, and the weights summed up."""

    tree: Tree
    url: str
    members: frozenset[str]
    places: list[int]
    sums: list[int]
    links: list[tuple[int, str]]
    headings: list[int]
    long_texts: list[int]

    def count(self, places: Sequence[int], node: int) -> int:
        """How many of the places, which are in order, are inside an element."""
        return bisect_left(places, self.tree.end(node)) - bisect_left(places, node)

    def own(self, node: int) -> int:
        """The weight of what is the page's own inside an element."""
        first, last = (
            bisect_left(self.places, node),
            bisect_left(self.places, self.tree.end(node)),
        )
        return self.sums[last] - self.sums[first]

    def links_in(self, node: int) -> set[str]:
        """Where the links inside an element lead to, but for those to the page itself."""
        first, last = (bisect_left(self.links, (at, "")) for at in (node, self.tree.end(node)))
        return {target for _, target in self.links[first:last] if target != self.url}

    def linked(self, nodes: Sequence[int]) -> tuple[int, int]:
        """How many of the elements have a link that no other has, and how many of these links lead
        to pages of the class.
        """
        inside = [self.links_in(node) for node in nodes]
        count = Counter(target for targets in inside for target in targets)
        own = [[target for target in targets if count[target] == 1] for targets in inside]
        return sum(map(bool, own)), sum(
            any(target in self.members for target in targets) for targets in own
        )


def _seen_pages(
    pages: Sequence[Tree], urls: Sequence[str], members: frozenset[str]
) -> list[_SeenPage]:
    views = [PageView.of(page) for page in pages]
    links = [_links(page, url) for page, url in zip(pages, urls, strict=True)]
    counts = Counter(text for view in views for text in set(view.texts.values()))
    counts.update(target for some in links for target in {target for _, target in some})
    most = max(1, MAX_PAGES_WITH_OWN_TEXT * len(pages))
    made = []
    for page, url, view, some in zip(pages, urls, views, links, strict=True):
        weights = [
            (at, min(len(text), MAX_WEIGHT_OF_A_TEXT))
            for at, text in view.texts.items()
            if counts[text] <= most
        ]
        weights += [(at, WEIGHT_OF_A_LINK) for at, target in some if counts[target] <= most]
        weights.sort()
        sums = [0, *accumulate(weight for _, weight in weights)]
        long = sorted(
            at
            for at, text in view.texts.items()
            if counts[text] <= most and len(text) >= MAX_WEIGHT_OF_A_TEXT
        )
        headings = sorted(node.index for node in page.select(_LINKED_HEADINGS))
        made.append(
            _SeenPage(
                page, _plain(url), members, [at for at, _ in weights], sums, some, headings, long
            )
        )
    return made


def _links(page: Tree, url: str) -> list[tuple[int, str]]:
    found = []
    for node in page.select("a[href]"):
        target = node.attribute("href") or ""
        try:
            address = urljoin(url, target)
        except ValueError:
            continue
        if not address.startswith(("javascript:", "mailto:", "tel:")) and target[:1] != "#":
            found.append((node.index, _plain(address)))
    return found


def _plain(url: str) -> str:
    return re.sub(r"^https?://", "", url.partition("#")[0]).rstrip("/")


def _candidates(seen: Sequence[_SeenPage]) -> Iterator[SharedList]:
    """What recurs on the pages: elements of one name in parents of one name."""
    found: dict[tuple[str, ...], dict[int, list[int]]] = {}
    for number, page in enumerate(seen):
        for name, nodes in _named_elements(page).items():
            found.setdefault(name, {})[number] = nodes
    least = max(min(2, len(seen)), MIN_PAGES_WITH_LIST * len(seen))
    for nodes_of in found.values():
        if len(nodes_of) < least or max(map(len, nodes_of.values())) < 2:
            continue
        shares, alike = list[float](), list[float]()
        prose = list[int]()
        own = inward = count = headed = 0
        for number, nodes in nodes_of.items():
            page = seen[number]
            shares.append(sum(map(page.own, nodes)) / max(1, page.sums[-1]))
            prose.append(len(page.long_texts) - sum(page.count(page.long_texts, n) for n in nodes))
            if len(nodes) > 1:
                linked, inner = page.linked(nodes)
                own, inward, count = own + linked, inward + inner, count + len(nodes)
                headed += sum(page.count(page.headings, node) > 0 for node in nodes)
                builds = [structure_of(page.tree, node) for node in nodes[:MAX_COMPARED]]
                alike += [overlap(left, right) for left, right in pairwise(builds)]
        yield SharedList(
            tuple(tuple(nodes_of.get(number, ())) for number in range(len(seen))),
            fmean(shares),
            own / max(1, count),
            inward / max(1, own),
            headed / max(1, count),
            fmean(alike) if alike else 0.0,
            fmean(prose),
        )


def structure_of(tree: Tree, node: int) -> set[str]:
    """The paths of tags and first class words from an element down to its grandchildren."""
    found = set[str]()
    for child in tree.children(node):
        if tree.kind(child) == 1:
            name = _name(tree, child)
            found.add(name)
            found |= {
                f"{name} {_name(tree, inner)}"
                for inner in tree.children(child)
                if tree.kind(inner) == 1
            }
    return found or {""}


def _name(tree: Tree, node: int) -> str:
    return tree.local_name(node) + "".join(f".{word}" for word in _class_words(tree, node)[:1])


def _named_elements(page: _SeenPage) -> dict[tuple[str, ...], list[int]]:
    """The elements that hold something of the page's own, by their parent's name and their own: the
    tag alone, or with one of the class words. None stands inside another of its name.
    """
    tree = page.tree
    found: dict[tuple[str, ...], list[int]] = {}
    node, names = 1, {0: ""}
    while node < len(tree):
        if tree.kind(node) != 1:
            node += 1
            continue
        tag = tree.local_name(node)
        if tag in UNSEEN or not page.own(node) or is_head_row(tree, node):
            node = tree.end(node)
            continue
        words = _class_words(tree, node)
        names[node] = _name(tree, node)
        parent = tree.parent(node) or 0
        above = tree.parent(parent) or 0
        around = (names.get(above, ""), names.get(parent, ""))
        for word in ("", *words[:MAX_CLASS_WORDS]):
            nodes = found.setdefault((*around, tag, word), [])
            if not nodes or tree.end(nodes[-1]) <= node:
                nodes.append(node)
        node += 1
    return found


def _class_words(tree: Tree, node: int) -> list[str]:
    words = sorted(set((tree.attribute(node, "class") or "").split()))
    return [word for word in words if not any(map(str.isdigit, word))]
