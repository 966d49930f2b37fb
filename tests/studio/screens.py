"""Every screen of the studio: for pictures that a person looks at, and for axe-core.

    python -m tests.studio.screens FOLDER

writes a picture of each, 1400 and 420 pixels wide, light; a few also dark.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.studio.conftest import SAMPLES, Studio, make_tea_site, started
from treelace.render import find_browser
from treelace.site import Site

WIDTHS = (1400, 420)
DARK = ("overview", "table", "record", "diff")


def make_sites(place: Path) -> list[Path]:
    """A shop that was redesigned, the same before that, and a site of which nothing is known."""
    tea, new = make_tea_site(place / "tea"), place / "new"
    other = Path(shutil.copytree(tea, place / "other"))
    with Site(tea) as site:
        site.crawl(source=str(SAMPLES / "tea-wednesday.warc.gz"))
    Site.create(new, "https://new.example/").close()
    return [tea, other, new]


def screens(folder: Path, site: str = "tea") -> dict[str, str]:
    """The paths of all screens of a studio over the sites of `make_sites`, by name."""
    with Site(folder, read_only=True) as opened:
        page = next(it.url for it in opened.pages() if it.newest > 1)
        key = next(
            row[0]
            for row in opened.records("tea_list").values
            if len(opened.record_history("tea_list", row[0])) > 1
        )
        change = opened.inbox()[0].id
    url, key = quote(page, safe=""), quote(key, safe="")
    start = f"/s/{site}"
    return {
        "sites": "/",
        "overview": f"{start}/",
        "tables": f"{start}/tables",
        "table": f"{start}/table/tea_list",
        "table-filtered": f"{start}/table/tea_list?q=a&where=price+%3E+5&sort=price&desc=1",
        "table-empty": f"{start}/table/tea_list?q=nothing+like+this",
        "record": f"{start}/record/tea_list?key={key}",
        "pages": f"{start}/pages",
        "page": f"{start}/page?url={url}",
        "page-source": f"{start}/page?url={url}&as=source",
        "page-point": f"{start}/page?url={url}&as=point",
        "diff": f"{start}/diff?url={url}",
        "diff-text": f"{start}/diff?url={url}&as=text",
        "diff-source": f"{start}/diff?url={url}&as=source",
        "classes": f"{start}/classes",
        "class": f"{start}/classes/tea-list",
        "columns": "/s/other/classes/tea-list/columns?name.title=tea&type.price=text&drop=stock",
        "point": f"{start}/classes/tea-list/point",
        "repair": f"{start}/classes/tea-list/repair",
        "repair-point": f"{start}/classes/tea-list/repair?column=origin",
        "repair-none": "/s/other/classes/tea-list/repair",
        "alerts": f"{start}/alerts",
        "alerts-none": f"{start}/alerts?state=acknowledged",
        "inbox": f"{start}/inbox",
        "noise": f"{start}/noise?id={change}",
        "rule": f"{start}/rule?records=tea_list&when=changed",
        "sql": f"{start}/sql?q=select+origin,+count(*)+from+tea_list+group+by+1",
        "sql-wrong": f"{start}/sql?q=select+nothing+from+nowhere",
        "care": f"{start}/care",
        "job": f"{start}/job",
        "try": "/try",
        "compare": "/compare",
        "compare-shown": "/compare?table=tea:tea_list&table=other:tea_list&on=title&show=price",
        **{
            f"new-{it or 'overview'}": f"/s/new/{it}"
            for it in ("", "tables", "pages", "classes", "inbox", "alerts", "rule", "care")
        },
        "failed": f"{start}/table/coffee",
    }


def tried(window: Any, studio: Studio) -> Iterator[str]:
    """Goes on to the screens that need a page to be tried first; their names."""
    window.goto(f"{studio.origin}/try")
    window.set_input_files("input[type=file]", SAMPLES / "monday.html")
    window.click("text=Show its tables")
    yield "tried"
    window.click("summary")
    yield "tried-columns"
    window.frame_locator("#page").locator("li, tr, article").first.click()
    window.wait_for_load_state()
    yield "tried-pointed"


def strangers(window: Any, place: Path) -> Iterator[str]:
    """Goes on to a studio that asks for its password, and to one without sites; their names."""
    secret, nothing = place / "password", place / "nothing"
    secret.touch(mode=0o600)
    secret.write_text("a long enough password")
    nothing.mkdir(exist_ok=True)
    options = ("--listen", "127.0.0.2", "--password-file", secret)
    with started(*options, cwd=nothing) as studio:
        window.goto(f"{studio.origin}/")
        yield "login"
    with started(cwd=nothing) as studio:
        window.goto(studio.link)
        yield "nothing"


def main(place: Path) -> None:
    """Writes the pictures."""
    from playwright.sync_api import sync_playwright

    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folders = make_sites(Path(made))
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        with started(*folders, cwd=Path(made)) as studio:
            for width in WIDTHS:
                window = browser.new_page(viewport={"width": width, "height": 900})
                window.goto(studio.link)
                for name, path in screens(folders[0]).items():
                    window.goto(studio.origin + path)
                    window.wait_for_timeout(150)
                    window.screenshot(path=place / f"{name}-{width}.png")
                    if name in DARK:
                        window.emulate_media(color_scheme="dark")
                        window.screenshot(path=place / f"{name}-{width}-dark.png")
                        window.emulate_media(color_scheme="light")
                for name in chain(tried(window, studio), strangers(window, Path(made))):
                    window.screenshot(path=place / f"{name}-{width}.png")
                window.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
