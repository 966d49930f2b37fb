"""Imports point down: each package of treelace uses only what stands below it (DESIGN: the house;
ARCHITECTURE.md draws it).

The imports are read from the sources, also those inside functions and under TYPE_CHECKING: a type
is knowledge, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "treelace"

# From the ground up; two on one line are sisters who do not know each other.
ORDER = [
    {"errors", "limits"},
    {"named", "plugins"},
    {"_kernel"},
    {"tree"},
    {"similarity", "matching"},
    {"diff"},
    {"render"},
    {"extract"},
    {"wrappers"},
    {"classes"},
    {"classify"},  # the former name of classes
    {"store"},
    {"crawl"},
    {"monitor"},
    {"site"},
    {"cli"},
]
FLOOR = {room: floor for floor, rooms in enumerate(ORDER) for room in rooms}
ROOMS = {*FLOOR, "testing"}
MENU = {
    "__init__",
    "__main__",
}  # the public names and `python -m treelace`: they may show everything
TESTING_MAY_USE = {room for room in FLOOR if FLOOR[room] <= FLOOR["diff"]}
MAY_USE_TESTING = {"cli"}
MAY_USE_THE_MENU = {"cli"}  # `import treelace`, `from treelace import parse`


def room_of(path: Path) -> str:
    """The package or module directly under treelace that a file belongs to."""
    inside = path.relative_to(SOURCES)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imported_rooms(source: str, package: list[str]) -> Iterator[tuple[int, str]]:
    """Line and room of each import of our own, `menu` for names of treelace itself; `package` is
    where the file stands, for imports with dots.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1]] if node.level else []
            full = ".".join([*base, *([node.module] if node.module else [])])
            modules = (
                [f"{full}.{alias.name}" for alias in node.names] if full == "treelace" else [full]
            )
        else:
            continue
        for module in modules:
            parts = module.split(".")
            if parts[0] == "treelace":
                yield node.lineno, parts[1] if len(parts) > 1 and parts[1] in ROOMS else "menu"


def is_allowed(room: str, used: str) -> bool:
    """Whether a file of `room` may import from `used`."""
    if room in MENU or room == used:
        return True
    if used == "testing":
        return room in MAY_USE_TESTING
    if used == "menu":
        return room in MAY_USE_THE_MENU
    if room == "testing":
        return used in TESTING_MAY_USE
    return FLOOR[used] < FLOOR[room]


def offences(path: Path, room: str, source: str) -> list[str]:
    """One line for each import that points up or sideways."""
    package = ["treelace", *path.relative_to(SOURCES).parts[:-1]]
    return [
        f"{path.relative_to(SOURCES.parents[1])}:{line}: {room} may not use {used}"
        for line, used in imported_rooms(source, package)
        if not is_allowed(room, used)
    ]


def python_files() -> list[Path]:
    return sorted([*SOURCES.rglob("*.py"), *SOURCES.rglob("*.pyi")])


def test_every_room_has_a_floor():
    rooms = {room_of(path) for path in python_files()}
    assert rooms - MENU <= ROOMS, (
        "a new package needs its place in ORDER, in DESIGN and in ARCHITECTURE.md"
    )


def test_imports_point_down():
    found = [
        offence
        for path in python_files()
        for offence in offences(path, room_of(path), path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("place", "line", "allowed"),
    [
        ("tree/node.py", "from treelace.errors import UsageError", True),
        ("tree/node.py", "from treelace import _kernel", True),
        ("tree/node.py", "from . import parse", True),
        ("tree/node.py", "from ..diff import Delta", False),
        ("tree/node.py", "import treelace", False),
        ("tree/node.py", "from treelace import parse", False),
        ("cli/__init__.py", "from treelace import __version__", True),
        ("tree/node.py", "def f():\n    from treelace.cli import main", False),
        ("similarity/engine.py", "from treelace.matching import Matching", False),
        ("similarity/measures/tags.py", "from ...tree import Tree", True),
        ("matching/lace.py", "import treelace.similarity.measures", False),
        ("diff/delta.py", "from treelace.matching import Matching", True),
        ("extract/mdr.py", "from treelace.testing import mutate", False),
        ("testing/mutate.py", "from treelace.diff import Delta", True),
        ("testing/mutate.py", "from treelace.classes import PageClassifier", False),
        ("cli/demo.py", "from treelace.testing import mutate", True),
        ("errors.py", "from treelace.tree import Tree", False),
        ("__init__.py", "from treelace.site import Site", True),
    ],
)
def test_the_reader_of_imports_sees_what_it_should(place: str, line: str, allowed: bool):
    path = SOURCES / place
    assert (not offences(path, room_of(path), line)) == allowed
