"""Whether scale costs quality: the classes, values and rows of `treelace bulk` beside those of
`treelace crawl --from`, on the same archives.
`TREELACE_CORPUS=… python -m experiments.bulk_quality [NAMES…] [-o FILE]`

Sites: the first day of each site of `data/sites`, scored for both by the same scorer (the corpus
has it: `tools/score_site.py`). A record that several pages show is one record, as in a store.
Classes: the pages of `data/classes` and of its harder part, all as pages of one site without
telling addresses, scored by the adjusted Rand index; pages of no class are classes of their own.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import comb
from pathlib import Path
from typing import Any

from treelace.bulk import BulkSettings, run_bulk
from treelace.bulk.datasets import from_parquet
from treelace.bulk.reading import as_rows

Classes = dict[str, str | None]
Tables = dict[str, list[tuple[str, list[dict[str, Any]]]]]
"""As the scorer wants them: of a class, its tables with their records."""


def scorer(corpus: Path) -> Any:
    """The scorer of whole sites, which is no part of this project."""
    spec = importlib.util.spec_from_file_location("score_site", corpus / "tools" / "score_site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def crawled(score: Any, source: Path, folder: Path) -> tuple[Classes, Tables]:
    """What a crawl of the archive stores."""
    program = score.Program([sys.executable, "-m", "treelace"], [])
    program("init", folder, "https://site.example/")
    program("crawl", "--from", source, "--auto-accept", "--site", folder)
    return score.tables(program, str(folder))  # type: ignore[no-any-return]


def in_bulk(source: Path, folder: Path) -> tuple[Classes, Tables]:
    """What bulk writes of the archive."""
    run_bulk([str(source)], str(folder), BulkSettings(on="threads", workers=1))
    pages = rows(folder / "pages")
    classes: Classes = {row["url"]: row["class"] for row in pages}
    kinds: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    named = {(row["key"], row["page"]): row["records"] for row in rows(folder / "records")}
    for wide in sorted((folder / "wide").iterdir()):
        for row in rows(wide):
            kind = named.get((row["key"], row["page"]))
            if kind is not None:
                known = kinds[kind].setdefault(row["key"], row)
                known.update({name: row[name] for name in row if known.get(name) is None})
    return classes, {kind: [(kind, list(records.values()))] for kind, records in kinds.items()}


def rows(folder: Path) -> list[dict[str, Any]]:
    return [
        row
        for path in sorted(folder.glob("*.parquet"))
        for row in as_rows(from_parquet(path.read_bytes()))
    ]


def scores(score: Any, truth: Sequence[Any], classes: Classes, tables: Tables) -> dict[str, float]:
    """Page kinds (mean of recall and purity), values and list rows found, wrong values."""
    found = score.score_classes(truth, classes)
    fields = score.score_fields(truth, classes, tables, found)
    lists = score.score_lists(truth, classes, tables)
    kinds = [it for name, it in found.items() if name != "other" and it["pages"] >= 3]
    values = sum(it["values"] for it in fields.values())
    right = sum(round((it["recall"] or 0) * it["values"]) for it in fields.values())
    return {
        "class recall": mean([it["recall"] for it in kinds]),
        "class purity": mean([it["purity"] or 0 for it in kinds]),
        "values": right / values if values else 1.0,
        "wrong values": sum(it["wrong"] for it in fields.values()),
        "rows": lists["row recall"] if lists else 1.0,
        "row values": lists["recall"] if lists else 1.0,
    }


def mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 1.0


# pages of many templates


def flat_folder(labels: Path, folder: Path) -> dict[str, str]:
    """The labelled pages in one folder, with names that say nothing; the class of each."""
    with labels.open(encoding="utf-8", newline="") as file:
        listed = [(row["file"], row["class"]) for row in csv.DictReader(file)]
    known: dict[str, str] = {}
    lines = ["file,url,time"]
    spread = sorted(range(len(listed)), key=lambda number: number * 7919 % len(listed))
    for number, at in enumerate(spread):
        name, label = listed[at]
        path = labels.parent / name
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        (folder / f"{number}.html").write_bytes(body)
        url = f"https://pages.example/{number}"
        lines.append(f"{number}.html,{url},2026-03-01T00:00:00Z")
        known[url] = label
    (folder / "index.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return known


def rand_index(truth: Mapping[str, str], classes: Classes) -> float:
    """The adjusted Rand index of the classes, where a page of no class stands alone."""
    found = {url: classes.get(url) or f"alone {url}" for url in truth}
    both = Counter((truth[url], found[url]) for url in truth)
    left, right = Counter(truth.values()), Counter(found.values())
    pairs = [sum(comb(count, 2) for count in some.values()) for some in (both, left, right)]
    expected = pairs[1] * pairs[2] / comb(len(truth), 2)
    return (pairs[0] - expected) / ((pairs[1] + pairs[2]) / 2 - expected)


def report(corpus: Path, only: Sequence[str]) -> str:
    score = scorer(corpus)
    names = "class recall,class purity,values,wrong values,rows,row values".split(",")
    lines = [
        "# Bulk beside a crawl: what scale costs in quality",
        "",
        "`python -m experiments.bulk_quality`. Each cell: `crawl --from` / `bulk`, first day.",
        "",
        f"| site | {' | '.join(names)} |",
        f"|---|{'---|' * len(names)}",
    ]
    for site in sorted(path for path in (corpus / "data" / "sites").iterdir() if path.is_dir()):
        if only and site.name not in only:
            continue
        text = (site / "truth.jsonl").read_text(encoding="utf-8")
        truth = [json.loads(line) for line in text.splitlines() if line.strip()]
        with tempfile.TemporaryDirectory() as folder:
            source = site / "pages.warc.gz"
            one = scores(score, truth, *crawled(score, source, Path(folder) / "site"))
            other = scores(score, truth, *in_bulk(source, Path(folder) / "bulk"))
        cells = [f"{one[name]:.3g} / {other[name]:.3g}" for name in names]
        lines.append(f"| {site.name} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    lines += [
        "",
        "| pages of `data/classes` | adjusted Rand index: crawl | bulk |",
        "|---|---|---|",
    ]
    for name in ("labels.csv", "labels-hard.csv"):
        if only and name not in only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            pages = Path(folder) / "pages"
            pages.mkdir()
            known = flat_folder(corpus / "data" / "classes" / name, pages)
            stored, _ = crawled(score, pages, Path(folder) / "site")
            made, _ = in_bulk(pages, Path(folder) / "bulk")
        indexes = (rand_index(known, stored), rand_index(known, made))
        lines.append(f"| {name}, {len(known)} pages | {indexes[0]:.3f} | {indexes[1]:.3f} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help="names of sites, labels.csv, labels-hard.csv")
    parser.add_argument("-o", "--output")
    said = parser.parse_args()
    if not os.environ.get("TREELACE_CORPUS"):
        raise SystemExit("set TREELACE_CORPUS to the folder of outside data")
    text = report(Path(os.environ["TREELACE_CORPUS"]), said.only)
    print(text)
    if said.output:
        Path(said.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
