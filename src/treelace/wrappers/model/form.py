"""What a wrapper's file holds: the page class, and regions with their patterns and columns."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class RowForm(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A row of a pattern: an element or a leaf (`#text`, `img`) that the pages have in common.

    `keys` are what it is called (`#id`, `.class`, `@itemprop`; runs of digits as 0), `wrap` the
    inline elements around a leaf, `text` the text that most pages have there, `fixed` whether all
    have it, `seen` on how many pages it was, `shapes` what its texts look like.
    """

    depth: Count
    tag: Annotated[str, msgspec.Meta(min_length=1)]
    keys: tuple[str, ...] = ()
    wrap: str = ""
    text: str = ""
    seen: Count = 1
    fixed: bool = False
    shapes: tuple[str, ...] = ()
    column: str = ""


class ColumnForm(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A column: `select` is a selector written by hand (`css:…`, `xpath:…`); `anchors` are ways to
    find its cell again, the best first.

    `fill` is the share of records that have it, `shapes` what its texts look like, `length` the
    mean length of its texts.
    """

    name: str
    type: str = "text"
    required: bool = False
    fill: Share = 1.0
    length: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    shapes: tuple[str, ...] = ()
    select: str = ""
    anchors: tuple[str, ...] = ()


class RegionForm(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One table: where its records are, the pattern they are laid along, its columns, what to
    expect, a few rows as evidence.

    `kind` is `page` (the page is one record), `list` (records found by `anchors`), or `inner`
    (records that repeat inside the page's record, below row `parent` of the first region's pattern,
    called as `like` says). `tops` are the tags of a record made of several siblings. `fit` is the
    share of the usual rows that a record must have, `strays` the share that one among the records
    must have that no anchor finds (0: there are none). `paths` are places inside a record whose
    column is known (`""`: none), whatever the pattern says; `odd` has them for records that are
    built unlike the others, by how they are built. `runs` are rows (by number) that hold a list of
    values, counted off from the left.
    """

    name: str
    kind: Literal["page", "list", "inner"]
    columns: tuple[ColumnForm, ...]
    pages: Annotated[int, msgspec.Meta(ge=1, le=2**31)] = 1
    pattern: tuple[RowForm, ...] = ()
    anchors: tuple[str, ...] = ()
    tops: tuple[str, ...] = ()
    parent: int = -1
    like: str = ""
    runs: tuple[tuple[Count, ...], ...] = ()
    records: tuple[Count, Count] = (1, 1)
    fit: Share = 0.5
    strays: Share = 0.0
    paths: dict[str, str] = {}
    odd: dict[str, dict[str, str]] = {}
    confidence: Share = 1.0
    evidence: tuple[dict[str, str], ...] = ()


class ClassForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page class: a `structure` sketch (base64), and the similarity a page must reach."""

    sketch: str
    threshold: Share


class WrapperForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    treelace: Literal["wrapper"]
    version: Literal[1]
    page_class: ClassForm
    regions: tuple[RegionForm, ...]
