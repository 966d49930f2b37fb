"""Learns the ranking of the `records` extractor from labelled pages of many kinds, and says how
good it is on sites it was not learnt from.

    python -m experiments.records.fit              # five folds by site: each page by trees that
                                                   # were learnt without its site
    python -m experiments.records.fit --write      # and trees from all pages, into the package

Needs TREELACE_CORPUS. The same input gives the same trees.

What is learnt, by gradient boosting of small decision trees, is two things whose sums are added:

- which list: how likely a candidate is a list a person came for (row F1 of .9 or more). Every page
  weighs about as much as every other, however many candidates it has; the right ones of a page
  weigh at least as `RIGHT` candidates;
- which cut of it: among the candidates that hold much of such a list, the best ones against those
  with a head, a pager or an advert too many, or with rows cut in two.

At last the sums are stretched and shifted so that they fit the tables that come first on pages left
out (`calibrated`).
"""

from __future__ import annotations

import argparse
import os
import pickle
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.records.chosen import first_tables, report
from experiments.records.labelled import Page, load
from treelace.extract.regions.ranking import Trees

FOLDER = Path(__file__).parents[2] / "src/treelace/extract/regions/generated"
TARGETS = {
    "ranking_trees.py": ("ROOTS", "STEPS", "FEATURES"),
    "ranking_values.py": ("BOUNDS", "VALUES"),
}
"""The modules that are written, and what is in each."""

ABOUT = "The trees of the ranking. Written by `python -m experiments.records.fit --write`."

FOLDS = 5

TREES, RATE, LEAVES, PENALTY, SHARE, BINS, FEWEST = 170, 0.1, 8, 20.0, 0.3, 64, 15
"""Trees, what each may change, leaves of each, penalty on large values, share of the features that
each split may ask for, values told apart of a feature, rows of a leaf.
"""

CUT_TREES, CUT_SHARE, NEAR, OF_A_CUT = 60, 0.5, 0.5, 10.0
"""Trees that tell the cuts of a list apart, what their sums count for beside those of the others,
row F1 from which on a candidate is a cut of a list, and what right and wrong cuts weigh together.
"""

OF_A_PAGE, WRONG, RIGHT = 60, 70, 3
"""Candidates that a page weighs as much as; wrong candidates of a page that are learnt from; what
the right ones weigh together at least.
"""

BOLDNESS = 0.8
"""What is added to all sums after the calibration. Lists that a person came for are doubted less,
and the articles of `modern` still stay quiet, on sites left out; those of older corpora less so.
"""

KINDS = {
    "article": 2.0,
    "other article": 1.0,
    "article of a site": 0.6,
    "list of a site": 0.4,
    "thing": 0.6,
    "recipe": 1.0,
    "court": 1.0,
    "older list": 3.0,
    "fragment": 1.0,
    "made list": 0.6,
}
"""What a page of each kind weighs; 1.5 for those of which there are few."""

Row = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]


def rightness(f1: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much a candidate with this F1 counts as right: found from .9 on, but whole is better."""
    return np.asarray(np.interp(f1, [0, 0.7, 0.9, 0.97, 1], [0, 0.02, 0.6, 0.9, 1]))


def examples(page: Page) -> Row:
    """Features, answers and weights of the candidates of a page; what is half right stands there
    twice.
    """
    right = rightness(page.best)
    weight = KINDS.get(page.kind, 1.5) * min(1.0, OF_A_PAGE / len(right))
    some, wrong = np.flatnonzero(right > 0), np.flatnonzero(right == 0)
    taken = np.random.default_rng(page.turn(page.name, 2**31)).permutation(wrong)[:WRONG]
    more = max(1.0, RIGHT / right.sum()) if len(some) else 1.0
    weights = [
        np.full(len(taken), weight * len(wrong) / max(1, len(taken))),
        weight * more * right[some],
        weight * (1 - right[some]),
    ]
    answers = [np.zeros(len(taken)), np.ones(len(some)), np.zeros(len(some))]
    rows = page.features[np.concatenate([taken, some, some])]
    return rows, np.concatenate(answers), np.concatenate(weights)


def cuts(page: Page) -> Iterator[Row]:
    """Features, answers and weights of the candidates that hold much of a list, for each list."""
    for f1 in page.f1.T:
        some = np.flatnonzero(f1 >= NEAR)
        is_best = f1[some] >= f1.max(initial=0.0) - 1e-9
        if len(some) and not is_best.all():
            shares = np.where(is_best, 1 / is_best.sum(), 1 / (~is_best).sum())
            weight = OF_A_CUT * KINDS.get(page.kind, 1.5)
            yield page.features[some], is_best.astype(float), weight * shares


def learn(pages: list[Page]) -> Trees:
    """The trees learnt from pages: which list, and which cut of it."""
    lists = boosted([examples(page) for page in pages], TREES)
    return joined(lists, boosted([cut for page in pages for cut in cuts(page)], CUT_TREES))


def joined(lists: Trees, of_cuts: Trees) -> Trees:
    """Trees whose sum is that of the first and `CUT_SHARE` of that of the others."""
    size = len(lists.rights)
    return Trees(
        [*lists.roots, *(size + root for root in of_cuts.roots)],
        [*lists.features, *of_cuts.features],
        [*lists.bounds, *of_cuts.bounds],
        [*lists.rights, *(right and size + right for right in of_cuts.rights)],
        [*lists.values, *(float(f"{value * CUT_SHARE:.3g}") for value in of_cuts.values)],
        lists.base + CUT_SHARE * of_cuts.base,
    )


def boosted(rows: list[Row], count: int) -> Trees:
    """So many trees that answer the rows."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    features, answers, weights = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    kept = weights > 0
    model = HistGradientBoostingClassifier(
        max_iter=count,
        learning_rate=RATE,
        max_leaf_nodes=LEAVES,
        l2_regularization=PENALTY,
        min_samples_leaf=FEWEST,
        max_features=SHARE,
        max_bins=BINS,
        random_state=0,
        early_stopping=False,
    )
    model.fit(features[kept], answers[kept], sample_weight=weights[kept])
    return planted([nodes for (tree,) in model._predictors for nodes in [tree.nodes]], model)


def planted(trees: list[NDArray[np.void]], model: object) -> Trees:
    """scikit-learn's trees, each in preorder, with short numbers."""
    base = float(np.ravel(vars(model)["_baseline_prediction"])[0])
    made = Trees([], [], [], [], [], round(base, 5))
    roots, features, bounds, rights, values = ([] for _ in range(5))  # type: ignore[var-annotated]
    for nodes in trees:
        roots.append(len(rights))
        ahead: list[tuple[int, int | None]] = [(0, None)]
        while ahead:
            at, parent = ahead.pop()
            node = nodes[at]
            if parent is not None:
                rights[parent] = len(rights)
            if not node["is_leaf"]:
                ahead += [(int(node["right"]), len(rights)), (int(node["left"]), None)]
            features.append(0 if node["is_leaf"] else int(node["feature_idx"]))
            bounds.append(0.0 if node["is_leaf"] else float(f"{node['num_threshold']:.5g}"))
            rights.append(0)
            values.append(float(f"{node['value']:.3g}"))
    return Trees(roots, features, bounds, rights, values, made.base)


def sums(trees: Trees, page: Page) -> NDArray[np.float64]:
    """What the trees make of each candidate: level by level, all candidates and trees at once."""
    features, rights = np.array(trees.features), np.array(trees.rights)
    bounds, values = np.array(trees.bounds), np.array(trees.values)
    at = np.tile(np.array(trees.roots), (len(page.features), 1))
    rows = np.arange(len(at))[:, None]
    while rights[at].any():
        is_left = page.features[rows, features[at]] <= bounds[at]
        at = np.where(rights[at] == 0, at, np.where(is_left, at + 1, rights[at]))
    return np.asarray(values[at].sum(axis=1) + trees.base)


def folds(pages: list[Page]) -> Iterator[tuple[Trees, list[Page]]]:
    """Trees learnt without a fifth of the sites, and the pages of these; five times."""
    for fold in range(FOLDS):
        learnt_from = [page for page in pages if page.turn("fold", FOLDS) != fold]
        yield learn(learnt_from), [page for page in pages if page.turn("fold", FOLDS) == fold]


def cross_validated(pages: list[Page]) -> list[NDArray[np.float64]]:
    """What trees learnt without a page's site make of each of its candidates."""
    found = {page.name: sums(trees, page) for trees, left_out in folds(pages) for page in left_out}
    return [found[page.name] for page in pages]


def calibration(pages: list[Page], found: list[NDArray[np.float64]]) -> tuple[float, float]:
    """By how much sums are to be stretched and shifted, so that they say how often the first three
    tables of a page are right.
    """
    from sklearn.linear_model import LogisticRegression

    said, is_right, weights = [], [], []
    for page, of_page in zip(pages, found, strict=True):
        for number in first_tables(page, of_page, most=3):
            said.append([of_page[number]])
            is_right.append(page.best[number] >= 0.9)
            weights.append(KINDS.get(page.kind, 1.5))
    model = LogisticRegression(C=100.0).fit(said, is_right, sample_weight=weights)
    return float(model.coef_[0, 0]), float(model.intercept_[0]) + BOLDNESS


def calibrated(trees: Trees, stretch: float, shift: float) -> Trees:
    """The same trees, surer or less sure."""
    values = [round(float(f"{value * stretch:.3g}"), 4) for value in trees.values]
    base = round(trees.base * stretch + shift, 5)
    return Trees(trees.roots, trees.features, trees.bounds, trees.rights, values, base)


def write(trees: Trees) -> None:
    """The trees, as two modules: how far on the right branch of each node is, what the nodes ask
    that have one, and what is believed at all of them.
    """
    asking = [number for number, right in enumerate(trees.rights) if right]
    parts = {
        "ROOTS": trees.roots,
        "STEPS": [right and right - number for number, right in enumerate(trees.rights)],
        "FEATURES": [trees.features[number] for number in asking],
        "BOUNDS": [short(trees.bounds[number]) for number in asking],
        "VALUES": map(short, trees.values),
    }
    for target, names in TARGETS.items():
        lines = [f'"""{ABOUT}"""', "", "from __future__ import annotations"]
        if "ROOTS" in names:
            lines += ["", f"BASE = {trees.base!r}"]
        for name in names:
            body = textwrap.fill(" ".join(map(str, parts[name])), 99)
            lines += ["", f'{name} = """', body, '"""']
        (FOLDER / target).write_text("\n".join(lines) + "\n", encoding="utf-8")


def short(number: float) -> str:
    """A number in few letters."""
    return f"{number:g}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:g}"


def main() -> None:
    """Reads the arguments and does it."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--write", action="store_true", help="write trees learnt from all pages")
    asked.add_argument(
        "--keep", metavar="FILE", type=Path, help="keep the pages there between runs"
    )
    arguments = asked.parse_args()
    if arguments.keep and arguments.keep.exists():
        pages: list[Page] = pickle.loads(arguments.keep.read_bytes())
    else:
        pages = list(load(Path(os.environ["TREELACE_CORPUS"])))
        if arguments.keep:
            arguments.keep.write_bytes(pickle.dumps(pages))
    found = cross_validated(pages)
    stretch, shift = calibration(pages, found)
    print(f"stretched by {stretch:.3f}, shifted by {shift:.3f}")
    print(report(pages, [stretch * one + shift for one in found]))
    if arguments.write:
        write(calibrated(learn(pages), stretch, shift))


if __name__ == "__main__":
    main()
