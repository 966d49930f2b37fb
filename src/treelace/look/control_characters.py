"""Characters of a page that would act on a reader's screen or break a file, made harmless."""

from __future__ import annotations

import re

# C0 without tab and line feed, DEL and C1 drive a terminal; the others turn the direction of text,
# so that a person reads something else than what is there; halves of characters cannot be written.
_ACTING = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
_ACTING_BUT_COLOURS = rf"(?!\x1b\[[0-9;]*m){_ACTING}"
_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def escape_controls(text: str, *, keeps_colours: bool = False) -> str:
    r"""The text with escapes for the characters that act on a terminal or hide what is written.

    `keeps_colours` lets those sequences through that only set a colour: for texts of our own.

    >>> print(escape_controls("tea\x1b]0;title\x07"))
    tea\x1b]0;title\x07
    """
    acting = _ACTING_BUT_COLOURS if keeps_colours else _ACTING
    return re.sub(acting, lambda found: ascii(found[0])[1:-1], text)


def json_controls(written: str) -> str:
    r"""A JSON text in which those characters are escapes, and mean the same.

    >>> print(json_controls('{"note": "tea\x9b31m"}'))
    {"note": "tea\u009b31m"}
    """
    return re.sub(_ACTING, lambda found: f"\\u{ord(found[0]):04x}", written)


def xml_characters(text: str) -> str:
    r"""The text with U+FFFD for every character that no XML document may hold.

    >>> xml_characters("tea\x01")
    'tea\ufffd'
    """
    return re.sub(_NOT_XML, "\ufffd", text)
