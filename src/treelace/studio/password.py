"""The password without which the studio listens on no other address, and the form that asks it."""

from __future__ import annotations

import asyncio
import hmac
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, Response

from treelace.errors import UsageError

if TYPE_CHECKING:
    from starlette.types import Receive

VARIABLE = "TREELACE_STUDIO_PASSWORD"
MIN_LENGTH = 12
SECONDS_BETWEEN_TRIES = 1.0
"""Between two tries of anyone: a password of twelve letters outlives that."""
MOST_BYTES = 4096
LOGIN_PATH = "/login"
STYLE_PATH = "/static/studio.css"
"""What the form needs before someone is known."""


def read_password(file: str | None) -> str:
    """The password in a file that its owner alone may read, else of the environment; empty where
    there is none.
    """
    if file:
        path = Path(file)
        try:
            mode = path.stat().st_mode
            said = path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise UsageError(f"{path}: the password cannot be read: {error.strerror}") from error
        if os.name == "posix" and mode & 0o077:
            raise UsageError(f"{path}: others may read the password: chmod 600 {path}")
    else:
        said = os.environ.get(VARIABLE, "")
    if said and len(said) < MIN_LENGTH:
        raise UsageError(f"the password of the studio has at least {MIN_LENGTH} characters")
    return said


class Login:
    """Asks for the password, one try a second."""

    def __init__(self, password: str) -> None:
        self._password = password
        self._lock = threading.Lock()
        self._last = 0.0

    async def is_right(self, receive: Receive) -> bool:
        """Whether the form of a request says it."""
        body = b""
        while len(body) <= MOST_BYTES:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        await asyncio.sleep(self._pause())
        said = parse_qs(body[:MOST_BYTES].decode("utf-8", "replace")).get("password", [""])[-1]
        return self.is_password(said)

    def is_password(self, said: str) -> bool:
        """Whether someone knows it."""
        return bool(said) and hmac.compare_digest(said.encode(), self._password.encode())

    def _pause(self) -> float:
        """Seconds until the next try is due."""
        with self._lock:
            now = time.monotonic()
            self._last = max(now, self._last + SECONDS_BETWEEN_TRIES)
            return self._last - now


def ask_password(is_wrong: bool = False) -> Response:
    """The form."""
    wrong = '<p class="error" role="alert">That is not the password.</p>' if is_wrong else ""
    return HTMLResponse(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>treelace studio</title><link rel="stylesheet" href="{STYLE_PATH}"></head>'
        f'<body><main id="main"><h1>treelace studio</h1>{wrong}'
        f'<form class="tools" method="post" action="{LOGIN_PATH}"><label>Password '
        '<input type="password" name="password" autocomplete="current-password" required autofocus>'
        '</label> <button class="main">Open the studio</button></form></main></body></html>',
        status_code=401,
    )
