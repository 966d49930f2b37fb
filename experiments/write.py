"""Results: tables as Markdown and CSV, line charts as SVG, beside the experiment that made them."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path

COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f"]


def table(path: Path, title: str, command: str, head: Sequence[str], rows: Sequence[Sequence[object]], notes: str = "") -> None:
    """Writes `path`.csv and `path`.md, and shows the latter."""
    with path.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(head)
        lines.writerows(rows)
    text = f"# {title}\n\n`{command}`\n\n{markdown(head, rows)}\n" + (f"\n{notes}\n" if notes else "")
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table."""
    cells = [[cell if isinstance(cell, str) else f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def chart(path: Path, title: str, x: str, y: str, lines: dict[str, list[tuple[float, float]]]) -> None:
    """Lines over two logarithmic axes, as SVG."""
    points = [point for line in lines.values() for point in line]
    (left, right), (low, high) = (_powers(values) for values in zip(*points, strict=True))
    width, height, margin = 640, 420, 60

    def place(px: float, py: float) -> tuple[float, float]:
        across = (math.log10(px) - left) / (right - left)
        up = (math.log10(py) - low) / (high - low)
        return margin + across * (width - margin - 170), height - margin - up * (height - margin - 40)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">']
    out.append(f'<rect width="100%" height="100%" fill="white"/><text x="{margin}" y="20" font-size="14">{escape(title)}</text>')
    for power in range(left, right + 1):
        at, bottom = place(10.0**power, 10.0**low)
        out.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="40" y2="{bottom:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{at:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{10.0**power:g}</text>')
    for power in range(low, high + 1):
        at, up = place(10.0**left, 10.0**power)
        out.append(f'<line x1="{at:.1f}" x2="{width - 170}" y1="{up:.1f}" y2="{up:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{at - 6:.1f}" y="{up + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    out.append(f'<text x="{(width - 110) / 2}" y="{height - 16}" text-anchor="middle">{escape(x)}</text>')
    out.append(f'<text x="16" y="{height / 2}" text-anchor="middle" transform="rotate(-90 16 {height / 2})">{escape(y)}</text>')
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path_of = " ".join(f"{px:.1f},{py:.1f}" for px, py in (place(*point) for point in line))
        out.append(f'<polyline points="{path_of}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        out.extend(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.6" fill="{colour}"/>' for px, py in (place(*point) for point in line))
        out.append(f'<text x="{width - 160}" y="{50 + 18 * number}" fill="{colour}">{escape(name)}</text>')
    path.with_suffix(".svg").write_text("\n".join([*out, "</svg>", ""]), encoding="utf-8")


def _powers(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
