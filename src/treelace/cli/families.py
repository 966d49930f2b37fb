"""An algorithm of a family, named and set up on the command line; and what there is to name."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import MISSING, Field, asdict, dataclass, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from treelace.cli.options import option, read_options
from treelace.named import pick

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treelace.cli.common import Output

F = TypeVar("F", bound="Callable[..., Any]")

NOT_WRITTEN = ("limits", "collection", "boxes")
"""Options that are objects: limits come from --limit, boxes from --boxes or --render."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A measure, matcher or extractor as the command line names it."""

    name: str
    options: dict[str, Any]


def option_option(what: str, example: str, name: str = "given") -> Callable[[F], F]:
    """`--option NAME=VALUE` for any option of `what`; the command is given them as read."""

    def read(context: click.Context, parameter: click.Parameter, given: Any) -> dict[str, Any]:
        options = read_options(given)
        for other in NOT_WRITTEN:
            if other in options:
                raise click.UsageError(
                    f"{other} is not written as an option; limits are set by --limit NAME=VALUE"
                )
        return options

    about = f"An option of the {what}, e.g. {example}; `treelace {what}s NAME` lists those of one."
    return option(f"--option NAME=VALUE as {name}", about, multiple=True, callback=read)


def algorithm_options(what: str, default: str, example: str) -> Callable[[F], F]:
    """`--measure NAME` (or matcher, extractor) and `--option NAME=VALUE`.

    The command is given both as one `Algorithm` called `what`.
    """

    def add(command: F) -> F:
        @wraps(command)
        def with_algorithm(*, given: dict[str, Any], **others: Any) -> Any:
            return command(**others | {what: Algorithm(others[what], given)})

        about = f"Which {what}; `treelace {what}s` lists them."
        choice = option(f"--{what} NAME", about, default=default)
        return cast("F", choice(option_option(what, example)(with_algorithm)))

    return add


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


def default_of(option: Field[Any]) -> object:
    """The value of an option that is not given."""
    return option.default if option.default_factory is MISSING else option.default_factory()


def _described(name: str, member: type) -> str:
    """What the docstring says before its example, and the options."""
    words = inspect.cleandoc(member.__doc__ or "").split("\n>>>", 1)[0].rstrip()
    options = [option for option in _options_of(member) if option.name not in NOT_WRITTEN]
    width = max((len(option.name) for option in options), default=0)
    lines = [f"  {option.name:{width}}  {as_written(default_of(option))}" for option in options]
    heading = ["", "Options and their defaults:", *lines] if lines else ["", "No options."]
    return "\n".join([name, "", words, *heading]) + "\n"


def as_written(default: object) -> str:
    """A default as it would be written on the command line."""
    if isinstance(default, tuple):
        return ",".join(map(str, default)) or "none"
    if default is None or isinstance(default, bool):
        return str(default).lower()
    if is_dataclass(default) and not isinstance(default, type):
        return json.dumps(asdict(default))
    return str(default) or '""'
