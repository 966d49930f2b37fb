"""Control characters of a page reach no terminal, no feed and no line of an error."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from treelace.look import escape_controls, xml_characters
from treelace.monitor.channels.atom import feed
from treelace.store.alerts import Alert
from treelace.store.states import AlertState

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e"
ROWS = "".join(f"<li><b>tea {number}{ESCAPES}</b> $ {number}.50</li>" for number in range(9))
PAGE = f"<title>x</title><ul>{ROWS}</ul>"


def on_a_terminal(*arguments: str, cwd: Path) -> str:
    """What a person's terminal receives from the program, standard error included."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "treelace", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
    ) as running:
        os.close(theirs)
        received = io.BytesIO()
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # Linux says so at the end of a terminal
                break
            if not piece:
                break
            received.write(piece)
        running.wait()
    os.close(ours)
    return received.getvalue().decode("utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ("select", "page.html", "b"),
        ("select", "page.html", "b", "--to", "html"),
        ("extract", "page.html", "--all"),
        ("parse", "page.html", "--to", "html"),
        ("diff", "page.html", "other.html", "--color", "always"),
        ("parse", f"no{ESCAPES}.html"),
    ],
    ids=" ".join,
)
def test_a_page_does_not_drive_the_terminal(arguments, tmp_path):
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "other.html").write_text(PAGE.replace("tea 3", "mate 3"), encoding="utf-8")
    received = on_a_terminal(*arguments, cwd=tmp_path)
    assert "owned" in received
    for sign in ("\x1b]", "\x1b[2J", "\x9b", "\x07", "\x7f", "\u202e"):
        assert sign not in received


def test_our_own_colours_are_kept_and_nothing_else():
    assert escape_controls("\x1b[31mred\x1b[0m\x1b[2J", keeps_colours=True) == (
        "\x1b[31mred\x1b[0m\\x1b[2J"
    )
    assert escape_controls("\x1b[31mred") == "\\x1b[31mred"
    assert escape_controls("a\tb\nc é\u00a0") == "a\tb\nc é\u00a0"


def test_a_feed_is_well_formed_whatever_the_page_says():
    words = "".join(map(chr, range(0x20))) + "\ufffe\ud800<&>"
    alert = Alert(
        id=1,
        name=words,
        subscription=words,
        time=datetime(2026, 1, 1, tzinfo=UTC),
        url=f"https://a.example/{words}",
        version=1,
        kind="changed",
        state=AlertState.OPEN,
        why=words,
        about={},
    )
    read = ElementTree.fromstring(feed([alert]).encode("utf-8"))
    assert "\ufffd" in read.findtext(".//{*}entry/{*}title", "")
    assert xml_characters("tea\t\n\r é 茶 😀") == "tea\t\n\r é 茶 😀"
