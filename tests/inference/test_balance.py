"""Uneven weights: how many units they leave, and what an interval may still say."""

import numpy as np
import pytest
from scipy import stats

from reportgen.analysis.run import analyze_dataset
from reportgen.checks.rows import find_uneven_weights
from reportgen.inference.sampling_distribution import measure_balance
from tests.analysis.asked import question, rows

ALL = ("mae", "rmse", "kendall", "spearman", "pearson", "r2", "median_ae", "bias", "ranking_last")


def codes(answer):
    return {doubt.code for doubt in answer.warnings}


def uneven(n=300, sd=2.5, seed=3):
    return np.exp(sd * np.random.default_rng(seed).normal(size=n))


def test_even_weights_leave_every_unit():
    found = measure_balance(np.full(50, 0.3))
    assert (found.units, found.effective, found.excess) == (50, 50.0, 1.0)
    assert not found.is_uneven and find_uneven_weights(found, "row") is None


def test_rows_without_weight_are_no_units():
    assert measure_balance(np.array([0.0, 2.0, 2.0, 0.0])).effective == 2.0


def test_the_effective_number_is_that_of_kish():
    w = uneven()
    assert measure_balance(w).effective == pytest.approx(w.sum() ** 2 / (w**2).sum())


@pytest.mark.parametrize("w", [np.array([3.0, 1.0, 1.0, 1.0]), uneven(40)])
def test_the_excess_makes_weighted_squares_unbiased(w):
    share, n = w / w.sum(), len(w)
    draws = np.random.default_rng(5).normal(size=(200_000, n))
    centred = draws - (draws @ share)[:, None]
    variance = np.mean(centred**2 @ share**2) * n / (n - 1) * measure_balance(w).excess
    assert variance == pytest.approx(np.sum(share**2), rel=0.03)


@pytest.mark.parametrize(
    "w, is_uneven",
    [
        (np.r_[60.0, np.ones(100)], True),  # one holds over a fifth
        (np.r_[4.0, np.ones(100)], False),
        (uneven(1000, 0.8), False),
        (uneven(1000, 2.5), True),
        (np.arange(1.0, 21.0), False),
        (np.array([1.0, 2.0, 3.0]), False),
    ],
)
def test_few_effective_units_of_many_are_w130(w, is_uneven):
    assert (find_uneven_weights(measure_balance(w), "row") is not None) == is_uneven


def test_a_mean_of_uneven_rows_has_t_on_their_effective_number():
    w = uneven(100, 2.0)
    y, (a, b) = rows(100, 2)
    answer = analyze_dataset(question(names=("mae",), data=(y, [a, b]), weight=w))
    (found,) = answer.comparisons
    d, share, kish = np.abs(b - y) - np.abs(a - y), w / w.sum(), measure_balance(w)
    spread = np.sqrt(np.sum((share * (d - share @ d)) ** 2) * 100 / 99 * kish.excess)
    half = stats.t.ppf(0.975, kish.effective - 1) * spread
    assert found.method == "t"
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=1e-8)
    assert "W130" in codes(answer)


@pytest.mark.parametrize("name", ALL)
def test_where_one_row_holds_all_weight_nothing_is_decided(name):
    w = np.ones(60)
    w[7] = 1e9
    (found,) = analyze_dataset(question(names=(name,), weight=w)).comparisons
    assert found.low is None and found.p_value is None
    assert found.word in ("cannot tell", "no result")
    estimates = analyze_dataset(question(names=(name,), weight=w)).estimates
    assert all(e.low is None for e in estimates)
    assert all("nearly all weight" in e.reason for e in estimates if e.status == "ok")


@pytest.mark.parametrize("name", [n for n in ALL if n not in ("bias", "r2")])
@pytest.mark.parametrize("adjust", ["holm", "maxt"])
def test_with_uneven_weights_the_interval_counts_effective_units(name, adjust):
    # not of a bias, which is of sizes; nor of R², whose limit next to zero may be that of the RMSE
    told = question(120, 3, names=(name,), weight=uneven(120, 1.5), replicates=199, adjust=adjust)
    (found, _) = analyze_dataset(told).comparisons
    times = (found.high - found.low) / 2 / found.se
    effective = measure_balance(told.sampling.design.weights).effective
    tail = 0.025 / found.family_size
    alone, joint = (stats.t.ppf(1 - each, effective - 1) for each in (0.025, tail))
    if adjust == "maxt":
        assert times >= alone * (1 - 1e-6)
    else:
        assert times == pytest.approx(joint, rel=1e-6)


def test_uneven_clusters_count_by_the_weight_of_their_rows():
    unit = np.repeat(np.arange(40), 3)
    w = uneven(40, 1.3)[unit]
    answer = analyze_dataset(question(120, names=("mae",), unit=unit, weight=w))
    (told,) = [d.numbers for d in answer.warnings if d.code == "W130"]
    assert told["counted"] == "cluster" and told["units"] == 40
    (found,) = answer.comparisons
    times = (found.high - found.low) / 2 / found.se
    assert times == pytest.approx(stats.t.ppf(0.975, told["effective"] - 1))


def test_a_column_of_equal_weights_changes_nothing():
    plain, weighted = (
        analyze_dataset(question(names=("mae", "kendall"), weight=w))
        for w in (None, np.full(60, 3.0))
    )
    assert [c.se for c in plain.comparisons] == pytest.approx([c.se for c in weighted.comparisons])


def test_a_segment_of_uneven_weights_is_told_of_by_name():
    y, scores = rows(200, 2)
    w = np.ones(200)
    w[:100] = uneven(100)
    parts = (("even", np.arange(200) >= 100), ("odd", np.arange(200) < 100))
    answer = analyze_dataset(question(names=("mae",), data=(y, scores), weight=w, segments=parts))
    assert {d.segment for d in answer.warnings if d.code == "W130"} == {None, "odd"}
