"""PageView: a page as extractors see it, its visible items and plain lists in place of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace.tree import Kind

if TYPE_CHECKING:
    from treelace.tree import Tree

UNSEEN = frozenset(
    "script style noscript template head iframe svg {http://www.w3.org/2000/svg}svg select textarea"
    " object audio video canvas map noframes datalist".split()
)
"""Elements whose text no one sees: DESIGN's list, and what browsers show only where something is
missing.
"""

FORMATTING = frozenset(
    "a abbr acronym b bdi bdo big cite code dfn em font i ins del kbd label mark nobr q s samp"
    " small span strike strong sub sup tt u var wbr center".split()
)
"""Elements that dress text. One that holds blocks is no level of its own for
`PageView.children`.
"""

INLINE = FORMATTING | {
    "br",
    "img",
    "input",
    "button",
    "time",
    "data",
    "output",
    "meter",
    "progress",
    "ruby",
    "rt",
    "rp",
    "#text",
}
"""What stands in a line of text; all other elements start a new one."""


@dataclass(frozen=True, slots=True)
class PageView:
    """Columns of a tree as lists, which plain Python loops read four times as fast as arrays, and
    what is visible.

    `texts` has the white-space-collapsed text of every visible, non-blank text node; `images` the
    images that are visible. `text_before[i]` counts the texts before node `i`, so a subtree's count
    is one subtraction. `children[i]` are the visible elements and texts below `i`, where a
    formatting element that holds blocks (old pages have `font` around half a page) is passed over.
    Time and memory linear in the nodes.

    >>> from treelace import parse
    >>> view = PageView.of(parse("<p>one <b>two</b><script>three</script><i hidden>four</i>"))
    >>> list(view.texts.values())
    ['one', 'two']
    """

    tree: Tree
    tags: list[str]
    parents: list[int]
    ends: list[int]
    depths: list[int]
    shown: bytearray
    children: list[list[int]]
    texts: dict[int, str]
    raw: dict[int, str]
    images: dict[int, str]
    text_before: list[int]
    text_nodes: list[int]
    classes: dict[int, tuple[str, ...]]
    base: str
    language: str

    @classmethod
    def of(cls, tree: Tree, *, url: str = "") -> PageView:
        """The view of a tree; `url` is the page's own address, for addresses in it that are
        relative.
        """
        names = [name.expanded for name in tree.names]
        kinds, ends = tree.kinds.tolist(), tree.ends.tolist()
        parents = [0, *tree.parents[1:].tolist()]
        tags = [
            names[number] if kind == Kind.ELEMENT else "#text" if kind == Kind.TEXT else "#other"
            for kind, number in zip(kinds, tree.name_ids.tolist(), strict=True)
        ]
        unseen = _unseen(tree)
        texts: dict[int, str] = {}
        raw, images, text_before, shown = {}, {}, [0] * (len(tags) + 1), bytearray(len(tags))
        hidden_until = 0
        for index, tag in enumerate(tags):
            text_before[index] = len(texts)
            if index < hidden_until or tag == "#other":
                continue
            if tag == "#text":
                text = tree[index].text
                if words := " ".join(text.split()):
                    texts[index], shown[index] = words, 1
                raw[index] = text
            elif tag in UNSEEN or index in unseen:
                hidden_until = ends[index]
            else:
                shown[index] = 1
                if tag == "img" and (
                    source := tree[index].attribute("src") or tree[index].attribute("data-src")
                ):
                    images[index] = source
        text_before[len(tags)] = len(texts)
        classes = {
            node.index: tuple((node.attribute("class") or "").split())
            for node in tree.select("[class]")
        }
        children = _children(tags, parents, shown)
        return cls(
            tree,
            tags,
            parents,
            ends,
            tree.depths.tolist(),
            shown,
            children,
            texts,
            raw,
            images,
            text_before,
            list(texts),
            classes,
            _base(tree, url),
            _language(tree),
        )

    def text_count(self, index: int) -> int:
        """How many visible texts a subtree has."""
        return self.text_before[self.ends[index]] - self.text_before[index]

    def texts_in(self, index: int) -> list[int]:
        """The visible texts of a subtree, in document order."""
        return self.text_nodes[self.text_before[index] : self.text_before[self.ends[index]]]

    def items_in(self, roots: tuple[int, ...]) -> list[int]:
        """The text nodes and images of a record, in document order."""
        found = [node for root in roots for node in self.texts_in(root)]
        if self.images:
            found += [
                node for root in roots for node in self.images if root <= node < self.ends[root]
            ]
            found.sort()
        return found

    def below(self, index: int) -> list[int]:
        """The visible elements and texts that are children of a node, formatting or not."""
        found, child, end = [], index + 1, self.ends[index]
        while child < end:
            if self.shown[child]:
                found.append(child)
            child = self.ends[child]
        return found

    def address(self, relative: str) -> str:
        """An address of the page, resolved where the page says against what."""
        from urllib.parse import urljoin

        try:
            return urljoin(self.base, relative.strip())
        except ValueError:  # pages have addresses such as http://[
            return relative


def _unseen(tree: Tree) -> set[int]:
    """Elements hidden by the attribute or by their own style; style sheets are not read."""
    found = {node.index for node in tree.select("[hidden]")}
    for node in tree.select("[style]"):
        style = "".join((node.attribute("style") or "").lower().split())
        if "display:none" in style or "visibility:hidden" in style:
            found.add(node.index)
    return found


def _children(tags: list[str], parents: list[int], shown: bytearray) -> list[list[int]]:
    holds_block = bytearray(len(tags))
    for index in range(len(tags) - 1, 0, -1):
        if shown[index] and (holds_block[index] or tags[index] not in INLINE):
            holds_block[parents[index]] = 1
    children: list[list[int]] = [[] for _ in tags]
    owner = list(range(len(tags)))
    for index in range(1, len(tags)):
        if not shown[index]:
            continue
        above = owner[parents[index]]
        if holds_block[index] and tags[index] in FORMATTING and tags[index] != "a":
            owner[index] = above
        else:
            children[above].append(index)
    return children


def _base(tree: Tree, url: str) -> str:
    from urllib.parse import urljoin

    for node in tree.select("base[href]", limit=1):
        return urljoin(url, node.attribute("href") or "")
    return url


def _language(tree: Tree) -> str:
    return next((node.attribute("lang") or "" for node in tree.select(":root[lang]", limit=1)), "")
