"""A site delta for people and machines: pages added, gone, moved, or changed with a delta."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from treelace.diff.ignore import Ignore
from treelace.diff.outputs.output import Change
from treelace.diff.outputs.stat import stat as page_stat
from treelace.diff.outputs.text import text as page_text
from treelace.diff.outputs.text import visible
from treelace.diff.site import SiteDelta
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree import Tree

_NOTHING = Ignore()
_NAMESPACE = "treelace:3"


def text(
    delta: SiteDelta,
    old: Mapping[str, Tree],
    new: Mapping[str, Tree],
    *,
    has_colour: bool = False,
    ignore: Ignore = _NOTHING,
) -> str:
    """A line for each page that came (`+`), went (`-`), moved (`>`) or changed (`~`, and how).

    >>> from treelace import parse
    >>> from treelace.diff.site import diff_sites
    >>> monday = {"/": parse("<p>tea: 3</p>")}
    >>> tuesday = {"/": parse("<p>tea: 4</p>"), "/new": parse("<p>milk")}
    >>> print(text(diff_sites(monday, tuesday), monday, tuesday), end="")
    + /new
    ~ /: 1 update (5 → 5 nodes)
        @ /html/body/p/text()
          ~ tea: [-3-]{+4+}
    """
    lines = _pages(delta)
    for url, change in changed_pages(delta, old, new, ignore):
        lines.append(f"~ {visible(url)}: {page_stat(change).rstrip()}")
        shown = page_text(replace(change, has_colour=has_colour))
        lines += [f"    {line}" for line in shown.splitlines()]
    return "".join(line + "\n" for line in lines)


def stat(
    delta: SiteDelta, old: Mapping[str, Tree], new: Mapping[str, Tree], *, ignore: Ignore = _NOTHING
) -> str:
    """How much changed: a line for each page, and one for the whole."""
    lines = _pages(delta)
    changed = changed_pages(delta, old, new, ignore)
    lines += [f"~ {visible(url)}: {page_stat(change).rstrip()}" for url, change in changed]
    counts = (
        f"{len(delta.added):,} added, {len(delta.gone):,} gone, {len(delta.moved):,} moved,"
        f" {len(changed):,} changed"
    )
    return (
        "".join(line + "\n" for line in lines) + f"{counts} ({len(old):,} → {len(new):,} pages)\n"
    )


def to_json(delta: SiteDelta, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """`{"added": [{"url", "digest"}], "gone": …, "moved": [{"from", "to"}], "changed": [{"url",
    "delta"}]}`; deltas in their JSON form.
    """
    pages = {
        kind: [{"url": url, "digest": tree.digest} for url, tree in some.items()]
        for kind, some in (("added", delta.added), ("gone", delta.gone))
    }
    moved = [{"from": url, "to": target} for url, target in delta.moved]
    changed = [
        {"url": url, "delta": json.loads(change.to_json(limits=limits))}
        for url, change in delta.changed.items()
    ]
    return (
        json.dumps({**pages, "moved": moved, "changed": changed}, ensure_ascii=False, indent=1)
        + "\n"
    )


def to_xml(delta: SiteDelta, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """As XML: `d:site` with `d:added`, `d:gone`, `d:moved`, and `d:changed` with its delta."""
    from xml.sax.saxutils import quoteattr

    parts = [f'<d:site xmlns:d="{_NAMESPACE}">\n']
    for kind, some in (("added", delta.added), ("gone", delta.gone)):
        parts += [
            f"<d:{kind} url={quoteattr(url)} digest={quoteattr(tree.digest)}/>\n"
            for url, tree in some.items()
        ]
    parts += [
        f"<d:moved from={quoteattr(url)} to={quoteattr(target)}/>\n" for url, target in delta.moved
    ]
    for url, change in delta.changed.items():
        inside = _without_declaration(change.to_xml(limits=limits)).strip()
        parts.append(f"<d:changed url={quoteattr(url)}>{inside}</d:changed>\n")
    return "".join([*parts, "</d:site>\n"])


def changed_pages(
    delta: SiteDelta, old: Mapping[str, Tree], new: Mapping[str, Tree], ignore: Ignore
) -> list[tuple[str, Change]]:
    """The pages that changed, by the rules of what to ignore: new address, and what changed."""
    came_from = {target: url for url, target in delta.moved}
    changes = [
        (url, Change(delta=change, old=old[came_from.get(url, url)], new=new[url], ignore=ignore))
        for url, change in delta.changed.items()
    ]
    return [(url, change) for url, change in changes if change.reported()] if ignore else changes


def _pages(delta: SiteDelta) -> list[str]:
    lines = [f"+ {visible(url)}" for url in delta.added]
    lines += [f"- {visible(url)}" for url in delta.gone]
    return lines + [f"> {visible(target)} (was {visible(url)})" for url, target in delta.moved]


def _without_declaration(xml: str) -> str:
    return xml.split("?>", 1)[1] if xml.startswith("<?xml") else xml
