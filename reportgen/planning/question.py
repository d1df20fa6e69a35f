"""Plan what a report decides, and about which model."""

from __future__ import annotations

from reportgen.config.schema.config import Config
from reportgen.results.question import ReportQuestion, settle_question


def plan_question(config: Config) -> ReportQuestion:
    """Plan the question: as the config declares it, or by its models."""
    report = config.report
    return settle_question(report.decision, report.about, config.baseline, list_candidates(config))


def list_candidates(config: Config) -> list[str]:
    """List the models that may be recommended: neither the baseline nor a benchmark."""
    return [name for name, model in config.models.items() if model.role == "candidate"]
