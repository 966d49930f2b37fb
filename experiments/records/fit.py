"""Learns the weights of the `records` extractor from labelled list pages, and says how good they
are on sites not learnt from.

    python -m experiments.records.fit                    # ten-fold cross-validation by site: top
    and best F1 python -m experiments.records.fit --predict DIR      # and writes each page's tables
    there, by weights learnt without its site python -m experiments.records.fit --write            #
    the same, and writes src/treelace/extract/regions/generated/ranking_weights.py from all sites

Needs TREELACE_CORPUS (data/records and tools/score_records.py). The loss is minus the logarithm of
the F1 (squared) that a page gets if a candidate is drawn by the softmax of the weights; a penalty
on large weights; Adam. The same input gives the same weights.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import pickle
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treelace import parse
from treelace.extract.build_table import build_table
from treelace.extract.columns.alignment import line_up
from treelace.extract.extractors.records import Records
from treelace.extract.page.page_view import PageView
from treelace.extract.regions.candidates import NAMES, Candidate, candidates
from treelace.extract.regions.ranking import FARTHEST

TARGET = Path(__file__).parents[2] / "src/treelace/extract/regions/generated/ranking_weights.py"
FOLDS, STEPS, RATE, PENALTY = 10, 500, 0.03, 0.03


@dataclass(frozen=True)
class Page:
    """A labelled page: its candidates with their features, their F1, and the counts (right,
    predicted, true) F1 is made of.
    """

    name: str
    site: str
    found: list[Candidate]
    values: Any
    f1: Any
    counts: list[tuple[int, int, int]]


def scorer(corpus: Path) -> Any:
    """The scorer that comes with the data."""
    spec = importlib.util.spec_from_file_location(
        "score_records", corpus / "tools/score_records.py"
    )
    assert spec, "a file has a spec"
    assert spec.loader, "a Python file has a loader"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(corpus: Path) -> list[Page]:
    """Every labelled page with its candidates."""
    score, folder, pages = scorer(corpus), corpus / "data/records", []
    for label in sorted((folder / "labels").glob("*.json")):
        view = PageView.of(parse(_file(folder, label.stem)))
        made = candidates(view)
        found, values = list(made), made.features
        regions = score.load_label(str(label))
        truths = (
            regions
            if len(regions) == 1
            else [*regions, [record for region in regions for record in region]]
        )
        counts = [_best(score, view, candidate, truths) for candidate in found]
        f1 = np.array([score.prf(*count)[2] for count in counts])
        site = json.loads(label.read_text(encoding="utf-8"))["site"].lower()
        pages.append(Page(label.stem, _name_of(site), found, values, f1, counts))
        print(f"{label.stem:28} {len(found):4} candidates, best F1 {f1.max():.3f}", flush=True)
    return pages


def _name_of(site: str) -> str:
    """`search.ebay.co.uk` and `ebay.com` are one site."""
    parts = [part for part in site.replace("www.", "").split(".") if len(part) > 3]
    return parts[-1] if parts else site


def _best(
    score: Any, view: PageView, candidate: Candidate, truths: list[Any]
) -> tuple[int, int, int]:
    made = [
        score.Rec({"texts": [view.texts[text] for root in record for text in view.texts_in(root)]})
        for record in candidate.records
    ]
    return max(
        (tuple(score.count_region(made, truth, 0.8, False)) for truth in truths),
        key=lambda count: score.prf(*count)[2],
    )


def fit(pages: list[Page]) -> tuple[Any, Any, Any]:
    """Means, spreads and weights."""
    together = np.concatenate([page.values for page in pages])
    means, spreads = together.mean(0), together.std(0) + 1e-6
    values = np.clip((together - means) / spreads, -FARTHEST, FARTHEST)
    gains = np.concatenate([page.f1 for page in pages]) ** 2
    sizes = [len(page.found) for page in pages]
    starts, owner = np.cumsum([0, *sizes])[:-1], np.repeat(np.arange(len(pages)), sizes)
    weights, first, second = (np.zeros(values.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        sums = values @ weights
        powers = np.exp(sums - np.maximum.reduceat(sums, starts)[owner])
        belief = powers / np.add.reduceat(powers, starts)[owner]
        wanted = belief * gains / (np.add.reduceat(belief * gains, starts) + 1e-6)[owner]
        slope = values.T @ (belief - wanted) / len(pages) + PENALTY * weights
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights = weights - RATE * (first / (1 - 0.9**step)) / (
            np.sqrt(second / (1 - 0.999**step)) + 1e-8
        )
    return means, spreads, weights


def cross_validate(pages: list[Page], *, predictions: Path | None = None) -> None:
    """Top and best F1 over all records, each page ranked by weights learnt without its site."""
    sites = sorted({page.site for page in pages})
    order = np.random.default_rng(1).permutation(len(sites))
    totals, perfect = np.zeros(3), 0
    best = np.zeros(3)
    for fold in range(FOLDS):
        held_out = {sites[number] for number in order[fold::FOLDS]}
        means, spreads, weights = fit([page for page in pages if page.site not in held_out])
        for page in (page for page in pages if page.site in held_out):
            sums = np.clip((page.values - means) / spreads, -FARTHEST, FARTHEST) @ weights
            ranks = np.argsort(-sums, kind="stable")
            chosen = int(ranks[0])
            totals += page.counts[chosen]
            best += page.counts[int(ranks[:10][np.argmax(page.f1[ranks[:10]])])]
            perfect += bool(page.f1[chosen] == 1)
            if predictions is not None:
                _predict(page, _named(means, spreads, weights), predictions)
            if page.f1[chosen] < 1:
                right = int(np.argmax(page.f1))
                place = int((sums > sums[right]).sum()) + 1
                what, wanted = page.found[chosen].how, page.found[right].how
                print(
                    f"  {page.name:28} F1 {page.f1[chosen]:.3f} by {what}; the best, by {wanted},"
                    f" stands {place}."
                )
    for name, count in (("top", totals), ("best of 10", best)):
        print(
            f"cross-validated by site, {name}: F1 {2 * count[0] / (count[1] + count[2]):.4f} over"
            f" {int(count[2])} records"
        )
    print(f"pages perfect at the top: {perfect} of {len(pages)}")


def _named(means: Any, spreads: Any, weights: Any) -> dict[str, tuple[float, float, float]]:
    return {
        name: (float(mean), float(spread), float(weight))
        for name, mean, spread, weight in zip(NAMES, means, spreads, weights, strict=True)
    }


def _predict(page: Page, weights: dict[str, tuple[float, float, float]], folder: Path) -> None:
    """The page's tables in the scorer's form, with the CPU seconds they took, the parse left
    out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tree = parse(_file(Path(os.environ["TREELACE_CORPUS"]) / "data/records", page.name))
    start = time.process_time()
    view = PageView.of(tree)
    tables = [
        build_table(view, region, line_up(view, region.records))
        for region in Records().regions(view, weights=weights)
    ]
    seconds = time.process_time() - start
    form = {"seconds": seconds, "regions": [table.to_json() for table in tables]}
    (folder / f"{page.name}.json").write_text(json.dumps(form), encoding="utf-8")


def _file(folder: Path, name: str) -> Path:
    return next(
        path for path in (folder / f"{name}.html", folder / f"{name}.html.gz") if path.exists()
    )


def write(pages: list[Page]) -> None:
    """The weights from all pages, as a module."""
    means, spreads, weights = fit(pages)
    lines = [
        f'    "{name}": ({mean:.4g}, {spread:.4g}, {weight:.4g}),'
        for name, mean, spread, weight in zip(NAMES, means, spreads, weights, strict=True)
    ]
    TARGET.write_text(
        '"""Weights of the ranking: mean, spread and weight of each feature. Written by `python -m'
        ' experiments.records.fit --write`."""\n\nfrom __future__ import annotations\n\nWEIGHTS:'
        " dict[str, tuple[float, float, float]] = {\n" + "\n".join(lines) + "\n}\n",
        encoding="utf-8",
    )


def main() -> None:
    """Reads the arguments and does it."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument(
        "--write", action="store_true", help="write the weights learnt from all pages"
    )
    asked.add_argument(
        "--predict",
        metavar="DIR",
        type=Path,
        help="write the tables of each page, by weights learnt without its site",
    )
    asked.add_argument(
        "--keep", metavar="FILE", type=Path, help="keep candidates and features there between runs"
    )
    arguments = asked.parse_args()
    if arguments.keep and arguments.keep.exists():
        pages = pickle.loads(arguments.keep.read_bytes())
    else:
        pages = load(Path(os.environ["TREELACE_CORPUS"]))
        if arguments.keep:
            arguments.keep.write_bytes(pickle.dumps(pages))
    cross_validate(pages, predictions=arguments.predict)
    if arguments.write:
        write(pages)


if __name__ == "__main__":
    main()
