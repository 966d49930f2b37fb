"""Long work on a site: started, followed live by server-sent events, stopped."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, StreamingResponse

from treelace.studio.acting import checked_form
from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from treelace.studio.asking import Ask
    from treelace.studio.guard import Keys
    from treelace.studio.jobs import Jobs, JobState
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
        context={"state": state},
        heads=("event", "count"),
        rows=[] if state is None else list(state.counts.items()),
        data={} if state is None else state.to_json(),
    )


async def change_job(request: Request, *, sites: Sites, keys: Keys, jobs: Jobs) -> RedirectResponse:
    """Starts or stops one."""
    form = await checked_form(request, keys, sites)
    name = request.path_params["site"]

    def changed() -> None:
        sites.reading(name)
        if form.word("stop"):
            jobs.stop(name)
        else:
            folder = sites.folders[name]
            what = form.wanted("what")
            jobs.start(name, what, folder, allow_private=sites.allow_private)

    await run_in_threadpool(changed)
    return RedirectResponse(f"/s/{name}/job", status_code=303)


async def follow(request: Request, *, sites: Sites, jobs: Jobs) -> StreamingResponse:
    """The states of a job as server-sent events, until it ends or nobody listens."""
    name = request.path_params["site"]
    await run_in_threadpool(sites.reading, name)

    async def events() -> AsyncIterator[str]:
        last = ""
        while not await request.is_disconnected():
            state: JobState | None = await run_in_threadpool(jobs.state, name)
            said = json.dumps({} if state is None else state.to_json(), ensure_ascii=False)
            if said != last:
                yield f"data: {said}\n\n"
                last = said
            if state is None or not state.is_running:
                yield "event: end\ndata: {}\n\n"
                return
            await asyncio.sleep(PAUSE)

    return StreamingResponse(events(), media_type="text/event-stream")
