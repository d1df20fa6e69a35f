"""Curves as means over folds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import CumulativeReads
from reportgen.metrics.curves.curve import BoundCurve, Curve, Trace
from reportgen.metrics.rows import Rows


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
        found = np.full(sums.shape, np.nan)
        np.divide(sums, total, out=found, where=total > 0)
        return found

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
