"""Lines, of powers of whatever, that cost least by Lin-Lin: quantile regression, exactly.

A linear programme of as few rows as decide it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Matrix, Vector

FEW = 1000  # rows up to which all are in one programme
PARTS = 32  # of the rows, by their scores, each of which stands in the programme
Mask = NDArray[np.bool_]
Index = NDArray[np.int16]


def least_lines(
    terms: Matrix,
    need: Vector,
    mass: Vector,
    alpha: Vector,
    score: Vector,
    beside: Vector | None = None,
) -> Vector:
    """Coefficients of `terms` (n, k) of which the Lin-Lin loss is least, each row at its own α.

    Exact. Of many rows only those near a first guess are in the programme; those that surely lie
    on one side, as what they lie `beside` it says, count by their sum, and it is done again with
    more rows if one of them did not (Portnoy & Koenker 1997, doi:10.1214/ss/1030037960). Rows are
    taken alike from every part of the range of `score`.
    """
    if beside is None or len(need) <= FEW:
        near, aside = np.ones(len(need), bool), np.zeros(len(need), bool)
        return _solved(terms, need, mass, alpha, near, aside, aside)
    return _narrowed(terms, need, mass, alpha, _parts(score), beside)


def _narrowed(
    terms: Matrix, need: Vector, mass: Vector, alpha: Vector, part: Index, left: Vector
) -> Vector:
    """The same of rows near a guess, which leaves `left`, and of more until none is misjudged."""
    width, is_near = 8 * round(np.sqrt(len(need))), np.zeros(len(need), bool)
    rank, above = _ranks(part, np.abs(left)), left > 0
    slack = 1e-10 * float(np.abs(need).max(initial=0.0))
    while True:
        is_near |= rank < width
        found = _solved(terms, need, mass, alpha, is_near, ~is_near & above, ~is_near & ~above)
        left = need - terms @ found
        is_known = bool(np.isfinite(found).all())
        is_wrong = ~is_near & np.where(above, left < -slack, left > slack)
        if is_near.all() or (is_known and not is_wrong.any()):
            return found
        if is_known:  # a better guess serves more than a wider band about a poor one
            rank, above = _ranks(part, np.abs(left)), left > 0
        else:
            width *= 2
        is_near |= is_wrong


def _parts(score: Vector) -> Index:
    """The number of the part of the rows, by their scores, that each row is in."""
    part = np.empty(len(score), np.int16)  # short, so that it is sorted by counting
    part[np.argsort(score, kind="stable")] = np.arange(len(score)) * PARTS // len(score)
    return part


def _ranks(part: Index, distance: Vector) -> Vector:
    """The order of rows by their distance, nearest first, every part of the rows taken alike.

    Rows with much the same score cannot stand for the others, however near they are.
    """
    order = np.argsort(distance)
    order = order[np.argsort(part[order], kind="stable")]
    first = np.searchsorted(part[order], np.arange(PARTS))
    ranks = np.empty(len(distance))
    ranks[order] = (np.arange(len(distance)) - first[part[order]]) * PARTS
    return ranks


def _solved(
    terms: Matrix,
    need: Vector,
    mass: Vector,
    alpha: Vector,
    is_near: Mask,
    is_above: Mask,
    is_below: Mask,
) -> Vector:
    """The linear programme of the rows that are near; those above and below pull by their sums.

    Its dual: a variable for each row that is near, but only a constraint for each coefficient.
    """
    from scipy.optimize import linprog  # here, since a list of metrics must not wait for it

    near, most = terms[is_near], mass[is_near]
    pull = ((1 - alpha) * mass)[is_below] @ terms[is_below]
    pull -= (alpha * mass)[is_above] @ terms[is_above]
    found = linprog(
        -need[is_near],
        A_eq=near.T,
        b_eq=pull + ((1 - alpha[is_near]) * most) @ near,
        bounds=[(0.0, top) for top in most.tolist()],
        method="highs",
    )
    if found.eqlin is None or found.status != 0:  # the sums pull beyond what is near
        return np.full(terms.shape[1], np.nan)
    return -np.asarray(found.eqlin.marginals)
