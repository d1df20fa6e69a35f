"""Intervals against other libraries, against arithmetic, and at the edges."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from reportgen.inference.analytic_intervals import proportion_limits
from reportgen.inference.intervals import (
    compute_interval,
    compute_second_opinion,
    monte_carlo_error,
)
from reportgen.inference.methods import INTERVAL_METHODS
from reportgen.inference.sampling_distribution import WeightBalance
from reportgen.inference.significance import assess_significance
from reportgen.metrics.traits import find_estimand
from tests.inference.evidence_samples import INF, auc_of, mean_of, plain

LOSSES = np.random.default_rng(7).exponential(size=60)
Z = 1.959963984540054


def skewed_mean():
    evidence, errors = mean_of(LOSSES)
    return replace(evidence, replicate_se=errors)


@pytest.mark.parametrize(
    "ours, theirs", [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")]
)
def test_a_resampled_interval_is_that_of_scipy_on_the_same_replicates(ours, theirs):
    drawn = stats.bootstrap(
        (LOSSES,),
        np.mean,
        n_resamples=19_999,
        method=theirs,
        random_state=np.random.default_rng(3),  # `rng` from scipy 1.15 on
    )
    evidence = replace(skewed_mean(), replicates=drawn.bootstrap_distribution)
    found = compute_interval(evidence, ours, 0.95)
    assert found.method == ours
    # Neighbouring order statistics apart, at most: the two count quantiles differently.
    assert [found.low, found.high] == pytest.approx(list(drawn.confidence_interval), abs=2e-4)


def test_percentiles_are_order_statistics():
    evidence = plain(50.0, np.arange(1.0, 40.0))
    found = compute_interval(evidence, "percentile", 0.95)
    assert (found.low, found.high) == pytest.approx((1.0, 39.0))


def test_the_standard_error_interval_is_the_value_and_its_spread():
    replicates = np.array([-1.0, 1.0] * 50)
    found = compute_interval(plain(0.5, replicates), "se", 0.95)
    se = np.sqrt(100 / 99)
    assert [found.low, found.high] == pytest.approx([0.5 - Z * se, 0.5 + Z * se])


def test_clusters_bring_students_t_and_their_factor():
    replicates = np.array([-1.0, 1.0] * 50)
    evidence = plain(0.0, replicates, units=10, is_clustered=True)
    half = stats.t.ppf(0.975, 9) * np.sqrt(100 / 99 * 10 / 9)
    assert compute_interval(evidence, "se", 0.95).high == pytest.approx(half)


def test_the_t_interval_of_a_mean_is_the_textbook_one():
    found = compute_interval(skewed_mean(), "t", 0.9)
    se = stats.sem(LOSSES)
    expected = stats.t.interval(0.9, len(LOSSES) - 1, LOSSES.mean(), se)
    assert (found.low, found.high) == pytest.approx(expected)


def test_the_bootstrap_t_is_the_value_less_quantiles_times_its_error():
    evidence = skewed_mean()
    t = np.sort((evidence.replicates - evidence.value) / evidence.replicate_se)
    se = LOSSES.std() / np.sqrt(len(LOSSES))
    found = compute_interval(evidence, "studentized", 0.95)
    assert found.low == pytest.approx(evidence.value - t[1949] * se)
    assert found.high == pytest.approx(evidence.value - t[49] * se)


def test_the_log_bootstrap_t_of_a_root_mean_square_is_that_of_half_the_log_mean_square():
    squares, errors = mean_of(LOSSES)
    root = np.sqrt(squares.value)
    roots = np.sqrt(squares.replicates)
    evidence = replace(
        squares,
        value=root,
        replicates=roots,
        estimand=find_estimand("log mean"),
        influence=squares.influence / (2 * root),
        replicate_se=errors / (2 * roots),
    )
    found = compute_interval(evidence, "auto", 0.95)
    t = np.sort((np.log(squares.replicates) - np.log(squares.value)) * squares.replicates / errors)
    se = LOSSES.std() / np.sqrt(len(LOSSES)) / squares.value
    assert found.method == "log-studentized"
    assert found.low == pytest.approx(root * np.exp(-t[1949] * se / 2))
    assert found.high == pytest.approx(root * np.exp(-t[49] * se / 2))


def test_one_minus_a_ratio_mirrors_the_interval_of_the_ratio():
    ratio = plain(0.4, np.linspace(0.3, 0.5, 999), "log mean", (0.0, INF))
    rest = plain(0.6, 1 - ratio.replicates, "log residual", (-INF, 1.0))
    one, other = compute_interval(ratio, "log-se", 0.95), compute_interval(rest, "log-se", 0.95)
    assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low))
    assert other.method == "log-bootstrap-se"


@pytest.mark.parametrize("right, n", [(47, 50), (50, 50), (0, 12), (1, 3)])
def test_a_proportion_has_wilsons_interval(right, n):
    hits = np.repeat([1.0, 0.0], [right, n - right])
    evidence, _ = mean_of(hits, bounds=(0.0, 1.0), estimand="proportion")
    found = compute_interval(replace(evidence, trials=n), "auto", 0.95)
    assert found.method == "wilson"
    expected = proportion_confint(right, n, method="wilson")
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("right, n", [(47, 50), (50, 50), (0, 12)])
def test_a_proportion_less_what_is_claimed_has_wilsons_interval_too(right, n):
    excess = np.repeat([1.0, 0.0], [right, n - right]) - 0.9
    evidence, _ = mean_of(excess, bounds=(-0.9, 0.1), estimand="proportion")
    found = compute_interval(replace(evidence, trials=n), "auto", 0.95)
    assert found.method == "wilson"
    low, high = proportion_confint(right, n, method="wilson")
    assert (found.low, found.high) == pytest.approx((low - 0.9, high - 0.9), abs=1e-12)


def test_the_rows_of_a_recall_are_counted_from_its_influence():
    positive = np.arange(100) < 20
    caught = np.arange(100) < 15
    influence = np.where(positive, caught - 0.75, 0.0) / 20
    evidence = plain(0.75, [], "proportion", (0.0, 1.0), influence=influence)
    found = compute_interval(evidence, "auto", 0.95)
    assert (found.low, found.high) == pytest.approx(proportion_confint(15, 20, method="wilson"))


@pytest.mark.parametrize("right, n", [(15, 20), (20, 20), (0, 9)])
def test_f1_has_the_wilson_limits_of_the_share_that_it_rises_with(right, n):
    """F1 = 2J/(1 + J), where J is a share of the rows that are positive or called so."""
    share = right / n
    evidence = plain(
        2 * share / (1 + share), [], "twice the odds of some rows", (0.0, 1.0), trials=n
    )
    found = compute_interval(evidence, "auto", 0.95)
    low, high = (2 * end / (1 + end) for end in proportion_confint(right, n, method="wilson"))
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("kind, least", [("mean of proportions", 0.0), ("sum of proportions", -1)])
def test_a_sum_of_two_shares_has_newcombes_interval(kind, least):
    # 56 of 70 and 32 of 80: the limits of the difference of shares that Newcombe (1998) prints.
    reach = 1.0 - least
    parts = ((56 / 70, 70.0), (1 - 48 / 80, 80.0))
    value = least + reach * (parts[0][0] + parts[1][0]) / 2
    evidence = plain(value, [], kind, (least, 1.0), portions=parts)
    found = compute_interval(evidence, "auto", 0.95)
    limits = [(end - least) / reach * 2 - 1 for end in (found.low, found.high)]
    assert found.method == "newcombe"
    assert limits == pytest.approx([0.0524, 0.3339], abs=5e-5)
    assert (
        compute_interval(replace(evidence, is_clustered=True), "newcombe", 0.95).method
        != "newcombe"
    )


def test_clustered_proportions_are_judged_on_the_logit():
    influence = np.array([0.02, -0.02] * 6)
    evidence = plain(
        0.8, [], "proportion", (0.0, 1.0), units=12, influence=influence, is_clustered=True
    )
    found = compute_interval(evidence, "auto", 0.95)
    half = stats.t.ppf(0.975, 11) * np.sqrt(12 * 0.0004 * 12 / 11) / 0.16
    assert found.method == "logit-influence"
    assert found.low == pytest.approx(1 / (1 + np.exp(-np.log(4) + half)))


def delong(y, score):
    """Variance of a ROC area by placements, as DeLong et al. (1988) write it."""
    x, z = score[y == 1], score[y == 0]
    above = (x[:, None] > z) + 0.5 * (x[:, None] == z)
    return above.mean(1).var(ddof=1) / len(x) + above.mean(0).var(ddof=1) / len(z)


def test_the_influence_error_of_a_roc_area_is_delongs():
    draw = np.random.default_rng(2)
    y = (draw.random(80) < 0.3).astype(float)
    score = np.round(y + draw.normal(size=80), 1)
    found = compute_interval(auc_of(y, score), "influence", 0.95)
    assert found.se**2 == pytest.approx(delong(y, score))
    logit = compute_interval(auc_of(y, score), "auto", 0.95)
    assert logit.method == "logit-influence" and 0 < logit.low < logit.high < 1


def test_few_rank_correlations_have_bonett_and_wrights_error():
    evidence = plain(0.6, [], "correlation of ranks", (-1.0, 1.0), n=30)
    half = Z * np.sqrt((1 + 0.18) / 27)
    found = compute_interval(evidence, "auto", 0.95)
    assert found.method == "bonett-wright"
    assert found.low == pytest.approx(np.tanh(np.arctanh(0.6) - half))


def test_a_correlation_of_many_rows_has_its_influence_error_on_fishers_scale():
    evidence = plain(0.6, [], "correlation of numbers", (-1.0, 1.0), influence=np.full(100, 0.008))
    half = Z * 0.08 / (1 - 0.36)
    found = compute_interval(evidence, "auto", 0.95)
    assert found.method == "fisher-z"
    assert found.high == pytest.approx(np.tanh(np.arctanh(0.6) + half))


def tau_a(x, y):
    n = len(x)
    sign = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    tau = sign.sum() / (n * (n - 1))
    influence = 2 * (sign.sum(1) / (n - 1) - tau) / n
    concordant = (n - 1 + sign.sum(1)) / 2
    return plain(tau, [], "mean sign of pairs", (-1.0, 1.0), n=n, influence=influence), concordant


def test_kendalls_a_has_hollander_and_wolfes_variance_and_noethers_on_request():
    draw = np.random.default_rng(4)
    x = draw.normal(size=25)
    evidence, c = tau_a(x, x + draw.normal(size=25))
    n, tau = 25, evidence.value
    base = 16 * np.sum((c - c.mean()) ** 2) / (n**2 * (n - 1) ** 2)
    rest = 2 * (1 - tau**2) / (n * (n - 1))
    assert compute_interval(evidence, "auto", 0.95).method == "hollander-wolfe"
    assert compute_interval(evidence, "auto", 0.95).se == pytest.approx(
        np.sqrt((n - 2) / (n - 1) * base + rest)
    )
    bracket = 2 * np.sum(c**2) - c.sum() - (2 * n - 3) / (n * (n - 1)) * c.sum() ** 2
    printed = 8 / (n**2 * (n - 1) ** 2) * bracket
    assert compute_interval(evidence, "noether", 0.95).se == pytest.approx(np.sqrt(printed))


def test_ties_take_kendalls_a_to_its_influence():
    evidence, _ = tau_a(np.arange(20.0), np.roll(np.arange(20.0), 3))
    assert compute_interval(replace(evidence, is_tied=True), "auto", 0.95).method == "influence"


def test_an_area_with_few_positives_is_compared_by_the_bootstrap_error():
    few = np.arange(400) < 49
    more = {"influence": np.full(400, 0.001), "is_difference": True, "n": 400}
    spread = np.linspace(-0.1, 0.1, 999)
    for positives, method in ((few, "bootstrap-se"), (np.roll(few, 1) | few, "influence")):
        evidence = plain(0.0, spread, "share of pairs", (-1.0, 1.0), positives=positives, **more)
        assert compute_interval(evidence, "auto", 0.95).method == method


@pytest.mark.parametrize("estimand", ["log mean", "log residual"])
def test_other_differences_have_the_bootstrap_error(estimand):
    evidence = plain(0.1, np.linspace(-1, 1, 99), estimand, is_difference=True)
    assert compute_interval(evidence, "auto", 0.95).method == "bootstrap-se"


@pytest.mark.parametrize("estimand", ["smooth", "quantile"])
def test_without_an_error_of_its_own_the_limits_are_those_of_the_test(estimand):
    drawn = np.random.default_rng(3).integers(-4, 5, 399) / 4  # as coarse as medians of integers
    for value in np.linspace(0, 1, 41):
        evidence = plain(value, drawn + value, estimand, is_difference=True)
        found, tested = compute_interval(evidence, "auto", 0.95), assess_significance(evidence)
        assert (found.method, tested.test) == ("symmetric", "null-bootstrap")
        assert (found.low > 0) == (tested.p_value < 0.05)


def test_at_a_level_of_nothing_there_are_limits_but_no_standard_error():
    # A family that has given all of its level away asks for it.
    evidence, errors = mean_of(np.random.default_rng(1).lognormal(size=40), draws=199)
    evidence = replace(evidence, replicate_se=errors)
    found = compute_interval(evidence, "symmetric-studentized", 0.0)
    assert found.method == "symmetric-studentized"
    assert found.low <= evidence.value <= found.high and np.isnan(found.se)


def test_one_cluster_a_stratum_has_no_interval():
    evidence = plain(0.5, np.linspace(0, 1, 99), "mean", units=2, strata=2, is_clustered=True)
    assert compute_interval(evidence, "auto", 0.95).reason == "few-clusters"


def test_a_difference_of_rounding_size_has_no_width():
    # Two values of 0.7 that differ in the last digit, and so do their replicates.
    evidence = plain(-1.1e-16, np.linspace(-2e-16, 0, 99), is_difference=True, size=0.7)
    assert compute_interval(evidence, "auto", 0.95).reason == "no-variation"
    assert assess_significance(evidence).reason == "no-variation"


def test_a_studentized_interval_of_resamples_all_alike_gives_way():
    evidence, errors = mean_of(np.array([1.0] * 11 + [1.5]), draws=999)
    wild = replace(evidence, replicate_se=errors / 1e4)  # as if nearly all had hardly any spread
    assert compute_interval(wild, "studentized", 0.95).method != "studentized"
    assert compute_interval(wild, "symmetric-studentized", 0.95).method != "symmetric-studentized"


@pytest.mark.parametrize("estimand", ["smooth", "quantile"])
def test_few_clusters_are_allowed_for_where_no_formula_is_known(estimand):
    evidence = plain(0.0, np.linspace(-1, 1, 99), estimand, units=12, is_clustered=True)
    half = stats.t.ppf(0.975, 11) * evidence.bootstrap_se
    found = compute_interval(evidence, "auto", 0.95)
    assert found.method == "bootstrap-se" and found.high == pytest.approx(half)


def test_replicates_tied_with_the_value_count_one_half_in_bca():
    tied = plain(1.0, np.repeat([0.0, 1.0, 2.0], 333), "quantile")
    found, same = compute_interval(tied, "bca", 0.95), compute_interval(tied, "percentile", 0.95)
    assert (found.low, found.high) == (same.low, same.high)


def test_without_influence_bca_says_that_it_corrected_bias_alone():
    assert compute_interval(plain(0.0, np.linspace(-1, 1, 99)), "bca", 0.95).method == "bc"


@pytest.mark.parametrize("method", sorted(INTERVAL_METHODS))
def test_limits_stay_inside_the_range_and_hold_a_central_value(method):
    evidence = replace(skewed_mean(), bounds=(0.0, 1.2))
    found = compute_interval(evidence, method, 0.95)
    assert 0 <= found.low <= evidence.value <= found.high <= 1.2


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "se", "studentized", "t"])
def test_the_interval_scales_with_the_unit(method):
    one, errors = mean_of(LOSSES)
    ten, tenfold = mean_of(10 * LOSSES)
    small = compute_interval(replace(one, replicate_se=errors), method, 0.95)
    large = compute_interval(replace(ten, replicate_se=tenfold), method, 0.95)
    assert (large.low, large.high) == pytest.approx((10 * small.low, 10 * small.high))


def test_undefined_replicates_are_left_out():
    known = np.linspace(-1, 1, 999)
    gaps = np.concatenate([known, np.full(99, np.nan)])
    assert compute_interval(plain(0.0, gaps), "se", 0.95) == compute_interval(
        plain(0.0, known), "se", 0.95
    )


@pytest.mark.parametrize(
    "value, replicates, reason",
    [
        (np.nan, np.linspace(0, 1, 99), "undefined-value"),
        (0.5, np.linspace(0, 1, 19), "few-replicates"),
        (0.5, np.r_[np.linspace(0, 1, 40), np.full(60, np.nan)], "few-replicates"),
        (0.5, np.full(99, 0.5), "no-variation"),
    ],
)
def test_what_cannot_be_said_is_undefined_with_its_reason(value, replicates, reason):
    found = compute_interval(plain(value, replicates), "auto", 0.95)
    assert found.reason == reason and np.isnan(found.low) and not found.is_defined


def test_a_perfect_area_has_an_exact_limit_and_not_a_width_of_zero():
    y = np.repeat([0.0, 1.0], [30, 10])
    found = compute_interval(auc_of(y, np.arange(40.0)), "auto", 0.95)
    assert found.method == "exact-bound"
    assert (found.low, found.high) == pytest.approx((0.025**0.1, 1.0))


def test_a_method_that_does_not_apply_gives_way_to_the_automatic_one():
    assert compute_interval(skewed_mean(), "wilson", 0.95).method == "studentized"


def test_a_formula_is_found_where_one_exists():
    assert compute_interval(skewed_mean(), "analytic", 0.95).method == "t"


def test_too_few_replicates_for_the_level_give_no_percentiles():
    evidence = plain(0.0, np.linspace(-1, 1, 99))
    assert compute_interval(evidence, "percentile", 0.999).method == "bootstrap-se"


def test_a_second_opinion_is_of_the_other_kind():
    evidence = skewed_mean()
    assert compute_second_opinion(evidence, "bca", 0.95).method == "influence"
    assert compute_second_opinion(evidence, "analytic", 0.95).method == "percentile"
    assert compute_second_opinion(evidence, "t", 0.95).method == "percentile"


def test_monte_carlo_error_of_a_percentile_is_what_new_draws_show():
    draw = np.random.default_rng(5)
    runs = [plain(0.0, draw.normal(size=999)) for _ in range(200)]
    found = [compute_interval(run, "percentile", 0.95) for run in runs]
    seen = np.std([each.low for each in found])
    said = np.mean([monte_carlo_error(r, f) for r, f in zip(runs, found, strict=True)])
    assert said == pytest.approx(seen, rel=0.3)


@pytest.mark.parametrize("level", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("method", INTERVAL_METHODS)
def test_where_no_replicate_is_known_no_method_fails(method, level):
    losses = np.arange(12.0)
    unknown = np.full(99, np.nan)
    known = replace(mean_of(losses)[0], replicates=unknown, replicate_se=unknown)
    for evidence in (known, replace(known, is_difference=True)):
        found = compute_interval(evidence, method, level)
        assert np.isnan(found.low) or found.low <= found.high


@pytest.mark.parametrize(("n", "p"), [(50, 0.01), (50, 0.1), (300, 0.02), (100, 0.99)])
def test_limits_of_a_share_hold_where_few_rows_are_so(n, p):
    """Over all counts that can come, with their probabilities; Wilson's fall short of some."""
    from scipy.stats import binom

    limits = [proportion_limits(k / n, n, 0.95) for k in range(n + 1)]
    held = [low <= p <= high for low, high in limits]
    assert binom.pmf(np.arange(n + 1), n, p) @ np.array(held) >= 0.935
    k = 3
    assert proportion_limits(k / n, n, 0.95) == pytest.approx(
        proportion_confint(k, n, method="beta"), rel=1e-9
    )
    middle = proportion_limits(0.5, n, 0.95)
    assert middle == pytest.approx(proportion_confint(n // 2, n, method="wilson"), rel=1e-9)


@pytest.mark.parametrize("of", ["clusters", "uneven weights"])
def test_what_chance_adds_is_taken_from_the_best_of_many_whatever_is_resampled(of):
    drawn = np.linspace(0.4, 0.6, 199)
    uneven = WeightBalance(units=40, effective=15.0, largest=0.1, excess=1.0)
    more = {"is_clustered": True} if of == "clusters" else {"balance": uneven}
    known = plain(0.45, drawn, "best of many", (0.0, 1.0), units=40, **more)
    found = compute_interval(known, "auto", 0.95)
    assert found.method == "debiased-bootstrap-se"
    assert (found.low + found.high) / 2 == pytest.approx(0.40)
