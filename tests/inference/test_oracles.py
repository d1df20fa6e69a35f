"""Whole intervals and tests against R on real rows: every twentieth customer.

Values of R 4.2.2 with survival 3.5-3 (`concordance`), pROC 1.18.0, psych 2.2.9 and boot 1.3-28.1.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.inference.significance import assess_significance
from reportgen.kernels.batch import Batch
from reportgen.kernels.thresholds import BestThreshold
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Amounts, Classes
from tests.inference.evidence_samples import counts

CHURN = Path(__file__).parent / "data" / "churn.csv"
CUSTOMERS = Path(__file__).parents[2] / "configs" / "data" / "cdnow.csv"


@cache
def customers():
    table = np.genfromtxt(CUSTOMERS, delimiter=",", names=True, dtype=None, encoding="utf8")
    return table[::20]


def evidence_of(metric, model, draws=0):
    table = customers()
    bound = METRICS[metric].use().bind(Amounts(table["y_spend_hold"], table[model].astype(float)))
    n = len(table)
    return SamplingDistribution(
        value=float(bound(Batch.from_weights(np.ones(n)))[0]),
        replicates=bound(Batch(counts(n, draws).T)) if draws else np.empty(0),
        estimand=bound.statistic.estimand,
        bounds=bound.statistic.bounds,
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
    assert compute_interval(evidence, "influence", 0.95).se ** 2 == pytest.approx(
        variance, rel=1e-9
    )


def test_the_paired_difference_of_areas_is_that_of_survival():
    difference = build_contrast(
        evidence_of("regression_auc", "score_clv_bgnbd_gg"),
        evidence_of("regression_auc", "score_gbm_time"),
        "higher",
    )
    found = compute_interval(difference, "auto", 0.95)
    assert found.method == "influence"
    assert difference.value == pytest.approx(0.0004414414, abs=1e-9)
    assert found.se == pytest.approx(0.0103461008, abs=1e-9)
    assert assess_significance(difference).p_value == pytest.approx(0.966, abs=0.001)


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
    found = compute_interval(rank_correlation(), method, 0.95)
    # Two seeds of 2,000 replicates: four Monte-Carlo errors of a limit.
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.006)


@cache
def rank_correlation():
    return evidence_of("spearman", "score_clv_bgnbd_gg", draws=2000)


@cache
def churners():
    """Who left a telephone company, with three scores of the held-out third of its customers."""
    return np.genfromtxt(CHURN, delimiter=",", names=True)


def area_of(model):
    table = churners()
    bound = METRICS["cutoff_auc"].use(above=0.5).bind(Amounts(table["y_test"], table[model]))
    n = len(table)
    return SamplingDistribution(
        value=float(bound(Batch.from_weights(np.ones(n)))[0]),
        replicates=np.empty(0),
        estimand=bound.statistic.estimand,
        bounds=bound.statistic.bounds,
        n=n,
        units=n,
        influence=bound.influence(np.ones(n)) / n,
        positives=table["y_test"] > 0.5,
        is_tied=True,
    )


@pytest.mark.parametrize(
    "model, area, variance, low, high",
    [
        ("p_logreg", 0.787480199707, 0.000402789857979, 0.748144457019, 0.826815942395),
        ("p_rf", 0.898271609889, 0.000376700373571, 0.860231118662, 0.936312101116),
        ("p_gbm", 0.897847198551, 0.000380530658917, 0.859613798804, 0.936080598298),
    ],
)
def test_the_area_over_two_classes_has_delongs_variance_as_proc_has_it(
    model, area, variance, low, high
):
    evidence = area_of(model)
    found = compute_interval(evidence, "influence", 0.95)
    assert evidence.value == pytest.approx(area, abs=1e-11)
    assert found.se**2 == pytest.approx(variance, rel=1e-9)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-11)


@pytest.mark.parametrize(
    "first, second, z, p",
    [
        ("p_logreg", "p_rf", -5.2298069831, 1.69687110879e-07),
        ("p_rf", "p_gbm", 0.0520125058992, 0.9585187286362),
    ],
)
def test_the_paired_test_of_two_areas_is_procs(first, second, z, p):
    found = assess_significance(build_contrast(area_of(first), area_of(second), "higher"), "delong")
    assert found.test.startswith("delong")
    assert found.statistic == pytest.approx(z, rel=1e-9)
    assert found.p_value == pytest.approx(p, rel=1e-8)


def test_the_best_threshold_by_youdens_index_calls_as_proc_does():
    """PROC 1.18 coords(best): 0.164943475, between two scores, of which ours is the upper."""
    table = churners()
    y, p = table["y_test"], table["p_logreg"]
    rows = Classes(y.astype(np.intp), p[:, None], ("0", "1"))
    finish = METRICS["youden"].use().finish
    best = BestThreshold(("maximize", "youden"), finish)
    threshold = float(best.find_thresholds(rows, Batch.from_weights(np.ones(len(y))))[0])
    assert p[p < threshold].max() < 0.164943475 < threshold
    specificity, recall = (
        METRICS[name].use(threshold=threshold).bind(rows)(Batch.from_weights(np.ones(len(y))))[0]
        for name in ("specificity", "recall")
    )
    assert (specificity, recall) == pytest.approx((0.756641870351, 0.716981132075), abs=1e-12)


def calls_of(model, threshold=0.5):
    """Whether each row is called right, as a sum over rows that is the accuracy."""
    table = churners()
    score = table[model][:, None]
    rows = Classes(table["y_test"].astype(int), score, ("0", "1"))
    bound, n = METRICS["accuracy"].use(threshold=threshold).bind(rows), len(table)
    losses = bound.losses
    return SamplingDistribution(
        value=float(losses.mean()),
        replicates=np.empty(0),
        estimand=bound.statistic.estimand,
        bounds=bound.statistic.bounds,
        n=n,
        units=n,
        influence=bound.influence(np.ones(n)) / n,
        contributions=losses / n,
        shares=np.full(n, 1 / n),
    )


def test_rows_that_change_are_those_of_mcnemars_test_in_r():
    """`mcnemar.test` of R has the correction of continuity; ours is the mid-p of the same rows."""
    found = assess_significance(
        build_contrast(calls_of("p_rf"), calls_of("p_logreg"), "higher"), "mcnemar"
    )
    assert found.test == "mcnemar"
    gained, lost = 101, 15
    assert found.statistic == gained - lost
    corrected = (abs(found.statistic) - 1) ** 2 / (gained + lost)
    assert corrected == pytest.approx(62.2844827586, rel=1e-11)
    assert stats.chi2.sf(corrected, 1) == pytest.approx(2.97258116836e-15, rel=1e-9)
    exact = stats.binomtest(lost, gained + lost).pvalue
    assert found.p_value == pytest.approx(
        exact - stats.binom.pmf(lost, gained + lost, 0.5), rel=1e-9
    )


# The package dcurves 1.1.7: dca(data=churn, outcome="y_test", modelnames=…, thresholds=[…]).
NET_BENEFIT = {
    "p_logreg": (0.105789473684, 0.054772727273, 0.017878787879),
    "p_rf": (0.106411483254, 0.099772727273, 0.097575757576),
    "p_gbm": (0.111626794258, 0.104090909091, 0.102121212121),
    "all": (0.099521531100, -0.069318181818, -0.425757575758),
}


@pytest.mark.parametrize("model", NET_BENEFIT)
def test_the_net_benefit_is_that_of_dcurves(model):
    table, places = churners(), np.array([0.05, 0.2, 0.4])
    score = np.ones(len(table)) if model == "all" else table[model]
    rows = Classes(table["y_test"].astype(int), score[:, None], ("0", "1"))
    batch = Batch.from_weights(np.ones(len(table)))
    curve = CURVES["net_benefit_of_all" if model == "all" else "decision_curve"]
    drawn = curve.function(rows, batch, places)[0]
    assert drawn == pytest.approx(NET_BENEFIT[model], abs=1e-11)
    each = [METRICS["net_benefit"].use(threshold=t).bind(rows)(batch)[0] for t in places]
    assert each == pytest.approx(NET_BENEFIT[model], abs=1e-11)
