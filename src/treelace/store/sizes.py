"""How much a store holds."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, Table, func, select, text

from treelace.store.schema import alerts, crawl_log, pages, versions


@dataclass(frozen=True, slots=True)
class Sizes:
    """Rows of the large tables, and bytes of all of them."""

    pages: int
    versions: int
    alerts: int
    log_lines: int
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.pages:,} pages, {self.versions:,} versions, {self.alerts:,} alerts,"
            f" {self.log_lines:,} lines of log; {self.bytes:,} bytes"
        )


def load_sizes(connection: Connection) -> Sizes:
    """The sizes now."""

    def count(table: Table) -> int:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()

    whole = (
        "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        if connection.dialect.name == "sqlite"
        else "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE"
        " relkind = 'r' AND relnamespace = current_schema()::regnamespace"
    )
    size = int(connection.execute(text(whole)).scalar_one())
    return Sizes(count(pages), count(versions), count(alerts), count(crawl_log), size)
