"""The outputs of `diff`, one file each, and how to get one by its name."""

from __future__ import annotations

from collections.abc import Callable

from treelace import named
from treelace.diff.delta import Delta
from treelace.diff.outputs.html import html
from treelace.diff.outputs.json_patch import json_patch
from treelace.diff.outputs.output import Change, Output
from treelace.diff.outputs.stat import stat
from treelace.diff.outputs.text import text
from treelace.diff.outputs.unified import unified
from treelace.diff.outputs.xml_patch import xml_patch

__all__ = ["DELTA_OUTPUTS", "OUTPUTS", "Change", "Output", "write"]

DELTA_OUTPUTS: dict[str, Callable[..., str | bytes]] = {
    "xml": Delta.to_xml,
    "json": Delta.to_json,
    "binary": Delta.to_bytes,
}
"""The forms of the whole delta, which `treelace apply` reads: what `invert` and `compose` write."""

OUTPUTS: dict[str, Output] = {
    "text": text,
    "html": html,
    "stat": stat,
    "xml": lambda change: change.delta.to_xml(limits=change.limits),
    "json": lambda change: change.delta.to_json(limits=change.limits),
    "binary": lambda change: change.delta.to_bytes(limits=change.limits),
    "xml-patch": xml_patch,
    "json-patch": json_patch,
    "unified": unified,
}
"""Every output by its name. To add one: write its file and add it to this list."""


def write(change: Change, name: str) -> str | bytes:
    """A change in the output called `name`.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> old, new = parse("<p>tea: 3"), parse("<p>tea: 4")
    >>> write(Change(delta=diff(old, new), old=old, new=new), "stat")
    '1 update (5 → 5 nodes)\\n'
    """
    return named.pick("output", OUTPUTS, name)(change)
