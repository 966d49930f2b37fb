"""Lists without rows: a category that is sold out, a search that finds nothing today.

Most of a list page is its rows. Without them it is like no page of its class, and the wrapper finds
nothing on it, as after a redesign. It is taken for an empty list where it is the page that it was
but for its rows: title and headings are the same, the texts of the rows are gone, the others are
there, and hardly anything has come instead. An error page has another title; a redesign shows the
rows in another way.

What one page cannot say is whether its rows are really gone, or are drawn by a script from now on.
So most lists of a class are not emptied at once without a word: a page has to say that there is
nothing (`says_so`), or other lists have rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace.classes.drift import read_tables
from treelace.classes.layout import FAMILIES, sketch_of
from treelace.errors import WrapperError
from treelace.extract.page.page_view import PageView
from treelace.wrappers.model.page_reader import reads_one_record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treelace.classes.catalogue import KnownClass
    from treelace.extract import Table
    from treelace.tree import Tree

MAX_ROW_TEXTS_LEFT = 0.2
"""Share of the texts of the rows that may still stand on the page: in a strip of what was seen."""
MIN_OTHER_TEXTS_LEFT = 0.5
"""Share of the other texts that still stand there: a pager, a count, filters go with the rows."""
MOST_NEW_CHARACTERS = 300
"""How long all the texts may be that have come instead of the rows."""
MAX_STRANGE_SHARE, FEW_STRANGE_FACTS = 0.15, 6
"""Facts of the layout of an empty list that no page of its class has: a box with a message."""

_NOTHING = re.compile(
    r"\b(?:no|none|not|nothing|empty|0|zero|keine?|nicht|nichts|leer|aucune?|pas|rien|vide|ning[uú]na?"
    r"|nenhuma?|nada|sin|sem|vac[ií][oa]|nessuna?|niente|geen|niets|ingen|inget|inga|ikke|ei|brak|nie"
    r"|ничего|нет|не|немає)\b|没有|沒有|暂无|ません|なし|없습니다",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class EmptyList:
    """A list page without rows, and whether it says in words that there is nothing."""

    tables: list[Table]
    says_so: bool


def emptied(known: KnownClass, old: Tree, new: Tree, url: str) -> EmptyList | None:
    """The `new` version of a list page as an empty list, where it is the `old` one without rows."""
    found = _without_rows(known, old, new, url)
    if found is None or not found[0][0].cells:
        return None
    before, after = found
    view = PageView.of(old)
    rows, others = set[str](), set[str]()
    spans = [(node.index, view.ends[node.index]) for row in before[0].records for node in row]
    for index, text in view.texts.items():
        is_in_row = any(start <= index < end for start, end in spans)
        (rows if is_in_row else others).add(text)
    shown = list(PageView.of(new).texts.values())
    now = set(shown)
    fresh = [text for text in shown if text not in others]
    is_same_but_for_rows = (
        _share(now, rows - others) <= MAX_ROW_TEXTS_LEFT
        and _share(now, others) >= MIN_OTHER_TEXTS_LEFT
        and sum(map(len, fresh)) <= MOST_NEW_CHARACTERS
    )
    says_so = any(_NOTHING.search(text) for text in fresh)
    return EmptyList(after, says_so) if is_same_but_for_rows else None


def is_still_empty(known: KnownClass, old: Tree, new: Tree, url: str) -> bool:
    """Whether a list page that had no rows before has none now, and nothing that a page of its
    class has not.
    """
    found = _without_rows(known, old, new, url)
    return found is not None and not found[0][0].cells and _is_of_layout(known, new)


def _without_rows(
    known: KnownClass, old: Tree, new: Tree, url: str
) -> tuple[list[Table], list[Table]] | None:
    """The tables of both versions, where the new one has no rows and the headings stay."""
    reader = known.reader
    if reader is None or not reader.regions or reads_one_record(reader):
        return None
    if not _headings(new) or _headings(old) != _headings(new):
        return None
    try:
        before, after = (read_tables(known, tree, url) for tree in (old, new))
    except WrapperError:
        return None
    return None if not before or not after or after[0].cells else (before, after)


def _headings(page: Tree) -> list[str]:
    """What the page says it is, without numbers: `Teas (12)` goes on as `Teas (0)`."""
    texts = [" ".join(node.text.split()) for node in page.select("title, h1")]
    return [re.sub(r"[0-9]+", "", text) for text in texts if text]


def _share(shown: set[str], of: Iterable[str]) -> float:
    """The share of some texts that are shown; none of none."""
    found = [text in shown for text in of]
    return sum(found) / max(1, len(found))


def _is_of_layout(known: KnownClass, page: Tree) -> bool:
    """Whether hardly a fact of a page's layout is on no page of its class."""
    import numpy as np

    examples = [dict(one.families()) for one in known.examples]
    facts = dict(sketch_of(page).families())
    strange = total = 0
    for name in FAMILIES:
        seen = np.unique(np.concatenate([one[name] for one in examples]))
        strange += int((~np.isin(facts[name], seen)).sum())
        total += len(facts[name])
    return strange <= MAX_STRANGE_SHARE * total + FEW_STRANGE_FACTS
