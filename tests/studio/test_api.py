"""The HTTP interface: every path of its description answers as the studio does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import jsonschema  # type: ignore[import-untyped]
import pytest

from tests.studio.conftest import Studio, started
from treelace.site import Site


def hold(told: dict[str, Any], operation: dict[str, Any], status: int, text: str) -> None:
    """Holds an answer to the schema that the description has for it."""
    said = operation["responses"].get(str(status)) or operation["responses"]["default"]
    schema = said["content"]["application/json"]["schema"]
    assert schema, operation["operationId"]
    whole = {**schema, "components": told["components"]}
    jsonschema.Draft202012Validator(whole).validate(json.loads(text))


class Client:
    """A client that is made of the description alone: a method for each operation."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self.told = json.loads(studio.ask("/api/v1/openapi.json").text)
        self._known = {
            one["operationId"]: (path, method, one)
            for path, methods in self.told["paths"].items()
            for method, one in methods.items()
        }

    def __getattr__(self, name: str) -> Callable[..., Any]:
        path, method, operation = self._known[name]

        def asked(**fields: Any) -> Any:
            places = {it["name"]: it["in"] for it in operation["parameters"]}
            filled = path
            for field in (it for it, where in places.items() if where == "path"):
                filled = filled.replace(f"{{{field}}}", quote(fields.pop(field), safe=""))
            assert method == "post" or set(fields) <= set(places), fields
            query = urlencode(fields, doseq=True)
            if method == "post":
                kind = {"Content-Type": "application/x-www-form-urlencoded"}
                answer = self._studio.ask(filled, "POST", body=query, **kind)
            else:
                answer = self._studio.ask(f"{filled}?{query}")
            hold(self.told, operation, answer.status, answer.text)
            return json.loads(answer.text)

        return asked


def test_a_client_made_of_the_description(tea: Path, tmp_path: Path):
    own = Path(shutil.copytree(tea, tmp_path / "own"))
    with started(own, "--api-only") as studio:
        client = Client(studio)
        assert [it["site"] for it in client.sites()] == ["own"]
        found = client.table_kind(site="own", kind="tea_list", where=["price > 10"], limit=3)
        assert len(found["records"]) == 3 and found["total"] > 3
        assert "error" in client.table_kind(site="own", kind="milk")
        assert client.sql(site="own", q="select count(*) as n from tea")[0]["n"] == 19
        rule = {"site": "own", "records": "tea_list", "when": "price drops"}
        assert client.rule(**rule) and client.alerts(site="own")
        assert client.do_mute(site="own", rule="cheaper")["undo"]["do"] == "unmute"
        wrong = {"type": "object", "properties": {"site": {"type": "integer"}}}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator({"items": wrong}).validate(client.sites())


def test_every_path_of_the_description_answers(studio: Studio, tea: Path):
    told = json.loads(studio.ask("/api/v1/openapi.json").text)
    assert told["openapi"].startswith("3.1") and len(told["paths"]) > 20
    with Site(tea, read_only=True) as site:
        values = {
            "site": "tea",
            "kind": "tea_list",
            "name": "tea-list",
            "key": site.records("tea_list").values[0][0],
            "url": next(page.url for page in site.pages() if page.newest > 1),
            "q": "gold",
            "id": site.inbox()[0].id,
        }
    names = [one["operationId"] for path in told["paths"].values() for one in path.values()]
    assert len(set(names)) == len(names)
    asked = 0
    for path, methods in told["paths"].items():
        for field in (it["name"] for it in methods.get("get", {}).get("parameters", [])):
            path = path.replace(f"{{{field}}}", quote(values.get(field, ""), safe=""))
        if "get" not in methods or path.endswith("/sql"):
            continue
        if "application/json" not in methods["get"]["responses"]["200"]["content"]:
            continue  # followed in test_jobs
        wanted = [it["name"] for it in methods["get"]["parameters"] if it["required"]]
        query = urlencode({it: values[it] for it in wanted if it in ("key", "url", "id")})
        answer = studio.ask(f"{path}?{query}")
        assert answer.status == 200, (path, answer.text)
        assert answer.headers["content-type"].startswith("application/json")
        hold(told, methods["get"], 200, answer.text)
        asked += 1
    assert asked >= 14


def test_the_interface_says_what_the_studio_says(studio: Studio):
    query = "where=price+%3E+10&sort=price&limit=3"
    one = json.loads(studio.ask(f"/api/v1/s/tea/table/tea_list?{query}").text)
    two = json.loads(studio.ask(f"/s/tea/table/tea_list?{query}&to=json").text)
    assert one["records"] == two["records"] and len(one["records"]) == 3
    wrong = studio.ask("/api/v1/s/tea/table/milk")
    assert wrong.status == 404 and "milk" in json.loads(wrong.text)["error"]


def test_the_interface_alone_changes_things_and_has_no_pages(tea: Path, tmp_path: Path):
    own = Path(shutil.copytree(tea, tmp_path / "own"))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with started(own, "--api-only") as studio:
        assert studio.ask("/").status == 404 and studio.ask("/s/own/").status == 404
        body = urlencode({"rule": "cheaper"})
        done = studio.ask("/api/v1/s/own/do/mute", "POST", body=body, **form)
        assert done.status == 200 and json.loads(done.text)["undo"]["do"] == "unmute"
        assert (
            studio.ask("/api/v1/s/own/do/mute", "POST", body=body, token=False, **form).status
            == 401
        )
    with Site(own, read_only=True) as site:
        assert [it.state for it in site.rules()] == ["muted"]
