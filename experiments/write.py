"""Tables of results as Markdown and CSV, beside the experiment that made them, and what made them.

The `made_by.csv` of each folder has a line for each file: the command, and the commit it ran on.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent


def note(*paths: Path) -> None:
    """Writes into `made_by.csv` beside the results that this command made them, on which commit.

    Code with changes of its own is no commit that others can have: the commit then ends in
    `-dirty`, which `tests/test_results.py` refuses.
    """
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    module = (spec.name if spec else "experiments").removesuffix(".__main__")
    command = " ".join(["python -m", module, *sys.argv[1:]])
    commit = _git("rev-parse", "HEAD")
    if _git("status", "--porcelain", "--untracked-files=no", "--", ":/*.py", ":/*.rs", ":/*.toml"):
        commit += "-dirty"
    for path in paths:
        book = path.parent / "made_by.csv"
        rows = {}
        if book.exists():
            with book.open(newline="", encoding="utf-8") as file:
                rows = {row["file"]: row for row in csv.DictReader(file)}
        rows[path.name] = {"file": path.name, "command": command, "commit": commit}
        with book.open("w", newline="", encoding="utf-8") as file:
            lines = csv.DictWriter(file, ["file", "command", "commit"], lineterminator="\n")
            lines.writeheader()
            lines.writerows(rows[name] for name in sorted(rows))


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=HERE, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def rows_as_csv(path: Path, rows: Sequence[Sequence[object]]) -> None:
    """Writes the rows, the head first, and notes what made them."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    note(path)


def picture(path: Path, svg: str) -> None:
    """Writes a picture and notes what made it."""
    path.write_text(svg, encoding="utf-8")
    note(path)


def table(
    path: Path,
    title: str,
    command: str,
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    notes: str = "",
) -> None:
    """Writes `path`.csv and `path`.md, and shows the latter."""
    rows_as_csv(path.with_suffix(".csv"), [head, *rows])
    text = f"# {title}\n\n`{command}`\n\n{markdown(head, rows)}\n" + (
        f"\n{notes}\n" if notes else ""
    )
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    note(path.with_suffix(".md"))
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
