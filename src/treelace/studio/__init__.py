"""The studio: a site in a browser, on this machine alone, over the verbs of `Site`."""

from __future__ import annotations
