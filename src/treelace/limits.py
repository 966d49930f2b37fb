"""Every bound on what one call may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds with defaults fit for hostile pages; reaching one raises `LimitError` with its name.

    >>> Limits(bytes=10).bytes
    10
    """

    bytes: int = 64 * 2**20
    """Bytes of input, after decompression."""
    nodes: int = 5_000_000
    """Nodes of one tree."""
    depth: int = 1_000_000
    """Levels of an XML tree. HTML deeper than 4,096 levels is attached at that level, as browsers
    do at theirs.
    """
    attributes: int = 10_000
    """Attributes of one element."""
    text: int = 64 * 2**20
    """Bytes of one text, attribute value, comment or processing instruction."""
    entity_expansion: int = 1_000_000
    """Characters that the entity references of one document may expand to."""
    memory: int = 2 * 2**30
    """Bytes of working memory of one algorithm."""
    seconds: float = 60.0
    """Seconds one call into the kernel may take."""


DEFAULT_LIMITS = Limits()
