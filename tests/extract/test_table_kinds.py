"""Kinds of tables by their indicators."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.extract.table_kinds import KINDS, of_kind

WORDS = ["Assam", "Sencha", "Rooibos", "Oolong", "Matcha"]
LISTS = {
    "products": "<ul>"
    + "".join(f"<li><b>{w}</b> <i>€{n}.20</i></li>" for n, w in enumerate(WORDS))
    + "</ul>",
    "articles": "<div>"
    + "".join(
        f"<div><h3><a href={n}>{w}</a></h3><p>{(w + ' is a tea. ') * 8}</p></div>"
        for n, w in enumerate(WORDS)
    )
    + "</div>",
    "events": "<ul>"
    + "".join(f"<li><b>{w} tasting</b> <i>2026-11-1{n}</i></li>" for n, w in enumerate(WORDS))
    + "</ul>",
    "links": "<ul>"
    + "".join(f"<li><a href={n}>{w}</a></li>" for n, w in enumerate(WORDS))
    + "</ul>",
    "images": "<div>"
    + "".join(
        f"<figure><img src={n}.png><figcaption>{w}</figcaption></figure>"
        for n, w in enumerate(WORDS)
    )
    + "</div>",
    "tables": "<table>"
    + "".join(f"<tr><td>{w}<td>{n}0</tr>" for n, w in enumerate(WORDS))
    + "</table>",
}


@pytest.mark.parametrize("kind", LISTS)
def test_each_list_is_of_its_kind_alone(kind: str) -> None:
    table = tl.extract(tl.parse(LISTS[kind]))[0]
    assert len(table) == 5
    assert [name for name in KINDS if of_kind([table], name)] == [kind]


def test_only_finds_its_list_among_others() -> None:
    page = tl.parse("".join(LISTS.values()))
    for kind in LISTS:
        found = tl.extract(page, only=kind)
        assert found, kind
        assert all(KINDS[kind](table) for table in found)
    with pytest.raises(tl.UsageError, match="did you mean 'events'"):
        tl.extract(page, only="event")
