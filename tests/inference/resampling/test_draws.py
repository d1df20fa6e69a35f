"""Batches of few rows are asked for several at once: every replicate keeps its bits."""

import numpy as np
import pytest

from reportgen.inference.resampling import design as designs
from reportgen.inference.resampling import replicates
from reportgen.inference.resampling.design import Design
from reportgen.inference.resampling.replicates import RowSlice, compute_replicates
from reportgen.kernels import native
from reportgen.metrics import METRICS
from tests.kernels.conftest import data, on_path
from tests.metrics.curves.test_laws import REGRESSION
from tests.metrics.test_laws import USES, bound

REPLICATES = 150  # neither whole batches nor whole draws
PRODUCTS = {"calibration_slope", "calibration_intercept", "cost, quadexp", "error_density"}
"""What matrix products give, whose last bit may follow the size of the matrix."""


def bound_to(rows):
    """Every curve, and every metric that finds many weightings at once, by name."""
    each = {case.metric: bound(case, rows.y.values, rows.score.values) for case in USES}
    quick = {name: use for name, use in each.items() if use.statistic.fast or use.is_of_means}
    curves = {name: curve.bind(rows, np.ones(len(rows))) for name, curve in REGRESSION.items()}
    return {(name, "model"): each for name, each in (quick | curves).items()}


@pytest.mark.parametrize("path", ["numpy", *native.list_kinds()[-1:]])
@pytest.mark.parametrize("weights", ["multinomial", "bayesian"])
def test_a_replicate_does_not_depend_on_how_many_are_found_at_once(monkeypatch, path, weights):
    rows, found = data(70, "some"), []
    parts = {None: RowSlice(None, bound_to(rows))}
    for widest in (1, 2):
        monkeypatch.setattr(designs, "WIDEST", widest)
        design = Design("rows", len(rows), REPLICATES, 5, weights_are=weights)
        assert design.side_by_side(len(rows)) == widest
        with on_path(path):
            found.append(compute_replicates(design, parts))
    alone, together = found
    assert alone.keys() == together.keys() and len(alone) > 80
    for key, values in alone.items():
        _, (name, _) = key
        if name in PRODUCTS:
            np.testing.assert_allclose(together[key], values, rtol=1e-12, atol=1e-14)
        else:
            np.testing.assert_array_equal(together[key], values, err_msg=name)


@pytest.mark.parametrize("count", [70, 128, 200])
def test_curves_of_the_first_replicates_are_those_of_all(monkeypatch, count):
    rows = data(70, "some")
    parts = {None: RowSlice(None, bound_to(rows))}
    monkeypatch.setattr(designs, "WIDEST", 1)
    every = compute_replicates(Design("rows", len(rows), 200, 5), parts)
    design = Design("rows", len(rows), 200, 5, most_curve_replicates=count)
    found = compute_replicates(design, parts)
    for key, values in every.items():
        expected = values if values.ndim == 1 else values[:count]
        assert found[key].shape == expected.shape
        np.testing.assert_allclose(found[key], expected, rtol=1e-12, atol=1e-14)


def test_a_batch_of_more_lanes_holds_those_that_follow_in_order():
    design = Design("rows", 900, 450, 5)
    alone = np.concatenate([design.batch(k).count for k in range(design.batches)], axis=1)
    together = design.batch(0, 450)
    assert (design.batches, design.side_by_side(900), together.index) == (8, 8, 0)
    assert np.array_equal(together.count, alone)


def test_progress_counts_batches_whatever_is_found_at_once():
    rows, told = data(16_000, "some"), []
    metrics = {("mae", "model"): METRICS["mae"].bind(rows)}
    compute_replicates(
        Design("rows", 16_000, 450, 5), {None: RowSlice(None, metrics)}, tick=told.append
    )
    assert told == [6, 8]


@pytest.mark.parametrize("weight", [None, "weights"])
@pytest.mark.parametrize("threads", [1, 2])
def test_sums_under_counts_drawn_by_row_are_those_of_whole_batches(monkeypatch, weight, threads):
    rows, draw = data(9_000, "none"), np.random.default_rng(8)
    keys = draw.integers(0, 2**63, len(rows)).astype(np.uint64)
    weight = weight and draw.random(len(rows))
    each = ("mae", "rmse", "bias", "pearson", "mse", "r2")
    means = {(name, "model"): METRICS[name].bind(rows) for name in each}
    slices = {None: RowSlice(None, means)}
    design = Design("d", len(rows), REPLICATES, 3, weight, weights_are="poisson", keys=keys)
    by_row = compute_replicates(design, slices, threads)
    monkeypatch.setattr(replicates, "_are_sums_of_all_rows", lambda slices: False)
    whole = compute_replicates(design, slices, threads)
    assert all(np.array_equal(by_row[key], whole[key], equal_nan=True) for key in whole)
