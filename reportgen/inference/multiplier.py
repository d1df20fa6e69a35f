"""The multiplier bootstrap: units' shares of the error, added up under random signs.

For a difference that hangs on few rows, and on an edge among them. Replicates spread too far
there, and the Normal tails do not fit a sum that one unit may rule; under random signs that sum
keeps its size and its tails (Wu 1986, Jackknife, bootstrap and other resampling methods in
regression analysis; Liu 1988, Bootstrap procedures under some non-i.i.d. models). Test and
interval come from the same draws: zero is outside where p is below α.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np

from reportgen.inference.evidence import Evidence, Interval
from reportgen.inference.resampled import bounded, quantile
from reportgen.kernels.batch import Vector

DRAWS = 9_999
DRAWN_UNITS = 100  # the largest; no other has a hundredth of the variance, so they are Normal
AT_ONCE = 2_000


@lru_cache(maxsize=4)  # a test and the limits at two levels ask for the same
def multiplier_sums(evidence: Evidence) -> Vector | None:
    """|Σ ± u| under random signs, ascending, shape (9,999,); None where there is no smoothed u.

    With clusters and in blocks of time there is none. The same signs for everything, the largest
    unit first, so that neither the order of rows nor another model moves anything.
    """
    if evidence.smoothed is None or evidence.is_clustered or evidence.unit_df < 1:
        return None
    sizes = np.sort(np.abs(evidence.smoothed))[::-1] * sqrt(evidence.units / evidence.unit_df)
    if not np.all(np.isfinite(sizes)) or not float(np.sum(sizes)) > evidence.rounding:
        return None
    largest, rest = sizes[:DRAWN_UNITS], float(np.linalg.norm(sizes[DRAWN_UNITS:]))
    draw = np.random.default_rng(0)
    sums = rest * draw.standard_normal(DRAWS)
    for start in range(0, DRAWS, AT_ONCE):
        rows = sums[start : start + AT_ONCE]
        signs = draw.integers(0, 2, (len(rows), len(largest)), dtype=np.int8)
        rows += (2.0 * signs - 1.0) @ largest
    return np.sort(np.abs(sums))


def multiplier(evidence: Evidence, level: float) -> Interval | None:
    """θ ± the quantile of |Σ ± u|."""
    sums = multiplier_sums(evidence)
    if sums is None or not evidence.is_difference:
        return None
    half = quantile(sums, level)
    low, high = evidence.value - half, evidence.value + half
    return bounded(evidence, low, high, level, "multiplier", evidence.smoothed_se)
