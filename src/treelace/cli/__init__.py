"""The program `treelace`; each group of commands is a file loaded when called, for speed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

from treelace import __version__
from treelace.cli.exits import Exit, complain, exit_for, one_line

# what one comes for → command → module of this package, one line of help
SECTIONS = {
    "A page": {
        "extract": ("extract", "The tables of a page."),
        "wrap": ("wrap", "How to read one kind of page: learnt, applied, checked, repaired."),
        "select": ("tree", "Nodes of a document, by CSS or XPath."),
        "parse": ("tree", "The tree of a document."),
    },
    "A site": {
        "init": ("site", "A site: a folder with settings and a store."),
        "crawl": ("crawl", "Fetch a site: what changed, classes, records."),
        "classes": ("classes", "The page classes of a site."),
        "records": ("records", "The records of a site, today or in the past."),
        "sql": ("records", "A query over the tables of a site."),
        "subscribe": ("monitor", "Say what you want to be told of."),
        "alerts": ("monitor", "What was told, and the rules."),
        "inbox": ("inbox", "Cells that changed, one by one; and what is noise."),
        "watch": ("monitor", "Keep an eye on a site."),
        "repair": ("classes", "Re-attach wrappers after a redesign."),
        "studio": ("studio", "Sites in a browser: tables, their past, what changed, alerts."),
        "mcp": ("mcp", "Sites for an assistant, by the Model Context Protocol."),
    },
    "Many sites, many workers": {
        "import-watches": ("watch_lists", "Take over a watch list of another program."),
        "compare-sites": ("watch_lists", "The same item on several sites."),
        "sites": ("sites", "The sites of one PostgreSQL database."),
        "worker": ("sites", "Serve the sites of a database that are due."),
        "workers": ("sites", "Who serves which site, and what waits."),
    },
    "What a site keeps": {
        "status": ("maintenance", "A site at a glance."),
        "check": ("site", "Are a site's settings and store fine?"),
        "import": ("site", "Pages into a site, from a folder or a WARC file."),
        "pages": ("site", "The pages of a site."),
        "log": ("versions", "The versions of a page."),
        "show": ("versions", "A version of a page."),
        "changes": ("changes", "What became of records: new, changed, gone."),
        "explain": ("changes", "Where the value of a cell comes from."),
        "history": ("versions", "What a node or a cell was, through all versions."),
        "fetches": ("maintenance", "The log of fetches, and what failed."),
        "verify": ("maintenance", "Is every version of a site whole?"),
        "gc": ("maintenance", "What retention allows to remove."),
        "forget": ("maintenance", "Removes a page for good."),
        "export": ("maintenance", "A whole site, into another store or a file."),
    },
    "Two versions": {
        "diff": ("diff", "What changed from one version to the other."),
        "apply": ("diff", "The document that a delta makes of another."),
        "invert": ("diff", "The delta that leads back."),
        "compose": ("diff", "Two deltas as one."),
        "merge": ("diff", "The changes of two versions in one document."),
        "git-diff": ("git", "What git calls to show a change."),
        "match": ("matching", "Which node of one version is which of the other."),
    },
    "Many pages": {
        "similarity": ("similarity", "How alike two pages are."),
        "matrix": ("similarity", "Similarities of all pairs of pages."),
        "cluster": ("clustering", "Pages that are alike, together."),
        "classify": ("clustering", "The class of each page, learnt from examples."),
        "index": ("index", "Pages by their structure: like this one, or containing this."),
        "bulk": ("bulk", "Archives of any size into tables: WARC, Parquet, folders."),
    },
    "What there is, and what to try it on": {
        "demo": ("demo", "The whole story on a small site of our own making."),
        "extractors": ("extract", "The extractors there are."),
        "matchers": ("matching", "The matchers there are."),
        "measures": ("similarity", "The measures there are."),
        "mutate": ("matching", "Changed versions of a page, with the true matching."),
        "simulate": ("simulate", "A changed version of a document, with its perfect delta."),
        "completion": ("completion", "A script that teaches your shell to complete treelace."),
    },
}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


class _LazyGroup(click.Group):
    """Commands by name; a command's module is imported when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"treelace.cli.{COMMANDS[cmd_name][0]}")
        name = cmd_name.replace("-", "_")
        found: click.Command = getattr(module, f"{name}_command", None) or getattr(
            module, f"{name}_group"
        )
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS)) + 2
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width - 2), about) for name, (_, about) in section.items()]
                )

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
