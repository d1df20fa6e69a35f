"""Each doubt where it is due, and silence where it is not."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.plans import change_plan, make_plan
from reportgen.analysis.calibration import compute_calibrations
from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.analysis.run import analyze_dataset
from reportgen.analysis.warnings import iter_limit_warnings, iter_warnings, name_classes
from reportgen.checks import check, comparisons, models, values
from reportgen.checks import rows as of_rows
from reportgen.checks.heavy_tails import UnitTails, hill_upper_bound
from reportgen.checks.rows import ClassRows, find_few_rows_of_class
from reportgen.inference.intervals import compute_interval
from reportgen.inference.resampling.design import Design
from reportgen.inference.sampling_distribution import Interval
from reportgen.metrics import METRICS
from reportgen.metrics.classification import calibration_tests
from reportgen.metrics.classification.calibration_tests import (
    JointCalibration,
    MiscalibratedPart,
    PredictedClassCalibration,
)
from reportgen.metrics.classification.probability import CLIP
from reportgen.metrics.rows import Amounts, Classes
from reportgen.metrics.traits import find_estimand
from reportgen.report.prose.warnings import format_warning, list_class_labels, replace_by_labels
from reportgen.results.core import ClassInfo
from reportgen.results.types import round_number
from tests.analysis.asked import question, rows, uses
from tests.inference.evidence_samples import INF, mean_of, plain
from tests.metrics.cases import rows_of, suited
from tests.worked import results_of


def find_few(positives, negatives, **more):
    return find_few_rows_of_class(ClassRows(positives, negatives, **more))


def find_few_in_window(positives, negatives, window):
    found = find_few(positives, negatives, window=window)
    return found if found and "in_window" in found.numbers else None


def test_few_of_a_class_is_w101_and_under_ten_too_few():
    assert find_few(30, 400) is None
    assert find_few(0, 400) is None, "nothing exists there, which is said elsewhere"
    assert find_few(400, 29).numbers["is_too_few"] is False
    found = find_few(9, 400)
    assert found.code == "W101" and found.numbers["is_too_few"] is True


def test_few_rows_in_the_window_of_a_measure_are_w101():
    window = METRICS["partial_auc"].use(low=0.0, high=0.1).estimand.window
    assert find_few_in_window(50, 100, window) is None
    found = find_few_in_window(50, 50, window)
    assert found.code == "W101" and found.numbers["in_window"] == 5
    assert format_warning("W101", found.numbers) == (
        "One class has only 50 of the rows. The positives number 50. The negatives number 50. "
        "The window of the metric has 5."
    )
    beside = METRICS["partial_auc"].use(low=0.9, high=1.0, along="tpr").estimand.window
    assert find_few_in_window(50, 5000, beside).numbers["in_window"] == 5
    assert find_few_in_window(5, 5, METRICS["roc_auc"].use().estimand.window) is None


def test_the_best_of_many_asks_for_more_of_a_class():
    draw = np.random.default_rng(2)
    y = (np.arange(400) < 60).astype(float)
    told = of_two_classes("W101", y, y + draw.normal(size=400), Design("rows", 400, 99, 1))
    assert [(each.key, each.numbers["count"]) for each in told] == [("ks", 60)]


def of_two_classes(code, y, log_odds, design, names=("ks", "roc_auc")):
    """What is told of some measures of a model by this code."""
    p = 1 / (1 + np.exp(-log_odds))
    rows = Classes(y.astype(np.intp), p[:, None], ("0", "1"), "probability")
    uses = tuple(PlannedMetric(name, METRICS[name], None) for name in names)
    plan = make_plan(
        dataset="rows",
        models=(ModelScores("a", "a", rows),),
        metrics=uses,
        design=design,
    )
    return [each for each in iter_warnings(draw_replicates(plan)) if each.code == code]


def test_few_of_a_class_are_told_of_with_clusters_too():
    draw = np.random.default_rng(2)
    y = (np.arange(400) % 16 == 0).astype(float)
    design = Design("rows", 400, 99, 1, unit=np.arange(400) // 8)
    told = of_two_classes("W101", y, y + draw.normal(size=400), design)
    assert [(each.key, each.numbers["count"]) for each in told] == [("ks", 25), ("roc_auc", 25)]


@pytest.mark.parametrize("positives", [15, 16])
def test_measures_that_ask_for_no_classes_tell_of_under_sixteen_rows_of_one(positives):
    draw = np.random.default_rng(2)
    y = (np.arange(200) < positives).astype(float)
    names, design = ("brier", "calibration_slope"), Design("rows", 200, 99, 1)
    told = of_two_classes("W101", y, y + draw.normal(size=200), design, names)
    assert [each.key for each in told] == (list(names) if positives < 16 else [])
    assert not any(each.numbers["is_too_few"] for each in told), "a gate may rest on them"


def test_the_best_of_many_asks_for_many_clusters_with_rows_of_each_class():
    draw = np.random.default_rng(2)
    y = (np.arange(1200) % 2).astype(float)
    design = Design("rows", 1200, 99, 1, unit=np.arange(1200) // 20)
    [told] = of_two_classes("W101", y, y + draw.normal(size=1200), design)
    assert told.key == "ks" and format_warning("W101", told.numbers) == (
        "One class has only 600 of the rows. They fall into 60 clusters. The positives number 600. "
        "The negatives number 600."
    )


def test_rows_of_a_class_count_as_what_they_are_worth_by_their_weights():
    draw = np.random.default_rng(2)
    y = (np.arange(800) < 300).astype(float)
    weight = np.where(np.arange(800) < 20, 100.0, 1.0)  # (2000 + 280)² / (20 · 100² + 280) rows
    design = Design("rows", 800, 99, 1, weight)
    told = of_two_classes("W101", y, y + draw.normal(size=800), design)
    assert [each.numbers["effective"] for each in told] == [26, 26]
    assert format_warning("W101", told[1].numbers) == (
        "Only 300 of the rows are “1”. Because of their weights, these few count as only 26. The "
        "negatives number 500."
    )
    alike = Design("rows", 800, 99, 1, np.where(y > 0, 0.1, 3.0))
    assert of_two_classes("W101", y, y + draw.normal(size=800), alike) == []


def test_scores_the_wrong_way_round_are_told_of_with_clusters_too():
    draw = np.random.default_rng(2)
    y = (np.arange(400) % 2).astype(float)
    design = Design("rows", 400, 199, 1, unit=np.arange(400) // 8)
    told = of_two_classes("W124", y, -2 * y + draw.normal(size=400), design)
    assert [each.key for each in told] == ["roc_auc"]


def test_fewer_than_twenty_scores_are_w118_unless_the_rows_are_few():
    assert of_rows.find_few_scores(20, 1000) is None
    assert of_rows.find_few_scores(8, 8) is None
    assert of_rows.find_few_scores(1, 8).numbers["distinct"] == 1
    found = of_rows.find_few_scores(19, 1000)
    assert found.code == "W118" and found.numbers["distinct"] == 19


def of_pairs(low, high):
    """What is said of a share of pairs of two classes with these limits."""
    known = plain((low + high) / 2, [], "share of pairs", (0.0, 1.0))
    return values.find_value_below_chance(known, Interval(low, high, 0.95, "influence", 0.01))


def test_an_interval_wholly_below_one_half_is_w124():
    found = of_pairs(0.3, 0.45)
    assert found.code == "W124" and found.numbers["high"] == 0.45
    assert of_pairs(0.4, 0.51) is None


def test_a_skill_of_bounded_losses_has_no_heavy_tail_and_one_of_amounts_may():
    influence = np.r_[np.full(999, -0.001), 0.999] / 1000
    of = (-INF, 1.0)
    bounded = plain(0.1, [], "log residual of bounded losses", of, n=1000, influence=influence)
    assert find_heavy_tail(bounded) is None
    free = replace(bounded, estimand=find_estimand("log residual"))
    assert find_heavy_tail(free).code == "W103"


def test_ties_are_counted_in_pairs():
    values = np.r_[np.zeros(20), np.arange(1.0, 81.0)]
    found = of_rows.find_ties(values, "y")
    assert found.code == "W102"
    assert found.numbers["share_pairs"] == pytest.approx(20 * 19 / (100 * 99))
    assert "sampled" not in found.numbers
    assert of_rows.find_ties(values, "y", 1_000).numbers["sampled"] == 100
    assert found.numbers["mode_share"] == pytest.approx(0.2)


def test_a_mode_over_five_percent_is_a_tie_though_few_pairs_are():
    assert of_rows.find_ties(np.r_[np.zeros(6), np.arange(1.0, 95.0)], "y").code == "W102"


@pytest.mark.parametrize("n", [2, 10, 1000])
def test_distinct_values_have_no_ties(n):
    assert of_rows.find_ties(np.arange(float(n)), "y") is None


def find_heavy_tail(*of):
    return values.find_heavy_tail(UnitTails(*of))


def tail_alarms(draw, n, runs=300, estimand="mean", low=0.0):
    """The share of runs in which a mean of such losses is warned of."""
    seeds = range(runs)
    samples = (draw(np.random.default_rng([n, seed]), n) for seed in seeds)
    evidence = (
        plain(x.mean(), [], estimand, (low, INF), n=n, influence=(x - x.mean()) / n)
        for x in samples
    )
    return np.mean([find_heavy_tail(each) is not None for each in evidence])


def squares(draw, n):
    return draw.normal(size=n) ** 2


def sizes(draw, n):
    return np.abs(draw.normal(size=n))


def errors(draw, n):
    return draw.normal(size=n)


def wild_squares(draw, n):
    return draw.standard_t(3, size=n) ** 2


@pytest.mark.parametrize("n", [100, 119, 200, 400, 499, 500, 1000, 4000])
@pytest.mark.parametrize(
    "draw, estimand, low",
    [
        (sizes, "mean", 0.0),
        (squares, "mean", 0.0),
        (squares, "log mean", 0.0),
        (errors, "mean", -INF),
    ],
)
def test_normal_errors_raise_no_more_than_one_false_alarm_in_twenty(n, draw, estimand, low):
    # A true rate of 5% gives up to 8% in 300 runs (three standard errors is 3.8%).
    assert tail_alarms(draw, n, estimand=estimand, low=low) <= 0.07


UNBOUNDED = [
    name
    for name, metric in METRICS.items()
    if metric.task != "ranking"
    and (not np.all(np.isfinite(metric.bounds)) or metric.estimand.tails == "products")
]
NEEDED = {
    "asymmetric_cost": {"alpha": 0.8},
    **{
        f"expected_cost{shift}": {"alpha": 0.8} for shift in ("", "_optimal", "_fitted", "_density")
    },
    "pinball": {"alpha": 0.8},
    "deviance": {"power": 1.5},
    "interval_score": {"level": 0.5},
}
LEVEL = 40.0  # where no y is near 0, so that ratios to it have no wild ones


@pytest.mark.parametrize("name", UNBOUNDED)
@pytest.mark.parametrize("n", [100, 400])
def test_no_measure_has_a_heavy_tail_in_more_than_one_of_twenty_normal_samples(name, n):
    metric, alarms = METRICS[name].use(**NEEDED.get(name, {})), 0
    for seed in range(200):
        known, noise, own = np.random.default_rng([n, seed]).normal(size=(3, n))
        normal = {"mean": LEVEL + known, "sd": np.ones(n)}
        y, score = LEVEL + known + noise, LEVEL + known + 0.5 * own
        if metric.task == "multilabel":
            y, score = suited(name, y, score)
        said = rows_of(name, y, score, normal)
        phi = metric.bind(said).influence(np.ones(n))
        influence = None if phi is None else phi / n
        evidence = plain(1.0, [], metric.estimand, metric.bounds, n=n, influence=influence)
        alarms += find_heavy_tail(evidence, known + noise) is not None
    assert alarms <= 20  # 10 are expected at a true rate of 5%, 20 with three standard errors


@pytest.mark.parametrize("name", ["wape", "heaven_distance"])
def test_the_tail_of_what_is_no_mean_of_squares_is_seen_as_that_of_a_mean(name):
    alarms = {"mae": 0, name: 0}
    for each in alarms:
        for seed in range(60):
            draw = np.random.default_rng(seed)
            y, metric = draw.lognormal(3.0, 0.3, 400), METRICS[each].use()
            phi = metric.bind(Amounts(y, y + draw.standard_t(1.5, 400))).influence(np.ones(400))
            evidence = plain(1.0, [], metric.estimand, metric.bounds, influence=phi / 400)
            alarms[each] += find_heavy_tail(evidence) is not None
    assert alarms[name] >= 0.9 * alarms["mae"] >= 48


def test_a_score_that_a_tenth_of_few_rows_make_up_is_told_of():
    # Of 100 rows ten lie outside, and a t interval of their mean score holds it in 88% of trials.
    z = 1.644854
    alarms = tail_alarms(lambda d, n: np.maximum(np.abs(d.normal(size=n)) - z, 0.0), 100)
    assert alarms >= 0.85


@pytest.mark.parametrize("n", [10, 30, 49])
def test_so_few_rows_cannot_show_their_tail(n):
    assert tail_alarms(errors, n, runs=5, low=-INF) == 1


@pytest.mark.parametrize("n, share", [(100, 0.85), (200, 0.97), (400, 0.99)])
def test_a_measure_of_squares_sees_wild_errors_nearly_as_soon_as_any_test_can(n, share):
    # The likelihood ratio against Normal errors, at 5%, sees 88% of them at 100 rows.
    assert tail_alarms(wild_squares, n, estimand="log mean") >= share - 0.03


def test_buckets_without_influence_are_judged_by_what_happened():
    draw = np.random.default_rng(4)
    for y, is_wild in ((draw.lognormal(0, 1.4, 300), True), (draw.normal(size=300), False)):
        evidence = plain(1.0, [], "smooth", (-INF, INF), n=300, grouped=np.ones(64))
        assert (find_heavy_tail(evidence, y - y.mean()) is not None) == is_wild
        assert find_heavy_tail(evidence) is None


@pytest.mark.parametrize("n", [200, 400, 500, 1000, 4000])
def test_squared_errors_without_variance_are_seen_from_200_rows(n):
    assert tail_alarms(wild_squares, n) >= 0.95


def test_a_bounded_loss_has_no_heavy_tail():
    influence = np.r_[np.full(999, -0.001), 0.999] / 1000
    rare = plain(0.001, [], "proportion", (0.0, 1.0), n=1000, influence=influence)
    assert find_heavy_tail(rare) is None
    assert (
        find_heavy_tail(replace(rare, estimand=find_estimand("mean"), bounds=(0.0, INF))).code
        == "W103"
    )


def test_the_tail_index_of_a_power_law_lies_under_its_bound():
    sizes = np.sort((np.arange(1, 10_001) / 10_001) ** (-1 / 1.5))[::-1]
    assert 1.5 < hill_upper_bound(sizes) < 2.0


LIMITS = Interval(0.4, 0.6, 0.95, "percentile", 0.05)
OF_BCA = replace(LIMITS, method="bca")


def test_bca_is_unusable_where_its_corrections_are_large():
    losses = np.random.default_rng(1).normal(10, 1, 200)
    evidence, _ = mean_of(losses)
    assert values.find_unusable_bca(evidence, OF_BCA) is None
    biased = replace(evidence, replicates=evidence.replicates + evidence.bootstrap_se)
    assert values.find_unusable_bca(biased, OF_BCA).code == "W104"
    assert values.find_unusable_bca(biased, LIMITS) is None
    skewed = replace(evidence, influence=np.r_[1.0, np.full(199, -1 / 199)])
    assert values.find_unusable_bca(skewed, OF_BCA).numbers["acceleration"] > 0.1
    one_sided = replace(evidence, replicates=evidence.replicates + 99)
    assert values.find_unusable_bca(one_sided, OF_BCA).numbers["z0"] is None


def test_a_measure_that_exists_in_no_resample_has_no_interval_to_doubt():
    assert values.find_degenerate_replicates(plain(np.nan, np.full(99, np.nan)), LIMITS) is None
    few = plain(0.5, np.append(0.5, np.full(98, np.nan)))
    assert values.find_degenerate_replicates(few, LIMITS) is not None


def test_degenerate_replicates_are_counted():
    replicates = np.linspace(0, 1, 1000)
    replicates[:10] = np.nan
    assert values.find_degenerate_replicates(plain(0.5, replicates), LIMITS) is None
    replicates[10] = np.nan
    assert (
        values.find_degenerate_replicates(plain(0.5, replicates), LIMITS).numbers["missing"] == 11
    )


def test_few_clusters_or_a_dominating_one_are_w106():
    assert of_rows.find_few_clusters(np.ones(20)) is None
    assert of_rows.find_few_clusters(np.ones(19)).numbers["has_no_p"] is False
    assert of_rows.find_few_clusters(np.ones(9)).numbers["has_no_p"] is True
    assert of_rows.find_few_clusters(np.r_[np.ones(2), np.zeros(40)]).numbers["clusters"] == 2
    large = of_rows.find_few_clusters(np.r_[np.ones(39), 10.0])
    assert large.numbers["largest_share"] == round_number(10 / 49)


def find_repeated_units(code):
    return of_rows.find_repeated_units(np.unique(code, return_counts=True)[1], 0, "shop")


def test_repeated_units_are_w107():
    assert find_repeated_units(np.arange(100)) is None
    assert find_repeated_units(np.arange(100) // 2).numbers["units"] == 50
    few = np.append(np.arange(100), [0, 1])
    assert find_repeated_units(few) is None  # 4 of 102 rows
    assert find_repeated_units(np.arange(100) // 10) is None  # ten groups, no units


def test_an_estimate_at_its_bound_comes_with_its_limit():
    evidence, _ = mean_of(np.ones(60), bounds=(0.0, 1.0), estimand="proportion")
    evidence = replace(evidence, trials=60)
    found = compute_interval(evidence, "auto", 0.95)
    doubt = values.find_estimate_at_bound(evidence, found)
    assert doubt.code == "W108"
    numbers = {"bound": 1.0, "exact_low": round_number(found.low), "rule_of_three": 3 / 60}
    assert doubt.numbers == numbers
    assert values.find_estimate_at_bound(replace(evidence, value=0.9), found) is None


def test_shares_of_some_rows_at_their_bound_are_told_by_their_limits_alone():
    score = np.repeat([0.2, 0.9], 30)
    rows = Classes(np.repeat([0, 1], 30), score[:, None], ("0", "1"), "probability")
    names = ("precision", "recall", "fpr", "f", "balanced_accuracy", "roc_auc")
    plan = make_plan(
        dataset="rows",
        models=(ModelScores("a", "a", rows),),
        metrics=tuple(PlannedMetric(name, METRICS[name], None) for name in names),
        design=Design("rows", 60, 99, 1),
    )
    told = [each.key for each in iter_warnings(draw_replicates(plan)) if each.code == "W108"]
    assert told == ["roc_auc"]


def test_a_difference_that_never_varies_is_w109():
    same = plain(0.0, np.zeros(99), influence=np.zeros(10), is_difference=True)
    none = compute_interval(same, "auto", 0.95)
    doubt = comparisons.find_no_variance(same, none, True)
    assert (doubt.code, doubt.numbers) == ("W109", {"difference": 0.0, "same_rows": same.n})
    other = comparisons.find_no_variance(same, none, False)
    assert other.numbers == {"difference": 0.0, "n": same.n}
    varied = replace(same, replicates=np.linspace(-1, 1, 99))
    assert comparisons.find_no_variance(varied, none, True) is None
    assert comparisons.find_no_variance(replace(same, is_difference=False), none, True) is None


def test_a_difference_that_has_limits_is_not_said_to_have_none():
    few = plain(-1.0, np.full(99, -1.0), influence=np.zeros(10), is_difference=True)
    assert comparisons.find_no_variance(few, Interval(-1.0, 0.8, 0.95, "tango", 0.5), True) is None


def raised(code, asked):
    return [doubt for doubt in analyze_dataset(asked).warnings if doubt.code == code]


def test_only_equal_scores_are_called_equal():
    y, (score, other, _) = rows(60, 3)
    same = raised("W109", question(names=("mae",), data=(y, [score, score.copy()])))
    assert [doubt.numbers.get("same_rows") for doubt in same] == [60]
    assert format_warning("W109", same[0].numbers) == (
        "The two models have the same score on each of 60 rows."
    )
    everything = PlannedMetric("top", METRICS["topk_capture"].use(k=5000), None, True)
    asked = change_plan(question(data=(y, [score, other])), metrics=(everything,))
    captured = raised("W109", asked)
    assert [doubt.numbers for doubt in captured] == [{"difference": 0.0, "n": 60}]
    said = format_warning("W109", captured[0].numbers)
    assert said.startswith("The two models have the same value in every resample")
    apart = format_warning("W109", {"difference": 0.2, "n": 60})
    assert apart.startswith("The difference is the same in every resample") and "n =" not in apart


def test_a_model_twice_takes_no_part_in_what_resamples_can_reach():
    y, (score, other, _) = rows(60, 3)
    same = [score, other, score.copy(), score.copy()]
    asked = {"names": ("mae",), "models": 4, "data": (y, same), "interval": "percentile"}
    found = raised("W114", question(replicates=30, **asked))
    assert [doubt.numbers["comparisons"] for doubt in found] == [1]
    assert not raised("W114", question(replicates=60, **asked))


def test_losses_that_follow_each_other_are_w111():
    steps = np.random.default_rng(2).normal(size=500)
    assert values.find_autocorrelation(steps, 1) is None
    found = values.find_autocorrelation(steps + np.r_[0, 0, 0, steps[:-3]], 1)
    assert found.code == "W111" and found.numbers["lag"] == 3


def test_independent_losses_are_seldom_called_autocorrelated():
    draws = (np.random.default_rng(k).normal(size=100) ** 2 for k in range(400))
    assert np.mean([values.find_autocorrelation(each, 1) is not None for each in draws]) <= 0.02


@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("kind", ["wild", "zeros", "weights"])
def test_no_shape_of_independent_losses_is_called_autocorrelated(kind, n):
    draw = np.random.default_rng(n)
    shapes = {
        "wild": lambda: np.exp(3 * draw.normal(size=n)) ** 2,
        "zeros": lambda: draw.gamma(1.0, 1.0, n) * (draw.random(n) < 0.2),
        "weights": lambda: np.exp(2 * draw.normal(size=n)) * draw.normal(size=n) ** 2,
    }
    told = [values.find_autocorrelation(shapes[kind](), 1) is not None for _ in range(400)]
    assert np.mean(told) <= 0.02


def test_many_measures_of_one_report_share_its_false_alarms():
    draw = np.random.default_rng(8)
    steps = draw.normal(size=200)
    steps[1:] += 0.5 * steps[:-1]
    assert values.find_autocorrelation(steps, 1).code == "W111"
    assert values.find_autocorrelation(steps, 10_000_000) is None


def test_losses_that_are_all_the_same_follow_nothing():
    assert values.find_autocorrelation(np.full(100, 0.1), 1) is None


def test_few_replicates_make_imprecise_limits():
    draw = np.random.default_rng(3)
    many, few = plain(0.0, draw.normal(size=1999)), plain(0.0, draw.normal(size=39))
    assert values.find_imprecise_limits(many, compute_interval(many, "percentile", 0.95)) is None
    assert (
        values.find_imprecise_limits(few, compute_interval(few, "percentile", 0.95)).code == "W112"
    )


def find_close_call(evidence, interval, margin):
    lines = (0.0,) if margin is None else (0.0, -margin, margin)
    return comparisons.find_close_call(evidence, interval, lines)


def test_a_limit_near_zero_or_the_margin_is_too_close_to_call():
    spread = np.linspace(-1, 1, 1999)
    apart, close = plain(2.0, 2.0 + spread), plain(0.951, 0.951 + spread)
    assert find_close_call(apart, compute_interval(apart, "percentile", 0.95), None) is None
    found = compute_interval(close, "percentile", 0.95)
    assert find_close_call(close, found, None).code == "W113"
    on_margin = compute_interval(apart, "percentile", 0.95).low
    near = find_close_call(apart, compute_interval(apart, "percentile", 0.95), on_margin)
    assert near.numbers["distance"] == 0


def test_the_limit_that_allows_for_the_family_is_the_one_too_close_to_call():
    found = draw_replicates(question(models=3, names=("mae",), interval="percentile"))
    made = [c for c in iter_comparisons(found) if c.key == "mae"]
    far = [replace(c, low=2.0, high=5.0) for c in made]
    assert not list(iter_limit_warnings(found, far))
    near = [replace(far[0], low=1e-9), far[1]]
    (told,) = iter_limit_warnings(found, near)
    assert (told.code, told.key, told.model) == ("W113", "mae", near[0].candidate)
    assert told.numbers["distance"] == 1e-9


def test_a_formula_is_never_too_close_to_call():
    evidence, _ = mean_of(np.random.default_rng(1).exponential(size=50))
    found = compute_interval(evidence, "t", 0.95)
    assert find_close_call(evidence, found, found.low) is None


def test_losses_are_looked_at_in_the_sequence_of_their_ids():
    draw = np.random.default_rng(4)
    loss = draw.gamma(2.0, 1.0, 600)
    loss[1:] += 0.9 * loss[:-1]
    stored = draw.permutation(600)
    asked = question(names=("mae",), data=(np.zeros(600), [loss[stored], loss[stored]]))
    mixed = {d.code for d in analyze_dataset(asked).warnings}
    back = np.argsort(stored)
    ordered = {d.code for d in analyze_dataset(change_plan(asked, sequence=back)).warnings}
    assert "W111" in ordered and "W111" not in mixed


def test_a_heavy_tail_of_clusters_counts_clusters():
    draw = np.random.default_rng(4)
    y, unit = np.zeros(120), np.arange(120) // 2
    scores = [draw.standard_cauchy(60)[unit] * 100 for _ in range(2)]
    told = analyze_dataset(question(names=("rmse",), data=(y, scores), unit=unit)).warnings
    assert {d.numbers["counted"] for d in told if d.code == "W103"} == {"cluster"}


def test_a_rule_about_values_is_asked_of_every_model_on_every_metric(monkeypatch):
    monkeypatch.setattr(check, "CHECKS", {})

    @check.check("W999", values.ValueSubject)
    def find_rows(evidence):
        return {"n": evidence.n}

    asked = question()
    raised = [each for each in analyze_dataset(asked).warnings if each.code == "W999"]
    judged = {(use.key, model.name) for use in asked.statistics.metrics for model in asked.models}
    assert {(each.key, each.model) for each in raised} == judged
    assert len(raised) == len(judged)


def doubted(p=0.5, error=0.01, value=1.1, limits=(0.9, 1.3), inner=(0.9, 1.3), total=None):
    right = models.MeanCalibration(0.2, 0.2, (0.9, 1.1), 0.9)
    slope = models.CalibrationSlope(value, limits, inner)
    return models.find_miscalibration(models.BinaryCalibration(p, error, slope, total or right))


def test_probabilities_are_doubted_where_slope_or_test_say_so():
    far = (1.3, 1.9)
    assert doubted() is None
    assert doubted(p=0.001) is None  # too little to matter
    by_test = doubted(p=0.001, error=0.05, value=1.0009)
    assert by_test.code == "W120" and by_test.numbers.keys() == {"error", "p"}  # its slope is right
    assert doubted(value=1.6, limits=far, inner=far).numbers["slope"] == 1.6
    assert doubted(value=0.6, limits=None, inner=None) is None
    assert doubted(value=1.6, limits=far, inner=None) is None  # too few of a class
    assert doubted(value=1.6, limits=far) is None  # the clip alone makes it so


@pytest.mark.parametrize(
    ("total", "is_told"),
    [
        (models.MeanCalibration(0.175, 0.152, (0.82, 0.93), 5e-5), True),
        (
            models.MeanCalibration(0.165, 0.152, (0.86, 0.99), 0.004),
            False,
        ),  # too little to matter
        (models.MeanCalibration(0.175, 0.152, (0.75, 1.01), 0.06), False),  # chance makes it
        (models.MeanCalibration(0.002, 0.001, (0.35, 0.7), 1e-4), True),
        (models.MeanCalibration(0.002, 0.001, (0.35, 0.7), 0.02), False),
        (
            models.MeanCalibration(0.002, 0.001, (0.35, 0.7), np.nan),
            True,
        ),  # in clusters limits alone tell
        (models.MeanCalibration(0.002, 0.001, None, np.nan), False),
    ],
)
def test_probabilities_that_are_too_high_on_average_are_told(total, is_told):
    told = doubted(total=total)
    assert (told is not None) is is_told
    if told is not None:
        numbers = {"error": 0.01, "expected": total.predicted, "happened": total.happened, "p": 0.5}
        assert told.numbers == numbers


def doubted_jointly(joint, kind):
    return models.find_miscalibration(models.ClassesCalibration(joint, kind))


def test_probabilities_of_several_classes_are_doubted_by_the_called_one_first():
    rare, calls = (
        MiscalibratedPart("b", 0.3),
        MiscalibratedPart(None, 0.03, PredictedClassCalibration(0.9, 0.87)),
    )
    little = MiscalibratedPart("c", 0.01)
    found = JointCalibration(0.002, (calls, rare, little))
    told = doubted_jointly(found, "class").numbers
    assert told == {"error": 0.03, "p": 0.002, "said": 0.9, "right": 0.87, "classes": 1}
    told = doubted_jointly(JointCalibration(0.002, (rare, little)), "label").numbers
    assert told == {"error": 0.3, "p": 0.002, "label": "b"}
    assert doubted_jointly(JointCalibration(0.002, (little,)), "class") is None


@pytest.mark.parametrize("unit", [None, np.arange(400) // 2])
def test_a_model_of_several_classes_is_doubted_where_rows_are_independent(unit):
    draw = np.random.default_rng(8)
    code = draw.integers(0, 3, 400)
    said = np.where(np.arange(3) == code[:, None], 0.5, 0.25)
    rows = Classes(code, said, ("a", "b", "c"))
    plan = question(n=400, models=1, names=("mae",), replicates=9, unit=unit)
    plan = change_plan(
        plan, models=(ModelScores("m", "m", rows),), metrics=uses("multiclass_log_loss")
    )
    told = [each for each in compute_calibrations(draw_replicates(plan))[2] if each.code == "W120"]
    assert [each.model for each in told] == ["m"]  # in clusters by another test
    of_classes = compute_calibrations(draw_replicates(plan))[1]
    # Calls that are right in every cluster have no spread between them to be tested by.
    assert [(c.label, c.is_off) for c in of_classes] == [
        (None, unit is None),
        *((label, True) for label in "abc"),
    ]
    if unit is None:
        assert told[0].numbers["said"] == 0.5 and told[0].numbers["right"] == 1.0
    assert of_classes[1].happened == pytest.approx(np.mean(code == 0))


def test_a_model_without_error_on_several_classes_is_doubted():
    """As a leak does more often than skill; one error is enough to say nothing."""
    code = np.arange(90) % 3
    said = np.where(np.arange(3) == code[:, None], 0.8, 0.1)
    for wrong in (0, 1):
        off = said.copy()
        off[:wrong] = off[:wrong, ::-1]
        rows = Classes(code, off, ("a", "b", "c"))
        plan = question(n=90, models=1, names=("mae",), replicates=9)
        plan = change_plan(
            plan, models=(ModelScores("m", "m", rows),), metrics=uses("multiclass_log_loss")
        )
        told = [w for w in compute_calibrations(draw_replicates(plan))[2] if w.code == "W119"]
        assert [w.numbers for w in told] == ([] if wrong else [{"rows": 90}])


@pytest.mark.parametrize("clusters", [8, 40])
def test_the_slope_of_probabilities_in_clusters_is_judged_by_clusters(clusters):
    draw = np.random.default_rng(8)
    unit = np.arange(800) % clusters
    odds = draw.normal(size=800) + draw.normal(size=clusters)[unit]
    y = draw.random(800) < 1 / (1 + np.exp(-odds))
    extreme = 1 / (1 + np.exp(-2.5 * odds))
    rows = Classes(y.astype(np.intp), extreme[:, None], ("0", "1"))
    plan = question(n=800, models=1, names=("mae",), replicates=9, unit=unit)
    model = (ModelScores("m", "m", rows),)
    found = draw_replicates(change_plan(plan, models=model, metrics=uses("calibration_slope")))
    (of,), _, told = compute_calibrations(found)
    assert of.spiegelhalter is None
    if clusters < 10:
        assert (of.slope_low, of.ratio_low, of.p_calibrated, told) == (None, None, None, ())
        return
    assert of.p_calibrated < 0.001
    part = found.parts[0]
    limits = compute_interval(
        found.evidence(part, found.plan.statistics.metrics[0], "m"), "influence", 0.95
    )
    assert (of.slope_low, of.slope_high) == pytest.approx((limits.low, limits.high))
    assert [(w.code, "p" in w.numbers) for w in told] == [("W120", True)]


def w120(seed, decimals, n=500, share=0.02):
    """Whether W120 is told of right probabilities of rare positives, written so precisely."""
    draw = np.random.default_rng(seed)
    y = (draw.random(n) < share) * 1
    x = draw.normal(size=n) + 0.75 * y
    p = 1 / (1 + np.exp(-(0.75 * x - 0.75**2 / 2 + np.log(share / (1 - share)))))
    rows = Classes(y.astype(np.intp), np.round(p, decimals)[:, None], ("0", "1"))
    plan = question(n=n, models=1, names=("mae",), replicates=9)
    plan = change_plan(plan, models=(ModelScores("m", "m", rows),), metrics=uses("log_loss"))
    return any(each.code == "W120" for each in compute_calibrations(draw_replicates(plan))[2])


@pytest.mark.full
@pytest.mark.parametrize("decimals", [2, 8])
def test_right_probabilities_of_rare_positives_are_seldom_doubted(decimals, monkeypatch):
    monkeypatch.setattr(calibration_tests, "CONSISTENCY_DRAWS", 199)
    # A true rate of 5% gives up to 6 in 60 runs; of those rounded to 0 the clip alone made 16%.
    assert sum(w120(seed, decimals) for seed in range(60)) <= 6


def test_a_distance_that_is_cut_off_at_zero_is_no_estimate_at_its_bound():
    evidence = plain(0.0, [], "debiased distance", (0.0, 1.0))
    assert (
        values.find_estimate_at_bound(evidence, Interval(0.0, 0.1, 0.95, "percentile", 0.01))
        is None
    )


def test_separated_classes_and_sure_mistakes_are_told():
    assert (
        models.find_separated_classes(False, 0) is None
        and models.find_separated_classes(True, 0).code == "W119"
    )
    find = models.find_confident_mistakes
    assert find((0, 0.0), CLIP, True) is None
    assert find((3, 0.004), CLIP, False) is None  # it moves nothing
    assert find((3, 0.004), CLIP, True).numbers["count"] == 3
    told = find((3, 0.4), CLIP, False)
    assert told.numbers == {"count": 3, "share": 0.4}


def test_no_row_is_wild_where_y_is_one_of_two_and_scores_are_held_in_a_range():
    rare = np.where(np.arange(1000) % 50 == 0, 1.0, 0.001)
    for estimand, is_told in (("smooth", True), ("slope of a fit", False)):
        evidence = plain(1.0, np.linspace(0.5, 1.5, 99), estimand, influence=rare - rare.mean())
        assert (find_heavy_tail(evidence) is not None) == is_told


def find_few_named(positives, negatives, metric, labels, upper):
    names, at = name_classes(metric, labels, upper), metric.params.get("at", "")
    return find_few(positives, negatives, names=names, at=at)


def test_few_of_a_class_names_the_class_and_where_it_is_called():
    recall = replace(METRICS["recall"], params={"at": "call list"})
    found = find_few_named(9, 500, recall, ("0", "1"), 1)
    named = replace_by_labels(found.numbers, {"class 1": "left", "1": "a model"})
    assert format_warning("W101", named) == (
        "Only 9 of the rows are “left”. The negatives number 500. This is at the threshold "
        "“call list”."
    )
    assert find_few_named(500, 9, recall, ("0", "1"), 1).numbers["class"] == "0"
    assert find_few_named(9, 500, recall, ("0", "1"), 0).numbers["class"] == "0"
    of_one = replace(recall, params={"of": "dog"})
    assert find_few_named(9, 500, of_one, ("cat", "dog", "emu"), 2).numbers["class"] == "dog"
    assert "at" not in find_few_named(9, 500, of_one, ("cat", "dog"), 1).numbers
    assert "class" not in find_few_named(9, 9, recall, ("0", "1"), 1).numbers


def test_the_rows_beside_a_class_are_told_by_its_name_too():
    recall = replace(METRICS["recall"], params={"of": "1"})
    found = find_few_named(500, 9, recall, ("0", "1", "2"), 1)
    data = replace(results_of("churn").datasets[0], classes=(ClassInfo("1", "left", 500),))
    named = replace_by_labels(found.numbers, list_class_labels([data]))
    assert format_warning("W101", named).startswith("Only 9 of the rows are “not left”.")


@pytest.mark.parametrize(("scale", "is_told"), [(0.0, False), (0.8, True)], ids=["even", "skewed"])
def test_the_mean_of_six_skewed_amounts_at_the_top_is_told_of(scale, is_told):
    draw = np.random.default_rng(11)
    latent = draw.normal(size=60)
    y = np.exp(scale * latent) if scale else latent
    plan = make_plan(
        dataset="rows",
        models=(ModelScores("a", "a", Amounts(y, latent + draw.normal(size=60))),),
        metrics=(PlannedMetric("last", METRICS["ranking_last"].use()),),
        design=Design("rows", 60, 199, 1),
    )
    found = draw_replicates(plan)
    evidence = found.evidence(found.parts[0], plan.statistics.metrics[0], "a")
    assert compute_interval(evidence, "auto", 0.95).method == "edge-t"
    told = [each.model for each in iter_warnings(found) if each.code == "W103"]
    assert told == (["a"] if is_told else [])
