"""Retrieval metrics by depth of the list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from reportgen.kernels import cumulative
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.ranked_lists import Lists, OrderedLists, Ties, cumulate_to_ranks, map_queries
from reportgen.kernels.sums import column_sums
from reportgen.metrics.curves.curve import Presentation, Trace, curve, find_peaks
from reportgen.metrics.lookup import check_range
from reportgen.metrics.retrieval.average_precision import fap
from reportgen.metrics.retrieval.counts import (
    SOURCES,
    NoRelevant,
    fill_no_relevant,
    safe_divide,
    success_at,
)
from reportgen.metrics.retrieval.gains import (
    JARVELIN,
    Discount,
    Gain,
    Ideal,
    check_gain,
    document_gain,
    ideal_judgements,
    rank_discount,
)
from reportgen.metrics.rows import Queries
from reportgen.metrics.statistic import Function, Scalar, adopt_parameters

STEPS = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000)
DEPTH = "rank k: results looked at"


def check_depth(**params: Scalar) -> str | None:
    """Describe an invalid last rank or shared parameter, or return None."""
    return check_range("k", params.get("k"), 1, STEPS[-1]) or check_gain(**params)


def rank_grid(rows: Queries, weight: Vector, *, k: int, **_: Any) -> Vector:
    """Return the ranks of a curve: down to k, or to the end of the longest list."""
    deepest = rows.lists.judgements.deepest
    last = min(k, max(deepest, 1)) if deepest is not None else k
    return np.array([*(step for step in STEPS if step < last), last], dtype=np.float64)


def count_long_lists(rows: Queries, weight: Vector, grid: Vector, **_: Any) -> Vector:
    """Return how many lists have at least as many documents, (g,)."""
    size = np.sort(np.diff(rows.lists.start)[weight > 0])
    return np.asarray(len(size) - np.searchsorted(size, grid, side="left"), dtype=np.float64)


def count_answering_queries(
    rows: Queries, *, no_relevant: NoRelevant = "zero", relevant: float | None = None, **_: Any
) -> int:
    """Count the queries of the mean: those with anything to find, where others are left out."""
    judged = rows.lists.judgements
    if no_relevant != "skip":
        return len(judged)
    return int(
        np.count_nonzero(
            judged.positive_grade_counts if relevant is None else judged.count_relevant(relevant)
        )
    )


def mean_over_queries(
    rows: Queries, batch: Batch, key: tuple[object, ...], make: Callable[[Lists], Matrix]
) -> Matrix:
    """Weighted means of what `make` says of each query, (n, g) of lists, made once: (b, g).

    A query whose numbers are nan is left out, whatever its weight.
    """
    return average_query_values(rows, batch, key, lambda: map_queries(make, rows.lists))


def average_query_values(
    rows: Queries, batch: Batch, key: tuple[object, ...], make: Callable[[], Matrix]
) -> Matrix:
    """Compute the same means from numbers of all queries, (n, g)."""

    def columns() -> tuple[list[Vector], bool]:
        values = make()
        is_out = np.asarray(np.isnan(values).any(axis=1))
        kept = np.asfortranarray(np.where(is_out[:, None], 0.0, values))
        return [*kept.T, (~is_out).astype(np.float64)], bool(is_out.any())

    found, has_gaps = rows.once(f"by query {key}", columns)
    sums = column_sums(batch, found if has_gaps else found[:-1])
    above, below = (sums[:, :-1], sums[:, -1:]) if has_gaps else (sums, batch.totals[:, None])
    return cumulative.divide(above, below)


def depth_curve(title: str, **about: Any) -> Callable[[Callable[..., Matrix]], Function]:
    """Register f(lists, grid, **params) -> (n, g), the measure of that title at each rank."""
    return partial(_register, title, about)


def _register(title: str, about: dict[str, Any], measure: Callable[..., Matrix]) -> Any:
    def curve_by_depth(
        rows: Queries, batch: Batch, grid: Vector, *, k: int = 50, **params: Any
    ) -> Matrix:
        key = (measure.__name__, *grid, *params.values())
        return mean_over_queries(rows, batch, key, partial(measure, grid=grid, **params))

    adopt_parameters(curve_by_depth, measure, curve_by_depth, measure)
    shown = Presentation(
        title=f"{title} by depth",
        x_label=DEPTH,
        y_label=about.pop("height"),
        reading=about.pop("reading"),
        place=about.pop("place"),
        has_markers=True,
        is_compared=True,
        is_paired=True,
        difference="Above zero the candidate is better at that depth.",
        stretch="ranks",
        is_detail=about.pop("is_detail", False),
        noted={"peak": "highest at k"} if about.get("has_peak") else {},
    )
    shared: dict[str, Any] = {
        "title": f"{title} by depth",
        "task": "ranking",
        "needs": "order",
        "x_label": "Rank",
        "y_label": title,
        "x_unit": "1",
        "y_unit": "share",
        "bounds": (0.0, 1.0),
        "cite": SOURCES,
        "is_monotone": False,
        "grid": rank_grid,
        "thin": count_long_lists,
        "check": check_depth,
        "judges": count_answering_queries,
    }
    if about.get("has_peak"):
        about["trace"] = partial(_trace_with_peak, curve_by_depth)
    curve(shown=shown, **{**shared, **about})(curve_by_depth)
    return curve_by_depth


def _trace_with_peak(
    height_of: Callable[..., Matrix], rows: Queries, weight: Vector, **params: Any
) -> Trace:
    """Return the curve, and the cut-off at which it is highest."""
    grid = rank_grid(rows, weight, **params)
    height = height_of(rows, Batch.from_weights(weight), grid, **params)[0]
    return Trace(grid, height, marks={"peak": float(find_peaks(grid, height[None])[0])})


@depth_curve(
    "nDCG",
    cite=JARVELIN,
    height="nDCG of the first k",
    y_unit="1",
    place=10,
    reading="How much of the best possible value the first k results hold, the first counting "
    "most, as a mean over all rows.",
)
def ndcg_at_k(
    lists: Lists,
    grid: Vector,
    *,
    gain: Gain = "linear",
    base: float = 2.0,
    discount: Discount = "standard",
    ideal: Ideal = "judged",
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Matrix:
    """Mean nDCG of the first documents, at each rank to cut at."""
    found = lists.order_documents(ties)
    judged = ideal_judgements(found, ideal)
    own = found.group_means(document_gain(found.grade, gain)) * rank_discount(
        found.rank, base, discount
    )
    best = document_gain(judged.grade, gain) * rank_discount(judged.rank, base, discount)
    held = cumulate_to_ranks(found.query, found.rank, own, len(found), grid)
    most = cumulate_to_ranks(judged.query, judged.rank, best, len(judged), grid)
    return fill_no_relevant(
        np.minimum(safe_divide(held, most), 1.0),
        found.judgements.positive_grade_counts,
        no_relevant,
    )


def _hits(found: OrderedLists, relevant: float, grid: Vector) -> Matrix:
    """Compute the expected number of relevant documents down to each rank, (n, g)."""
    chance = found.group_means(found.grade >= relevant)
    return cumulate_to_ranks(found.query, found.rank, chance, len(found), grid)


@depth_curve(
    "Recall",
    height="recall of the first k",
    place=20,
    is_monotone=True,
    reading="What share of the relevant documents stands among the first k results, as a mean over "
    "rows.",
)
def recall_at_k(
    lists: Lists,
    grid: Vector,
    *,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Matrix:
    """Mean share of the relevant documents found, at each rank to cut at."""
    found, total = lists.order_documents(ties), lists.judgements.count_relevant(relevant)
    return fill_no_relevant(
        safe_divide(_hits(found, relevant, grid), total[:, None]), total, no_relevant
    )


@depth_curve(
    "Precision",
    height="precision of the first k",
    place=40,
    is_detail=True,
    reading="What share of the first k results is relevant, as a mean over all rows; a list that "
    "is shorter lacks the rest.",
)
def precision_at_k(
    lists: Lists,
    grid: Vector,
    *,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Matrix:
    """Mean share of relevant documents, at each rank to cut at."""
    found, total = lists.order_documents(ties), lists.judgements.count_relevant(relevant)
    return fill_no_relevant(_hits(found, relevant, grid) / grid, total, no_relevant)


@depth_curve(
    "F",
    height="F of the first k",
    place=50,
    is_on_request=True,
    has_peak=True,
    reading="How well the first k results hold the relevant documents and little else, as a mean "
    "over all rows. Where it is highest lies the best cut-off.",
)
def f_at_k(
    lists: Lists,
    grid: Vector,
    *,
    beta: float = 1.0,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Matrix:
    """Mean harmonic mean of precision and recall, at each rank to cut at."""
    found, total = lists.order_documents(ties), lists.judgements.count_relevant(relevant)
    hits = (1 + beta**2) * _hits(found, relevant, grid)
    return fill_no_relevant(safe_divide(hits, beta**2 * total[:, None] + grid), total, no_relevant)


@depth_curve(
    "FAP",
    height="FAP of the first k",
    place=55,
    is_on_request=True,
    has_peak=True,
    reading="How well the first k results hold the relevant documents and little else, and those "
    "first, as a mean over all rows. Where it is highest lies the best cut-off.",
)
def fap_at_k(
    lists: Lists,
    grid: Vector,
    *,
    beta: float = 1.0,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Matrix:
    """Mean harmonic mean of F and average precision, at each rank to cut at."""
    of = {"beta": beta, "relevant": relevant, "ties": ties, "no_relevant": no_relevant}
    each = [fap(lists, k=int(rank), **of) for rank in grid]
    return np.column_stack(each)


@depth_curve(
    "Success",
    height="share with anything relevant",
    place=30,
    is_monotone=True,
    is_on_request=True,
    reading="The share of rows that have a relevant document among the first k results.",
)
def success_at_k(
    lists: Lists,
    grid: Vector,
    *,
    relevant: float = 1.0,
    ties: Ties = "expected",
    no_relevant: NoRelevant = "skip",
) -> Matrix:
    """Share of queries with a relevant document among the first, at each rank to cut at."""
    of = {"relevant": relevant, "ties": ties, "no_relevant": no_relevant}
    each = [success_at(lists, k=int(rank), **of) for rank in grid]
    return np.column_stack(each)


@depth_curve(
    "Share judged",
    height="share of the first k that was judged",
    place=60,
    is_on_request=True,
    reading="What share of the first k results anybody has judged, as a mean over all rows: how "
    "far down the other numbers can be trusted.",
)
def judged_at_k(lists: Lists, grid: Vector, *, ties: Ties = "expected") -> Matrix:
    """Mean share of documents that were judged, at each rank to cut at."""
    found = lists.order_documents(ties)
    own = found.group_means(found.is_judged)
    return cumulate_to_ranks(found.query, found.rank, own, len(found), grid) / grid
