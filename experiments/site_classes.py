"""Which pages of a site become one class, and which class later pages join.
`TREELACE_CORPUS=… python -m experiments.site_classes`

Pages of the first day of each site of `data/sites` are clustered as a crawl does it. For each kind
of page with truth: the class that fits it best (F1), the share of its pages in it (recall) and the
share of the class that is of the kind (purity). `left out` is the same where the threshold of the
mean was chosen on the six other sites. Then twelve examples a class classify all other pages, and
those of later days: pages of the class that are refused, pages of no class that are taken in, and
later pages by whether most pages of the class that they join are of their kind.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from unittest.mock import patch

from treelace.classes import proposals
from treelace.classes.catalogue import Catalogue, KnownClass
from treelace.classes.examples import MOST_EXAMPLES, pack, spread
from treelace.classes.model import ClassState, PageClass
from treelace.classes.pages import Parsed
from treelace.crawl.sources import from_warc
from treelace.limits import DEFAULT_LIMITS

THRESHOLDS = (0.6, 0.65, 0.7, 0.74, 0.78, 0.82, 0.86)


def pages(folder: Path, day: str) -> Iterator[tuple[Parsed, str]]:
    """The HTML pages of a day with their kinds."""
    name = "" if day == "pages" else f"{day}."
    lines = (folder / f"{name}truth.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = {row["url"]: row["kind"] for row in map(json.loads, filter(str.strip, lines))}
    warc = folder / f"{day}.warc.gz"
    for page in from_warc(warc, limits=DEFAULT_LIMITS, on_trouble=print):
        if page.is_page and page.format == "html":
            yield Parsed(page, page.tree()), kinds.get(page.url, "")


@cache
def first_day(folder: Path) -> dict[str, tuple[Parsed, str]]:
    """The pages of the first day by their addresses."""
    return {page.fetched.url: (page, kind) for page, kind in pages(folder, "pages")}


@cache
def clusters(folder: Path, threshold: float) -> list[list[str]]:
    """The classes that are found with a threshold."""
    sketches = {url: page.sketch for url, (page, _) in first_day(folder).items()}
    with patch.object(proposals, "SAME_KIND", threshold):
        return proposals.alike_pages(sketches)


def fit(folder: Path, threshold: float) -> dict[str, tuple[float, float]]:
    """Recall and purity of each kind with truth."""
    kinds: dict[str, set[str]] = {}
    for url, (_, kind) in first_day(folder).items():
        kinds.setdefault(kind, set()).add(url)
    found = {}
    for kind, urls in sorted(kinds.items()):
        if kind != "other":
            some = [set(members) for members in clusters(folder, threshold)]
            best = max(some, key=lambda it: 2 * len(urls & it) / (len(urls) + len(it)))
            both = len(urls & best)
            found[kind] = both / len(urls), both / len(best)
    return found


def chosen_without(folder: Path, folders: Sequence[Path]) -> float:
    """The threshold that is best for the other sites: most kinds, and the middle of equals."""
    others = [one for one in folders if one != folder]
    good = {
        threshold: sum(min(pair) >= 0.95 for it in others for pair in fit(it, threshold).values())
        for threshold in THRESHOLDS
    }
    best = [threshold for threshold, count in good.items() if count == max(good.values())]
    return best[len(best) // 2]


def fates(folder: Path) -> Counter[str]:
    """What becomes of the pages that are no examples."""
    first = first_day(folder)
    some = clusters(folder, proposals.SAME_KIND)
    home = {url: number for number, members in enumerate(some) for url in members}
    kinds = [Counter(first[url][1] for url in it).most_common(1)[0][0] for it in some]
    made = datetime(2026, 1, 1, tzinfo=UTC)
    known, examples = [], set[str]()
    for number, members in enumerate(some):
        chosen = spread(members, MOST_EXAMPLES)
        examples |= set(chosen)
        sketch, about = pack([first[url][0].sketch for url in chosen]), {"examples": chosen}
        of = PageClass(number, str(number), ClassState.ACCEPTED, None, sketch, about, made)
        known.append(KnownClass(of))
    catalogue = Catalogue(known)
    days = sorted(path.name.partition(".")[0] for path in folder.glob("day*.warc.gz"))
    given = [(page, kind, True) for page, kind in first.values()]
    given += [(page, kind, False) for day in days for page, kind in pages(folder, day)]
    counts: Counter[str] = Counter()
    for page, kind, is_first in given:
        url = page.fetched.url
        if not (is_first and url in examples):
            joined = catalogue.classify(page, None).page_class
            class_id = None if joined is None else joined.id
            counts[_fate(class_id, home.get(url) if is_first else None, kind, kinds, is_first)] += 1
    return counts


def _fate(
    joined: int | None, home: int | None, kind: str, kinds: Sequence[str], is_first: bool
) -> str:
    if not is_first:
        return "later: refused" if joined is None else f"later: {kind == kinds[joined]}"
    if home is not None:
        return "own: kept" if joined == home else "own: refused"
    return "none: refused" if joined is None else "none: taken in"


def main() -> None:
    folders = sorted(Path(os.environ["TREELACE_CORPUS"], "data", "sites").glob("*/"))
    print(f"{'site':20} {'kind':8} {'pages':>5} {'recall':>6} {'purity':>6}   left out")
    total: Counter[str] = Counter()
    for folder in folders:
        counts: Mapping[str, int] = Counter(kind for _, kind in first_day(folder).values())
        without = chosen_without(folder, folders)
        held_out = fit(folder, without)
        for kind, (recall, purity) in fit(folder, proposals.SAME_KIND).items():
            out = f"{held_out[kind][0]:.2f} {held_out[kind][1]:.2f} at {without}"
            print(f"{folder.name:20} {kind:8} {counts[kind]:5} {recall:6.2f} {purity:6.2f}   {out}")
        total.update(fates(folder))
    print(dict(sorted(total.items())))


if __name__ == "__main__":
    main()
