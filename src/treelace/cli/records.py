"""`treelace records` and `treelace sql`: the tables of a site, today and in the past."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treelace.cli.common import Output, common_options
from treelace.cli.exits import Exit
from treelace.cli.site import site_option, table
from treelace.extract.types import companion_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.limits import Limits

FORMS = ("table", "csv", "json", "jsonl", "parquet")
_TIMES = ("valid_from", "valid_to")


@click.command("records")
@click.argument("name", required=False)
@click.option("--as-of", metavar="TIME", help="The records there were then.")
@click.option(
    "--history",
    "is_history",
    is_flag=True,
    help="All records there ever were, with the times they were valid.",
)
@click.option(
    "--set-key",
    metavar="COLUMNS",
    help="Columns that identify a record, with commas; `auto` chooses. The records are built anew.",
)
@click.option(
    "--rebuild",
    is_flag=True,
    help="Build the records anew from all versions, with the wrapper of today.",
)
@click.option(
    "--wide",
    is_flag=True,
    help=(
        "As a table: also keys, links, places and the parts of prices, which all other forms have."
    ),
)
@click.option("--wait", is_flag=True, help="Wait while another process is adding versions.")
@click.option(
    "--to",
    "form",
    type=click.Choice(FORMS),
    default="table",
    show_default=True,
    help="How to write them.",
)
@site_option
@common_options
def records_command(
    *,
    name: str | None,
    as_of: str | None,
    is_history: bool,
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
      treelace records product --set-key "title link"
    """
    from treelace.site import Site
    from treelace.store import times

    if set_key is not None or rebuild:
        if name is None:
            raise click.UsageError("which records? Name their kind")
        with Site(folder, limits=limits) as site:
            columns = (
                None
                if set_key is None
                else ()
                if set_key == "auto"
                else tuple(part.strip() for part in set_key.split(","))
            )
            count = site.rebuild_records(name, key=columns, wait=wait)
            output.write(
                f"{name}: {count:,} changes of records, key:"
                f" {', '.join(site.store.records.kind(name).key)}\n"
            )
        return Exit.DONE
    with Site(folder, read_only=True, limits=limits) as site:
        if name is None:
            rows = [
                (kind.name, kind.page_class, ", ".join(kind.key), ", ".join(kind.columns))
                for kind in site.store.records.kinds()
            ]
            output.write(
                table(
                    rows,
                    ("records", "class", "key", "columns"),
                    "csv" if form == "csv" else "json" if form != "table" else form,
                )
            )
            if not rows:
                output.say(
                    "no records yet: `treelace classes list` shows which classes can be accepted"
                )
            return Exit.DONE if rows else Exit.NO
        heads, found = site.store.records.read(
            name, at=None if as_of is None else times.read(as_of), history=is_history
        )
        rows = [
            tuple(_time(head, value, form) for head, value in zip(heads, row, strict=True))
            for row in found
        ]
    if form == "table" and not wide:
        heads, rows = for_people(heads, rows)
    output.write(written(heads, rows, form))
    return Exit.DONE if rows else Exit.NO


@click.command("sql")
@click.argument("query")
@click.option("--as-of", metavar="TIME", help="Every kind of record as it was then.")
@click.option(
    "--to",
    "form",
    type=click.Choice(FORMS),
    default="table",
    show_default=True,
    help="How to write the answer.",
)
@site_option
@common_options
def sql_command(
    *, query: str, as_of: str | None, form: str, folder: str, output: Output, limits: Limits
) -> None:
    """The answer to one SELECT over the site's tables: each kind of record has a view of its own,
    and `<kind>_history` for all time.

    \b
    Queries only read. Beside the records there are pages, versions, alerts and the other tables of
    the store.
    Examples:
      treelace sql "select title, price from product where price < 20 order by price" --site shop
      treelace sql "select count(*), avg(price) from product" --as-of "1 week ago"
    """
    from treelace.site import Site
    from treelace.store import times
    from treelace.store.query import query as run

    with (
        Site(folder, read_only=True, limits=limits) as site,
        run(site.store, query, at=None if as_of is None else times.read(as_of)) as (heads, found),
    ):
        rows = list(found)
    output.write(written(heads, rows, form))


def for_people(
    heads: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """What a person wants to see of records: values as the page writes them, without keys, links,
    places and the parts of prices.

    >>> for_people(["key", "title", "title link", "price", "price currency", "price text", "page"], [("/1", "Tea", "/1", 3.2, "€", "€3.20", "/")])
    (['title', 'price'], [('Tea', '€3.20')])
    """
    known = set(heads)
    hidden = {"key", "page", "version", "node"}
    for head in heads:
        hidden |= known & {f"{head} {part}" for part in companion_names()}
    shown = {
        head: f"{head} text" if f"{head} text" in known else head
        for head in heads
        if head not in hidden
    }
    if not shown.keys() - set(_TIMES):
        return list(heads), list(rows)
    at = [heads.index(source) for source in shown.values()]
    return list(shown), [tuple(row[number] for number in at) for row in rows]


def written(heads: Sequence[str], rows: Sequence[Sequence[Any]], form: str) -> str | bytes:
    """Rows in one of the forms."""
    from treelace.named import unique_names
    from treelace.store.record_table import RecordTable

    if form == "parquet":
        from treelace.extract.outputs.writers import to_parquet

        return to_parquet(RecordTable.of("records", heads, rows).columns)
    plain = [
        [value.hex() if isinstance(value, bytes | memoryview) else value for value in row]
        for row in rows
    ]
    return table(plain, unique_names(heads), form)


def _time(head: str, value: Any, form: str) -> Any:
    from treelace.store import times

    if head not in _TIMES or value is None:
        return value
    return times.local(value) if form == "table" else times.from_number(value).isoformat()
