"""Precision over recall at every cut-off, on lines of equal value."""

from __future__ import annotations

import pytest

from reportgen.report.document import Figure, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.sections.curves.curves import (
    LEVELS,
    compute_equal_ap_precision,
    compute_equal_f_precision,
    compute_equal_fap_precision,
)
from tests.worked import results_of


def value_of(kind: object, p: float, r: float) -> float:
    f, ap = 2 * p * r / (p + r), p * r
    return {
        compute_equal_f_precision: f,
        compute_equal_ap_precision: ap,
        compute_equal_fap_precision: 2 * f * ap / (f + ap),
    }[kind]  # type: ignore[index]


@pytest.fixture(scope="module")
def plane() -> Figure:
    found = [
        b for s in build_document(results_of("see-also")).sections for b in iter_unfolded(s.blocks)
    ]
    [figure] = [b for b in found if isinstance(b, Figure) and b.id == "precision-recall-plane"]
    return figure


def test_every_point_of_a_line_has_its_value(plane: Figure) -> None:
    for panel, kind in zip(
        plane.panels,
        (compute_equal_f_precision, compute_equal_ap_precision, compute_equal_fap_precision),
        strict=True,
    ):
        for line, level in zip(panel.references, LEVELS, strict=True):
            assert line.label == f"{level:g}" and line.y[0] == pytest.approx(1)
            assert line.x[-1] == 1 and max(line.x) <= 1 and max(line.y) <= 1 + 1e-12
            for r, p in zip(line.x, line.y, strict=True):
                assert value_of(kind, p, r) == pytest.approx(level, rel=1e-12)


def test_each_model_has_its_curve_and_marks_at_the_cut_offs_of_the_metrics(plane: Figure) -> None:
    results = results_of("see-also")
    curves = {(c.curve, c.model): c for c in results.curves if c.baseline is None}
    for model, line, marked in zip(
        results.models, plane.panels[0].series[::2], plane.panels[0].series[1::2], strict=True
    ):
        recall, precision = (curves[name, model.name] for name in ("recall_at_k", "precision_at_k"))
        assert (line.x, line.y) == (recall.y, precision.y) and marked.has_markers
        known = [x for x, at in zip(recall.x, marked.x, strict=True) if at is not None]
        assert known == [5, 10, 20, 50]
