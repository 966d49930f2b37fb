"""What was done to programs of this kind: templates, paths and scripts that others bring along."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlencode

from tests.studio.conftest import Studio, started
from treelace.site import Site
from treelace.store import FetchedPage

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
TEMPLATE = "{{ 7 * 191 }}{% for x in (1,) %}${7*191}<%= 7*191 %>{% endfor %}"
RESULT = "1337"


def do(studio: Studio, name: str, /, **fields: str) -> str:
    return studio.ask(f"/api/v1/s/own/do/{name}", "POST", body=urlencode(fields), **FORM).text


def test_words_of_people_are_no_templates(tea: Path, tmp_path: Path):
    own = Path(shutil.copytree(tea, tmp_path / "own"))
    with started(own) as studio:
        do(studio, "subscribe", name=TEMPLATE, records="tea_list", when="changed")
        do(studio, "rename", name="tea", new=TEMPLATE)
        said = quote(TEMPLATE, safe="")
        for path in (
            "/s/own/alerts",
            "/s/own/classes",
            f"/s/own/table/tea_list?q={said}",
            f"/s/own/sql?q={said}",
            f"/s/own/rule?records=tea_list&when={said}",
            f"/s/own/{said}",
        ):
            text = studio.ask(path).text
            assert RESULT not in text and "Traceback" not in text, path
        assert "{{ 7 * 191 }}" in studio.ask("/s/own/alerts").text


def test_selectors_read_no_files(studio: Studio):
    page = quote("https://tea.example/", safe="")
    for function in (
        "document('file:///etc/passwd')",
        "doc('file:///etc/passwd')",
        "unparsed-text('file:///etc/passwd')",
        "collection('file:///etc')",
        "environment-variable('HOME')",
    ):
        select = quote(f"xpath:{function}", safe="")
        answer = studio.ask(f"/api/v1/s/tea/rule?page={page}&select={select}&when=changed")
        assert answer.status in (404, 422) and "root:" not in answer.text, answer
        assert "error" in json.loads(answer.text)


def test_a_watch_list_carries_no_path_out_of_its_folder(tmp_path: Path):
    inside = tmp_path / "studio"
    inside.mkdir()
    watches = {
        "watching": {
            str(number): {"url": url, "title": "../../out"}
            for number, url in enumerate(
                ("http://../x", "https://..%2f..%2fout.example/", "file:///etc/passwd")
            )
        }
    }
    border = "treelace-border"
    body = (
        f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="../../w.json"\r\n'
        f"Content-Type: application/json\r\n\r\n{json.dumps(watches)}\r\n--{border}--\r\n"
    )
    with started(cwd=inside) as studio:
        kind = {"Content-Type": f"multipart/form-data; boundary={border}"}
        studio.ask("/watches", "POST", body=body, **kind)
    assert [it.name for it in tmp_path.iterdir()] == ["studio"]
    assert all(it.resolve().is_relative_to(inside) for it in inside.rglob("*"))


def test_a_link_of_a_record_runs_nothing(tmp_path: Path):
    rows = "".join(
        f'<li><a href="javascript:alert({number})">Tea {number}</a> <b>€ {number}.50</b></li>'
        for number in range(8)
    )
    with Site.create(tmp_path / "own", "https://tea.example/") as site:
        settings = (tmp_path / "own" / "treelace.toml").open("a")
        with settings:
            settings.write('[[class]]\nname = "tea"\nurls = ".*"\nwrapper = "extract"\n')
    with Site(tmp_path / "own") as site:
        body = f"<h1>Teas</h1><ul>{rows}</ul>".encode()
        time = datetime(2026, 3, 1, tzinfo=UTC)
        site.add_pages([FetchedPage("https://tea.example/", time, 200, body)])
        assert "javascript:" in str(site.records("tea").values)
        key = quote(site.records("tea").values[0][0], safe="")
    with started(tmp_path / "own") as studio:
        for path in ("/s/own/table/tea", f"/s/own/record/tea?key={key}"):
            text = studio.ask(path).text
            assert "Tea 0" in text and 'href="javascript:' not in text.lower(), path
