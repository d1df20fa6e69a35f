"""Differences from several baselines: no two of them under one name in one panel."""

from dataclasses import replace

from reportgen.report.document import Figure, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.sections.index import Index
from reportgen.report.sections.stability import build_stability_tables
from reportgen.results.core import ModelInfo, SegmentInfo
from reportgen.results.segments import GroupDifference, Stability
from tests.report.sections.results_factory import ranking, wallet

SIZES = {"a": 9, "b": 9, "c": 5, "d": 1}
RFM = ModelInfo("rfm", "RFM", "candidate", "amount")


def differences(*pairs):
    """The figure of the ranking curve's differences between these models."""
    found = wallet()
    models = (*found.models, RFM)
    curves = tuple(
        replace(ranking(name, (1.0, -1.0)), baseline=baseline) for name, baseline in pairs
    )
    results = replace(found, models=models, curves=(*found.curves, *curves))
    figures = list_figures(results)
    return next(f for f in figures if f.panels[0].y.label.startswith("difference in"))


def list_figures(results):
    sections = build_document(results).sections
    return [b for s in sections for b in iter_unfolded(s.blocks) if isinstance(b, Figure)]


def test_each_baseline_has_a_panel_the_reports_own_first():
    figure = differences(("rfm", "boost"), ("boost", "clv"), ("rfm", "clv"))
    drawn = {panel.title: [series.label for series in panel.series] for panel in figure.panels}
    assert drawn == {
        "against CLV": ["Gradient boosting", "RFM"],
        "against Gradient boosting": ["RFM"],
    }
    assert next(iter(drawn)) == "against CLV"


def test_the_title_tells_of_one_baseline_and_the_table_names_both_models():
    figure = differences(("rfm", "boost"), ("boost", "clv"), ("rfm", "clv"))
    assert "against CLV: Gradient boosting" in figure.title
    assert figure.title.count("RFM") == 1
    heads = " ".join(column.title for column in figure.table.columns)
    assert all(
        pair in heads
        for pair in ("RFM − Gradient boosting", "Gradient boosting − CLV", "RFM − CLV")
    )


def test_one_baseline_needs_no_panel_of_its_own():
    figure = differences(("boost", "clv"), ("rfm", "clv"))
    assert [panel.title for panel in figure.panels] == [""]


def test_curves_and_their_differences_name_both_models_and_the_title_tells_of_one_baseline():
    found = wallet()
    x = tuple(k / 40 for k in range(41))
    heights = replace(
        ranking("clv", x),
        curve="precision_recall",
        params={},
        x=x,
        x_unit="share",
        y_unit="share",
        marks={},
    )
    values = tuple(replace(heights, model=model) for model in ("clv", "boost", "rfm"))
    ahead, level = (
        replace(heights, band_low=(low,) * len(x), band_high=(0.2,) * len(x)) for low in (0.1, -0.1)
    )
    differences = (
        replace(ahead, model="boost", baseline="clv"),
        replace(ahead, model="rfm", baseline="clv"),
        replace(level, model="rfm", baseline="boost"),
    )
    results = replace(found, models=(*found.models, RFM), curves=(*values, *differences))
    (figure,) = [f for f in list_figures(results) if f.id.startswith("precision-recall")]
    names = {row[0].text for row in figure.table.rows}
    assert {
        "RFM − CLV, difference",
        "RFM − Gradient boosting, difference",
        "Gradient boosting − CLV, difference",
    } < names
    assert "RFM is higher" in figure.title


def test_each_baseline_has_a_table_of_whether_the_difference_is_the_same():
    found = wallet()
    groups = tuple(GroupDifference(name, 40, 0.1, 0.0, 0.2) for name in "ab")
    stability = tuple(
        Stability("holdout", "kendall", "boost", baseline, "shop", False, groups, left_out, 0.95, 1)
        for baseline, left_out in (("clv", 0), ("rfm", 3))
    )
    results = replace(found, models=(*found.models, RFM), stability=stability)
    index = Index(results)
    metric = index.find_metric("kendall")
    first, second = build_stability_tables(index, metric)
    assert (first.id, second.id) == ("stability", "stability-2")
    assert "from CLV" in first.caption and "from RFM" in second.caption
    assert first.rows[0][0].text == "Is the difference the same for both values of shop?"
    assert second.rows[0][0].text == "Is the difference the same for 2 of 5 values of shop?"


def test_a_segment_of_one_row_counts_as_left_out_though_the_analysis_has_none():
    found = wallet()
    groups = tuple(GroupDifference(name, 40, 0.1, 0.0, 0.2) for name in "ab")
    stability = Stability("holdout", "kendall", "boost", "clv", "shop", False, groups, 1, 0.95, 1)
    shops = tuple(SegmentInfo(f"shop={name}", "shop", name, n) for name, n in SIZES.items())
    main = replace(found.datasets[0], segments=shops)
    index = Index(replace(found, datasets=(main,), stability=(stability,)))
    (table,) = build_stability_tables(index, index.find_metric("kendall"))
    assert table.rows[0][0].text == "Is the difference the same for 2 of 4 values of shop?"
    assert "Left out: 2 with too few units each." in table.caption
