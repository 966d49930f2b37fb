"""What people say, as settings: what is noise, and which columns are wanted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from treelace.store.settings import ColumnsSection, NoiseSection, toml_string


def with_noise(text: str, sections: Sequence[NoiseSection]) -> str:
    """The text of the settings with these `[[noise]]` sections and no others.

    >>> print(with_noise("[site]\\nurl = 'x'\\n", [NoiseSection(records="tea", column="n")]))
    [site]
    url = 'x'
    <BLANKLINE>
    [[noise]]
    records = "tea"
    column = "n"
    <BLANKLINE>
    """
    kept, is_inside = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("["):
            is_inside = re.sub(r"\s|#.*", "", line) == "[[noise]]"
        if not is_inside:
            kept.append(line)
    blocks = ["\n".join(kept).rstrip()]
    for section in sections:
        said = {name: it for name, it in msgspec.to_builtins(section).items() if it}
        lines = [f"{name} = {toml_string(it)}" for name, it in said.items()]
        blocks.append("\n".join(["[[noise]]", *lines]))
    return "\n\n".join(blocks) + "\n"


def chosen_columns(
    old: ColumnsSection,
    only: Sequence[str],
    drop: Sequence[str],
    rename: Mapping[str, str],
    types: Mapping[str, str],
    select: Mapping[str, str],
) -> ColumnsSection:
    """A choice of columns with what is said now added; a column goes by its first name or by the
    one it was given.

    >>> old = ColumnsSection(rename={"h2": "title"}, type={"title": "text"})
    >>> chosen_columns(old, (), (), {"title": "name"}, {}, {}).rename
    {'h2': 'name'}
    """
    first = {new: name for name, new in old.rename.items()}
    return ColumnsSection(
        only=list(only) or old.only,
        drop=[column for column in dict.fromkeys([*old.drop, *drop]) if column not in only],
        rename={**old.rename, **{first.get(name, name): new for name, new in rename.items()}},
        type={first.get(name, name): its for name, its in {**old.type, **types}.items()},
        select={**old.select, **{first.get(name, name): its for name, its in select.items()}},
    )
