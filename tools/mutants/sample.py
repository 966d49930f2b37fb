"""Which mutants are drawn, and which tests have to kill them.

The draw depends on the seed and on the mutated code alone, not on where it stands: each mutant has
a rank, made of the seed, its function, its line of code and the change, and the lowest ranks of
each package and kind are taken. So a file that moves, or a new function beside it, leaves the rest
of the sample as it was.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from tools.mutants import sites

SOURCES = Path("src/treelace")
ROOT = "(top)"  # the modules beside the packages: errors, limits, …
FEWEST = 8  # mutants of a package, however small it is
GENERATED = ("weights",)  # files of fitted numbers: a test of one of them would repeat it

# Beside tests/<package> and the doctests of the package. A package that is not named here has its
# tests in tests/<package> alone.
MORE_TESTS: dict[str, tuple[str, ...]] = {
    ROOT: ("tests/test_named.py", "tests/tree", "tests/similarity/test_name.py"),
    "tree": ("tests/parse_html", "tests/parse_xml", "tests/select", "tests/write"),
    "similarity": ("tests/contracts/test_measures.py",),
    "matching": ("tests/contracts/test_matchers.py",),
    "render": ("tests/crawl/test_rendering.py",),
    "diff": ("tests/contracts/test_diff_outputs.py",),
    "extract": (
        "tests/contracts/test_column_types.py",
        "tests/contracts/test_extractors.py",
        "tests/contracts/test_locales.py",
    ),
    "monitor": ("tests/contracts/test_channels.py",),
    "site": ("tests/crawl", "tests/cli/test_site.py"),
    "crawl": ("tests/classes",),
    "classes": ("tests/classify", "tests/crawl"),
}


@dataclass(frozen=True)
class Mutant:
    """A mutation of a file, and the package that it counts for."""

    package: str
    path: str
    mutation: sites.Mutation

    @property
    def identity(self) -> str:
        """The mutant by its content: function, line of code, change. It survives moves."""
        change = self.mutation
        return f"{change.function} | {change.text} | {change.old} → {change.new.rstrip()}"

    def __str__(self) -> str:
        change = self.mutation
        old, new = " ".join(change.old.split()), " ".join(change.new.split())
        return f"{self.path}:{change.line}: {old} → {new}"


def tests_of(package: str) -> list[str]:
    """The test files and folders that have to kill the mutants of a package, where they exist."""
    paths = [f"tests/{package}", *MORE_TESTS.get(package, ())]
    paths += [str(SOURCES / package)] if package != ROOT else map(str, SOURCES.glob("*.py"))
    return [path for path in paths if Path(path).exists()]


def packages() -> dict[str, list[Path]]:
    """The sources by package."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(SOURCES.rglob("*.py")):
        inside = path.relative_to(SOURCES)
        if not any(word in path.stem for word in GENERATED):
            found[inside.parts[0] if len(inside.parts) > 1 else ROOT].append(path)
    return dict(found)


def draw(seed: int, count: int) -> dict[str, list[Mutant]]:
    """`count` mutants by package: proportional to the places in it, at least FEWEST, evenly over
    the kinds as far as there are so many.
    """
    places = {package: _ranked(seed, package, files) for package, files in packages().items()}
    places = {package: found for package, found in places.items() if found}
    sizes = {package: sum(map(len, found.values())) for package, found in places.items()}
    return {
        package: _evenly(found, _share(package, sizes, count)) for package, found in places.items()
    }


def _share(package: str, sizes: dict[str, int], count: int) -> int:
    """How many of `count` a package gets: FEWEST, and its part of the rest."""
    rest = max(0, count - FEWEST * len(sizes))
    names = list(sizes)
    before = sum(sizes[name] for name in names[: names.index(package)])
    total = sum(sizes.values())
    upto = before + sizes[package]
    return min(FEWEST, count // len(sizes)) + upto * rest // total - before * rest // total


def _ranked(seed: int, package: str, files: list[Path]) -> dict[str, list[Mutant]]:
    """All mutants of a package by kind, lowest rank first."""
    ranks: dict[str, list[tuple[bytes, Mutant]]] = {kind: [] for kind in sites.KINDS}
    twins: Counter[str] = Counter()
    for path in files:
        for mutation in sites.find(path.read_text()):
            mutant = Mutant(package, str(path), mutation)
            twins[mutant.identity] += 1
            text = f"{seed} | {mutant.identity} | {twins[mutant.identity]}"
            ranks[mutation.kind].append((hashlib.sha256(text.encode()).digest(), mutant))
    return {
        kind: [mutant for _, mutant in sorted(found, key=lambda pair: pair[0])]
        for kind, found in ranks.items()
        if found
    }


def _evenly(ranked: dict[str, list[Mutant]], count: int) -> list[Mutant]:
    """The first `count`, the kinds taking turns; what is not Python is passed over."""
    queues = [iter(mutants) for mutants in ranked.values()]
    drawn: list[Mutant] = []
    while queues and len(drawn) < count:
        for queue in list(queues):
            mutant = next(
                (one for one in queue if one.mutation.compiles(Path(one.path).read_text())), None
            )
            if mutant is None:
                queues.remove(queue)
            elif len(drawn) < count:
                drawn.append(mutant)
    return drawn
