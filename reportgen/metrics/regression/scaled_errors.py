"""Errors over those of a naive forecast."""

from __future__ import annotations

from math import inf

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.metrics import questions
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import METRICS, MonotoneImage, rowwise
from reportgen.metrics.regression.errors import HYNDMAN
from reportgen.metrics.rows import Amounts, PastTargets

MOST_SEASON = 1_000_000


def find_naive_errors(past: PastTargets, season: int) -> Vector:
    """Find the mean size of the naive errors of each series, (k,); nan where there is no scale.

    The naive forecast of a row is the target of the row `season` places before it in its series.

    >>> past = PastTargets(np.zeros(2, int), np.array([0, 4]), np.array([1.0, 3.0, 2.0, 6.0]))
    >>> find_naive_errors(past, 1)  # steps of 2, 1 and 4
    array([2.33333333])
    """
    series = np.repeat(np.arange(len(past.start) - 1), np.diff(past.start))
    is_same = series[season:] == series[:-season] if season < len(series) else np.empty(0, bool)
    size = np.abs(past.y[season:] - past.y[:-season])[is_same]
    of = series[season:][is_same]
    count = np.bincount(of, minlength=len(past.start) - 1)
    total = np.bincount(of, size, len(past.start) - 1)
    is_known = (total > 0) & ~past.is_repeated
    errors = np.full(len(total), np.nan)
    np.divide(total, count, out=errors, where=is_known)
    return errors


def _inputs_with_scale(rows: Amounts, *, season: int, by: str) -> tuple[Vector, ...]:
    past = rows.past.get(by)
    scale = np.full(len(rows), np.nan)
    if past is not None:
        errors = np.append(find_naive_errors(past, season), np.nan)
        scale = errors[past.code]
    return rows.y.values, rows.score.values, scale


def _explain_no_scale(rows: Amounts, *, season: int, by: str) -> str:
    past = rows.past.get(by)
    if past is not None and past.is_repeated.any():
        return "a series has several rows of one time; name the column of series by `by`"
    return (
        "a series is constant, or has too few rows to repeat one of them a season later, where the "
        "naive errors come from"
    )


def _check_season(season: int, **_: object) -> str | None:
    return check_range("season", season, 1, MOST_SEASON)


def _image_of_mae(n: int, *, season: int, by: str) -> MonotoneImage | None:
    """Return MAE of one series, whose scale is the same for all models."""
    return None if by else MonotoneImage(METRICS["mae"])


@rowwise(
    reference="median",
    title="Mean absolute scaled error",
    task="regression",
    better="lower",
    bounds=(0.0, inf),
    unit="1",
    needs="series",
    estimand="mean",
    kind="amount",
    inputs=_inputs_with_scale,
    check=_check_season,
    image=_image_of_mae,
    why=_explain_no_scale,
    answers=questions.RATIO,
    cite=HYNDMAN,
    formula="Σ w|ŷ − y|/q / Σ w, with q the mean of |y_t − y_(t − season)| over the rows of the "
    "series with `role: fit`, or over the evaluated rows where there are no such",
    undefined="where a series is constant or too short",
    caveat="The scale q is a property of the series: it is the same for all models and all "
    "resamples. Below 1, errors are smaller than those of repeating the target one season before; "
    "of forecasts of several steps that is a higher bar than it looks.",
    asks="how far off a score is, for the size of the steps that the target takes",
    blind="the direction of an error; how well a naive forecast of as many steps would do",
)
def mase(y: Vector, score: Vector, scale: Vector, *, season: int = 1, by: str = "") -> Vector:
    """Mean size of the error over the mean naive error of its series: 1 is as far as one step.

    Rows are in the order of `time:`. `season` is how many rows before the naive forecast lies, `by`
    the column of series: the cluster or a segment. Resamples draw errors; the scale is that of all
    rows it comes from, so its own uncertainty is not in the interval.

    >>> mase(np.array([3.0, 5.0]), np.array([4.0, 5.0]), np.array([2.0, 2.0]))
    array([0.5, 0. ])
    """
    return np.asarray(np.abs(score - y) / scale)
