"""Smooth calibration error against its definition, written out, and what is known of it."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from reportgen.kernels.batch import Batch
from reportgen.metrics.classification.calibration import CELLS
from reportgen.metrics.metric import METRICS
from reportgen.metrics.rows import Classes

FINE = 3000
CHURN = Path(__file__).parents[2] / "configs" / "data" / "churn.csv"
FROZEN = {"p_logreg": 0.0279904822, "p_rf": 0.0695689033, "p_gbm": 0.0296477231}  # relplot 1.0.3


def bound(y, p):
    return METRICS["smooth_ece"].bind(Classes(y.astype(int), p[:, None], ("0", "1")))


def by_definition(y, p, weight):
    """The width at which the mean of |residuals| after the reflected kernel is that width."""
    at, share = (np.arange(FINE) + 0.5) / FINE, weight / weight.sum()

    def left(width):
        images = [
            norm.pdf(sign * at + 2 * k - p[:, None], scale=width)
            for k in range(-3, 4)
            for sign in (-1, 1)
        ]
        return np.abs((share * (y - p)) @ sum(images)).mean()

    return brentq(lambda width: left(width) - width, 1 / CELLS, 1)


@pytest.mark.parametrize("n", [3, 40, 120])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("power", [1.0, 2.0])
def test_it_is_where_the_width_and_what_is_left_are_equal(n, tied, power):
    draw = np.random.default_rng(n)
    p = draw.random(n)
    p = np.round(p, 1) if tied else p
    y, weight = draw.random(n) < p**power, draw.choice([0.0, 1.0, 2.5], n) + (n < 5)
    expected = by_definition(y, p, weight)
    assert bound(y, p).define(weight) == pytest.approx(expected, abs=0.001)


def test_values_of_customers_who_left_are_near_those_of_the_authors_program():
    with CHURN.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    y = np.array([int(row["y_test"]) for row in table])
    for name, expected in FROZEN.items():
        p = np.array([float(row[name]) for row in table])
        # Theirs has a coarser grid.
        assert bound(y, p).define(np.ones(len(y))) == pytest.approx(expected, abs=0.002)


def test_a_calibrated_model_of_many_rows_is_near_0_and_a_shifted_one_at_its_shift():
    draw = np.random.default_rng(1)
    p = draw.uniform(0.1, 0.8, 200_000)
    y = draw.random(len(p)) < p
    assert bound(y, p).define(np.ones(len(p))) < 0.01
    assert bound(y, p + 0.1).define(np.ones(len(p))) == pytest.approx(0.1, abs=0.005)


def test_errors_that_cancel_within_a_bin_are_seen_and_those_of_neighbours_are_not():
    p = np.repeat([0.35, 0.65], 500)
    y = np.tile([1, 0], 500)  # half of each: 0.15 too low, 0.15 too high
    assert bound(y, p).define(np.ones(1000)) > 0.08
    near = np.repeat([0.4999, 0.5001], 500)
    y = np.repeat([0, 1], 500)
    assert bound(y, near).define(np.ones(1000)) < 0.03


def test_replicates_have_each_their_own_width_whatever_stands_beside_them():
    draw = np.random.default_rng(4)
    p = draw.random(200)
    statistic = bound(draw.random(200) < p, p)
    count = draw.multinomial(200, np.full(200, 1 / 200), size=7).T.astype(np.uint8)
    weight = draw.random(200)
    together = statistic(Batch(count, weight))
    alone = [statistic.define(each * weight) for each in count.T]
    np.testing.assert_array_equal(together, alone)
