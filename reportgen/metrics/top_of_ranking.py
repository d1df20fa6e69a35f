"""How much of y the top of the ranking holds: the rows with the highest scores.

A row on the edge of the top is shared, and rows with tied scores are spread over both sides in
proportion to their weight, which is what all their orders give on average.
"""

from __future__ import annotations

from math import inf

import numpy as np

from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.kernels.cumulative import at_shares, ratio
from reportgen.metrics import questions
from reportgen.metrics.buckets import cumulated
from reportgen.metrics.images import as_the_end_bucket
from reportgen.metrics.left_out import amounts_without_each, without_each
from reportgen.metrics.limits import not_one_of, outside
from reportgen.metrics.slices import DUST
from reportgen.metrics.spec import whole
from reportgen.rows import Amounts

GAINS = "Piatetsky-Shapiro & Masand (1999), Estimating campaign benefits and modeling lift, KDD"
BY_COUNT = {
    "duplicate": "k cases are the share k/n of the weight, and a repeated row changes n",
    "zero": "k cases are the share k/n of the weight, and a missing row changes n",
}


def topk_limits(
    k: int | None, share: float | None, budget: float | None, cost: float | None
) -> str | None:
    """What is wrong with the size of the top, or None."""
    if (budget is None) != (cost is None):
        return "budget and cost (of one case) belong together; give both"
    pair = None if budget is None else f"{budget}, {cost}"
    wrong = not_one_of({"k": k, "share": share, "the pair of budget and cost": pair}, "share: 0.1")
    if wrong is None and share is not None and not 0 < share <= 1:
        return f"share is {share}, but must be above 0 and at most 1"
    if wrong is None and budget is not None and cost is not None and not 0 < cost <= budget < inf:
        return f"a budget of {budget} pays for no case at a cost of {cost}"
    return wrong or outside("k", k, 1, inf)


def _capture_fast(
    rows: Amounts,
    batch: Batch,
    *,
    k: int | None,
    share: float | None,
    budget: float | None,
    cost: float | None,
) -> Vector:
    """What the rest of the ranking, the lowest scores, leaves of all y, (b,)."""
    top = top_share(len(rows), k=k, share=share, budget=budget, cost=cost)
    if np.isnan(top):
        return np.full(batch.size, np.nan)
    y = rows.y.values
    sums = at_shares(np.array([1.0 - top, 1.0]), rows.score, y, batch)
    found: Vector = np.clip(1.0 - ratio(sums[:, 0], sums[:, 1]), 0.0, 1.0)
    below = np.flatnonzero(y < 0)
    if len(below):
        found[(batch.weights[below] > 0).any(axis=0)] = np.nan
    return found


def _capture_without_each(
    rows: Amounts,
    weight: Vector,
    *,
    k: int | None,
    share: float | None,
    budget: float | None,
    cost: float | None,
) -> Vector | None:
    """Exactly where y is nowhere below 0; else None, as only a row's absence may define it."""
    y, n = rows.y.values, len(rows)
    if (y[weight > 0] < 0).any():
        return None
    if n < 2:
        return np.full(n, np.nan)
    top = top_share(n - 1, k=k, share=share, budget=budget, cost=cost)
    ends = (top * (weight.sum() - weight))[:, None]
    held = amounts_without_each(Column(-rows.score.values), y, weight, ends)[:, 0]
    everything = without_each(weight * y)
    found = np.full(n, np.nan)
    np.divide(held, everything, out=found, where=everything > 0)
    return np.asarray(np.clip(found, 0.0, 1.0))


@whole(
    kind="decision",
    title="Capture of the top",
    task="regression",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite=GAINS,
    estimand="smooth",
    needs="order",
    fast=_capture_fast,
    leave_one_out=_capture_without_each,
    image=lambda n, **size: as_the_end_bucket(top_share(n, **size)),
    check=topk_limits,
    exempt_from=BY_COUNT,
    formula="Σ w y over the top of the ranking / Σ w y",
    undefined="where a y is below 0, or all are 0",
    answers=questions.TOP,
    asks="how much of the total the rows with the highest scores hold",
    blind="the order within the top and below it, and what the scores say of amounts",
)
def topk_capture(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    k: int | None = None,
    share: float | None = None,
    budget: float | None = None,
    cost: float | None = None,
) -> float:
    """Share of all y that the rows with the highest scores hold, from 0 to 1.

    The top is `k` rows, a `share` of the weight, or as many whole cases as `budget` pays for at
    `cost` each; k of n rows are the share k/n of the weight.
    """
    top = top_share(len(y), k=k, share=share, budget=budget, cost=cost)
    counted = weight > 0
    if not counted.any() or (y[counted] < 0).any() or not y[counted].any():
        return np.nan
    mass, amount = cumulated(y, -score, weight)
    captured = np.interp(top * mass[-1], mass, amount)
    return float(np.clip(captured / amount[-1], 0, 1))


def top_share(
    n: int, *, k: int | None, share: float | None, budget: float | None, cost: float | None
) -> float:
    """The share of the weight that the top is, at most 1; nan of no rows.

    >>> top_share(50, k=None, share=None, budget=100.0, cost=9.0)
    0.22
    """
    if share is not None:
        return share
    if budget is not None and cost is not None:
        k = int(budget * (1 + DUST) // cost)
    return np.nan if k is None or n == 0 else min(1.0, k / n)
