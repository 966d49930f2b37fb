"""Several sites at once: the same item compared, and a watch list taken over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from treelace.errors import UsageError
from treelace.site import compare_sites, import_watches
from treelace.studio.acting import Notes, checked_form
from treelace.studio.actions import Done
from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from starlette.requests import Request

    from treelace.studio.asking import Ask
    from treelace.studio.guard import Keys
    from treelace.studio.sites import Sites

MOST_ROWS = 500


def compare(ask: Ask) -> Answer:
    """The same item on several sites: a row an item, a column a site."""
    tables = {
        f"{name}:{kind.name}": (name, kind)
        for name in ask.sites.folders
        for kind in ask.sites.reading(name).records()
    }
    chosen = [it for it in ask.words("table") if it in tables]
    shared = [
        column
        for column in (tables[chosen[0]][1].columns if chosen else ())
        if all(column in tables[it][1].columns for it in chosen)
    ]
    on, show = ask.word("on"), ask.word("show")
    found, said = None, ""
    if len(chosen) > 1 and on and show:
        try:
            found = compare_sites(
                [
                    (tables[it][0], ask.sites.reading(tables[it][0]), tables[it][1].name)
                    for it in chosen
                ],
                on=on,
                show=show,
            )
        except UsageError as error:
            said = str(error)
    return Answer(
        template="compare.html",
        title="The same item on several sites",
        context={
            "tables": list(tables),
            "chosen": chosen,
            "shared": shared,
            "found": found,
            "items": found.items[:MOST_ROWS] if found else (),
            "kinds": {tables[it][0]: tables[it][1].name for it in chosen},
            "said": said,
        },
        heads=found.heads if found else (),
        rows=found.rows if found else (),
    )


async def take_watches(
    request: Request, *, sites: Sites, keys: Keys, notes: Notes
) -> RedirectResponse:
    """Takes a watch list over: sites in folders where the studio was started."""
    form = await checked_form(request, keys, sites)
    file = form.file("file")
    text = (await file.read()).decode("utf-8", "replace") if file is not None else form.word("text")

    def taken() -> str:
        if not text.strip():
            raise UsageError("which watch list? Give a file")
        done = import_watches(text, Path(), limits=sites.limits)
        for folder in done.folders:
            sites.add(Path(folder))
        problems = [f"{it.url}: {it.note}" for it in done if it.note]
        return "; ".join([str(done), *problems[:5]])

    said = await run_in_threadpool(taken)
    return RedirectResponse(f"/?note={notes.put(Done(said, ''))}", status_code=303)
