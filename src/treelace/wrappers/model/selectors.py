"""Selectors as a wrapper's file writes them: `css:…` or `xpath:…`."""

from __future__ import annotations

from treelace.errors import UsageError, WrapperError
from treelace.tree import compile_css, compile_xpath
from treelace.tree.select import Css, XPath


def compiled_selector(selector: str) -> Css | XPath:
    """The selector of `css:…` or `xpath:…`; without either CSS, or XPath after `/` or `.//`."""
    kind, _, expression = selector.partition(":")
    if kind not in ("css", "xpath"):
        kind, expression = ("xpath" if selector.startswith(("/", "./", "(")) else "css"), selector
    try:
        return compile_css(expression) if kind == "css" else compile_xpath(expression)
    except UsageError as error:
        raise WrapperError(f"the selector {selector!r} cannot be read: {error}") from error
