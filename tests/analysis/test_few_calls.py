"""Whether few rows decide what is made of calls is seen in each kind of row, and told."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.plans import make_plan
from reportgen.analysis.dataset_analysis import (
    count_changed_calls,
    count_deciding_rows,
    draw_replicates,
)
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.analysis.row_subset import RowSubset
from reportgen.analysis.warnings import iter_warnings
from reportgen.checks.rows import METHODS_FOR_FEW_ROWS
from reportgen.inference.differences import estimate_deciding_rows
from reportgen.inference.intervals import compute_interval
from reportgen.inference.methods import INTERVAL_METHODS
from reportgen.inference.proportion_intervals import tango_interval
from reportgen.inference.resampling.design import Design
from reportgen.kernels.thresholds import TopShare
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes
from reportgen.report.prose.warnings import format_warning

Y = np.repeat([1, 1, 0, 0], [20, 40, 30, 210])  # called, missed, false alarms, left alone
FIRST = np.repeat([0.9, 0.1, 0.9, 0.1], [20, 40, 30, 210])


def plan_of(scores, *uses, y=Y, weight=None, unit=None, rules=None):
    """A plan over models with these scores, the first of them the baseline."""
    models = tuple(
        ModelScores(f"m{k}", f"m{k}", Classes(y, p[:, None], ("0", "1"), rules=rules))
        for k, p in enumerate(scores)
    )
    return make_plan(
        dataset="rows",
        models=models,
        pairs=tuple((m.name, "m0") for m in models[1:]),
        metrics=uses,
        design=Design("rows", len(y), 199, 1, weight, unit),
    )


def using(name, **params):
    """A metric as a config asks for it, under its name."""
    return PlannedMetric(name, METRICS[name].use(**params), None)


def moving(name):
    """A metric of the calls at the point "few", which move with the weights."""
    return using(name, at="few", moves=True)


def told(scores, *uses, **about):
    """What is told of few rows that decide, by metric and model."""
    found = iter_warnings(draw_replicates(plan_of(scores, *uses, **about)))
    return {(w.key, w.model): w.numbers for w in found if "deciding" in w.numbers}


def deciding(scores, use, **about):
    """How many rows decide the metric of the only model, or of the second minus the first."""
    plan = plan_of(scores, use, **about)
    names = [model.name for model in plan.models][::-1]
    return count_deciding_rows(RowSubset(plan, None), use.key, *names)


def turned(*counts):
    """Scores that call otherwise so many of the rows called, missed, alarmed and left alone."""
    score, start = FIRST.copy(), 0
    for size, count in zip((20, 40, 30, 210), counts, strict=True):
        score[start : start + count] = 1 - score[start : start + count]
        start += size
    return score


def test_a_share_of_rows_rests_on_the_rarer_kind_with_one_row_more_of_each():
    # 50 + 2 of 300 + 4 are called: Satterthwaite's n(1 - p)p / (1 - 3p(1 - p)) of a proportion.
    p = 52 / 304
    assert deciding([FIRST], using("flagged")) == pytest.approx(
        304 * p * (1 - p) / (1 - 3 * p * (1 - p))
    )


def test_what_adds_no_variance_does_not_count():
    by_hand = estimate_deciding_rows(
        np.array([1.0, 0, 0]), np.array([0.5, 0.5, 0]), np.array([9, 9, 0])
    )
    assert by_hand == pytest.approx(18)
    assert np.isnan(estimate_deciding_rows(np.zeros(2), np.array([0.5, 0.5]), np.array([9.0, 9.0])))


@pytest.mark.parametrize("called, is_told", [(3, True), (40, False)])
def test_few_rows_called_are_told_of_under_a_measure_without_limits_for_few(called, is_told):
    score = np.where(np.arange(300) < called // 2, 0.9, 0.1)  # half of them positive
    score[60 : 60 + called - called // 2] = 0.9
    assert bool(told([score], using("g_mean"))) is is_told
    assert not told([score], using("accuracy")), "a share of rows has limits for few of them"
    assert not told([score], using("net_benefit", threshold=0.5)), "and so have shares at prices"


def test_few_rows_that_are_not_called_are_told_of():
    score = np.full(300, 0.9)
    score[[0, 70, 71, 72]] = 0.1
    assert list(told([score], using("g_mean"))) == [("g_mean", "m0")]


def test_a_kind_without_rows_is_not_taken_for_sure():
    cost = using("misclassification_cost", fp=1.0, fn=20.0)
    y = np.repeat([1, 0, 0], [60, 40, 200])
    score = np.repeat([0.9, 0.9, 0.1], [60, 40, 200])
    assert deciding([score], cost, y=y) < 2, "no positive was missed, but one may be next time"


def test_a_difference_rests_on_rows_that_are_called_otherwise():
    use = using("kappa")
    few, many = ([FIRST, turned(k, k, k, k)] for k in (2, 20))
    assert list(told(few, use)) == [("kappa", "m1")]
    assert deciding(many, use) > 5 * deciding(few, use) and not told(many, use)


def test_a_difference_of_shares_of_rows_has_limits_for_few_that_changed():
    few = [FIRST, turned(2, 2, 2, 2)]
    assert deciding(few, using("accuracy")) < 15 and not told(few, using("accuracy"))


def test_limits_that_are_made_for_few_rows_are_among_those_that_there_are():
    assert set(METHODS_FOR_FEW_ROWS) <= set(INTERVAL_METHODS)


def test_only_the_ratio_of_weights_counts_and_uneven_ones_are_worth_fewer_rows():
    use, even = using("kappa"), np.ones(300)
    once = deciding([FIRST], use)
    assert deciding([FIRST], use, weight=7 * even) == pytest.approx(once)
    uneven = np.where(np.arange(300) % 10 == 0, 20.0, 1.0)
    assert deciding([FIRST], use, weight=uneven) < once / 2


def test_of_clusters_those_count_that_have_rows_of_a_kind():
    use = using("kappa")
    unit = np.arange(300) // 10  # 2, 4, 3 and 21 clusters of the four kinds
    assert deciding([FIRST], use, unit=unit) < 10 < deciding([FIRST], use)


def test_a_top_that_is_nearly_all_positive_rests_on_the_rows_in_it_that_are_not():
    y = np.repeat([1, 0], [150, 150])
    score = np.linspace(0.9, 0.1, 300)
    other = score.copy()
    other[[2, 200]] = other[[200, 2]]  # one negative comes into the top 30
    pair, use = [score, other], using("capture", share=0.1)
    assert deciding(pair, use, y=y) < 5
    assert told(pair, use, y=y)["capture", "m1"]["other"] == "m0"


def test_calls_that_move_with_the_weights_are_looked_at_where_they_are():
    score = np.linspace(0.9, 0.1, 300)
    use = using("found", at="few", moves=True)
    few = deciding([score], use, rules={"few": TopShare(0.02)})
    assert few < 10 < deciding([score], use, rules={"few": TopShare(0.5)})


def test_nothing_is_said_of_a_measure_without_calls_nor_again_of_a_class_with_few_rows():
    assert np.isnan(deciding([FIRST], using("brier")))
    y = np.repeat([1, 0], [12, 288])
    assert not told([FIRST], using("kappa"), y=y), "it is told that 12 rows are positive"


def test_the_line_says_of_whom_the_difference_is():
    numbers = {"deciding": 4, "is_too_few": False}
    assert format_warning("W101", numbers) == "Only about 4 rows decide the value."
    assert format_warning("W101", {**numbers, "other": "Dense"}) == (
        "Only about 4 rows decide the difference from Dense."
    )


def test_of_few_rows_changed_in_a_top_the_limits_are_no_narrower_than_tangos():
    score = np.linspace(0.9, 0.1, 300)
    y = np.where(np.arange(300) % 30 == 0, 1, 0)  # 10 positives, one of the first 30
    other = score.copy()
    other[[3, 60]] = other[[60, 3]]  # a positive comes in for a negative
    analysis = draw_replicates(
        plan_of(
            [score, other],
            *map(moving, ("found", "recall", "f")),
            y=y,
            rules={"few": TopShare(0.1)},
        )
    )
    part = analysis.parts[0]
    assert count_changed_calls(part, "found", "m1", "m0") == (1, 0, 300)
    assert count_changed_calls(part, "recall", "m1", "m0") == (1, 0, 10), "of the positives"
    assert count_changed_calls(part, "f", "m1", "m0") is None, "it is no share of rows"
    for name, reach in (("found", 1000), ("recall", 1)):
        evidence, _ = analysis.difference(part, moving(name), "m1", "m0")
        own, exact = compute_interval(evidence, "auto", 0.95), tango_interval(evidence, 0.95)
        bare = compute_interval(replace(evidence, changed=None), "auto", 0.95)
        assert evidence.bounds[1] == reach
        assert own.low <= min(exact.low, bare.low) and own.high >= max(exact.high, bare.high)
        assert own.width > bare.width and own.method == "tango"


@pytest.mark.parametrize("about", [{"weight": np.full(300, 2.0)}, {"unit": np.arange(300) // 3}])
def test_rows_that_changed_are_counted_of_independent_rows_of_one_weight_alone(about):
    score = np.linspace(0.9, 0.1, 300)
    pair = [score, np.roll(score, 5)]
    rules = {"few": TopShare(0.1)}
    y = np.where(np.arange(300) % 30 == 0, 1, 0)
    plain = RowSubset(plan_of(pair, moving("found"), y=y, rules=rules), None)
    assert count_changed_calls(plain, "found", "m1", "m0") is not None
    odd = RowSubset(plan_of(pair, moving("found"), y=y, rules=rules, **about), None)
    assert count_changed_calls(odd, "found", "m1", "m0") is None


def test_rows_tied_at_the_edge_or_mostly_positive_there_are_not_counted():
    score = np.linspace(0.9, 0.1, 300)
    rules = {"few": TopShare(0.1)}
    y = np.where(np.arange(300) % 30 == 0, 1, 0)
    for other, of in ((np.round(score, 1), y), (np.roll(score, 5), np.where(score > 0.5, 1, 0))):
        part = RowSubset(plan_of([score, other], moving("found"), y=of, rules=rules), None)
        assert count_changed_calls(part, "found", "m1", "m0") is None
