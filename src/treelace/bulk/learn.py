"""Learn: a wrapper for each class, with its health proved on pages that it was not learnt from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from treelace._kernel import Features
from treelace.bulk.datasets import CLASSES, PROBLEMS, Columns, Rows
from treelace.bulk.digest import POISON, write_problems
from treelace.bulk.group import members_file
from treelace.bulk.model import Done, Task
from treelace.bulk.past import recalled_file
from treelace.bulk.reading import Problems, known_class, rows_of, trees_of
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.classes.catalogue import KnownClass
from treelace.classes.drift import read_page
from treelace.classes.examples import spread
from treelace.classes.names import free_name, names_for
from treelace.classes.proposals import Proposal, pages_to_read, propose
from treelace.errors import WrapperError
from treelace.store import keys
from treelace.store.body import Body
from treelace.store.plain_tables import PlainTable, plain_tables
from treelace.store.record_rows import links_to_come
from treelace.tree import Tree
from treelace.wrappers import Wrapper
from treelace.wrappers.loading import load_reader

PAGES_TO_PROVE_ON = 10
LEARNT: Columns = {**CLASSES, "names": "text"}
"""Classes with the names they may have, best first: which are free is seen when all are learnt."""


class Kind(msgspec.Struct, frozen=True):
    """The records of one table of a class: its columns with their types, and its key."""

    columns: dict[str, str]
    key: tuple[str, ...]


def learnt_file(part: str) -> str:
    """Where the classes are that a task learnt."""
    return f"work/learnt/{part}.parquet"


def learn_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The classes of a bucket that are `chosen`, each with its wrapper."""
    problems = Problems("learn", Rows(PROBLEMS))
    clusters: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows_of(storage, members_file(task.parts[0], task.chosen[0])):
        clusters.setdefault((row["host"], row["number"]), []).append(row)
    made = Rows(LEARNT)
    for at, ((host, number), rows) in zip(task.chosen, clusters.items(), strict=True):
        if why := watch.at(f"class {at}"):
            problems.add(f"{host}, class {number}", POISON, why)
            continue
        made.add(host=host, number=number, **_learn(rows, task, problems))
    files = [storage.write(learnt_file(task.name), made.to_parquet())]
    files += write_problems(problems, storage, task)
    return Done.of(task, files, {"classes": len(made)}, problems.counts)


def _learn(rows: Sequence[Mapping[str, Any]], task: Task, problems: Problems) -> dict[str, Any]:
    by_url = {row["url"]: row for row in rows}
    members = sorted(by_url)
    sketches = {url: Features.from_bytes(by_url[url]["sketch"]) for url in members}
    read = pages_to_read(members)
    others = spread([url for url in members if url not in set(read)], PAGES_TO_PROVE_ON)
    trees = trees_of([by_url[url] for url in (*read, *others)], limits=task.bounds)
    found = propose(members, sketches, [trees[url] for url in read], ())
    known = known_class(
        0, found.name, found.data or None, found.sketch, _about(found.about, found.about.get("key"))
    )
    whole = others or read
    proved = {url: _tables(known, trees[url], url) for url in (*read, *others)}
    well = [url for url in whole if not isinstance(proved[url], str)]
    if found.data and len(well) < len(whole):
        why = next(said for url in whole if isinstance(said := proved[url], str))
        message = f"its wrapper reads {len(well)} of {len(whole)} pages: {why}"
        problems.add(f"{rows[0]['host']}, {found.name}", "health", message)
    tables = [said for url in (*read, *others) if isinstance(said := proved[url], tuple)]
    wrapper = load_reader(found.data) if found.data else None
    names = names_for(
        members, wrapper if isinstance(wrapper, Wrapper) else None, [trees[url] for url in read]
    )
    return {
        **_row(found),
        "names": msgspec.json.encode(list(names)).decode(),
        "kinds": msgspec.json.encode(kinds_of(tables, (known.key, *known.inner_keys))).decode(),
        "health": round(len(well) / len(whole), 3) if found.data else None,
        "health_pages": len(whole) if found.data else 0,
    }


def _row(found: Proposal) -> dict[str, Any]:
    return {
        "class": found.name,
        "pages": len(found.pages),
        "examples": msgspec.json.encode(found.about["examples"]).decode(),
        "sketch": found.sketch,
        "tightness": round(found.tightness, 3),
        "wrapper": found.data or None,
        "problem": found.problem or None,
        "key": msgspec.json.encode(found.about.get("key") or []).decode(),
    }


def _about(examples: Mapping[str, object], key: object) -> dict[str, Any]:
    return {"examples": examples.get("examples", ()), "key": key or ()}


def _tables(known: KnownClass, tree: Tree, url: str) -> tuple[PlainTable, ...] | str:
    """The tables of a page, or why there are none."""
    try:
        tables = read_page(known, tree, url)
    except WrapperError as error:
        return str(error)
    return plain_tables(tables or (), Body.first(tree))


def kinds_of(pages: Sequence[tuple[PlainTable, ...]], known: Sequence[Sequence[str]]) -> list[Kind]:
    """The kinds of records that the tables of some pages show: the first type that is seen of a
    column is its type, as in a store; where no key is known, one is chosen by the first page.
    """
    made: list[Kind] = []
    for number in range(max(map(len, pages), default=0)):
        tables = [some[number] for some in pages if len(some) > number and some[number].types]
        if not tables:
            break
        types: dict[str, str] = {}
        for table in tables:
            types = {**table.types, **types}
        first = tables[0]
        named = tuple(known[number]) if number < len(known) else ()
        chosen = named or keys.choose(first.types, [[row.values for row in first.rows]])
        made.append(Kind({**types, **links_to_come(chosen, types)}, chosen))
    return made


def classes_file(part: str) -> str:
    """Where the classes of a bucket are, for everyone to read."""
    return f"classes/part-{part}.parquet"


def name_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The classes of a bucket with names that no two classes of a host share; those of the run
    before keep theirs.
    """
    watch.at("names")
    made = Rows(CLASSES)
    taken: dict[str, set[str]] = {}
    for part in task.past:
        for row in rows_of(storage, recalled_file(task.bucket, part)):
            taken.setdefault(row["host"], set()).add(row["class"])
            made.add(**row)
    rows = [row for part in task.parts for row in rows_of(storage, learnt_file(part))]
    for row in sorted(rows, key=lambda row: (row["host"], row["number"])):
        names = taken.setdefault(row["host"], set())
        name = free_name(msgspec.json.decode(row["names"], type=list[str]), names)
        names.add(name)
        made.add(**{**row, "class": name})
    file = storage.write(classes_file(task.name), made.to_parquet())
    return Done.of(task, [file], {"classes": len(made)})
