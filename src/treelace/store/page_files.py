"""Files that pages are shown with, style sheets and images: each kept once, by its digest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from sqlalchemy import Connection, select

from treelace.store.checksums import add_row, add_rows, remove_rows
from treelace.store.database import Connections
from treelace.store.schema import captured_files, page_files, pages


@dataclass(frozen=True, slots=True)
class CapturedFile:
    """A style sheet or an image."""

    content_type: str
    data: bytes


class PageFiles:
    """The files of a store, and the pages that show them."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def of(self, page: str, *, most_bytes: int) -> dict[str, CapturedFile]:
        """The files of a page by their addresses, as many as fit."""
        found: dict[str, CapturedFile] = {}
        asked = (
            select(page_files.c.url, captured_files.c.content_type, captured_files.c.data)
            .join(captured_files, captured_files.c.id == page_files.c.file_id)
            .join(pages, pages.c.id == page_files.c.page_id)
            .where(pages.c.url == page)
            .order_by(page_files.c.id)
        )
        with self._connections.reading() as connection:
            for url, content_type, data in connection.execute(asked):
                most_bytes -= len(data)
                if most_bytes < 0:
                    break
                found[url] = CapturedFile(content_type, bytes(data))
        return found

    def use(self, page: str, addresses: Sequence[str]) -> list[str]:
        """Says that a page shows these files; those that are not kept yet."""
        with self._connections.writing() as connection:
            known = {
                row.url: row.file_id
                for row in connection.execute(
                    select(page_files.c.url, page_files.c.file_id).where(
                        page_files.c.url.in_(addresses)
                    )
                )
            }
            for address, number in known.items():
                _link(connection, address, number, [page])
        return [address for address in addresses if address not in known]

    def keep(self, address: str, content_type: str, data: bytes, shown_by: Iterable[str]) -> None:
        """Keeps a file, and which pages show it."""
        digest = blake2b(data, digest_size=16).digest()
        row = {"digest": digest, "content_type": content_type, "data": data}
        with self._connections.writing() as connection:
            same = select(captured_files.c.id).where(captured_files.c.digest == digest)
            number = connection.execute(same).scalar()
            if number is None:
                number = add_row(connection, captured_files, row)
            _link(connection, address, number, shown_by)


def forget_files(connection: Connection, page_id: int) -> None:
    """Takes the files of a page away that no other page shows."""
    remove_rows(connection, page_files, page_files.c.page_id == page_id)
    used = select(page_files.c.file_id).scalar_subquery()
    remove_rows(connection, captured_files, captured_files.c.id.not_in(used))


def _link(connection: Connection, address: str, number: int, shown_by: Iterable[str]) -> None:
    """Notes which pages show an address, each once."""
    has = select(page_files.c.page_id).where(page_files.c.url == address)
    known = set(connection.execute(has).scalars())
    rows = []
    for page in shown_by:
        page_id = connection.execute(select(pages.c.id).where(pages.c.url == page)).scalar()
        if page_id is not None and page_id not in known:
            rows.append({"page_id": page_id, "url": address, "file_id": number})
            known.add(page_id)
    add_rows(connection, page_files, rows)
