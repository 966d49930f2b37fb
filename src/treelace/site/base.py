"""What the verbs of a site share: its folder, its settings, its store."""

from __future__ import annotations

import os
import re
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.store import Store
from treelace.store import settings as site_settings
from treelace.store.database import with_schema
from treelace.store.host_rights import hosts_of
from treelace.store.private_files import open_private
from treelace.store.sites import Sites, is_site_of_database, read_settings, split_place

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from treelace.crawl.kept_downloader import Downloads
    from treelace.crawl.settings import CrawlSettings
    from treelace.monitor.judging import Judge
    from treelace.site.configured import ConfiguredClasses
    from treelace.site.intake import Intake
    from treelace.site.journal import Journal
    from treelace.site.page_classes import PageClasses
    from treelace.store.host_rights import HostRights
    from treelace.store.settings import Settings

Self = TypeVar("Self", bound="SiteBase")

_FIRST_SETTINGS = """\
# A site of treelace. `treelace check` reads this file; docs/reference/treelace.toml.schema.json \
has every field.

[site]
url = {url}

[store]
url = {store}
"""


class SiteBase:
    """A folder with `treelace.toml` and a store, or a site of a database (`URL#name`), opened."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        read_only: bool = False,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.limits = limits
        self.host_rights: HostRights | None = None
        """Who may ask its hosts, where a database keeps many sites."""
        self.downloads: Downloads | None = None
        """Who fetches; None: a process of its own for each round."""
        if is_site_of_database(str(folder)):
            self._open_kept(str(folder), read_only)
            return
        self.folder = Path(folder)
        self.place = str(self.folder)
        """How people name it."""
        self.settings: Settings = site_settings.read(self.folder)
        self.store = Store.open(
            site_settings.store_place(self.settings, self.folder),
            read_only=read_only,
            limits=limits,
        )

    def _open_kept(self, place: str, read_only: bool) -> None:
        """Opens a site of a database; files that its settings name are looked for here."""
        address, name = split_place(place)
        with Sites(address) as sites:
            known = sites.get(name)
            self.place = f"{sites.database.place}#{name}"
        self.folder = Path()
        self.settings = site_settings.parse(known.settings, name=self.place)
        self.store = Store.open(
            with_schema(address, known.schema),
            read_only=read_only,
            limits=self.limits,
            shown=self.place,
        )
        self._kept = (address, name)
        self.host_rights = self.store.host_rights()

    def settings_text(self) -> str:
        """The settings, as they are written."""
        if self.host_rights is None:
            return (self.folder / site_settings.FILE).read_text(encoding="utf-8")
        return read_settings(self.store, self._kept[1])

    def write_settings(self, text: str) -> None:
        """Replaces the settings; `ParseError` where they are wrong."""
        self.settings = site_settings.parse(text, name=self.place)
        if self.host_rights is None:
            (self.folder / site_settings.FILE).write_text(text, encoding="utf-8")
            return
        address, name = self._kept
        with Sites(address) as sites:
            sites.set_settings(name, text)

    def asking(self, *, wait: bool = False) -> AbstractContextManager[None]:
        """The right to ask the site's hosts, where others share its database."""
        if self.host_rights is None:
            return nullcontext()
        said = self.settings
        return self.host_rights.holding(hosts_of([said.site.url], said.crawl.hosts), wait=wait)

    # what only those need who take pages in or edit classes: the others start sooner without

    @cached_property
    def configured(self) -> ConfiguredClasses:
        """The classes that the settings name."""
        from treelace.site.configured import ConfiguredClasses

        return ConfiguredClasses(self.settings.classes, self.folder, self.store.classes)

    @cached_property
    def page_classes(self) -> PageClasses:
        """The classes of the store, as those who read pages know them."""
        from treelace.site.column_trials import choice_of
        from treelace.site.page_classes import PageClasses

        choices = {name: choice_of(it) for name, it in self.settings.columns.items()}
        return PageClasses(
            self.store, self.configured, choices, language=self.settings.site.language
        )

    @cached_property
    def intake(self) -> Intake:
        """Whoever makes versions and records of pages that come."""
        from treelace.site.intake import Intake

        return Intake(
            self.store,
            workers=self.settings.store.workers or os.cpu_count() or 1,
            noise=self.settings.noise,
        )

    @classmethod
    def create(
        cls: type[Self],
        folder: str | os.PathLike[str],
        url: str,
        *,
        store: str = site_settings.DEFAULT_STORE,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Self:
        """A new site: folder, `treelace.toml` and empty store; `UsageError` for an existing one."""
        from treelace.crawl.urls import is_url, normal

        path = Path(folder)
        if is_site_of_database(str(folder)):
            raise UsageError("`treelace sites add` makes a site in a database, `init` in a folder")
        if (path / site_settings.FILE).exists():
            raise UsageError(
                f"{path}: this is a site already; `treelace check --site {path}` looks at it"
            )
        if not re.match(r"[a-z][a-z0-9+.-]*://\S+$", url, re.IGNORECASE):
            raise UsageError(f"{url!r} is no address: write it in full, like https://shop.example/")
        if is_url(url):
            normal(url)  # what is no URL leaves no folder behind
        path.mkdir(parents=True, exist_ok=True)
        text = _FIRST_SETTINGS.format(
            url=site_settings.toml_string(url), store=site_settings.toml_string(store)
        )
        settings = site_settings.parse(text)
        Store.create(site_settings.store_place(settings, path), limits=limits).close()
        write_new_settings(path, text)
        return cls(path, limits=limits)

    @classmethod
    def of_page(
        cls: type[Self],
        url: str,
        folder: str | os.PathLike[str] | None = None,
        *,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Self:
        """The site that keeps one page: in `folder`, or in one named after the page's host; a new
        one where there is none.
        """
        from treelace.crawl.urls import folder_of

        if folder is not None and is_site_of_database(str(folder)):
            return cls(folder, limits=limits)
        path = Path(folder or folder_of(url))
        if (path / site_settings.FILE).exists():
            return cls(path, limits=limits)
        return cls.create(path, url, limits=limits)

    def close(self) -> None:
        """Lets go of the store."""
        self.store.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Site {self.settings.site.url} in {self.place}>"

    def writer(self, *, wait: bool = False) -> AbstractContextManager[None]:
        """The right to add versions, one process at a time: to hold it over several verbs."""
        return self.store.writer(wait=wait)

    # what the settings name

    def crawl_settings(self, **changes: Any) -> CrawlSettings:
        """The crawl settings of `treelace.toml`, with changes; those that are None are ignored."""
        from treelace.crawl.settings import CrawlSettings

        return CrawlSettings.of(self.settings.crawl, self.folder, **changes)

    def judge(self) -> Judge | None:
        """Who has a say in what is told; None where the settings name nobody."""
        from treelace.monitor.judging import Judge

        said = self.settings.alerts
        if not said.judge:
            return None
        return Judge(said.judge, seconds=said.judge_seconds, folder=self.folder)

    def journal(
        self, place: str | None = None, settings: CrawlSettings | None = None
    ) -> Journal | None:
        """The log file given here or by the settings, or None; without secrets of `settings`."""
        from treelace.site.journal import Journal

        said = self.settings.log.json
        path = Path(place) if place else self.folder / said if said else None
        if path is None:
            return None
        return Journal(path, secrets=(settings or self.crawl_settings()).secrets())


def write_new_settings(folder: Path, text: str) -> None:
    """Makes a folder with a store a site; the settings come last: a folder with them is whole."""
    half = folder / f".{site_settings.FILE}.part"
    with open_private(half, "w", encoding="utf-8") as file:
        file.write(text)
    half.replace(folder / site_settings.FILE)
