"""The colours of every page, for light and dark screens, as CSS variables."""

from __future__ import annotations

COLOURS = """
:root {
  color-scheme: light dark;
  --ink: #1d2330; --paper: #fff; --soft: #667; --line: #d8dbe2; --hover: #eef3ff; --pick: #ffe9a8;
  --gone: #c2342d; --come: #1c7c3c; --changed: #a06a00; --moved: #5b3fc4; --unsure: #b0207a;
  --gone-back: #ffecec; --come-back: #e6ffed; --changed-back: #fff8e0; --moved-back: #e8f1ff;
  --gone-word: #ffb8b8; --come-word: #a6f0b8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #dde2ec; --paper: #15181f; --soft: #98a; --line: #333a47; --hover: #222b3d;
    --pick: #574612;
    --gone: #ff8a80; --come: #7bd88f; --changed: #e8b45a; --moved: #b3a0ff; --unsure: #ff8fd0;
    --gone-back: #4a2020; --come-back: #1d4226; --changed-back: #45401c; --moved-back: #1d2f4d;
    --gone-word: #8a3030; --come-word: #2a7a3d;
  }
}
"""

GOLDEN_ANGLE = 137.5
"""Degrees between the hues of neighbouring columns: any few of them differ well."""
DEGREES_BETWEEN_TABLES = 47


def column_colour(column: int, *, table: int = 0, light: int = 82) -> str:
    """The colour of a column of one of several tables.

    >>> column_colour(0), column_colour(1)
    ('hsl(0 75% 82%)', 'hsl(138 75% 82%)')
    """
    hue = round((column * GOLDEN_ANGLE + table * DEGREES_BETWEEN_TABLES) % 360)
    return f"hsl({hue} 75% {light}%)"
