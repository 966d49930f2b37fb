"""Versions of pages, and what was when: pages, log, show, history."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, overload

from treelace.diff import Delta, diff
from treelace.site.base import SiteBase
from treelace.site.listings import ChangeLog, NodeHistory, PageList, RecordHistory, VersionLog
from treelace.store import Page, times
from treelace.store.chain import delta_between
from treelace.tree import Tree

if TYPE_CHECKING:
    from treelace.diff.outputs import Change
    from treelace.diff.outputs.change_list import SeenChange

_LONGEST_NUMBER = 9
"""Digits from which on a number is no version but a time."""


@dataclass(frozen=True, slots=True)
class ShownChange:
    """What changed on a page, for people: in a line, as a list, and as source side by side."""

    summary: str
    changes: tuple[SeenChange, ...]
    source: str
    """Markup, escaped."""

    def __str__(self) -> str:
        return self.summary


class VersionVerbs(SiteBase):
    """Pages, and what they were."""

    def pages(self, *, like: str | None = None) -> PageList:
        """The pages, in the order of their addresses; `like` is a part of the address."""
        return PageList(tuple(self.store.pages(like=like)))

    def find(self, url: str) -> Page:
        """The page with this address; `UsageError` with the nearest one where there is none."""
        return self.store.page(url)

    @overload
    def log(
        self,
        url: str | None = None,
        *,
        xpath: None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> VersionLog: ...
    @overload
    def log(
        self,
        url: str | None = None,
        *,
        xpath: str | None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> VersionLog | ChangeLog: ...
    def log(
        self,
        url: str | None = None,
        *,
        xpath: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> VersionLog | ChangeLog:
        """The versions of a page, or of all, oldest first; with `xpath` what it finds in their
        deltas, which are documents with the prefix `d`.
        """
        urls = [url] if url is not None else [page.url for page in self.store.pages()]
        if xpath is not None:
            from treelace.store import node_history

            return ChangeLog(
                tuple(
                    change
                    for one in urls
                    for change in node_history.changes(
                        self.store, one, xpath, since=since, until=until
                    )
                )
            )
        found = (it for one in urls for it in self.store.versions(one, since=since, until=until))
        return VersionLog(tuple(found), is_of_one_page=url is not None)

    def show(self, place: str, *, at: datetime | None = None) -> Tree:
        """A version, `PAGE` or `PAGE@V`: V is a number, `first`, `newest`, `-1` or a time."""
        url, version = split_version(place)
        return self.page(url, self.number_of(url, version) if at is None else None, at=at)

    def page(self, url: str, version: int | None = None, *, at: datetime | None = None) -> Tree:
        """A version of a page: by its number, by a time, else the newest."""
        if at is not None:
            version = self.store.number_at(url, at)
        return self.store.body(url, version).tree

    @overload
    def history(self, what: str) -> VersionLog: ...
    @overload
    def history(
        self, what: str, which: str, *, column: str | None = None, version: str | None = None
    ) -> NodeHistory | RecordHistory: ...
    def history(
        self,
        what: str,
        which: str | None = None,
        *,
        column: str | None = None,
        version: str | None = None,
    ) -> VersionLog | NodeHistory | RecordHistory:
        """The versions of a page, oldest first; what a node of it was (`which`: CSS, XPath or
        `#XID`, looked up in a `version`); or what a record was (a kind and a key).
        """
        if which is None:
            return VersionLog(tuple(self.store.versions(what)), is_of_one_page=True)
        if any(kind.name == what for kind in self.store.records.kinds()):
            return self.record_history(what, which, column=column)
        from treelace.store import node_history

        body = self.store.body(what, self.number_of(what, version))
        identity = node_history.identify(body, which)
        return NodeHistory(tuple(node_history.history(self.store, what, identity)), str(identity))

    def record_history(self, kind: str, key: str, *, column: str | None = None) -> RecordHistory:
        """What a record was, oldest first; with `column`, a moment for each change of it."""
        return RecordHistory(tuple(self.store.records.history(kind, key, column)), column)

    def diff(self, url: str, old: int, new: int) -> Delta:
        """What changed between two versions of a page, by its nodes' identities."""
        return delta_between(
            self.store.body(url, old), self.store.body(url, new), limits=self.limits
        )

    def compare(self, old: str, new: str) -> Change:
        """What changed from one version to another, each `PAGE` or `PAGE@V` as for `show`. Versions
        of one page are compared by their nodes' identities, those of two pages are matched.
        """
        from treelace.diff.outputs import Change

        (page, version), (other, other_version) = split_version(old), split_version(new)
        first = self.store.body(page, self.number_of(page, version))
        second = self.store.body(other, self.number_of(other, other_version))
        delta = (
            delta_between(first, second, limits=self.limits)
            if page == other
            else diff(first.tree, second.tree, limits=self.limits)
        )
        return Change(delta=delta, old=first.tree, new=second.tree, limits=self.limits)

    def shown_change(self, url: str, old: int, new: int, *, is_whole: bool = False) -> ShownChange:
        """What changed on a page from one version to another, for people: without what a reader
        does not see (the head, scripts, styles, classes), unless `is_whole`.
        """
        from treelace.diff.outputs.change_list import change_list
        from treelace.diff.outputs.html import side_by_side
        from treelace.diff.outputs.stat import stat

        change = self._change(url, old, new, is_whole=is_whole)
        return ShownChange(stat(change).strip(), tuple(change_list(change)), side_by_side(change))

    def pictures_of_change(
        self, url: str, old: int, new: int, *, is_whole: bool = False
    ) -> tuple[str, str]:
        """Both versions as HTML that runs nothing and asks for nothing, with changes marked."""
        from treelace.diff.outputs.rendered import rendered
        from treelace.site.looks import kept_looks

        change = self._change(url, old, new, is_whole=is_whole)
        return rendered(change, kept_looks(self.store, url, change.old, change.new))

    def _change(self, url: str, old: int, new: int, *, is_whole: bool) -> Change:
        from treelace.diff.outputs.change_list import UNSEEN

        change = self.compare(f"{url}@{old}", f"{url}@{new}")
        return change if is_whole else replace(change, ignore=UNSEEN)

    def number_of(self, url: str, version: str | None) -> int:
        """The number of a version named 7, -1 (before the newest), first, newest, or by a time."""
        if version is None or version == "newest":
            return self.store.page(url).newest
        if version == "first":
            return self.store.versions(url)[0].number
        if version.isdigit() and len(version) < _LONGEST_NUMBER:
            return int(version)
        if version.startswith("-") and version[1:].isdigit():
            return self.store.page(url).newest - int(version[1:])
        return self.store.number_at(url, times.read(version))


def split_version(place: str) -> tuple[str, str | None]:
    """`PAGE@V` → page and version; a page without one has None.

    >>> split_version("https://shop.example/@7"), split_version("https://user@shop.example/")
    (('https://shop.example/', '7'), ('https://user@shop.example/', None))
    """
    page, at, version = place.rpartition("@")
    is_version = bool(at) and (
        version in ("newest", "first") or version[:2].isdigit() or version[:1] == "-"
    )
    is_version = is_version or (bool(at) and version.isdigit())
    return (page, version) if is_version and "/" not in version else (place, None)
