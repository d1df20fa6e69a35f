"""Metrics of calls against scikit-learn, and against the numbers of published examples."""

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen import metrics
from reportgen.kernels.batch import Batch
from reportgen.kernels.thresholds import CELLS, Threshold
from reportgen.metrics import METRICS
from reportgen.metrics.classification.confusion import build_threshold_table
from reportgen.metrics.rows import Classes
from tests.metrics.cases import rows_of

ONE = {"pos_label": 1}
NONE = {"pos_label": 0}


def draws():
    """Classes, coarse probabilities that tie at the threshold too, and weights or none."""
    for seed in range(4):
        draw = np.random.default_rng(seed)
        y = (draw.random(200) < 0.3) * 1.0
        p = np.round(np.clip(0.3 * y + draw.random(200) * 0.7, 0, 1), 1)
        yield y, p, draw.exponential(1, 200) if seed % 2 else np.ones(200)


def _likelihood(of):
    return lambda y, c, **w: sk.class_likelihood_ratios(y, c, **w)[of]


def _rates(y, c, sample_weight):
    return sk.confusion_matrix(y, c, sample_weight=sample_weight, normalize="true")


TRUTHS = {
    "accuracy": sk.accuracy_score,
    "error_rate": sk.zero_one_loss,
    "precision": lambda y, c, **w: sk.precision_score(y, c, **ONE, **w),
    "recall": lambda y, c, **w: sk.recall_score(y, c, **ONE, **w),
    "specificity": lambda y, c, **w: sk.recall_score(y, c, **NONE, **w),
    "npv": lambda y, c, **w: sk.precision_score(y, c, **NONE, **w),
    "fpr": lambda y, c, **w: _rates(y, c, **w)[0, 1],
    "fnr": lambda y, c, **w: _rates(y, c, **w)[1, 0],
    "fdr": lambda y, c, **w: 1 - sk.precision_score(y, c, **w),
    "f": sk.f1_score,
    "jaccard": sk.jaccard_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "youden": lambda y, c, **w: sk.balanced_accuracy_score(y, c, adjusted=True, **w),
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "lr_positive": _likelihood(0),
    "lr_negative": _likelihood(1),
}


@pytest.mark.parametrize("threshold", [0.3, 0.5])
@pytest.mark.parametrize("name", TRUTHS)
def test_a_value_is_that_of_scikit_learn(name, threshold):
    for y, p, weight in draws():
        found = METRICS[name].use(threshold=threshold).bind(rows_of(name, y, p))
        truth = TRUTHS[name](y, p >= threshold, sample_weight=weight)
        assert found(Batch.from_weights(weight))[0] == pytest.approx(truth, rel=1e-12, abs=1e-12)
        assert found.define(weight) == pytest.approx(truth, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_f_of_any_beta_is_that_of_scikit_learn(beta):
    for y, p, weight in draws():
        truth = sk.fbeta_score(y, p >= 0.5, beta=beta, sample_weight=weight)
        assert metrics.f(y, p, weight, beta=beta) == pytest.approx(truth, rel=1e-12)


def of_cells(name, tp, fp, fn, tn, **params):
    """A metric of a confusion matrix, from one row a cell with its count as weight."""
    y, p, weight = (0, 0, 1, 1), (0.0, 1.0, 0.0, 1.0), (tn, fp, fn, tp)
    return metrics.make_array_function(name)(y, p, weight, **params)


def test_published_examples_come_out():
    assert of_cells("accuracy", 5, 10, 5, 90) == pytest.approx(95 / 110, abs=1e-12)
    assert of_cells("accuracy", 0, 0, 10, 100) == pytest.approx(100 / 110, abs=1e-12)
    one, other = (90, 10, 10, 999_890), (90, 1910, 10, 997_990)
    rates = [of_cells("fpr", *cells) for cells in (one, other)]
    assert rates[1] - rates[0] == pytest.approx(0.0019001900190019003, abs=1e-12)
    shares = [of_cells("precision", *cells) for cells in (one, other)]
    assert shares[0] - shares[1] == pytest.approx(0.855, abs=1e-12)


def test_calling_every_row_negative_is_right_nearly_always_and_has_no_precision():
    cells = (0, 0, 10, 99_990)
    assert of_cells("accuracy", *cells) == pytest.approx(0.9999, abs=1e-12)
    assert np.isnan(of_cells("precision", *cells))
    assert of_cells("recall", *cells) == 0 and of_cells("f", *cells) == 0


@pytest.mark.parametrize("cells", [(39, 26, 120, 915), (40, 27, 119, 914)])
def test_the_table_of_customers_who_left_comes_out_as_printed(cells):
    tp, fp, fn, tn = cells
    left = [of_cells(name, *cells) for name in ("precision", "recall", "f")]
    stayed = [of_cells(name, tn, fn, fp, tp) for name in ("precision", "recall", "f")]
    assert [f"{each:.2f}" for each in left] == ["0.60", "0.25", "0.35"]
    assert [f"{each:.2f}" for each in stayed] == ["0.88", "0.97", "0.93"]
    mean = [(159 * one + 941 * other) / 1100 for one, other in zip(left, stayed, strict=True)]
    assert [f"{each:.2f}" for each in mean] == ["0.84", "0.87", "0.84"]


def test_every_declared_portion_is_what_the_value_is_made_of():
    y, p, weight = next(draws())
    found = 0
    for name, metric in METRICS.items():
        if metric.cells != CELLS or not metric.portions:
            continue
        bound = metric.bind(rows_of(name, y, p))
        shares = [share for share, _ in bound.portions(weight / weight.sum())]
        value, (low, high) = bound.define(weight), metric.bounds
        mean = sum(shares) / len(shares)
        odds = metric.estimand.odds
        assert value == pytest.approx(low + (high - low) * odds * mean / (1 + (odds - 1) * mean))
        found += 1
    assert found == 12


def test_net_benefit_is_that_of_decision_curves():
    for y, p, weight in draws():
        called, t = p >= 0.2, 0.2
        tp, fp = weight @ (called & (y == 1)), weight @ (called & (y == 0))
        expected = (tp - fp * t / (1 - t)) / weight.sum()
        assert metrics.net_benefit(y, p, weight, threshold=t) == pytest.approx(expected, rel=1e-12)
        most = metrics.net_benefit(y, p, weight, threshold=t, standardized=True)
        assert most == pytest.approx(expected * weight.sum() / (weight @ (y == 1)), rel=1e-12)
    with pytest.raises(ValueError, match="threshold is 1, but must be below it"):
        metrics.net_benefit([1, 0], [0.2, 0.3], threshold=1)
    with pytest.raises(ValueError, match="beta is 0, but must be above 0"):
        metrics.f([1, 0], [0.2, 0.3], beta=0)


def test_labels_are_flagged_at_one_half_where_the_flags_of_scores_move():
    y, labels, weight = np.array([0, 0, 1, 1, 1]), np.array([[0.0], [1], [0], [1], [1]]), np.ones(5)
    rows = Classes(y, labels, ("0", "1"), "label", rules={"top": Threshold(0.5)})
    fixed = build_threshold_table(np.asarray, rows, weight, at="top")
    moving = build_threshold_table(np.asarray, rows, weight, at="top", moves=True)
    assert moving.cell.tolist() == fixed.cell.tolist() and moving.find_portion(weight) == ()
