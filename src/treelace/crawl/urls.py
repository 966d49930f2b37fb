"""One spelling for each URL, and what of a URL may be shown."""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from treelace.errors import UsageError

_PORTS = {"http": 80, "https": 443}
_ORDERS = re.compile(
    r"(order(_?by)?|sort(_?by|_?order|ing)?|dir(ection)?|replytocom|utm_\w+|[fg]clid|product_list_(order|dir))",
    re.IGNORECASE,
)
"""Parameters that put the same things in another order, answer a comment or count a campaign."""
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
_QUERY_SAFE = _PATH_SAFE + "?[]"
_LONGEST_FOLDER = 60
"""Characters: of up to four bytes, of which a file system takes 255."""


def is_url(place: str) -> bool:
    """Whether a place is fetched and not read from a file."""
    return place[:8].lower().startswith(("http://", "https://"))


def normal(url: str, base: str = "") -> str:
    """The normal form of an absolute http(s) URL, resolved against `base`; else `UsageError`.

    Lower-case scheme and host, host names in ASCII, no default port, no dot segments, no fragment,
    at least `/` as path, what must be escaped escaped. The order and number of query parameters is
    left alone: they mean what the site wants.

    >>> normal("HTTP://Shop.Example:80/a/../tea cups?q=ü#top")
    'http://shop.example/tea%20cups?q=%C3%BC'
    >>> normal("../2?page=3", base="https://shop.example/list/1/")
    'https://shop.example/list/2?page=3'
    """
    try:
        parts = urlsplit(urljoin(base, url.strip()) if base else url.strip())
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{url}: not a URL ({error})") from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise UsageError(f"{url}: a URL of a page starts with http:// or https:// and names a host")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            f"{parts.scheme}://…@{parts.hostname}: no user or password in a URL; give them as a"
            " header from the environment"
        )
    netloc = _host(parts.hostname)
    if port is not None and port != _PORTS[parts.scheme]:
        netloc += f":{port}"
    path = quote(_without_dots(parts.path) or "/", safe=_PATH_SAFE)
    return urlunsplit((parts.scheme, netloc, path, quote(parts.query, safe=_QUERY_SAFE), ""))


def check_address(address: str) -> None:
    """Raises `UsageError` for what begins like a URL and is none; an address may be a path."""
    try:
        _ = urlsplit(address).port if is_url(address) else None
    except ValueError as error:
        raise UsageError(f"{address}: not a URL ({error})") from error


def folder_of(url: str) -> str:
    """The name of a folder after the host of a URL, as every file system takes it; `UsageError` for
    what is no URL.

    >>> folder_of("http://127.0.0.1:8080/tea"), folder_of("http://../tea")
    ('127.0.0.1_8080', 'site')
    """
    normal(url)  # no password comes into a name
    host = urlsplit(url.strip()).netloc
    return re.sub(r"[^\w.-]", "_", host).strip(".")[:_LONGEST_FOLDER] or "site"


def without_order(url: str) -> str:
    """An address without the parameters that change nothing of what a page holds: it is fetched
    once.

    >>> without_order("https://shop.example/tea?orderby=price&page=2&utm_source=x")
    'https://shop.example/tea?page=2'
    """
    parts = urlsplit(url)
    if not parts.query:
        return url
    pairs = parts.query.split("&")
    kept = [pair for pair in pairs if not _ORDERS.fullmatch(pair.partition("=")[0])]
    return url if len(kept) == len(pairs) else urlunsplit(parts._replace(query="&".join(kept)))


def origin(url: str) -> str:
    """Scheme, host and port: whom a robots.txt speaks for.

    >>> origin("https://shop.example:8443/tea?x=1")
    'https://shop.example:8443'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def path_and_query(url: str) -> str:
    """What is asked of the host.

    >>> path_and_query("https://shop.example/tea?x=1#top")
    '/tea?x=1'
    """
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _host(name: str) -> str:
    if ":" in name:
        return f"[{name}]"
    if name.isascii():
        return name.lower()
    try:
        return name.encode("idna").decode("ascii").lower()
    except UnicodeError as error:
        raise UsageError(f"{name}: not a host name ({error})") from error


def _without_dots(path: str) -> str:
    """RFC 3986, section 5.2.4: `.` and `..` are resolved."""
    if "/." not in path:
        return path
    kept: list[str] = []
    for piece in path.split("/"):
        if piece == "..":
            if len(kept) > 1:
                kept.pop()
        elif piece != ".":
            kept.append(piece)
    if path.endswith(("/.", "/..")):
        kept.append("")
    return "/".join(kept)
