"""Known classes: what the store has of them, with their examples read and their wrappers loaded
when they are first needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from treelace.classes.drift import Watched
from treelace.classes.examples import MEASURE, examples_of
from treelace.classes.model import Assigned
from treelace.classes.pagination import series_of
from treelace.classes.readers import key_without_settings
from treelace.errors import WrapperError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from treelace._kernel import Features
    from treelace.classes.model import PageClass
    from treelace.store.classes import Classes
    from treelace.wrappers.model.page_reader import PageReader


@dataclass(slots=True)
class Known:
    """A class and its examples; `problem` says why it has no wrapper, where it should have one."""

    page_class: PageClass
    examples: list[Features]
    wrapper: PageReader | None = None
    is_loaded: bool = False
    problem: str = ""

    def has_series_of(self, url: str) -> bool:
        """Whether a page continues a list by which the class is known."""
        return series_of(url) in {
            series_of(example) for example in self.page_class.about.get("examples", ())
        }


class KnownClasses:
    """The classes of a store that were not removed; `load` makes what extracts records of a
    wrapper's text, `keys` are those of the settings.
    """

    def __init__(
        self,
        classes: Classes,
        load: Callable[[str], PageReader],
        keys: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._classes = classes
        self.load = load
        self._keys = keys
        self._known: dict[int, Known] = {}
        self._loading = Lock()
        self.reload()

    def reload(self) -> None:
        """Reads the classes again."""
        self._known = {
            one.id: Known(one, examples_of(one))
            for one in self._classes.all()
            if one.state != "removed"
        }

    def __getitem__(self, class_id: int) -> Known:
        return self._known[class_id]

    def get(self, class_id: int | None) -> Known | None:
        """The class of this number, if there is one."""
        return None if class_id is None else self._known.get(class_id)

    def in_state(self, state: str) -> list[Known]:
        """The classes that are proposed, accepted or rejected."""
        return [known for known in self._known.values() if known.page_class.state == state]

    def nearest(self, page: Features) -> tuple[Known | None, float]:
        """The class with the example that is most like a page, and how alike they are."""
        best, most = None, 0.0
        for known in self._known.values():
            for example in known.examples:
                alike = MEASURE.compare(page, example)
                if alike > most:
                    best, most = known, alike
                    if alike == 1.0:
                        return best, most
        return best, most

    def assigned(self, known: Known) -> Assigned:
        """A class as that of a page, with its wrapper."""
        name = known.page_class.name
        with (
            self._loading
        ):  # a thread that comes meanwhile must not take the class for one without a wrapper
            if not known.is_loaded:
                stored = self._classes.wrapper(known.page_class.id)
                try:
                    known.wrapper = None if stored is None else self.load(stored.data)
                except WrapperError as error:  # the page is kept all the same
                    known.problem = f"its wrapper cannot be read: {error}"
                known.is_loaded = True
        watched = None if known.wrapper is None else Watched(known.wrapper)
        return Assigned(
            known.page_class.id, name, watched, self.key_of(name, known.wrapper), known.problem
        )

    def key_of(self, name: str, wrapper: PageReader | None) -> tuple[str, ...]:
        """What identifies the records of a class: what the settings say, else what its pages do."""
        learnt = next(
            (
                known.page_class.about.get("key")
                for known in self._known.values()
                if known.page_class.name == name
            ),
            None,
        )
        return self._keys.get(name) or key_without_settings(wrapper) or tuple(learnt or ())
