"""Which candidates become tables by their sums, as the kernel chooses them, and how good these
are: the figures of the corpus' scorer, on candidates.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from experiments.records.labelled import Page
from treelace.extract.extractors.records import LOOKED_AT, SAME, TAKEN, WHOLE
from treelace.extract.regions.candidates import NAMES

FOUND, SURE, MOST = 0.9, 0.5, 10
CLOSE_MEAN, IS_JOINED = NAMES.index("close_mean"), NAMES.index("is_joined")


def chosen(page: Page, sums: NDArray[np.float64], *, most: int = MOST) -> list[tuple[int, float]]:
    """The candidates that are kept, with the belief left for each. The plain definition of the
    kernel's `choose`.
    """
    order = np.argsort(-sums, kind="stable")[:LOOKED_AT]
    sets = {int(number): _texts(page, int(number)) for number in order}
    belief = {number: 1 / (1 + np.exp(-sums[number])) for number in sets}
    overlap = dict.fromkeys(sets, 0.0)
    kept: list[tuple[int, float]] = []
    while sets and len(kept) < most:
        left = {number: belief[number] * (1 - TAKEN * overlap[number]) for number in sets}
        part = max(left, key=left.__getitem__)
        best = max(
            (it for it in sets if overlap[it] <= overlap[part] and _is_whole(page, sums, it, part)),
            key=belief.__getitem__,
            default=part,
        )
        kept.append((best, float(left[part])))
        texts = sets.pop(best)
        for number, others in list(sets.items()):
            both = int(np.count_nonzero(texts & others))
            mine, theirs = int(np.count_nonzero(texts)), int(np.count_nonzero(others))
            overlap[number] = max(overlap[number], both / max(1, min(mine, theirs)))
            if both >= SAME * (mine + theirs - both):
                del sets[number]
    return kept


def _is_whole(page: Page, sums: NDArray[np.float64], whole: int, part: int) -> bool:
    """Whether a list under several parents comes in the place of a part of it."""
    more, alike, odds = WHOLE
    joined, close = page.features[:, IS_JOINED], page.features[:, CLOSE_MEAN]
    return bool(
        joined[whole]
        and len(page.spans[whole]) >= more * len(page.spans[part])
        and close[whole] >= alike * close[part]
        and sums[whole] - sums[part] >= np.log(odds)
        and set(page.spans[part]) <= set(page.spans[whole])
    )


def _texts(page: Page, number: int) -> NDArray[np.bool_]:
    texts = np.zeros(page.texts, dtype=bool)
    for start, stop in page.spans[number]:
        texts[start:stop] = True
    return texts


def first_tables(page: Page, sums: NDArray[np.float64], *, most: int) -> list[int]:
    """The candidates of the first tables."""
    return [number for number, _ in chosen(page, sums, most=most)]


def report(pages: list[Page], sums: list[NDArray[np.float64]]) -> str:
    """A line for each kind of page: lists that are among the candidates, found, found first, of
    the first three, with a confidence of .5 or more; mean F1 of the first table; pages without a
    list that stay quiet.
    """
    by_kind: dict[str, list[dict[str, float]]] = defaultdict(list)
    for page, of_page in zip(pages, sums, strict=True):
        by_kind[page.kind].append(_figures(page, of_page))
    heads = ("there", "found", "first", "three", "sure", "F1", "quiet")
    lines = [f"{'':18} pages  " + "  ".join(f"{head:>5}" for head in heads)]
    for kind, figures in sorted(by_kind.items()):
        means = ([one[head] for one in figures if head in one] for head in heads)
        shown = "  ".join(f"{np.mean(some):5.3f}" if some else "    –" for some in means)
        lines.append(f"{kind:18} {len(figures):5}  {shown}")
    return "\n".join(lines)


def _figures(page: Page, sums: NDArray[np.float64]) -> dict[str, float]:
    kept = chosen(page, sums)
    if not page.lists:
        return {"quiet": float(all(belief < SURE for _, belief in kept))}
    is_right = page.f1[[number for number, _ in kept]] >= FOUND
    rights = [bool(row.any()) for row in is_right]
    is_sure = any(right and belief >= SURE for right, (_, belief) in zip(rights, kept, strict=True))
    return {
        "there": float((page.f1 >= FOUND).any(axis=0).mean()),
        "found": float(is_right.any(axis=0).mean()),
        "first": float(rights[0]),
        "three": float(any(rights[:3])),
        "sure": float(is_sure),
        "F1": float(page.best[kept[0][0]]),
    }
