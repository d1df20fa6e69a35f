"""Costs over the ratio of what errors cost, and how far the top of a ranking is off."""

from dataclasses import replace

import pytest

from reportgen.report.document import iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.sections.costs import figures
from reportgen.report.sections.curves.curves import make_capture_extra
from reportgen.report.sections.index import Index
from reportgen.results.costs import CostRange
from tests.report.sections import results_factory as made
from tests.worked import results_of


def cost(y=(0.0, 1.0), x=(0.0, 1.0), loss="linlin"):
    curve = made.ranking("boost", (0.0, 1.0))
    return replace(
        curve,
        curve="cost",
        params={"loss": loss, "shift": "none"},
        x=x,
        y=y,
        low=y,
        high=y,
        band_low=(),
        band_high=(),
        x_unit="share",
    )


def test_a_curve_of_costs_runs_over_ratios_from_1_to_10_to_10_to_1():
    turned = figures.convert_to_ratios(cost(x=(0.0, 0.5, 1.0), y=(0.0, 0.5, 1.0)))
    assert turned.x == pytest.approx((0.1, 1.0, 10.0))
    assert turned.y == pytest.approx((1 / 11, 0.5, 10 / 11))
    assert turned.band_low == ()


def test_a_place_that_does_not_exist_is_no_point_at_the_ends_either():
    turned = figures.convert_to_ratios(cost(x=(0.0, 0.5, 1.0), y=(None, 0.5, 1.0)))
    assert turned.y[0] is None and turned.y[1] == 0.5


def test_an_exponential_loss_keeps_its_own_axis():
    curve = cost(loss="linexp")
    assert figures.convert_to_ratios(curve) is curve


def test_what_is_not_shown_of_the_model_asked_about_is_a_strip():
    found = [
        CostRange("none", "boost", "clv", "dearer", 0.0, 0.5),
        CostRange("none", "boost", "clv", "undetermined", 0.5, 0.8),
        CostRange("none", "boost", "clv", "cheaper", 0.8, 1.0),
        CostRange("none", "boost", "clv", "undetermined", 0.99, 1.0),
    ]
    (strip,) = figures.list_open_ranges(Index(made.wallet()), [cost()], found)
    assert (strip.low, strip.high) == pytest.approx((1.0, 4.0))


def test_errors_at_the_top_are_the_title_where_they_are_means_of_bins():
    errors = replace(
        cost(y=(1.0, -2.0, 3.0, 9.0), x=(0.1, 0.4, 0.6, 0.9)),
        curve="error_by_rank",
        params={"bins": 4},
        low=(0.0, -3.0, 2.0, 5.0),
        high=(2.0, -1.0, 4.0, 13.0),
        y_unit="$",
    )
    title = make_capture_extra(Index(made.wallet())).title
    most = "Gradient boosting overpredicts its top 25% by $9.00 ($5.00 to $13.00)"
    assert title([errors]) == most
    assert title([replace(errors, params={"bins": 25})]) == ""


def test_savings_are_drawn_above_and_a_figure_says_how_its_costs_are_scaled():
    sections = build_document(results_of("wallet-costs")).sections
    figures = [b for s in sections for b in iter_unfolded(s.blocks) if b.kind == "figure"]
    costs, differences = (f for f in figures if f.id in ("cost-curve-2", "cost-curve-3"))
    assert not costs.panels[0].y.is_reversed
    assert differences.panels[0].y.is_reversed
    assert differences.panels[0].y.label.endswith("; better ↑")
    for figure in (costs, differences):
        assert (
            "together cost $2 at every ratio. Multiply by 2.5 for the declared costs"
            in figure.caption
        )
    assert costs.title.startswith("By estimated cost, the cheapest is")
