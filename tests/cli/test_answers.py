"""What the commands on single documents answer, to the letter: in this process, so that there can
be many of them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from treelace.cli import main

LIST = (
    "<h1>Teas</h1><ul><li><a href=/assam>Assam</a> <b>€3.20</b><li><a href=/sencha>Sencha</a>"
    " <b>€4.10</b><li><a href=/oolong>Oolong</a> <b>€5.00</b></ul>"
)
PAGE = "<!DOCTYPE html><title>T</title><p class=a>one <b>two</b></p><p>three</p></i>"


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    files = {
        "page.html": PAGE,
        "new.html": PAGE.replace("two", "2"),
        "same.html": PAGE.replace("class=a", 'class="a"'),
        "list.html": LIST,
        "feed.xml": "<f:a xmlns:f='u'><f:b>1</f:b><!--c--></f:a>",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def run(*arguments: str) -> Answer:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capfdbinary.readouterr()
        return Answer(int(ended.value.code), out.decode(), err.decode())

    return run


@pytest.mark.parametrize(
    ("arguments", "code", "out"),
    [
        ("select page.html p", 0, "one two\nthree\n"),
        ("select page.html b --to html", 0, "<b>two</b>\n"),
        (
            "select feed.xml --xpath //x:b --namespace x=u --to html",
            0,
            '<f:b xmlns:f="u">1</f:b>\n',
        ),
        ("select page.html h1", 1, ""),
        ("select page.html h1 --to json", 1, "[]\n"),
        ("select page.html --xpath count(//p)", 0, "2\n"),
        ("select page.html --xpath count(//p)div(4)", 0, "0.5\n"),
        ("select page.html --xpath boolean(//p)", 0, "true\n"),
        ("select page.html --xpath boolean(//h1)", 1, "false\n"),
        ("select page.html --xpath boolean(//h1) --to json", 1, "false\n"),
        ("select page.html --xpath string(//b)", 0, "two\n"),
        ("select page.html --xpath //p/@class", 0, "a\n"),
        ("parse feed.xml --to c14n", 0, '<f:a xmlns:f="u"><f:b>1</f:b><!--c--></f:a>'),
        (
            "parse feed.xml --to c14n --no-comments",
            0,
            '<f:a xmlns:f="u"><f:b>1</f:b></f:a>',
        ),
        ("parse feed.xml --to xml", 0, '<f:a xmlns:f="u"><f:b>1</f:b><!--c--></f:a>\n'),
        ("similarity page.html same.html", 0, "1.000000\n"),
        ("diff page.html same.html", 0, ""),
    ],
)
def test_answers(run, arguments, code, out):
    found = run(*arguments.split())
    assert (found.out.split(), found.code) == (out.split(), code), found
    assert found.out.endswith("\n") == out.endswith("\n")


def test_json_of_nodes(run):
    found = run("select", "page.html", "p.a", "--to", "json")
    assert found.out.startswith('[\n {\n  "node": ')
    assert json.loads(found.out) == [
        {
            "node": 4,
            "tag": "p",
            "xpath": "/html/body/p[1]",
            "line": 1,
            "attributes": {"class": "a"},
            "text": "one two",
        }
    ]


def test_problems_are_said_beside_the_answer(run):
    found = run("parse", "page.html", "--problems")
    assert found.code == 0
    assert re.match(r"page\.html:1: \w", found.err)
    assert "p.a" in found.out or "p" in found.out
    assert json.loads(run("parse", "page.html", "--to", "json").out)


def test_a_diff_has_an_exit_code_and_names(run):
    found = run("diff", "page.html", "new.html")
    assert found.code == 1
    assert "[-two-]{+2+}" in found.out
    assert run("diff", "page.html", "new.html", "--ignore-attribute", "class").code == 1
    unified = run("diff", "page.html", "new.html", "--to", "unified").out
    assert unified.startswith("--- page.html\n+++ new.html\n")


def test_pairs_as_json_and_without_texts(run):
    found = run("match", "page.html", "new.html")
    pairs = json.loads(found.out)["pairs"]
    assert [pair[:2] for pair in pairs] == [[n, n] for n in range(7)]
    assert run("match", "page.html", "new.html", "--no-text").code == 0
    assert run("match", "page.html", "new.html", "--to", "text").out != found.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("select feed.xml --xpath //x:b --namespace x", "--namespace is PREFIX=URI, not 'x'"),
        ("select feed.xml --xpath //x:b --namespace =u", "--namespace is PREFIX=URI, not '=u'"),
        ("cluster page.html new.html -k 1 --threshold 0.5", "-k and --threshold say two different"),
        ("cluster page.html new.html --method medoids", "--method medoids needs -k N"),
        ("cluster page.html new.html -k 3", "-k 3 asks for more clusters than there are pages (2)"),
        ("match page.html new.html --option limits=3", "limits are set by --limit NAME=VALUE"),
        ("index build pages.tlx", "PATHS"),
        ("mutate page.html", "--output-folder"),
        ("prase page.html", "no command 'prase': did you mean 'parse'?"),
        ("zzzzz", "no command 'zzzzz': `treelace --help` lists the commands."),
    ],
)
def test_wrong_use_is_one_line_with_the_way_out(run, arguments, words):
    found = run(*arguments.split())
    assert found.code == 2
    assert words in found.err
    assert not found.out


def test_clusters_of_as_many_pages_as_there_are(run):
    found = run("cluster", "page.html", "new.html", "-k", "2")
    assert found.out.split() == ["file,cluster", "page.html,1", "new.html,2"]


def test_mutants_come_with_their_truth(run):
    found = run(
        "mutate", "page.html", "-o", "made", "--ratio", "0.2", "--seed", "1", "--count", "2"
    )
    assert found.code == 0
    assert sorted(path.name for path in Path("made").iterdir()) == [
        "001.html",
        "001.log.json",
        "001.truth.json",
        "002.html",
        "002.log.json",
        "002.truth.json",
        "original.html",
    ]
    assert all(len(pair) == 2 for pair in json.loads(Path("made/001.truth.json").read_text()))


def test_a_page_without_tables_says_so(run):
    found = run("extract", "page.html", "--extractor", "mdr2")
    assert (found.code, found.out) == (1, "")
    assert found.err == (
        "treelace: mdr2 without --render or --boxes is mdr\n"
        "treelace: page.html: no repeated structure found\n"
    )


def test_a_table_for_people(run):
    found = run("extract", "list.html")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("title   price\n──────  ─────\nAssam   €3.20\nSencha  €4.10\n")
    assert "\n3 rows × 2 columns (title, price) in html/body/ul, confidence 0.9" in found.out


def test_two_paragraphs_are_no_table_for_people(run):
    found = run("extract", "page.html")
    assert (found.code, found.out) == (1, "")
    assert "--all shows it" in found.err
