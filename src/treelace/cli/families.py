"""What there is of a family of algorithms, for people and programs."""

from __future__ import annotations

import inspect
import json
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from treelace.named import pick

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.cli.common import Output


def write_family(
    family: Mapping[str, type],
    default: str,
    form: str,
    output: Output,
    *,
    what: str,
    name: str | None = None,
) -> None:
    """The members of a family of algorithms as text, the default marked with a star, or as JSON
    with the names of their options.

    With a `name`, all that there is to say about that one: its definition and its options with
    their defaults.
    """
    chosen = {name: pick(what, family, name)} if name is not None else family
    about = {
        each: (member.__doc__ or "").strip().split("\n", 1)[0] for each, member in chosen.items()
    }
    if form == "json":
        rows = [
            {
                "name": each,
                "is_default": each == default,
                "about": about[each],
                "options": [option.name for option in _options_of(member)],
            }
            for each, member in chosen.items()
        ]
        output.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    elif name is not None:
        output.write(_described(name, chosen[name]))
    else:
        width = max(map(len, family))
        output.write(
            "".join(
                f"{'*' if each == default else ' '} {each:{width}}  {about[each]}\n"
                for each in chosen
            )
        )


def _options_of(member: type) -> Sequence[Field[Any]]:
    return fields(member) if is_dataclass(member) else ()


def _default_of(option: Field[Any]) -> object:
    return option.default if option.default_factory is MISSING else option.default_factory()


def _described(name: str, member: type) -> str:
    """What the docstring says before its example, and the options."""
    words = inspect.cleandoc(member.__doc__ or "").split("\n>>>", 1)[0].rstrip()
    options = [option for option in _options_of(member) if option.name != "limits"]
    width = max((len(option.name) for option in options), default=0)
    lines = [f"  {option.name:{width}}  {_as_written(_default_of(option))}" for option in options]
    heading = ["", "Options and their defaults:", *lines] if lines else ["", "No options."]
    return "\n".join([name, "", words, *heading]) + "\n"


def _as_written(default: object) -> str:
    """A default as it would be written on the command line."""
    if isinstance(default, tuple):
        return ",".join(map(str, default)) or "none"
    return (
        str(default).lower()
        if default is None or isinstance(default, bool)
        else str(default) or '""'
    )
