"""A mean of few prices, such as what calls cost, where some of them are rarely paid.

Of two missed positives at 4,000 each resamples hold none, one or two: what is known of their share
is what is known of a proportion, and resamples of the mean say less or far more.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

from reportgen.inference.analytic import newcombe, share_limits
from reportgen.inference.evidence import Evidence, Interval
from reportgen.inference.resampled import bounded
from reportgen.inference.shares import each_difference
from reportgen.kernels.batch import Vector

MOST = 9  # prices, or differences of two of three
FEW, FEW_CHANGED = 10, 15  # rows of a price, or of a difference, under which it is rarely paid
DIGITS = 10


@dataclass(frozen=True)
class Prices:
    """What is paid beside the commonest price, and on which share of `n` effective rows."""

    common: float
    others: Vector
    shares: Vector
    n: float


def square_and_add(evidence: Evidence, level: float) -> Interval | None:
    """The distances to the limits of shares, squared and added.

    Of the proportions that a sum is made of by Newcombe (1998); of a mean of few prices by Zou,
    Huang and Zhang (2009), with the covariance that shares of the same rows have. None of a mean
    whose prices are all paid often, as that is nearly Normal.
    """
    if not evidence.estimand.is_mean:
        return newcombe(evidence, level)
    found = rarely_paid(evidence)
    if found is None:
        return None
    ends = [share_limits(float(p), found.n, level) for p in found.shares]
    down, up = (np.abs(np.array(each) - found.shares) for each in zip(*ends, strict=True))
    cost = found.others - found.common
    falls, rises = np.where(cost > 0, down, up), np.where(cost > 0, up, down)
    low = evidence.value - _added(cost * falls, found.shares)
    high = evidence.value + _added(cost * rises, found.shares)
    square = float(found.shares @ cost**2 - (found.shares @ cost) ** 2)
    return bounded(evidence, low, high, level, "newcombe", sqrt(max(square, 0.0) / found.n))


def rarely_paid(evidence: Evidence) -> Prices | None:
    """The prices of a mean over independent rows, where one is rarely paid; else None.

    The dearest and the cheapest that there can be count, paid or not; of a difference also what
    the other way round would be.
    """
    is_dependent = evidence.is_clustered or evidence.block is not None or evidence.strata > 1
    each = None if is_dependent else each_difference(evidence)
    if each is None or evidence.shares is None or not len(each):
        return None
    size = float(np.max(np.abs(each)))
    if not size > 0 or len(np.unique(_clean(each[:1000], size))) > MOST:
        return None
    paid, place = np.unique(_clean(each, size), return_inverse=True)
    if len(paid) > MOST:
        return None
    total = float(evidence.shares.sum())
    shares = np.bincount(place, weights=evidence.shares) / total
    n = total**2 / float(evidence.shares @ evidence.shares)
    common = float(paid[np.argmax(shares)])
    known = dict(zip(paid.tolist(), shares.tolist(), strict=True))
    for end in (*evidence.bounds, *(-paid if evidence.is_difference else ())):
        if isfinite(end):
            known.setdefault(float(_clean(np.array(end), size)), 0.0)
    others = [price for price in known if price != common]
    of_others = np.array([known[price] for price in others])
    few = FEW_CHANGED if evidence.is_difference else FEW
    if not others or not np.any(of_others * n < few - 1e-9):
        return None
    return Prices(common, np.array(others), of_others, n)


def _added(each: Vector, shares: Vector) -> float:
    """The root of the summed squares of signed distances, with what shares have in common."""
    odds = np.sqrt(np.divide(shares, 1 - shares, out=np.zeros(len(shares)), where=shares < 1))
    together = float(each @ odds) ** 2 - float((each * odds) @ (each * odds))
    return sqrt(max(float(each @ each) - together, 0.0))


def _clean(values: Vector, size: float) -> Vector:
    """Without what division left of prices."""
    grain = 10.0 ** (np.ceil(np.log10(size)) - DIGITS)
    return np.asarray(np.rint(values / grain) * grain)
