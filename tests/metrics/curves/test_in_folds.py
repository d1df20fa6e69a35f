"""Curves on rows of several folds: means of the folds' curves where they run along an order."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.folds import bind_curve_in_folds, is_curve_within_folds
from reportgen.metrics.rows import Amounts, Classes

DRAW = np.random.default_rng(3)
N = 80
FOLD = np.arange(N) % 4
WEIGHT = 0.5 + DRAW.random(N)
Y = (DRAW.random(N) < 0.5).astype(np.intp)
P = 0.4 * Y + 0.5 * DRAW.random(N)
ALONG = [n for n, c in CURVES.items() if c.task == "regression" and is_curve_within_folds(c)]


def classes(p):
    rows = Classes(Y, p[:, None], ("0", "1"), "score")
    rows.fold = FOLD
    return rows


def test_an_roc_curve_does_not_go_across_folds():
    first, raised = (
        bind_curve_in_folds(CURVES["roc"], classes(p), WEIGHT) for p in (P, P + 3.0 * FOLD)
    )
    assert raised.estimate == pytest.approx(first.estimate)


def test_an_roc_curve_is_the_mean_of_those_of_the_folds_by_weight():
    bound = bind_curve_in_folds(CURVES["roc"], classes(P), WEIGHT)
    sums, total = np.zeros(len(bound.grid)), 0.0
    for fold in range(4):
        rows = np.flatnonzero(fold == FOLD)
        part = Classes(Y[rows], P[rows][:, None], ("0", "1"), "score")
        weight = WEIGHT[rows]
        sums += (
            CURVES["roc"].function(part, Batch.from_weights(weight), bound.grid)[0] * weight.sum()
        )
        total += weight.sum()
    assert bound.estimate == pytest.approx(sums / total)


def test_what_stands_beside_the_curve_is_the_mean_of_the_folds_too():
    bound = bind_curve_in_folds(CURVES["roc"], classes(P + 3.0 * FOLD), WEIGHT)
    plain = bind_curve_in_folds(CURVES["roc"], classes(P), WEIGHT)
    assert plain.trace(WEIGHT).marks
    assert bound.trace(WEIGHT).marks == pytest.approx(plain.trace(WEIGHT).marks)


def test_curves_of_amounts_are_found_of_all_rows():
    y = DRAW.normal(size=N)
    rows = Amounts(y, y + DRAW.normal(size=N))
    rows.fold = FOLD
    assert not is_curve_within_folds(CURVES["rec"])
    assert type(bind_curve_in_folds(CURVES["rec"], rows, WEIGHT)).__name__ == "BoundCurve"


@pytest.mark.parametrize("name", ALONG)
def test_every_curve_along_an_order_can_be_drawn_of_folds(name):
    y = DRAW.normal(size=N) + 5
    rows = Amounts(y, y + DRAW.normal(size=N))
    rows.fold = FOLD
    bound = bind_curve_in_folds(CURVES[name].use(), rows, WEIGHT)
    trace = bound.trace(WEIGHT)
    assert len(trace.x) == len(trace.y) > 1
    assert np.isfinite(bound.estimate).any()
