"""Starts of cells that are set off throughout are columns of their own; others read as one."""

from __future__ import annotations

import pytest

import treelace as tl

WORDS = "amber birch coral delta ember fjord".split()


def rows(shape: str) -> list[list[str | None]]:
    """The rows of a list of this shape: `{n}` is a number, `{w}` a word."""
    made = "".join(f"<li>{shape.format(n=n, w=word)}</li>" for n, word in enumerate(WORDS, 1))
    return tl.extract(tl.parse(f"<ul>{made}</ul>"))[0].rows


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ("<b>May {n}, 2026</b> in the house of {w}", [["May 1, 2026"], ["in the house of amber"]]),
        ("<strong>{w} v. State</strong>, 28 Dec. {n}", [["amber v. State"], [", 28 Dec. 1"]]),
        ("<a href=/{n}><b>May {n}, 2026</b> – {w} {w}</a>", [["May 1, 2026"], ["– amber amber"]]),
        (
            "May {n}, 2026 - 9:00 AM<br>{n} Main Street",
            [["May 1, 2026 - 9:00 AM"], ["1 Main Street"]],
        ),
    ],
)
def test_heads_are_columns(shape, wanted):
    first = rows(shape)[0]
    assert {*first} == {text for (text,) in wanted} and len(first) == len(wanted)


@pytest.mark.parametrize(
    "shape",
    [
        "<b>{n}00 g</b> {w} flour",
        "<b>Tea</b> and {w} is drunk in {n} places",
        "<b>{w}</b>",
        "<b>{w} house</b> .",
        "a <b>{w}</b> that stands in {n} places",
        "{w} and more<br>{n} Main Street",
    ],
)
def test_what_reads_as_one_stays_one(shape):
    assert len(rows(shape)[0]) == 1


def test_heads_of_few_cells_are_none():
    made = [
        f"<li>{f'<b>{word} house</b>' if n < 4 else word} of {n} rooms</li>"
        for n, word in enumerate(WORDS)
    ]
    assert len(tl.extract(tl.parse(f"<ul>{''.join(made)}</ul>"))[0].rows[0]) == 1
    made[4] = made[0].replace("amber", "ember")
    assert len(tl.extract(tl.parse(f"<ul>{''.join(made)}</ul>"))[0].rows[0]) == 2
