"""Rules that raise a coded warning from numbers; each has its limit, and no text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, sqrt

import numpy as np
from scipy import special

from reportgen.analysis.heavy_tails import (
    hill_upper_bound as hill_upper_bound,
)
from reportgen.analysis.heavy_tails import (
    warn_heavy_tail as warn_heavy_tail,
)
from reportgen.inference.analytic_intervals import has_ten_of_either
from reportgen.inference.intervals import monte_carlo_error
from reportgen.inference.resampled_intervals import (
    bca_acceleration,
    bca_bias_correction,
    bca_quantile_levels,
    count_needed_replicates,
)
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution, WeightBalance
from reportgen.kernels.batch import Column, Index, Vector
from reportgen.metrics.metric import Metric
from reportgen.results.types import RaisedWarning, Scalar

LAGS, NOTABLE = 10, 0.1
CHANCE, CHANCE_OF_ALL = 0.001, 0.05  # of a false alarm: of one measure, of a report


def warn_autocorrelation(losses: Vector, checks: int = 1) -> RaisedWarning | None:
    """W111: losses in their given order resemble those up to ten rows before.

    An autocorrelation is over 0.1, and that of the ranks at the same lag is, among ten lags, due to
    chance once in a thousand, or so seldom that `checks` of them together are in 5 %. Chance does
    the same to the ranks of every distribution; two wild losses near each other say little.
    """
    n = len(losses)
    if n <= 3 * LAGS or float(np.ptp(losses)) <= 1e-12 * float(np.max(np.abs(losses))):
        return None
    each = _autocorrelations(losses)
    if not np.any(np.abs(each) > NOTABLE):
        return None  # whatever their ranks say, which take a sort of all
    of_ranks = _autocorrelations(_mid_ranks(losses))
    chance = min(CHANCE, CHANCE_OF_ALL / checks)
    limit = float(special.ndtri(1 - chance / (2 * LAGS))) / sqrt(n)
    told = (np.abs(each) > NOTABLE) & (np.abs(of_ranks) > limit)
    if not told.any():
        return None
    lag = int(np.argmax(np.where(told, np.abs(each), 0.0)))
    return RaisedWarning("W111", {"lag": lag + 1, "autocorrelation": float(each[lag]), "n": n})


def _autocorrelations(values: Vector) -> Vector:
    """Those at one to ten rows' distance, shape (10,)."""
    centred = values - values.mean()
    own = float(centred @ centred)
    return np.array([float(centred[k:] @ centred[:-k]) / own for k in range(1, LAGS + 1)])


def _mid_ranks(values: Vector) -> Vector:
    """Return the rank of each value, that of a tie the mean of its ranks."""
    column = Column(values)
    ends = np.flatnonzero(column.is_last) + 1.0
    middle: Vector = (np.append(0.0, ends[:-1]) + ends) / 2
    return middle[column.group]


TIED_PAIRS, MODE = 0.01, 0.05
FEW_SCORES = 20  # different ones
FEW_PAYERS = 30  # that pay the larger cost of a loss
BIAS, SKEW = 0.25, 0.1
DEGENERATE = 0.01
FEW_CLUSTERS, DOMINATING = 20, 0.2
REPEATED = 0.05
MONTE_CARLO = 0.1
SHARE_METHODS = ("wilson", "clopper-pearson", "newcombe")
"""Intervals that have a width where no resample varies."""


ValueRule = Callable[[SamplingDistribution, Interval], RaisedWarning | None]
VALUE_RULES: list[ValueRule] = []


def register_value_rule(rule: ValueRule) -> ValueRule:
    """Register a rule about one value and its limits, applied to every model on every metric."""
    VALUE_RULES.append(rule)
    return rule


def warn_ties(values: Vector) -> RaisedWarning | None:
    """W102: over 1 % of the pairs of rows are equal, or one value has over 5 % of the rows."""
    distinct, times = np.unique(values, return_counts=True)
    n = len(values)
    if n < 2:
        return None
    tied = float(np.sum(times * (times - 1.0)) / (n * (n - 1.0)))
    top = int(np.argmax(times))
    # One row is over 5 % of few rows, and no tie.
    share = float(times[top] / n) if times[top] > 1 else 0.0
    if tied <= TIED_PAIRS and share <= MODE:
        return None
    return RaisedWarning(
        "W102", {"share_pairs": tied, "mode": float(distinct[top]), "mode_share": share}
    )


def warn_few_scores(distinct: int) -> RaisedWarning | None:
    """W118: fewer than 20 different scores, so that few thresholds tell anything apart."""
    if distinct >= FEW_SCORES:
        return None
    return RaisedWarning("W118", {"distinct": distinct, "few": FEW_SCORES})


def warn_few_costly_errors(payers: int, units: int) -> RaisedWarning | None:
    """W140: under 30 units pay the larger side of a loss."""
    if payers >= FEW_PAYERS:
        return None
    return RaisedWarning("W140", {"payers": payers, "units": units, "few": FEW_PAYERS})


@register_value_rule
def warn_degenerate_replicates(
    evidence: SamplingDistribution, found: Interval
) -> RaisedWarning | None:
    """W105: over 1 % of the replicates do not exist, but some do.

    Where none does there is no interval to doubt, and the estimate says why; nor is there one of
    few rows of a class.
    """
    drawn = len(evidence.replicates)
    missing = drawn - len(evidence.finite)
    if missing == drawn or missing / drawn <= DEGENERATE or evidence.is_of_few_in_a_class:
        return None
    return RaisedWarning(
        "W105", {"missing": missing, "replicates": drawn, "share": missing / drawn}
    )


def warn_few_clusters(weights: Vector) -> RaisedWarning | None:
    """W106: under 20 clusters that weigh anything, or one with over 20 % of the weight.

    `weights` is one a cluster.

    With under 10 there is no p-value (`has_no_p`).
    """
    weights = weights[weights > 0]
    total = float(weights.sum())
    largest = float(weights.max() / total) if total > 0 else 1.0
    if len(weights) >= FEW_CLUSTERS and largest <= DOMINATING:
        return None
    numbers = {"clusters": len(weights), "largest_share": largest}
    return RaisedWarning("W106", {**numbers, "has_no_p": len(weights) < 10})


def warn_uneven_weights(found: WeightBalance) -> RaisedWarning | None:
    """W130: under 100 effective units and under half of all, or one with over 20 % of the weight.

    Of fewer than 15 units, with over three times its even share.
    """
    if not found.is_uneven:
        return None
    numbers = {"effective": found.effective, "units": found.units}
    return RaisedWarning("W130", {**numbers, "largest_share": found.largest})


def warn_repeated_units(code: Index) -> RaisedWarning | None:
    """W107: over 5 % of the rows share the code of a unit with another row.

    Under 20 units the code stands for groups, such as regions, and not for what was sampled.
    """
    return warn_repeated_unit_counts(np.unique(code, return_counts=True)[1])


def warn_repeated_unit_counts(times: Index) -> RaisedWarning | None:
    """Return W107 as `warn_repeated_units` does, from how many rows each unit has."""
    n = int(times.sum())
    share = float(times[times > 1].sum() / max(n, 1))
    if share <= REPEATED or len(times) < FEW_CLUSTERS:
        return None
    numbers = {"share": share, "largest": int(times.max()), "units": len(times)}
    return RaisedWarning("W107", {**numbers, "n": n})


@register_value_rule
def warn_at_bound(evidence: SamplingDistribution, found: Interval) -> RaisedWarning | None:
    """W108: the estimate lies on the end of its range, and not by being cut off there.

    `exact_low` or `exact_high` is the limit on the other side, `rule_of_three` is 3/n, the
    classic answer for a share of n independent rows or clusters.
    """
    if evidence.is_difference or evidence.value not in evidence.bounds:
        return None
    if evidence.estimand.is_cut_off:
        return None  # chance alone puts half of the right models there
    if found.method in SHARE_METHODS and found.width > 0 and evidence.estimand.of != "mean":
        return None  # its limits are those of a share, which say what chance leaves
    is_low = evidence.value == evidence.bounds[0]
    limit = found.high if is_low else found.low
    name = "exact_high" if is_low else "exact_low"
    exact = {name: limit} if found.method in ("exact-bound", "wilson") else {}
    n = min(evidence.trials or evidence.n, evidence.independent)
    three = min(3 / n, 1.0) if n else None
    return RaisedWarning("W108", {"bound": evidence.value, "rule_of_three": three, **exact})


def warn_no_variance(
    evidence: SamplingDistribution, found: Interval, is_same_score: bool
) -> RaisedWarning | None:
    """W109: a difference without limits, since nothing changes it, as of the same model twice.

    `same_rows` is the number of rows where the scores are equal on all of them, else it is `n`.
    """
    if found.is_defined or not evidence.is_difference or not np.isfinite(evidence.value):
        return None
    spreads = (evidence.bootstrap_se, evidence.influence_se)
    known = [spread for spread in spreads if np.isfinite(spread)]
    if not known or max(known) > evidence.rounding:
        return None
    rows = "same_rows" if is_same_score else "n"
    return RaisedWarning("W109", {"difference": evidence.value, rows: evidence.n})


@register_value_rule
def warn_imprecise_limits(evidence: SamplingDistribution, found: Interval) -> RaisedWarning | None:
    """W112: the Monte-Carlo error of a limit is over 10 % of the interval's width."""
    error = monte_carlo_error(evidence, found)
    if not found.is_defined or error <= MONTE_CARLO * found.width:
        return None
    numbers = {"share": error / found.width, "error": error, "width": found.width}
    return RaisedWarning("W112", {**numbers, "replicates": _count_finite_replicates(evidence)})


@register_value_rule
def warn_unusable_bca(evidence: SamplingDistribution, found: Interval) -> RaisedWarning | None:
    """W104: BCa corrects too much (|z0| > .25, |a| > .1) or past the last replicate."""
    if found.method != "bca" or not evidence.has_replicates:
        return None
    z0, a = bca_bias_correction(evidence), bca_acceleration(evidence) or 0.0
    places, drawn = bca_quantile_levels(evidence, found.level), len(evidence.finite)
    is_past = places is None or places[0] * (drawn + 1) < 1 or places[1] * (drawn + 1) > drawn
    if abs(z0) <= BIAS and abs(a) <= SKEW and not is_past:
        return None
    finite = z0 if np.isfinite(z0) else None
    return RaisedWarning("W104", {"z0": finite, "acceleration": a, "is_past_replicates": is_past})


def warn_few_replicates_for_family(
    replicates: int, comparisons: int, level: float, tails: int, family: str
) -> RaisedWarning | None:
    """W114: so few replicates that no p-value or limit reaches the level shared by a family.

    B replicates give no p-value below 1/(B + 1), and no limit beyond their first and last;
    `tails` is 1 for the former, 2 for the latter, 0 where nothing is counted.
    """
    needed = count_needed_replicates(tails * comparisons, level)
    if replicates >= needed:
        return None
    numbers = {"replicates": replicates, "needed": needed, "comparisons": comparisons}
    return RaisedWarning("W114", {**numbers, "family": family})


def warn_too_close_to_call(
    evidence: SamplingDistribution, found: Interval, margin: float | None
) -> RaisedWarning | None:
    """W113: a limit is within Monte-Carlo error (95 %) of zero or of the margin.

    Other seeds could then give another verdict.
    """
    error = monte_carlo_error(evidence, found)
    if not found.is_defined or error == 0:
        return None
    lines = (0.0,) if margin is None else (0.0, -margin, margin)
    distance = min(abs(limit - line) for limit in (found.low, found.high) for line in lines)
    if distance > 1.96 * error:
        return None
    return RaisedWarning(
        "W113",
        {"distance": distance, "error": error, "replicates": _count_finite_replicates(evidence)},
    )


def _count_finite_replicates(evidence: SamplingDistribution) -> int:
    return len(evidence.finite)


FEW_OF_A_CLASS, TOO_FEW_OF_A_CLASS = 30, 10
FEW_ROWS_FOR_MAXIMUM = 200  # of a class, whose best threshold flatters the height there
FEW_ROWS_OF_ANY_CLASS = (
    15  # of a class, for measures that ask for none; or that decide a difference
)
FEW = 10  # rows of a class in a window, or that decide on calls
CHANCE_OF_PAIRS = 0.5
METHODS_FOR_FEW_ROWS = (
    "wilson",
    "clopper-pearson",
    "newcombe",
    "tango",
    "exact-bound",
    "exact-share",
)
"""Intervals that are made for few rows of a kind."""


def warn_few_rows_of_class(
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


def warn_few_rows_of_any_class(
    positives: int, negatives: int, worth: tuple[float, float] | None = None
) -> RaisedWarning | None:
    """W101 of a measure that asks for no classes, where under 15 rows are of one of two.

    Those rows hold most of a loss. With 10 positives limits of the Brier score, of the slope of
    calibration and of the net benefit held in 86 to 90 of 100 samples, with 20 in 93 to 96. A gate
    may still rest on it.
    """
    found = warn_few_rows_of_class(positives, negatives, FEW_ROWS_OF_ANY_CLASS, worth)
    return found and RaisedWarning("W101", {**found.numbers, "is_too_few": False})


def compute_fewest_rows_of_class(evidence: SamplingDistribution) -> int:
    """Rows of the rarer class from which limits hold: 30, and 200 of the best of many.

    Resamples show half of what chance adds to a maximum, so that its limits lie too high: those of
    the Kolmogorov–Smirnov distance held in 81 to 91 of 100 samples with 20 to 50 positives.
    """
    return FEW_ROWS_FOR_MAXIMUM if is_chosen_maximum(evidence) else FEW_OF_A_CLASS


def is_chosen_maximum(evidence: SamplingDistribution) -> bool:
    """Return whether it is the best of many places, by more than is known from a fit."""
    return evidence.estimand.interval == "debiased-se" and evidence.bias is None


def warn_few_rows_in_window(
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


def warn_few_rows_at_end(
    positives: int, negatives: int, evidence: SamplingDistribution
) -> RaisedWarning | None:
    """W101: under 10 rows of a class among those that a share of rows at an end is one of.

    Only of clusters: rows have exact limits there. Where of 60 rows at the top in 30 clusters 97%
    were positive, limits from resamples held in 80 of 100 samples.
    """
    is_asked = evidence.estimand.is_of_rows_at_an_end and evidence.is_clustered
    if not is_asked or not evidence.portions:
        return None
    (share, trials), *_ = evidence.portions
    if has_ten_of_either(share, trials):
        return None
    numbers = {"count": min(positives, negatives), "positives": positives, "negatives": negatives}
    inside = floor(trials * min(share, 1 - share) + 1e-9)  # 10 of 20 rows are 10
    return RaisedWarning("W101", {**numbers, "in_bucket": inside, "is_too_few": False})


def warn_few_deciding_rows(
    found: Interval, rows: float, other: str | None = None
) -> RaisedWarning | None:
    """W101: under 10 rows decide what is made of calls, or under 15 the difference from `other`.

    Limits that are made for few rows, as of a share of rows, are left out. Where one of two models
    called about two of 2,500 rows, limits of the difference in the geometric mean of the two
    recalls held in 74 of 100 samples. Where more rows decide, limits held in 95 to 96.
    """
    enough = FEW if other is None else FEW_ROWS_OF_ANY_CLASS
    if not found.is_defined or found.method in METHODS_FOR_FEW_ROWS or not rows < enough:
        return None
    beside: dict[str, Scalar] = {} if other is None else {"other": other}
    return RaisedWarning("W101", {"deciding": round(rows), "is_too_few": False, **beside})


def add_class_and_point(
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


def warn_below_chance(evidence: SamplingDistribution, found: Interval) -> RaisedWarning | None:
    """W124: the interval of a share of pairs of two classes lies wholly below one half.

    It is asked of what is known to be about two classes.
    """
    kind = evidence.estimand
    if (kind.of, kind.scale) != ("pairs", "share"):
        return None
    if not found.is_defined or not found.high < CHANCE_OF_PAIRS:
        return None
    return RaisedWarning("W124", {"value": evidence.value, "high": found.high})


SKEW_LIMIT = 0.125  # standard errors that the resamples may lie to one side of the value
CENTERED_METHODS = ("bca", "debiased-se", "wilson", "clopper-pearson", "newcombe")
"""Intervals whose limits allow for it, or need not."""


def warn_skewed_by_weights(
    evidence: SamplingDistribution, found: Interval, is_weighted: bool, is_of_classes: bool
) -> RaisedWarning | None:
    """W127: under weights resamples lie over an eighth of a standard error to one side of a value.

    Few rows of the class that weighs more then decide. Where 200 of 400 rows are positive and are
    weighted to 1%, limits of the average precision held in 50 of 100 samples, and the resamples
    leant by half a standard error; weighted to 20% by a tenth, and 95 held.
    """
    if not (is_weighted and is_of_classes) or found.method in CENTERED_METHODS:
        return None
    drawn = evidence.finite
    if not evidence.has_replicates or not evidence.bootstrap_se > 0:
        return None
    leans = float(np.mean(drawn) - evidence.value) / evidence.bootstrap_se
    if abs(leans) <= max(SKEW_LIMIT, 2 / sqrt(len(drawn))):
        return None
    return RaisedWarning("W127", {"leans": abs(leans)})
