"""`treelace inbox`: cells that changed, until someone has dealt with them; and what is noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output
from treelace.cli.options import TABLE_FORMS, ListsByDefault, form_option, option, with_site

if TYPE_CHECKING:
    from treelace.site import Site

LIKES = ("record", "numbers", "any")


@click.group("inbox", cls=ListsByDefault)
def inbox_group() -> None:
    """Cells that changed, newest first: list (what it does where no command is named), done,
    reopen, noise, noises.

    \b
    Examples:
      treelace inbox --site shop
      treelace inbox done 3f1c09a2b6d4 --site shop
      treelace inbox noise 3f1c09a2b6d4 --try --site shop
    """


@inbox_group.command("list")
@option("--most N", "So many changes.", click.IntRange(1), default=50)
@form_option(TABLE_FORMS, "table", "How to write them.")
@with_site(read_only=True)
def list_command(*, most: int, form: str, site: Site, output: Output) -> None:
    """Cells that changed and that nobody has dealt with."""
    found = site.inbox(limit=most)
    output.write(found.written(form))
    if found.hidden:
        output.say(f"{found.hidden:,} changes are hidden as noise: `treelace inbox noises`")
    if found.is_more:
        output.say("there are older ones: --most")


@inbox_group.command("done")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@with_site()
def done_command(*, ids: tuple[str, ...], site: Site, output: Output) -> None:
    """Says that changes have been dealt with."""
    output.say(str(site.inbox_done(*ids)))


@inbox_group.command("reopen")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@with_site()
def reopen_command(*, ids: tuple[str, ...], site: Site, output: Output) -> None:
    """Puts changes back into the inbox."""
    output.say(str(site.inbox_reopen(*ids)))


@inbox_group.command("noise")
@click.argument("id_", metavar="ID")
@option(
    "--like WHAT",
    "What it stands for: record (this cell), numbers (only numbers differ), any (the column).",
    click.Choice(LIKES),
)
@option("--try as is_trial", "Only say what it would hide; keep nothing.")
@with_site()
def noise_command(
    *, id_: str, like: str | None, is_trial: bool, site: Site, output: Output
) -> None:
    """Says that a change is noise: such changes are in no inbox and no alert from now on. It is
    kept in treelace.toml, [[noise]].

    \b
    Examples:
      treelace inbox noise 3f1c09a2b6d4 --try --site shop
      treelace inbox noise 3f1c09a2b6d4 --like numbers --site shop
    """
    trials = site.noise_like(id_)
    by_word = {"record" if it.noise.key else it.noise.like or "any": it for it in trials}
    if like is not None and like not in by_word:
        raise click.UsageError(f"--like {like} does not fit this change: {', '.join(by_word)}")
    if is_trial:
        for word, trial in by_word.items():
            if like in (None, word):
                output.write(f"--like {word}: {trial}\n")
        return
    chosen = (
        by_word[like]
        if like
        else next(by_word[word] for word in ("numbers", "any") if word in by_word)
    )
    output.write(f"{site.keep_noise(chosen.noise)}\n")


@inbox_group.command("noises")
@option("--forget N", "Show such changes again, by the number in this list.", click.IntRange(1))
@form_option(TABLE_FORMS, "table", "How to write them.")
@with_site()
def noises_command(*, forget: int | None, form: str, site: Site, output: Output) -> None:
    """What is noise, as someone said; numbered from 1."""
    found = site.noise()
    if forget is None:
        output.write(found.written(form))
        return
    if forget > len(found):
        raise click.UsageError(f"there are only {len(found)}")
    output.say(str(site.drop_noise(found.items[forget - 1])))
