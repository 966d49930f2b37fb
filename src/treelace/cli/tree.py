"""`treelace parse` and `treelace select`: one document, looked at."""

from __future__ import annotations

import json
from typing import Any

import click

from treelace.cli.common import Output
from treelace.cli.exits import Exit
from treelace.cli.options import Read, document_options, form_option, option
from treelace.limits import Limits
from treelace.tree import Node, Tree

FORMS = ("outline", "html", "xml", "c14n", "json")


@click.command("parse")
@click.argument("file", metavar="FILE")
@form_option(FORMS, "outline", "How to write the tree.")
@option("--c14n", "Which Canonical XML.", click.Choice(["1.0", "1.1", "exclusive"]), default="1.1")
@option("--no-comments", "Leave comments out of Canonical XML.")
@option("--problems", "Also say on standard error what the parser had to mend.")
@document_options
def parse_command(
    *,
    file: str,
    form: str,
    c14n: str,
    no_comments: bool,
    problems: bool,
    read: Read,
    output: Output,
    limits: Limits,
) -> None:
    """The tree of a document: FILE, - for standard input, or a URL; .gz and .zst are unpacked.

    \b
    Examples:
      treelace parse page.html                      outline for people
      treelace parse page.html.gz --to html         the page as a browser would write it
      treelace parse feed.xml --to c14n -o feed.c14n
      treelace parse https://example.org/ --problems
      curl -s https://example.org | treelace parse -
    """
    tree = read(file)
    if problems:
        for problem in tree.problems:
            output.say(f"{file}:{problem.line}: {problem.message}")
        if tree.problem_count > len(tree.problems):
            output.say(f"{file}: and {tree.problem_count - len(tree.problems):,} more")
    if form == "c14n":
        output.write(
            tree.to_c14n(
                version="1.0" if c14n == "1.0" else "1.1",
                exclusive=c14n == "exclusive",
                comments=not no_comments,
                on_invalid="replace",
            )
        )
    else:
        output.write(tree_in(tree, form, limits))


def tree_in(tree: Tree, form: str, limits: Limits) -> str | bytes:
    """A tree in one of the forms in which commands write it."""
    match form:
        case "html":
            return tree.to_html_bytes(limits=limits)
        case "xml":
            # what HTML has and XML has not is replaced as the HTML standard says; an XML tree has
            # nothing of that
            return tree.to_xml(on_invalid="replace") + "\n"
        case "c14n":
            return tree.to_c14n(on_invalid="replace")
        case "json":
            return tree.to_json() + "\n"
        case "text":
            return tree.document.text + "\n"
    return tree.to_outline() + "\n"


@click.command("select")
@click.argument("file", metavar="FILE")
@click.argument("expression", metavar="EXPR")
@option("--xpath as is_xpath", "EXPR is XPath 1.0; without it, CSS.")
@option("--namespace PREFIX=URI as namespaces", "A prefix used in EXPR.", multiple=True)
@form_option(["text", "html", "json"], "text", "How to write the nodes.")
@document_options
def select_command(
    *,
    file: str,
    expression: str,
    is_xpath: bool,
    namespaces: tuple[str, ...],
    form: str,
    read: Read,
    output: Output,
    limits: Limits,
) -> Exit:
    """Nodes of FILE that match EXPR, in document order; like browsers, not inside `template`. Exit
    1 where nothing matches.

    \b
    Examples:
      treelace select page.html "article > h2 a[href]"
      treelace select page.html --xpath "//a/@href"
      treelace select page.html --xpath "count(//table)"
      treelace select feed.xml --xpath "//a:entry/a:title" --namespace a=http://www.w3.org/2005/Atom
      treelace select page.html "td.price" --to json
    """
    tree = read(file)
    if is_xpath:
        prefixes = dict(_prefix(pair) for pair in namespaces)
        found = tree.select_xpath(expression, namespaces=prefixes, limits=limits)
    else:
        found = tree.select(expression, limits=limits)
    if not isinstance(found, list):
        output.write(json.dumps(found) + "\n" if form == "json" else f"{_scalar(found)}\n")
        return Exit.DONE if found or not isinstance(found, bool) else Exit.NO
    if form == "json":
        output.write(
            json.dumps([_as_json(item) for item in found], ensure_ascii=False, indent=1) + "\n"
        )
    elif form == "html":
        output.write("".join(_as_markup(item) + "\n" for item in found))
    else:
        output.write("".join(" ".join(_as_text(item).split()) + "\n" for item in found))
    return Exit.DONE if found else Exit.NO


def _prefix(pair: str) -> tuple[str, str]:
    prefix, equals, uri = pair.partition("=")
    if not prefix or not equals:
        raise click.UsageError(f"--namespace is PREFIX=URI, not '{pair}'")
    return prefix, uri


def _scalar(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def _as_text(item: Node | str) -> str:
    return item if isinstance(item, str) else item.text


def _as_markup(item: Node | str) -> str:
    return (
        item
        if isinstance(item, str)
        else item.to_html()
        if item.tree.format == "html"
        else item.to_xml()
    )


def _as_json(item: Node | str) -> Any:
    if isinstance(item, str):
        return item
    row: dict[str, Any] = {
        "node": item.element_index,
        "tag": item.tag,
        "xpath": item.xpath,
        "line": item.line,
    }
    if item.is_element:
        row["attributes"] = item.attributes
    row["text"] = item.text
    return row
