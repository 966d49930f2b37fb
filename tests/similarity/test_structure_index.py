"""The structure index against brute force, through any sequence of changes, killed, damaged, and
read while it is written.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import structure_index as oracle
from tests.strategies import page_trees
from treelace import DamagedError, StoreError, Tree, UsageError, parse, similarity
from treelace.similarity import index_segments, structure_index
from treelace.similarity.index_plan import FoundPage, Plan
from treelace.similarity.measures.structure import Structure
from treelace.similarity.structure_index import StructureIndex

TEMPLATES = ("shop", "news", "forum", "wiki", "profile")


def page(template: str, number: int) -> Tree:
    """A page of a template; its number says how it differs from the others."""
    choose = random.Random(f"{template} {number}")
    rows = "".join(
        f"<li class='{template}-row r{row}'><a class={template}-link href=/{row} title=x>{row}</a>"
        + (
            f"<span class={choose.choice(['new', 'old', 'hot'])}-{template}>{row}</span>"
            if choose.random() < 0.3
            else ""
        )
        for row in range(choose.randint(1, 9))
    )
    extra = "".join(
        f"<p class=e{choose.choice('abcdefgh')}{template}><em"
        f" data-{choose.choice('xyz')}=1>text</em>"
        for _ in range(choose.randint(0, 4))
    )
    head = (
        f"<meta name={template} content=y><link rel=stylesheet href=/{template}.css><script"
        f" src=/{template}.js></script>"
    )
    body = (
        f"<div id={template}-main role={choose.choice(['main', 'list'])}><h1"
        f" class={template}-title>t</h1><ul>{rows}</ul>{extra}</div>"
    )
    return parse(f"<!doctype html><html lang=en>{head}<body class={template}>{body}")


def pages(count: int) -> Iterator[tuple[str, Tree]]:
    for number in range(count):
        template = TEMPLATES[number % len(TEMPLATES)]
        yield f"{template}/{number}", page(template, number)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pages.index"


def pairs(found: list[FoundPage]) -> list[tuple[str, float]]:
    return [(one.name, one.similarity) for one in found]


def same(found: list[FoundPage], expected: list[tuple[str, float]]) -> None:
    assert [name for name, _ in pairs(found)] == [name for name, _ in expected]
    assert np.allclose(
        [value for _, value in pairs(found)],
        [float(value) for _, value in expected],
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("one_in", [1, 8])
def test_answers_are_those_of_brute_force(path: Path, one_in: int) -> None:
    plan = Plan(one_in=one_in)
    known = {name: Structure().features(tree) for name, tree in pages(120)}
    with StructureIndex.create(path, plan=plan) as index:
        index.add_features(known.items())
        for number in range(0, 200, 7):
            asked = page(TEMPLATES[number % 5], number)
            features = Structure().features(asked)
            same(index.search(asked, limit=200), oracle.alike(known, features, plan))
            for at_least in (1.0, 0.9, 0.6):
                same(
                    index.search_containing(asked, limit=200, at_least=at_least),
                    oracle.containing(known, features, plan, at_least),
                )
            best = index.search(asked, limit=3, at_least=0.5)
            assert best == index.search(asked, limit=200)[:3]
            assert best[0].similarity == similarity(
                asked, page(*_parted(best[0].name)), measure="structure"
            )


def _parted(name: str) -> tuple[str, int]:
    template, _, number = name.partition("/")
    return template, int(number)


@settings(max_examples=25)
@given(
    st.lists(page_trees(), min_size=1, max_size=12), page_trees(), st.sampled_from([0.3, 0.8, 1.0])
)
def test_answers_are_those_of_brute_force_on_any_pages(
    tmp_path_factory: pytest.TempPathFactory, trees: list[Tree], asked: Tree, at_least: float
) -> None:
    plan = Plan(slots=6, rows=3, one_in=2)
    known = {f"page {number}": Structure().features(tree) for number, tree in enumerate(trees)}
    features = Structure().features(asked)
    with StructureIndex.create(
        tmp_path_factory.getbasetemp() / "any.index", plan=plan, replace=True
    ) as index:
        index.add_features(known.items())
        same(index.search(asked, limit=20), oracle.alike(known, features, plan))
        same(
            index.search_containing(asked, limit=20, at_least=at_least),
            oracle.containing(known, features, plan, at_least),
        )


def test_a_part_is_found_in_every_page_that_has_it(path: Path) -> None:
    part = parse("<li class='shop-row r3'><a class=shop-link href=/ title=x>", fragment=True)
    holders = {name for name, tree in pages(100) if name.startswith("shop") and tree.select("li")}
    with StructureIndex.create(path) as index:
        index.add(pages(100))
        found = index.search_containing(part, limit=100, at_least=1.0)
    assert {one.name for one in found} == holders
    assert all(one.similarity == 1.0 for one in found)


def test_equal_pages_and_empty_ones(path: Path) -> None:
    with StructureIndex.create(path) as index:
        assert index.search(page("shop", 1)) == [] == index.search_containing(page("shop", 1))
        index.add(
            [
                ("empty", Tree.from_brackets("")),
                ("one node", Tree.from_brackets("{a}")),
                ("shop", page("shop", 1)),
            ]
        )
        assert pairs(index.search(Tree.from_brackets(""), limit=1)) == [("empty", 1.0)]
        assert pairs(index.search(Tree.from_brackets("{a}"), limit=1)) == [("one node", 1.0)]
        assert pairs(index.search_containing(Tree.from_brackets("{a}"), at_least=1.0)) == [
            ("one node", 1.0)
        ]
        with pytest.raises(UsageError, match="no structure to look for"):
            index.search_containing(Tree.from_brackets(""))
        for bad in ({"limit": 0}, {"at_least": 2.0}, {"at_least": float("nan")}):
            with pytest.raises(UsageError):
                index.search(page("shop", 1), **bad)  # type: ignore[arg-type]


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "compact", "reopen"]),
        st.lists(st.integers(0, 30), min_size=1, max_size=6),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=20)
@given(CHANGES)
def test_any_sequence_of_changes_is_as_good_as_a_new_index(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, list[int]]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.index"
    path.unlink(missing_ok=True)
    index, known = StructureIndex.create(path), {}
    try:
        for step, (change, numbers) in enumerate(changes):
            if change == "add":
                # the same name may come again, with another page
                new = {
                    f"page {number}": page(TEMPLATES[number % 5], number + step)
                    for number in numbers
                }
                assert index.add(new.items()) == len(new)
                known = {name: tree for name, tree in known.items() if name not in new} | new
            elif change == "remove":
                gone = {f"page {number}" for number in numbers}
                assert index.remove(gone) == len(gone & known.keys())
                known = {name: tree for name, tree in known.items() if name not in gone}
            elif change == "compact":
                index.compact()
            else:
                index.close()
                index = StructureIndex.open(path, is_writable=True)
            assert len(index) == len(known)
        assert sorted(index.names()) == sorted(known)
        assert all(name in index for name in known) and "page 99" not in index
        features = {name: Structure().features(known[name]) for name in index.names()}
        asked = page("news", 77)
        same(
            index.search(asked, limit=50),
            oracle.alike(features, Structure().features(asked), index.plan),
        )
        same(
            index.search_containing(asked, limit=50, at_least=0.5),
            oracle.containing(features, Structure().features(asked), index.plan, 0.5),
        )
    finally:
        index.close()


def test_many_small_additions_stay_few_segments(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structure_index, "BATCH", 3)
    with StructureIndex.create(path) as index:
        index.add(pages(150))
        assert len(index._file.state["segments"]) < 3 * index_segments.SEGMENTS_PER_MERGE
        assert list(index.names()) == [name for name, _ in pages(150)]
        size = path.stat().st_size
        index.compact()
        assert len(index._file.state["segments"]) == 1 and path.stat().st_size < size
        assert list(index.names()) == [name for name, _ in pages(150)]


def test_sketches_alone_rank_by_estimate(path: Path) -> None:
    known = {name: Structure().features(tree) for name, tree in pages(60)}
    asked = page("wiki", 1000)
    with StructureIndex.create(path, keeps_features=False) as index:
        index.add_features(known.items())
        found = index.search(asked, limit=12)
        assert [one.name.split("/")[0] for one in found] == ["wiki"] * 12
        for one in found:
            assert (
                abs(
                    one.similarity
                    - similarity(asked, page(*_parted(one.name)), measure="structure")
                )
                < 0.2
            )
        assert all(
            one.similarity > 0.8 for one in index.search_containing(page("wiki", 3), limit=3)
        )
        with pytest.raises(UsageError, match="one in 8"):
            index.search_containing(parse("<b>", fragment=True))


def test_sketches_can_be_brought_from_elsewhere(path: Path, tmp_path: Path) -> None:
    known = {name: Structure().features(tree) for name, tree in pages(40)}
    from treelace import _kernel

    sketches = [_kernel.index_sketch(Plan(), features) for features in known.values()]
    slots = np.frombuffer(b"".join(one for one, _ in sketches), dtype=np.uint8).reshape(40, -1)
    samples = np.array([token for _, sample in sketches for token in sample], dtype=np.uint32)
    ends = np.cumsum([len(sample) for _, sample in sketches], dtype=np.uint64)
    with (
        StructureIndex.create(path, keeps_features=False) as index,
        StructureIndex.create(tmp_path / "b", keeps_features=False) as other,
    ):
        index.add_sketches(list(known), slots, samples, ends)
        other.add_features(known.items())
        asked = page("forum", 500)
        assert index.search(asked, limit=40) == other.search(asked, limit=40)
        assert index.search_containing(asked, at_least=0.3) == other.search_containing(
            asked, at_least=0.3
        )
        with pytest.raises(UsageError):
            index.add_sketches(["a"], slots, samples, ends)
        with pytest.raises(UsageError):
            index.add_sketches(["a", "b"], slots[:2, :5], samples, ends[:2])


WRITER = """
import sys
from pathlib import Path
from tests.similarity.test_structure_index import pages
from treelace.similarity.structure_index import StructureIndex
index = StructureIndex.open(sys.argv[1], is_writable=True)
have = len(index)
for number, (name, tree) in enumerate(pages(100_000)):
    if number >= have:
        index.add([(name, tree)])
        print(number, flush=True)
"""


def writer(path: Path) -> subprocess.Popen[str]:
    surroundings = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=surroundings,
    )


def is_whole(index: StructureIndex) -> bool:
    """Whether it holds the first so many pages, and finds the last of them."""
    count = len(index)
    if list(index.names()) != [name for name, _ in pages(count)]:
        return False
    name, tree = list(pages(count))[-1]
    return name in {one.name for one in index.search(tree, limit=100, at_least=1.0)}


def test_a_writer_that_is_killed_loses_nothing_it_had_committed(path: Path) -> None:
    StructureIndex.create(path).close()
    said = -1
    for lines in (3, 9, 14):
        process = writer(path)
        assert process.stdout is not None
        for _ in range(lines):
            said = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
        process.wait()
        said = int(rest[-1]) if rest else said
        with StructureIndex.open(path) as index:
            assert said + 1 <= len(index) <= said + 2
            assert is_whole(index)


def test_a_reader_beside_a_writer_sees_whole_states(path: Path) -> None:
    StructureIndex.create(path).close()
    process = writer(path)
    try:
        with StructureIndex.open(path) as index:
            seen = 0
            while seen < 25:
                index.refresh()
                assert len(index) >= seen
                seen = len(index)
                assert seen == 0 or is_whole(index)
            with pytest.raises(StoreError, match="another process"):
                StructureIndex.open(path, is_writable=True)
            with pytest.raises(UsageError, match="open for reading"):
                index.remove(["x"])
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "pages.index"
    with StructureIndex.create(path, plan=Plan(slots=6)) as index:
        index.add(pages(12))
        index.remove(["shop/0"])
    return path.read_bytes()


@settings(max_examples=300)
@given(st.data())
def test_damage_is_named_or_costs_nothing(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.index"
    at = data.draw(st.integers(0, len(whole) - 1))
    is_cut = data.draw(st.booleans())
    path.write_bytes(
        whole[:at]
        if is_cut
        else whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    )
    known = {name: Structure().features(tree) for name, tree in pages(12) if name != "shop/0"}
    asked = page("shop", 3)
    said = ""
    try:
        with StructureIndex.open(path) as index:
            same(
                index.search(asked, limit=20),
                oracle.alike(known, Structure().features(asked), index.plan),
            )
    except DamagedError as error:
        said = str(error)
    assert said or not is_cut
    assert not said or "damaged" in said or str(path) in said
    assert "\n" not in said


@settings(max_examples=200)
@given(st.data())
def test_damage_that_nobody_looked_for_is_no_panic(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "hostile.index"
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        changed[data.draw(st.integers(3 * 4096, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(changed)
    try:
        with StructureIndex.open(path, verify=False) as index:
            index.search(page("shop", 3), limit=20)
            index.search_containing(page("shop", 3), limit=20, at_least=0.2)
            list(index.names())
    except DamagedError:
        pass


def test_another_version_is_named(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "a.index"
    path.write_bytes(whole[:4] + b"\x07" + whole[5:])
    with pytest.raises(DamagedError, match="version 7, and this treelace reads 1: build it again"):
        StructureIndex.open(path)


def test_a_failing_source_leaves_what_was_committed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structure_index, "BATCH", 4)

    def breaks() -> Iterator[tuple[str, Tree]]:
        yield from pages(6)
        raise RuntimeError("out of pages")

    with StructureIndex.create(path) as index:
        with pytest.raises(RuntimeError):
            index.add(breaks())
        assert len(index) == 4
        index.add(pages(2))
    with StructureIndex.open(path) as index:
        assert sorted(index.names()) == sorted(name for name, _ in pages(4))
