"""What errors cost when too high and too low do not cost the same.

α is what under-estimation weighs, from 0 (too low costs nothing) to 1 (too high costs nothing).
A pair of unit costs, `under` and `over`, is α = under / (under + over) in money.
"""

from __future__ import annotations

from math import inf

from reportgen.kernels.batch import Vector
from reportgen.losses.losses import linlin
from reportgen.metrics import questions
from reportgen.metrics.images import as_one_side_or_both, half_of_linlin
from reportgen.metrics.limits import alpha_limits
from reportgen.metrics.residual import RROC
from reportgen.metrics.sides import sides_of
from reportgen.metrics.spec import rowwise
from reportgen.metrics.units import at_scale

KOENKER = (
    "Koenker & Bassett (1978), Regression quantiles, Econometrica 46; doi:10.2307/1913643"
)  # fmt: skip


@rowwise(
    kind="cost",
    title="Pinball loss",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="y",
    cite=KOENKER,
    estimand="mean",
    needs="amount",
    check=alpha_limits,
    image=half_of_linlin,
    sides=sides_of,
    formula="mean of α(y − ŷ) if ŷ < y, else (1 − α)(ŷ − y)",
    answers=questions.QUANTILE,
    asks=questions.UNEVEN_COST,
    blind="whether the score is a good guess of anything but this quantile",
)
def pinball(y: Vector, score: Vector, *, alpha: float) -> Vector:
    """Mean loss of a score meant as the α-quantile of y, in the unit of y; the true one has least.

    Half of `asymmetric_cost`.
    """
    return linlin(score - y, alpha) / 2


@rowwise(
    kind="cost",
    title="Asymmetric cost",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit=at_scale("y", 2),
    cite=RROC,
    estimand="mean",
    needs="amount",
    check=alpha_limits,
    image=as_one_side_or_both,
    sides=sides_of,
    formula="mean of 2α(y − ŷ) if ŷ < y, else 2(1 − α)(ŷ − y)",
    answers=questions.COST,
    asks=questions.UNEVEN_COST,
    blind="costs that do not grow in a straight line, or differ from row to row",
)
def asymmetric_cost(y: Vector, score: Vector, *, alpha: float) -> Vector:
    """Mean Lin-Lin loss, in the unit of y: α weighs too low, 1 − α too high; MAE at α = 0.5.

    What one too low and one too high cost is 2 together. Costs `under` and `over` of
    `expected_cost` with α = under/(under + over) are (under + over)/2 times as much.
    """
    return linlin(score - y, alpha)
