"""Repair without the old page: the evidence rows of a wrapper, found again by their texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from treelace.errors import WrapperError
from treelace.wrappers.details import tops_of
from treelace.wrappers.seen import Seen, around, masked

if TYPE_CHECKING:
    from treelace.tree import Tree
    from treelace.wrappers.form import RegionForm

MOST_LEAVES = 12
"""Leaves of an element that may together be one text of the evidence."""


def from_evidence(region: RegionForm, new: Tree) -> Seen:
    """Where the evidence rows of a region are on a page: texts that are equal but for digits, those of one row close together.

    For a page that is one record, the row that has most texts there.
    """
    numbers = {column.name: number for number, column in enumerate(region.columns)}
    rows = [{numbers[name]: text for name, text in row.items() if name in numbers} for row in region.evidence]
    places = _places(new)
    found = [{column: places[key] for column, text in row.items() if (key := masked(text)) in places} for row in rows]
    if not any(found):
        raise WrapperError("no value of the evidence rows is on the new page: a repair needs the old page (--old), or learn anew")
    if region.kind == "page":
        best = max(range(len(rows)), key=lambda number: (len(found[number]), -number))
        leaves = {leaf: column for column, groups in found[best].items() if len(groups) == 1 for leaf in groups[0]}
        return Seen([rows[best]], [{}], [tops_of(new)], [leaves], {}, 1)
    picked = [_together(row) for row in found]
    owners = sorted((leaf, record) for record, held in enumerate(picked) for leaf in held)
    tops = [around(new, record, sorted(held), owners) for record, held in enumerate(picked)]
    return Seen(rows, [{} for _ in rows], tops, picked, {}, max(1, region.records[1] // 4))


def _places(new: Tree) -> dict[str, list[tuple[int, ...]]]:
    """The leaves of each text on a page, digits masked: of single texts, and of small elements as a whole."""
    core = new._core
    found: dict[str, list[tuple[int, ...]]] = {}
    leaves = [at for at in range(len(new)) if core.kind(at) == 2 and core.text(at).strip()]
    for leaf in leaves:
        found.setdefault(masked(core.text(leaf)), []).append((leaf,))
    seen: set[int] = set()
    for leaf in leaves:
        above = core.parent(leaf)
        for _ in range(3):
            if not above or above in seen:
                break
            seen.add(above)
            inside = tuple(at for at in range(above, min(core.end(above), above + 200)) if core.kind(at) == 2 and core.text(at).strip())
            if len(inside) > MOST_LEAVES:
                break
            if len(inside) > 1:
                for glue in (" ", ""):
                    key = re.sub(r"\s+", " ", masked(glue.join(core.text(at) for at in inside)))
                    found.setdefault(key, []).append(inside)
            above = core.parent(above)
    return found


def _together(row: dict[int, list[tuple[int, ...]]]) -> dict[int, int]:
    """For each column of a row one of its places, near the place of the rarest text."""
    if not row:
        return {}
    seed = min(row, key=lambda column: (len(row[column]), column))
    best: dict[int, int] = {}
    for start in row[seed][:20]:
        chosen = {column: min(groups, key=lambda group: abs(group[0] - start[0])) for column, groups in row.items()}
        spread = max(abs(group[0] - start[0]) for group in chosen.values())
        held = {leaf: column for column, group in chosen.items() for leaf in group if abs(group[0] - start[0]) <= 400}
        if len(set(held.values())) > len(set(best.values())) or not best or (len(held) == len(best) and spread < 100):
            best = held
    return best
