"""The outputs of `diff`, one file each, and how to get one by its name."""

from __future__ import annotations

from treelace import named
from treelace.diff.outputs.binary import Binary
from treelace.diff.outputs.html import Html
from treelace.diff.outputs.json import Json
from treelace.diff.outputs.json_patch import JsonPatch
from treelace.diff.outputs.output import Change, DeltaOutput, Output
from treelace.diff.outputs.stat import Stat
from treelace.diff.outputs.text import Text
from treelace.diff.outputs.unified import Unified
from treelace.diff.outputs.xml import Xml
from treelace.diff.outputs.xml_patch import XmlPatch

__all__ = ["DELTA_OUTPUTS", "OUTPUTS", "Change", "Output", "output_named", "write"]

DELTA_OUTPUTS: dict[str, type[DeltaOutput]] = {cls.name: cls for cls in (Xml, Json, Binary)}
"""The outputs that hold the whole delta: what `invert` and `compose` can write."""

_LIST: tuple[type[Output], ...] = (
    Text,
    Html,
    Stat,
    *DELTA_OUTPUTS.values(),
    XmlPatch,
    JsonPatch,
    Unified,
)
OUTPUTS: dict[str, type[Output]] = {cls.name: cls for cls in _LIST}
"""Every output by its name. To add one: write its file and add it to this list."""


def output_named(name: str) -> Output:
    """The output called `name`.

    >>> output_named("stat").name
    'stat'
    """
    return named.make("output", OUTPUTS, name, {})


def write(change: Change, name: str) -> str | bytes:
    """A change in the output called `name`.

    >>> from treelace.tree import parse
    >>> from treelace.diff import diff
    >>> old, new = parse("<p>tea: 3"), parse("<p>tea: 4")
    >>> write(Change(delta=diff(old, new), old=old, new=new), "stat")
    '1 update (5 → 5 nodes)\\n'
    """
    return output_named(name).write(change)
