"""Shares of the rows at an end of the ranking, and areas that its head decides."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from reportgen.checks.rows import ClassRows, find_few_rows_of_class
from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval
from reportgen.inference.significance import assess_significance
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes
from tests.inference.evidence_samples import plain

AT_AN_END = "proportion of rows at an end"


def _share(hits, of, **more):
    p = hits / of
    return plain(
        p,
        np.full(99, p),
        AT_AN_END,
        (0.0, 1.0),
        trials=float(of),
        portions=((p, float(of)),),
        **more,
    )


@pytest.mark.parametrize(("hits", "of"), [(20, 20), (19, 20), (0, 7), (4, 30)])
def test_few_of_a_kind_have_the_exact_limits(hits, of):
    found = compute_interval(_share(hits, of), "auto", 0.95)
    theirs = stats.binomtest(hits, of).proportion_ci(0.95, "exact")
    assert found.method == "clopper-pearson"
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_ten_of_each_kind_have_wilsons():
    found = compute_interval(_share(10, 20), "auto", 0.95)
    theirs = stats.binomtest(10, 20).proportion_ci(0.95, "wilson")
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_the_exact_limits_are_had_of_many_too_where_they_are_asked_for():
    found = compute_interval(_share(40, 100), "clopper-pearson", 0.95)
    theirs = stats.binomtest(40, 100).proportion_ci(0.95, "exact")
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_a_place_that_moves_leaves_fewer_rows():
    edge = np.full(25, 0.04)  # a standard error of 0.2 and the factor 25/24 of its variance
    moved = compute_interval(_share(10, 20, smoothed=edge, units=25), "auto", 0.95)
    trials = 0.25 / (25 * 0.04**2 * 25 / 24)
    assert moved.method == "clopper-pearson"  # worth 6 rows, 3 of each kind
    assert moved.low == pytest.approx(stats.beta.ppf(0.025, trials / 2, trials / 2 + 1))


@pytest.mark.parametrize(
    ("candidate", "baseline", "method"),
    [((39, 40), (33, 40), "newcombe"), ((39, 40), (28, 40), None)],
)
def test_a_difference_adds_the_limits_unless_one_model_has_ten_of_each(candidate, baseline, method):
    sides = [_share(*each) for each in (candidate, baseline)]
    draws = np.random.default_rng(1).normal(sides[0].value - sides[1].value, 0.08, 99)
    evidence = replace(build_contrast(*sides, "higher"), replicates=draws)
    found = compute_interval(evidence, "auto", 0.95).method
    assert (found == "newcombe") == (method == "newcombe")
    assert bool(evidence.portions) == (method == "newcombe")
    if evidence.portions:
        assert np.isnan(assess_significance(evidence, "auto", 1).p_value)


@pytest.mark.parametrize("name", ["binary_ranking_last", "binary_ranking_first"])
def test_the_rows_at_an_end_are_those_of_a_brute_count(name):
    draw = np.random.default_rng(5)
    score, y = draw.integers(0, 12, 60) / 12, draw.integers(0, 2, 60)  # ties across the edge
    weight = draw.integers(0, 4, 60).astype(float)
    metric = METRICS[name].use(buckets=4)
    bound = metric.bind(Classes(y, score[:, None], ("0", "1"), "probability"))
    ((share, trials),) = bound.portions(weight / weight.sum())
    inside, left = np.zeros(60), weight.sum() / 4
    for value in sorted(set(score), reverse=name.endswith("last")):
        tied = score == value
        mass = weight[tied].sum()
        if mass and left > 0:
            inside[tied] = weight[tied] * min(1.0, left / mass)
            left -= min(left, mass)
    assert share == pytest.approx(float(bound(Batch.from_weights(weight))[0]))
    assert share == pytest.approx(inside @ y / inside.sum())
    assert trials == pytest.approx(inside.sum() ** 2 / (inside @ inside))


def test_few_rows_that_decide_an_area_leave_few_degrees_of_freedom():
    even = np.tile([-1.0, 1.0], 50) / 1000  # no fourth moment beyond the squared second
    area = plain(0.8, np.full(99, 0.8), "share of an area", (0.0, 1.0), influence=even)
    ruled = np.where(np.arange(100) < 2, 0.005 * 2**0.5, 0.0)  # the same squares, of two rows
    few = plain(0.8, np.full(99, 0.8), "share of an area", (0.0, 1.0), influence=ruled)
    logits = [np.log(p / (1 - p)) for p in (compute_interval(area, "auto", 0.95).high, 0.8)]
    assert logits[0] - logits[1] == pytest.approx(1.959964 * 0.01 / 0.16, rel=1e-6)
    logits[0] = np.log((p := compute_interval(few, "auto", 0.95).high) / (1 - p))
    times = stats.t.ppf(0.975, 2 / (1 / 2 - 1 / 100))
    assert logits[0] - logits[1] == pytest.approx(times * 0.01 / 0.16, rel=1e-6)


def test_pairs_keep_the_normal_quantile():
    ruled = np.where(np.arange(100) < 2, 0.005 * 2**0.5, 0.0)
    found = compute_interval(
        plain(0.8, np.full(99, 0.8), "share of pairs", (0, 1), influence=ruled), "auto", 0.95
    )
    assert np.log(found.high / (1 - found.high)) - np.log(4) == pytest.approx(
        1.959964 * 0.01 / 0.16, rel=1e-6
    )


@pytest.mark.parametrize(
    ("hits", "clustered", "told"), [(19, True, 1), (10, True, None), (19, False, None)]
)
def test_clusters_with_few_of_a_kind_at_an_end_are_told_of(hits, clustered, told):
    evidence = _share(hits, 20, is_clustered=clustered)
    found = find_few_rows_of_class(ClassRows(200, 300, evidence=evidence))
    assert (found and found.numbers["in_bucket"]) == told
