"""Tasks: each is done once, wherever; what came of it is noted beside its results."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from treelace.bulk.digest import cut_task, digest_task
from treelace.bulk.gather import gather_task
from treelace.bulk.group import group_task
from treelace.bulk.learn import learn_task, name_task
from treelace.bulk.model import Done, Task
from treelace.bulk.noise import mark_task, tally_task
from treelace.bulk.past import recall_task
from treelace.bulk.read import read_task
from treelace.bulk.seen import compare_task
from treelace.bulk.share import share_task
from treelace.bulk.storage import Storage
from treelace.bulk.watching import Watch

STAGES: dict[str, Callable[[Task, Storage, Watch], Done]] = {
    "cut": cut_task,
    "digest": digest_task,
    "recall": recall_task,
    "group": group_task,
    "gather": gather_task,
    "learn": learn_task,
    "name": name_task,
    "share": share_task,
    "read": read_task,
    "compare": compare_task,
    "tally": tally_task,
    "mark": mark_task,
}
"""The stages in their order."""


def done_folder(stage: str) -> str:
    """Where it is noted what is done of a stage."""
    return f"work/done/{stage}"


def perform(task: Task, watch: Watch) -> Done:
    """Does a task, unless it is done already; results first, the note of them last."""
    storage = Storage(task.out)
    known = done_before(storage, task)
    if known is not None:
        return known
    done = STAGES[task.stage](task, storage, watch)
    storage.write(f"{done_folder(task.stage)}/{task.name}.json", msgspec.json.encode(done))
    return done


def done_before(storage: Storage, task: Task) -> Done | None:
    """What came of a task that is done already; None where it is not, or its note is damaged."""
    try:
        note = storage.read(f"{done_folder(task.stage)}/{task.name}.json")
        return msgspec.json.decode(note, type=Done)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
