"""Precision by recall, and ROC curves, as means over queries."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.ranked_lists import SCORE_TOLERANCE, Lists, Ties, map_queries, sum_by_code
from reportgen.kernels.tie_patterns import TiePatterns
from reportgen.metrics.curves.curve import Presentation, Trace, curve
from reportgen.metrics.curves.depth import (
    average_query_values,
    count_answering_queries,
    mean_over_queries,
)
from reportgen.metrics.lookup import check_range
from reportgen.metrics.retrieval.average_precision import (
    average_over_tie_orders,
    interpolate_precision,
    query_auc,
)
from reportgen.metrics.retrieval.correlation import JudgedOrder
from reportgen.metrics.retrieval.counts import (
    MANNING,
    NoRelevant,
    check_list_parameters,
    fill_no_relevant,
)
from reportgen.metrics.rows import Queries
from reportgen.metrics.statistic import Scalar

MOST_LEVELS = 101


def check_levels(**params: Scalar) -> str | None:
    """Describe an invalid number of recalls or shared parameter, or return None."""
    return check_range("levels", params.get("levels"), 2, MOST_LEVELS) or check_list_parameters(
        **params
    )


def recall_grid(rows: Queries, weight: Vector, *, levels: int, **_: object) -> Vector:
    """Recalls from 0 to 1, evenly apart."""
    return np.arange(levels) / (levels - 1)


def _compute_raw_precision(each: TiePatterns, grid: Vector) -> Matrix:
    """Compute the precision at the rank where each recall is reached, 0 if it is not: (p, m)."""
    count, rows = each.hits, np.arange(len(each.total))
    found = np.zeros((len(rows), len(grid)))
    for at, recall in enumerate(grid):
        need = np.maximum(np.ceil(recall * each.total - SCORE_TOLERANCE), 1.0)
        first = (count < need[:, None]).sum(axis=1)
        is_reached = first < count.shape[1]
        found[is_reached, at] = each.precision[rows[is_reached], first[is_reached]]
    return found


def _means(
    rows: Queries,
    batch: Batch,
    grid: Vector,
    relevant: float,
    ties: Ties,
    no_relevant: NoRelevant,
    is_raw: bool = False,
) -> Matrix:
    """Means over queries of interpolated or raw precision, (b, g); both are made at once."""
    key = (*grid, relevant, ties, no_relevant)

    def both(lists: Lists) -> Matrix:
        def measure(each: TiePatterns) -> Matrix:
            return np.column_stack(
                [interpolate_precision(each, tuple(grid)), _compute_raw_precision(each, grid)]
            )

        found = lists.order_documents(ties)
        means = average_over_tie_orders(found, relevant, None, measure)
        return np.clip(np.broadcast_to(means, (len(found), 2 * len(grid))), 0.0, 1.0)

    def values() -> Matrix:
        every = rows.once(f"precision by recall {key}", lambda: map_queries(both, rows.lists))
        own = every[:, len(grid) :] if is_raw else every[:, : len(grid)]
        return fill_no_relevant(own, rows.lists.judgements.count_relevant(relevant), no_relevant)

    return average_query_values(rows, batch, ("by recall", is_raw, *key), values)


def _trace_by_recall(
    rows: Queries,
    weight: Vector,
    *,
    levels: int,
    relevant: float,
    ties: Ties,
    no_relevant: NoRelevant,
) -> Trace:
    """Return the curve, its mean, and what interpolation adds to the mean of the raw one."""
    grid, batch = recall_grid(rows, weight, levels=levels), Batch.from_weights(weight)
    height, raw = (
        _means(rows, batch, grid, relevant, ties, no_relevant, is_raw)[0]
        for is_raw in (False, True)
    )
    marks = {"mean": float(height.mean()), "added": float((height - raw).mean())}
    return Trace(grid, height, marks=marks)


_recall_curve = partial(
    curve,
    task="ranking",
    needs="order",
    x_label="Recall",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    is_on_request=True,
    cite=MANNING,
    grid=recall_grid,
    judges=count_answering_queries,
    check=check_levels,
)


@_recall_curve(
    title="Interpolated precision by recall",
    y_label="Interpolated precision",
    trace=_trace_by_recall,
    shown=Presentation(
        title="Precision at each recall, interpolated",
        x_label="recall",
        y_label="interpolated precision",
        place=5,
        has_markers=True,
        is_compared=True,
        is_paired=True,
        difference="Above zero the lists of the candidate are purer at that recall.",
        stretch="recalls",
        noted={"mean": "mean over these recalls", "added": "of it added by interpolation"},
        reading="The largest share of relevant documents in a list that goes on until so much of "
        "what is relevant is found, as a mean over all rows; 0 where it is never found.",
    ),
)
def interpolated_precision(
    rows: Queries,
    batch: Batch,
    grid: Vector,
    *,
    levels: int = 11,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Matrix:
    """Mean of the largest precision from where a recall is reached on, at recalls from 0 to 1."""
    return _means(rows, batch, grid, relevant, ties, no_relevant)


@_recall_curve(
    title="Raw precision by recall",
    y_label="Precision",
    is_monotone=False,
    shown=Presentation(
        title="Precision at each recall",
        x_label="recall",
        y_label="precision",
        place=6,
        has_markers=True,
        is_compared=True,
        is_paired=True,
        difference="Above zero the lists of the candidate are purer at that recall.",
        stretch="recalls",
        reading="The share of relevant documents in a list that ends where so much of what is "
        "relevant is found, as a mean over all rows; 0 where it is never found.",
    ),
)
def raw_precision(
    rows: Queries,
    batch: Batch,
    grid: Vector,
    *,
    levels: int = 11,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Matrix:
    """Mean precision at the rank by which a recall is reached, at recalls from 0 to 1."""
    return _means(rows, batch, grid, relevant, ties, no_relevant, is_raw=True)


POSITIONS = 51
FAWCETT = (
    "Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27; "
    "doi:10.1016/j.patrec.2005.10.010 (vertical averaging)"
)


def query_share_grid(rows: Queries, weight: Vector, **_: Any) -> Vector:
    """Shares from 0 to 1, evenly apart."""
    return np.linspace(0.0, 1.0, POSITIONS)


def _trace_over_queries(rows: Queries, weight: Vector, **params: Any) -> Trace:
    """Return the curve, and the area below it."""
    grid = query_share_grid(rows, weight)
    height = query_roc(rows, Batch.from_weights(weight), grid, **params)[0]
    area = map_queries(partial(query_auc, **params), rows.lists)
    own = np.where(np.isnan(area), 0.0, weight)
    mean = float(own @ np.nan_to_num(area) / own.sum()) if own.sum() > 0 else np.nan
    return Trace(grid, height, marks={"area": mean})


def _count_queries_with_pairs(
    rows: Queries, *, relevant: float, no_relevant: NoRelevant, **_: Any
) -> int:
    """Count the queries with a relevant document and another, where those without are left out."""
    judged = rows.lists.judgements
    if no_relevant != "skip":
        return len(judged)
    return int(
        np.count_nonzero(judged.count_relevant(relevant) * judged.count_irrelevant(relevant))
    )


@_recall_curve(
    title="ROC curve over queries",
    x_label="False positive rate",
    y_label="True positive rate (recall)",
    cite=FAWCETT,
    grid=query_share_grid,
    judges=_count_queries_with_pairs,
    trace=_trace_over_queries,
    check=check_list_parameters,
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
        judged = JudgedOrder.from_lists(lists.order_documents(ties))
        is_right = judged.grade >= relevant
        right, other = (sum_by_code(judged.group, f, judged.groups) for f in (is_right, ~is_right))
        passed = judged.count_above_groups(~is_right)
        total, others = (sum_by_code(judged.query, f, judged.n) for f in (is_right, ~is_right))
        found = np.empty((judged.n, len(grid)))
        for at, share in enumerate(grid):
            into = (share * others)[judged.owner] - passed + SCORE_TOLERANCE
            held = np.where(other > 0, np.clip(into / np.maximum(other, 1), 0, 1), into > 0)
            of_all = judged.total(right * held) / np.maximum(total, 1)
            found[:, at] = fill_no_relevant(np.minimum(of_all, 1.0), total * others, no_relevant)
        return found

    return mean_over_queries(rows, batch, ("roc", *grid, relevant, ties, no_relevant), values)
