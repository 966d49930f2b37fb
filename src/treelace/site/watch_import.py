"""Takes the watch list of another program over: a site for each host, a rule for each watch."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from treelace.crawl.urls import folder_of
from treelace.errors import TreelaceError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.monitor.watch_lists import Watch, read_watch_list
from treelace.site.listings import Listing
from treelace.site.site import Site
from treelace.store import settings as site_settings
from treelace.store.frontier import Address

_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class ImportedWatch:
    """A watch that is a rule now, in the site of its host; or why it is not."""

    url: str
    folder: str
    rule: str
    select: str
    note: str


@dataclass(frozen=True, slots=True, repr=False)
class ImportedWatches(Listing[ImportedWatch]):
    """The watches of a list."""

    heads: ClassVar[tuple[str, ...]] = ("page", "site", "rule", "place", "note")

    def row(
        self, item: ImportedWatch, show: Callable[[datetime | None], str]
    ) -> tuple[object, ...]:
        """A watch."""
        del show
        return item.url, item.folder, item.rule, item.select, item.note

    @property
    def folders(self) -> list[str]:
        """The folders of the sites, each once."""
        return list(dict.fromkeys(it.folder for it in self.items if it.rule))

    def __str__(self) -> str:
        taken = sum(bool(it.rule) for it in self.items)
        return f"{taken} of {len(self.items)} watches are rules now, in {len(self.folders)} sites"


def import_watches(
    text: str,
    place: Path,
    *,
    channels: Iterable[str] = ("terminal",),
    limits: Limits = DEFAULT_LIMITS,
) -> ImportedWatches:
    """Makes a site for each host of a watch list, in a folder of its name below `place`, and a rule
    for each watch; nothing is fetched yet. What is there already stays, and gets the rest.
    """
    watches = read_watch_list(text)
    by_host: dict[str, list[Watch]] = {}
    made: list[ImportedWatch] = []
    for one in watches:
        try:
            by_host.setdefault(folder_of(one.url), []).append(one)
        except UsageError as error:
            made.append(ImportedWatch(one.url, "", "", "", str(error)))
    for host, some in by_host.items():
        folder = place / host
        try:
            made += _import(folder, some, tuple(channels), limits)
        except TreelaceError as error:
            made += [ImportedWatch(one.url, str(folder), "", "", str(error)) for one in some]
    return ImportedWatches(tuple(made))


def _import(
    folder: Path, watches: list[Watch], channels: tuple[str, ...], limits: Limits
) -> list[ImportedWatch]:
    if not (folder / site_settings.FILE).exists():
        Site.create(folder, watches[0].url, limits=limits).close()
        alone = [f"^{re.escape(url)}$" for url in dict.fromkeys(one.url for one in watches)]
        with (folder / site_settings.FILE).open("a", encoding="utf-8") as settings:
            said = json.dumps(alone, ensure_ascii=False)
            settings.write(
                "\n# the pages of a watch list, and no others\n"
                f"[crawl]\ninclude = {said}\ndepth = 0\n"
            )
    with Site(folder, limits=limits) as site:
        now = datetime.now(UTC)
        site.store.frontier.add(Address(url=one.url, due=now) for one in watches)
        return [_rule(site, folder, one, channels) for one in watches]


def _rule(site: Site, folder: Path, watch: Watch, channels: tuple[str, ...]) -> ImportedWatch:
    rules = list(site.rules())
    path = urlsplit(watch.url).path.strip("/") or "page"
    wanted = (watch.name or path)[:_LONGEST_NAME]
    name, number = wanted, 2
    while name in {it.name for it in rules}:
        name, number = f"{wanted} {number}", number + 1
    notes = [f"{watch.problem} cannot be taken over: the whole page"] if watch.problem else []
    site.subscribe(name, page=watch.url, select=watch.select, when="changed", channels=channels)
    if watch.is_paused:
        site.mute(name)
        notes.append("paused there: muted here")
    return ImportedWatch(watch.url, str(folder), name, watch.select, "; ".join(notes))
