"""On both sides of each bound that decides what a wrapper gives, refuses or reports."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

import treelace as tl
from treelace.extract import Cell, Column, Item, Table
from treelace.wrappers import Wrapper
from treelace.wrappers.apply.health import Health, check_health
from treelace.wrappers.apply.records import missed_records
from treelace.wrappers.learn.labelled_values import labelled_values
from treelace.wrappers.learn.pattern import LearntPattern, evidence_of, expected_column
from treelace.wrappers.model.form import ColumnForm, RegionForm, RowForm
from treelace.wrappers.model.page_class import learn_class
from treelace.wrappers.model.text_shapes import shape
from treelace.wrappers.repair.field_columns import OldRecord, RowVotes, take_over
from treelace.wrappers.repair.matched_records import MatchedRecords
from treelace.wrappers.repair.verdict import ColumnRepair, judge_column, judge_reread

PAGE = tl.parse(f"<ul>{''.join(f'<li>{number}' for number in range(40))}</ul>")
ITEMS = [node.index for node in PAGE.select("li")]


def cell(at: int, text: str = "tea", value: object = "read") -> Cell:
    """A cell that stands in the item of this number."""
    node = PAGE[ITEMS[at] + 1]
    return Cell(text, node, (Item("text", text, node),), value)  # type: ignore[arg-type]


def table(cells: Sequence[Cell | None], type_: str = "text") -> Table:
    rows = tuple((one,) for one in cells)
    return Table((Column("name", type_),), rows, "ul", 1.0, tuple((PAGE[at],) for at in ITEMS))


# health


def health(cells: Sequence[Cell | None], *, records: tuple[int, int] = (1, 99), **more) -> Health:
    region = RegionForm("list", "list", (ColumnForm("name", **more),), records=records)
    return check_health(lambda page: [table(cells)], region, [PAGE])


@pytest.mark.parametrize(
    ("filled", "fill", "is_fine"),
    [(10, 1.0, True), (9, 1.0, False), (6, 0.6, True), (5, 0.6, False)],
)
def test_a_column_may_be_half_as_full_as_it_was(filled: int, fill: float, is_fine: bool):
    found = health([cell(at) if at < filled else None for at in range(20)], fill=fill)
    assert found.is_fine == is_fine
    assert found.columns[0].is_fine == is_fine


@pytest.mark.parametrize(("unread", "is_fine"), [(2, True), (3, False)])
def test_a_fifth_of_the_values_may_fail_to_read(unread: int, is_fine: bool):
    found = health([cell(at, value=None if at < unread else "read") for at in range(10)])
    assert found.is_fine == is_fine


@pytest.mark.parametrize(
    ("records", "required", "is_fine"), [(5, False, True), (6, False, False), (5, True, False)]
)
def test_an_optional_column_is_missed_where_three_cells_were_expected(
    records: int, required: bool, is_fine: bool
):
    assert health([None] * records, fill=0.5, required=required).is_fine == is_fine


@pytest.mark.parametrize(("count", "is_fine"), [(2, False), (3, True), (6, True), (7, False)])
def test_the_number_of_records_stays_in_its_range(count: int, is_fine: bool):
    assert health([cell(at) for at in range(count)], records=(3, 6)).is_fine == is_fine


# the page class


def products(count: int, more: str = "") -> tl.Tree:
    rows = "".join(f"<li><h3>thing {n}</h3><b>{n}.50 €</b></li>" for n in range(count))
    return tl.parse(f"<body><p>Welcome</p><ul class=list>{rows}</ul>{more}</body>")


def test_a_page_that_is_just_alike_enough_is_read():
    wrapper = Wrapper.learn([products(6)])
    other = products(6, "<nav><a>Home</a><a>All</a></nav><footer><em>4 Quay Street</em></footer>")
    alike = wrapper.similarity(other)
    assert 0 < alike < 1

    def needing(threshold: float) -> Wrapper:
        page_class = replace(wrapper.page_class, threshold=threshold)
        return Wrapper(replace(wrapper.form, page_class=page_class))

    assert len(needing(alike).apply(other)[0].cells) == 6
    with pytest.raises(tl.WrapperError, match="another class"):
        needing(alike + 0.001).apply(other)
    assert len(needing(alike + 0.001).apply(other, force=True)[0].cells) == 6


def test_how_alike_a_page_must_be_is_learnt_from_the_pages():
    assert learn_class([products(6)]).threshold == 0.35
    assert learn_class([products(6), products(6)]).threshold == 0.5
    letter = tl.parse("<article><h1>Dear all</h1><hr><em>Yours</em></article>")
    assert learn_class([products(6), letter]).threshold == 0.2


# learning


def things(names: Sequence[str], note: str = "") -> tl.Tree:
    rows = "".join(
        f"<li class=item><h3><a href=/{name}>{name}</a></h3>"
        f"<p class=price>{len(name)}.20 €</p></li>"
        for name in names
    )
    return tl.parse(f"<body><ul class=things>{rows}</ul><p>{note}</p></body>")


@pytest.mark.parametrize(("note", "kind"), [("", "list"), ("<p>some {} words " * 20, "page")])
def test_several_pages_are_lists_only_where_the_list_is_most_of_the_page(note: str, kind: str):
    pages = [
        things([f"{word}{letter * 4}" for letter in "abcdef"], note.replace("{}", word))
        for word in ("x", "yy", "zzz")
    ]
    assert Wrapper.learn(pages).regions[0].kind == kind


@pytest.mark.parametrize(("count", "tables"), [(3, 2), (2, 1)])
def test_three_parts_alike_are_a_table_inside_a_page(count: int, tables: int):
    def page(name: str, count: int) -> tl.Tree:
        parts = "".join(f"<li><b>{name}{n}</b><i>{n} {name}</i></li>" for n in range(count))
        return tl.parse(f"<body><h1>{name}</h1><ul class=parts>{parts}</ul></body>")

    pages = [page("tea", count), page("jam", 1), page("milk", count - 1)]
    assert len(Wrapper.learn(pages, kind="detail").regions) == tables


def test_a_label_is_short_and_has_letters():
    def page(label: str) -> tl.Tree:
        return tl.parse(f"<table><tr><th>{label}<td>Assam</table>")

    assert list(labelled_values(page("x" * 40))) == ["x" * 40]
    assert not labelled_values(page("x" * 41))
    assert not labelled_values(page("x"))
    assert list(labelled_values(page("xy"))) == ["xy"]
    assert not labelled_values(page("12"))
    assert not labelled_values(page("Origin: Assam"))


def test_a_text_longer_than_a_name_is_prose():
    assert shape("x" * 40) == "a"
    assert shape("x" * 41) == "long"
    assert shape("a1" * 10) == "a9" * 6


def test_evidence_is_three_rows_of_short_texts():
    rows = evidence_of({"name": "x" * 201, "price": None} for _ in range(4))
    assert rows == ({"name": "x" * 200},) * 3


def test_a_column_is_required_where_every_record_has_it():
    assert expected_column("name", "text", ["tea", "milk"], 2).required
    some = expected_column("name", "text", ["tea", "milk"], 3)
    assert (some.required, some.fill, some.length) == (False, 0.667, 3.5)
    assert expected_column("name", "text", [], 3).fill == 0


# records that no anchor finds


@pytest.mark.parametrize(("parts", "is_found"), [(12, True), (13, False)])
def test_at_most_twelve_siblings_are_one_record(parts: int, is_found: bool):
    tree = tl.parse(f"<ul><li>1</li><li>2</li>{'<b>x</b>' * parts}<li>3</li></ul>")
    records = [[node.index] for node in tree.select("li")]
    found = missed_records(
        tree, records, 0.5, lambda candidates: [float(len(one) > 1) for one in candidates]
    )
    assert bool(found) == is_found


@pytest.mark.parametrize(("records", "is_found"), [(2, True), (1, False)])
def test_siblings_of_one_record_are_not_looked_at(records: int, is_found: bool):
    tree = tl.parse(f"<ul>{'<li>1</li>' * records}<b>x</b></ul>")
    found = missed_records(
        tree,
        [[node.index] for node in tree.select("li")],
        0.5,
        lambda candidates: [0.5] * len(candidates),
    )
    assert bool(found) == is_found


# repair


def verdict(
    cells: Sequence[Cell | None],
    before: Sequence[str | None],
    *,
    type_: str = "text",
    linked: int = 0,
) -> ColumnRepair:
    matched = MatchedRecords(
        [{} if text is None else {0: text} for text in before],
        [{0: at < linked} for at in range(len(before))],
        [[] for _ in before],
        [{} for _ in before],
    )
    origins = list(range(len(cells)))
    return judge_column(ColumnForm("name", type_), 0, matched, table(cells, type_), origins)


@pytest.mark.parametrize(("filled", "is_restored"), [(5, True), (4, False)])
def test_a_repaired_column_is_at_least_half_as_full(filled: int, is_restored: bool):
    cells = [cell(at) if at < filled else None for at in range(10)]
    assert verdict(cells, ["tea"] * 10).is_restored == is_restored


@pytest.mark.parametrize(("same", "is_restored"), [(5, True), (4, False)])
def test_half_of_a_repaired_columns_texts_reappear(same: int, is_restored: bool):
    cells = [cell(at, "tea" if at < same else "jam") for at in range(10)]
    found = verdict(cells, ["tea"] * 10)
    assert found.is_restored == is_restored
    assert any(f"{same} of 10 texts reappear" in reason for reason in found.reasons)


@pytest.mark.parametrize(("shaped", "is_restored"), [(5, True), (4, False)])
def test_half_of_a_repaired_columns_texts_have_a_known_shape(shaped: int, is_restored: bool):
    before = ["tea"] * 5 + ["jam"] * 5
    cells = [cell(at, before[at] if at < shaped else "7 - 7") for at in range(10)]
    found = verdict(cells, before)
    assert found.is_restored == is_restored


@pytest.mark.parametrize(("read", "is_restored"), [(8, True), (7, False)])
def test_four_of_five_texts_of_a_repaired_column_read_as_its_type(read: int, is_restored: bool):
    before = ["1"] * 8 + ["8"] * 2
    cells = [cell(at, "1" if at < 8 else "a", value=1 if at < read else None) for at in range(10)]
    assert verdict(cells, before, type_="number").is_restored == is_restored


@pytest.mark.parametrize(("linked", "is_restored"), [(5, True), (6, False)])
def test_half_of_a_repaired_columns_links_may_be_gone(linked: int, is_restored: bool):
    cells = [cell(at) for at in range(10)]
    assert verdict(cells, ["tea"] * 10, linked=linked).is_restored == is_restored


def test_a_column_without_a_value_before_or_now_is_left_out():
    assert verdict([cell(0)], [None]).reasons == ("the old page has no value of it",)
    assert verdict([None], ["tea"]).reasons == ("nothing on the new page was found to be it",)


@pytest.mark.parametrize(
    ("alike", "otherwise", "is_restored"), [(16, 1, True), (15, 1, False), (5, 0, True)]
)
def test_the_new_wrapper_reads_nearly_all_cells_as_the_repair_did(
    alike: int, otherwise: int, is_restored: bool
):
    names = tuple((cell(at), cell(20 + at)) for at in range(alike + otherwise))
    columns = (Column("name"), Column("other"))
    repaired = Table(columns, names, "ul", 1.0)
    wrong = [(cell(39), cell(20 + alike + at)) for at in range(otherwise)]
    again = Table(columns, (*names[:alike], *wrong), "ul", 1.0)
    before = ColumnRepair("name", True, 1.0, ())
    assert judge_reread(before, 0, repaired, again, again).is_restored == is_restored


@pytest.mark.parametrize(("alike", "is_restored"), [(8, True), (7, False)])
def test_the_pattern_reads_four_of_five_cells_without_what_is_known_of_odd_records(
    alike: int, is_restored: bool
):
    names = tuple((cell(at), cell(20 + at)) for at in range(10))
    columns = (Column("name"), Column("other"))
    repaired = Table(columns, names, "ul", 1.0)
    wrong = [(cell(39), cell(20 + at)) for at in range(alike, 10)]
    by_pattern = Table(columns, (*names[:alike], *wrong), "ul", 1.0)
    before = ColumnRepair("name", True, 1.0, ())
    assert judge_reread(before, 0, repaired, repaired, by_pattern).is_restored == is_restored


@pytest.mark.parametrize(("kept", "is_restored"), [(5, True), (4, False)])
def test_the_new_wrapper_reads_at_least_half_of_the_cells(kept: int, is_restored: bool):
    repaired = table([cell(at) for at in range(10)])
    again = table([cell(at) for at in range(kept)])
    found = judge_reread(ColumnRepair("name", True, 1.0, ()), 0, repaired, again, again)
    assert found.is_restored == is_restored
    assert found.is_read != is_restored


@pytest.mark.parametrize(("against", "column"), [(1, {3: 7}), (2, {})])
def test_four_of_five_leaves_settle_the_column_of_a_row(against: int, column: dict[int, int]):
    votes = RowVotes()
    for _ in range(4):
        votes.add(3, 7, {7})
    for _ in range(against):
        votes.add(3, None, {7})
    votes.add(3, None, {8})
    assert votes.elected() == column


@pytest.mark.parametrize(("fitting", "is_restored"), [(3, True), (2, False)])
def test_three_of_five_texts_of_a_field_look_as_they_did(fitting: int, is_restored: bool):
    region = RegionForm("main", "page", (ColumnForm("name"),))
    texts = ["jam" if at < fitting else "7 - 7" for at in range(5)]
    records = [OldRecord(PAGE, [1], {}, {0: "tea"}) for _ in texts]
    learnt = LearntPattern((RowForm(0, "#text"),), [{0: (text, 1)} for text in texts])
    _, (found,) = take_over(region, records, learnt, list(learnt.rows), {0: 0})
    assert found.is_restored == is_restored
