"""Bands from rows in cells: their standard errors and sup-t are those found row by row."""

import numpy as np
import pytest

from reportgen.inference.bands import measure_spread, sup_t_quantile
from reportgen.inference.resampling.design import Design
from reportgen.inference.resampling.replicates import RowSlice, compute_replicates
from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.curves.curve import MANY_ROWS
from reportgen.metrics.rows import Amounts

NAMES = ("concordance", "rank_lift")
REPLICATES = 256


def population(name: str, n: int = MANY_ROWS) -> Amounts:
    """Rows with ties of one kind."""
    draw = np.random.default_rng(5)
    known = draw.normal(size=n)
    latent = known + draw.normal(size=n)
    match name:
        case "spend":  # most of it zero, in cents, and scores in tenths
            y = np.where(latent > 0.6, np.exp(3 + latent).round(2), 0.0)
            return Amounts(y, np.exp(2 + known + draw.normal(size=n) / 3).round(1))
        case "yes or no":
            return Amounts((latent > 1) * 1.0, (1 / (1 + np.exp(-known))).round(3))
        case "counts":  # a quarter of the scores is zero
            y = draw.poisson(np.exp(known / 2)).astype(float)
            return Amounts(y, np.maximum(np.exp(known / 2) - 0.7, 0).round(2))
        case "grades":  # of one to five, and fifteen scores
            y = np.clip(np.round(latent + 3), 1, 5)
            return Amounts(y, np.clip(np.round(2 * known + 8), 1, 15))
        case _:  # a heavy tail in whole units
            return Amounts(np.exp(2 * latent).round(), np.exp(2 * known).round(2))


def drawn(rows: Amounts, *, is_exact: bool, weight: np.ndarray | None = None):
    """The curves by name, and their replicates."""
    base = np.ones(len(rows)) if weight is None else weight
    bound = {(name, "m"): CURVES[name].bind(rows, base, is_exact) for name in NAMES}
    design = Design("rows", len(rows), REPLICATES, 3, weight)
    found = compute_replicates(design, {None: RowSlice(None, bound)}, 2)
    return {name: (bound[name, "m"], found[None, (name, "m")]) for name in NAMES}


@pytest.mark.parametrize("name", ["spend", "yes or no", "counts", "grades", "heavy tail"])
def test_standard_errors_and_sup_t_are_within_two_percent(name):
    rows = population(name)
    near, exact = (drawn(rows, is_exact=each) for each in (False, True))
    for curve in NAMES:
        bound, values = near[curve]
        assert bound.is_by_grid and not exact[curve][0].is_by_grid
        se, largest = measure_spread(bound.estimate, values)
        true_se, true_largest = measure_spread(bound.estimate, exact[curve][1])
        varies = true_se > 0
        assert np.array_equal(varies, se > 0)
        ratios = se[varies] / true_se[varies]
        assert ratios.min() > 0.98 and ratios.max() < 1.02
        assert sup_t_quantile(largest, 0.95) == pytest.approx(
            sup_t_quantile(true_largest, 0.95), rel=0.02
        )


def test_replicates_follow_those_row_by_row_with_weights_too():
    rows = population("spend")
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(rows))
    near, exact = (drawn(rows, is_exact=each, weight=weight) for each in (False, True))
    for curve in NAMES:
        estimate = near[curve][0].estimate
        moved, truly = near[curve][1] - estimate, exact[curve][1] - estimate
        inner = slice(1, -1)  # both ends of rank lift are fixed
        each = [
            np.corrcoef(a, b)[0, 1] for a, b in zip(moved.T[inner], truly.T[inner], strict=True)
        ]
        assert min(each) > 0.98


def test_few_rows_and_those_who_ask_have_no_cells():
    rows = population("counts", MANY_ROWS - 1)
    curve = CURVES["rank_lift"].bind(rows, np.ones(len(rows)))
    assert not curve.is_by_grid
    batch = Design("rows", len(rows), 3, 1).batch(0)
    assert np.array_equal(curve.replicates(batch), curve(Batch(batch.count)))


def test_replicates_by_the_two_ways_are_kept_under_two_names():
    rows = population("counts")
    near, exact = (CURVES["rank_lift"].bind(rows, np.ones(len(rows)), e) for e in (False, True))
    assert near.identity[-1] == "by grid" and len(near.identity) == len(exact.identity) + 1
