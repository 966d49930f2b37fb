"""Gather: pages that are of no class of their host, but like pages of other hosts.

Three pages make a class; a host with one product page has none, and a thousand such hosts that one
program made have a thousand. With `--across-hosts` what is left over of all hosts is looked at
together: the structure index finds what is alike, and the pipeline's own clustering decides. These
classes are of the host `@all`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treelace._kernel import Features
from treelace.bulk.alike import alike_labels
from treelace.bulk.datasets import Columns, Rows
from treelace.bulk.group import Members, leftover_file, recalled_classes
from treelace.bulk.model import EVERY_HOST, Done, Task
from treelace.bulk.reading import rows_of
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.classes.catalogue import Catalogue
from treelace.classes.examples import spread
from treelace.classes.proposals import FEWEST_PAGES, MOST_PAGES, alike_pages

MOST_GATHERED = 100_000
"""Pages that are looked at together, spread over all hosts."""
JOINED: Columns = {"url": "text", "number": "integer"}
"""Addresses with the numbers of their classes of all hosts."""

Pages = dict[str, tuple[dict[str, Any], Features]]
"""Rows and sketches by address."""


def joined_file(part: str) -> str:
    """Where it stands which pages are of a class of all hosts."""
    return f"work/joined/{part}.parquet"


def gather_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The classes of what is left over of all hosts."""
    watch.at("hosts")
    pages = _leftover(task, storage)
    joined, first = Rows(JOINED), 0
    past = recalled_classes(task, storage).get(EVERY_HOST)
    if past:
        first = 1 + max(one.id for one in past)
        catalogue = Catalogue(past)
        for url, (_, sketch) in list(pages.items()):
            seen = catalogue.verdict(sketch)
            if seen is not None and seen.label is not None:
                joined.add(url=url, number=int(seen.label))
                del pages[url]
    members = Members(task, storage)
    for number, some in enumerate(_clusters(pages, watch), first):
        own = {"host": EVERY_HOST, "number": number}
        members.add({**pages[url][0], **own, "sketch": pages[url][1].to_bytes()} for url in some)
        for url in some:
            joined.add(url=url, number=number)
    files = members.close()
    files.append(storage.write(joined_file(task.name), joined.to_parquet()))
    return Done.of(task, files, {"classes": len(members.sizes)}, sizes=members.sizes)


def _leftover(task: Task, storage: Storage) -> Pages:
    rows = {row["url"]: row for part in task.parts for row in rows_of(storage, leftover_file(part))}
    kept = spread(sorted(rows), MOST_GATHERED)
    return {url: (rows[url], Features.from_bytes(rows[url]["sketch"])) for url in kept}


def _clusters(
    pages: Mapping[str, tuple[dict[str, Any], Features]], watch: Watch
) -> list[list[str]]:
    """Pages that make a class: those that hang together by the index, clustered as a host's are."""
    urls = sorted(pages)
    sketches = {url: pages[url][1] for url in urls}
    together: dict[int, list[str]] = {}
    labels = alike_labels([sketches[url] for url in urls], watch)
    for url, label in zip(urls, labels, strict=True):
        together.setdefault(label, []).append(url)
    found = []
    for some in together.values():
        if len(some) >= FEWEST_PAGES:
            chosen = spread(some, MOST_PAGES)
            clusters = alike_pages({url: sketches[url] for url in chosen})
            is_one = len(clusters) == 1 and len(chosen) < len(some)
            found += [some] if is_one else clusters  # one kind: those not compared are of it, too
    return sorted(found, key=lambda some: some[0])
