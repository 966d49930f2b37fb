"""How a change comes in: a form with the studio's token against forged requests, one action, and
back to where it can be seen. What was done is said there once, with a button that takes it back.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse

from treelace.studio.actions import ACTIONS, Done, Form
from treelace.studio.api import PREFIX

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from treelace.studio.guard import Keys
    from treelace.studio.sites import Sites

MOST_NOTES = 100
MOST_FORM_BYTES = 64 * 2**20


class Notes:
    """What was done, by a short key in the address it is said at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._notes: OrderedDict[str, Done] = OrderedDict()

    def put(self, done: Done) -> str:
        """Keeps a note, and answers with its key."""
        key = secrets.token_urlsafe(6)
        with self._lock:
            self._notes[key] = done
            while len(self._notes) > MOST_NOTES:
                self._notes.popitem(last=False)
        return key

    def get(self, key: str) -> Done | None:
        """A note, if it is known."""
        return self._notes.get(key)


async def checked_form(request: Request, keys: Keys, sites: Sites) -> Form:
    """The form of a request that may change something."""
    if sites.read_only:
        raise HTTPException(403, "this studio only reads: start it without --read-only")
    if int(request.headers.get("content-length") or 0) > MOST_FORM_BYTES:
        raise HTTPException(413, "that is too large")
    form = Form(await request.form(max_files=1, max_fields=2000))
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not keys.is_csrf(form.word("csrf")) and not (bearer and keys.is_token(bearer)):
        raise HTTPException(403, "this form is not of this studio: load the page again")
    return form


async def act(request: Request, *, sites: Sites, keys: Keys, notes: Notes) -> Response:
    """Does one action on a site."""
    name, action = request.path_params["site"], ACTIONS.get(request.path_params["do"])
    if action is None:
        raise HTTPException(404)
    form = await checked_form(request, keys, sites)

    def done() -> Done:
        with sites.writing(name) as site:
            return action(site, form)

    answer = await run_in_threadpool(done)
    if request.url.path.startswith(f"{PREFIX}/"):
        return JSONResponse({"said": answer.said, "undo": answer.undo})
    base = f"/s/{quote(name, safe='')}/{answer.path}"
    sign = "&" if "?" in base else "?"
    return RedirectResponse(f"{base}{sign}note={notes.put(answer)}", status_code=303)
