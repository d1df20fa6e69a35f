"""The figures of scores by class and of losses of rows: a panel a model, its points, its words."""

from dataclasses import replace

from reportgen.report.document import Figure, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.results import Results
from reportgen.results.core import ClassInfo
from tests.worked import results_of


def figure(results: Results, name: str) -> Figure:
    blocks = (
        b for section in build_document(results).sections for b in iter_unfolded(section.blocks)
    )
    return next(b for b in blocks if isinstance(b, Figure) and b.id.startswith(name))


def test_each_model_has_a_panel_of_both_classes_with_its_own_operating_points() -> None:
    results = results_of("churn")
    drawn = figure(results, "score-density-curve")
    assert [panel.title for panel in drawn.panels] == [m.label for m in results.models]
    for panel, model in zip(drawn.panels, results.models, strict=True):
        negatives, positives = panel.series
        assert (negatives.role, negatives.label) == ("reference", "")
        shares = {c.curve: c.y for c in results.curves if c.model == model.name}
        assert positives.y == shares["score_density"]
        assert negatives.y == shares["score_density_of_negatives"]
        own = {
            p.name: p.threshold if p.threshold is not None else p.lowest_flagged
            for p in results.points
            if p.model == model.name
        }
        assert {line.label: line.x[0] for line in panel.references} == own
    assert drawn.panels[0].references != drawn.panels[1].references


def test_points_at_one_score_share_a_line() -> None:
    results = results_of("churn")
    points = tuple(replace(p, threshold=0.5) for p in results.points)
    drawn = figure(replace(results, points=points), "score-density-curve")
    assert [len(panel.references) for panel in drawn.panels] == [1, 1, 1]
    named = "call list, half, break-even, best F1, 80% found"
    assert drawn.panels[0].references[0].label == named


def test_the_caption_names_the_classes_and_the_table_tells_of_both() -> None:
    results = results_of("churn")
    named = (ClassInfo("0", "stayed", 941), ClassInfo("1", "left", 159))
    first = replace(results.datasets[0], classes=named)
    drawn = figure(replace(results, datasets=(first, *results.datasets[1:])), "score-density-curve")
    assert "Outlined: left; grey areas: stayed." in drawn.caption
    assert drawn.table is not None
    assert {row[0].text for row in drawn.table.rows} >= {"Random forest", "Random forest, stayed"}


def test_the_costliest_rows_are_marks_on_the_line_of_their_own_model() -> None:
    results = results_of("churn")
    drawn = figure(results, "row-log-loss-curve")
    for panel, model in zip(drawn.panels, results.models, strict=True):
        marks, line = panel.series
        assert marks.has_markers and not marks.has_line and marks.role == line.role
        [own] = [c for c in results.curves if (c.curve, c.model) == ("costliest_rows", model.name)]
        assert marks.x == own.x and len(own.x) == 10
    assert "falls on the costliest 1% of customers" in drawn.caption
