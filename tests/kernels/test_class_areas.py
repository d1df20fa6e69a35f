"""Walks along two classes = what the weights at all corners say, on every path."""

import numpy as np
import pytest

from reportgen.kernels.class_curves import (
    compute_class_heights,
    compute_class_sums,
    compute_largest_gap,
    compute_pr_area,
    compute_window_area,
    interpolate_other_class,
)
from reportgen.metrics.metric import METRICS
from reportgen.metrics.rows import Classes
from tests.kernels.conftest import BATCHES, TIES, batch_of, data

SHARES = np.linspace(0, 1, 21) ** 2


def labelled(n, ties):
    made = data(n, ties)
    y = made.y.values + np.random.default_rng(n).normal(size=n) > 0.8
    score = made.score.values
    return Classes(y.astype(np.intp), score[:, None], ("0", "1"), "score")


def fast_forms(rows, batch):
    """Each fast form by the metric whose definition it has."""
    window = METRICS["partial_auc"]
    yield METRICS["ks"], compute_largest_gap(rows, batch)
    yield METRICS["pr_auc"], compute_pr_area(rows, batch)
    found = compute_window_area(rows, batch, 0.1, 0.4, of_positives=False)
    yield window.use(low=0.1, high=0.4, standardize="none"), found
    found = 0.3 - compute_window_area(rows, batch, 0.1, 0.4, of_positives=True)
    yield window.use(low=0.1, high=0.4, along="tpr", standardize="none"), found


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_areas_are_those_of_the_definitions(path, kind, ties):
    for n in (1, 16, 64, 300):
        rows, batch = labelled(n, ties), batch_of(n, kind)
        for metric, found in fast_forms(rows, batch):
            assert found.shape == (batch.size,)
            for lane in range(0, batch.size, 17):
                expected = metric.bind(rows).define(batch.weights[:, lane])
                assert found[lane] == pytest.approx(expected, abs=1e-12, nan_ok=True), (n, metric)


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_heights_are_those_between_corners(path, kind, ties):
    for n in (1, 16, 300):
        rows, batch = labelled(n, ties), batch_of(n, kind)
        tp, fp = compute_class_sums(rows, batch)
        for is_fewest in (True, False):
            for flag, one, other in ((True, tp, fp), (False, fp, tp)):
                walk = compute_class_heights(
                    rows, batch, SHARES, of_positives=flag, is_fewest=is_fewest
                )
                expected = interpolate_other_class(
                    one, other, SHARES[:, None] * one[-1], is_fewest=is_fewest
                )
                scale = np.maximum(other[-1], 1e-300)
                assert np.abs(walk[0] - expected).max() <= 1e-12 * scale.max()
                assert np.allclose(walk[1], one[-1], rtol=1e-12, atol=0)
                assert np.allclose(walk[2], other[-1], rtol=1e-12, atol=0)


def test_no_row_has_no_area(path):
    rows, batch = labelled(0, "none"), batch_of(0, "counts")
    assert np.isnan(compute_largest_gap(rows, batch)).all()
    assert np.isnan(compute_pr_area(rows, batch)).all()
    assert np.isnan(compute_window_area(rows, batch, 0.0, 1.0, of_positives=False)).all()
