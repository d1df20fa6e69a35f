"""Precision of lists over the share of the relevant documents that is to be found.

A row is one query. At each recall stands the mean over queries of the largest precision from the
rank on that reaches it (interpolated), or of the precision at that rank (raw), as a mean over the
orders of tied documents. What the first lies above the second is what interpolation adds.
"""

from __future__ import annotations

import numpy as np

from reportgen.curves.by_depth import answering, mean_of_numbers
from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.lists import CLOSE, Lists, Ties
from reportgen.kernels.patterns import Patterns
from reportgen.kernels.pieces import over_queries
from reportgen.metrics.limits import outside
from reportgen.metrics.retrieval import MANNING, NoRelevant, answered, limits
from reportgen.metrics.retrieval_patterns import interpolated, over_patterns
from reportgen.metrics.spec import Scalar
from reportgen.rows import Queries

MOST_LEVELS = 101


def level_limits(**params: Scalar) -> str | None:
    """What is wrong with the number of recalls, or with what measures share."""
    return outside("levels", params.get("levels"), 2, MOST_LEVELS) or limits(**params)


def recalls(rows: Queries, weight: Vector, *, levels: int, **_: object) -> Vector:
    """Recalls from 0 to 1, evenly apart."""
    return np.arange(levels) / (levels - 1)


def _raw(each: Patterns, grid: Vector) -> Matrix:
    """The precision at the rank by which each recall is reached, 0 where it is not: (p, m)."""
    count, rows = each.hits, np.arange(len(each.total))
    found = np.zeros((len(rows), len(grid)))
    for at, recall in enumerate(grid):
        need = np.maximum(np.ceil(recall * each.total - CLOSE), 1.0)
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
        def measure(each: Patterns) -> Matrix:
            return np.column_stack([interpolated(each, tuple(grid)), _raw(each, grid)])

        found = lists.ordered(ties)
        means = over_patterns(found, relevant, None, measure)
        return np.clip(np.broadcast_to(means, (len(found), 2 * len(grid))), 0.0, 1.0)

    def values() -> Matrix:
        every = rows.once(f"precision by recall {key}", lambda: over_queries(both, rows.lists))
        own = every[:, len(grid) :] if is_raw else every[:, : len(grid)]
        return answered(own, rows.lists.judgements.relevant(relevant), no_relevant)

    return mean_of_numbers(rows, batch, ("by recall", is_raw, *key), values)


def _trace(
    rows: Queries,
    weight: Vector,
    *,
    levels: int,
    relevant: float,
    ties: Ties,
    no_relevant: NoRelevant,
) -> Trace:
    """The curve, its mean, and what interpolation adds to the mean of the raw one."""
    grid, batch = recalls(rows, weight, levels=levels), Batch.of(weight)
    height, raw = (
        _means(rows, batch, grid, relevant, ties, no_relevant, is_raw)[0]
        for is_raw in (False, True)
    )
    marks = {"mean": float(height.mean()), "added": float((height - raw).mean())}
    return Trace(grid, height, marks=marks)


@curve(
    title="Interpolated precision by recall",
    task="ranking",
    needs="order",
    x_label="Recall",
    y_label="Interpolated precision",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    is_on_request=True,
    cite=MANNING,
    grid=recalls,
    judges=answering,
    trace=_trace,
    check=level_limits,
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


@curve(
    title="Raw precision by recall",
    task="ranking",
    needs="order",
    x_label="Recall",
    y_label="Precision",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=False,
    is_on_request=True,
    cite=MANNING,
    grid=recalls,
    judges=answering,
    check=level_limits,
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
