"""A real Chromium for tests that look at a page, and claims that wait until the page is there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from treelace.render import find_browser

PATIENCE = 20_000
"""Milliseconds that something may take to be seen: the machine may be busy."""


@contextmanager
def browser() -> Iterator[Any]:
    """A browser; who needs one is skipped by name where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="the extra [render] is missing")
    found = find_browser()
    if found is None:
        pytest.skip("no Chromium on this machine (chromium, google-chrome)")
    with sync_api.sync_playwright() as playwright, patient_acts(sync_api):
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


@contextmanager
def patient_acts(sync_api: Any) -> Iterator[None]:
    """A click ends when the page that it leads to is there whole. Playwright's own ends when that
    page begins, and what is counted at once on a busy machine is not there yet.
    """
    sync_api.expect.set_options(timeout=PATIENCE)
    with pytest.MonkeyPatch.context() as patch:
        for verb in ("click", "check", "uncheck", "select_option"):
            for kind, page_of in ((sync_api.Page, None), (sync_api.Locator, "page")):
                patch.setattr(kind, verb, _patient(getattr(kind, verb), page_of))
        yield


def _patient(act: Callable[..., Any], page_of: str | None) -> Callable[..., Any]:
    @functools.wraps(act)
    def patient(acting: Any, *what: Any, **how: Any) -> Any:
        done = act(acting, *what, **how)
        page = getattr(acting, page_of) if page_of else acting
        page.wait_for_load_state("load")
        return done

    return patient


def expect(shown: Any) -> Any:
    """Playwright's own claims about a page, which wait until they hold."""
    from playwright.sync_api import expect as claim

    return claim(shown)
