"""What lace has learnt is what `python -m experiments.lace_quality.learn` makes of the data."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from experiments.lace_quality import confidence, forest, learn, lessons, mutants, real_changes
from experiments.lace_quality.lessons import NOBODY, UNKNOWN, Lesson
from treelace import match, parse
from treelace.testing.mutate import original
from treelace.tree import Kind

PAGE = "<!DOCTYPE html><title>t</title><body>" + "".join(
    f"<section class=s{part}><h2>part {part}</h2>"
    + "".join(f"<p class=row><b>word{part}{row}</b> and {row % 3} more" for row in range(12))
    + "</section>"
    for part in range(5)
)


@pytest.fixture(scope="module")
def few() -> list[Lesson]:
    """Eight lessons from one small page."""
    html = original(parse(PAGE, format="html"))
    page = parse(html, format="html")
    made = [
        mutants.mutant_of(page, "base", ratio, seed) for ratio in (0.1, 0.3) for seed in range(4)
    ]
    return [
        Lesson("base", 10 + 20 * (at // 4), (html, mutant.html), frozenset(mutant.truth))
        for at, mutant in enumerate(made)
    ]


def test_the_same_lessons_make_the_same_files_whatever_the_number_of_processes(few):
    alone, together = (learn.learn(few, processes, trees=3).files() for processes in (1, 2))
    assert alone == together
    assert {*alone, "confidence.bin"} == {path.name for path in learn.GENERATED.iterdir()}


def test_the_same_lessons_make_the_same_confidence_whatever_the_number_of_processes(few):
    in_use = learn.Learnt.in_use()
    alone, together = (learn.confidence(in_use, few, processes) for processes in (1, 2))
    assert alone == together
    assert all(forest.both(alone))


@pytest.mark.slow
def test_the_confidence_in_use_is_what_the_command_makes(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TREELACE_CORPUS", str(corpus))
    monkeypatch.setattr("sys.argv", ["learn", "--confidence", "--into", str(tmp_path)])
    assert learn.main() == 0
    made = (tmp_path / "confidence.bin").read_bytes()
    assert made == (learn.GENERATED / "confidence.bin").read_bytes()


def test_a_text_teaches_confidence_only_where_its_element_has_a_partner():
    texts = "<p>one</p><div><i>two</i></div>", "<p>one</p><div><b>two</b></div>"
    truth = frozenset((at, at) for at in range(5))  # the last, the box of `two`, is gone
    in_use = learn.Learnt.in_use()
    lesson = Lesson("base", 10, texts, truth)
    seen = confidence.see(lesson, True, in_use.weights[0], in_use.forests[0])
    old, new = (parse(text, format="html") for text in texts)
    pairs = {old[i].text for i, _, _ in match(old, new, "lace") if old[i].kind is Kind.TEXT}
    assert pairs == {"one", "two"}
    assert len(seen.is_true) == len(match(old, new, "lace")) - 2  # the document, and `two`
    assert (~seen.is_true).sum() == 1  # what held `two` is paired with what holds it now


def test_the_truth_of_texts_follows_from_that_of_elements():
    texts = "<p>a<i>b</i>c</p><p>d</p><p>e</p>", "<p>A<i>b</i>C</p><p>d<b></b>D</p>"
    html, head, body, first, inner, second, third = range(7)
    assert second == third - 1
    truth = frozenset((at, at) for at in (html, head, body, first, inner, second))
    versions = Lesson("base", 10, texts, truth).read()
    partner = versions.partner
    found = {
        node.text: versions.new[int(to)].text if to >= 0 else int(to)
        for node, to in zip(versions.old, partner, strict=True)
        if node.kind is Kind.TEXT
    }
    assert found == {"a": "A", "b": "b", "c": "C", "d": UNKNOWN, "e": NOBODY}


def test_in_real_changes_only_what_the_truth_names_is_known():
    lesson = Lesson("real", 10, ("<p>a</p><p>b</p>", "<p>a</p><p>b</p>"), frozenset({(3, 3)}))
    partner = lesson.read().partner
    assert (partner != UNKNOWN).sum() == 2  # an element and its text
    whole = dataclasses.replace(lesson, kind="base").read().partner
    assert (whole == NOBODY).sum() > 2


def test_what_is_measured_is_not_learnt_from(corpus: Path):
    pages = lessons.tuning_pages(corpus / "data/pages")
    assert len(pages) > 70
    assert all(mutants.split_of(page["site"]) == "tune" for page in pages)
    assert not any(lessons.is_watched(page["id"]) for page in pages)
    changes = real_changes.all_changes(1, "tune", corpus)
    assert not {change.site for change in changes} & real_changes.REPORT
