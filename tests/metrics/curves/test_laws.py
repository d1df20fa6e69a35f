"""What holds for every curve of the catalogue, unless it says why not."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import resamples, smooth_rows, tied_rows, uneven

REGRESSION = {name: curve for name, curve in CURVES.items() if curve.task == "regression"}
VARIANTS = {
    "ranking, median": CURVES["ranking"].use(statistic="median", buckets=7),
    "ranking, quantile": CURVES["ranking"].use(quantile=0.8),
    "ranking, integer edges": CURVES["ranking"].use(edges="integer", buckets=7),
    "concordance, few bins": CURVES["concordance"].use(bins=3),
    "cost, optimal": CURVES["cost"].use(shift="optimal"),
    "rroc, raw": CURVES["rroc"].use(raw=True),
    "rroc, squares": CURVES["rroc"].use(loss="quadquad"),
    "cost, quadquad": CURVES["cost"].use(shift="optimal", loss="quadquad"),
    "cost, linexp": CURVES["cost"].use(loss="linexp"),
    "cost, quadexp": CURVES["cost"].use(shift="optimal", loss="quadexp"),
}
ALL = {**REGRESSION, **VARIANTS}
NOT_BY_DESIGN = {
    ("rroc, raw", "weights × 7"): "raw sums grow with the weights",
    ("ranking, integer edges", "weights × 7"): "edges are whole units of weight",
}
SMOOTH = smooth_rows()
SAMPLES = {
    "smooth": Amounts(
        SMOOTH.y.values + 3, SMOOTH.score.values + 3
    ),  # so that y sums to more than 0
    "tied": tied_rows(),
}
ODD = {
    "no row": Amounts(np.empty(0), np.empty(0)),
    "one row": Amounts(np.array([2.0]), np.array([3.0])),
    "two rows": Amounts(np.array([2.0, 1]), np.array([3.0, 4])),
    "all tied": Amounts(np.full(7, 2.0), np.full(7, 3.0)),
    "all zero": Amounts(np.zeros(7), np.zeros(7)),
    "y tied": Amounts(np.full(7, 2.0), np.arange(7.0)),
    "score tied": Amounts(np.arange(7.0), np.full(7, 2.0)),
}


def values(name, rows, weight):
    return ALL[name].bind(rows, weight)(Batch.from_weights(weight))[0]


def unless_waived(name, law):
    reason = ALL[name].exempt_from.get(law) or NOT_BY_DESIGN.get((name, law))
    if reason:
        pytest.skip(reason)


@pytest.fixture(params=list(SAMPLES))
def rows(request):
    return SAMPLES[request.param]


@pytest.mark.parametrize("name", ALL)
def test_seven_times_all_weights_changes_nothing(name, rows):
    unless_waived(name, "weights × 7")
    weight = uneven(60)
    found = values(name, rows, 7 * weight)
    assert found == pytest.approx(values(name, rows, weight), abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("name", ALL)
def test_weight_two_is_the_row_twice(name, rows):
    unless_waived(name, "weight 2 = row twice")
    count = np.random.default_rng(5).integers(1, 4, 60)
    twice = np.repeat(np.arange(60), count)
    doubled = Amounts(rows.y.values[twice], rows.score.values[twice])
    found = values(name, rows, count.astype(float))
    expected = values(name, doubled, np.ones(len(twice)))
    assert found == pytest.approx(expected, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("name", ALL)
def test_weight_zero_is_the_row_gone(name, rows):
    unless_waived(name, "weight 0 = row gone")
    weight = uneven(60)
    weight[::4] = 0
    kept = weight > 0
    fewer = Amounts(rows.y.values[kept], rows.score.values[kept])
    found = values(name, rows, weight)
    assert found == pytest.approx(values(name, fewer, weight[kept]), abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("name", ALL)
def test_the_order_of_rows_changes_nothing(name, rows):
    mixed, weight = np.random.default_rng(6).permutation(60), uneven(60)
    other = Amounts(rows.y.values[mixed], rows.score.values[mixed])
    found = values(name, other, weight[mixed])
    assert found == pytest.approx(values(name, rows, weight), abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("name", ALL)
def test_many_weightings_at_once_are_each_alone(name, rows):
    weight = uneven(60)
    bound, batch = ALL[name].bind(rows, weight), resamples(60, weight=weight)
    alone = [bound(Batch.from_weights(lane))[0] for lane in batch.weights.T]
    assert bound(batch) == pytest.approx(np.array(alone), abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("name", ALL)
def test_values_stay_within_the_bounds(name, rows):
    low, high = ALL[name].bounds
    found = ALL[name].bind(rows, np.ones(60))(resamples(60, lanes=20))
    assert np.nanmin(found) >= low - 1e-12
    assert np.nanmax(found) <= high + 1e-12


@pytest.mark.parametrize("name", [name for name in ALL if ALL[name].is_monotone])
def test_a_curve_called_monotone_is_so(name, rows):
    steps = np.diff(ALL[name].bind(rows, np.ones(60))(resamples(60, lanes=20)), axis=1)
    assert np.all(steps >= -1e-12) or np.all(steps <= 1e-12)


@pytest.mark.parametrize("odd", list(ODD))
@pytest.mark.parametrize("name", ALL)
def test_odd_rows_give_numbers_or_nan_but_no_error(name, odd):
    rows = ODD[odd]
    for weight in (np.ones(len(rows)), np.zeros(len(rows))):
        bound = ALL[name].bind(rows, weight)
        trace = bound.trace(weight)
        assert bound(Batch.from_weights(weight)).shape == (1, len(bound.grid))
        assert len(trace.x) == len(trace.y)
        assert not np.isinf(trace.y).any()


@pytest.mark.parametrize("name", ALL)
def test_grids_and_traces_are_short_and_rise(name):
    rows = smooth_rows(3000)
    bound = ALL[name].bind(rows, np.ones(3000))
    trace = bound.trace(np.ones(3000))
    assert len(bound.grid) <= 200
    assert len(trace.x) <= 400
    assert np.all(np.diff(bound.grid) >= 0)
    assert np.all(np.diff(trace.x) >= 0)


@pytest.mark.parametrize("name", ALL)
def test_nothing_that_was_given_is_changed(name, rows):
    y, score, weight = rows.y.values.copy(), rows.score.values.copy(), uneven(60)
    values(name, rows, weight)
    ALL[name].bind(rows, weight).trace(weight)
    assert np.array_equal(rows.y.values, y)
    assert np.array_equal(rows.score.values, score)
    assert np.array_equal(weight, uneven(60))


def test_a_curve_describes_itself():
    for curve in CURVES.values():
        assert curve.description.endswith(".")
        assert curve.title and curve.x_label and curve.y_label


@pytest.mark.parametrize("name", [name for name in ALL if ALL[name].is_of_target])
def test_a_curve_of_the_target_is_the_same_for_every_score(name, rows):
    other = Amounts(rows.y.values, np.sin(rows.y.values * 7))
    found = values(name, other, uneven(60))
    assert found == pytest.approx(values(name, rows, uneven(60)), nan_ok=True)


@pytest.mark.parametrize("name", [name for name in ALL if not ALL[name].is_of_target])
def test_any_other_curve_is_not(name, rows):
    other = Amounts(rows.y.values, np.sin(rows.y.values * 7))
    first, second = values(name, other, uneven(60)), values(name, rows, uneven(60))
    assert len(first) != len(second) or not np.allclose(first, second)
