"""Watch lists of other programs: pages with the places on them that someone watches.

Three forms are read. changedetection.io: its `url-watches.json` (`watching`, by number), what its
interface answers for a watch or for all of them, and its list of addresses, a line each, with tags
behind. Distill: its export (`data`, with `uri`, `name`, and `config`, JSON inside of JSON, whose
`selections` have `frames` with `includes`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from treelace.errors import TreelaceError, UsageError
from treelace.monitor.rules import Rule

WHOLE_PAGE = "body"


@dataclass(frozen=True, slots=True)
class Watch:
    """A page that someone watches: what it is called, and which place on it."""

    url: str
    name: str
    select: str
    is_paused: bool = False
    problem: str = ""
    """What of it cannot be taken over; the whole page is watched then."""


def read_watch_list(text: str) -> list[Watch]:
    """The watches of a list; `UsageError` where it is of none of the forms.

    >>> [it.url for it in read_watch_list("https://a.example/ tea\\nhttps://b.example/")]
    ['https://a.example/', 'https://b.example/']
    """
    try:
        said = json.loads(text)
    except ValueError:
        found = list(_of_lines(text))
    else:
        found = list(_of_json(said))
    if not found:
        raise UsageError(
            "this is no watch list: it is a url-watches.json or a list of addresses of"
            " changedetection.io, or an export of Distill"
        )
    return found


def _of_json(said: Any) -> Iterator[Watch]:
    if isinstance(said, dict) and isinstance(said.get("data"), list):
        for one in said["data"]:
            if isinstance(one, dict) and _is_address(one.get("uri")):
                yield _of_distill(one)
        return
    if isinstance(said, dict) and isinstance(said.get("watching"), dict):
        said = said["watching"]
    watches = [said] if isinstance(said, dict) and "url" in said else said
    if isinstance(watches, dict):
        watches = list(watches.values())
    for one in watches if isinstance(watches, list) else ():
        if isinstance(one, dict) and _is_address(one.get("url")):
            filters = one.get("include_filters") or one.get("css_filter") or []
            filters = [filters] if isinstance(filters, str) else filters
            yield _watch(one["url"], one.get("title"), filters, is_paused=bool(one.get("paused")))


def _of_lines(text: str) -> Iterator[Watch]:
    for line in text.splitlines():
        address = line.split()[0] if line.split() else ""
        if _is_address(address):
            yield _watch(address, "", [])


def _of_distill(one: Mapping[str, Any]) -> Watch:
    config = one.get("config")
    try:
        config = json.loads(config) if isinstance(config, str) else config
    except ValueError:
        config = None
    places = [
        f"{include.get('type', 'css')}:{include.get('expr', '')}"
        for selection in _list(config, "selections")
        for frame in _list(selection, "frames")
        for include in _list(frame, "includes")
        if isinstance(include, dict)
    ]
    return _watch(one["uri"], one.get("name"), places, is_paused=one.get("state") == 0)


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _watch(url: str, name: object, places: list[Any], *, is_paused: bool = False) -> Watch:
    """A watch with its places as one selection; what cannot be read is said."""
    title = " ".join(str(name or "").split())
    wanted = [str(it).strip() for it in places if str(it).strip()]
    ways = [_selection(it) for it in wanted]
    problem = next((it for it, way in zip(wanted, ways, strict=True) if way is None), "")
    kinds = {kind for kind, _ in filter(None, ways)}
    select = WHOLE_PAGE
    if ways and not problem and len(kinds) == 1:
        sign = ", " if kinds == {"css"} else " | "
        select = sign.join(expression for _, expression in filter(None, ways))
        select = select if kinds == {"css"} else f"xpath:{select}"
        try:
            Rule(page=url, select=select).check()
        except TreelaceError:
            select, problem = WHOLE_PAGE, wanted[0]
    elif len(kinds) > 1:
        problem = "CSS beside XPath"
    return Watch(url, title, select, is_paused, problem)


def _selection(place: str) -> tuple[str, str] | None:
    """A place as CSS or XPath; None for another language."""
    kind, colon, rest = place.partition(":")
    if colon and kind in ("xpath", "xpath1"):
        return "xpath", rest
    if colon and kind == "css":
        return "css", rest
    if colon and kind in ("json", "jq", "jqraw", "js", "regexp"):
        return None
    return ("xpath" if place.startswith(("/", "(/")) else "css"), place


def _is_address(said: object) -> bool:
    if not isinstance(said, str) or not re.match(r"https?://", said):
        return False
    try:
        return bool(urlsplit(said).hostname)
    except ValueError:
        return False
