"""Writes docs/reference/cli.md from `--help` and docs/reference/python.md from the docstrings;
`--check` says whether they have drifted.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import sys
import typing
from collections.abc import Iterator
from pathlib import Path

import click

import treelace
from treelace.cli import program

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
WIDTH = 110
MADE = "<!-- Made by `make docs` from the sources; edit those. -->"


def help_pages(
    command: click.Command, path: list[str], parent: click.Context | None = None
) -> Iterator[tuple[str, str]]:
    """Name and help of a command and of all below it, in the order the program lists them."""
    context = click.Context(
        command, info_name=path[-1], parent=parent, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield " ".join(path), command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from help_pages(below, [*path, name], context)


def cli_page() -> str:
    """The reference of the command line."""
    parts = ["# The command line", MADE]
    for name, text in help_pages(program, ["treelace"]):
        parts += [f"## `{name}`", f"```text\n{text}\n```"]
    return "\n\n".join(parts) + "\n"


def written(annotation: object) -> str:
    """An annotation as it stands in the source."""
    if isinstance(annotation, typing.ForwardRef):
        return annotation.__forward_arg__
    return (
        annotation
        if isinstance(annotation, str)
        else getattr(annotation, "__name__", str(annotation))
    )


def short(value: object) -> str:
    """A default as a person would write it: `Limits()`, not all its fields."""
    is_plain = (
        dataclasses.is_dataclass(value) and not isinstance(value, type) and value == type(value)()
    )
    return f"{type(value).__name__}()" if is_plain else repr(value)


def signature(name: str, thing: object) -> str:
    """How a thing is called, as one line; errors, enumerations and plain values are not called, and
    show their name alone.
    """
    if not callable(thing) or (
        isinstance(thing, type) and issubclass(thing, (BaseException, enum.Enum))
    ):
        return name
    try:
        call = inspect.signature(thing)
    except ValueError:  # a class that leaves its making to a built-in one
        return name
    parts: list[str] = []
    star = False
    for argument in call.parameters.values():
        if argument.name in {"self", "cls"}:
            continue
        if argument.kind is argument.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or argument.kind in {argument.KEYWORD_ONLY, argument.VAR_POSITIONAL}
        prefix = (
            "*"
            if argument.kind is argument.VAR_POSITIONAL
            else "**"
            if argument.kind is argument.VAR_KEYWORD
            else ""
        )
        hint = "" if argument.annotation is argument.empty else f": {written(argument.annotation)}"
        default = "" if argument.default is argument.empty else f" = {short(argument.default)}"
        parts.append(f"{prefix}{argument.name}{hint}{default}")
    answer = (
        ""
        if isinstance(thing, type) or call.return_annotation is call.empty
        else f" -> {written(call.return_annotation)}"
    )
    return f"{name}({', '.join(parts)}){answer}"


def member_lines(owner: type) -> Iterator[str]:
    """One line for each documented public attribute that a class defines itself, or has from bases
    of its own package: its call, and its docstring's first paragraph.
    """
    if issubclass(owner, enum.Enum):
        yield from (f"- `{member.name}`" for member in owner)
    room = owner.__module__.split(".")[:2]
    bases = [base for base in owner.__mro__ if base.__module__.split(".")[:2] == room]
    shared = bases if room == ["treelace", "site"] else [owner]
    found = {name: raw for base in reversed(shared) for name, raw in vars(base).items()}
    for name, raw in found.items():
        thing = raw.__func__ if isinstance(raw, (classmethod, staticmethod)) else raw
        text = (
            inspect.getdoc(thing)
            if inspect.isfunction(thing) or isinstance(thing, property)
            else None
        )
        if name.startswith("_") or not text:
            continue
        call = name if isinstance(thing, property) else signature(name, thing)
        first = " ".join(text.split("\n\n")[0].split())
        yield f"- `{call}`: {first}"


def python_page() -> str:
    """The reference of the Python interface: what `import treelace` offers, in alphabetical
    order.
    """
    parts = [
        "# The Python interface",
        MADE,
        "What `import treelace` offers. Options are keywords; results are frozen and print well.",
    ]
    for name in sorted(treelace.__all__, key=str.casefold):
        thing = getattr(treelace, name)
        parts.append(f"## `{name}`")
        call = signature(name, thing)
        if call != name:
            parts.append(f"```text\n{call}\n```")
        text = inspect.getdoc(thing)
        if text:
            parts.append(fenced_examples(text))
        if inspect.isclass(thing):
            members = "\n".join(member_lines(thing))
            parts += [members] if members else []
    return "\n\n".join(parts) + "\n"


def fenced_examples(text: str) -> str:
    """A docstring with its examples in code fences, so that a page shows them as they are."""
    blocks = [
        f"```pycon\n{block}\n```" if block.startswith(">>>") else indented_as_text(block)
        for block in text.split("\n\n")
    ]
    return "\n\n".join(blocks)


def indented_as_text(block: str) -> str:
    """A formula or drawing, indented in the docstring, goes into a fence too."""
    return f"```text\n{block}\n```" if block.startswith("    ") else block


def main(arguments: list[str]) -> int:
    """Writes the pages, or with `--check` names those that are not what the sources say."""
    drifted = []
    for path, text in {
        REFERENCE / "cli.md": cli_page(),
        REFERENCE / "python.md": python_page(),
    }.items():
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            drifted.append(path.name)
    if drifted:
        print(f"docs/reference: {', '.join(drifted)} no longer say what the sources say: make docs")
    return 1 if drifted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
