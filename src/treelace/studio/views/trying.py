"""Trying a page: its tables beside it, columns named and dropped on the spot, a file or a site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from treelace.errors import UsageError
from treelace.site import TableChoice, try_file, try_page, watch_site, watch_table
from treelace.site.tried_pages import COLUMN_TYPES, free_folder
from treelace.studio.acting import Notes, checked_form
from treelace.studio.actions import Done, Form, column_fields
from treelace.studio.answers import Answer
from treelace.studio.asking import Ask

if TYPE_CHECKING:
    from starlette.requests import Request

    from treelace.site import TriedPage
    from treelace.site.pointing import Pointed
    from treelace.studio.guard import Keys
    from treelace.studio.sites import Sites
    from treelace.studio.tries import Tries

MOST_ROWS = 200
LANGUAGES = {
    "": "as the page says",
    "en-US": "1,234.56 and 12/31 (en-US)",
    "en-GB": "1,234.56 and 31/12 (en-GB)",
    "de": "1.234,56 and 31.12. (de)",
    "fr": "1 234,56 and 31/12 (fr)",
    "es": "1.234,56 and 31/12 (es)",
    "it": "1.234,56 and 31/12 (it)",
    "nl": "1.234,56 and 31-12 (nl)",
    "sv": "1 234,56 (sv)",
    "de-CH": "1’234.56 (de-CH)",
    "ja": "1,234 and 12月31日 (ja)",
}
"""How prices, numbers and dates may be written."""
FILES = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}


def ask_for_page(ask: Ask) -> Answer:
    """The form: an address or a file."""
    del ask
    return Answer(template="try.html", title="Try a page")


async def take_page(request: Request, *, sites: Sites, keys: Keys, tries: Tries) -> Response:
    """Fetches the page, or takes the file."""
    form = await checked_form(request, keys, sites)
    file = form.file("file")
    url = form.word("url")

    body = await file.read() if file is not None else b""

    def tried() -> TriedPage:
        if body:
            return try_file(body, limits=sites.limits)
        if not url:
            raise UsageError("which page? Give an address or a file")
        address = url if "://" in url else f"https://{url}"
        return try_page(address, allow_private=sites.allow_private, limits=sites.limits)

    page = await run_in_threadpool(tried)
    return RedirectResponse(f"/try/{tries.put(page)}", status_code=303)


def tried(ask: Ask, tries: Tries) -> Answer:
    """The page beside the chosen table."""
    key = ask.part("key")
    page = tries.get(key)
    form = Form(ask.query)
    choice = choice_of(form)
    table = page.chosen(choice) if page.tables else None
    unnamed = TableChoice(table=choice.table, points=choice.points, language=choice.language)
    plain = page.chosen(unnamed) if page.tables else None
    rows = [] if table is None else table.rows
    pointed, said = _pointed(page, choice, ask)
    return Answer(
        template="tried.html",
        title=page.url or "a file",
        context={
            "key": key,
            "page": page,
            "choice": choice,
            "table": table,
            "rows": rows[:MOST_ROWS],
            "left": max(len(rows) - MOST_ROWS, 0),
            "columns": [] if plain is None else plain.columns,
            "rename": choice.rename or {},
            "types": choice.types or {},
            "known_types": COLUMN_TYPES,
            "languages": LANGUAGES,
            "files": FILES,
            "query": urlencode([pair for pair in ask.query.multi_items() if pair[1]]),
            "frame": ask.frame_of(tried=key, choice=ask.request.url.query or None),
            "points": choice.points or {},
            "pointed_fields": {f"select.{it}": said for it, said in (choice.points or {}).items()},
            "pointed": pointed,
            "said": said,
            "can_watch": bool(page.url) and table is not None and page.wrapper(choice) is not None,
        },
        heads=[] if table is None else [column.name for column in table.columns],
        rows=rows,
    )


def _pointed(page: TriedPage, choice: TableChoice, ask: Ask) -> tuple[Pointed | None, str]:
    """The place that was pointed at, or why it cannot be a column."""
    node = ask.maybe_number("point")
    if node is None or not page.tables:
        return None, ""
    try:
        return page.point(choice, node), ""
    except UsageError as error:
        return None, str(error)


def download(ask: Ask, tries: Tries) -> Response:
    """The chosen table as a file."""
    form = ask.word("form", "csv")
    if form not in FILES:
        raise UsageError(f"no form {form!r}; there are: {', '.join(FILES)}")
    written = tries.get(ask.part("key")).written(choice_of(Form(ask.query)), form)
    names = {"content-disposition": f'attachment; filename="table.{form}"'}
    return Response(written, media_type=FILES[form], headers=names)


async def watch(
    request: Request, *, sites: Sites, keys: Keys, tries: Tries, notes: Notes
) -> Response:
    """A site that watches the chosen table."""
    form = await checked_form(request, keys, sites)
    page = tries.get(request.path_params["key"])

    def made() -> tuple[str, str]:
        folder = free_folder(Path(), page.url)
        name = form.word("called") or "table"
        with watch_table(page, choice_of(form), folder, name=name) as site:
            kinds = site.records()
            path = f"table/{kinds[0].name}" if kinds else ""
        return sites.add(folder), path

    def whole() -> tuple[str, str]:
        folder = free_folder(Path(), page.url)
        watch_site(page, folder).close()
        return sites.add(folder), ""

    is_whole = form.word("what") == "site"
    site, path = await run_in_threadpool(whole if is_whole else made)
    if is_whole:
        words = f"the site of {page.url} is in the folder {site}; crawl it now or at any time"
        return RedirectResponse(f"/s/{site}/?note={notes.put(Done(words, ''))}", status_code=303)
    note = notes.put(Done(f"{page.url} is watched in the folder {site}", path))
    return RedirectResponse(f"/s/{site}/{path}?note={note}", status_code=303)


def choice_of(form: Form) -> TableChoice:
    """Which table, and what becomes of its columns, by the fields of a form."""
    said = form.word("table")
    drop, rename, types, points = column_fields(form)
    return TableChoice(
        table=int(said) if said.isdigit() else 0,
        drop=tuple(drop),
        rename=rename,
        types=types,
        points=points,
        language=form.word("language"),
    )
