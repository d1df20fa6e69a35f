"""Adjusted p-values and simultaneous limits, against statsmodels and by their laws."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from benchmarks.plans import change_plan
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.intervals import compute_interval
from reportgen.inference.multiplicity import (
    adjust_family,
    benjamini_hochberg_p_values,
    holm_p_values,
    max_t_critical,
    max_t_p_values,
)
from reportgen.inference.significance import assess_significance
from tests.analysis.asked import question
from tests.inference.evidence_samples import plain

P = some.lists(some.floats(1e-9, 1.0), min_size=1, max_size=12)
NORMAL = np.random.default_rng(3).normal(size=(1999, 6))


@given(P)
@settings(max_examples=40)
def test_holm_and_bh_are_those_of_statsmodels(p):
    with patch("gc.collect"):  # theirs collects in each call: seconds where many objects live
        assert holm_p_values(np.array(p)) == pytest.approx(multipletests(p, method="holm")[1])
        assert benjamini_hochberg_p_values(np.array(p)) == pytest.approx(
            multipletests(p, method="fdr_bh")[1]
        )


@given(P, some.floats(1e-9, 1.0))
@settings(max_examples=40)
def test_a_further_member_never_lowers_holms_p_of_the_others(p, one_more):
    before = holm_p_values(np.array(p))
    after = holm_p_values(np.array([*p, one_more]))[:-1]
    assert np.all(after >= before)


def test_members_without_p_take_no_part():
    assert holm_p_values(np.array([0.01, np.nan, 0.03])) == pytest.approx(
        [0.02, np.nan, 0.03], nan_ok=True
    )


def test_max_t_of_one_member_is_the_share_of_replicates_as_far():
    replicates = np.arange(-20.0, 27.0)[:, None]
    assert max_t_p_values(np.array([3.0]), replicates, np.array([2.0])) == (42 + 1) / (47 + 1)


def test_max_t_steps_down_by_hand():
    # Deviations of three replicates from the values (4, 1); all standard errors are 1.
    values = np.array([4.0, 1.0])
    replicates = values + np.array([[5.0, 0.0], [0.0, 2.0], [0.5, 0.5]])
    # First step: the largest of each row, 5, 2, .5, against 4; second: 0, 2, .5 against 1.
    assert max_t_p_values(values, replicates, np.ones(2)) == pytest.approx([2 / 4, 2 / 4])
    values = np.array([4.0, 0.1])
    replicates = values + np.array([[3.0, 0.0], [0.0, 2.0], [0.5, 0.5]])
    assert max_t_p_values(values, replicates, np.ones(2)) == pytest.approx([1 / 4, 3 / 4])


def test_max_t_is_below_holm_for_members_that_move_together():
    shared = NORMAL[:, :1]
    replicates = shared + 0.2 * NORMAL[:, 1:]
    values = np.array([2.6, 0.1, 0.2, -0.1, 0.0])
    se = replicates.std(axis=0)
    p = np.array(
        [
            assess_significance(plain(v, v + r)).p_value
            for v, r in zip(values, replicates.T, strict=True)
        ]
    )
    assert max_t_p_values(values, values + replicates, se)[0] < holm_p_values(p)[0] / 2


def test_adjusted_p_rise_with_the_steps_and_are_never_zero():
    values = np.array([9.0, 2.0, 1.9, 0.5, 1.0, 0.0])
    found = max_t_p_values(values, values + NORMAL, np.ones(6))
    assert np.all(np.diff(found[np.argsort(-values)]) >= 0) and found.min() == 1 / 2000


def test_a_replicate_undefined_for_one_member_still_counts_for_the_others():
    gaps = NORMAL[:, :2].copy()
    gaps[:1000, 1] = np.nan
    p = max_t_p_values(np.array([2.0, 0.0]), np.array([2.0, 0.0]) + gaps, np.ones(2))
    alone = max_t_p_values(np.array([2.0]), 2.0 + NORMAL[:, :1], np.ones(1))
    assert p[0] >= alone[0]
    assert p[1] == 1.0


def test_a_member_without_variation_stays_out():
    replicates = np.column_stack([NORMAL[:, 0] + 2, np.zeros(1999)])
    found = max_t_p_values(np.array([2.0, 0.0]), replicates, np.array([1.0, 0.0]))
    assert np.isnan(found[1]) and 0.02 < found[0] < 0.08


def test_the_simultaneous_limits_hold_all_members_at_their_level():
    values = np.zeros(6)
    times = max_t_critical(values, NORMAL, np.ones(6), 0.95)
    assert np.mean(np.abs(NORMAL).max(axis=1) <= times) == pytest.approx(0.95, abs=0.001)
    # Šidák's value for six independent Normals.
    assert times == pytest.approx(2.63, abs=0.1)


def test_few_clusters_widen_the_limits_and_raise_p():
    one, se = np.array([2.0]), np.ones(1)
    replicates = 2 + NORMAL[:, :1]
    assert max_t_critical(one, replicates, se, 0.95, df=9) == pytest.approx(2.26, abs=0.12)
    assert max_t_p_values(one, replicates, se, df=9)[0] > max_t_p_values(one, replicates, se)[0]


def family(size=3):
    return [plain(float(k), k + NORMAL[:, k], is_difference=True) for k in range(size)]


@pytest.mark.parametrize("adjust", ["none", "holm", "bh", "maxt"])
def test_a_family_of_one_is_as_it_is(adjust):
    (member,) = family(1)
    (found,) = adjust_family([member], [0.7], adjust, "auto", 0.95)
    raw = compute_interval(member, "auto", 0.95)
    assert (found.p_value, found.low, found.high) == (0.7, raw.low, raw.high)


@pytest.mark.parametrize("adjust", ["holm", "maxt"])
def test_simultaneous_limits_are_wider_and_p_no_smaller(adjust):
    members = family()
    p = [assess_significance(member).p_value for member in members]
    found = adjust_family(members, p, adjust, "auto", 0.95)
    for member, raw_p, each in zip(members, p, found, strict=True):
        raw = compute_interval(member, "auto", 0.95)
        assert each.low < raw.low and each.high > raw.high and each.p_value >= raw_p


@pytest.mark.parametrize("adjust", ["bonferroni", "holm", "bh"])
def test_limits_are_bonferronis_whatever_adjusts_the_p_values(adjust):
    spread = np.array([-1.0, 1.0] * 500)
    members = [
        plain(z, z + spread, "smooth", (-np.inf, np.inf), is_difference=True)
        for z in (2.7, 2.3, 2.1)
    ]
    p = [assess_significance(each, "gaussian").p_value for each in members]
    found = adjust_family(members, p, adjust, "se", 0.95)
    strict = [compute_interval(each, "se", 1 - 0.05 / 3) for each in members]
    assert [(each.low, each.high) for each in found] == [(each.low, each.high) for each in strict]
    # All three are rejected by Holm, the first alone by Bonferroni: one step, one interval.
    assert [each.low > 0 for each in found] == [True, False, False]
    expected = {"bonferroni": np.minimum(3 * np.array(p), 1.0), "holm": holm_p_values(np.array(p))}
    if adjust in expected:
        assert [each.p_value for each in found] == pytest.approx(expected[adjust])


def test_a_family_may_hold_a_member_that_is_undefined():
    members = [*family(2), replace(family(1)[0], value=np.nan)]
    found = adjust_family(members, [0.5, 0.1, np.nan], "maxt", "auto", 0.95)
    assert np.isnan(found[2].p_value) and np.isnan(found[2].low)
    assert found[0].high > found[0].low


def studies(effect, runs=300, members=10, replicates=399):
    """Values of ten candidates that share half of their noise, with replicates of the same kind."""
    for run in range(runs):
        draw = np.random.default_rng([17, run])
        shared = draw.normal(size=(replicates + 1, 1))
        noise = (shared + draw.normal(size=(replicates + 1, members))) / np.sqrt(2)
        values = noise[0] + effect
        yield values, values + noise[1:]


def test_ten_candidates_that_are_no_better_seldom_give_a_finding():
    found = [max_t_p_values(v, r, np.ones(10)).min() <= 0.05 for v, r in studies(np.zeros(10))]
    # 5 %, and three standard errors of 300 runs.
    assert np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_max_t_finds_at_least_as_many_as_holm():
    effect = np.repeat([3.0, 0.0], 5)
    ours = theirs = 0
    for values, replicates in studies(effect):
        z = 2 * norm.sf(np.abs(values))
        ours += int(np.sum(max_t_p_values(values, replicates, np.ones(10))[:5] <= 0.05))
        theirs += int(np.sum(holm_p_values(z)[:5] <= 0.05))
    assert ours >= theirs > 0


@pytest.mark.parametrize("names", [("bias",), ("mae",), ("rmse",), ("kendall",)])
def test_limits_adjusted_by_max_t_are_never_inside_those_of_one_alone(names):
    found = analyze_dataset(question(models=3, names=names, adjust="maxt"))
    alone = analyze_dataset(question(models=3, names=names, adjust="none"))
    for each, own in zip(found.comparisons, alone.comparisons, strict=True):
        assert each.low <= own.low and each.high >= own.high
        if each.word in ("better", "worse"):
            assert each.low > 0 or each.high < 0


def test_a_test_of_something_else_opens_no_interval_of_a_mean():
    draw = np.random.default_rng(2)
    y = draw.normal(100, 10, 500)
    # Most rows are a little worse, a few much better: the ranks and the mean disagree.
    wild = np.where(np.arange(500) % 9 == 0, 0.2, 5.6)
    data = (y, [y + 5, y + wild, y + wild[::-1]])
    asked = question(500, models=3, names=("mae",), data=data, adjust="holm")
    by_rank = change_plan(
        asked, metrics=tuple(replace(use, test="wilcoxon") for use in asked.statistics.metrics)
    )
    for found in analyze_dataset(by_rank).comparisons:
        assert (found.test, found.p_adjusted) == ("wilcoxon", None)
        assert found.low < 0 < found.high
        assert found.word == "cannot tell"


def test_two_rows_decide_nothing():
    data = (np.array([10.0, 20.0]), [np.array([9.0, 8.0]), np.array([5.0, 30.0])])
    for found in analyze_dataset(question(2, names=("rmse", "mae"), data=data)).comparisons:
        assert found.word in ("cannot tell", "no result")
        assert found.p_value is None or found.p_value > 0.05


@pytest.mark.parametrize("adjust", ["holm", "bh"])
def test_where_the_replicates_do_not_reach_the_familys_level_nothing_is_known(adjust):
    # 99 replicates reach 95 % but not 99: another method would take the place of the member's own.
    errors = np.where(np.arange(99) % 10 == 0, 0.06, 0.4)
    members = [
        plain(
            value,
            value + NORMAL[:99, k],
            "log mean",
            is_difference=True,
            influence=np.full(100, 0.1),
            replicate_se=errors,
            bounds=(-9.0, 9.0),
        )
        for k, value in enumerate((0.3, 0.5, 0.1, 0.2, 0.4, 0.6))
    ]
    p = [assess_significance(member).p_value for member in members]
    found = adjust_family(members, p, adjust, "auto", 0.95)
    assert {(each.low, each.high) for each in found} == {(-9.0, 9.0)}


@pytest.mark.parametrize("adjust", ["holm", "bh", "maxt", "none"])
def test_zero_is_left_out_only_where_the_adjusted_p_value_rejects_it(adjust):
    draw = np.random.default_rng(8)
    members = [
        plain(value, value + draw.normal(0, 1, 999), is_difference=True, influence=None)
        for value in (2.2, 2.4, 4.0, 0.3)
    ]
    # p-values of some other test, that is less sure of the first two
    found = adjust_family(members, [0.2, 0.3, 1e-6, 0.8], adjust, "se", 0.95)
    assert [each.low > 0 for each in found] == [False, False, True, False]
    assert all(each.p_value <= 0.05 or each.low <= 0 <= each.high for each in found)
