"""Whole intervals and tests against R on real rows: every twentieth customer.

Values of R 4.2.2 with survival 3.5-3 (`concordance`), psych 2.2.9 and boot 1.3-28.1.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from reportgen.inference.evidence import Evidence, contrast
from reportgen.inference.intervals import interval
from reportgen.inference.significance import significance
from reportgen.kernels.batch import Batch, Rows
from reportgen.metrics import METRICS
from tests.inference.evidence_samples import counts

CUSTOMERS = Path(__file__).parents[2] / "configs" / "data" / "cdnow.csv"


@cache
def customers():
    table = np.genfromtxt(CUSTOMERS, delimiter=",", names=True, dtype=None, encoding="utf8")
    return table[::20]


def evidence_of(metric, model, draws=0):
    table = customers()
    bound = METRICS[metric].use().bind(Rows(table["y_spend_hold"], table[model].astype(float)))
    n = len(table)
    return Evidence(
        value=float(bound(Batch.of(np.ones(n)))[0]),
        replicates=bound(Batch(counts(n, draws).T)) if draws else np.empty(0),
        estimand=bound.metric.estimand,
        bounds=bound.metric.bounds,
        n=n,
        units=n,
        influence=bound.influence(np.ones(n)) / n,
        is_tied=True,
    )


@pytest.mark.parametrize(
    "model, area, variance",
    [
        ("score_clv_bgnbd_gg", 0.732348495409283, 0.000207264110286),
        ("score_gbm_time", 0.731907054041717, 0.000190828238903),
        ("score_rfm", 0.730174089168423, 0.000186052985307),
        ("score_last91", 0.666985105795592, 0.000159931131909),
    ],
)
def test_the_area_and_its_variance_are_those_of_survival(model, area, variance):
    evidence = evidence_of("regression_auc", model)
    assert evidence.value == pytest.approx(area, abs=1e-12)
    assert interval(evidence, "influence", 0.95).se ** 2 == pytest.approx(variance, rel=1e-9)


def test_the_paired_difference_of_areas_is_that_of_survival():
    difference = contrast(
        evidence_of("regression_auc", "score_clv_bgnbd_gg"),
        evidence_of("regression_auc", "score_gbm_time"),
        "higher",
    )
    found = interval(difference, "auto", 0.95)
    assert found.method == "influence"
    assert difference.value == pytest.approx(0.0004414414, abs=1e-9)
    assert found.se == pytest.approx(0.0103461008, abs=1e-9)
    assert significance(difference).p_value == pytest.approx(0.966, abs=0.001)


@pytest.mark.parametrize(
    "method, low, high",
    [
        ("percentile", 0.377588679051, 0.483837537302),
        ("bca", 0.375572626365, 0.481948648932),
        ("basic", 0.384073139759, 0.490321998011),
        ("se", 0.382743435145, 0.485232338454),
    ],
)
def test_resampled_intervals_of_a_rank_correlation_are_near_those_of_boot(method, low, high):
    found = interval(rank_correlation(), method, 0.95)
    # Two seeds of 2,000 replicates: four Monte-Carlo errors of a limit.
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.006)


@cache
def rank_correlation():
    return evidence_of("spearman", "score_clv_bgnbd_gg", draws=2000)
