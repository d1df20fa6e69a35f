"""Areas and heights of ROC and precision–recall against scikit-learn and published programs."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from sklearn import metrics as sk

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes

ROOT = Path(__file__).parents[2]


def draws():
    """Classes with scores that tie often or never, and weights."""
    for seed, digits in enumerate((1, 2, 6)):
        draw = np.random.default_rng(seed)
        y = (draw.random(200) < 0.3) * 1
        p = np.round(np.clip(0.3 * y + draw.random(200) * 0.7, 0, 1), digits)
        yield y, p, draw.exponential(1, 200) if seed != 1 else np.ones(200)


def rows_of(y, p):
    return Classes(y.astype(np.intp), p[:, None], ("0", "1"))


def _ks(y, p, sample_weight):
    fpr, tpr, _ = sk.roc_curve(y, p, sample_weight=sample_weight)
    return (tpr - fpr).max()


TRUTHS = {
    "average_precision": ({}, sk.average_precision_score),
    "partial_auc": (
        {"high": 0.2, "standardize": "mcclish"},
        lambda y, p, **w: sk.roc_auc_score(y, p, max_fpr=0.2, **w),
    ),
    "ks": ({}, _ks),
}
# The R package hmeasure, on customers who left: of three models, for both weights over costs.
H_MEASURES = {
    "beta_pi": (0.232657203, 0.683909118, 0.694881164),
    "ratio": (0.308761912, 0.717010043, 0.721711937),
}


@pytest.mark.parametrize("severity", H_MEASURES)
def test_the_h_measure_is_that_of_its_authors_program(severity):
    with (ROOT / "configs" / "data" / "churn.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    y = np.array([int(row["y_test"]) for row in table])
    metric = METRICS["h_measure"].use(severity=severity)
    for column, want in zip(("p_logreg", "p_rf", "p_gbm"), H_MEASURES[severity], strict=True):
        rows = rows_of(y, np.array([float(row[column]) for row in table]))
        assert metric.bind(rows).define(np.ones(len(y))) == pytest.approx(want, abs=6e-10)


def test_the_h_measure_knows_the_order_alone():
    for y, p, weight in draws():
        metric = METRICS["h_measure"].use()
        moved = metric.bind(rows_of(y, p**3)).define(weight)
        assert metric.bind(rows_of(y, p)).define(weight) == pytest.approx(moved, rel=1e-12)


@pytest.mark.parametrize("name", TRUTHS)
def test_a_value_is_that_of_scikit_learn(name):
    params, truth = TRUTHS[name]
    for y, p, weight in draws():
        bound = METRICS[name].use(**params).bind(rows_of(y, p))
        expected = truth(y, p, sample_weight=weight)
        assert bound(Batch.from_weights(weight))[0] == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert bound.define(weight) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("along", ["fpr", "tpr"])
def test_over_the_whole_axis_a_partial_area_is_the_area(along):
    for y, p, weight in draws():
        bound = METRICS["partial_auc"].use(high=1.0, along=along).bind(rows_of(y, p))
        truth = sk.roc_auc_score(y, p, sample_weight=weight)
        assert bound.define(weight) == pytest.approx(truth, rel=1e-12)


def test_within_tied_scores_precision_runs_along_a_hyperbola():
    """Against sums over so many steps that what is left is small."""
    for y, p, weight in draws():
        area, tp, fp = 0.0, 0.0, 0.0
        for score in sorted(set(p), reverse=True):
            gained = weight[(p == score) & (y == 1)].sum()
            alarms = weight[(p == score) & (y == 0)].sum()
            share = (np.arange(20_000) + 0.5) / 20_000
            called = tp + fp + share * (gained + alarms)
            area += gained * ((tp + share * gained) / called).mean() if gained else 0.0
            tp, fp = tp + gained, fp + alarms
        found = METRICS["pr_auc"].bind(rows_of(y, p)).define(weight)
        assert found == pytest.approx(area / tp, rel=1e-6)


FROZEN = {  # of R packages on the same rows; KS of scikit-learn too
    "pr_auc": (0.44104744, 0.83433482, 0.84541306),
    "ks": (0.473623002, 0.778203303, 0.777314379),
}


def test_the_partial_area_of_customers_who_left_is_that_of_proc():
    with (ROOT / "configs" / "data" / "churn.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    y, p = (np.array([float(row[c]) for row in table]) for c in ("y_test", "p_logreg"))
    for standardize, expected in (("none", 0.0290009958628), ("mcclish", 0.626321030857)):
        metric = METRICS["partial_auc"].use(standardize=standardize)
        found = metric.bind(rows_of(y, p)).define(np.ones(len(y)))
        assert found == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("name", FROZEN)
def test_values_of_customers_who_left_are_those_of_other_programs(name):
    with (ROOT / "configs" / "data" / "churn.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    y = np.array([int(row["y_test"]) for row in table])
    for column, expected in zip(("p_logreg", "p_rf", "p_gbm"), FROZEN[name], strict=True):
        p = np.array([float(row[column]) for row in table])
        found = METRICS[name].bind(rows_of(y, p)).define(np.ones(len(y)))
        assert found == pytest.approx(expected, abs=6e-9)


def test_moving_calls_and_average_precision_live_on_the_same_rows():
    """Both order the rows from the top, each in its own way."""
    y, p, weight = next(draws())
    rows = rows_of(y, p)
    for name in ("average_precision", "ks", "roc_auc", "pr_auc"):
        assert np.isfinite(METRICS[name].bind(rows)(Batch.from_weights(weight))[0])


@pytest.mark.parametrize("name", ["average_precision", "pr_auc", "ks"])
def test_influence_is_the_slope_in_each_weight(name):
    for y, p, weight in draws():
        bound, step = METRICS[name].bind(rows_of(y, p)), 1e-6
        phi = bound.influence(weight)
        assert weight @ phi == pytest.approx(0, abs=1e-10)
        for k in range(0, len(y), 23):
            up, down = weight.copy(), weight.copy()
            up[k], down[k] = weight[k] + step, weight[k] - step
            slope = (bound.define(up) - bound.define(down)) / (2 * step) * weight.sum()
            assert phi[k] == pytest.approx(slope, abs=2e-6)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_trapezoids_under_precision_are_those_of_scikit_learn(is_weighted):
    draw = np.random.default_rng(5)
    y = (draw.random(80) < 0.3) * 1.0
    p = np.round(np.clip(0.3 * y + 0.7 * draw.random(80), 0, 1), 1)
    weight = draw.exponential(1, 80) if is_weighted else np.ones(80)
    precision, recall, _ = sk.precision_recall_curve(y, p, sample_weight=weight)
    bound = METRICS["pr_auc"].use(interpolation="trapezoid").bind(rows_of(y, p))
    assert bound.define(weight) == pytest.approx(sk.auc(recall, precision), rel=1e-12)
    assert bound(Batch.from_weights(weight))[0] == pytest.approx(bound.define(weight), rel=1e-12)
    step = 1e-6 * np.eye(80)
    slope = [(bound.define(weight + e) - bound.define(weight - e)) / 2e-6 for e in step]
    phi = bound.influence(weight)
    np.testing.assert_allclose(phi, np.array(slope) * weight.sum(), rtol=1e-4, atol=1e-5)


def test_what_chance_adds_to_the_h_measure_is_what_draws_from_its_fit_show():
    rng = np.random.default_rng(11)
    y = (rng.random(60) < 0.4).astype(float)
    score = y + rng.normal(size=60)
    metric, weight = METRICS["h_measure"].use(), np.ones(60)
    value = metric.function(y, score, weight)
    order = np.argsort(score)
    fit = np.empty(60)
    fit[order] = isotonic_regression(y[order]).x
    drawn = [
        metric.function((rng.random(60) < fit).astype(float), score, weight) for _ in range(400)
    ]
    error = np.std(drawn) * (1 / 199 + 1 / 400) ** 0.5
    rows = Classes(y.astype(np.intp), score[:, None], ("0", "1"), "score")
    found = metric.bind(rows).bias(weight)
    assert found > 0.02 and abs(found - (np.mean(drawn) - value)) < 4 * error


@pytest.mark.parametrize(
    ("optimistic", "right"), [("trapezoid", "davis_goadrich"), ("max", "step")]
)
def test_what_is_said_to_be_too_optimistic_is_so_on_few_tied_rows(optimistic, right):
    draw, excess = np.random.default_rng(8), []
    known = [METRICS["pr_auc"].use(interpolation=each) for each in (optimistic, right)]
    for _ in range(100):
        rows = rows_of(draw.permutation([1, 1, 1, 0, 0, 0]), draw.integers(0, 3, 6) / 2)
        high, low = (each.bind(rows).define(np.ones(6)) for each in known)
        excess.append(high - low)
    assert np.mean(excess) > 0.02  # of samples at random, if not of each
    assert ["too optimistic" in each.caveat for each in known] == [True, False]
