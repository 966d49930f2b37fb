"""`python -m experiments.alerts`: the chains of `data/snapshots` replayed into a site, with two rules on each page; the table is `table.md` here.

One rule asks for changes of the headings (what a person would watch), one for changes of every text of the page (what monitors of text lines do).
A naive monitor would tell at every version that differs at all: that is the first column.
"""

from __future__ import annotations

import csv
import gzip
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path

from experiments.data import corpus, sites
from experiments.write import table
from treelace.site import Site
from treelace.store.alerts import Alerts
from treelace.store.fetched import FetchedPage

RULES = {"headings": "h1, h2, h3, h4", "texts": "xpath://body//text()[normalize-space()]"}
REASONS = {"order": "only the order changed", "restless": "of all versions or more"}


def chain(site: str) -> list[FetchedPage]:
    """The versions of a page."""
    folder = corpus("snapshots")
    with (folder / "index.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["site"] == site]
    return [
        FetchedPage(
            f"https://{site}.example/",
            datetime.fromisoformat(row["date"]),
            200,
            gzip.decompress((folder / site / f"{row['number']}.html.gz").read_bytes()),
        )
        for row in rows
    ]


def replay(site: str) -> list[object]:
    """A row of the table: versions, and for each rule how often it told and why it did not."""
    with tempfile.TemporaryDirectory() as folder, Site.create(Path(folder) / "site", f"https://{site}.example/") as made:
        for name, select in RULES.items():
            Alerts(made.store).subscribe(name, {"page": f"https://{site}.example/", "select": select, "when": "changes"})
        done = made.add_pages(sorted(chain(site), key=lambda page: page.time))
        counts: Counter[tuple[str, str]] = Counter()
        for alert in Alerts(made.store).alerts():
            reason = next((short for short, words in REASONS.items() if words in alert.why), "told") if alert.state == "suppressed" else "told"
            counts[str(alert.subscription), reason] += 1
        return [site, done.versions - 1, *(counts[name, reason] for name in RULES for reason in ("told", *REASONS))]


def main() -> None:
    """Every chain."""
    rows = [replay(site) for site in sites()]
    rows.append(["all", *(sum(int(str(row[at])) for row in rows) for at in range(1, len(rows[0])))])
    head = ["page", "versions that differ", *(f"{name}: {reason}" for name in RULES for reason in ("told", *REASONS))]
    notes = (
        "`told` are alerts, `order` and `restless` changes that were noticed and suppressed: the same texts in another order, and nodes that changed "
        "in half of all versions or more (of those that are stored by then; up to 64 are stored at once). A version in which nothing that a rule "
        "selects differs raises neither. Whether a person would want each of the alerts was not judged."
    )
    table(Path(__file__).parent / "table", "Alerts on real chains of versions", "python -m experiments.alerts", head, rows, notes)


if __name__ == "__main__":
    main()
