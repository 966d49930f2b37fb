"""Repair: columns re-anchored after a redesign, or left out and named."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.wrappers import Wrapper

THINGS = [
    ("green tea", "3.20 €", "Leaves from the hills"),
    ("whole milk", "1.10 €", "From the valley"),
    ("plum jam", "2.75 €", "Made last autumn"),
    ("sea salt", "0.40 €", "Coarse and grey"),
    ("brown rice", "5.15 €", "Long grain, unpolished"),
]


def before(things: list[tuple[str, str, str]] = THINGS) -> tl.Tree:
    rows = "".join(
        f"<li class=item><h3>{name}</h3><b class=price>{price}</b><p>{about}</p></li>"
        for name, price, about in things
    )
    return tl.parse(
        "<body><div id=menu><a href=/>Home</a> <a href=/x>All</a></div><ul"
        f" class=things>{rows}</ul><p>Imprint</p></body>"
    )


def after(things: list[tuple[str, str, str]], *, price: str = "<em class=c1>{}</em>") -> tl.Tree:
    rows = "".join(
        f"<article class=q7><h2>{name}</h2>{price.format(cost)}<div class=z>{about}</div></article>"
        for name, cost, about in things
    )
    return tl.parse(
        "<body><nav><a href=/>Home</a> <a href=/x>All</a></nav><section"
        f" class=b3>{rows}</section><p>Imprint</p></body>"
    )


CHANGED = [
    (name, price.translate(str.maketrans("0123456789", "5678901234")), about)
    for name, price, about in THINGS
]


def texts(table: tl.Table) -> list[dict[str, str]]:
    return [
        {column.name: cell.text for column, cell in zip(table.columns, row, strict=True) if cell}
        for row in table.cells
    ]


def test_a_redesign_with_other_prices_is_repaired_whole():
    old = before()
    wrapper = Wrapper.learn([old])
    names = [column.name for column in wrapper.regions[0].columns]
    repair = wrapper.repair(old, after(CHANGED))
    assert repair.wrapper is not None
    assert set(repair.restored) == set(names)
    rows = texts(repair.wrapper.apply(after(CHANGED))[0])
    assert [sorted(row.values()) for row in rows] == [sorted(thing) for thing in CHANGED]
    assert texts(repair.table) == rows  # type: ignore[arg-type]


def test_all_siblings_are_found_also_new_ones():
    old = before()
    repair = Wrapper.learn([old]).repair(
        old,
        after(
            [
                *CHANGED,
                ("new honey", "9.99 €", "Just came in"),
                ("dark bread", "4.44 €", "Baked today"),
            ]
        ),
    )
    assert repair.wrapper is not None
    assert repair.new_records == 7
    assert len(repair.wrapper.apply(after(CHANGED[:2]), force=True)[0].cells) == 2


def test_a_column_that_is_gone_is_left_out_and_named():
    old = before()
    repair = Wrapper.learn([old]).repair(old, after(CHANGED, price=""))
    assert repair.wrapper is not None
    assert repair.left_out == ("price",)
    assert "price" not in [column.name for column in repair.wrapper.regions[0].columns]
    assert "nothing on the new page" in str(repair)


def test_another_page_altogether_proves_nothing():
    old = before()
    letter = tl.parse("<body><h1>Dear all</h1><p>We are closed.</p></body>")
    repair = Wrapper.learn([old]).repair(old, letter)
    assert repair.wrapper is None
    assert repair.restored == ()


@pytest.mark.parametrize(("found", "is_enough"), [(2, True), (1, False)])
def test_two_of_five_records_must_be_found_again(found: int, is_enough: bool):
    old = before()
    repair = Wrapper.learn([old]).repair(old, after(CHANGED[:found]))
    assert (repair.wrapper is not None) == is_enough
    assert (f"only {found} of 5 records were found" in str(repair)) != is_enough


def test_evidence_rows_alone_are_enough_where_texts_reappear():
    repair = Wrapper.learn([before()]).repair(None, after(CHANGED))
    assert repair.wrapper is not None
    rows = texts(repair.wrapper.apply(after(CHANGED))[0])
    assert len(rows) == 5
    assert {"green tea", "8.75 €"} <= set(rows[0].values())


def test_without_any_evidence_it_says_so():
    wrapper = Wrapper.learn([before()])
    with pytest.raises(tl.WrapperError, match="evidence"):
        wrapper.repair(None, tl.parse("<p>nothing here</p>"))
    with pytest.raises(tl.WrapperError, match="old page"):
        wrapper.repair(tl.parse("<p>nothing here</p>"), after(CHANGED))


def product(name: str, price: str, *, is_new: bool = False) -> tl.Tree:
    if is_new:
        return tl.parse(
            f"<body><main><h2 class=k>{name}</h2><dl><dt>Price:</dt><dd>{price}</dd><dt>Made"
            " in:</dt><dd>Ulm</dd></dl></main></body>"
        )
    return tl.parse(
        "<body><div"
        f" id=m><h1>{name}</h1><table><tr><td>Price:</td><td>{price}</td></tr><tr><td>Made"
        " in:</td><td>Ulm</td></tr></table></div></body>"
    )


def test_a_detail_wrapper_is_repaired_from_one_page():
    pages = [
        product("Big kettle", "39.90 €"),
        product("Small pot", "19.90 €"),
        product("Blue jug", "9.90 €"),
    ]
    wrapper = Wrapper.learn(pages)
    repair = wrapper.repair(pages[0], product("Big kettle", "41.50 €", is_new=True))
    assert repair.wrapper is not None
    table = repair.wrapper.apply(product("Old cup", "4.10 €", is_new=True))[0]
    row = texts(table)[0]
    assert row["title"] == "Old cup"
    assert row["Price"] == "4.10 €"


def damaged() -> tl.Tree:
    """The new design with four records that are built unlike the others: another class, a box
    around it, fields swapped, no element of its own.
    """
    rows = [
        f"<article class=q7><h2>{name}</h2><em class=c1>{cost}</em><div"
        f" class=z>{about}</div></article>"
        for name, cost, about in CHANGED * 3
    ]
    rows[2] = rows[2].replace("q7", "odd")
    rows[4] = f"<div>{rows[4]}</div>"
    name, cost, about = CHANGED[1]
    rows[6] = (
        f"<article class=q7><div class=z>{about}</div><h2>{name}</h2><em"
        f" class=c1>{cost}</em></article>"
    )
    rows[8] = rows[8].removeprefix("<article class=q7>").removesuffix("</article>")
    return tl.parse(
        "<body><nav><a href=/>Home</a> <a href=/x>All</a></nav><section"
        f" class=b3>{''.join(rows)}</section><p>Imprint</p></body>"
    )


def test_the_wrapper_left_behind_reads_what_the_repair_read():
    old = before(THINGS * 3)
    repair = Wrapper.learn([old]).repair(old, damaged())
    assert repair.wrapper is not None
    assert repair.table is not None
    again = repair.wrapper.apply(damaged(), force=True)[0]
    assert texts(again) == texts(repair.table)
    assert [sorted(row.values()) for row in texts(again)] == [
        sorted(thing) for thing in CHANGED * 3
    ]


def test_it_reads_tomorrow_s_page_of_the_same_design():
    old = before(THINGS * 3)
    repair = Wrapper.learn([old]).repair(old, damaged())
    assert repair.wrapper is not None
    things = [
        ("grey bread", "7.70 €", "Baked twice"),
        ("blue cheese", "6.10 €", "From a cave"),
        ("red wine", "8.80 €", "Grown on slate"),
    ]
    rows = texts(repair.wrapper.apply(after(things), force=True)[0])
    assert [sorted(row.values()) for row in rows] == [sorted(thing) for thing in things]


def film(name: str, year: str, cast: list[tuple[str, str]], *, is_new: bool = False) -> tl.Tree:
    if is_new:
        rows = "".join(f"<li class=x9><i>{who}</i><s>{role}</s></li>" for who, role in cast)
        return tl.parse(
            f"<body><main><h2 class=k>{name}</h2><p>Year:</p><p class=y>{year}</p><ol"
            f" class=c3>{rows}</ol></main></body>"
        )
    rows = "".join(f"<li class=actor><b>{who}</b><em>{role}</em></li>" for who, role in cast)
    return tl.parse(
        f"<body><div id=m><h1>{name}</h1><div>Year:</div><div class=year>{year}</div><ul"
        f" class=cast>{rows}</ul></div></body>"
    )


FILMS = [
    (
        "Big kettle",
        "1990",
        [
            ("Ann Lee", "the cook"),
            ("Bob Roe", "his brother"),
            ("Cay Poe", "a guest"),
            ("Dan Doe", "the waiter"),
        ],
    ),
    (
        "Small pot",
        "1991",
        [("Eve May", "a thief"), ("Fay Rae", "the judge"), ("Gus Gee", "an old man")],
    ),
    (
        "Blue jug",
        "1992",
        [
            ("Hal Ham", "the pilot"),
            ("Ida Ide", "her aunt"),
            ("Joe Jay", "the boy"),
            ("Kay Kee", "a nurse"),
            ("Leo Low", "a king"),
        ],
    ),
]


def test_a_table_inside_detail_pages_is_repaired_too():
    pages = [film(*one) for one in FILMS]
    wrapper = Wrapper.learn(pages, kind="detail")
    assert len(wrapper.regions) == 2
    repair = wrapper.repair(
        pages[:2], [film(name, "2" + year[1:], cast, is_new=True) for name, year, cast in FILMS[:2]]
    )
    assert repair.wrapper is not None
    assert set(repair.left_out) == {"actor 9", "actor 10"}, str(
        repair
    )  # the two pages have no fifth actor
    main, cast = repair.wrapper.apply(film(*FILMS[2], is_new=True), force=True)
    assert {"Blue jug", "1992"} <= set(texts(main)[0].values())
    assert [tuple(row.values()) for row in texts(cast)] == FILMS[2][2]


@pytest.mark.parametrize(("actors", "is_enough"), [(2, True), (1, False)])
def test_two_records_of_a_table_inside_must_be_found_again(actors: int, is_enough: bool):
    pages = [film(*one) for one in FILMS]
    name, year, cast = FILMS[0]
    repair = Wrapper.learn(pages, kind="detail").repair(
        film(name, year, cast[:actors]), film(name, year, cast[:actors], is_new=True)
    )
    assert repair.wrapper is not None
    assert (len(repair.wrapper.regions) == 2) == is_enough, str(repair)


def test_as_many_old_pages_as_new_ones_are_needed():
    wrapper = Wrapper.learn([film(*one) for one in FILMS], kind="detail")
    with pytest.raises(tl.UsageError, match="1 old and 2 new"):
        wrapper.repair([film(*FILMS[0])], [film(*one, is_new=True) for one in FILMS[:2]])


def test_two_columns_that_could_be_the_same_one_are_left_out_without_the_old_page():
    def page(tag: str, klass: str) -> tl.Tree:
        rows = "".join(
            f"<{tag} class={klass}><h3>{name}</h3><b>{number * 7}</b><i>{number * 7}</i></{tag}>"
            for number, (name, _, _) in enumerate(THINGS, start=11)
        )
        return tl.parse(f"<body><p>Things</p><div>{rows}</div></body>")

    repair = Wrapper.learn([page("section", "item")]).repair(None, page("article", "q7"))
    assert repair.wrapper is not None
    assert "title" in repair.restored
    assert repair.left_out == ("number", "number 2")
    assert "2 columns of the new page could be it" in str(repair)


def test_every_column_has_a_reason():
    old = before()
    for repair in (
        Wrapper.learn([old]).repair(old, after(CHANGED)),
        Wrapper.learn([old]).repair(None, after(CHANGED)),
    ):
        assert len(repair.columns) == 3
        assert all(column.reasons for column in repair.columns)
        assert all(
            "the new wrapper reads 5 of 5" in " ".join(column.reasons) for column in repair.columns
        )


def test_what_every_record_has_after_the_redesign_is_required():
    """And what some lack is not: so the next change of design is noticed, and no gap is one."""
    old = before()
    gap = [CHANGED[0], (CHANGED[1][0], CHANGED[1][1], ""), *CHANGED[2:]]
    for things, fills in ((CHANGED, {1.0}), (gap, {1.0, 0.8})):
        repair = Wrapper.learn([old]).repair(old, after(things))
        assert repair.wrapper is not None
        columns = repair.wrapper.regions[0].columns
        assert {column.fill for column in columns} == fills
        assert all(column.required == (column.fill == 1) for column in columns)


@pytest.mark.parametrize("is_told_again", [True, False])
def test_a_link_may_go_where_the_texts_stay(is_told_again: bool):
    def page(tag: str, link: str, year: int) -> tl.Tree:
        rows = "".join(
            f"<{tag} class=x{tag}><h3>{name}</h3><span class=w>"
            f"{link.format(at)}{year}-03-{at + 11}{'</a>' * bool(link)}</span></{tag}>"
            for at, (name, _, _) in enumerate(THINGS)
        )
        return tl.parse(f"<body><p>Home</p><div class={tag}s>{rows}</div><p>Imprint</p></body>")

    old = page("li", "<a href=/days/{}>", 2026)
    new = page("article", "", 2026 if is_told_again else 2031)
    repair = Wrapper.learn([old]).repair(old, new)
    dates = [column for column in repair.columns if "date" in column.name]
    assert [column.is_restored for column in dates] == [is_told_again]
