"""What the top holds: gains, lifts and Lorenz curves a reader can add up."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES, lift
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import FORTY_SCORE, FORTY_Y, smooth_rows, tied_rows, uneven


def bound(name, rows, weight=None):
    return CURVES[name].bind(rows, np.ones(len(rows)) if weight is None else weight)


def trace_of(name, rows):
    return bound(name, rows).trace(np.ones(len(rows)))


def test_the_cumulative_rank_area_is_that_of_the_squared_ranks_less_their_distance():
    # By definition on forty rows without ties: Σi² − R = 22140 − 3424.
    marks = trace_of("rank_lift", Amounts(FORTY_Y, FORTY_SCORE)).marks
    assert marks["rank area"] == pytest.approx(22140 - 3424, abs=1e-7)


def test_the_best_rank_lift_of_ten_percent_is_nineteen():
    # Rosset, Perlich and Zadrozny (2007): the optimal line is 1 − (1 − x)², .19 at ten percent.
    rows = smooth_rows(100)
    values = bound("rank_lift_best", rows)(Batch.from_weights(np.ones(100)))[0]
    assert values[10] == pytest.approx(0.19)
    worst = bound("rank_lift_worst", rows)(Batch.from_weights(np.ones(100)))[0]
    assert worst[10] == pytest.approx(0.01)


@pytest.mark.parametrize("rows", [smooth_rows(), tied_rows()])
def test_every_rank_lift_lies_between_worst_and_best(rows):
    batch = Batch.from_weights(uneven(60))
    worst, found, best = (
        bound(name, rows)(batch)[0] for name in ("rank_lift_worst", "rank_lift", "rank_lift_best")
    )
    assert np.all(worst <= found + 1e-12)
    assert np.all(found <= best + 1e-12)


def test_the_worst_rank_lift_is_the_lift_of_the_reversed_y():
    rows, weight = tied_rows(), uneven(60)
    reverse = Amounts(rows.y.values, -rows.y.values)
    worst, found = (
        bound(name, each)(Batch.from_weights(weight))[0]
        for name, each in (("rank_lift_worst", rows), ("rank_lift", reverse))
    )
    assert worst == pytest.approx(found, abs=1e-12)


def test_gain_is_the_share_of_the_total():
    trace = trace_of("gain", Amounts(np.array([1.0, 2, 5]), np.array([1.0, 3, 2])))
    assert trace.x == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert trace.y == pytest.approx([0, 2 / 8, 7 / 8, 1])


def test_lift_is_the_mean_of_the_top_over_the_mean():
    values = bound("lift", Amounts(np.array([1.0, 2, 5, 0]), np.arange(4.0)))(
        Batch.from_weights(np.ones(4))
    )
    assert values[0, 24] == pytest.approx(0 / 2)
    assert values[0, 49] == pytest.approx(2.5 / 2)
    assert values[0, 99] == pytest.approx(1)


def test_gain_of_a_total_of_zero_is_undefined():
    rows = Amounts(np.array([-1.0, 1]), np.arange(2.0))
    assert np.isnan(bound("gain", rows)(Batch.from_weights(np.ones(2)))).all()


def test_gini_of_one_who_has_all_is_all_but_his_own_share():
    trace = trace_of("lorenz", Amounts(np.array([0.0, 0, 0, 8]), np.zeros(4)))
    assert trace.marks["gini"] == pytest.approx(3 / 4)
    assert trace.x == pytest.approx([0, 3 / 4, 1])
    assert trace.y == pytest.approx([0, 0, 1])


def test_concentration_by_a_perfect_score_is_the_lorenz_curve():
    rows = Amounts(np.array([3.0, 1, 4, 1.5]), np.array([30.0, 10, 40, 15]))
    found, own = trace_of("concentration", rows), trace_of("lorenz", rows)
    assert found.y == pytest.approx(own.y)
    assert found.marks["share of best"] == pytest.approx(1)


def test_a_constant_score_runs_along_the_diagonal():
    rows = Amounts(np.array([3.0, 1, 4]), np.zeros(3))
    for name in ("gain", "rank_lift", "concentration"):
        one = bound(name, rows)
        assert one(Batch.from_weights(uneven(3)))[0] == pytest.approx(one.grid)


def test_shares_of_a_total_want_sizes():
    y = np.array([3.0, 1.0, 0.0, 2.0])
    grid, batch = np.array([0.25, 0.5, 1.0]), Batch.from_weights(np.ones(4))
    for curve in (lift.gain, lift.gain_best, lift.concentration, lift.lorenz):
        assert np.isfinite(curve(Amounts(y, y), batch, grid)).all()
        assert np.isnan(curve(Amounts(y - 1, y), batch, grid)).all()
    assert lift.lift(Amounts(y - 1, y), batch, grid)[0] == pytest.approx([4.0, 3.0, 1.0])
