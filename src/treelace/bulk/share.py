"""Share: which classes of different hosts are made by one template, by the structure index."""

from __future__ import annotations

from treelace._kernel import Features
from treelace.bulk.alike import alike_labels
from treelace.bulk.datasets import Columns, Rows
from treelace.bulk.learn import classes_file
from treelace.bulk.model import Done, Task
from treelace.bulk.reading import rows_of
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch
from treelace.classes.examples import unpack

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
    templates = alike_labels([features for _, _, features in known], watch)
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
    return Done.of(task, [file], {"templates": len(sizes)})
