"""What a person has at hand: bytes, responses, an address by mistake, a value copied from a page, a
narrow terminal.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy.http import HtmlResponse

import treelace as tl

URL = "https://tea.example/all/"
KIND = "text/html; charset=latin-1"
MARKUP = "<ul>" + "".join(
    f"<li><h3><a href=/{n}>Thé {n}</a></h3><p>&euro;{n}.50</p><i>a cup of tea, number {n}</i></li>"
    for n in range(1, 6)
)


def like_requests(body: bytes, kind: str = KIND) -> SimpleNamespace:
    """What requests and httpx have in common."""
    return SimpleNamespace(
        status_code=200, content=body, url=URL, headers={"Content-Type": kind}, read=lambda: body
    )


def test_extract_takes_what_parse_takes(tmp_path):
    wanted = tl.extract(tl.parse(MARKUP))[0].rows
    file = tmp_path / "tea.html"
    file.write_text(MARKUP, encoding="utf-8")
    for source in (MARKUP, MARKUP.encode(), file, bytearray(MARKUP.encode())):
        assert tl.extract(source)[0].rows == wanted


def test_responses_are_read_with_their_charset_and_address():
    body = MARKUP.encode("latin-1")
    scrapy = HtmlResponse(URL, body=body, headers={"Content-Type": KIND})
    for answer in (scrapy, like_requests(body)):
        table = tl.extract(answer)[0]
        assert table.rows[0][0] == "Thé 1", answer
        assert table.cells[0][0].link == "https://tea.example/1"


def test_json_by_its_content_type_is_json():
    said = '{"teas": [1, 2]}'
    answer = like_requests(said.encode(), "application/json")
    assert tl.parse(answer) == tl.parse(said, format="json")


@pytest.mark.parametrize("address", ["https://tea.example/", " http://tea.example/a?b=c "])
def test_an_address_is_not_read_as_a_page(address):
    for call in (tl.parse, tl.extract):
        with pytest.raises(tl.UsageError, match=r"treelace\.fetch\('https?://tea"):
            call(address)
    assert callable(tl.fetch)
    assert "tea" in tl.parse("see https://tea.example/ for more").root.text


def test_a_value_from_the_page_finds_its_column():
    table = tl.extract(MARKUP)[0].named_by({"cost": "€ 3.50"})
    assert table is not None
    assert table.columns[0].name == "cost"
    assert [row[0] for row in table.rows] == [f"€{n}.50" for n in range(1, 6)]
    assert tl.extract(MARKUP)[0].named_by({"cost": "€ 9.99"}) is None


def test_a_table_fits_the_terminal_and_says_what_it_left_out():
    table = tl.extract(MARKUP)[0]
    assert table.fitted() == str(table)
    for width in (80, 40, 30, 27):
        assert max(map(len, table.fitted(width).splitlines())) <= width
    assert table.fitted(36).splitlines()[2] == "Thé 1  €1.50  a cup of tea, number 1"
    assert table.fitted(30).splitlines()[2] == "Thé 1  €1.50  a cup of tea, n…"
    assert table.fitted(20).splitlines()[-1] == "… 1 more column: description"
