"""Limits that hold at every analysis: against confseq, a slow loop, and paths of coins."""

from math import exp, log, prod, sin, sqrt

import numpy as np
import pytest

from reportgen.inference.sequential import Arrivals

WAVES = [round(sin(k * k) * 0.4 + 0.06, 3) for k in range(1, 41)]
STEPS = [round((k * 7919 % 101) / 101 * 0.5 - 0.1, 3) for k in range(1, 61)]
CALLS = [float(k * k % 7 == 0) - float(k * k % 11 == 0) for k in range(1, 151)]

# confseq 0.0.11 on (x + 1)/2: betting_mart(…, 0.5, alpha=0.05, trunc_scale=0.75)[-1], and the last
# limits of betting_cs(…, alpha=0.05, trunc_scale=0.75, breaks=100_000), on a grid of 1e-5.
CONFSEQ = [
    (WAVES, 0.3083353912515239, -0.13136, 0.15662),
    (STEPS, 216.99130807998682, 0.05306, 0.22402),
    (CALLS, 0.3682403203322515, -0.06466, 0.18170),
]


@pytest.mark.parametrize(("x", "e_value", "low", "high"), CONFSEQ)
def test_limits_and_e_values_are_those_of_confseq(x, e_value, low, high):
    found = Arrivals(np.array(x), -1.0, 1.0)
    assert found.e_value == pytest.approx(e_value, rel=1e-9)
    assert found.compute_limits(0.95) == pytest.approx((low, high), abs=2.1e-5)


def slow_capital(x, mean):
    """Each bettor's capital, row by row, as the paper has it."""
    up, down, seen = [], [], []
    spread = 0.25
    for t, value in enumerate(x, start=1):
        bet = sqrt(2 * log(2 / 0.05) / (spread * t * log(t + 1)))
        up.append(1 + min(bet, 0.75 / mean) * (value - mean))
        down.append(1 - min(bet, 0.75 / (1 - mean)) * (value - mean))
        seen.append(value)
        guesses = [(0.5 + sum(seen[: k + 1])) / (k + 2) for k in range(t)]
        squares = sum((v - g) ** 2 for v, g in zip(seen, guesses, strict=True))
        spread = (0.25 + squares) / (t + 1)
    return prod(up), prod(down)


def test_the_capital_is_that_of_a_loop_and_the_limits_end_where_it_reaches_forty():
    x = np.array(STEPS)
    found = Arrivals(x, -1.0, 1.0)
    assert found.e_value == pytest.approx(max(slow_capital((x + 1) / 2, 0.5)) / 2)
    low, high = found.compute_limits(0.95)
    assert slow_capital((x + 1) / 2, (low + 1) / 2)[0] == pytest.approx(40, rel=1e-6)
    assert slow_capital((x + 1) / 2, (high + 1) / 2)[1] == pytest.approx(40, rel=1e-6)


@pytest.mark.parametrize("x", [WAVES, STEPS, CALLS])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.995, 0.9999])
def test_limits_leave_zero_out_where_the_e_value_says_so(x, level):
    found = Arrivals(np.array(x), -1.0, 1.0)
    low, high = found.compute_limits(level)
    assert (low > 0 or high < 0) == (found.e_value >= 1 / (1 - level))


def test_turning_signs_turns_limits():
    low, high = Arrivals(np.array(STEPS), -1.0, 1.0).compute_limits(0.95)
    turned = Arrivals(-np.array(STEPS), -1.0, 1.0).compute_limits(0.95)
    assert turned == pytest.approx((-high, -low), abs=1e-9)


def test_of_1000_fair_games_at_most_one_in_twenty_ever_reaches_20():
    draw = np.random.default_rng(8)
    ever = 0
    for _ in range(1000):
        x = draw.choice([-1.0, 0.0, 1.0], 150, p=[0.1, 0.8, 0.1])
        ever += any(Arrivals(x[:n], -1.0, 1.0).e_value >= 20 for n in range(10, 151, 20))
    assert ever <= 50


def test_rows_past_the_bound_alike_neighbours_and_other_rows_have_a_reason():
    draw = np.random.default_rng(2)
    x = draw.uniform(-1, 1, 400)
    assert Arrivals(x, -1.0, 1.0).reason == ""
    assert Arrivals(x, -0.5, 0.5).reason == "past-bound"
    assert Arrivals(np.sort(x), -1.0, 1.0).reason == "alike-rows"
    assert Arrivals(np.empty(0), -1.0, 1.0, is_on_same_rows=False).reason == "other-rows"


def test_rows_that_all_agree_or_never_differ_have_limits():
    assert Arrivals(np.zeros(50), -1.0, 1.0).reason == ""
    low, high = Arrivals(np.zeros(50), -1.0, 1.0).compute_limits(0.95)
    assert low == pytest.approx(-high) and 0 < high < 0.3
    assert Arrivals(np.ones(50), -1.0, 1.0).e_value > exp(10)
