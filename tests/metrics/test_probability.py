"""Metrics of probabilities against scikit-learn, and on customers who left against frozen parts."""

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen import metrics

CHURN = Path(__file__).parents[2] / "configs" / "data" / "churn.csv"
# Miscalibration and discrimination of the Brier score, by model-diagnostics 1.5.
PARTS = {
    "p_logreg": (0.004278204521, 0.025382830377),
    "p_rf": (0.015846070997, 0.082007177542),
    "p_gbm": (0.005106972891, 0.083970870001),
}


@pytest.fixture(scope="module")
def customers():
    with CHURN.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in ("y_test", *PARTS)}


@pytest.mark.parametrize("model", PARTS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_values_are_those_of_scikit_learn(customers, model, is_weighted):
    y, p = customers["y_test"], customers[model]
    weight = 0.5 + np.arange(len(y)) % 7 if is_weighted else np.ones(len(y))
    squares = sk.brier_score_loss(y, p, sample_weight=weight)
    assert metrics.brier(y, p, weight) == pytest.approx(squares, rel=1e-12)
    share = np.full(len(y), np.average(y, weights=weight))
    constant = sk.brier_score_loss(y, share, sample_weight=weight)
    assert metrics.brier_skill(y, p, weight) == pytest.approx(1 - squares / constant, rel=1e-12)
    saved = sk.d2_log_loss_score(y, p, sample_weight=weight)
    assert metrics.log_loss_skill(y, p, weight) == pytest.approx(saved, rel=1e-12)
    excess = np.average(p - y, weights=weight)
    assert metrics.calibration_bias(y, p, weight) == pytest.approx(excess, rel=1e-12)


@pytest.mark.parametrize("model", PARTS)
def test_the_brier_score_is_the_sum_of_its_parts(customers, model):
    y, (wrong, told) = customers["y_test"], PARTS[model]
    uncertain = y.mean() * (1 - y.mean())
    found = metrics.brier(y, customers[model])
    assert found == pytest.approx(wrong - told + uncertain, abs=1e-11)
