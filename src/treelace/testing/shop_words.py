"""How the shop writes: addresses of its lists, prices, sentences."""

from __future__ import annotations

import random

PER_PAGE = 12
NEWS_PER_PAGE = 10

WORDS = (
    "light floral round quiet bright mellow careful steady warm honest clear patient slow gentle"
    " crisp deep early late small whole garden harbour morning market leaf spring river kitchen"
    " window table hand season water stone smoke honey citrus pear hay cedar"
).split()


def list_path(section: str, number: int = 1) -> str:
    """Where page `number` of a section's list is."""
    return f"/{section}" if number == 1 else f"/{section}?page={number}"


def money(cents: int) -> str:
    """A price as the pages write it.

    >>> money(123450)
    '€1,234.50'
    """
    return f"€{cents // 100:,}.{cents % 100:02}"


def sentence(numbers: random.Random, words: int) -> str:
    """So many words that look like a sentence."""
    return " ".join(numbers.choice(WORDS) for _ in range(words)).capitalize() + "."
