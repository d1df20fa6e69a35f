"""Scores and predicted classes far below chance are found, and those of chance are not."""

import numpy as np
import pytest

from reportgen.checks.orders import (
    ChanceOrder,
    RowDesign,
    build_class_table,
    compute_quantile,
    find_below_alone,
    find_below_chance,
    find_permuted,
    find_reversed,
    measure_auc,
    measure_query_auc,
    measure_spearman,
)
from reportgen.kernels.batch import Column


def auc_of(y, score, **design):
    return measure_auc(
        Column(np.array(y, float)), Column(np.array(score, float)), RowDesign(**design)
    )


def is_reversed(*orders):
    return find_reversed(orders, ("no", "yes"), 0.2) is not None


def test_the_auc_and_its_error_by_chance_are_those_of_mann_and_whitney():
    found = auc_of([0, 0, 1, 1, 1], [1, 3, 2, 4, 5])
    assert found.value == pytest.approx(5 / 6)
    assert found.error == pytest.approx(np.sqrt((5 + 1) / (12 * 3 * 2)))
    tied = auc_of([0, 1, 0, 1], [1, 1, 2, 2])
    assert tied.value == pytest.approx(0.5)
    assert tied.error == pytest.approx(np.sqrt(5 / (12 * 2 * 2) * (1 - (6 + 6) / (64 - 4))))


def test_a_weight_of_two_counts_a_row_twice():
    y, score = np.array([0, 1, 0, 1, 1]), np.array([1, 2, 3, 4, 2])
    twice = [0, 1, 1, 2, 3, 4]
    weighted = auc_of(y, score, weight=np.array([1.0, 2, 1, 1, 1]))
    assert weighted.value == pytest.approx(auc_of(y[twice], score[twice]).value)


def test_equal_weights_change_nothing():
    draw = np.random.default_rng(2)
    y, score = draw.integers(0, 4, size=50) * 1.0, draw.integers(0, 9, size=50) * 1.0
    weight = RowDesign(np.ones(50))
    for measure, target in ((measure_auc, y > 1), (measure_spearman, y)):
        plain, weighted = (
            measure(Column(target.astype(float)), Column(score), design)
            for design in (RowDesign(), weight)
        )
        assert (plain.value, plain.error) == pytest.approx((weighted.value, weighted.error))


def test_pairs_are_compared_within_folds():
    y, score = [0, 1, 0, 1], [1, 2, 3, 4]
    assert auc_of(y, score).value == pytest.approx(3 / 4)
    found = auc_of(y, score, fold=np.array([0, 0, 1, 1]))
    assert found.value == 1.0 and found.is_in_folds


def test_one_class_has_no_order():
    assert auc_of([1, 1, 1], [1, 2, 3]) is None
    assert measure_spearman(Column(np.ones(3)), Column(np.arange(3.0))) is None


def test_spearman_is_the_correlation_of_ranks():
    y, score = np.array([1.0, 2, 2, 4]), np.array([3.0, 1, 1, 9])
    found = measure_spearman(Column(y), Column(score))
    ranks = np.array([1, 2.5, 2.5, 4]), np.array([3, 1.5, 1.5, 4])
    assert found.value == pytest.approx(np.corrcoef(*ranks)[0, 1])
    assert found.error == pytest.approx(1 / np.sqrt(3))


def test_rows_of_a_cluster_that_are_alike_are_worth_less():
    y, score = np.repeat([0, 1, 0, 1, 1, 0], 10), np.repeat([1, 2, 5, 3, 4, 6], 10)
    rows = auc_of(y, score)
    found = auc_of(y, score, unit=np.repeat(np.arange(6), 10))
    assert found.value == rows.value and found.units == 6
    assert found.error == pytest.approx(rows.error * np.sqrt(10))


def test_every_model_far_below_chance_is_reversed_and_one_alone_is_not():
    draw = np.random.default_rng(1)
    y = np.arange(300) % 3 == 0
    good, bad = (auc_of(y, sign * (y + draw.normal(size=300))) for sign in (1, -1))
    assert is_reversed(bad) and not is_reversed(good) and not is_reversed(good, bad)
    found = find_reversed([bad], ("no", "yes"), 0.2).numbers
    assert (found["negative"], found["positive"], found["positives"]) == ("no", "yes", 0.2)
    assert found["least"] == found["most"] == bad.value
    assert found["high"] == pytest.approx(bad.value + 1.96 * bad.error, abs=1e-4)


def test_one_model_of_several_is_below_alone():
    good, bad = ChanceOrder("auc", 0.8, 0.05), ChanceOrder("auc", 0.2, 0.05)
    assert find_below_alone(bad, [good]).numbers["value"] == 0.2
    assert find_below_alone(good, [bad]) is None
    assert find_below_alone(bad, [bad]) is None and find_below_alone(bad, []) is None
    code = np.arange(300) % 3
    right, shifted = (predict(code, shift=k) for k in (0, 1))
    assert find_below_alone(shifted, [right]).numbers["measure"] == "kappa"


def test_a_value_near_chance_is_not_reversed_however_certain():
    assert not is_reversed(ChanceOrder("auc", 0.4, 0.001))
    assert is_reversed(ChanceOrder("auc", 0.3, 0.06))
    assert not is_reversed(ChanceOrder("auc", 0.3, 0.061))
    assert not is_reversed(ChanceOrder("auc", 0.3, 0.06, is_in_folds=True))
    assert not is_reversed(ChanceOrder("auc", 0.3, 0.06, units=10))


def test_few_units_have_the_quantile_of_t():
    assert compute_quantile(0.0005, None) == pytest.approx(3.2905, abs=1e-4)
    assert compute_quantile(0.0005, 10) == pytest.approx(4.7809, abs=1e-4)
    assert compute_quantile(0.0005, 1) == np.inf


def test_the_error_of_lists_is_that_of_a_mean_over_queries():
    values = np.array([0.1, 0.2, 0.4, 0.9])
    found = measure_query_auc(values, np.array([1.0, 1, 1, 0]))
    assert found.value == pytest.approx(0.7 / 3) and found.units == 3
    assert found.error == pytest.approx(values[:3].std(ddof=1) / np.sqrt(3))


def predict(code, *, shift, wrong=0.15, classes=3):
    draw = np.random.default_rng(4)
    right = np.where(draw.random(len(code)) < wrong, draw.integers(0, classes, len(code)), code)
    return build_class_table(code, (right + shift) % classes, classes)


def test_shifted_classes_are_permuted_and_below_chance():
    code = np.arange(300) % 3
    right, shifted = (predict(code, shift=k) for k in (0, 1))
    assert right.kappa == pytest.approx(1.5 * (right.agreement - 1 / 3))
    assert find_permuted(right) is None
    assert find_below_chance([right, shifted]) is None
    assert find_permuted(shifted).numbers["permuted"] == pytest.approx(right.kappa)
    assert find_below_chance([shifted]).numbers["kappa"] == pytest.approx(shifted.kappa)
    assert shifted.kappa < 0


def test_few_rows_and_two_classes_are_not_permuted():
    few = predict(np.arange(49) % 3, shift=1, wrong=0)
    assert find_permuted(few) is None
    two = predict(np.arange(300) % 2, shift=1, wrong=0, classes=2)
    assert find_permuted(two) is None
