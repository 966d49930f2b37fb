"""Are columns called what a person would call them, and are they those that a person would keep?

`names.json` has 60 tables: 20 pages of `modern`, 20 of `records`, 20 lists of `sites`, drawn by a
hash of their names. A reader saw the texts of each column without the program's names, and wrote
which columns to keep, what to call each, and which synonyms are as good (`|` between them). A
column is known by nodes of its cells in some rows, so no text of a page is kept here. Columns with
`?` may be there or not. `names_second.json` has the same tables by a second reader, who saw neither
the program's names nor, but for the first seven tables, those of the first reader. Hosts are split
in two halves by a hash: `seen` is the half that the naming was improved on, `unseen` the other one.

The readers agree on a column when both keep it and the name that each wrote first is one of the
other's names (`readers_agree`).
A third reading are the field names that the authors of `modern` and `sites` gave to the values they
label; `labels_agree` counts those that the first reader kept under a name of the same meaning.

    python -m experiments.records.names [--corpus ../shared] [--misses]

writes `names.md`. For each reader: of the columns that the reader kept, the share that some default
column holds (`held`), the share whose name is right or a synonym (`named`), columns shown for each
kept one (`columns a kept one`), and shown names that mean nothing (`meaningless`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from experiments.records.labelled import STRUCTURED, responses, unpacked
from treelace import Table, Tree, extract, parse

HERE = Path(__file__).parent

GROUPS = {
    "NAME": "name title headline heading product item",
    "DESC": "description snippet summary abstract excerpt about teaser intro body content",
    "IMG": "image picture photo thumbnail img avatar cover logo",
    "URL": "url address link website web_address",
    "RANK": "rank position number no nr index #",
    "DATE": "date published posted created uploaded day date_published",
    "PRICE": "price cost",
    "PLACE": "location place address city venue where region area locality",
    "AUTHOR": "author user by username owner creator authors",
}
"""Words that mean the same, so that a name of `names.json` may be one of a group."""

NO_MEANING = re.compile(r"(?:text|column|item|div|span|p|td|li|i|b|a|strong|em)(?: \d+)?")
"""Names that say nothing about what a column holds."""


@dataclass(frozen=True)
class Figures:
    """What is counted for one table."""

    kept: int
    held: int
    named: int
    shown: int
    meaningless: int


def meanings(names: str) -> set[str]:
    """The names that count as right: those written, and all of a group."""
    found: set[str] = set()
    for name in names.split("|"):
        words = [word.replace("_", " ") for word in GROUPS.get(name, "").split()]
        found |= set(words or [name])
    return found


def is_right(name: str, names: str) -> bool:
    """Whether a column's name is one of those, numbers at its end and signs left out."""
    plain = re.sub(r"[\s_-]+", " ", re.sub(r" \d+$", "", name.lower())).strip(" :.")
    return plain in meanings(names)


def half(host: str) -> str:
    """`seen` or `unseen`, by the host."""
    return "unseen" if hashlib.sha256(f"half {host}".encode()).digest()[0] % 2 else "seen"


@cache
def _site(folder: Path) -> dict[str, bytes]:
    return dict(responses(folder / "pages.warc.gz"))


def page(corpus: Path, name: str) -> Tree:
    """A page by its name in `names.json`."""
    part, _, rest = name.partition("/")
    folder = corpus / "data" / part
    if part == "sites":
        site, url = rest.split()
        return parse(_site(folder / site)[url], format="html")
    file = next(path for path in folder.glob(f"{rest}.html*"))
    return parse(STRUCTURED.sub(b"", unpacked(file)), format="html")


def table_with(tables: list[Table], nodes: set[int]) -> Table | None:
    """The table that holds most of these nodes; of several the first."""
    held = [
        len(nodes & {at for row in nodes_of(one.with_all_columns) for at in row}) for one in tables
    ]
    best = max(held, default=0)
    return tables[held.index(best)] if best else None


def nodes_of(table: Table) -> list[set[int]]:
    """The nodes of the items of each column."""
    return [
        {item.node.index for row in table.cells if (cell := row[at]) for item in cell.items}
        for at in range(len(table.columns))
    ]


def judged(said: dict[str, Any], table: Table | None) -> tuple[Figures, list[str]]:
    """The figures of one table, and what is wrong with it."""
    kept = [column for column in said["columns"] if not column["name"].endswith("?")]
    if table is None:
        return Figures(len(kept), 0, 0, 0, 0), ["no table"]
    nodes = nodes_of(table)
    held = named = 0
    wrong, used = [], set()
    for column in said["columns"]:
        counts = [len(those & set(column["nodes"])) for those in nodes]
        most = max(counts, default=0)
        at = counts.index(most) if most else None
        if at is not None:
            used.add(at)
        if column["name"].endswith("?"):
            continue
        if at is None or 2 * counts[at] < len(column["nodes"]):
            wrong.append(f"not held: {column['name']}")
            continue
        held += 1
        if is_right(table.columns[at].name, column["name"]):
            named += 1
        else:
            wrong.append(f"{table.columns[at].name!r} for {column['name']}")
    optional = [column for column in said["columns"] if column["name"].endswith("?")]
    spare = {
        at
        for at, those in enumerate(nodes)
        if any(those & set(column["nodes"]) for column in optional)
        and not any(those & set(column["nodes"]) for column in kept)
    }
    names = [column.name for column in table.columns]
    wrong += [f"extra: {names[at]!r}" for at in range(len(names)) if at not in used]
    meaningless = sum(NO_MEANING.fullmatch(name) is not None for name in names)
    return Figures(len(kept), held, named, len(names) - len(spare), meaningless), wrong


def labelled_fields(corpus: Path, name: str) -> Iterator[tuple[str, str]]:
    """Fields that the corpus' own authors named on a page, with the text of each in a few rows."""
    part, _, rest = name.partition("/")
    if part == "modern":
        label = json.loads((corpus / f"data/modern/labels/{rest}.json").read_text("utf-8"))
        rows = [row.get("fields", {}) for row in label["lists"][0]["rows"]]
    elif part == "sites":
        site, url = rest.split()
        lines = (corpus / f"data/sites/{site}/truth.jsonl").open(encoding="utf-8")
        said = next(one for one in map(json.loads, lines) if one["url"] == url)
        rows = said["list"]
    else:
        return
    for row in rows[:8]:
        yield from ((field, str(text)) for field, text in row.items() if field != "url")


SAME_FIELD = {"docket": "docket|number|case number|case file", "place": "PLACE", "pay": "salary"}
"""What field names of the corpora mean, where a group does not say it."""


@dataclass(frozen=True)
class Agreement:
    """Columns that two readers kept of one table."""

    by_either: int
    by_both: int
    same_meaning: int


def is_first_for(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Whether the name that the first reader wrote first is one of the second reader's names."""
    return not meanings(one["name"].partition("|")[0]).isdisjoint(meanings(two["name"]))


def readers_agree(first: dict[str, Any], second: dict[str, Any]) -> Agreement:
    """How far two readers kept the same columns of a table, and called them the same."""
    mine, other = (
        [column for column in said["columns"] if not column["name"].endswith("?")]
        for said in (first, second)
    )
    pairs = [
        (one, next((two for two in other if set(one["nodes"]) & set(two["nodes"])), None))
        for one in mine
    ]
    both = [(one, two) for one, two in pairs if two is not None]
    alone = [two for two in other if not any(two is those for _, those in both)]
    same = sum(is_first_for(one, two) and is_first_for(two, one) for one, two in both)
    return Agreement(len(mine) + len(alone), len(both), same)


def labels_agree(corpus: Path, said: dict[str, Any], tree: Tree) -> tuple[int, int]:
    """Labelled fields that the reader's columns hold, and those called by the same meaning."""
    columns = [column for column in said["columns"] if not column["name"].endswith("?")]
    texts = [[" ".join(tree[at].text.split()) for at in column["nodes"]] for column in columns]
    votes: dict[str, Counter[int]] = {}
    for field, text in labelled_fields(corpus, said["page"]):
        plain = " ".join(text.split())
        for at, those in enumerate(texts):
            if any(one == plain or (len(plain) > 3 and plain in one) for one in those):
                votes.setdefault(field, Counter())[at] += 1
    same = 0
    for field, counts in votes.items():
        wanted = meanings(columns[counts.most_common(1)[0][0]]["name"])
        group = next((words for words in GROUPS.values() if field in words.split()), field)
        mine = set(group.split()) | meanings(SAME_FIELD.get(field, field))
        same += not wanted.isdisjoint(mine)
    return len(votes), same


def line(title: str, those: list[Figures]) -> str:
    """One row of the table of results."""
    kept, held, named, shown, empty = (
        sum(getattr(one, field) for one in those)
        for field in ("kept", "held", "named", "shown", "meaningless")
    )
    return (
        f"| {title} | {len(those)} | {kept} | {held / kept:.3f} | {named / kept:.3f}"
        f" | {shown / kept:.2f} | {empty} |"
    )


def figures_of(
    tables: list[dict[str, Any]], hosts: dict[str, str], corpus: Path, misses: str | None
) -> dict[str, list[Figures]]:
    """The figures of every table as one reader has it, by half, by source and for all."""
    figures: dict[str, list[Figures]] = {}
    for said in tables:
        nodes = {at for column in said["columns"] for at in column["nodes"]}
        made, wrong = judged(said, table_with(lists_of(corpus, said["page"]), nodes))
        part = half(hosts[said["page"]])
        for title in (part, said["page"].partition("/")[0], "all"):
            figures.setdefault(title, []).append(made)
        if misses == part and wrong:
            print(said["page"], *wrong, sep="\n    ")
    return figures


@cache
def lists_of(corpus: Path, name: str) -> list[Table]:
    """The tables of a page, without the page as one record."""
    return [table for table in extract(page(corpus, name)) if len(table) > 1]


def agreement(corpus: Path, first: list[dict[str, Any]], second: list[dict[str, Any]]) -> str:
    """What the readings have in common, as two sentences."""
    found = [readers_agree(one, two) for one, two in zip(first, second, strict=True)]
    either, both, same = (
        sum(getattr(one, field) for one in found)
        for field in ("by_either", "by_both", "same_meaning")
    )
    labels = [labels_agree(corpus, said, page(corpus, said["page"])) for said in first]
    labelled, agreed = (sum(counts) for counts in zip(*labels, strict=True))
    return (
        f"Agreement of the two readers: {both} of {either} columns kept by one are kept by both"
        f" ({both / either:.2f}), {same} of these {both} under a name of the same meaning"
        f" ({same / both:.2f}).\n"
        f"Of {labelled} fields that the corpora's authors named, {agreed} have the same meaning for"
        " the first reader.\n"
    )


def main() -> None:
    """Scores the naming and writes `names.md`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, default=Path("../shared"))
    parser.add_argument(
        "--misses", choices=("seen", "unseen"), help="list what is wrong, in a half"
    )
    options = parser.parse_args()
    readings = [
        json.loads((HERE / file).read_text(encoding="utf-8"))
        for file in ("names.json", "names_second.json")
    ]
    hosts = {said["page"]: said["host"] for said in readings[0]}
    text = (
        "| tables | number | columns kept | held | named | columns a kept one | meaningless |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    for reader, tables in zip(("first reader", "second reader"), readings, strict=True):
        figures = figures_of(tables, hosts, options.corpus, options.misses)
        text += "".join(
            line(f"{reader}: {title}", figures[title]) + "\n"
            for title in ("seen", "unseen", "modern", "records", "sites", "all")
        )
    text += "\n" + agreement(options.corpus, *readings)
    print(text, end="")
    (HERE / "names.md").write_text(
        "# Names of columns (`python -m experiments.records.names`)\n\n" + text, encoding="utf-8"
    )


if __name__ == "__main__":
    main()
