"""Reads, checks and writes a wrapper's JSON file; a mistake is named with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from treelace.errors import WrapperError
from treelace.extract.types import TYPES
from treelace.wrappers.model.form import RegionForm, WrapperForm
from treelace.wrappers.model.page_class import decoded_sketch
from treelace.wrappers.model.selectors import compiled_selector

VERSION = 1
"""Of the form of the file."""


_DECODER = msgspec.json.Decoder(WrapperForm)
"""Made while one thread imports this: msgspec looks at a type when it is first asked for, and two
threads that ask at once crash it.
"""


def read(text: str) -> WrapperForm:
    """The form of a file, with or without byte-order mark; a `WrapperError` names the line."""
    text = text.removeprefix("\ufeff")
    try:
        return _DECODER.decode(text.encode("utf-8", "surrogatepass"))
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `")
        place = path.rstrip("`") or "$"
        unknown = re.fullmatch(r"Object contains unknown field `(.*)`", message)
        at = f"{place}.{unknown[1]}" if unknown else place
        raise WrapperError(
            f"wrapper, line {line_of(text, at)}, {place}: {_in_plain_words(message, place)}"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        found = re.search(r"\(byte (\d+)\)", str(error))
        line = (
            text.encode("utf-8", "surrogatepass")[: int(found[1])].count(b"\n") + 1
            if found
            else text.count("\n") + 1
        )
        what = _in_plain_words(str(error).partition(" (byte")[0])
        raise WrapperError(f"wrapper, line {line}: expected JSON: {what}") from error


def write(form: WrapperForm) -> str:
    """The file text, one line per pattern row, column and evidence row, so that diffs are small."""
    return _indented(msgspec.to_builtins(form), 0) + "\n"


_ONE_LINE = frozenset(["pattern", "columns", "evidence"])


def _indented(value: object, depth: int, name: str = "") -> str:
    inner, outer = " " * (depth + 1), " " * depth
    if isinstance(value, dict) and value:
        parts = [
            f"{inner}{json.dumps(key)}: {_indented(part, depth + 1, key)}"
            for key, part in value.items()
        ]
        return "{\n" + ",\n".join(parts) + f"\n{outer}}}"
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], dict):
        each = _on_one_line if name in _ONE_LINE else lambda part: _indented(part, depth + 1)
        return "[\n" + ",\n".join(inner + each(part) for part in value) + f"\n{outer}]"
    return _on_one_line(value)


def _on_one_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_CHOICES = {"treelace": "'wrapper'", "version": str(VERSION), "kind": "'page', 'list' or 'inner'"}


def _in_plain_words(message: str, place: str = "") -> str:
    """What msgspec says, in the words of a person who edits the file, and in one line: names of
    fields may have others.
    """
    message = " ".join(message.split())
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


_VALUE = json.JSONDecoder()


def line_of(text: str, path: str) -> int:
    """The line of the value at a path (`$.regions[0].columns[2].name`), or of the nearest around.

    >>> line_of('{"a": [1,\\n 2,\\n 3]}', "$.a[2]")
    3
    """
    steps: list[str | int] = [
        int(index) if index else name
        for name, index in re.findall(r"\.([^.\[\]]+)|\[(\d+)\]", path)
    ]
    place = _skip_blanks(text, 0)
    for step in steps:
        try:
            found = _member(text, place, step)
        except (ValueError, RecursionError):  # what stands before it is no JSON for Python
            break
        if found is None:
            break
        place = found
    return text.count("\n", 0, place) + 1


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _member(text: str, at: int, step: str | int) -> int | None:
    """Where the member or element `step` of the object or list at a place begins."""
    opening = text[at : at + 1]
    if opening not in ("{", "["):
        return None
    at = _skip_blanks(text, at + 1)
    number = 0
    while at < len(text) and text[at] not in "}]":
        name: str | int = number
        if opening == "{":
            name, at = _VALUE.raw_decode(text, at)
            at = _skip_blanks(text, _skip_blanks(text, at) + 1)
        if name == step:
            return at
        at = _skip_blanks(text, _VALUE.raw_decode(text, at)[1])
        if text[at : at + 1] == ",":
            at = _skip_blanks(text, at + 1)
        number += 1
    return None


def schema() -> dict[str, object]:
    """The JSON schema of the file; `wrapper.schema.json` holds it for others."""
    made = msgspec.json.schema(WrapperForm)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:treelace:wrapper:1",
        "title": "treelace wrapper",
    }
    return head | made


def check_form(form: WrapperForm, text: str) -> None:
    """Raises a `WrapperError` with line and place for the first mistake that the schema allows."""
    for path, what in _problems(form):
        raise WrapperError(f"wrapper, line {line_of(text, path)}, {path}: {what}")


_MARKS = ("label:", "holder:", "struck:", "head:", "group:", "drawn:")
"""How anchors of columns begin that are no selectors."""


def _problems(form: WrapperForm) -> Iterator[tuple[str, str]]:
    """What is wrong in a file, in its order: where, and what was expected there."""
    if not form.regions:
        yield "$.regions", "expected at least one region"
    for number, region in enumerate(form.regions):
        for path, what in _region_problems(region, form.regions[0]):
            yield f"$.regions[{number}]{path}", what
    try:
        decoded_sketch(form.page_class)
    except WrapperError:
        yield "$.page_class.sketch", "expected the sketch that treelace wrote"


def _region_problems(region: RegionForm, first: RegionForm) -> Iterator[tuple[str, str]]:
    names = [column.name for column in region.columns]
    for at, name in enumerate(names):
        if name in names[:at] or not name:
            yield f".columns[{at}].name", f"expected a name that no other column has, got {name!r}"
    for at, column in enumerate(region.columns):
        if column.type not in TYPES:
            yield f".columns[{at}].type", f"expected {', '.join(TYPES)}, got {column.type!r}"
        if column.select:
            yield from _selector_problems(f".columns[{at}].select", column.select)
        for number, anchor in enumerate(column.anchors):
            if not anchor.startswith(_MARKS):
                yield from _selector_problems(f".columns[{at}].anchors[{number}]", anchor)
    yield from _pattern_problems(region, names)
    if region.kind == "list" and not region.anchors:
        yield ".anchors", "expected at least one selector that finds the records"
    for at, anchor in enumerate(region.anchors):
        yield from _selector_problems(f".anchors[{at}]", anchor)
    if region.kind == "inner" and not 0 <= region.parent < len(first.pattern):
        yield (
            ".parent",
            (
                f"expected a row of the first region's pattern, 0 to {len(first.pattern) - 1}, got"
                f" {region.parent}"
            ),
        )
    for at, run in enumerate(region.runs):
        if any(row >= len(region.pattern) for row in run):
            yield (
                f".runs[{at}]",
                f"expected rows of the pattern, 0 to {len(region.pattern) - 1}, got {list(run)}",
            )
    if region.records[0] > region.records[1]:
        yield ".records", f"expected the fewest and the most records, got {list(region.records)}"
    for path, name in region.paths.items():
        if name and name not in names:
            yield f".paths.{path}", f"expected the name of a column or nothing, got {name!r}"
    for build, places in region.odd.items():
        for name in places.values():
            if name and name not in names:
                yield f".odd.{build}", f"expected the name of a column or nothing, got {name!r}"


def _pattern_problems(region: RegionForm, names: list[str]) -> Iterator[tuple[str, str]]:
    depth = 0
    for at, row in enumerate(region.pattern):
        if (at == 0) != (row.depth == 0) or row.depth > depth + 1:
            yield (
                f".pattern[{at}].depth",
                f"expected {'0' if at == 0 else f'1 to {depth + 1}'}, got {row.depth}",
            )
        if row.column and row.column not in names:
            yield f".pattern[{at}].column", f"expected the name of a column, got {row.column!r}"
        depth = row.depth


def _selector_problems(place: str, selector: str) -> Iterator[tuple[str, str]]:
    try:
        compiled_selector(selector)
    except WrapperError as error:
        yield place, f"expected a selector: {error}"
