"""Long work on a site: started, followed live by server-sent events, stopped."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, StreamingResponse

from treelace.studio.acting import checked_form
from treelace.studio.actions import column_fields, column_pairs
from treelace.studio.answers import Answer
from treelace.studio.api import PREFIX

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response

    from treelace.studio.actions import Form
    from treelace.studio.asking import Ask
    from treelace.studio.guard import Keys
    from treelace.studio.jobs import Jobs
    from treelace.studio.sites import Sites

PAUSE = 0.5
"""Seconds between two looks at a job."""


def job(ask: Ask, jobs: Jobs) -> Answer:
    """How far the newest job of a site is."""
    ask.sites.reading(ask.site_name)
    state = jobs.state(ask.site_name)
    return Answer(
        template="job.html",
        title="Work",
        context={"state": state, "fields": jobs.fields(ask.site_name)},
        heads=("event", "count"),
        rows=list(state.counts.items()),
        data=state.to_json(),
    )


async def change_job(request: Request, *, sites: Sites, keys: Keys, jobs: Jobs) -> Response:
    """Starts or stops one; a program gets its state, a person its page."""
    form = await checked_form(request, keys, sites)
    name = request.path_params["site"]

    def changed() -> None:
        sites.reading(name)
        if form.word("stop"):
            jobs.stop(name)
        else:
            folder = sites.folders[name]
            what = form.wanted("what")
            words = column_words(form) if what == "columns" else []
            if what == "rebuild":
                words = ["--", sites.reading(name).kind(form.wanted("records")).name]
            fields = (
                [("name", form.wanted("name")), *column_pairs(form)] if what == "columns" else []
            )
            jobs.start(
                name, what, folder, allow_private=sites.allow_private, words=words, fields=fields
            )

    await run_in_threadpool(changed)
    if request.url.path.startswith(f"{PREFIX}/"):
        state = await run_in_threadpool(jobs.state, name)
        return JSONResponse(state.to_json(), status_code=202)
    return RedirectResponse(f"/s/{name}/job", status_code=303)


def column_words(form: Form) -> list[str]:
    """The correction of columns that a form says, as words of a command."""
    drop, rename, types, select = column_fields(form)
    pairs = (("rename", rename), ("type", types), ("select", select))
    return [
        *(f"--drop={column}" for column in drop),
        *(f"--{word}={column}={said}" for word, some in pairs for column, said in some.items()),
        *("--", form.wanted("name")),
    ]


async def follow(request: Request, *, sites: Sites, jobs: Jobs) -> StreamingResponse:
    """The states of a job as server-sent events, until it ends or nobody listens."""
    name = request.path_params["site"]
    await run_in_threadpool(sites.reading, name)

    async def events() -> AsyncIterator[str]:
        last = ""
        while not await request.is_disconnected():
            state = await run_in_threadpool(jobs.state, name)
            said = json.dumps(state.to_json(), ensure_ascii=False)
            if said != last:
                yield f"data: {said}\n\n"
                last = said
            if not state.is_running:
                yield "event: end\ndata: {}\n\n"
                return
            await asyncio.sleep(PAUSE)

    return StreamingResponse(events(), media_type="text/event-stream")
