"""No screen is a column of letters: on a narrow window, words of tables stay whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.studio.conftest import Studio
from tests.studio.screens import screens

BROKEN = """
() => {
  const found = new Set();
  for (const cell of document.querySelectorAll('main td, main th')) {
    if (cell.closest('.diff-source')) continue;
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (const word of walker.currentNode.data.matchAll(/\\w{2,16}/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, word.index);
        range.setEnd(walker.currentNode, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (lines.size > 1) found.add(word[0]);
      }
    }
  }
  return [...found];
}
"""


def test_words_stay_whole_on_a_narrow_window(studio: Studio, tea: Path, visit: Any):
    page = visit(studio.link, viewport={"width": 420, "height": 900}, bypass_csp=True)
    for name, path in screens("tea", tea).items():
        if name != "failed":  # the browser itself complains of its status
            page.goto(studio.origin + path)
            assert page.evaluate(BROKEN) == [], name
    cells = "document.querySelector('main').innerHTML = '<table><td style=\"width: 1em;"
    page.evaluate(cells + " max-width: 1em; overflow-wrap: anywhere\">letters</td></table>'")
    assert page.evaluate(BROKEN) == ["letters"]
