"""Over which asymmetries an answer holds, and where two models cross."""

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.costs.rroc_plane import compute_random_order_point
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.bands import simultaneous_band
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.losses.rroc_geometry import Point, find_hull, minimal_costs
from reportgen.metrics.rows import Amounts
from tests.analysis.costs.asking import analysis, asked, curves

MANY = 400
PRICES = CostModel((0.8,))


def crossing_models(n=MANY, seed=0):
    """One says too little, one too much, of the same spread: they cross at one half."""
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 10.0, n)
    noise = draw.standard_normal((2, n))
    return y, {"low": y - 3 + noise[0], "high": y + 3 + noise[1]}


def of_shift(found, shift="none"):
    return [each for each in found if each.shift == shift]


def test_the_crossing_lies_in_its_interval_with_a_cheaper_model_on_each_side():
    (found,) = of_shift(analysis(*crossing_models()).crossings)
    assert found.low < found.asymmetry < found.high
    assert found.asymmetry == pytest.approx(0.5, abs=0.05)
    assert (found.cheaper_below, found.cheaper_above) == ("low", "high")


def test_a_dominated_model_is_dearer_at_every_asymmetry():
    draw = np.random.default_rng(2)
    y = draw.gamma(2.0, 10.0, MANY)
    scores = {"sharp": y + draw.standard_normal(MANY), "blunt": y + 9 * draw.standard_normal(MANY)}
    found = analysis(y, scores)
    (crossing,) = of_shift(found.crossings)
    assert crossing.asymmetry is crossing.low is crossing.high is None
    assert crossing.cheaper_below == crossing.cheaper_above == "sharp"
    (held,) = of_shift(found.ranges)
    assert (held.verdict, held.low, held.high) == ("dearer", 0.0, 1.0)
    assert found.points[1].dominated_by == "sharp"


def test_models_alike_are_told_apart_nowhere():
    draw = np.random.default_rng(5)
    y = draw.gamma(2.0, 10.0, MANY)
    a, b = y + 5 * draw.standard_normal((2, MANY))
    pieces = of_shift(analysis(y, {"a": a, "b": b}).crossings)
    assert pieces
    assert all((p.low, p.high) == (p.judged_low, p.judged_high) for p in pieces)


def test_ranges_cover_the_axis_without_a_gap():
    found = of_shift(analysis(*crossing_models()).ranges)
    assert [each.verdict for each in found] == ["dearer", "undetermined", "cheaper"]
    assert found[0].low == 0 and found[-1].high == 1
    assert [each.high for each in found[:-1]] == [each.low for each in found[1:]]


def test_the_simultaneous_range_is_no_wider_than_the_pointwise_crossing_allows():
    found = analysis(*crossing_models())
    (crossing,) = of_shift(found.crossings)
    open_ = next(each for each in of_shift(found.ranges) if each.verdict == "undetermined")
    assert open_.low <= crossing.low and open_.high >= crossing.high


def test_with_constants_only_alphas_with_ten_rows_on_either_side_are_judged():
    (first, *_) = of_shift(analysis(*crossing_models()).crossings, "optimal")
    assert first.judged_low >= 10 / MANY - 1e-9 and first.judged_high <= 1 - 10 / MANY + 1e-9


def test_the_hull_of_the_table_is_the_best_of_all_at_every_alpha():
    draw = np.random.default_rng(6)
    y = draw.gamma(2.0, 10.0, 60)
    scores = {
        f"m{k}": y + draw.normal(0, 4) + draw.gamma(1, 4) * draw.standard_normal(60)
        for k in range(6)
    }
    found = analysis(y, scores)
    alphas = np.linspace(0.001, 0.999, 997)
    over = {m: np.maximum(s - y, 0).mean() for m, s in scores.items()}
    under = {m: np.minimum(s - y, 0).mean() for m, s in scores.items()}
    costs = np.array([2 * (1 - alphas) * over[m] - 2 * alphas * under[m] for m in scores])
    best = {list(scores)[k] for k in np.argmin(costs, axis=0)}
    assert {point.name for point in found.points if point.is_on_hull} == best
    for cheapest in of_shift(found.envelope):
        inside = (alphas > cheapest.low + 1e-9) & (alphas < cheapest.high - 1e-9)
        place = list(scores).index(cheapest.model)
        assert np.all(costs[place, inside] <= costs[:, inside].min(axis=0) + 1e-9)


def test_the_isometric_touches_the_cheapest_model_and_costs_the_same_all_along():
    y, scores = crossing_models()
    drawn = curves(y, scores, CostModel((0.3, 0.8)))
    regions = [c for c in drawn if c.curve == "rroc_region"]
    points = {c.model: Point(c.marks["over"], c.marks["under"]) for c in regions}
    for line in (c for c in drawn if c.curve == "rroc_isometric"):
        alpha = line.params["alpha"]
        least = min(p.cost(alpha) for p in points.values())
        for x, y_ in zip(line.x, line.y, strict=True):
            assert Point(x, y_).cost(alpha) == pytest.approx(least, rel=1e-8)
    assert len(find_hull(points).stretches) == 2


def test_a_region_holds_its_share_of_the_replicates_of_a_point():
    y, scores = crossing_models()
    region = next(c for c in curves(y, scores) if c.curve == "rroc_region" and c.model == "low")
    error = scores["low"] - y
    over, under = np.maximum(error, 0), np.minimum(error, 0)
    se = np.std(over) / np.sqrt(MANY), np.std(under) / np.sqrt(MANY)
    reach = np.sqrt(-2 * np.log(0.05))
    assert max(region.x) - over.mean() == pytest.approx(reach * se[0], rel=0.15)
    assert max(region.y) - under.mean() == pytest.approx(reach * se[1], rel=0.15)


def test_the_hull_of_curves_is_above_every_curve():
    y, scores = crossing_models()
    drawn = curves(y, scores)
    found = next(c for c in drawn if c.curve == "rroc_hull")
    constant = next(c for c in drawn if c.curve == "rroc_constant")
    inside = [
        (x, u)
        for x, u in zip(constant.x, constant.y, strict=True)
        if found.x[0] <= x <= found.x[-1]
    ]
    above = np.interp([x for x, _ in inside], found.x, found.y)
    assert np.all(above >= np.array([u for _, u in inside]) - 1e-9)


def test_the_band_of_the_rroc_curve_holds_the_whole_true_curve():
    # The band is that of the minimal cost over α, so all of it is held where all costs are.
    draw = np.random.default_rng(0)
    true = np.sort(draw.standard_normal(40_001))
    curve, alphas = CURVES["cost"].use(shift="optimal"), np.linspace(0, 1, 101)
    error = Amounts(np.zeros(len(true)), true)
    truth = minimal_costs(error, Batch.from_weights(np.ones(len(true))), alphas)[0]
    held = 0
    for run in range(120):
        rows = Amounts(np.zeros(200), np.random.default_rng([5, run]).standard_normal(200))
        bound = curve.bind(rows, np.ones(200))
        drawn = np.concatenate([bound(Design("run", 200, 256, run).batch(k)) for k in range(4)])
        band = simultaneous_band(
            bound(Batch.from_weights(np.ones(200)))[0],
            drawn,
            0.95,
            bound.count_thinner_rows(np.ones(200)),
        )
        known = np.isfinite(band.low)
        inside = (band.low <= truth + 1e-12) & (truth - 1e-12 <= band.high)
        held += bool(np.all(inside[known]))
    # 93% is asked for; three standard errors of 120 runs below it would be a failure.
    assert held / 120 >= 0.93 - 3 * np.sqrt(0.07 * 0.93 / 120)


def test_the_band_that_is_drawn_is_the_one_that_the_ranges_are_read_from():
    draw = np.random.default_rng(5)
    y = draw.gamma(2.0, 10.0, 200)
    models = {f"m{k}": y + (3 + k) * draw.standard_normal(200) + 2 * k for k in range(4)}
    question = asked(y, models, PRICES)
    answer = analyze_dataset(change_plan(question, curves=(PRICES.over_alpha("none"),)))
    ranges = of_shift(answer.costs[0].ranges)
    shown = [c for c in answer.curves if c.curve == "cost" and c.baseline]
    assert sorted((c.model, c.params["shift"]) for c in shown) == sorted(
        (model, shift) for model in list(models)[1:] for shift in ("none", "optimal")
    )
    assert {c.method for c in shown} == {"sup-t of all pairs"}
    for curve in (c for c in shown if c.params["shift"] == "none"):
        for x, low, high in zip(curve.x, curve.band_low, curve.band_high, strict=True):
            said = next(
                each.verdict
                for each in ranges
                if each.candidate == curve.model and each.low <= x <= each.high
            )
            assert said == ("dearer" if low > 0 else "cheaper" if high < 0 else "undetermined")


def test_the_band_of_one_pair_is_wider_where_others_are_compared_too():
    draw = np.random.default_rng(6)
    y = draw.gamma(2.0, 10.0, 200)
    models = {f"m{k}": y + 3 * draw.standard_normal(200) for k in range(5)}
    widths = []
    for names in (("m0", "m1"), tuple(models)):
        question = asked(y, {m: models[m] for m in names}, PRICES)
        found = analyze_dataset(question).curves
        curve = next(c for c in found if c.curve == "cost" and c.model == "m1" and c.baseline)
        widths.append(curve.band_high[50] - curve.band_low[50])
    assert widths[1] > 1.02 * widths[0]


@pytest.mark.parametrize("power", [1, 2])
def test_the_random_order_is_the_mean_over_all_pairs_of_a_score_and_a_row(power):
    draw = np.random.default_rng(4)
    y, score, weight = (
        1000 + draw.gamma(2.0, 3.0, 40).round(),
        1000 + 9 * draw.random(40),
        draw.random(40),
    )
    error = score[None, :] - y[:, None]
    mass = np.outer(weight, weight) / weight.sum() ** 2
    found = compute_random_order_point(Amounts(y, score), weight, power)
    assert found.over == pytest.approx((mass * np.maximum(error, 0) ** power).sum(), rel=1e-10)
    assert found.under == pytest.approx(-(mass * np.maximum(-error, 0) ** power).sum(), rel=1e-10)


def test_the_table_places_each_model_in_random_order_beside_the_constants():
    y, scores = crossing_models()
    points = {p.name: p for p in analysis(y, scores).points if p.kind == "random order"}
    assert set(points) == set(scores)
    for name, point in points.items():
        error = scores[name][None, :] - y[:, None]
        assert point.over.value == pytest.approx(np.maximum(error, 0).mean())
        assert point.under.value == pytest.approx(-np.maximum(-error, 0).mean())
        assert point.bias.value == pytest.approx((scores[name] - y).mean())
        assert point.dominated_by in scores
