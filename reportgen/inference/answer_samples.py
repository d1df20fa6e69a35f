"""Variance of a difference that samples of an item bring: more samples, or more items."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.records import record

Vector = NDArray[np.float64]


@record
class VarianceParts:
    """The variance of a difference on one item: `between` items, and `within` one by one sample.

    `between` is None where each item has one sample, since it cannot then be separated.
    """

    between: float | None
    within: float | None

    def predict_se(self, items: float, samples: float) -> float | None:
        """Predict the standard error of the mean difference of so many items and samples."""
        if self.between is None or self.within is None:
            return None
        return sqrt((self.between + self.within / samples) / items)


def compute_variance_within(samples: Vector, spread: Vector) -> float | None:
    """Compute the variance of one sample about its item's mean, from sums of squares by item.

    None where no item has two samples.
    """
    freedom = float((samples - 1).sum())
    return float(spread.sum()) / freedom if freedom > 0 else None


def split_variance(
    se: float, samples: tuple[Vector, Vector], spreads: tuple[Vector, Vector]
) -> VarianceParts:
    """Split the variance of a paired difference, of standard error `se`, for two models.

    ω² = n·se² − mean over items of (s²A/K_A + s²B/K_B), set to 0 where it is below. Miller (2024),
    Adding error bars to evals.
    """
    within = [compute_variance_within(k, s) for k, s in zip(samples, spreads, strict=True)]
    if within[0] is None or within[1] is None:
        return VarianceParts(None, None)
    items = len(samples[0])
    noise = sum(v * float(np.mean(1 / k)) for v, k in zip(within, samples, strict=True) if v)
    return VarianceParts(max(items * se**2 - noise, 0.0), within[0] + within[1])
