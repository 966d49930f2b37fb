"""Captured pages, as frames show them: under another name, where nothing runs."""

from __future__ import annotations

import secrets
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.responses import HTMLResponse

from treelace.errors import UsageError
from treelace.studio.actions import Form
from treelace.studio.guard import FRAME_POLICY, NONCE, pointing_policy
from treelace.studio.views.trying import choice_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from treelace.studio.sites import Sites
    from treelace.studio.tries import Tries

_MARKS = """
[data-treelace-mark] { outline: 3px solid #d9480f !important; outline-offset: 2px;
  background: #fff3bf !important; color: #111 !important; scroll-margin: 40vh; }
[data-treelace-change=went] { background: #ffdede !important;
  outline: 2px solid #c2342d !important; }
[data-treelace-change=came] { background: #d8f5df !important;
  outline: 2px solid #1c7c3c !important; }
[data-treelace-change=changed] { background: #fff3c4 !important;
  outline: 2px solid #a06a00 !important; }
[data-treelace-pointed] { outline: 2px solid #d9480f !important; cursor: crosshair !important; }
[data-treelace-change=moved] { outline: 2px dashed #5b3fc4 !important; }
"""


async def frame(request: Request, *, sites: Sites, tries: Tries) -> HTMLResponse:
    """A version of a page, one side of what changed, or a page that is being tried."""
    if "tried" in request.query_params:
        return await run_in_threadpool(_tried, request, tries)
    return await run_in_threadpool(_frame, request, sites)


def _tried(request: Request, tries: Tries) -> HTMLResponse:
    query = request.query_params
    page = tries.get(query["tried"])
    fields = Form(QueryParams(query.get("choice", "")))
    table = page.chosen(choice_of(fields)) if page.tables else None
    nonce = secrets.token_urlsafe(16)
    return _with_picker(page.picture(table, policy=_as_meta(pointing_policy(nonce))), nonce)


def _with_picker(page: str, nonce: str) -> HTMLResponse:
    """A page with our own script in it, the only one that the policy lets run."""
    script = (files("treelace.studio") / "static" / "picker.js").read_text(encoding="utf-8")
    return HTMLResponse(
        f'{page}<style>{_MARKS}</style><script nonce="{nonce}">{script}</script>',
        headers={NONCE: nonce},
    )


def _as_meta(policy: str) -> str:
    """A policy as a page itself may have it: the sandbox is said by the header alone."""
    return policy.partition("; ")[2]


def _frame(request: Request, sites: Sites) -> HTMLResponse:
    query = request.query_params
    site, url = sites.reading(query["site"]), query["url"]
    if "side" in query:
        sides = site.pictures_of_change(
            url, int(query["old"]), int(query["new"]), is_whole="all" in query
        )
        page = sides[query["side"] == "new"]
    else:
        numbers = {name: int(query[name]) for name in ("version", "mark") if name in query}
        page = site.picture(
            url, numbers.get("version"), mark=numbers.get("mark"), is_numbered="point" in query
        )
    if not page.strip():
        raise UsageError(f"{url} is empty in this version")
    nonce = secrets.token_urlsafe(16) if "point" in query else ""
    policy = _as_meta(pointing_policy(nonce) if nonce else FRAME_POLICY)
    whole = (
        '<!DOCTYPE html><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<style>{_MARKS}</style>{page}"
    )
    return _with_picker(whole, nonce) if nonce else HTMLResponse(whole)
