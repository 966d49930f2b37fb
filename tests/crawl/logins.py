"""A site with a login, in the folder `shop`: its file as a browser saves it, and the promise that
its secrets stand nowhere else.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

TOKEN, SESSION = "t0ken-of-the-shop", "s3ssion-of-the-shop"


def make_site(treelace: Callable[..., Any], folder: Path, url: str, settings: str) -> None:
    """The site, with these settings added to its own."""
    treelace("init", "shop", url)
    with (folder / "shop" / "treelace.toml").open("a", encoding="utf-8") as file:
        file.write(settings)


def write_login(
    folder: Path,
    *,
    origins: Sequence[dict[str, Any]] = (),
    mode: int = 0o600,
    text: str | None = None,
) -> None:
    """The file: the cookie of the session, one that is too old, one of another site, and the local
    storage of `origins`; or `text` instead.
    """
    usual = {"path": "/", "expires": -1, "httpOnly": True, "secure": False, "sameSite": "Lax"}
    cookies = [
        {**usual, "name": "session", "value": SESSION, "domain": "127.0.0.1"},
        {**usual, "name": "stale", "value": "x", "domain": "127.0.0.1", "expires": 1000},
        {**usual, "name": "other", "value": "y", "domain": ".other.example"},
    ]
    path = folder / "shop" / "login.json"
    path.write_text(
        text if text is not None else json.dumps({"cookies": cookies, "origins": list(origins)}),
        encoding="utf-8",
    )
    path.chmod(mode)


def assert_nowhere(secrets: Iterable[str], folder: Path, said: str) -> None:
    """No secret stands in any file but the login itself, nor in what was said."""
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "login.json":
            data = path.read_bytes()
            data += gzip.decompress(data) if path.suffix == ".gz" else b""
            assert not any(secret.encode() in data for secret in secrets), path
    assert not any(secret in said for secret in secrets)
