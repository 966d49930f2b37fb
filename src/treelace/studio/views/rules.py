"""A rule, tried over the history before it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.errors import TreelaceError
from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from treelace.site import Site, Trial
    from treelace.studio.asking import Ask

MOST_SHOWN = 100
MOST_ROWS = 400
"""Rows of a table that a rule is tried on while someone waits for the page."""
WHENS = {
    "changed": "anything changes",
    "new": "a record is new",
    "gone": "a record is gone",
}
PAGE_WHENS = {
    "changed": "it changes",
    "vanishes": "it vanishes",
    "drops": "its number drops",
    "rises": "its number rises",
}


def rule(site: Site, ask: Ask) -> Answer:
    """What a rule on a table or a page would have told so far."""
    words = {
        field: ask.word(field) for field in ("records", "page", "select", "when") if ask.word(field)
    }
    if "page" in words and ask.word("point"):
        node = ask.number("point", 0)
        words["select"] = site.selector_of(words["page"], node, ask.maybe_number("version"))
    column, test = ask.word("column"), ask.word("test")
    if column and test:
        words["when"] = f"{column} {test}"
    trial: Trial | None = None
    said = ""
    if words.get("records") or (words.get("page") and words.get("select")):
        try:
            name = ask.word("name") or "it"
            trial = site.try_rule(name, newest=MOST_ROWS, **words)  # type: ignore[arg-type]
        except TreelaceError as error:
            if ask.form != "html":
                raise
            said = str(error)
    kinds = site.records()
    chosen = next((it for it in kinds if it.name == words.get("records")), None)
    found = trial.found if trial is not None else ()
    return Answer(
        template="rule.html",
        title="A rule",
        context={
            "words": words,
            "kinds": kinds,
            "chosen": chosen,
            "whens": WHENS,
            "page_whens": PAGE_WHENS,
            "trial": trial,
            "found": found[::-1][:MOST_SHOWN],
            "said": said,
            "name": ask.word("name"),
        },
        heads=("time", "why", "not_told"),
        rows=[(time, one.why, one.suppressed) for time, one in found],
    )
