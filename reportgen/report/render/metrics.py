"""metrics.json: each value with its interval, for DVC."""

from __future__ import annotations

import json

from reportgen.report.document import Document
from reportgen.results import Results
from reportgen.text import escape_json


def render(document: Document, results: Results, *_: object) -> bytes:
    """Render the file, with null for a value that does not exist."""
    values: dict[str, dict[str, dict[str, dict[str, float | None]]]] = {}
    for e in results.estimates:
        if e.segment is None:
            of_model = values.setdefault(e.dataset, {}).setdefault(e.model, {})
            of_model[e.key] = {"value": e.value, "low": e.low, "high": e.high}
    return (escape_json(json.dumps(values, indent=1, ensure_ascii=False)) + "\n").encode()
