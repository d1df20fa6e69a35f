"""The names a config may ask by, and that asking for a test gets that test."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from scipy import stats

from benchmarks.plans import change_plan
from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.inference import intervals as auto
from reportgen.inference import method_names, methods, multiplicity, significance
from reportgen.metrics import METRICS
from reportgen.metrics.traits import ESTIMANDS, Estimand, Of, Scale, find_estimand
from tests.analysis.asked import question, rows, uses
from tests.metrics.cases import rows_of, suited

NEEDED = {
    "misclassification_cost": {"fp": 1.0, "fn": 5.0},
    "asymmetric_cost": {"alpha": 0.8},
    "cutoff_auc": {"above": 8.0},
    "deviance": {"power": 1.0},
    "interval_score": {"level": 0.8},
    "quantile_coverage": {"quantile": 0.8},
    **{
        f"expected_cost{shift}": {"alpha": 0.8} for shift in ("", "_optimal", "_fitted", "_density")
    },
    "pinball": {"alpha": 0.8},
    "topk_capture": {"share": 0.2},
    "capture": {"share": 0.15},
    "lift": {"share": 0.15},
    "binary_ranking_slope": {"buckets": 5},
    # Buckets of enough rows for a standard error of their own.
    **{f"ranking_{what}": {"buckets": 2} for what in ("last", "first", "difference", "slope")},
}
PRINTED = {
    "bootstrap": "null-bootstrap",
    "bootstrap-t": "null-bootstrap-t",
    "bootstrap-z": "bootstrap z",
    "size-z": "size z",
    "influence": "influence z",
    "t": "paired t",
    "sign-flip": "sign flip",
}


def test_the_names_are_those_of_the_code():
    assert ("auto", "analytic", *methods.INTERVAL_METHODS) == method_names.INTERVAL_NAMES
    assert set(method_names.TEST_NAMES) == {"auto", "analytic", *significance.SIGNIFICANCE_TESTS}
    assert set(method_names.ADJUSTMENT_NAMES) == set(get_args(multiplicity.Adjust))


EVERY_KIND = [
    *ESTIMANDS.values(),
    *(Estimand(scale, of) for scale in get_args(Scale) for of in get_args(Of)),
]


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_auto_has_methods_for_every_mix_of_traits(kind):
    one = auto.select_methods(kind, auto.VALUE_RULES)
    formulas = auto.select_methods(kind, auto.FORMULA_RULES)
    differences = auto.select_methods(kind, auto.DIFFERENCE_RULES)
    assert one
    assert {*one, *formulas, *differences} <= methods.INTERVAL_METHODS.keys()
    assert set(auto.select_methods(kind, auto.TEST_RULES)) <= significance.SIGNIFICANCE_TESTS.keys()


def test_an_interval_of_its_own_is_tried_first():
    own = Estimand("correlation", "pairs", interval="noether")
    assert auto.select_methods(own, auto.VALUE_RULES)[0] == "noether"
    assert "noether" not in auto.select_methods(own, auto.DIFFERENCE_RULES)


def test_an_unknown_estimand_is_refused_by_name():
    with pytest.raises(ValueError, match="no estimand is called 'median'; there are proportion"):
        find_estimand("median")


def of_both(metric, y, score):
    """Rows as the metric's task holds them; of classes as many of one as of the other."""
    needs_both = metric.cells or metric.classes or metric.name == "calibration_slope"
    middle = np.median(y) if needs_both else 1.0
    return suited(metric.name, y - middle + 1, score - (middle if metric.cells else 0))


@pytest.mark.parametrize("name", METRICS)
def test_a_test_that_suits_a_metric_is_the_one_that_is_made(name):
    metric = METRICS[name].use(**NEEDED.get(name, {}))
    if metric.influence is None and metric.shape == "whole" and metric.image is None:
        assert "influence" not in method_names.list_tests(metric)
    named = [test for test in method_names.list_tests(metric) if test not in ("auto", "analytic")]
    y, scores = rows()
    asked = question(data=(y, [np.maximum(score, 0.5) for score in scores]))
    asked = change_plan(
        asked,
        metrics=tuple(replace(uses("mae")[0], key=t, metric=metric, test=t) for t in named),
        models=tuple(
            replace(c, rows=rows_of(name, *of_both(metric, y, s), {"mean": s, "sd": 1 + s / 4}))
            for c in asked.models
            for s in [c.rows.score.values]
        ),
    )
    made = {c.key: c for c in iter_comparisons(draw_replicates(asked))}
    for test in named:
        assert made[test].status == "ok"
        if made[test].difference != 0:
            assert made[test].test.startswith(PRINTED.get(test, test)), test


def test_tests_of_losses_are_for_metrics_of_losses():
    kinds = {name: set(method_names.list_tests(METRICS[name])) for name in METRICS}
    assert {"sign-flip", "diebold-mariano"} <= kinds["rmse"] & kinds["r2"] & kinds["mae"]
    assert "t" in kinds["mae"] and "t" not in kinds["rmse"]
    for name in ("kendall", "bias", "error_variance", "median_ae"):
        assert not {"t", "sign-flip", "wilcoxon", "diebold-mariano"} & kinds[name]
    areas = sorted(name for name in METRICS if "delong" in kinds[name])
    assert areas == ["cutoff_auc", "gini", "roc_auc"]


def compared(asked, key):
    return next(c for c in iter_comparisons(draw_replicates(asked)) if c.key == key)


@pytest.fixture(autouse=True)
def _keep_every_p_value(monkeypatch):
    """A p-value is checked here whatever the method of the interval next to it."""
    place = "reportgen.analysis.comparisons.is_test_of_interval"
    monkeypatch.setattr(place, lambda test, interval: True)


def _ask_diebold(**more):
    asked = question(**more)
    named = (replace(use, test="diebold-mariano") for use in asked.statistics.metrics)
    return change_plan(asked, metrics=tuple(named))


def test_moments_of_unequal_weight_count_by_their_weight():
    """A moment of two equal rows is one row of weight two."""
    y, (first, second) = rows(40)
    twice = np.append(np.arange(40), np.arange(10))
    data = (y[twice], [first[twice], second[twice]])
    weight = np.ones(40)
    weight[:10] = 2
    split = compared(_ask_diebold(n=50, data=data, unit=twice, block=3.0), "mae")
    whole = compared(
        _ask_diebold(data=rows(40), weight=weight, unit=np.arange(40), block=3.0), "mae"
    )
    assert split.test == "diebold-mariano"
    assert split.p_value == pytest.approx(whole.p_value)


def test_two_areas_at_a_cut_off_are_compared_as_delong_does():
    y, (first, second) = rows(60)
    up = y > 8.0

    def parts(score):
        over = (score[up][:, None] > score[~up]) + 0.5 * (score[up][:, None] == score[~up])
        return over.mean(), over.mean(axis=1), over.mean(axis=0)

    (a, up_a, down_a), (b, up_b, down_b) = parts(second), parts(first)
    variance = (
        np.var(up_a - up_b, ddof=1) / up.sum() + np.var(down_a - down_b, ddof=1) / (~up).sum()
    )
    asked = question(data=(y, [first, second]))
    use = replace(
        asked.statistics.metrics[0], key="cut", metric=METRICS["cutoff_auc"].use(above=8.0)
    )
    found = compared(change_plan(asked, metrics=(use,)), "cut")
    assert found.test == "delong" and found.difference == pytest.approx(a - b)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(a - b) / np.sqrt(variance)))


def test_clusters_within_strata_have_clusters_less_strata_degrees_of_freedom():
    unit, stratum = np.repeat(np.arange(12), 5), np.arange(12) % 3
    found = compared(question(unit=unit, stratum=stratum, adjust="none"), "kendall")
    assert found.method == "influence"
    assert (found.high - found.low) / 2 == pytest.approx(stats.t.ppf(0.975, 9) * found.se)
    plain = compared(question(unit=unit, adjust="none"), "kendall")
    assert (plain.high - plain.low) / 2 == pytest.approx(stats.t.ppf(0.975, 11) * plain.se)


def test_as_many_strata_as_clusters_leave_nothing_to_judge_by():
    found = compared(question(unit=np.repeat(np.arange(12), 5), stratum=np.arange(12)), "mae")
    assert found.low is None and found.p_value is None
