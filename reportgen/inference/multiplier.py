"""The multiplier bootstrap: units' shares of the error, added up under random signs.

For a difference that hangs on few rows, and on an edge among them. Replicates spread too far
there, and the Normal tails do not fit a sum that one unit may rule; under random signs that sum
keeps its size and its tails (Wu 1986, Jackknife, bootstrap and other resampling methods in
regression analysis; Liu 1988, Bootstrap procedures under some non-i.i.d. models). Test and
interval come from the same draws: zero is outside where p is below α.
"""

from __future__ import annotations

import numpy as np

from reportgen.inference.evidence import Evidence, Interval
from reportgen.inference.resampled import bounded, critical, quantile
from reportgen.inference.signs import DRAWS
from reportgen.kernels.batch import Vector


def multiplier_sums(evidence: Evidence) -> Vector | None:
    """|Σ ± u| of the smoothed shares u; None where there are none, or clusters or blocks."""
    if evidence.smoothed is None or evidence.is_clustered or evidence.unit_df < 1:
        return None
    size = float(np.abs(evidence.smoothed).sum())
    return evidence.smoothed_sums if np.isfinite(size) and size > evidence.rounding else None


def multiplier(evidence: Evidence, level: float) -> Interval | None:
    """θ ± the quantile of |Σ ± u|."""
    sums = multiplier_sums(evidence)
    if sums is None or not evidence.is_difference:
        return None
    half = quantile(sums, level)
    if (DRAWS + 1) * (1 - level) < 1:
        # Further out than the draws reach, where a Normal tail may lie beyond the last of them.
        half = max(half, critical(level) * evidence.smoothed_se)
    low, high = evidence.value - half, evidence.value + half
    return bounded(evidence, low, high, level, "multiplier", evidence.smoothed_se)
