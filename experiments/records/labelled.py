"""Labelled pages of many kinds, each with the candidates of the `records` extractor and how right
each of them is.

- `modern`: recipes, courts, events, shops and others of today, and articles without a list;
- `records`: older list pages;
- `sites`: lists and articles of whole sites, a few a site;
- `pages`, `classes`: articles and news, taken as pages without a list;
- `sites`, `swde`: pages of one thing, without a list too: a person wants their record;
- fragments of our own: pages that are a small list and little else;
- lists of meetings and rulings of our own, in the place of the text of those articles.

How right a candidate is: the row F1 of the corpus' own scorers, one column for each list of the
page. Rows of `sites` are known by some of their texts only, so there the rest of the page's words
count for nothing.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import importlib.util
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.records.fragments import fragments
from experiments.records.meetings import meetings
from treelace import parse
from treelace.extract.page.page_view import PageView
from treelace.extract.regions.candidates import Candidate, Candidates, candidates
from treelace.tree import Tree

STRUCTURED = re.compile(rb"(?is)<script[^>]*ld\+json[^>]*>.*?</script>")
"""Data about the page, which would say the answer."""

OF_A_SITE = 6
"""Lists and articles that are taken of one site."""

OF_A_SWDE_SITE = 2
"""Pages of one thing that are taken of each site of SWDE."""

FRAGMENTS = 96
"""Small pages of our own."""

OF_AN_ARTICLE = 2
"""Lists of our own that stand in the place of an article's text, one at a time."""

FEWEST_ROWS = 4
"""Rows that a list of a site has at least."""

Spans = tuple[tuple[int, int], ...]
"""The texts of each record: from, and up to."""


@dataclass(frozen=True)
class Page:
    """A labelled page: the features of its candidates, where the texts of their records are, and
    the F1 of each candidate against each list (no column: the page has no list).
    """

    name: str
    kind: str
    site: str
    features: NDArray[np.float32]
    spans: list[Spans]
    f1: NDArray[np.float64]
    lists: list[str]
    texts: int

    @property
    def best(self) -> NDArray[np.float64]:
        """The F1 of each candidate against the list it fits best."""
        empty: NDArray[np.float64] = np.zeros(len(self.spans))
        return np.asarray(self.f1.max(axis=1)) if self.f1.size else empty

    def turn(self, word: str, turns: int) -> int:
        """A number below `turns`, the same for all pages of a site."""
        return int(hashlib.sha256(f"{word} {self.site}".encode()).hexdigest()[:8], 16) % turns


def load(corpus: Path) -> Iterator[Page]:
    """Every labelled page."""
    yield from modern(corpus)
    yield from older(corpus)
    yield from of_sites(corpus)
    yield from articles(corpus)
    yield from things(corpus)
    yield from grafted(corpus)
    for number, (page, rows) in enumerate(fragments(FRAGMENTS)):
        label = {"name": "rows", "rows": [{"texts": row} for row in rows]}
        name = f"fragment-{number}"
        yield from _page(corpus, name, "fragment", name, parse(page), [label])


def modern(corpus: Path) -> Iterator[Page]:
    """Pages of today."""
    folder = corpus / "data/modern"
    for label in sorted((folder / "labels").glob("*.json")):
        said = json.loads(label.read_text(encoding="utf-8"))
        tree = parse(STRUCTURED.sub(b"", unpacked(folder / f"{label.stem}.html.gz")), format="html")
        lists = [one for one in said["lists"] if one.get("main", True)]
        site = f"{'court ' * (said['kind'] == 'court')}{said['host']}"
        yield from _page(corpus, label.stem, said["kind"], site, tree, lists)


def older(corpus: Path) -> Iterator[Page]:
    """The list pages of `records`, by their own scorer."""
    score, folder = scorer(corpus, "score_records"), corpus / "data/records"
    for label in sorted((folder / "labels").glob("*.json")):
        file = next(
            path
            for path in (folder / f"{label.stem}.html", folder / f"{label.stem}.html.gz")
            if path.exists()
        )
        regions = score.load_label(str(label))
        truths = (
            regions if len(regions) == 1 else [*regions, [one for two in regions for one in two]]
        )
        seen = Seen.of(parse(unpacked(file)))
        texts = list(seen.view.texts.values())
        f1 = np.zeros((len(seen.spans), 1))
        for number, spans in enumerate(seen.spans):
            made = [score.Rec({"texts": texts[start:stop]}) for start, stop in spans]
            f1[number, 0] = max(
                score.prf(*score.count_region(made, truth, 0.8, False))[2] for truth in truths
            )
        site = _name_of(json.loads(label.read_text(encoding="utf-8"))["site"].lower())
        yield seen.page(label.stem, "older list", site, f1, ["rows"])


def said_of_sites(corpus: Path) -> Iterator[tuple[str, dict[str, Any], bytes]]:
    """Of each of the whole sites, in a fixed disorder: its name, what is known of a page, and the
    page.
    """
    for folder in sorted(path for path in (corpus / "data/sites").iterdir() if path.is_dir()):
        bodies = dict(responses(folder / "pages.warc.gz"))
        said = [json.loads(line) for line in (folder / "truth.jsonl").open(encoding="utf-8")]
        random.Random(1).shuffle(said)
        for page in said:
            if page["url"] in bodies:
                yield folder.name, page, bodies[page["url"]]


def of_sites(corpus: Path) -> Iterator[Page]:
    """Some lists and articles of each of the whole sites."""
    taken: Counter[tuple[str, str]] = Counter()
    for site, page, body in said_of_sites(corpus):
        kind, rows = page["kind"], page.get("list") or []
        is_fit = kind == "article" or (kind == "list" and len(rows) >= FEWEST_ROWS)
        if not is_fit or taken[site, kind] == OF_A_SITE:
            continue
        taken[site, kind] += 1
        tree = parse(body, format="html")
        words = list(PageView.of(tree).texts.values())
        texts = [
            {"texts": [str(row[key]) for key in row if key not in ("url", "image")]} for row in rows
        ]
        known = [{"name": "rows", "rows": [{**row, "near": words} for row in texts]}]
        name = f"{site}-{kind}-{taken[site, kind]}"
        yield from _page(corpus, name, f"{kind} of a site", site, tree, known if rows else [])


def said_of_articles(corpus: Path) -> Iterator[tuple[str, str, bytes]]:
    """Of each article among the single pages: its name, its site, and the page."""
    with (corpus / "data/pages/index.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["kind"] in ("article", "blog or article"):
                yield row["id"], row["site"], unpacked(corpus / f"data/pages/{row['id']}.html.gz")


def grafted(corpus: Path) -> Iterator[Page]:
    """Those articles, each with two lists of our own in the place of its text, one after the
    other.
    """
    known = [one for one in said_of_articles(corpus) for _ in range(OF_AN_ARTICLE)]
    for number, page, label in meetings([body for _, _, body in known]):
        name, site, _ = known[number]
        tree = parse(page, format="html")
        yield from _page(corpus, f"meetings-{number}-{name}", "made list", site, tree, [label])


def articles(corpus: Path) -> Iterator[Page]:
    """Articles and news: pages without a list."""
    for name, site, body in said_of_articles(corpus):
        yield from _page(corpus, name, "other article", site, parse(body, format="html"), [])
    for folder in ("news-latimes2015", "news-bbc2005"):
        for number in ("01", "05", "09"):
            tree = parse(
                unpacked(corpus / f"data/classes/{folder}/{number}.html.gz"), format="html"
            )
            yield from _page(corpus, f"{folder}-{number}", "other article", folder, tree, [])


def things(corpus: Path) -> Iterator[Page]:
    """Some pages of one thing of each site."""
    for truth in sorted((corpus / "data/swde").glob("*/truth.json")):
        for number in sorted(json.loads(truth.read_text(encoding="utf-8")))[:OF_A_SWDE_SITE]:
            tree = parse(unpacked(truth.parent / f"{number}.html.gz"), format="html")
            site = truth.parent.name
            yield from _page(corpus, f"{site}-{number}", "thing", site, tree, [])
    taken: Counter[str] = Counter()
    for site, page, body in said_of_sites(corpus):
        if page["kind"] in ("product", "event", "job") and taken[site] < OF_A_SITE:
            name = f"{site}-{taken[site]}"
            taken[site] += 1
            yield from _page(corpus, name, "thing", site, parse(body, format="html"), [])


def _page(
    corpus: Path, name: str, kind: str, site: str, tree: Tree, lists: list[dict[str, Any]]
) -> Iterator[Page]:
    """The page with its candidates, scored as pages of today are; none where nothing repeats."""
    seen = Seen.of(tree)
    if not seen.spans:
        return
    score = scorer(corpus, "score_modern")
    texts = list(seen.view.texts.values())
    f1 = np.zeros((len(seen.spans), len(lists)))
    for column, label in enumerate(lists):
        truth = score.List(label)
        wanted = Counter(word for row in truth.rows for word in row.words.elements())
        records: dict[tuple[int, int], Any] = {}
        known: dict[Spans, float] = {}
        for number, spans in enumerate(seen.spans):
            if spans not in known:
                for start, stop in set(spans) - records.keys():
                    records[start, stop] = score.Record({"texts": texts[start:stop]})
                made = [records[span] for span in spans]
                held = Counter(word for record in made for word in record.words.elements())
                # a list of which half the words are missing is never found
                is_near = 2 * (held & wanted).total() >= wanted.total()
                known[spans] = truth.score(made)[0] if is_near else 0.0
            f1[number, column] = known[spans]
    yield seen.page(name, kind, site, f1, [label["name"] for label in lists])


@dataclass(frozen=True)
class Seen:
    """A page with its candidates, and where the texts of their records are."""

    view: PageView
    found: Candidates
    spans: list[Spans]

    @classmethod
    def of(cls, tree: Tree) -> Seen:
        """What is seen of a page."""
        view = PageView.of(tree)
        found = candidates(view)
        return cls(view, found, [_spans(view, candidate) for candidate in found])

    def page(
        self, name: str, kind: str, site: str, f1: NDArray[np.float64], lists: list[str]
    ) -> Page:
        """The labelled page, candidates with the same texts once."""
        first = {spans: number for number, spans in reversed(list(enumerate(self.spans)))}
        kept = sorted(first.values())
        return Page(
            name,
            kind,
            site,
            self.found.features[kept].astype(np.float32),
            [self.spans[number] for number in kept],
            f1[kept],
            lists,
            len(self.view.texts),
        )


def _spans(view: PageView, candidate: Candidate) -> Spans:
    """Where the texts of the records are, rows that name columns left out as in the tables."""
    records = [record for record in candidate.records if not _is_header(view, record)]
    return tuple(
        (view.text_before[record[0]], view.text_before[view.ends[record[-1]]])
        for record in (records if len(records) > 1 else candidate.records)
    )


def _is_header(view: PageView, record: tuple[int, ...]) -> bool:
    row = record[0]
    if len(record) > 1 or view.tags[row] != "tr":
        return False
    cells = [view.tags[cell] for cell in view.below(row)]
    return view.tags[view.parents[row]] == "thead" or (bool(cells) and set(cells) == {"th"})


def _name_of(site: str) -> str:
    """`search.ebay.co.uk` and `ebay.com` are one site."""
    parts = [part for part in site.replace("www.", "").split(".") if len(part) > 3]
    return parts[-1] if parts else site


def unpacked(path: Path) -> bytes:
    """The bytes of a page."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def responses(path: Path) -> Iterator[tuple[str, bytes]]:
    """Address and body of the responses of a WARC file."""
    for record in re.split(rb"(?=WARC/1\.[01]\r\n)", unpacked(path)):
        address = re.search(rb"WARC-Target-URI: <?([^\r\n>]+)", record[:2000])
        parts = record.split(b"\r\n\r\n", 2)
        if address and b"WARC-Type: response" in parts[0] and len(parts) == 3:
            yield address[1].decode(), parts[2].rstrip(b"\r\n")


@cache
def scorer(corpus: Path, name: str) -> Any:
    """A scorer that comes with the data."""
    spec = importlib.util.spec_from_file_location(name, corpus / f"tools/{name}.py")
    assert spec, "a file has a spec"
    assert spec.loader, "a Python file has a loader"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
