"""`treelace diff OLD_FOLDER NEW_FOLDER`: two snapshots of a site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from treelace.cli.common import Output
from treelace.cli.exits import Exit, complain
from treelace.diff.ignore import Ignore
from treelace.errors import TreelaceError
from treelace.limits import Limits
from treelace.matching import Matcher
from treelace.tree import Tree
from treelace.tree.files import pages_in, unpacked_name

FORMS = ("text", "stat", "json", "xml")


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderReport:
    """How the changes of two folders are shown, and where."""

    form: str
    rules: Ignore
    has_colour: bool
    output: Output


def diff_folders(
    old: str,
    new: str,
    shown: FolderReport,
    *,
    read: Callable[[str], Tree],
    matcher: Matcher,
    limits: Limits,
) -> Exit:
    """Pages added, gone, moved, changed; a page that cannot be read is named and left out."""
    from treelace.diff import site_report
    from treelace.diff.site import diff_sites

    form, rules, output = shown.form, shown.rules, shown.output
    if form not in FORMS:
        raise click.UsageError(f"two folders are told as {', '.join(FORMS)}, not as {form}")
    bad: list[str] = []
    first, second = (_pages(folder, read, bad) for folder in (old, new))
    delta = diff_sites(first, second, matcher=matcher, limits=limits)
    if form == "json":
        output.write(site_report.to_json(delta, limits=limits))
    elif form == "xml":
        output.write(site_report.to_xml(delta, limits=limits))
    elif form == "stat":
        output.write(site_report.stat(delta, first, second, ignore=rules))
    else:
        colour = shown.has_colour
        report = site_report.text(delta, first, second, has_colour=colour, ignore=rules)
        output.write(report, is_coloured=colour)
    for message in bad:
        complain(f"treelace: {message}")
    changed = site_report.changed_pages(delta, first, second, rules)
    is_same = not (delta.added or delta.gone or delta.moved or changed)
    return Exit.BAD_INPUT if bad else Exit.DONE if is_same else Exit.NO


def _pages(folder: str, read: Callable[[str], Tree], bad: list[str]) -> dict[str, Tree]:
    """The pages below a folder by their paths, as they would be addresses."""
    pages = {}
    for file in pages_in(Path(folder)):
        try:
            tree = read(str(file))
        except TreelaceError as error:
            bad.append(str(error))
            continue
        pages[unpacked_name(file.relative_to(folder).as_posix())] = tree
    return pages
