"""Intervals by formula from influence values: t, Wilson, Fisher's z, DeLong and others."""

from __future__ import annotations

from math import atanh, exp, inf, isfinite, log, nan, sqrt, tanh
from typing import TypeVar

from scipy import special

from reportgen.inference.resampled_intervals import (
    clip_interval,
    critical_value,
    standard_error_interval,
)
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution
from reportgen.inference.unit_values import summarise_units
from reportgen.kernels.batch import Vector
from reportgen.metrics.traits import Estimand
from reportgen.terms import LIMITS

Share = TypeVar("Share", float, Vector)
ROUNDING = 1e-12  # distance from the end of a range that is none
FEWEST_OF_EACH = 10  # rows that are so, and that are not, from which Wilson's limits serve
FEW_CLUSTERS = LIMITS["W106"]["fewest"]
EDGE_METHOD = "edge-t"
EDGE_SHARE_METHOD = "edge-wilson"
MANY_AT_AN_END = 20  # rows, of whose mean BCa limits hold
FEW_FOR_SPEARMAN = 50  # rows below which Bonett and Wright's standard error is used


def influence_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Return the value ± a multiple of its influence standard error; DeLong's for a ROC area."""
    se = evidence.influence_se
    return _build_symmetric_interval(
        evidence, se, critical_value(level, evidence.df), level, "influence"
    )


def t_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Compute a t interval of the units' contributions to a mean; its df are units less strata."""
    if evidence.unit_df < 1:
        return None
    return _build_symmetric_interval(
        evidence, evidence.mean_se, critical_value(level, evidence.unit_df), level, "t"
    )


def edge_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Compute t limits from the smoothed influence of a value that few rows at an end decide.

    Degrees of freedom are those of the rows at the end, or of the summed squares, whichever are
    fewer. A share of a sum has them on the logit scale. Not of the mean of twenty rows or more,
    whose skewness resamples know better, nor of clusters.
    """
    theta, se, each = evidence.value, evidence.smoothed_se, evidence.smoothed
    is_odd = evidence.is_difference or evidence.is_clustered
    if is_odd or each is None or evidence.edge_df is None or not se > evidence.rounding:
        return None
    df = min(evidence.edge_df, evidence.unit_df, estimate_df_of_squares(each) or inf)
    if df < 1:
        return None
    half = critical_value(level, df) * se
    if evidence.bounds != (0, 1):
        if evidence.edge_df >= MANY_AT_AN_END - 1:
            return None
        return clip_interval(evidence, theta - half, theta + half, level, EDGE_METHOD, se)
    if not 0 < theta < 1:
        return None
    low, high = move_on_logit(theta, -half), move_on_logit(theta, half)
    return clip_interval(evidence, low, high, level, EDGE_METHOD, se)


def edge_share_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Compute Wilson's interval of a share of rows where a share of the weight is flagged.

    Of as many rows as its standard error is worth. Where that is not known, the value ± the
    standard error of its replicates.
    """
    is_odd = evidence.is_difference or evidence.is_clustered or evidence.block is not None
    least, reach = evidence.bounds[0], evidence.bounds[1] - evidence.bounds[0]
    if is_odd or len(evidence.portions) != 1 or not isfinite(reach):
        return standard_error_interval(evidence, level)
    p, trials = _rescale_proportion(evidence), evidence.portions[0][1]
    if not 0 < p < 1:
        return standard_error_interval(evidence, level)
    low, high = (least + reach * end for end in wilson_limits(p, trials, level))
    se = reach * sqrt(p * (1 - p) / trials)
    return clip_interval(evidence, low, high, level, EDGE_SHARE_METHOD, se)


def move_on_logit(share: float, step: float) -> float:
    """Return a share moved by a step, which is one on the logit scale at the share's slope.

    >>> move_on_logit(0.5, 0.0)
    0.5
    """
    moved = log(share / (1 - share)) + step / (share * (1 - share))
    return float(special.expit(moved))


def logit_influence_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Compute the influence interval of the logit of a share between 0 and 1.

    An area that the head of a ranking decides has no more degrees of freedom than its rows there.
    Of few clusters the standard error is the larger of those by influence and by resamples.
    """
    theta, se = evidence.value, _compute_error_of_clusters(evidence)
    if evidence.is_difference or evidence.bounds != (0, 1) or not 0 < theta < 1:
        return None
    half = critical_value(level, _df_of_an_area(evidence)) * se
    low, high = move_on_logit(theta, -half), move_on_logit(theta, half)
    return clip_interval(evidence, low, high, level, "logit-influence", se)


def _compute_error_of_clusters(evidence: SamplingDistribution) -> float:
    """Compute the influence standard error; of few clusters, or of an area, at least resamples'.

    Influence is that of small changes, and one of few clusters is none: of ten clusters of uneven
    sizes limits of the average precision held in 90 of 100 samples by influence, in 94 by this.
    """
    of_influence, of_resamples = evidence.influence_se, evidence.bootstrap_se
    is_few = evidence.units < FEW_CLUSTERS or evidence.estimand.of == "weights"
    if not (evidence.is_clustered and is_few and of_resamples > of_influence):
        return of_influence
    return of_resamples


def _df_of_an_area(evidence: SamplingDistribution) -> float:
    """Estimate the degrees of freedom of summed squared influence, at most the evidence's."""
    if evidence.estimand.of != "weights" or evidence.influence is None:
        return evidence.df
    df = estimate_df_of_squares(evidence.influence)
    return evidence.df if df is None else min(evidence.df, df)


def estimate_df_of_squares(influence: Vector) -> float | None:
    """Estimate the degrees of freedom of summed squared influence; None if all are of one size.

    Twice the squared sum over its variance (Satterthwaite 1946), found from the fourth powers: n of
    Normal values, a handful where few rows, as at the head of a ranking, decide.
    """
    return summarise_units(influence, "df of squares", _estimate_df_of_squares)


def _estimate_df_of_squares(influence: Vector) -> float | None:
    squares = influence**2
    total, fourth = float(squares.sum()), float(squares @ squares)
    spread = fourth / total**2 - 1 / len(squares) if total > 0 else 0.0
    return max(2 / spread, 1.0) if spread > 0 else None


def log_influence_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Compute the influence interval of log θ, or of log(1 − θ) for one minus a ratio."""
    if evidence.is_difference or not evidence.estimand.is_logged:
        return None
    is_residual = evidence.estimand.scale == "one minus positive"
    size = 1 - evidence.value if is_residual else evidence.value
    if size <= 0:
        return None
    step = critical_value(level, evidence.df) * evidence.influence_se / size
    if not step < 700:
        return None
    low, high = size * exp(-step), size * exp(step)
    if is_residual:
        low, high = 1 - high, 1 - low
    return clip_interval(evidence, low, high, level, "log-influence", evidence.influence_se)


def wilson_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Wilson's interval of a proportion, with Kish's effective number of rows.

    Where that is not given it is p(1 − p)/SE², which is the number of rows that take part. A value
    that stretches a proportion over its own range, or multiplies its odds, has what that gives.
    """
    is_one = not (evidence.is_difference or evidence.is_clustered)
    if not is_one or not evidence.estimand.is_made_of_a_share:
        return None
    trials, odds = count_effective_trials(evidence), evidence.estimand.odds
    p = multiply_odds(_rescale_proportion(evidence), 1 / odds)
    if not (0 <= p <= 1 and trials > 0):
        return None
    least, reach = evidence.bounds[0], evidence.bounds[1] - evidence.bounds[0]
    low, high = (
        least + reach * multiply_odds(end, odds) for end in wilson_limits(p, trials, level)
    )
    slope = odds / (1 + (odds - 1) * p) ** 2
    se = reach * slope * sqrt(p * (1 - p) / trials)
    return clip_interval(evidence, low, high, level, "wilson", se)


def clopper_pearson_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Clopper and Pearson's exact limits of a proportion.

    With the effective number of rows, as Korn and Graubard (1998) take it for weighted ones.
    """
    is_one = not (evidence.is_difference or evidence.is_clustered)
    kind, trials = evidence.estimand, count_effective_trials(evidence)
    if not (is_one and kind.is_share_of_rows and evidence.bounds == (0, 1) and trials > 0):
        return None
    p = _rescale_proportion(evidence)
    if not 0 <= p <= 1:
        return None
    low, high = clopper_pearson_limits(p, trials, level)
    return clip_interval(evidence, low, high, level, "clopper-pearson", sqrt(p * (1 - p) / trials))


def newcombe_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Square-and-add: the distances to Wilson's limits of the proportions that a sum is made of.

    Newcombe (1998), method 10, for proportions of rows that none shares with another; also of
    the difference of two, which is safe where they share some.
    """
    parts = evidence.portions
    is_odd = evidence.is_clustered or evidence.block is not None
    if is_odd or len(parts) < 2 or not all(trials > 0 for _, trials in parts):
        return None
    slope = (evidence.bounds[1] - evidence.bounds[0]) / len(parts)
    ends = [(p, *wilson_limits(p, trials, level)) for p, trials in parts]
    if evidence.is_difference:
        (p, low, high), (least, lowest, highest) = ends
        ends = [(p, low, high), (-least, -highest, -lowest)]
    below = slope * sqrt(sum((p - low) ** 2 for p, low, _ in ends))
    above = slope * sqrt(sum((high - p) ** 2 for p, _, high in ends))
    se = slope * sqrt(sum(p * (1 - p) / trials for p, trials in parts))
    low, high = evidence.value - below, evidence.value + above
    return clip_interval(evidence, low, high, level, "newcombe", se)


def wilson_limits(p: float, trials: float, level: float, df: float = inf) -> tuple[float, float]:
    """Return Wilson's limits of a proportion by Student's t; a limit at 0 or 1 is exact."""
    z2 = critical_value(level, df) ** 2
    centre = (p + z2 / (2 * trials)) / (1 + z2 / trials)
    half = sqrt(z2 * (p * (1 - p) / trials + z2 / (4 * trials**2))) / (1 + z2 / trials)
    return (0.0 if p == 0 else centre - half), (1.0 if p == 1 else centre + half)


def proportion_limits(p: float, trials: float, level: float) -> tuple[float, float]:
    """Limits of a proportion of rows: Wilson's, or exact ones where fewer than ten are so, or not.

    Of few rows Wilson's lower limit is above the truth too often: of 50, of which 1% are so, in 9%
    of samples. With those of Clopper and Pearson in its place, 95% limits of 25 to 1,000 rows hold
    in 93.5% of samples or more, whatever the proportion from 0.2%, and in 95.1% or more on average.
    """
    is_plain = has_ten_of_either(p, trials)
    return wilson_limits(p, trials, level) if is_plain else clopper_pearson_limits(p, trials, level)


def has_few_of_either(evidence: SamplingDistribution) -> bool:
    """Return whether fewer than ten of the rows of a proportion count, or fewer than ten do not."""
    return not has_ten_of_either(_rescale_proportion(evidence), count_effective_trials(evidence))


def has_ten_of_either(p: float, trials: float) -> bool:
    """Return whether at least ten of so many rows are so, and ten are not."""
    return trials * min(p, 1 - p) >= FEWEST_OF_EACH - 1e-9


def clopper_pearson_limits(p: float, trials: float, level: float) -> tuple[float, float]:
    """Clopper and Pearson's limits of a proportion, of a number of rows that need not be whole."""
    hits, tail = p * trials, (1 - level) / 2
    low = 0.0 if p == 0 else float(special.betaincinv(hits, trials - hits + 1, tail))
    high = 1.0 if p == 1 else float(special.betaincinv(hits + 1, trials - hits, 1 - tail))
    return low, high


def multiply_odds(p: Share, times: float) -> Share:
    """Return the share whose odds are `times` those of the share `p`.

    >>> multiply_odds(0.5, 2.0), multiply_odds(0.3, 1.0)
    (0.6666666666666666, 0.3)
    """
    return p if times == 1 else times * p / (times * p + 1 - p)


def _rescale_proportion(evidence: SamplingDistribution) -> float:
    """Return the proportion that a value shifts or scales; it is exact at its ends."""
    least, most = evidence.bounds
    p = (evidence.value - least) / (most - least)
    near = min((0.0, 1.0), key=lambda end: abs(end - p))
    return near if abs(near - p) < ROUNDING else p


def count_effective_trials(evidence: SamplingDistribution) -> float:
    """Return how many equally weighted rows a proportion rests on; nan where it cannot be known.

    Of weighted rows that are drawn within strata it is p(1 − p)/SE², too, where that exists (Korn
    and Graubard 1998): a stratum of which all rows weigh little adds less than they do to Kish's.
    """
    if evidence.estimand.is_of_rows_at_an_end:
        return _count_end_trials(evidence)
    is_designed = evidence.strata > 1 and evidence.is_weighted
    if evidence.trials is not None and not (is_designed and _compute_effective_rows(evidence) > 0):
        return evidence.trials
    return _compute_effective_rows(evidence)


def _count_end_trials(evidence: SamplingDistribution) -> float:
    """Count the rows at an end of the scores, or fewer, as where they end moves the share too."""
    p, trials, se = _rescale_proportion(evidence), evidence.trials, evidence.smoothed_se
    if trials is None:
        return nan
    return min(trials, p * (1 - p) / se**2) if 0 < p < 1 and se > 0 else trials


def _compute_effective_rows(evidence: SamplingDistribution) -> float:
    """Compute the rows of which a proportion would have the same standard error; nan if none."""
    reach = evidence.bounds[1] - evidence.bounds[0]
    p, se = _rescale_proportion(evidence), evidence.influence_se / reach
    return p * (1 - p) / se**2 if 0 < p < 1 and se > 0 else nan


def fisher_z_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Compute the influence interval of a correlation on the inverse hyperbolic tangent scale."""
    return _fisher_z_interval(evidence, level, evidence.influence_se, "fisher-z")


def bonett_wright_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Fisher's z of a rank correlation with standard error √((1 + r²/2)/(n − 3)).

    For independent rows of equal weight (Bonett and Wright 2000).
    """
    is_dependent = evidence.is_clustered or evidence.block is not None
    is_odd = is_dependent or evidence.is_weighted
    if evidence.n < 4 or is_odd or evidence.estimand.of != "ranks":
        return None
    se_z = sqrt((1 + evidence.value**2 / 2) / (evidence.n - 3))
    se = se_z * (1 - evidence.value**2)
    return _fisher_z_interval(evidence, level, se, "bonett-wright")


def fisher_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Fisher's z: Bonett and Wright's for a rank correlation of few rows, else by influence."""
    is_short = evidence.estimand.of == "ranks" and evidence.n < FEW_FOR_SPEARMAN
    return (bonett_wright_interval(evidence, level) if is_short else None) or fisher_z_interval(
        evidence, level
    )


def hollander_wolfe_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Hollander and Wolfe's interval of τ-a; neither ties, weights nor clusters."""
    if not _is_plain_tau(evidence) or evidence.n < 3:
        return None
    n, tau = evidence.n, evidence.value
    variance = (n - 2) / (n - 1) * evidence.squared_influence + 2 * (1 - tau**2) / (n * (n - 1))
    return _build_symmetric_interval(
        evidence, _root(variance), critical_value(level), level, "hollander-wolfe"
    )


def noether_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Noether's interval of τ-a; its variance may turn out negative, and then there is none."""
    if not _is_plain_tau(evidence) or evidence.n < 2:
        return None
    n, tau = evidence.n, evidence.value
    variance = evidence.squared_influence - 2 * (1 - tau**2) / (n * (n - 1))
    return _build_symmetric_interval(
        evidence, _root(variance), critical_value(level), level, "noether"
    )


def exact_bound_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Bound what m independent pairs or rows that all agree allow: (α/2)^(1/m), as for a share.

    For a share of rows or of pairs that lies on the end of its range. Disjoint pairs are
    independent: n/2 of them, or as many as the smaller class has rows.
    """
    low, high = evidence.bounds
    trials = _independent_trials(evidence)
    if trials is None or trials < 1 or evidence.value not in evidence.bounds:
        return None
    reach = (high - low) * float(((1 - level) / 2) ** (1 / trials))
    if evidence.value == high:
        return clip_interval(evidence, low + reach, high, level, "exact-bound", nan)
    return clip_interval(evidence, low, high - reach, level, "exact-bound", nan)


def _independent_trials(evidence: SamplingDistribution) -> float | None:
    kind = evidence.estimand
    if evidence.is_difference or not (kind.is_share_of_rows or kind.of == "pairs"):
        return None
    if kind.is_share_of_rows:
        trials = evidence.n if evidence.trials is None else evidence.trials
        return min(trials, evidence.independent)
    if evidence.smaller_class is not None:
        return evidence.smaller_class
    return evidence.independent // 2


def is_tau(estimand: Estimand) -> bool:
    """Tell whether the formulas of Hollander and Wolfe and of Noether suit rows without ties."""
    return estimand.interval == "hollander-wolfe"


def _is_plain_tau(evidence: SamplingDistribution) -> bool:
    is_dependent = evidence.is_clustered or evidence.block is not None
    is_odd = evidence.is_tied or evidence.is_weighted or is_dependent
    return is_tau(evidence.estimand) and not evidence.is_difference and not is_odd


def _root(variance: float) -> float:
    return sqrt(variance) if variance > 0 else nan


def _fisher_z_interval(
    evidence: SamplingDistribution, level: float, se: float, method: str
) -> Interval | None:
    r = evidence.value
    if evidence.is_difference or evidence.estimand.scale != "correlation" or not -1 < r < 1:
        return None
    half = critical_value(level, evidence.df) * se / (1 - r**2)
    return clip_interval(evidence, tanh(atanh(r) - half), tanh(atanh(r) + half), level, method, se)


def _build_symmetric_interval(
    evidence: SamplingDistribution, se: float, times: float, level: float, method: str
) -> Interval | None:
    # Influence values of rounding size stand for none: the sum of squares is then no evidence.
    half = times * se if se > evidence.rounding else nan
    return clip_interval(evidence, evidence.value - half, evidence.value + half, level, method, se)
