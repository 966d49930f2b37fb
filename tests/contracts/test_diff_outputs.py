"""What every output of `diff` promises, and that a new one is a file and a line."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.diff.outputs import DELTA_OUTPUTS, OUTPUTS, Change, Output, write
from treelace.errors import UsageError

OLD = tl.parse("<a k='1'>tea: 3<b/><c/></a>", format="xml")
NEW = tl.parse("<a k='2'>tea: 4<c/><b/><d/></a>", format="xml")


def change(old: tl.Tree, new: tl.Tree) -> Change:
    return Change(delta=tl.diff(old, new), old=old, new=new, old_name="mon", new_name="tue")


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_same_change_gives_the_same_answer_and_touches_nothing(name: str):
    digests = OLD.digest, NEW.digest
    first = write(change(OLD, NEW), name)
    assert first and first == OUTPUTS[name](change(OLD, NEW))
    assert (OLD.digest, NEW.digest) == digests


@pytest.mark.parametrize("name", OUTPUTS)
def test_html_is_written_or_refused_by_name(name: str):
    old, new = tl.parse("<p>tea: 3"), tl.parse("<p>tea: 4<b>x")
    if name == "xml-patch":
        with pytest.raises(UsageError, match="XML"):
            write(change(old, new), name)
    else:
        assert write(change(old, new), name)


@pytest.mark.parametrize("name", DELTA_OUTPUTS)
def test_a_whole_delta_can_be_read_back(name: str):
    made = change(OLD, NEW)
    written = DELTA_OUTPUTS[name](made.delta, limits=made.limits)
    assert written == write(made, name)
    data = written.encode() if isinstance(written, str) else written
    assert tl.Delta.read(data) == made.delta


def test_an_unknown_output_is_named_with_its_neighbour():
    with pytest.raises(UsageError, match="did you mean 'json-patch'"):
        write(change(OLD, NEW), "json-pach")


def shout(change: Change) -> str:
    """A toy: the names of the documents, aloud."""
    return f"{change.old_name} → {change.new_name}!\n".upper()


def test_a_new_output_is_one_function_and_one_line(monkeypatch: pytest.MonkeyPatch):
    toy: Output = shout
    monkeypatch.setitem(OUTPUTS, "shout", toy)
    assert write(change(OLD, NEW), "shout") == "MON → TUE!\n"
    with pytest.raises(UsageError, match="shout"):
        write(change(OLD, NEW), "shouts")
