"""AUC and average precision whose weights fall by rank, beside scikit-learn and plain sums."""

from itertools import permutations

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from tests.metrics.test_order_of_classes import draws, rows_of

AUC, PRECISION = METRICS["decayed_auc"], METRICS["decayed_average_precision"]
ONS = ("negatives", "rows", "trapezia")
ORDERS = sorted(set(permutations((1, 1, 1, 0, 0, 0))), reverse=True)


def value(metric, y, score=None, weight=None, **params):
    y = np.array(y)
    score = -np.arange(len(y), dtype=float) if score is None else score
    ones = np.ones(len(y))
    return metric.use(**params).bind(rows_of(y, score)).define(ones if weight is None else weight)


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("on", ONS)
def test_without_a_decay_it_is_the_auc_of_scikit_learn(on, normalise):
    for y, p, weight in draws():
        truth = sk.roc_auc_score(y, p, sample_weight=weight)
        found = value(AUC, y, p, weight, on=on, decay=1.0, normalise=normalise or on == "rows")
        assert found == pytest.approx(truth, rel=1e-12)


def test_without_a_decay_it_is_the_average_precision_of_scikit_learn():
    for y, p, weight in draws():
        truth = sk.average_precision_score(y, p, sample_weight=weight)
        assert value(PRECISION, y, p, weight, decay=1.0) == pytest.approx(truth, rel=1e-12)


def test_on_rows_it_is_the_auc_of_rows_that_weigh_less_by_rank():
    draw = np.random.default_rng(7)
    y, p = (draw.random(60) < 0.4) * 1, draw.random(60)
    weight = 0.9 ** np.argsort(np.argsort(-p))
    truth = sk.roc_auc_score(y, p, sample_weight=weight)
    assert value(AUC, y, p, on="rows", decay=0.9) == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("decay", [0.3, 0.8])
def test_the_perfect_order_has_one(decay):
    for on in ONS:
        assert value(AUC, ORDERS[0], on=on, decay=decay) == pytest.approx(1, abs=1e-12)
    assert value(PRECISION, ORDERS[0], decay=decay) == pytest.approx(1, abs=1e-12)


def falls(metric, **params):
    """In how many orders a positive that moves up past a negative makes the value smaller."""
    count = 0
    for order in ORDERS:
        for i in range(len(order) - 1):
            if order[i : i + 2] == (0, 1):
                better = (*order[:i], 1, 0, *order[i + 2 :])
                before, after = (value(metric, y, **params) for y in (order, better))
                count += after < before - 1e-12
    return count


def test_on_negatives_a_better_order_never_has_less_and_on_others_it_may():
    assert falls(AUC, decay=0.3) == falls(PRECISION, decay=0.3) == 0
    assert falls(AUC, on="rows", decay=0.3) > 0
    assert falls(AUC, on="trapezia", decay=0.3) > 0
    assert falls(AUC, on="trapezia", decay=0.3, normalise=False) > 0


def test_a_steep_decay_stays_defined_where_the_first_positive_stands_far_down():
    y = np.append(np.zeros(3000), [1, 0, 1]).astype(int)
    for on in ONS:
        assert np.isfinite(value(AUC, y, on=on, decay=0.5))
        assert np.isfinite(value(AUC, 1 - y, on=on, decay=0.5))
    assert value(PRECISION, y, decay=0.5) == pytest.approx(0, abs=1e-12)


def test_tied_scores_run_straight_across_the_ranks():
    """Against sums over so many small rows that what is left is small."""
    y, score = np.array([1, 0, 1, 0, 0]), np.array([0.9, 0.7, 0.7, 0.7, 0.1])
    parts = (np.arange(30_000) + 0.5) / 10_000
    passed, recall = 1 + parts, (1 + parts / 3) / 2
    each = 0.6**passed * 2 / 3 / 10_000
    last = (0.6**4 - 0.6**5) / -np.log(0.6)
    truth = (each @ recall + last) / (each.sum() + last)
    found = value(AUC, y, score, on="trapezia", decay=0.6)
    assert found == pytest.approx(truth, rel=1e-7)


@pytest.mark.parametrize("on", ONS)
def test_under_every_weighting_it_is_the_definition(on):
    for y, p, weight in draws():
        batch = Batch(np.random.default_rng(1).poisson(1, (200, 5)).astype(np.uint8), weight)
        bound = AUC.use(on=on, half_life=0.2).bind(rows_of(y, p))
        np.testing.assert_allclose(bound(batch), [bound.define(w) for w in batch.weights.T])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"half_life": 0.1, "decay": 0.9}, "half_life and decay are both given; give one of them"),
        ({"decay": 1.5}, "decay is 1.5, but must be between 0.001 and 1"),
        ({"half_life": 0.0}, "half_life is 0.0, but must be between 0.001 and 1"),
        ({"on": "rows", "normalise": False}, "normalise: false goes with on: negatives"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(params, message):
    given = {"on": "negatives", "half_life": None, "decay": None, "normalise": True, **params}
    assert message in (AUC.check(**given) or "")
