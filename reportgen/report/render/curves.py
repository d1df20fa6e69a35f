"""curves.csv: the points of every curve."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.report.document import Document
from reportgen.report.render.outputs import Value, build_csv
from reportgen.results import Results
from reportgen.results.curves import CurveResult

_HEADER = ("dataset", "curve", "parameters", "model", "baseline", "x", "y", "low", "high", "base")


def render(document: Document, results: Results, *_: object) -> bytes:
    """Render the file, with an empty field for what does not exist."""
    points = (point for curve in results.curves for point in _iter_points(curve))
    return build_csv((_HEADER, *points))


def _iter_points(curve: CurveResult) -> Iterator[tuple[Value, ...]]:
    params = " ".join(f"{key}={value}" for key, value in curve.params.items())
    names = (curve.dataset, curve.curve, params, curve.model, curve.baseline)
    for k, (x, y) in enumerate(zip(curve.x, curve.y, strict=True)):
        bounds_of_curve = (curve.low, curve.high, curve.base)
        ends = (bounds[k] if k < len(bounds) else None for bounds in bounds_of_curve)
        yield (*names, curve.x_labels[k] if k < len(curve.x_labels) else x, y, *ends)
