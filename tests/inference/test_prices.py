"""Means of few prices: what is rarely paid is known as a proportion is."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.inference.analytic_intervals import proportion_limits
from reportgen.inference.intervals import compute_interval
from reportgen.inference.proportion_intervals import find_rare_costs, square_and_add_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.metrics.traits import find_estimand
from tests.inference.evidence_samples import mean_of


def paid(counts: dict[float, int], **more: Any) -> SamplingDistribution:
    """The evidence of a mean of these prices, each paid on so many rows."""
    each = np.repeat(np.array([*counts]), [*counts.values()])
    evidence, _ = mean_of(each, bounds=(-np.inf, np.inf))
    about = {
        "estimand": find_estimand("mean of costs"),
        "shares": np.full(len(each), 1 / len(each)),
    }
    return replace(evidence, **{**about, **more})


def test_of_one_price_the_limits_are_those_of_its_share() -> None:
    low, high = proportion_limits(0.02, 100, 0.95)
    found = compute_interval(paid({0.0: 98, 500.0: 2}), "auto", 0.95)
    assert found.method == "newcombe"
    assert (found.low, found.high) == pytest.approx((500 * low, 500 * high))


def test_it_does_not_matter_which_price_is_the_commonest() -> None:
    first = square_and_add_interval(paid({0.0: 60, 1.0: 38, 300.0: 2}), 0.95)
    other = square_and_add_interval(paid({7.0: 60, 8.0: 38, 307.0: 2}), 0.95)
    assert first is not None and other is not None
    assert (other.low - 7, other.high - 7) == pytest.approx((first.low, first.high))


def test_few_and_dear_errors_do_not_reach_past_what_their_share_allows() -> None:
    found = compute_interval(paid({0.0: 8705, 5.0: 1293, 4000.0: 2}), "auto", 0.95)
    most = (
        proportion_limits(2e-4, 10_000, 0.95)[1] * 4000
        + proportion_limits(0.1293, 10_000, 0.95)[1] * 5
    )
    assert found.low < 0.8 + 5 * 0.1293 < found.high < most


def test_prices_that_are_all_paid_often_are_left_to_resamples() -> None:
    often = paid({0.0: 100, 5.0: 30, 20.0: 12})
    assert (
        find_rare_costs(often) is None
        and compute_interval(often, "auto", 0.95).method != "newcombe"
    )
    many = paid({float(k): 1 for k in range(12)})
    assert find_rare_costs(many) is None
    assert find_rare_costs(replace(paid({0.0: 50, 5.0: 2}), is_clustered=True)) is None


def test_what_was_never_paid_may_be_where_it_is_known() -> None:
    none = paid({0.0: 80, 1.0: 20})
    assert find_rare_costs(none) is None
    known = replace(none, bounds=(0.0, 50.0))
    found = compute_interval(known, "auto", 0.95)
    assert found.high == pytest.approx(
        0.2
        + np.hypot(
            proportion_limits(0.2, 100, 0.95)[1] - 0.2, 50 * proportion_limits(0, 100, 0.95)[1]
        )
    )


def test_a_difference_may_go_the_other_way_round() -> None:
    one_way = paid({0.0: 95, 5.0: 4, -1.0: 1}, is_difference=True)
    found = compute_interval(one_way, "auto", 0.95)
    assert found.method == "newcombe" and found.low < 0 < found.high
    back = compute_interval(paid({0.0: 95, -5.0: 4, 1.0: 1}, is_difference=True), "auto", 0.95)
    assert (found.low, found.high) == pytest.approx((-back.high, -back.low))


@pytest.mark.full
def test_limits_hold_where_a_dear_error_is_rare() -> None:
    draw = np.random.default_rng(8)
    held = 0
    for _ in range(400):
        dear, cheap = draw.binomial(1000, 0.004), draw.binomial(1000, 0.1)
        counts = {0.0: 1000 - dear - cheap, 1.0: int(cheap), 100.0: int(dear)}
        found = square_and_add_interval(paid(counts, bounds=(0.0, 100.0)), 0.95)
        if found is None:  # ten were dear: not few
            continue
        held += not found.low <= 0.5 <= found.high
    assert held <= 30
