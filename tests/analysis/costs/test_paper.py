"""The paper's ten rows through the program, from configs/rroc-paper.yaml to tables and page.

Hernández-Orallo (2013), "ROC curves for regression", Examples 1 to 4 and the figures around them.
"""

from contextlib import ExitStack
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from reportgen.analysis.run import analyze_dataset
from reportgen.planning.loading import load_config
from reportgen.planning.plan import build_analysis_plan
from reportgen.planning.requests import read_data
from reportgen.planning.result_assembly import assemble_results
from reportgen.report.document import Figure, Table, iter_unfolded
from reportgen.report.sections.costs.costs import build_costs_section

CONFIG = Path(__file__).parents[3] / "configs" / "rroc-paper.yaml"


@pytest.fixture(scope="module")
def results():
    with ExitStack() as stack:
        loaded = load_config(CONFIG, ("bootstrap.replicates=39",), False, stack)
        data = read_data(loaded)
        asked = build_analysis_plan(loaded.config, data[0].sample, data[1].sample)
        return assemble_results(loaded, data, [analyze_dataset(asked), None], {}, (), {})


@pytest.fixture(scope="module")
def costs(results):
    (found,) = results.costs
    return found


def value(results, model, key):
    return next(e.value for e in results.estimates if (e.model, e.key) == (model, key))


@pytest.mark.parametrize(
    ("model", "over", "under", "mae", "area"),
    [
        ("m1", 2.569, -5.676, 0.8245, 56.1387),
        ("m2", 4.972, -4.972, 0.9944, 88.0933),
        ("m3", 10.431, -1.215, 1.1646, 63.9295),
        ("m4", 3.404, -4.776, 0.8180, 53.279638),
    ],
)
def test_sums_errors_and_areas_are_the_papers(results, model, over, under, mae, area):
    assert value(results, model, "over") == pytest.approx(over)
    assert value(results, model, "under") == pytest.approx(under)
    assert value(results, model, "mae") == pytest.approx(mae)
    assert value(results, model, "aoc") == pytest.approx(area, abs=5e-5)


def test_the_area_is_half_the_variance_in_the_table_that_splits_the_error(costs):
    for each in costs.decompositions:
        assert each.mse.value == pytest.approx(each.bias.value**2 + each.variance.value)
        assert each.aoc.value == pytest.approx(each.variance.value / 2)
    first = costs.decompositions[0]
    assert (first.mse.value, first.variance.value) == pytest.approx((1.2193081, 1.12277361))


def test_at_four_to_one_the_third_model_is_best_as_it_is(costs):
    made = next(d for d in costs.decisions if (d.asymmetry, d.shift) == (0.8, "none"))
    assert made.best == "m3"
    expected = {"m1": 1.01092, "m2": 0.9944, "m3": 0.61164, "m4": 0.90032}
    assert {each.model: each.cost.value for each in made.models} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("alpha", "model", "cost", "constant"),
    [
        (0.25, "m1", 5.5145, -0.387),
        (0.5, "m1", 8.245, -0.035),  # of −0.035 to 0.091 the end nearest zero
        (0.8, "m1", 7.1852, 1.078),
        (0.8, "m2", 5.824, 0.895),
        (0.8, "m4", 5.4672, 1.504),
        (0.25, "m3", 7.593, -1.507),
    ],
)
def test_best_constants_and_their_losses_are_the_papers(costs, alpha, model, cost, constant):
    made = next(d for d in costs.decisions if (d.asymmetry, d.shift) == (alpha, "optimal"))
    own = next(each for each in made.models if each.model == model)
    assert own.cost.value == pytest.approx(cost / 10)
    assert own.constant.value == pytest.approx(constant)


@pytest.mark.parametrize(
    ("first", "second", "alpha"),
    [("m1", "m2", 0.7734148697), ("m1", "m3", 0.637993995), ("m2", "m3", 0.5923394097)],
)
def test_models_tie_where_the_paper_says(costs, first, second, alpha):
    ties = [
        crossing.asymmetry
        for crossing in costs.crossings
        if (crossing.shift, crossing.first, crossing.second) == ("none", first, second)
    ]
    assert ties == [pytest.approx(alpha)]


def test_the_hull_discards_the_second_model(costs):
    on_hull = {point.name: point.is_on_hull for point in costs.points if point.kind == "model"}
    assert on_hull == {"m1": True, "m2": False, "m3": True, "m4": True}


def test_no_band_is_drawn_where_ten_rows_bear_none(results):
    shifted = [c for c in results.curves if c.curve == "cost" and c.params["shift"] == "optimal"]
    inner = [b for c in shifted for b in c.band_low[1:-1]]
    assert inner and set(inner) == {None}
    assert all(b is None for c in results.curves if c.curve == "rroc" for b in c.band_low)


def test_the_page_shows_space_curves_and_cost_space_and_decides_in_words(results):
    made = build_costs_section(results)
    assert made is not None
    figures = [b for b in iter_unfolded(made.blocks) if isinstance(b, Figure)]
    assert sorted(f.id.rsplit("-", 1)[0] for f in figures) == sorted(
        [
            "rroc",
            "rroc",
            "cost",
            "rroc-curve",
            "rroc-curve",
            "cost-curve",
            "cost-curve",
            "cost-curve",
            "cost-curve",
            "error-density-curve",
        ]
    )
    assert any(
        isinstance(b, Table) and b.id == "costs-decision" for b in iter_unfolded(made.blocks)
    )
    title = "m1, m3 and m4 are each the cheapest for some cost ratio; m2 is for none"
    assert next(f for f in figures if f.id == "rroc-space").title == title


def test_figure_12_has_a_constant_a_cubic_and_a_cubic_with_alpha(results):
    paths = {
        c.params["method"]: c for c in results.curves if (c.curve, c.model) == ("rroc_path", "m1")
    }
    assert set(paths) == {"none", "optimal", "polynomial", "surface"}
    assert {paths[way].params["degree"] for way in ("polynomial", "surface")} == {3}
    alphas = np.linspace(0.05, 0.95, 19)
    cost = {
        way: 2 * (1 - alphas) * np.array(p.x) - 2 * alphas * np.array(p.y)
        for way, p in paths.items()
        if way != "none"
    }
    assert np.all(cost["polynomial"] <= cost["optimal"] + 1e-9)  # it has the constants within
    assert np.mean(cost["polynomial"]) < np.mean(cost["surface"]) < np.mean(cost["optimal"])


def test_the_first_model_leaves_its_curve_by_a_cubic(costs):
    """At 0.8: 7.1852 with its best constant; the linear programme of ten rows, by its vertices."""
    wanted = (0.8, "m1", "polynomial")
    bent = next(s for s in costs.shifts if (s.asymmetry, s.model, s.method) == wanted)
    assert bent.cost.value == pytest.approx(least_of_vertices(0.8), rel=1e-9)


def least_of_vertices(alpha, degree=3):
    """The least Lin-Lin loss of m1 among all cubics through four of the ten rows, from the file."""
    text = (CONFIG.parent / "data" / "rroc-paper.csv").read_text(encoding="utf-8")
    y, score = np.loadtxt(text.splitlines(), delimiter=",", skiprows=1, usecols=(1, 2)).T
    powers, need = np.vander(score, degree + 1), y - score
    losses = []
    for rows in map(list, combinations(range(10), degree + 1)):
        left = need - powers @ np.linalg.solve(powers[rows], need[rows])
        losses.append(np.mean(2 * np.where(left > 0, alpha * left, (alpha - 1) * left)))
    return min(losses)


def test_what_is_fitted_and_judged_on_the_same_rows_is_told(results, costs):
    told = {w.code for w in results.warnings}
    assert told & {"W115", "W116", "W117"} == {"W115", "W116"}
    assert {made.shift for made in costs.decisions} == {"none", "optimal"}


def test_constants_beyond_the_window_of_the_space_are_placed_by_its_caption(results):
    figures = [
        b for b in iter_unfolded(build_costs_section(results).blocks) if isinstance(b, Figure)
    ]
    space = next(f for f in figures if "broken line is the hull" in f.caption)
    text = (CONFIG.parent / "data" / "rroc-paper.csv").read_text(encoding="utf-8")
    y = np.loadtxt(text.splitlines(), delimiter=",", skiprows=1, usecols=1)
    for name, constant in (("mean", y.mean()), ("median", np.median(y)), ("zero", 0.0)):
        over, under = (
            np.mean(np.clip(constant - y, 0, None)),
            np.mean(np.clip(y - constant, 0, None)),
        )
        assert f"{name} at ({over:.2f}, −{under:.2f})" in space.caption
    words = [text for series in space.panels[0].series for text in series.texts]
    assert not any("mean" in text or "zero" in text for text in words)
