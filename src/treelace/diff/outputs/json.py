"""The JSON form of a delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from treelace.diff.delta import Delta
    from treelace.diff.outputs.output import Change
    from treelace.limits import Limits


@dataclass(frozen=True, slots=True)
class Json:
    """The whole delta in its JSON form; `treelace apply` reads it."""

    name: ClassVar[str] = "json"

    def write(self, change: Change) -> str:
        """The delta; what is ignored stands in it, too."""
        return self.write_delta(change.delta, limits=change.limits)

    def write_delta(self, delta: Delta, *, limits: Limits) -> str:
        """The delta, without its documents."""
        return delta.to_json(limits=limits)
