"""Means of buckets and the capture of the top without each row: those of computing again."""

import numpy as np
import pytest

from reportgen.analysis.sensitivity.case_deletion import (
    compute_leave_one_out,
    recompute_without_rows,
)
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS, influence
from reportgen.metrics.rows import Amounts

USES = [
    *(
        (name, {"edges": edges})
        for edges in ("fractional", "integer")
        for name in ("ranking_last", "ranking_first", "ranking_difference", "ranking_slope")
    ),
    ("topk_capture", {"share": 0.1}),
    ("topk_capture", {"k": 7}),
    ("topk_capture", {"budget": 50.0, "cost": 6.0}),
]


def bound(name, params, n=90, seed=1):
    draw = np.random.default_rng(seed)
    y = np.exp(2 * draw.normal(size=n)) * (draw.random(n) < 0.6)
    return METRICS[name].use(**params).bind(Amounts(y, np.round(y**0.2 + draw.normal(size=n), 1)))


@pytest.mark.parametrize("weights", ["none", "uneven", "some zero"])
@pytest.mark.parametrize("name, params", USES)
def test_the_value_without_each_row_is_that_of_the_other_rows(name, params, weights):
    draw, made = np.random.default_rng(2), bound(name, params)
    w = {
        "none": np.ones(90),
        "uneven": np.exp(draw.normal(size=90)),
        "some zero": (draw.random(90) < 0.8).astype(float),
    }[weights]
    if params.get("edges") == "integer" and weights == "uneven":
        w = np.ceil(w)  # whole weights, whose sums round nothing
    exact = made.leave_one_out(w)
    assert exact == pytest.approx(
        recompute_without_rows(made, w, np.arange(90)), rel=1e-9, nan_ok=True
    )


def test_the_row_that_matters_is_found_among_many():
    draw, n = np.random.default_rng(3), 2_300
    y, score = draw.gamma(1.0, 2.0, n), draw.normal(size=n)
    middle = int(np.argsort(score)[1_100])
    y[middle] = 1e5  # in no list of ends
    for name, params in (("ranking_slope", {}), ("topk_capture", {"share": 0.4})):
        made = METRICS[name].use(**params).bind(Amounts(y, score))
        found = compute_leave_one_out(made, np.ones(n))
        row, _ = found.farthest(float(made(Batch.from_weights(np.ones(n)))[0]))
        assert (row, found.search) == (middle, "every row")


def test_a_median_of_buckets_says_that_not_every_row_was_tried():
    made = bound("ranking_last", {"statistic": "median"}, n=400)
    found = compute_leave_one_out(
        made.statistic.bind(
            Amounts(made.rows.y.values.repeat(6), made.rows.score.values.repeat(6))
        ),
        np.ones(2_400),
    )
    assert "most likely" in found.search and len(found.rows) <= 128


def test_without_an_amount_that_is_left_no_share_is_captured():
    rows = Amounts(np.array([0.0, 0.0, 4.0]), np.arange(3.0))
    made = METRICS["topk_capture"].use(share=0.5).bind(rows)
    assert np.isnan(made.leave_one_out(np.ones(3))).tolist() == [False, False, True]


@pytest.mark.parametrize("name", ["pearson", "rmse", "mae"])
def test_values_without_each_row_are_found_in_parts(name, monkeypatch):
    made, weight = bound(name, {}), np.random.default_rng(4).exponential(size=90)
    whole = made.leave_one_out(weight)
    monkeypatch.setattr(influence, "ROWS_AT_ONCE", 7)
    assert np.array_equal(made.leave_one_out(weight), whole)
    assert whole[:9] == pytest.approx(recompute_without_rows(made, weight, np.arange(9)), rel=1e-9)
