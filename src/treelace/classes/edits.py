"""Edits: what becomes of classes that a person merges or splits, as plans that change nothing.

Whoever keeps the classes carries a plan out, with their records, in one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace.classes.examples import MOST_EXAMPLES, pack, spread
from treelace.classes.layout import LayoutSpace
from treelace.classes.learning import learn, without_columns
from treelace.classes.linkage import cut_to
from treelace.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from treelace._kernel import Features
    from treelace.classes.catalogue import KnownClass
    from treelace.tree import Tree
    from treelace.wrappers import Wrapper


@dataclass(frozen=True, slots=True)
class EditedClass:
    """A class as it will be: pages, wrapper (or None and the problem), examples, and the rest."""

    members: tuple[str, ...]
    wrapper: Wrapper | None
    problem: str
    sketch: bytes
    about: Mapping[str, object]


def merge(
    kept: KnownClass, lost: KnownClass, members: Sequence[str], trees: Sequence[Tree]
) -> EditedClass:
    """One class of two; `members` are the pages of both, `trees` those a wrapper is learnt from."""
    if kept.id == lost.id:
        raise UsageError("a class cannot be merged with itself")
    half = MOST_EXAMPLES // 2
    rest = MOST_EXAMPLES - half
    examples = [*kept.examples[:half], *lost.examples[:rest]]
    noise = {*noise_of(kept), *noise_of(lost)}
    wrapper, problem = learn_again(trees, noise)
    urls = [*kept.example_urls[:half], *lost.example_urls[:rest]]
    about = {**kept.page_class.about, "examples": urls, "problem": problem, "merged": lost.name}
    about |= {"noise": sorted(noise)} if noise else {}
    return EditedClass(tuple(members), wrapper, problem, pack(examples), about)


def split(sketches: Mapping[str, Features], name: str) -> tuple[list[str], list[str]]:
    """A class's pages in two parts, cut where least alike; `UsageError` if they are all alike."""
    urls = list(sketches)
    alike = LayoutSpace(list(sketches.values()), urls).similarities if len(urls) > 1 else None
    sides: tuple[list[str], list[str]] = ([], [])
    for url, label in zip(urls, () if alike is None else cut_to(alike, 2).tolist(), strict=False):
        sides[label].append(url)
    if not all(sides):
        raise UsageError(f"the {len(sketches)} pages of {name} cannot be told apart")
    return sides


def side_of(sketch: Features, sides: LayoutSpace, first: int) -> int:
    """Which of two sides a page is more like, by some pages of each: `first` are of the one."""
    alike = sides.compare(sketch)
    return int(alike[first:].max() > alike[:first].max())


def remainder(
    one: KnownClass,
    members: Sequence[str],
    sketches: Mapping[str, Features],
    trees: Sequence[Tree],
    split_off: str,
) -> EditedClass:
    """What is left of a class when the class `split_off` has gone its own way."""
    wrapper, problem = learn_again(trees, noise_of(one))
    examples = spread([url for url in members if url in sketches], MOST_EXAMPLES)
    about = {**one.page_class.about, "examples": examples, "split": split_off}
    sketch = pack([sketches[url] for url in examples])
    return EditedClass(tuple(members), wrapper, problem, sketch, about)


def learn_again(trees: Sequence[Tree], noise: Collection[str]) -> tuple[Wrapper | None, str]:
    """A wrapper for these pages, without columns that their classes dropped as noise before."""
    wrapper, problem = learn(trees)
    return (wrapper and without_columns(wrapper, set(noise))), problem


def noise_of(one: KnownClass) -> list[str]:
    """The columns that a class has dropped because they differ at every look."""
    return list(one.page_class.about.get("noise", ()))
