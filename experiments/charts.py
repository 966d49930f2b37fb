"""Line charts as SVG, side by side: enough for the figures of a paper, and no library for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = (
    "#1b6ca8",
    "#d1495b",
    "#3c8d40",
    "#8a5fbf",
    "#c77d11",
    "#4f5d75",
    "#0f8b8d",
    "#a23e48",
    "#6b8f23",
    "#b5179e",
    "#3a3a3a",
    "#7a5230",
)
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 520, 360, 56, 190, 34, 44


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Lines by name over x, each a list of points."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    is_log_x: bool = False
    is_log_y: bool = False


def as_svg(charts: Sequence[Chart], columns: int = 2) -> str:
    """The charts in rows, with one colour for a name in all of them."""
    names = list(dict.fromkeys(name for chart in charts for name in chart.lines))
    # past the colours, lines are dashed
    colours = {
        name: COLOURS[i % len(COLOURS)] + ('" stroke-dasharray="5 3' if i >= len(COLOURS) else "")
        for i, name in enumerate(names)
    }
    rows = -(-len(charts) // columns)
    size = (
        f'width="{columns * WIDTH}" height="{rows * HEIGHT}" viewBox="0 0 {columns * WIDTH}'
        f' {rows * HEIGHT}"'
    )
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif"'
        ' font-size="11"><rect width="100%" height="100%" fill="#fff"/>'
    )
    parts = [start]
    for k, chart in enumerate(charts):
        place = f"translate({k % columns * WIDTH},{k // columns * HEIGHT})"
        parts.append(f'<g transform="{place}">{_drawn(chart, colours)}</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawn(chart: Chart, colours: Mapping[str, str]) -> str:
    points = [point for line in chart.lines.values() for point in line]
    across = _Scale([x for x, _ in points], LEFT, WIDTH - RIGHT, chart.is_log_x)
    up = _Scale([y for _, y in points], HEIGHT - BOTTOM, TOP, chart.is_log_y)
    parts = [f'<text x="{LEFT}" y="18" font-weight="bold">{escape(chart.title)}</text>']
    for value in up.ticks():
        y = up(value)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    parts += [
        f'<text x="{across(value):.1f}" y="{HEIGHT - BOTTOM + 15}"'
        f' text-anchor="middle">{value:g}</text>'
        for value in across.ticks()
    ]
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}"'
        f' text-anchor="middle">{escape(chart.x)}</text>'
    )
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14'
        f' {middle})">{escape(chart.y)}</text>'
    )
    for k, (name, line) in enumerate(chart.lines.items()):
        at = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in line)
        parts.append(
            f'<polyline points="{at}" fill="none" stroke="{colours[name]}" stroke-width="1.8"/>'
        )
        parts += [
            f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="2.6" fill="{colours[name][:7]}"/>'
            for x, y in line
        ]
        y = TOP + 6 + 15 * k
        parts.append(
            f'<line x1="{WIDTH - RIGHT + 6}" x2="{WIDTH - RIGHT + 20}" y1="{y - 4}" y2="{y - 4}"'
            f' stroke="{colours[name]}" stroke-width="2.5"/>'
        )
        parts.append(f'<text x="{WIDTH - RIGHT + 26}" y="{y}">{escape(name)}</text>')
    return "\n".join(parts)


class _Scale:
    """Values to places on the paper."""

    def __init__(self, values: Sequence[float], start: float, end: float, is_log: bool) -> None:
        self.start, self.end, self.is_log = start, end, is_log
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        if is_log:
            self.low, self.high = (
                float(math.floor(math.log10(low))),
                float(math.ceil(math.log10(high))),
            )
            self.high += self.high == self.low
        else:
            step = self.step = _round_step((high - low) / 5 or 1.0)
            self.low, self.high = math.floor(low / step) * step, math.ceil(high / step) * step
            self.high += step * (self.high == self.low)

    def __call__(self, value: float) -> float:
        at = math.log10(value) if self.is_log else value
        return self.start + (at - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        if self.is_log:
            return [10.0**k for k in range(int(self.low), int(self.high) + 1)]
        return [
            round(self.low + k * self.step, 10)
            for k in range(round((self.high - self.low) / self.step) + 1)
        ]


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= rough * 0.999)
