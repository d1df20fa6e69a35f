"""queries.csv: the value of each query."""

from __future__ import annotations

import csv
import io

from reportgen.report.document import Document
from reportgen.report.render.outputs import escape_formula
from reportgen.results import Results

_HEADER = ("dataset", "query", "measure", "model", "value")


def render(document: Document, results: Results, *_: object) -> bytes:
    """Render the file, with an empty field for a value that a measure leaves out."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    for kept in results.sensitivity.row_values:
        for name, value in zip(kept.ids, kept.values, strict=True):
            said = "" if value is None else repr(value)
            writer.writerow((kept.dataset, escape_formula(name), kept.key, kept.model, said))
    return text.getvalue().encode()
