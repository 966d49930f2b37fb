"""Layout: how alike pages of one site are, by the facts that tell its kinds of pages apart.

All pages of a site share its frame, so a measure that counts every fact calls a product .96 like a
list of products. Here a fact counts by what it says of the kind of a page, and the addresses say
which pages are likely of one kind: pages under `/recipes/…` more likely than `/` and `/about`. With
H(f) the entropy of a fact over the pages, and H(f | address) what is left of it where the form of
the address is known,

    weight(f) = BASE + max(0, H(f) − WITHIN · H(f | address))

A fact of all pages is frame and has H = 0. A fact that comes and goes among pages of one form of
address (a picture in some posts, a class for each category) is content: what it has in H it loses
again. A fact that all pages of one form have and others have not keeps its weight. Similarity is
the weighted Jaccard coefficient.

Facts are those of the measure `structure`, families edges and paths, of the body alone: head,
scripts, style sheets and what is inside running text are no layout.

Tried beside it on the seven sites of `data/sites` (`python -m experiments.site_classes`): every
family, one number for all facts, entropy without addresses, one link instead of the mean.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from treelace import _kernel
from treelace.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treelace._kernel import Features
    from treelace.tree import Tree

    Vector = NDArray[np.float64]

FAMILIES = {"edges": 1.0, "paths": 0.3}
"""The families of facts that are compared, with the vote of a fact of each: paths know no classes,
so they say less.
"""
BASE = 0.1
"""Weight of a fact that says nothing of kinds: it tells a page of the site from one of another."""
WITHIN = 0.9
"""Share of the entropy among pages of one form of address that a fact loses as content."""
NEARLY_ALL = 0.9
"""Share of pages that have a fact which they are said to have in common."""
_DIGITS = 6
"""Similarities are rounded, so that the order of a sum does not decide a class."""


def sketch_of(tree: Tree) -> Features:
    """What a page is known by among the pages of its site."""
    return _kernel.structure_features(tree.kernel, None, 0, DEFAULT_LIMITS, True)


def address_form(url: str) -> str:
    """What addresses of one kind of page tend to have in common: the folder, and no numbers.

    >>> address_form("https://a.example/2026/03/tea"), address_form("https://a.example/jobs/17/")
    ('0/0/*', 'jobs/0')
    >>> address_form("https://a.example/item.php?id=3&lang=en")
    'item.php?id,lang'
    """
    parts = urlsplit(url)
    pieces = [re.sub(r"[0-9]+", "0", piece) for piece in parts.path.split("/") if piece]
    if parts.query:
        names = sorted({pair.partition("=")[0] for pair in parts.query.split("&")})
        return f"{'/'.join(pieces)}?{','.join(names)}"
    if pieces and pieces[-1] != "0":
        pieces[-1] = "*"
    return "/".join(pieces)


class LayoutSpace:
    """Some pages of a site, by their sketches and addresses; others are compared with them.

    Time O(facts · pages) for a comparison, memory 8 bytes for each.
    """

    def __init__(self, sketches: Sequence[Features], urls: Sequence[str]) -> None:
        import numpy as np

        facts = [_facts(sketch) for sketch in sketches]
        self._vocabulary = {
            name: np.unique(np.concatenate([found[name] for found in facts])) for name in FAMILIES
        }
        self._rows = np.array([self._row(found) for found in facts])
        self._weights = self._votes * self._weigh(urls)
        self._sums = self._rows @ self._weights

    def __len__(self) -> int:
        return len(self._rows)

    def compare(self, sketch: Features) -> Vector:
        """How alike a page is to each page of the space, from 0 to 1."""
        facts = _facts(sketch)
        row = self._row(facts)
        strange = sum(
            vote * (len(facts[name]) - row[part].sum())
            for (name, vote), part in zip(FAMILIES.items(), self._parts, strict=True)
        )
        total = float(row @ self._weights) + BASE * float(strange)
        return self._jaccard(self._rows @ (row * self._weights), total, self._sums)

    @cached_property
    def similarities(self) -> NDArray[np.float64]:
        """How alike the pages of the space are to each other."""
        both = (self._rows * self._weights) @ self._rows.T
        return self._jaccard(both, self._sums[:, None], self._sums[None, :])

    def contained(self, some: Sequence[int], others: Sequence[int]) -> float:
        """How much of what nearly all of some pages have in common others have, from 0 to 1."""
        common = self._weights * (self._rows[list(some)].mean(axis=0) >= NEARLY_ALL)
        shared = float(common @ self._rows[list(others)].mean(axis=0))
        return shared / max(float(common.sum()), 1e-9)

    def _jaccard(
        self, both: NDArray[np.float64], left: float | Vector, right: Vector
    ) -> NDArray[np.float64]:
        import numpy as np

        either = left + right - both
        alike = np.where(either > 0, both / np.maximum(either, 1e-9), 1.0)
        return np.round(alike, _DIGITS).astype(np.float64)

    @cached_property
    def _parts(self) -> list[slice]:
        """Where the facts of each family stand in a row."""
        first = len(self._vocabulary["edges"])
        return [slice(0, first), slice(first, None)]

    @cached_property
    def _votes(self) -> Vector:
        import numpy as np

        return np.concatenate(
            [np.full(len(self._vocabulary[name]), vote) for name, vote in FAMILIES.items()]
        )

    def _row(self, facts: dict[str, NDArray[np.uint64]]) -> Vector:
        import numpy as np

        return np.concatenate(
            [
                np.isin(known, facts[name], assume_unique=True)
                for name, known in self._vocabulary.items()
            ]
        ).astype(np.float64)

    def _weigh(self, urls: Sequence[str]) -> Vector:
        """The weight of each fact; a fact of a single page says nothing of kinds."""
        import numpy as np

        forms: dict[str, list[int]] = defaultdict(list)
        for number, url in enumerate(urls):
            forms[address_form(url)].append(number)
        within = sum(
            (len(some) / len(urls) * _entropy(self._rows[some].mean(axis=0)))
            for some in forms.values()
        )
        telling = np.maximum(_entropy(self._rows.mean(axis=0)) - WITHIN * within, 0.0)
        telling[self._rows.sum(axis=0) < 2] = 0.0
        weights: Vector = BASE + telling
        return weights


def plain_similarity(left: Features, right: Features) -> float:
    """How alike two pages are where nothing is known of their site."""
    return float(LayoutSpace([left], [""]).compare(right)[0])


def _facts(sketch: Features) -> dict[str, NDArray[np.uint64]]:
    return dict(sketch.families())


def _entropy(share: Vector) -> Vector:
    """In bits, of something that is so with this probability."""
    import numpy as np

    inside = np.clip(share, 1e-12, 1 - 1e-12)
    bits: Vector = -(inside * np.log2(inside) + (1 - inside) * np.log2(1 - inside))
    bits[(share <= 0) | (share >= 1)] = 0.0
    return bits
