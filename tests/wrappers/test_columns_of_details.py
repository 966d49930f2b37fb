"""Detail pages have the columns that a person would have made."""

from __future__ import annotations

from collections.abc import Sequence

import treelace as tl
from treelace import Wrapper

WORDS = "amber birch cedar dune elm fern grove heath iris juniper".split()


def card(word: str) -> str:
    return (
        f"<li class=card><a href=/p/{word}><img src=/{word}.jpg></a>"
        f"<a href=/p/{word}>The {word} lamp</a> <b>{len(word)}.20 €</b></li>"
    )


def product(number: int, related: Sequence[str], *, price: str = "") -> tl.Tree:
    word = WORDS[number]
    text = "".join(
        f"<p>Line {n} has more to say about {word}, as <em>it</em> was told to us by others.</p>"
        for n in range(2 + number % 4)
    )
    text += f"<h3>More {word}</h3><pre>{word}()\n</pre>" if number % 2 else ""
    tags = "".join(f"<a href=/t/{tag}>{tag}</a>" for tag in WORDS[: number % 3 + 1])
    return tl.parse(
        f"<title>The {word} lamp | Lamps</title><body><div class=visits><b>{number * 7 % 90}</b>"
        " people looked at this shop in the last hour</div><div><main><div class=product>"
        f"<div class=crumbs><span>The {word} lamp</span></div><h1>The {word} lamp</h1>"
        f"<p class=price>{price or f'{number + 3}.20 €'}</p>"
        f"<p>SKU: <i>{word[:2]}-{number:03}</i></p>"
        f"<div class=tags>{tags}</div><div class=about>{text}</div></div>"
        f"<section class=related><ul>{''.join(map(card, related))}</ul></section></main></div>"
    )


def pages() -> list[tl.Tree]:
    return [
        product(number, [WORDS[(number + step) % 10] for step in (2, 3, 5, 7)])
        for number in range(8)
    ]


def columns(trees: Sequence[tl.Tree]) -> dict[str, list[str | None]]:
    wrapper = Wrapper.learn(trees, kind="detail", all_columns=False)
    tables = [wrapper.apply(tree)[0] for tree in trees]
    return {
        column.name: [table.rows[0][at] for table in tables]
        for at, column in enumerate(tables[0].columns)
    }


def test_running_text_is_one_column_and_strips_copies_and_counters_are_none():
    found = columns(pages())
    assert len(found) <= 6, list(found)
    assert found["title"] == [f"The {word} lamp" for word in WORDS[:8]]
    assert all((text or "").count("Line") == 2 + n % 4 for n, text in enumerate(found["text"]))
    assert found["SKU"] == [f"{word[:2]}-{number:03}" for number, word in enumerate(WORDS[:8])]
    values = {value for texts in found.values() for value in texts}
    assert not values & {str(number * 7 % 90) for number in range(8)}, "the counter"


def test_all_columns_are_there_for_who_asks():
    wrapper = Wrapper.learn(pages(), kind="detail")
    assert len(wrapper.regions[0].columns) > 15


def test_a_number_beside_its_label_is_no_counter():
    rows = [
        tl.parse(
            f"<title>{word}</title><body><header><p>Phone <b>030 {n}4{n}</b></p></header>"
            f"<div><main><article><h1>{word}</h1><p>All about {word}</p></article></main></div>"
        )
        for n, word in enumerate(WORDS)
    ]
    assert any("030 343" in texts for texts in columns(rows).values())


def test_labels_that_differ_from_page_to_page_are_columns():
    facts = {
        0: ("Origin", "Taste"),
        1: ("Power", "Volume", "Weight"),
        2: ("Origin", "Weight"),
        3: ("Power", "Taste", "Volume"),
    }
    rows = [
        tl.parse(
            f"<title>{word}</title><body><article><h1>{word}</h1><p>Of {word}, by hand.</p><table>"
            + "".join(f"<tr><th>{it}<td>{it[:2]} {n} {word[0]}" for it in facts[n % 4])
            + "</table></article>"
        )
        for n, word in enumerate(WORDS)
    ]
    found = columns(rows)
    assert found["Volume"][3] == "Vo 3 d"
    assert found["Origin"][2] == "Or 2 c"
    assert found["Volume"][2] is None


def tags_of(number: int, count: int) -> list[str]:
    return [f"{WORDS[(number + at) % 10]} tag" for at in range(count)]


def post(number: int, *, tags: int) -> tl.Tree:
    """A post with a line of four parts, of which two say what they are, and a line of tags."""
    word = WORDS[number]
    line = (
        f"<span class=part>Posted <time>2026-03-{number + 1:02}</time></span>"
        f"<span class=part>Updated <time>2026-04-{number + 1:02}</time></span>"
        f"<span class=part><a href=/c/{WORDS[number % 3]}>{WORDS[number % 3]}</a></span>"
        f"<span class=part>{number + 2} minutes read of {word}</span>"
    )
    labels = "".join(f"<span class=tag>{tag}</span>" for tag in tags_of(number, tags))
    text = "".join(f"<p>Line {n} of the {word} letter, told by others.</p>" for n in range(tags))
    return tl.parse(
        f"<title>The {word} letter | Letters</title><body><main><h1>The {word} letter</h1>"
        f"<div class=meta>{line}</div><div class=tags>{labels}</div><div class=about>{text}</div>"
        "</main></body>"
    )


def test_a_line_that_every_page_has_is_fields_and_a_line_that_varies_is_one_column():
    found = columns([post(number, tags=3 + number % 3) for number in range(8)])
    values = list(found.values())
    assert [f"2026-03-{number + 1:02}" for number in range(8)] in values
    assert [WORDS[number % 3] for number in range(8)] in values
    assert [f"{number + 2} minutes read of {WORDS[number]}" for number in range(8)] in values
    assert [" ".join(tags_of(number, 3 + number % 3)) for number in range(8)] in values


def note(number: int, *, facts: str = "", head: str = "", text: str = "") -> tl.Tree:
    """A note with a menu, crumbs, a foot, and `facts` beside its text."""
    word = WORDS[number]
    menu = "".join(f"<li><a href=/{it}/>{it}</a></li>" for it in ("home", "notes", "about"))
    return tl.parse(
        f"<title>The {word} note</title><body><header><nav><span>Notes</span>{head}</nav></header>"
        f"<nav><ul>{menu}</ul></nav><nav><b>Home</b> » <span>The {word} note</span></nav>"
        f"<div class=content><aside>{facts}</aside><section><h1>The {word} note</h1>"
        f"{text or f'<p>A line about {word}, as it was told to us by others.</p>'}</section></div>"
    )


def facts_of(number: int) -> str:
    return (
        f"<nav><a href=/notes/>Back</a><strong>{WORDS[number % 4].title()} Smith</strong><ul>"
        f"<li><time class=ellipsis>March {number + 1}, 2026</time></li>"
        f"<li>in <a href=/c/{WORDS[number % 3]}>{WORDS[number % 3]}</a></li></ul></nav>"
    )


def test_date_author_and_category_in_a_nav_beside_the_text_are_columns_and_menus_are_none():
    found = columns([note(number, facts=facts_of(number)) for number in range(8)])
    assert found["date"] == [f"March {number + 1}, 2026" for number in range(8)]
    assert [f"{WORDS[number % 4].title()} Smith" for number in range(8)] in found.values()
    assert [WORDS[number % 3] for number in range(8)] in found.values()
    titled = [name for name, texts in found.items() if "The amber note" in texts]
    assert titled == ["title"]


def test_a_nav_of_the_head_is_a_menu_though_it_repeats_the_title():
    heads = [f"<span>The {WORDS[number]} note</span>" for number in range(8)]
    found = columns([note(number, head=heads[number]) for number in range(8)])
    assert [name for name, texts in found.items() if "The amber note" in texts] == ["title"]


def test_posts_of_code_and_posts_of_lists_have_one_title():
    """What they hold shares no label, and they stand in one element: that of the only `h1`."""
    code = "".join(f"<i class=n>run</i><i class=p>(</i><i class=m>{n}</i>" for n in range(4))
    texts = [
        f"<div class=code><pre>{code * (number % 3 + 1)}</pre></div>"
        if number % 2
        else "<h2>In short</h2><ul class=simple>"
        + "".join(f"<li><p>The {word} and {it}</p></li>" for it in WORDS[: number + 2])
        + "</ul>"
        for number, word in enumerate(WORDS)
    ]
    found = columns([note(number, text=text) for number, text in enumerate(texts)])
    assert found["title"] == [f"The {word} note" for word in WORDS]


def test_the_columns_of_a_table_inside_a_page_are_called_by_its_head():
    def options(number: int) -> str:
        rows = "".join(
            f"<tr><td>{it}_{number}</td><td>{number + at}</td></tr>"
            for at, it in enumerate(WORDS[: number + 3])
        )
        head = "<thead><tr><th>Option</th><th>Default</th></tr></thead>"
        return f"<p>All of it.</p><table>{head}<tbody>{rows}</tbody></table>"

    trees = [note(number, text=options(number)) for number in range(5)]
    inner = Wrapper.learn(trees, kind="detail", all_columns=False).apply(trees[0])[1]
    assert [column.name for column in inner.columns] == ["Option", "Default"]


def boxes(number: int) -> str:
    """A sidebar: a box of facts that icons tell apart, then boxes of links, the same everywhere."""
    facts = (
        f"<h2><span>March {number + 1}, 2026</span></h2><ul>"
        f"<li class=author><i></i><a href=/a/{WORDS[number % 4]}>{WORDS[number % 4]} Smith</a></li>"
        f"<li class=kind><i></i><a href=/k/{WORDS[number % 3]}>{WORDS[number % 3]}</a></li>"
        f"<li class=place><i></i><a href=/p/{WORDS[number % 5]}>{WORDS[number % 5]} town</a></li>"
        "</ul>"
    )
    links = [
        f"<h3>{head}</h3><ul>"
        + "".join(
            f"<li><a href=/{head}/{at}>{head} {WORDS[at % 10]}</a></li>" for at in range(most)
        )
        + "</ul>"
        for head, most in (("Recent", 5), ("Months", 14), ("Tags", 6))
    ]
    return "".join(f"<div class=box>{inner}</div>" for inner in (facts, *links))


def test_a_box_of_facts_among_the_boxes_of_a_sidebar_is_fields():
    found = columns([note(number, facts=boxes(number)) for number in range(8)])
    assert [f"March {number + 1}, 2026" for number in range(8)] in found.values()
    assert found["author"] == [f"{WORDS[number % 4]} Smith" for number in range(8)]
    assert found["kind"] == [WORDS[number % 3] for number in range(8)]
    assert found["place"] == [f"{WORDS[number % 5]} town" for number in range(8)]
