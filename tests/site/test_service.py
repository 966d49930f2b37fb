"""`Site` is the service: the verbs of the command line are its methods, and each answers with a
frozen value that prints well.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import FrozenInstanceError, is_dataclass
from datetime import timedelta
from pathlib import Path

import click
import pytest

from tests.store.conftest import START, URL, fetched
from tests.store.test_records import MONDAY, SETTINGS, TUESDAY
from treelace.cli import program
from treelace.errors import UsageError
from treelace.site import Site, write_records
from treelace.site.listings import Listing

VERBS = (
    "check crawl replay import_ pages log show propose repairable accept reject rename merge"
    " split relearn columns records rebuild history compare sql subscribe try_rule alerts mute"
    " unmute ack"
    " remove deliver watch repair verify gc forget export"
).split()
SITE_COMMANDS = (
    "check import pages log history records sql show gc forget export verify crawl classes repair"
    " subscribe alerts watch"
).split()


@pytest.fixture
def shop(tmp_path: Path) -> Site:
    Site.create(tmp_path / "site", URL).close()
    path = tmp_path / "site" / "treelace.toml"
    path.write_text(path.read_text() + SETTINGS)
    site = Site(tmp_path / "site")
    site.add_pages([fetched(1, body=MONDAY), fetched(24, body=TUESDAY)])
    return site


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_a_method_with_a_typed_answer(verb: str):
    method = getattr(Site, verb)
    assert method.__doc__
    assert inspect.signature(method).return_annotation not in (inspect.Signature.empty, "None")


@pytest.mark.parametrize("name", SITE_COMMANDS)
def test_every_command_of_a_site_is_a_verb(name: str):
    command = program.get_command(click.Context(program), name)
    words = list(command.commands) if isinstance(command, click.Group) else []
    said = {"import": "import_", "undo": "undo_edit", "test": "test_channel"}
    for word in [name, *words]:
        assert hasattr(Site, said.get(word, word)) or word in ("list",), word


def answers(site: Site) -> dict[str, object]:
    """One answer of each verb that asks and of each that writes a little."""
    return {
        "check": site.check(),
        "pages": site.pages(),
        "log": site.log(),
        "log of changes": site.log(URL, xpath="//d:update"),
        "history": site.history(URL),
        "history of a node": site.history(URL, "li:first-child h2"),
        "history of a record": site.history("product", "https://shop.example/p/tea"),
        "classes": site.classes(),
        "kinds": site.records(),
        "records": site.records("product"),
        "compare": site.compare(f"{URL}@1", URL),
        "propose": site.propose(),
        "repairable": site.repairable(),
        "add_pages": site.add_pages([]),
        "sql": site.sql("select count(*) from product"),
        "try_rule": site.try_rule("new", records="product", when="new"),
        "subscribe": site.subscribe("new", records="product", when="new"),
        "rules": site.rules(),
        "alerts": site.alerts(suppressed=True),
        "mute": site.mute("new"),
        "unmute": site.unmute("new"),
        "remove": site.remove("new"),
        "deliver": site.deliver(),
        "rebuild": site.rebuild("product"),
        "verify": site.verify(),
        "gc": site.gc(keep_versions=1),
        "export": site.export(str(site.folder / "copy.sqlite")),
        "forget": site.forget(URL),
    }


def test_answers_are_frozen_and_print_well(shop: Site):
    for verb, answer in answers(shop).items():
        assert is_dataclass(answer), verb
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            answer.anything = 1
        words = str(answer)
        assert words and not words.endswith("\n") and " object at 0x" not in words, (verb, words)
        assert " object at 0x" not in repr(answer), verb
        if isinstance(answer, Listing):
            assert answer._repr_html_().startswith("<table>"), verb
            assert len(answer.written("jsonl").splitlines()) >= len(answer), verb


def test_what_answers_say(shop: Site):
    found = {verb: str(answer) for verb, answer in answers(shop).items()}
    assert found["check"] == f"{URL}: settings and store are fine; 1 page"
    assert found["subscribe"] == "new: kept; over the history so far it would have told 1 time"
    assert found["try_rule"].splitlines()[-1] == (
        "new would have told 1 time, and kept quiet 0 times"
    )
    assert (found["mute"], found["unmute"], found["remove"]) == (
        "new: muted",
        "new: tells again",
        "new: removed",
    )
    assert found["gc"].endswith("bytes: would be removed; --apply does it")
    assert found["forget"] == f"{URL}: forgotten, with 2 versions"
    assert found["deliver"] == "0 delivered"
    assert found["propose"] == "no class is proposed" and found["repairable"] == "Product"
    assert found["add_pages"] == "0 versions added" and "1 insert" in found["compare"]
    assert found["verify"] == "1 page, 2 versions: all whole"


def test_a_version_has_many_names(shop: Site):
    first, second = shop.page(URL, 1), shop.page(URL, 2)
    assert shop.show(f"{URL}@1") == shop.show(f"{URL}@first") == shop.show(f"{URL}@-1") == first
    assert shop.show(URL) == shop.show(f"{URL}@newest") == second
    assert shop.show(URL, at=START + timedelta(hours=2)) == first
    with pytest.raises(UsageError, match="has no version 7"):
        shop.show(f"{URL}@7")


def test_retention_of_the_settings_is_used_unless_something_is_given(shop: Site):
    assert not shop.gc().has_rules and "nothing may go" in str(shop.gc())
    assert [it.first_kept for it in shop.gc(keep_versions=1).removals] == [2]
    done = shop.gc(keep_versions=1, apply=True)
    assert done.is_applied and len(shop.history(URL)) == 1


def test_an_export_writes_over_nothing(shop: Site, tmp_path: Path):
    (tmp_path / "there").write_text("mine")
    with pytest.raises(UsageError, match="already"):
        shop.export(str(tmp_path / "there"))
    assert (tmp_path / "there").read_text() == "mine"


def test_what_came_is_counted_over_all_batches(shop: Site):
    done = shop.add_pages(
        fetched(2, f"{URL}{number}", body=b"<p>%d" % number) for number in range(70)
    )
    assert (done.fetches, done.new_pages, done.versions, done.same) == (70, 70, 70, 0)
    again = shop.add_pages(
        fetched(3, f"{URL}{number}", body=b"<p>%d" % number) for number in range(70)
    )
    assert (again.versions, again.same, again.new_pages) == (0, 70, 0)
    changed = shop.add_pages([fetched(48, body=MONDAY)])
    assert changed.versions == 1 and changed.records > 0


def test_what_lists_say(shop: Site):
    assert shop.classes().columns == ("class", "state", "pages", "wrapper")
    shop.subscribe("a", records="product", when="new")
    shop.subscribe("b", page=URL, select="li", when="changes")
    shop.subscribe("c", drift="*")
    rules = json.loads(shop.rules().written("json"))
    assert [URL in str(rule.values()) for rule in rules] == [False, True, False]
    assert ["drift of *" in rule.values() for rule in rules] == [False, False, True]
    assert "product" in rules[0].values()


def test_times_of_records_are_the_readers_in_a_table_and_utc_elsewhere(shop: Site):
    found = shop.records("product")
    assert START.isoformat()[:10] in str(write_records(found, "json"))
    assert "+00:00" in str(write_records(found, "csv"))
    assert "+00:00" not in str(write_records(found, "table", is_wide=True))


def test_a_node_that_is_gone_is_said_so_in_its_own_line(shop: Site):
    shop.add_pages([fetched(48, body=b"<p>sold out")])
    lines = str(shop.history(URL, "li:first-child h2", version="1")).splitlines()
    assert [("(not there)" in line) for line in lines].count(True) == 1
    assert "(not there)" in lines[-1]
