"""The HTTP interface `/api/v1`: the views and changes of the studio as JSON, described by OpenAPI.

A view of the studio at `/s/SITE/VIEW` is `/api/v1/s/SITE/VIEW` here, with the same parameters; a
change is a POST of a form to `/api/v1/s/SITE/do/NAME`; long work is started and stopped at
`/api/v1/s/SITE/job` and followed there, or as server-sent events at `job/events`. Programs send the
token as a bearer token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from treelace.studio.actions import ACTIONS
from treelace.studio.answer_types import schemas
from treelace.studio.jobs import COMMANDS

PREFIX = "/api/v1"
_TABLE = "q where sort desc at since offset limit after".split()
PARAMETERS: Mapping[str, list[str]] = {
    "table/{kind}": _TABLE,
    "record/{kind}": ["key"],
    "pages": ["like", "class", "offset", "limit"],
    "page": ["url", "version"],
    "diff": ["url", "old", "new", "all"],
    "classes/{name}/point": ["on", "point"],
    "alerts": ["state", "before", "limit"],
    "inbox": ["until", "limit"],
    "noise": ["id"],
    "rule": ["records", "page", "select", "when", "column", "test", "name"],
    "sql": ["q", "at"],
    "care": ["log", "before", "limit"],
}
"""The parameters of each view; the others have none."""
MEANINGS = {
    "q": "a text to search for; for sql the SELECT",
    "where": "a condition, such as `price >= 20`, `title ~ tea` or `stock =`; may be given again",
    "sort": "a column",
    "desc": "1: the greatest first",
    "at": "as of this time: ISO 8601, or `3 days ago`",
    "since": "only what came or changed since this time",
    "offset": "how many rows are left out",
    "limit": "how many rows, 1000 at most",
    "after": "where a search goes on that was cut: its answer has the address as `next`",
    "key": "the key of a record",
    "url": "the address of a page",
    "version": "the number of a version; by default the newest",
    "old": "the number of the older version",
    "new": "the number of the newer version",
    "all": "1: also what a reader does not see",
    "like": "a part of the address",
    "class": "a class of pages; `(none)`: of none",
    "state": "open, acknowledged or suppressed",
    "before": "only what has a smaller number: for the next ones",
    "log": "all: also what went well",
    "records": "a table",
    "page": "the address of a page",
    "select": "CSS or XPath of a node of the page",
    "when": "what to tell of, such as `new`, `gone`, `price drops 10%`",
    "column": "a column, with `test`",
    "test": "what the column does, such as `drops 10%`",
    "name": "the name of the rule",
    "until": "only what changed before this time",
    "id": "a change of the inbox",
    "on": "the address of a page of the class; by default the first",
    "point": "the number of the node that someone points at",
}
_WANTED = ("key", "url", "id")


def description(views: Mapping[str, Callable[..., Any]], version: str) -> dict[str, Any]:
    """The interface as OpenAPI 3.1 says it, made from the lists of views and changes."""
    answers, parts = schemas()
    every = "Every site of the studio."
    paths: dict[str, Any] = {
        f"{PREFIX}/sites": {"get": _operation("sites", every, [], answers, answers["sites"])}
    }
    for path, view in views.items():
        said = (view.__doc__ or "").strip().splitlines()[0]
        name = re.sub(r"\W+", "_", path).strip("_") or "overview"
        fields = [_in_path("site"), *map(_in_path, re.findall(r"\{(\w+)\}", path))]
        fields += [_in_query(field) for field in PARAMETERS.get(path, ())]
        paths[f"{PREFIX}/s/{{site}}/{path}"] = {
            "get": _operation(name, said, fields, answers, answers[path])
        }
    for name, action in ACTIONS.items():
        said = (action.__doc__ or "").strip().splitlines()[0]
        made = _operation(
            f"do_{name.replace('-', '_')}", said, [_in_path("site")], answers, answers["changed"]
        )
        paths[f"{PREFIX}/s/{{site}}/do/{name}"] = {"post": _with_form(made)}
    paths |= _jobs(answers)
    return {
        "openapi": "3.1.0",
        "info": {"title": "treelace", "version": version},
        "paths": paths,
        "components": {
            "schemas": parts,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _jobs(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Long work: started, looked at, followed, stopped."""
    site, schema = [_in_path("site")], answers["job"]
    place = f"{PREFIX}/s/{{site}}/job"
    started = _operation("start_job", "Starts long work, or stops it.", site, answers, schema)
    started["responses"]["202"] = started["responses"].pop("200")
    texts = {
        "what": {"type": "string", "enum": list(COMMANDS)},
        "stop": {"type": "string", "description": "1: stops what is under way"},
        "records": {"type": "string", "description": "the table that is built anew"},
        "name": {"type": "string", "description": "the class whose columns are tried"},
    }
    followed = _operation(
        "job_events",
        "How far it is, whenever that is another, until an event `end`.",
        site,
        answers,
        schema,
    )
    followed["responses"]["200"]["content"] = {"text/event-stream": {"schema": {"type": "string"}}}
    looked = _operation("job", "How far the newest work is.", site, answers, schema)
    return {
        place: {"get": looked, "post": _with_form(started, texts)},
        f"{place}/events": {"get": followed},
    }


def _with_form(operation: dict[str, Any], texts: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """An operation that takes a form; some of its fields may be said."""
    schema = {"type": "object", "additionalProperties": {"type": "string"}}
    if texts:
        schema["properties"] = dict(texts)
    body = {"content": {"application/x-www-form-urlencoded": {"schema": schema}}}
    return {**operation, "requestBody": body}


def _operation(
    name: str,
    said: str,
    fields: list[dict[str, Any]],
    answers: Mapping[str, Any],
    schema: dict[str, Any],
) -> dict[str, Any]:
    answer = {"content": {"application/json": {"schema": schema}}, "description": said}
    wrong = {"schema": answers["failure"]}
    failed = {"content": {"application/json": wrong}, "description": "what is wrong"}
    return {
        "operationId": name,
        "summary": said,
        "parameters": fields,
        "responses": {"200": answer, "default": failed},
    }


def _in_path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _in_query(name: str) -> dict[str, Any]:
    many = {"type": "array", "items": {"type": "string"}}
    return {
        "name": name,
        "in": "query",
        "required": name in _WANTED,
        "description": MEANINGS[name],
        "schema": many if name == "where" else {"type": "string"},
    }
