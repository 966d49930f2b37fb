"""One side of benchmarks.xml_parse in a process of its own: reads `REPEAT FILE` lines, answers
`SECONDS ELEMENTS ATTRIBUTES`.

In one process the two would pay for each other: lxml frees a million small blocks, and the next
large allocation, whoever asks for it, tidies up after it. `python -m benchmarks.xml_worker ours
memory FILE` reads one file and prints how many bytes of memory that took at its peak.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

XMLNS = "http://www.w3.org/2000/xmlns/"


@dataclass(frozen=True, slots=True)
class Side:
    """A parser, and how to count what it found: elements, and attributes that are no namespace
    declarations.
    """

    parse: Callable[[bytes], Any]
    counts: Callable[[Any], tuple[int, int]]


def ours() -> Side:
    """treelace; limits raised for the largest file."""
    from treelace import _kernel
    from treelace.limits import Limits

    limits = Limits(bytes=10**9, nodes=10**8)

    def count(tree: _kernel.Tree) -> tuple[int, int]:
        elements = [index for index in range(len(tree)) if tree.kind(index) == 1]
        return len(elements), sum(
            uri != XMLNS for index in elements for _, uri, _, _ in tree.attributes(index)
        )

    return Side(lambda data: _kernel.parse_xml(data, None, False, limits), count)


def lxml() -> Side:
    """lxml's parse alone, as most people call it."""
    from lxml import etree

    def count(root: etree._Element) -> tuple[int, int]:
        elements = attributes = 0
        for element in root.iter(etree.Element):
            elements += 1
            attributes += len(element.attrib)
        return elements, attributes

    return Side(etree.fromstring, count)


def memory(field: str) -> int:
    """Bytes of resident memory: VmRSS now, VmHWM at the peak. (ru_maxrss would count the parent's
    memory before exec.)
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(
        int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(field + ":")
    )


def answer(side: Side, repeat: int, data: bytes) -> str:
    """CPU seconds of `repeat` parses, and what the last one found."""
    tree, spent = None, 0.0
    for _ in range(repeat):
        del tree  # freeing it is not parsing it
        start = time.process_time()
        tree = side.parse(data)
        spent += time.process_time() - start
    elements, attributes = side.counts(tree)
    return f"{spent} {elements} {attributes}"


def main() -> None:
    """See the head of the file."""
    side = {"ours": ours, "lxml": lxml}[sys.argv[1]]()
    if sys.argv[2:3] == ["memory"]:
        side.parse(b"<a/>")
        before = memory("VmRSS")
        data = Path(sys.argv[3]).read_bytes()
        tree = side.parse(data)
        print(memory("VmHWM") - before, side.counts(tree)[0])
        return
    for line in sys.stdin:
        repeat, _, name = line.strip().partition(" ")
        print(answer(side, int(repeat), Path(name).read_bytes()), flush=True)


if __name__ == "__main__":
    main()
