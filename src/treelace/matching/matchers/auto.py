"""auto: the matcher that fits the two versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching.matchers.document import Document
from treelace.matching.matchers.lace import Lace
from treelace.matching.matching import Matching
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Auto:
    """`document` where the versions share most of their structure, else `lace`.

    `document` goes first: it is the faster one. If it pairs less than `share` of the nodes of an
    HTML page (twice the pairs over the nodes of both), the page has been redesigned, and `lace`
    answers. XML documents always get `document`. Confidences are those of the matcher that
    answered.

    >>> from treelace.tree import parse
    >>> old, new = parse("<ul><li>tea<li>milk</ul>"), parse("<ul><li>tea<li>milk<li>jam</ul>")
    >>> Auto().match(old, new) == Document().match(old, new)
    True
    """

    name: ClassVar[str] = "auto"
    share: float = 0.5
    limits: Limits = DEFAULT_LIMITS

    def match(self, old: Tree, new: Tree) -> Matching:
        """The pairs of nodes."""
        matching = Document(limits=self.limits).match(old, new)
        is_page = old.is_html and new.is_html
        if not is_page or 2 * len(matching) >= self.share * (len(old) + len(new)):
            return matching
        return Lace(limits=self.limits).match(old, new)
