"""Wrapper: what turns a page of a class into tables, as one readable file."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from treelace import _kernel
from treelace.errors import DamagedError, UsageError, WrapperError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.wrappers.apply.region_reader import Page, Reader
from treelace.wrappers.model import form as forms
from treelace.wrappers.model.validation import wrong_in

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from treelace.extract import Table
    from treelace.tree import Tree
    from treelace.wrappers.apply.health import Health
    from treelace.wrappers.model.form import RegionForm, WrapperForm
    from treelace.wrappers.repair.verdict import Repair

SLOTS = 224
"""Numbers in the sketch of a page class."""

SURE = 0.5
"""A page may be this share as alike to the class as the pages it was learnt from are to each
other.
"""

LONE = 0.35
"""How alike a page must be to the only page a wrapper was learnt from."""


@dataclass(frozen=True)
class Wrapper:
    """What turns a page of a class into tables: learnt from pages, applied to others, checked,
    repaired; kept as readable JSON.

    `form` is the file's content: a sketch of the page class, and for each table anchors, the
    pattern that records are laid along, columns with their types, what to expect, and a few rows as
    evidence. Two wrappers are equal if their files are.

    >>> from treelace import parse
    >>> page = parse("<ul><li><b>tea</b> <i>3</i><li><b>milk</b> <i>2</i><li><b>jam</b> <i>4</i></ul>")
    >>> wrapper = Wrapper.learn([page])
    >>> wrapper
    <Wrapper: records with 2 columns (text, number)>
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
        limits: Limits = DEFAULT_LIMITS,
    ) -> Wrapper:
        """A wrapper from pages of one class.

        One page is read as a list, several as detail pages (each one record) unless all show the
        same strong list; `kind` says it instead. `examples` are values of the first page by the
        name their column shall have; `columns` are selectors (`css:…`, `xpath:…`) by name.
        """
        from treelace.wrappers.learn.induction import learn

        return cls(
            learn(
                pages,
                examples=dict(examples or {}),
                columns=dict(columns or {}),
                kind=kind,
                limits=limits,
            )
        )

    # applying

    def apply(
        self, page: Tree, *, force: bool = False, url: str = "", limits: Limits = DEFAULT_LIMITS
    ) -> list[Table]:
        """The tables of a page by this wrapper; a `WrapperError` if the page is of another class
        and not `force`.

        Nothing is mined again: records are found by their anchors and laid along the pattern. The
        first table is always there.
        """
        alike = self.similarity(page)
        if alike < self.page_class.threshold and not force:
            raise WrapperError(
                f"the page is of another class: {alike:.2f} alike,"
                f" {self.page_class.threshold:.2f} needed; apply it all the same with force"
            )
        read = Page(page, url)
        tables: list[Table] = []
        around: dict[int, int] = {}
        for reader in self.readers:
            table, nodes = reader.table(read, around, limits=limits)
            around = nodes or around
            if table.cells or not tables:
                tables.append(table)
        if not force and not any(table.cells for table in tables):
            raise WrapperError(
                "the page is of another class: no record of the wrapper is on it; apply it all the"
                " same with force"
            )
        return tables

    def similarity(self, page: Tree) -> float:
        """How alike a page is to the wrapper's class, from 0 to 1."""
        return _kernel.compare(self.sketch, _sketch(page), "family-sketch", DEFAULT_LIMITS)

    @cached_property
    def sketch(self) -> _kernel.Features:
        """The sketch of the page class."""
        try:
            return _kernel.Features.from_bytes(
                base64.b64decode(self.page_class.sketch, validate=True)
            )
        except (DamagedError, ValueError, binascii.Error) as error:
            raise WrapperError(
                f"wrapper, $.page_class.sketch: expected the sketch that treelace wrote ({error})"
            ) from error

    @cached_property
    def readers(self) -> list[Reader]:
        """The regions, made ready."""
        return [Reader(region) for region in self.form.regions]

    @property
    def regions(self) -> tuple[RegionForm, ...]:
        """The tables that the wrapper gives, as the file has them."""
        return self.form.regions

    @property
    def page_class(self) -> forms.ClassForm:
        """The sketch of the page class, and how alike a page must be."""
        return self.form.page_class

    def check(self, pages: Sequence[Tree], *, limits: Limits = DEFAULT_LIMITS) -> Health:
        """Whether it still finds on pages what it found when it was learnt."""
        from treelace.wrappers.apply.health import check

        return check(self, pages, limits=limits)

    def repair(
        self,
        old: Tree | Sequence[Tree] | None,
        new: Tree | Sequence[Tree],
        *,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Repair:
        """The wrapper re-attached to a page after a redesign, from the page as it was; without one
        (None) from the evidence rows alone.

        Of detail pages several may be given, in the same order, and the more the better: one page
        does not have every field. Each column is proved by votes of the `lace` matcher, fill,
        shapes, types and reappearing texts, and by reading the new pages again with the new
        wrapper; one that cannot be proved is left out and named with the reason.
        """
        from treelace.tree import Tree
        from treelace.wrappers.repair.lists import repair

        news = [new] if isinstance(new, Tree) else list(new)
        olds = None if old is None else [old] if isinstance(old, Tree) else list(old)
        if not news or (olds is not None and len(olds) != len(news)):
            raise UsageError(
                f"a repair takes each page as it was and as it is: {len(olds or [])} old and"
                f" {len(news)} new pages were given"
            )
        return repair(self, olds, news, limits=limits)

    # the file

    def to_json(self) -> str:
        """The file's text."""
        return forms.write(self.form)

    @classmethod
    def from_json(cls, text: str) -> Wrapper:
        """The wrapper of a file's text; a `WrapperError` names the line and what was expected
        there.
        """
        wrapper = cls(forms.read(text))
        wrapper._check(text)
        return wrapper

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

    def _check(self, text: str) -> None:
        """What the schema cannot say: rows that make a tree, columns that are there, selectors that
        can be read, a sketch that is one.
        """

        def bad(path: str, what: str) -> WrapperError:
            return WrapperError(f"wrapper, line {forms.line_of(text, path)}, {path}: {what}")

        if not self.form.regions:
            raise bad("$.regions", "expected at least one region")
        for number, region in enumerate(self.form.regions):
            for path, what in wrong_in(region, self.form.regions[0]):
                raise bad(f"$.regions[{number}]{path}", what)
        try:
            self.sketch  # noqa: B018
        except WrapperError as error:
            raise bad("$.page_class.sketch", "expected the sketch that treelace wrote") from error

    def __repr__(self) -> str:
        first = self.form.regions[0]
        names = [column.name for column in first.columns]
        shown = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
        more = f", {len(self.form.regions) - 1} tables inside" if len(self.form.regions) > 1 else ""
        what = "one record a page" if first.kind == "page" else first.name
        return (
            f"<Wrapper: {what} with {len(names)} column{'s' * (len(names) != 1)} ({shown}){more}>"
        )


def _sketch(page: Tree) -> _kernel.Features:
    return _kernel.structure_features(page.kernel, SLOTS, 0, DEFAULT_LIMITS)


def class_of(pages: Sequence[Tree]) -> forms.ClassForm:
    """The class of pages: the sketch of the page that is most like the others, and how alike a page
    must be.
    """
    sketches = [_sketch(page) for page in pages]
    if len(sketches) == 1:
        best, threshold = 0, LONE
    else:
        alike = [
            [_kernel.compare(left, right, "family-sketch", DEFAULT_LIMITS) for right in sketches]
            for left in sketches
        ]
        best = max(range(len(pages)), key=lambda number: (sum(alike[number]), -number))
        threshold = max(0.2, SURE * min(alike[best]))
    return forms.ClassForm(
        base64.b64encode(sketches[best].to_bytes()).decode("ascii"), round(threshold, 3)
    )
