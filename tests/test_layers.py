"""The house stays as it is drawn (DESIGN, ARCHITECTURE.md): imports point down and never in a
circle, SQL stays in `store`, the kernel's tree is read in `tree` alone, files and functions are
short.

Everything is read from the sources. Imports inside functions and under TYPE_CHECKING count for the
layers: a type is knowledge, too. What does not hold yet stands in a list below; a list only ever
gets shorter, so an entry that is no longer needed fails as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "treelace"

# From the ground up; two on one line are sisters who do not know each other.
ORDER = [
    {"errors", "limits"},
    {"named", "plugins"},
    {"_kernel"},
    {"tree", "look"},
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
    {"studio", "bulk"},
    {"mcp"},
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

# The rooms of wrappers, from the ground up; the modules beside them stand on top.
WRAPPER_ROOMS = ["model", "apply", "learn", "repair"]

MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 60

# modules that import each other at run time
CIRCLES: set[str] = set()
SQL_OUTSIDE_STORE: set[str] = set()
LONG_FILES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()


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


def test_the_rooms_of_wrappers_use_only_those_below():
    found = []
    for floor, room in enumerate(WRAPPER_ROOMS):
        for path in sorted((SOURCES / "wrappers" / room).glob("*.py")):
            for line in path.read_text(encoding="utf-8").splitlines():
                used = re.match(r"\s*from treelace\.wrappers(?:\.(\w+))?", line)
                if used and used[1] not in WRAPPER_ROOMS[: floor + 1]:
                    found.append(f"{room}/{path.name}: {line.strip()}")
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


def compare(found: set[str], known: set[str], *, rule: str) -> None:
    """Fails for what breaks a rule and is not listed, and for what is listed and need not be."""
    fresh, done = sorted(found - known), sorted(known - found)
    assert not fresh, f"{rule}:\n" + "\n".join(fresh)
    assert not done, "well done; strike from the list in tests/test_layers.py:\n" + "\n".join(done)


def named_modules() -> dict[str, Path]:
    """Every module by its name, without `treelace.`; the menu is left out."""
    found = {}
    for path in python_files():
        parts = path.relative_to(SOURCES).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if parts:
            found[".".join(parts)] = path
    return found


def run_time_nodes(source: str) -> Iterator[ast.AST]:
    """The syntax of a file without what only type checkers read."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting.extend(node.orelse)
            continue
        yield node
        waiting.extend(ast.iter_child_nodes(node))


def imported_modules(source: str, package: list[str], modules: set[str]) -> set[str]:
    """Which of our modules a file imports at run time: at its top, inside functions, or by the
    `module:Class` of a family.

    Imports for types alone are left out: a class and its view name each other in their signatures.
    """
    found = set()
    for node in run_time_nodes(source):
        if isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("treelace.") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ["treelace", *package][: len(package) + 2 - node.level] if node.level else []
            full = ".".join([*base, *([node.module] if node.module else [])])
            whole = full.removeprefix("treelace").removeprefix(".")
            if full.split(".")[0] == "treelace":
                names = {f"{whole}.{alias.name}".removeprefix(".") for alias in node.names}
                found |= (names & modules) | ({whole} if names - modules else set())
        elif isinstance(node, ast.Constant) and (
            member := re.fullmatch(r"(\.|treelace\.)([\w.]+):\w+", str(node.value))
        ):
            found.add(".".join([*package, member[2]]) if member[1] == "." else member[2])
    return found & modules


def circles(uses: dict[str, set[str]]) -> set[str]:
    """The sets of modules that reach each other, each as one line."""

    def reached(start: str) -> set[str]:
        seen, waiting = set[str](), [*uses[start]]
        while waiting:
            module = waiting.pop()
            if module not in seen:
                seen.add(module)
                waiting.extend(uses[module])
        return seen

    reach = {module: reached(module) for module in uses}
    return {
        ", ".join(sorted(other for other in reach[module] if module in reach[other]))
        for module in uses
        if module in reach[module]
    }


def test_no_module_imports_itself_in_a_circle():
    modules = named_modules()
    uses = {}
    for name, path in modules.items():
        package = list(path.relative_to(SOURCES).parts[:-1])
        uses[name] = imported_modules(path.read_text(encoding="utf-8"), package, set(modules))
        uses[name].discard(name)
    compare(circles(uses), CIRCLES, rule="modules that import each other")


def test_the_reader_of_circles_sees_what_it_should():
    modules = {"a", "b", "p", "p.q", "_kernel"}
    read = imported_modules("from treelace import a, b", [], modules)
    assert read == {"a", "b"}
    assert imported_modules("def f():\n    from . import q", ["p"], modules) == {"p.q"}
    assert imported_modules("from treelace.p import x", [], modules) == {"p"}
    assert imported_modules("Family('', {'q': '.q:Q'})", ["p"], modules) == {"p.q"}
    assert imported_modules("Family('', {'a': 'treelace.a:A'})", ["p"], modules) == {"a"}
    assert not imported_modules("if TYPE_CHECKING:\n    import treelace.a", [], modules)
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == {"b, c"}
    assert circles({"a": {"b"}, "b": set()}) == set()


@cache
def syntax(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def offending(rule: Callable[[ast.AST], bool], *, but: str) -> set[str]:
    """The files outside one room with a piece of syntax that a rule names."""
    return {
        path.relative_to(SOURCES).as_posix()
        for path in python_files()
        if room_of(path) != but and any(rule(node) for node in syntax(path))
    }


def is_sql(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.split(".")[0] == "sqlalchemy" for alias in node.names)
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sqlalchemy"


def reads_the_kernels_tree(node: ast.AST) -> bool:
    """`tree._core`, or `tree.kernel.kind(…)`: the kernel's tree is only handed on."""
    return isinstance(node, ast.Attribute) and (
        (node.attr == "_core" and ast.unparse(node.value) != "self")
        or (isinstance(node.value, ast.Attribute) and node.value.attr == "kernel")
    )


def test_sql_stays_in_the_store():
    compare(offending(is_sql, but="store"), SQL_OUTSIDE_STORE, rule="SQL outside store")


SITE_COMMANDS = "classes crawl demo demo_truth maintenance monitor records site versions".split()
FACES_MAY_USE = {"site", "cli", "errors", "limits", "menu", "testing"}
# types in signatures, and what the demo shows beside its site
ALSO = {
    ("demo", "extract"),
    ("demo_truth", "extract"),
    ("demo_truth", "classes"),
    ("versions", "tree"),
}


@pytest.mark.parametrize("command", SITE_COMMANDS)
def test_the_commands_of_a_site_ask_the_site(command: str):
    """A command reads its arguments, calls a verb of `Site` and prints: no logic of its own."""
    path = SOURCES / "cli" / f"{command}.py"
    used = {
        room for _, room in imported_rooms(path.read_text(encoding="utf-8"), ["treelace", "cli"])
    }
    allowed = FACES_MAY_USE | {room for one, room in ALSO if one == command}
    assert used <= allowed, f"{command} uses {', '.join(sorted(used - allowed))}"


STUDIO_MAY_USE = {"site", "studio", "errors", "limits", "look"}
# types in signatures
STUDIO_ALSO = {("record", "store"), ("sql", "store")}


def test_the_studio_asks_the_site():
    """A view reads a request, calls a verb of `Site` and says how it is shown."""
    found = [
        f"{path.name}: {room}"
        for path in (SOURCES / "studio").rglob("*.py")
        for _, room in imported_rooms(path.read_text(encoding="utf-8"), ["treelace", "studio"])
        if room not in STUDIO_MAY_USE and (path.stem, room) not in STUDIO_ALSO
    ]
    assert not found, found


def test_the_kernels_tree_is_read_in_tree_alone():
    compare(offending(reads_the_kernels_tree, but="tree"), set(), rule="use Tree and Node")


def test_files_are_short():
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES_OF_A_FILE
    }
    compare(found, LONG_FILES, rule=f"more than {MOST_LINES_OF_A_FILE} lines")


def test_functions_are_short():
    found = {
        node.name
        for path in SOURCES.rglob("*.py")
        for node in syntax(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MOST_LINES_OF_A_FUNCTION
    }
    compare(found, LONG_FUNCTIONS, rule=f"more than {MOST_LINES_OF_A_FUNCTION} lines")
