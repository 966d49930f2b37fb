"""parse: anything that holds a document becomes a Tree."""

from __future__ import annotations

import os
import re
from typing import Literal

from treelace import _kernel
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import sniff
from treelace.tree.tree import Tree

Format = Literal["auto", "html", "xml", "json"]


def parse(
    source: object,
    *,
    format: Format = "auto",
    encoding: str | None = None,
    fragment: bool | str = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Tree:
    """Reads a document.

    `source` is markup where it is `str` or bytes, a file where it is a path (`.gz` and `.zst` are
    unpacked); else an open file, a response of requests, httpx, Scrapy or `treelace.fetch`, an lxml
    element or tree, a parsel selector or a BeautifulSoup document. Nothing is ever fetched: an
    address is an error that says who fetches it. `encoding` is what the transport said (an HTTP
    header); a byte-order mark beats it. `fragment` reads a piece of a document; for HTML it may
    name the element the piece stands in (default `body`).

    Broken HTML is not an error: see `tree.problems`. Broken XML raises `ParseError` with line and
    column. `format="auto"` goes by the file's name, else by the first tag (`sniff.format_of` has
    the rule). A JSON document is a tree too (`json_documents` has the mapping): a file named
    `.json`, or `format="json"`.

    >>> parse("<p>Hello <b>you").root.text
    'Hello you'
    """
    if format not in ("auto", "html", "xml", "json"):
        raise UsageError(f"format is 'auto', 'html', 'xml' or 'json', not {format!r}")
    if (answer := _response(source)) is not None:
        source, kind = answer
        said = re.search(r"charset=[\"']?([\w.:-]+)", kind, re.IGNORECASE)
        encoding = encoding or (said[1] if said else None)
        if format == "auto" and kind.partition(";")[0].strip().endswith(("/json", "+json")):
            format = "json"
    markup, name = _markup(source, limits)
    if isinstance(markup, str) and _ADDRESS.fullmatch(markup):
        raise UsageError(
            f"{markup.strip()} is an address, and a str is markup:"
            f" treelace.fetch({markup.strip()!r}) gets the page"
        )
    if markup is None:
        from treelace.tree.foreign import tree_from

        return tree_from(source, limits=limits)
    if format == "auto":
        format = sniff.format_of(markup, name)
    if format == "json":
        from treelace.tree.json_documents import tree_of_json

        return tree_of_json(markup, limits=limits)
    if format == "html":
        context = None if not fragment else "body" if fragment is True else fragment
        return Tree(_kernel.parse_html(markup, encoding, context, limits))
    return Tree(_kernel.parse_xml(markup, encoding, bool(fragment), limits))


_ADDRESS = re.compile(r"\s*https?://[^\s<>]+\s*", re.IGNORECASE)


def _response(source: object) -> tuple[bytes, str] | None:
    """Body and content type of an answer to a request, known by what it has; else None."""
    if not hasattr(source, "url") or not hasattr(source, "headers"):
        return None
    body = getattr(source, "content" if hasattr(source, "status_code") else "body", None)
    if not isinstance(body, bytes):
        return None
    kind: object = getattr(source, "content_type", None)
    kind = kind or source.headers.get("Content-Type")  # all but ours look past capitals
    return body, kind.decode("latin-1") if isinstance(kind, bytes) else str(kind or "")


def _markup(source: object, limits: Limits) -> tuple[str | bytes | None, str]:
    """A source's text or bytes and its file name; None for a tree of another library."""
    if isinstance(source, (str, bytes)):
        return source, ""
    if isinstance(source, os.PathLike):
        from treelace.tree.files import read_file

        path = os.fspath(source)
        return read_file(path, limits=limits), str(path)
    if isinstance(source, (bytearray, memoryview)):
        return bytes(source), ""
    read = getattr(source, "read", None)
    if not callable(read):
        return None, ""
    markup = read(limits.bytes + 1)
    if not isinstance(markup, (str, bytes)):
        raise UsageError(
            f"{type(source).__name__}.read() gave {type(markup).__name__}: text or bytes were"
            " expected"
        )
    return markup, str(getattr(source, "name", ""))
