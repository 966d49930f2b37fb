"""How likely a page is about one thing (a product, an event, a player), and no article or list."""

from __future__ import annotations

import re
from math import exp, log
from typing import TYPE_CHECKING

from treelace.extract.records.offered_thing import offers_one_thing
from treelace.extract.records.said_thing import says_one_thing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract.page.page_view import PageView
    from treelace.extract.page.structured_data import StructuredItem
    from treelace.extract.table import Table

WEIGHTS = {
    "characters": -1.04,
    "share of prose": -0.13,
    "prose": 0.2,
    "labels": 0.82,
    "prices": 0.66,
    "one h1": 0.9,
    "p": -0.61,
    "dt": 0.46,
    "tr": 0.37,
    "time": -0.37,
    "a": -0.45,
    "best list": -1.26,
}
"""What speaks for one thing. Learnt: `python -m experiments.records.details --fit`."""

BASE = 7.95
"""The sum of a page that has nothing of all that."""

CAUTION = 1.4
"""What is taken off the sum for a page to pass for a thing, so that few articles do."""

MIN_SUM_BEFORE_UNSURE_LISTS = -0.6
"""The sum from which on a record comes before lists that are not sure."""

SAID = 0.9
"""The confidence where the page's own data calls it one thing, or it offers one thing for sale."""

MAX_CONFIDENCE = 0.94
"""No record is surer: whoever asks for lists that are nearly certain must not get one."""

HALF = 0.5
"""The confidence from which on a table is likely what a person wants."""

MIN_CONFIDENCE_BEFORE_RECORD = 0.55
"""The confidence from which on a list comes before the record of a page that looks like one thing:
lists are believed a little too readily, so that few that a person came for are missed.
"""

MIN_ROWS_OF_FILLING_LIST, MIN_SHARE_OF_FILLING_LIST = 10, 0.25
"""Rows, and share of the page's texts, from which on a list fills its page: the record stays behind
it, however unsure it is.
"""

MIN_SHARE_DESPITE_DATA = 0.65
"""Share of the page's texts from which on a sure list comes first, though the data calls the page
one thing: search results are called a product of many offers.
"""

LISTS_WITH_BUTTONS = 3
"""Lists in whose rows the button of a single thing must not stand, the surest ones."""

MAX_WITHOUT_FIELDS = 0.45
"""The confidence at most in a thing of which no price and no label says anything."""

MIN_PROSE_LENGTH = 150
"""Characters from which on a text is prose."""

MAX_LABEL_LENGTH, MAX_PRICE_LENGTH = 41, 60
"""Characters of a text that is a label with its colon, and of one that names a price."""

_MONEY = frozenset("$€£¥₹łčERUр")
"""What a text with a price has one of."""

_FIELDS = ("labels", "prices", "dt", "tr")
_PRICE = re.compile(r"[$€£¥₹] ?\d|\d ?(?:€|EUR\b|USD\b|руб|zł|Kč)")
_COUNTED = ("p", "dt", "tr", "time", "a")


def confidence(
    view: PageView, lists: Sequence[Table], said: Sequence[StructuredItem] | None = None
) -> float:
    """How likely a page is about one thing, where these are its lists, the surest first, and this
    is what the page says about itself.

    What the page's own data says, or a price and a button to buy below its heading, counts most,
    but for a list that is nearly all of the page. A list that is likely what a person wants, or
    that fills the page, comes before the record.
    """
    first_list = lists[0] if lists else None
    best_list = first_list.confidence if first_list else 0.0
    says_so = said is not None and says_one_thing(view, said)
    if says_so or offers_one_thing(view, lists[:LISTS_WITH_BUTTONS]):
        is_list = (
            first_list is not None
            and best_list >= HALF
            and _fills_page(view, first_list, MIN_SHARE_DESPITE_DATA)
        )
        if not is_list:
            return SAID
    seen = dict(zip(WEIGHTS, features(view, best_list), strict=True))
    total = BASE + sum(WEIGHTS[name] * value for name, value in seen.items())
    has_fields = any(seen[name] for name in _FIELDS)
    most = MAX_CONFIDENCE if has_fields else MAX_WITHOUT_FIELDS
    found = min(most, 1 / (1 + exp(CAUTION - total)))
    if best_list >= MIN_CONFIDENCE_BEFORE_RECORD:
        return min(found, best_list - 0.001)
    if first_list and _fills_page(view, first_list, MIN_SHARE_OF_FILLING_LIST):
        return min(found, max(0.0, best_list - 0.001))
    is_first = has_fields and total >= MIN_SUM_BEFORE_UNSURE_LISTS
    if is_first:
        return max(found, min(best_list + 0.001, MIN_CONFIDENCE_BEFORE_RECORD - 0.001))
    return found if best_list < HALF else min(found, best_list - 0.001)


def _fills_page(view: PageView, table: Table, least: float) -> bool:
    """Whether a list is long and has at least this share of the page's texts."""
    if len(table) < MIN_ROWS_OF_FILLING_LIST:
        return False
    before, ends = view.core.text_before, view.tree.ends
    held = sum(
        int(before[ends[root.index]] - before[root.index])
        for record in table.records
        for root in record
    )
    return held >= least * len(view.text_nodes)


def features(view: PageView, best_list: float) -> list[float]:
    """What a page looks like, in the order of `WEIGHTS`."""
    texts = view.core.texts()
    size = prose = labels = prices = 0
    for text in texts:
        length = len(text)
        size += length + 1
        if length >= MIN_PROSE_LENGTH:
            prose += length
        elif length <= MAX_PRICE_LENGTH:
            labels += text[-1] == ":" and 2 < length <= MAX_LABEL_LENGTH
            prices += not _MONEY.isdisjoint(text) and bool(_PRICE.search(text))
    tags, names = view.core.tags, view.core.tag_names
    counts = {
        name: int((tags == number).sum())
        for number, name in enumerate(names)
        if name in _COUNTED or name == "h1"
    }
    return [
        log(1 + size),
        prose / max(1, size),
        log(1 + prose),
        log(1 + labels),
        log(1 + prices),
        float(counts.get("h1") == 1),
        *(log(1 + counts.get(name, 0)) for name in _COUNTED),
        best_list,
    ]
