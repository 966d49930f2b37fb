"""Which node is which: pairs of nodes of two versions of a page.

match(old, new, matcher="…")    one call
Matcher                         what every algorithm promises
Matching                        what every algorithm gives
MATCHERS, matcher_named         the list of them, and one by its name
Costs                           what edits cost, for the edit distance

Beside it: `hints` (what `document` and `buld` may be told of a kind of documents), `neighbours`
(the trees of a collection that are near another one), `text_report` and `drawing` (a matching in
lines, and as a page, for people).
"""

from __future__ import annotations

from treelace.matching.costs import Costs
from treelace.matching.matcher import Matcher
from treelace.matching.matchers import MATCHERS, match, matcher_named
from treelace.matching.matching import Matching

__all__ = ["MATCHERS", "Costs", "Matcher", "Matching", "match", "matcher_named"]
