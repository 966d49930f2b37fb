"""All extractors on the labelled list pages, side by side: `python -m experiments.records.compare` writes table.md beside this file.

`records` appears with weights learnt from these very pages; its figures on sites left out come from `experiments.records.fit --predict`.
Needs TREELACE_CORPUS.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from experiments.records.fit import scorer
from treelace import TreelaceError, extract, parse
from treelace.extract import EXTRACTORS

HEAD = "| extractor | F1 best | F1 top | pages perfect (best / top) | items F1 | columns | median CPU ms a page |\n|---|---|---|---|---|---|---|\n"


def row(name: str, corpus: Path) -> str:
    """One extractor's line of the table."""
    score, folder = scorer(corpus), corpus / "data/records"
    seconds = []
    with tempfile.TemporaryDirectory() as made:
        for label in sorted((folder / "labels").glob("*.json")):
            tree = parse(next(path for path in (folder / f"{label.stem}.html", folder / f"{label.stem}.html.gz") if path.exists()))
            start = time.process_time()
            try:
                tables = extract(tree, extractor=name)
            except TreelaceError as error:
                print(f"{label.stem}: {error}")
                tables = []
            seconds.append(time.process_time() - start)
            form = {"regions": [table.to_json() for table in tables]}
            Path(made, label.name).write_text(json.dumps(form), encoding="utf-8")
        pages, _, _ = score.score_all(str(folder / "labels"), made)
    found = score.summary(pages, [])
    best, top = found["texts.best"], found["texts.top"]
    return (
        f"| `{name}` | {best['F1']:.3f} | {top['F1']:.3f} | {best['perfect']} / {top['perfect']} of {found['pages']} | {found['items']['F1']:.3f} "
        f"| {found['columns']['share']:.3f} | {1000 * statistics.median(seconds):.0f} |\n"
    )


def main() -> None:
    """Writes the table."""
    corpus = Path(os.environ["TREELACE_CORPUS"])
    table = HEAD + "".join(row(name, corpus) for name in EXTRACTORS)
    Path(__file__).with_name("table.md").write_text(f"# Extractors on {corpus.joinpath('data/records').name}\n\n{table}", encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main()
