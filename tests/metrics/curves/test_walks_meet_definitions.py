"""Values found along a walk = those from prefix sums of all rows, on every path."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.curves.lift import compute_inverse_ranks, get_amounts, get_sizes
from reportgen.metrics.rows import Amounts
from tests.kernels.conftest import BATCHES, TIES, batch_of, data
from tests.kernels.conftest import path as path  # the fixture: NumPy, and each kind of code
from tests.metrics.curves import definitions


def held(amounts, order):
    return lambda rows, batch, grid: definitions.held_by_top(amounts, order, rows, batch, grid)


DEFINED = {
    "concordance": definitions.concordance,
    "auc_by_cutoff": definitions.auc_by_cutoff,
    "rank_lift": held(compute_inverse_ranks, "score"),
    "rank_lift_best": held(compute_inverse_ranks, "best"),
    "rank_lift_worst": held(compute_inverse_ranks, "worst"),
    "gain": held(get_sizes, "score"),
    "lift": lambda rows, batch, grid: held(get_amounts, "score")(rows, batch, grid) / grid,
    "concentration": lambda rows, batch, grid: 1 - held(get_sizes, "score")(rows, batch, 1 - grid),
    "lorenz": lambda rows, batch, grid: 1 - held(get_sizes, "best")(rows, batch, 1 - grid),
    "error_by_rank": definitions.error_by_rank,
    "error_density": definitions.error_density,
    "rec": definitions.rec,
    "rroc": definitions.rroc,
    "rroc, raw": definitions.rroc,
    "cost, optimal": definitions.minimal_costs,
}
OF_SIZES = {"gain", "concentration", "lorenz"}
"""Curves of shares, which no amount below zero has."""
USED = {
    "rroc, raw": CURVES["rroc"].use(raw=True),
    "cost, optimal": CURVES["cost"].use(shift="optimal"),
}


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", DEFINED)
def test_a_walk_meets_the_definition(path, name, ties, kind):
    curve = USED.get(name, CURVES.get(name))
    for n in (0, 1, 2, 5, 65, 130):
        rows, batch = data(n, ties), batch_of(n, kind)
        if name in OF_SIZES:
            rows = Amounts(np.abs(rows.y.values), rows.score.values)
        bound = curve.bind(rows, np.ones(n))
        params = {"raw": True} if name == "rroc, raw" else {}
        expected = DEFINED[name](rows, Batch(batch.count, batch.weight), bound.grid, **params)
        found = bound(batch)
        assert np.array_equal(np.isnan(found), np.isnan(expected)), n
        scale = max(1.0, np.nanmax(np.abs(expected), initial=0.0))
        assert np.abs(found - expected).max(initial=0.0, where=~np.isnan(found)) <= 1e-10 * scale, n
