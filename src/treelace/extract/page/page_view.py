"""PageView: a page as extractors see it, its visible items and plain lists in place of nodes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from treelace import _kernel
from treelace.extract.page.html_rules import FORMATTING, INLINE, UNSEEN, page_rules
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Node, Tree

__all__ = ["FORMATTING", "INLINE", "UNSEEN", "PageView", "says_rating"]

_RATING = re.compile(r"(?:^|[-_])(?:stars?|ratings?)(?:$|[-_\d])", re.IGNORECASE)


def says_rating(word: str) -> bool:
    """Whether a class word speaks of stars or ratings.

    >>> says_rating("star-rating"), says_rating("fa-star-o"), says_rating("starter")
    (True, True, False)
    """
    return _RATING.search(word) is not None


@dataclass(frozen=True, eq=False)
class PageView:
    """What is visible on a page, found by the kernel in one pass; columns as lists, made lazily.

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
    url: str = ""
    time: datetime | None = None
    core: _kernel.PageView = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "core", _kernel.PageView(self.tree.kernel, page_rules(), DEFAULT_LIMITS)
        )

    @classmethod
    def of(cls, tree: Tree, *, url: str = "", time: datetime | None = None) -> PageView:
        """The view of a tree; `url` is the page's address, against which links are resolved, `time`
        when it was served, against which `3 hours ago` is read.
        """
        return cls(tree, url, time)

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each node; `#text`, and `#other` for what is neither element nor text."""
        names = self.core.tag_names
        return [names[number] for number in self.core.tags.tolist()]

    @cached_property
    def parents(self) -> list[int]:
        """The parent of each node; the document is its own."""
        return [0, *self.tree.parents[1:].tolist()]

    @cached_property
    def ends(self) -> list[int]:
        """One past each node's subtree."""
        ends: list[int] = self.tree.ends.tolist()
        return ends

    @cached_property
    def shown(self) -> list[bool]:
        """Whether each node is visible: an element or a text not blank, with no hidden ancestor."""
        shown: list[bool] = self.core.shown.tolist()
        return shown

    @cached_property
    def elements(self) -> list[int]:
        """The elements that make up a page by their tags: all but those whose contents no one ever
        sees; one that is hidden for now still says how a record is built.
        """
        found, skipped_until = [], 0
        for node, tag in enumerate(self.tags):
            if node < skipped_until or tag in ("#text", "#other"):
                continue
            if tag in UNSEEN:
                skipped_until = self.ends[node]
            else:
                found.append(node)
        return found

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of each node, mere formatting around blocks passed over."""
        kids, starts = self.core.kids.tolist(), self.core.kid_starts.tolist()
        return [kids[start:stop] for start, stop in pairwise(starts)]

    @cached_property
    def text_nodes(self) -> list[int]:
        """The visible texts, in document order."""
        nodes: list[int] = self.core.text_nodes.tolist()
        return nodes

    @cached_property
    def text_before(self) -> list[int]:
        """How many visible texts stand before each node, and at last how many there are."""
        counts: list[int] = self.core.text_before.tolist()
        return counts

    @cached_property
    def texts(self) -> dict[int, str]:
        """The visible texts by their nodes."""
        return dict(zip(self.text_nodes, self.core.texts(), strict=True))

    @cached_property
    def raw(self) -> dict[int, str]:
        """The texts with nothing hidden around them as they are written, blank ones too."""
        shown, parents = self.shown, self.parents
        return {
            index: self.tree[index].text
            for index, tag in enumerate(self.tags)
            if tag == "#text" and (shown[parents[index]] or not parents[index])
        }

    @cached_property
    def images(self) -> dict[int, str]:
        """The visible images that have a source."""
        return dict(self.core.images())

    @cached_property
    def classes(self) -> dict[int, tuple[str, ...]]:
        """The class words of the visible elements that have any."""
        numbers, lists = self._classes
        return {node: lists[number] for node, number in enumerate(numbers) if number}

    @cached_property
    def _classes(self) -> tuple[list[int], list[tuple[str, ...]]]:
        return self.core.class_numbers.tolist(), [tuple(words) for words in self.core.class_lists()]

    @cached_property
    def properties(self) -> dict[int, str]:
        """What visible elements say they are in `itemprop`: the first word."""
        return {
            node: words[0]
            for node, value in self.core.having("itemprop")
            if (words := value.split())
        }

    @cached_property
    def has_times(self) -> bool:
        """Whether the page has `time` elements."""
        return "time" in self.core.tag_names

    @cached_property
    def has_ratings(self) -> bool:
        """Whether a class of a visible element speaks of stars or ratings."""
        return any(says_rating(word) for words in self._classes[1] for word in words)

    @cached_property
    def links(self) -> dict[int, str]:
        """The targets of links, as far as they were asked for."""
        return {}

    @cached_property
    def base(self) -> str:
        """The address that relative ones are resolved against."""
        for node in self.tree.select("base[href]", limit=1):
            return self._join(self.url, node.attribute("href") or "")
        return self.url

    @cached_property
    def _join(self) -> Callable[[str, str], str]:
        from urllib.parse import urljoin

        return urljoin

    @cached_property
    def language(self) -> str:
        """The language the page says it has."""
        return next(
            (node.attribute("lang") or "" for node in self.tree.select(":root[lang]", limit=1)), ""
        )

    def class_words(self, index: int) -> tuple[str, ...]:
        """The class words of one node."""
        numbers, lists = self._classes
        return lists[numbers[index]]

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

    def words(self, index: int) -> str:
        """The words of a visible text."""
        return self.texts[index]

    def image(self, index: int) -> str:
        """Where an image is, resolved."""
        return self.address(self.images[index])

    def link(self, index: int) -> str:
        """Where a link leads to, resolved."""
        if index not in self.links:
            self.links[index] = self.address(Node(self.tree, index).attribute("href") or "")
        return self.links[index]

    def address(self, relative: str) -> str:
        """An address of the page, resolved where the page says against what."""
        try:
            return self._join(self.base, relative.strip())
        except ValueError:  # pages have addresses such as http://[
            return relative
