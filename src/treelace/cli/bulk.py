"""`treelace bulk`: archives of any size into tables."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from treelace.bulk.model import STAGE_NAMES
from treelace.cli.common import Output
from treelace.cli.exits import Exit
from treelace.cli.options import common_options, option

if TYPE_CHECKING:
    from treelace.bulk.progress import Progress
    from treelace.limits import Limits

SECONDS_BETWEEN = 1.0
"""Between two lines of progress on a terminal."""


@click.command("bulk")
@click.argument("places", nargs=-1, required=True, metavar="ARCHIVES…")
@option(
    "--into FOLDER as out", "Where the tables go: a folder, or s3://… and the like.", required=True
)
@option(
    "--on ENGINE",
    "Who does the work: threads, processes, dask, or tcp://… of a running scheduler.",
    default="processes",
)
@option(
    "--across-hosts", "Also learn from pages of several hosts, and find templates that hosts share."
)
@option(
    "--since FOLDER",
    "Go on from a finished run: keep its classes, and tell what changed since.",
)
@option("--workers N", "So many at once; default: one for each core.", click.IntRange(min=1))
@option(
    "--until",
    "Stop after this stage; the same command without it goes on.",
    click.Choice(STAGE_NAMES),
)
@option(
    "--page-seconds S as seconds",
    "Set a page aside that takes longer.",
    click.FloatRange(min=1),
    default=300.0,
)
@option(
    "--worker-memory MB as memory",
    "Set a page aside for which a worker needs more.",
    click.IntRange(min=64),
    default=1024,
)
@common_options
def bulk_command(
    *,
    places: tuple[str, ...],
    out: str,
    on: str,
    workers: int | None,
    until: str | None,
    across_hosts: bool,
    since: str | None,
    seconds: float,
    memory: int,
    output: Output,
    limits: Limits,
) -> int:
    """Turn archives of any size into tables, as data sets of Parquet.

    ARCHIVES are WARC and WACZ files, Parquet or Arrow files with the columns url, time and html,
    and folders; here, or in object storage (s3://…, with the extra [cluster]). Into FOLDER go
    pages, classes, records (one value a row), wide (one data set a class), changes and problems. A
    run that was stopped goes on where it was.

    \b
    Examples:
      treelace bulk pages.warc.gz --into tables
      treelace bulk archive/ --into tables --workers 4
      treelace bulk april.warc.gz --into april --since march
      treelace bulk s3://crawl/2026/ --into s3://tables/2026 --on tcp://scheduler:8786
    """
    from treelace.bulk import BulkSettings, run_bulk
    from treelace.bulk.guard import Bounds

    settings = BulkSettings(
        on=on,
        workers=workers,
        until=until or STAGE_NAMES[-1],
        across_hosts=across_hosts,
        since=since or "",
        bounds=Bounds(seconds, memory * 2**20),
        limits=limits,
    )
    try:
        done = run_bulk(places, out, settings, tell=_Teller(output).tell)
    except KeyboardInterrupt:
        output.say("stopped; the same command goes on from here")
        raise
    for note in done.notes:
        output.say(note)
    counts, problems = done.counts, done.problems
    words = [f"{counts[name]:,} {name}" for name in _NAMES if name in counts]
    lines = [f"{', '.join(words) or 'nothing yet'}; {done.seconds:.1f} s, {done.tasks:,} tasks"]
    lines[0] += f", {done.known:,} done before" if done.known else ""
    if problems:
        told = ", ".join(f"{count:,} {reason}" for reason, count in sorted(problems.items()))
        lines.append(f"problems: {told}; {out}/problems has a line for each")
    output.write("\n".join(lines) + "\n")
    return Exit.DONE


_NAMES = ("pages", "classes", "templates", "records", "changes")


class _Teller:
    """Progress for a person: a line that changes on a terminal, else one at the end of a stage."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._last = 0.0

    def tell(self, progress: Progress) -> None:
        """Says how far a stage is."""
        if not progress.tasks:
            return
        if progress.is_over:
            clear = "\r\x1b[K" if self._output.shows_progress else ""
            click.echo(clear, nl=False, err=True)
            self._output.explain(str(progress))
        elif self._output.shows_progress and time.monotonic() - self._last > SECONDS_BETWEEN:
            self._last = time.monotonic()
            click.echo(f"\r\x1b[K{progress}", nl=False, err=True)
            sys.stderr.flush()
