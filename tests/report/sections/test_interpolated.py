"""Interpolated precision on the page: a panel a model, the area in words, and as numbers."""

from dataclasses import replace

import pytest

from reportgen.analysis.curves import iter_curve_infos
from reportgen.metrics.curves import CURVES
from reportgen.report.document import Figure, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.render.curves import render as as_csv
from reportgen.report.render.outputs import list_table_files
from reportgen.report.render.plain import draw_svg
from reportgen.report.render.theme import Theme
from tests.worked import results_of

CURVE = CURVES["interpolated_precision_recall"]


@pytest.fixture(scope="module")
def told():
    churn = results_of("churn")
    one = next(c for c in churn.curves if c.curve == "roc" and not c.baseline)
    bare = replace(one, curve=CURVE.name, low=(), high=(), band_low=(), band_high=())
    own = [
        replace(
            bare,
            model=model,
            x=(0.0, 0.5, 0.5, 1.0),
            y=(0.9, 0.9, 0.4, 0.4),
            base=(low, low, 0.4, 0.4),
            marks={"raw": low / 2 + 0.2, "added": 0.45 - low / 2},
        )
        for model, low in (("logistic", 0.7), ("forest", 0.8995), ("boosted", 0.9))
    ]
    return replace(churn, curves=tuple(own), curve_infos=tuple(iter_curve_infos([CURVE])))


@pytest.fixture(scope="module")
def figure(told):
    blocks = (b for section in build_document(told).sections for b in iter_unfolded(section.blocks))
    return next(b for b in blocks if isinstance(b, Figure) and b.id.startswith("interpolated"))


def test_the_title_and_each_panel_say_what_interpolation_adds(figure):
    assert figure.title == (
        "Interpolation adds 0.100 to the area under the precision–recall curve for "
        "Logistic regression, "
        "less than 0.001 for Random forest and nothing for Gradient boosting"
    )
    assert [(panel.title, panel.y.label) for panel in figure.panels] == [
        ("Logistic regression", "precision (+0.100)"),
        ("Random forest", "precision (<0.001)"),
        ("Gradient boosting", "precision (+0)"),
    ]
    assert "(average precision): 0.550 for Logistic regression" in figure.caption


def test_the_area_is_shaded_and_the_raw_line_is_drawn(figure):
    assert figure.panels[0].series[0].base == (0.7, 0.7, 0.4, 0.4)
    bare = replace(
        figure,
        panels=tuple(
            replace(p, series=tuple(replace(s, base=()) for s in p.series)) for p in figure.panels
        ),
    )
    shaded, plain = (draw_svg(each, Theme()) for each in (figure, bare))
    assert shaded.count("opacity=") == plain.count("opacity=") + 3
    assert (
        shaded.count('fill="none" stroke=') == plain.count('fill="none" stroke=') + 2
    )  # two differ


def test_tables_have_the_raw_value_beside_the_interpolated_one(told, figure):
    assert figure.table.caption == "Precision, with the raw value."
    notes = [cell.note for cell in figure.table.rows[0]]
    assert notes == [
        "",
        "raw 70%",
        "raw 89.95%",
        "raw 90.0%",
    ]
    found = next(
        each for each in list_table_files(build_document(told), told) if "interpolated" in each.path
    )
    assert found.content.decode().splitlines()[:2] == [
        "panel,series,x,y,base",
        "Logistic regression,Logistic regression,0.0,0.9,0.7",
    ]
    lines = as_csv(build_document(told), told, Theme()).decode().splitlines()
    assert lines[1] == "test,interpolated_precision_recall,,logistic,,0.0,0.9,,,0.7"


def test_a_curve_without_a_value_says_why(told):
    none = tuple(
        replace(c, y=(None,) * 4, base=(), marks={}, status="undefined", reason=CURVE.undefined)
        for c in told.curves
    )
    [section] = [
        s for s in build_document(replace(told, curves=none)).sections if "Curves" in str(s)
    ]
    assert "undefined for every model where no row is positive." in str(section)
