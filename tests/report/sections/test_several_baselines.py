"""Differences from several baselines: no two of them under one name in one panel."""

from dataclasses import replace

from reportgen.report.document import Figure, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.results.core import ModelInfo
from tests.report.sections.results_factory import ranking, wallet

RFM = ModelInfo("rfm", "RFM", "candidate", "amount")


def differences(*pairs):
    """The figure of the ranking curve's differences between these models."""
    found = wallet()
    models = (*found.models, RFM)
    curves = tuple(
        replace(ranking(name, (1.0, -1.0)), baseline=baseline) for name, baseline in pairs
    )
    results = replace(found, models=models, curves=(*found.curves, *curves))
    figures = [
        b
        for s in build_document(results).sections
        for b in iter_unfolded(s.blocks)
        if isinstance(b, Figure)
    ]
    return next(f for f in figures if f.panels[0].y.label.startswith("difference in"))


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
