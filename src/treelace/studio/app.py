"""The studio as a web application: its routes, in one visible list."""

from __future__ import annotations

import traceback
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from treelace import look
from treelace.errors import LimitError, StoreError, TreelaceError, UsageError
from treelace.look.page import STYLE
from treelace.studio.acting import Notes, act
from treelace.studio.answers import Answer, respond
from treelace.studio.api import PREFIX, description
from treelace.studio.asking import Ask
from treelace.studio.guard import FRAME_PATH, Guard
from treelace.studio.pages import Pages
from treelace.studio.tries import Tries
from treelace.studio.views import (
    alerts,
    care,
    classes,
    comparing,
    frames,
    home,
    inbox,
    job,
    page,
    record,
    rules,
    sql,
    tables,
    trying,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from treelace.site import Site
    from treelace.studio.guard import Keys
    from treelace.studio.jobs import Jobs
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
    "classes/{name}/columns": classes.columns,
    "classes/{name}/point": classes.point,
    "classes/{name}/repair": classes.repair,
    "alerts": alerts.alerts,
    "inbox": inbox.inbox,
    "noise": inbox.noise,
    "rule": rules.rule,
    "sql": sql.sql,
    "care": care.care,
}
"""What there is to look at of a site, by the path behind its name."""

STATIC = {"studio.css": "text/css", "studio.js": "text/javascript", "icon.svg": "image/svg+xml"}


def make_app(sites: Sites, keys: Keys, jobs: Jobs, *, api_only: bool = False) -> Starlette:
    """The studio over some sites, or its HTTP interface alone; whoever makes it closes `jobs`."""
    pages, notes, tries = Pages(sites), Notes(), Tries()
    answer = partial(_answer, sites=sites, keys=keys, pages=pages, notes=notes)
    failed = partial(_failed, sites=sites, keys=keys, pages=pages)
    interface = [
        Route(f"{PREFIX}/openapi.json", _describe),
        Route(f"{PREFIX}/sites", partial(answer, view=home.sites)),
        *_site_routes(PREFIX, answer, sites, keys, notes),
        *_job_routes(PREFIX, answer, sites, keys, jobs),
    ]
    return Starlette(
        routes=interface
        if api_only
        else [
            *interface,
            Route("/", partial(answer, view=home.sites)),
            Route("/compare", partial(answer, view=comparing.compare)),
            Route(
                "/watches",
                partial(comparing.take_watches, sites=sites, keys=keys, notes=notes),
                methods=["POST"],
            ),
            Route(FRAME_PATH, partial(frames.frame, sites=sites, tries=tries)),
            Route("/static/{name}", partial(_file, static={it: _static(it) for it in STATIC})),
            *_try_routes(answer, sites, keys, tries, notes),
            *_site_routes("", answer, sites, keys, notes),
            *_job_routes("", answer, sites, keys, jobs),
        ],
        middleware=[Middleware(Guard, keys=keys)],
        exception_handlers={TreelaceError: failed, HTTPException: failed, Exception: _broken},
    )


def _try_routes(
    answer: Callable[..., Any], sites: Sites, keys: Keys, tries: Tries, notes: Notes
) -> list[Route]:
    took = partial(trying.take_page, sites=sites, keys=keys, tries=tries)
    watched = partial(trying.watch, sites=sites, keys=keys, tries=tries, notes=notes)
    return [
        Route("/try", partial(answer, view=trying.ask_for_page)),
        Route("/try", took, methods=["POST"]),
        Route("/try/{key}", partial(answer, view=lambda ask: trying.tried(ask, tries))),
        Route("/try/{key}/file", partial(answer, view=lambda ask: trying.download(ask, tries))),
        Route("/try/{key}/watch", watched, methods=["POST"]),
    ]


def _site_routes(
    prefix: str, answer: Callable[..., Any], sites: Sites, keys: Keys, notes: Notes
) -> list[Route]:
    done = partial(act, sites=sites, keys=keys, notes=notes)
    return [
        *(
            Route(f"{prefix}/s/{{site}}/{path}", partial(answer, view=_of_site(view)))
            for path, view in VIEWS.items()
        ),
        Route(f"{prefix}/s/{{site}}/do/{{do}}", done, methods=["POST"]),
    ]


def _job_routes(
    prefix: str, answer: Callable[..., Any], sites: Sites, keys: Keys, jobs: Jobs
) -> list[Route]:
    place = f"{prefix}/s/{{site}}/job"
    changed = partial(job.change_job, sites=sites, keys=keys, jobs=jobs)
    return [
        Route(place, partial(answer, view=lambda ask: job.job(ask, jobs))),
        Route(place, changed, methods=["POST"]),
        Route(f"{place}/events", partial(job.follow, sites=sites, jobs=jobs)),
    ]


async def _describe(_request: Request) -> Response:
    """What the interface has, as OpenAPI."""
    return JSONResponse(description(VIEWS, version("treelace")))


def _of_site(view: View) -> Callable[[Ask], Answer]:
    """A view of a site as one of the whole studio."""
    return lambda ask: view(ask.sites.reading(ask.site_name), ask)


async def _answer(
    request: Request,
    *,
    view: Callable[[Ask], Answer | Response],
    sites: Sites,
    keys: Keys,
    pages: Pages,
    notes: Notes,
) -> Response:
    """Asks a view, on a thread: the store is not asynchronous."""
    ask = Ask(request, keys, sites, notes)

    def asked() -> Response:
        answer = view(ask)
        return answer if isinstance(answer, Response) else respond(answer, ask, pages)

    return await run_in_threadpool(asked)


async def _failed(
    request: Request, error: Exception, *, sites: Sites, keys: Keys, pages: Pages
) -> Response:
    """What went wrong, in words, and where to go from here."""
    if isinstance(error, HTTPException):
        status = error.status_code
        said = "there is no such view in the studio" if status == 404 else error.detail
    else:
        is_ours = isinstance(error, StoreError | LimitError)
        status = 404 if isinstance(error, UsageError) else 503 if is_ours else 422
        said = str(error)
    if request.url.path == FRAME_PATH:
        return PlainTextResponse(f"{said}\n", status_code=status)
    ask = Ask(request, keys, sites, None)
    if ask.form == "json":
        return JSONResponse({"error": said}, status_code=status)
    if ask.site_name not in sites.folders:
        ask.request.scope["path_params"] = {}
    shown = Answer(template="failed.html", title="That did not work", context={"said": said})
    return HTMLResponse(pages.write(shown, ask), status_code=status)


async def _broken(_request: Request, error: Exception) -> Response:
    """A mistake of our own: a line for the reader, all of it for the terminal."""
    traceback.print_exception(error)
    return PlainTextResponse(
        "something is wrong in the studio itself; the terminal it runs in says what\n",
        status_code=500,
    )


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
