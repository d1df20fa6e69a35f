"""What a decision on costs rests on, model by model: statistics of several numbers each.

They are bound, weighted and replicated as curves are, but are no curves of the catalogue: their
positions are the asymmetries that somebody asked for, or stand for different quantities.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from reportgen.curves.rroc import CITE
from reportgen.curves.spec import Curve
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio
from reportgen.losses import by_row
from reportgen.losses.expected import expected, least, shifts
from reportgen.losses.losses import LossName
from reportgen.losses.rroc import points
from reportgen.rows import Amounts

POSITION = ("over", "under", "bias", "variance", "mse", "over squared", "under squared")
Shift = Literal["none", "optimal"]
Method = Literal["none", "optimal", "fitted"]


def position() -> Curve:
    """Where a model stands: mean over- and under-estimation, mean error, its variance, both.

    Then the means of the squares on each side, the place in the plane of Quad-Quad.
    """
    return _statistic(
        "position", np.arange(float(len(POSITION))), position_values, (-np.inf, np.inf)
    )


def costs_at(asymmetries: tuple[float, ...], shift: Shift, loss: LossName = "linlin") -> Curve:
    """Expected loss at these asymmetries, as the scores are or with the best constant."""
    of = partial(expected if shift == "none" else least, loss)
    name = f"{loss} at {asymmetries}, shift {shift}"
    return _statistic(name, np.array(asymmetries), of, (0.0, np.inf))


def shifts_at(asymmetries: tuple[float, ...], loss: LossName = "linlin") -> Curve:
    """The constant that, added to every score, costs least at each of these asymmetries."""
    name = f"{loss} shifts at {asymmetries}"
    return _statistic(name, np.array(asymmetries), partial(shifts, loss), (-np.inf, np.inf))


def position_values(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """The numbers of `POSITION` under each weighting, shape (b, 7)."""
    over, under = points(rows, batch)
    squares = points(rows, batch, power=2)
    error = rows.error.values
    centre = float(np.median(error)) if len(error) else 0.0  # no digits lost to a bias
    about = ratio((error - centre) ** 2 @ batch.weights, batch.totals)
    bias = over + under
    variance = np.maximum(about - (bias - centre) ** 2, 0.0)
    return np.stack([over, under, bias, variance, bias**2 + variance, *squares], axis=1)


def costs_by_row(method: Method) -> Curve:
    """Mean cost at each row's own unit costs, with one of the ways to shift by a constant.

    The best constant is that of each weighting; one that other rows taught is given.
    """

    def values(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        shift: Vector | float = 0.0
        if method == "optimal":
            shift = by_row.best_shifts(rows, batch)
        elif method == "fitted":
            shift = by_row.fitted_shift(rows)
        return by_row.mean_costs(rows, batch, shift)[:, None]

    return _statistic(f"costs by row, shift {method}", np.zeros(1), values, (0.0, np.inf))


def shifts_by_row() -> Curve:
    """The constant that, added to every score, costs least at each row's own unit costs."""
    return _statistic(
        "shifts by row",
        np.zeros(1),
        lambda rows, batch, grid: by_row.best_shifts(rows, batch)[:, None],
        (-np.inf, np.inf),
    )


def fitted_by_row() -> Curve:
    """The same of the rows to fit, which are resampled."""

    def values(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        fit = rows.fit
        if fit is None or not isinstance(fit.rows, Amounts):
            return np.full((batch.size, 1), np.nan)
        found = by_row.best_shifts(fit.rows, fit.beside(batch))
        return np.broadcast_to(found[:, None], (batch.size, 1))

    return _statistic("fitted constants by row", np.zeros(1), values, (-np.inf, np.inf))


def _statistic(
    name: str,
    places: Vector,
    values: Callable[[Amounts, Batch, Vector], Matrix],
    bounds: tuple[float, float],
) -> Curve:
    return Curve(
        name=name,
        title=name,
        task="regression",
        needs="amount",
        x_label="",
        y_label="",
        x_unit="1",
        y_unit="y",
        bounds=bounds,
        is_monotone=False,
        cite=CITE,
        grid=lambda rows, weight: places,
        function=values,
        fast=values,
        parameters=(),
    )
