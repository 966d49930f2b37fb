"""Writes the pictures of README and docs (docs/pictures), each from a real run: `make pictures`.

The terminal is drawn as SVG from what the commands print; the studio, and the pages that `extract`
and `diff` write, are photographed by Chromium, and left out with a line where there is none.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

TOP = Path(__file__).parents[1]
PICTURES = TOP / "docs" / "pictures"
TREELACE = Path(sys.executable).with_name("treelace")
COLUMNS = 100
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WINDOW = "1200,760"
MONDAY_TO_WEDNESDAY = [
    "init tea https://tea.example/",
    "crawl --from tea-monday.warc.gz --site tea",
    "classes accept tea-list tea --site tea",
    'subscribe cheaper --records tea_list --when "price drops 10%" --site tea',
    "crawl --from tea-tuesday.warc.gz --site tea",
    "alerts list --site tea",
    "crawl --from tea-wednesday.warc.gz --site tea",
    "repair tea-list --accept --site tea",
]
# rich's own frame loads a font from elsewhere: this one uses what the reader has
FRAME = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace;
 font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>{lines}</defs>
<rect fill="#1c1f26" width="{width}" height="{height}" rx="8"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def run(words: str | Sequence[str], folder: Path) -> str:
    """What a command prints, as on a terminal without colours."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": str(COLUMNS)}
    line = f"{TREELACE} {words}" if isinstance(words, str) else [str(TREELACE), *words]
    done = subprocess.run(
        line,
        cwd=folder,
        env=environment,
        shell=isinstance(line, str),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout


def draw_terminal(commands: Sequence[str], folder: Path, picture: Path) -> None:
    """The commands and what they print, as one SVG."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(width=COLUMNS, record=True, file=nowhere)
        for command in commands:
            console.print(Text(f"$ treelace {command}", style="bold cyan"))
            for line in run(command, folder).splitlines():
                console.print(Text(line), overflow="ellipsis", no_wrap=True)
            console.print()
        svg = console.export_svg(
            code_format=FRAME, theme=MONOKAI, unique_id="terminal", font_aspect_ratio=0.6
        )
    picture.write_text(svg, encoding="utf-8")


def photograph(page: str, picture: Path) -> None:
    """The page at an address in Chromium, as PNG."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        print(f"no Chromium here: {picture.name} stays as it is")
        return
    flags = ["--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=3000"]
    flags += [f"--window-size={WINDOW}"]
    subprocess.run(
        [browser, *flags, f"--screenshot={picture}", page],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def photograph_studio(folder: Path, picture: Path) -> None:
    """A record of the shop in the studio, with its place on the page and its past."""
    found = run(
        'sql "select key from tea_list_history group by key having count(*) > 1" --to csv'
        " --site tea",
        folder,
    ).split()
    process = subprocess.Popen(
        [str(TREELACE), "studio", "tea", "--no-open"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        origin, token = process.stdout.readline().strip().split("/?")
        path = f"/s/tea/record/tea_list?key={quote(found[1], safe='')}&{token}"
        photograph(origin + path, picture)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def main() -> None:
    """Writes all of them."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(TOP / "docs" / "samples", folder, dirs_exist_ok=True)
        draw_terminal(MONDAY_TO_WEDNESDAY, folder, PICTURES / "three-days.svg")
        photograph_studio(folder, PICTURES / "studio.png")
        run("extract tuesday.html --to html -o table.html", folder)
        photograph((folder / "table.html").as_uri(), PICTURES / "page-and-table.png")
        run("diff monday.html tuesday.html --to html -o diff.html", folder)
        photograph((folder / "diff.html").as_uri(), PICTURES / "diff.png")
    for picture in sorted(PICTURES.iterdir()):
        print(f"{picture.relative_to(TOP)}: {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
