"""How often a call is right where more or fewer of the rows are positive than here.

Recall and the false positive rate are shares of one class each, and stay as they are where the
other class is rarer or more frequent; precision is a share of both, and moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio
from reportgen.kernels.cuts import FN, FP, TN, TP, Cutoff, Threshold, table_of
from reportgen.kernels.effective import effective_rows
from reportgen.metrics.confusion import POWERS, THRESHOLD, needs_at
from reportgen.rows import Classes

SIMEL = (
    "Simel, Samsa & Matchar (1991), Likelihood ratios with confidence: sample size estimation for "
    "diagnostic test studies, Journal of Clinical Epidemiology 44; "
    "doi:10.1016/0895-4356(91)90128-V"
)
RAREST, MOST_FREQUENT, PLACES = 0.001, 0.9, 120
HALF = 0.5  # rows that are added to each cell before the ratio of two shares is judged


class _Calls(NamedTuple):
    """How many rows, as equally weighted ones, are called right and wrong, and are of a class."""

    caught: float
    alarms: float
    positives: float
    negatives: float


def _prevalences(rows: Classes, weight: Vector, *, at: str) -> Vector:
    """Shares of positives, evenly spaced on a scale of logs."""
    return np.geomspace(RAREST, MOST_FREQUENT, PLACES)


def _cut(rows: Classes, at: str) -> Cutoff:
    return rows.calls.cut(at) if at else Threshold(THRESHOLD)


def _calls(rows: Classes, weight: Vector, at: str) -> _Calls:
    table = table_of(_cut(rows, at), rows, Batch.of(weight))[0]
    of_class = [effective_rows(weight[(rows.y.values > 0) == upper]) for upper in (True, False)]
    sizes = np.array([table[TP] + table[FN], table[FP] + table[TN]])
    each = np.nan_to_num(ratio(table[[TP, FP]], sizes)) * of_class
    return _Calls(float(each[0]), float(each[1]), *of_class)


def _rarer_calls(rows: Classes, weight: Vector, grid: Vector, *, at: str) -> Vector:
    """How many rows are called rightly or wrongly, whichever are fewer, at every place.

    Of two false alarms nobody knows how rare they are, and with none every call would be right.
    """
    calls = _calls(rows, weight, at)
    return np.full(len(grid), min(calls.caught, calls.alarms))


def _among(rows: Classes, weight: Vector, grid: Vector, *, at: str) -> Vector:
    """Of how many rows the precision is as sure as a share: by the variance of its log odds.

    These are the log odds of the prevalence and log (recall / false positive rate), whose variance
    is 1/TP − 1/P + 1/FP − 1/N (Simel, Samsa and Matchar 1991).
    """
    calls = _calls(rows, weight, at)
    caught, alarms = calls.caught + HALF, calls.alarms + HALF
    positives, negatives = calls.positives + 2 * HALF, calls.negatives + 2 * HALF
    variance = 1 / caught - 1 / positives + 1 / alarms - 1 / negatives
    share = _share(caught / positives, alarms / negatives, grid)
    return np.asarray(1 / (max(variance, 1e-300) * share * (1 - share)))


def _share(recall: float, false: float, grid: Vector) -> Vector:
    right = grid * recall
    return np.asarray(right / (right + (1 - grid) * false))


def _trace(rows: Classes, weight: Vector, *, at: str) -> Trace:
    """The curve, and the share of positives of the rows at hand."""
    grid = _prevalences(rows, weight, at=at)
    held = ratio(rows.y.values @ weight[:, None], weight.sum(keepdims=True))
    y = precision_by_prevalence(rows, Batch.of(weight), grid, at=at)[0]
    return Trace(grid, y, marks={"held": float(held[0])})


@curve(
    title="Precision by prevalence",
    task="binary",
    needs="call",
    x_label="Share of positives",
    y_label="Precision",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite=f"{POWERS}; {SIMEL}",
    fields_for=lambda at: {"needs": needs_at(at)},
    grid=_prevalences,
    trace=_trace,
    thin=_rarer_calls,
    among=_among,
    rarest=_rarer_calls,
    is_on_request=True,
    undefined="no row is called, or all are of one class",
    shown=Presentation(
        "Precision of the calls {point}, where more or fewer are positive",
        "share of positives",
        "precision",
        reading="How often a call is right where so large a share is positive, with recall and "
        "the false positive rate as on these rows. The rarer the positives, the more of the calls "
        "are false alarms, whatever the model.",
        place=35,
        noted={"held": "share of positives on these rows"},
        x_scale="log",
        is_compared=True,
        difference="Above zero the candidate's calls are right more often.",
        is_paired=True,
    ),
)
def precision_by_prevalence(rows: Classes, batch: Batch, grid: Vector, *, at: str = "") -> Matrix:
    """Precision of the calls at an operating point, by what share of the rows is positive.

    Recall and the false positive rate are those on these rows, which other shares of the classes
    leave as they are as long as each class looks the same. Undefined where no row is called or all
    are of one class.
    """
    table = table_of(_cut(rows, at), rows, batch)
    recall = ratio(table[:, [TP]], table[:, [TP]] + table[:, [FN]])
    false = ratio(table[:, [FP]], table[:, [FP]] + table[:, [TN]])
    return ratio(grid * recall, grid * recall + (1 - grid) * false)
