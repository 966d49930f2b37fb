"""Small parts of pages: tables, badges, a legend, a frame that runs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from treelace.look.colours import column_colour

__all__ = ["badge", "escape", "frame", "legend", "table"]


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str | None]],
    *,
    most_rows: int,
    notes: Sequence[str] = (),
    is_coloured: bool = False,
    is_numbered: bool = False,
    hue: int = 0,
) -> str:
    """A table of texts: the first rows, and a line that says how many more there are.

    `notes` are small words in the heads; `hue` tells the colours of several tables apart.

    >>> made = table(["tea"], [["<green>"], [None], ["black"]], most_rows=2)
    >>> "<td>&lt;green&gt;</td>" in made, made.endswith("<p>… 1 more row</p>")
    (True, True)
    """
    parts = ["<th></th>"] if is_numbered else []
    for number, head in enumerate(heads):
        colour = (
            f' style="background:{column_colour(number, table=hue)};color:#111"'
            if is_coloured
            else ""
        )
        note = f" <small>{escape(notes[number])}</small>" if notes and notes[number] else ""
        parts.append(f"<th{colour}>{escape(head)}{note}</th>")
    lines = "".join(
        "<tr>"
        + (f"<td>{number}</td>" if is_numbered else "")
        + "".join(f"<td>{escape(text or '')}</td>" for text in row)
        + "</tr>"
        for number, row in enumerate(rows[:most_rows], start=1)
    )
    left = len(rows) - most_rows
    more = f"<p>… {left:,} more row{'s' * (left != 1)}</p>" if left > 0 else ""
    return f"<table><thead><tr>{''.join(parts)}</tr></thead><tbody>{lines}</tbody></table>{more}"


def badge(text: str, kind: str = "") -> str:
    """A short text in a box; `kind` is a class of the style: went, came, moved, changed.

    >>> badge("3 new", "came")
    '<span class="badge came">3 new</span>'
    """
    return f'<span class="badge{f" {kind}" if kind else ""}">{escape(text)}</span>'


def legend(kinds: Mapping[str, str]) -> str:
    """What the colours of a page mean: a badge for each kind, with its words."""
    return (
        f"<span class=legend>{' '.join(badge(text, kind) for kind, text in kinds.items())}</span>"
    )


def frame(page: str, *, title: str, may_run_scripts: bool = False, style: str = "") -> str:
    """A page inside another one, in a sandbox: it reaches nothing outside itself.

    >>> frame("<p>tea", title="a page")
    '<iframe sandbox="" title="a page" srcdoc="&lt;p&gt;tea"></iframe>'
    """
    sandbox = "allow-scripts" if may_run_scripts else ""
    styled = f' style="{escape(style)}"' if style else ""
    return (
        f'<iframe sandbox="{sandbox}"{styled} title="{escape(title)}"'
        f' srcdoc="{escape(page)}"></iframe>'
    )
