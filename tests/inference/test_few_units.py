"""Of fewer than ten units nothing is claimed that a coarser method contradicts."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from reportgen.analysis.run import analyze_dataset
from reportgen.inference.intervals import compute_interval
from reportgen.inference.methods import INTERVAL_METHODS
from reportgen.report.prose.costs import _surety
from tests.analysis.asked import question, rows
from tests.inference.evidence_samples import mean_of

NAMES = ("mae", "rmse", "median_ae", "bias", "r2", "kendall", "spearman", "pearson")


def few(n, interval="auto", names=NAMES, models=2, **more):
    """What is found on the first n rows."""
    y, scores = rows(60, models)
    data = (y[:n], [score[:n] for score in scores])
    return analyze_dataset(question(n, models, names, data=data, interval=interval, **more))


def test_rmse_of_two_rows_reaches_as_far_as_a_t_of_one_degree_of_freedom():
    y, score = np.array([3.0, 2.4]), np.array([2.6, 2.7])
    found = analyze_dataset(question(2, 2, ("rmse",), data=(y, [score, score + 1])))
    (rmse,) = (e for e in found.estimates if e.model == "m0")
    assert rmse.high - rmse.value > 12.7 * 0.9 * np.std(abs(y - score), ddof=1) / np.sqrt(2)


@pytest.mark.parametrize("name", sorted(set(INTERVAL_METHODS) - {"wilson", "exact-bound"}))
@pytest.mark.parametrize("estimand", ["mean", "log mean", "smooth", "quantile"])
def test_no_interval_of_few_rows_lies_within_that_of_student(estimand, name):
    losses = np.array([0.3, 0.5, 1.4, 0.2, 0.9])
    evidence, errors = mean_of(losses, estimand=estimand)
    found = compute_interval(replace(evidence, replicate_se=errors), name, 0.95)
    reach = stats.t.ppf(0.975, 4) * losses.std(ddof=1) / np.sqrt(5)
    assert found.low <= max(losses.mean() - reach, 0.0) + 1e-12
    assert found.high >= losses.mean() + reach - 1e-12


def test_ten_rows_have_the_interval_that_was_asked_for():
    assert {e.method for e in few(10, "percentile").estimates} == {"percentile"}
    assert "few-units" in {e.method for e in few(9, "percentile").estimates}


@pytest.mark.parametrize("clusters", [1, 2, 9])
def test_no_share_of_the_resamples_is_told_of_few_clusters(clusters):
    found = analyze_dataset(question(60, 3, unit=np.arange(60) % clusters))
    assert {c.probability_better for c in found.comparisons} == {None}
    assert {share for row in found.sensitivity.ranks for share in row.shares} == {None}


def test_no_share_of_the_resamples_is_told_where_nothing_varies():
    y, (score, _) = rows(60, 2)
    found = analyze_dataset(question(60, 2, ("bias", "kendall"), data=(y, [score, score + 1.0])))
    assert {c.key: c.probability_better for c in found.comparisons if c.key == "kendall"} == {
        "kendall": None
    }


def test_no_few_rows_say_how_often_a_model_is_the_cheapest():
    cheapest = SimpleNamespace(share_best=None)
    row = SimpleNamespace(cheapest=cheapest, not_distinguishable=())
    terms = SimpleNamespace(is_alone=False)
    assert _surety(row, terms) == (
        "It is the cheapest on these rows; the data tell it apart from every other model."
    )
