"""Wrapper: what turns a page of a class into tables, as one readable file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

from treelace import _kernel
from treelace.errors import UsageError, WrapperError
from treelace.extract import Table
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import Tree
from treelace.wrappers.apply.health import Health
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.model import json_file
from treelace.wrappers.model.form import ClassForm, RegionForm, WrapperForm
from treelace.wrappers.model.json_file import check_form
from treelace.wrappers.model.page_class import (
    decoded_sketch,
    learn_class,
    sketch_of,
    sketch_similarity,
)
from treelace.wrappers.repair.verdict import ColumnRepair

SHOWN_COLUMNS = 6
"""Names of columns in a wrapper's one line."""


@dataclass(frozen=True)
class Wrapper:
    """What turns a page of a class into tables: learnt from pages, applied to others, checked,
    repaired; kept as readable JSON.

    `form` is the file's content: a sketch of the page class, and for each table anchors, the
    pattern that records are laid along, columns with their types, what to expect, and a few rows as
    evidence. Two wrappers are equal if their files are.

    >>> from treelace import parse
    >>> page = parse("<ul><li><b>tea</b> <i>3</i><li><b>milk</b> <i>2</i><li><b>jam</b> <i>4</i>")
    >>> wrapper = Wrapper.learn([page])
    >>> wrapper
    <Wrapper: records with 2 columns (title, number)>
    >>> wrapper.apply(parse("<ul><li><b>salt</b> <i>1</i><li><b>rice</b> <i>5</i></ul>"))[0].rows
    [['salt', '1'], ['rice', '5']]
    """

    form: WrapperForm

    # learning

    @classmethod
    def learn(
        cls,
        pages: Sequence[Tree],
        *,
        examples: Mapping[str, str] | None = None,
        columns: Mapping[str, str] | None = None,
        kind: Literal["auto", "list", "detail"] = "auto",
        urls: Sequence[str] = (),
        members: Sequence[str] = (),
        all_columns: bool = True,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Wrapper:
        """A wrapper from pages of one class.

        One page is read as a list, several as detail pages (each one record) unless most of them
        show the same list; `kind` says it instead. `examples` are values of the first page by the
        name their column shall have; `columns` are selectors (`css:…`, `xpath:…`) by name. `urls`,
        the addresses of the pages, and `members`, those of all pages of the class, help to tell a
        list from a strip of related pages. Without `all_columns` detail pages have the columns that
        a person would have made: running text and lists of values are one each, copies, counters
        and strips are left out.
        """
        from treelace.wrappers.learn.induction import learn

        return cls(
            learn(
                pages,
                examples=dict(examples or {}),
                columns=dict(columns or {}),
                kind=kind,
                urls=urls,
                members=members,
                all_columns=all_columns,
                limits=limits,
            )
        )

    # applying

    def apply(
        self,
        page: Tree,
        *,
        force: bool = False,
        url: str = "",
        language: str = "",
        limits: Limits = DEFAULT_LIMITS,
    ) -> list[Table]:
        """The tables of a page; `WrapperError` if it is of another class and not `force`. Dates and
        numbers are read in `language`, else in the one that the page says.

        Nothing is mined again: records are found by their anchors and laid along the pattern. The
        first table is always there.
        """
        needed = self.page_class.threshold
        if not force and (alike := self.similarity(page)) < needed:
            raise WrapperError(
                f"the page is of another class: {alike:.2f} alike, {needed:.2f} needed; apply it"
                " all the same with force"
            )
        read = Page(page, url, language=language, limits=limits)
        tables: list[Table] = []
        node_of_row: dict[int, int] = {}
        for reader in self.readers:
            table, nodes = reader.read(read, node_of_row)
            node_of_row = nodes or node_of_row
            tables.append(table)
        # an empty table stands where others follow, so that each has its place
        while len(tables) > 1 and not tables[-1].cells:
            tables.pop()
        if not force and not any(table.cells for table in tables):
            raise WrapperError(
                "the page is of another class: no record of the wrapper is on it; apply it all the"
                " same with force"
            )
        return tables

    def similarity(self, page: Tree) -> float:
        """How alike a page is to the wrapper's class, from 0 to 1."""
        return sketch_similarity(self.sketch, sketch_of(page))

    @cached_property
    def sketch(self) -> _kernel.Features:
        """The sketch of the page class."""
        return decoded_sketch(self.page_class)

    @cached_property
    def readers(self) -> list[RegionReader]:
        """The regions, made ready."""
        return [RegionReader(region) for region in self.form.regions]

    @property
    def regions(self) -> tuple[RegionForm, ...]:
        """The tables that the wrapper gives, as the file has them."""
        return self.form.regions

    @property
    def page_class(self) -> ClassForm:
        """The sketch of the page class, and how alike a page must be."""
        return self.form.page_class

    def check(self, pages: Sequence[Tree], *, limits: Limits = DEFAULT_LIMITS) -> Health:
        """Whether it still finds on pages what it found when it was learnt."""
        from treelace.wrappers.apply.health import check_health

        return check_health(partial(self.apply, limits=limits), self.regions[0], pages)

    def repair(
        self,
        old: Tree | Sequence[Tree] | None,
        new: Tree | Sequence[Tree],
        *,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Repair:
        """The wrapper after a redesign, from the old page or without one (None) by its evidence.

        Of detail pages several may be given, in the same order, and the more the better: one page
        does not have every field. Each column is proved by votes of the `lace` matcher, fill,
        shapes, types and reappearing texts, and by reading the new pages again with the new
        wrapper; one that cannot be proved is left out and named with the reason.
        """
        from treelace.wrappers.repair.repair import repair_regions

        news = [new] if isinstance(new, Tree) else list(new)
        olds = None if old is None else [old] if isinstance(old, Tree) else list(old)
        if not news or (olds is not None and len(olds) != len(news)):
            raise UsageError(
                f"a repair takes each page as it was and as it is: {len(olds or [])} old and"
                f" {len(news)} new pages were given"
            )
        found = repair_regions(self.regions, olds, news, limits=limits)
        wrapper = None
        if found.regions:
            wrapper = Wrapper(WrapperForm("wrapper", 1, learn_class(news), found.regions))
        return Repair(
            wrapper,
            tuple(found.columns),
            found.old_records,
            len(found.table.cells) if found.table is not None else 0,
            found.table,
            found.origins,
        )

    # the file

    def to_json(self) -> str:
        """The file's text."""
        return json_file.write(self.form)

    @classmethod
    def from_json(cls, text: str) -> Wrapper:
        """The wrapper of a file's text; a `WrapperError` names the line and what it expected."""
        form = json_file.read(text)
        check_form(form, text)
        return cls(form)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Wrapper:
        """Reads a file; errors name it."""
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise WrapperError(f"{path}: not a wrapper: expected UTF-8 ({error})") from error
        except WrapperError as error:
            raise WrapperError(f"{path}: {error}") from error

    def __repr__(self) -> str:
        first = self.form.regions[0]
        names = [column.name for column in first.columns]
        shown = ", ".join(names[:SHOWN_COLUMNS]) + (", …" if len(names) > SHOWN_COLUMNS else "")
        more = f", {len(self.form.regions) - 1} tables inside" if len(self.form.regions) > 1 else ""
        what = "one record a page" if first.kind == "page" else first.name
        return (
            f"<Wrapper: {what} with {len(names)} column{'s' * (len(names) != 1)} ({shown}){more}>"
        )


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of a repair: the new wrapper (None if not proved), and reasons per column."""

    wrapper: Wrapper | None
    columns: tuple[ColumnRepair, ...]
    old_records: int
    new_records: int
    table: Table | None = None
    """The new page's records by the repair: surer than by the new wrapper alone."""
    origins: tuple[int | None, ...] = ()
    """For each record of the table the number of the old record it was; None for a new one."""

    @property
    def restored(self) -> tuple[str, ...]:
        """Names of the columns that were taken over."""
        return tuple(column.name for column in self.columns if column.is_restored)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Names of the columns that could not be proved."""
        return tuple(column.name for column in self.columns if not column.is_restored)

    def __str__(self) -> str:
        head = (
            f"{len(self.restored)} of {len(self.columns)} columns restored; {self.old_records}"
            f" records before, {self.new_records} now"
        )
        return "\n".join([head, *(f"- {column}" for column in self.columns)])
