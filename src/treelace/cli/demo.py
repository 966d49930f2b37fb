"""`treelace demo`: the whole story on a small site of our own making, checked against the known truth."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treelace.classify import leader_clusters
from treelace.cli.common import Output, common_options
from treelace.cli.exits import Exit
from treelace.diff import Attribute, Delete, Insert, Update, diff
from treelace.extract import extract
from treelace.matching import match
from treelace.testing.small_site import SmallSite, monday, tuesday
from treelace.tree import Kind, Tree, parse

if TYPE_CHECKING:
    from treelace.diff import Delta
    from treelace.limits import Limits


@click.command("demo")
@click.argument("folder", metavar="[DIR]", required=False)
@common_options
def demo_command(*, folder: str | None, output: Output, limits: Limits) -> Exit:
    """Two versions of a dozen pages: put into classes, lists found, versions matched and compared, each step checked against
    what is known of the site. The pages are left in DIR (a temporary folder if none is given).

    \b
    Examples:
      treelace demo
      treelace demo teashop
    """
    place = Path(folder or tempfile.mkdtemp(prefix="treelace-demo-"))
    before, after = monday(), tuesday()
    old, new = _written(before, place / "monday", limits), _written(after, place / "tuesday", limits)
    lines: list[str] = [f"A shop with news: {len(old)} pages on Monday, {len(new)} on Tuesday, in {place}", ""]
    checks = [_classes(before, old, lines), _lists(before, old, lines), _changes(before, after, old, new, lines)]
    lines += ["", f"{sum(checks)} of {len(checks)} steps agree with what is known of this site.", "", "Try:"]
    page, called = place / "monday" / "tea.html", _how_called()
    lines += [f"  {called} parse {page}", f'  {called} select {page} "li h3"', f"  {called} select {page} --xpath \"//p[@class='price']/text()\""]
    output.write("\n".join(lines) + "\n")
    return Exit.DONE if all(checks) else Exit.NO


def _how_called() -> str:
    """What to type to call this program: its name where the shell finds it, else the path by which it was called."""
    return "treelace" if shutil.which("treelace") else shlex.quote(sys.argv[0])


def _written(site: SmallSite, folder: Path, limits: Limits) -> dict[str, Tree]:
    folder.mkdir(parents=True, exist_ok=True)
    trees = {}
    for name, text in site.pages.items():
        (folder / name).write_text(text, encoding="utf-8")
        trees[name] = parse(folder / name, limits=limits)
    return trees


def _classes(site: SmallSite, trees: dict[str, Tree], lines: list[str]) -> bool:
    numbers = leader_clusters(list(trees.values()))
    members: dict[int, list[str]] = {}
    for name, number in zip(trees, numbers, strict=True):
        members.setdefault(number, []).append(name)
    lines.append(f"1. Page classes, by structure alone: {len(members)} found")
    for number, names in members.items():
        lines.append(f"   class {number}: {', '.join(names)}")
    truth = {frozenset(name for name in trees if site.kinds[name] == kind) for kind in set(site.kinds.values())}
    is_right = {frozenset(names) for names in members.values()} == truth
    lines.append(f"   {_verdict(is_right)}: the site was made with {len(truth)} templates")
    return is_right


def _lists(site: SmallSite, trees: dict[str, Tree], lines: list[str]) -> bool:
    lines += ["", "2. The list on each list page, found without being told where it is"]
    is_right = True
    for section, goods in site.products.items():
        tables = extract(trees[f"{section}.html"])
        wanted = [[product.name, f"€ {product.price}", f"{product.stock} in stock"] for product in goods]
        texts = [column.name for column in tables[0].columns if column.type != "image"] if tables else []
        found = tables[0].choose(texts).rows if tables else []
        is_right = is_right and found == wanted
        lines.append(f"   {section}.html")
        lines += [f"     {line}" for line in (str(tables[0]).splitlines() if tables else ["nothing found"])]
    lines.append(f"   {_verdict(is_right)}: every product, price and stock against the known ones")
    return is_right


def _changes(before: SmallSite, after: SmallSite, old: dict[str, Tree], new: dict[str, Tree], lines: list[str]) -> bool:
    lines += ["", "3. What changed from Monday to Tuesday"]
    is_right = True
    for name in sorted(old.keys() | new.keys()):
        if name not in new or name not in old:
            lines.append(f"   {name}: {'gone' if name in old else 'new'}")
            continue
        delta = diff(old[name], new[name])
        is_right = is_right and delta.apply(old[name]) == new[name] and bool(delta) == (before.pages[name] != after.pages[name])
        if delta:
            matching = match(old[name], new[name], "same-path")
            lines.append(f"   {name}: {len(matching)} of {len(old[name])} nodes matched; {repr(delta)[8:-1]}")
            lines += [f"     {line}" for line in _told(delta)]
    lines.append(f"   {_verdict(is_right)}: every delta, applied to Monday's page, gives Tuesday's; pages that are the same have none")
    return is_right


def _told(delta: Delta) -> list[str]:
    told = []
    for operation in delta.operations:
        if isinstance(operation, Update):
            told.append(_pieces(operation))
        elif isinstance(operation, (Insert, Delete)):
            text = " ".join(
                leaf.text for node in operation.nodes for leaf in [node, *node.descendants] if leaf.kind == Kind.TEXT and leaf.text.strip()
            )
            told.append(f"{'+' if isinstance(operation, Insert) else '−'} {text!r}")
        elif isinstance(operation, Attribute):
            told.append(f"@{operation.name.expanded}: {_pieces(operation)}")
        else:
            told.append(f"{type(operation).__name__.lower()} of {operation.xids if hasattr(operation, 'xids') else operation.xid}")
    return told


def _pieces(change: Update | Attribute) -> str:
    if change.edits:
        return ", ".join(f"{edit.old!r} → {edit.new!r}" for edit in change.edits)
    return f"{(change.old or '').strip()!r} → {(change.new or '').strip()!r}"


def _verdict(is_right: bool) -> str:
    return "right" if is_right else "WRONG"
