"""Whether a difference is the same in every group of rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from scipy import special

from reportgen.kernels.batch import Matrix, Vector

FEWEST_IN_A_GROUP = 10
"""Fewest units with which a group's spread is known well enough to compare groups."""


@dataclass(frozen=True, eq=False)
class GroupDifferences:
    """The difference of two models in each of k groups of rows.

    `values`, `errors` (k,) are the differences and their standard errors, `units` the independent
    units of each group and `df` (k,) the degrees of freedom of each error. `correlation` (k, k)
    is that of the differences where groups share units; None where they share none.
    """

    values: Vector
    errors: Vector
    units: Vector
    df: Vector
    correlation: Matrix | None = None

    @property
    def safe_errors(self) -> Vector:
        """Standard errors that no group with few units understates, (k,).

        The variance of a unit in a group is at least the mean of its own and that of all groups:
        where differences are skewed, a group with a small mean also shows a small spread.
        """
        own = self.errors**2 * self.units
        pooled = float(self.df @ own / self.df.sum())
        return np.asarray(np.sqrt(np.maximum(own, (own + pooled) / 2) / self.units))


@dataclass(frozen=True)
class Heterogeneity:
    """A test that k differences are equal: an F statistic, its degrees of freedom, its p-value."""

    statistic: float
    df: float
    error_df: float
    p_value: float


@dataclass(frozen=True)
class ContrastEstimate:
    """A weighted sum of differences, its standard error and degrees of freedom."""

    value: float
    se: float
    df: float

    @property
    def p_value(self) -> float:
        """The two-sided p-value of zero by Student's t; nan without an error."""
        if not self.se > 0:
            return nan
        return float(2 * special.stdtr(self.df, -abs(self.value) / self.se))

    def compute_limits(self, level: float) -> tuple[float, float]:
        """Compute the limits at `level`; nan without an error."""
        half = float(special.stdtrit(self.df, 0.5 + level / 2)) * self.se if self.se > 0 else nan
        return self.value - half, self.value + half


def compare_groups(groups: GroupDifferences) -> Heterogeneity | None:
    """Test that the differences of all groups are equal; None where too little is known.

    Groups that share no unit have Welch's test (1951), Cochran's Q (1937) with a correction for
    few units. Groups that share units have Hotelling's, with the smallest degrees of freedom.
    """
    k, errors = len(groups.values), groups.safe_errors
    if k < 2 or not np.all(errors > 0):
        return None
    if groups.correlation is not None and not np.all(np.isfinite(groups.correlation)):
        return None
    if groups.correlation is None:
        weight = 1 / errors**2
        share = weight / weight.sum()
        apart = groups.values - share @ groups.values
        lost = float(((1 - share) ** 2 / groups.df).sum())
        statistic = float(weight @ apart**2) / (k - 1)
        statistic /= 1 + 2 * (k - 2) / (k**2 - 1) * lost
        error_df = (k**2 - 1) / (3 * lost)
    else:
        step = np.diff(np.eye(k), axis=0)
        spread = step @ (errors[:, None] * groups.correlation * errors) @ step.T
        df = float(groups.df.min())
        error_df = df - k + 2
        if error_df < 1 or np.linalg.matrix_rank(spread) < k - 1:
            return None
        apart = step @ groups.values
        statistic = float(apart @ np.linalg.solve(spread, apart)) / (k - 1) * error_df / df
    p = float(special.fdtrc(k - 1, error_df, statistic))
    return Heterogeneity(statistic, k - 1.0, error_df, p)


def estimate_contrast(groups: GroupDifferences, weights: Vector) -> ContrastEstimate:
    """Estimate a weighted sum of the differences, with Satterthwaite's degrees of freedom."""
    parts = weights * groups.errors
    value = float(weights @ groups.values)
    if groups.correlation is not None:
        square = float(parts @ groups.correlation @ parts)
        return ContrastEstimate(value, sqrt(max(square, 0.0)), float(groups.df.min()))
    square = float(parts @ parts)
    spread = float((parts**4 / groups.df).sum())
    return ContrastEstimate(value, sqrt(square), square**2 / spread if spread > 0 else nan)
