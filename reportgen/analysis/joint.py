"""Statistics of all models at once, from the replicates that they share.

What is joint is a function of every model's values and replicates: who is lowest and how surely,
where two curves cross, where a difference leaves out zero. Nothing here knows what is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan, sqrt
from typing import Literal

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import AnalysisPlan
from reportgen.analysis.subset import RowSubset
from reportgen.curves.spec import BoundCurve, Curve
from reportgen.inference.bands import FEWEST_ROWS
from reportgen.inference.evidence import Evidence
from reportgen.inference.resampled import critical
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.spec import Estimand, estimand_of
from reportgen.metrics.statistic import Statistic
from reportgen.results import CostAnalysis, CurveResult

Sign = Literal[-1, 0, 1]


@dataclass(frozen=True)
class Range:
    """A stretch of an axis over which limits lie below zero (−1), above it (1), or hold it (0)."""

    low: float
    high: float
    sign: Sign


@dataclass(frozen=True, eq=False)
class JointAnalysis:
    """What a joint statistic reads: all rows of a dataset, and the models that it can judge."""

    analysis: DatasetAnalysis
    parts: tuple[Statistic, ...]

    @property
    def plan(self) -> AnalysisPlan:
        """What was asked."""
        return self.analysis.plan

    @property
    def part(self) -> RowSubset:
        """All rows."""
        return self.analysis.parts[0]

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models of which every part is known, in the order of the plan."""
        return tuple(
            c.name
            for c in self.plan.models
            if all((part.key, c.name) in self.part.joint_parts for part in self.parts)
        )

    @cached_property
    def baseline(self) -> str | None:
        """The model in use, if it is one of `models`."""
        return self.plan.baseline if self.plan.baseline in self.models else None

    @property
    def df(self) -> float:
        """Degrees of freedom of a mean over the resampling units; infinite where none is left.

        Of effective units where weights are uneven.
        """
        balance = self.part.balance
        left = (balance.effective if balance.is_uneven else self.part.counted) - self.part.strata
        return left if left > 0 else inf

    def bound(self, curve: Curve, model: str) -> BoundCurve:
        """A curve on one model's rows."""
        return self.part.curves[curve.key, model]

    def value(self, part: Statistic, model: str) -> Vector:
        """The numbers of a part themselves, shape (g,)."""
        return self.part.estimate(part, model)

    def drawn(self, part: Statistic, model: str) -> Matrix:
        """Their replicates, shape (B, g)."""
        return self.analysis.replicates[None, (part.key, model)]

    def evidence(
        self,
        value: float,
        drawn: Vector,
        estimand: Estimand | str = "smooth",
        influence: Vector | None = None,
        bounds: tuple[float, float] = (-inf, inf),
    ) -> Evidence:
        """All that is known of one number; `influence` has one value a row, W·∂θ/∂w."""
        part = self.part
        return Evidence(
            value=value,
            replicates=drawn,
            estimand=estimand_of(estimand),
            bounds=bounds,
            n=part.n,
            units=part.counted,
            influence=part.counting(None if influence is None else part.influence(influence)),
            block=self.plan.design.block,
            strata=part.strata,
            is_clustered=part.is_clustered,
            balance=part.balance if part.balance.is_uneven else None,
            is_weighted=self.plan.design.weight is not None,
        )

    def limits(self, value: Vector, drawn: Matrix) -> tuple[Vector, Vector]:
        """Limits of each number on its own: the spread of its replicates, with t(units − strata).

        The spread of resampled means is too small by (m − 1)/m of its square with m units. One
        replicate has no spread, and so the numbers no limits.
        """
        if len(drawn) < 2:
            return np.full_like(value, nan), np.full_like(value, nan)
        units, strata, balance = self.part.counted, self.part.strata, self.part.balance
        factor = sqrt(units / (units - strata)) if units > strata else 1.0
        df = units - strata if units > strata else inf
        if balance.is_uneven:
            df, factor = balance.effective - strata, factor * sqrt(balance.excess)
        times = critical(self.plan.level, df) if df >= 1 else nan
        half = times * factor * np.std(drawn, axis=0, ddof=1)
        return value - half, value + half


def joint_results(analysis: DatasetAnalysis) -> Iterator[CostAnalysis | CurveResult]:
    """Everything that the plan's joint statistics give."""
    for joint in analysis.plan.joints:
        yield from joint.find(JointAnalysis(analysis, joint.parts))


def wins(drawn: Matrix) -> Vector:
    """Share of the replicates in which each model is lowest, ties divided; (m, B) gives (m,).

    >>> wins(np.array([[1.0, 2.0, 1.0, 1.0], [2.0, 1.0, 1.0, 2.0]]))
    array([0.625, 0.375])
    """
    known = np.isfinite(drawn).all(axis=0)
    if not known.any():
        return np.full(len(drawn), np.nan)
    lowest = drawn[:, known] == drawn[:, known].min(axis=0)
    shares: Vector = (lowest / lowest.sum(axis=0)).mean(axis=1)
    return shares


def ever_wins(drawn: Callable[[int], Matrix], models: int) -> Vector:
    """Share of the replicates in which each model is lowest somewhere; `drawn(k)` is (B, g)."""
    least = drawn(0)
    for k in range(1, models):
        least = np.fmin(least, drawn(k))
    slack = 1e-12 * np.abs(least)
    return np.array([(drawn(k) <= least + slack).any(axis=1).mean() for k in range(models)])


def ranges(x: Vector, low: Vector, high: Vector, rows: Vector | None = None) -> list[Range]:
    """The axis cut where limits cross zero, straight lines between points.

    Points without limits, or with fewer than ten `rows` on their thinner side, take no part.

    >>> x = np.array([0.0, 1.0, 2.0])
    >>> [(r.low, r.high, r.sign) for r in ranges(x, x - 1.5, x - 0.5)]
    [(0.0, 0.5, -1), (0.5, 1.5, 0), (1.5, 2.0, 1)]
    """
    known = np.isfinite(low) & np.isfinite(high)
    known &= np.ones(len(x), bool) if rows is None else rows >= FEWEST_ROWS
    x, low, high = x[known], low[known], high[known]
    if len(x) < 2:
        return []
    cuts = np.unique(np.concatenate([x, _zeros(x, low), _zeros(x, high)]))
    middles = (cuts[1:] + cuts[:-1]) / 2
    above, below = np.interp(middles, x, low) > 0, np.interp(middles, x, high) < 0
    signs = above.astype(int) - below.astype(int)
    starts = np.flatnonzero(np.append(True, signs[1:] != signs[:-1]))
    ends = np.append(starts[1:], len(signs))
    return [
        Range(float(cuts[start]), float(cuts[end]), int(signs[start]))  # type: ignore[arg-type]
        for start, end in zip(starts, ends, strict=True)
    ]


def _zeros(x: Vector, y: Vector) -> Vector:
    """Where a broken line passes through zero between two points."""
    left, right = y[:-1], y[1:]
    at = np.flatnonzero(left * right < 0)
    share = left[at] / (left[at] - right[at])
    return np.asarray(x[at] + share * (x[at + 1] - x[at]))
