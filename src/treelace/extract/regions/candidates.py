"""Candidates: everything on a page that could be a list of records, for `ranking` to choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

from treelace.extract.page.html_rules import TOPICS
from treelace.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treelace import _kernel
    from treelace.extract.page.page_view import PageView

Records = tuple[tuple[int, ...], ...]

HOW = (
    "tag",
    "class",
    "class word",
    "structure",
    "head tag",
    "head class",
    "head structure",
    "separator",
)
"""How a candidate was found, by the kernel's numbers."""

_OF_TOPICS = " ".join(f"{where}_{topic}" for where in ("names", "around") for topic in TOPICS)
_ABOVE = " ".join(f"above_{topic}" for topic in TOPICS)

NAMES = tuple(
    (
        "log_count is_two is_three at_least_six share_chars share_texts log_chars spread_chars"
        " log_texts spread_texts one_text link_density full_links starts_with_link has_link"
        " log_links has_image has_heading has_digit has_price has_control close_mean close_low"
        " shape_size distinct distinct_first kinds same_tags same_class frame list_words depth"
        " starts_at ends_at roots is_several spread_roots is_joined covers_parent before_alike"
        " after_alike repeats_inside parents_like is_row is_cell is_li is_link is_heading by_class"
        " by_structure by_separator by_head gaps spread_low log_share few_words starts_with_number"
        " ends_with_stop starts_with_capital sentences commas in_main in_article in_aside in_header"
        f" in_navigation in_footer {_OF_TOPICS} heading_before heading_chars headings_inside"
        " heading_after from_title page_candidates page_texts page_text_chars page_long page_links"
        " main_start main_share has_items items_around tables_around siblings repeats_above"
        " is_numbered names_day starts_with_day one_day log_days share_days says_time"
        f" {_ABOVE}"
    ).split()
)
"""The features of a candidate, in the kernel's order: what its records are like, how their texts
read, where it stands, what is written around it, and what the page is like.
"""


class Candidate(NamedTuple):
    """Records (root nodes of each), how they were found, and whether under several parents."""

    records: Records
    how: str
    is_joined: bool


@dataclass(frozen=True, eq=False)
class Candidates(Sequence[Candidate]):
    """The candidates of a page, in the order they are found: outer parents first.

    Below each parent: clusters of its children by tag, by class, by each class word, by structure
    at three thresholds; groups that start at a head (a child whose tag, class or structure comes
    back); groups between separators (children without text). Then the same clusters and groups
    joined over all parents with the same path, and over those of them that have an ancestor in
    common near by. Then variants of each without what is unlike the rest, and without short texts
    that head groups of longer ones. Time: linear in the nodes
    for each of these, but for structure, where the distinct shapes below a parent are compared with
    at most 40 others.
    """

    core: _kernel.Candidates

    def __len__(self) -> int:
        return len(self.core)

    @overload
    def __getitem__(self, number: int) -> Candidate: ...
    @overload
    def __getitem__(self, number: slice) -> list[Candidate]: ...
    def __getitem__(self, number: int | slice) -> Candidate | list[Candidate]:
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        records = tuple(map(tuple, self.core.records(number)))
        return Candidate(records, HOW[self._how[number]], self._is_joined[number])

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """What each looks like: one row for each candidate, one column for each of `NAMES`."""
        return self.core.features()

    @cached_property
    def _how(self) -> list[int]:
        return self.core.how()

    @cached_property
    def _is_joined(self) -> list[bool]:
        return self.core.is_joined()


def candidates(view: PageView) -> Candidates:
    """The candidates of a page."""
    return Candidates(view.core.candidates(DEFAULT_LIMITS))
