"""Takes merging and splitting of classes back: what they were stands in the store until then."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from treelace.classes.model import ClassState, PageClass
from treelace.errors import UsageError
from treelace.store import Store

NOTE = "class edits"
MOST_EDITS = 20
"""Edits that can be taken back, the newest ones."""


class ClassBefore(msgspec.Struct, frozen=True):
    """A class as it was before an edit, with its pages."""

    id: int
    name: str
    state: str
    sketch: str
    about: dict[str, Any]
    wrapper: str
    wrapper_state: str
    members: list[str]


class Edit(msgspec.Struct, frozen=True):
    """A merge or a split: the classes as they were, the rules, and the class that came of it."""

    number: int
    what: str
    classes: list[ClassBefore]
    rules: dict[str, dict[str, Any]]
    made: int | None
    newest: dict[str, str]
    """A digest of each class's wrapper after the edit: what has another one since cannot be taken
    back.
    """


@dataclass(frozen=True, slots=True)
class Undone:
    """An edit of classes that was taken back."""

    what: str
    names: tuple[str, ...]
    records: int

    def __str__(self) -> str:
        return f"{self.what}: taken back; {' and '.join(self.names)} as before"


def remembered(store: Store, what: str, names: Sequence[str], edit: Callable[[], Any]) -> Any:
    """Does an edit of some classes, and remembers what was before it."""
    known = {one.id for one in store.classes.all()}
    before = [_before(store, store.classes.get(name)) for name in names]
    rules = {str(one.id): dict(one.rule) for one in store.alerts.subscriptions()}
    done = edit()
    made = next((one.id for one in store.classes.all() if one.id not in known), None)
    newest = {str(one.id): _newest(store, one.id) for one in before}
    edits = edits_of(store)
    number = 1 + max((one.number for one in edits), default=0)
    new = Edit(number, what, before, rules, made, newest)
    _keep(store, [*edits, new][-MOST_EDITS:])
    return done


def edits_of(store: Store) -> list[Edit]:
    """The edits that can be taken back, oldest first."""
    said = store.notes.get(NOTE)
    return msgspec.json.decode(said, type=list[Edit]) if said else []


def undo(store: Store, number: int | None, build_anew: Callable[[str], int]) -> Undone:
    """Takes an edit back, by default the last one; `build_anew` makes the records of a class.

    `UsageError` where a class was learnt or repaired since, or a name is taken.
    """
    edits = edits_of(store)
    edit = next((one for one in reversed(edits) if number in (None, one.number)), None)
    if edit is None:
        raise UsageError("there is no merge or split to take back" + f" ({number})" * bool(number))
    _check(store, edit)
    with store.writing() as transaction:
        if edit.made is not None:
            gone = next(one for one in store.classes.all() if one.id == edit.made)
            transaction.drop_kinds(edit.made)
            name = f"{gone.name} (split undone, {gone.id})"
            transaction.classes.change(edit.made, state=ClassState.REMOVED, name=name)
        for one in edit.classes:
            transaction.drop_kinds(one.id)
            transaction.classes.change(
                one.id,
                name=one.name,
                state=ClassState(one.state),
                sketch=base64.b64decode(one.sketch) or None,
                about=one.about,
            )
            transaction.classes.assign(one.members, one.id)
            if one.wrapper:
                state = ClassState(one.wrapper_state)
                why = f"{edit.what} taken back"
                transaction.classes.add_wrapper(one.id, one.wrapper, state=state, why=why)
        for subscription in transaction.alerts.subscriptions():
            before = edit.rules.get(str(subscription.id))
            if before is not None and dict(subscription.rule) != before:
                transaction.alerts.change_rule(subscription.id, before)
    _keep(store, [one for one in edits if one.number != edit.number])
    in_use = [one.name for one in edit.classes if one.state == ClassState.ACCEPTED]
    return Undone(
        edit.what,
        tuple(one.name for one in edit.classes),
        sum(build_anew(name) for name in in_use),
    )


def _check(store: Store, edit: Edit) -> None:
    by_id = {one.id: one for one in store.classes.all()}
    for one in edit.classes:
        if _newest(store, one.id) != edit.newest[str(one.id)]:
            raise UsageError(
                f"{by_id[one.id].name} was learnt anew or repaired since: {edit.what} cannot be"
                " taken back"
            )
        other = next((it for it in by_id.values() if it.name == one.name and it.id != one.id), None)
        if other is not None and other.id != edit.made:
            raise UsageError(f"there is another class {one.name} now: rename it first")


def _before(store: Store, one: PageClass) -> ClassBefore:
    newest = store.classes.newest_wrapper(one.id)
    return ClassBefore(
        one.id,
        one.name,
        str(one.state),
        base64.b64encode(one.sketch or b"").decode(),
        _plain(one.about),
        "" if newest is None else newest.data,
        "" if newest is None else str(newest.state),
        store.classes.members(one.id),
    )


def _plain(about: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(dict(about))
    return found


def _newest(store: Store, class_id: int) -> str:
    newest = store.classes.newest_wrapper(class_id)
    return "" if newest is None else hashlib.sha256(newest.data.encode()).hexdigest()


def _keep(store: Store, edits: Sequence[Edit]) -> None:
    store.notes.set(NOTE, msgspec.json.encode(edits).decode())
