"""`treelace wrap learn | apply | check | repair`: how to read one kind of page, kept in a file."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from treelace.cli.common import Output, expand, read_page
from treelace.cli.exits import Exit, complain, exit_for, one_line
from treelace.cli.options import common_options, form_option
from treelace.cli.tables import TABLE_FORMS, Answer, check_form, write_tables
from treelace.errors import TreelaceError, WrapperError
from treelace.limits import Limits
from treelace.wrappers import Wrapper


@click.group("wrap")
def wrap_group() -> None:
    """Wrappers: how to read one kind of page, learnt from pages and kept in a readable file.

    \b
    Examples:
      treelace wrap learn list.html -o shop.json
      treelace wrap learn product1.html product2.html product3.html -o product.json
      treelace wrap apply product.json other.html --to json
      treelace wrap check product.json pages/
      treelace wrap repair shop.json --old monday.html --new tuesday.html -o shop2.json
    """


class _Pair(click.ParamType[tuple[str, str]]):
    name = "name=value"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, sign, rest = str(value).partition("=")
        if not sign or not name.strip() or not rest.strip():
            self.fail(f"'{value}' has no name or no value: write NAME=VALUE", param, ctx)
        return name.strip(), rest.strip()


@wrap_group.command("learn")
@click.argument("pages", nargs=-1, required=True)
@click.option(
    "--example",
    "examples",
    multiple=True,
    type=_Pair(),
    metavar="NAME=TEXT",
    help="A value on the first page; its column gets the name.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    type=_Pair(),
    metavar="NAME=SELECTOR",
    help="A column by hand: css:… or xpath:…, inside a record.",
)
@click.option(
    "--list", "kind", flag_value="list", help="The pages are lists, whatever they look like."
)
@click.option(
    "--detail", "kind", flag_value="detail", help="Each page is one record, whatever it looks like."
)
@common_options
def learn_command(
    *,
    pages: tuple[str, ...],
    examples: tuple[tuple[str, str], ...],
    columns: tuple[tuple[str, str], ...],
    kind: str | None,
    output: Output,
    limits: Limits,
) -> Exit:
    """A wrapper from PAGES (files, folders, -) of one kind: from one list page, or from several
    detail pages.

    Several pages are read as detail pages unless most show the same list; --list and
    --detail say it instead.

    \b
    Examples:
      treelace wrap learn list.html -o shop.json
      treelace wrap learn product*.html -o product.json
      treelace wrap learn list.html --example price=19.99 --column stock=css:.stock -o shop.json
    """
    trees = [read_page(place, limits=limits) for place in expand(pages)]
    wrapper = Wrapper.learn(
        trees,
        examples=dict(examples),
        columns=dict(columns),
        kind=kind or "auto",  # type: ignore[arg-type]
        limits=limits,
    )
    output.write(wrapper.to_json())
    output.say(f"treelace: {repr(wrapper)[1:-1]}")
    return Exit.DONE


@wrap_group.command("apply")
@click.argument("wrapper", metavar="W.json")
@click.argument("pages", nargs=-1, required=True)
@click.option("--force", is_flag=True, help="Apply it to pages of another class too.")
@click.option(
    "--region", type=click.IntRange(1), metavar="N", help="Only the N-th table of each page."
)
@click.option(
    "--url", default="", metavar="URL", help="The page's own address, to resolve its links."
)
@form_option(TABLE_FORMS, "table", "How to write it.")
@common_options
def apply_command(
    *,
    wrapper: str,
    pages: tuple[str, ...],
    force: bool,
    region: int | None,
    url: str,
    form: str,
    output: Output,
    limits: Limits,
) -> Exit:
    """The tables of PAGES (files, folders, -) by the wrapper W.json. Forms as in `treelace
    extract`.

    A page of another class is refused and named, the others are done; exit code 1 then, or where no
    record was found.

    \b
    Examples:
      treelace wrap apply shop.json list2.html
      treelace wrap apply product.json pages/ --to csv -o products.csv
    """
    reader = Wrapper.load(wrapper)
    places = expand(pages)
    check_form(form, output, has_several=len(places) > 1)
    answers: list[Answer] = []
    bad: TreelaceError | OSError | None = None
    is_refused = False
    for place in output.progress(places, total=len(places), label="applying"):
        try:
            tree = read_page(place, limits=limits)
            tables = reader.apply(tree, force=force, url=url, limits=limits)
        except WrapperError as error:
            complain(f"treelace: {place}: {str(error).replace('with force', 'with --force')}")
            is_refused = True
            continue
        except (TreelaceError, OSError) as error:
            if len(places) == 1:
                raise
            bad = error
            complain(one_line(error))
            continue
        answers.append(
            Answer(place, tree, tables if region is None else tables[region - 1 : region])
        )
    write_tables(answers, form, output, has_several=len(places) > 1)
    if bad is not None:
        return exit_for(bad)
    return (
        Exit.DONE
        if not is_refused and any(table.cells for answer in answers for table in answer.tables)
        else Exit.NO
    )


@wrap_group.command("check")
@click.argument("wrapper", metavar="W.json")
@click.argument("pages", nargs=-1, required=True)
@form_option(["text", "json"], "text", "How to write it.")
@common_options
def check_command(
    *, wrapper: str, pages: tuple[str, ...], form: str, output: Output, limits: Limits
) -> Exit:
    """Whether the wrapper W.json still finds on PAGES (files, folders, -) what it found when it was
    learnt.

    Coverage of the pages, number of records, empty columns, values that do not read as their type.
    Exit code 1: something is wrong.

    \b
    Examples:
      treelace wrap check shop.json today.html
      treelace wrap check product.json pages/ --to json
    """
    health = Wrapper.load(wrapper).check(
        [read_page(place, limits=limits) for place in expand(pages)], limits=limits
    )
    if form == "json":
        output.write(
            json.dumps({"healthy": health.is_fine} | asdict(health), ensure_ascii=False) + "\n"
        )
    else:
        output.write(f"{health}\n")
    return Exit.DONE if health.is_fine else Exit.NO


@wrap_group.command("repair")
@click.argument("wrapper", metavar="W.json")
@click.option(
    "--old",
    "olds",
    multiple=True,
    metavar="PAGE",
    help=(
        "A page as it was, which the wrapper reads; without it the evidence rows of the wrapper"
        " must do."
    ),
)
@click.option(
    "--new",
    "news",
    multiple=True,
    required=True,
    metavar="PAGE",
    help="The same page after the redesign. Of detail pages several pairs help.",
)
@click.option(
    "--explain", is_flag=True, help="Say for each column why it was taken over or left out."
)
@click.option(
    "--table",
    "table_path",
    metavar="FILE",
    help="Also write the records of the new page there, as `apply --to json` does.",
)
@common_options
def repair_command(
    *,
    wrapper: str,
    olds: tuple[str, ...],
    news: tuple[str, ...],
    explain: bool,
    table_path: str | None,
    output: Output,
    limits: Limits,
) -> Exit:
    """The wrapper W.json re-attached to a redesigned page, written as a new file.

    Columns that cannot be proved are left out and named on standard error. Exit code 1: at least
    one was, or nothing could be proved.

    \b
    Examples:
      treelace wrap repair shop.json --old monday.html --new tuesday.html -o shop2.json
      treelace wrap repair shop.json --new tuesday.html --explain -o shop2.json
      treelace wrap repair product.json --old a.html --new a2.html --old b.html --new b2.html -o
      product2.json
    """
    before = [read_page(place, limits=limits) for place in olds] or None
    repair = Wrapper.load(wrapper).repair(
        before, [read_page(place, limits=limits) for place in news], limits=limits
    )
    if repair.wrapper is not None:
        output.write(repair.wrapper.to_json())
    if table_path is not None:
        regions = [repair.table.to_json()] if repair.table is not None else []
        Output(table_path).write(json.dumps({"regions": regions}, ensure_ascii=False) + "\n")
    if explain:
        complain(str(repair))
    else:
        for column in repair.columns:
            if not column.is_restored:
                output.say(f"treelace: {column.name}: {'; '.join(column.reasons)}")
    if repair.wrapper is None:
        output.say("treelace: nothing could be proved; learn the wrapper anew")
        return Exit.NO
    return Exit.DONE if all(column.is_restored for column in repair.columns) else Exit.NO
