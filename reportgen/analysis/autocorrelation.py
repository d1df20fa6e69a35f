"""Whether losses depend on those before them, in the sequence in which the rows stand."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy import special

from reportgen.kernels.batch import Column, Vector
from reportgen.results.raised import RaisedWarning

LAGS, NOTABLE = 10, 0.1
CHANCE, CHANCE_OF_ALL = 0.001, 0.05  # of a false alarm: of one measure, of a report


def autocorrelated(losses: Vector, checks: int = 1) -> RaisedWarning | None:
    """W111: losses in their given order resemble those up to ten rows before.

    An autocorrelation is over 0.1, and that of the ranks at the same lag is, among ten lags, due to
    chance once in a thousand, or so seldom that `checks` of them together are in 5 %. Chance does
    the same to the ranks of every distribution; two wild losses near each other say little.
    """
    n = len(losses)
    if n <= 3 * LAGS or float(np.ptp(losses)) <= 1e-12 * float(np.max(np.abs(losses))):
        return None
    each = _autocorrelations(losses)
    if not np.any(np.abs(each) > NOTABLE):
        return None  # whatever their ranks say, which take a sort of all
    of_ranks = _autocorrelations(_mid_ranks(losses))
    chance = min(CHANCE, CHANCE_OF_ALL / checks)
    limit = float(special.ndtri(1 - chance / (2 * LAGS))) / sqrt(n)
    told = (np.abs(each) > NOTABLE) & (np.abs(of_ranks) > limit)
    if not told.any():
        return None
    lag = int(np.argmax(np.where(told, np.abs(each), 0.0)))
    return RaisedWarning("W111", {"lag": lag + 1, "autocorrelation": float(each[lag]), "n": n})


def _autocorrelations(values: Vector) -> Vector:
    """Those at one to ten rows' distance, shape (10,)."""
    centred = values - values.mean()
    own = float(centred @ centred)
    return np.array([float(centred[k:] @ centred[:-k]) / own for k in range(1, LAGS + 1)])


def _mid_ranks(values: Vector) -> Vector:
    """The rank of each value, that of a tie the mean of its ranks."""
    column = Column(values)
    ends = np.flatnonzero(column.is_last) + 1.0
    middle: Vector = (np.append(0.0, ends[:-1]) + ends) / 2
    return middle[column.group]
