"""Precision by the share of positives: what it is here, and what weights of the classes make it."""

import numpy as np
import pytest
from sklearn.metrics import precision_score

from reportgen.kernels.batch import Batch
from reportgen.kernels.thresholds import Threshold, TopShare
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Classes
from tests.metrics.curves.test_classes import drawn

CURVE = CURVES["precision_by_prevalence"]
CUTS = {"half": Threshold(0.5), "low": Threshold(0.2), "tenth": TopShare(0.1)}


def rows_of(y, p, cuts=CUTS):
    return Classes(y.astype(int), p[:, None], ("0", "1"), rules=cuts)


@pytest.mark.parametrize(("point", "cut"), [("", 0.5), ("half", 0.5), ("low", 0.2)])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.9])
def test_it_is_the_precision_where_classes_weigh_what_that_share_asks_for(share, point, cut):
    y, p, weight = drawn(digits=1)
    held = weight @ y / weight.sum()
    asked = weight * np.where(y > 0, share / held, (1 - share) / (1 - held))
    found = CURVE.function(rows_of(y, p), Batch.from_weights(weight), np.array([share]), at=point)[
        0, 0
    ]
    assert found == pytest.approx(precision_score(y, p >= cut, sample_weight=asked), rel=1e-12)


def test_where_the_calls_move_it_is_of_those_of_the_rows_at_hand():
    y, p = np.array([1, 1, 0, 1, 0, 0, 0, 0, 0, 0]), np.arange(10)[::-1] / 10
    rows = rows_of(y, p, {"first": TopShare(0.4)})
    found = CURVE.function(
        rows, Batch.from_weights(np.ones(10)), np.array([0.3, 0.01]), at="first"
    )[0]
    assert found == pytest.approx([3 / 4, 0.01 / (0.01 + 0.99 / 7)])


def test_it_rises_and_tells_what_share_the_rows_have():
    y, p, weight = drawn()
    bound = CURVE.use(at="half").bind(rows_of(y, p), weight)
    assert (np.diff(bound.estimate) > 0).all()
    assert bound.trace(weight).marks["held"] == pytest.approx(weight @ y / weight.sum())


@pytest.mark.parametrize(
    ("y", "p"), [([1, 0, 0], [0.1, 0.2, 0.3]), ([1, 1], [0.9, 0.9]), ([0, 0], [0.9, 0.9])]
)
def test_without_a_call_or_a_class_there_is_none(y, p):
    rows = rows_of(np.array(y), np.array(p))
    bound = CURVE.bind(rows, np.ones(len(y)))
    assert np.isnan(bound.estimate).all()
    assert np.isfinite(bound.rows_among(np.ones(len(y)))).all()


def test_of_many_rows_the_band_is_as_wide_as_the_formula_of_a_likelihood_ratio():
    draw = np.random.default_rng(2)
    y = (draw.random(4000) < 0.3).astype(float)
    rows = rows_of(y, np.clip(0.3 * y + 0.7 * draw.random(4000), 0, 1))
    weight = np.ones(4000)
    bound = CURVE.use(at="half").bind(rows, weight)
    tp, fp = (((rows.score.values >= 0.5) & (y == k)).sum() for k in (1, 0))
    p, n = y.sum(), (1 - y).sum()
    variance = 1 / (tp + 0.5) - 1 / (p + 1) + 1 / (fp + 0.5) - 1 / (n + 1)
    among, share = bound.rows_among(weight), bound.estimate
    assert 1 / (among * share * (1 - share)) == pytest.approx(
        np.full(len(share), variance), rel=0.02
    )
    assert bound.rows_of_the_rarest_kind(weight)[0] == pytest.approx(min(tp, fp))
    assert bound.count_thinner_rows(7 * weight)[0] == pytest.approx(min(tp, fp))
