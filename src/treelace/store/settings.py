"""The settings of `treelace.toml`; schema: `docs/reference/treelace.toml.schema.json`."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from treelace.errors import ParseError, UsageError
from treelace.look import json_controls
from treelace.store.database import is_postgresql

FILE = "treelace.toml"
DEFAULT_STORE = "store.sqlite"


class _Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the file: fields it does not know are errors."""


class SiteSection(_Section, frozen=True):
    """`[site]`: what is watched."""

    url: str
    """Where the site begins."""
    name: str = ""
    """What people call it."""
    language: str = ""
    """The language in which the prices, numbers and dates of learnt columns are read (`de`,
    `en-GB`); empty: the one that each page says. Classes read by `extract` always ask the page.
    """


class StoreSection(_Section, frozen=True):
    """`[store]`: where versions and records are kept."""

    url: str = DEFAULT_STORE
    """A SQLite file (relative to the site's folder), `postgresql://…`, or `env:NAME`: what that
    variable of the environment says.
    """
    workers: int = 0
    """Threads that take pages in; 0: as many as there are cores."""


class ClassSection(_Section, frozen=True):
    """`[[class]]`: a class of pages that is known beforehand."""

    name: str
    urls: str = ""
    """A regular expression that the whole address of its pages matches; empty: none."""
    wrapper: str = ""
    """File of its wrapper, relative to the site's folder; `extract`: the likeliest table of each
    page; `entry-point:NAME`: of another package.
    """
    key: list[str] = []
    """Columns that identify a record; empty: chosen by uniqueness and stability."""


class ColumnsSection(_Section, frozen=True):
    """`[columns.CLASS]`: which columns of a class are wanted, whatever its wrapper finds; written
    by `treelace classes columns`, and kept when the wrapper is learnt again or repaired.
    """

    only: list[str] = []
    """These columns, in this order; empty: all."""
    drop: list[str] = []
    """Without these columns."""
    rename: dict[str, str] = {}
    """The new name of a column by its old one."""
    type: dict[str, str] = {}
    """The type of a column by its name."""
    select: dict[str, str] = {}
    """Where a column stands inside a record, by its name, as someone pointed at it: `css:…` or
    `xpath:…`; a column that the wrapper does not have is added.
    """


class CrawlSection(_Section, frozen=True):
    """`[crawl]`: what to fetch, and how; `${NAME}` in headers, cookies, proxy is a variable."""

    hosts: list[str] = []
    """Further hosts of the site; a leading dot stands for a domain and all below it."""
    include: list[str] = []
    """Regular expressions: only addresses in which one is found."""
    exclude: list[str] = []
    """Regular expressions: no address in which one is found."""
    delay: float = 0.5
    """Seconds between two requests to a host, at least."""
    concurrency: int = 4
    """Requests under way at once."""
    depth: int = 20
    """Links from the start page."""
    pages: int = 100_000
    """Pages of one crawl."""
    seconds: float = 30.0
    """For one answer."""
    user_agent: str = ""
    """What the site is told of us; empty: treelace."""
    headers: dict[str, str] = {}
    """Headers for the site's own host."""
    cookies: dict[str, str] = {}
    """Cookies for the site's own host."""
    proxy: str = ""
    """A proxy, as http://host:port."""
    login: str = ""
    """File with a login, as Playwright saves a browser's state (cookies, local storage), relative
    to the site's folder; readable by you alone.
    """
    obeys_robots: bool = True
    """Whether robots.txt is heard."""
    render: bool | list[str] = False
    """Whether a browser runs the scripts of pages first; or regular expressions: only pages in
    whose address one is found.
    """
    looks: bool = False
    """Whether style sheets and images of pages are kept with them, to show pages as they looked."""


class AlertsSection(_Section, frozen=True):
    """`[alerts]`: what happens between noticing and telling."""

    judge: str | list[str] = ""
    """Who may veto or rank an alert: a name among the entry points `treelace.judges`,
    `module:function`, or a command as a list of words, which gets the alert as JSON and answers
    true, false, a number, or {"tell": …, "rank": …, "why": …}. Empty: nobody.
    """
    judge_seconds: float = 10.0
    """For one verdict; then the alert goes out without."""


class NoiseSection(_Section, frozen=True):
    """`[[noise]]`: changes that are not worth telling, as someone said; written by
    `treelace inbox noise`.
    """

    records: str
    """The kind of records."""
    column: str
    """The column whose changes are hidden."""
    key: str = ""
    """Of this record alone; empty: of all."""
    like: Literal["", "numbers"] = ""
    """`numbers`: only changes in which nothing but numbers differs."""


class LogSection(_Section, frozen=True):
    """`[log]`: what `crawl` and `watch` write for programs that read logs."""

    json: str = ""
    """A file, relative to the site's folder, that gets one JSON object a line; empty: none."""


class RetentionSection(_Section, frozen=True):
    """`[retention]`: what `treelace gc` may remove; nothing by default."""

    keep_versions: int | None = None
    """Versions of a page to keep, the newest ones."""
    keep_days: int | None = None
    """Days for which versions are kept; the newest version of a page always is."""


class Settings(_Section, frozen=True, rename={"classes": "class"}):
    """All of `treelace.toml`."""

    site: SiteSection
    store: StoreSection = StoreSection()
    classes: list[ClassSection] = []
    columns: dict[str, ColumnsSection] = {}
    crawl: CrawlSection = CrawlSection()
    alerts: AlertsSection = AlertsSection()
    noise: list[NoiseSection] = []
    log: LogSection = LogSection()
    retention: RetentionSection = RetentionSection()


def read(folder: Path) -> Settings:
    """The settings of a site; `ParseError` with line and field, `UsageError` without a file."""
    path = folder / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(
            f"{folder}: this is no site: there is no {FILE} in it; `treelace init {folder} URL`"
            " makes one"
        ) from None
    except UnicodeDecodeError as error:
        raise ParseError(f"{path}: this is not UTF-8: {error}") from error
    return parse(text, name=str(path))


def parse(text: str, *, name: str = FILE) -> Settings:
    """The settings that a text says.

    >>> parse('[site]\\nurl = "https://shop.example/"').site.url
    'https://shop.example/'
    >>> parse('[site]\\nurl = 3')
    Traceback (most recent call last):
        ...
    treelace.errors.ParseError: treelace.toml: site.url: Expected `str`, got `int` (line 2)
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line, column = (int(place[1]), int(place[2])) if place else (text.count("\n") + 1, None)
        raise ParseError(
            f"{name}: {re.sub(r' *[(]at .*', '', str(error))}", line=line, column=column
        ) from error
    try:
        settings = msgspec.convert(raw, Settings)
        _check(settings)
    except msgspec.ValidationError as error:
        what, field = _field(str(error))
        raise ParseError(
            f"{name}: {f'{field}: ' if field else ''}{what}", line=_line(text, field)
        ) from error
    return settings


def with_columns(text: str, name: str, section: ColumnsSection) -> str:
    """The text of the settings with this `[columns.NAME]`; without it where nothing is chosen.

    >>> print(with_columns("[site]\\nurl = 'x'\\n", "tea", ColumnsSection(drop=["h1"])).strip())
    [site]
    url = 'x'
    <BLANKLINE>
    [columns."tea"]
    drop = ["h1"]
    """
    lines, kept, is_inside = text.split("\n"), [], False
    heads = {_bare(f"[columns.{form}]") for form in (name, toml_string(name))}
    for line in lines:
        if line.lstrip().startswith("["):
            is_inside = _bare(line) in heads
        if not is_inside:
            kept.append(line)
    said = [
        f"{field} = {_toml(value)}"
        for field, value in msgspec.to_builtins(section).items()
        if value
    ]
    block = [f"[columns.{toml_string(name)}]", *said, ""] if said else []
    return "\n".join(["\n".join(kept).rstrip(), "", *block])


def with_store(text: str, url: str | None) -> str:
    """The text of the settings with this place of the store; without one for a site whose database
    is known.

    >>> said = "[site]\\nurl = 'x'\\n[store]\\nurl = 'a'\\nworkers = 2\\n"
    >>> with_store(said, None).splitlines()
    ['[site]', "url = 'x'", '[store]', 'workers = 2']
    >>> with_store(with_store(said, None), "b").splitlines()[-3:]
    ['[store]', 'url = "b"', 'workers = 2']
    """
    return _with_address(text, "store", url)


def with_url(text: str, url: str) -> str:
    """The text of the settings of a site that begins elsewhere."""
    return _with_address(text, "site", url)


def _with_address(text: str, section: str, url: str | None) -> str:
    kept, is_inside, is_said = [], False, False
    for line in text.split("\n"):
        is_head = line.lstrip().startswith("[")
        if is_head:
            is_inside = re.sub(r"\s|#.*", "", line) == f"[{section}]"
        if not is_inside or is_head or not _assigns(line.strip(), "url"):
            kept.append(line)
        if is_inside and is_head and url is not None:
            kept.append(f"url = {toml_string(url)}")
            is_said = True
    if url is not None and not is_said:
        kept += ["", f"[{section}]", f"url = {toml_string(url)}"]
    return "\n".join(kept).rstrip() + "\n"


def toml_string(text: str) -> str:
    r"""A text as TOML takes it: as JSON, but halves of characters are none there, and DEL must be
    an escape.

    >>> print(toml_string("tea \U0001f375\x7f"))
    "tea \U0001f375\u007f"
    """
    whole = text.encode("utf-8", "replace").decode()
    return json_controls(json.dumps(whole, ensure_ascii=False))


def _toml(value: list[str] | dict[str, str]) -> str:
    """A list or table of texts."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml_string, value))}]"
    pairs = (f"{toml_string(key)} = {toml_string(it)}" for key, it in value.items())
    return f"{{ {', '.join(pairs)} }}"


def _bare(head: str) -> str:
    return re.sub(r"[\s\"']", "", head)


def schema() -> dict[str, Any]:
    """The JSON schema of the file."""
    found = msgspec.json.schema(Settings)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": FILE, **found}


def store_place(settings: Settings, folder: Path) -> str:
    """Where the store is: a path or a URL; a secret comes from the environment."""
    place = said_place(settings.store.url, f"{folder / FILE}: store.url")
    return place if is_postgresql(place) else str(folder / place)


def said_place(place: str, who: str) -> str:
    """A place as it is written, or what the variable of the environment says that it names."""
    if not place.startswith("env:"):
        return place
    name = place.removeprefix("env:")
    if not os.environ.get(name):
        raise UsageError(f"{who} asks for the variable {name}, which is not set")
    return os.environ[name]


def _check(settings: Settings) -> None:
    for number, section in enumerate(settings.classes):
        try:
            re.compile(section.urls)
        except re.error as error:
            raise msgspec.ValidationError(
                f"{section.urls!r} is no regular expression: {error} - at `$.class[{number}].urls`"
            ) from error
    crawl = settings.crawl
    for name, patterns in (
        ("include", crawl.include),
        ("exclude", crawl.exclude),
        ("render", crawl.render if crawl.render is not True else []),
    ):
        for number, pattern in enumerate(patterns or []):
            try:
                re.compile(pattern)
            except re.error as error:
                raise msgspec.ValidationError(
                    f"{pattern!r} is no regular expression: {error} - at `$.crawl.{name}[{number}]`"
                ) from error
    if settings.store.workers < 0:
        raise msgspec.ValidationError(
            f"{settings.store.workers} threads are too few - at `$.store.workers`"
        )


def _field(message: str) -> tuple[str, str]:
    """What msgspec says, and the field it says it of, as people write it: `class[2].urls`."""
    what, _, place = message.partition(" - at `$")
    field = place.removesuffix("`").removeprefix(".")
    if missing := re.fullmatch(r"Object (contains unknown|missing required) field `(.+)`", what):
        field = f"{field}.{missing[2]}".removeprefix(".")
        what = (
            "there is no such field"
            if missing[1].startswith("contains")
            else "this field is missing"
        )
    return what, field


def _line(text: str, field: str) -> int | None:
    """The line of a field: by its table, then by its name."""
    path = re.findall(r"([^.\[\]]+)(?:\[(\d+)\])?", field)
    if not path:
        return None
    (table, nth), rest = path[0], path[1:]
    wanted, count, is_inside, at_table = int(nth or 0), -1, False, None
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        if head := re.match(r"\[\[?\s*([^\]]+?)\s*\]\]?", plain):
            is_table = head[1].split(".")[0] == table
            count += is_table
            is_inside = is_table and count == wanted
            at_table = number if is_inside and at_table is None else at_table
        elif (is_inside and rest and _assigns(plain, rest[0][0])) or (
            count < 0 and _assigns(plain, table)
        ):
            return number
    return at_table


def _assigns(line: str, name: str) -> bool:
    return re.match(rf"[\"']?{re.escape(name)}[\"']?\s*[.=]", line) is not None
