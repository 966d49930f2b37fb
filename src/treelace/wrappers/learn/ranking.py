"""Ranking: which fields of a detail page a person would want first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treelace.wrappers.learn.fields import Field
from treelace.wrappers.learn.pattern import FilledPattern

_ASIDE = re.compile(
    r"nav|menu|foot|header|breadcrumb|crumb|sidebar|aside|related|recommend|similar|also|advert"
    r"|\bads?\b|banner|promo|sponsor|comment|review|share|social|login|search|copyright|pagination"
    r"|pager|widget|toolbar|popular|latest|recent|mostview",
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
"""What speaks for a field (above 0) and against it."""


def rank_fields(
    filled: FilledPattern, fields: Sequence[Field], titles: Sequence[str]
) -> list[Field]:
    """The fields, the likeliest first, with their `score` set; `titles` are the pages' titles."""
    values = features(filled, fields, titles)
    for field, row in zip(fields, values, strict=True):
        field.score = sum(WEIGHTS[name] * value for name, value in row.items())
    return sorted(fields, key=lambda field: (-field.score, field.rows[0]))


def features(
    filled: FilledPattern, fields: Sequence[Field], titles: Sequence[str]
) -> list[dict[str, float]]:
    """For each field what is known about it, each from 0 to 1 or near it."""
    names = [_in_title(field, titles) for field in fields]
    heads = [field.rows[0] for field, share in zip(fields, names, strict=True) if share >= 0.6] or [
        field.rows[0]
        for field in fields
        if any(filled.rows[row].tag == "h1" for row in filled.above(field.rows[0])[:2])
    ]
    heads = heads[:3]
    last = max((field.rows[0] for field in fields), default=1) or 1
    first = heads[0] if heads else 0
    found = []
    for field, share in zip(fields, names, strict=True):
        row = field.rows[0]
        above = filled.above(row)
        form = filled.rows[row]
        keys = " ".join(key for at in (row, *above) for key in filled.rows[at].keys)
        found.append(
            {
                "fill": len(field.texts) / filled.count,
                "varied": field.varied if len(field.texts) > 1 else 0.3,
                "labelled": float(bool(field.label)),
                "heading": float(
                    any(filled.rows[at].tag in ("h1", "h2", "h3") for at in above[:2])
                ),
                "in title": share,
                "itemprop": float(
                    "@" in keys
                    and any(
                        key[0] == "@" for at in (row, *above[:2]) for key in filled.rows[at].keys
                    )
                ),
                "near": max((nearness(filled, row, head) for head in heads), default=0.0),
                "aside": float(
                    bool(_ASIDE.search(keys))
                    or any(filled.rows[at].tag in ("nav", "footer", "aside") for at in above)
                ),
                "link": float("a" in form.wrap.split()),
                "image": float(field.is_image),
                "constant": float(field.is_constant),
                "prose": float(field.length > 300),
                "grouped": min(field.group, 6) / 2,
                "late": abs(row - first) / last,
                "number": float(
                    sum(any(map(str.isdigit, text)) for text in field.texts.values())
                    > 0.6 * len(field.texts)
                ),
            }
        )
    return found


def _in_title(field: Field, titles: Sequence[str]) -> float:
    """Share of the records whose title has the field's text."""
    if field.is_image or field.length < 3 or field.varied < 0.5:
        return 0.0
    hits = sum(
        " ".join(text.lower().split()) in " ".join(titles[record].lower().split())
        for record, text in field.texts.items()
        if record < len(titles)
    )
    return hits / len(titles) if titles else 0.0


def nearness(filled: FilledPattern, row: int, head: int) -> float:
    """How deep the lowest row around both is, as a share of the head's depth."""
    around = set(filled.above(head)) | {head}
    meet = next((at for at in (row, *filled.above(row)) if at in around), 0)
    return filled.rows[meet].depth / max(1, filled.rows[head].depth)
