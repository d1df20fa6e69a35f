"""How the scores of each of two classes are spread, in bins that both classes share."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.curves.distribution import EVEN_BINS, even_edges
from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio
from reportgen.kernels.walks import sums_by_bin
from reportgen.rows import Classes

FEWEST_BINS = 5
NOTHING = 1e-290  # spans that are smaller have no steps
HEAVY = 0.75  # of the rows in one bin, from which on tails are cut
FENCE = 3.0  # interquartile ranges from the quartiles: Tukey's outer fences


def _edges(rows: Classes) -> Vector:
    """The edges of the bins: about 2 n^(1/3) of them (Rice's rule), at most 30; none of no rows.

    Where nearly all rows would lie in one, they end at the outer fences, and outer bins hold more.
    """
    return rows.once("edges of bins by class", lambda: _found(rows.score.values))


def _found(score: Vector) -> Vector:
    if not len(score):
        return np.empty(0)
    low, high = float(score.min()), float(score.max())
    if not np.isfinite(high - low):
        return np.array([low, high])
    if high - low <= 1e-12 * max(abs(low), abs(high)) or high - low < NOTHING:
        half = 0.5 * max(abs(low), abs(high)) or 0.5
        return np.array([low - half, high + half])
    most = int(np.clip(np.ceil(2 * len(score) ** (1 / 3)), FEWEST_BINS, EVEN_BINS))
    edges = _even(score, most)
    if np.histogram(score, edges)[0].max() <= HEAVY * len(score):
        return edges
    inner = _within_fences(score)
    return edges if inner.min() == inner.max() else _even(inner, most)


def _even(score: Vector, most: int) -> Vector:
    edges = even_edges(score, most)
    is_needless = len(edges) > 2 and edges[-2] == score.max()  # the last bin holds its upper end
    return edges[:-1] if is_needless else edges


def _within_fences(score: Vector) -> Vector:
    """Scores beyond Tukey's outer fences moved to these; of equal quartiles, to 5% and 95%.

    >>> float(_within_fences(np.array([1.0, 2.0, 3.0, 4.0, 1000.0])).max())
    10.0
    """
    low, high = np.quantile(score, (0.25, 0.75))
    reach = FENCE * (high - low)
    if not reach > 0:
        low, high = np.quantile(score, (0.05, 0.95))
    return np.asarray(np.clip(score, low - reach, high + reach))


def _middles(rows: Classes, weight: Vector) -> Vector:
    edges = _edges(rows)
    return np.asarray((edges[1:] + edges[:-1]) / 2)


def _trace(rows: Classes, weight: Vector) -> Trace:
    """The bars of the positives, and whether outer ones hold scores that lie beyond them."""
    edges, score = _edges(rows), rows.score.values
    is_cut = len(edges) and (score.min() < edges[0] or score.max() > edges[-1])
    marks = {"cut": 1.0} if is_cut else {}
    return Trace(_middles(rows, weight), _shares(rows, Batch.of(weight), True)[0], marks=marks)


def _shares(rows: Classes, batch: Batch, is_upper: bool) -> Matrix:
    """Share of a class's weight in each bin, (b, g); nan where the class weighs nothing."""
    edges = _edges(rows)
    if not len(edges):
        return np.empty((batch.size, 0))
    count = len(edges) - 1
    place = np.clip(np.searchsorted(edges, rows.score.values, side="right") - 1, 0, count - 1)
    code = (rows.y.values > 0) != is_upper
    sums = sums_by_bin(batch, (place + count * code).astype(np.int32), 2 * count)[:, :count]
    return ratio(sums, sums.sum(axis=1)[:, None])


_SHARED: dict[str, Any] = {
    "task": "binary",
    "needs": "order",
    "x_label": "Score",
    "y_label": "Share of the class",
    "x_unit": "1",
    "y_unit": "share",
    "bounds": (0.0, 1.0),
    "is_monotone": False,
    "cite": "",
    "has_band": False,
    "grid": _middles,
    "exempt_from": {
        "weight 0 = row gone": "the bins are made from every row, whatever it weighs",
        "weight 2 = row twice": "the number of bins follows the number of rows",
    },
}


@curve(
    title="Scores by class",
    shown=Presentation(
        "Scores of each class",
        "score",
        "share of the class",
        reading="How the scores of each class are spread. Outlined: {positive}; grey areas: "
        "{negative}. The bars of each class add up to 100%. The less the two overlap, the better "
        "the score tells them apart.",
        place=15,
        drawing="histogram",
        is_apart=True,
        has_points=True,
    ),
    trace=_trace,
    brings=("score_density_of_negatives",),
    **_SHARED,
)
def score_density(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the positives in each bin of the score; undefined without positives.

    Operating points stand as lines in the figure: what lies right of one is called. Of the
    positives that is the recall there, of the negatives the false positive rate.
    """
    return _shares(rows, batch, True)


@curve(
    title="Scores of the negatives",
    shown=Presentation(
        "{negative}",
        "score",
        "share of the class",
        place=16,
        drawing="histogram",
        onto="score_density",
    ),
    **_SHARED,
)
def score_density_of_negatives(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the negatives in each bin of the score; undefined without negatives."""
    return _shares(rows, batch, False)
