"""The figure of gain: curves to half of the rows, the share taken, differences in the file."""

from dataclasses import replace

import pytest

from reportgen.report.sections.curves.curves import make_capture_extra
from reportgen.report.sections.curves.figures import build_curve_figures
from reportgen.report.sections.index import Index
from tests.report.sections import results_factory as made

CAPTURE = made.metric(
    "topk_capture",
    "Capture",
    "higher",
    "share",
    "order",
    params={"share": 0.2, "k": None},
    bounds=(0.0, 1.0),
)
X = (0.0, 0.2, 0.5, 1.0)


def gain(model, y, baseline=None):
    curve = made.ranking(model, y)
    return replace(
        curve,
        curve="gain",
        params={},
        x=X,
        y=y,
        low=y,
        high=y,
        band_low=y,
        band_high=y,
        baseline=baseline,
        x_unit="share",
        y_unit="share",
    )


@pytest.fixture
def results():
    plain = made.wallet()
    capture = replace(CAPTURE, key="capture")
    return replace(
        plain,
        metrics=(*plain.metrics, capture),
        estimates=(
            *plain.estimates,
            made.estimate("clv", capture, 0.69, 0.67, 0.71),
            made.estimate("boost", capture, 0.685, 0.665, 0.705),
        ),
        comparisons=(
            *plain.comparisons,
            made.comparison(capture, -0.005, -0.014, 0.004, "cannot tell"),
        ),
        curves=(
            gain("clv", (0.0, 0.69, 0.85, 1.0)),
            gain("boost", (0.0, 0.685, 0.87, 1.0)),
            gain("boost", (0.0, -0.005, 0.02, 0.0), baseline="clv"),
        ),
    )


def drawn(results):
    index = Index(results)
    figure, *_ = build_curve_figures(index, ("ranking",), make_capture_extra(index))
    return figure


def panels(results):
    """The panel that is drawn, and the one of differences in the figure's file."""
    figure = drawn(results)
    assert figure.width == "half"
    return (*figure.panels, *figure.more_panels)


def test_the_difference_stands_in_the_file_on_the_same_axis(results):
    above, below = panels(results)
    assert below.title == "difference from CLV"
    assert (above.x.low, above.x.high) == (below.x.low, below.x.high) == (0.0, 0.5)
    assert below.y.label == "difference from CLV, points"
    assert (above.y.unit, below.y.unit) == ("share", "points")


def test_the_axes_reach_as_far_as_what_is_seen(results):
    above, below = panels(results)
    assert 0.87 < above.y.high < 0.95  # not the 1 at the far end
    assert 0.02 < below.y.high < 0.03 and -0.01 < below.y.low < -0.005


def test_the_share_of_the_campaign_is_a_line_with_its_values(results):
    above, below = panels(results)
    for panel in (above, below):
        assert any(reference.x == (0.2,) for reference in panel.references)
        assert panel.end_title == "at 20%"
    assert [series.note for series in above.series] == ["69.00%", "68.50%"]
    assert [series.note for series in below.series] == ["−0.50"]


def test_title_and_caption_quote_the_metric_and_the_interval_of_its_comparison(results):
    figure = drawn(results)
    assert figure.title == (
        "The 20% of rows ranked highest by CLV hold 69.00% of spend; by Gradient boosting 68.50%"
    )
    assert "Gradient boosting −0.50 points (−1.40 to +0.40)" in figure.caption


def test_without_a_metric_of_capture_the_title_says_what_is_drawn(results):
    bare = replace(results, metrics=results.metrics[:-1])
    figure = drawn(bare)
    assert figure.title == "How much of all spend the rows with the highest scores hold"
    assert not any(reference.x == (0.2,) for p in figure.panels for reference in p.references)
    assert {series.note for panel in figure.panels for series in panel.series} == {""}


def test_a_top_of_so_many_rows_is_their_share(results):
    counted = replace(results.metrics[-1], params={"share": None, "k": made.N // 10})
    figure = drawn(replace(results, metrics=(*results.metrics[:-1], counted)))
    assert figure.panels[0].end_title == "at 10%"


def test_a_model_alone_has_no_difference(results):
    alone = replace(results, curves=results.curves[:1])
    assert len(panels(alone)) == 1
