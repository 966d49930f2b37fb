"""What a request asks for: its parameters, read and checked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from treelace.errors import UsageError
from treelace.site import read_time
from treelace.studio.api import PREFIX

if TYPE_CHECKING:
    from starlette.requests import Request

    from treelace.studio.acting import Notes
    from treelace.studio.actions import Done
    from treelace.studio.guard import Keys
    from treelace.studio.sites import Sites

ROWS_OF_A_PAGE = 50
MAX_ROWS = 1000
"""Rows that one answer has at most; the next ones have an address of their own."""


class Ask:
    """A request to a view."""

    def __init__(self, request: Request, keys: Keys, sites: Sites, notes: Notes | None) -> None:
        self.request = request
        self.keys = keys
        self.sites = sites
        self.query = request.query_params
        self._notes = notes

    @property
    def note(self) -> Done | None:
        """What was just done, where it is to be said here."""
        key = self.query.get("note", "")
        return self._notes.get(key) if key and self._notes is not None else None

    @property
    def form(self) -> str:
        """html, json or csv; by the HTTP interface JSON."""
        is_api = self.request.url.path.startswith(f"{PREFIX}/")
        return self.query.get("to") or ("json" if is_api else "html")

    @property
    def site_name(self) -> str:
        """The site's name in the address; empty outside of one."""
        return str(self.request.path_params.get("site", ""))

    def part(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    def word(self, name: str, default: str = "") -> str:
        """A parameter as it is written."""
        return self.query.get(name, default).strip()

    def wanted(self, name: str) -> str:
        """A parameter without which there is no answer."""
        if not self.word(name):
            raise UsageError(f"the address lacks {name}=…")
        return self.word(name)

    def words(self, name: str) -> list[str]:
        """All values of a parameter."""
        return [value.strip() for value in self.query.getlist(name) if value.strip()]

    def number(self, name: str, default: int, *, most: int | None = None) -> int:
        """A parameter that is a whole number from 0."""
        said = self.word(name)
        if not said:
            return default
        if not (said.isascii() and said.isdigit()):
            raise UsageError(f"{name}={said} is no number")
        return int(said) if most is None else min(int(said), most)

    def maybe_number(self, name: str) -> int | None:
        """The same, None where it is not there."""
        return self.number(name, 0) if self.word(name) else None

    def flag(self, name: str) -> bool:
        """Whether a parameter is there."""
        return bool(self.word(name))

    def time(self, name: str) -> datetime | None:
        """A time; without a zone it is one of this machine's, as the studio shows them."""
        said = self.word(name)
        if not said:
            return None
        try:
            time = datetime.fromisoformat(said)
        except ValueError:
            return read_time(said)
        return time.astimezone(UTC)

    @property
    def limit(self) -> int:
        """How many rows."""
        return self.number("limit", ROWS_OF_A_PAGE, most=MAX_ROWS)

    @property
    def offset(self) -> int:
        """From which row on."""
        return self.number("offset", 0)

    def here(self, **changes: object) -> str:
        """The address of this view with other parameters; None takes one away."""
        changes = {"note": None, **changes}
        kept = [(name, value) for name, value in self.query.multi_items() if name not in changes]
        for name, value in changes.items():
            values = value if isinstance(value, list) else [value]
            kept += [(name, str(one)) for one in values if one is not None and one != ""]
        query = urlencode([(name, value) for name, value in kept if value])
        return self.request.url.path + (f"?{query}" if query else "")

    def to(self, path: str, **query: object) -> str:
        """The address of another view of this site."""
        said = urlencode([(name, str(it)) for name, it in query.items() if it not in (None, "")])
        return f"/s/{self.site_name}/{path}" + (f"?{said}" if said else "")

    def frame(
        self,
        url: str,
        version: int | None = None,
        mark: int | None = None,
        *,
        is_pointed_at: bool = False,
    ) -> str:
        """The address of a captured page; of one in which someone points at things."""
        asked = {"site": self.site_name, "url": url, "version": version, "mark": mark}
        asked["point"] = 1 if is_pointed_at else None
        return self.frame_of(**asked) + ("#treelace-mark" if mark is not None else "")

    def frame_of(self, **query: object) -> str:
        """The address of something made of captured pages."""
        said = urlencode([(name, str(it)) for name, it in query.items() if it is not None])
        return self.keys.frame(said)
