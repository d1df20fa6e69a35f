"""Where the log loss comes from: by the probability given, and by the costliest rows."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from tests.metrics.curves.test_classes import drawn, rows_of

LINE, ROWS, SHARES = (CURVES[n] for n in ("row_log_loss", "costliest_rows", "log_loss_shares"))


def test_the_line_is_minus_the_logarithm_and_reaches_as_far_as_the_probabilities() -> None:
    rows = rows_of(np.array([1, 0, 1]), np.array([0.25, 0.5, 0.9]))
    trace = LINE.bind(rows, np.ones(3)).trace(np.ones(3))
    assert (trace.x[0], trace.x[-1]) == pytest.approx((0.25, 0.9))  # given: .25, .5, .9
    assert trace.y == pytest.approx(-np.log(trace.x))
    assert "top" not in trace.marks  # one row in a hundred is none of three


def test_a_tenth_of_the_rows_is_marked_and_at_most_ten() -> None:
    for n, marked in ((5, 1), (40, 4), (150, 10)):
        y, p, _ = drawn(n=n, digits=6)
        given = np.where(y > 0, p, 1 - p)
        trace = ROWS.bind(rows_of(y, p), np.ones(n)).trace(np.ones(n))
        assert trace.x == pytest.approx(np.sort(given)[:marked])
        assert trace.y == pytest.approx(-np.log(np.maximum(trace.x, 2.220446049250313e-16)))


def test_a_heavy_row_costs_more_than_a_light_one() -> None:
    rows = rows_of(np.ones(3), np.array([0.5, 0.4, 0.3]))
    weight = np.array([9.0, 1, 1])
    assert ROWS.bind(rows, weight).trace(weight).x == pytest.approx([0.5])


def test_shares_of_the_loss_are_cumulative_sums_from_the_largest() -> None:
    y, p, _ = drawn(n=100, digits=6)
    rows = rows_of(y, p)
    bound = SHARES.bind(rows, np.ones(100))
    loss = np.sort(-np.log(np.clip(np.where(y > 0, p, 1 - p), 2.220446049250313e-16, 1)))[::-1]
    assert bound.estimate == pytest.approx(np.append(0, np.cumsum(loss)) / loss.sum(), abs=1e-9)
    top = LINE.bind(rows, np.ones(100)).trace(np.ones(100)).marks["top"]
    assert top == pytest.approx(loss[0] / loss.sum())
    mean = METRICS["log_loss"].bind(rows).define(np.ones(100))
    assert mean == pytest.approx(loss.mean())


def test_weights_count_as_rows_do() -> None:
    y, p, _ = drawn(n=60)
    times = 1 + np.arange(60) % 3
    grid = np.linspace(0, 1, 21)
    once = SHARES.function(rows_of(y, p), Batch.from_weights(times * 1.0), grid)
    twice = SHARES.function(
        rows_of(y.repeat(times), p.repeat(times)), Batch.from_weights(np.ones(times.sum())), grid
    )
    assert once == pytest.approx(twice, abs=1e-9)


@pytest.mark.parametrize(("y", "p"), [([1], [0.0]), ([1, 1], [1.0, 1.0]), ([], [])])
def test_sure_and_missing_rows_stop_nothing(y: list[int], p: list[float]) -> None:
    rows, weight = rows_of(np.array(y, dtype=float), np.array(p)), np.ones(len(y))
    for curve in (LINE, ROWS, SHARES):
        bound = curve.bind(rows, weight)
        assert not np.isinf(bound.trace(weight).y).any()
        assert bound(Batch.from_weights(weight)).shape == (1, len(bound.grid))
