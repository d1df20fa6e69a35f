"""The sentences of page one."""

from __future__ import annotations

from dataclasses import replace

from reportgen.report.wording.names import (
    capitalize,
    capitalize_label,
    clean_name,
    lower_first_word,
)
from reportgen.report.wording.numbers import (
    choose_declared_format,
    choose_format,
    format_level,
    format_size,
)
from reportgen.results.core import DatasetInfo, GateResult, MetricInfo
from reportgen.results.types import FEWEST, Lacking


def describe_too_few(lacks: Lacking) -> str:
    """Say that there are too few of these for a verdict.

    >>> describe_too_few("folds")
    'under 3 folds no verdict is given'
    """
    of: Lacking = lacks or "queries"
    return f"under {FEWEST[of]} {of} no verdict is given"


def describe_gate_numbers(finding: GateResult, unit: str = "") -> str:
    """The number a gate judged, its interval and its bound; for a difference, its margin."""
    if finding.value is None:
        return "the number does not exist"
    is_difference = finding.is_of_difference
    size = finding.bound or 0.0
    apart = (0.0, size, -size) if is_difference else (finding.bound,)
    form = choose_format(finding.value, finding.low, finding.high, unit, apart)
    said = form.amount(finding.value, signed=is_difference)
    said = f"difference {said}" if is_difference else said
    if finding.low is not None or finding.high is not None:
        interval = form.interval(finding.low, finding.high, signed=is_difference)
        said += f" ({format_level(finding.level)} interval {interval})"
    if finding.bound is None:
        return said
    form = choose_declared_format(finding.bound, unit)
    if is_difference:
        return f"{said}, margin {format_size(form, finding.bound)}"
    return f"{said} against a bound of {form.amount(finding.bound)}"


def describe_gate(finding: GateResult, unit: str = "") -> str:
    """A gate's reason: its own, or else the evidence."""
    return finding.reason or describe_gate_numbers(finding, unit)


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
