"""zstd, from the standard library or its backport; loaded when it is first needed."""

from __future__ import annotations

import sys
from typing import Any


def load_zstd() -> Any:
    """The module."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
