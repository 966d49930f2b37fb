"""`treelace sites`, `worker`, `workers`: many sites in one PostgreSQL database."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treelace.cli.common import Output, allows_private
from treelace.cli.exits import Exit
from treelace.cli.options import (
    TABLE_FORMS,
    F,
    ListsByDefault,
    common_options,
    form_option,
    option,
)

if TYPE_CHECKING:
    from treelace.limits import Limits


def _store_option(command: F) -> F:
    about = "The database: postgresql://…, or env:NAME, a variable of the environment."
    return option("--store URL", about, required=True)(common_options(command))


@click.group("sites", cls=ListsByDefault)
def sites_group() -> None:
    """The sites of one PostgreSQL database. Every other command takes one as --site URL#NAME, and
    `treelace worker` serves them.

    \b
    Examples:
      treelace sites add https://shop.example/ --store postgresql://localhost/shops
      treelace sites list --store postgresql://localhost/shops
      treelace records product --site postgresql://localhost/shops#shop.example
    """


@sites_group.command("add")
@click.argument("url")
@option("--name", "What to call it; default: its host.", str)
@option("--settings FILE", "Its treelace.toml; the address in it is replaced by URL.", str)
@option(
    "--every",
    "Seconds from one round to the next; a tenth more or less by chance.",
    click.FloatRange(0, min_open=True),
    default=3600.0,
)
@_store_option
def add_command(
    *,
    url: str,
    name: str | None,
    settings: str | None,
    every: float,
    store: str,
    output: Output,
    limits: Limits,
) -> None:
    """Adds a site that begins at URL; workers serve it at once.

    \b
    Examples:
      treelace sites add https://shop.example/ --store postgresql://localhost/shops
      treelace sites add https://shop.example/ --settings shop.toml --every 900 --store env:SHOPS
    """
    del limits
    from treelace.site.sites import add_site

    text = Path(settings).read_text(encoding="utf-8") if settings else None
    output.say(str(add_site(store, url, name=name, settings=text, every=every)))


@sites_group.command("list")
@form_option(TABLE_FORMS, "table", "How to write them.")
@_store_option
def list_command(*, form: str, store: str, output: Output, limits: Limits) -> None:
    """The sites of a database: state, next round, last round, failures in a row."""
    del limits
    from treelace.site.sites import list_sites

    output.write(list_sites(store).written(form))


@sites_group.command("pause")
@click.argument("name")
@_store_option
def pause_command(*, name: str, store: str, output: Output, limits: Limits) -> None:
    """Lets no worker serve a site; a round that is under way ends within seconds."""
    del limits
    from treelace.site.sites import pause_site

    output.say(str(pause_site(store, name)))


@sites_group.command("resume")
@click.argument("name")
@_store_option
def resume_command(*, name: str, store: str, output: Output, limits: Limits) -> None:
    """Lets workers serve a site again."""
    del limits
    from treelace.site.sites import resume_site

    output.say(str(resume_site(store, name)))


@sites_group.command("remove")
@click.argument("name")
@option("--yes", "Do not ask.")
@_store_option
def remove_command(*, name: str, yes: bool, store: str, output: Output, limits: Limits) -> None:
    """Removes a site for good, with all its versions and records; a round that is under way ends
    first.
    """
    del limits
    from treelace.site.sites import remove_site

    if not yes:
        click.confirm(f"{name} will be gone for good. Go on?", abort=True, err=True)
    output.say(str(remove_site(store, name)))


@sites_group.command("settings")
@click.argument("name")
@click.argument("file", required=False)
@option("--every", "Seconds from one round to the next.", click.FloatRange(0, min_open=True))
@_store_option
def settings_command(
    *,
    name: str,
    file: str | None,
    every: float | None,
    store: str,
    output: Output,
    limits: Limits,
) -> None:
    """Prints the settings of a site, as treelace.toml has them; with FILE they become what it
    says.

    \b
    Examples:
      treelace sites settings shop --store env:SHOPS -o shop.toml
      treelace sites settings shop shop.toml --store env:SHOPS
    """
    del limits
    from treelace.site.sites import change_site, site_settings_of

    if file is None and every is None:
        output.write(site_settings_of(store, name))
        return
    text = None if file is None else Path(file).read_text(encoding="utf-8")
    output.say(str(change_site(store, name, settings=text, every=every)))


@click.command("worker")
@option("--once", "Serve what is due, then end; for cron.")
@option("--name", "What `treelace workers` calls it; default: machine and process.", str)
@option("--auto-accept", "Take proposed classes into use without asking.")
@_store_option
def worker_command(
    *,
    once: bool,
    name: str | None,
    auto_accept: bool,
    store: str,
    output: Output,
    limits: Limits,
) -> Exit:
    """Serves the sites of a database that are due: crawls, records alerts, delivers them; again and
    again until it is stopped (Ctrl-C or SIGTERM end it cleanly). Start as many as you like, on as
    many machines: the database decides who serves which site, and no host is asked by two.

    \b
    Examples:
      treelace worker --store postgresql://localhost/shops
      treelace worker --store env:SHOPS --once
    """
    from treelace.site.worker import Worker

    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
    worker = Worker(
        store,
        name=name or "",
        auto_accept=auto_accept,
        allow_private=allows_private(),
        limits=limits,
        say=lambda line: output.write(f"{line}\n"),
    )
    is_bad = False
    for done in worker.run(once=once, stop=stop):
        output.say(str(done))
        is_bad = is_bad or bool(done.error)
    return Exit.OUTSIDE if once and is_bad else Exit.DONE


@click.command("workers")
@form_option(TABLE_FORMS, "table", "How to write them.")
@_store_option
def workers_command(*, form: str, store: str, output: Output, limits: Limits) -> None:
    """Who serves which site since when, with failures; and how long what is due has been waiting.

    \b
    Example:
      treelace workers --store postgresql://localhost/shops
    """
    del limits
    from treelace.site.sites import list_workers

    found: Any = list_workers(store)
    output.write(found.written(form))
    output.say(str(found.backlog))
