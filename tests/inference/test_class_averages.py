"""Limits of means over classes: square-and-add by hand, and rows of which both models say alike."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from reportgen.inference.class_averages import add_classes, class_average_interval
from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.inference.significance import assess_significance
from reportgen.metrics import METRICS
from reportgen.metrics.class_shares import (
    JACCARD,
    PRECISION,
    RECALL,
    ClassKinds,
    ClassShare,
    LabelRows,
    make_f_share,
    sum_right_called_had,
)
from reportgen.metrics.rows import Classes, LabelSets
from reportgen.metrics.traits import ESTIMANDS

SHARES = {"recall": RECALL, "precision": PRECISION, "f": make_f_share(1.0), "jaccard": JACCARD}


def rows_of(*parts):
    """Classes and predictions from (class, what each model says, how many rows)."""
    return np.array([each[:-1] for each in parts for _ in range(each[-1])]).T


def evidence(share, was, *called, weight=None, classes=None):
    """What is known of one model, or of the first less the second."""
    k, n = classes or int(max(was.max(), *(c.max() for c in called))) + 1, len(was)
    weight = np.ones(n) if weight is None else weight
    sums = [sum_right_called_had(was, each, weight, k) for each in called]
    values = []
    for each in sums:
        found, held = share.values(each), each[2] > 0
        counted = held & np.isfinite(found) if share.undefined == "skip" else held
        values.append(float(np.nan_to_num(found)[counted].mean()))
    is_difference = len(called) == 2
    plain = SamplingDistribution(
        value=values[0] - (values[1] if is_difference else 0.0),
        replicates=np.empty(0),
        estimand=ESTIMANDS["mean over classes"],
        bounds=(-1.0, 1.0) if is_difference else (0.0, 1.0),
        n=n,
        units=n,
        is_difference=is_difference,
    )
    kinds = ClassKinds.of_rows(was, tuple(called), weight**2, k)
    squares = sum_right_called_had(was, called[0], weight**2, k)
    return add_classes(plain, share, kinds, sums, squares)


def wilson(hits, n):
    """Wilson's limits by SciPy."""
    found = stats.binomtest(hits, n).proportion_ci(method="wilson")
    return found.low, found.high


def test_recalls_are_squared_and_added_by_hand():
    was, called = rows_of((0, 0, 24), (0, 1, 6), (1, 1, 15), (1, 0, 5), (2, 2, 1))
    found = class_average_interval(evidence(RECALL, was, called), 0.95)
    each = [(0.8, *wilson(24, 30)), (0.75, *wilson(15, 20)), (1.0, *wilson(1, 1))]
    below = sqrt(sum((p - low) ** 2 for p, low, _ in each)) / 3
    assert found.low == pytest.approx(2.55 / 3 - below, abs=1e-9)
    # Above, the one row adds nothing: the other two as far as a Normal error reaches, drawn by one
    # row towards the 40 right ones of 51.
    drawn = [(24 + 40 / 51) / 31, (15 + 40 / 51) / 21, (1 + 40 / 51) / 2]
    error = sqrt(sum(p * (1 - p) / n for p, n in zip(drawn, (30, 20, 1), strict=True))) / 3
    reach = sum(high - p for p, _, high in each) / 3
    assert found.high == pytest.approx(2.55 / 3 + min(1.959964 * error, reach), abs=1e-6)


def test_the_last_row_of_a_class_moves_the_mean_by_no_more_than_its_share():
    was, called = rows_of(
        (0, 0, 197), (0, 1, 3), (1, 1, 149), (1, 2, 1), (2, 2, 48), (2, 1, 1), (3, 3, 1)
    )
    found = class_average_interval(evidence(RECALL, was, called), 0.95)
    value = (197 / 200 + 149 / 150 + 48 / 49 + 1) / 4
    assert value - 1 / 4 < found.low < value < found.high < 1
    assert found.high - value < 0.01


def test_labels_that_never_come_apart_are_as_one():
    had = np.arange(40) % 2 == 0
    said = np.where(np.arange(40) < 8, ~had, had)
    both = [np.stack([each] * 2, axis=1) for each in (had, said)]
    one = [each[:, None] for each in (had, said)]
    found = []
    for h, s in (both, one):
        sums = np.stack([(h & s).sum(0), s.sum(0), h.sum(0)]).astype(float)
        plain = evidence(RECALL, *rows_of((0, 0, 16), (0, 1, 4)))
        parts = add_classes(plain, make_f_share(1.0), LabelRows(h, (s,), np.ones(40)), [sums], sums)
        found.append(class_average_interval(parts, 0.95))
    assert (found[0].low, found[0].high) == pytest.approx((found[1].low, found[1].high))


def test_a_class_in_which_all_agree_adds_nothing_to_a_difference():
    parts = [(0, 0, 0, 40), (0, 0, 1, 12), (0, 1, 0, 2), (1, 1, 1, 45), (1, 1, 0, 4)]
    shared = evidence(RECALL, *rows_of(*parts, (2, 2, 2, 1)))
    alone = evidence(RECALL, *rows_of(*parts))
    found, of_two = (compute_interval(each, "auto", 0.95) for each in (shared, alone))
    assert found.method == of_two.method == "multiplier"
    assert 3 * found.low == pytest.approx(2 * of_two.low, rel=0.02)
    assert 3 * found.high == pytest.approx(2 * of_two.high, rel=0.02)
    assert found.low > 0


def test_a_difference_in_one_class_is_tested_as_by_signs():
    gained, lost = 9, 1
    was, one, other = rows_of((0, 0, 0, 30), (0, 0, 1, gained), (0, 1, 0, lost), (1, 1, 1, 20))
    found = assess_significance(evidence(RECALL, was, one, other))
    exact = stats.binomtest(lost, gained + lost).pvalue
    # All signs of ten rows are drawn 9,999 times.
    assert found.test == "multiplier" and found.p_value == pytest.approx(exact, abs=0.004)


def test_a_single_row_on_which_models_differ_keeps_its_class_open():
    was, one, other = rows_of((0, 0, 0, 40), (1, 1, 1, 40), (2, 2, 0, 1))
    found = compute_interval(evidence(RECALL, was, one, other), "auto", 0.95)
    assert found.low <= 0 < found.high


def test_a_class_that_one_model_never_predicts_is_as_open_as_its_rows():
    """Three rows right, or none: three signs that fall alike in one of four cases."""
    was, one, other = rows_of((0, 0, 0, 40), (1, 1, 1, 40), (2, 2, 0, 3))
    known = evidence(PRECISION, was, one, other)
    assert known.value > 1 / 3
    assert assess_significance(known).p_value > 0.2


@pytest.mark.parametrize("name", SHARES)
def test_shares_are_those_of_the_metrics(name):
    draw = np.random.default_rng(1)
    code, called = draw.integers(0, 3, 50), draw.integers(0, 4, 50)
    rows = Classes(code, np.eye(4)[called], tuple("abcd"))
    metric = METRICS[f"multiclass_{name}"]
    share = metric.use().class_share
    assert share == SHARES[name]
    known = evidence(share, code, called, classes=4)
    assert known.value == pytest.approx(metric.bind(rows).define(np.ones(50)))
    assert known.classes.values.mean() == pytest.approx(known.value)
    flags, said = draw.random((50, 3)) < 0.3, draw.random((50, 3)) < 0.3
    labels = LabelSets(flags, said.astype(float), tuple("abc"), "label")
    of_labels = METRICS[f"multilabel_{name}"].use()
    sums = np.stack([(flags & said).sum(0), said.sum(0), flags.sum(0)]).astype(float)
    value = of_labels.bind(labels).define(np.ones(50))
    assert of_labels.class_share.values(sums).mean() == pytest.approx(value)
    for average in ("micro", "weighted"):
        assert metric.use(average=average).class_share is None
        assert (
            of_labels.__class__ and METRICS[of_labels.name].use(average=average).class_share is None
        )
    assert metric.use(of="a").class_share is None


@pytest.mark.parametrize("share", SHARES.values())
def test_slopes_are_those_of_small_steps(share):
    sums, h = np.array([[6.0, 2.0], [9.0, 5.0], [8.0, 7.0]]), 1e-6
    for place in range(3):
        step = np.zeros((3, 1))
        step[place] = h
        rise = (share.values(sums + step) - share.values(sums - step)) / (2 * h)
        np.testing.assert_allclose(share.slopes(sums)[place], rise, atol=1e-8)


@pytest.mark.parametrize("share", SHARES.values())
def test_classes_of_rows_are_labels_of_which_each_row_has_one(share):
    draw = np.random.default_rng(4)
    was, weight = draw.integers(0, 3, 60), draw.gamma(2.0, 1.0, 60)
    called = [np.where(draw.random(60) < 0.6, was, draw.integers(0, 3, 60)) for _ in range(2)]
    eye, slopes = (
        np.eye(3, dtype=bool),
        share.slopes(sum_right_called_had(was, called[0], weight, 3)),
    )
    kinds = ClassKinds.of_rows(was, tuple(called), weight**2, 3)
    labels = LabelRows(eye[was], tuple(eye[each] for each in called), weight**2)
    one = ClassKinds.of_rows(was, (called[0],), weight**2, 3)
    np.testing.assert_allclose(one.sum_together(slopes), labels.sum_together(slopes), atol=1e-12)
    np.testing.assert_allclose(kinds.sum_changed(), labels.sum_changed())
    adds = np.stack([slopes[0] + slopes[1], slopes[1]])
    changes = [each.list_changes(adds, 1.0) for each in (kinds, labels)]
    assert np.sum(changes[0] ** 2) == pytest.approx(np.sum(changes[1] ** 2))


def test_equal_weights_move_no_limit():
    was, one, other = rows_of((0, 0, 0, 20), (0, 0, 1, 8), (1, 1, 1, 9), (1, 0, 1, 3), (2, 2, 1, 1))
    for called in ((one,), (one, other)):
        found = [
            compute_interval(
                evidence(PRECISION, was, *called, weight=w * np.ones(41)), "auto", 0.95
            )
            for w in (1.0, 2.5)
        ]
        assert (found[0].low, found[0].high) == pytest.approx((found[1].low, found[1].high))


def test_a_class_that_is_never_predicted_may_have_any_precision():
    was, called = rows_of((0, 0, 30), (1, 1, 28), (1, 0, 2), (2, 1, 3))
    found = class_average_interval(evidence(PRECISION, was, called), 0.95)
    skipped = class_average_interval(
        evidence(ClassShare(called=1.0, undefined="skip"), was, called), 0.95
    )
    assert found.high - found.low > 1 / 3 > skipped.high - skipped.low


def test_a_class_without_rows_stays_out_of_the_mean():
    was, called = rows_of((0, 0, 30), (0, 1, 3), (1, 1, 20), (1, 0, 2))
    plain = class_average_interval(evidence(RECALL, was, called), 0.95)
    more = class_average_interval(evidence(RECALL, was, called, classes=5), 0.95)
    assert (plain.low, plain.high) == (more.low, more.high)


def test_where_no_row_changed_there_is_no_interval_and_a_reason():
    was, called = rows_of((0, 0, 30), (1, 1, 20), (1, 0, 2))
    known = evidence(RECALL, was, called, called)
    assert known.smoothed is None
    assert compute_interval(known, "auto", 0.95).reason
