"""How well `extract` reads pages of one thing, one page at a time: its title, and the labelled
fields that can be seen, each in a column of its own.

    python -m experiments.records.details            # the sites that nothing was learnt from
    python -m experiments.records.details --learnt   # the others
    python -m experiments.records.details --misses   # a line for each field that is missing
    python -m experiments.records.details --fit      # the weights of `page_record`, from the others

Needs TREELACE_CORPUS. Pages: the detail pages of `sites`, SWDE's, and the recipes of `modern`, a
few a site; half of the sites, by a hash, are never learnt from. A page's record is its first table
of one row. A cell holds a value when it has all its words and at most as many others; a field of
several values is held where one is, or all together.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import html
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.records.labelled import STRUCTURED, said_of_sites, scorer, unpacked
from treelace import parse
from treelace.extract import Table, extract
from treelace.extract.extractors.records import Records
from treelace.extract.page.page_view import PageView
from treelace.extract.records import one_thing
from treelace.extract.records.page_record import TITLE_WEIGHTS, WEIGHTS, PageRecord
from treelace.tree import Tree

OF_A_SITE = 8
"""Pages that are taken of one site and kind."""

PENALTY = 0.02
"""On large weights, for each site."""

TITLES = ("title", "name", "model")
"""What the truth calls a title; the first of them that a page has."""

TIMES = ("cook_time", "prep_time", "total_time", "ratings_count", "image")
"""Fields of recipes that the labels have in another form than the page."""


@dataclass(frozen=True)
class DetailPage:
    """A page of one thing, and the texts of each of its fields."""

    site: str
    kind: str
    name: str
    tree: Tree
    fields: dict[str, list[str]]

    @property
    def is_learnt_from(self) -> bool:
        """Whether its site is one of those that may be looked at."""
        return int(hashlib.sha256(f"detail {self.site}".encode()).hexdigest()[:8], 16) % 2 == 0

    @property
    def title(self) -> str:
        """Which of the fields is the title."""
        return next((name for name in TITLES if name in self.fields), "")


def load(corpus: Path) -> Iterator[DetailPage]:
    """Every detail page, with the fields that can be seen on it."""
    for page in (*_of_sites(corpus), *_of_swde(corpus), *_of_modern(corpus)):
        texts = " ".join(PageView.of(page.tree).texts.values())
        seen = f" {' '.join(_words(corpus, texts))} "
        kept = {
            name: visible
            for name, values in page.fields.items()
            if (
                visible := [
                    value
                    for value in values
                    if (words := _words(corpus, value)) and f" {' '.join(words)} " in seen
                ]
            )
        }
        if kept:
            yield DetailPage(page.site, page.kind, page.name, page.tree, kept)


def _of_sites(corpus: Path) -> Iterator[DetailPage]:
    taken: Counter[tuple[str, str]] = Counter()
    for site, page, body in said_of_sites(corpus):
        kind = page["kind"]
        if kind in ("list", "other", "article", "company") or taken[site, kind] == OF_A_SITE:
            continue
        taken[site, kind] += 1
        fields = {name: [str(value)] for name, value in page["fields"].items() if name != "image"}
        name = f"{site}-{taken[site, kind]}"
        yield DetailPage(site, kind, name, parse(body, format="html"), fields)


def _of_swde(corpus: Path) -> Iterator[DetailPage]:
    for truth in sorted((corpus / "data/swde").glob("*/truth.json")):
        said = json.loads(truth.read_text(encoding="utf-8"))
        for name in sorted(said)[:OF_A_SITE]:
            tree = parse(unpacked(truth.parent / f"{name}.html.gz"), format="html")
            fields = {
                field: [html.unescape(value) for value in values]
                for field, values in said[name].items()
                if values
            }
            yield DetailPage(truth.parent.name, "swde", f"{truth.parent.name}-{name}", tree, fields)


def _of_modern(corpus: Path) -> Iterator[DetailPage]:
    folder = corpus / "data/modern"
    for label in sorted((folder / "labels").glob("recipe-*.json")):
        said = json.loads(label.read_text(encoding="utf-8"))
        tree = parse(STRUCTURED.sub(b"", unpacked(folder / f"{label.stem}.html.gz")), format="html")
        fields = {
            name: [value]
            for name, value in said.get("fields", {}).items()
            if name not in TIMES and isinstance(value, str)
        }
        yield DetailPage(said["host"], "recipe", label.stem, tree, fields)


def _words(corpus: Path, text: str) -> list[str]:
    words: list[str] = scorer(corpus, "score_modern").words(text)
    return words


def held(corpus: Path, table: Table | None, values: list[str]) -> bool:
    """Whether a cell of a record holds one of these values, or all of them."""
    if table is None:
        return False
    return any(
        holds(corpus, Counter(_words(corpus, cell.text)), values)
        for cell in table.cells[0]
        if cell is not None
    )


def holds(corpus: Path, said: Counter[str], values: list[str]) -> bool:
    """Whether words are those of one of these values, or of all, and at most as many others."""
    return any(
        wanted <= said and said.total() <= 2 * wanted.total()
        for value in [*values, " ".join(values)]
        if (wanted := Counter(_words(corpus, value)))
    )


def the_record(tables: list[Table]) -> Table | None:
    """The first table of one row."""
    return next((table for table in tables if len(table.records) == 1), None)


def report(corpus: Path, pages: list[DetailPage], *, misses: bool) -> str:
    """A line for each kind of pages: titles and fields in their own columns, columns of a record,
    pages on which the record is the first table, or comes with a confidence of .5 or more.
    """
    figures: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    lines = []
    for page in pages:
        tables = extract(page.tree)
        record = the_record(tables)
        for kind in (page.kind, "all"):
            of_kind = figures[kind]
            of_kind["columns"].append(len(record.columns) if record else 0)
            of_kind["first"].append(bool(tables) and record is tables[0])
            of_kind["sure"].append(record is not None and record.confidence >= 0.5)
            for name, values in page.fields.items():
                is_held = held(corpus, record, values)
                of_kind["title" if name == page.title else "fields"].append(is_held)
                if misses and not is_held and kind != "all":
                    lines.append(f"miss  {page.name:34} {name:16} {values[0][:70]}")
    heads = ("title", "fields", "columns", "first", "sure")
    lines.append(f"{'':10} pages  " + "  ".join(f"{head:>7}" for head in heads))
    for kind, of_kind in sorted(figures.items(), key=lambda entry: entry[0] == "all"):
        shown = "  ".join(f"{np.mean(of_kind[head]):7.3f}" for head in heads)
        lines.append(f"{kind:10} {len(of_kind['first']):5}  {shown}")
    return "\n".join(lines)


def learnt_weights(corpus: Path, pages: list[DetailPage], *, of_titles: bool) -> list[float]:
    """The weights under which the right pieces of each page are likeliest of all (softmax); every
    site counts the same.
    """
    from scipy.optimize import minimize

    rows = []
    for page in pages:
        record = PageRecord(PageView.of(page.tree))
        bags = [Counter(_words(corpus, text)) for text in record.texts]
        right = {
            number
            for name, values in page.fields.items()
            if (name == page.title) == of_titles
            for number, bag in enumerate(bags)
            if holds(corpus, bag, values)
        }
        if right:
            numbers = range(len(bags))
            made = map(record.title_features, numbers) if of_titles else record.features
            rows.append((np.array(list(made)), sorted(right), page.site))
    counts = Counter(site for _, _, site in rows)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, slope = 0.0, np.zeros_like(weights)
        for features, right, site in rows:
            odds = np.exp(features @ weights - (features @ weights).max())
            wanted = np.zeros_like(odds)
            wanted[right] = odds[right] if of_titles else 1.0  # of fields each, of titles any
            wanted, odds = wanted / wanted.sum(), odds / odds.sum()
            lost = np.log(odds[right].sum()) if of_titles else np.log(odds[right]).mean()
            total -= lost / counts[site]
            slope += features.T @ (odds - wanted) / counts[site]
        penalty = PENALTY * len(counts)
        return float(total + penalty * weights @ weights), slope + 2 * penalty * weights

    start = np.zeros(rows[0][0].shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return [round(float(weight), 2) for weight in found]


def learnt_confidence(corpus: Path, things: list[DetailPage]) -> tuple[dict[str, float], float]:
    """Weights and base of `one_thing`: pages of one thing (recipes, which have lists, left out)
    against articles and lists of sites that are no others'.
    """
    from sklearn.linear_model import LogisticRegression

    seen = [(page.site, page.tree, True) for page in things if page.kind != "recipe"]
    seen += [(page.site, page.tree, False) for page in _no_things(corpus)]
    counts = Counter(site for site, _, _ in seen)
    rows = []
    for _, tree, _ in seen:
        view = PageView.of(tree)
        lists = Records().regions(view)
        rows.append(one_thing.features(view, lists[0].confidence if lists else 0.0))
    weights = [1 / counts[site] ** 0.5 for site, _, _ in seen]
    model = LogisticRegression(C=0.3, max_iter=5000)
    model.fit(rows, [is_thing for _, _, is_thing in seen], sample_weight=weights)
    found = [round(float(weight), 2) for weight in model.coef_[0]]
    return dict(zip(one_thing.WEIGHTS, found, strict=True)), round(float(model.intercept_[0]), 2)


def _no_things(corpus: Path) -> Iterator[DetailPage]:
    """Articles and lists of half of the sites."""
    folder = corpus / "data/modern"
    for label in sorted((folder / "labels").glob("*.json")):
        said = json.loads(label.read_text(encoding="utf-8"))
        page = unpacked(folder / f"{label.stem}.html.gz")
        tree = parse(STRUCTURED.sub(b"", page), format="html")
        found = DetailPage(said["host"], said["kind"], label.stem, tree, {})
        if said["kind"] != "recipe" and found.is_learnt_from:
            yield found
    with (corpus / "data/pages/index.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["kind"] in ("article", "blog or article"):
                tree = parse(unpacked(corpus / f"data/pages/{row['id']}.html.gz"), format="html")
                found = DetailPage(row["site"], "article", row["id"], tree, {})
                if found.is_learnt_from:
                    yield found


def main() -> None:
    """Reads the arguments and does it."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--learnt", action="store_true", help="the sites that were learnt from")
    asked.add_argument("--fit", action="store_true", help="learn the weights and print them")
    asked.add_argument("--misses", action="store_true", help="a line for each missing field")
    arguments = asked.parse_args()
    corpus = Path(os.environ["TREELACE_CORPUS"])
    wanted = arguments.learnt or arguments.fit
    pages = [page for page in load(corpus) if page.is_learnt_from == wanted]
    if arguments.fit:
        for weights, of_titles in ((TITLE_WEIGHTS, True), (WEIGHTS, False)):
            found = learnt_weights(corpus, pages, of_titles=of_titles)
            print(dict(zip(weights, found, strict=True)))
        print(learnt_confidence(corpus, pages))
        return
    print(report(corpus, pages, misses=arguments.misses))


if __name__ == "__main__":
    main()
