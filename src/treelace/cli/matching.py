"""`treelace match`, `matchers` and `mutate`: pairs of nodes, and pages with known pairs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click

from treelace.cli.common import Output, read_page
from treelace.cli.families import Algorithm, algorithm_options, write_family
from treelace.cli.options import common_options, folder_options, form_option, option
from treelace.limits import Limits
from treelace.matching.matchers import DEFAULT_MATCHER, MATCHERS, match, matcher_named
from treelace.named import pick


@click.command("match")
@click.argument("old")
@click.argument("new")
@algorithm_options("matcher", DEFAULT_MATCHER, "alpha=0.6 for sftm")
@option("--no-text", "Do not look at texts.")
@form_option(["json", "text", "html"], "json", "How to write the pairs.")
@common_options
def match_command(
    *,
    old: str,
    new: str,
    matcher: Algorithm,
    no_text: bool,
    form: str,
    output: Output,
    limits: Limits,
) -> None:
    """Which element of OLD is which of NEW.

    \b
    As JSON: {"pairs": [[old element index, new element index, confidence], …]}.
    Examples:
      treelace match monday.html tuesday.html
      treelace match monday.html tuesday.html --to text         pairs, no partner, a summary
      treelace match old.html new.html --to html -o seen.html   two trees side by side
      treelace match old.html new.html --matcher same-path
      treelace match old.html new.html --matcher sftm --option alpha=0.6 --option as_printed=true
      treelace match old.html new.html --matcher tree-edit-distance --option 'costs={"insert": 2}'
    """
    without_text = _without_text(matcher.name) if no_text else {}
    chosen = matcher_named(matcher.name, **{"limits": limits} | without_text | matcher.options)
    import numpy  # noqa: F401 - loaded before the clock runs: a third of a second is not the matcher's

    pages = read_page(old, limits=limits), read_page(new, limits=limits)
    began = time.perf_counter()
    matching = match(*pages, chosen)
    output.explain(
        f"treelace: {matcher.name} took {time.perf_counter() - began:.2f} s: {matching!r}"
    )
    if form == "json":
        output.write(json.dumps({"pairs": matching.element_pairs()}) + "\n")
    elif form == "html":
        output.write(
            matching.to_html(title=f"{old} → {new}, matched by {matcher.name}", names=(old, new))
        )
    else:
        output.write(matching.to_text())


def _without_text(matcher: str) -> dict[str, Any]:
    """The options with which a matcher does not look at texts: none for one that never does."""
    known = pick("matcher", MATCHERS, matcher)
    if not getattr(known, "looks_at_text", True):
        return {}
    if "text" in getattr(known, "__dataclass_fields__", {}):
        return {"text": False}
    raise click.UsageError(
        f"matcher '{matcher}' always looks at texts; --no-text is for {DEFAULT_MATCHER} and the"
        " tree distances"
    )


@click.command("matchers")
@click.argument("name", required=False)
@form_option(["text", "json"], "text", "How to write the list.")
@common_options
def matchers_command(*, name: str | None, form: str, output: Output, limits: Limits) -> None:
    """The matchers there are, with one line each, the default marked with a star.

    \b
    Examples:
      treelace matchers
      treelace matchers sftm   (its definition, and its options with their defaults)
      treelace matchers --to json
    """
    write_family(MATCHERS, DEFAULT_MATCHER, form, output, what="matcher", name=name)


@click.command("mutate")
@click.argument("page")
@option(
    "--ratio", "Share of the elements that get one operation.", click.FloatRange(0, 1), default=0.1
)
@option("--seed", "The same seed, the same mutants.", int, default=0)
@option(
    "--count",
    "How many mutants; each has its own seed, counted on from SEED.",
    click.IntRange(1),
    default=1,
)
@option(
    "--operators NAME,…", "Operators to draw from, evenly; by default the eleven of the SFTM paper."
)
@option(
    "--largest",
    "Largest subtree, as a share of the page, that is removed, duplicated or moved as a whole;"
    " 1 is the paper's behaviour.",
    click.FloatRange(0, 1),
    default=0.05,
)
@option("--rename-tags", "Also rename tags everywhere, as a redesign does.")
@option("--restyle", "Also rename classes everywhere.")
@folder_options
def mutate_command(
    *,
    page: str,
    ratio: float,
    seed: int,
    count: int,
    operators: str | None,
    largest: float,
    rename_tags: bool,
    restyle: bool,
    folder: Path,
    output: Output,
    limits: Limits,
) -> None:
    """Changed versions of PAGE with the true matching, for testing matchers.

    \b
    Writes original.html and for each mutant NNN.html, NNN.truth.json ([[i, j], …] element indexes)
    and NNN.log.json (operations, ratio, seed).
    Operators of the paper:
      remove, duplicate, wrap, unwrap, swap, attribute-remove, attribute-remove-words,
      content-replace, content-remove, content-remove-words, content-change-letters
    Others: move (a subtree to another parent), attribute-add
    Examples:
      treelace mutate page.html -o mutants --ratio 0.2 --seed 7 --count 5
      treelace mutate page.html -o moved --ratio 0.02 --operators move,attribute-add
      treelace mutate page.html -o redesigns --rename-tags --restyle
    """
    from treelace.testing.mutate import mutants, original

    tree = read_page(page, limits=limits)
    chosen = (
        {"operators": [name.strip() for name in operators.split(",")]}
        if operators is not None
        else {}
    )
    made = mutants(
        tree,
        ratio=ratio,
        seed=seed,
        count=count,
        largest=largest,
        rename_tags_too=rename_tags,
        restyle_too=restyle,
        **chosen,
    )
    start = original(tree)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "original.html").write_text(start, encoding="utf-8", newline="")
    for number, mutant in enumerate(output.progress(made, total=count, label="mutants"), start=1):
        (folder / f"{number:03}.html").write_text(mutant.html, encoding="utf-8", newline="")
        (folder / f"{number:03}.truth.json").write_text(json.dumps(mutant.truth), encoding="utf-8")
        (folder / f"{number:03}.log.json").write_text(
            json.dumps(mutant.log, ensure_ascii=False), encoding="utf-8"
        )
