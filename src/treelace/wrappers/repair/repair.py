"""Repair: a wrapper re-attached to redesigned pages, column by column, each with its proof.

A list is repaired in `lists`, the fields of detail pages in `details`, the tables inside them in
`inner_tables`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from msgspec.structs import replace

from treelace.limits import Limits
from treelace.matching import match
from treelace.tree import Tree
from treelace.wrappers.apply.page import Page
from treelace.wrappers.apply.region_reader import RegionReader
from treelace.wrappers.learn.added_columns import is_added, with_added_columns
from treelace.wrappers.model.form import ColumnForm, RegionForm
from treelace.wrappers.repair.details import repair_fields, repair_inner_table
from treelace.wrappers.repair.evidence import find_record
from treelace.wrappers.repair.lists import repair_list, repair_list_by_evidence
from treelace.wrappers.repair.matched_records import match_records
from treelace.wrappers.repair.renamings import PagePair, Renamings, renamed_region
from treelace.wrappers.repair.verdict import ColumnRepair, RepairedRegions, all_left_out, left_out


def repair_regions(
    regions: Sequence[RegionForm],
    olds: Sequence[Tree] | None,
    news: Sequence[Tree],
    *,
    limits: Limits,
) -> RepairedRegions:
    """The regions of a wrapper on new pages, from the old pages or (None) the evidence rows.

    A list is repaired from the first pair of pages, a wrapper of detail pages from all of them.
    """
    if regions[0].kind == "list":
        return _repair_list(regions[0], olds, news[0], limits=limits)
    if olds is None:
        return _repair_details_by_evidence(regions, news, limits=limits)
    return _repair_details(regions, olds, news, limits=limits)


def _repair_list(
    region: RegionForm, olds: Sequence[Tree] | None, new: Tree, *, limits: Limits
) -> RepairedRegions:
    """A list: the columns of its texts, then those that stand in none, found anew."""
    added = [column for column in region.columns if is_added(column)]
    texts = [column for column in region.columns if not is_added(column)]
    found = _repair_texts(replace(region, columns=tuple(texts)), olds, new, limits=limits)
    if not added:
        return found
    made, columns = found.regions, [*found.columns]
    known: dict[str, ColumnForm] = {}
    if made:
        page = Page(new, limits=limits)
        whole = with_added_columns(made[0], [new], [RegionReader(made[0]).records(page)])
        known = {column.name: column for column in whole.columns if is_added(column)}
        kept = tuple(known[column.name] for column in added if column.name in known)
        made = (replace(made[0], columns=(*made[0].columns, *kept)),)
    for column in added:
        why = "headings or drawings of the new page say it"
        if column.name in known:
            columns.append(ColumnRepair(column.name, True, 1.0, (why,)))
        else:
            columns.append(left_out(column.name, f"no {why}"))
    return dataclasses.replace(found, regions=made, columns=columns)


def _repair_texts(
    region: RegionForm, olds: Sequence[Tree] | None, new: Tree, *, limits: Limits
) -> RepairedRegions:
    if olds is None:
        return repair_list_by_evidence(region, new, limits=limits)
    matching = match(olds[0], new, matcher="lace", limits=limits)
    matched = match_records(region, olds[0], new, matching, limits=limits)
    pairs = [PagePair(olds[0], new, matched.new_node_of)]
    renamed = renamed_region(region, pairs, Renamings(pairs), limits=limits)
    return repair_list(region, matched, new, renamed_old=renamed, limits=limits)


def _repair_details(
    regions: Sequence[RegionForm], olds: Sequence[Tree], news: Sequence[Tree], *, limits: Limits
) -> RepairedRegions:
    """Detail pages: their own fields, then the tables inside."""
    first, *inner = regions
    pages = list(zip(olds, news, strict=True))
    matchings = [match(old, new, matcher="lace", limits=limits) for old, new in pages]
    matched = [
        match_records(first, old, new, matching, limits=limits)
        for (old, new), matching in zip(pages, matchings, strict=True)
    ]
    pairs = [
        PagePair(old, new, one.new_node_of) for (old, new), one in zip(pages, matched, strict=True)
    ]
    renamings = Renamings(pairs)
    renamed = renamed_region(first, pairs, renamings, limits=limits)
    main = repair_fields(first, matched, news, renamed_old=renamed, limits=limits)
    if main.region is None:
        why = "the page's own record was not found again"
        return RepairedRegions((), (*main.columns, *_without_inner(inner, why)), 1)
    columns, found = list(main.columns), []
    for one in inner:
        inside = [
            match_records(one, old, new, matching, around=first, limits=limits)
            for (old, new), matching in zip(pages, matchings, strict=True)
        ]
        renamed = renamed_region(one, pairs, renamings, around=first, limits=limits)
        made, judged = repair_inner_table(
            one, main.region, main.pattern, inside, news, renamed_old=renamed, limits=limits
        )
        columns += judged
        if made is not None:
            found.append(made)
    return _repaired_details((main.region, *found), columns, news[0], limits=limits)


def _repair_details_by_evidence(
    regions: Sequence[RegionForm], news: Sequence[Tree], *, limits: Limits
) -> RepairedRegions:
    first, *inner = regions
    matched = [find_record(first, new) for new in news]
    main = repair_fields(first, matched, news, renamed_old=None, limits=limits)
    why = "a table inside a page is found again from the old page only"
    columns = [*main.columns, *_without_inner(inner, why)]
    if main.region is None:
        return RepairedRegions((), columns, 1)
    return _repaired_details((main.region,), columns, news[0], limits=limits)


def _repaired_details(
    regions: tuple[RegionForm, ...], columns: Sequence[ColumnRepair], new: Tree, *, limits: Limits
) -> RepairedRegions:
    table = RegionReader(regions[0]).read(Page(new, limits=limits)).table
    return RepairedRegions(regions, columns, 1, table, (0,))


def _without_inner(inner: Sequence[RegionForm], why: str) -> list[ColumnRepair]:
    """The columns of the tables inside, all left out."""
    names = [f"{region.name}: {column.name}" for region in inner for column in region.columns]
    return all_left_out(names, why)
