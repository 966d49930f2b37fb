"""Revalidation: how to ask a server whether a page has changed since it was fetched."""

from __future__ import annotations

import msgspec


class Revalidation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept with an address of the frontier for the next time it is asked for."""

    etag: str = ""
    last_modified: str = ""
    misses: int = 0
    """How often in a row the page was not there."""

    @classmethod
    def read(cls, text: str | None) -> Revalidation:
        """From the text in the store; unreadable text means that the whole page is asked for."""
        try:
            return msgspec.json.decode(text or "{}", type=cls)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return cls()

    def written(self) -> str:
        """As the store keeps it."""
        return msgspec.json.encode(self).decode()
