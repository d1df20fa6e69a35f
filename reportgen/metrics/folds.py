"""Metrics and curves as means over folds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.cumulative import CumulativeReads, divide
from reportgen.metrics.curves.curve import BoundCurve, Curve, Trace
from reportgen.metrics.metric import BoundMetric, Metric
from reportgen.metrics.rows import Rows


def is_metric_within_folds(metric: Metric, is_fold_mean: bool = False) -> bool:
    """Return whether its value is the mean of those on the folds, not one of all rows at once.

    With `is_fold_mean` it is that of all but means over rows, which are the same either way.
    """
    if is_fold_mean:
        return not metric.has_losses
    is_fitted = metric.shape == "whole" and metric.kind in ("probability", "decision")
    return metric.estimand.of != "mean" and (metric.kind == "order" or is_fitted)


def bind_metric(metric: Metric, rows: Rows) -> BoundMetric:
    """Bind the metric to one model's rows, within their folds where it must not cross them."""
    if rows.fold is None or not is_metric_within_folds(metric, rows.is_fold_mean):
        return metric.bind(rows)
    return FoldMetric(metric, rows)


class FoldMetric(BoundMetric):
    """The mean of a metric over the folds in which it exists, each by its weight.

    Σ W_k θ_k / Σ W_k over folds k of weight W_k. It is no mean over rows, whatever the metric is on
    a fold: it has no columns and no losses.
    """

    def __init__(self, metric: Metric, rows: Rows) -> None:
        super().__init__(metric, rows)
        self._judged = self.rows  # those of one class or label, where the metric is of one
        self.rows, self._summed = rows, None

    def classes(self) -> NDArray[np.bool_] | None:
        """Return the classes of the rows that it judges, as any metric does."""
        of = self.statistic.classes
        return None if of is None else of(self._judged, **self.statistic.params)

    @cached_property
    def _folds(self) -> list[tuple[Index, BoundMetric]]:
        return [(members, self.statistic.bind(rows)) for members, rows in self.rows.folds]

    @property
    def identity(self) -> tuple[object, ...] | None:
        """The identity of any statistic, with the folds."""
        name, fold = super().identity, self.rows.fold
        assert fold is not None
        return name and (*name, "within folds", fold.tobytes())

    def evaluate_folds(self, batch: Batch) -> tuple[Matrix, Matrix]:
        """Return the values on the folds and their weights, (k, b) each; nan and 0 if undefined."""
        parts = [(bound, batch.slice(members)) for members, bound in self._folds]
        values = np.array([bound(part) for bound, part in parts], dtype=np.float64)
        weights = np.array([part.totals for _, part in parts], dtype=np.float64)
        return values, np.where(np.isfinite(values), weights, 0.0)

    def __call__(self, batch: Batch) -> Vector:
        """Return the value under each weighting, (b,); nan where no fold has a value."""
        values, weights = self.evaluate_folds(batch)
        total = weights.sum(axis=0)
        sums = np.where(weights > 0, values * weights, 0.0).sum(axis=0)
        return divide(sums, total)

    def define(self, weight: Vector) -> float:
        """Return the same value by the definitions on the folds."""
        found = [(bound.define(weight[rows]), weight[rows].sum()) for rows, bound in self._folds]
        known = [(value, total) for value, total in found if np.isfinite(value)]
        total = sum(total for _, total in known)
        return sum(value * share for value, share in known) / total if total > 0 else np.nan

    def influence(self, weight: Vector) -> Vector | None:
        """Return each row's influence on its fold, plus the fold's distance from the mean."""
        return self._join_folds(weight, BoundMetric.influence)

    def smoothed_influence(self, weight: Vector) -> Vector | None:
        """Return the same influence, smoothed on each fold."""
        return self._join_folds(weight, BoundMetric.smoothed_influence)

    def edge_df(self, weight: Vector) -> float | None:
        """None: the ends of a fold are not those of all rows."""
        return None

    def _join_folds(
        self, weight: Vector, of: Callable[[BoundMetric, Vector], Vector | None]
    ) -> Vector | None:
        values, weights = (each[:, 0] for each in self.evaluate_folds(Batch.from_weights(weight)))
        total = weights.sum()
        if not total > 0:
            return None
        mean = float(values[weights > 0] @ weights[weights > 0]) / total
        phi = np.zeros(len(weight))
        for value, share, (members, bound) in zip(values, weights, self._folds, strict=True):
            if not share > 0:
                continue
            own = of(bound, weight[members])
            if own is None:
                return None
            phi[members] = own + value - mean
        return np.asarray(phi * (weight.sum() / total))

    def bias(self, weight: Vector) -> float | None:
        """Return the mean of the folds' biases; None if one of them is unknown."""
        found = [(bound.bias(weight[rows]), weight[rows].sum()) for rows, bound in self._folds]
        known = [(bias, total) for bias, total in found if bias is not None]
        if len(known) < len(found):
            return None
        return float(sum(bias * total for bias, total in known) / weight.sum())

    def leave_one_out(self, weight: Vector) -> Vector | None:
        """None: where it is asked for, the value is found again."""
        return None

    def portions(self, share: Vector) -> tuple[tuple[float, float], ...]:
        """None: it is a mean of values on folds."""
        return ()

    @property
    def hits(self) -> Vector | None:
        """None, as `portions`."""
        return None

    @property
    def is_counted(self) -> NDArray[np.bool_] | None:
        """None: no row is left out."""
        return None

    def why_undefined(self, weight: Vector) -> str:
        """Why it has no value on the first fold: on the others it has none either."""
        members, bound = self._folds[0]
        return bound.why_undefined(weight[members])


def is_curve_within_folds(curve: Curve) -> bool:
    """Return whether it runs along an order of scores; counts of rows by their score do not."""
    is_count = curve.presentation.drawing == "histogram"
    return curve.needs == "order" and not curve.is_of_target and not is_count


def bind_curve_in_folds(
    curve: Curve, rows: Rows, weight: Vector, is_exact: bool = False
) -> BoundCurve:
    """Bind the curve to one model's rows, within their folds where it must not cross them."""
    if rows.fold is None or not is_curve_within_folds(curve):
        return curve.bind(rows, weight, is_exact)
    return FoldCurve(curve, rows, weight)


class FoldCurve(BoundCurve):
    """The mean of a curve over the folds in which it exists, at each position."""

    def __init__(self, curve: Curve, rows: Rows, weight: Vector) -> None:
        super().__init__(curve, rows, weight, is_exact=True)

    @property
    def identity(self) -> tuple[object, ...] | None:
        """The identity of any curve, with the folds."""
        name, fold = super().identity, self.rows.fold
        assert fold is not None
        return name and (*name, "within folds", fold.tobytes())

    def __call__(self, batch: Batch) -> Matrix:
        """Heights under each weighting, (b, g); nan where no fold has one."""
        return self._means(self.statistic.function, batch)

    def _means(self, function: Callable[..., Matrix], batch: Batch) -> Matrix:
        params = self.statistic.params
        sums, total = (np.zeros((batch.size, len(self.grid))) for _ in range(2))
        for members, rows in self.rows.folds:
            part = batch.slice(members)
            heights = function(rows, part, self.grid, **params)
            weight = np.where(np.isfinite(heights), part.totals[:, None], 0.0)
            sums += np.where(weight > 0, heights, 0.0) * weight
            total += weight
        return divide(sums, total)

    @property
    def reads(self) -> CumulativeReads | None:
        """None: each fold has an order of its own."""
        return None

    def _trace(self, weight: Vector) -> Trace:
        """Return the heights on the grid, with the means of the folds' marks."""
        own = super()._trace(weight)
        heights = self(Batch.from_weights(weight))[0]
        if own.labels:
            return Trace(own.x, heights, own.labels) if len(own.x) == len(heights) else own
        base = self.statistic.base
        low = np.empty(0) if base is None else self._means(base, Batch.from_weights(weight))[0]
        return Trace(self.grid, heights, marks=self._marks(weight), base=low)

    def _marks(self, weight: Vector) -> dict[str, float]:
        curve, found = self.statistic, []
        for members, rows in self.rows.folds:
            if curve.trace is None or not weight[members].sum() > 0:
                return {}
            found.append(
                (
                    curve.trace(rows, weight[members], **curve.params).marks,
                    float(weight[members].sum()),
                )
            )
        names = [name for name in found[0][0] if all(name in marks for marks, _ in found)]
        return {name: _mean([(marks[name], share) for marks, share in found]) for name in names}


def _mean(values: list[tuple[float, float]]) -> float:
    known = [(value, share) for value, share in values if np.isfinite(value)]
    total = sum(share for _, share in known)
    return sum(value * share for value, share in known) / total if total > 0 else float("nan")
