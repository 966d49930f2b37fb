"""Box files: read, written, and refused with the place that is wrong."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.render.boxes import Box, Boxes


def test_a_file_and_back():
    text = (
        '{"viewport": [800.0, 600.0], "boxes": [[0.0, 0.0, 800.0, 50.0], null, [1.5, 2.0, 3.0,'
        " 4.0]]}"
    )
    boxes = Boxes.from_json(text)
    assert boxes.to_json() == text
    assert boxes.by_element[2] == Box(1.5, 2, 3, 4)
    tree = tl.Tree.from_brackets("{a{b}{c}}")
    assert boxes.of(tree) == {1: Box(0, 0, 800, 50), 3: Box(1.5, 2, 3, 4)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is JSON"),
        ("[" * 100_000, "is JSON"),
        ("[]", '"viewport"'),
        ('{"boxes": []}', "viewport"),
        ('{"viewport": [1, 2], "boxes": [null, [1, 2, 3]]}', "box 1"),
        ('{"viewport": [1, 2], "boxes": [[1, 2, 3, "4"]]}', "box 0"),
        ('{"viewport": [1, 2], "boxes": [[1, 2, 3, NaN]]}', "box 0"),
    ],
)
def test_what_is_no_box_file_is_named(text: str, said: str):
    with pytest.raises(tl.UsageError, match=said):
        Boxes.from_json(text)


def test_boxes_of_another_page_are_refused():
    with pytest.raises(tl.UsageError, match="with 1 elements, this one has 3"):
        Boxes.from_json('{"viewport": [1, 2], "boxes": [null]}').of(
            tl.Tree.from_brackets("{a{b}{c}}")
        )


def test_gaps():
    box = Box(0, 0, 10, 10)
    assert box.gap(Box(0, 15, 10, 10)) == Box(0, 15, 10, 10).gap(box) == 5
    assert box.gap(Box(12, 0, 10, 10)) == 2
    assert box.gap(Box(5, 5, 10, 10)) == 0
    assert box.contains(Box(0, 0, 11, 10))
    assert not box.contains(Box(0, 0, 12, 10))
