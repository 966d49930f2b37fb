"""Drawings as SVG: the past of a value as steps or as a band, and bars of an answer.

Every text is escaped; nothing but attributes is used, so that a strict content security policy
lets them be drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from treelace.look import escape

WIDTH, HEIGHT = 720, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 12, 26
_BAND = 26
_LONGEST = 28


class Point(NamedTuple):
    """A value from one time until another (None: it still holds), and where it was read."""

    start: datetime
    end: datetime | None
    value: Any
    link: str


def plot(points: Sequence[Point], *, now: datetime | None = None) -> str:
    """Numbers over time, as steps; each point leads to where it was read.

    >>> start = datetime(2026, 3, 1, tzinfo=UTC)
    >>> drawn = plot([Point(start, None, 3.0, "/a?b&c")], now=datetime(2026, 3, 2, tzinfo=UTC))
    >>> 'href="/a?b&amp;c"' in drawn
    True
    """
    clock = _Clock(points, now)
    known = [one.value for one in points if one.value is not None]
    low, high = (min(known), max(known)) if known else (0, 1)
    span = (high - low) or abs(high) or 1
    low, high = low - span * 0.1, high + span * 0.1

    def y(value: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - (value - low) / (high - low))

    path, dots, is_drawn = [], [], False
    for one in points:
        if one.value is None:
            is_drawn = False
            continue
        start, end, at = clock.x(one.start), clock.x(one.end), y(one.value)
        path.append(f"{'L' if is_drawn else 'M'}{start:.1f} {at:.1f}L{end:.1f} {at:.1f}")
        is_drawn = True
        said = f"{one.value:,.10g} from {_day(one.start)}"
        dots.append(
            f'<a href="{escape(one.link)}"><circle cx="{start:.1f}" cy="{at:.1f}" r="4">'
            f"<title>{escape(said)}</title></circle></a>"
        )
    lines = "".join(
        f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y(it):.1f}" y2="{y(it):.1f}"/>'
        f'<text x="{_LEFT - 8}" y="{y(it) + 4:.1f}" text-anchor="end">{it:,.10g}</text>'
        for it in sorted({min(known), max(known)} if known else set())
    )
    inside = f'{lines}<path d="{"".join(path)}"/>{"".join(dots)}{clock.axis(HEIGHT)}'
    return _svg(inside, HEIGHT, "steps", f"{len(points)} values from {_day(points[0].start)}")


def timeline(points: Sequence[Point], *, now: datetime | None = None) -> str:
    """Values over time as a band; each part leads to where it was read."""
    clock = _Clock(points, now)
    parts = []
    for number, one in enumerate(points):
        start, end = clock.x(one.start), clock.x(one.end)
        said = "nothing" if one.value in (None, "") else " ".join(str(one.value).split())
        room = max(int((end - start) / 7), 0)
        words = said if len(said) <= room else f"{said[: max(room - 1, 0)]}…" if room > 3 else ""
        kind = "empty" if one.value in (None, "") else ("odd" if number % 2 else "even")
        parts.append(
            f'<a href="{escape(one.link)}"><rect class="{kind}" x="{start:.1f}" y="{_TOP}"'
            f' width="{max(end - start, 2):.1f}" height="{_BAND}"><title>{escape(said)} from'
            f" {_day(one.start)}</title></rect>"
            f'<text x="{start + 6:.1f}" y="{_TOP + 17}">{escape(words)}</text></a>'
        )
    height = _TOP + _BAND + _BOTTOM
    said = f"{len(points)} values from {_day(points[0].start)}"
    return _svg("".join(parts) + clock.axis(height), height, "band", said)


def bars(labels: Sequence[str], values: Sequence[float]) -> str:
    """A bar for each label."""
    most = max([abs(value) for value in values] or [1]) or 1
    row, left = 22, 200
    parts = []
    for number, (label, value) in enumerate(zip(labels, values, strict=True)):
        width = (WIDTH - left - 80) * abs(value) / most
        top = number * row
        words = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
        parts.append(
            f'<text x="{left - 8}" y="{top + 15}" text-anchor="end">{escape(words)}</text>'
            f'<rect class="even" x="{left}" y="{top + 3}" width="{width:.1f}" height="{row - 6}"/>'
            f'<text x="{left + width + 6:.1f}" y="{top + 15}">{value:,.6g}</text>'
        )
    return _svg("".join(parts), len(labels) * row, "bars", f"{len(labels)} values as bars")


class _Clock:
    """Where a time stands on the drawing."""

    def __init__(self, points: Sequence[Point], now: datetime | None) -> None:
        self._now = now or datetime.now(UTC)
        self.first = points[0].start
        ends = [one.end for one in points if one.end is not None] + [points[-1].start]
        is_open = points[-1].end is None
        last = self._now if is_open else max(ends)
        # what still holds is drawn on a little, not over the months since nobody looked
        known = max(ends) - self.first
        self.last = min(last, max(ends) + known / 4) if known else last
        self._span = (self.last - self.first).total_seconds() or 1

    def x(self, time: datetime | None) -> float:
        """Pixels from the left."""
        share = ((time or self.last) - self.first).total_seconds() / self._span
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * min(share, 1)

    def axis(self, height: int) -> str:
        """The first and the last time, under the drawing."""
        return (
            f'<text class="time" x="{_LEFT}" y="{height - 8}">{_day(self.first)}</text>'
            f'<text class="time" x="{WIDTH - _RIGHT}" y="{height - 8}" text-anchor="end">'
            f"{_day(self.last)}</text>"
        )


def _svg(inside: str, height: int, kind: str, said: str) -> str:
    return (
        f'<svg class="drawing {kind}" viewBox="0 0 {WIDTH} {height}"'
        f' role="{"group" if "<a " in inside else "img"}"'
        f' aria-label="{escape(said)}">{inside}</svg>'
    )


def _day(time: datetime) -> str:
    return f"{time.astimezone():%Y-%m-%d %H:%M}"
