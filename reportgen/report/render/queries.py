"""queries.csv: the value of each query."""

from __future__ import annotations

from reportgen.report.document import Document
from reportgen.report.render.outputs import build_csv
from reportgen.results import Results

_HEADER = ("dataset", "query", "measure", "model", "value")


def render(document: Document, results: Results, *_: object) -> bytes:
    """Render the file, with an empty field for a value that a measure leaves out."""
    rows = (
        (kept.dataset, name, kept.key, kept.model, value)
        for kept in results.sensitivity.row_values
        for name, value in zip(kept.ids, kept.values, strict=True)
    )
    return build_csv((_HEADER, *rows))
