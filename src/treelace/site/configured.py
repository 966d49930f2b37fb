"""The classes of `treelace.toml`: known by addresses, with the wrappers it names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from treelace.errors import UsageError, WrapperError
from treelace.store import settings as site_settings
from treelace.store.classes import Classes
from treelace.store.settings import ClassSection
from treelace.wrappers.loading import is_file_name, load_reader


class ConfiguredClasses:
    """The classes of the settings; a wrapper file that changed becomes its next version."""

    def __init__(self, sections: Sequence[ClassSection], folder: Path, classes: Classes) -> None:
        self._sections = sections
        self._folder = folder
        self._classes = classes
        self._entered: dict[str, int] | None = None
        self._problems: list[str] = []

    def addresses(self) -> list[tuple[str, int]]:
        """Address patterns, each with its class's number, in the order of the settings."""
        numbers = self.enter()
        return [(one.urls, numbers[one.name]) for one in self._sections if one.urls]

    def keys(self) -> dict[str, tuple[str, ...]]:
        """The columns that identify each class's records; the first section of a name wins."""
        return {section.name: tuple(section.key) for section in reversed(self._sections)}

    def enter(self) -> dict[str, int]:
        """Puts the classes into the store once; their numbers. Call it before threads start."""
        if self._entered is None:
            self._entered = {section.name: self._enter(section) for section in self._sections}
        return self._entered

    def take_problems(self) -> list[str]:
        """What was wrong with the wrappers when the classes were entered; each is said once."""
        problems, self._problems = self._problems, []
        return problems

    def _enter(self, section: ClassSection) -> int:
        number = self._classes.ensure(section.name, url_pattern=section.urls or None)
        try:
            data = self._wrapper_data(section.wrapper)
        except (WrapperError, UsageError) as error:
            has_one = self._classes.wrapper(number) is not None
            rest = (
                "its last good version is used"
                if has_one
                else "its pages are kept, and their records wait for it"
            )
            self._problems.append(f"{section.name}: {error}; {rest}")
            return number
        if data:
            self._classes.add_wrapper(number, data, why=f"{site_settings.FILE}: {section.wrapper}")
        return number

    def read_files_again(self) -> None:
        """Lets the classes be entered anew: a wrapper's file may have been edited."""
        self._entered = None

    def check(self) -> None:
        """Reads every wrapper; `WrapperError` or `UsageError` for one that cannot be used."""
        for section in self._sections:
            self._wrapper_data(section.wrapper)

    def _wrapper_data(self, said: str) -> str:
        """The stored form of a wrapper that the settings name; errors name its file."""
        if not is_file_name(said):
            if said:
                load_reader(said)
            return said
        file = self._folder / said
        try:
            data = file.read_text(encoding="utf-8")
            load_reader(data)
        except (OSError, UnicodeDecodeError) as error:
            raise WrapperError(f"{file}: the wrapper cannot be read: {error}") from error
        except WrapperError as error:
            raise WrapperError(f"{file}: {error}") from error
        return data
