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
from reportgen.losses.expected import expected, least, shifts
from reportgen.losses.losses import LossName
from reportgen.losses.rroc import points
from reportgen.rows import Amounts

POSITION = ("over", "under", "bias", "variance", "mse", "over squared", "under squared")
Shift = Literal["none", "optimal"]


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
        values=values,
        trace=None,
        parameters=(),
        description=name,
    )
