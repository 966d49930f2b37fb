"""SQL over a site: read only, with a bound on time and rows, and a simple chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treelace.errors import TreelaceError
from treelace.studio.answers import Answer
from treelace.studio.asking import MAX_ROWS
from treelace.studio.drawing import bars

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.store.record_table import RecordTable
    from treelace.studio.asking import Ask

MAX_BARS = 40


def sql(site: Site, ask: Ask) -> Answer:
    """The answer to one SELECT."""
    query = ask.word("q")
    found: RecordTable | None = None
    said = ""
    if query:
        try:
            found = site.sql(query, at=ask.time("at"), most=MAX_ROWS)
        except TreelaceError as error:
            if ask.form != "html":
                raise
            said = str(error)
    kinds = site.records()
    return Answer(
        template="sql.html",
        title="SQL",
        context={
            "query": query,
            "found": found,
            "said": said,
            "most": MAX_ROWS,
            "chart": chart(found) if found is not None else "",
            "tables": [(it.name, tuple(it.names.values())) for it in kinds],
        },
        heads=found.heads if found is not None else ("nothing",),
        rows=found.values if found is not None else (),
    )


def chart(found: RecordTable) -> str:
    """Bars, where an answer is labels and numbers and not too long."""
    if not 1 < len(found) <= MAX_BARS or len(found.heads) != 2:
        return ""
    pairs: list[tuple[Any, Any]] = [(row[0], row[1]) for row in found.values]
    if not all(isinstance(value, int | float) for _, value in pairs):
        return ""
    labels = ["(empty)" if label is None else str(label) for label, _ in pairs]
    return bars(labels, [float(value) for _, value in pairs])
