"""Tables of calls by their sums = the same tables written out cell by cell."""

import numpy as np
import pytest

from reportgen.metrics import count_tables
from reportgen.metrics.count_tables import ClassTables, replace_cell


def each_alone(whole, was, called, values):
    """The tables with one cell set anew, each written out."""
    tables = np.repeat(whole[None], len(values), axis=0)
    tables[np.arange(len(values)), was, called] = values
    return tables


@pytest.mark.parametrize("at_once", [30, 2_000_000])  # numbers of tables side by side
@pytest.mark.parametrize("k", [3, 12, 40])
def test_a_cell_set_anew_gives_the_sums_of_the_table_that_has_it(monkeypatch, k, at_once):
    monkeypatch.setattr(count_tables, "AT_ONCE", at_once)
    draw = np.random.default_rng(k)
    whole, cost = draw.random((k, k)), draw.random((k, k))
    for q in (1, 2, 50):
        was, called, values = draw.integers(0, k, q), draw.integers(0, k, q), draw.random(q)
        called[0] = was[0]  # one that is right
        tables = each_alone(whole, was, called, values)
        expected = ClassTables.from_full_tables(lambda tables=tables: iter([tables]))
        found = replace_cell(whole, was, called, values)
        assert (found.size, found.classes) == (q, k)
        for name in ("right", "truth", "calls"):
            assert np.array_equal(getattr(found, name), getattr(expected, name)), (q, name)
        assert np.array_equal(found.sum_costs(cost), expected.sum_costs(cost))


def test_tables_over_their_totals_are_shares():
    whole = np.array([[2.0, 1, 0], [0, 3, 1], [0, 0, 1]])
    shares = ClassTables.from_full_tables(lambda: iter([whole[None], 2 * whole[None]])).divide_by(
        np.array([8.0, 16])
    )
    assert shares.truth.tolist() == [[3 / 8, 4 / 8, 1 / 8]] * 2
    assert shares.calls.tolist() == [[2 / 8, 4 / 8, 2 / 8]] * 2
    assert shares.right.tolist() == [[2 / 8, 3 / 8, 1 / 8]] * 2
    assert shares.sum_costs(1.0 - np.eye(3)).tolist() == [2 / 8] * 2
