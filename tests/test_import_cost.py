"""`import treelace` is light: 0.15 s of CPU above a bare interpreter at most, and nothing optional
comes along.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

BOUND = 0.15  # seconds of CPU above a bare interpreter
RUNS = 7

# Also what the core depends on but a script that only parses never touches.
HEAVY = """
alembic apprise asyncio backports.zstd bs4 click compression.zstd cssselect dateparser fastwarc
http.client hypothesis jinja2 lxml msgspec numpy pandas parsel playwright polars price_parser
psycopg pyarrow pytest rich scipy scrapy sklearn sqlalchemy sqlite3 starlette urllib.request
""".split()


def child(code: str) -> str:
    surroundings = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONDONTWRITEBYTECODE", "PYTHONSTARTUP"}
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=surroundings, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_nothing_optional():
    loaded = child("import sys; import treelace; print(*sys.modules, sep='\\n')").split()
    assert "treelace" in loaded
    assert not [name for name in HEAVY if name in loaded]


def test_import_costs_little():
    used = "import time; {}; print(time.process_time())"
    child("import treelace")  # writes the bytecode
    bare, full = [], []
    for _ in range(RUNS):  # interleaved, so that a busy minute hits both
        bare.append(float(child(used.format("pass"))))
        full.append(float(child(used.format("import treelace"))))
    extra = statistics.median(full) - statistics.median(bare)
    assert extra < BOUND, (
        f"import treelace costs {extra:.3f} s of CPU above a bare interpreter; the bound is"
        f" {BOUND} s"
    )


def test_a_site_that_is_only_read_loads_nothing_that_reads_pages():
    loaded = child("import sys; import treelace.site; print(*sys.modules, sep='\\n')").split()
    rooms = ("treelace.wrappers", "treelace.extract.types", "treelace.monitor", "treelace.crawl")
    late = ("treelace.site.pipeline", "treelace.classes.classifier", "scrapy", "numpy")
    assert not [name for name in loaded if name.startswith((*rooms, *late))]
