"""Patterns of the kernel against their definition in plain Python."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.oracles import pattern as oracle
from treelace import _kernel, parse
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Tree

TEXTS = ["Price:", "12", "3.50", "tea", "plum jam", "|", "Made in:", "Ulm, 1990"]
CLASSES = ["", "", " class=a", " class=b", " class='a c7'", " id=x1", " itemprop=name", " hidden"]


@st.composite
def parts(draw: st.DrawFn, depth: int = 3) -> str:
    """A piece of a page: a text, an image, or an element with a few pieces in it."""
    kind = draw(
        st.sampled_from(
            ["text", "text", "img", "div", "p", "span", "a", "b", "h1", "h2", "ul", "section"]
        )
    )
    if depth == 0 or kind == "text":
        return draw(st.sampled_from(TEXTS)) + " "
    if kind == "img":
        return (
            f"<img src={draw(st.sampled_from(['a.png', 'b.png']))}{draw(st.sampled_from(CLASSES))}>"
        )
    inner = "".join(draw(st.lists(parts(depth - 1), min_size=0, max_size=3)))
    return f"<{kind}{draw(st.sampled_from(CLASSES))}>{inner}</{kind}>"


@st.composite
def alike(draw: st.DrawFn) -> list[str]:
    """Pages that share pieces: each keeps most of a common list and has some of its own."""
    common = draw(st.lists(parts(), min_size=1, max_size=3))
    pages = []
    for _ in range(draw(st.integers(1, 4))):
        own = [piece if draw(st.integers(0, 4)) else draw(parts()) for piece in common]
        pages.append("".join(own))
    return pages


def roots(tree: Tree) -> list[int]:
    return [child.index for child in tree.document.children if child.is_element]


def outlines(htmls: list[str]) -> list[oracle.Row]:
    trees = [parse(f"<body>{html}</body>") for html in htmls]
    return [oracle.outline([tree[root] for root in roots(tree)]) for tree in trees]


@settings(max_examples=60, deadline=None)
@given(alike())
def test_the_pattern_of_several_pages_is_that_of_the_definition(htmls: list[str]) -> None:
    trees = [parse(f"<body>{html}</body>") for html in htmls]
    assume(all(len(oracle.names_inside(page)) <= 32 for page in outlines(htmls)))
    pattern, _ = _kernel.learn_pattern(
        [(tree._core, roots(tree), {}) for tree in trees], DEFAULT_LIMITS
    )
    made = [
        (depth, tag, list(keys), wrap, text, seen, fixed, list(shapes))
        for depth, tag, keys, wrap, text, seen, fixed, shapes in pattern.rows()
    ]
    assert made == oracle.learnt(outlines(htmls))


@settings(max_examples=60, deadline=None)
@given(alike(), parts())
def test_a_page_is_laid_along_a_pattern_as_the_definition_says(htmls: list[str], html: str) -> None:
    trees = [parse(f"<body>{page}</body>") for page in htmls]
    pattern, _ = _kernel.learn_pattern(
        [(tree._core, roots(tree), {}) for tree in trees], DEFAULT_LIMITS
    )
    for page in (*htmls, htmls[0] + html, html):
        tree = parse(f"<body>{page}</body>")
        root, known = oracle.pattern_of(pattern.rows(), len(trees))
        weights: dict[tuple, set] = {}
        for row in root.all():
            weights.setdefault(row.place, set()).add(float(row.weight))
        assume(
            all(len(several) == 1 for several in weights.values())
            and len(oracle.names_inside(root)) <= 32
        )
        held, filled = oracle.laid(
            root, known, len(trees), oracle.outline([tree[at] for at in roots(tree)])
        )
        nodes, rows, share, _ = pattern.align(tree._core, [roots(tree)], DEFAULT_LIMITS)[0]
        assert (
            list(
                zip(
                    nodes.tolist(),
                    [row if row != 2**32 - 1 else -1 for row in rows.tolist()],
                    strict=True,
                )
            )
            == held
        )
        assert abs(share - filled) < 1e-6


@settings(max_examples=40, deadline=None)
@given(alike(), st.data())
def test_leaves_with_different_numbers_are_never_one_row(
    htmls: list[str], data: st.DataObject
) -> None:
    trees, numbers = [parse(f"<body>{html}</body>") for html in htmls], []
    pages = outlines(htmls)
    for page in pages:
        leaves = [row for row in page.all() if row.is_leaf]
        for row in leaves:
            row.hint = data.draw(st.integers(0, 2))
        numbers.append({row.node: row.hint for row in leaves if row.hint})
    assume(all(len(oracle.names_inside(page)) <= 32 for page in pages))
    pattern, _ = _kernel.learn_pattern(
        [(tree._core, roots(tree), held) for tree, held in zip(trees, numbers, strict=True)],
        DEFAULT_LIMITS,
    )
    made = [
        (depth, tag, list(keys), wrap, text, seen, fixed, list(shapes))
        for depth, tag, keys, wrap, text, seen, fixed, shapes in pattern.rows()
    ]
    assert made == oracle.learnt(pages)
