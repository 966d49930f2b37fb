"""A page rendered by Chromium through Playwright: its final HTML, and the box of every element.

Nothing is fetched unless asked for: the page comes from memory, every other request is refused, and names are not resolved. The page's own
scripts run (inline ones; others where the network is allowed) in the browser's sandbox, and never longer than the limit.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
import shutil
import socket
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from treelace.errors import ExtractError, LimitError, MissingError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.render.boxes import Box, Boxes
from treelace.tree import Tree, parse

if TYPE_CHECKING:
    from collections.abc import Awaitable

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_NOWHERE = "http://page.invalid/"
_MARK = "data-treelace-element"
_QUIET = 0.5
"""Seconds without a request after which a page that may use the network is taken as finished."""

_CLOSING = 5.0
"""Seconds that closing one page may take."""

_MEASURE = """
([mark, scripts]) => {
  if (scripts) for (const one of document.querySelectorAll('noscript')) one.textContent = '';  // else they hold elements, as in our parse
  const elements = document.querySelectorAll('*'), boxes = [];
  elements.forEach((element, number) => {
    const seen = element.checkVisibility ? element.checkVisibility({visibilityProperty: true}) : true;
    const box = element.getBoundingClientRect();
    boxes.push(seen && (box.width || box.height) ? [box.x + scrollX, box.y + scrollY, box.width, box.height] : null);
    element.setAttribute(mark, number);
  });
  const kind = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  return [kind + document.documentElement.outerHTML, boxes, [innerWidth, innerHeight], location.href];
}
"""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page after its scripts have run: the HTML, its tree, and the boxes of the tree's elements by element index."""

    html: str
    tree: Tree
    boxes: Boxes
    url: str


def find_browser() -> str | None:
    """The path of a Chromium on this machine; None where only Playwright's own could be tried."""
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


def render(
    page: str | Tree,
    *,
    url: str = "",
    network: bool = False,
    scripts: bool = True,
    viewport: tuple[int, int] = (1280, 1024),
    program: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Rendered:
    """Renders one page, given as HTML or as a tree; for many, `Browser` starts only once.

    `url` is the address the page believes to have. With `network` it may load its scripts, styles and pictures from public addresses; else
    nothing is fetched. Without `scripts` none of the page's runs, and the tree is the page's own. `program` is the path of a
    Chromium (by default the first of `PROGRAMS`, else Playwright's own). It takes at most `limits.seconds`.
    Needs the extra `render`. Not promised: that what a page's scripts draw is the same every time.
    """
    with Browser(network=network, scripts=scripts, viewport=viewport, program=program) as browser:
        return browser.render(page, url=url, limits=limits)


class Browser:
    """A browser that is running: `with Browser() as browser: browser.render(page)`. Pages do not see each other. For one thread."""

    def __init__(self, *, network: bool = False, scripts: bool = True, viewport: tuple[int, int] = (1280, 1024), program: str | None = None) -> None:
        self.network = network
        self.scripts = scripts
        self.viewport = viewport
        self.program = program or find_browser()

    def __enter__(self) -> Browser:
        try:
            from playwright.async_api import async_playwright
        except ImportError as missing:
            raise MissingError("rendering", package="playwright", extra="render") from missing
        # a loop of its own in a thread of its own, for notebooks have one running already
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="treelace render", daemon=True)
        self._thread.start()
        self._driver: Any = None
        self._browser: Any = None
        try:
            self._await(self._start(async_playwright))
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._await(self._stop())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def render(self, page: str | Tree, *, url: str = "", limits: Limits = DEFAULT_LIMITS) -> Rendered:
        """A page after its scripts have run; see `render`."""
        from playwright.async_api import Error

        html = page if isinstance(page, str) else page.to_html()
        address = url or _NOWHERE
        try:
            text, boxes, window, final = self._await(asyncio.wait_for(self._measured(html, address, limits.seconds), limits.seconds))
        except TimeoutError as late:
            raise LimitError("seconds", bound=limits.seconds) from late
        except Error as failed:
            if "Timeout" in str(failed):
                raise LimitError("seconds", bound=limits.seconds) from failed
            raise ExtractError(f"the browser could not render the page: {str(failed).splitlines()[0]}") from failed
        if len(text) > limits.bytes:
            raise LimitError("bytes", bound=limits.bytes, needed=len(text))
        return _numbered(text, boxes, (float(window[0]), float(window[1])), "" if final == _NOWHERE else final, limits)

    def _await(self, work: Awaitable[Any]) -> Any:
        async def whole() -> Any:
            return await work

        return asyncio.run_coroutine_threadsafe(whole(), self._loop).result()

    async def _start(self, async_playwright: Any) -> None:
        arguments = ["--disable-background-networking", "--disable-component-update", "--no-first-run"]
        if not self.network:
            arguments.append("--host-resolver-rules=MAP * ~NOTFOUND")
        has_sandbox = not (hasattr(os, "geteuid") and os.geteuid() == 0)  # Chromium refuses its sandbox to root
        self._driver = await async_playwright().start()
        try:
            self._browser = await self._driver.chromium.launch(executable_path=self.program, chromium_sandbox=has_sandbox, args=arguments)
        except Exception as failed:
            where = self.program or "none found"
            raise ExtractError(
                f"no browser could be started ({where}): install Chromium (apt install chromium), or Playwright's own (playwright install chromium)"
            ) from failed

    async def _stop(self) -> None:
        if self._browser is not None:
            await self._browser.close()
        if self._driver is not None:
            await self._driver.stop()

    async def _measured(self, html: str, url: str, seconds: float) -> Any:
        context = await self._browser.new_context(
            viewport={"width": self.viewport[0], "height": self.viewport[1]},
            java_script_enabled=self.scripts,
            service_workers="block",
            accept_downloads=False,
            locale="en-US",
        )
        try:
            page = await context.new_page()
            page.set_default_timeout(1000 * seconds)

            async def answer(route: Any) -> None:
                await self._answer(route, html, url)

            await context.route("**/*", answer)
            if not self.network and hasattr(context, "route_web_socket"):
                await context.route_web_socket("**/*", lambda socket: socket.close())
            page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
            context.on("page", lambda other: asyncio.ensure_future(other.close()) if other is not page else None)
            await page.goto(url, wait_until="load")
            if self.network:
                await page.wait_for_load_state("networkidle")
            await page.wait_for_timeout(1000 * _QUIET if self.network else 50)
            return await page.evaluate(_MEASURE, [_MARK, self.scripts])
        finally:
            closing = asyncio.ensure_future(context.close())
            await asyncio.wait([closing], timeout=_CLOSING)  # a page that never ends is closed with the browser

    async def _answer(self, route: Any, html: str, url: str) -> None:
        """Our page for its own address; nothing for any other, unless the network is allowed and the address is public."""
        request = route.request
        if request.is_navigation_request() and request.url.split("#")[0] == url.split("#")[0]:
            await route.fulfill(body=html.encode("utf-8", "replace"), content_type="text/html; charset=utf-8")
        elif request.is_navigation_request():
            await route.fulfill(status=204)  # no content: the browser stays where it is
        elif self.network and await asyncio.to_thread(is_public, request.url):
            await route.continue_()
        else:
            await route.abort()


def _numbered(marked: str, boxes: list[Any], window: tuple[float, float], url: str, limits: Limits) -> Rendered:
    """The boxes by the element indexes of our own parse: scripts can build what no parser would, so elements are known by a mark that is
    taken out again."""
    numbers = [node.attribute(_MARK) for node in parse(marked, format="html", limits=limits).elements]
    html = re.sub(rf' {_MARK}="\d*"', "", marked)
    tree = parse(html, format="html", limits=limits)
    found = {}
    for index, number in enumerate(numbers):
        entry = boxes[int(number)] if number is not None and number.isdigit() and int(number) < len(boxes) else None
        if entry is not None:
            found[index] = Box(*map(float, entry))
    return Rendered(html, tree, Boxes(found, window, len(numbers)), url)


def is_public(url: str) -> bool:
    """Whether an address is of the public web: http(s), and no host that is this machine or its neighbours."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return False
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or (443 if parts.scheme == "https" else 80), type=socket.SOCK_STREAM)
        return all(ipaddress.ip_address(str(entry[4][0]).split("%")[0]).is_global for entry in found)
    except (OSError, ValueError):
        return False
