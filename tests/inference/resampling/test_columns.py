"""Columns that are summed once: which are kept, which are products, and that no bit moves."""

from dataclasses import replace

import numpy as np
import pytest

from reportgen.inference.resampling.replicates import RowSlice, SharedColumns
from reportgen.inference.resampling.studentize import bind_difference_standard_error
from reportgen.kernels.batch import Batch
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.kernels.sums import AbsoluteColumn, column_sums, term_sums
from reportgen.metrics import METRICS
from reportgen.metrics import influence as kept
from reportgen.metrics.rows import Amounts, Queries

DRAW = np.random.default_rng(4)
N = 3000
ROWS = Amounts(np.where(DRAW.random(N) < 0.4, 0.0, DRAW.gamma(2, 9, N)), DRAW.gamma(2, 9, N))
COUNT = DRAW.poisson(1.0, (N, 64)).astype(np.uint8)


def made(terms, there=()):
    columns = SharedColumns(there)
    return columns, columns.places(terms)


def sums_at(places, kept):
    at, times = zip(*places, strict=True)
    return term_sums(Batch(COUNT), kept)[:, at] * times


def test_a_column_that_is_kept_anyway_takes_no_room():
    columns, places = made(
        [ROWS.y.values.copy(), ROWS.error.values.copy()], [ROWS.y.values, ROWS.error.values]
    )
    assert columns.kept[0] is ROWS.y.values and columns.kept[1] is ROWS.error.values
    assert places == [(0, 1.0), (1, 1.0)]


def test_the_size_of_a_column_that_is_kept_anyway_takes_no_room():
    y, error = ROWS.y.values, ROWS.error.values
    size = np.abs(error)
    terms = [size, error, size.copy(), (size, size), np.abs(error), error**2]
    columns, places = made(terms, [y, error])
    assert [type(kept) for kept in columns.kept] == [AbsoluteColumn, np.ndarray, tuple]
    assert [at for at, _ in places] == [0, 1, 0, 2, 0, 2]  # the square of a size is the square
    expected = column_sums(Batch(COUNT), [size, error, size * size])
    assert np.array_equal(term_sums(Batch(COUNT), columns.kept), expected)


def test_twice_and_half_of_a_column_are_not_summed_again():
    loss = np.abs(ROWS.error.values) + 1
    columns, places = made([loss, 2 * loss, loss / 2, (2 * loss, loss), (loss, loss), 3 * loss])
    assert [type(kept) for kept in columns.kept] == [np.ndarray, tuple, np.ndarray]
    assert places == [(0, 1.0), (0, 2.0), (0, 0.5), (1, 2.0), (1, 1.0), (2, 1.0)]
    each = [loss, 2 * loss, loss / 2, 2 * loss * loss, loss * loss, 3 * loss]
    assert np.array_equal(sums_at(places, columns.kept), column_sums(Batch(COUNT), each))


def test_products_are_known_whatever_they_are_called():
    y, error = ROWS.y.values, ROWS.error.values
    columns = SharedColumns([y, error])
    square = columns.place(error**2)
    places = [
        square,
        columns.place(y * error),
        columns.place(error * y),
        columns.place((error**2, error**2)),
    ]
    assert {id(term) for term in columns.kept if not isinstance(term, tuple)} == {id(y), id(error)}
    assert places[1] == places[2]
    found = sums_at(places, columns.kept)
    plain = column_sums(Batch(COUNT), [error**2, y * error, error * y, error**2 * error**2])
    assert np.array_equal(found, plain)


def test_columns_alike_where_they_are_looked_at_are_told_apart():
    y = ROWS.y.values
    square = y**2
    square[1] += 1.0  # between the rows by which columns are looked up
    columns, places = made([square, y**2], [y])
    found = sums_at(places, columns.kept)
    assert np.array_equal(found, column_sums(Batch(COUNT), [square, y**2]))


def test_columns_that_are_alike_within_a_model_are_one():
    alike = [
        METRICS["error_variance"].use().bind(Amounts(np.zeros(N), values))
        for values in (ROWS.score.values, np.zeros(N))
    ]
    error, batch = bind_difference_standard_error(*alike, np.ones(N), None, N), Batch(COUNT)
    assert np.all(error.compute_from_sums(term_sums(batch, error.terms), batch.totals) > 0)


def test_what_a_column_is_a_part_of_is_not_kept():
    both = np.asfortranarray(DRAW.random((N, 2)))
    columns, _ = made([both[:, 1]])
    (own,) = columns.kept
    assert own.base is None


@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_keep_little_and_give_the_same_bits(monkeypatch, weighted):
    names = ("mae", "rmse", "bias", "pearson", "r2")
    batch = Batch(COUNT, DRAW.random(N) if weighted else None)

    def values():
        bound = {(name, "m"): METRICS[name].use().bind(ROWS) for name in names}
        part = RowSlice(None, bound)
        sums = term_sums(batch, part.columns)
        return part, part.compute_from_sums(sums, batch.totals)

    few, expected = values()
    monkeypatch.setattr(kept, "KEPT_TO", 100)
    monkeypatch.setattr("reportgen.inference.resampling.replicates.KEPT_TO", 100)
    many, found = values()
    assert all(np.array_equal(found[key], expected[key]) for key in expected)
    there = {id(c.values) for c in (*ROWS.orders(), ROWS.error)}
    own = [c for c in many.columns if isinstance(c, np.ndarray) and id(c) not in there]
    assert len(own) <= 3 < len([c for c in few.columns if isinstance(c, np.ndarray)])


def test_a_list_is_looked_at_once_however_many_queries_there_are(monkeypatch):
    """What a measure finds of a query takes long to find: it is kept, of each model."""
    monkeypatch.setattr(kept, "KEPT_TO", 10)
    start, seen = np.arange(0, 4 * N + 1, 4), []
    grade, score = DRAW.integers(0, 3, 4 * N).astype(float), DRAW.random(4 * N)
    rows = Queries(Lists(start, grade, score, Judgements.from_grades(start, grade)))
    metric = METRICS["ndcg"].use(k=3)
    counting = replace(metric, function=lambda *a, **k: seen.append(1) or metric.function(*a, **k))
    bound = counting.bind(rows)
    for _ in range(3):
        bound(Batch(COUNT, None))
    assert len(seen) == 1 and bound.columns is bound.columns
