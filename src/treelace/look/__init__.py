"""The one look of every page that people see: colours, small parts, the frame around them.

Pure functions that make strings of HTML; no template engine. Every text that is handed over is
escaped here, so that nothing of a page that was read can become markup.
"""

from __future__ import annotations

from treelace.look.colours import COLOURS, column_colour
from treelace.look.control_characters import escape_controls, json_controls, xml_characters
from treelace.look.page import NO_NETWORK, page
from treelace.look.parts import badge, escape, frame, legend, table

__all__ = [
    "COLOURS",
    "NO_NETWORK",
    "badge",
    "column_colour",
    "escape",
    "escape_controls",
    "frame",
    "json_controls",
    "legend",
    "page",
    "table",
    "xml_characters",
]
