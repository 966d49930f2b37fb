"""`treelace extract` and `extractors`: what is the data on a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treelace.cli.common import ALLOW_PRIVATE, Output, expand, read_page
from treelace.cli.exits import Exit, complain, exit_for, one_line
from treelace.cli.families import Algorithm, algorithm_options, write_family
from treelace.cli.options import common_options, form_option
from treelace.cli.tables import TABLE_FORMS, Answer, check_form, write_tables
from treelace.errors import TreelaceError, UsageError
from treelace.extract import EXTRACTORS, extract, extractor_named
from treelace.extract.extractors import DEFAULT_EXTRACTOR
from treelace.extract.locales import Locale
from treelace.extract.outputs.table_data import MIN_SURE_CONFIDENCE
from treelace.extract.table_kinds import of_kind
from treelace.render import Boxes, Browser, Visitor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Table
    from treelace.limits import Limits
    from treelace.tree import Tree


MAX_TABLES_OF_ALL = 1_000
"""Tables that --all gives at most."""


@click.command("extract")
@click.argument("pages", nargs=-1, required=True)
@algorithm_options("extractor", DEFAULT_EXTRACTOR, "alignment=centre for depta")
@click.option(
    "--only",
    metavar="KIND",
    help="Only tables of a kind: products, articles, events, links, images, tables.",
)
@click.option(
    "--region",
    type=click.IntRange(1),
    metavar="N",
    help="Only the N-th table of each page; 1 is the likeliest.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help=(
        "All that repeats: also what it is not sure of, such as menus and other readings of a list;"
        " more than the first ten tables as JSON."
    ),
)
@click.option(
    "--columns",
    metavar="NAME,…",
    help=(
        "Only these columns, in this order; NAME=NEW renames one, -NAME drops one. For the first"
        " table unless --region says which."
    ),
)
@click.option(
    "--example",
    "examples",
    multiple=True,
    metavar="NAME=VALUE",
    help=(
        "A value as it stands on the page, and what to call its column: the first table that has"
        " it is taken. May be given several times."
    ),
)
@click.option(
    "--all-columns",
    is_flag=True,
    help="Copies of columns, buttons, labels and further pictures too.",
)
@click.option(
    "--locale",
    default="",
    metavar="L",
    help="How numbers and dates are written: de, en-GB, en-US, … (guessed from the page).",
)
@click.option(
    "--structured",
    is_flag=True,
    help="What the page says about itself (JSON-LD, microdata, OpenGraph) instead of what repeats.",
)
@click.option(
    "--render",
    is_flag=True,
    help=(
        "Let a browser run the page's scripts first; mdr2 and depta use where things stand. Nothing"
        " is fetched."
    ),
)
@click.option(
    "--network",
    is_flag=True,
    help="With --render: let the page load its scripts, styles and pictures from public addresses.",
)
@click.option(
    "--boxes",
    "box_file",
    metavar="FILE",
    help="Where the elements stand, from a box file instead of a browser (mdr2, depta).",
)
@click.option(
    "--url", default="", metavar="URL", help="The page's own address, to resolve its links."
)
@click.option(
    "--explain",
    is_flag=True,
    help="Say on standard error why this table, or what came nearest where there is none.",
)
@form_option(TABLE_FORMS, "table", "How to write it.")
@common_options
def extract_command(
    *,
    pages: tuple[str, ...],
    extractor: Algorithm,
    only: str | None,
    region: int | None,
    everything: bool,
    columns: str | None,
    examples: tuple[str, ...],
    all_columns: bool,
    locale: str,
    structured: bool,
    render: bool,
    network: bool,
    box_file: str | None,
    url: str,
    explain: bool,
    form: str,
    output: Output,
    limits: Limits,
) -> Exit:
    """The tables of PAGES (files, folders, -), found without being told where they are.

    \b
    As table, csv, jsonl, parquet and sqlite: the likeliest table of each page, or that of --region.
    As JSON: the ten likeliest tables; with several pages one object a line, with "page".
    As HTML: the page with records and columns marked in colour; scripts of the page do not run.
    A table is shown if it is likely (confidence .5 or more) that it is what a person wants from the
    page; JSON has the others too, and --all shows the likeliest anyway.
    Exit code 1: no such table was found (on any of the pages).
    Examples:
      treelace extract shop.html
      treelace extract shop.html --to csv -o shop.csv
      treelace extract shop.html --only products --columns "title=name,price,-image"
      treelace extract shop.html --example price='$275.00' --example name='Blue enamel'
      treelace extract shop.html --to html -o seen.html
      treelace extract shop.html --explain
      treelace extract pages/ --to json
      treelace extract shop.html --extractor depta --option alignment=centre
    """
    places = expand(pages)
    if box_file and (render or len(places) > 1):
        raise click.UsageError("--boxes is for one page, and without --render")
    if network and not render:
        raise click.UsageError("--network goes with --render")
    boxes = Boxes.from_json(Path(box_file).read_text(encoding="utf-8")) if box_file else None
    if extractor.name == "mdr2" and not (boxes or render):
        output.say("treelace: mdr2 without --render or --boxes is mdr")
    wanted = [name.strip() for name in columns.split(",") if name.strip()] if columns else None
    known = _examples(examples)
    kept = _Kept(region, wanted, all_columns, everything, is_json=form == "json", examples=known)
    reader = _Reader(extractor, only or "", locale, structured, url, boxes, kept)
    check_form(form, output, has_several=len(places) > 1)
    if render:
        reader = replace(reader, browser=_browser(network=network))
    answers, bad = _answers(places, reader, output, limits=limits, explain=explain)
    write_tables(answers, form, output, has_several=len(places) > 1)
    if bad is not None:
        return exit_for(bad)
    return Exit.DONE if any(answer.tables for answer in answers) else Exit.NO


def _answers(
    places: Sequence[str], reader: _Reader, output: Output, *, limits: Limits, explain: bool
) -> tuple[list[Answer], TreelaceError | OSError | None]:
    """The tables of each readable page, problems to standard error; and the last page's error."""
    answers: list[Answer] = []
    bad: TreelaceError | OSError | None = None
    for place in output.progress(places, total=len(places), label="extracting"):
        try:
            answer, tables = reader.read(place, limits=limits)
        except (TreelaceError, OSError) as error:
            if len(places) == 1 or isinstance(error, UsageError):
                raise
            bad = error
            complain(one_line(error))
            continue
        answers.append(answer)
        if remark := reader.remark(answer, tables):
            output.say(remark)
        if explain:
            for line in reader.explained(
                answer.tree, answer.tables if reader.kept.region else tables
            ):
                complain(f"{place}: {line}")
    return answers, bad


@dataclass(frozen=True, slots=True)
class _Kept:
    """Which tables and columns of what was found are asked for."""

    region: int | None
    columns: list[str] | None
    all_columns: bool
    everything: bool
    is_json: bool
    examples: dict[str, str]

    @property
    def has_unsure(self) -> bool:
        """Whether tables that a person would likely not want are among them."""
        return self.everything or self.region is not None or self.is_json or bool(self.examples)


@dataclass(frozen=True, slots=True)
class _Reader:
    """How the tables of each page are read."""

    extractor: Algorithm
    only: str
    locale: str
    structured: bool
    url: str
    boxes: Boxes | None
    kept: _Kept
    browser: Browser | None = None

    def __post_init__(self) -> None:
        extractor_named(self.extractor.name, **self.extractor.options)
        of_kind([], self.only) if self.only else None
        Locale.chosen(self.locale) if self.locale else None

    def read(self, place: str, *, limits: Limits) -> tuple[Answer, list[Table]]:
        """The tables of a page that were asked for, and all that were found."""
        tree, boxes = read_page(place, limits=limits), self.boxes
        if self.browser is not None:
            address = self.url or (place if place.startswith("http") else "")
            seen = self.browser.render(tree, url=address, limits=limits)
            tree, boxes = seen.tree, seen.boxes
        found = self._tables(tree, boxes)
        tables = found if self.kept.has_unsure or self._is_sure(found) else []
        if self.kept.examples:
            named = (table.named_by(self.kept.examples) for table in tables)
            tables = [table for table in named if table is not None]
        return Answer(place, tree, _chosen(tables, self.kept.region, self.kept.columns)), found

    def _is_sure(self, tables: list[Table]) -> bool:
        """Whether the likeliest table is likely what a person wants. What was asked for by kind or
        by another extractor is not doubted.
        """
        is_other = self.structured or self.extractor.name != DEFAULT_EXTRACTOR
        is_asked_for = self.only or is_other or self.kept.examples
        return bool(is_asked_for or (tables and tables[0].confidence >= MIN_SURE_CONFIDENCE))

    def _tables(self, tree: Tree, boxes: Boxes | None) -> list[Table]:
        if not self.structured:
            options = dict(self.extractor.options)
            if boxes and self.extractor.name in ("mdr2", "depta"):
                options["boxes"] = boxes
            if self.kept.everything and self.extractor.name == DEFAULT_EXTRACTOR:
                options.setdefault("most", MAX_TABLES_OF_ALL)
            found = extract(
                tree,
                extractor=self.extractor.name,
                only=self.only,
                locale=self.locale,
                url=self.url,
                all_columns=self.kept.all_columns,
                **options,
            )
            return self._with_data_of_scripts(found, tree)
        from treelace.extract.structured_tables import structured_tables

        tables = structured_tables(tree, url=self.url)
        tables = of_kind(tables, self.only) if self.only else tables
        return [table.with_locale(self.locale) for table in tables] if self.locale else tables

    def _with_data_of_scripts(self, found: list[Table], tree: Tree) -> list[Table]:
        """Also the tables of the JSON that a page carries for its scripts: where all are wanted,
        and where a page that shows nothing itself has nothing else. In order of confidence.
        """
        is_enough = self._is_sure(found) and not self.kept.everything
        if is_enough or self.extractor.name != DEFAULT_EXTRACTOR:
            return found
        from treelace.extract.json_tables import script_tables, tables_of_shell

        more = tables_of_shell(tree) or (script_tables(tree) if self.kept.everything else [])
        more = of_kind(more, self.only) if self.only else more
        return sorted([*found, *more], key=lambda table: -table.confidence)

    def remark(self, answer: Answer, found: list[Table]) -> str:
        """What a person should know about an answer; mostly nothing."""
        if not answer.tables:
            return f"treelace: {answer.page}: {_why_none(answer.tree, found, self)}"
        confidence = answer.tables[0].confidence
        if self.kept.region is not None or self._is_sure(answer.tables):
            return ""
        return (
            f"{answer.page}: not sure of this table ({confidence:.2f}); the page may have no list,"
            " --explain says more"
        )

    def explained(self, tree: Tree, tables: list[Table]) -> list[str]:
        from treelace.extract.explain import explained

        return explained(
            tree,
            tables,
            by_records=self.extractor.name == DEFAULT_EXTRACTOR and not self.structured,
        )


def _browser(*, network: bool) -> Browser:
    """A browser that runs until the command ends; what pages load passes the same guard."""
    context = click.get_current_context()
    if not network:
        return context.with_resource(Browser())
    from treelace.crawl.gate import Gate
    from treelace.crawl.guard import Guard

    gate = context.with_resource(Gate(Guard(allow_private=bool(context.meta.get(ALLOW_PRIVATE)))))
    return context.with_resource(Browser(visitor=Visitor(proxy=gate.url, sees_pictures=True)))


def _chosen(tables: list[Table], region: int | None, columns: list[str] | None) -> list[Table]:
    if region is not None:
        tables = tables[region - 1 : region]
    if columns is not None:
        tables = [table.choose(columns) for table in tables[:1]]
    return tables


def _examples(given: Sequence[str]) -> dict[str, str]:
    """`price=$275.00` as name and value."""
    pairs = dict(one.partition("=")[::2] for one in given)
    if not all(name.strip() and value.strip() for name, value in pairs.items()):
        raise click.UsageError("--example is NAME=VALUE: --example price='$275.00'")
    return {name.strip(): value for name, value in pairs.items()}


def _why_none(tree: Tree, found: list[Table], reader: _Reader) -> str:
    if found and reader.kept.examples:
        return f"no table has these values: {', '.join(reader.kept.examples.values())}"
    if found and reader.kept.region is not None:
        return f"no table {reader.kept.region}: there are {len(found)}"
    if found:
        return (
            "no list that a person would want: what repeats here is likely navigation"
            f" (the likeliest has a confidence of {found[0].confidence:.2f}); --all shows it"
        )
    if reader.structured:
        return "no structured data found"
    if reader.only and (others := len(extract(tree, extractor=reader.extractor.name))):
        return (
            f"no repeated structure found that looks like {reader.only} ({others} of other kinds)"
        )
    from treelace.extract.explain import no_table_because

    reason = no_table_because(tree)
    return "no repeated structure found" + (f": {reason}" if reason else "")


@click.command("extractors")
@click.argument("name", required=False)
@form_option(["text", "json"], "text", "How to write the list.")
@common_options
def extractors_command(*, name: str | None, form: str, output: Output, limits: Limits) -> None:
    """The extractors there are, with one line each, the default marked with a star.

    \b
    Examples:
      treelace extractors
      treelace extractors mdr   (its definition, and its options with their defaults)
      treelace extractors --to json
    """
    write_family(EXTRACTORS, DEFAULT_EXTRACTOR, form, output, what="extractor", name=name)
