"""Boxes and final HTML of a page, from a real browser; the only package that starts one."""

from __future__ import annotations

from treelace.render.boxes import Boxes
from treelace.render.browser import Browser, Visitor, find_browser, render
from treelace.render.measured import Rendered

__all__ = ["Boxes", "Browser", "Rendered", "Visitor", "find_browser", "render"]
