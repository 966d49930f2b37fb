"""What a structure index should answer, from the definition: every page is looked at.

Facts and slots come as the index keeps them; bands, candidates and ranks are worked out again here.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from treelace import _kernel
from treelace.similarity.index_plan import Plan


def facts(features: _kernel.Features, plan: Plan) -> list[set[int]]:
    """The families of a page as sets."""
    record = _kernel.index_facts(features)
    counts = struct.unpack_from(f"<{plan.families}I", record)
    tokens = iter(struct.unpack_from(f"<{sum(counts)}Q", record, 4 * plan.families))
    return [{next(tokens) for _ in range(count)} for count in counts]


def bands(features: _kernel.Features, plan: Plan) -> list[tuple[int, ...]]:
    """The bands of a page: its slots dealt out family by family, then cut into rows."""
    slots, _ = _kernel.index_sketch(plan, features)
    by_family = [slots[at : at + plan.slots] for at in range(0, len(slots), plan.slots)]
    dealt = [
        by_family[family][number] for number in range(plan.slots) for family in range(plan.families)
    ]
    return [
        tuple(dealt[at : at + plan.rows]) for at in range(0, len(dealt) - plan.rows + 1, plan.rows)
    ]


def similarity(left: list[set[int]], right: list[set[int]]) -> float:
    """The measure `structure`: square of the mean root of the families' Jaccard coefficients,
    missing families left out.
    """
    shares = [len(a & b) / len(a | b) for a, b in zip(left, right, strict=True) if a | b]
    return (sum(map(math.sqrt, shares)) / len(shares)) ** 2 if shares else 1.0


def alike(
    pages: dict[str, _kernel.Features], asked: _kernel.Features, plan: Plan
) -> list[tuple[str, float]]:
    """All pages that share a band with the question, the most alike first, of equal ones the
    first.
    """
    mine, wanted = bands(asked, plan), facts(asked, plan)
    meets = {
        name: features
        for name, features in pages.items()
        if any(a == b for a, b in zip(mine, bands(features, plan), strict=True))
    }
    found = [(name, similarity(wanted, facts(features, plan))) for name, features in meets.items()]
    return sorted(found, key=lambda pair: -pair[1])


def containing(
    pages: dict[str, _kernel.Features], asked: _kernel.Features, plan: Plan, at_least: float
) -> list[tuple[str, Fraction]]:
    """All pages that contain the share that is asked for, and enough of the sample; the best first,
    of equal ones the first.
    """
    wanted = facts(asked, plan)[: plan.contained]
    sample = set(_kernel.index_sketch(plan, asked)[1])
    slack = 2 * math.sqrt(at_least * (1 - at_least) * len(sample))
    need = max(1, math.ceil(at_least * len(sample) - slack)) if len(sample) >= 8 else 0
    found = []
    for name, features in pages.items():
        share = Fraction(
            sum(len(a & b) for a, b in zip(wanted, facts(features, plan), strict=False)),
            sum(map(len, wanted)),
        )
        if (
            len(sample & set(_kernel.index_sketch(plan, features)[1])) >= need
            and float(share) >= at_least
        ):
            found.append((name, share))
    return sorted(found, key=lambda pair: -pair[1])
