"""The sites of a studio, each opened when it is asked for."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from treelace.errors import StoreError, UsageError
from treelace.site import Site, is_site_of_database

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.limits import Limits

SETTINGS = "treelace.toml"


class Sites:
    """Folders of sites by short names; a site is opened once for reading, and again where its
    settings have changed.
    """

    def __init__(
        self,
        folders: Sequence[str | Path],
        *,
        limits: Limits,
        read_only: bool = False,
        allow_private: bool = False,
    ) -> None:
        self.limits = limits
        self.allow_private = allow_private
        self.read_only = read_only
        self._lock = threading.Lock()
        self._open: dict[str, tuple[float | str, Site]] = {}
        self.folders: dict[str, Path | str] = {}
        """Each site's folder, or its place in a database."""
        for folder in folders:
            if is_site_of_database(str(folder)):
                self._name(str(folder).rpartition("#")[2], str(folder))
            else:
                self.add(Path(folder))

    def add(self, folder: Path) -> str:
        """Takes a site in, and answers with its name."""
        if not (folder / SETTINGS).is_file():
            raise UsageError(f"{folder}: there is no site here: `treelace init {folder} URL`")
        for name, known in self.folders.items():
            if isinstance(known, Path) and known.resolve() == folder.resolve():
                return name
        return self._name(folder.resolve().name, folder)

    def _name(self, wanted: str, folder: Path | str) -> str:
        plain = re.sub(r"[^\w.-]+", "-", wanted) or "site"
        name, number = plain, 2
        while name in self.folders:
            name, number = f"{plain}-{number}", number + 1
        self.folders[name] = folder
        return name

    def reading(self, name: str) -> Site:
        """A site, to look at it."""
        if name not in self.folders:
            raise UsageError(
                f"no site {name!r} here; there are: {', '.join(self.folders) or 'none'}"
            )
        folder = self.folders[name]
        changed = self._settings_of(name, folder)
        with self._lock:
            known = self._open.get(name)
            if known is None and not self.read_only:
                with suppress(StoreError):  # brings a store of an earlier version up to date
                    Site(folder, limits=self.limits).close()
            if known is None or known[0] != changed:
                known = (changed, Site(folder, read_only=True, limits=self.limits))
                self._open[name] = known
        return known[1]

    def _settings_of(self, name: str, folder: Path | str) -> float | str:
        """What is another when the settings of a site are."""
        if isinstance(folder, Path):
            return (folder / SETTINGS).stat().st_mtime
        known = self._open.get(name)
        return "" if known is None else known[1].settings_text()

    def writing(self, name: str) -> Site:
        """A site of its own, to change it; the caller closes it."""
        self.reading(name)
        if self.read_only:
            raise UsageError(
                "this studio only reads: start it without --read-only to change things"
            )
        return Site(self.folders[name], limits=self.limits)

    def close(self) -> None:
        """Lets go of every store."""
        with self._lock:
            for _, site in self._open.values():
                site.close()
            self._open.clear()


def folders_here(place: Path) -> list[Path]:
    """The site in a folder, or those in the folders inside it."""
    if (place / SETTINGS).is_file():
        return [place]
    return sorted(path.parent for path in place.glob(f"*/{SETTINGS}"))
