"""`treelace.toml`: where a mistake stands, and where the store is."""

from __future__ import annotations

from pathlib import Path

import pytest

from treelace.errors import ParseError, UsageError
from treelace.store import settings
from treelace.store.record_kinds import quoted

START = "[site]\nurl = 'u'\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[site]", r"^treelace.toml: site.url: this field is missing \(line 1\)$"),
        (START + "x = 1", r"^treelace.toml: site.x: there is no such field \(line 3\)$"),
        ("x = 1\n" + START, r"^treelace.toml: x: there is no such field \(line 1\)$"),
        ("'x' = 1\n" + START, r"x: there is no such field \(line 1\)$"),
        (START + "[crawl]\n# delay\n delay = 'x'", r"crawl.delay: Expected .* \(line 5\)$"),
        (START + "[crawl]\ninclude = ['a', '(']", r"crawl.include\[1\]: '\(' is no .*\(line 4\)$"),
        (START + "[crawl]\nexclude = ['(']", r"crawl.exclude\[0\]: '\(' is no reg.*\(line 4\)$"),
        (START + "[crawl]\nrender = ['(']", r"crawl.render\[0\]: '\(' is no reg.*\(line 4\)$"),
        (
            START + "[[class]]\nname = 'a'\nurls = 'a'\n[[class]]\nurls = '('\nname = 'b'",
            r"class\[1\].urls: '\(' is no regular expression: .* \(line 7\)$",
        ),
        (START + "[[class]]\nurls = '('\nname = 'a'", r"class\[0\].urls: .* \(line 4\)$"),
        (START + "[store]\nworkers = -1", r"store.workers: -1 threads are too few \(line 4\)$"),
    ],
)
def test_a_mistake_is_named_with_its_field_and_line(text, says):
    with pytest.raises(ParseError, match=says):
        settings.parse(text)


def test_no_threads_and_a_page_that_is_always_rendered_are_fine():
    found = settings.parse(START + "[store]\nworkers = 0\n[crawl]\nrender = true")
    assert (found.store.workers, found.crawl.render) == (0, True)


def test_the_store_is_a_file_of_the_site_or_an_address(monkeypatch):
    def place(url: str) -> str:
        found = settings.parse(f"{START}[store]\nurl = '{url}'")
        return settings.store_place(found, Path("shop"))

    assert place("store.sqlite") == str(Path("shop/store.sqlite"))
    assert place("postgresql://db/x") == "postgresql://db/x"
    assert place("postgres://db/x") == "postgres://db/x"
    monkeypatch.setenv("TEA_STORE", "postgres://db/y")
    assert place("env:TEA_STORE") == "postgres://db/y"
    monkeypatch.setenv("TEA_STORE", "")
    with pytest.raises(UsageError, match=r"asks for the variable TEA_STORE, which is not set$"):
        place("env:TEA_STORE")


def test_any_name_can_be_quoted():
    assert quoted('a "b"') == '"a ""b"""'
