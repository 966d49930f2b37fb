"""Settings with what they mean, for people: the words are those beside each field in `settings`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from treelace.store import settings as site_settings
from treelace.store.settings import Settings

SECRETS = ("crawl.headers", "crawl.cookies", "crawl.proxy", "crawl.login", "store.url")
"""Settings that may hold secrets: whether they are set is shown, never what they say."""


@dataclass(frozen=True, slots=True)
class SettingLine:
    """A setting: what it is now, whether someone chose it, and what it means."""

    name: str
    value: str
    is_set: bool
    meaning: str


def explained(settings: Settings) -> list[SettingLine]:
    """Every setting of a site, those of a list or a table one by one."""
    return list(_lines(settings))


def _lines(settings: Settings) -> Iterator[SettingLine]:
    for section in msgspec.structs.fields(Settings):
        said = getattr(settings, section.name)
        parts = (
            {f"{section.encode_name}.{name}": it for name, it in said.items()}
            if isinstance(said, dict)
            else {f"{section.encode_name}[{number}]": it for number, it in enumerate(said, start=1)}
            if isinstance(said, list)
            else {section.encode_name: said}
        )
        for name, part in parts.items():
            yield from _of_section(name, part)


def _of_section(name: str, section: Any) -> Iterator[SettingLine]:
    words = _words()[type(section).__name__]
    for field in msgspec.structs.fields(type(section)):
        value = getattr(section, field.name)
        default = field.default if field.default is not msgspec.NODEFAULT else None
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        is_set = value != default
        full = f"{name}.{field.encode_name}"
        shown = "(set)" if full in SECRETS and is_set else _shown(value)
        yield SettingLine(full, shown, is_set, words.get(field.name, ""))


def _shown(value: object) -> str:
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}: {it}" for name, it in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


@cache
def _words() -> dict[str, dict[str, str]]:
    """What stands below each field of each section."""
    found: dict[str, dict[str, str]] = {}
    for made in ast.parse(inspect.getsource(site_settings)).body:
        if not isinstance(made, ast.ClassDef):
            continue
        own = found.setdefault(made.name, {})
        for line, below in zip(made.body, made.body[1:], strict=False):
            if (
                isinstance(line, ast.AnnAssign)
                and isinstance(line.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
            ):
                own[line.target.id] = " ".join(str(below.value.value).split())
    return found
