"""What a study hands to intervals, on real metrics and small samples."""

from dataclasses import replace
from math import atanh, tanh

import numpy as np
import pytest

from reportgen.inference.design import Design
from reportgen.inference.intervals import interval
from reportgen.inference.question import Contestant, Question, Use
from reportgen.inference.resampled import acceleration, bias_correction
from reportgen.inference.study import study
from reportgen.kernels.batch import Rows
from reportgen.metrics import METRICS

N = 60
DRAW = np.random.default_rng(8)
Y = DRAW.exponential(size=N)
SCORE = Y + DRAW.exponential(size=N)
WEIGHT = DRAW.uniform(0.5, 2.0, size=N)
CLUSTER = np.arange(N) // 4


def evidence(metric, weight=None, unit=None, replicates=199):
    use = Use(metric, METRICS[metric])
    question = Question(
        dataset="rows",
        unit="y",
        y=Y,
        contestants=(Contestant("a", "a", "amount", SCORE),),
        pairs=(),
        uses=(use,),
        curves=(),
        segments=(),
        design=Design("rows", N, replicates, 1, weight, unit),
        level=0.95,
        interval="auto",
        adjust="none",
    )
    found = study(question)
    return found.evidence(found.parts[0], use, "a"), question.design


@pytest.mark.parametrize("metric", ["mae", "rmse", "r2", "bias"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("unit", [None, CLUSTER], ids=["rows", "clusters"])
def test_each_replicate_has_the_standard_error_of_the_units_drawn(metric, weight, unit):
    found, design = evidence(metric, weight, unit, replicates=3)
    w = np.ones(N) if weight is None else weight
    for r in range(3):
        count = design.batch(0).count[:, r].astype(float)
        phi = METRICS[metric].bind(Rows(Y, SCORE)).influence(count * w) * w / (count @ w)
        each = phi if unit is None else np.bincount(unit, phi)
        times = count if unit is None else count[::4]
        assert found.replicate_se[r] == pytest.approx(np.sqrt(times @ each**2), rel=1e-6)


def test_auto_measures_a_mean_and_log_rmse_in_errors_of_their_own():
    assert interval(evidence("mae")[0], "auto", 0.95).method == "studentized"
    assert interval(evidence("rmse")[0], "auto", 0.95).method == "log-studentized"


def test_the_limits_of_a_skewed_mean_reach_further_up_than_students():
    found = evidence("mae")[0]
    assert interval(found, "auto", 0.95).high > interval(found, "t", 0.95).high


def test_auto_takes_r2_by_the_spread_of_the_replicates_on_the_log_scale():
    assert interval(evidence("r2")[0], "auto", 0.95).method == "log-bootstrap-se"


def test_auto_takes_pearson_by_the_spread_of_the_replicates_on_z():
    found = evidence("pearson")[0]
    limits = interval(found, "auto", 0.95)
    half = 1.959964 * np.std(np.arctanh(found.replicates), ddof=1)
    assert limits.method == "fisher-z-bootstrap-se"
    assert limits.low == pytest.approx(tanh(atanh(found.value) - half))
    assert limits.high == pytest.approx(tanh(atanh(found.value) + half))


def test_a_replicate_on_a_line_has_no_z_and_is_left_out():
    found = evidence("pearson")[0]
    on_a_line = replace(found, replicates=np.append(found.replicates, 1.0))
    assert interval(on_a_line, "auto", 0.95) == interval(found, "auto", 0.95)


def test_the_acceleration_of_few_rows_is_that_of_the_jackknife():
    found = evidence("ranking_slope")[0]
    bound = METRICS["ranking_slope"].bind(Rows(Y, SCORE))
    without = np.array([bound.define(np.ones(N) - one) for one in np.eye(N)])
    lost = without.mean() - without
    expected = np.sum(lost**3) / (6 * np.sum(lost**2) ** 1.5)
    assert acceleration(found) == pytest.approx(expected)
    assert interval(found, "auto", 0.95).method == "bca"


def test_buckets_are_not_corrected_for_the_bias_of_resampled_edges():
    assert bias_correction(evidence("ranking_last")[0]) == 0
    assert bias_correction(evidence("mae")[0]) != 0


def test_clusters_have_no_groups_of_rows_left_out():
    assert evidence("ranking_slope", unit=CLUSTER)[0].grouped is None
