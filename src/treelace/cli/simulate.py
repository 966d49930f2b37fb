"""`treelace simulate`: a changed version of a document, with its perfect delta."""

from __future__ import annotations

from pathlib import Path

import click

from treelace.cli.common import Output, read_page
from treelace.cli.options import folder_options, option
from treelace.limits import Limits

_CHANCE = click.FloatRange(0, 1)


@click.command("simulate")
@click.argument("file")
@option(
    "--delete P",
    "Chance of each node to be deleted with all that is below it.",
    _CHANCE,
    default=0.1,
)
@option("--update P", "Chance of each text to be replaced.", _CHANCE, default=0.1)
@option("--insert P", "Chance of each element to get a new child.", _CHANCE, default=0.1)
@option("--move P", "Chance of each node to be moved.", _CHANCE, default=0.1)
@option("--seed", "The same seed, the same changes.", int, default=0)
@folder_options
def simulate_command(
    *,
    file: str,
    delete: float,
    update: float,
    insert: float,
    move: float,
    seed: int,
    folder: Path,
    output: Output,
    limits: Limits,
) -> None:
    """A changed version of the XML document FILE, with its perfect delta.

    \b
    Writes old.xml, new.xml and perfect.delta.xml, which turns the one into the other.
    Examples:
      treelace simulate catalogue.xml -o changed --seed 7
      treelace simulate catalogue.xml -o changed --delete 0.01 --update 0.03 --insert 0.01 --move 0
    """
    from treelace.testing.simulate import Chances, simulate

    made = simulate(
        read_page(file, limits=limits),
        Chances(delete=delete, update=update, insert=insert, move=move),
        seed=seed,
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "old.xml").write_text(made.old.to_xml(), encoding="utf-8", newline="")
    (folder / "new.xml").write_text(made.new.to_xml(), encoding="utf-8", newline="")
    (folder / "perfect.delta.xml").write_text(made.delta.to_xml(), encoding="utf-8", newline="")
