"""What can be changed through the studio: one visible list of actions, each a verb of `Site`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from starlette.datastructures import UploadFile

from treelace.errors import UsageError
from treelace.site import NoiseSection

if TYPE_CHECKING:
    from starlette.datastructures import ImmutableMultiDict

    from treelace.site import Site


class Done(NamedTuple):
    """What was done, in words, and the path behind the site's name where one goes on; `undo` is the
    form of the action that takes it back.
    """

    said: str
    path: str
    undo: dict[str, str] | None = None


class Form:
    """The fields of a form."""

    def __init__(self, fields: ImmutableMultiDict[str, Any]) -> None:
        self._fields = fields

    def file(self, name: str) -> UploadFile | None:
        """A file that was sent; None where none was chosen."""
        value = self._fields.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    def word(self, name: str) -> str:
        """A field; empty where it is not there."""
        value = self._fields.get(name, "")
        return value.strip() if isinstance(value, str) else ""

    def wanted(self, name: str) -> str:
        """A field without which nothing can be done."""
        if not self.word(name):
            raise UsageError(f"the form lacks {name}")
        return self.word(name)

    def words(self, name: str) -> list[str]:
        """All values of a field."""
        return [it.strip() for it in self._fields.getlist(name) if isinstance(it, str)]

    def named(self, prefix: str) -> dict[str, str]:
        """The fields that begin so, by the rest of their names."""
        return {
            name.removeprefix(prefix): value.strip()
            for name, value in self._fields.multi_items()
            if name.startswith(prefix) and isinstance(value, str) and value.strip()
        }


# classes


def accept(site: Site, form: Form) -> Done:
    """Takes a proposed class into use."""
    name = form.wanted("name")
    return Done(str(site.accept(name)), _class(name), {"do": "reject", "name": name})


def reject(site: Site, form: Form) -> Done:
    """Does without a class."""
    name = form.wanted("name")
    return Done(str(site.reject(name)), "classes", {"do": "accept", "name": name})


def rename(site: Site, form: Form) -> Done:
    """Gives a class another name."""
    name, new = form.wanted("name"), form.wanted("new")
    done = site.rename(name, new)
    return Done(str(done), _class(new), {"do": "rename", "name": new, "new": name})


def merge(site: Site, form: Form) -> Done:
    """Puts the pages of another class into this one."""
    name = form.wanted("name")
    return Done(str(site.merge(name, form.wanted("other"))), _class(name), _undo_edit(site))


def split(site: Site, form: Form) -> Done:
    """Cuts a class where its pages are least alike."""
    done = site.split(form.wanted("name"))
    return Done(f"split into {done.name} and {done.new}", "classes", _undo_edit(site))


def undo_edit(site: Site, form: Form) -> Done:
    """Takes a merge or a split back."""
    number = form.wanted("number")
    if not number.isdigit():
        raise UsageError(f"{number} is no number of an edit")
    return Done(str(site.undo_edit(int(number))), "classes")


def _undo_edit(site: Site) -> dict[str, str]:
    return {"do": "undo-edit", "number": str(site.edits()[-1].number)}


def relearn(site: Site, form: Form) -> Done:
    """Reads the pages of a class as lists, or as one record each."""
    name, kind = form.wanted("name"), form.wanted("kind")
    if kind not in ("list", "detail", "auto"):
        raise UsageError(f"{kind} is no way to read pages: list, detail or auto")
    return Done(str(site.relearn(name, kind)), _class(name))  # type: ignore[arg-type]


def columns(site: Site, form: Form) -> Done:
    """Names, types and drops columns of a class; the records are built anew."""
    name = form.wanted("name")
    before = site.column_choice(name)
    drop, rename, types, select = column_fields(form)
    site.columns(name, drop=drop, rename=rename, types=types, select=select)
    undo = {"do": "columns-back", "name": name, "choice": json.dumps(before)}
    return Done(f"{name}: columns kept, records built anew", _class(name), undo)


def columns_back(site: Site, form: Form) -> Done:
    """The columns of a class as they were before a choice."""
    name = form.wanted("name")
    site.restore_columns(name, read_json(form.wanted("choice")))
    return Done(f"{name}: columns as they were", _class(name))


def column_fields(
    form: Form,
) -> tuple[list[str], dict[str, str], dict[str, str], dict[str, str]]:
    """What a form of columns says: those to drop, other names, other types, places that someone
    pointed at; what a column is called and has now stands beside it, so that only changes are said.
    """
    rename = {old: new for old, new in form.named("name.").items() if new != old}
    was = form.named("was.")
    types = {name: said for name, said in form.named("type.").items() if said != was.get(name)}
    select = form.named("select.")
    new = form.word("new")
    if new and form.word("selector"):  # a place that was just pointed at and named
        select[new] = form.word("selector")
        if form.word("type") not in ("", "text"):
            types[new] = form.word("type")
    return form.words("drop"), rename, types, select


def column_pairs(form: Form) -> list[tuple[str, str]]:
    """The same as the fields of another form."""
    drop, rename, types, select = column_fields(form)
    named = (("name", rename), ("type", types), ("select", select))
    return [
        *(("drop", column) for column in drop),
        *((f"{word}.{column}", said) for word, some in named for column, said in some.items()),
    ]


# alerts and rules


def ack(site: Site, form: Form) -> Done:
    """Says that alerts were dealt with."""
    numbers = [int(it) for it in form.words("alert") if it.isdigit()]
    if not numbers:
        raise UsageError("no alert was chosen")
    undo = {"do": "reopen", "alert": ",".join(map(str, numbers))}
    return Done(str(site.ack(*numbers)), "alerts", undo)


def reopen(site: Site, form: Form) -> Done:
    """Opens alerts again."""
    numbers = [int(it) for it in form.wanted("alert").split(",") if it.isdigit()]
    return Done(str(site.reopen(*numbers)), "alerts")


def mute(site: Site, form: Form) -> Done:
    """Lets a rule tell nobody."""
    name = form.wanted("rule")
    return Done(str(site.mute(name)), "alerts", {"do": "unmute", "rule": name})


def unmute(site: Site, form: Form) -> Done:
    """Lets a rule tell again."""
    name = form.wanted("rule")
    return Done(str(site.unmute(name)), "alerts", {"do": "mute", "rule": name})


def remove_rule(site: Site, form: Form) -> Done:
    """Takes a rule away."""
    return Done(str(site.remove(form.wanted("rule"))), "alerts")


def test_channels(site: Site, form: Form) -> Done:
    """Sends a message through every channel of a rule."""
    done = site.test_rule_channels(form.wanted("rule"))
    return Done("; ".join(map(str, done)), "alerts")


def subscribe(site: Site, form: Form) -> Done:
    """Keeps a rule."""
    words = {
        field: form.word(field)
        for field in ("records", "page", "select", "drift", "when", "digest")
        if form.word(field)
    }
    channels = form.words("channel") or ["terminal"]
    done = site.subscribe(form.wanted("name"), channels=channels, **words)  # type: ignore[arg-type]
    return Done(str(done), "alerts", {"do": "remove-rule", "rule": form.wanted("name")})


# the inbox


def inbox_done(site: Site, form: Form) -> Done:
    """Says that changes have been dealt with."""
    one = form.word("one")
    ids = [one] if one else form.words("id")
    if form.word("all"):
        ids = form.words("shown")
    if not ids:
        raise UsageError("no change was chosen")
    return Done(str(site.inbox_done(*ids)), "inbox", {"do": "inbox-reopen", "ids": ",".join(ids)})


def inbox_reopen(site: Site, form: Form) -> Done:
    """Puts changes back into the inbox."""
    return Done(str(site.inbox_reopen(*form.wanted("ids").split(","))), "inbox")


def keep_noise(site: Site, form: Form) -> Done:
    """Hides changes that are noise."""
    noise = _noise(form)
    return Done(str(site.keep_noise(noise)), "inbox", {"do": "drop-noise", **to_words(noise)})


def drop_noise(site: Site, form: Form) -> Done:
    """Shows changes again that were called noise."""
    noise = _noise(form)
    return Done(str(site.drop_noise(noise)), "inbox", {"do": "keep-noise", **to_words(noise)})


def _noise(form: Form) -> NoiseSection:
    like = form.word("like")
    if like not in ("", "numbers"):
        raise UsageError(f"{like} is no kind of noise")
    return NoiseSection(
        records=form.wanted("records"),
        column=form.wanted("column"),
        key=form.word("key"),
        like=like,  # type: ignore[arg-type]
    )


def to_words(noise: NoiseSection) -> dict[str, str]:
    """A noise as the fields of a form."""
    fields = ("records", "column", "key", "like")
    return {name: getattr(noise, name) for name in fields}


# repair


def repair(site: Site, form: Form) -> Done:
    """Takes a repaired wrapper into use."""
    name = form.wanted("name")
    wanted = form.words("column")
    done = site.repair(name, accept=True, columns=wanted, select=form.named("select."))
    return Done(str(done).splitlines()[0], _class(name))


ACTIONS: dict[str, Callable[[Site, Form], Done]] = {
    "accept": accept,
    "reject": reject,
    "rename": rename,
    "merge": merge,
    "split": split,
    "undo-edit": undo_edit,
    "relearn": relearn,
    "columns": columns,
    "columns-back": columns_back,
    "ack": ack,
    "reopen": reopen,
    "mute": mute,
    "unmute": unmute,
    "remove-rule": remove_rule,
    "test-channels": test_channels,
    "subscribe": subscribe,
    "inbox-done": inbox_done,
    "inbox-reopen": inbox_reopen,
    "keep-noise": keep_noise,
    "drop-noise": drop_noise,
    "repair": repair,
}
"""Every change, by its name in the address."""


def read_json(text: str) -> dict[str, Any]:
    """An object of JSON."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageError("a field of the form is broken") from error
    if not isinstance(found, dict):
        raise UsageError("a field of the form is broken")
    return found


def _class(name: str) -> str:
    return f"classes/{quote(name, safe='')}"
