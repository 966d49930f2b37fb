"""Forgetting: removes a page for good, and what others kept of it.

Its versions, records, alerts, the style sheets and images that it alone shows, its place in the
frontier and the log go; its address leaves the examples of its class; rows of evidence and texts
that only it had leave the wrappers; dictionaries that may hold pieces of it are made anew; and the
space it took is overwritten. What other pages say stays theirs, a link to the forgotten address
too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, or_, select, update

from treelace.errors import StoreError, WrapperError
from treelace.store import body as bodies
from treelace.store.checksums import change_rows, remove_rows
from treelace.store.page_files import forget_files
from treelace.store.record_kinds import NUMBER_TYPES, RecordKind, history_table, load_kinds
from treelace.store.schema import (
    alerts,
    classes,
    crawl_log,
    deliveries,
    dictionaries,
    frontier,
    nodes,
    pages,
    sightings,
    versions,
    wrappers,
)
from treelace.store.store import Store
from treelace.wrappers.model import json_file
from treelace.wrappers.model.form import RegionForm

_GOES_ON = r"(?![\w.~%&=+:@/?#-])"
"""What follows an address that is only the beginning of another one."""


def forget(store: Store, url: str) -> int:
    """Removes a page for good; how many versions it had. Who calls holds the writer lock."""
    page = store.page(url)
    own = _words_of(data for _, data, _ in _texts(store, url))
    with store._database.writing() as connection:
        _forget_dictionaries(store, connection, page.id)
        shared = _forget_records(connection, page.id)
        _forget_alerts(connection, page.id, url)
        forget_files(connection, page.id)
        remove_rows(connection, nodes, nodes.c.page_id == page.id)
        count = remove_rows(connection, versions, versions.c.page_id == page.id)
        remove_rows(connection, pages, pages.c.id == page.id)
        _forget_crawl(connection, url)
        _forget_examples(connection, url)
    store.dictionaries.read_again()
    _forget_values(store, own, shared)
    store._database.tidy()
    return count


def _texts(store: Store, url: str) -> Iterator[tuple[int, bytes, bytes]]:
    """The versions of a page that can be read: a damaged page can be forgotten, too."""
    try:
        yield from store.texts(url)
    except StoreError:
        return


# what it said itself


def _forget_dictionaries(store: Store, connection: Connection, page_id: int) -> None:
    """Versions of others are packed without the dictionaries that may hold pieces of the page:
    those of its class, and those from when it had none. Then they are learnt anew.
    """
    class_id = connection.execute(select(pages.c.class_id).where(pages.c.id == page_id)).scalar()
    where = dictionaries.c.class_id.is_(None)
    if class_id is not None:
        where |= dictionaries.c.class_id == class_id
    known = connection.execute(
        select(dictionaries.c.id, dictionaries.c.class_id).where(where)
    ).all()
    for number, _ in known:
        content = store.dictionaries.content(number)
        leaning = select(versions.c.id, versions.c.data).where(
            versions.c.dictionary_id == number, versions.c.page_id != page_id
        )
        for row in connection.execute(leaning).all():
            data = bodies.unpack(row.data, content, is_trained=True, limits=store.limits)
            alone = {"dictionary_id": None, "data": bodies.pack(data)}
            change_rows(connection, versions, versions.c.id == row.id, alone)
        mine = versions.c.dictionary_id == number
        change_rows(connection, versions, mine, {"dictionary_id": None})
        remove_rows(connection, dictionaries, dictionaries.c.id == number)
    for other in {its for _, its in known}:
        store.dictionaries.train(connection, other, without=page_id)


def _forget_records(connection: Connection, page_id: int) -> dict[str, list[str]]:
    """What only this page showed goes; what others show too is theirs from now on: those keys, by
    the names of their kinds.
    """
    shared: dict[str, list[str]] = {}
    for kind in load_kinds(connection):
        table = history_table(kind)
        mine = (sightings.c.kind_id == kind.id) & (sightings.c.page_id == page_id)
        others: dict[str, Any] = {}
        keys = select(sightings.c.key).where(mine).scalar_subquery()
        for row in connection.execute(
            select(sightings.c.key, sightings.c.page_id, sightings.c.node).where(
                sightings.c.kind_id == kind.id,
                sightings.c.page_id != page_id,
                sightings.c.key.in_(keys),
            )
        ):
            others.setdefault(row.key, row)
        shared[kind.name] = list(others)
        held = connection.execute(
            select(table.c.id, table.c.key).where(
                table.c.page_id == page_id, table.c.valid_to.is_(None)
            )
        ).all()
        for record in held:
            if record.key in others:
                heir = others[record.key]
                newest = select(pages.c.newest).where(pages.c.id == heir.page_id)
                theirs = {
                    "page_id": heir.page_id,
                    "version": connection.execute(newest).scalar(),
                    "node": heir.node,
                    "nodes": "{}",
                }
                change_rows(connection, table, table.c.id == record.id, theirs)
        remove_rows(connection, table, table.c.page_id == page_id)
        remove_rows(connection, sightings, mine)
    return shared


def _forget_alerts(connection: Connection, page_id: int, url: str) -> None:
    """Alerts about the page, and those about others that name it."""
    named = select(alerts.c.id, alerts.c.name, alerts.c.why, alerts.c.about).where(
        or_(
            alerts.c.page_id == page_id,
            *(column.contains(url, autoescape=True) for column in (alerts.c.name, alerts.c.why)),
            func.instr(alerts.c.about, url) > 0
            if connection.dialect.name == "sqlite"
            else func.strpos(alerts.c.about, url) > 0,
        )
    )
    is_it = re.compile(re.escape(url) + _GOES_ON)
    of_page = set(
        connection.execute(select(alerts.c.id).where(alerts.c.page_id == page_id)).scalars()
    )
    for row in connection.execute(named).all():
        if row.id in of_page or is_it.search(f"{row.name}\n{row.why}\n{_leaves(row.about)}"):
            remove_rows(connection, deliveries, deliveries.c.alert_id == row.id)
            remove_rows(connection, alerts, alerts.c.id == row.id)


def _forget_crawl(connection: Connection, url: str) -> None:
    connection.execute(delete(frontier).where(frontier.c.url == url))
    connection.execute(update(frontier).where(frontier.c.found_on == url).values(found_on=None))
    connection.execute(delete(crawl_log).where(crawl_log.c.url == url))
    is_it = re.compile(re.escape(url) + _GOES_ON)
    for table, column in ((frontier, frontier.c.about), (crawl_log, crawl_log.c.note)):
        told = select(table.c.id, column).where(column.contains(url, autoescape=True))
        for number, said in connection.execute(told).all():
            if is_it.search(said):
                without = update(table).where(table.c.id == number)
                connection.execute(without.values({column.name: None}))


# what others kept of it


def _forget_examples(connection: Connection, url: str) -> None:
    """Takes the address out of what is known of classes."""
    is_it = re.compile(re.escape(url) + _GOES_ON)
    rows = connection.execute(select(classes.c.id, classes.c.about, classes.c.url_pattern)).all()
    for row in rows:
        about = _without(row.about, is_it)
        values = {} if about == row.about else {"about": about}
        if row.url_pattern is not None and url in row.url_pattern.replace("\\", ""):
            values["url_pattern"] = None
        if values:
            change_rows(connection, classes, classes.c.id == row.id, values)


def _without(value: Any, is_it: re.Pattern[str]) -> Any:
    """JSON without the texts that a pattern finds; None where nothing is left."""
    if isinstance(value, str):
        return None if is_it.search(value) else value
    if isinstance(value, list):
        return [left for one in value if (left := _without(one, is_it)) is not None]
    if isinstance(value, dict):
        return {
            name: left
            for name, one in value.items()
            if not is_it.search(name)
            and ((left := _without(one, is_it)) is not None or one is None)
        }
    return value


def _leaves(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _forget_values(store: Store, own: str, shared: dict[str, list[str]]) -> None:
    """Takes what only the page had out of wrappers and out of the records it shared with others."""
    with store._database.writing() as connection:
        kinds = {kind.name: kind for kind in load_kinds(connection)}
        said = {value for row in _wrapper_rows(connection) for value in _wrapper_texts(row.data)}
        for name, keys in shared.items():
            said |= {value for _, value in _texts_of_records(connection, kinds[name], keys)}
        candidates = {value for value in said if value and _plain(value) in own}
        if not candidates:
            return
        only = _only_here(store, candidates)
        for row in _wrapper_rows(connection):
            data = _wrapper_without(row.data, only)
            if data != row.data:
                change_rows(connection, wrappers, wrappers.c.id == row.id, {"data": data})
        for name, keys in shared.items():
            kind = kinds[name]
            table = history_table(kind)
            for (number, column), value in _texts_of_records(connection, kind, keys):
                if value in only:
                    change_rows(connection, table, table.c.id == number, {column: None})


def _wrapper_rows(connection: Connection) -> list[Any]:
    return list(connection.execute(select(wrappers.c.id, wrappers.c.data)).all())


def _wrapper_texts(data: str) -> Iterator[str]:
    try:
        form = json_file.read(data)
    except WrapperError:
        return
    for region in form.regions:
        yield from (value for row in region.evidence for value in row.values())
        yield from (row.text for row in region.pattern)


def _wrapper_without(data: str, only: set[str]) -> str:
    try:
        form = json_file.read(data)
    except WrapperError:
        return data
    regions = tuple(_region_without(region, only) for region in form.regions)
    if regions == form.regions:
        return data
    return json_file.write(msgspec.structs.replace(form, regions=regions))


def _region_without(region: RegionForm, only: set[str]) -> RegionForm:
    return msgspec.structs.replace(
        region,
        evidence=tuple(row for row in region.evidence if only.isdisjoint(row.values())),
        pattern=tuple(
            msgspec.structs.replace(row, text="", fixed=False) if row.text in only else row
            for row in region.pattern
        ),
    )


def _texts_of_records(
    connection: Connection, kind: RecordKind, keys: list[str]
) -> Iterator[tuple[tuple[int, str], str]]:
    """The texts of these records, by row and column."""
    table = history_table(kind)
    names = [kind.names[name] for name, its in kind.columns.items() if its not in NUMBER_TYPES]
    for key in keys:
        rows = connection.execute(select(table).where(table.c.key == key)).mappings().all()
        for row in rows:
            for name in names:
                if row[name]:
                    yield (row["id"], name), row[name]


def _only_here(store: Store, candidates: set[str]) -> set[str]:
    """Those values that no other page has in its newest version."""
    left = {value: _plain(value) for value in candidates}
    for url in store.urls():
        newest = store.page(url).newest
        words = _words_of(data for _, data, _ in _newest(store, url, newest))
        left = {value: plain for value, plain in left.items() if plain not in words}
        if not left:
            break
    return set(left)


def _newest(store: Store, url: str, number: int) -> Iterator[tuple[int, bytes, bytes]]:
    try:
        yield from store.texts(url, number, number)
    except StoreError:
        return


def _words_of(bodies_: Iterable[bytes]) -> str:
    """All that pages say: their markup, and their texts with and without breaks between tags."""
    said = []
    for data in bodies_:
        markup = html.unescape(data.decode("utf-8", "replace"))
        said += [markup, re.sub(r"<[^>]*>", " ", markup), re.sub(r"<[^>]*>", "", markup)]
    return _plain("\n".join(said))


def _plain(text: str) -> str:
    return " ".join(text.split())
