"""The ROC curve and precision over recall: against scikit-learn, areas, weights, bands."""

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.inference.bands import compute_share_band
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Classes


def drawn(seed=1, n=150, digits=1):
    draw = np.random.default_rng(seed)
    y = (draw.random(n) < 0.3) * 1
    return (
        y,
        np.round(np.clip(0.3 * y + 0.7 * draw.random(n), 0, 1), digits),
        draw.exponential(1, n),
    )


def rows_of(y, p):
    return Classes(y.astype(np.intp), p[:, None], ("0", "1"))


@pytest.mark.parametrize("digits", [1, 2, 8])
def test_the_roc_curve_is_that_of_scikit_learn(digits):
    y, p, weight = drawn(digits=digits)
    bound = CURVES["roc"].bind(rows_of(y, p), weight)
    fpr, tpr, _ = sk.roc_curve(y, p, sample_weight=weight, drop_intermediate=False)
    # Just beyond a place where it rises straight up, whose upper end counts.
    expected = np.interp(bound.grid + 1e-11, fpr, tpr)
    np.testing.assert_allclose(bound.estimate, expected, atol=1e-8)
    assert bound.trace(weight).marks["area"] == pytest.approx(
        METRICS["roc_auc"].bind(rows_of(y, p)).define(weight), rel=1e-12
    )


@pytest.mark.parametrize("digits", [1, 8])
def test_precision_at_the_recall_of_a_threshold_is_that_of_scikit_learn(digits):
    y, p, weight = drawn(digits=digits)
    precision, recall, _ = sk.precision_recall_curve(y, p, sample_weight=weight)
    # scikit-learn goes from many calls to few: of equal recalls the last has the fewest.
    keep = np.append(recall[:-1] > recall[1:], False)
    curve = CURVES["precision_recall"]
    at = np.sort(recall[keep])
    found = curve.function(rows_of(y, p), Batch.from_weights(weight), at)[0]
    np.testing.assert_allclose(found, precision[keep][::-1], atol=1e-12)


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
def test_a_batch_of_weightings_gives_what_each_gives_alone(name):
    y, p, weight = drawn()
    bound = CURVES[name].bind(rows_of(y, p), weight)
    count = np.random.default_rng(1).multinomial(len(y), np.full(len(y), 1 / len(y)), size=5)
    together = bound(Batch(count.T.astype(np.uint8), weight))
    for k, each in enumerate(count):
        np.testing.assert_allclose(
            together[k], bound(Batch.from_weights(each * weight))[0], atol=1e-12
        )


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
def test_weights_count_as_rows_do(name):
    y, p, weight = drawn()
    times = 1 + np.arange(len(y)) % 3
    curve, grid = CURVES[name], np.linspace(0.01, 0.99, 50)
    found = curve.function(rows_of(y, p), Batch.from_weights(times * weight), grid)
    twice = rows_of(y.repeat(times), p.repeat(times))
    np.testing.assert_allclose(
        found, curve.function(twice, Batch.from_weights(weight.repeat(times)), grid), atol=1e-11
    )
    np.testing.assert_allclose(
        found,
        curve.function(rows_of(y, p), Batch.from_weights(7 * times * weight), grid),
        atol=1e-11,
    )


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
@pytest.mark.parametrize("y", [np.zeros(5), np.ones(5), np.array([1.0])])
def test_one_class_has_no_curve_and_stops_nothing(name, y):
    bound = CURVES[name].bind(rows_of(y, np.linspace(0, 1, len(y))), np.ones(len(y)))
    assert name == "precision_recall" or not np.isfinite(bound.estimate).any()
    assert bound.trace(np.ones(len(y))).y is not None


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
@pytest.mark.parametrize("digits", [2, 8])
def test_cells_move_as_the_curve_does(name, digits):
    """Of 60,000 rows the spread by cells is that of the curve itself, within 5%."""
    y, p, _ = drawn(n=60_000, digits=digits)
    bound = CURVES[name].bind(rows_of(y, p), np.ones(len(y)))
    assert bound.is_by_grid
    count = np.random.default_rng(1).poisson(1.0, (len(y), 64)).astype(np.uint8)
    exact, near = bound(Batch(count)), bound.replicates(Batch(count))
    inner = slice(5, -5)
    spread = exact.std(axis=0)[inner]
    np.testing.assert_allclose(near.std(axis=0)[inner], spread, rtol=0.05)
    assert np.abs(near - exact)[:, inner].max() < 0.5 * spread.max()


def test_a_share_band_of_a_single_place_is_the_logit_interval_of_its_replicates():
    draw = np.random.default_rng(2)
    values = draw.binomial(50, 0.3, size=(4000, 1)) / 50
    band = compute_share_band(np.array([0.3]), values, 0.95, np.array([50.0]), np.array([20.0]))
    logit = np.log((50 * values + 0.5) / (50 * (1 - values) + 0.5))
    middle = np.log(15.5 / 35.5)
    spread = max(logit.std(ddof=1), 1 / np.sqrt(50 * (17 / 54) * (37 / 54)))
    times = np.quantile(np.abs(logit - middle) / spread, 0.95)
    ends = middle + np.array([-1, 1]) * times * spread
    expected = (51 / (1 + np.exp(-ends)) - 0.5) / 50
    assert np.allclose([band.low[0], band.high[0]], expected, rtol=0.02)


def test_where_a_share_never_varies_the_band_still_knows_how_few_rows_there_are():
    grid = np.linspace(0, 1, 5)
    band = compute_share_band(np.ones(5), np.ones((99, 5)), 0.95, np.full(5, 10.0), 20 * grid, True)
    assert (band.low[1:] < 1).all() and (band.low[1:] > 0).all() and (band.high == 1).all()


def test_a_rising_band_goes_on_to_the_ends_and_no_other_does():
    theta, draw = np.linspace(0.1, 0.9, 9), np.random.default_rng(3)
    values = np.clip(theta + draw.normal(0, 0.05, (500, 9)), 0, 1)
    beside = np.array([0, 1, 5, 9, 9, 9, 5, 1, 0.0])
    rising = compute_share_band(theta, values, 0.95, np.full(9, 80.0), beside, True)
    assert rising.low[0] == 0 and rising.high[0] == rising.high[2]
    assert rising.high[-1] == 1 and rising.low[-1] == rising.low[6]
    other = compute_share_band(theta, values, 0.95, np.full(9, 80.0), beside)
    assert np.isnan(other.low[[0, 1, 7, 8]]).all() and np.isfinite(other.low[2:7]).all()


def test_few_clusters_widen_the_band():
    theta, draw = np.full(3, 0.5), np.random.default_rng(4)
    values = np.clip(0.5 + draw.normal(0, 0.2, (500, 3)), 0, 1)
    few, many = np.full(3, 40.0), np.full(3, 20.0)
    plain, wide = (
        compute_share_band(theta, values, 0.95, few, many, widening=w) for w in (1.0, 1.5)
    )
    assert plain.critical > wide.critical  # measured in a larger standard error
