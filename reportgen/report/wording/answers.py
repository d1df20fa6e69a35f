"""The sentences of page one."""

from __future__ import annotations

from dataclasses import replace

from reportgen.report.wording.names import (
    capitalize,
    capitalize_label,
    clean_name,
    lower_first_word,
)
from reportgen.results.core import DatasetInfo, MetricInfo


def metric_phrase(metric: MetricInfo) -> str:
    """Return what page one calls a metric inside a sentence."""
    return (
        clean_name(metric.phrase) if metric.phrase else lower_first_word(clean_name(metric.label))
    )


def metric_heading(metric: MetricInfo) -> str:
    """Return what page one calls a metric at the start of a line: a name stays as it is written."""
    return capitalize(clean_name(metric.phrase)) if metric.phrase else capitalize_label(metric)


def use_case_unit(metric: MetricInfo, dataset: DatasetInfo) -> MetricInfo:
    """The metric with the noun of the dataset's rows in its unit, where it is one per case."""
    noun = dataset.case[0]
    return replace(metric, unit=metric.unit.replace(" per case", f" per {clean_name(noun)}"))
