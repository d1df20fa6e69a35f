"""Precision, recall, F and more of the calls from each threshold on, and what these calls cost.

A probability is cut at each hundredth, a score of a unit of its own at values that rows have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve
from reportgen.curves.support import all_among, positives_among
from reportgen.curves.thresholds import (
    calls_from,
    drawn_to,
    fewer,
    hundredths,
    rarer_errors,
    thresholds,
)
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio
from reportgen.kernels.effective import effective_rows
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.walks import sums_by_bin
from reportgen.metrics.classes.cost_of_calls import ELKAN, by_call
from reportgen.metrics.confusion import POWERS
from reportgen.rows import Classes

MOST_SCORES = 199  # that are each a threshold; of more, even steps and hundredths of the weight
STEPS, SLACK = 101, 1e-12
_FROM = "threshold from which a row is called"


def cuts(rows: Classes, weight: Vector) -> Vector:
    """The thresholds of a probability; of a score of its own unit at most 200 that rows have.

    Where there are more, even steps from the lowest to the highest, and those below which each
    hundredth of the weight lies.
    """
    if not rows.lacks("probability"):
        return thresholds(rows, weight)
    held = weight > 0
    score, mass = rows.score.values[held], weight[held]
    distinct, place = np.unique(score, return_inverse=True)
    if len(distinct) <= MOST_SCORES:
        return distinct
    below = np.cumsum(np.bincount(place, mass)) / mass.sum()
    at = np.searchsorted(below, hundredths() * (1 - SLACK))
    return np.union1d(np.linspace(distinct[0], distinct[-1], STEPS), distinct[at])


def _called(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """How many rows are called from each threshold on, as equally weighted ones."""
    tp, fp, _ = calls_from(rows, Batch.of(weight), grid)
    each = (tp + fp)[0]
    return np.asarray(each / max(float(weight.sum()), 1e-300) * effective_rows(weight))


def _swept(values: Callable[[Classes, Batch, Vector], Matrix], **about: Any) -> Any:
    """A curve along thresholds, drawn where it is asked for, and as far as there is a call."""

    def trace(rows: Classes, weight: Vector) -> Trace:
        grid = cuts(rows, weight)
        marks = {} if rows.lacks("probability") else drawn_to(rows, weight, grid)
        return Trace(grid, values(rows, Batch.of(weight), grid)[0], marks=marks)

    return curve(
        task="binary",
        needs="order",
        x_label="Threshold",
        x_unit="1",
        is_monotone=False,
        grid=cuts,
        trace=trace,
        thin=fewer,
        is_on_request=True,
        **about,
    )(values)


def _share(title: str, height: str, reading: str, place: int) -> Callable[[Any], Any]:
    """A share of calls along thresholds."""
    of = {"Precision": _called, "Recall": positives_among, "Share called": all_among}
    among: dict[str, Any] = {"among": of[title]} if title in of else {}
    shown = Presentation(
        f"{title} at each threshold",
        _FROM,
        height,
        reading=reading,
        place=place,
        is_compared=True,
        difference=f"Above zero the candidate's {height} is higher at that threshold.",
        is_paired=True,
        has_points=True,
    )
    return partial(
        _swept,
        title=f"{title} by threshold",
        y_label=title,
        y_unit="share",
        bounds=(0.0, 1.0),
        cite=POWERS,
        shown=shown,
        **among,
    )


@_share("Precision", "precision", "How often a call from there on is right.", 30)
def precision_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the rows called from each threshold on that are positive."""
    tp, fp, _ = calls_from(rows, batch, grid)
    return ratio(tp, tp + fp)


@_share("Recall", "recall", "How many of the positives are called from there on.", 31)
def recall_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the positive rows that are called from each threshold on."""
    tp, _, classes = calls_from(rows, batch, grid)
    return ratio(tp, classes[:, 1:])


@_share("Share called", "share called", "How much work the calls from there on make.", 33)
def called_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the rows that are called from each threshold on."""
    tp, fp, _ = calls_from(rows, batch, grid)
    return ratio(tp + fp, batch.totals[:, None])


@_share("F", "F", "Precision and recall in one number, both errors counting alike.", 32)
def f_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """F1 of the calls from each threshold on."""
    tp, fp, classes = calls_from(rows, batch, grid)
    return ratio(2 * tp, tp + fp + classes[:, 1:])


@partial(
    _swept,
    title="Cost by threshold",
    y_label="Mean cost of a row",
    y_unit="cost",
    bounds=(-np.inf, np.inf),
    cite=ELKAN,
    rarest=rarer_errors,
    shown=Presentation(
        "Cost at each threshold",
        _FROM,
        "mean cost of a row",
        reading="What a row costs on average where all from there on are called, by the declared "
        "costs.",
        place=34,
        is_compared=True,
        difference="A difference below zero is a saving.",
        is_better_below=True,
        is_paired=True,
        has_points=True,
    ),
)
def cost_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Mean cost of a row, by the declared costs, where rows are called from each threshold on.

    Undefined where no costs are declared.
    """
    costs = rows.calls.costs
    if costs is None:
        return np.full((batch.size, len(grid)), np.nan)
    if_called, if_not = by_call(rows.y.values, costs)
    place = np.searchsorted(grid, rows.score.values, side="right")
    changed = sums_by_bin(batch, place, len(grid) + 1, if_called - if_not)
    above = np.cumsum(changed[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return ratio(weighted_sums(batch, if_not[:, None]) + above, batch.totals[:, None])
