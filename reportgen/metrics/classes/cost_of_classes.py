"""What it costs to call one of several classes another: a price for each pair of them."""

from __future__ import annotations

from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.metrics import questions
from reportgen.metrics.classes.cost_of_calls import ELKAN
from reportgen.metrics.spec import rowwise
from reportgen.rows import Classes


def _inputs(rows: Classes, *, calls: str) -> tuple[NDArray[Any], ...]:
    """The class of each row, the class that it is called, and the price of each pair."""
    prices = rows.prices
    if prices is None:
        k = len(rows.labels)
        return rows.code, rows.called, np.full((k, k), np.nan)
    is_chosen = calls == "cheapest" and rows.scale == "probability"
    return rows.code, cheapest(rows.scores, prices) if is_chosen else rows.called, prices


def cheapest(scores: Matrix, prices: Matrix) -> Index:
    """The class that costs least by the probabilities, (n,); of several the first.

    `scores` (n, k) are probabilities, `prices` (k, k) what a class costs, a row, if it is called
    another, a column.

    >>> cheapest(np.array([[0.9, 0.1]]), np.array([[0.0, 1.0], [50.0, 0.0]]))
    array([1])
    """
    return np.asarray(np.argmin(scores @ prices, axis=1), dtype=np.intp)


@rowwise(
    name="multiclass_misclassification_cost",
    asked_as={"name": "misclassification_cost"},
    aliases=("expected_cost", "total_cost", "average_cost", "cost_of_calls", "classification_cost"),
    title="Cost of calls",
    task="multiclass",
    kind="cost",
    better="lower",
    bounds=(-inf, inf),
    unit="cost",
    cite=ELKAN,
    estimand="mean of prices",
    needs="label",
    inputs=_inputs,
    formula="Σ w c(y, called) / Σ w, c the price of the pair",
    undefined="where nothing says what calls cost",
    caveat="It rests on the declared costs. By probabilities it is judged what the cheapest call "
    "costs, which asks that they be right.",
    answers=questions.CALLS,
    asks="what the call of one case costs, on average",
    blind="whatever the declared costs leave out",
)
def misclassification_cost(
    code: Index,
    called: Index,
    prices: Matrix,
    *,
    calls: Literal["cheapest", "largest"] = "cheapest",
) -> Vector:
    """Mean cost of a row, by what its class costs if it is called as it is.

    `costs: {matrix: …}` says what. A model with probabilities calls the class that costs least by
    them, or with `calls: largest` the most probable one, as all other metrics have it; a model
    without probabilities calls what it calls.
    """
    return np.asarray(prices[code, called])
