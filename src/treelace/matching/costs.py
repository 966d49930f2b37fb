"""What the edits of a tree cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from treelace.errors import UsageError

TagCosts: TypeAlias = Mapping[str, float] | Iterable[tuple[str, float]]
RenameCosts: TypeAlias = Mapping[tuple[str, str], float] | Iterable[tuple[str, str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Costs by label: one for every insertion, deletion and rename, others for some tags.

    Texts are called `#text`, comments `#comment`. A rename between nodes of two kinds never
    happens. With `graded`, a rename costs its share of `rename`: half for another tag, half for the
    share of attributes (of words, for text) that are not in both.

    >>> Costs(insert=2, rename_tag={("b", "strong"): 0.1}).rename_tag
    (('b', 'strong', 0.1),)
    """

    insert: float = 1.0
    delete: float = 1.0
    rename: float = 1.0
    insert_tag: TagCosts = ()
    delete_tag: TagCosts = ()
    rename_tag: RenameCosts = ()
    graded: bool = False

    def __post_init__(self) -> None:
        try:
            self._sort()
        except (TypeError, ValueError) as wrong:
            shape = (
                "insert, delete and rename are numbers, insert_tag and delete_tag {tag: cost},"
                " rename_tag [(old tag, new tag, cost), …]"
            )
            raise UsageError(
                f"these are no costs ({wrong}): {shape}, graded is true or false"
            ) from wrong
        tagged = [row[-1] for row in (*self.insert_tag, *self.delete_tag, *self.rename_tag)]
        for cost in (self.insert, self.delete, self.rename, *tagged):
            if not 0 <= float(cost) < float("inf"):
                raise UsageError(f"a cost of {cost}: costs are finite and not negative")

    def _sort(self) -> None:
        """The costs of tags in one form, so that equal costs are equal."""
        for name in ("insert", "delete", "rename"):
            object.__setattr__(self, name, float(getattr(self, name)))
        for name in ("insert_tag", "delete_tag"):
            given = getattr(self, name)
            rows = given.items() if isinstance(given, Mapping) else given
            object.__setattr__(
                self, name, tuple(sorted((str(tag), float(cost)) for tag, cost in rows))
            )
        given = self.rename_tag
        triples = (
            [(*tags, cost) for tags, cost in given.items()]
            if isinstance(given, Mapping)
            else list(given)
        )
        object.__setattr__(
            self,
            "rename_tag",
            tuple(sorted((str(old), str(new), float(cost)) for old, new, cost in triples)),
        )
        if not isinstance(self.graded, bool):
            raise TypeError(f"graded is {self.graded!r}")


def read_costs(given: Any) -> Costs | None:
    """Costs as they are, or from their names: what a settings file or a command line can say.

    >>> read_costs({"insert": 2, "graded": True})
    Costs(insert=2.0, delete=1.0, rename=1.0, insert_tag=(), delete_tag=(), rename_tag=(),
          graded=True)
    """
    if given is None or isinstance(given, Costs):
        return given
    known = [field.name for field in fields(Costs)]
    if not isinstance(given, Mapping) or not set(given) <= set(known):
        raise UsageError(f"costs are given by their names ({', '.join(known)}), not as {given!r}")
    return Costs(**given)
