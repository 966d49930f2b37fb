"""A class is repaired from the pages that can be compared, and not from one page alone."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.classes.repair import MAX_PAIRS_LOOKED_AT, repair
from treelace.wrappers import Wrapper

WORDS = (
    "amber birch cedar dune elm fern grove heath iris juniper kelp larch moss nettle oak".split()
)


def shelf(number: int, count: int, tag: str = "li") -> tl.Tree:
    rows = "".join(
        f"<{tag} class=k{tag}><h3><a href=/{word}{number}>Tea of {word} {'abcdefghij'[number]}</a>"
        f"</h3><span>{word} garden</span></{tag}>"
        for word in WORDS[:count]
    )
    return tl.parse(f"<body><p>Home</p><div class=f{tag}>{rows}</div><p>Imprint</p></body>")


@pytest.mark.parametrize(("small", "is_repaired"), [(3, True), (2, True), (1, False)])
def test_lists_that_are_cut_into_pages_now_are_repaired_from_those_that_are_not(small, is_repaired):
    """Long lists show three of fifteen rows now; some short ones show all they did."""
    long = [(shelf(at, 15), shelf(at, 3, "article")) for at in range(MAX_PAIRS_LOOKED_AT - small)]
    short = [(shelf(at, 6), shelf(at, 6, "article")) for at in range(small)]
    wrapper = Wrapper.learn([shelf(0, 15)], kind="list")
    found = repair("teas", wrapper, [*long, *short], [new for _, new in (*long, *short)])
    assert (found.wrapper is not None) is is_repaired
    if found.wrapper is not None:
        assert "title" in found.restored
        assert len(found.wrapper.apply(shelf(9, 4, "article"), force=True)[0].cells) == 4
