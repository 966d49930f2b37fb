"""Who may ask the studio for something, and what browsers may do with the answer.

The studio listens on this machine alone, under two names: `127.0.0.1` is the studio itself,
`localhost` shows captured pages, so that these are of another origin. Where it listens elsewhere it
wants a password, and captured pages have another port or name. A request must name one of
them as its host, come from no other origin, and carry the token (as a cookie, which the link that
is printed sets, or as a bearer token); a change also carries a token against forged requests.
Captured pages are asked for by a signature in their address, since no cookie goes there.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from treelace.studio.password import LOGIN_PATH, STYLE_PATH, Login, ask_password

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

STUDIO_HOST, PAGES_HOST = "127.0.0.1", "localhost"
FRAME_PATH = "/frame/"
_SAFE_METHODS = ("GET", "HEAD")
FRAME_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:;"
    " base-uri 'none'; form-action 'none'"
)
"""Of captured pages: nothing runs, nothing is fetched, nothing is sent."""
NONCE = "x-treelace-nonce"
"""The header by which a frame says the nonce of our own picker; it does not leave the studio."""


def pointing_policy(nonce: str) -> str:
    """Of captured pages at which someone points: our own picker runs, and nothing else."""
    return FRAME_POLICY.replace("sandbox;", "sandbox allow-scripts;") + (
        f"; script-src 'nonce-{nonce}'"
    )


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of one run of the studio; they end with it."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    said_origin: str = ""
    said_pages_origin: str = ""
    password: str = field(default="", repr=False)

    @property
    def origin(self) -> str:
        """Where the studio is."""
        return self.said_origin or f"http://{STUDIO_HOST}:{self.port}"

    @property
    def pages_origin(self) -> str:
        """Where captured pages are."""
        return self.said_pages_origin or f"http://{PAGES_HOST}:{self.port}"

    @property
    def link(self) -> str:
        """What a person opens."""
        return f"{self.origin}/?token={self.token}"

    @property
    def api_link(self) -> str:
        """Where a program begins; the token is also taken as a bearer token."""
        return f"{self.origin}/api/v1/openapi.json?token={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers share cookies between the ports of a host."""
        return f"treelace-{self.port}"

    @property
    def csrf(self) -> str:
        """What every form carries."""
        return self.sign("csrf")

    def sign(self, what: str) -> str:
        """A signature that only this run of the studio can make."""
        return hmac.new(self.secret, what.encode(), hashlib.sha256).hexdigest()[:40]

    def is_token(self, said: str) -> bool:
        """Whether someone knows the token."""
        return hmac.compare_digest(said.encode(), self.token.encode())

    def is_csrf(self, said: str) -> bool:
        """Whether a form is one of ours."""
        return hmac.compare_digest(said.encode(), self.csrf.encode())

    def frame(self, query: str) -> str:
        """The address of a captured page, from what it is asked for with."""
        return f"{self.pages_origin}{FRAME_PATH}?{query}&key={self.sign(query)}"


class Guard:
    """Lets through what may come in, and says in every answer what a browser may do with it."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app = app
        self._keys = keys
        self._host = urlsplit(keys.origin).netloc
        self._pages_host = urlsplit(keys.pages_origin).netloc
        self._login = Login(keys.password) if keys.password else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_frame = headers.get("host") == self._pages_host
        refusal = self._refusal(scope, headers, is_frame=is_frame)
        if refusal is None and self._is_login(scope) and not is_frame:
            refusal = await self._logged_in(scope, receive)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message), is_frame=is_frame)
            await send(message)

        if refusal is not None:
            await refusal(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: Headers, *, is_frame: bool) -> Response | None:
        """What is answered to who may not come in; None for who may."""
        keys = self._keys
        if is_frame:
            return self._frame_refusal(scope)
        if headers.get("host") != self._host:
            return _no("this host is not the studio: open the link that `treelace studio` printed")
        if headers.get("origin", keys.origin) != keys.origin:
            return _no("requests of other pages are refused")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not (
            headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        ):
            return _no("requests of other pages are refused")
        if scope["path"].startswith(FRAME_PATH):
            return _no("captured pages are shown under another name")
        said = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[-1]
        if said and keys.is_token(said) and scope["method"] in _SAFE_METHODS:
            return self._welcome(scope)
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if bearer and keys.is_token(bearer):
            return None
        if self._login is not None and (self._is_login(scope) or _is_style(scope)):
            return None
        if not keys.is_token(_cookie(headers, keys.cookie)):
            if self._login is not None and scope["method"] == "GET":
                return ask_password()
            return _no(
                "the studio wants its token: open the link that `treelace studio` printed", 401
            )
        return None

    def _is_login(self, scope: Scope) -> bool:
        return self._login is not None and scope["path"] == LOGIN_PATH and scope["method"] == "POST"

    async def _logged_in(self, scope: Scope, receive: Receive) -> Response:
        """The studio for who knows the password, the form again for who does not."""
        assert self._login is not None
        if Headers(scope=scope).get("origin") != self._keys.origin:
            return _no("requests of other pages are refused")
        if not await self._login.is_right(receive):
            return ask_password(is_wrong=True)
        answer = RedirectResponse("/", status_code=303)
        self._set_cookie(answer)
        return answer

    def _set_cookie(self, answer: Response) -> None:
        answer.set_cookie(
            self._keys.cookie,
            self._keys.token,
            httponly=True,
            samesite="strict",
            secure=self._keys.origin.startswith("https:"),
            path="/",
        )

    def _frame_refusal(self, scope: Scope) -> Response | None:
        query, _, key = scope["query_string"].decode("latin-1").rpartition("&key=")
        is_signed = hmac.compare_digest(key.encode(), self._keys.sign(query).encode())
        is_asked = scope["path"] == FRAME_PATH and scope["method"] in _SAFE_METHODS
        return None if is_asked and is_signed else _no("there is nothing here")

    def _welcome(self, scope: Scope) -> Response:
        """The token becomes a cookie and leaves the address."""
        pairs = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        rest = "&".join(
            f"{quote(name)}={quote(value)}"
            for name, values in pairs.items()
            for value in values
            if name != "token"
        )
        answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), status_code=303)
        self._set_cookie(answer)
        return answer

    def _add_headers(self, headers: MutableHeaders, *, is_frame: bool) -> None:
        headers["x-content-type-options"] = "nosniff"
        headers["cross-origin-opener-policy"] = "same-origin"
        headers.setdefault("cache-control", "no-store")
        if is_frame:
            nonce = headers.get(NONCE)
            policy = pointing_policy(nonce) if nonce else FRAME_POLICY
            if nonce:
                del headers[NONCE]
            headers["content-security-policy"] = f"{policy}; frame-ancestors {self._keys.origin}"
            headers["referrer-policy"] = "no-referrer"
            return
        headers["content-security-policy"] = (
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;"
            f" connect-src 'self'; form-action 'self'; frame-src {self._keys.pages_origin};"
            " base-uri 'none'; frame-ancestors 'none'"
        )
        headers["x-frame-options"] = "DENY"
        headers["cross-origin-resource-policy"] = "same-origin"
        # not "no-referrer": browsers would then send forms with the origin "null"
        headers["referrer-policy"] = "same-origin"


def _is_style(scope: Scope) -> bool:
    return scope["path"] == STYLE_PATH and scope["method"] in _SAFE_METHODS


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _no(why: str, status: int = 403) -> Response:
    return PlainTextResponse(f"{why}\n", status_code=status)
