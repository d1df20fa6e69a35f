"""Predicted beside observed, group by group of the score."""

from dataclasses import replace

from reportgen.report.sections.curves.deciles import build_decile_figure
from reportgen.report.sections.index import Index
from tests.report.sections import results_factory as made

BUCKETS = 10


def calibration(model, predicted, observed, **more):
    curve = made.ranking(model, observed)
    low, high = (tuple(y + by for y in observed) for by in (-1.0, 1.0))
    return replace(
        curve,
        curve="bucket_calibration",
        params={"buckets": len(observed)},
        x=predicted,
        low=low,
        high=high,
        y_unit="$",
        **more,
    )


def curves(observed=None):
    seen = observed or tuple(float(10 * k) for k in range(1, BUCKETS + 1))
    return tuple(
        calibration(model, tuple(y + by for y in seen), seen)
        for model, by in (("clv", 0.5), ("boost", 20.0))
    )


def drawn(found, results=None):
    return build_decile_figure(Index(results or made.wallet()), found)


def test_each_model_has_a_panel_with_the_top_group_on_top():
    figure = drawn(curves())
    assert [panel.title for panel in figure.panels] == ["CLV", "Gradient boosting"]
    assert figure.panels[0].y.ticks[0] == (1.0, "top 10%")
    assert figure.panels[0].y.ticks[-1] == (10.0, "bottom 10%")
    observed, predicted = figure.panels[1].series
    top = observed.y.index(1.0)
    assert (observed.x[top], predicted.x[top]) == (100.0, 120.0)
    assert set(predicted.marks) == {"open"} and observed.texts[top] == "+20.00"


def test_the_title_says_by_how_much_the_model_asked_about_is_wrong_at_the_top():
    assert drawn(curves()).title == (
        "Gradient boosting overpredicts its top decile by 20% ($120.00 against $100.00)"
    )


def test_zeros_need_a_strip_only_on_a_logarithmic_axis():
    near = tuple(float(50 + k) for k in range(BUCKETS))
    assert drawn(curves(near)).panels[0].x.scale == "linear"
    long = (0.0, 0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 500.0)
    axis = drawn(curves(long)).panels[0].x
    assert (axis.scale, axis.has_zero) == ("log", True)
    assert drawn(curves((-5.0, *long[1:]))).panels[0].x.scale == "linear"


def test_a_model_that_only_orders_is_named_as_left_out():
    figure = drawn(curves()[:1])
    assert "Gradient boosting only ranks, so it is left out." in figure.caption
    assert drawn(()) is None


def test_what_a_segment_or_finer_buckets_show_is_not_mixed_in():
    fine = calibration("clv", tuple(map(float, range(20))), tuple(map(float, range(20))))
    slices = replace(curves()[0], segment="repeat")
    figure = drawn((*curves(), fine, slices))
    assert {len(panel.y.ticks) for panel in figure.panels} == {10}
    assert len(figure.panels) == 2
