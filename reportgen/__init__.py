"""Compare models from one YAML file, and get a report with a verdict.

>>> import reportgen
>>> report = reportgen.run("wallet.yaml")  # doctest: +SKIP
>>> report.comparisons  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from reportgen.errors import (
    ConfigError,
    DatabaseError,
    DataError,
    OutputError,
    ReportgenError,
    UsageError,
)
from reportgen.version import __version__

if TYPE_CHECKING:
    from reportgen import metrics
    from reportgen.metrics.metric import rowwise, whole
    from reportgen.metrics.statistic import bucket_statistic
    from reportgen.notebook.comparison import Comparison, compare
    from reportgen.notebook.report import Report, run

__all__ = [
    "Comparison",
    "ConfigError",
    "DataError",
    "DatabaseError",
    "OutputError",
    "Report",
    "ReportgenError",
    "UsageError",
    "__version__",
    "bucket_statistic",
    "compare",
    "metrics",
    "rowwise",
    "run",
    "whole",
]


def __getattr__(name: str) -> Any:
    """Import what is heavy only when it is asked for: `reportgen --help` has to be quick."""
    if name in ("Comparison", "Report", "compare", "run"):
        module = "comparison" if name in ("Comparison", "compare") else "report"
        return getattr(import_module(f"reportgen.notebook.{module}"), name)
    if name in ("bucket_statistic", "metrics", "rowwise", "whole"):
        metrics = import_module("reportgen.metrics")
        return metrics if name == "metrics" else getattr(metrics, name)
    raise AttributeError(f"module 'reportgen' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, and nothing else."""
    return sorted(__all__)
