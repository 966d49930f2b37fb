"""Share: which classes of different hosts are made by one template, by the structure index."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from treelace._kernel import Features
from treelace.bulk.datasets import Columns, Rows
from treelace.bulk.learn import classes_file
from treelace.bulk.model import Done, Task
from treelace.bulk.reading import rows_of
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.classes.examples import unpack
from treelace.classes.proposals import SAME_LAYOUT
from treelace.similarity.structure_index import StructureIndex

MOST_ALIKE = 64
"""Classes that are looked at for each one; those that are alike hang together through others."""
TEMPLATES: Columns = {
    "template": "text",
    "host": "text",
    "class": "text",
    "classes": "integer",
    "hosts": "integer",
}


def share_task(task: Task, storage: Storage, watch: Watch) -> Done:
    """The template of every class: classes whose middle examples are alike have one."""
    known: list[tuple[str, str, Features]] = []
    for part in task.parts:
        for row in rows_of(storage, classes_file(part)):
            examples = unpack(row["sketch"], row["class"])
            if examples:
                known.append((row["host"], row["class"], examples[len(examples) // 2]))
    into = list(range(len(known)))
    for one, other in _alike([features for _, _, features in known], watch):
        left, right = sorted((_last(into, one), _last(into, other)))
        into[right] = left
    templates = [_last(into, at) for at in range(len(known))]
    sizes: dict[int, list[str]] = {}
    for (host, _, _), template in zip(known, templates, strict=True):
        sizes.setdefault(template, []).append(host)
    made = Rows(TEMPLATES)
    for (host, name, _), template in zip(known, templates, strict=True):
        first = known[template]
        made.add(
            **{"template": f"{first[0]}/{first[1]}", "class": f"{host}/{name}"},
            host=host,
            classes=len(sizes[template]),
            hosts=len(set(sizes[template])),
        )
    file = storage.write(f"templates/part-{task.name}.parquet", made.to_parquet())
    return Done(task.stage, task.name, (file,), {"templates": len(sizes)})


def _alike(features: Sequence[Features], watch: Watch) -> Iterator[tuple[int, int]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        StructureIndex.create(Path(folder) / "classes.index") as index,
    ):
        index.add_features((str(at), one) for at, one in enumerate(features))
        for at, one in enumerate(features):
            watch.at(f"class {at}")
            for found in index.search(one, limit=MOST_ALIKE, at_least=SAME_LAYOUT):
                yield at, int(found.name)


def _last(into: list[int], at: int) -> int:
    while into[at] != at:
        into[at] = into[into[at]]
        at = into[at]
    return at
