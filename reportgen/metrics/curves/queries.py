"""Curves of ranked lists: by depth, precision by recall, and ROC, as means over queries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from reportgen.kernels import cumulative
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.ranked_lists import (
    SCORE_TOLERANCE,
    Lists,
    OrderedLists,
    Ties,
    cumulate_to_ranks,
    map_queries,
    sum_by_code,
)
from reportgen.kernels.sums import column_sums
from reportgen.kernels.tie_patterns import TiePatterns
from reportgen.metrics.curves.curve import Presentation, Trace, curve, find_peaks
from reportgen.metrics.lookup import check_range
from reportgen.metrics.retrieval.average_precision import (
    average_over_tie_orders,
    fap,
    interpolate_precision,
    query_auc,
)
from reportgen.metrics.retrieval.correlation import JudgedOrder
from reportgen.metrics.retrieval.counts import (
    MANNING,
    SOURCES,
    NoRelevant,
    check_list_parameters,
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
    """Register f(lists, grid, **params) -> (n, g), the measure of that title at each rank.

    It has the parameters of the metric that it is `like`, if any, besides its own.
    """
    return partial(_register, title, about)


def relevance_depth_curve(title: str, **about: Any) -> Callable[[Callable[..., Matrix]], Function]:
    """Register f(found, relevant, grid, **params) -> (n, g), of lists in order, at each rank.

    What all such measures take is added, and what a query without a relevant document counts.
    """
    return partial(_register_relevance, title, about)


def _register_relevance(title: str, about: dict[str, Any], measure: Callable[..., Matrix]) -> Any:
    def heights(
        lists: Lists,
        grid: Vector,
        *,
        relevant: float = 1.0,
        ties: Ties = "expected",
        no_relevant: NoRelevant = "skip",
        **params: Any,
    ) -> Matrix:
        found = lists.order_documents(ties)
        total = found.judgements.count_relevant(relevant)
        return fill_no_relevant(measure(found, relevant, grid, **params), total, no_relevant)

    adopt_parameters(heights, measure, measure, heights)
    return _register(title, about, heights)


def _register(title: str, about: dict[str, Any], measure: Callable[..., Matrix]) -> Any:
    def curve_by_depth(
        rows: Queries, batch: Batch, grid: Vector, *, k: int = 50, **params: Any
    ) -> Matrix:
        key = (measure.__name__, *grid, *params.values())
        return mean_over_queries(rows, batch, key, partial(measure, grid=grid, **params))

    like = about.pop("like", curve_by_depth)
    adopt_parameters(curve_by_depth, measure, like, curve_by_depth, measure)
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
    chance = found.compute_relevance_chances(relevant)
    return cumulate_to_ranks(found.query, found.rank, chance, len(found), grid)


@relevance_depth_curve(
    "Recall",
    height="recall of the first k",
    place=20,
    is_monotone=True,
    reading="What share of the relevant documents stands among the first k results, as a mean over "
    "rows.",
)
def recall_at_k(found: OrderedLists, relevant: float, grid: Vector) -> Matrix:
    """Mean share of the relevant documents found, at each rank to cut at."""
    total = found.judgements.count_relevant(relevant)
    return safe_divide(_hits(found, relevant, grid), total[:, None])


@relevance_depth_curve(
    "Precision",
    height="precision of the first k",
    place=40,
    is_detail=True,
    reading="What share of the first k results is relevant, as a mean over all rows; a list that "
    "is shorter lacks the rest.",
)
def precision_at_k(found: OrderedLists, relevant: float, grid: Vector) -> Matrix:
    """Mean share of relevant documents, at each rank to cut at."""
    return _hits(found, relevant, grid) / grid


@relevance_depth_curve(
    "F",
    height="F of the first k",
    place=50,
    is_on_request=True,
    has_peak=True,
    reading="How well the first k results hold the relevant documents and little else, as a mean "
    "over all rows. Where it is highest lies the best cut-off.",
)
def f_at_k(found: OrderedLists, relevant: float, grid: Vector, *, beta: float = 1.0) -> Matrix:
    """Mean harmonic mean of precision and recall, at each rank to cut at."""
    total = found.judgements.count_relevant(relevant)
    hits = (1 + beta**2) * _hits(found, relevant, grid)
    return safe_divide(hits, beta**2 * total[:, None] + grid)


@depth_curve(
    "FAP",
    like=fap,
    height="FAP of the first k",
    place=55,
    is_on_request=True,
    has_peak=True,
    reading="How well the first k results hold the relevant documents and little else, and those "
    "first, as a mean over all rows. Where it is highest lies the best cut-off.",
)
def fap_at_k(lists: Lists, grid: Vector, **params: Any) -> Matrix:
    """Mean harmonic mean of F and average precision, at each rank to cut at."""
    return np.column_stack([fap(lists, k=int(rank), **params) for rank in grid])


@depth_curve(
    "Success",
    like=success_at,
    height="share with anything relevant",
    place=30,
    is_monotone=True,
    is_on_request=True,
    reading="The share of rows that have a relevant document among the first k results.",
)
def success_at_k(lists: Lists, grid: Vector, **params: Any) -> Matrix:
    """Share of queries with a relevant document among the first, at each rank to cut at."""
    return np.column_stack([success_at(lists, k=int(rank), **params) for rank in grid])


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
        stretch="values of recall",
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
        stretch="values of recall",
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
    return int(np.count_nonzero(np.multiply(*judged.count_by_relevance(relevant))))


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
