"""`treelace match`, `matchers` and `mutate`: which node is which, and pages whose answer is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treelace.cli.common import Output, common_options, read_page, write_family
from treelace.errors import UsageError
from treelace.matching.matchers import DEFAULT_MATCHER, MATCHERS, matcher_named

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.matching import Matching


@click.command("match")
@click.argument("old")
@click.argument("new")
@click.option("--matcher", default=DEFAULT_MATCHER, show_default=True, metavar="NAME", help="Which matcher; `treelace matchers` lists them.")
@click.option("--option", "given", multiple=True, metavar="NAME=VALUE", help="An option of the matcher, e.g. alpha=0.6 for sftm.")
@click.option("--no-text", is_flag=True, help="Do not look at texts (lace).")
@click.option("--to", "form", type=click.Choice(["json", "text", "html"]), default="json", show_default=True, help="How to write the pairs.")
@common_options
def match_command(*, old: str, new: str, matcher: str, given: tuple[str, ...], no_text: bool, form: str, output: Output, limits: Limits) -> None:
    """Which element of OLD is which of NEW.

    \b
    As JSON: {"pairs": [[old element index, new element index, confidence], …]}.
    Examples:
      treelace match monday.html tuesday.html
      treelace match monday.html tuesday.html --to text
      treelace match old.html new.html --matcher same-path
      treelace match old.html new.html --matcher sftm --option alpha=0.6 --option as_printed=true
      treelace match old.html new.html --to html -o seen.html   (two trees side by side, for a browser)
    """
    options = {"limits": limits} | ({"text": False} if no_text else {}) | dict(map(_option, given))
    chosen = matcher_named(matcher, **options)
    pages = read_page(old, limits=limits), read_page(new, limits=limits)
    try:
        matching = chosen.match(*pages)
    except (TypeError, OverflowError) as wrong:
        if not given:
            raise
        raise UsageError(f"matcher {matcher!r} cannot take these options: {wrong}") from wrong
    if form == "json":
        output.write(json.dumps({"pairs": matching.element_pairs()}) + "\n")
    elif form == "html":
        from treelace.matching.drawing import to_html

        output.write(to_html(matching, title=f"{old} → {new}, matched by {matcher}"))
    else:
        output.write(_as_text(matching))


def _option(written: str) -> tuple[str, Any]:
    """`alpha=0.6`, `as_printed=true`, `from_parents=0.4,0.04`."""
    name, is_written, value = written.partition("=")
    if not is_written:
        raise click.BadParameter(f"'{written}' is not NAME=VALUE")
    return name.replace("-", "_"), tuple(map(_value, value.split(","))) if "," in value else _value(value)


def _value(word: str) -> Any:
    try:
        return json.loads(word)  # numbers, true, false
    except ValueError:
        return word


def _as_text(matching: Matching) -> str:
    elements = matching.elements
    lines = [f"{matching.old_tree[i].xpath}  =  {matching.new_tree[j].xpath}" for i, j in elements.pairs]
    return "".join(line + "\n" for line in lines)


@click.command("matchers")
@click.option("--to", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to write the list.")
@common_options
def matchers_command(*, form: str, output: Output, limits: Limits) -> None:
    """The matchers there are, with one line each, the default marked with a star.

    \b
    Examples:
      treelace matchers
      treelace matchers --to json
    """
    write_family(MATCHERS, DEFAULT_MATCHER, form, output)


@click.command("mutate")
@click.argument("page")
@click.option("-o", "--output-folder", "folder", required=True, metavar="DIR", help="Where the files go.")
@click.option("--ratio", type=click.FloatRange(0, 1), default=0.1, show_default=True, help="Share of the elements that get one operation.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same mutants.")
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="How many mutants.")
@click.option("--operators", metavar="NAME,…", help="Operators to draw from; by default the eleven of the SFTM paper.")
@click.option(
    "--largest",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="Largest subtree, as a share of the page, that is removed, duplicated or moved as a whole; 1 is the paper's behaviour.",
)
@click.option("--rename-tags", is_flag=True, help="Also rename tags everywhere, as a redesign does.")
@click.option("--restyle", is_flag=True, help="Also rename classes everywhere.")
def mutate_command(
    *, page: str, folder: str, ratio: float, seed: int, count: int, operators: str | None, largest: float, rename_tags: bool, restyle: bool
) -> None:
    """Changed versions of PAGE with the true matching, for testing matchers.

    \b
    Writes original.html and for each mutant NNN.html, NNN.truth.json ([[i, j], …] element indexes)
    and NNN.log.json (operations, ratio, seed).
    Examples:
      treelace mutate page.html -o mutants --ratio 0.2 --seed 7 --count 5
      treelace mutate page.html -o redesigns --rename-tags --restyle
    """
    from treelace.limits import DEFAULT_LIMITS
    from treelace.testing.mutate import mutants, original

    tree = read_page(page, limits=DEFAULT_LIMITS)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    (target / "original.html").write_text(original(tree), encoding="utf-8")
    chosen = {"operators": [name.strip() for name in operators.split(",")]} if operators else {}
    made = mutants(tree, ratio=ratio, seed=seed, count=count, largest=largest, rename_tags_too=rename_tags, restyle_too=restyle, **chosen)
    for number, mutant in enumerate(made, start=1):
        (target / f"{number:03}.html").write_text(mutant.html, encoding="utf-8")
        (target / f"{number:03}.truth.json").write_text(json.dumps(mutant.truth), encoding="utf-8")
        (target / f"{number:03}.log.json").write_text(json.dumps(mutant.log, ensure_ascii=False), encoding="utf-8")
