"""Kernel = definition, written out over all pairs or rows, to 1e-12 of the sum of all terms."""

from dataclasses import fields

import numpy as np
import pytest

from reportgen.kernels import pairs as pairs_of_rows
from reportgen.kernels import ties
from reportgen.kernels.batch import Batch, Column
from reportgen.kernels.cumulative import cumulate_to_shares
from reportgen.kernels.curve_heights import compute_bin_sums, compute_concordance_heights
from reportgen.kernels.pairs import compute_pair_sums, compute_rank_sums
from reportgen.kernels.sums import column_sums, exact_sums, weighted_sums
from reportgen.metrics.rows import Amounts
from tests.kernels.conftest import BATCHES, SIZES, TIES, batch_of, data


def pairs_by_definition(rows, weight):
    y = np.sign(rows.y.values[:, None] - rows.y.values)
    score = np.sign(rows.score.values[:, None] - rows.score.values)
    pair = np.triu(weight[:, None] * weight, 1)
    return {
        "concordant": pair[y * score > 0].sum(),
        "discordant": pair[y * score < 0].sum(),
        "untied_y": pair[y != 0].sum(),
        "untied_score": pair[score != 0].sum(),
        "tied_y": pair[y == 0].sum(),
        "tied_score": pair[score == 0].sum(),
        "tied_both": pair[(y == 0) & (score == 0)].sum(),
        "tied_score_only": pair[(y != 0) & (score == 0)].sum(),
        "total": pair.sum(),
        "weight": weight.sum(),
        "squares": (weight**2).sum(),
    }


def ranks_by_definition(rows, weight):
    def centred(values):
        below = (values[:, None] > values) @ weight
        at = (values[:, None] == values) @ weight
        return below + at / 2 - weight.sum() / 2

    x, y = centred(rows.score.values), centred(rows.y.values)
    return (weight * x * y).sum(), (weight * x * x).sum(), (weight * y * y).sum()


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_pair_sums_are_sums_over_all_pairs(path, kind, ties):
    for n in SIZES:
        rows, batch = data(n, ties), batch_of(n, kind)
        sums = compute_pair_sums(rows, batch)
        for lane in range(0, batch.size, 17):
            weight = batch.weights[:, lane]
            for name, expected in pairs_by_definition(rows, weight).items():
                got = getattr(sums, name)
                assert got.shape == (batch.size,)
                allowed = 1e-12 * max(weight.sum() ** 2, 1e-300)
                assert abs(got[lane] - expected) <= allowed, (n, name, lane)


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_rank_sums_are_sums_over_midranks(path, kind, ties):
    for n in SIZES:
        rows, batch = data(n, ties), batch_of(n, kind)
        sums = compute_rank_sums(rows, batch)
        got = np.stack([sums.score_y, sums.score_score, sums.y_y])
        assert got.shape == (3, batch.size)
        for lane in range(0, batch.size, 17):
            weight = batch.weights[:, lane]
            expected = ranks_by_definition(rows, weight)
            assert np.abs(got[:, lane] - expected).max() <= 1e-12 * max(weight.sum() ** 3, 1e-300)


@pytest.mark.parametrize("kind", BATCHES)
def test_weighted_sums_are_a_matrix_product(path, kind):
    for n in SIZES:
        for columns in (np.empty((n, 0)), np.random.default_rng(n).normal(size=(n, 3))):
            batch = batch_of(n, kind)
            got = weighted_sums(batch, columns)
            expected = batch.weights.T @ columns
            assert got.shape == expected.shape
            scale = batch.weights.T @ np.abs(columns)
            assert (np.abs(got - expected) <= 1e-13 * scale).all()


@pytest.mark.parametrize("n", [1, 63, 64, 65, 2_048])
def test_sums_of_whole_numbers_are_exact(path, n):
    rng = np.random.default_rng(n)
    columns = np.rint(rng.normal(size=(8, n)) * 2.0**34)
    columns[5] = 2.0**38  # the largest that they may be, as often as they may be drawn
    count = rng.integers(0, 13, (n, 64)).astype(np.uint8)
    count[:, 7] = 12
    for which in (np.arange(0), np.array([6]), np.array([0, 1, 5, 7]), np.arange(8)[::-1]):
        expected = columns[which].astype(np.int64) @ count.astype(np.int64)
        assert (exact_sums(columns, which, count) == expected).all()


def test_nothing_differs_where_all_weight_lies_on_one_value(path):
    rng = np.random.default_rng(3)
    rows = Amounts(np.array([0.1, 0.1, 0.1, 0.7]), np.array([1.0, 2.0, 3.0, 4.0]))
    batch = Batch(rng.exponential(size=(4, 30)) * np.array([[1], [1], [1], [0]]))
    assert (compute_pair_sums(rows, batch).untied_y == 0).all()
    assert (compute_rank_sums(rows, batch).y_y == 0).all()


def test_a_column_sums_alike_whatever_stands_beside_it(path):
    columns = np.random.default_rng(1).normal(size=(300, 5))
    batch = batch_of(300, "weights")
    together = weighted_sums(batch, columns)
    for j in range(5):
        assert (weighted_sums(batch, columns[:, j : j + 1])[:, 0] == together[:, j]).all()


def test_a_weighting_sums_alike_whatever_stands_beside_it(path):
    rows, batch = data(300, "some"), batch_of(300, "weights")
    columns = np.stack([rows.y.values, rows.score.values], axis=1)
    alone = Batch(batch.count[:, 7:8], batch.weight)
    assert (weighted_sums(alone, columns)[0] == weighted_sums(batch, columns)[7]).all()
    assert (
        compute_pair_sums(rows, alone).discordant[0] == compute_pair_sums(rows, batch).discordant[7]
    )
    assert compute_rank_sums(rows, alone).score_y[0] == compute_rank_sums(rows, batch).score_y[7]


def test_a_weight_that_is_no_number_gives_no_number(path):
    rows, weight = data(100, "some"), np.ones(100)
    weight[40] = np.nan
    batch = Batch(batch_of(100, "counts").count, weight)
    assert np.isnan(weighted_sums(batch, np.ones((100, 1)))[batch.count[40] > 0]).all()
    assert np.isnan(compute_pair_sums(rows, batch).difference).all()
    assert np.isnan(compute_rank_sums(rows, batch).score_y).all()


def test_columns_that_lie_apart_or_side_by_side_give_the_same_sums(path):
    for n in (0, 1, 65, 130):
        both = np.random.default_rng(n).normal(size=(n, 2))
        for kind in ("counts", "weights", "one"):
            batch = batch_of(n, kind)
            expected = weighted_sums(batch, both)
            for columns in (list(both.T), [both[:, 0], both[:, 1].copy()]):
                assert np.array_equal(column_sums(batch, columns), expected)


@pytest.mark.parametrize("levels", [1, 3, 1000])
def test_pairs_without_a_few_rows_are_those_of_the_rest(path, levels, monkeypatch):
    rng = np.random.default_rng(levels)
    y, score = rng.integers(levels, size=(2, 90)).astype(float)
    count = np.ones((90, 6), np.uint8)
    for lane, gone in enumerate(([], [3], [0, 89], range(5, 12), [40, 41, 42], [7])):
        count[list(gone), lane] = 0
    whole = compute_pair_sums(Amounts(y, score), Batch(count))
    monkeypatch.setattr(pairs_of_rows, "BY_ROWS_FROM", 0)
    monkeypatch.setattr(
        pairs_of_rows, "compute_discordant_pairs", lambda *_: pytest.fail("all rows")
    )
    rest = compute_pair_sums(Amounts(y, score), Batch(count))
    for field in fields(whole):
        assert np.array_equal(getattr(rest, field.name), getattr(whole, field.name)), field.name


@pytest.mark.parametrize("size", [1, 3, 64, 70])
def test_rank_sums_of_totals_too_large_for_whole_numbers_are_the_same(path, monkeypatch, size):
    rows = data(40, TIES[0])
    count = np.random.default_rng(5).poisson(1, (40, size)).astype(np.uint8)
    sums = compute_rank_sums(rows, Batch(count))
    monkeypatch.setattr(pairs_of_rows, "BIGGEST", 1)
    large = compute_rank_sums(rows, Batch(count))
    for each in fields(sums):
        assert getattr(large, each.name) == pytest.approx(getattr(sums, each.name))


@pytest.mark.parametrize("most", [1, 12, 40, 41, 255])
@pytest.mark.parametrize("n", [7, 63, 700])
def test_powers_and_cells_of_counts_of_any_size_are_plain_sums(path, n, most):
    draw = np.random.default_rng(most)
    count = draw.integers(0, most + 1, (n, 64)).astype(np.uint8)
    count[0], group = most, draw.integers(0, 3, n)
    batch, column, size = Batch(count), Column(group.astype(np.float64)), 5
    plain = count.astype(np.int64)
    powers = (ties.sum_weights, ties.sum_squared_weights, ties.sum_cubed_weights)
    for power, of in enumerate(powers, start=1):
        assert np.array_equal(of(batch), (plain**power).sum(axis=0))
    totals = np.stack([plain[group == k].sum(axis=0) for k in range(size)])
    found = ties.sum_tie_powers(column, batch, ties.find_groups(column))
    tied = [(totals**k).sum(axis=0) - (plain**k).sum(axis=0) for k in (2, 3)]
    assert np.array_equal(found, tied)
    assert np.array_equal(compute_bin_sums(batch, group, size).T, totals)


@pytest.mark.parametrize("groups", [1, 4, 90, 300])
def test_sums_up_to_cuts_are_those_along_a_straight_line(path, groups):
    draw = np.random.default_rng(groups)
    count = draw.integers(0, 3, (300, 64)).astype(np.uint8)
    column = Column(draw.permutation(np.arange(300) % groups).astype(np.float64))
    values, shares = draw.normal(size=300), np.linspace(0.0, 1.0, 60)[1:-1]
    found = cumulate_to_shares(shares, column, values, Batch(count))
    for lane in (0, 31, 63):
        weight = count[:, lane].astype(np.float64)
        ends = [np.bincount(column.group, of, groups) for of in (weight, weight * values)]
        x, y = (np.append(0.0, np.cumsum(each)) for each in ends)
        assert found[lane] == pytest.approx(np.interp(shares * x[-1], x, y), abs=1e-11)


@pytest.mark.parametrize("most", [1, 255])
def test_agreement_along_a_score_is_the_same_whatever_holds_the_weights(path, most):
    rows = data(600, "some")
    count = np.random.default_rng(most).integers(most // 2, most + 1, (600, 64)).astype(np.uint8)
    shares = np.array([0.3, 0.9])
    whole, real = (
        compute_concordance_heights(rows, batch, shares)
        for batch in (Batch(count), Batch(count.astype(np.float64)))
    )
    assert (whole.end / real.end).tolist() == pytest.approx([1.0] * 64)
    assert whole.height == pytest.approx(real.height)
