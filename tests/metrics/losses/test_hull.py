"""Which model is best at which asymmetry, against the paper's numbers and by trying every α."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.losses.rroc_geometry import (
    Point,
    find_crossings,
    find_hull,
    is_dominating,
    isometric_line,
    lower_envelope,
    minimal_cost_line,
    minimal_costs,
    mix_models,
)
from reportgen.metrics.rows import Amounts
from tests.metrics.curves.samples import smooth_rows, uneven

# OVER and UNDER of Hernández-Orallo (2013), "ROC curves for regression", Examples 1 to 3.
M1, M2, M3 = Point(2.569, -5.676), Point(4.972, -4.972), Point(10.431, -1.215)
ALPHAS = np.linspace(0.0005, 0.9995, 1000)


def best_at(found, alpha):
    return {name for s in found.stretches if s.low <= alpha <= s.high for name in s.models}


def test_the_papers_hull_leaves_the_second_model_out():
    found = find_hull({"m1": M1, "m2": M2, "m3": M3})
    assert found.discarded == ("m2",)
    assert [s.models for s in found.stretches] == [("m1",), ("m3",)]
    assert found.stretches[0].high == pytest.approx(0.637994, abs=1e-6)


@pytest.mark.parametrize(
    ("first", "second", "alpha"),
    [(M1, M2, 0.7734148697), (M1, M3, 0.6379939950), (M2, M3, 0.5923394097)],
)
def test_models_tie_where_the_paper_says(first, second, alpha):
    assert find_crossings(first.line, second.line) == pytest.approx([alpha])
    assert first.cost(alpha) == pytest.approx(second.cost(alpha), abs=1e-8)


def test_the_third_model_is_best_where_too_little_costs_four_times():
    costs = {"m1": M1.cost(0.8), "m2": M2.cost(0.8), "m3": M3.cost(0.8)}
    assert costs == pytest.approx({"m1": 10.1092, "m2": 9.944, "m3": 6.1164})


def test_the_hull_of_random_points_is_the_best_at_every_alpha():
    random = np.random.default_rng(4)
    for _ in range(30):
        sides = random.exponential(1, (8, 2)).round(1)
        models = {f"m{k}": Point(over, -under) for k, (over, under) in enumerate(sides)}
        found = find_hull(models)
        for alpha in ALPHAS:
            costs = {name: point.cost(alpha) for name, point in models.items()}
            best = {name for name, c in costs.items() if c <= min(costs.values()) + 1e-9}
            assert best_at(found, alpha) & best
        assert set(found.discarded) | {n for s in found.stretches for n in s.models} == set(models)


def test_the_hull_of_curves_is_the_best_at_every_alpha():
    weight, random = uneven(60), np.random.default_rng(5)
    y = smooth_rows().y.values
    models = {
        "sharp below": Amounts(y, y + np.minimum(random.normal(size=60), 0)),
        "sharp above": Amounts(y, y + np.maximum(random.normal(size=60), 0)),
        "even": Amounts(y, y + random.normal(size=60) / 2),
    }
    found = lower_envelope({n: minimal_cost_line(rows, weight) for n, rows in models.items()})
    costs = {
        n: minimal_costs(rows, Batch.from_weights(weight), ALPHAS)[0] for n, rows in models.items()
    }
    least = np.min(list(costs.values()), axis=0)
    for k, alpha in enumerate(ALPHAS):
        assert any(costs[name][k] <= least[k] + 1e-9 for name in best_at(found, alpha))
    borders = np.array([stretch.high for stretch in found.stretches[:-1]])
    at_borders = [minimal_costs(r, Batch.from_weights(weight), borders)[0] for r in models.values()]
    assert np.diff(np.sort(at_borders, axis=0)[:2], axis=0) == pytest.approx(0, abs=1e-12)
    assert len(borders) > 0
    assert found.stretches[0].low == 0
    assert found.stretches[-1].high == 1


def test_equal_models_share_a_stretch():
    found = find_hull({"a": M1, "b": M1})
    assert [s.models for s in found.stretches] == [("a", "b")]
    assert found.discarded == ()


def test_an_undefined_model_is_discarded():
    found = find_hull({"a": M1, "b": Point(np.nan, np.nan)})
    assert found.discarded == ("b",)


def test_no_model_gives_no_hull():
    assert find_hull({}).stretches == ()


def test_one_model_may_be_best_on_both_sides_of_another():
    outer = (np.array([0.0, 0.5, 1.0]), np.array([0.0, 2.0, 0.0]))
    inner = (np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    found = lower_envelope({"outer": outer, "inner": inner})
    assert [(s.models, s.low, s.high) for s in found.stretches] == [
        (("outer",), 0.0, 0.25),
        (("inner",), 0.25, 0.75),
        (("outer",), 0.75, 1.0),
    ]


def test_a_touch_is_no_crossing():
    bent = (np.array([0.0, 0.5, 1.0]), np.array([2.0, 1.0, 2.0]))
    assert len(find_crossings(bent, (np.array([0.0, 1.0]), np.array([1.0, 1.0])))) == 0


def test_dominance_needs_both_sides():
    assert is_dominating(Point(1, -1), Point(2, -1))
    assert not is_dominating(Point(1, -1), Point(1, -1))
    assert not is_dominating(M1, M3)


def test_the_isometric_through_the_third_model_is_the_papers():
    slope, intercept = isometric_line(0.8, M3.cost(0.8))
    assert (slope, intercept) == pytest.approx((0.25, -3.82275))
    assert slope * M3.over + intercept == pytest.approx(M3.under)
    assert isometric_line(0, 1.0) == (np.inf, -np.inf)
    assert isometric_line(1, 1.0) == (0, -0.5)


def test_a_hybrid_meets_its_target_and_ties_at_the_segments_own_alpha():
    share = mix_models(M1, M3, bias=0.0)
    assert share * M1.bias + (1 - share) * M3.bias == pytest.approx(0)
    mixed = Point(
        share * M1.over + (1 - share) * M3.over, share * M1.under + (1 - share) * M3.under
    )
    alpha = float(find_crossings(M1.line, M3.line)[0])
    assert mixed.cost(alpha) == pytest.approx(M1.cost(alpha))
    assert mix_models(M1, M3, over=2.569) == 1
    assert np.isnan(mix_models(M1, M3, over=20.0))


def test_a_hybrid_without_a_target_is_refused():
    with pytest.raises(ValueError, match="over or bias"):
        mix_models(M1, M3)
