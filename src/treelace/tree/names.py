"""What a node is, and what it is called."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

HTML_NAMESPACE = "http://www.w3.org/1999/xhtml"
_XMLNS = "http://www.w3.org/2000/xmlns/"


class Kind(IntEnum):
    """What a node is."""

    DOCUMENT = 0
    ELEMENT = 1
    TEXT = 2
    COMMENT = 3
    INSTRUCTION = 4
    DOCTYPE = 5


class Name(NamedTuple):
    """A name in its parts; prefix and namespace are empty where there are none."""

    prefix: str
    namespace: str
    local: str

    @property
    def expanded(self) -> str:
        """`{namespace}local`; `local` for HTML and without namespace; `xmlns:p` for declarations.

        >>> Name("", "urn:x", "item").expanded
        '{urn:x}item'
        """
        if self.namespace == _XMLNS:
            return f"xmlns:{self.local}" if self.prefix else self.local
        if not self.namespace or self.namespace == HTML_NAMESPACE:
            return self.local
        return f"{{{self.namespace}}}{self.local}"
