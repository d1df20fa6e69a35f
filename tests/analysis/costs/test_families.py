"""What the limits of a saving allow for: what can be put to use, at the asymmetry acted at."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.run import analyze_dataset
from reportgen.config.schema.costs import Costs
from tests.analysis.asked import but
from tests.analysis.costs.asking import analysis, asked
from tests.analysis.costs.test_methods import taught

ALPHAS = (0.2, 0.5, 0.8)
N = 150
PRICES = CostModel(ALPHAS, total=5.0, unit="EUR", is_priced=True)


def scores(seed, models=4):
    """The last models are biased by much, so that their best constants save a lot."""
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 10.0, N)
    return y, {f"m{k}": y + 4 * draw.standard_normal(N) + 6 * (k > 1) for k in range(models)}


def limits(found, alpha, shift="none"):
    (made,) = [d for d in found.decisions if (d.asymmetry, d.shift) == (alpha, shift)]
    return {each.model: (each.saving.low, each.saving.high) for each in made.models}


def width(found, alpha, model="m1", shift="none"):
    low, high = limits(found, alpha, shift)[model]
    return high - low


@pytest.mark.parametrize("seed", range(3))
def test_the_declared_asymmetry_allows_for_nothing_at_the_others(seed):
    y, models = scores(seed)
    alone = analysis(y, models, replace(PRICES, alphas=(0.8,)))
    beside = analysis(y, models, replace(PRICES, declared=0.8))
    assert limits(beside, 0.8) == limits(alone, 0.8)
    assert width(analysis(y, models, PRICES), 0.8) > width(alone, 0.8)


def test_the_other_asymmetries_are_a_family_without_the_declared_one():
    y, models = scores(5)
    beside = analysis(y, models, replace(PRICES, declared=0.8))
    without = analysis(y, models, replace(PRICES, alphas=(0.2, 0.5)))
    assert limits(beside, 0.2) == limits(without, 0.2)


@pytest.mark.parametrize("seed", range(3))
def test_what_cannot_be_put_to_use_widens_no_limit_of_what_can(seed):
    """One model alone has its best constant besides, and with it no other way to act."""
    y, models = scores(seed, models=2)
    question = asked(y, models, replace(PRICES, alphas=(0.5,)))
    found = analyze_dataset(question).costs[0]
    cost = {m: np.abs(score - y) * 2.5 * 1000 for m, score in models.items()}
    less = cost["m0"] - cost["m1"]
    own = 2 * 1.9760 * less.std(ddof=1) / np.sqrt(N)  # t(149) at 97.5 %
    assert width(found, 0.5) == pytest.approx(own, rel=0.06)
    assert width(found, 0.5, shift="optimal") > 0


def test_what_was_fitted_on_the_rows_judged_widens_no_limit_either():
    y, models = scores(2)
    question = asked(y, models, replace(PRICES, is_fitted=True, is_flattered=True))
    draw = np.random.default_rng(1)
    who = tuple(
        but(c, fit=taught(y, c.rows.score.values + draw.standard_normal(N), replicates=199))
        for c in question.models
    )
    found = analyze_dataset(change_plan(question, models=who)).costs[0]
    plain = analysis(y, models, PRICES)
    for alpha in ALPHAS:
        assert limits(found, alpha) == limits(plain, alpha)


def test_the_asymmetry_of_the_unit_costs_is_the_declared_one():
    pair = Costs(under=4, over=1, asymmetries=(0.2,))
    assert pair.pair_alpha == 0.8 and pair.pair_alpha in pair.alphas
    assert Costs(asymmetries=(0.2,)).pair_alpha is None
