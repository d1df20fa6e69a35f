"""Gaps between groups: against fairlearn, statsmodels, Tukey's range and by hand."""

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.proportion import confint_proportions_2indep

from benchmarks.plans import make_plan
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.plan import ModelScores, PlannedGap, PlannedMetric, Segment
from reportgen.analysis.stability import iter_group_gaps
from reportgen.inference.group_gaps import (
    GroupValues,
    _Contrasts,
    estimate_difference,
    estimate_range,
    estimate_range_change,
)
from reportgen.inference.resampling.design import Design
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Column
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts, Classes
from reportgen.metrics.traits import ESTIMANDS

ROWS = np.arange(120)
GROUP = np.array(list("abc"))[(ROWS**2 + ROWS // 7) % 3]
FLAG = ((ROWS**2 + 3 * ROWS) % 7 < 3).astype(int)
SCORE = ((ROWS**3 + 5 * ROWS) % 11) / 10  # ten rows lie at the threshold, 0.5
WEIGHT = 1 + (ROWS % 4) / 2
AMOUNT, GUESS = (ROWS**2 % 9).astype(float), ((ROWS**3 + ROWS) % 8).astype(float)
# fairlearn 0.15.0 with scikit-learn 1.9.1, on the arrays above, a row flagged from 0.5 up:
#   MetricFrame(metrics=f, y_true=y, y_pred=p, sensitive_features=GROUP,
#               sample_params={"sample_weight": WEIGHT}).difference(method="between_groups")
# without weights and with them; f is recall_score, fairlearn's true_negative_rate and
# false_positive_rate, precision_score, accuracy_score, fairlearn's selection_rate, f1_score and
# mean_absolute_error.
BY_FAIRLEARN = {
    "recall": (0.4166666666666667, 0.4780701754385965),
    "specificity": (0.18958333333333333, 0.193452380952381),
    "fpr": (0.18958333333333333, 0.19345238095238093),
    "precision": (0.2076923076923077, 0.1795859412614348),
    "accuracy": (0.21969696969696972, 0.22350230414746547),
    "flagged": (0.09090909090909094, 0.132065117980611),
    "f": (0.16927453769559037, 0.12868217054263564),
    "mae": (0.6388888888888889, 0.598137210358928),
}


def list_gaps(models, metric, weight=None, gaps=(), **params):
    use = PlannedMetric(metric, METRICS[metric].use(**params), is_primary=True)
    plan = make_plan(
        dataset="sample",
        models=models,
        pairs=(("new", "old"),) if len(models) > 1 else (),
        metrics=(use,),
        segments=tuple(Segment(f"group={g}", np.flatnonzero(g == GROUP)) for g in "abc"),
        design=Design("sample", len(ROWS), 199, 1, weight),
        gaps=gaps,
    )
    found = draw_replicates(plan)
    return list(iter_group_gaps(found, iter_estimates(found)))


def make_model(metric):
    if metric == "mae":
        return ModelScores("old", "Old", Amounts(Column(AMOUNT), GUESS))
    return ModelScores("old", "Old", Classes(FLAG, SCORE[:, None], ("0", "1"), "probability"))


@pytest.mark.parametrize("metric", BY_FAIRLEARN)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_gap_is_that_of_fairlearn(metric, is_weighted):
    params = {} if metric == "mae" else {"threshold": 0.5}
    weight = WEIGHT if is_weighted else None
    (gap,) = list_gaps((make_model(metric),), metric, weight, **params)
    assert gap.value == pytest.approx(BY_FAIRLEARN[metric][is_weighted], rel=1e-9)
    assert gap.low <= gap.value <= gap.high
    (two,) = (
        each
        for each in list_gaps(
            (make_model(metric),),
            metric,
            weight,
            gaps=(PlannedGap(metric, "old", None, "group", (gap.lowest, gap.highest)),),
            **params,
        )
        if each.between
    )
    assert two.value == pytest.approx(-gap.value, rel=1e-9)


def test_the_difference_of_two_shares_has_newcombes_limits():
    (gap,) = (
        each
        for each in list_gaps(
            (make_model("accuracy"),),
            "accuracy",
            gaps=(PlannedGap("accuracy", "old", None, "group", ("a", "b")),),
            threshold=0.5,
        )
        if each.between
    )
    right = (SCORE >= 0.5) == FLAG
    counts = [int(right[g == GROUP].sum()) for g in "ab"]
    sizes = [int(np.sum(g == GROUP)) for g in "ab"]
    low, high = confint_proportions_2indep(
        counts[0], sizes[0], counts[1], sizes[1], method="newcomb", correction=False
    )
    assert (gap.low, gap.high) == pytest.approx((low, high), abs=1e-9)


def make_groups(values, size, seed=1, replicates=9_999, **more):
    """Make means of groups of so many rows whose sample has exactly these means and unit spread."""
    draw = np.random.default_rng(seed)
    members = []
    for value in values:
        x = draw.standard_normal(size)
        x = value + (x - x.mean()) / x.std(ddof=1)
        each = (x - value) / size
        members.append(
            SamplingDistribution(
                value=value,
                replicates=value + draw.standard_normal(replicates) / np.sqrt(size),
                estimand=ESTIMANDS["mean"],
                bounds=(-np.inf, np.inf),
                n=size,
                units=size,
                influence=each,
                contributions=x / size,
                shares=np.full(size, 1 / size),
            )
        )
    return GroupValues(members, "t", 0.95, **more)


@pytest.mark.parametrize("k", [2, 5, 20])
def test_the_lower_limit_and_the_test_are_tukeys(k):
    size = 4_000  # so that t is the Normal
    values = np.linspace(0, 5.4, k) / np.sqrt(size)
    found = estimate_range(make_groups(values, size))
    tukey = stats.studentized_range(k, np.inf)
    assert found.value == pytest.approx(5.4 / np.sqrt(size))
    assert found.p_value == pytest.approx(tukey.sf(5.4), abs=0.01)
    low = max(5.4 - tukey.ppf(0.95), 0.0)
    assert found.low * np.sqrt(size) == pytest.approx(low, abs=0.1)
    assert (found.low > 0) == (found.p_value < 0.05)


@pytest.mark.parametrize("apart", [0.5, 2.0, 4.0])
def test_the_upper_limit_of_two_groups_is_that_of_a_size(apart):
    size = 4_000
    found = estimate_range(make_groups([0.0, apart / np.sqrt(size)], size))
    t = apart / np.sqrt(2)  # in standard errors of the difference
    exact = optimize.brentq(
        lambda r: stats.norm.cdf(t - r) - stats.norm.cdf(-t - r) - 0.025, 0.0, t + 5
    )
    assert found.high * np.sqrt(size / 2) == pytest.approx(exact, abs=0.1)


def test_a_group_far_from_the_others_leaves_the_limits_of_one_difference():
    size = 400
    values = np.array([-60.0, 0.0, 0.1, -0.1, 60.0]) / np.sqrt(size)
    found = estimate_range(make_groups(values, size))
    half = stats.t.ppf(0.975, size - 1) * np.sqrt(2 / size)
    assert found.high - found.value == pytest.approx(half, rel=0.05)


def test_groups_that_are_more_alike_than_chance_makes_them_may_still_differ():
    size = 400
    found = estimate_range(make_groups(np.array([0.0, 0.1, -0.1]) / np.sqrt(size), size))
    half = stats.t.ppf(0.975, size - 1) * np.sqrt(2 / size)
    assert found.high - found.value == pytest.approx(half, rel=0.05)


def test_no_limits_are_read_from_fewer_than_twenty_resamples():
    few, enough = (
        estimate_range(make_groups([0.0, 1.0, 2.0], 400, replicates=n)) for n in (19, 20)
    )
    assert np.isnan([few.low, few.high, few.p_value]).all()
    assert enough.low < 2 < enough.high


def test_the_change_between_two_groups_far_apart_is_welchs():
    size = 500
    old, new = make_groups([0.0, 1.0], size, 2), make_groups([0.0, 0.7], size, 3)
    members = [
        make_groups([a.value - b.value], size, seed).members[0]
        for seed, (a, b) in enumerate(zip(new.members, old.members, strict=True), 7)
    ]
    found = estimate_range_change(new, old, GroupValues(members, "t", 0.95))
    half = stats.t.ppf(0.975, 2 * size - 2) * np.sqrt(2 / size)
    assert found.value == pytest.approx(-0.3)
    assert (found.low, found.high) == pytest.approx((-0.3 - half, -0.3 + half), abs=0.003)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(0.3 / np.sqrt(2 / size)), abs=1e-4)


def test_models_that_are_the_same_have_the_same_gap():
    old = make_model("accuracy")
    new = ModelScores("new", "New", old.rows)
    change = next(g for g in list_gaps((old, new), "accuracy", threshold=0.5) if g.against)
    assert (change.value, change.low, change.high) == (0.0, 0.0, 0.0)
    assert not change.is_established


def test_groups_that_share_clusters_are_correlated():
    groups = make_groups([0.0, 0.2], 200, are_apart=False)
    shared = np.random.default_rng(5).standard_normal(9_999) / np.sqrt(200)
    members = [
        SamplingDistribution(**{**vars(m), "replicates": m.value + shared}) for m in groups.members
    ]
    together = estimate_difference(GroupValues(members, "t", 0.95, are_apart=False))
    apart = estimate_difference(GroupValues(members, "t", 0.95))
    assert together.high - together.low < 0.01 * (apart.high - apart.low)


def test_too_few_resamples_of_shared_clusters_give_no_interval():
    groups = make_groups([0.0, 0.2, 0.4], 50, replicates=3, are_apart=False)
    found = estimate_range(groups)
    assert found.value == pytest.approx(0.4)
    assert np.isnan([found.low, found.high, found.p_value]).all()


def find_share_gap(counts, sizes):
    """Find the gap of shares of right rows in groups of so many."""
    k = len(sizes)
    group = np.repeat(np.arange(k), sizes)
    right = np.concatenate([np.arange(n) < count for count, n in zip(counts, sizes, strict=True)])
    flag = np.arange(len(group)) % 2
    score = np.where(right, flag, 1 - flag) * 0.6 + 0.2
    rows = Classes(flag, score[:, None], ("0", "1"), "probability")
    plan = make_plan(
        dataset="sample",
        models=(ModelScores("old", "Old", rows),),
        metrics=(
            PlannedMetric("accuracy", METRICS["accuracy"].use(threshold=0.5), is_primary=True),
        ),
        segments=tuple(Segment(f"group={g}", np.flatnonzero(group == g)) for g in range(k)),
        design=Design("sample", len(group), 999, 1),
    )
    found = draw_replicates(plan)
    (gap,) = iter_group_gaps(found, iter_estimates(found))
    return gap


def test_groups_without_any_error_have_the_limits_of_shares_of_one():
    gap = find_share_gap((40, 60), (40, 60))
    wilson = 1.959964**2 / (40 + 1.959964**2)  # how far below 1 the share of 40 rows of 40 may be
    assert (gap.value, gap.low) == (0.0, 0.0)
    assert gap.high == pytest.approx(wilson, abs=1e-6)
    assert gap.p_value > 0.9


def test_a_group_without_any_error_is_held_against_one_with_some():
    gap = find_share_gap((40, 30), (40, 60))
    low, high = confint_proportions_2indep(40, 40, 30, 60, method="newcomb", correction=False)
    assert gap.value == pytest.approx(0.5)
    assert gap.low == pytest.approx(low, abs=0.03)
    assert gap.high == pytest.approx(high, abs=0.03)
    assert gap.p_value < 0.01


@pytest.mark.parametrize("pairs", [(1, 1), (3, 5), (7, 2)])
@pytest.mark.parametrize("seed", range(12))
def test_limits_of_a_change_reach_zero_at_their_distance(pairs, seed):
    draw, (p, q) = np.random.default_rng(seed), pairs
    change = draw.normal(draw.choice([-2, 0, 2]), 1, (p + q, 1))
    reach = draw.gamma(2, 0.5, (p + q, 2)) * (draw.random((p + q, 1)) > 0.2)
    own, theirs = (np.hstack([change, reach])[some].T for some in (slice(p), slice(p, None)))
    beside = draw.normal(change.mean(), 0.5, (p, q)), draw.gamma(2, 0.5, (p, q))
    other = None if seed % 3 == 0 else beside
    found = _Contrasts(tuple(own), tuple(theirs), other)
    at = found.find_distance()
    near = min(at, 1e3)  # without reach the distance has no end
    for times in (0.0, near * 0.999, near * 1.001 + 1e-9, 30.0):
        low, high = found.find_limits(times)
        assert (low > 0 or high < 0) == (times < at)
