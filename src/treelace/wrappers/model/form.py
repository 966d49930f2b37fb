"""The file of a wrapper: JSON with a published schema, read with checks that name the line and what
was expected there.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

import msgspec

from treelace.errors import WrapperError

VERSION = 1

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class RowForm(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A row of a pattern: an element or a leaf (`#text`, `img`) that the pages have in common.

    `keys` are what it is called (`#id`, `.class`, `@itemprop`; runs of digits as 0), `wrap` the
    inline elements around a leaf, `text` the text that most pages have there, `fixed` whether all
    have it, `seen` on how many pages it was, `shapes` what its texts look like.
    """

    depth: Count
    tag: Annotated[str, msgspec.Meta(min_length=1)]
    keys: tuple[str, ...] = ()
    wrap: str = ""
    text: str = ""
    seen: Count = 1
    fixed: bool = False
    shapes: tuple[str, ...] = ()
    column: str = ""


class ColumnForm(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A column: `select` is a selector written by hand (`css:…`, `xpath:…`); `anchors` are ways to
    find its cell again, the best first.

    `fill` is the share of records that have it, `shapes` what its texts look like, `length` the
    mean length of its texts.
    """

    name: str
    type: str = "text"
    required: bool = False
    fill: Share = 1.0
    length: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    shapes: tuple[str, ...] = ()
    select: str = ""
    anchors: tuple[str, ...] = ()


class RegionForm(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One table: where its records are, the pattern they are laid along, its columns, what to
    expect, a few rows as evidence.

    `kind` is `page` (the page is one record), `list` (records found by `anchors`), or `inner`
    (records that repeat inside the page's record, below row `parent` of the first region's pattern,
    called as `like` says). `tops` are the tags of a record made of several siblings. `fit` is the
    share of the usual rows that a record must have, `strays` the share that one among the records
    must have that no anchor finds (0: there are none). `paths` are places inside a record whose
    column is known (`""`: none), whatever the pattern says. `runs` are rows (by number) that hold a
    list of values, counted off from the left.
    """

    name: str
    kind: Literal["page", "list", "inner"]
    columns: tuple[ColumnForm, ...]
    pages: Annotated[int, msgspec.Meta(ge=1, le=2**31)] = 1
    pattern: tuple[RowForm, ...] = ()
    anchors: tuple[str, ...] = ()
    tops: tuple[str, ...] = ()
    parent: int = -1
    like: str = ""
    runs: tuple[tuple[Count, ...], ...] = ()
    records: tuple[Count, Count] = (1, 1)
    fit: Share = 0.5
    strays: Share = 0.0
    paths: dict[str, str] = {}
    confidence: Share = 1.0
    evidence: tuple[dict[str, str], ...] = ()


class ClassForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page class: a sketch of its structure (`structure` measure, base64) and how alike a page
    must be.
    """

    sketch: str
    threshold: Share


class WrapperForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    treelace: Literal["wrapper"]
    version: Literal[1]
    page_class: ClassForm
    regions: tuple[RegionForm, ...]


_READER = msgspec.json.Decoder(WrapperForm)
"""Made while one thread imports this: msgspec looks at a type when it is first asked for, and two
threads that ask at once crash it.
"""


def read(text: str) -> WrapperForm:
    """The form of a file; a `WrapperError` names the line and what was expected there. A byte-order
    mark, as some editors leave it, is nothing.
    """
    text = text.removeprefix("\ufeff")
    try:
        return _READER.decode(text.encode("utf-8", "surrogatepass"))
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `")
        place = path.rstrip("`") or "$"
        unknown = re.fullmatch(r"Object contains unknown field `(.*)`", message)
        at = f"{place}.{unknown[1]}" if unknown else place
        raise WrapperError(
            f"wrapper, line {line_of(text, at)}, {place}: {_plain(message, place)}"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        found = re.search(r"\(byte (\d+)\)", str(error))
        line = (
            text.encode("utf-8", "surrogatepass")[: int(found[1])].count(b"\n") + 1
            if found
            else text.count("\n") + 1
        )
        raise WrapperError(
            f"wrapper, line {line}: expected JSON: {_plain(str(error).partition(' (byte')[0])}"
        ) from error


def write(form: WrapperForm) -> str:
    """The file: one line for each row of a pattern, each column and each row of evidence, so that a
    change is a change of a line.
    """
    return _written(msgspec.to_builtins(form), 0) + "\n"


_ONE_LINE = frozenset(["pattern", "columns", "evidence"])


def _written(value: Any, depth: int, name: str = "") -> str:
    inner, outer = " " * (depth + 1), " " * depth
    if isinstance(value, dict) and value:
        parts = [
            f"{inner}{json.dumps(key)}: {_written(part, depth + 1, key)}"
            for key, part in value.items()
        ]
        return "{\n" + ",\n".join(parts) + f"\n{outer}}}"
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], dict):
        each = _flat if name in _ONE_LINE else lambda part: _written(part, depth + 1)
        return "[\n" + ",\n".join(inner + each(part) for part in value) + f"\n{outer}]"
    return _flat(value)


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_CHOICES = {"treelace": "'wrapper'", "version": str(VERSION), "kind": "'page', 'list' or 'inner'"}


def _plain(message: str, place: str = "") -> str:
    """What msgspec says, in the words of a person who edits the file."""
    choice = re.fullmatch(r"Invalid enum value (.*)", message)
    if choice:
        return (
            f"expected {_CHOICES.get(place.rpartition('.')[2], 'another value')}, got {choice[1]}"
        )
    message = {"Input data was truncated": "the file ends too early"}.get(
        message, message.removeprefix("JSON is malformed: ")
    )
    message = message.replace("`", "'")
    for theirs, ours in (
        ("Object missing required field", "expected a field"),
        ("Object contains unknown field", "expected no field"),
        ("'object'", "an object in braces"),
        ("'array'", "a list in brackets"),
        ("'str'", "a text"),
        ("'int'", "a whole number"),
        ("'float'", "a number"),
        ("'bool'", "true or false"),
        ("of length >= 1", "that is not empty"),
    ):
        message = message.replace(theirs, ours)
    return message[:1].lower() + message[1:] if message.startswith("Expected") else message


_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)')


def line_of(text: str, path: str) -> int:
    """The line of the value at a path such as `$.regions[0].columns[2].name`; that of the nearest
    thing around it where it is not there.

    >>> line_of('{"a": [1,\\n 2,\\n 3]}', "$.a[2]")
    3
    """
    steps: list[str | int] = [
        int(index) if index else name
        for name, index in re.findall(r"\.([^.\[\]]+)|\[(\d+)\]", path)
    ]
    place = _skip(text, 0)
    for step in steps:
        found = _inside(text, place, step)
        if found is None:
            break
        place = found
    return text.count("\n", 0, place) + 1


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _inside(text: str, at: int, step: str | int) -> int | None:
    """Where the member or element `step` of the object or list at a place begins."""
    opening = text[at : at + 1]
    if opening not in ("{", "["):
        return None
    at = _skip(text, at + 1)
    number = 0
    while at < len(text) and text[at] not in "}]":
        name: str | int = number
        if opening == "{":
            token = _TOKEN.match(text, at)
            if token is None:
                return None
            name = json.loads(token[1]) if token[1].startswith('"') else token[1]
            at = _skip(text, _skip(text, token.end()) + 1)
        if name == step:
            return at
        at = _skip(text, _past(text, at))
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        number += 1
    return None


def _past(text: str, at: int) -> int:
    """One past the value at a place."""
    depth = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return len(text)
        at = token.end()
        depth += (token[1] in "{[") - (token[1] in "}]")
        if depth <= 0:
            return at
    return at


def schema() -> dict[str, Any]:
    """The JSON schema of the file; `wrapper.schema.json` holds it for others."""
    made = msgspec.json.schema(WrapperForm)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:treelace:wrapper:1",
        "title": "treelace wrapper",
    }
    return head | made
