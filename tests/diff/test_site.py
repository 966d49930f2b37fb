"""Site snapshots: pages added, gone, moved, changed; exact both ways."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

from treelace import parse
from treelace.diff import Delta
from treelace.diff.site import SiteDelta, diff_sites, site_document
from treelace.errors import DeltaError
from treelace.tree import Tree


def page(title: str, *lines: str) -> Tree:
    return parse(
        f"<title>{title}</title><h1>{title}</h1>" + "".join(f"<p>{line}" for line in lines)
    )


OLD = {
    "/": page("Shop", "tea", "milk"),
    "/a": page(
        "About the founders of the shop", "They met over a kettle in the year of the great storm."
    ),
    "/b": page("Imprint", "The address of the company that nobody reads"),
    "/c": page("Careers at the shop", "We look for people who like tea and long evenings."),
}
NEW = {
    "/": page("Shop", "tea", "milk", "jam"),
    "/about/us": page(
        "About the founders of the shop", "They met over a kettle in the year of the great storm."
    ),
    "/b": OLD["/b"],
    "/jobs": page(
        "Careers at the shop",
        "We look for people who like tea and long evenings.",
        "And for a cook.",
    ),
    "/news": page("News of this morning", "Nothing at all has happened"),
}


def test_pages_come_go_move_and_change() -> None:
    delta = diff_sites(OLD, NEW)
    assert delta.moved == (("/a", "/about/us"), ("/c", "/jobs"))
    assert list(delta.added) == ["/news"]
    assert list(delta.gone) == []
    assert list(delta.changed) == ["/", "/jobs"]
    assert delta.apply(OLD) == NEW
    assert (~delta).apply(NEW) == OLD
    assert (~~delta).apply(OLD) == NEW


def test_equal_snapshots_have_no_delta() -> None:
    assert not diff_sites(OLD, OLD)
    assert diff_sites({}, {}).apply({}) == {}


def test_other_pages_do_not_become_each_other() -> None:
    delta = diff_sites(
        {"/x": page("One thing", "said in words")},
        {"/y": page("Quite another", "told by somebody else")},
    )
    assert repr(delta) == "<SiteDelta: 1 page added, 1 gone, 0 moved, 0 changed>"


@pytest.mark.parametrize(
    "wrong", [{}, {**OLD, "/a": OLD["/b"], "/": OLD["/b"]}, {**OLD, "/news": OLD["/b"]}]
)
def test_another_snapshot_is_refused(wrong: dict[str, Tree]) -> None:
    with pytest.raises(DeltaError):
        diff_sites(OLD, NEW).apply(wrong)


def test_a_snapshot_is_one_document() -> None:
    document = site_document({"/a&b": page("x\x00y"), "/c": page("z")})
    assert [node.attributes["url"] for node in document.select("page")] == ["/a&b", "/c"]


def test_a_delta_says_what_it_is() -> None:
    assert isinstance(diff_sites(OLD, NEW), SiteDelta)
    assert repr(diff_sites(OLD, NEW)) == "<SiteDelta: 1 page added, 0 gone, 2 moved, 2 changed>"


def two_folders(folder: Path) -> tuple[str, str]:
    for name, pages in (("monday", OLD), ("tuesday", NEW)):
        for url, tree in pages.items():
            file = folder / name / f"{url.strip('/') or 'index'}.html"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(tree.to_html(), encoding="utf-8")
    return str(folder / "monday"), str(folder / "tuesday")


class Done(NamedTuple):
    exit_code: int
    output: str
    errors: str


def run(*arguments: str) -> Done:
    ran = subprocess.run(
        [sys.executable, "-m", "treelace", "diff", *arguments],
        capture_output=True,
        timeout=60,
        encoding="utf-8",
    )
    return Done(ran.returncode, ran.stdout, ran.stderr)


def test_two_folders_are_two_snapshots(tmp_path: Path) -> None:
    old, new = two_folders(tmp_path)
    done = run(old, new)
    assert done.exit_code == 1
    assert "+ news.html\n" in done.output and "> about/us.html (was a.html)" in done.output
    assert "~ index.html: 1 insert" in done.output and '+ p "jam"' in done.output
    assert run(old, new, "--stat").output.endswith(
        "1 added, 0 gone, 2 moved, 2 changed (4 → 5 pages)\n"
    )
    same = run(old, old)
    assert same == (0, "", "")


def test_folders_for_machines_hold_deltas_that_apply(tmp_path: Path) -> None:
    old, new = two_folders(tmp_path)
    told = json.loads(run(old, new, "--to", "json").output)
    assert [page["url"] for page in told["added"]] == ["news.html"]
    assert told["moved"] == [
        {"from": "a.html", "to": "about/us.html"},
        {"from": "c.html", "to": "jobs.html"},
    ]
    change = next(it["delta"] for it in told["changed"] if it["url"] == "index.html")
    assert Delta.from_json(json.dumps(change)).apply(OLD["/"]) == NEW["/"]
    document = etree.fromstring(run(old, new, "--to", "xml").output.encode())
    [index] = document.xpath("d:changed[@url='index.html']/*", namespaces={"d": "treelace:3"})
    assert Delta.from_xml(etree.tostring(index)).apply(OLD["/"]) == NEW["/"]


def test_what_is_ignored_on_all_pages_is_no_change(tmp_path: Path) -> None:
    for name, price in (("monday", 3), ("tuesday", 4)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tea.html").write_text(f"<p>tea <b class=price>{price}</b>")
    old, new = str(tmp_path / "monday"), str(tmp_path / "tuesday")
    assert run(old, new).exit_code == 1
    done = run(old, new, "--ignore-css", ".price")
    assert done == (0, "", "")


def test_a_bad_page_is_named_and_the_others_are_told(tmp_path: Path) -> None:
    old, new = two_folders(tmp_path)
    Path(new, "broken.xml").write_text("<a><b></a>")
    done = run(old, new, "--stat")
    assert done.exit_code == 3 and "broken.xml" in done.errors and "1 added" in done.output
    assert run(old, new, "--to", "binary").exit_code == 2
