"""What a decision on costs rests on, model by model: plain statistics of several numbers each.

Their places are the asymmetries that somebody asked for, or stand for different quantities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np

from reportgen.curves.rroc import CITE
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio
from reportgen.losses import by_row
from reportgen.losses.expected import expected, least, shifts
from reportgen.losses.losses import LossName
from reportgen.losses.rroc import points
from reportgen.metrics.statistic import Statistic
from reportgen.rows import Amounts
from reportgen.terms import Needs

POSITION = ("over", "under", "bias", "variance", "mse", "over squared", "under squared")
ANY, COST = (-np.inf, np.inf), (0.0, np.inf)
Values = Callable[[Amounts, Batch, Vector], Matrix]
Shift = Literal["none", "optimal"]
Method = Literal["none", "optimal", "fitted"]


def position() -> Statistic:
    """Where a model stands: mean over- and under-estimation, mean error, its variance, both.

    Then the means of the squares on each side, the place in the plane of Quad-Quad.
    """
    return statistic("position", range(len(POSITION)), position_values)


def costs_at(asymmetries: tuple[float, ...], shift: Shift, loss: LossName = "linlin") -> Statistic:
    """Expected loss at these asymmetries, as the scores are or with the best constant."""
    of = partial(expected if shift == "none" else least, loss)
    return statistic(f"{loss}, shift {shift}", asymmetries, of, COST)


def shifts_at(asymmetries: tuple[float, ...], loss: LossName = "linlin") -> Statistic:
    """The constant that, added to every score, costs least at each of these asymmetries."""
    return statistic(f"{loss} shifts", asymmetries, partial(shifts, loss))


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


def costs_by_row(method: Method) -> Statistic:
    """Mean cost at each row's own unit costs, with one method of shifting by a constant.

    The best constant is that of each weighting; one fitted on other rows is given.
    """

    def values(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        shift: Vector | float = 0.0
        if method == "optimal":
            shift = by_row.best_shifts(rows, batch)
        elif method == "fitted":
            shift = by_row.fitted_shift(rows)
        return by_row.mean_costs(rows, batch, shift)[:, None]

    return statistic(f"costs by row, shift {method}", (0.0,), values, COST)


def shifts_by_row() -> Statistic:
    """The constant that, added to every score, costs least at each row's own unit costs."""
    return statistic(
        "shifts by row",
        (0.0,),
        lambda rows, batch, grid: by_row.best_shifts(rows, batch)[:, None],
    )


def fitted_by_row() -> Statistic:
    """The same of the training rows, which are resampled."""

    def values(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        fit = rows.fit
        if fit is None or not isinstance(fit.rows, Amounts):
            return np.full((batch.size, 1), np.nan)
        found = by_row.best_shifts(fit.rows, fit.beside(batch))
        return np.broadcast_to(found[:, None], (batch.size, 1))

    return statistic("fitted constants by row", (0.0,), values)


def statistic(
    name: str,
    places: Sequence[float],
    values: Values,
    bounds: tuple[float, float] = ANY,
    needs: Needs = "amount",
) -> Statistic:
    """A number at each of these places; `values` f(rows, batch, places) -> (b, places)."""
    return Statistic(
        name=name,
        title=name,
        task="regression",
        needs=needs,
        bounds=bounds,
        cite=CITE,
        places=tuple(places),
        function=values,
        fast=values,
        parameters=(),
    )
