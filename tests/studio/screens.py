"""Every screen of the studio: for pictures that a person looks at, and for axe-core.

    python -m tests.studio.screens FOLDER

writes a picture of each, 1400 and 420 pixels wide, light; a few also dark.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.studio.conftest import SAMPLES, Studio, make_tea_site, started
from treelace.render import find_browser
from treelace.site import Site

WIDTHS = (1400, 420)
DARK = ("overview", "table", "record", "diff")


def screens(site: str, folder: Path) -> dict[str, str]:
    """The paths of all screens of a studio over one site, by name."""
    with Site(folder, read_only=True) as opened:
        page = next(it.url for it in opened.pages() if it.newest > 1)
        key = next(
            row[0]
            for row in opened.records("tea_list").values
            if len(opened.record_history("tea_list", row[0])) > 1
        )
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
        "columns": f"{start}/classes/tea-list/columns?name.title=tea",
        "repair": f"{start}/classes/tea-list/repair",
        "alerts": f"{start}/alerts",
        "alerts-none": f"{start}/alerts?state=acknowledged",
        "rule": f"{start}/rule?records=tea_list&when=changed",
        "sql": f"{start}/sql?q=select+origin,+count(*)+from+tea_list+group+by+1",
        "sql-wrong": f"{start}/sql?q=select+nothing+from+nowhere",
        "care": f"{start}/care",
        "job": f"{start}/job",
        "try": "/try",
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


def main(place: Path) -> None:
    """Writes the pictures."""
    from playwright.sync_api import sync_playwright

    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = make_tea_site(Path(made) / "tea")
        with Site(folder) as site:
            site.crawl(source=str(SAMPLES / "tea-wednesday.warc.gz"))
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        with started(folder, cwd=Path(made)) as studio:
            for width in WIDTHS:
                window = browser.new_page(viewport={"width": width, "height": 900})
                window.goto(studio.link)
                for name, path in screens("tea", folder).items():
                    window.goto(studio.origin + path)
                    window.wait_for_timeout(150)
                    window.screenshot(path=place / f"{name}-{width}.png")
                    if name in DARK:
                        window.emulate_media(color_scheme="dark")
                        window.screenshot(path=place / f"{name}-{width}-dark.png")
                        window.emulate_media(color_scheme="light")
                for name in tried(window, studio):
                    window.screenshot(path=place / f"{name}-{width}.png")
                window.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
