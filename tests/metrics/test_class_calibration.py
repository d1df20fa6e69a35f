"""Calibration of two classes: frozen numbers of other programs, slopes, and what chance adds."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import entropy

from reportgen.inference.intervals import compute_interval
from reportgen.kernels.batch import Batch
from reportgen.metrics.metric import METRICS
from reportgen.metrics.rows import Classes
from tests.inference.evidence_samples import plain

CHURN = Path(__file__).parents[2] / "configs" / "data" / "churn.csv"
COLUMNS = ("p_logreg", "p_rf", "p_gbm")
FROZEN = {  # model-diagnostics 1.5.0 on the Brier score; logistic fits of R and statsmodels
    "miscalibration": (0.004278204521, 0.015846070997, 0.005106972891),
    "discrimination": (0.025382830377, 0.082007177542, 0.083970870001),
    "calibration_slope": (0.864196, 1.615969, 1.156107),
}
INFLUENTIAL = (
    "miscalibration",
    "discrimination",
    "calibration_slope",
    "calibration_intercept",
    "oe_ratio",
)


def rows_of(y, p):
    code = np.asarray(y, dtype=np.intp)
    return Classes(code, np.asarray(p)[:, None], ("0", "1"), "probability")


def churn():
    with CHURN.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    y = np.array([int(row["y_test"]) for row in table])
    return y, {name: np.array([float(row[name]) for row in table]) for name in COLUMNS}


def drawn(n=80, seed=3, slope=0.7):
    """Probabilities too extreme, the last of them tied."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(-slope * x + 0.5))
    p = 1 / (1 + np.exp(-x))
    return y, np.where(np.arange(n) > 0.8 * n, np.round(p, 1), p), rng.exponential(size=n)


@pytest.mark.parametrize("name", FROZEN)
def test_values_of_customers_who_left_are_those_of_other_programs(name):
    y, models = churn()
    for column, expected in zip(COLUMNS, FROZEN[name], strict=True):
        found = METRICS[name].bind(rows_of(y, models[column])).define(np.ones(len(y)))
        assert found == pytest.approx(expected, abs=6e-7 if "slope" in name else 1e-12)


@pytest.mark.parametrize("name_of_loss", ["brier", "log_loss"])
def test_the_parts_add_up_to_the_loss(name_of_loss):
    y, p, weight = drawn()
    mcb, dsc = (
        METRICS[name].use(loss=name_of_loss).bind(rows_of(y, p)).define(weight)
        for name in ("miscalibration", "discrimination")
    )
    share = weight @ y / weight.sum()
    constant = {"brier": share * (1 - share), "log_loss": entropy([share, 1 - share])}
    unc = constant[name_of_loss]
    loss = METRICS[name_of_loss].bind(rows_of(y, p)).define(weight)
    assert mcb - dsc + unc == pytest.approx(loss, abs=1e-14)


@pytest.mark.parametrize("name", INFLUENTIAL)
def test_influence_is_the_slope_in_each_weight(name):
    y, p, weight = drawn()
    bound, step = METRICS[name].bind(rows_of(y, p)), 1e-6
    phi = bound.influence(weight)
    assert weight @ phi == pytest.approx(0, abs=1e-8)
    for k in range(0, len(y), 17):
        up, down = weight.copy(), weight.copy()
        up[k], down[k] = weight[k] + step, weight[k] - step
        slope = (bound.define(up) - bound.define(down)) / (2 * step) * weight.sum()
        assert phi[k] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("name", ["calibration_slope", "miscalibration", "discrimination"])
def test_cells_of_many_scores_tell_what_each_score_tells(name):
    """From 4,096 scores on replicates are told from cells of neighbours."""
    y, p, _ = drawn(6000)
    p = p + np.linspace(0, 1e-9, len(p))
    bound = METRICS[name].bind(rows_of(y, p))
    batch = Batch(np.random.default_rng(1).poisson(1, (len(y), 5)).astype(np.uint8))
    found = bound(batch)
    expected = np.array([bound.define(weight) for weight in batch.weights.T])
    assert np.abs(found - expected).max() <= 0.02 * expected.std()


def test_bias_of_the_miscalibration_is_what_a_right_model_shows():
    """Over samples of a calibrated model the value less its bias is 0 on average."""
    rng, values, biases = np.random.default_rng(5), [], []
    for _ in range(60):
        p = rng.uniform(0.05, 0.95, 300)
        bound = METRICS["miscalibration"].bind(rows_of(rng.random(300) < p, p))
        values.append(bound.define(np.ones(300)))
        biases.append(bound.bias(np.ones(300)))
    assert np.mean(values) > 0.003
    assert abs(np.mean(values) - np.mean(biases)) < 0.3 * np.mean(values)


def test_calibration_error_of_a_right_model_is_about_zero_where_ece_is_not():
    rng, error, ece = np.random.default_rng(6), [], []
    for _ in range(40):
        p = rng.uniform(0.05, 0.95, 400)
        rows, weight = rows_of(rng.random(400) < p, p), np.ones(400)
        error.append(METRICS["calibration_error"].bind(rows).define(weight) ** 2)
        ece.append(METRICS["ece"].bind(rows).define(weight))
    assert np.mean(error) < 0.0012  # half of it is cut off at 0
    assert 0.7 < np.mean(ece) / np.sqrt(2 * 10 * np.mean(p * (1 - p)) / (np.pi * 400)) < 1.3


def test_one_model_has_no_interval_of_its_expected_calibration_error():
    found = compute_interval(
        plain(0.1, np.linspace(0.05, 0.2, 99), "distance with chance"), "auto", 0.95
    )
    assert not found.is_defined and found.reason == "chance-adds"
