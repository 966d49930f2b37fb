"""XPath makes no text beyond its bound, however often a query doubles it."""

from __future__ import annotations

import pytest

from treelace import parse
from treelace.errors import LimitError


def test_texts_that_double_end_at_a_bound():
    page = parse("<p>" + "x" * 2**20, format="html")
    text = "string(/)"
    for _ in range(10):
        text = f"concat({text}, {text})"
    with pytest.raises(LimitError, match="memory"):
        page.select_xpath(f"string-length({text})")
