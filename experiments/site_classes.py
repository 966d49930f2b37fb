"""How alike a page must be to join a class of its site: one number for all, or one learnt for each
class. `TREELACE_CORPUS=… python -m experiments.site_classes`

Pages of the first day of each site of `data/sites` are clustered into classes, twelve examples
each, as a crawl does it. Counted are pages that are no examples: those of the class that are
refused, those of no class that are taken in, and pages of later days by whether most pages of the
class they join are of their kind.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from treelace.classes import Verdict
from treelace.classes.catalogue import Catalogue, KnownClass
from treelace.classes.examples import MOST_EXAMPLES, SAME_KIND, pack, spread
from treelace.classes.model import ClassState, PageClass
from treelace.classes.pages import Parsed
from treelace.classes.pagination import SAME_LIST, list_address
from treelace.classes.proposals import alike_pages
from treelace.crawl.sources import from_warc
from treelace.limits import DEFAULT_LIMITS


def pages(folder: Path, day: str) -> Iterator[tuple[Parsed, str]]:
    """The HTML pages of a day with their kinds."""
    name = "" if day == "pages" else f"{day}."
    lines = (folder / f"{name}truth.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = {row["url"]: row["kind"] for row in map(json.loads, filter(str.strip, lines))}
    warc = folder / f"{day}.warc.gz"
    for page in from_warc(warc, limits=DEFAULT_LIMITS, on_trouble=print):
        if page.is_page and page.format == "html":
            yield Parsed(page, page.tree()), kinds.get(page.url, "")


def counted(folder: Path) -> dict[str, Counter[str]]:
    """What becomes of the pages of one site, by each way to decide."""
    first = {page.fetched.url: (page, kind) for page, kind in pages(folder, "pages")}
    sketches = {url: page.sketch for url, (page, _) in first.items()}
    clusters = alike_pages(sketches)
    home = {url: number for number, members in enumerate(clusters) for url in members}
    kinds = [Counter(first[url][1] for url in some).most_common(1)[0][0] for some in clusters]
    made = datetime(2026, 1, 1, tzinfo=UTC)
    known, examples = [], set[str]()
    for number, members in enumerate(clusters):
        chosen = spread(members, MOST_EXAMPLES)
        examples |= set(chosen)
        sketch, about = pack([sketches[url] for url in chosen]), {"examples": chosen}
        of = PageClass(number, str(number), ClassState.ACCEPTED, None, sketch, about, made)
        known.append(KnownClass(of))
    catalogue = Catalogue(known)
    days = sorted(path.name.partition(".")[0] for path in folder.glob("day*.warc.gz"))
    given = [(page, kind, True) for page, kind in first.values()]
    given += [(page, kind, False) for day in days for page, kind in pages(folder, day)]
    result: dict[str, Counter[str]] = {"one number": Counter(), "learnt": Counter()}
    for page, kind, is_first in given:
        url = page.fetched.url
        if is_first and url in examples:
            continue
        found = catalogue.classify(page, None)
        seen = found.evidence
        learnt = None if found.page_class is None else found.page_class.id
        one = None if seen is None or not _is_near(seen, known, url) else seen.nearest
        for way, joined in (("one number", one), ("learnt", learnt)):
            if not is_first:
                fate = "later: refused" if joined is None else f"later: {kind == kinds[joined]}"
            elif url in home:
                fate = "own: kept" if joined == home[url] else "own: refused"
            else:
                fate = "none: refused" if joined is None else "none: taken in"
            result[way][fate] += 1
    return result


def _is_near(seen: Verdict, known: list[KnownClass], url: str) -> bool:
    is_of_list = list_address(url) in known[seen.nearest].lists
    return seen.similarity >= (SAME_LIST if is_of_list else SAME_KIND)


def main() -> None:
    total: dict[str, Counter[str]] = {}
    for folder in sorted(Path(os.environ["TREELACE_CORPUS"], "data", "sites").glob("*/")):
        for way, counts in counted(folder).items():
            total.setdefault(way, Counter()).update(counts)
    for way, counts in total.items():
        print(way, dict(sorted(counts.items())))


if __name__ == "__main__":
    main()
