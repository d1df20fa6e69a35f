"""What an expected cost is paid by: a loss, its asymmetry, and the money one unit of it costs."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.losses.losses import LOSSES, Loss, LossName
from reportgen.metrics.limits import not_one_of, outside
from reportgen.metrics.units import at_scale


@dataclass(frozen=True)
class Terms:
    """A loss, its asymmetry (α, or c of an exponential), and the money one unit of it costs."""

    loss: Loss
    asymmetry: float
    price: float

    def costs(self, error: Vector) -> Vector:
        """Cost of each row, shape (n,); nan where it is too large for a number."""
        costs = self.price * self.loss.of(error, self.asymmetry)
        return np.where(np.isfinite(costs), costs, np.nan)

    def least_costs(self, error: Vector, weight: Vector) -> Vector:
        """The same once the constant is added that is best under this weighting."""
        return self.costs(error + self.loss.best_shift(error, weight, self.asymmetry))


def terms(
    y: Vector,
    *,
    loss: LossName,
    alpha: float | None,
    under: float | None,
    over: float | None,
    c: float | None,
    **_: Any,
) -> Terms:
    """The terms that the parameters of an expected cost mean on these rows."""
    price = 1.0
    if under is not None and over is not None:
        alpha, price = under / (under + over), (under + over) / (1 if loss == "pinball" else 2)
    if c is None:
        spread_of_y = float(np.std(y)) if len(y) else 0.0
        c = 1 / spread_of_y if spread_of_y > 0 else None
    asymmetry = c if has_c(loss) else alpha
    return Terms(LOSSES[loss], np.nan if asymmetry is None else asymmetry, price)


def has_c(loss: LossName) -> bool:
    """Whether the asymmetry of a loss is c, in 1/y, and not α."""
    return LOSSES[loss].parameter == "c"


def asymmetry_limits(
    loss: LossName, alpha: float | None, under: float | None, over: float | None, c: float | None
) -> str | None:
    """What is wrong with the asymmetry of an expected cost, or None."""
    if has_c(loss):
        if not alpha is under is over is None:
            return f"{loss} takes c, not alpha or unit costs"
        is_good = c is None or (c != 0 and abs(c) < inf)
        return None if is_good else f"c is {c}, but must be a number other than 0"
    if c is not None:
        return f"c belongs to linexp and quadexp; {loss} takes alpha, or under and over"
    if (under is None) != (over is None):
        return "under and over are a pair of unit costs; give both"
    pair = None if under is None else f"{under}, {over}"
    wrong = not_one_of({"alpha": alpha, "the pair of under and over": pair}, "alpha: 0.8")
    if wrong or under is None or over is None:
        return wrong or outside("alpha", alpha, 0, 1)
    if under >= 0 and over >= 0 and 0 < under + over < inf:
        return None
    return f"under is {under} and over is {over}; costs are 0 or more, and not both are 0"


def unit_of_terms(*, loss: LossName, under: float | None, **_: Any) -> dict[str, str]:
    """Money where unit costs are given; else the unit of the loss, which an exponential lacks."""
    if under is not None:
        return {"unit": "cost"}
    if has_c(loss):
        return {"unit": "1"}
    total = 1 if loss == "pinball" else 2
    return {"unit": at_scale("y²" if loss == "quadquad" else "y", total)}
