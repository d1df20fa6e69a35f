"""The ROC curve of lists, as a mean over queries.

A row is one query. At each share of the judged documents that are not relevant stands the share
of the relevant ones that stand above so many of them. Tied documents share out what their group
holds, also of a group that goes on past the depth, and what a list lacks stands last, tied: the
area below is the mean of `query_auc`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from reportgen.curves.by_depth import mean_over_queries
from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.lists import CLOSE, Lists, Ties, sum_by
from reportgen.kernels.pieces import over_queries
from reportgen.metrics.retrieval import NoRelevant, answered, limits
from reportgen.metrics.retrieval_order import query_auc
from reportgen.metrics.retrieval_pairs import JudgedOrder
from reportgen.rows import Queries

POSITIONS = 51
FAWCETT = (
    "Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27; "
    "doi:10.1016/j.patrec.2005.10.010 (vertical averaging)"
)


def shares(rows: Queries, weight: Vector, **_: Any) -> Vector:
    """Shares from 0 to 1, evenly apart."""
    return np.linspace(0.0, 1.0, POSITIONS)


def _trace(rows: Queries, weight: Vector, **params: Any) -> Trace:
    """The curve, and the area below it."""
    grid = shares(rows, weight)
    height = query_roc(rows, Batch.of(weight), grid, **params)[0]
    area = over_queries(partial(query_auc, **params), rows.lists)
    own = np.where(np.isnan(area), 0.0, weight)
    mean = float(own @ np.nan_to_num(area) / own.sum()) if own.sum() > 0 else np.nan
    return Trace(grid, height, marks={"area": mean})


def _with_pairs(rows: Queries, *, relevant: float, no_relevant: NoRelevant, **_: Any) -> int:
    """How many queries have a relevant document and another, where those without are left out."""
    judged = rows.lists.judgements
    if no_relevant != "skip":
        return len(judged)
    return int(np.count_nonzero(judged.relevant(relevant) * judged.other(relevant)))


@curve(
    title="ROC curve over queries",
    task="ranking",
    needs="order",
    x_label="False positive rate",
    y_label="True positive rate (recall)",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    is_on_request=True,
    cite=FAWCETT,
    grid=shares,
    judges=_with_pairs,
    trace=_trace,
    check=limits,
    shown=Presentation(
        title="ROC curve, as a mean over queries",
        x_label="share passed of the judged documents that are not relevant",
        y_label="share found of the relevant documents",
        place=7,
        is_compared=True,
        is_paired=True,
        difference="Above zero the candidate has found more when it has passed as much.",
        stretch="shares passed",
        noted={"area": "area, the mean AUC of a query"},
        reading="What share of the relevant documents stands above so large a share of the judged "
        "ones that are not, as a mean over all rows; a random order lies on the diagonal.",
    ),
)
def query_roc(
    rows: Queries,
    batch: Batch,
    grid: Vector,
    *,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Matrix:
    """Mean share of the relevant documents found, by the share of the others passed."""

    def values(lists: Lists) -> Matrix:
        judged = JudgedOrder.of(lists.ordered(ties))
        is_right = judged.grade >= relevant
        right, other = (sum_by(judged.group, f, judged.groups) for f in (is_right, ~is_right))
        passed = judged.counted_above(~is_right)
        total, others = (sum_by(judged.query, f, judged.n) for f in (is_right, ~is_right))
        found = np.empty((judged.n, len(grid)))
        for at, share in enumerate(grid):
            into = (share * others)[judged.owner] - passed + CLOSE
            held = np.where(other > 0, np.clip(into / np.maximum(other, 1), 0, 1), into > 0)
            of_all = judged.total(right * held) / np.maximum(total, 1)
            found[:, at] = answered(np.minimum(of_all, 1.0), total * others, no_relevant)
        return found

    return mean_over_queries(rows, batch, ("roc", *grid, relevant, ties, no_relevant), values)
