"""Simulated changes: the perfect delta is proved, and nothing changes that was not drawn."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import xml_documents
from treelace import Tree, parse
from treelace.diff import Delta
from treelace.errors import UsageError
from treelace.testing.simulate import Chances, simulate
from treelace.tree import Kind

TEXT = (
    "<!-- head --><list>\n"
    + "".join(
        f" <rec n='{n}'><name>name {n} of many</name><p>mixed <b>content {n}</b> tail</p>\n"
        " </rec>\n"
        for n in range(30)
    )
    + "</list>"
)
OLD = parse(TEXT, format="xml")


def adjacent_texts(tree: Tree) -> bool:
    for node in tree:
        kinds = [child.kind for child in node.children]
        if any(one == two == Kind.TEXT for one, two in itertools.pairwise(kinds)):
            return True
    return False


@pytest.mark.parametrize("seed", range(5))
def test_the_perfect_delta_runs_both_ways(seed: int) -> None:
    made = simulate(OLD, Chances(delete=0.05, update=0.1, insert=0.1, move=0.1), seed=seed)
    assert made.delta.apply(made.old) == made.new
    assert (~made.delta).apply(made.new) == made.old
    assert Delta.from_xml(made.delta.to_xml()) == made.delta
    assert parse(made.new.to_xml(), format="xml") == made.new
    assert not adjacent_texts(made.new)
    assert {"delete", "update", "insert", "move"} <= set(made.delta.counts)


def test_the_same_seed_gives_the_same_changes() -> None:
    one, two, other = (simulate(OLD, seed=seed) for seed in (1, 1, 2))
    assert one.new == two.new
    assert one.delta == two.delta
    assert one.new != other.new


def test_without_chances_nothing_changes() -> None:
    made = simulate(OLD, Chances(delete=0, update=0, insert=0, move=0))
    assert made.new == made.old
    assert not made.delta.counts


def test_updates_alone_are_updates() -> None:
    made = simulate(OLD, Chances(delete=0, update=0.5, insert=0, move=0), seed=3)
    assert set(made.delta.counts) == {"update"}
    assert [node.tag for node in made.new if node.kind == Kind.ELEMENT] == [
        node.tag for node in made.old if node.kind == Kind.ELEMENT
    ]


def test_no_label_is_new() -> None:
    made = simulate(OLD, Chances(insert=1.0), seed=4)
    assert {node.tag for node in made.new.elements} <= {node.tag for node in made.old.elements}


@given(
    text=xml_documents(max_nodes=14),
    seed=st.integers(0, 100),
    chance=st.sampled_from([0.1, 0.4, 1.0]),
)
def test_any_document_can_be_changed(text: str, seed: int, chance: float) -> None:
    old = parse(text, format="xml")
    made = simulate(
        old, Chances(delete=chance / 2, update=chance, insert=chance, move=chance / 2), seed=seed
    )
    assert made.delta.apply(old) == made.new


def test_pages_are_refused() -> None:
    with pytest.raises(UsageError, match="mutate"):
        simulate(parse("<p>page", format="html"))


def test_a_chance_is_a_share() -> None:
    with pytest.raises(UsageError, match="chances"):
        Chances(move=1.5)


def test_the_command_writes_three_files(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from treelace.cli import program

    (tmp_path / "list.xml").write_text(TEXT)
    done = CliRunner().invoke(
        program,
        ["simulate", str(tmp_path / "list.xml"), "-o", str(tmp_path / "out"), "--seed", "7"],
    )
    assert done.exit_code == 0, done.output
    old, new = (parse(tmp_path / "out" / name, format="xml") for name in ("old.xml", "new.xml"))
    assert Delta.from_xml((tmp_path / "out" / "perfect.delta.xml").read_bytes()).apply(old) == new
