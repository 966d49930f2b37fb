"""Node ids of a version: equal when all numbers and the next free one are."""

from __future__ import annotations

import numpy as np
import pytest

from treelace import Tree
from treelace.diff.xids import Xids


def test_ids_are_equal_with_the_same_numbers_and_the_same_next():
    first = Xids.first(Tree.from_brackets("{a{b}{c}}"))
    assert (first.of.tolist(), first.next, len(first)) == ([0, 3, 1, 2], 4, 4)
    same = Xids(np.array([0, 3, 1, 2], dtype=np.uint64), 4)
    assert first == same
    assert hash(first) == hash(same)
    assert first != Xids(same.of, 5)
    assert first != Xids(np.array([0, 3, 2, 1], dtype=np.uint64), 4)
    assert first != "0 3 1 2"


def test_a_node_is_found_by_its_id():
    ids = Xids.first(Tree.from_brackets("{a{b}{c}}"))
    assert [ids.index(xid) for xid in range(4)] == [0, 2, 3, 1]
    with pytest.raises(KeyError):
        ids.index(4)
