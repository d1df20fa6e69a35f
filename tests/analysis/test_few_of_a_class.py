"""What a handful of rows of a class allows to be said: values, and of proportions their limits."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from benchmarks.plans import change_plan, make_plan
from reportgen.analysis.calibration import compute_calibrations
from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.curves import iter_curve_results
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.analysis.sensitivity.robustness import iter_rank_probabilities
from reportgen.analysis.warnings import iter_warnings
from reportgen.inference.analytic_intervals import wilson_limits
from reportgen.inference.resampling.design import Design
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Classes
from reportgen.terms import Margin

BETWEEN = (
    "roc_auc",
    "gini",
    "average_precision",
    "pr_auc",
    "partial_auc",
    "ks",
    "h_measure",
    "capture",
    "lift",
    "mcc",
    "g_mean",
    "odds_ratio",
)
OF_ROWS = ("recall", "specificity", "accuracy", "f", "balanced_accuracy", "log_loss")
NEEDED = {"capture": {"share": 0.2}, "lift": {"share": 0.2}}
WHY = "{} of one class, and so few do not show how others would differ; from 10 of each class"


def use(name, **params):
    return PlannedMetric(
        name, METRICS[name].use(**NEEDED.get(name, {}), **params), None, name == "roc_auc"
    )


def drawn(positives, n=60, apart=1.0, seed=3):
    """What happened, and what two models say of it."""
    draw = np.random.default_rng(seed)
    y = (np.arange(n) < positives).astype(np.intp)
    return y, [expit(apart * y - 0.5 + draw.normal(size=n) * k) for k in (0.7, 1.0)]


def analysis(y, scores, names=BETWEEN, curves=(), replicates=199, unit=None):
    models = tuple(
        ModelScores(m, m, Classes(y, p[:, None], ("0", "1"), "probability"))
        for m, p in zip("ab", scores, strict=True)
    )
    design = Design("rows", len(y), replicates, 1, **({} if unit is None else {"unit": unit}))
    return draw_replicates(
        make_plan(
            dataset="rows",
            models=models,
            pairs=(("b", "a"),),
            metrics=tuple(map(use, names)),
            curves=tuple(CURVES[name].use() for name in curves),
            design=design,
        )
    )


@pytest.mark.parametrize(("positives", "verdict"), [(120, "cannot tell"), (400, "equivalent")])
def test_two_models_without_an_error_are_equivalent_from_as_many_rows_as_would_show_one(
    positives, verdict
):
    """None of 120 positives was ranked wrongly by one model alone: up to 3 % of others may be."""
    y = (np.arange(1000) < positives).astype(np.intp)
    noise = np.random.default_rng(5).random((2, 1000))
    found = analysis(y, [0.6 * y + 0.3 * each for each in noise])
    asked = replace(use("roc_auc"), margin=Margin(0.01))
    found = replace(found, plan=change_plan(found.plan, metrics=(asked,)))
    (told,) = iter_comparisons(found)
    assert (told.difference, told.low, told.word) == (0.0, None, verdict)


@pytest.mark.parametrize(("n", "verdict"), [(40, "cannot tell"), (1000, "equivalent")])
def test_models_that_call_every_row_alike_may_call_others_otherwise(n, verdict):
    y = np.arange(n) % 2
    noise = np.random.default_rng(5).random((2, n))
    asked = replace(use("accuracy"), margin=Margin(0.01))
    found = analysis(y, [0.6 * y + 0.3 * each for each in noise], names=("accuracy",))
    found = replace(found, plan=change_plan(found.plan, metrics=(asked,)))
    (told,) = iter_comparisons(found)
    assert (told.difference, told.word, told.is_same) == (0.0, verdict, False)
    assert told.high == -told.low > 3.5 / (n + 4)
    same = analysis(y, [0.6 * y + 0.3 * noise[0]] * 2, names=("accuracy",))
    (told,) = iter_comparisons(same)
    assert (told.low, told.is_same) == (None, True)


def test_a_difference_that_nothing_changes_has_limits_or_is_warned_of():
    y = (np.arange(1000) < 120).astype(np.intp)
    noise = np.random.default_rng(5).random((2, 1000))
    names = ("recall", "accuracy", "capture", "lift", "roc_auc", "f", "mcc")
    found = analysis(y, [0.6 * y + 0.3 * each for each in noise], names=names)
    bare = {each.key for each in iter_comparisons(found) if each.low is None}
    assert bare == set(names) - {"recall", "accuracy"}
    assert {each.key for each in iter_warnings(found) if each.code == "W109"} == bare
    asked = replace(found, plan=change_plan(found.plan, interval="percentile"))
    assert {each.key for each in iter_comparisons(asked) if each.low is None} == bare


@pytest.mark.parametrize("positives", [1, 2, 9])
def test_what_compares_classes_has_no_interval_of_few_rows_of_one(positives):
    found = analysis(*drawn(positives))
    for each in iter_estimates(found):
        if each.value is not None and (each.value < 1 or each.key not in ("roc_auc", "gini")):
            assert (each.low, each.high) == (None, None), each.key
            assert WHY.format(f"{positives} row{'s are' if positives > 1 else ' is'}") in (
                each.reason
            )
    for each in iter_comparisons(found):
        if each.status == "ok":
            assert each.word in ("cannot tell", "no result") and each.low is None, each.key
            assert each.p_value is None and each.units_to_detect is None
            assert each.smallest_detectable is None and each.probability_better is None


def test_ten_rows_of_each_class_have_intervals():
    found = analysis(*drawn(10))
    assert all(e.low is not None for e in iter_estimates(found) if e.status == "ok" and e.value < 1)


def test_a_share_of_one_row_keeps_its_limits():
    y, scores = drawn(1)
    found = {e.key: e for e in iter_estimates(analysis(y, scores, OF_ROWS)) if e.model == "a"}
    caught = float(scores[0][0] >= 0.5)
    assert (found["recall"].low, found["recall"].high) == pytest.approx(
        wilson_limits(caught, 1.0, 0.95), abs=1e-9
    )
    assert all(found[key].low is not None for key in OF_ROWS if found[key].status == "ok")


def test_an_order_without_error_keeps_its_exact_bound():
    y, _ = drawn(3)
    score = y + np.linspace(0, 0.5, len(y))
    (one, *_) = iter_estimates(analysis(y, [score / 2, score[::-1] / 2], ("roc_auc",)))
    assert one.method == "exact-bound"
    assert one.low == pytest.approx(0.025 ** (1 / 3), abs=1e-9)


def test_few_rows_of_a_class_raise_no_alarm_about_the_order():
    y = (np.arange(50) < 1).astype(np.intp)
    score = np.linspace(0.1, 0.9, 50)  # the one positive comes near the end
    score[0] = 0.2
    few = analysis(y, [score, score[::-1].copy()], ("roc_auc",))
    codes = {w.code for w in iter_warnings(few)}
    assert "W101" in codes and not codes & {"W105", "W124"}
    more = analysis(np.repeat(y, 12), [np.repeat(score, 12)] * 2, ("roc_auc",))
    assert "W124" in {w.code for w in iter_warnings(more)}


def test_no_share_of_resamples_says_who_is_first_by_few_rows_of_a_class():
    found = analysis(*drawn(4), ("roc_auc", "log_loss"))
    first = {
        u.key: [r.shares for r in iter_rank_probabilities(found, u)]
        for u in found.plan.statistics.metrics
    }
    assert all(x is None for row in first["roc_auc"] for x in row)
    assert all(x is not None for row in first["log_loss"] for x in row)


def test_clusters_count_by_those_that_hold_a_class():
    y, scores = drawn(24, n=240)
    together = np.where(np.arange(240) < 24, np.arange(240) % 4, np.arange(240) % 40)
    few = analysis(y, scores, ("roc_auc",), unit=together)
    assert all(WHY.format("4 are") in e.reason for e in iter_estimates(few))
    apart = analysis(y, scores, ("roc_auc",), unit=np.arange(240) % 40)
    assert all(e.low is not None for e in iter_estimates(apart))


def test_a_difference_that_never_varies_is_not_settled_by_three_rows():
    y = (np.arange(60) < 3).astype(np.intp)
    right, wrong = np.where(y > 0, 0.9, 0.1), np.full(60, 0.1)
    (few,) = iter_comparisons(analysis(y, [right, wrong], ("recall",)))
    assert few.difference == -1 and few.word == "cannot tell"
    (enough,) = iter_comparisons(
        analysis(np.tile(y, 4), [np.tile(right, 4), np.tile(wrong, 4)], ("recall",))
    )
    assert enough.word == "worse"


SHARES = ("roc", "det", "cumulative_gains", "cumulative_lift")


def bands(found, curve, is_difference):
    """Positions of a curve of one model, or of the difference, with the height and its band."""
    (c,) = (
        c
        for c in iter_curve_results(found)
        if c.curve == curve and (c.baseline is not None) == is_difference and c.model == "b"
    )
    return [np.array(each, float) for each in (c.x, c.y, c.band_low, c.band_high)]


@pytest.mark.parametrize("curve", SHARES)
def test_a_difference_of_shares_of_few_rows_has_no_band(curve):
    *_, low, high = bands(analysis(*drawn(9), (), (curve,)), curve, True)
    assert np.isnan(low).all() and np.isnan(high).all()
    *_, low, high = bands(analysis(*drawn(30, 200), (), (curve,)), curve, True)
    known = np.isfinite(low)
    assert known.any() and np.all(high[known] > low[known])


def test_a_lift_at_its_ceiling_has_the_band_of_the_gain_it_is_a_multiple_of():
    y, _ = drawn(3)
    score = y / 2 + np.linspace(0, 0.4, len(y))
    found = analysis(y, [score, score], (), ("cumulative_gains", "cumulative_lift"))
    x, lift, low, high = bands(found, "cumulative_lift", False)
    (gain,) = (
        c
        for c in iter_curve_results(found)
        if c.curve == "cumulative_gains" and c.model == "b" and c.baseline is None
    )
    assert lift[4] == pytest.approx(20)  # of 60 rows 3 are positive, and all come first
    known = np.isfinite(low)
    assert known.sum() > 80 and np.all(high[known] > low[known])
    at = np.interp(x[known], np.array(gain.x, float), np.array(gain.band_low, float))
    assert low[known] == pytest.approx(at / x[known], rel=1e-6)


@pytest.mark.parametrize("positives, has_limits", [(4, False), (8, True)])
def test_a_slope_of_probabilities_is_judged_from_five_rows_of_a_class(positives, has_limits):
    draw = np.random.default_rng(8)
    y = (np.arange(2_000) < positives).astype(np.intp)
    odds = np.log(positives / 2_000) + 2.5 * (2.5 * y + draw.normal(size=2_000) - 1.25)
    p = expit(np.log(positives / 2_000) + (odds - np.log(positives / 2_000)) / 4)  # too timid
    (one, _), _, told = compute_calibrations(analysis(y, [p, p], ("log_loss",), replicates=19))
    assert (one.slope_low is not None) is has_limits
    assert ("W120" in {w.code for w in told}) is has_limits


def test_rows_that_are_left_without_weight_count_for_no_class():
    y, scores = drawn(12)
    found = analysis(y, scores, ("roc_auc",))
    weight = np.where((y > 0) & (np.arange(60) > 4), 0.0, 1.0)
    plan = change_plan(found.plan, design=replace(found.plan.sampling.design, weight=weight))
    assert all(WHY.format("5 rows are") in e.reason for e in iter_estimates(draw_replicates(plan)))


CALLS = (
    "recall",
    "precision",
    "specificity",
    "fpr",
    "fnr",
    "fdr",
    "f",
    "jaccard",
    "fowlkes_mallows",
    "accuracy",
    "balanced_accuracy",
    "mcc",
)


@pytest.mark.parametrize("unit", [None, np.arange(60) // 3])
@pytest.mark.parametrize("positives", [0, 60])
def test_rows_of_one_class_alone_decide_nothing_about_the_other(positives, unit):
    """Nor do they end in an error: a slice without a positive row is common where few are."""
    y, scores = drawn(positives)
    found = analysis(y, [*scores], CALLS, replicates=19, unit=unit)
    told = {c.key: c for c in iter_comparisons(found)}
    assert told.keys() == set(CALLS)
    of_class = ("recall", "fnr", "f", "mcc") if not positives else ("specificity", "fpr", "mcc")
    assert {told[key].word for key in of_class} <= {"no result", "cannot tell"}
