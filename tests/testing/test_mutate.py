"""Mutants carry their truth and nothing else."""

from __future__ import annotations

import json
import time

import pytest

import treelace as tl
from treelace.testing.mutate import mutate, original
from treelace.testing.operators import OPERATORS, PAPER

PAGE = (
    "<!doctype html><title>Shop</title><header><nav><a href=/>Home</a><a"
    " href=/tea>Tea</a></nav></header><main><ul class=list>"
    + "".join(
        f"<li class='item n{n}'><h3><a href=/p/{n}>Tea number {n}</a></h3><p"
        f" class=price>{n}.20</p><p>words about {n}</p></li>"
        for n in range(20)
    )
    + "</ul><table><tr><th>a<td>b<tr><th>c<td>d</table></main><footer><p>end</p></footer>"
)


def elements(html: str) -> int:
    return sum(node.element_index is not None for node in tl.parse(html).elements)


def test_nothing_changed_is_everything_kept():
    page = tl.parse(PAGE)
    mutant = mutate(page, ratio=0)
    assert mutant.html == original(page)
    assert mutant.truth == tuple((i, i) for i in range(elements(mutant.html)))


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_keeps_a_one_to_one_truth_within_the_page(operator):
    page = tl.parse(PAGE)
    mutant = mutate(page, ratio=0.2, seed=3, operators=[operator])
    old, new = [i for i, _ in mutant.truth], [j for _, j in mutant.truth]
    assert len(set(old)) == len(old)
    assert len(set(new)) == len(new)
    assert max(old) < elements(original(page))
    assert max(new) < elements(mutant.html)
    assert mutant.log["operations"], "the operator did nothing on this page"
    assert "signature" not in mutant.html


def test_the_same_seed_gives_the_same_mutant():
    page = tl.parse(PAGE)
    assert mutate(page, ratio=0.3, seed=5) == mutate(page, ratio=0.3, seed=5)
    assert mutate(page, ratio=0.3, seed=5).html != mutate(page, ratio=0.3, seed=6).html
    assert len(PAPER) == 11


def test_lace_finds_most_of_the_truth_and_more_than_paths_do(treelace, tmp_path):
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    assert (
        treelace("mutate", "page.html", "-o", "out", "--ratio", "0.1", "--count", "3").returncode
        == 0
    )
    for number in ("001", "002", "003"):
        truth = {
            tuple(pair)
            for pair in json.loads((tmp_path / "out" / f"{number}.truth.json").read_text())
        }
        found = {}
        for matcher in ("lace", "same-path"):
            ran = treelace("match", "out/original.html", f"out/{number}.html", "--matcher", matcher)
            pairs = {(i, j) for i, j, _ in json.loads(ran.stdout)["pairs"]}
            found[matcher] = 2 * len(pairs & truth) / (len(pairs) + len(truth))
        assert found["lace"] > 0.93
        assert found["lace"] >= found["same-path"]


def test_unknown_operators_and_ratios_are_refused():
    page = tl.parse("<p>x")
    with pytest.raises(tl.UsageError, match="unknown operator 'nonsense'"):
        mutate(page, ratio=0.1, operators=["nonsense"])
    with pytest.raises(tl.UsageError, match="ratio"):
        mutate(page, ratio=2)


def test_a_duplicate_has_no_partner():
    page = tl.parse(PAGE)
    mutant = mutate(page, ratio=0.1, seed=2, operators=["duplicate"])
    before = elements(original(page))
    assert elements(mutant.html) > before
    assert (
        len(mutant.truth) == before
    )  # everything that was there still is, once; the copies are nobody's
    assert len({j for _, j in mutant.truth}) == before


def test_signatures_are_never_in_the_page():
    page = tl.parse(PAGE)
    for seed in range(5):
        names = {
            name
            for node in tl.parse(mutate(page, ratio=0.3, seed=seed).html).elements
            for name in node.attributes
        }
        assert names <= {"class", "href"}


def test_large_subtrees_are_taken_whole_only_when_asked():
    page = tl.parse(PAGE)
    before = elements(original(page))

    def least_kept(largest):
        mutants = [
            mutate(page, ratio=0.02, seed=seed, operators=["remove"], largest=largest)
            for seed in range(12)
        ]
        return min(len(mutant.truth) for mutant in mutants)

    assert least_kept(0.05) >= before - round(0.02 * before) * round(0.05 * before)
    assert least_kept(1.0) < 0.7 * before  # the paper's tool may take the list with all its items


def test_a_moved_subtree_has_another_parent_and_keeps_its_partner():
    page = tl.parse(PAGE)
    mutant = mutate(page, ratio=0.05, seed=4, operators=["move"])
    old, new = tl.parse(original(page)), tl.parse(mutant.html)
    old_nodes = [node for node in old.elements if node.element_index is not None]
    new_nodes = [node for node in new.elements if node.element_index is not None]
    truth = dict(mutant.truth)
    moved = [operation["element"] for operation in mutant.log["operations"]]
    assert moved
    # a parser may put what was moved back where it came from (a list item into a paragraph of its
    # own list)
    strangers = [
        truth.get(old_nodes[i].parent.element_index) != new_nodes[truth[i]].parent.element_index
        for i in moved
        if i in truth
    ]
    assert sum(strangers) > len(moved) / 2


def test_redesigns_rename_everywhere_and_keep_every_partner():
    page = tl.parse(PAGE)
    mutant = mutate(page, ratio=0, seed=1, rename_tags_too=True, restyle_too=True)
    count = elements(original(page))
    assert mutant.truth == tuple((i, i) for i in range(count))
    assert mutant.log["tags"] or mutant.log["classes"]
    for before, after in mutant.log["classes"].items():
        assert before != after
        words = {
            word
            for node in tl.parse(mutant.html).elements
            for word in node.attributes.get("class", "").split()
        }
        assert before not in words


def test_attribute_add_adds_and_takes_nothing():
    page = tl.parse(PAGE)
    mutant = mutate(page, ratio=0.2, seed=6, operators=["attribute-add"])
    old, new = list(tl.parse(original(page)).elements), list(tl.parse(mutant.html).elements)
    assert all(
        set(a.attributes.items()) <= set(b.attributes.items())
        for a, b in zip(old, new, strict=True)
    )
    assert sum(len(b.attributes) - len(a.attributes) for a, b in zip(old, new, strict=True)) == len(
        mutant.log["operations"]
    )


def test_a_page_that_already_has_signatures_keeps_its_own():
    rows = "".join(
        f'<li treelace-signature-0="{word}">{word}</li>' for word in ("seven", "0", "1") * 10
    )
    mutant = mutate(
        tl.parse(f"<!doctype html><title>x</title><ul>{rows}</ul>"),
        ratio=0.5,
        operators=["duplicate"],
    )
    kept = [node.attributes["treelace-signature-0"] for node in tl.parse(mutant.html).select("li")]
    assert len(kept) > 30
    assert set(kept) == {"seven", "0", "1"}
    assert len(mutant.truth) == 35


def test_a_deep_page_is_mutated_in_time():
    began = time.process_time()
    mutant = mutate(tl.parse("<div>" * 3000), ratio=0.1)
    assert len(mutant.log["operations"]) == 300
    assert time.process_time() - began < 10


def test_xml_is_refused_with_the_way_out():
    with pytest.raises(tl.UsageError, match="treelace simulate"):
        mutate(tl.parse("<feed/>", format="xml"), ratio=0.1)


def test_what_is_wrong_on_the_command_line_is_one_line_and_leaves_no_folder(treelace, tmp_path):
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "feed.xml").write_text("<feed/>", encoding="utf-8")
    wrong = (
        ["page.html", "--operators", "nonsense"],
        ["page.html", "--ratio", "2"],
        ["page.html", "--count", "0"],
        ["feed.xml"],
        ["gone.html"],
    )
    for arguments in wrong:
        ran = treelace("mutate", *arguments, "-o", "out")
        assert ran.returncode in (2, 3), arguments
        assert ran.stderr.startswith("treelace: ")
        assert ran.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()
