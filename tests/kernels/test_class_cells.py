"""Fits to the weights of two classes in cells: on every path what NumPy, scipy and slopes say."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from reportgen.kernels import native
from reportgen.kernels.batch import Batch
from reportgen.kernels.calibration_fits import (
    find_overlaps,
    fit_isotonic_blocks,
    fit_logistic_lines,
    fit_logistic_shifts,
)
from reportgen.kernels.score_cells import (
    ClassWeights,
    compute_over_cells,
    make_coarse_cells,
    make_score_cells,
)
from reportgen.metrics.rows import Classes
from tests.kernels.conftest import BATCHES, TIES, batch_of, data


def labelled(n, ties):
    made = data(n, ties)
    y = made.y.values + np.random.default_rng(n).normal(size=n) > 0.8
    return Classes(y.astype(np.intp), made.score.values[:, None], ("0", "1"), "score")


def in_cells(n, ties, kind):
    """The score of each cell, and the weights of both classes there."""
    rows = labelled(n, ties)
    cells = make_score_cells(rows)
    return cells.score, cells.weights(rows, batch_of(n, kind))


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_lines_and_shifts_are_those_of_numpy(path, kind, ties):
    for n in (1, 3, 16, 64, 300):
        x, weights = in_cells(n, ties, kind)
        found = (*fit_logistic_lines(x, weights), fit_logistic_shifts(x, weights))
        with native.use_numpy():
            expected = (*fit_logistic_lines(x, weights), fit_logistic_shifts(x, weights))
        for own, other in zip(found, expected, strict=True):
            assert own.shape == (weights.size,)
            assert own == pytest.approx(other, rel=1e-11, abs=1e-12, nan_ok=True), (n, kind)


@pytest.mark.parametrize("kind", ["counts", "weights", "one weighting", "many lanes"])
def test_no_rest_has_a_slope_where_a_line_is_best(path, kind):
    x, weights = in_cells(300, "some", kind)
    level, slope = fit_logistic_lines(x, weights)
    p = 1 / (1 + np.exp(-(level[:, None] + slope[:, None] * x)))
    rest = weights.upper - (weights.upper + weights.lower) * p
    assert np.abs(rest.sum(axis=1)).max() < 1e-10
    assert np.abs(rest @ x).max() < 1e-10
    p = 1 / (1 + np.exp(-(fit_logistic_shifts(x, weights)[:, None] + x)))
    rest = weights.upper - (weights.upper + weights.lower) * p
    assert np.abs(rest.sum(axis=1)).max() < 1e-10


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ([0, 0, 0], [1, 2, 3]),
        ([1, 2, 3], [0, 0, 0]),
        ([0, 0, 2], [3, 1, 0]),
        ([0, 1, 2], [3, 1, 0]),
        ([0, 2, 0], [0, 3, 0]),
        ([0, 0, 0], [0, 0, 0]),
    ],
    ids=["lower alone", "upper alone", "apart", "touching", "one cell", "nothing"],
)
def test_there_is_no_line_where_an_x_separates_the_classes(path, upper, lower):
    x = np.array([-1.0, 0.5, 2.0])
    weights = ClassWeights.from_classes(np.array([upper], float), np.array([lower], float))
    assert not find_overlaps(x, weights.upper, weights.lower)[0]
    assert np.isnan(fit_logistic_lines(x, weights)).all()
    has_both = sum(upper) > 0 and sum(lower) > 0
    assert np.isfinite(fit_logistic_shifts(x, weights)[0]) == has_both


def test_far_log_odds_leave_no_digits_behind(path):
    x = np.array([-900.0, -40.0, 0.0, 40.0, 900.0])
    upper, lower = np.array([[0.0, 1, 2, 3, 4]]), np.array([[4.0, 3, 2, 1, 0]])
    shift = fit_logistic_shifts(x, ClassWeights.from_classes(upper, lower))[0]
    assert shift == pytest.approx(0.0, abs=1e-12)  # the same on both sides


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_blocks_are_those_of_scipy(path, kind, ties):
    for n in (1, 3, 64, 300):
        _, weights = in_cells(n, ties, kind)
        upper, lower = fit_isotonic_blocks(weights)
        both = upper + lower
        assert both.sum(axis=1) == pytest.approx((weights.upper + weights.lower).sum(axis=1))
        for lane in range(0, weights.size, 9):
            one, other = weights.upper[lane], weights.lower[lane]
            use = one + other > 0
            if not use.any():
                assert not both[lane].any()
                continue
            mass, share = (one + other)[use], (one / np.maximum(one + other, 1e-300))[use]
            fit = isotonic_regression(share, weights=mass).x if len(share) > 1 else share
            blocks = both[lane][both[lane] > 0]
            own = upper[lane][: len(blocks)] / blocks
            middle = np.cumsum(mass) - mass / 2
            block = np.searchsorted(np.cumsum(blocks), middle)
            assert own[block] == pytest.approx(fit, rel=1e-12)


@pytest.mark.skipif(not native.list_kinds(), reason="no compiled kernels here")
def test_blocks_of_compiled_code_cannot_be_pooled_further():
    _, weights = in_cells(300, "some", "counts")
    upper, lower = fit_isotonic_blocks(weights)
    rise = upper[:, 1:] * lower[:, :-1] - upper[:, :-1] * lower[:, 1:]
    assert (rise[(upper + lower)[:, 1:] > 0] > 0).all()


def test_no_cells_have_no_line_and_no_blocks(path):
    x, weights = in_cells(0, "none", "counts")
    assert np.isnan(fit_logistic_lines(x, weights)).all()
    assert np.isnan(fit_logistic_shifts(x, weights)).all()
    assert not np.any(fit_isotonic_blocks(weights))


def test_what_few_cells_move_follows_the_weight_of_the_rows():
    rng = np.random.default_rng(4)
    n = 6000
    score = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(np.intp)
    rows = Classes(y, score[:, None], ("0", "1"), "score")
    assert make_coarse_cells(rows) is not make_score_cells(rows)

    def lines(cells, weights):
        return fit_logistic_lines(cells.score, weights)[1][:, None]

    for weight in (None, rng.exponential(size=n), rng.exponential(size=n)):
        batch = Batch(np.ones((n, 2), np.uint8), weight)
        full = Batch.from_weights(np.ones(n) if weight is None else weight)
        found = compute_over_cells(rows, batch, "slope", lines)
        assert found == pytest.approx(
            np.repeat(compute_over_cells(rows, full, "slope", lines), 2, axis=0)
        )
