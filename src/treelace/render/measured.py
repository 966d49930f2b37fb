"""What a browser says of a page: its HTML, and a box for each element."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from treelace.limits import Limits
from treelace.render.boxes import Box, Boxes
from treelace.tree import Tree, parse

MARK = "data-treelace-element"

MEASURE = """
([mark, scripts]) => {
  // without scripts, noscript holds elements, as in our parse
  if (scripts) for (const one of document.querySelectorAll('noscript')) one.textContent = '';
  const elements = document.querySelectorAll('*'), boxes = [];
  elements.forEach((element, number) => {
    const seen = !element.checkVisibility || element.checkVisibility({visibilityProperty: true});
    const box = element.getBoundingClientRect();
    const place = [box.x + scrollX, box.y + scrollY, box.width, box.height];
    boxes.push(seen && (box.width || box.height) ? place : null);
    element.setAttribute(mark, number);
  });
  const kind = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  const html = kind + document.documentElement.outerHTML;
  return [html, boxes, [innerWidth, innerHeight], location.href];
}
"""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page after its scripts have run: the HTML, its tree, and boxes by element index."""

    html: str
    tree: Tree
    boxes: Boxes
    url: str


def rendered(
    marked: str, boxes: list[Any], window: tuple[float, float], url: str, limits: Limits
) -> Rendered:
    """The boxes by the element indexes of our own parse: scripts can build what no parser would, so
    elements are known by a mark that is taken out again.
    """
    numbers = [
        node.attribute(MARK) for node in parse(marked, format="html", limits=limits).elements
    ]
    html = re.sub(rf' {MARK}="\d*"', "", marked)
    tree = parse(html, format="html", limits=limits)
    found = {}
    for index, number in enumerate(numbers):
        entry = (
            boxes[int(number)]
            if number is not None and number.isdigit() and int(number) < len(boxes)
            else None
        )
        if entry is not None:
            found[index] = Box(*map(float, entry))
    return Rendered(html, tree, Boxes(found, window, len(numbers)), url)
