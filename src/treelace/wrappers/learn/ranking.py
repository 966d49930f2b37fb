"""Which columns of a detail page a person would want first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.wrappers.learn.fields import Shelf, Slot

_ASIDE = re.compile(
    r"nav|menu|foot|header|breadcrumb|crumb|sidebar|aside|related|recommend|similar|also|advert|\bads?\b|banner|promo|sponsor|comment|review|share|social|"
    r"login|search|copyright|pagination|pager|widget|toolbar|popular|latest|recent|mostview",
    re.IGNORECASE,
)

WEIGHTS = {
    "fill": 4.0,
    "varied": 2.0,
    "labelled": 1.2,
    "heading": 0.8,
    "in title": 2.5,
    "itemprop": 2.5,
    "near": 2.0,
    "aside": -0.5,
    "link": -0.5,
    "image": -3.0,
    "constant": -3.0,
    "prose": -1.0,
    "grouped": -0.7,
    "late": -1.0,
    "number": 0.1,
}
"""What speaks for a column and against it."""


def rank_slots(shelf: Shelf, slots: Sequence[Slot], titles: Sequence[str]) -> list[Slot]:
    """The slots, the likeliest first; `titles` are the pages' titles. Each slot's `score` is
    set.
    """
    values = features(shelf, slots, titles)
    for slot, row in zip(slots, values, strict=True):
        slot.score = sum(WEIGHTS[name] * value for name, value in row.items())
    return sorted(slots, key=lambda slot: (-slot.score, slot.rows[0]))


def features(shelf: Shelf, slots: Sequence[Slot], titles: Sequence[str]) -> list[dict[str, float]]:
    """For each slot what is known about it, each from 0 to 1 or near it."""
    names = [_in_title(slot, titles) for slot in slots]
    heads = [slot.rows[0] for slot, share in zip(slots, names, strict=True) if share >= 0.6] or [
        slot.rows[0]
        for slot in slots
        if any(shelf.rows[row].tag == "h1" for row in shelf.above(slot.rows[0])[:2])
    ]
    heads = heads[:3]
    last = max((slot.rows[0] for slot in slots), default=1) or 1
    first = heads[0] if heads else 0
    found = []
    for slot, share in zip(slots, names, strict=True):
        row = slot.rows[0]
        above = shelf.above(row)
        form = shelf.rows[row]
        keys = " ".join(key for at in (row, *above) for key in shelf.rows[at].keys)
        found.append(
            {
                "fill": len(slot.texts) / shelf.count,
                "varied": slot.varied if len(slot.texts) > 1 else 0.3,
                "labelled": float(bool(slot.label)),
                "heading": float(any(shelf.rows[at].tag in ("h1", "h2", "h3") for at in above[:2])),
                "in title": share,
                "itemprop": float(
                    "@" in keys
                    and any(
                        key[0] == "@" for at in (row, *above[:2]) for key in shelf.rows[at].keys
                    )
                ),
                "near": max((_nearness(shelf, row, head) for head in heads), default=0.0),
                "aside": float(
                    bool(_ASIDE.search(keys))
                    or any(shelf.rows[at].tag in ("nav", "footer", "aside") for at in above)
                ),
                "link": float("a" in form.wrap.split()),
                "image": float(slot.is_image),
                "constant": float(slot.is_constant),
                "prose": float(slot.length > 300),
                "grouped": min(slot.group, 6) / 2,
                "late": abs(row - first) / last,
                "number": float(
                    sum(any(map(str.isdigit, text)) for text in slot.texts.values())
                    > 0.6 * len(slot.texts)
                ),
            }
        )
    return found


def _in_title(slot: Slot, titles: Sequence[str]) -> float:
    """Share of the records whose title has the slot's text."""
    if slot.is_image or slot.length < 3 or slot.varied < 0.5:
        return 0.0
    hits = sum(
        " ".join(text.lower().split()) in " ".join(titles[record].lower().split())
        for record, text in slot.texts.items()
        if record < len(titles)
    )
    return hits / len(titles) if titles else 0.0


def _nearness(shelf: Shelf, row: int, head: int) -> float:
    """How deep the lowest row around both is, as a share of the head's depth."""
    around = set(shelf.above(head)) | {head}
    meet = next((at for at in (row, *shelf.above(row)) if at in around), 0)
    return shelf.rows[meet].depth / max(1, shelf.rows[head].depth)
