"""What a study hands to intervals, on real metrics and small samples."""

from dataclasses import replace
from math import atanh, tanh

import numpy as np
import pytest

from benchmarks.plans import change_plan, make_plan
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.inference.intervals import compute_interval
from reportgen.inference.resampled_intervals import bca_acceleration, bca_bias_correction
from reportgen.inference.resampling.design import Design
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts
from tests.analysis.asked import question as asked

N = 60
DRAW = np.random.default_rng(8)
Y = DRAW.exponential(size=N)
SCORE = Y + DRAW.exponential(size=N)
WEIGHT = DRAW.uniform(0.5, 2.0, size=N)
CLUSTER = np.arange(N) // 4


def evidence(metric, weight=None, unit=None, replicates=199):
    use = PlannedMetric(metric, METRICS[metric])
    question = make_plan(
        dataset="rows",
        models=(ModelScores("a", "a", Amounts(Y, SCORE)),),
        metrics=(use,),
        design=Design("rows", N, replicates, 1, weight, unit),
    )
    found = draw_replicates(question)
    return found.evidence(found.parts[0], use, "a"), question.sampling.design


@pytest.mark.parametrize("metric", ["mae", "rmse", "r2", "bias"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("unit", [None, CLUSTER], ids=["rows", "clusters"])
def test_each_replicate_has_the_standard_error_of_the_units_drawn(metric, weight, unit):
    found, design = evidence(metric, weight, unit, replicates=3)
    w = np.ones(N) if weight is None else weight
    for r in range(3):
        count = design.batch(0).count[:, r].astype(float)
        phi = METRICS[metric].bind(Amounts(Y, SCORE)).influence(count * w) * w / (count @ w)
        each = phi if unit is None else np.bincount(unit, phi)
        times = count if unit is None else count[::4]
        assert found.replicate_se[r] == pytest.approx(np.sqrt(times @ each**2), rel=1e-6)


def test_auto_measures_a_mean_and_log_rmse_in_errors_of_their_own():
    assert compute_interval(evidence("mae")[0], "auto", 0.95).method == "studentized"
    assert compute_interval(evidence("rmse")[0], "auto", 0.95).method == "log-studentized"


def test_the_limits_of_a_skewed_mean_reach_further_up_than_students():
    found = evidence("mae")[0]
    assert compute_interval(found, "auto", 0.95).high > compute_interval(found, "t", 0.95).high


def test_auto_takes_r2_by_the_spread_of_the_replicates_on_the_log_scale():
    assert compute_interval(evidence("r2")[0], "auto", 0.95).method == "log-bootstrap-se"


def test_auto_takes_pearson_on_z_with_both_tails_together():
    found = evidence("pearson")[0]
    limits = compute_interval(found, "auto", 0.95)
    shrunk = np.sqrt(np.sum(found.influence**2)) / found.replicate_se
    distance = np.sort(np.abs(np.arctanh(found.replicates) - atanh(found.value)) * shrunk)
    assert limits.method == "fisher-z-studentized"
    assert limits.low == pytest.approx(tanh(atanh(found.value) - distance[189]))
    assert limits.high == pytest.approx(tanh(atanh(found.value) + distance[189]))


def test_a_replicate_on_a_line_has_no_z_and_is_left_out():
    found = evidence("pearson")[0]
    more = {
        "replicates": np.append(found.replicates, 1.0),
        "replicate_se": np.append(found.replicate_se, 0.0),
    }
    assert compute_interval(replace(found, **more), "auto", 0.95) == compute_interval(
        found, "auto", 0.95
    )
    assert compute_interval(replace(found, **more), "fisher-z-se", 0.95) == compute_interval(
        found, "fisher-z-se", 0.95
    )


@pytest.mark.parametrize("unit", [None, CLUSTER], ids=["rows", "clusters"])
def test_a_frozen_error_counts_anew_how_the_units_spread(unit):
    found, design = evidence("pearson", unit=unit, replicates=3)
    drawn = design.batch(0).count[:: 1 if unit is None else 4]
    mean = found.influence @ drawn / found.units
    spread = found.influence**2 @ drawn - found.units * mean**2
    assert found.replicate_se == pytest.approx(np.sqrt(spread))


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_the_error_of_a_difference_is_its_influence_on_the_rows_drawn(weight):
    asking = asked(n=N, names=("rmse",), replicates=3, weight=weight)
    found, pair = draw_replicates(asking), asking.inference.pairs[0]
    difference, value = found.difference(found.parts[0], asking.statistics.metrics[0], *pair)
    assert value == found.evidence(found.parts[0], asking.statistics.metrics[0], pair[1]).value
    w = np.ones(N) if weight is None else weight
    bound = [METRICS["rmse"].bind(found.parts[0].data[name]) for name in pair]
    for count, error in zip(
        asking.sampling.design.batch(0).count.T, difference.replicate_se, strict=True
    ):
        phi = bound[0].influence(count * w) - bound[1].influence(count * w)
        each = w * phi / (count @ w)
        assert error == pytest.approx(np.sqrt(count @ each**2), rel=1e-5)


STRATUM = np.repeat([0, 1], N // 2)


@pytest.mark.parametrize("name", ["mae", "rmse", "r2", "pearson"])
@pytest.mark.parametrize("unit", [None, CLUSTER], ids=["rows", "clusters"])
def test_within_strata_replicates_are_measured_in_errors_like_the_samples(name, unit):
    y = np.where(STRATUM == 0, Y, 50 + 5 * Y)
    scores = (y + DRAW.normal(size=N), np.where(STRATUM == 0, 1.3 * y, 0.8 * y))
    stratum = STRATUM if unit is None else STRATUM[::4]
    asking = asked(n=N, names=(name,), data=(y, scores), unit=unit, stratum=stratum, adjust="maxt")
    found = draw_replicates(asking)
    use, part = asking.statistics.metrics[0], found.parts[0]
    for known in (
        found.evidence(part, use, "m1"),
        found.difference(part, use, *asking.inference.pairs[0])[0],
    ):
        if known.replicate_se is not None:
            plain = np.sqrt(np.sum(known.influence**2))
            assert np.median(known.replicate_se) == pytest.approx(plain, rel=0.25)


def test_rows_that_weigh_nothing_are_no_evidence():
    y, scores = np.append(Y, Y), [np.append(SCORE, SCORE), np.append(Y + 1, Y)]
    weighed = asked(data=(y, scores), n=2 * N, weight=np.repeat([1.0, 0.0], N), names=("mae",))
    alone = asked(data=(Y, [score[:N] for score in scores]), n=N, names=("mae",))
    limits = []
    for asking in (weighed, alone):
        found = draw_replicates(asking)
        difference, _ = found.difference(
            found.parts[0], asking.statistics.metrics[0], *asking.inference.pairs[0]
        )
        limits.append(compute_interval(difference, "t", 0.95))
    assert limits[0].low == pytest.approx(limits[1].low)
    assert limits[0].high == pytest.approx(limits[1].high)


def test_a_model_that_is_named_like_a_pair_has_replicates_of_its_own():
    asking = asked(models=2, names=("rmse",))
    names = ("a against b", "b against a")
    renamed = change_plan(
        asking,
        models=tuple(replace(c, name=name) for c, name in zip(asking.models, names, strict=True)),
        pairs=((names[1], names[0]),),
    )
    plain, named = draw_replicates(asking), draw_replicates(renamed)
    for before, after in zip(("m0", "m1"), names, strict=True):
        one = plain.evidence(plain.parts[0], asking.statistics.metrics[0], before)
        other = named.evidence(named.parts[0], renamed.statistics.metrics[0], after)
        assert np.array_equal(one.replicates, other.replicates)


def test_the_acceleration_of_few_rows_is_that_of_the_jackknife():
    found = evidence("ranking_slope")[0]
    bound = METRICS["ranking_slope"].bind(Amounts(Y, SCORE))
    without = np.array([bound.define(np.ones(N) - one) for one in np.eye(N)])
    lost = without.mean() - without
    expected = np.sum(lost**3) / (6 * np.sum(lost**2) ** 1.5)
    assert bca_acceleration(found) == pytest.approx(expected)
    tiny = replace(found, grouped=found.grouped * 1e-200)
    assert bca_acceleration(tiny) == pytest.approx(expected)
    assert compute_interval(found, "bca", 0.95).method == "bca"


def test_buckets_are_not_corrected_for_the_bias_of_resampled_edges():
    assert bca_bias_correction(evidence("ranking_last")[0]) == 0
    assert bca_bias_correction(evidence("mae")[0]) != 0


def test_clusters_have_no_groups_of_rows_left_out():
    assert evidence("ranking_slope", unit=CLUSTER)[0].grouped is None


@pytest.mark.parametrize("time", [{}, {"block": 3.0}], ids=["rows", "blocks of time"])
def test_the_reach_of_a_tail_is_three_times_the_largest_influence(time):
    draw = np.random.default_rng(9)
    score = [Y + draw.standard_t(1.5, N), Y + 3 * draw.standard_t(1.5, N)]
    plan = asked(N, data=(Y, score), names=("mae",), unit=np.arange(N) if time else None, **time)
    found, (use, *_) = draw_replicates(plan), plan.statistics.metrics
    each = found.evidence(found.parts[0], use, "m0")
    largest = np.abs(each.influence).max()
    assert found.measure_tail_reach(found.parts[0], use, "m0") == pytest.approx(3 * largest)
    difference, _ = found.difference(found.parts[0], use, "m1", "m0")
    largest = np.abs(difference.influence).max()
    reach = found.measure_tail_reach_of_difference(found.parts[0], use, difference, "m1", "m0")
    assert reach == pytest.approx(3 * largest)
