"""curves.csv: the points of every curve."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from reportgen.report.document import Document
from reportgen.report.render.outputs import escape_formula
from reportgen.results import Results
from reportgen.results.curves import CurveResult
from reportgen.results.types import Number

_HEADER = ("dataset", "curve", "parameters", "model", "baseline", "x", "y", "low", "high", "base")


def render(document: Document, results: Results, *_: object) -> bytes:
    """Render the file, with an empty field for what does not exist."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    for curve in results.curves:
        writer.writerows(_iter_points(curve))
    return text.getvalue().encode()


def _iter_points(curve: CurveResult) -> Iterator[tuple[str, ...]]:
    params = " ".join(f"{key}={value}" for key, value in curve.params.items())
    names = (curve.dataset, curve.curve, params, curve.model, curve.baseline or "")
    head = tuple(map(escape_formula, names))
    for k, (x, y) in enumerate(zip(curve.x, curve.y, strict=True)):
        bounds_of_curve = (curve.low, curve.high, curve.base)
        ends = (bounds[k] if k < len(bounds) else None for bounds in bounds_of_curve)
        place = escape_formula(curve.x_labels[k]) if k < len(curve.x_labels) else _format_number(x)
        yield (*head, place, _format_number(y), *map(_format_number, ends))


def _format_number(value: Number) -> str:
    return "" if value is None else repr(value)
