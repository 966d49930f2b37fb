"""What a view answers, and its forms: a page for people, JSON and CSV for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse, Response

from treelace.errors import UsageError
from treelace.site import write_table

if TYPE_CHECKING:
    from treelace.studio.asking import Ask
    from treelace.studio.pages import Pages

FORMS = ("html", "json", "csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A view: the template that shows it, and the rows that programs get. `data` is the JSON where
    rows alone do not say it.
    """

    template: str
    title: str
    context: Mapping[str, Any] = field(default_factory=dict)
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    data: Any = None


def respond(answer: Answer, ask: Ask, pages: Pages) -> Response:
    """The answer in the form that was asked for."""
    form = ask.form
    if form == "json":
        data = answer.data
        if data is None:
            data = [dict(zip(answer.heads, row, strict=True)) for row in answer.rows]
        text = json.dumps(data, ensure_ascii=False, indent=1, default=_plain)
        return Response(text + "\n", media_type="application/json")
    if form == "csv":
        rows = [[_csv(value) for value in row] for row in answer.rows]
        written = write_table(answer.heads, rows, "csv")
        return Response(written, media_type="text/csv")
    if form != "html":
        raise UsageError(f"no form {form!r}; there are: {', '.join(FORMS)}")
    return HTMLResponse(pages.write(answer, ask))


def _plain(value: object) -> object:
    """What JSON has no word for."""
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def _csv(value: object) -> object:
    return value.isoformat() if isinstance(value, date | datetime) else value
