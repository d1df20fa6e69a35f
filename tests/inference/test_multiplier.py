"""Random signs against all signs, and the test against the limits."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval, monte_carlo_error
from reportgen.inference.resampled_intervals import compute_multiplier_sums
from reportgen.inference.significance import assess_significance
from tests.inference.evidence_samples import plain

DRAW = np.random.default_rng(5)


def hung(shares, value=0.0, **more):
    """Evidence of a difference whose error is known by smoothed shares alone."""
    replicates = value + DRAW.normal(size=199)
    more = {"n": len(shares), "is_difference": True, "smoothed": np.asarray(shares)} | more
    return plain(value, replicates, **more)


def test_the_sums_are_those_of_all_signs():
    shares = DRAW.exponential(size=9)
    every = np.abs(np.array(list(product((-1, 1), repeat=9))) @ shares) * np.sqrt(9 / 8)
    drawn = compute_multiplier_sums(hung(shares))
    assert stats.ks_2samp(drawn, every).statistic < 0.05


def test_sums_of_many_alike_shares_are_normal():
    shares = DRAW.normal(size=3000) / 3000
    drawn = compute_multiplier_sums(hung(shares))
    assert np.sqrt(np.mean(drawn**2)) == pytest.approx(np.linalg.norm(shares), rel=0.02)
    assert np.quantile(drawn, 0.95) == pytest.approx(1.96 * np.linalg.norm(shares), rel=0.03)


def test_zero_is_outside_just_where_p_is_below_alpha():
    shares = DRAW.standard_t(2, size=60) / 60
    inside = set()
    for value in np.linspace(0, 4, 60) * np.linalg.norm(shares):
        evidence = hung(shares, value)
        limits, found = compute_interval(evidence, "auto", 0.95), assess_significance(evidence)
        assert (limits.method, found.test) == ("multiplier", "multiplier")
        inside.add(limits.low <= 0 <= limits.high)
        if abs(found.p_value - 0.05) > 3e-4:
            assert (found.p_value < 0.05) == (not limits.low <= 0 <= limits.high)
    assert inside == {True, False}


def test_the_order_of_units_and_another_model_move_nothing():
    shares = DRAW.normal(size=700)
    assert np.array_equal(
        compute_multiplier_sums(hung(shares)), compute_multiplier_sums(hung(-shares[::-1]))
    )


@pytest.mark.parametrize(
    "more", [{"smoothed": None}, {"is_clustered": True, "units": 40}, {"smoothed": np.zeros(40)}]
)
def test_without_smoothed_shares_replicates_speak(more):
    evidence = hung(DRAW.normal(size=40), **more)
    assert compute_interval(evidence, "auto", 0.95).method in ("symmetric", "bootstrap-se")
    assert assess_significance(evidence).test.startswith(("null-bootstrap", "bootstrap"))


def test_one_models_value_keeps_its_own_interval():
    evidence = replace(hung(DRAW.normal(size=40)), is_difference=False)
    assert compute_interval(evidence, "multiplier", 0.95).method != "multiplier"


def test_shares_of_a_difference_are_the_difference_of_the_shares():
    first, second = (hung(DRAW.normal(size=8), is_difference=False) for _ in range(2))
    both = build_contrast(first, second, "higher")
    assert np.array_equal(both.smoothed, first.smoothed - second.smoothed)


def test_beyond_its_draws_it_is_at_least_as_wide_as_a_normal():
    evidence = hung(DRAW.normal(size=400))
    far, farther = (compute_interval(evidence, "auto", 1 - a).width for a in (1e-6, 1e-9))
    assert far < farther


def test_no_seed_moves_it():
    evidence = hung(DRAW.normal(size=50))
    assert monte_carlo_error(evidence, compute_interval(evidence, "auto", 0.95)) == 0
