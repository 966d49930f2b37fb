"""`treelace records` and `treelace sql`: the tables of a site, today and in the past."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from treelace.cli.common import Output
from treelace.cli.exits import Exit
from treelace.cli.options import (
    TABLE_FORMS,
    common_options,
    form_option,
    option,
    site_option,
    wait_option,
    with_site,
)

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.site import Site
    from treelace.site.listings import KindList

FORMS = (*TABLE_FORMS, "parquet")
F = TypeVar("F", bound="Callable[..., Any]")


def some_rows_options(command: F) -> F:
    """Adds what makes the database find, sort and cut records; the command gets them as `rows`,
    empty where none was given.
    """

    @option("--search TEXT", "Only records with this text.")
    @option("--where CONDITION", "'price >= 20', 'title ~ tea', 'stock ='.", multiple=True)
    @option("--sort COLUMN", "In the order of this column; -COLUMN: the greatest first.")
    @option("--most N", "So many records.", click.IntRange(0))
    @option("--skip N as offset", "Leave out the first N records.", click.IntRange(0))
    @wraps(command)
    def with_rows(
        *,
        search: str | None,
        where: tuple[str, ...],
        sort: str | None,
        most: int | None,
        offset: int | None,
        **given: Any,
    ) -> Any:
        rows: dict[str, Any] = {}
        if search or where or sort or most is not None or offset:
            rows = {
                "search": search or "",
                "where": where,
                "sort": (sort or "").removeprefix("-"),
                "descending": (sort or "").startswith("-"),
                "offset": offset or 0,
                "limit": sys.maxsize if most is None else most,
            }
        return command(rows=rows, **given)

    return cast("F", with_rows)


@click.command("records")
@click.argument("name", required=False)
@option("--as-of TIME", "The records there were then.")
@option("--since TIME", "Only what came or changed since then.")
@option("--history as is_history", "All records there ever were, with the times they were valid.")
@option(
    "--set-key COLUMNS",
    "Columns that identify a record, with commas; `auto` chooses. The records are built anew.",
)
@option("--rebuild", "Build the records anew from all versions, with the wrapper of today.")
@option(
    "--wide",
    "As a table: also keys, links, places and the parts of prices, which all other forms have.",
)
@some_rows_options
@wait_option
@form_option(FORMS, "table", "How to write them.")
@site_option
@common_options
def records_command(
    *,
    name: str | None,
    as_of: str | None,
    since: str | None,
    is_history: bool,
    rows: dict[str, Any],
    set_key: str | None,
    rebuild: bool,
    wide: bool,
    wait: bool,
    form: str,
    folder: str,
    output: Output,
    limits: Limits,
) -> int:
    """The records of the kind NAME; without it, the kinds there are. Exit code 1: there are none.

    \b
    Examples:
      treelace records --site shop
      treelace records product --to csv -o products.csv
      treelace records product --as-of 2026-03-01
      treelace records product --since yesterday --to jsonl
      treelace records product --where "price >= 20" --where "title ~ kettle" --sort -price
      treelace records product --search copper --most 20
      treelace records product --set-key "title link"
    """
    from treelace.site import Site, read_time, write_records

    if set_key is not None or rebuild:
        if name is None:
            raise click.UsageError("which records? Name their kind")
        with Site(folder, limits=limits) as site:
            done = site.rebuild(name, key=_key(set_key), wait=wait, progress=output.progress)
            output.write(f"{done}\n")
        return Exit.DONE
    with Site(folder, read_only=True, limits=limits) as site:
        if name is None:
            return _write_kinds(site.records(), form, output)
        at = None if as_of is None else read_time(as_of)
        from_then = None if since is None else read_time(since)
        if rows and is_history:
            raise click.UsageError("--history has all records: leave out where, sort and most")
        if rows:
            some = site.rows(name, at=at, since=from_then, **rows)
            output.explain(str(some))
            found = some.table
        else:
            found = site.records(name, at=at, since=from_then, history=is_history)
    output.write(write_records(found, form, is_wide=wide))
    return Exit.DONE if len(found) else Exit.NO


def _key(words: str | None) -> tuple[str, ...] | None:
    """The columns of a key as they are written; empty where they are to be chosen."""
    if words is None:
        return None
    return () if words == "auto" else tuple(part.strip() for part in words.split(","))


def _write_kinds(kinds: KindList, form: str, output: Output) -> Exit:
    output.write(kinds.written(form if form in ("table", "csv") else "json"))
    if not kinds:
        output.say("no records yet: `treelace classes list` shows which classes can be accepted")
    return Exit.DONE if kinds else Exit.NO


@click.command("sql")
@click.argument("query")
@option("--as-of TIME", "Every kind of record as it was then.")
@form_option(FORMS, "table", "How to write the answer.")
@with_site(read_only=True)
def sql_command(*, query: str, as_of: str | None, form: str, site: Site, output: Output) -> None:
    """The answer to one SELECT over the site's tables: each kind of record has a view of its own,
    and `<kind>_history` for all time.

    \b
    Queries only read. Beside the records there are pages, versions, alerts and the other tables of
    the store.
    Examples:
      treelace sql "select title, price from product where price < 20 order by price" --site shop
      treelace sql "select count(*), avg(price) from product" --as-of "1 week ago"
    """
    from treelace.site import read_time, write_table

    found = site.sql(query, at=None if as_of is None else read_time(as_of))
    output.write(write_table(found.heads, found.values, form))
