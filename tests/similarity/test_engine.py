"""All pairs at once: progress, stopping, bounds, and measures that only know pairs."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
import pytest

from treelace import LimitError, Limits, Tree, similarity_matrix
from treelace.similarity import cdist
from treelace.similarity.measures.path_shingles import PathShingles
from treelace.similarity.measures.tag_set import TagSet
from treelace.similarity.measures.time_warping import TimeWarping

TREES = [Tree.from_brackets("{a" + "{b}" * (i % 7) + "{c{d}}" * (i % 5) + "}") for i in range(200)]


def test_progress_ends_at_the_number_of_pairs() -> None:
    told: list[tuple[int, int]] = []
    similarity_matrix(
        TREES, "tag-weighted", progress=lambda done, total: told.append((done, total))
    )
    assert told[-1] == (200 * 201 // 2, 200 * 201 // 2)
    assert told == sorted(told)
    cdist(TREES[:3], TREES, "tag-weighted", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (600, 600)


def test_what_progress_raises_ends_the_work() -> None:
    def stop(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        similarity_matrix(TREES, "tag-weighted", progress=stop)


def test_trees_may_come_from_a_generator_and_are_not_kept() -> None:
    alive: list[int] = []

    def some() -> Iterator[Tree]:
        for tree in TREES:
            alive.append(len(tree))
            yield tree

    assert (similarity_matrix(some(), "tag-set") == similarity_matrix(TREES, "tag-set")).all()
    assert len(alive) == len(TREES)


def test_containment_has_a_direction() -> None:
    small, large = Tree.from_brackets("{a{b}}"), Tree.from_brackets("{a{b}{c}{d}}")
    matrix = similarity_matrix([small, large], PathShingles(window=1, ask="containment"))
    assert matrix.tolist() == [[1.0, 1.0], [0.5, 1.0]]


def test_a_matrix_too_large_is_refused_before_it_is_begun() -> None:
    with pytest.raises(LimitError, match="bytes of working memory"):
        similarity_matrix(TREES, "tag-set", limits=Limits(memory=1000))


def test_a_measure_that_knows_only_pairs() -> None:
    class Sizes:
        name: ClassVar[str] = "sizes"

        def similarity(self, left: Tree, right: Tree) -> float:
            return min(len(left), len(right)) / max(len(left), len(right))

    told: list[int] = []
    some = TREES[:9]
    wanted = np.array([[min(len(a), len(b)) / max(len(a), len(b)) for b in some] for a in some])
    assert (
        similarity_matrix(some, Sizes(), progress=lambda done, total: told.append(done)) == wanted
    ).all()
    assert told == list(range(1, 46))
    assert (cdist(some[:2], some, Sizes()) == wanted[:2]).all()


def test_one_slow_pair_keeps_to_the_seconds_allowed() -> None:
    """`limits.seconds` is for one page or pair; a matrix may take longer."""
    long = Tree.from_brackets("{a" + "{b}" * 400 + "}")
    assert similarity_matrix([long, long, long], TimeWarping()).tolist() == [[1.0] * 3] * 3
    assert TagSet().similarity(long, long) == 1.0


INTERRUPTED = """
import sys
from treelace import Tree, similarity_matrix
from treelace.similarity.measures.time_warping import TimeWarping
trees = [Tree.from_brackets("{a" + "{b}" * (20000 + i) + "}") for i in range(12)]
print("ready", flush=True)
try:
    similarity_matrix(trees, TimeWarping())
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_stops_in_the_middle_of_a_pair() -> None:
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)  # the matrix takes minutes; this is only to be inside it
    child.send_signal(signal.SIGINT)
    begun = time.monotonic()
    assert child.communicate(timeout=30)[0] == "stopped\n"
    assert time.monotonic() - begun < 15
