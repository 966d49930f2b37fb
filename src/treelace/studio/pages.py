"""Answers as pages: templates with everything escaped, and the words they share."""

from __future__ import annotations

from datetime import datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from jinja2 import DictLoader, Environment, StrictUndefined

if TYPE_CHECKING:
    from collections.abc import Callable

    from treelace.studio.answers import Answer
    from treelace.studio.asking import Ask
    from treelace.studio.sites import Sites

TABS = {
    "": "Overview",
    "tables": "Tables",
    "pages": "Pages",
    "classes": "Classes",
    "inbox": "Inbox",
    "alerts": "Alerts",
    "sql": "SQL",
    "care": "Care",
}
_LONGEST = 160


class Pages:
    """Writes answers as HTML."""

    def __init__(self, sites: Sites) -> None:
        found = files("treelace.studio") / "templates"
        loader = DictLoader(
            {
                one.name: one.read_text(encoding="utf-8")
                for one in found.iterdir()
                if one.name.endswith(".html")
            }
        )
        self._sites = sites
        self._templates = Environment(
            loader=loader,
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        filters: dict[str, Callable[..., str]] = {
            "count": lambda number: f"{number:,}",
            "when": when,
            "path": path_of,
            "short": short,
            "segment": lambda text: quote(str(text), safe=""),
            "value": value_text,
            "bytes": byte_text,
        }
        self._templates.filters |= filters
        self._templates.globals |= {"TABS": TABS}

    def write(self, answer: Answer, ask: Ask) -> str:
        """The page of an answer."""
        tab = ask.request.url.path.removeprefix(f"/s/{ask.site_name}/").partition("/")[0]
        return self._templates.get_template(answer.template).render(
            title=answer.title,
            ask=ask,
            to=ask.to,
            here=ask.here,
            site_name=ask.site_name,
            sites=tuple(self._sites.folders),
            tab={
                "table": "tables",
                "record": "tables",
                "page": "pages",
                "diff": "pages",
                "noise": "inbox",
                "rule": "alerts",
            }.get(tab, tab),
            has_csv=bool(answer.heads),
            csrf=ask.keys.csrf,
            is_read_only=self._sites.read_only,
            **answer.context,
        )


def when(time: datetime | None, otherwise: str = "never") -> str:
    """A time for people, in this machine's zone, without the seconds."""
    return otherwise if time is None else f"{time.astimezone():%Y-%m-%d %H:%M}"


def path_of(url: str | None) -> str:
    """An address without its host.

    >>> path_of("https://shop.example/tea?page=2"), path_of("https://shop.example")
    ('/tea?page=2', '/')
    """
    parts = urlsplit(url or "")
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def short(text: object, most: int = _LONGEST) -> str:
    """A text that is cut where it is long."""
    words = " ".join(str(text).split())
    return words if len(words) <= most else f"{words[: most - 1]}…"


def value_text(value: Any) -> str:
    """A value of a record, for people."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return when(value)
    if isinstance(value, float):
        return f"{value:,.10g}"
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()[:40]
    return short(value)


def byte_text(count: int) -> str:
    """A number of bytes, for people.

    >>> byte_text(1_101_824), byte_text(512)
    ('1.1 MB', '512 bytes')
    """
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} bytes"
