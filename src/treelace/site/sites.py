"""Many sites in one database: what a person does with them, and what workers do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar
from urllib.parse import urlsplit

from treelace.crawl.urls import normal
from treelace.site.listings import Listing
from treelace.store import settings as site_settings
from treelace.store.database import without_password
from treelace.store.sites import EVERY, KeptSite, Sites
from treelace.store.states import SiteState
from treelace.store.work import Backlog, WorkerState, load_backlog, load_workers

_SETTINGS = "[site]\nurl = {url}\n"


@dataclass(frozen=True, slots=True)
class SiteChanged:
    """What became of a site of a database."""

    place: str
    name: str
    what: str

    def __str__(self) -> str:
        return f"{without_password(self.place)}#{self.name}: {self.what}"


@dataclass(frozen=True, slots=True, repr=False)
class SiteList(Listing[KeptSite]):
    """The sites of a database."""

    heads: ClassVar[tuple[str, ...]] = (
        "site",
        "address",
        "state",
        "next round",
        "last round",
        "rounds",
        "failures",
        "error",
    )

    def row(self, item: KeptSite, show: Callable[[datetime | None], str]) -> tuple[object, ...]:
        """A site."""
        return (
            item.name,
            item.url,
            item.state,
            show(item.due),
            show(item.last_round),
            item.rounds,
            item.failures,
            item.error,
        )


@dataclass(frozen=True, slots=True, repr=False)
class WorkerList(Listing[WorkerState]):
    """Workers, and what is to be done."""

    backlog: Todo
    heads: ClassVar[tuple[str, ...]] = (
        "worker",
        "serves",
        "since",
        "last sign",
        "rounds",
        "failures",
        "error",
    )

    def row(self, item: WorkerState, show: Callable[[datetime | None], str]) -> tuple[object, ...]:
        """A worker."""
        return (
            item.name,
            item.site if item.is_there else "(is gone)",
            show(item.since),
            show(item.beat),
            item.rounds,
            item.failures,
            item.error,
        )


@dataclass(frozen=True, slots=True)
class Todo:
    """What is to be done, in a line."""

    of: Backlog

    def __str__(self) -> str:
        it = self.of
        failing = f"; {it.failing:,} failed in their last round" if it.failing else ""
        return (
            f"{it.sites:,} sites, {it.due:,} due{_age(it.oldest, it.now)}; oldest due page:"
            f"{_age(it.oldest_page, it.now) or ' none'}{failing}"
        )


def add_site(
    store: str,
    url: str,
    *,
    name: str | None = None,
    settings: str | None = None,
    every: float = EVERY,
) -> SiteChanged:
    """Adds a site to a database, by its first address."""
    address = normal(url)
    name = name or urlsplit(address).netloc.replace(":", "-")
    text = _SETTINGS.format(url=site_settings.toml_string(address))
    if settings is not None:
        site_settings.parse(settings, name=name)
        text = site_settings.with_url(settings, address)
    with Sites(store) as sites:
        known = sites.add(name, text, every=every)
    return SiteChanged(store, known.name, f"a site for {address}; workers serve it now")


def list_sites(store: str) -> SiteList:
    """The sites of a database."""
    with Sites(store) as sites:
        return SiteList(tuple(sites.all()))


def pause_site(store: str, name: str) -> SiteChanged:
    """Lets no worker serve a site."""
    with Sites(store) as sites:
        sites.set_state(name, SiteState.PAUSED)
    return SiteChanged(store, name, "paused")


def resume_site(store: str, name: str) -> SiteChanged:
    """Lets workers serve a site again."""
    with Sites(store) as sites:
        sites.set_state(name, SiteState.ACTIVE)
    return SiteChanged(store, name, "workers serve it again")


def remove_site(store: str, name: str) -> SiteChanged:
    """Removes a site for good."""
    with Sites(store) as sites:
        sites.remove(name)
    return SiteChanged(store, name, "removed")


def site_settings_of(store: str, name: str) -> str:
    """The settings of a site, as `treelace.toml` has them."""
    with Sites(store) as sites:
        return sites.get(name).settings


def change_site(
    store: str, name: str, *, settings: str | None = None, every: float | None = None
) -> SiteChanged:
    """Gives a site other settings, or another pause between its rounds."""
    with Sites(store) as sites:
        if settings is not None:
            sites.set_settings(name, settings)
        if every is not None:
            sites.set_every(name, every)
    return SiteChanged(store, name, "its next round has the new settings")


def list_workers(store: str) -> WorkerList:
    """Who works, and what is to be done."""
    with Sites(store) as sites:
        sites.all()
        with sites.database.reading() as connection:
            return WorkerList(tuple(load_workers(connection)), Todo(load_backlog(connection)))


def _age(then: datetime | None, now: datetime) -> str:
    if then is None:
        return ""
    seconds = max(0, round((now - then).total_seconds()))
    for size, word in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f" for {seconds // size} {word}"
    return f" for {seconds} seconds"
