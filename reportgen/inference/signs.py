"""Sums of given sizes under random signs: the same signs for everything, in every report."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Vector

DRAWS = 9_999
DRAWN_UNITS = 100  # the largest; no other has a hundredth of the variance, so they are Normal
AT_ONCE = 2_000


def sums_under_signs(shares: Vector) -> Vector:
    """|Σ ± share| under random signs, ascending, shape (9,999,).

    No seed moves them: they stand for a sum over all signs, whose quantiles they give to 1 %. The
    largest share comes first, so that the order of rows moves nothing either.
    """
    sizes = np.sort(np.abs(shares))[::-1]
    largest, rest = sizes[:DRAWN_UNITS], float(np.linalg.norm(sizes[DRAWN_UNITS:]))
    draw = np.random.default_rng(0)
    sums = rest * draw.standard_normal(DRAWS)
    for start in range(0, DRAWS, AT_ONCE):
        rows = sums[start : start + AT_ONCE]
        signs = draw.integers(0, 2, (len(rows), len(largest)), dtype=np.int8)
        rows += (2.0 * signs - 1.0) @ largest
    return np.sort(np.abs(sums))
