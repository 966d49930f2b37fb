"""A blog that a real generator makes, as a site to score: `pip install "pelican[markdown]"`, then
`python -m experiments.generated_sites FOLDER` and `score_site.py FOLDER/*`.

Sixty posts of made-up words under two themes of Pelican, each the redesign of the other; on the
second day three posts are new, two are gone and three have another title. The folders have the form
of `data/sites` (pages, truth, changes), so that the same scorer reads them.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from treelace.classes.pages import Fetched
from treelace.crawl.warc import WarcWriter

HOME = "https://blog.example"
NOUNS = "river lantern harbour garden engine window bridge kettle letter orchard ladder".split()
KINDS = "quiet broken early northern hidden golden slow modern patient bitter narrow".split()
POSTS, NEW, GONE, RETITLED = 60, 3, (5, 17), (8, 30, 44)
SETTINGS = f"""SITENAME = "River and Lantern"
SITEURL = "{HOME}"
PATH = "content"
TIMEZONE = "UTC"
DEFAULT_PAGINATION = 10
ARTICLE_URL = "{{date:%Y}}/{{date:%m}}/{{slug}}/"
ARTICLE_SAVE_AS = "{{date:%Y}}/{{date:%m}}/{{slug}}/index.html"
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = None
"""


@dataclass(frozen=True)
class Post:
    """A post: its number, title, day and text in Markdown."""

    number: int
    title: str
    day: datetime
    text: str

    @property
    def slug(self) -> str:
        """The last part of its address."""
        return f"post-{self.number}"

    @property
    def url(self) -> str:
        """Its address."""
        return f"{HOME}/{self.day:%Y/%m}/{self.slug}/"


def posts(count: int) -> list[Post]:
    """The first posts; the same each time."""
    return [_post(number) for number in range(count)]


def _post(number: int) -> Post:
    draw = random.Random(number)
    parts = [_sentence(draw)]
    for _ in range(draw.randint(1, 6)):
        code = "    " + "\n    ".join(f"{draw.choice(NOUNS)}({at})" for at in range(4))
        points = "\n".join(f"- {_sentence(draw)}" for _ in range(3))
        parts.append(draw.choice([_sentence(draw), _sentence(draw), code, points]))
    title = f"{number}: the {draw.choice(KINDS)} {draw.choice(NOUNS)} of {draw.choice(NOUNS)}s"
    day = datetime(2024, 1, 3, tzinfo=UTC) + timedelta(days=11 * number)
    return Post(number, title, day, "\n\n".join(parts))


def _sentence(draw: random.Random) -> str:
    words = " ".join(f"the {draw.choice(KINDS)} {draw.choice(NOUNS)} and" for _ in range(6))
    return f"See {words} so on."


def build(some: list[Post], theme: str) -> dict[str, bytes]:
    """The pages that Pelican makes of posts, by their addresses."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "content").mkdir()
        (folder / "settings.py").write_text(f'{SETTINGS}THEME = "{theme}"\n', encoding="utf-8")
        for post in some:
            head = f"Title: {post.title}\nDate: {post.day:%Y-%m-%d}\nSlug: {post.slug}\nTags: all"
            text = f"{head}\nCategory: {KINDS[post.number % 4]}\n\n{post.text}\n"
            (folder / "content" / f"{post.slug}.md").write_text(text, encoding="utf-8")
        command = ["pelican", "-q", "-s", "settings.py", "-o", "out", "content"]
        subprocess.run(command, cwd=folder, check=True)
        found = {}
        for file in sorted((folder / "out").rglob("*.html")):
            path = re.sub(r"(^|/)index\.html$", r"\1", file.relative_to(folder / "out").as_posix())
            found[f"{HOME}/{path}"] = file.read_bytes()
        return found


def write(
    folder: Path, day: str, pages: dict[str, bytes], some: list[Post], gone: set[str]
) -> None:
    """A day of the site: its pages, those that are gone, and the truth."""
    start, of = "" if day == "pages" else f"{day}.", {post.url: post for post in some}
    when = datetime(2026, 1, {"pages": 1, "day2": 2, "redesign": 3}[day], tzinfo=UTC)
    with (folder / f"{day}.warc.gz").open("wb") as file:
        archive = WarcWriter(file)
        for url, body in pages.items():
            archive.page(Fetched(url, when, 200, body, "text/html; charset=utf-8"))
        for url in sorted(gone):
            archive.page(Fetched(url, when, 410, b"", "text/html"))
    lines: list[dict[str, object]] = []
    for url, body in pages.items():
        shown = [post for post in some if f"/{post.slug}/".encode() in body]
        if url in of:
            fields = {"name": of[url].title, "date": f"{of[url].day:%Y-%m-%d}"}
            lines.append({"url": url, "kind": "article", "fields": fields})
        else:
            rows = [{"title": post.title, "url": post.url} for post in shown]
            kind = "list" if rows else "other"
            lines.append({"url": url, "kind": kind, "fields": {}, "list": rows})
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / f"{start}truth.jsonl").write_text(text, encoding="utf-8")


def changes(later: list[Post]) -> list[dict[str, object]]:
    """What happens on the second day, of pages and of rows."""
    found: list[dict[str, object]] = []
    for scope, kind, field in (("detail", "article", "name"), ("list", "list", "title")):
        for post in (*posts(POSTS), *later[-NEW:]):
            said: dict[str, object] = {"day": 2, "scope": scope, "kind": kind, "url": post.url}
            if post.number >= POSTS or post.number in GONE:
                change = "new" if post.number >= POSTS else "gone"
                found.append({**said, "change": change, "title": post.title})
            elif post.number in RETITLED:
                new = next(one.title for one in later if one.number == post.number)
                fields = {field: [post.title, new]}
                found.append({**said, "change": "changed", "title": new, "fields": fields})
    return found


def make(folder: Path, theme: str, other: str) -> None:
    """One site: two days in a theme, and the first in another."""
    folder.mkdir(parents=True)
    first = posts(POSTS)
    later = [
        replace(post, title=f"{post.title} (again)") if post.number in RETITLED else post
        for post in posts(POSTS + NEW)
        if post.number not in GONE
    ]
    before, after = build(first, theme), build(later, theme)
    write(folder, "pages", before, first, set())
    write(folder, "day2", after, later, before.keys() - after.keys())
    write(folder, "redesign", build(first, other), first, set())
    text = "".join(f"{json.dumps(line)}\n" for line in changes(later))
    (folder / "changes.jsonl").write_text(text, encoding="utf-8")
    about = {"start": f"{HOME}/", "days": [{"day": 2, "made": True}]}
    (folder / "site.json").write_text(json.dumps(about), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]) / "pelican-simple", "simple", "notmyidea")
    make(Path(sys.argv[1]) / "pelican-notmyidea", "notmyidea", "simple")
