"""The program `treelace`; each group of commands is a file loaded when called, for speed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

from treelace import __version__
from treelace.cli.exits import Exit, complain, exit_for, one_line

# command → module, attribute, one line of help
COMMANDS = {
    "parse": ("treelace.cli.tree", "parse_command", "The tree of a document."),
    "select": ("treelace.cli.tree", "select_command", "Nodes of a document, by CSS or XPath."),
    "diff": ("treelace.cli.diff", "diff_command", "What changed from one version to the other."),
    "apply": ("treelace.cli.diff", "apply_command", "The document that a delta makes of another."),
    "invert": ("treelace.cli.diff", "invert_command", "The delta that leads back."),
    "compose": ("treelace.cli.diff", "compose_command", "Two deltas as one."),
    "merge": ("treelace.cli.diff", "merge_command", "The changes of two versions in one document."),
    "git-diff": ("treelace.cli.git", "git_diff_command", "What git calls to show a change."),
    "match": (
        "treelace.cli.matching",
        "match_command",
        "Which node of one version is which of the other.",
    ),
    "matchers": ("treelace.cli.matching", "matchers_command", "The matchers there are."),
    "mutate": (
        "treelace.cli.matching",
        "mutate_command",
        "Changed versions of a page, with the true matching.",
    ),
    "simulate": (
        "treelace.cli.simulate",
        "simulate_command",
        "A changed version of a document, with its perfect delta.",
    ),
    "similarity": ("treelace.cli.similarity", "similarity_command", "How alike two pages are."),
    "measures": ("treelace.cli.similarity", "measures_command", "The measures there are."),
    "matrix": ("treelace.cli.similarity", "matrix_command", "Similarities of all pairs of pages."),
    "cluster": ("treelace.cli.classes", "cluster_command", "Pages that are alike, together."),
    "classify": (
        "treelace.cli.classes",
        "classify_command",
        "The class of each page, learnt from examples.",
    ),
    "index": (
        "treelace.cli.index",
        "index_group",
        "Pages by their structure: like this one, or containing this.",
    ),
    "extract": ("treelace.cli.extract", "extract_command", "The tables of a page."),
    "extractors": ("treelace.cli.extract", "extractors_command", "The extractors there are."),
    "wrap": (
        "treelace.cli.wrap",
        "wrap_group",
        "How to read one kind of page: learnt, applied, checked, repaired.",
    ),
    "init": ("treelace.cli.site", "init_command", "A site: a folder with settings and a store."),
    "check": ("treelace.cli.site", "check_command", "Are a site's settings and store fine?"),
    "import": (
        "treelace.cli.site",
        "import_command",
        "Pages into a site, from a folder or a WARC file.",
    ),
    "pages": ("treelace.cli.site", "pages_command", "The pages of a site."),
    "log": ("treelace.cli.versions", "log_command", "The versions of a page."),
    "history": (
        "treelace.cli.versions",
        "history_command",
        "What a node or a cell was, through all versions.",
    ),
    "records": (
        "treelace.cli.records",
        "records_command",
        "The records of a site, today or in the past.",
    ),
    "sql": ("treelace.cli.records", "sql_command", "A query over the tables of a site."),
    "show": ("treelace.cli.versions", "show_command", "A version of a page."),
    "gc": ("treelace.cli.maintenance", "gc_command", "What retention allows to remove."),
    "forget": ("treelace.cli.maintenance", "forget_command", "Removes a page for good."),
    "export": (
        "treelace.cli.maintenance",
        "export_command",
        "A whole site, into another store or a file.",
    ),
    "verify": ("treelace.cli.maintenance", "verify_command", "Is every version of a site whole?"),
    "crawl": (
        "treelace.cli.crawl",
        "crawl_command",
        "Fetch a site: what changed, classes, records.",
    ),
    "classes": ("treelace.cli.crawl", "classes_group", "The page classes of a site."),
    "repair": ("treelace.cli.crawl", "repair_command", "Re-attach wrappers after a redesign."),
    "subscribe": ("treelace.cli.monitor", "subscribe_command", "Say what you want to be told of."),
    "alerts": ("treelace.cli.monitor", "alerts_group", "What was told, and the rules."),
    "watch": ("treelace.cli.monitor", "watch_command", "Keep an eye on a site."),
    "completion": (
        "treelace.cli.completion",
        "completion_command",
        "A script that teaches your shell to complete treelace.",
    ),
    "demo": (
        "treelace.cli.demo",
        "demo_command",
        "The whole story on a small site of our own making.",
    ),
}


SECTIONS = {
    "A page": ["extract", "wrap", "select", "parse"],
    "A site": [
        "init",
        "crawl",
        "classes",
        "records",
        "sql",
        "subscribe",
        "alerts",
        "watch",
        "repair",
    ],
    "What a site keeps": [
        "check",
        "import",
        "pages",
        "log",
        "show",
        "history",
        "verify",
        "gc",
        "forget",
        "export",
    ],
    "Two versions": ["diff", "apply", "invert", "compose", "merge", "git-diff", "match"],
    "Many pages": ["similarity", "matrix", "cluster", "classify", "index"],
    "What there is, and what to try it on": [
        "demo",
        "extractors",
        "matchers",
        "measures",
        "mutate",
        "simulate",
        "completion",
    ],
}
"""The commands as `--help` shows them, by what one comes for."""


class _LazyGroup(click.Group):
    """Commands by name; a command's module is imported when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS)) + 2
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width - 2), COMMANDS[name][2]) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean '{near[0]}'?" if near else "`treelace --help` lists the commands."
            raise click.UsageError(f"no command '{args[0]}': {hint}", ctx) from error


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    no_args_is_help=True,
)
@click.version_option(__version__, prog_name="treelace")
def program() -> None:
    """Treelace turns web sites into tables with a history.

    \b
    Examples:
      treelace extract page.html                      the table on a page
      treelace diff old.html new.html                 what changed
      treelace init shop https://shop.example/        a site to be watched
      treelace demo                                   see it work

    Exit codes: 0 done; 1 done, and the answer is no; 2 wrong use; 3 bad input; 4 a limit was
    reached; 5 the store or the network failed; 130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program; a failure is one line on standard error and an exit code (`--debug`)."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    is_debug = "--debug" in arguments
    try:
        code = program.main(args=arguments, prog_name="treelace", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = Exit.WRONG_USE
    except Exception as error:
        if is_debug and not isinstance(error, click.ClickException):
            raise
        complain(one_line(error))
        code = exit_for(error)
    except KeyboardInterrupt:
        click.echo("treelace: interrupted", err=True)
        code = Exit.INTERRUPTED
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_stdout()
    sys.exit(code if isinstance(code, int) else Exit.DONE)


def _give_up_stdout() -> None:
    """The reader has gone (`| head`): nothing more can be said there, and that is no failure."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
