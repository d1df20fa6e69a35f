"""Each row's weighted share of the pairs, against looking at every pair."""

import numpy as np
import pytest

from reportgen.kernels import native
from reportgen.kernels.batch import Column
from reportgen.kernels.row_pairs import (
    compute_best_concordance,
    compute_row_pairs,
    compute_weight_below,
    is_tied_without,
    sum_untied_pairs,
)
from reportgen.metrics.rows import Amounts


def by_looking(y, score, weight):
    """The same sums over the whole matrix of pairs."""
    up = np.sign(y[None] - y[:, None])
    right = np.sign(score[None] - score[:, None])
    other = ~np.eye(len(y), dtype=bool)

    def total(chosen):
        return (chosen & other) @ weight

    return {
        "above": total((up > 0) & (right > 0)),
        "below": total((up < 0) & (right < 0)),
        "discordant": total(up * right < 0),
        "y_above": total((up > 0) & (right == 0)),
        "score_above": total((up == 0) & (right > 0)),
        "tied_y": total((up == 0) & (right != 0)),
        "tied_score": total((up != 0) & (right == 0)),
        "tied_both": total((up == 0) & (right == 0)),
        "concordant": total(up * right > 0),
        "untied_y": total(up != 0),
        "untied_score": total(right != 0),
    }


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 9, 31, 64, 65, 130])
@pytest.mark.parametrize("levels", [1, 3, 1000])
def test_the_sums_are_those_of_looking_at_every_pair(n, levels):
    rng = np.random.default_rng(n * 7 + levels)
    y, score = rng.integers(levels, size=(2, n)).astype(float)
    weight = rng.exponential(size=n) * (rng.random(n) > 0.2)
    pairs = compute_row_pairs(Amounts(y, score), weight)
    for name, expected in by_looking(y, score, weight).items():
        np.testing.assert_allclose(getattr(pairs, name), expected, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(
        sum_untied_pairs(Column(y), weight), weight @ pairs.untied_y / 2, atol=1e-12
    )


def test_whole_weights_give_whole_numbers():
    rng = np.random.default_rng(1)
    y, score, weight = rng.integers(5, size=(3, 500)).astype(float)
    pairs = compute_row_pairs(Amounts(y, score), weight)
    for name, expected in by_looking(y, score, weight).items():
        assert np.array_equal(getattr(pairs, name), expected), name


@pytest.mark.skipif(not native.list_kinds(), reason="the kernels were not built")
@pytest.mark.parametrize("n", [0, 1, 2, 3, 64, 65, 1000])
@pytest.mark.parametrize("levels", [3, 40, 10_000])
def test_compiled_code_gives_the_same_bits(n, levels):
    rng = np.random.default_rng(n + levels)
    y, score = rng.integers(levels, size=(2, n)).astype(float)
    weight = rng.exponential(size=n) * (rng.random(n) > 0.2)
    compiled = compute_weight_below(Column(y), Column(score), weight)
    with native.use_numpy():
        assert np.array_equal(compiled, compute_weight_below(Column(y), Column(score), weight))


def test_another_weight_gives_other_sums():
    rows, one = Amounts(np.arange(3.0), np.arange(3.0)), np.ones(3)
    kept = compute_row_pairs(rows, one)
    assert compute_row_pairs(rows, one.copy()) is kept
    one[0] = 5  # what was kept belongs to the weights as they were
    assert compute_row_pairs(rows, one).below.tolist() == [0, 5, 6]
    assert kept.below.tolist() == [0, 1, 2]


def test_pairs_of_one_value_weigh_exactly_nothing():
    assert sum_untied_pairs(Column(np.full(9, 0.1)), np.linspace(0.1, 0.7, 9)) == 0
    assert sum_untied_pairs(Column(np.array([1.0, 2.0, 2.0])), np.array([0.0, 0.3, 0.1])) == 0


def test_a_lone_row_that_differs_leaves_ties_behind_when_it_goes():
    values, weight = np.array([1.0, 1.0, 2.0, 3.0]), np.array([0.3, 0.2, 0.7, 0.0])
    assert is_tied_without(Column(values), weight).tolist() == [False, False, True, False]


@pytest.mark.skipif(not native.list_kinds(), reason="the kernels were not built")
@pytest.mark.parametrize("n", [0, 1, 2, 3, 64, 65, 1000])
@pytest.mark.parametrize("levels", [1, 3, 40, 10_000])
def test_compiled_code_gives_every_share_the_same_bits(n, levels):
    rng = np.random.default_rng(n * 11 + levels)
    y, score = rng.integers(levels, size=(2, n)).astype(float)
    weight = rng.exponential(size=n) * (rng.random(n) > 0.2)
    compiled = compute_row_pairs(Amounts(y, score), weight)
    best = compute_best_concordance(Column(y), Column(score), weight)
    with native.use_numpy():
        plain = compute_row_pairs(Amounts(y, score), weight)
        assert np.array_equal(best, compute_best_concordance(Column(y), Column(score), weight))
    for name, values in vars(plain).items():
        assert np.array_equal(getattr(compiled, name), values), name


@pytest.mark.skipif(not native.list_kinds(), reason="the kernels were not built")
@pytest.mark.parametrize("n", [1, 2, 3, 64, 513, 4_000, 70_000])
@pytest.mark.parametrize("levels", [(1, 1), (2, 9), (9, 2), (3, 10**7), (10**7, 3), (10**7, 10**7)])
def test_rows_that_weigh_one_are_counted_as_they_are_weighed(n, levels):
    rng = np.random.default_rng(n + levels[0])
    y, score = (rng.integers(each, size=n).astype(float) for each in levels)
    counted = compute_row_pairs(Amounts(y, score), np.ones(n))
    with native.use_numpy():
        weighed = compute_row_pairs(Amounts(y, score), np.ones(n))
    for name, values in vars(weighed).items():
        assert np.array_equal(getattr(counted, name), values), name
