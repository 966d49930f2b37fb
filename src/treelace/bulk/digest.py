"""The first stages: cut (archives into splits) and digest (parse and sketch every page)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import msgspec

from treelace.bulk.archives import cut, pages_of
from treelace.bulk.datasets import PROBLEMS, Rows
from treelace.bulk.model import Done, Split, Task, number_of
from treelace.bulk.reading import (
    DIGEST,
    SKETCHES,
    Problems,
    digest_file,
    sketch_file,
    tree_or_trouble,
)
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.classes.pages import Fetched, Parsed
from treelace.crawl.sources import Trouble
from treelace.errors import LimitError, ParseError, TreelaceError
from treelace.limits import Limits
from treelace.store import times

POISON = "poison"
"""The reason of a page that ended its process, or did not end."""


def cut_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The splits of one source."""
    problems = Problems("cut", Rows(PROBLEMS))

    def trouble(one: Trouble) -> None:
        problems.add(one.place, "archive", one.error)

    splits: list[Split] = []
    if why := watch.at(task.place):
        problems.add(task.place, POISON, why)
    else:
        try:
            splits = cut(task.place, trouble)
        except (ParseError, LimitError, OSError) as error:
            problems.add(task.place, "archive", error)
    files = write_problems(problems, storage, task)
    return Done(task.stage, task.name, files, {}, problems.counts, splits=tuple(splits))


def digest_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """What the pages of a split are: one file of them for each bucket of hosts."""
    split = task.split
    assert split is not None
    problems = Problems("digest", Rows(PROBLEMS))
    limits = task.bounds
    pages: dict[int, Rows] = {}
    sketches: dict[int, Rows] = {}
    seen: set[tuple[str, int, bytes]] = set()

    def trouble(one: Trouble) -> None:
        problems.add(one.place, "archive", one.error)

    for row, (at, page) in enumerate(pages_of(split, limits=limits, on_trouble=trouble)):
        if why := watch.at(f"page {row}"):
            problems.add(page.url, POISON, why)
            continue
        time = times.to_number(page.time)
        host = host_of(page.url)
        if host is None:
            problems.add(page.url, "address", "its address has no host that can be read")
            continue
        if (page.url, time, page.digest) in seen:
            problems.add(page.url, "duplicate", f"the same page of {page.time.isoformat()} again")
            continue
        seen.add((page.url, time, page.digest))
        known = _known(page, limits, problems)
        if known is None:
            continue
        language, sketch = known
        bucket = number_of(host) % task.buckets
        if bucket not in pages:
            pages[bucket] = Rows(DIGEST)
        pages[bucket].add(
            row=row,
            url=page.url,
            host=host,
            time=time,
            status=page.status,
            digest=page.digest.hex(),
            language=language,
            is_sketched=sketch is not None,
            bytes=len(page.body),
            **_place(split, row, at),
        )
        if sketch is not None:
            sketches.setdefault(bucket, Rows(SKETCHES)).add(row=row, sketch=sketch)
    files = [storage.write(digest_file(it, task.name), pages[it].to_parquet()) for it in pages]
    files += [
        storage.write(sketch_file(it, task.name), sketches[it].to_parquet()) for it in sketches
    ]
    counts = {"pages": sum(map(len, pages.values()))}
    files += write_problems(problems, storage, task)
    return Done.of(task, files, counts, problems.counts, buckets=pages)


def write_problems(problems: Problems, storage: Storage, task: Task) -> tuple[str, ...]:
    """Writes what was wrong, where something was."""
    if not len(problems.rows):
        return ()
    name = f"problems/{task.stage}-{task.name}.parquet"
    return (storage.write(name, problems.rows.to_parquet()),)


def host_of(url: str) -> str | None:
    """The host of an address, in small letters; of a page of a folder, nothing; None where the
    address cannot be read.

    >>> host_of("https://Shop.example:8080/tea"), host_of("tea.html"), host_of("http://[::1/")
    ('shop.example:8080', '', None)
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
        return f"{(parts.hostname or '').lower()}{port}"
    except ValueError:
        return None


def _known(page: Fetched, limits: Limits, problems: Problems) -> tuple[str, bytes | None] | None:
    """Language and sketch of a page; None for one that cannot be parsed."""
    if not page.is_page:
        return "", None
    parsed = tree_or_trouble(page, limits)
    if isinstance(parsed, Exception):
        reason = "limit" if isinstance(parsed, LimitError) else "parse"
        problems.add(page.url, reason, parsed)
        return None
    if parsed.tree.format != "html":
        return "", None
    return _language(parsed), _sketch(parsed, problems)


def _language(page: Parsed) -> str:
    found = next(iter(page.tree.select(":root[lang]", limit=1)), None)
    return "" if found is None else (found.attribute("lang") or "").strip().lower()[:35]


def _sketch(page: Parsed, problems: Problems) -> bytes | None:
    try:
        return page.sketch.to_bytes()
    except TreelaceError as error:
        problems.add(page.fetched.url, "limit", error)
        return None


def _place(split: Split, row: int, at: int) -> dict[str, Any]:
    if split.kind == "folder":
        return {"source": split.files[at][0], "kind": "folder", "at": row}
    window = msgspec.json.encode((split.first, split.length)).decode() if split.length else None
    return {"source": split.source, "kind": split.kind, "at": at, "window": window}
