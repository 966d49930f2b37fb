"""Pages: which there are, the versions of one, and what changed between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.studio.asking import Ask

VIEWS_OF_A_CHANGE = {"rendered": "Side by side", "text": "As text", "source": "Source"}
VIEWS_OF_A_PAGE = {"page": "Page", "point": "Point at a value", "source": "Source"}
_LONGEST_SOURCE = 300_000
"""Characters of a page's source that are shown."""


def pages(site: Site, ask: Ask) -> Answer:
    """Some pages of the site, by their addresses."""
    chosen = ask.query.get("class")
    if chosen == "*":
        chosen = None
    like = ask.word("like")
    wanted = {"(none)": ""}.get(chosen, chosen) if chosen else None
    found = site.some_pages(like=like, page_class=wanted, offset=ask.offset, limit=ask.limit)
    return Answer(
        template="pages.html",
        title="Pages",
        context={
            "found": found,
            "like": like,
            "chosen": chosen or "*",
            "classes": [one.name for one in site.classes()],
        },
        heads=("url", "class", "versions", "seen", "first", "last"),
        rows=[
            (it.url, it.page_class, it.newest, it.seen, it.first_seen, it.last_seen)
            for it in found.pages
        ],
    )


def page(site: Site, ask: Ask) -> Answer:
    """A version of a page, and all its versions."""
    url = ask.wanted("url")
    known = site.find(url)
    version = ask.number("version", known.newest)
    mark = ask.maybe_number("mark")
    versions = list(site.history(url))[::-1]
    chosen = ask.word("as", "page")
    source = site.page(url, version).to_html() if chosen == "source" else ""
    return Answer(
        template="page.html",
        title=url,
        context={
            "page": known,
            "version": version,
            "versions": versions,
            "views": VIEWS_OF_A_PAGE,
            "chosen": chosen,
            "source": source[:_LONGEST_SOURCE],
            "is_cut": len(source) > _LONGEST_SOURCE,
            "frame": ask.frame(url, version, mark, is_pointed_at=chosen == "point"),
        },
        heads=("version", "time", "status", "changes", "bytes", "digest"),
        rows=[(it.number, it.time, it.status, it.changes, it.bytes, it.digest) for it in versions],
    )


def diff(site: Site, ask: Ask) -> Answer:
    """What changed on a page between two versions."""
    url = ask.wanted("url")
    newest = site.find(url).newest
    new = ask.number("new", newest)
    old = ask.number("old", max(new - 1, 1))
    is_whole = ask.flag("all")
    chosen = ask.word("as", "rendered")
    shown = site.shown_change(url, old, new, is_whole=is_whole)
    frames = [
        ask.frame_of(site=ask.site_name, url=url, old=old, new=new, side=side, all=is_whole or None)
        for side in ("old", "new")
    ]
    return Answer(
        template="diff.html",
        title=f"{url}: {old} → {new}",
        context={
            "url": url,
            "old": old,
            "new": new,
            "newest": newest,
            "views": VIEWS_OF_A_CHANGE,
            "chosen": chosen,
            "is_whole": is_whole,
            "shown": shown,
            "frames": frames,
        },
        heads=("what", "where", "old", "new"),
        rows=[(it.what, it.where, it.old, it.new) for it in shown.changes],
        data={
            "url": url,
            "old": old,
            "new": new,
            "summary": shown.summary,
            "changes": [
                {"what": it.what, "where": it.where, "old": it.old, "new": it.new}
                for it in shown.changes
            ],
        },
    )
