"""The files that a report carries: its results, its config, its tables, what it rests on."""

from __future__ import annotations

from reportgen import archive
from reportgen.config import as_yaml
from reportgen.document import Document
from reportgen.evidence import evidence
from reportgen.outputs import RESULTS, TABLES
from reportgen.render.attachment import Attachment
from reportgen.render.tables import tables
from reportgen.results import Results


def carried_files(report: Document, results: Results) -> tuple[Attachment, ...]:
    """All but the results, which name the other files and so come last."""
    config = as_yaml(results.config).encode()
    return (
        Attachment("config", f"{TABLES}/config.yaml", config, "The config with every default"),
        Attachment("evidence", f"{TABLES}/evidence.json", evidence(results),
                   "Versions, the command, each input with its hash"),
        *tables(report, results),
    )  # fmt: skip


def results_file(results: Results) -> Attachment:
    """results.json, byte for byte as it is written."""
    return Attachment("results", RESULTS, archive.to_json(results), "Every number")
