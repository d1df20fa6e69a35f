"""When a measure of two classes is to be doubted: few rows of one, or order upside down."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from reportgen.inference.analytic import has_ten_of_each
from reportgen.inference.evidence import Evidence, Interval
from reportgen.metrics.spec import Metric
from reportgen.results import Scalar
from reportgen.results.raised import RaisedWarning

FEW_OF_A_CLASS, TOO_FEW_OF_A_CLASS = 30, 10
FEW_FOR_A_MAXIMUM = 200  # of a class, whose best threshold flatters the height there
FEW_FOR_ANY = 15  # of a class, for measures that ask for none; or that decide a difference
FEW = 10  # rows of a class in a window, or that decide on calls
CHANCE_OF_PAIRS = 0.5
FOR_FEW_ROWS = ("wilson", "clopper-pearson", "newcombe", "tango", "exact-bound", "exact-share")
"""Intervals that are made for few rows of a kind."""


def few_of_a_class(
    positives: int,
    negatives: int,
    fewest: int = FEW_OF_A_CLASS,
    worth: tuple[float, float] | None = None,
    worth_in: str = "effective",
) -> RaisedWarning | None:
    """W101: under 30 rows of a class; under 10 (`is_too_few`) no gate may rest on it.

    `worth` is how many equally weighted rows those of each class are worth, or how many clusters
    have any, where that decides; `worth_in` says which.
    """
    counts = positives, negatives
    decides = counts if worth is None else worth
    rarer = 0 if decides[0] <= decides[1] else 1
    if not 0 < decides[rarer] < fewest:  # without any row of a class a measure does not exist
        return None
    numbers: dict[str, Scalar] = {
        "count": counts[rarer],
        "positives": positives,
        "negatives": negatives,
        "is_too_few": decides[rarer] < TOO_FEW_OF_A_CLASS,
    }
    decided = round(decides[rarer])
    return RaisedWarning("W101", numbers | ({worth_in: decided} if decided < counts[rarer] else {}))


def few_for_any(
    positives: int, negatives: int, worth: tuple[float, float] | None = None
) -> RaisedWarning | None:
    """W101 of a measure that asks for no classes, where under 15 rows are of one of two.

    Those rows hold most of a loss. With 10 positives limits of the Brier score, of the slope of
    calibration and of the net benefit held in 86 to 90 of 100 samples, with 20 in 93 to 96. A gate
    may still rest on it.
    """
    found = few_of_a_class(positives, negatives, FEW_FOR_ANY, worth)
    return found and RaisedWarning("W101", {**found.numbers, "is_too_few": False})


def fewest_of_a_class(evidence: Evidence) -> int:
    """Rows of the rarer class from which limits hold: 30, and 200 of the best of many.

    Resamples show half of what chance adds to a maximum, so that its limits lie too high: those of
    the Kolmogorov–Smirnov distance held in 81 to 91 of 100 samples with 20 to 50 positives.
    """
    return FEW_FOR_A_MAXIMUM if is_maximum(evidence) else FEW_OF_A_CLASS


def is_maximum(evidence: Evidence) -> bool:
    """Whether it is the best of many places, by more than is known from a fit."""
    return evidence.estimand.interval == "debiased-se" and evidence.bias is None


def few_in_window(
    positives: int,
    negatives: int,
    window: tuple[float, float],
    worth: tuple[float, float] | None = None,
) -> RaisedWarning | None:
    """W101: under 10 rows of a class in the window that a measure rests on.

    Limits of the partial AUC up to 0.1 held in 89 of 100 samples with 50 negatives, 5 in it.
    """
    rows = (positives, negatives) if worth is None else worth
    held = rows[0] * window[0], rows[1] * window[1]
    if min(window) >= 1 or min(held) >= FEW:
        return None
    numbers = {"count": min(positives, negatives), "positives": positives, "negatives": negatives}
    return RaisedWarning("W101", {**numbers, "in_window": round(min(held)), "is_too_few": False})


def few_at_an_end(positives: int, negatives: int, evidence: Evidence) -> RaisedWarning | None:
    """W101: under 10 rows of a class among those that a share of rows at an end is one of.

    Only of clusters: rows have exact limits there. Where of 60 rows at the top in 30 clusters 97%
    were positive, limits from resamples held in 80 of 100 samples.
    """
    is_asked = evidence.estimand.is_of_rows_at_an_end and evidence.is_clustered
    if not is_asked or not evidence.portions:
        return None
    (share, trials), *_ = evidence.portions
    if has_ten_of_each(share, trials):
        return None
    numbers = {"count": min(positives, negatives), "positives": positives, "negatives": negatives}
    inside = floor(trials * min(share, 1 - share) + 1e-9)  # 10 of 20 rows are 10
    return RaisedWarning("W101", {**numbers, "in_bucket": inside, "is_too_few": False})


def few_decide(found: Interval, rows: float, other: str | None = None) -> RaisedWarning | None:
    """W101: under 10 rows decide what is made of calls, or under 15 the difference from `other`.

    Limits that are made for few rows, as of a share of rows, are left out. Where one of two models
    called about two of 2,500 rows, limits of the difference in the geometric mean of the two
    recalls held in 74 of 100 samples. Where more rows decide, limits held in 95 to 96.
    """
    enough = FEW if other is None else FEW_FOR_ANY
    if not found.is_defined or found.method in FOR_FEW_ROWS or not rows < enough:
        return None
    beside: dict[str, Scalar] = {} if other is None else {"other": other}
    return RaisedWarning("W101", {"deciding": round(rows), "is_too_few": False, **beside})


def of_what(
    found: RaisedWarning | None, metric: Metric, labels: Sequence[str], upper: int
) -> RaisedWarning | None:
    """W101 with the class that has few rows, and the operating point of a measure of calls.

    No class is named where both have as many rows. `upper` is the place of the class that is told
    from the other of two; a measure of one class of several says itself of which.
    """
    if found is None:
        return None
    of, numbers = str(metric.params.get("of") or ""), dict(found.numbers)
    classes = (of, f"not {of}") if of else (labels[upper], labels[1 - upper])
    sizes = int(numbers["positives"] or 0), int(numbers["negatives"] or 0)
    if sizes[0] != sizes[1]:
        numbers["class"] = classes[sizes.index(int(numbers["count"] or 0))]
    if at := metric.params.get("at"):
        numbers["at"] = at
    return RaisedWarning(found.code, numbers)


def below_chance(evidence: Evidence, found: Interval) -> RaisedWarning | None:
    """W124: the interval of a share of pairs of two classes lies wholly below one half.

    It is asked of what is known to be about two classes.
    """
    kind = evidence.estimand
    if (kind.of, kind.scale) != ("pairs", "share"):
        return None
    if not found.is_defined or not found.high < CHANCE_OF_PAIRS:
        return None
    return RaisedWarning("W124", {"value": evidence.value, "high": found.high})
