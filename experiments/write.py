"""Tables of results as Markdown and CSV, beside the experiment that made them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path


def table(
    path: Path,
    title: str,
    command: str,
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    notes: str = "",
) -> None:
    """Writes `path`.csv and `path`.md, and shows the latter."""
    with path.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(head)
        lines.writerows(rows)
    text = f"# {title}\n\n`{command}`\n\n{markdown(head, rows)}\n" + (
        f"\n{notes}\n" if notes else ""
    )
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table."""
    cells = [
        [
            cell
            if isinstance(cell, str)
            else f"{cell:.4f}"
            if isinstance(cell, float)
            else str(cell)
            for cell in row
        ]
        for row in rows
    ]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
