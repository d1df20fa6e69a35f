"""Calls at one place of a curve, and the highest precision, as scikit-learn's corners have them."""

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen import metrics
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes, Queries
from tests.metrics.cases import lists_of

DRAW = np.random.default_rng(4)
N = 240
Y = (DRAW.random(N) < 0.3).astype(float)
SCORE = np.round(0.3 * Y + 0.7 * DRAW.random(N), 1)  # a dozen scores, all of them tied
WEIGHT = DRAW.choice([0.0, 1.0, 2.0, 0.7], N)


def curve(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rates = sk.roc_curve(Y, SCORE, sample_weight=weight, drop_intermediate=False)
    return rates[0], rates[1]


@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("at", [0.05, 0.31, 0.8, 0.99])
def test_a_place_of_the_roc_curve_lies_on_the_line_between_its_corners(
    weight: np.ndarray, at: float
) -> None:
    fpr, tpr = curve(weight)
    assert metrics.binary_recall_at(Y, SCORE, weight, fpr=at) == pytest.approx(
        np.interp(at, fpr, tpr), rel=1e-9
    )
    false = np.interp(at, tpr, fpr)
    assert metrics.fpr_at(Y, SCORE, weight, recall=at) == pytest.approx(false, rel=1e-9)
    p, n = weight @ Y, weight @ (1 - Y)
    precise = at * p / (at * p + false * n)
    found = metrics.binary_precision_at(Y, SCORE, weight, recall=at)
    assert found == pytest.approx(precise, rel=1e-9)


@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["plain", "weighted"])
def test_the_top_holds_what_all_orders_of_tied_rows_give_on_average(weight: np.ndarray) -> None:
    fpr, tpr = curve(weight)
    p, n = weight @ Y, weight @ (1 - Y)
    called = (tpr * p + fpr * n) / (p + n)
    for share in (0.01, 0.1, 0.47, 1.0):
        held = np.interp(share, called, tpr)
        assert metrics.capture(Y, SCORE, weight, share=share) == pytest.approx(held, rel=1e-9)
        assert metrics.lift(Y, SCORE, weight, share=share) == pytest.approx(held / share, rel=1e-9)


@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["plain", "weighted"])
def test_the_highest_precision_of_each_recall_is_never_below_the_steps(weight: np.ndarray) -> None:
    precision, recall, _ = sk.precision_recall_curve(Y, SCORE, sample_weight=weight)
    raised = np.maximum.accumulate(precision[:-1])  # from all rows called to none
    expected = -np.diff(recall) @ raised
    found = metrics.pr_auc(Y, SCORE, weight, interpolation="max")
    assert found == pytest.approx(expected, rel=1e-9)
    steps = metrics.pr_auc(Y, SCORE, weight, interpolation="step")
    assert steps == pytest.approx(sk.average_precision_score(Y, SCORE, sample_weight=weight))
    assert found >= steps


def test_what_a_row_does_to_the_highest_precision_is_its_slope() -> None:
    draw = np.random.default_rng(9)
    y = (draw.random(60) < 0.4).astype(int)
    score = draw.random(60)  # where two places tie for the highest there is no slope
    rows = Classes(y, score[:, None], ("0", "1"), "score")
    bound = METRICS["pr_auc"].use(interpolation="max").bind(rows)
    weight, step = draw.uniform(0.5, 2.0, 60), 1e-6
    ends = [
        bound(Batch(np.ones((60, 60)) * weight[:, None] + sign * step * np.eye(60)))
        for sign in (1, -1)
    ]
    slopes = weight.sum() * (ends[0] - ends[1]) / (2 * step)
    influence = bound.influence(weight)
    assert influence is not None
    assert influence == pytest.approx(slopes, abs=1e-6)


@pytest.mark.parametrize("k", [1, 7, 100, N])
def test_fap_of_untied_rows_is_that_of_one_query(k: int) -> None:
    draw = np.random.default_rng(6)
    y, score = (draw.random(N) < 0.3).astype(float), draw.random(N)
    one = METRICS["fap"].use(k=k, relevant=1.0).bind(Queries(lists_of([y], [score])))
    expected = one(Batch.from_weights(np.ones(1)))[0]
    assert metrics.binary_fap(y, score, k=k) == pytest.approx(expected, rel=1e-12)
