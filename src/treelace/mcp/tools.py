"""The tools of an assistant: each asks `Site` one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from treelace.errors import UsageError
from treelace.mcp.shown import (
    answer,
    fitting,
    limited,
    permalink,
    plain,
    read_cursor,
    written_cursor,
)
from treelace.site import read_time

if TYPE_CHECKING:
    from treelace.studio.sites import Sites

SEARCH_SECONDS = 5.0
"""That one search may take; it goes on with the cursor."""


class Tools:
    """What an assistant may ask."""

    def __init__(self, sites: Sites, *, studio: str = "", may_fetch: bool = False) -> None:
        self._sites = sites
        self._studio = studio
        self._may_fetch = may_fetch

    def _link(self, site: str, path: str, **query: Any) -> str:
        return permalink(self._studio, site, path, **query)

    def list_sites(self) -> dict[str, Any]:
        """The sites there are: pages, tables with their columns and number of records, open alerts,
        last fetch. Start here.
        """
        found = []
        for name in self._sites.folders:
            site = self._sites.reading(name)
            status = site.status()
            found.append(
                {
                    "site": name,
                    "url": status.url,
                    "pages": status.pages,
                    "tables": [
                        {
                            "table": kind.name,
                            "records": status.records.get(kind.name, 0),
                            "key": list(kind.key),
                            "columns": dict(kind.columns),
                        }
                        for kind in site.records()
                    ],
                    "classes": [it.name for it in status.classes],
                    "open_alerts": status.alerts,
                    "last_fetch": plain(status.last_fetch),
                    "next_due": plain(status.next_due),
                    "permalink": self._link(name, ""),
                }
            )
        return answer(found, sites=len(found))

    def preview_table(
        self, site: str = "", url: str = "", table: int = 0, limit: int = 10
    ) -> dict[str, Any]:
        """The tables that stand on a page, and the first rows of one: of a page that the site has,
        or, where the server was started with --fetch, of any public address (site left empty).
        """
        from treelace.site import TableChoice, try_file, try_page

        if not url:
            raise UsageError("which page? Give its url; rows has the tables of a site")
        if site:
            page = try_file(self._sites.reading(site).show(url).to_html().encode())
        elif self._may_fetch:
            page = try_page(url)
        else:
            raise UsageError(
                "this server fetches no pages: name the site that has the page, or start it with"
                " --fetch"
            )
        if not page.tables:
            return answer([], tables=[], url=url)
        chosen = page.chosen(TableChoice(table=table))
        heads = [column.name for column in chosen.columns]
        rows = [dict(zip(heads, row, strict=True)) for row in chosen.rows[: limited(limit)]]
        return answer(
            {
                "columns": {it.name: it.type for it in chosen.columns},
                "rows": fitting(rows),
            },
            url=url,
            table=table,
            tables=[len(it) for it in page.tables],
            all_rows=len(chosen.rows),
            permalink=self._link(site, "page", url=url) if site else "",
        )

    def rows(
        self,
        site: str,
        table: str,
        search: str = "",
        where: list[str] | None = None,
        sort: str = "",
        descending: bool = False,
        at: str = "",
        since: str = "",
        limit: int = 25,
        cursor: str = "",
    ) -> dict[str, Any]:
        """Records of a table: `search` in its texts; `where` conditions such as "price >= 20",
        "title ~ tea" (contains), "stock =" (empty); by a column; as of a time or changed since one
        (ISO 8601 or "3 days ago"). `next_cursor` has the next ones.
        """
        place = read_cursor(cursor)
        number = limited(limit)
        offset = int(place.get("offset", 0))
        found = self._sites.reading(site).rows(
            table,
            at=read_time(at) if at else None,
            since=read_time(since) if since else None,
            search=search,
            where=where or (),
            sort=sort,
            descending=descending,
            offset=offset,
            limit=number,
            after=int(place.get("after", 0)),
            seconds=SEARCH_SECONDS,
        )
        heads = found.table.heads
        shown = fitting([dict(zip(heads, row, strict=True)) for row in found.table.values])
        end = offset + len(shown)
        onward = None
        if end < found.total:
            onward = written_cursor(offset=end, after=place.get("after", 0))
        elif found.go_on is not None:
            onward = written_cursor(offset=0, after=found.go_on)
        return answer(
            shown,
            total=found.total,
            total_is_a_lower_bound=found.is_more or found.is_cut,
            search_was_cut=found.is_cut,
            next_cursor=onward,
            permalink=self._link(
                site, f"table/{quote(table)}", q=search, sort=sort, desc="1" if descending else ""
            ),
        )

    def changes_since(
        self, site: str, cursor: str = "", table: str = "", since: str = "", limit: int = 50
    ) -> dict[str, Any]:
        """What became of records, oldest first: new, changed (with the cells before and after),
        gone. Keep `next_cursor` and give it next time to get only what came since.
        """
        found = self._sites.reading(site).changes(
            table or None,
            since=read_time(since) if since else None,
            cursor=cursor,
            limit=limited(limit),
        )
        shown = [
            {
                "time": one.time,
                "table": one.kind,
                "what": str(one.what),
                "key": one.key,
                "cells": {it.column: {"old": it.old, "new": it.new} for it in one.cells},
                "page": one.page,
                "version": one.version,
                "permalink": self._link(site, f"record/{quote(one.kind)}", key=one.key),
            }
            for one in found
        ]
        return answer(shown, next_cursor=found.cursor, is_more=found.is_more)

    def explain_cell(self, site: str, table: str, key: str, column: str) -> dict[str, Any]:
        """Where the value of a cell comes from: the page, its version, the node and its path, the
        text there, and how the page is read.
        """
        found = self._sites.reading(site).explain(table, key, column)
        return answer(
            {"value": found.value, "text": found.text, "page": found.page},
            type=found.type,
            since=plain(found.since),
            until=plain(found.until),
            version=found.version,
            node=found.node,
            xpath=found.xpath,
            css=found.css,
            page_class=found.page_class,
            wrapper=found.wrapper,
            permalink=self._link(
                site, "page", url=found.page, version=found.version, mark=found.node
            ),
        )

    def history(
        self,
        site: str,
        table: str = "",
        key: str = "",
        column: str = "",
        url: str = "",
        limit: int = 50,
        cursor: str = "",
    ) -> dict[str, Any]:
        """What a record, or one column of it, was, newest first (table and key); or the versions of
        a page (url).
        """
        opened = self._sites.reading(site)
        start, number = int(read_cursor(cursor).get("offset", 0)), limited(limit)
        if url:
            log = list(opened.log(url))[::-1]
            rows = [{"version": it.number, "time": it.time, "changes": it.changes} for it in log]
            link = self._link(site, "page", url=url)
        elif table and key:
            moments = list(opened.record_history(table, key, column=column or None))[::-1]
            rows = [
                {
                    "from": it.valid_from,
                    "to": it.valid_to,
                    "value": it.value,
                    "page": it.page,
                    "version": it.version,
                }
                for it in moments
            ]
            link = self._link(site, f"record/{quote(table)}", key=key)
        else:
            raise UsageError("history of what? Give table and key, or the url of a page")
        shown = fitting(rows[start : start + number])
        end = start + len(shown)
        onward = written_cursor(offset=end) if end < len(rows) else None
        return answer(shown, total=len(rows), next_cursor=onward, permalink=link)

    def diff(
        self,
        site: str,
        url: str,
        old: int = 0,
        new: int = 0,
        whole: bool = False,
        limit: int = 50,
        cursor: str = "",
    ) -> dict[str, Any]:
        """What changed on a page from one version to another (by default: to the newest from the
        one before), as a reader sees it; `whole` also scripts, styles, the head.
        """
        opened = self._sites.reading(site)
        new = new or opened.find(url).newest
        old = old or max(new - 1, 1)
        found = opened.shown_change(url, old, new, is_whole=whole)
        start, number = int(read_cursor(cursor).get("offset", 0)), limited(limit)
        lines = [str(one) for one in found.changes]
        shown = fitting(lines[start : start + number])
        end = start + len(shown)
        return answer(
            {"summary": found.summary, "changes": shown},
            old=old,
            new=new,
            total=len(lines),
            next_cursor=written_cursor(offset=end) if end < len(lines) else None,
            permalink=self._link(site, "diff", url=url, old=old, new=new),
        )

    def alerts(
        self, site: str, state: str = "open", limit: int = 25, cursor: str = ""
    ) -> dict[str, Any]:
        """What rules noticed, newest first: open, acknowledged, or suppressed (with the reason it
        was not told).
        """
        before = read_cursor(cursor).get("before")
        found = self._sites.reading(site).newest_alerts(
            state, limit=limited(limit), before=None if before is None else int(before)
        )
        rows = [
            {
                "number": it.id,
                "time": it.time,
                "rule": it.subscription,
                "what": it.kind,
                "why": it.why,
                "page": it.url,
                "version": it.version,
                "about": dict(it.about),
            }
            for it in found
        ]
        shown = fitting(rows)
        is_more = len(shown) < len(rows) or len(rows) == limited(limit)
        onward = written_cursor(before=shown[-1]["number"]) if shown and is_more else None
        return answer(shown, next_cursor=onward, permalink=self._link(site, "alerts", state=state))

    def propose_repair(self, site: str, page_class: str) -> dict[str, Any]:
        """How a class of pages that was redesigned would be read from now on: each column found
        again with its proof and its values before and after, each one left out with its reason.
        Nothing is changed.
        """
        opened = self._sites.reading(site)
        repaired = opened.repair(page_class)
        example = opened.repair_example(page_class, repaired) if repaired.wrapper else None
        return answer(
            {}
            if example is None
            else {"page": example.url, "before": example.old, "after": example.new},
            summary=str(repaired).splitlines()[0],
            found_again=dict(repaired.restored),
            left_out=dict(repaired.left_out),
            permalink=self._link(site, f"classes/{quote(page_class)}/repair"),
        )


READING = (
    "list_sites",
    "preview_table",
    "rows",
    "changes_since",
    "explain_cell",
    "history",
    "diff",
    "alerts",
    "propose_repair",
)
"""The tools that change nothing."""
