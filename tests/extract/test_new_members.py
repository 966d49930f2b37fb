"""A new column type or language is one file and its line in the list: here one of each is added to
a copy of the package, and a page is read with it, to JSON, Arrow and SQLite.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import treelace

PACKAGE = Path(treelace.__file__).parent

WARMTH = '''
import re
from treelace.extract.types.column_type import ColumnType

_DEGREES = re.compile(r"(\\d+) °C")

class Temperature(ColumnType):
    """Degrees."""
    name = "temperature"
    examples = ("4 °C", "21 °C")

    def recognises(self, text):
        return _DEGREES.fullmatch(text) is not None

    def values(self, texts, locale):
        return [int(found[1]) if (found := _DEGREES.fullmatch(text)) else None for text in texts]
'''
KLINGON = """
code = "tlh"
decimal_mark = ","
yes = "hija"
no = "ghobe"
currency_signs = "darsek"
months = [
    "jara", "jarb", "jarc", "jard", "jare", "jarf", "jarg", "jarh", "jari", "jarj", "jark", "jarl"
]

[duration_units]
hours = "rep"
"""
READ = """
import json, sqlite3, sys
import polars
import treelace as tl
from treelace.extract.outputs import flatten, to_sqlite
table = tl.extract(tl.parse(sys.argv[1]))[0]
database = sqlite3.connect(":memory:")
database.deserialize(to_sqlite(flatten([table])))
print(json.dumps({
    "json": table.to_json(),
    "arrow": [list(map(str, row)) for row in polars.DataFrame(table).rows()],
    "schema": [str(kind) for kind in polars.DataFrame(table).dtypes],
    "sqlite": database.execute("SELECT * FROM records").fetchall(),
}))
"""


def copy_with(folder: Path, copied: str, edits: dict[str, tuple[str, str]], file: str, text: str):
    """The package by links, but for one folder of `extract`, in which one file is added."""
    (folder / "treelace" / "extract").mkdir(parents=True)
    for place, but in ((PACKAGE, "extract"), (PACKAGE / "extract", copied)):
        for entry in place.iterdir():
            if entry.name not in (but, "__pycache__"):
                link = folder / "treelace" / entry.relative_to(PACKAGE)
                link.symlink_to(entry, target_is_directory=entry.is_dir())
    target = folder / "treelace" / "extract" / copied
    shutil.copytree(PACKAGE / "extract" / copied, target)
    (target / file).write_text(text)
    for name, (before, line) in edits.items():
        source = (target / name).read_text()
        assert before in source
        (target / name).write_text(source.replace(before, line + before, 1))


def read(folder: Path, page: str) -> dict:
    command = [sys.executable, "-c", READ, page]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_new_column_type_is_one_file_and_one_line(tmp_path: Path) -> None:
    line = "from treelace.extract.types.temperature import Temperature\nTEXT, IMAGE"
    edits = {"__init__.py": ("        Url(),\n", "        Temperature(),\n")}
    copy_with(tmp_path, "types", edits, "temperature.py", WARMTH)
    listed = tmp_path / "treelace/extract/types/__init__.py"
    listed.write_text(listed.read_text().replace("TEXT, IMAGE", line, 1))
    page = "<ul><li><b>tea</b> <i>4 °C</i><li><b>jam</b> <i>2 °C</i></ul>"
    said = read(tmp_path, page)
    assert said["json"]["columns"][1] == {"name": "temperature", "type": "temperature"}
    assert [it["cells"]["temperature"]["value"] for it in said["json"]["records"]] == [4, 2]
    assert said["arrow"] == [["tea", "4", "4 °C"], ["jam", "2", "2 °C"]]
    assert said["schema"] == ["String", "Int64", "String"]
    assert said["sqlite"] == [["tea", 4, "4 °C"], ["jam", 2, "2 °C"]]


def test_a_new_language_is_one_file_and_one_line(tmp_path: Path) -> None:
    edits = {"language.py": ("english ", "klingon ")}
    copy_with(tmp_path, "locales", edits, "klingon.toml", KLINGON)
    rows = "".join(
        f"<tr><td>{weight}<td>{day} jarb 2026<td>{long} rep<td>{price} darsek<td>{fresh}"
        for weight, day, long, price, fresh in (
            ("1.204", 3, 2, 5, "hija"),
            ("3.000", 4, 1, 6, "ghobe"),
        )
    )
    said = read(tmp_path, f"<html lang=tlh><table>{rows}</table>")
    types = [column["type"] for column in said["json"]["columns"]]
    assert types == ["number", "date", "duration", "price", "bool"]
    cells = [list(record["cells"].values()) for record in said["json"]["records"]]
    assert [[cell["value"] for cell in row] for row in cells] == [
        [1204, "2026-02-03", 7200.0, 5.0, True],
        [3000, "2026-02-04", 3600.0, 6.0, False],
    ]
    assert said["arrow"][0][:3] == ["1204", "1.204", "2026-02-03"]
    assert said["sqlite"][0][0] == 1204
