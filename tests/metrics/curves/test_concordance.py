"""Concordance by rank and AUC by cut-off, held to their definitions and to each other."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.kernels.curve_heights import compute_sign_sums
from reportgen.metrics.curves import CURVES
from reportgen.metrics.curves.concordance import compute_best_concordances, compute_concordances
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.definitions import cutoff_aucs
from tests.metrics.curves.samples import (
    FORTY_C,
    FORTY_SCORE,
    FORTY_Y,
    resamples,
    smooth_rows,
    tied_rows,
    uneven,
)

ROWS = [smooth_rows(), tied_rows()]
FORTY = Amounts(FORTY_Y, FORTY_SCORE)
# Of the forty rows, by definition: Kendall's τ, Spearman's ρ, R = Σi² − Σ i·s_i.
TAU, RHO, R = 0.25384615384615383, 0.35759849906191365, 3424


def signs(rows):
    y, score = rows.y.values, rows.score.values
    return np.sign(y[:, None] - y) * np.sign(score[:, None] - score)


def slow_best(rows, weight):
    """The best of all places for each score, tried one by one."""
    y, score, n = rows.y.values, rows.score.values, len(rows)
    places = np.unique(score)
    places = np.concatenate([[-1e9], places, (places[1:] + places[:-1]) / 2, [1e9]])
    best = np.zeros(n)
    for i in range(n):
        others = np.arange(n) != i
        agreement = np.sign(y[i] - y[others]) * np.sign(places[:, None] - score[others])
        best[i] = ((1 + agreement) / 2 @ weight[others]).max()
    return best


def midranks(values, weight):
    below = (values[:, None] > values) @ weight
    return below + (values[:, None] == values) @ weight / 2


def slow_cutoff_areas(rows, weight):
    """Each cut's AUC and width, pair by pair."""
    y, score = rows.y.values, rows.score.values
    found = []
    for low, high in zip(np.unique(y)[:-1], np.unique(y)[1:], strict=True):
        above, below = y >= high, y <= low
        wins = np.sign(score[above][:, None] - score[below]) / 2 + 0.5
        sides = weight[above].sum() * weight[below].sum()
        auc = weight[above] @ wins @ weight[below] / sides
        found.append((auc, sides * (weight[y == low].sum() + weight[y == high].sum()) / 2))
    return np.array(found).T


def trace_of(name, rows, weight, **params):
    return CURVES[name].use(**params).bind(rows, weight).trace(weight)


@pytest.mark.parametrize("rows", ROWS)
def test_sign_sums_are_those_of_all_pairs(rows):
    weights = resamples(60, weight=uneven(60)).weights
    assert compute_sign_sums(rows.y, rows.score, weights) == pytest.approx(signs(rows) @ weights)


def test_each_of_forty_rows_agrees_with_as_many_as_were_counted():
    assert (
        compute_concordances(FORTY, Batch.from_weights(np.ones(40)))[:, 0].tolist()
        == FORTY_C.tolist()
    )


def test_the_area_of_concordance_is_the_share_of_concordant_pairs():
    trace = trace_of("concordance", FORTY, np.ones(40))
    assert trace.marks["area"] == pytest.approx((1 + TAU) / 2, abs=1e-12)
    assert trace.y.mean() == pytest.approx((1 + TAU) / 2, abs=1e-12)


@pytest.mark.parametrize("rows", ROWS)
def test_with_ties_and_weights_the_area_is_that_of_tau_a(rows):
    weight = uneven(60)
    pairs = np.outer(weight, weight) * (1 - np.eye(60))
    tau_a = (signs(rows) * pairs).sum() / pairs.sum()
    bound = CURVES["concordance"].bind(rows, weight)
    assert bound.trace(weight).marks["area"] == pytest.approx((1 + tau_a) / 2, abs=1e-12)
    assert bound(Batch.from_weights(weight)).mean() == pytest.approx((1 + tau_a) / 2, abs=1e-12)


@pytest.mark.parametrize("rows", ROWS)
def test_the_envelope_is_the_best_of_all_places(rows):
    weight = uneven(60)
    found = compute_best_concordances(rows, Batch.from_weights(weight))[:, 0]
    assert found == pytest.approx(slow_best(rows, weight), abs=1e-12)


@pytest.mark.parametrize("rows", ROWS)
def test_no_row_does_better_than_its_envelope(rows):
    batch = resamples(60)
    assert np.all(
        compute_best_concordances(rows, batch) >= compute_concordances(rows, batch) - 1e-12
    )


def test_a_perfect_order_agrees_with_everything():
    rows = Amounts(np.arange(5.0), np.arange(5.0) ** 2)
    trace = trace_of("concordance", rows, np.ones(5))
    assert trace.y.tolist() == [1.0] * 5
    assert trace.x == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
    assert trace.marks["below half"] == 0


def test_the_area_by_cutoff_is_rho_without_ties():
    trace = trace_of("auc_by_cutoff", FORTY, np.ones(40))
    assert trace.marks["area"] == pytest.approx((1 + RHO) / 2, abs=1e-12)


def test_lost_pairs_over_all_cutoffs_sum_to_the_rank_distance():
    aucs, widths = cutoff_aucs(FORTY, Batch.from_weights(np.ones(40)))
    assert widths[:, 0].tolist() == [i * (40 - i) for i in range(1, 40)]
    assert ((1 - aucs) * widths).sum() == pytest.approx(R, abs=1e-9)


@pytest.mark.parametrize("rows", ROWS)
def test_all_cutoffs_at_once_are_each_cutoff_by_pairs(rows):
    weight = uneven(60)
    aucs, widths = cutoff_aucs(rows, Batch.from_weights(weight))
    slow_aucs, slow_widths = slow_cutoff_areas(rows, weight)
    assert aucs[:, 0] == pytest.approx(slow_aucs, abs=1e-12)
    assert widths[:, 0] == pytest.approx(slow_widths, abs=1e-9)


@pytest.mark.parametrize("rows", ROWS)
def test_with_ties_and_weights_the_area_by_cutoff_is_that_of_midranks(rows):
    weight = uneven(60)
    total = weight.sum()
    y, score = (midranks(c.values, weight) - total / 2 for c in (rows.y, rows.score))
    expected = (1 + (weight @ (y * score)) / (weight @ y**2)) / 2
    bound = CURVES["auc_by_cutoff"].bind(rows, weight)
    assert bound.trace(weight).marks["area"] == pytest.approx(expected, abs=1e-12)
    assert bound(Batch.from_weights(weight)).mean() == pytest.approx(expected, abs=1e-12)


def test_a_row_that_weighs_nothing_leaves_no_cutoff():
    rows, weight = tied_rows(), uneven(60)
    weight[rows.y.values == np.unique(rows.y.values)[2]] = 0
    kept = weight > 0
    fewer = Amounts(rows.y.values[kept], rows.score.values[kept])
    whole = trace_of("auc_by_cutoff", rows, weight)
    fewer_trace = trace_of("auc_by_cutoff", fewer, weight[kept])
    assert whole.y == pytest.approx(fewer_trace.y, abs=1e-12)


def test_a_cutoff_is_drawn_as_wide_as_it_counts():
    # One cut: 2 rows of 0 against one of 1; then one: 3 rows against one of 2.
    rows = Amounts(np.array([0.0, 0, 1, 2]), np.array([0.0, 2, 1, 3]))
    trace = trace_of("auc_by_cutoff", rows, np.ones(4), bins=3)
    first, second = 1.5 * 2 * 2, 1.0 * 3 * 1  # their widths: two thirds and one third
    assert trace.y == pytest.approx([3 / 4, 3 / 4, 1])
    assert trace.marks["area"] == pytest.approx((3 / 4 * first + 1 * second) / 9)


def test_many_rows_are_drawn_as_means_of_equal_parts():
    rows = smooth_rows(1000)
    trace = trace_of("concordance", rows, np.ones(1000))
    assert len(trace.x) == 25
    assert trace.y.mean() == pytest.approx(trace.marks["area"], abs=1e-12)


def test_rows_below_one_half_are_all_marked_where_they_are_few():
    found, whole = (
        trace_of(name, FORTY, np.ones(40)) for name in ("concordance_lowest", "concordance")
    )
    below = FORTY_C / 39 < 0.5
    assert len(found.y) == below.sum() > 0
    assert sorted(found.y) == pytest.approx(sorted(FORTY_C[below] / 39), abs=1e-4)
    assert found.x == pytest.approx(whole.x[whole.y < 0.5], abs=1e-4)


def test_of_many_rows_below_one_half_the_lowest_of_each_part_is_marked():
    draw = np.random.default_rng(2)
    rows = Amounts(draw.normal(size=4000), draw.normal(size=4000))
    trace = trace_of("concordance_lowest", rows, np.ones(4000))
    share = compute_concordances(rows, Batch.from_weights(np.ones(4000)))[:, 0] / 3999
    parts = np.array_split(share[rows.score.order], 50)
    assert trace.y == pytest.approx([part.min() for part in parts], abs=1e-4)
    values = CURVES["concordance_lowest"].bind(rows, np.ones(4000))(
        Batch.from_weights(np.ones(4000))
    )[0]
    assert values == pytest.approx([part.min() for part in parts], abs=1e-12)
