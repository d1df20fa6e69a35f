"""How the scores of each class are spread: shares of the class in bins that both share."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Classes
from tests.metrics.curves.test_classes import drawn, rows_of

UPPER, LOWER = CURVES["score_density"], CURVES["score_density_of_negatives"]


def test_shares_of_each_class_are_counted_by_hand() -> None:
    y = np.array([0, 0, 0, 0, 1, 1])
    rows = rows_of(y, np.array([0.0, 0.05, 0.1, 0.45, 0.45, 0.95]))
    weight = np.array([1.0, 1, 1, 1, 1, 3])
    upper, lower = (each.bind(rows, weight) for each in (UPPER, LOWER))
    assert upper.grid == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])  # round steps of 0.2
    assert upper.estimate == pytest.approx([0, 0, 1 / 4, 0, 3 / 4])
    assert lower.estimate == pytest.approx([3 / 4, 0, 1 / 4, 0, 0])


@pytest.mark.parametrize("seed", range(5))
def test_all_shares_of_a_class_sum_to_one_and_are_those_of_numpy(seed: int) -> None:
    y, p, weight = drawn(seed, digits=8)
    rows = rows_of(y, p)
    for curve, own in ((UPPER, y == 1), (LOWER, y == 0)):
        bound = curve.bind(rows, weight)
        half = (bound.grid[1] - bound.grid[0]) / 2
        edges = np.append(bound.grid - half, bound.grid[-1] + half)
        counted, _ = np.histogram(p[own], edges, weights=weight[own])
        assert bound.estimate == pytest.approx(counted / weight[own].sum(), abs=1e-12)
        assert bound.estimate.sum() == pytest.approx(1)


def test_both_classes_have_the_same_bins_and_few_rows_have_few() -> None:
    for n, most in ((8, 6), (150, 13), (5000, 32)):
        y, p, weight = drawn(3, n, digits=8)
        rows = rows_of(y, p)
        upper, lower = (each.bind(rows, weight).grid for each in (UPPER, LOWER))
        assert np.array_equal(upper, lower)
        assert len(upper) <= most


def test_resamples_and_seven_times_the_weight_give_the_same_shares() -> None:
    y, p, weight = drawn()
    bound = UPPER.bind(rows_of(y, p), weight)
    assert bound(Batch.from_weights(7 * weight))[0] == pytest.approx(bound.estimate)
    lanes = np.random.default_rng(1).multinomial(len(y), np.full(len(y), 1 / len(y)), size=3)
    together = bound(Batch(lanes.T.astype(np.uint8), weight))
    for k, each in enumerate(lanes):
        assert together[k] == pytest.approx(bound(Batch.from_weights(each * weight))[0])


@pytest.mark.parametrize("scores", [[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [1e308, -1e308, 0.0], [2.0]])
@pytest.mark.parametrize("upper", [0, 1])
def test_equal_scores_and_one_class_alone_stop_nothing(scores: list[float], upper: int) -> None:
    rows = rows_of(np.full(len(scores), upper), np.array(scores))
    found = [each.bind(rows, np.ones(len(scores))).estimate for each in (LOWER, UPPER)]
    assert found[upper].sum() == pytest.approx(1)
    assert np.isnan(found[1 - upper]).all()


def test_no_rows_have_no_bins() -> None:
    rows = rows_of(np.empty(0), np.empty(0))
    assert len(UPPER.bind(rows, np.empty(0)).estimate) == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_heavy_tails_do_not_leave_one_bar(sign):
    """Even bins from the lowest to the highest of a log-normal score held nine rows in ten."""
    draw = np.random.default_rng(1)
    y = (draw.random(400) < 0.3).astype(np.intp)
    score = sign * np.exp(3 * draw.normal(size=400))
    rows = Classes(y, score[:, None], ("0", "1"), "score")
    trace = CURVES["score_density"].bind(rows, np.ones(400)).trace(np.ones(400))
    low, high = np.quantile(score, (0.25, 0.75))
    assert trace.marks == {"cut": 1.0} and len(trace.x) >= 5
    assert trace.y.sum() == pytest.approx(1) and trace.y.max() < 0.8
    assert abs(trace.x).max() < 1.5 * max(abs(low - 3 * (high - low)), abs(high + 3 * (high - low)))


@pytest.mark.parametrize("score", [np.full(50, 2.0), np.linspace(0, 1, 50), np.arange(50) % 2])
def test_scores_without_heavy_tails_are_all_within_the_bars(score):
    rows = Classes(np.arange(50) % 2, score.astype(float)[:, None], ("0", "1"), "score")
    assert CURVES["score_density"].bind(rows, np.ones(50)).trace(np.ones(50)).marks == {}


def test_what_the_words_of_a_figure_speak_of_is_drawn_with_it():
    brought = {name: curve.brings for name, curve in CURVES.items() if curve.brings}
    assert set(brought) == {
        "score_density",
        "cumulative_gains",
        "decision_curve",
        "row_log_loss",
    }
    for name, others in brought.items():
        assert all(CURVES[other].presentation.onto == name for other in others)
