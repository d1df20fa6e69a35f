"""The order of a column, and that of rows taken from it, are those of NumPy's stable sort."""

import numpy as np
import pytest

from reportgen.kernels.batch import Column

DRAW = np.random.default_rng(5)
N = 400


@pytest.mark.parametrize("is_sorted", [False, True])
@pytest.mark.parametrize("rows", ["some", "in another order", "twice", "none"])
@pytest.mark.parametrize("values", ["tied", "apart", "with nan"])
def test_rows_that_are_taken_have_the_order_of_a_stable_sort(values, rows, is_sorted):
    column = Column(
        {
            "tied": DRAW.integers(0, 9, N) * 1.0,
            "apart": DRAW.normal(size=N),
            "with nan": np.where(DRAW.random(N) < 0.1, np.nan, DRAW.normal(size=N).round(1)),
        }[values]
    )
    some = {
        "some": np.flatnonzero(DRAW.random(N) < 0.9),
        "in another order": DRAW.permutation(N)[:300],
        "twice": np.sort(DRAW.integers(0, N, N)),
        "none": np.empty(0, np.intp),
    }[rows]
    if is_sorted:
        assert len(column.order) == N
    taken, own = column.take(some), column.values[some]
    np.testing.assert_array_equal(taken.order, np.argsort(own, kind="stable"))
    ascending = np.sort(own)
    np.testing.assert_array_equal(taken.ascending, ascending)
    is_last = np.append(ascending[1:] != ascending[:-1], True)[: len(own)]
    np.testing.assert_array_equal(taken.is_last, is_last)
    assert taken.order.dtype == np.int32
