"""Why a table was chosen, and what came nearest where none was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from treelace.extract.page.page_view import PageView
from treelace.extract.table import Table
from treelace.tree import Tree

_WORDS = {
    "log_count": "the number of records",
    "is_two": "two records only",
    "is_three": "three records only",
    "at_least_six": "six records or more",
    "share_chars": "its share of the page's letters",
    "share_texts": "its share of the page's texts",
    "log_chars": "letters a record",
    "spread_chars": "uneven lengths",
    "log_texts": "texts a record",
    "spread_texts": "uneven numbers of texts",
    "one_text": "records of one text",
    "link_density": "letters in links",
    "full_links": "records that are one link",
    "starts_with_link": "records that start with a link",
    "has_link": "records with a link",
    "log_links": "links a record",
    "has_image": "records with an image",
    "has_heading": "records with a heading",
    "has_digit": "records with a digit",
    "has_price": "records with a price",
    "has_control": "records with a button",
    "close_mean": "likeness of the records",
    "close_low": "likeness of the least alike",
    "shape_size": "size of the records' structure",
    "distinct": "records that differ in text",
    "distinct_first": "records that differ in their first text",
    "kinds": "different structures",
    "same_tags": "one tag for all",
    "same_class": "one class for all",
    "frame": "navigation around it",
    "list_words": "words around it that speak of lists",
    "depth": "its depth",
    "starts_at": "where it starts on the page",
    "ends_at": "where it ends on the page",
    "roots": "elements a record",
    "is_several": "records of several elements",
    "spread_roots": "uneven numbers of elements",
    "is_joined": "joined over several parents",
    "covers_parent": "its share of its parent",
    "before_alike": "a look-alike left out before it",
    "after_alike": "a look-alike left out after it",
    "repeats_inside": "records that are lists themselves",
    "parents_like": "parents like its own",
    "is_row": "table rows",
    "is_cell": "table cells",
    "is_li": "list items",
    "is_link": "bare links",
    "is_heading": "bare headings",
    "by_class": "found by class",
    "by_structure": "found by structure",
    "by_separator": "found between separators",
    "by_head": "found by a head element",
    "gaps": "texts between records",
    "spread_low": "short records",
    "log_share": "its share of the page (log)",
    "few_words": "records of one or two words",
    "starts_with_number": "records that start with a number",
    "ends_with_stop": "records that end like a sentence",
    "starts_with_capital": "records that start with a capital",
    "sentences": "sentences a record",
    "commas": "commas a record",
    "in_main": "it is in the main part",
    "in_article": "it is in an article",
    "in_aside": "it is beside the main part",
    "in_header": "it is in a header",
    "in_navigation": "it is in navigation",
    "in_footer": "it is in a footer",
    "names_talk": "records named as comments",
    "names_more": "records named as related ones",
    "names_meta": "records named as tags or shares",
    "names_layer": "records named as a layer",
    "names_steps": "records named as ingredients or steps",
    "around_talk": "comments around it",
    "around_more": "related things around it",
    "around_meta": "tags or shares around it",
    "around_layer": "a layer around it",
    "around_steps": "ingredients or steps around it",
    "heading_before": "texts between it and its heading",
    "heading_chars": "the length of its heading",
    "headings_inside": "headings inside it",
    "heading_after": "texts to the next heading",
    "from_title": "how far it is from the title",
    "page_candidates": "other lists on the page",
    "page_texts": "texts on the page",
    "page_text_chars": "letters a text on the page",
    "page_long": "running text on the page",
    "page_links": "letters in links on the page",
    "main_start": "where it starts in the main part",
    "main_share": "its share of the main part",
    "has_items": "records that hold list items",
    "items_around": "list items around it",
    "tables_around": "tables around it",
    "siblings": "children of its parent",
    "repeats_above": "elements around it that repeat",
    "is_numbered": "a numbered list",
    "names_day": "records that name a day",
    "starts_with_day": "records that start with a day",
    "one_day": "records that name just one day",
    "log_days": "days a record",
    "share_days": "its share of the page's days",
    "says_time": "records that say a time",
    "names_days": "records named as events",
    "around_days": "events around it",
    **{
        f"above_{topic}": f"a heading above it speaks of {what}"
        for topic, what in (
            ("talk", "comments"),
            ("more", "related things"),
            ("meta", "tags or shares"),
            ("layer", "a layer"),
            ("steps", "ingredients or steps"),
            ("days", "events"),
        )
    },
}


def why(tree: Tree, table: Table, *, most: int = 5) -> list[str]:
    """Lines that say why `records` ranks this table where it does, by weight in the ranking.

    >>> import treelace as tl
    >>> page = tl.parse("<ul><li><b>tea</b> 3<li><b>milk</b> 2<li><b>jam</b> 4</ul>")
    >>> for line in why(page, tl.extract(page)[0], most=1): print(line)
    3 records in html/body/ul, confidence ...
    for it: ...
    against it: ...
    """
    lines = [f"{len(table)} records in {table.place}, confidence {table.confidence:.2f}"]
    weights = _contributions(tree, table)
    if weights is None:
        return lines
    how, values = weights
    lines[0] += f", found by {how}"
    for said, sign in (("for it", 1), ("against it", -1)):
        parts = sorted(
            (sign * weight, name, value) for name, value, weight in values if sign * weight > 0.005
        )[::-1][:most]
        if parts:
            lines.append(
                f"{said}: "
                + ", ".join(
                    f"{_WORDS.get(name, name)} ({value:.2g}: {sign * weight:+.2f})"
                    for weight, name, value in parts
                )
            )
    return lines


def _contributions(tree: Tree, table: Table) -> tuple[str, list[tuple[str, float, float]]] | None:
    """How the table was found, and each feature's value and share; None if not a candidate."""
    from treelace.extract.regions.candidates import NAMES, candidates
    from treelace.extract.regions.ranking import learnt_trees

    made = candidates(PageView.of(tree))
    wanted = tuple(tuple(node.index for node in roots) for roots in table.records)
    number = next(
        (
            number
            for number, one in enumerate(made)
            if one.records == wanted or one.records[-len(wanted) :] == wanted
        ),
        None,
    )
    if number is None:
        return None
    values = made.features[number].tolist()
    parts = [
        (NAMES[feature], values[feature], weight)
        for feature, weight in sorted(learnt_trees().parts(values).items())
    ]
    return made[number].how, parts


def no_table_because(tree: Tree) -> str:
    """What keeps tables off the page: nothing to see, scripts to run, frames; else empty."""
    view = PageView.of(tree)
    if view.texts:
        return ""
    frames = [
        address
        for node in tree.select("frame[src], iframe[src]", limit=5)
        if (address := node.attribute("src"))
    ]
    if frames:
        return f"its text is in frames: extract these instead: {', '.join(frames)}"
    if tree.select("script", limit=1):
        return "it has no text before its scripts have run: try --render"
    return "it has no visible text"


def nearest_miss(tree: Tree) -> str:
    """What came nearest to a list where none was found: the two siblings most alike."""
    reason = no_table_because(tree)
    if reason:
        return reason
    view = PageView.of(tree)
    best, where = -1.0, ""
    for parent, children in enumerate(view.children):
        those = [
            child
            for child in children[:MAX_COMPARED_SIBLINGS]
            if view.tags[child] != "#text" and view.text_count(child)
        ]
        for number, child in enumerate(those):
            for other in those[number + 1 :]:
                close = _likeness(view, child, other)
                if close > best:
                    best, where = (
                        close,
                        (
                            f"{_called(view, child)} and {_called(view, other)} in"
                            f" {_path(view, parent)}"
                        ),
                    )
    if not where:
        return (
            f"no element with text has a sibling with text ({_count(len(view.texts), 'text')} on"
            " the page): one record is no list"
        )
    return f"nearest: {where} are {best:.2f} alike, but differ in tag and class"


def _likeness(view: PageView, left: int, right: int) -> float:
    """Share of the tags of two subtrees that they have in common (Dice, as bags)."""
    one, other = (
        Counter(view.tags[node] for node in range(top, view.ends[top]) if view.shown[node])
        for top in (left, right)
    )
    return 2 * (one & other).total() / (one.total() + other.total())


MAX_COMPARED_SIBLINGS = 60
"""Children of one parent that are compared with each other."""


def _called(view: PageView, node: int) -> str:
    return view.tags[node] + "".join(f".{word}" for word in view.classes.get(node, ())[:2])


def _path(view: PageView, node: int) -> str:
    tags: list[str] = []
    while node:
        tags.append(view.tags[node])
        node = view.parents[node]
    return "/".join(reversed(tags)) or "the document"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def explained(tree: Tree, tables: Sequence[Table], *, by_records: bool) -> list[str]:
    """The lines of `extract --explain` for one page."""
    if not tables:
        return [nearest_miss(tree)]
    first = tables[0]
    share = f"{len(first)} records in {first.place}, {first.confidence:.0%} of the page's text"
    lines = why(tree, first) if by_records else [share]
    lines += [
        f"next: {len(table)} records in {table.place}, confidence {table.confidence:.2f}"
        for table in tables[1:4]
    ]
    return lines
