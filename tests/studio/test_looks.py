"""No screen is a column of letters: on a narrow window, words of tables stay whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studio.conftest import Studio, started
from tests.studio.screens import make_sites, screens

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


OUTSIDE = """
() => {
  const wide = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > wide) found.push('the page itself');
  const pressed = 'main button, main .button, main input:not([type=hidden])';
  for (const one of document.querySelectorAll(pressed))
    if (one.checkVisibility() && one.getBoundingClientRect().right > wide)
      found.push(one.innerText || one.name);
  return found;
}
"""
"""What can be pressed or filled in and lies outside of the window."""
HEARD = """
() => [...document.querySelectorAll('.heard')].filter((one) => {
  const box = one.getBoundingClientRect(), head = one.closest('th').getBoundingClientRect();
  return box.width > 1 || (head.width && (box.left < head.left - 1 || box.right > head.right + 1));
}).map((one) => one.innerText)
"""
"""Words for screen readers alone that are drawn, or stand over something else."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("looks")


@pytest.fixture(scope="module")
def studio(place: Path) -> Iterator[Studio]:
    with started(*make_sites(place), cwd=place) as running:
        yield running


def test_words_stay_whole_and_buttons_inside_on_a_narrow_window(
    studio: Studio, place: Path, visit: Any
):
    page = visit(studio.link, viewport={"width": 420, "height": 900}, bypass_csp=True)
    for name, path in screens(place / "tea").items():
        if name != "failed":  # the browser itself complains of its status
            page.goto(studio.origin + path)
            assert page.evaluate(BROKEN) == [], name
            assert page.evaluate(OUTSIDE) == [], name
            assert page.evaluate(HEARD) == [], name
    cells = "document.querySelector('main').innerHTML = '<table><td style=\"width: 1em;"
    page.evaluate(cells + " max-width: 1em; overflow-wrap: anywhere\">letters</td></table>'")
    assert page.evaluate(BROKEN) == ["letters"]
