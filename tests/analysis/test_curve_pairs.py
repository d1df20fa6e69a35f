"""Which pairs of models have curves of their difference."""

from itertools import combinations

from reportgen.analysis.plan import MOST_CURVE_PAIRS, InferencePlan


def plan(models):
    names = [f"m{k}" for k in range(models)]
    pairs = tuple((later, earlier) for earlier, later in combinations(names, 2))
    return InferencePlan(0.95, "auto", pairs=pairs)


def test_all_pairs_of_twelve_models_have_curves():
    assert plan(12).curve_pairs == plan(12).pairs and len(plan(12).pairs) == MOST_CURVE_PAIRS


def test_of_more_pairs_only_those_with_the_first_baseline_have_curves():
    assert plan(13).curve_pairs == tuple((f"m{k}", "m0") for k in range(1, 13))
