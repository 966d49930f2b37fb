"""Trying a page: its tables before anything is kept, and a site that watches one of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from treelace.classes.column_choice import ColumnChoice
from treelace.classes.pages import Fetched
from treelace.crawl.urls import folder_of, origin
from treelace.errors import TreelaceError, UsageError
from treelace.extract import Table, extract
from treelace.extract.outputs import FILE_WRITERS, flatten
from treelace.extract.outputs.marked import apart, marked_html
from treelace.extract.types import TYPES
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.look import NO_NETWORK
from treelace.site.pointing import Pointed, point
from treelace.site.site import Site
from treelace.store import settings as site_settings
from treelace.tree import Tree
from treelace.wrappers import Wrapper

if TYPE_CHECKING:
    from collections.abc import Mapping

COLUMN_TYPES = list(TYPES)
"""The names of the types that a column can have."""
MIN_ROWS = 2
MOST_TABLES = 6
"""Tables of a page that are offered."""
DEFAULT_NAME = "table"
MOST_SECONDS = 30.0
"""That a person waits for a page."""


@dataclass(frozen=True, kw_only=True)
class TableChoice:
    """Which table of a page, counted from 0, and what becomes of its columns; `points` are columns
    of their own by selectors inside a record, as `TriedPage.point` finds them.
    """

    table: int = 0
    points: Mapping[str, str] | None = None
    drop: tuple[str, ...] = ()
    rename: Mapping[str, str] | None = None
    types: Mapping[str, str] | None = None
    language: str = ""
    """In which prices, numbers and dates are read (`de`, `en-GB`); empty: what the page says."""


@dataclass(frozen=True)
class TriedPage:
    """A page that was fetched or given, and its tables, the likeliest first."""

    fetched: Fetched
    limits: Limits = DEFAULT_LIMITS

    @property
    def url(self) -> str:
        """Its address; empty where it is a file."""
        return self.fetched.url

    @cached_property
    def tree(self) -> Tree:
        """The page."""
        return self.fetched.tree(limits=self.limits)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """What repeats on the page, without other readings of the same list."""
        found = [
            it for it in extract(self.tree, url=self.url) if len(it) >= MIN_ROWS and it.columns
        ]
        return tuple(apart(found))[:MOST_TABLES]

    def wrapper(self, choice: TableChoice) -> Wrapper | None:
        """How the chosen table is read from now on; None where that cannot be learnt."""
        table = self._table(choice.table)
        examples = {} if choice.table == 0 else _examples(table)
        try:
            learnt = Wrapper.learn(
                [self.tree],
                kind="list",
                urls=[self.url],
                examples=examples,
                columns=choice.points,
                limits=self.limits,
            )
            read = learnt.apply(self.tree, force=True, url=self.url, limits=self.limits)[0]
            if choice.table and len(read) != len(table):
                return None  # the examples stand in another table, too
            shown = [column.name for column in table.columns]
            kept = [column.name for column in learnt.regions[0].columns]
            wanted = [name for name in (*shown, *kept) if name in kept]
            only = tuple(it for it in dict.fromkeys(wanted) if it not in choice.drop)
            chosen = ColumnChoice(only, choice.drop, choice.rename or {}, choice.types or {})
            return chosen.apply(learnt)
        except UsageError:
            raise
        except TreelaceError:
            return None

    def chosen(self, choice: TableChoice) -> Table:
        """The chosen table as it would be kept."""
        wrapper = self.wrapper(choice)
        if wrapper is not None:
            return wrapper.apply(
                self.tree, force=True, url=self.url, language=choice.language, limits=self.limits
            )[0]
        table = self._table(choice.table)
        rename = choice.rename or {}
        names = [it.name for it in table.columns if it.name not in choice.drop]
        return table.choose([f"{it}={rename[it]}" if it in rename else it for it in names])

    def _table(self, number: int) -> Table:
        if number >= len(self.tables):
            raise UsageError(f"there is no table {number + 1} on this page")
        return self.tables[number]

    def picture(self, table: Table | None, *, policy: str = NO_NETWORK) -> str:
        """The page as HTML that runs nothing, with the table's records and cells marked and its
        elements numbered.
        """
        shown = [table] if table is not None else []
        return marked_html(self.tree, shown, policy=policy, is_numbered=True)

    def point(self, choice: TableChoice, node: int) -> Pointed:
        """What a column would hold whose cell stands at this node in one of the records."""
        return point(self.chosen(choice), self.tree, node)

    def written(self, choice: TableChoice, form: str) -> str | bytes:
        """The chosen table as a file: csv, json lines, parquet, …"""
        table = self.chosen(choice)
        if form == "json":
            return json.dumps(table.to_json(), ensure_ascii=False, indent=1) + "\n"
        if form not in FILE_WRITERS:
            raise UsageError(f"no form {form!r}; there are: json, {', '.join(FILE_WRITERS)}")
        return FILE_WRITERS[form](flatten([table]))


def try_page(
    url: str, *, allow_private: bool = False, limits: Limits = DEFAULT_LIMITS
) -> TriedPage:
    """The page at an address, by one polite fetch with the guards of a crawl."""
    from treelace.crawl.fetch import fetch
    from treelace.crawl.settings import FetchSettings

    settings = FetchSettings(
        allow_private=allow_private, bytes=limits.bytes, seconds=min(limits.seconds, MOST_SECONDS)
    )
    return TriedPage(fetch(url, settings), limits)


def try_file(body: bytes, *, limits: Limits = DEFAULT_LIMITS) -> TriedPage:
    """A page that is a file; its address is not known."""
    return TriedPage(Fetched("", datetime.now(UTC), 200, body), limits)


def watch_table(
    page: TriedPage,
    choice: TableChoice,
    folder: Path | None = None,
    *,
    name: str = DEFAULT_NAME,
) -> Site:
    """A new site that watches one page and a table on it: the table is there at once, and a rule
    tells of every change of it. The folder is by default named after the host.
    """
    if not page.url:
        raise UsageError("a file has no address that could be watched: try the page by its URL")
    wrapper = page.wrapper(choice)
    if wrapper is None:
        raise UsageError(
            "how to read this table cannot be learnt from this page alone: take another table, or"
            " watch the whole site"
        )
    place = folder or free_folder(Path(), page.url)
    Site.create(place, page.url, limits=page.limits).close()
    _set_language(place / site_settings.FILE, choice.language)
    plain = re.sub(r"[^0-9a-z-]+", "-", name.lower()).strip("-")[:60]
    file = f"{plain or DEFAULT_NAME}.wrapper.json"
    (place / file).write_text(wrapper.to_json(), encoding="utf-8")
    with (place / site_settings.FILE).open("a", encoding="utf-8") as settings:
        settings.write(page_settings(page.url, name, file))
    site = Site(place, limits=page.limits)
    site.add_pages([page.fetched])
    kinds = site.records()
    if kinds:
        site.subscribe("changes", records=kinds[0].name, when="changed")
    return site


def _set_language(file: Path, language: str) -> None:
    """Says in new settings in which language prices, numbers and dates are read."""
    if language:
        text = file.read_text(encoding="utf-8")
        said = f"language = {json.dumps(language)}"
        made = re.sub(r"(?m)^(url = .*)$", lambda it: f"{it[1]}\n{said}", text, count=1)
        site_settings.parse(made, name=str(file))
        file.write_text(made, encoding="utf-8")


def watch_site(page: TriedPage, folder: Path | None = None) -> Site:
    """A new site that watches all of the site that a page is of: the page is in it, the rest comes
    with the first crawl.
    """
    if not page.url:
        raise UsageError("a file has no address that could be watched: try the page by its URL")
    place = folder or free_folder(Path(), page.url)
    site = Site.create(place, f"{origin(page.url)}/", limits=page.limits)
    site.add_pages([page.fetched])
    return site


def _examples(table: Table) -> dict[str, str]:
    """Values that tell a table from the others: the first record with the most cells."""
    best = max(table.rows, key=lambda row: sum(text is not None for text in row))
    return {column.name: text for column, text in zip(table.columns, best, strict=True) if text}


def free_folder(place: Path, url: str) -> Path:
    """A folder for a new site, named after the host of a page."""
    plain = folder_of(url)
    folder, number = place / plain, 2
    while folder.exists():
        folder, number = place / f"{plain}-{number}", number + 1
    return folder


def page_settings(url: str, name: str, wrapper_file: str) -> str:
    """What `treelace.toml` says of a site that is one page with one table."""
    alone = site_settings.toml_string(f"^{re.escape(url)}$")
    return (
        f"\n# this page alone, and the table on it\n[crawl]\ninclude = [{alone}]\n"
        f"depth = 0\n\n[[class]]\nname = {site_settings.toml_string(name)}\n"
        f"urls = {site_settings.toml_string(re.escape(url))}\n"
        f"wrapper = {site_settings.toml_string(wrapper_file)}\n"
    )
