"""Cells are views of what the kernel read: made as far as someone looks, and equal to cells that
were made at once.
"""

from __future__ import annotations

import pickle
from importlib import import_module

import pytest

import treelace as tl
from treelace.extract import Cell, Item
from treelace.extract.cells.cell import Grid, ReadCells
from treelace.extract.types.inference import column_values

PAGE = "<base href=https://shop.example/a/><ul>" + "".join(
    f"<li><a href=p{n}><img src={n}.png></a><h3><a href=p{n}>Tea <b>{n}</b></a></h3><p>{n}.20 €</p>"
    for n in range(5)
)


def table() -> tl.Table:
    return tl.extract(tl.parse(PAGE))[0]


def made_at_once(cell: Cell) -> Cell:
    return Cell(
        cell.text,
        cell.node,
        tuple(Item(item.kind, item.text, item.node) for item in cell.items),
        cell.value,
    )


def test_a_read_cell_is_what_a_made_one_is() -> None:
    for row in table().cells:
        for cell in row:
            assert cell is not None
            other = made_at_once(cell)
            assert cell == other
            assert hash(cell) == hash(other)
            assert repr(cell) == repr(other)
            assert cell.link == other.link
            assert pickle.loads(pickle.dumps(cell)) == cell


def test_cells_that_differ_in_one_part_are_not_equal() -> None:
    cell = table().cells[0][1]
    assert cell is not None
    assert cell != Cell(cell.text + "!", cell.node, cell.items, cell.value)
    assert cell != Cell(cell.text, cell.node, (), cell.value)
    assert cell != cell.with_value(1)
    assert cell.with_value(1).items == cell.items
    assert cell.with_value(1).node == cell.node
    assert cell != cell.text


def test_cells_cannot_be_changed() -> None:
    cell = table().cells[0][0]
    with pytest.raises(AttributeError):
        cell.text = "other"  # type: ignore[misc, union-attr]


def test_texts_are_read_without_making_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise AssertionError("a cell was made")

    for name in ("rows", "items", "node", "value"):
        monkeypatch.setattr(ReadCells, name, fails)
    found = table()
    assert isinstance(found.cells, Grid)
    assert found.rows[1] == ["Tea 1", "1.20 €", "https://shop.example/a/1.png"]
    assert [column.type for column in found.columns] == ["text", "price", "image"]


def test_texts_and_cells_say_the_same() -> None:
    found = table()
    texts = found.rows
    assert texts == [[None if cell is None else cell.text for cell in row] for row in found.cells]
    assert found.rows == texts


def test_values_are_found_for_a_column_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(texts: list[str], kind: str, **options: object) -> object:
        asked.append(kind)
        return column_values(texts, kind, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(import_module("treelace.extract.table_parts"), "column_values", counted)
    cells = [row[1] for row in table().cells]
    prices = [cell.value.amount for cell in cells if cell is not None]  # type: ignore[union-attr]
    assert list(map(str, prices)) == ["0.20", "1.20", "2.20", "3.20", "4.20"]
    assert asked == ["price"]


def test_a_link_is_known_without_the_items() -> None:
    cells = [row[0] for row in table().cells]
    assert [cell.link for cell in cells if cell is not None] == [
        f"https://shop.example/a/p{n}" for n in range(5)
    ]


def test_tags_that_stand_side_by_side_are_words_of_their_own():
    page = tl.parse(
        "<ul><li><h3><a href=/1>On tea</a></h3><p><a href=/t/cups>cups</a><a href=/t/pots>pots</a>"
        "</p><li><h3><a href=/2>On jam</a></h3><p><a href=/t/fruit>fr<b>uit</b></a>"
        "<a href=/t/jars>jars</a></p><li><h3><a href=/3>On bread</a></h3><p><a href=/t/f>flour</a>"
        "</p></ul>"
    )
    assert [row[1] for row in tl.extract(page)[0].rows] == ["cups pots", "fruit jars", "flour"]
