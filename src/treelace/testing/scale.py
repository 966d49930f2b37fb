"""Very many pages from some real ones: on other hosts, under other addresses, with other numbers.

What a program does with a million pages can be measured only where there are a million. Copies keep
what makes pages hard (their markup, their size, how different they are), and no two are the same.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

_NUMBER = re.compile(rb">(\s*\d+)")


def copied(url: str, body: bytes, copy: int, *, copies_a_host: int = 1) -> tuple[str, bytes]:
    """The address and the bytes of a page's copy with this number; the copy 0 is the page itself on
    another host. A host has `copies_a_host` copies of a page, each at an address of its own.

    >>> copied("https://tea.example/tea/assam.html", b"<b>5 left</b>", 0)
    ('https://copy0.tea.example/tea/assam.html', b'<b>5 left</b>')
    >>> copied("https://tea.example/tea/assam.html", b"<b>5 left</b>", 7, copies_a_host=4)
    ('https://copy1.tea.example/tea/assam-3.html', b'<b>85 left</b>')
    """
    parts = urlsplit(url)
    host, again = divmod(copy, copies_a_host)
    place = parts._replace(
        netloc=f"copy{host}.{parts.netloc}", path=_numbered(parts.path, again), fragment=""
    )
    other = _NUMBER.sub(lambda found: b">%d%s" % (copy % 9 + 1, found[1].strip()), body)
    return urlunsplit(place), other if copy else body


def _numbered(path: str, again: int) -> str:
    """The path with a number behind its last word.

    >>> _numbered("/tea/assam.html", 3), _numbered("/tea/", 3), _numbered("/", 3)
    ('/tea/assam-3.html', '/tea-3/', '/-3/')
    """
    if not again:
        return path
    stem = path.rstrip("/")
    folder, _, name = stem.rpartition("/")
    word, dot, ending = name.partition(".")
    return f"{folder}/{word}-{again}{dot}{ending}{path[len(stem) :]}"
