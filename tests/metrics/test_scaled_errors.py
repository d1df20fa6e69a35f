"""The mean absolute scaled error: against sktime, by hand, and under other weights."""

import numpy as np
import pytest

from reportgen import metrics
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.regression.scaled_errors import find_naive_errors
from reportgen.metrics.rows import Amounts, PastTargets

TRAIN = np.array([5, 0.5, 4, 6, 3, 5, 2])
Y, SCORE = np.array([3, -0.5, 2, 7, 2]), np.array([2.5, 0.0, 2, 8, 1.25])


def one_series(n, y):
    return {"": PastTargets(np.zeros(n, np.intp), np.array([0, len(y)], np.intp), y)}


# sktime 1.2.0: mean_absolute_scaled_error(Y, SCORE, y_train=TRAIN, sp=season); the first value is
# that of its example.
@pytest.mark.parametrize(
    ("season", "expected"),
    [(1, 0.18333333333333335), (2, 0.2894736842105263), (3, 0.25882352941176473)],
)
def test_it_is_sktimes(season, expected):
    rows = Amounts(Y, SCORE, past=one_series(5, TRAIN))
    found = METRICS["mase"].use(season=season).bind(rows).define(np.ones(5))
    assert found == pytest.approx(expected, rel=1e-12)


def test_each_row_is_divided_by_the_scale_of_its_series():
    past = PastTargets(
        np.array([0, 1, 1, 0], np.intp),
        np.array([0, 3, 6], np.intp),
        np.array([1.0, 2, 4, 10, 40, 20]),  # steps 1 and 2; 30 and 20
        np.zeros(2, bool),
    )
    rows = Amounts(np.zeros(4), np.array([3.0, 50, 25, 0]), past={"shop": past})
    found = METRICS["mase"].use(by="shop").bind(rows).define(np.ones(4))
    assert found == pytest.approx((3 / 1.5 + 50 / 25 + 25 / 25 + 0) / 4)
    assert find_naive_errors(past, 2) == pytest.approx([3, 10])


def test_resamples_draw_errors_and_leave_the_scale():
    rows = Amounts(Y, SCORE, past=one_series(5, TRAIN))
    weight = np.array([[1.0, 1, 1, 1, 1], [0, 2, 0, 3, 0], [5, 0, 0, 0, 0]])
    for each in weight:
        batch = Batch.from_weights(each)
        scaled, plain = (METRICS[name].use().bind(rows)(batch)[0] for name in ("mase", "mae"))
        assert scaled == pytest.approx(plain / 3.0)  # the mean step of TRAIN is 18/6
    part = rows.take(np.array([3, 1]))
    assert METRICS["mase"].use().bind(part).define(np.ones(2)) == pytest.approx((1 + 0.5) / 2 / 3)


@pytest.mark.parametrize(
    ("y", "is_repeated", "said"),
    [
        (np.full(6, 3.0), False, "constant"),
        (np.array([1.0]), False, "too few rows"),
        (TRAIN, True, "several rows of one time"),
    ],
)
def test_without_a_scale_there_is_no_value_but_a_reason(y, is_repeated, said):
    past = PastTargets(
        np.zeros(5, np.intp), np.array([0, len(y)], np.intp), y, np.array([is_repeated])
    )
    bound = METRICS["mase"].use().bind(Amounts(Y, SCORE, past={"": past}))
    assert np.isnan(bound.define(np.ones(5)))
    assert said in bound.why_undefined(np.ones(5))


def test_a_row_of_an_unknown_series_has_no_value():
    past = PastTargets(np.array([0, 0, 0, 0, 1], np.intp), np.array([0, 7], np.intp), TRAIN)
    assert np.isnan(
        METRICS["mase"].use().bind(Amounts(Y, SCORE, past={"": past})).define(np.ones(5))
    )


def test_the_function_takes_rows_in_the_order_of_time():
    steps = (3.5 + 2.5 + 5 + 5) / 4
    assert metrics.mase(Y, SCORE) == pytest.approx(np.abs(Y - SCORE).mean() / steps)


def test_rows_without_an_order_lack_it():
    assert Amounts(Y, SCORE).lacks("series") == "has rows without an order in time"


def test_no_scorer_knows_the_order_of_time():
    with pytest.raises(ValueError, match="order of time"):
        metrics.scorer("mase")
