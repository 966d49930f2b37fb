"""Tables are made when someone looks at them, and are the same as if they had been made at once."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import pytest

import treelace as tl
from treelace.extract.cells.lazy_tuple import LazyTuple
from treelace.extract.columns.alignment import Slots
from treelace.extract.page.page_view import PageView

PAGE = (
    "<nav><a>Home</a> <a>Shop</a></nav><ul>"
    + "".join(f"<li><h3>Tea {n}</h3><p>{n}.20</p>" for n in range(5))
    + "</ul>"
)


def test_it_is_made_once_and_only_when_it_is_looked_at() -> None:
    made: list[int] = []

    def make() -> list[int]:
        made.append(1)
        return [3, 4, 5]

    numbers = LazyTuple(make, size=3)
    assert len(numbers) == 3
    assert made == []
    assert (numbers[0], numbers[-1], numbers[1:], list(numbers), 4 in numbers) == (
        3,
        5,
        (4, 5),
        [3, 4, 5],
        True,
    )
    assert made == [1]


def test_it_is_equal_to_its_tuple() -> None:
    numbers = LazyTuple(lambda: [1, 2])
    assert numbers == (1, 2)
    assert numbers == LazyTuple(lambda: (1, 2))
    assert numbers != (1, 3)
    assert numbers != [1, 2]
    assert hash(numbers) == hash((1, 2))
    assert repr(numbers) == "(1, 2)"
    assert pickle.loads(pickle.dumps(numbers)) == (1, 2)


def test_tables_are_equal_before_and_after_a_look() -> None:
    tree = tl.parse(PAGE)
    table, other = tl.extract(tree)[0], tl.extract(tree)[0]
    assert [column.name for column in table.columns] == ["title", "number"]
    assert table == other
    assert hash(table.columns) == hash(other.columns)


@pytest.mark.parametrize(
    "look", [lambda table: table.rows, lambda table: table.to_json(), repr, str]
)
def test_tables_that_no_one_looks_at_are_not_lined_up(
    look: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from treelace.extract.columns import alignment

    lined: list[int] = []
    inner = alignment.slots

    def counted(view: PageView, records: Sequence[tuple[int, ...]]) -> Slots:
        lined.append(len(records))
        return inner(view, records)

    monkeypatch.setattr(alignment, "slots", counted)
    tables = tl.extract(tl.parse(PAGE))
    assert len(tables) > 1
    assert lined == []
    look(tables[0])  # type: ignore[operator]
    assert lined == [5]
