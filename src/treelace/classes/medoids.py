"""k-medoids: k pages that stand for all others, by FasterPAM."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Labels = NDArray[np.int64]

_NOTHING = 1e-12


def faster_pam(distances: Matrix, medoids: Labels) -> Labels:
    """Medoids from which no single exchange lowers the sum of distances to the nearest medoid.

    FasterPAM (Schubert and Rousseeuw 2021, Algorithm 3): pages are tried in turn, and the first
    that improves the sum in the place of the best medoid to give up takes it. One look at a page
    costs O(n + k): what giving up each medoid costs by itself is known beforehand, and a page's
    distances only change it for pages near the new one. A local optimum, not always the best
    choice. Time O(n²) a round, a few rounds.
    """
    import numpy as np

    medoids = medoids.copy()
    count, rows = len(medoids), np.arange(len(distances))
    if count == len(distances) or count == 0:
        return medoids
    first, second, near = _nearest_two(distances, medoids)
    unchanged, page = 0, 0
    while unchanged < len(distances):
        if page not in medoids:
            loss = np.bincount(near, weights=second - first, minlength=count)
            distance = distances[:, page]
            is_first = distance < first
            is_second = ~is_first & (distance < second)
            gain = float((distance - first)[is_first].sum())
            loss += np.bincount(near[is_first], weights=(first - second)[is_first], minlength=count)
            loss += np.bincount(
                near[is_second], weights=(distance - second)[is_second], minlength=count
            )
            out = int(loss.argmin())
            if loss[out] + gain < -_NOTHING * max(1.0, float(first.sum())):
                medoids[out] = page
                first, second, near = _nearest_two(distances, medoids)
                unchanged = 0
        unchanged += 1
        page = (page + 1) % len(rows)
    return medoids


def build(distances: Matrix, count: int) -> Labels:
    """PAM's BUILD: the most central page, then the most helpful; ties to the earlier. O(n² k)."""
    import numpy as np

    medoids = [int(distances.sum(axis=0).argmin())]
    nearest = distances[:, medoids[0]].copy()
    while len(medoids) < count:
        gains = np.maximum(nearest[:, None] - distances, 0.0).sum(axis=0)
        gains[medoids] = -1.0
        medoids.append(int(gains.argmax()))
        nearest = np.minimum(nearest, distances[:, medoids[-1]])
    return np.array(medoids, dtype=np.int64)


def _nearest_two(distances: Matrix, medoids: Labels) -> tuple[Matrix, Matrix, Labels]:
    """For each page its distances to the two nearest medoids, and which is the nearest."""
    import numpy as np

    to_medoids = distances[:, medoids]
    rows = np.arange(len(distances))
    near = to_medoids.argmin(axis=1)
    first = to_medoids[rows, near]
    others = to_medoids.copy()
    others[rows, near] = np.inf
    # with one medoid there is no second: giving it up is judged by the new page alone
    second = (
        others.min(axis=1)
        if len(medoids) > 1
        else np.full(len(distances), float(distances.max()) + 1.0)
    )
    return first, second, near
