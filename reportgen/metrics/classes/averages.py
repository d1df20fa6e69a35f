"""Values of classes or labels one by one, and their means."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Matrix, Vector


def ratio(part: Matrix, whole: Matrix) -> Matrix:
    """A share of each class, nan where its denominator weighs nothing."""
    found = np.full(part.shape, np.nan)
    np.divide(part, whole, out=found, where=whole > 0)
    return found


def averaged(each: Matrix, share: Matrix, average: str, undefined: str = "zero") -> Vector:
    """The mean of a value of each class, (b, k), over the classes that have rows, (b,).

    `share` (b, k) is that of the weight with the class, by which they count if that is the
    average. A class without a value counts 0, or is left out.
    """
    if undefined == "zero":
        each = np.where(np.isnan(each), 0.0, each)
    counts = (share > 0) & ~np.isnan(each)
    weight = share * counts if average == "weighted" else counts.astype(np.float64)
    total = np.sum(np.where(counts, each, 0.0) * weight, axis=1)
    return ratio(total, weight.sum(axis=1))
