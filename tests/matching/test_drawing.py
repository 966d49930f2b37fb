"""The drawing of a matching: everything in it, nothing of the pages run, and it works in a real
browser.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from treelace import match, parse
from treelace.matching import Matching
from treelace.matching.drawing import to_html

OLD = (
    "<!DOCTYPE html><title>t</title><ul id=menu><li class=a>one<li"
    " class=b>two<li>three</ul><p>gone</p>"
)
NEW = (
    "<!DOCTYPE html><title>t</title><ul id=menu><li class=b>two<li"
    " class=z>one<li>three<li>four</ul>"
)


def drawn(old: str, new: str, **options: Any) -> tuple[str, dict[str, Any]]:
    page = to_html(
        match(parse(old, format="html"), parse(new, format="html"), **options), title="x"
    )
    data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    return page, json.loads(data[1])


def test_every_node_has_a_row_and_partners_are_mutual() -> None:
    _, data = drawn(OLD, NEW)
    old, new = data["old"], data["new"]
    for side in (old, new):
        assert len({len(column) for column in side.values()}) == 1
        assert side["words"][0] == "document"
    for i, j in enumerate(old["partner"]):
        assert j < 0 or new["partner"][j] == i
    assert (
        data["counts"]["pairs"]
        == sum(j >= 0 for j in old["partner"])
        == sum(i >= 0 for i in new["partner"])
    )
    assert "ul#menu" in old["words"]
    assert "li.a" in old["words"]
    assert "“gone”" in old["words"]


def test_differences_are_counted() -> None:
    _, data = drawn(
        "<p class=a>x</p><p>y</p><div></div>", "<p class=b>x</p><div><p>y</p></div>", matcher="lace"
    )
    assert data["counts"]["changed"] >= 1
    assert data["counts"]["moved"] >= 1
    assert drawn(OLD, OLD)[1]["counts"] | {"pairs": 0} == {
        "pairs": 0,
        "removed": 0,
        "added": 0,
        "changed": 0,
        "moved": 0,
        "unsure": 0,
    }


def test_the_fewest_siblings_that_changed_their_order_have_moved() -> None:
    rows = [f"<li class=n{n}>row number {n}</li>" for n in range(9)]
    _, data = drawn(
        f"<ul>{''.join(rows)}</ul>",
        f"<ul>{''.join([rows[7], *rows[:7], rows[8]])}</ul>",
        matcher="lace",
    )
    moved = [
        words
        for words, state in zip(data["old"]["words"], data["old"]["state"], strict=True)
        if state & 4
    ]
    assert moved == ["li.n7"]


def test_what_changed_is_told() -> None:
    old, new = (
        "<p id=x class=a title=t>same</p><b id=y>one</b>",
        "<p id=x class=b lang=en>same</p><i id=y>two</i>",
    )
    _, data = drawn(old, new, matcher="lace")
    told = {data["old"]["words"][int(row)]: change for row, change in data["changes"].items()}
    assert told['p#x.a title="t"'] == "− title=“t”; class: “a” → “b”; + lang=“en”"
    assert told["b#y"] == "b → i"
    assert told["“one”"] == "“one” → “two”"


def test_another_namespace_is_told_of_elements_and_attributes() -> None:
    old = parse("<a xmlns='urn:1' xmlns:p='urn:1' p:x='1' y='2'/>", format="xml")
    new = parse("<a xmlns='urn:2' xmlns:p='urn:1' p:x='1' y='2'/>", format="xml")
    data = re.search(r'id="data">(.*?)</script>', to_html(Matching(old, new, [1], [1])), re.DOTALL)
    assert data is not None
    said = json.loads(data[1])
    assert said["changes"]["1"] == "another namespace; xmlns: “urn:1” → “urn:2”"
    assert 'p:x="1" y="2"' in said["old"]["words"][1]


@pytest.mark.parametrize(
    ("length", "shown"), [(118, "“" + "x" * 118 + "”"), (119, "“" + "x" * 118 + "…")]
)
def test_words_of_a_row_are_cut_at_120_characters(length: int, shown: str) -> None:
    page = f"<p>{'x' * length}</p>"
    assert shown in drawn(page, page)[1]["old"]["words"]


def test_a_pair_of_low_confidence_is_counted() -> None:
    old = parse("<p>one</p>")
    page = to_html(Matching(old, old, range(len(old)), range(len(old)), [0.4] * len(old)))
    assert f'"unsure":{len(old)}' in page
    page = to_html(Matching(old, old, range(len(old)), range(len(old)), [0.5] * len(old)))
    assert '"unsure":0' in page


def test_a_text_that_was_blank_is_new() -> None:
    _, data = drawn("<p> </p>", "<p>words</p>", matcher="same-path")
    words = data["new"]["words"].index("“words”")
    assert data["new"]["partner"][words] == -1
    assert data["new"]["state"][words] == 1
    assert data["counts"]["added"] == 1
    assert data["counts"]["changed"] == 0


def test_nothing_of_the_pages_can_get_out_of_its_place() -> None:
    bad = (
        "<p title='</script><script>alert(1)</script>'>&lt;/script>&lt;img src=x"
        " onerror=alert(1)><!-- </script> -->"
    )
    page, data = drawn(bad, bad)
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert any("alert(1)" in words for words in data["old"]["words"])
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=", page[: page.index('id="data"')])


def test_the_command_writes_the_page(treelace: Any, tmp_path: Path) -> None:
    (tmp_path / "old.html").write_text(OLD, encoding="utf-8")
    (tmp_path / "new.html").write_text(NEW, encoding="utf-8")
    ran = treelace("match", "old.html", "new.html", "--to", "html", "-o", "seen.html")
    assert ran.returncode == 0, ran.stderr
    page = (tmp_path / "seen.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "old.html" in page


def test_a_notebook_shows_the_drawing(chromium: Any, tmp_path: Path) -> None:
    matching = match(
        parse(OLD), parse(NEW.replace("four", 'four"></iframe><img src=x onerror=alert(1)>'))
    )
    (tmp_path / "notebook.html").write_text(
        f"<!DOCTYPE html><body>{matching._repr_html_()}", encoding="utf-8"
    )
    page = chromium.new_page()
    said: list[str] = []
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.goto((tmp_path / "notebook.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#new .row.alone").first.wait_for()
    assert int(frame.locator("#pairs").inner_text()) > 5
    assert page.locator("img").count() == 0
    assert not said
    page.close()


def large(number: int, extra: str = "") -> str:
    rows = "".join(
        f"<li class='item n{i}'><a href='/{i}'>item number {i}</a> <b>{i}.50</b></li>"
        for i in range(number)
    )
    return (
        "<!DOCTYPE"
        f" html><title>t</title><main><ul>{rows}{extra}</ul></main><footer><p>end</p></footer>"
    )


def test_a_page_of_thousands_of_nodes_works_in_a_browser(chromium: Any, tmp_path: Path) -> None:
    page_file = tmp_path / "seen.html"
    old, new = parse(large(3000)), parse(large(3000, "<li class=fresh>brand new</li>"))
    page_file.write_text(to_html(match(old, new), title="thousands"), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1200, "height": 700})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console", lambda message: wrong.append(message.text) if message.type == "error" else None
    )
    page.goto(page_file.as_uri())
    page.wait_for_selector("#new .row")
    assert page.title() == "thousands"
    assert page.locator("#added").inner_text() == "2"
    assert (
        page.locator("#new .row.alone").count() == 2
    )  # the new item and its text; what is the same is folded away
    assert page.locator("#new .row").count() < 200  # only what is in sight is drawn
    # search finds, unfolds and scrolls to it, on both sides
    page.fill("#search", "item number 2750")
    page.wait_for_selector("#old .row.pick")
    assert "item number 2750" in page.locator("#old .row.pick").inner_text()
    assert "item number 2750" in page.locator("#new .row.pick").inner_text()
    # pointing at a node lights its partner
    page.fill("#search", "")
    row = page.locator("#old .row", has_text="item number 2750").first
    row.hover()
    page.wait_for_selector("#new .row.over")
    assert "item number 2750" in page.locator("#new .row.over").inner_text()
    assert "confidence" in page.locator("#foot").inner_text()
    # lines are drawn between them
    assert page.evaluate(
        "() => { const c = document.getElementById('joins'); return"
        " c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v > 0) }"
    )
    # folding: fewer rows after a click on the triangle
    before = page.evaluate("old_side.shown.length")
    page.evaluate("old_side.pane.scrollTop = 0; draw()")
    for _ in range(10):  # a row that is drawn anew under the pointer loses the click
        page.wait_for_timeout(100)
        page.locator("#old .row .fold").first.click()
        if page.evaluate("old_side.shown.length") < before:
            break
    assert page.evaluate("old_side.shown.length") < before
    # next difference
    page.click("#next")
    page.wait_for_selector("#new .row.pick")
    assert not wrong
    page.close()


def until(page: Any, claim: str) -> None:
    """Waits for what the page says of itself (its own policy forbids the browser's way of waiting
    for an expression).
    """
    for _ in range(100):
        if page.evaluate(claim):
            return
        page.wait_for_timeout(50)
    raise AssertionError(claim)


def test_a_stranger_can_go_through_each_kind_of_difference(chromium: Any, tmp_path: Path) -> None:
    rows = [
        f"<li class='item n{n}'><a href='/{n}'>item number {n}</a> <b>{n}.50</b></li>"
        for n in range(1000)
    ]
    other = [*rows[500:510], *rows[:500], *rows[510:990]]
    other[3] = other[3].replace("<b>", "<b class=sale>")
    page_file = tmp_path / "seen.html"
    old, new = (
        parse(f"<!DOCTYPE html><title>t</title><ul>{''.join(each)}</ul>") for each in (rows, other)
    )
    page_file.write_text(
        to_html(
            match(old, new), title="t", names=("monday.html", "</h2><script>alert(1)</script>")
        ),
        encoding="utf-8",
    )
    page = chromium.new_page(viewport={"width": 1200, "height": 700})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.goto(page_file.as_uri())
    page.wait_for_selector("#new .row")
    assert page.locator("#old-name").inner_text().startswith("monday.html")
    assert "alert(1)" in page.locator("#new-name").inner_text()
    # the legend goes through one kind; what changed is told
    page.click("button[data-kind=changed]")
    page.wait_for_selector("#new .row.pick")
    assert page.locator("#foot").inner_text().startswith("1 of 1: new page")
    assert page.locator("#what").inner_text() == "+ class=“sale”"
    page.click("button[data-kind=moved]")
    until(page, "document.getElementById('foot').textContent.startsWith('1 of 10')")
    page.click("button[data-kind=removed]")
    until(page, "document.getElementById('foot').textContent.includes('old page')")
    # rows are drawn with the next frame, after the words below them
    until(page, "document.querySelector('#old .row.pick .mark')?.textContent === '−'")
    # a parent that lost children is folded on neither side
    assert page.evaluate("new_side.differs[new_side.words.indexOf('ul')]") == 1
    # scrolling one page brings the other along
    page.click("#unfold")
    page.evaluate("old_side.pane.scrollTop = new_side.pane.scrollTop = 0")
    page.hover("#old")
    page.mouse.wheel(0, 30000)
    until(page, "old_side.pane.scrollTop > 29000 && new_side.pane.scrollTop > 29000")
    apart = page.evaluate(
        "() => { const k = Math.floor(old_side.pane.scrollTop / 20) + 15, j ="
        " old_side.partner[old_side.shown[k]]; return (k * 20 - old_side.pane.scrollTop) -"
        " (new_side.place[j] * 20 - new_side.pane.scrollTop) }"
    )
    assert abs(apart) < 1
    page.uncheck("#together")
    before = page.evaluate("new_side.pane.scrollTop")
    page.hover("#old")
    page.mouse.wheel(0, -5000)
    until(page, "old_side.pane.scrollTop < 26000")
    assert page.evaluate("new_side.pane.scrollTop") == before
    assert not wrong
    page.close()
