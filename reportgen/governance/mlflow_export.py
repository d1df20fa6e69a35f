"""Log a finished report as a run of MLflow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from reportgen.errors import OutputError, UsageError
from reportgen.governance.run_diff import load_run
from reportgen.governance.verification import iter_discrepancies, read_manifest
from reportgen.results import Results
from reportgen.terms import MANIFEST, VOUCHING
from reportgen.version import describe_missing_package

LONGEST_TAG = 250  # letters of a name that every store takes


def log_report(folder: Path, run_id: str | None) -> str:
    """Log a report's files, in a run of its own or one that exists; return the run's id.

    Only files that the manifest lists leave the folder, and only if they are as it says.
    """
    results = load_run(folder).results
    files = _list_verified_files(folder)
    mlflow = _import_mlflow()
    try:
        with mlflow.start_run(run_id=run_id) as run:
            mlflow.log_metrics(dict(iter_mlflow_metrics(results)))
            mlflow.set_tags(build_mlflow_tags(results, folder))
            for name in files:
                mlflow.log_artifact(str(folder / name), str(PurePosixPath("report", name).parent))
            return str(run.info.run_id)
    except Exception as error:  # whatever a tracking server says
        raise OutputError(f"MLflow: {error}") from None


def iter_mlflow_metrics(results: Results) -> Iterator[tuple[str, float]]:
    """Each value on all rows, and its limits, by names that MLflow takes.

    A store of files keeps a metric as one, so that nothing may stand below a name with a value.
    """
    for e in results.estimates:
        if e.segment is not None:
            continue
        name = "/".join(map(clean_mlflow_name, (e.dataset, e.model, e.key)))
        for end, value in (("", e.value), (".low", e.low), (".high", e.high)):
            if value is not None:
                yield f"{name}{end}", value


def build_mlflow_tags(results: Results, folder: Path) -> dict[str, str]:
    """Build tags of the verdict, the number of failed gates, and the manifest's digest if any."""
    tags = {
        "reportgen.status": results.report.status,
        "reportgen.gates_failed": str(sum(gate.is_failure for gate in results.gates)),
    }
    if results.conclusion is not None:
        tags["reportgen.verdict"] = results.conclusion.answer
    manifest = folder / MANIFEST
    if manifest.is_file():
        tags["reportgen.manifest_sha256"] = sha256(manifest.read_bytes()).hexdigest()
    return tags


def clean_mlflow_name(text: str) -> str:
    """Return a name made only of letters, digits and `_-. :`.

    >>> clean_mlflow_name("regression_auc(ties=half)"), clean_mlflow_name("Größe/2")
    ('regression_auc.ties-half', 'Gr__e_2')
    """
    plain = text.replace("(", ".").replace(")", "").replace("=", "-").replace(", ", ".")
    return re.sub(r"[^A-Za-z0-9_\-. :]", "_", plain)[:LONGEST_TAG]


def _list_verified_files(folder: Path) -> tuple[str, ...]:
    """Return the names of the manifest's files; raise UsageError if one is not as it says."""
    manifest = read_manifest(folder)
    for problem in iter_discrepancies(folder, manifest):
        raise UsageError(
            f"{folder / problem.path}: {problem.what}; run the config again, then log it"
        )
    return (*sorted(manifest.outputs), *VOUCHING)


def _import_mlflow() -> Any:
    try:
        return import_module("mlflow")
    except ImportError:
        lacking = describe_missing_package("log-mlflow", "mlflow-skinny", "mlflow")
        raise UsageError(lacking) from None
