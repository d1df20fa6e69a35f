"""What calls cost: each cell of the confusion matrix has a price, of all rows or of each."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cuts import CELLS, FN, FP, TN, TP
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics import questions
from reportgen.metrics.call_table import CallTable
from reportgen.metrics.confusion import (
    OF_A_POINT,
    THRESHOLD,
    called_at,
    calls_at,
    needs_at,
    threshold_limits,
)
from reportgen.metrics.parameters import Scalar
from reportgen.metrics.spec import ESTIMANDS, rowwise
from reportgen.rows import Classes

ELKAN = "Elkan (2001), The foundations of cost-sensitive learning, IJCAI"


def cost_limits(
    threshold: float,
    at: str,
    moves: bool,
    fp: float | None,
    fn: float | None,
    tp: float,
    tn: float,
) -> str | None:
    """What is wrong with what calls cost, or with where they begin; or None."""
    if (fp is None) != (fn is None):
        return "fp and fn are a pair of costs; give both"
    if fp is None and (tp, tn) != (0, 0):
        return "tp and tn go with fp and fn; give all of them"
    return threshold_limits(threshold, at, moves)


def _costs(
    rows: Classes, *, fp: float | None, fn: float | None, tp: float, tn: float, **_: Scalar
) -> Matrix:
    """What each cell of the matrix would cost on each row, (n, 4); nan where nothing says so."""
    if fp is not None and fn is not None:
        return np.tile(cells_of(tp, fp, fn, tn), (len(rows), 1))
    costs = rows.calls.costs
    return np.full((len(rows), CELLS), np.nan) if costs is None else costs


def cells_of(tp: float, fp: float, fn: float, tn: float) -> Vector:
    """The costs of the cells in their order, (4,)."""
    found = np.empty(CELLS)
    found[[TP, FP, FN, TN]] = tp, fp, fn, tn
    return found


def _inputs(rows: Classes, *, at: str, moves: bool, **prices: Any) -> Any:
    """Y, the score or whether a row is called, and the costs; or all, where the calls move."""
    if moves:
        return (rows,)
    called = called_at(rows, at) if at else rows.score.values
    return rows.y.values, called, _costs(rows, **prices)


def by_call(y: Vector, costs: Matrix) -> tuple[Vector, Vector]:
    """What a row costs if it is called, and what if it is not, (n,) each."""
    is_positive = y > 0
    return (
        np.where(is_positive, costs[:, TP], costs[:, FP]),
        np.where(is_positive, costs[:, FN], costs[:, TN]),
    )


def are_errors_dearer(tn: float, fp: float, fn: float, tp: float) -> bool:
    """Whether both errors cost more than being right.

    Where one alone does, one call for all rows costs least; where none does, low probabilities pay.
    """
    return bool(fp > tn and fn > tp)


def pays_from(tn: float, fp: float, fn: float, tp: float) -> float:
    """The probability from which on a call costs no more than it saves (Elkan 2001).

    >>> round(pays_from(tn=0, fp=10, fn=200, tp=0), 4)
    0.0476
    """
    return (fp - tn) / ((fp - tn) + (fn - tp))


def _calls(rows: Classes, weight: Vector, **prices: Any) -> CallTable | None:
    """Which rows are called, and the mean of what each cell costs on the rows of its class."""
    costs, y = _costs(rows, **prices), rows.y.values
    each = np.stack([np.where(y > 0, 0.0, weight), np.where(y > 0, weight, 0.0)])
    means = each @ costs / np.maximum(each.sum(axis=1, keepdims=True), 1e-300)
    of_cells = np.append(means[0, [TN, FP]], means[1, [FN, TP]])

    def finish(table: Matrix) -> Vector:
        return np.asarray(table @ of_cells)

    return calls_at(finish, rows, weight, **{name: prices[name] for name in OF_A_POINT})


def _of_moving(rows: Classes, batch: Batch, *, at: str, **prices: Any) -> Vector:
    """The mean cost under each weighting, the calls found anew under each."""
    if_called, if_not = by_call(rows.y.values, _costs(rows, **prices))
    changed = rows.calls.cut(at).sums(rows, batch, (if_called - if_not)[:, None])[:, 0]
    total = weighted_sums(batch, if_not[:, None])[:, 0] + changed
    found = np.full(batch.size, np.nan)
    np.divide(total, batch.totals, out=found, where=batch.totals > 0)
    return found


def _moving(rows: Classes, weight: Vector, **params: Any) -> float:
    """Mean cost of a row, by what each cell of the confusion matrix costs."""
    return float(_of_moving(rows, Batch.of(weight), **params)[0])


def _fields(*, at: str, moves: bool, **prices: Any) -> Mapping[str, Any]:
    """Its shape, by whether calls move; its range, where the costs are those of all rows."""
    each: dict[str, Any] = {"bounds": (-inf, inf), "estimand": ESTIMANDS["mean of costs"]}
    if prices.get("fp") is not None and prices.get("fn") is not None:
        cells = [float(prices[cell] or 0) for cell in ("tp", "fp", "fn", "tn")]
        each = {"bounds": (min(cells), max(cells)), "estimand": ESTIMANDS["mean of prices"]}
    resting = {"shape": "rowwise", "function": misclassification_cost, "fast": None}
    moving = {"shape": "whole", "function": _moving, "fast": _of_moving,
              "estimand": ESTIMANDS["share of a cut that moves"]}  # fmt: skip
    return {"needs": needs_at(at), **each, **(moving if moves else resting)}


@rowwise(
    aliases=("expected_cost", "total_cost", "average_cost", "cost_of_calls", "classification_cost"),
    kind="cost",
    title="Cost of calls",
    task="binary",
    better="lower",
    bounds=(-inf, inf),
    unit="cost",
    cite=ELKAN,
    estimand="mean of costs",
    needs="call",
    check=cost_limits,
    inputs=_inputs,
    calls=_calls,
    fields_for=_fields,
    formula="Σ w c(called, y) / Σ w, c what the cell of the confusion matrix costs",
    undefined="where nothing says what calls cost",
    caveat="It rests on the declared costs, and on the threshold: a better threshold may be worth "
    "more than a better model.",
    answers=questions.CAUGHT,
    asks="what the calls of one case cost, on average",
    blind="whatever the declared costs leave out",
)
def misclassification_cost(
    y: Vector,
    score: Vector,
    costs: Matrix,
    *,
    threshold: float = THRESHOLD,
    at: str = "",
    moves: bool = False,
    fp: float | None = None,
    fn: float | None = None,
    tp: float = 0.0,
    tn: float = 0.0,
) -> Vector:
    """Mean cost of a row, by what each cell of the confusion matrix costs.

    `fp` and `fn` are what a false alarm and a missed positive cost, `tp` and `tn` what calls that
    are right do; what is gained is below 0. Without them `costs: {fp: …, fn: …}` says what, a
    number or a column each.
    """
    called = score > 0 if at else score >= threshold
    if_called, if_not = by_call(y, costs)
    return np.where(called, if_called, if_not)
