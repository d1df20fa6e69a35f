"""Choose the interval of a value or difference, and fall back where a method fails."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, nan, sqrt
from typing import Literal

import numpy as np

from reportgen.inference import (
    analytic_intervals,
    differences,
    proportion_intervals,
    resampled_intervals,
)
from reportgen.inference.methods import (
    INTERVAL_METHODS,
    ONE_TAIL_METHODS,
    QUANTILE_METHODS,
    RESAMPLED_METHODS,
    SPREAD_METHODS,
    TWO_TAIL_METHODS,
)
from reportgen.inference.resampled_intervals import clip_interval, critical_value
from reportgen.inference.sampling_distribution import (
    Interval,
    Reason,
    RootDistribution,
    SamplingDistribution,
)
from reportgen.inference.sequential import Arrivals
from reportgen.metrics.traits import Estimand, Of, Scale

MethodRules = tuple[tuple[Scale | Literal[""], Of | Literal[""], tuple[str, ...]], ...]
"""Rules of (scale, what it is made of, methods); "" stands for any."""

VALUE_RULES: MethodRules = (
    # Heavy tails shrink its influence far more than the spread of its replicates.
    ("correlation", "means", ("symmetric-studentized", "fisher-z-se", "fisher-z")),
    ("correlation", "", ("fisher-z", "influence", "bca")),
    ("share", "weights", ("logit-influence", "wilson", "bca")),
    ("share", "", ("logit-influence", "bca")),
    ("positive", "cells", ("log-influence", "log-se")),
    ("positive", "", ("log-studentized", "log-se")),
    # Two squares, of the errors and of y, share their wild rows: the bootstrap-t misses by more.
    ("one minus positive", "", ("log-se",)),
    ("", "mean", ("studentized", "t", "bca")),
    ("", "pairs", ("influence", "bca")),
    ("", "", ("bca",)),
)
FORMULA_RULES: MethodRules = (
    ("positive", "", ("log-influence",)),
    ("one minus positive", "", ("log-influence",)),
    *VALUE_RULES,
)
DIFFERENCE_RULES: MethodRules = (
    # Of two shares of the same rows, by the rows that changed.
    ("share", "mean", ("tango",)),
    ("share", "cells", ("tango", "influence")),
    # Resamples of the few rows of a class repeat them; their signs are all that chance may turn.
    ("", "classes", ("multiplier", "influence")),
    ("one minus positive", "", ()),
    # Where few units differ, exact limits of the shares that do; else the t interval.
    ("", "mean", ("exact-share", "t")),
    ("", "pairs", ("influence",)),
    ("", "ranks", ("influence",)),
    ("", "cells", ("influence",)),
    # A few wild rows rule squares: their spread in each resample is part of the answer.
    ("", "means", ("symmetric-studentized",)),
    # Replicates of what hangs on an edge spread too far.
    ("", "", ("multiplier", "symmetric")),
)
TEST_RULES: MethodRules = (
    ("share", "mean", ("mcnemar", "bootstrap")),
    ("share", "cells", ("mcnemar", "influence")),
    ("", "cells", ("influence",)),
    ("", "classes", ("multiplier", "influence")),
    ("share", "pairs", ("delong", "influence")),
    ("correlation", "means", ("bootstrap-t", "bootstrap-z", "influence")),
    ("", "mean", ("t",)),
    ("", "pairs", ("influence",)),
    ("", "ranks", ("influence",)),
    ("", "means", ("bootstrap",)),
    ("", "", ("multiplier", "bootstrap")),
)


def select_methods(estimand: Estimand, rules: MethodRules) -> tuple[str, ...]:
    """Select the methods of the first rule that holds; for one model its own method goes first.

    >>> select_methods(Estimand("share", "pairs"), TEST_RULES)
    ('delong', 'influence')
    """
    found = next(
        methods
        for scale, of, methods in rules
        if scale in ("", estimand.scale) and of in ("", estimand.of)
    )
    is_of_one = rules is VALUE_RULES or rules is FORMULA_RULES
    return (estimand.interval, *found) if is_of_one and estimand.interval else found


LimitPair = tuple[float, float]


def transform_interval(found: Interval, line: tuple[float, float]) -> Interval:
    """Transform the interval of θ to that of level + slope · θ.

    >>> transform_interval(Interval(0.2, 0.6, 0.95, "t", 0.1), (0.5, -0.5)).low
    0.2
    """
    low, high = transform_limits((found.low, found.high), line)
    return replace(found, low=low, high=high, se=abs(line[1]) * found.se)


def transform_limits(limits: LimitPair, line: tuple[float, float]) -> LimitPair:
    """Limits of level + slope · θ from those of θ, the lower one first."""
    level, slope = line
    low, high = (level + slope * end for end in limits)
    return (low, high) if slope >= 0 else (high, low)


def decide_limits(own: LimitPair, by: LimitPair, slope: float) -> LimitPair:
    """Limits that leave zero out where the others do, and on the same side.

    `by` are the limits of the difference that decides, `slope` turns them into the unit of `own`.
    Where the two disagree, the limit next to zero is the one of theirs.

    >>> decide_limits((0.1, 0.9), (-2.0, 30.0), 0.02), decide_limits((-0.1, 0.9), (2.0, 30.0), 0.02)
    ((-0.04, 0.9), (0.04, 0.9))
    >>> decide_limits((0.1, 0.9), (3.0, 30.0), 0.02)
    (0.1, 0.9)
    """
    low, high = transform_limits(by, (0.0, slope))
    theirs, mine = find_decided_side((low, high)), find_decided_side(own)
    if theirs == mine:
        return own
    if theirs * mine < 0:
        return low, high
    if (theirs or mine) > 0:
        return low, max(own[1], low)
    return min(own[0], high), high


def find_decided_side(limits: LimitPair) -> int:
    """1 where zero is left out below, −1 above, 0 where it is not."""
    low, high = limits
    return int(low > 0) - int(high < 0)


def compute_basis_slope(basis: RootDistribution, value: float) -> float:
    """Compute the factor from a difference that decides to the unit of one with this value."""
    if basis.line is not None:
        return basis.line[1]
    by = basis.evidence.value
    return value / by if by and value * by * basis.sign > 0 else basis.sign


ANYTIME_METHOD = "anytime"
COARSE_METHOD = "few-units"
METHODS_FOR_FEW = (
    "t",
    "wilson",
    "clopper-pearson",
    "exact-bound",
    "exact-share",
)  # made for few units


def widen_if_few(evidence: SamplingDistribution, found: Interval, level: float) -> Interval:
    """Widen the interval by the coarse one where units are few and that one lies further out."""
    is_open = evidence.is_few and found.method not in METHODS_FOR_FEW and evidence.long_run is None
    wide = coarse_interval(evidence, level) if is_open else None
    if wide is None or (found.low <= wide.low and wide.high <= found.high):
        return found
    return replace(wide, low=min(found.low, wide.low), high=max(found.high, wide.high))


def coarse_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Return the value ± t times the larger standard error, by influence or replicates; or None.

    Degrees of freedom are the units, or blocks of them, less the strata, and never under one.
    """
    lost = evidence.units / max(evidence.units - evidence.strata, 1)
    spread = evidence.bootstrap_se * (1.0 if evidence.is_clustered else sqrt(lost))
    known = [se for se in (spread, evidence.mean_se) if isfinite(se)]
    se = max(known, default=0.0)
    if not se > evidence.rounding:
        return None
    df = max(min(evidence.unit_df, evidence.independent - evidence.strata), 1.0)
    half = critical_value(level, df) * se
    return clip_interval(
        evidence, evidence.value - half, evidence.value + half, level, COARSE_METHOD, se
    )


EXACT_METHOD = "clopper-pearson"
METHODS_IN_CLUSTERS = ("debiased-se", "logit-influence")  # of what is no mean, ratio or pair
METHODS_FOR_FEW_CHANGED = (
    "tango",
)  # of a difference between classes, whatever the smaller one's size
LAST_RESORTS = ("se", "percentile", "influence", "exact-bound")
POSITIVES_FOR_FORMULA = 50  # of the smaller class, for a difference between two models


def compute_interval(evidence: SamplingDistribution, method: str, level: float) -> Interval:
    """Limits at `level` by a named method, by `auto` or by `analytic` (a formula).

    The first that applies: the one asked for, those of `auto`, the bootstrap standard error,
    percentiles, influence, and the exact bound of a share at the end of its range. Where units are
    few it holds the coarse one too, whichever was asked for. Of a handful of rows of a class there
    is none that compares them with others. What is a function of something else has the limits of
    that, as far as they decide.
    """
    if not isfinite(evidence.value):
        return _make_undefined_interval(level, "undefined-value")
    if proportion_intervals.is_same_score(evidence):
        return _make_undefined_interval(level, "no-variation")
    if evidence.basis is not None:
        return _interval_by_basis(evidence, evidence.basis, method, level)
    if evidence.arrivals is not None:
        return _compute_anytime_interval(evidence, evidence.arrivals, level)
    if not (evidence.estimand.has_limits or evidence.is_difference):
        return _make_undefined_interval(level, "chance-adds")
    if evidence.folds is not None:
        of_folds = differences.corrected_t_interval(evidence, level)
        is_short = evidence.folds.df < 1
        return of_folds or _make_undefined_interval(
            level, "few-folds" if is_short else "no-variation"
        )
    if evidence.df < 1:
        # One cluster a stratum says nothing of how clusters differ, nor one effective row of rows.
        is_uneven = evidence.units - evidence.strata >= 1
        return _make_undefined_interval(level, "uneven-weights" if is_uneven else "few-clusters")
    if evidence.is_of_few_in_a_class:
        # At the end of its range the exact bound is honest whatever the number.
        return analytic_intervals.exact_bound_interval(evidence, level) or _make_undefined_interval(
            level, "few-of-a-class"
        )
    for name in _list_methods_to_try(evidence, method):
        found = INTERVAL_METHODS[name].compute(evidence, level)
        if found is not None:
            found = proportion_intervals.widen_for_few_changes(evidence, found, level)
            return _widen_by_binning(evidence, widen_if_few(evidence, found, level))
    if proportion_intervals.has_no_changed_row(evidence):
        return proportion_intervals.tango_interval(evidence, level) or _make_undefined_interval(
            level, "no-variation"
        )
    is_short = not evidence.has_replicates and evidence.influence is None
    return _make_undefined_interval(level, "few-replicates" if is_short else "no-variation")


def _compute_anytime_interval(
    evidence: SamplingDistribution, arrivals: Arrivals, level: float
) -> Interval:
    """Compute limits that hold at every analysis; they hold the value itself, too."""
    if arrivals.reason:
        return _make_undefined_interval(level, arrivals.reason)
    low, high = arrivals.compute_limits(level)
    low, high = min(low, evidence.value), max(high, evidence.value)
    return Interval(low, high, level, ANYTIME_METHOD, evidence.mean_se)


def measure_widening(evidence: SamplingDistribution, method: str, level: float) -> float:
    """Measure how many times as wide as an interval for one analysis an anytime-valid one is.

    nan where either does not exist.
    """
    wide = compute_interval(evidence, method, level)
    usual = compute_interval(replace(evidence, arrivals=None), method, level)
    return wide.width / usual.width if usual.width > 0 else nan


def _widen_by_binning(evidence: SamplingDistribution, found: Interval) -> Interval:
    """Widen the limits by as much as the value may be off, where it was found from bins."""
    if not evidence.binning:
        return found
    low, high = evidence.bounds
    return replace(
        found,
        low=max(found.low - evidence.binning, low),
        high=min(found.high + evidence.binning, high),
    )


def list_automatic_methods(evidence: SamplingDistribution) -> tuple[str, ...]:
    """Return the methods that `auto` tries, in order.

    Where weights are uneven, those that count the effective units.
    """
    suited = _list_suitable_methods(evidence)
    if evidence.balance is None:
        return suited
    return tuple(name for name in suited if INTERVAL_METHODS[name].counts_units)


def _list_suitable_methods(evidence: SamplingDistribution) -> tuple[str, ...]:
    """Return the methods that suit the kind of number."""
    if evidence.signed is not None:
        return ("size-se",)
    if evidence.block is not None:
        return _list_methods_in_time(evidence)
    # Percentiles do not know how few the clusters are; t(G − 1) does.
    if evidence.is_clustered and evidence.estimand.of in ("weights", "order"):
        own = select_methods(
            evidence.estimand, DIFFERENCE_RULES if evidence.is_difference else VALUE_RULES
        )
        return tuple(name for name in own if name in METHODS_IN_CLUSTERS)
    if not evidence.is_difference:
        methods = select_methods(evidence.estimand, VALUE_RULES)
        left_out = []
        if evidence.is_clustered and evidence.influence is None:
            left_out.append("bca")
        if EXACT_METHOD in methods and not analytic_intervals.has_few_of_either(evidence):
            left_out.append(EXACT_METHOD)  # it is wide: others hold there
        return tuple(name for name in methods if name not in left_out)
    if evidence.portions:
        return ("newcombe",)
    found = select_methods(evidence.estimand, DIFFERENCE_RULES)
    if evidence.estimand.interval == "newcombe" and evidence.estimand.is_mean:
        return ("newcombe", *found)
    if _is_between_classes(evidence) and has_few_of_a_class(evidence):
        return tuple(name for name in found if name in METHODS_FOR_FEW_CHANGED)
    return found


def _list_methods_in_time(evidence: SamplingDistribution) -> tuple[str, ...]:
    """Return the methods for times that follow one another: formulas, else replicates' spread."""
    if evidence.is_difference:
        return ("influence", "se")
    named = select_methods(evidence.estimand, FORMULA_RULES)
    return (*(name for name in named if INTERVAL_METHODS[name].counts_units), "influence", "se")


def count_method_tails(method: str) -> int:
    """In how many tails a method counts replicates for its limits; 0 where it counts none."""
    return 2 if method in TWO_TAIL_METHODS else int(method in ONE_TAIL_METHODS)


def compute_second_opinion(
    evidence: SamplingDistribution, method: str, level: float
) -> Interval | None:
    """Compute an interval of another kind than by `method`, to see if a verdict depends on it.

    A formula is checked by percentiles, a resampling method by influence or else percentiles. What
    is a function of something else is checked where that is decided. None where units are few: the
    limits allow for more than one method already. Nor for limits that hold at every analysis, as
    those of another kind do not.
    """
    if (
        evidence.is_few
        or evidence.arrivals is not None
        or evidence.folds is not None
        or proportion_intervals.has_few_differing(evidence)
    ):
        return None
    if evidence.is_of_few_in_a_class:
        return None
    if evidence.is_difference and evidence.portions:
        return None
    if evidence.basis is not None:
        return _second_by_basis(evidence, evidence.basis, method, level)
    used = compute_interval(evidence, method, level).method
    is_resampled = used in RESAMPLED_METHODS
    names = ("influence", "percentile") if is_resampled else ("percentile", "se")
    each = (INTERVAL_METHODS[name].compute(evidence, level) for name in names)
    return next((other for other in each if other is not None and other.method != used), None)


def compute_formula_error(evidence: SamplingDistribution) -> tuple[float, str]:
    """Compute the standard error of a value by a formula, and the formula's name; nan if none is.

    Noether's of τ-a, as it was published; else the one by influence.
    """
    noether = analytic_intervals.noether_interval(evidence, 0.95)
    if noether is not None and isfinite(noether.se):
        return noether.se, noether.method
    return evidence.influence_se, "influence"


def has_few_of_a_class(evidence: SamplingDistribution) -> bool:
    """Tell whether influence is not to be trusted in a difference: few of a class, or clusters."""
    count = evidence.rarer_class_size
    return evidence.is_clustered or (count is not None and count < POSITIVES_FOR_FORMULA)


def monte_carlo_error(evidence: SamplingDistribution, found: Interval) -> float:
    """Compute the standard error of a limit from drawing only B replicates; 0 for a formula.

    The root mean square of both limits'. From order statistics around the limit, or from that of
    a standard deviation, se/√(2B).
    """
    if not found.is_defined or not len(evidence.existing):
        return 0.0
    if found.method in SPREAD_METHODS:
        return found.width / 2 / sqrt(2 * len(evidence.existing))
    if found.method in QUANTILE_METHODS:
        places = np.searchsorted(evidence.finite, _limits_among_replicates(evidence, found))
        return sqrt(np.mean([_quantile_error(evidence, float(place)) ** 2 for place in places]))
    return _tail_error(evidence, found) if found.method in RESAMPLED_METHODS else 0.0


def _interval_by_basis(
    evidence: SamplingDistribution, basis: RootDistribution, method: str, level: float
) -> Interval:
    """Compute limits from the basis of a value; or its own, excluding zero where the basis does."""
    by = compute_interval(basis.evidence, method, level)
    if basis.line is not None:
        return transform_interval(by, basis.line)
    own = compute_interval(replace(evidence, basis=None), method, level)
    if not (own.is_defined and by.is_defined):
        return own if by.is_defined else by
    return _extend_to_decide(own, by, compute_basis_slope(basis, evidence.value))


def _second_by_basis(
    evidence: SamplingDistribution, basis: RootDistribution, method: str, level: float
) -> Interval | None:
    """Return `_interval_by_basis` of the second opinions on both."""
    by = compute_second_opinion(basis.evidence, method, level)
    if basis.line is not None:
        return by and transform_interval(by, basis.line)
    own = compute_second_opinion(replace(evidence, basis=None), method, level)
    return own and by and _extend_to_decide(own, by, compute_basis_slope(basis, evidence.value))


def _extend_to_decide(own: Interval, by: Interval, slope: float) -> Interval:
    low, high = decide_limits((own.low, own.high), (by.low, by.high), slope)
    return replace(own, low=low, high=high)


def _list_methods_to_try(evidence: SamplingDistribution, method: str) -> list[str]:
    first: tuple[str, ...] = () if method == "auto" else (method,)
    if method == "analytic":
        # A formula of last resort comes before any resampling: that is what was asked for.
        is_one = not evidence.is_difference
        names = (
            select_methods(evidence.estimand, FORMULA_RULES)
            if is_one
            else list_automatic_methods(evidence)
        )
        first = (*(n for n in names if INTERVAL_METHODS[n].is_formula), "influence")
    return list(dict.fromkeys((*first, *list_automatic_methods(evidence), *LAST_RESORTS)))


def _is_between_classes(evidence: SamplingDistribution) -> bool:
    kind = evidence.estimand
    return kind.of in ("cells", "classes") or (kind.of == "pairs" and kind.scale == "share")


def _make_undefined_interval(level: float, reason: Reason) -> Interval:
    return Interval(nan, nan, level, "", nan, reason)


def _limits_among_replicates(
    evidence: SamplingDistribution, found: Interval
) -> tuple[float, float]:
    if found.method == "basic":
        return 2 * evidence.value - found.high, 2 * evidence.value - found.low
    return found.low, found.high


def _quantile_error(evidence: SamplingDistribution, place: float) -> float:
    """Half the distance between the order statistics one standard error to either side.

    Where a side lies past the sample, the distance to the other: nothing is known out there.
    """
    drawn = len(evidence.existing)
    p = min(max(place / drawn, 1 / drawn), 1 - 1 / drawn)
    step = sqrt(p * (1 - p) / drawn)
    below, at, above = (
        resampled_intervals.order_statistic_quantile(evidence.finite, p + k * step)
        for k in (-1, 0, 1)
    )
    if p - step < 1 / (drawn + 1) or p + step > drawn / (drawn + 1):
        return max(at - below, above - at)
    return (above - below) / 2


def _tail_error(evidence: SamplingDistribution, found: Interval) -> float:
    """Compute the error as if t were Normal with the interval's width: enough to count by."""
    p = (1 - found.level) / 2
    z = resampled_intervals.critical_value(found.level)
    density = float(np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))
    return sqrt(p * (1 - p) / len(evidence.existing)) / density * found.width / (2 * z)
