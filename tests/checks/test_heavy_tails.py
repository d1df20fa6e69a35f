"""How far units that are missing may move a value, and where no interval reaches as far."""

from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest
from scipy.special import ndtri

from reportgen.checks.heavy_tails import (
    ManyTails,
    UnitSizes,
    UnitTails,
    describe_heavy_tail,
    measure_tail_reach,
)
from reportgen.metrics.traits import find_estimand
from tests.inference.evidence_samples import plain


def tail_of(values, estimand="mean", low=0.0, error=None, **more):
    """The tail of a mean of values, or of what else is made of them."""
    n, each = len(values), np.asarray(values) - np.mean(values)
    evidence = plain(np.mean(values), [], estimand, (low, inf), n=n, influence=each / n)
    centred = None if error is None else (error - np.mean(error)) / n
    return UnitTails(evidence, None, centred, **more)


def reach_of(tail):
    each = tail.evidence.influence
    return measure_tail_reach(tail, sqrt(np.sum(each**2)))


def draw(n=100, seed=0):
    return np.random.default_rng([n, seed])


def test_the_reach_of_a_mean_is_that_of_three_more_of_the_largest_row():
    losses = np.ones(100)
    losses[7] = 101.0  # the mean is 2, so that this row is 99 above it
    assert reach_of(tail_of(losses)) == pytest.approx(3 * 99 / 100)


@pytest.mark.parametrize("estimand", ["log mean", "log residual", "correlation of numbers"])
def test_no_interval_reaches_what_decides_squares_and_products(estimand):
    errors = draw().standard_t(1.5, 100)
    low = -1.0 if estimand == "correlation of numbers" else 0.0
    assert reach_of(tail_of(errors**2, estimand, low)) == inf


def test_light_tails_have_no_reach():
    z = draw(1).normal(size=100)
    assert reach_of(tail_of(np.abs(z), error=z)) is None
    assert reach_of(tail_of(z**2, "log mean", error=z)) is None


@pytest.mark.parametrize("n", [20, 49])
def test_few_rows_are_warned_of_and_have_a_reach_only_where_their_tail_is_heavy(n):
    z = draw(n).normal(size=n)
    light, heavy = tail_of(np.abs(z), error=z), tail_of(np.r_[np.abs(z[1:]), 100.0])
    assert describe_heavy_tail(light)["too_few"] == 50 and reach_of(light) is None
    assert reach_of(heavy) > 0


@pytest.mark.parametrize("values", [np.zeros(100), np.full(100, 3.0)])
def test_values_that_are_all_equal_have_no_tail(values):
    assert reach_of(tail_of(values)) is None and describe_heavy_tail(tail_of(values)) is None


def test_nothing_is_known_of_a_measure_without_influence_or_of_a_bounded_one():
    tail = tail_of(draw().lognormal(0, 2, 100))
    assert measure_tail_reach(None, 1.0) is None
    unknown = replace(tail.evidence, influence=None)
    assert measure_tail_reach(UnitTails(unknown), 1.0) is None
    bounded = replace(tail.evidence, bounds=(0.0, 1.0), estimand=find_estimand("proportion"))
    assert measure_tail_reach(UnitTails(bounded), 1.0) is None


def test_skewed_errors_leave_squares_open_where_no_large_one_is_seen():
    places = ndtri((np.arange(100) + 0.5) / 100)
    squares = places**2  # those of Normal errors
    skewed = np.exp(0.3 * places)
    assert reach_of(tail_of(squares, "log mean", error=places)) is None
    assert reach_of(tail_of(squares, "log mean", error=skewed)) == inf


@pytest.mark.parametrize(("kind", "n"), [("zeros", 50), ("zeros", 100), ("lognormal", 100)])
def test_a_mean_error_of_skewed_amounts_is_warned_of_nearly_always(kind, n):
    warned = 0
    for seed in range(200):
        known, left, own = draw(n, seed).normal(size=(3, n))
        y = np.exp(known + left)
        if kind == "zeros":
            y = np.where(known + left > sqrt(2) * 0.5244, y, 0.0)  # seven in ten are zero
        error = np.exp(known + 0.5 * own) - y
        warned += describe_heavy_tail(tail_of(np.abs(error), error=error)) is not None
    assert warned >= 0.95 * 200


def test_streamed_rows_have_the_reach_of_rows_in_memory():
    losses = draw(600).pareto(1.2, 600)
    tail = tail_of(losses)
    each, se = tail.evidence.influence, sqrt(np.sum(tail.evidence.influence**2))
    sizes = np.sort(np.abs(each))[::-1] / se
    units = UnitSizes(600, sizes, 1.0, lambda shared: 0.5)
    streamed = ManyTails(find_estimand("mean"), units)
    assert measure_tail_reach(streamed, se) == pytest.approx(reach_of(tail))
    assert reach_of(tail) == pytest.approx(3 * np.abs(each).max())


def tail_at_an_end(y, df, estimand="mean at an edge"):
    """The tail of a mean of the rows at an end of the ranking, by what happened."""
    low = 0.0 if estimand == "share of a sum" else -inf
    evidence = plain(1.0, [], estimand, (low, inf), n=len(y), grouped=np.ones(8), edge_df=df)
    return UnitTails(evidence, (y - y.mean()) / len(y))


@pytest.mark.parametrize(("n", "df"), [(60, 5.0), (100, 9.0)])
def test_skewed_amounts_behind_few_rows_at_an_end_are_warned_of(n, df):
    z = draw(n).normal(size=n)
    assert describe_heavy_tail(tail_at_an_end(np.exp(0.7 * z), df)) is not None
    assert describe_heavy_tail(tail_at_an_end(z, df)) is None


def test_more_rows_at_an_end_and_shares_of_a_sum_bear_some_skewness():
    amounts = np.exp(0.7 * draw(300).normal(size=300))
    assert describe_heavy_tail(tail_at_an_end(amounts, 29.0)) is None
    assert describe_heavy_tail(tail_at_an_end(amounts, 9.0, "share of a sum")) is None
    heavy = np.exp(2 * draw(300).normal(size=300))
    for estimand in ("mean at an edge", "share of a sum"):
        assert describe_heavy_tail(tail_at_an_end(heavy, 29.0, estimand)) is not None
