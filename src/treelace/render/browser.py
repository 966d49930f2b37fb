"""A page rendered by Chromium through Playwright: its final HTML, and the box of every element.

Nothing is fetched unless asked for: the page comes from memory, every other request is refused, and
names are not resolved. The page's own scripts run (inline ones; others where the network is
allowed) in the browser's sandbox, and never longer than the limit.

With `network` addresses are checked when a request is made, and the browser resolves their names
once more to connect: a host whose DNS changes its answer in between gets through. A `Visitor` goes
through a proxy that checks at the moment of connecting, and has no other way out.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import threading
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from treelace.errors import ExtractError, LimitError, MissingError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.render.measured import MARK, MEASURE, Rendered, rendered
from treelace.render.public_addresses import is_public_url
from treelace.tree import Tree

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_NOWHERE = "http://page.invalid/"
_QUIET = 0.5
"""Seconds without a request after which a page that may use the network is taken as finished."""

_BUSY = 5.0
"""Seconds that a loaded page may keep requesting things; then it is taken as it is."""

_PICTURES = ("image", "media", "font")
_REPORTS = ("ping", "beacon", "cspreport")
"""What a page tells others about its visitor: it is the same without."""

_MOST = 1_000
"""Requests of one page; what a page asks for beyond that it does not get."""

_CLOSING = 5.0
"""Seconds that closing one page may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Whom a site has before it: for pages that may load what they need.

    Every connection goes through `proxy`, which decides what is reached: names are not resolved
    here, and there is no way around it (QUIC and WebRTC are off). Secrets do not show in a `repr`.
    """

    proxy: str
    """As http://host:port."""
    user_agent: str = ""
    state: Mapping[str, Any] | None = field(default=None, repr=False)
    """Cookies and local storage of a browser, as Playwright saves them."""
    headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    """By origin: headers for it alone; a redirect to another origin does not take them along."""
    cookies: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)
    """Origin, name and value."""
    checks_certificates: bool = True
    sees_pictures: bool = False
    """Whether pictures, films and fonts are loaded: they decide the boxes, not the HTML."""


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

    `url` is the address the page believes to have. With `network` it may load its scripts, styles
    and pictures from public addresses; else nothing is fetched. Without `scripts` none of the
    page's runs, and the tree is the page's own. `program` is the path of a Chromium (by default the
    first of `PROGRAMS`, else Playwright's own). It takes at most `limits.seconds`. Needs the extra
    `render`. Not promised: that what a page's scripts draw is the same every time.
    """
    with Browser(network=network, scripts=scripts, viewport=viewport, program=program) as browser:
        return browser.render(page, url=url, limits=limits)


class Browser:
    """A browser that is running: `with Browser() as browser: browser.render(page)`. Pages do not
    see each other. Several threads may use it.

    With a `visitor` pages load what they need through its proxy.
    """

    def __init__(
        self,
        *,
        network: bool = False,
        scripts: bool = True,
        viewport: tuple[int, int] = (1280, 1024),
        program: str | None = None,
        visitor: Visitor | None = None,
    ) -> None:
        self.network = network or visitor is not None
        self.visitor = visitor
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
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="treelace render", daemon=True
        )
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

    @property
    def version(self) -> str:
        """The browser's name and version."""
        return f"Chromium {self._browser.version}"

    def render(
        self,
        page: str | Tree,
        *,
        url: str = "",
        set_cookies: Sequence[str] = (),
        limits: Limits = DEFAULT_LIMITS,
    ) -> Rendered:
        """A page after its scripts (see `render`); `set_cookies` are its Set-Cookie headers."""
        from playwright.async_api import Error

        html = page if isinstance(page, str) else page.to_html()
        address = url or _NOWHERE
        try:
            text, boxes, window, final = self._await(
                asyncio.wait_for(
                    self._measured(html, address, set_cookies, limits.seconds), limits.seconds
                )
            )
        except TimeoutError as late:
            raise LimitError("seconds", bound=limits.seconds) from late
        except Error as failed:
            if "Timeout" in str(failed):
                raise LimitError("seconds", bound=limits.seconds) from failed
            raise ExtractError(
                f"the browser could not render the page: {str(failed).splitlines()[0]}"
            ) from failed
        if len(text) > limits.bytes:
            raise LimitError("bytes", bound=limits.bytes, needed=len(text))
        return rendered(
            text,
            boxes,
            (float(window[0]), float(window[1])),
            "" if final == _NOWHERE else final,
            limits,
        )

    def _await(self, work: Awaitable[Any]) -> Any:
        async def whole() -> Any:
            return await work

        return asyncio.run_coroutine_threadsafe(whole(), self._loop).result()

    async def _start(self, async_playwright: Any) -> None:
        arguments = [
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
        ]
        if self.visitor is not None:
            arguments += [
                "--disable-quic",
                "--force-webrtc-ip-handling-policy",
                "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            ]
            arguments.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
        elif not self.network:
            arguments.append("--host-resolver-rules=MAP * ~NOTFOUND")
        proxy = None if self.visitor is None else {"server": self.visitor.proxy}
        has_sandbox = not (
            hasattr(os, "geteuid") and os.geteuid() == 0
        )  # Chromium refuses its sandbox to root
        self._driver = await async_playwright().start()
        try:
            self._browser = await self._driver.chromium.launch(
                executable_path=self.program,
                chromium_sandbox=has_sandbox,
                args=arguments,
                proxy=proxy,
            )
        except Exception as failed:
            where = self.program or "none found"
            raise ExtractError(
                f"no browser could be started ({where}): install Chromium (apt install chromium),"
                " or Playwright's own (playwright install chromium)"
            ) from failed

    async def _stop(self) -> None:
        if self._browser is not None:
            await self._browser.close()
        if self._driver is not None:
            await self._driver.stop()

    async def _measured(
        self, html: str, url: str, set_cookies: Sequence[str], seconds: float
    ) -> Any:
        context = await self._context()
        try:
            page = await context.new_page()
            page.set_default_timeout(1000 * seconds)
            has_left = asyncio.Event()
            count = itertools.count(1)

            async def answer(route: Any) -> None:
                if next(count) > _MOST:
                    await route.abort()
                    return
                # the page is gone, or the request is: nobody waits for the answer any more
                with suppress(Exception):
                    await self._answer(route, html, url, set_cookies)
                    if _is_elsewhere(route.request, url) and route.request.frame == page.main_frame:
                        has_left.set()

            await context.route("**/*", answer)
            if not self.network and hasattr(context, "route_web_socket"):
                await context.route_web_socket("**/*", lambda socket: socket.close())
            page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
            context.on(
                "page",
                lambda other: asyncio.ensure_future(other.close()) if other is not page else None,
            )
            await page.goto(url, wait_until="commit")
            await _loaded(page, has_left)
            if self.network:
                with suppress(TimeoutError, _playwright_timeout()):
                    most = 1000 * min(_BUSY, seconds / 3)
                    await page.wait_for_load_state("networkidle", timeout=most)
            await page.wait_for_timeout(1000 * _QUIET if self.network else 50)
            return await page.evaluate(MEASURE, [MARK, self.scripts])
        finally:
            closing = asyncio.ensure_future(context.close())
            # a page that never ends is closed with the browser
            await asyncio.wait([closing], timeout=_CLOSING)

    async def _context(self) -> Any:
        """A browser profile of its own for one page, with what the visitor brings along."""
        visitor = self.visitor
        context = await self._browser.new_context(
            viewport={"width": self.viewport[0], "height": self.viewport[1]},
            java_script_enabled=self.scripts,
            service_workers="block",
            accept_downloads=False,
            locale="en-US",
            user_agent=visitor.user_agent or None if visitor is not None else None,
            storage_state=(
                dict(visitor.state) if visitor is not None and visitor.state is not None else None
            ),
            ignore_https_errors=visitor is not None and not visitor.checks_certificates,
        )
        if visitor is not None and visitor.cookies:
            await context.add_cookies(
                [
                    {"url": f"{home}/", "name": name, "value": value}
                    for home, name, value in visitor.cookies
                ]
            )
        return context

    async def _answer(self, route: Any, html: str, url: str, set_cookies: Sequence[str]) -> None:
        """Our page for its own address; others only if allowed and public, else nothing."""
        request = route.request
        if request.is_navigation_request() and not _is_elsewhere(request, url):
            headers = {"set-cookie": "\n".join(set_cookies)} if set_cookies else {}
            await route.fulfill(
                body=html.encode("utf-8", "replace"),
                headers={"content-type": "text/html; charset=utf-8", **headers},
            )
        elif request.is_navigation_request():
            await route.fulfill(status=204)  # no content: the browser stays where it is
        elif self.visitor is not None:
            await self._load(route, self.visitor)
        elif self.network and await asyncio.to_thread(is_public_url, request.url):
            await route.continue_()
        else:
            await route.abort()

    async def _load(self, route: Any, visitor: Visitor) -> None:
        """Something that a visited page asks for; the proxy decides whether it is reached."""
        request = route.request
        parts = urlsplit(request.url)
        if parts.scheme not in ("http", "https") or request.resource_type in (
            _REPORTS if visitor.sees_pictures else (*_PICTURES, *_REPORTS)
        ):
            await route.abort()
            return
        secret = visitor.headers.get(f"{parts.scheme}://{parts.netloc}")
        if not secret:
            await route.continue_()
            return
        # headers given to the browser would go along with redirects, so these requests are made one
        # hop at a time
        answer = await route.fetch(headers={**request.headers, **secret}, max_redirects=0)
        await route.fulfill(response=answer)


async def _loaded(page: Any, has_left: asyncio.Event) -> None:
    """Waits until a page has loaded, or wants to be another one: it is kept where it is, and would
    wait for that other one for ever.
    """
    waits = [
        asyncio.ensure_future(page.wait_for_load_state("load")),
        asyncio.ensure_future(has_left.wait()),
    ]
    for one in waits:
        # whoever is not waited for may fail in silence
        one.add_done_callback(lambda it: it.cancelled() or it.exception())
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()
    finally:
        for one in waits:
            one.cancel()


def _is_elsewhere(request: Any, url: str) -> bool:
    """Whether a page, or a frame in it, wants to be another one."""
    return bool(request.is_navigation_request()) and request.url.split("#")[0] != url.split("#")[0]


def _playwright_timeout() -> type[Exception]:
    from playwright.async_api import TimeoutError as Late

    return Late
