"""Axes of amounts of money, and which way is better on an axis."""

from dataclasses import replace

import pytest

from reportgen.metrics.curves import CURVES
from reportgen.report.document import Axis, Figure, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.sections.index import format_money_axis
from reportgen.results.curves import CurveInfo
from tests.worked import results_of


@pytest.fixture(scope="module")
def wallet():
    return results_of("wallet")


def figures_of(results):
    return {
        block.id: block
        for section in build_document(results).sections
        for block in iter_unfolded(section.blocks)
        if isinstance(block, Figure)
    }


@pytest.mark.parametrize(
    ("axis", "unit", "expected"),
    [
        (Axis("mean spend, $"), "$", Axis("mean spend", unit="$")),
        (
            Axis("difference in MAE, $; better →"),
            "$",
            Axis("difference in MAE; better →", unit="$"),
        ),
        (Axis("mean spend, EUR"), "EUR", Axis("mean spend, EUR")),
        (Axis("share", unit="share"), "$", Axis("share", unit="share")),
        (Axis("", ticks=((1.0, "CLV"),)), "$", Axis("", ticks=((1.0, "CLV"),))),
    ],
)
def test_a_currency_sign_stands_at_the_numbers_and_not_after_the_label(axis, unit, expected):
    assert format_money_axis(axis, unit) == expected


def test_axes_of_money_have_the_currency_and_others_have_not(wallet):
    figures = figures_of(wallet)
    errors = next(f for k, f in figures.items() if k.startswith("error-by-rank")).panels[0]
    assert (errors.x.unit, errors.y.unit) == ("share", "$")
    assert errors.y.label == "score minus spend in nine months"
    plane = next(f for k, f in figures.items() if k.startswith("rroc-curve")).panels[0]
    assert (plane.x.unit, plane.y.unit) == ("$", "$")
    ranks = next(f for k, f in figures.items() if k.startswith("rank-lift")).panels[0]
    assert (ranks.x.unit, ranks.y.unit) == ("share", "share")
    left = [panel.x.label for f in figures.values() for panel in f.panels if panel.x.unit == "$"]
    assert left and not any("$" in label for label in left)


def test_where_lower_is_better_the_axis_says_so_and_differences_are_turned(wallet):
    figures = figures_of(wallet)
    values, differences = (figures[f"cost-curve-{k}"].panels[0].y for k in (2, 3))
    assert values.label == "mean cost of errors per customer (Lin-Lin); better ↓"
    assert not values.is_reversed
    said = "difference in mean cost of errors per customer; better ↑"
    assert differences.label == said and differences.is_reversed
    turned = tuple(
        replace(info, is_better_below=False) if info.curve == "cost" else info
        for info in wallet.curve_infos
    )
    plain = figures_of(replace(wallet, curve_infos=turned))
    assert "better" not in plain["cost-curve-2"].panels[0].y.label
    assert not plain["cost-curve-3"].panels[0].y.is_reversed


def test_the_murphy_diagram_says_that_better_is_below():
    assert CURVES["murphy"].presentation.is_better_below
    assert not CURVES["gain"].presentation.is_better_below
    assert CurveInfo("mine").is_better_below is False


def test_differences_are_counted_as_better_and_worse_where_lower_is_better():
    title = figures_of(results_of("ranking-in-regression"))["cost-curve-3"].title
    assert title.endswith("Score 1 is worse at all 83 points and Score 2 is worse at all 83 points")


def test_an_axis_of_errors_is_logarithmic_only_where_some_are_far_larger(wallet):
    def errors_of(results):
        found = figures_of(results)
        return next(f for k, f in found.items() if k.startswith("error-by-rank"))

    even = replace(
        wallet,
        curves=tuple(
            replace(c, y=tuple(None if v is None else 5.0 for v in c.y))
            if c.curve == "error_by_rank"
            else c
            for c in wallet.curves
        ),
    )
    for results, scale in ((wallet, "symlog"), (even, "linear")):
        figure = errors_of(results)
        assert figure.panels[0].y.scale == scale
        assert ("logarithmic on both sides" in figure.caption) == (scale == "symlog")


def test_the_axis_of_segments_ends_before_an_interval_that_is_far_wider(wallet):
    def widen_first(times):
        """Make the first interval on segments so many times as wide, of every metric and model."""
        drawn = [c for c in wallet.comparisons if c.segment and c.low is not None]
        first = {(c.key, c.candidate): c for c in reversed(drawn)}

        def widen(c):
            if c is not first.get((c.key, c.candidate)):
                return c
            half = times * (c.high - c.low) / 2
            return replace(c, low=c.difference - half, high=c.difference + half)

        return replace(wallet, comparisons=tuple(map(widen, wallet.comparisons)))

    whole, cut = (figures_of(widen_first(times))["segments-forest-1"] for times in (1, 1000))
    assert whole.panels[0].x.low is None and "arrow" not in whole.caption
    assert "An arrow marks an interval that goes on beyond the axis." in cut.caption
    for panel in cut.panels:
        (series,) = panel.series
        is_past = [low < panel.x.low for low in series.low]
        assert is_past.count(True) == 1
        assert is_past == [high > panel.x.high for high in series.high]
