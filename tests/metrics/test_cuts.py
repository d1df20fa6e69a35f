"""Calls at an operating point: those of a threshold, of a share, and of the best threshold."""

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.kernels.batch import Batch
from reportgen.kernels.thresholds import (
    CELLS,
    FN,
    FP,
    TN,
    TP,
    BestThreshold,
    Threshold,
    TopShare,
)
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes

COSTS = {"tp": -5.0, "fp": 10.0, "fn": 200.0, "tn": 1.0}
NAMES = ("recall", "precision", "f", "mcc", "found", "flagged", "misclassification_cost")


def best_by(name, sign=1, is_lowest=False):
    finish = METRICS[name].use().finish
    return BestThreshold((name, sign), lambda tables: sign * finish(tables), is_lowest)


def drawn(n=200):
    draw = np.random.default_rng(7)
    y = (draw.random(n) < 0.3) * 1
    return y, np.round(np.clip(0.3 * y + 0.7 * draw.random(n), 0, 1), 1), draw.exponential(1, n)


def rows_with(y, p, **cuts):
    costs = np.tile([COSTS[c] for c in ("tn", "fp", "fn", "tp")], (len(y), 1))
    assert (TN, FP, FN, TP) == (0, 1, 2, 3)
    return Classes(y.astype(np.intp), p[:, None], ("0", "1"), rules=cuts, cell_costs=costs)


def of_table(name, table):
    """A metric of a table of weights, from one row a cell."""
    params = COSTS if name == "misclassification_cost" else {}
    y, p = np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 0.0, 1.0])
    return METRICS[name].use(**params).bind(rows_with(y, p)).define(table)


def by_hand(y, p, weight, share):
    """The table of the top share, one row after the other, tied rows in equal parts."""
    table, left = np.zeros(CELLS), share * weight.sum()
    for score in sorted(set(p), reverse=True):
        tied = p == score
        part = min(1.0, max(left, 0.0) / weight[tied].sum())
        left -= weight[tied].sum()
        for k in np.flatnonzero(tied):
            table[TP if y[k] else FP] += part * weight[k]
            table[FN if y[k] else TN] += (1 - part) * weight[k]
    return table


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.07, 0.5, 0.93])
def test_the_top_share_calls_tied_rows_in_equal_parts(name, share):
    y, p, weight = drawn()
    bound = METRICS[name].use(at="top", moves=True).bind(rows_with(y, p, top=TopShare(share)))
    expected = of_table(name, by_hand(y, p, weight, share))
    assert bound(Batch.from_weights(weight))[0] == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert bound.define(weight) == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_point_that_does_not_move_is_its_threshold(name):
    y, p, weight = drawn()
    rows = rows_with(y, p, point=Threshold(0.6))
    at, threshold = METRICS[name].use(at="point"), METRICS[name].use(threshold=0.6)
    assert at.bind(rows).define(weight) == threshold.bind(rows).define(weight)
    assert at.shape == threshold.shape != "whole" and at.needs == "label"


def test_the_best_threshold_is_that_of_a_search_over_all():
    y, p, weight = drawn()
    each = {t: sk.f1_score(y, p >= t, sample_weight=weight) for t in sorted(set(p))}
    best = max(each, key=lambda t: (each[t], t))
    cut = best_by("f")
    rows = rows_with(y, p, best=cut)
    assert cut.find_thresholds(rows, Batch.from_weights(weight))[0] == best
    found = METRICS["f"].use(at="best", moves=True).bind(rows)
    assert found.define(weight) == pytest.approx(each[best], rel=1e-12)
    again = METRICS["recall"].use(threshold=best).bind(rows).define(weight)
    moved = METRICS["recall"].use(at="best", moves=True).bind(rows)
    assert moved.define(weight) == pytest.approx(again, rel=1e-12)


def test_under_each_weighting_another_threshold_may_be_best():
    y, p, _ = drawn()
    cut, rows = best_by("f"), rows_with(y, p)
    count = np.random.default_rng(1).multinomial(len(y), np.full(len(y), 1 / len(y)), size=40)
    batch = Batch(count.T.astype(np.uint8))
    each = [cut.find_thresholds(rows, Batch.from_weights(w.astype(float)))[0] for w in count]
    assert np.array_equal(cut.find_thresholds(rows, batch), each) and len(set(each)) > 1


def test_of_thresholds_equally_good_the_highest_is_taken_or_the_lowest():
    y, p, weight = np.array([0, 1, 1]), np.array([0.1, 0.5, 0.9]), np.ones(3)
    right = BestThreshold(("right",), lambda tables: (tables[:, FP] == 0) * 1.0)
    lowest = BestThreshold(("right",), right.evaluate, is_lowest=True)
    rows = rows_with(y, p)
    assert right.find_thresholds(rows, Batch.from_weights(weight))[0] == 0.9
    assert lowest.find_thresholds(rows, Batch.from_weights(weight))[0] == 0.5


def test_where_no_threshold_will_do_none_is_chosen():
    never = BestThreshold(("never",), lambda tables: np.full(len(tables), np.nan))
    y, p, weight = drawn()
    rows = rows_with(y, p, never=never)
    assert np.isnan(never.find_thresholds(rows, Batch.from_weights(weight))).all()
    assert np.isnan(METRICS["recall"].use(at="never", moves=True).bind(rows).define(weight))


def test_costs_of_each_row_are_those_of_its_cell():
    y, p, weight = np.array([0, 1, 1, 0]), np.array([0.9, 0.9, 0.1, 0.1]), np.array([1.0, 2, 3, 4])
    costs = np.arange(16.0).reshape(4, CELLS)
    rows = Classes(y.astype(np.intp), p[:, None], ("0", "1"), cell_costs=costs)
    found = METRICS["misclassification_cost"].use().bind(rows).define(weight)
    assert found == (costs[0, FP] + 2 * costs[1, TP] + 3 * costs[2, FN] + 4 * costs[3, TN]) / 10
