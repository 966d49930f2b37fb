"""What equality sees and what it does not (DESIGN §4), and that digests say the same."""

from __future__ import annotations

import pytest

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS


def html(text: str) -> _kernel.Tree:
    return _kernel.parse_html(text, None, None, DEFAULT_LIMITS)


def both_ways(left: _kernel.Tree, right: _kernel.Tree) -> bool:
    """Equality by comparison, which must be what the digests say."""
    compared = _kernel.equal(left, right)
    assert compared == (_kernel.digest(left, 0) == _kernel.digest(right, 0))
    assert compared == _kernel.equal(right, left)
    return compared


SEEN = [
    ("name", "<p>x</p>", "<b>x</b>"),
    ("attribute value", "<p title=a>", "<p title=b>"),
    ("attribute name", "<p title=a>", "<p class=a>"),
    ("attribute at all", "<p title=a>", "<p>"),
    ("text", "<p>x", "<p>y"),
    ("white space in text", "<p>x y", "<p>x  y"),
    ("comment", "<p><!--x-->", "<p><!--y-->"),
    ("comment against text", "<p><!--x-->", "<p>x"),
    ("order of nodes", "<p><i></i><b></b>", "<p><b></b><i></i>"),
    ("nesting", "<p><i><b></b></i>", "<p><i></i><b></b>"),
    ("namespace", "<p><svg><a></a></svg>", "<p><svg></svg><a></a>"),
    ("doctype", "<!doctype html><p>", "<p>"),
    ("doctype name", "<!doctype html><p>", "<!doctype htm><p>"),
    ("public identifier", '<!doctype html PUBLIC "x"><p>', '<!doctype html PUBLIC "y"><p>'),
    ("system identifier", '<!doctype html SYSTEM "x"><p>', '<!doctype html SYSTEM "y"><p>'),
]

NOT_SEEN = [
    ("order of attributes", "<p class=a title=b>", "<p title=b class=a>"),
    ("quotes", "<p class='a'>", '<p class="a">'),
    ("source lines and problems", "<p class=a>x", "<p\n\nclass=a title=>x".replace(" title=", "")),
    ("case of HTML names", "<P CLASS=a>", "<p class=a>"),
    ("character references", "<p>&lt;", "<p>&#60;"),
]


@pytest.mark.parametrize(("left", "right"), [it[1:] for it in SEEN], ids=[it[0] for it in SEEN])
def test_seen(left: str, right: str) -> None:
    assert not both_ways(html(left), html(right))


@pytest.mark.parametrize(("left", "right"), [it[1:] for it in NOT_SEEN], ids=[it[0] for it in NOT_SEEN])
def test_not_seen(left: str, right: str) -> None:
    assert both_ways(html(left), html(right))


def test_subtrees_are_equal_by_themselves() -> None:
    left, right = html("<ul><li class=x>a</li></ul>"), html("<p>…</p><ol><li class=x>a</li></ol>")
    items = [next(i for i in range(len(tree)) if tree.local_name(i) == "li") for tree in (left, right)]
    assert _kernel.equal_subtree(left, items[0], right, items[1])
    assert _kernel.digest(left, items[0]) == _kernel.digest(right, items[1])
    assert not _kernel.equal_subtree(left, items[0] - 1, right, items[1] - 1)


def test_digests_are_one_table() -> None:
    tree = html("<p>a<p>a")
    table = _kernel.digests(tree)
    assert table.shape == (len(tree), 16)
    assert [bytes(row) for row in table] == [_kernel.digest(tree, i) for i in range(len(tree))]


def test_digests_are_the_same_for_ever() -> None:
    assert _kernel.digest(html("<!doctype html><p class=x id=y>Grüße<!--c-->"), 0).hex() == "8a352270d31c5ecc46a02f36c89e806f"
