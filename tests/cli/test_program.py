"""The program as a process: answers on stdout, messages on stderr, exit codes, one line for an
error.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys

import pytest

PAGE = (
    "<!doctype html><title>Tea</title><ul><li class=p>Assam <b>4.20</b><li"
    " class=p>Sencha</ul><template><li class=p>no</template>"
)


def treelace(*arguments: object, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "treelace", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, timeout=400, input=stdin, env={**os.environ, "NO_COLOR": "1"}
    )


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_version_and_help():
    assert treelace("--version").stdout.startswith(b"treelace, version 0.")
    text = treelace("--help").stdout.decode()
    for word in ("parse", "select", "demo", "Examples:", "Exit codes"):
        assert word in text


@pytest.mark.parametrize("form", ["outline", "html", "xml", "c14n", "json"])
def test_parse_writes_every_form(page, form):
    ran = treelace("parse", page, "--to", form)
    assert ran.returncode == 0, ran.stderr
    assert b"Assam" in ran.stdout
    assert ran.stderr == b""
    if form == "json":
        json.loads(ran.stdout)


def test_html_written_and_read_again_is_the_same(page):
    once = treelace("parse", page, "--to", "html").stdout
    assert treelace("parse", "-", "--to", "html", stdin=once).stdout == once


def test_select_by_css_and_xpath(page):
    assert treelace("select", page, "li.p").stdout.decode().splitlines() == ["Assam 4.20", "Sencha"]
    assert treelace("select", page, "--xpath", "//li/b").stdout == b"4.20\n"
    assert treelace("select", page, "--xpath", "count(//li)").stdout == b"2\n"
    assert treelace("select", page, "--xpath", "//li/@class").stdout == b"p\np\n"
    rows = json.loads(treelace("select", page, "li.p", "--to", "json").stdout)
    assert [row["text"] for row in rows] == ["Assam 4.20", "Sencha"]
    assert treelace("select", page, "b", "--to", "html").stdout == b"<b>4.20</b>\n"


def test_nothing_found_is_exit_1(page):
    ran = treelace("select", page, "table")
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert treelace("select", page, "table", "--to", "json").stdout == b"[]\n"


def test_packed_files_and_standard_input(tmp_path):
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(PAGE.encode()))
    assert treelace("select", path, "title").stdout == b"Tea\n"
    assert treelace("select", "-", "title", stdin=gzip.compress(PAGE.encode())).stdout == b"Tea\n"


def test_answers_go_to_a_file(page, tmp_path):
    target = tmp_path / "out.html"
    assert treelace("parse", page, "--to", "html", "-o", target).stdout == b""
    assert b"Assam" in target.read_bytes()
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".part"] == []


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["parse", "nowhere.html"], 3, "nowhere.html: No such file"),
        (["pars", "x"], 2, "did you mean 'parse'?"),
        (["parse"], 2, "Missing argument 'FILE'"),
        (["select", "PAGE", "li["], 2, "li["),
        (["select", "PAGE", "--xpath", "//["], 2, "//["),
        (["parse", "PAGE", "--limit", "nodes=3"], 4, "--limit nodes="),
        (["parse", "PAGE", "--limit", "noses=3"], 2, "no limit 'noses'"),
        (["parse", "PAGE", "--format", "xml"], 3, "line 1"),
        (["parse", "http://127.0.0.1:9/"], 5, "not a public address; --allow-private"),
        (["parse", "https://" + "user:word@example.org/"], 2, "no user or password in a URL"),
    ],
)
def test_an_error_is_one_line_and_a_code(page, arguments, code, words):
    ran = treelace(*[page if argument == "PAGE" else argument for argument in arguments])
    message = ran.stderr.decode()
    assert ran.returncode == code, message
    assert words in message
    assert len(message.splitlines()) == 1
    assert "Traceback" not in message
    assert ran.stdout == b""


def test_debug_shows_the_traceback(page):
    assert b"Traceback" in treelace("parse", page, "--format", "xml", "--debug").stderr


def test_a_reader_that_goes_away_is_no_failure(tmp_path):
    path = tmp_path / "long.html"
    path.write_text("<p>x</p>" * 200_000, encoding="utf-8")
    program = subprocess.Popen(
        [sys.executable, "-m", "treelace", "parse", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.read(100)
    program.stdout.close()
    assert program.stderr.read() == b""
    assert program.wait(60) == 0


def test_completion_scripts():
    for shell in ("bash", "zsh", "fish"):
        assert b"_TREELACE_COMPLETE" in treelace("completion", shell).stdout


def test_demo_agrees_with_its_own_truth(tmp_path):
    ran = treelace("demo", tmp_path / "shop")
    assert ran.returncode == 0, ran.stdout.decode() + ran.stderr.decode()
    assert re.search(r"(\d+) of \1 checks agree", ran.stdout.decode()), ran.stdout.decode()
    assert "WRONG" not in ran.stdout.decode()
    days = re.findall(r"(?:^   ! .*\n)+", ran.stdout.decode(), re.MULTILINE)
    assert len(days) == 2
    assert all(day.splitlines() == sorted(day.splitlines()) for day in days), "the same at each run"
    assert treelace("verify", "--site", tmp_path / "shop" / "site").returncode == 0
