"""The studio as a web application: its routes, in one visible list."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from treelace import look
from treelace.errors import LimitError, StoreError, TreelaceError, UsageError
from treelace.look.page import STYLE
from treelace.studio.answers import Answer, respond
from treelace.studio.asking import Ask
from treelace.studio.guard import FRAME_PATH, Guard
from treelace.studio.pages import Pages
from treelace.studio.views import alerts, care, classes, frames, home, page, record, sql, tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from treelace.site import Site
    from treelace.studio.guard import Keys
    from treelace.studio.sites import Sites

    View = Callable[[Site, Ask], Answer]

VIEWS: dict[str, View] = {
    "": home.overview,
    "tables": tables.tables,
    "table/{kind}": tables.table,
    "record/{kind}": record.record,
    "pages": page.pages,
    "page": page.page,
    "diff": page.diff,
    "classes": classes.classes,
    "classes/{name}": classes.one_class,
    "alerts": alerts.alerts,
    "sql": sql.sql,
    "care": care.care,
}
"""What there is to look at of a site, by the path behind its name."""

STATIC = {"studio.css": "text/css", "studio.js": "text/javascript", "icon.svg": "image/svg+xml"}


def make_app(sites: Sites, keys: Keys) -> Starlette:
    """The studio over some sites."""
    pages = Pages(sites)
    answer = partial(_answer, sites=sites, keys=keys, pages=pages)
    static = {name: _static(name) for name in STATIC}
    return Starlette(
        routes=[
            Route("/", partial(answer, view=None), name="sites"),
            Route(FRAME_PATH, partial(frames.frame, sites=sites)),
            Route("/static/{name}", partial(_file, static=static)),
            *(
                Route(f"/s/{{site}}/{path}", partial(answer, view=view), name=path or "overview")
                for path, view in VIEWS.items()
            ),
        ],
        middleware=[Middleware(Guard, keys=keys)],
        exception_handlers={
            TreelaceError: partial(_failed, sites=sites, keys=keys, pages=pages),
            HTTPException: partial(_failed, sites=sites, keys=keys, pages=pages),
        },
    )


async def _answer(
    request: Request, *, view: View | None, sites: Sites, keys: Keys, pages: Pages
) -> Response:
    """Asks a view, on a thread: the store is not asynchronous."""
    ask = Ask(request, keys, sites)

    def asked() -> Response:
        answer = home.sites(ask) if view is None else view(sites.reading(ask.site_name), ask)
        return respond(answer, ask, pages)

    return await run_in_threadpool(asked)


async def _failed(
    request: Request, error: Exception, *, sites: Sites, keys: Keys, pages: Pages
) -> Response:
    """What went wrong, in words, and where to go from here."""
    status = (
        error.status_code
        if isinstance(error, HTTPException)
        else 404
        if isinstance(error, UsageError)
        else 503
        if isinstance(error, StoreError | LimitError)
        else 422
    )
    said = "there is no such page here" if status == 404 and not str(error) else str(error)
    if isinstance(error, HTTPException):
        said = "there is no such view in the studio" if status == 404 else error.detail
    if request.url.path == FRAME_PATH:
        return PlainTextResponse(f"{said}\n", status_code=status)
    ask = Ask(request, keys, sites)
    if ask.form == "json":
        return JSONResponse({"error": said}, status_code=status)
    if ask.site_name not in sites.folders:
        ask.request.scope["path_params"] = {}
    shown = Answer(template="failed.html", title="That did not work", context={"said": said})
    return HTMLResponse(pages.write(shown, ask), status_code=status)


def _static(name: str) -> Response:
    text = (files("treelace.studio") / "static" / name).read_text(encoding="utf-8")
    if name.endswith(".css"):
        text = look.COLOURS + STYLE + text
    return Response(
        text, media_type=STATIC[name], headers={"cache-control": "private, max-age=3600"}
    )


async def _file(request: Request, *, static: dict[str, Response]) -> Response:
    name = request.path_params["name"]
    if name not in static:
        raise HTTPException(404)
    return static[name]
