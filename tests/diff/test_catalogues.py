"""The default diff on the example of the XyDiff paper, and on catalogues like it."""

from __future__ import annotations

from collections import Counter

import pytest

from experiments.xydiff.catalogues import FORMS, PAPER, judged, make
from treelace import diff, parse
from treelace.diff.operations import Delete, Insert, Move, Update
from treelace.diff.outputs import Change
from treelace.diff.outputs.text import text

LONG = {
    "tx123": "Thomson compact camera TX 123 with a case",
    "zy456": "Zyrcon professional reflex camera ZY 456",
    "abc": "Abacus underwater camera with a light",
}


@pytest.mark.parametrize("is_long", [False, True])
def test_the_paper_s_example_is_one_move_one_update_one_delete_one_insert(is_long: bool) -> None:
    versions = list(PAPER)
    for short, name in LONG.items():
        if is_long:
            versions = [version.replace(short, name) for version in versions]
    old, new = (parse(version, format="xml") for version in versions)
    delta = diff(old, new)
    assert sorted(type(operation).__name__ for operation in delta.operations) == [
        "Delete",
        "Insert",
        "Move",
        "Update",
    ]
    for operation in delta.operations:
        match operation:
            case Delete(place=place, xids=xids):
                assert (xids, place.parent, place.at) == ((7,), 8, 1)
            case Insert(place=place, xids=xids):
                assert (xids, place.parent, place.at) == ((20,), 14, 1)
            case Move(xids=xids, origin=origin, target=target):
                assert (xids, origin.parent, target.parent) == ((13,), 14, 8)
            case Update(xid=xid):
                assert xid == 11


@pytest.mark.parametrize("form", FORMS)
def test_products_move_and_sections_stay(form: str) -> None:
    ours: Counter[str] = Counter()
    theirs: Counter[str] = Counter()
    for seed in range(100):
        change = make(seed, form)
        ours += judged(change, "auto")
        theirs += judged(change, "buld")
    for kind in ("sections", "moves", "stayers"):
        # a section that lost all its products to another can be told by its heading only
        least = 1.0 if (kind, form) == ("sections", "element") else 0.97
        assert ours[f"{kind} right"] >= least * ours[kind]
        assert ours[f"{kind} right"] >= theirs[f"{kind} right"] - 1


def test_a_node_that_moved_out_of_what_went_leaves_no_comment() -> None:
    old, new = (parse(version.replace("zy456", LONG["zy456"]), format="xml") for version in PAPER)
    delta = diff(old, new, matcher="lace")
    assert any(isinstance(it, Delete | Insert) and it.elsewhere for it in delta.operations)
    assert "<!--" not in text(Change(delta=delta, old=old, new=new))
