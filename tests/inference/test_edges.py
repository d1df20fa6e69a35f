"""Limits of what few rows at an end of the ranking decide, and of shares in few clusters."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit
from statsmodels.stats.proportion import proportion_confint

from reportgen.inference.intervals import compute_interval
from tests.inference.evidence_samples import plain

MEAN, CAPTURE, FLAGGED = "mean at an edge", "share of a sum", "share of a cut that moves"


def at_an_edge(shares, df, value=1.0, estimand=MEAN, bounds=(-np.inf, np.inf), **more):
    """Evidence of a value whose error is known by smoothed shares of so many rows."""
    replicates = value + 0.01 * np.random.default_rng(1).normal(size=99)
    return plain(
        value,
        replicates,
        estimand,
        bounds,
        n=len(shares),
        smoothed=np.asarray(shares),
        edge_df=df,
        **more,
    )


def alike(n, size=0.02):
    """Shares of one size, so that their squares have all degrees of freedom and no skewness."""
    return size * np.resize([1.0, -1.0], n)


@pytest.mark.parametrize("df", [4.0, 9.0, 18.0])
def test_the_mean_of_few_rows_at_an_end_has_students_limits(df):
    found = compute_interval(at_an_edge(alike(50), df), "auto", 0.95)
    theirs = stats.t.interval(0.95, df, loc=1.0, scale=0.02 * sqrt(50 * 50 / 49))
    assert found.method == "edge-t"
    assert (found.low, found.high) == pytest.approx(theirs, rel=1e-9)


def test_few_of_its_rows_that_hold_the_error_leave_fewer_degrees_of_freedom():
    shares = np.r_[alike(98, 0.001), 0.5, -0.5]
    found = compute_interval(at_an_edge(shares, 9.0), "auto", 0.95)
    squares = shares**2
    df = 2 / (np.sum(squares**2) / np.sum(squares) ** 2 - 1 / 100)  # Satterthwaite's, about two
    half = stats.t.ppf(0.975, df) * sqrt(np.sum(squares) * 100 / 99)
    assert found.high - found.low == pytest.approx(2 * half)


def test_a_capture_has_them_on_the_logit_scale():
    evidence = at_an_edge(alike(60), 5.0, 0.3, CAPTURE, (0.0, 1.0))
    found = compute_interval(evidence, "auto", 0.95)
    half = stats.t.ppf(0.975, 5) * 0.02 * sqrt(60 * 60 / 59) / (0.3 * 0.7)
    assert (found.low, found.high) == pytest.approx(expit(logit(0.3) + np.array([-half, half])))


def test_the_mean_of_twenty_rows_has_the_limits_of_resamples():
    methods = [compute_interval(at_an_edge(alike(200), df), "auto", 0.95).method for df in (18, 19)]
    assert methods == ["edge-t", "bc"]
    capture = at_an_edge(alike(200), 19.0, 0.3, CAPTURE, (0.0, 1.0))
    assert compute_interval(capture, "auto", 0.95).method == "edge-t"


@pytest.mark.parametrize(
    "more", [{"edge_df": None}, {"smoothed": None}, {"smoothed": np.zeros(50)}]
)
def test_where_no_such_error_is_known_resamples_speak(more):
    evidence = replace(at_an_edge(alike(50), 4.0), **more)
    assert compute_interval(evidence, "auto", 0.95).method in ("bca", "bc")


@pytest.mark.parametrize(("found", "of"), [(6, 20), (30, 40)])
def test_a_share_that_is_found_has_wilsons_limits(found, of):
    p = found / of
    replicates = np.random.default_rng(1).normal(p, 0.1, 99)
    evidence = plain(p, replicates, FLAGGED, (0.0, 1.0), portions=((p, float(of)),))
    interval = compute_interval(evidence, "auto", 0.95)
    theirs = proportion_confint(found, of, 0.05, "wilson")
    assert interval.method == "edge-wilson"
    assert (interval.low, interval.high) == pytest.approx(theirs)
    of_1000 = replace(evidence, value=1000 * p, replicates=1000 * replicates, bounds=(0.0, 1000.0))
    scaled = compute_interval(of_1000, "auto", 0.95)
    assert (scaled.low, scaled.high) == pytest.approx(tuple(1000 * end for end in theirs))


def test_without_the_rows_it_is_worth_the_spread_of_resamples_stays():
    evidence = plain(0.3, np.random.default_rng(1).normal(0.3, 0.1, 99), FLAGGED, (0.0, 1.0))
    found = compute_interval(evidence, "auto", 0.95)
    spread = np.std(evidence.replicates, ddof=1)
    assert found.method == "bootstrap-se"
    assert found.high - found.low == pytest.approx(2 * stats.norm.ppf(0.975) * spread)


@pytest.mark.parametrize(
    ("clusters", "estimand", "is_wider"),
    [(10, "share of cells", True), (30, "share of cells", False), (30, "share of an area", True)],
)
def test_few_clusters_and_areas_have_the_larger_of_two_errors(clusters, estimand, is_wider):
    replicates = 0.6 + 0.1 * np.random.default_rng(4).normal(size=199)
    influence = alike(clusters, 0.01)
    evidence = plain(
        0.6,
        replicates,
        estimand,
        (0.0, 1.0),
        units=clusters,
        influence=influence,
        is_clustered=True,
    )
    factor = sqrt(clusters / (clusters - 1))
    spread = np.std(replicates, ddof=1) if is_wider else sqrt(np.sum(influence**2))
    half = stats.t.ppf(0.975, clusters - 1) * spread * factor / (0.6 * 0.4)
    found = compute_interval(evidence, "auto", 0.95)
    assert found.method == "logit-influence"
    assert (found.low, found.high) == pytest.approx(expit(logit(0.6) + np.array([-half, half])))
