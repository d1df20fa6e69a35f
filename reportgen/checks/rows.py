"""Checks of columns, units, segments and classes of rows."""

from __future__ import annotations

from math import floor

import numpy as np

from reportgen.checks.check import UNSEEN, Numbers, Read, Subject, check
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution, WeightBalance
from reportgen.kernels.batch import Index, Vector
from reportgen.records import record
from reportgen.results.types import Counted, Scalar

METHODS_FOR_FEW_ROWS = (
    "wilson",
    "clopper-pearson",
    "newcombe",
    "tango",
    "exact-bound",
    "exact-share",
)
"""Intervals that are made for few rows of a kind."""


class ColumnSubject(Subject):
    """A column of values to rank by; of two classes how many scores differ, of how many rows.

    `sampled_from` is the number of rows that the values are a sample of; 0 where they are all.
    """

    what: str = ""
    values: Read[Vector] = UNSEEN
    distinct: Read[int] = UNSEEN
    rows: Read[int] = UNSEEN
    sampled_from: int = 0


class UnitColumnSubject(Subject):
    """A column that names units: the rows of each, and all rows if some units are not counted."""

    what: str
    times: Read[Index] = UNSEEN
    all_rows: int = 0


class SegmentSubject(Subject):
    """The rows of a segment: the weight of each cluster, and the balance of weights."""

    cluster_weights: Read[Vector] = UNSEEN
    balance: Read[WeightBalance] = UNSEEN
    unit_kind: Counted = "row"


class ClassRowsSubject(Subject):
    """The rows of two classes, or those that decide a measure of calls."""

    class_rows: ClassRows | DecidingRows | None


class ClassSubject(Subject):
    """A class by its value, and the share of resamples that lack it."""

    value: str
    absence: float


@check("W102", ColumnSubject)
def find_ties(
    values: Vector, what: str, sampled_from: int = 0, *, pairs: float, mode: float
) -> Numbers | None:
    """Find many pairs of rows with equal values, or one value that many rows have."""
    distinct, times = np.unique(values, return_counts=True)
    n = len(values)
    if n < 2:
        return None
    tied = float(np.sum(times * (times - 1.0)) / (n * (n - 1.0)))
    top = int(np.argmax(times))
    # One row is over 5 % of few rows, and no tie.
    share = float(times[top] / n) if times[top] > 1 else 0.0
    if tied <= pairs and share <= mode:
        return None
    sampled = {"sampled": n} if n < sampled_from else {}
    mode_of: Numbers = {"mode": float(distinct[top]), "mode_share": share}
    return {"share_pairs": tied, **mode_of, "what": what, **sampled}


@check("W118", ColumnSubject)
def find_few_scores(distinct: int, rows: int, *, fewest: int) -> Numbers | None:
    """Find few distinct scores, which leave few thresholds: not if few rows are why."""
    if distinct >= fewest or 2 * distinct > rows > 1:
        return None
    return {"distinct": distinct, "few": fewest}


@check("W107", UnitColumnSubject)
def find_repeated_units(
    times: Index, all_rows: int, what: str, *, share: float, fewest_units: int
) -> Numbers | None:
    """Find many rows that share their unit with another row.

    Few units stand for groups, such as regions, and not for what was sampled. Of very many units
    only some are counted.
    """
    n = int(times.sum())
    repeated = float(times[times > 1].sum() / max(n, 1))
    if repeated <= share or len(times) < fewest_units:
        return None
    if all_rows:
        return {"share": repeated, "n": all_rows, "what": what}
    numbers = {"share": repeated, "largest": int(times.max()), "units": len(times)}
    return {**numbers, "n": n, "what": what}


@check("W106", SegmentSubject)
def find_few_clusters(
    cluster_weights: Vector, *, fewest: int, largest: float, fewest_for_p: int
) -> Numbers | None:
    """Find few clusters that have weight, or one that holds much of it."""
    weights = cluster_weights[cluster_weights > 0]
    total = float(weights.sum())
    share = float(weights.max() / total) if total > 0 else 1.0
    if len(weights) >= fewest and share <= largest:
        return None
    numbers = {"clusters": len(weights), "largest_share": share}
    return {**numbers, "has_no_p": len(weights) < fewest_for_p}


@check("W130", SegmentSubject)
def find_uneven_weights(balance: WeightBalance, unit_kind: Counted) -> Numbers | None:
    """Find few effective units among many, or one unit with much of the weight."""
    if not balance.is_uneven:
        return None
    numbers = {"effective": balance.effective, "units": balance.units}
    return {**numbers, "largest_share": balance.largest, "counted": unit_kind}


@record(eq=False)
class ClassRows:
    """The rows of two classes that a measure rests on.

    `worth` is how many equally weighted rows those of each class are worth, where that decides;
    `clusters` is how many clusters have any, where the measure is the best of many places.
    `window` is the share of each class that it looks at, and `evidence` its value of rows at an end
    in clusters. A measure that `is_of_any` asks for no classes. `names` are those of the classes,
    `value` that of the first where it is one of several, `at` an operating point.
    """

    positives: int
    negatives: int
    worth: tuple[float, float] | None = None
    clusters: tuple[int, int] | None = None
    window: tuple[float, float] = (1.0, 1.0)
    evidence: SamplingDistribution | None = None
    is_of_any: bool = False
    is_maximum: bool = False
    names: tuple[str, str] | None = None
    at: str = ""
    value: str = ""


@record(eq=False)
class DecidingRows:
    """The rows that decide a measure of calls, or its difference from another model."""

    interval: Interval
    rows: float
    other: str = ""


@check("W101", ClassRowsSubject)
def find_few_rows_of_class(
    class_rows: ClassRows | DecidingRows,
    *,
    fewest: int,
    gate: int,
    any_measure: int,
    maximum: int,
    window: int,
) -> Numbers | None:
    """Find few rows of a class, or few that decide.

    Under `gate` no gate may rest on them. A measure that asks for no classes needs fewer: with
    10 positives limits of the Brier score held in 86 to 90 of 100 samples, with 20 in 93 to 96.
    The best of many places needs more, as resamples show half of what chance adds to a maximum:
    limits of the Kolmogorov–Smirnov distance held in 81 to 91 with 20 to 50 positives.
    """
    rows = class_rows
    if isinstance(rows, DecidingRows):
        return _find_few_deciding_rows(rows, any_measure if rows.other else window)
    least = any_measure if rows.is_of_any else maximum if rows.is_maximum else fewest
    numbers = _find_few_of_counts(rows, rows.worth, least, gate, "effective")
    if numbers is None and rows.clusters is not None:
        numbers = _find_few_of_counts(rows, rows.clusters, least, gate, "clusters")
    numbers = numbers or _find_few_in_window(rows, window) or _find_few_at_end(rows)
    if numbers is None:
        return None
    if rows.value:
        return {"count": numbers["count"], "is_too_few": numbers["is_too_few"], "class": rows.value}
    if rows.is_of_any:
        numbers["is_too_few"] = False
    if rows.names is not None and rows.positives != rows.negatives:
        numbers["class"] = rows.names[0 if numbers["count"] == rows.positives else 1]
    return numbers | ({"at": rows.at} if rows.at else {})


def _find_few_of_counts(
    rows: ClassRows, worth: tuple[float, float] | None, fewest: int, too_few: int, worth_in: str
) -> dict[str, Scalar] | None:
    """Find a class of which few rows decide; one without any leaves a measure undefined."""
    counts = rows.positives, rows.negatives
    decides = counts if worth is None else worth
    rarer = 0 if decides[0] <= decides[1] else 1
    if not 0 < decides[rarer] < fewest:
        return None
    numbers: dict[str, Scalar] = {
        "count": counts[rarer],
        "positives": rows.positives,
        "negatives": rows.negatives,
        "is_too_few": decides[rarer] < too_few,
    }
    decided = round(decides[rarer])
    return numbers | ({worth_in: decided} if decided < counts[rarer] else {})


def _find_few_in_window(rows: ClassRows, fewest: int) -> dict[str, Scalar] | None:
    """Find few rows of a class in the window that a measure rests on.

    Limits of the partial AUC up to 0.1 held in 89 of 100 samples with 50 negatives, 5 in it.
    """
    counts = (rows.positives, rows.negatives) if rows.worth is None else rows.worth
    held = counts[0] * rows.window[0], counts[1] * rows.window[1]
    if min(rows.window) >= 1 or min(held) >= fewest:
        return None
    return {**_count_rows(rows), "in_window": round(min(held)), "is_too_few": False}


def _find_few_at_end(rows: ClassRows) -> dict[str, Scalar] | None:
    """Find few rows of a class at an end of the scores, where a share is one of these.

    Only of clusters: rows have exact limits there. Where of 60 rows at the top in 30 clusters 97%
    were positive, limits from resamples held in 80 of 100 samples.
    """
    known = rows.evidence
    if known is None or not (known.estimand.is_of_rows_at_an_end and known.is_clustered):
        return None
    # Imported here, since the names of warnings must not wait for SciPy.
    from reportgen.inference.analytic_intervals import has_ten_of_either

    if not known.portions or has_ten_of_either(*known.portions[0]):
        return None
    share, trials = known.portions[0]
    inside = floor(trials * min(share, 1 - share) + 1e-9)  # 10 of 20 rows are 10
    return {**_count_rows(rows), "in_bucket": inside, "is_too_few": False}


def _count_rows(rows: ClassRows) -> dict[str, Scalar]:
    fewer = min(rows.positives, rows.negatives)
    return {"count": fewer, "positives": rows.positives, "negatives": rows.negatives}


def _find_few_deciding_rows(rows: DecidingRows, fewest: int) -> Numbers | None:
    """Find few rows that decide a measure of calls, or its difference from another model.

    Limits that are made for few rows, as of a share of rows, are left out. Where one of two models
    called about two of 2,500 rows, limits of the difference in the geometric mean of the two
    recalls held in 74 of 100 samples. Where more rows decide, limits held in 95 to 96.
    """
    interval = rows.interval
    if not interval.is_defined or interval.method in METHODS_FOR_FEW_ROWS or not rows.rows < fewest:
        return None
    paired: Numbers = {"other": rows.other} if rows.other else {}
    return {"deciding": round(rows.rows), "is_too_few": False, **paired}


@check("W122", ClassSubject)
def find_resamples_without_class(value: str, absence: float, *, share: float) -> Numbers | None:
    """Find a class that some of the resamples lack."""
    return {"class": value, "share": absence} if absence > share else None


class QueriesSubject(Subject):
    """All queries, or those that a metric evaluates, and how many it leaves out."""

    evaluated: int
    left_out: int = 0


@check("W131", QueriesSubject)
def find_few_queries(evaluated: int, left_out: int, *, fewest: int) -> Numbers | None:
    """Find few queries, or few that a metric evaluates."""
    if evaluated >= fewest:
        return None
    return {"queries": evaluated, "few": fewest, **({"left_out": left_out} if left_out else {})}
