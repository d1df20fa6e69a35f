"""Sums of given sizes under random signs: the same signs for everything, in every report."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from reportgen.kernels.batch import Matrix, Vector

DRAWS = 9_999
DRAWN_UNITS = 100  # the largest; no other has a hundredth of the variance, so they are Normal
AT_ONCE = 2_000
EXACT_FLIPS = 14  # units up to which all sign patterns are counted
FLIPS = 9_999
BLOCK = 2_000_000  # signs held in memory at once


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


def share_of_flips(each: Vector, seed: int = 0) -> tuple[float, bool]:
    """How often a sum under random signs is as large as it is, and whether all were counted.

    All 2^units patterns up to 14 units, else 9,999 drawn ones and (b + 1)/(B + 1).

    >>> share_of_flips(np.array([1.0, 1.0, 1.0]))
    (0.25, True)
    """
    observed = abs(float(each.sum()))
    slack = 1e-12 * float(np.abs(each).sum())
    if len(each) <= EXACT_FLIPS:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(each))))
        return float(np.mean(np.abs(signs @ each) >= observed - slack)), True
    as_large = sum(
        int(np.sum(np.abs(signs @ each) >= observed - slack)) for signs in _signs(len(each), seed)
    )
    return (as_large + 1) / (FLIPS + 1), False


def _signs(units: int, seed: int) -> Iterator[Matrix]:
    """FLIPS rows of random signs, a block at a time."""
    draw = np.random.default_rng(seed)
    rows = max(1, BLOCK // units)
    for start in range(0, FLIPS, rows):
        shape = (min(rows, FLIPS - start), units)
        yield draw.integers(0, 2, shape, dtype=np.int8).astype(np.float64) * 2 - 1
