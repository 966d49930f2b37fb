"""Applying a region: records of a page laid along the pattern, and cells from the leaves that have a column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from treelace import _kernel
from treelace.errors import UsageError, WrapperError
from treelace.extract import Cell, Column, Item, Table
from treelace.tree import compile_css, compile_xpath
from treelace.wrappers.anchors import holder_name, leaf_in
from treelace.wrappers.details import inner_records, tops_of
from treelace.wrappers.paths import path_of
from treelace.wrappers.slots import NO_ROW
from treelace.wrappers.strays import with_strays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.limits import Limits
    from treelace.tree import Node, Tree
    from treelace.tree.select import Css, XPath
    from treelace.wrappers.form import ColumnForm, RegionForm

_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code dfn em font i ins del kbd label mark nobr q s samp small span strike strong sub sup tt u var wbr "
    "time data output".split()
)


LATER = 0.9
"""A record of several siblings may begin before the last one has its full length if it fits so well, as a share of the best."""


@dataclass(frozen=True)
class Reader:
    """A region made ready: its pattern in the kernel, its selectors compiled, the column of each row."""

    form: RegionForm

    @cached_property
    def pattern(self) -> _kernel.Pattern:
        """The pattern as the kernel has it."""
        rows = [(row.depth, row.tag, list(row.keys), row.wrap, row.text, row.seen, row.fixed, list(row.shapes)) for row in self.form.pattern]
        return _kernel.Pattern(rows, self.form.pages)

    @cached_property
    def column_of_row(self) -> list[int]:
        """Column number of each row, or -1. An element that has one reads as one text: all leaves in it belong to it."""
        numbers = {column.name: number for number, column in enumerate(self.form.columns)}
        return [numbers.get(row.column, -1) for row in self.form.pattern]

    @cached_property
    def selectors(self) -> dict[int, Css | XPath]:
        """Selectors written by hand, by column number."""
        return {number: compiled(column.select) for number, column in enumerate(self.form.columns) if column.select}

    @cached_property
    def anchors(self) -> list[Css | XPath]:
        """Where records may be, compiled."""
        return [compiled(anchor) for anchor in self.form.anchors]

    # reading

    def table(self, page: Page, around: dict[int, int] | None, *, limits: Limits) -> tuple[Table, dict[int, int]]:
        """The table of a page, and the node of each row where the page is one record; `around` is that of the region around this one."""
        records = self.records(page, around, limits=limits)
        aligned = self.pattern.align(page.tree._core, records, limits) if self.form.pattern else []
        rows, kept, nodes_of = [], [], dict[int, int]()
        for number, roots in enumerate(records):
            parts: list[list[int]] = [[] for _ in self.form.columns]
            if aligned:
                nodes, numbers, filled, _ = aligned[number]
                held = list(zip(nodes.tolist(), numbers.tolist(), strict=True))
                if self.form.kind == "list" and filled < self.form.fit:
                    continue
                if self.form.kind == "page":
                    nodes_of = {row: node for node, row in held if row != NO_ROW}
                known = self._by_path(page, roots, held) if self.column_of_path else {}
                self._sort(page, [(node, row) for node, row in held if node not in known] if known else held, parts)
                for node, column in known.items():
                    if column >= 0:
                        parts[column] = sorted([*parts[column], node])
                if self.form.kind == "page":
                    self._search(page, held, parts, limits=limits)
                elif self.column_of_holder:
                    self._by_holder(page, [(node, row) for node, row in held if node not in known], parts)
            cells = [page.cell(part) if part and self._says_something(page, part, number) else None for number, part in enumerate(parts)]
            for column, selector in self.selectors.items():
                cells[column] = page.selected(selector, roots, limits=limits)
            if any(cells) or self.form.kind == "page":
                rows.append(tuple(cells))
                kept.append(tuple(page.tree[root] for root in roots))
        columns = tuple(Column(column.name, column.type) for column in self.form.columns)
        body = page.typed(rows, self.form.columns)
        return Table(columns, body, self.form.name, self.form.confidence, tuple(kept)), nodes_of

    def records(self, page: Page, around: dict[int, int] | None, *, limits: Limits) -> list[list[int]]:
        """The top nodes of each record."""
        form = self.form
        if form.kind == "page":
            return [tops_of(page.tree)]
        if form.kind == "inner":
            parent = (around or {}).get(form.parent)
            return [] if parent is None else [[root] for root in inner_records(page.tree, parent, form.like)]
        for anchor in self.anchors:
            heads = _indexes(page.tree, anchor, limits=limits)
            if not heads:
                continue
            records = grouped(page.tree, heads) if len(form.tops) <= 1 else self._siblings(page, heads, limits=limits)
            if not form.pattern or any(fit >= form.fit for fit in self.fits(page, records[:200], limits=limits)):
                return with_strays(page.tree, records, form.strays, partial(self.fits, page, limits=limits)) if form.strays else records
        return []

    def fits(self, page: Page, records: list[list[int]], *, limits: Limits) -> list[float]:
        """The share of the pattern's usual rows that each record has."""
        return [filled for _, _, filled, _ in self.pattern.align(page.core, records, limits)]

    def _siblings(self, page: Page, heads: Sequence[int], *, limits: Limits) -> list[list[int]]:
        """Records of several siblings: of all places where one could begin those that fit best, each up to the next."""
        core, tops = page.core, self.form.tops
        before = next((number for number, tag in enumerate(tops) if tag != "#text"), 0)
        rows: dict[int, list[int]] = {}
        for head in heads:
            parent = core.parent(head) or 0
            if parent not in rows:
                rows[parent] = [child for child in core.children(parent) if core.kind(child) == 1 or core.text(child).strip()]
        known, records = set(heads), list[list[int]]()
        for row in rows.values():
            starts = [max(0, at - before) for at, node in enumerate(row) if node in known]
            fits = [filled for _, _, filled, _ in self.pattern.align(core, [row[at : at + len(tops)] for at in starts], limits)]
            chosen: list[int] = []
            for number, at in enumerate(starts):
                rivals = [fits[other] for other in range(number + 1, len(starts)) if starts[other] < at + len(tops)]
                if fits[number] >= self.form.fit and fits[number] >= max(rivals, default=0.0) and (not chosen or at > chosen[-1]):
                    if chosen and at < chosen[-1] + len(tops) and fits[number] < LATER * max(fits):
                        continue
                    chosen.append(at)
            ends = [*chosen[1:], len(row)][: len(chosen)]
            records += [row[at : min(end, at + len(tops))] for at, end in zip(chosen, ends, strict=True)]
        return records

    def _sort(self, page: Page, held: list[tuple[int, int]], parts: list[list[int]]) -> None:
        """Puts the leaves of a record into their columns; a leaf without a row goes where all others of its element are."""
        of_row = self.column_of_row
        if self.form.runs:
            held = self._counted_off(held)
        owners: dict[int, int] = {}
        rows = self.form.pattern
        for node, row in held:
            if row != NO_ROW:
                column = of_row[row]
                if rows[row].tag in ("#text", "img"):
                    if column >= 0:
                        parts[column].append(node)
                elif column >= 0:
                    owners[node] = column
                else:
                    owners[node] = -1
            elif owners:
                above = page.core.parent(node)
                while above is not None and above not in owners:
                    above = page.core.parent(above)
                if above is not None and owners[above] >= 0 and page.core.kind(node) == 2:
                    parts[owners[above]].append(node)

    def _search(self, page: Page, held: list[tuple[int, int]], parts: list[list[int]], *, limits: Limits) -> None:
        """Looks for columns that the pattern did not find by their anchors, among the leaves that have no row."""
        free = {node for node, row in held if row == NO_ROW}
        if not free:
            return
        for number, anchors in self.column_anchors.items():
            if parts[number]:
                continue
            for anchor in anchors:
                node = page.after_label(anchor, held) if isinstance(anchor, str) else page.only_leaf(anchor, limits=limits)
                if node in free:
                    parts[number].append(node)
                    free.discard(node)
                    break

    def _says_something(self, page: Page, part: list[int], column: int) -> bool:
        """Whether leaves have a letter or digit, or an image, where the texts of their column have."""
        if any(page.core.kind(node) == 1 or any(map(str.isalnum, page.core.text(node))) for node in part):
            return True
        shapes = self.form.columns[column].shapes
        return not shapes or not all(any(map(str.isalnum, known)) for known in shapes)

    def _by_path(self, page: Page, roots: Sequence[int], held: list[tuple[int, int]]) -> dict[int, int]:
        """The column (-1: none) of leaves whose path is known."""
        found = {}
        for node, _ in held:
            if page.core.kind(node) == 2 or page.core.local_name(node) == "img":
                column = self.column_of_path.get(path_of(page.tree, roots, node))
                if column is not None:
                    found[node] = column
        return found

    def _by_holder(self, page: Page, held: list[tuple[int, int]], parts: list[list[int]]) -> None:
        """Fills empty columns with the leaves without a row whose holder is called as theirs; two that could be it are none."""
        found: dict[int, list[int]] = {}
        for node, row in held:
            if row == NO_ROW:
                column = self.column_of_holder.get(holder_name(page.tree, node), -1)
                if column >= 0 and not parts[column]:
                    found.setdefault(column, []).append(node)
        for column, nodes in found.items():
            if len(nodes) == 1:
                parts[column] = nodes

    @cached_property
    def run_of_row(self) -> dict[int, int]:
        """Number of the run that a row belongs to."""
        return {row: number for number, run in enumerate(self.form.runs) for row in run}

    @cached_property
    def column_of_path(self) -> dict[str, int]:
        """Column number by path; -1 where it is none."""
        numbers = {column.name: number for number, column in enumerate(self.form.columns)}
        return {path: numbers.get(name, -1) for path, name in self.form.paths.items()}

    @cached_property
    def column_of_holder(self) -> dict[str, int]:
        """Column number by what the holder of its leaves is called."""
        return {
            anchor.removeprefix("holder:"): number
            for number, column in enumerate(self.form.columns)
            for anchor in column.anchors
            if anchor.startswith("holder:") and not column.select
        }

    @cached_property
    def column_anchors(self) -> dict[int, list[Css | XPath | str]]:
        """Ways to find a column's cell, compiled; a label as its text."""
        return {
            number: [anchor.removeprefix("label:") if anchor.startswith("label:") else compiled(anchor) for anchor in column.anchors]
            for number, column in enumerate(self.form.columns)
            if column.anchors and not column.select and self.form.kind == "page"
        }

    def _counted_off(self, held: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The leaves with those of each run moved to its first rows."""
        run_of = self.run_of_row
        counts = [0] * len(self.form.runs)
        made = []
        for node, row in held:
            run = run_of.get(row)
            if run is not None:
                row = self.form.runs[run][counts[run]]
                counts[run] += 1
            made.append((node, row))
        return made


def grouped(tree: Tree, heads: Sequence[int]) -> list[list[int]]:
    """Records of one element each; one inside another is no record."""
    core, found = tree._core, list[list[int]]()
    for head in heads:
        if not found or core.end(found[-1][0]) <= head:
            found.append([head])
    return found


def compiled(selector: str) -> Css | XPath:
    """The selector of `css:…` or `xpath:…`; without either it is CSS, or XPath if it begins with `/` or `.//`."""
    kind, _, expression = selector.partition(":")
    if kind not in ("css", "xpath"):
        kind, expression = ("xpath" if selector.startswith(("/", "./", "(")) else "css"), selector
    try:
        return compile_css(expression) if kind == "css" else compile_xpath(expression)
    except UsageError as error:
        raise WrapperError(f"the selector {selector!r} cannot be read: {error}") from error


def _indexes(tree: Tree, selector: Css | XPath, *, limits: Limits, scope: Node | None = None) -> list[int]:
    from treelace.tree import Node
    from treelace.tree.select import Css

    at = scope or tree.document
    found = at.select(selector, limits=limits) if isinstance(selector, Css) else at.select_xpath(selector, limits=limits)
    return [node.index for node in found if isinstance(node, Node)] if isinstance(found, list) else []


class Page:
    """A page while wrappers read it: its tree, and its base address and language when asked for."""

    def __init__(self, tree: Tree, url: str = "") -> None:
        self.tree = tree
        self.core = tree._core
        self.url = url
        self._after: dict[str, int | None] | None = None

    @cached_property
    def base(self) -> str:
        """Against what addresses are resolved."""
        from urllib.parse import urljoin

        for node in self.tree.select("base[href]", limit=1):
            return urljoin(self.url, node.attribute("href") or "")
        return self.url

    @cached_property
    def language(self) -> str:
        """The language the page says it is in."""
        return next((node.attribute("lang") or "" for node in self.tree.select(":root[lang]", limit=1)), "")

    def address(self, relative: str) -> str:
        """An address, resolved."""
        from urllib.parse import urljoin

        if relative.startswith(("http://", "https://")):
            return relative.strip()
        try:
            return urljoin(self.base, relative.strip()) if self.base else relative.strip()
        except ValueError:
            return relative

    def leaves(self, root: int) -> list[int]:
        """The texts that are not blank and the images of a subtree."""
        core = self.core
        return [
            at
            for at in range(root, core.end(root))
            if (core.kind(at) == 2 and core.text(at).strip()) or (core.kind(at) == 1 and core.local_name(at) == "img")
        ]

    def cell(self, nodes: list[int]) -> Cell:
        """The cell of these leaves."""
        core, tree = self.core, self.tree
        items: list[Item] = []
        text, links = "", set[int]()
        first, final = self._ends(nodes)
        last = -1
        for node in nodes:
            if core.kind(node) == 2:
                raw = core.text(node)
                words = " ".join(raw.split())
                items.append(Item("text", words, tree[node]))
                if first <= node <= final:
                    text += words if not text or self._runs_on(last, node, raw) else f" {words}"
                    last = node
            else:
                items.append(Item("image", self.address(core.attribute(node, "", "src") or core.attribute(node, "", "data-src") or ""), tree[node]))
            link = self._link(node)
            if link is not None and link not in links:
                links.add(link)
                items.append(Item("link", self.address(core.attribute(link, "", "href") or ""), tree[link]))
        if not text:
            text = items[0].text
        return Cell(text, tree[self._holder(first, final)], tuple(items), text)

    def only_leaf(self, selector: Css | XPath, *, limits: Limits) -> int | None:
        """The only text in the only element that a selector finds."""
        found = _indexes(self.tree, selector, limits=limits)
        return leaf_in(self.tree, found[0]) if len(found) == 1 else None

    def after_label(self, label: str, held: list[tuple[int, int]]) -> int | None:
        """The leaf just after the only text that is a label."""
        if self._after is None:
            leaves = [node for node, _ in held if self.core.kind(node) == 2]
            texts = [" ".join(self.core.text(node).split()) for node in leaves]
            self._after = {}
            for text, node in zip(texts, [*leaves[1:], None], strict=False):
                self._after[text] = None if text in self._after else node
        return self._after.get(label)

    def selected(self, selector: Css | XPath, roots: Sequence[int], *, limits: Limits) -> Cell | None:
        """The cell that a selector written by hand finds in a record."""
        from treelace.tree import Node
        from treelace.tree.select import Css

        for root in roots:
            scope = self.tree.document if self.core.depth(root) == 1 else self.tree[root]
            answer = scope.select(selector, limit=1, limits=limits) if isinstance(selector, Css) else scope.select_xpath(selector, limits=limits)
            if isinstance(selector, Css) and not answer and self.core.kind(root) == 1 and scope is not self.tree.document:
                answer = [scope] if scope.matches(selector) else []
            if isinstance(answer, (str, float, bool)):
                return Cell(str(answer), self.tree[root], (), str(answer))
            for found in answer:
                if isinstance(found, Node):
                    leaves = [at for at in range(found.index, self.core.end(found.index)) if self.core.kind(at) == 2 and self.core.text(at).strip()]
                    if leaves:
                        return self.cell(leaves)
                    source = (
                        (found.attribute("src") or found.attribute("content") or found.attribute("href") or "") if found.is_element else found.text
                    )
                    text = self.address(source) if found.is_element and found.attribute("content") is None else source
                    return Cell(text, found, (), text)
                text = str(getattr(found, "value", found))
                return Cell(text, self.tree[root], (), text)
        return None

    def typed(self, rows: list[tuple[Cell | None, ...]], columns: Sequence[ColumnForm]) -> tuple[tuple[Cell | None, ...], ...]:
        """The rows with values by the columns' types."""
        from dataclasses import replace

        from treelace.extract.values import column_values

        made = [list(row) for row in rows]
        for number, column in enumerate(columns):
            if column.type in ("text", "image", "url"):
                continue
            at = [row for row in range(len(made)) if made[row][number] is not None]
            values = column_values([cell.text for row in at if (cell := made[row][number]) is not None], column.type, language=self.language)
            for row, value in zip(at, values, strict=True):
                made[row][number] = replace(made[row][number], value=value)  # type: ignore[type-var]
        return tuple(map(tuple, made))

    def _runs_on(self, last: int, node: int, raw: str) -> bool:
        """Whether a text continues the one before without a space."""
        core = self.core
        if raw[:1].isspace() or core.text(last)[-1:].isspace():
            return False
        return all(core.kind(at) == 1 and core.local_name(at) in _INLINE for at in range(last + 1, node)) and all(
            core.local_name(at) in _INLINE for at in self._left(last, node)
        )

    def _left(self, last: int, node: int) -> list[int]:
        found, above = [], self.core.parent(last)
        while above is not None and self.core.end(above) <= node:
            found.append(above)
            above = self.core.parent(above)
        return found

    def _link(self, node: int) -> int | None:
        """The link that a leaf stands in, a few levels up."""
        above: int | None = node
        for _ in range(6):
            if above is None or above == 0:
                return None
            if self.core.kind(above) == 1 and self.core.local_name(above) == "a":
                return above if self.core.attribute(above, "", "href") is not None else None
            above = self.core.parent(above)
        return None

    def _ends(self, nodes: list[int]) -> tuple[int, int]:
        """The first and the last leaf of a cell, without the brackets and commas at its ends."""
        if len(nodes) == 1:
            return nodes[0], nodes[0]
        full = [node for node in nodes if self.core.kind(node) == 2 and any(map(str.isalnum, self.core.text(node)))]
        return (full[0], full[-1]) if full else (nodes[0], nodes[-1])

    def _holder(self, first: int, last: int) -> int:
        """The lowest element around both leaves; an image is its own."""
        above = first if self.core.kind(first) == 1 else self.core.parent(first) or 0
        while above and self.core.end(above) <= last:
            above = self.core.parent(above) or 0
        return above
