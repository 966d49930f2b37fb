"""Files that only their owner may read: stores, settings and archives may hold secrets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

PRIVATE = 0o600


def open_private(path: Path, mode: str, **options: Any) -> IO[Any]:
    """The file, opened; one that is made here is readable by its owner alone."""
    return open(path, mode, opener=lambda name, flags: os.open(name, flags, PRIVATE), **options)
