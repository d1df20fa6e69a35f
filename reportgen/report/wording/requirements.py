"""Gates in words: what is required, and by how much it is met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from reportgen.report.wording.answers import metric_phrase
from reportgen.report.wording.names import (
    ROWS,
    Case,
    capitalize_label,
    capitalize_sentence,
    clean_name,
)
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_declared_format,
    choose_declared_precision,
    choose_format,
    format_size,
)
from reportgen.results.core import DatasetInfo, Finding, MetricInfo
from reportgen.results.types import GateStatus, Number

_MORE = 2  # decimals of a bound beyond those that the interval allows
STATUS: Mapping[GateStatus, str] = MappingProxyType(
    {"pass": "met", "fail": "not met", "inconclusive": "not shown", "skipped": "skipped"}
)


def describe_gate_requirement(
    gate: Finding,
    metric: MetricInfo,
    names: tuple[str, str],
    where: str,
    *,
    is_named: bool,
    case: Case = ROWS,
) -> str:
    """Describe what a gate asks, as a heading; `case` are the nouns for rows."""
    m, b = (clean_name(each, 40) for each in names)
    on, bound, size = (
        metric_phrase(metric),
        _format_bound(gate.bound, metric),
        _show_size(gate.bound, metric),
    )
    of = f" of {m}" if is_named else ""
    said = {
        "below": f"{'size of ' * (metric.better == 'zero')}{on}{of} below {bound}",
        "above": f"{on}{of} above {bound}",
        "better": f"{m} better than {b} on {on}{f' by more than {size}' if gate.bound else ''}",
        "non_inferior": f"{m} not worse than {b} on {on} by {size} or more",
        "no_regression": f"no evidence that {m} is worse than {b} on {on}"
        f"{f' by more than {size}' if gate.bound else ''}",
        "not_worse_than_previous": f"{on}{of} not worse than in the last run by more than {size}",
        "few_harmed": f"{m} loses more than {_show_size(gate.drop, metric)} on {on} against {b} in "
        f"fewer than {_format_share(gate.bound)} of the {clean_name(case[1])}",
    }.get(gate.rule, clean_name(gate.name))
    return capitalize_sentence(said, (m, b, capitalize_label(metric))) + (
        f" ({where})" if where else ""
    )


def describe_slack(
    gate: Finding,
    metric: MetricInfo,
    limit: Number,
    needs: Number,
    slack: Number,
    fewest: int | None = None,
) -> str:
    """The limit that decides, what it needs to be, and by how much it is met or missed.

    With no fewer decimals than the same comparison has elsewhere on the page.
    """
    called = f" (“{clean_name(gate.name, 40)}”)"
    if limit is None or needs is None or slack is None:
        return f"{gate.reason or 'no number'}{called}"
    is_difference = gate.is_of_difference
    form = _build_form(gate, metric, (limit, needs, slack), fewest)
    has_limits = gate.low is not None or gate.high is not None
    end = f"{_end_of(gate, metric, limit)} limit" if has_limits else "value"
    shown = form.amount(limit, signed=True) if is_difference else form.amount(limit)
    size = format_size(form, abs(slack))
    by = "met by" if slack > 0 else "missed by"
    if gate.status == "fail" and gate.rule != "no_regression" and _is_nearer(gate, metric, limit):
        size += " or more"
    if is_difference:
        against = (form if needs else replace(form, decimals=0)).amount(needs, signed=True)
        needed = f"needs {_way(gate, metric)} {against}"
        return f"{end} of this comparison alone {shown}, {needed}; {by} {size}{called}"
    return f"{end} {shown}; {by} {size}{called}"


def _is_nearer(gate: Finding, metric: MetricInfo, limit: float) -> bool:
    """Tell whether a limit is the better end of an interval.

    The other end is missed by more then.
    """
    is_up = metric.better == "higher" if gate.is_of_difference else gate.rule == "above"
    return _end_of(gate, metric, limit) == ("upper" if is_up else "lower")


def _end_of(gate: Finding, metric: MetricInfo, limit: float) -> str:
    """Return which end of the interval a limit is, of a size too: that has its own."""
    if gate.low == gate.high:
        return "upper"
    if metric.better == "zero" and not gate.is_of_difference:
        sizes = sorted(abs(x) for x in (gate.low, gate.high) if x is not None)
        return "upper" if limit == sizes[-1] else "lower"
    return "upper" if limit == gate.high else "lower"


def format_segment(dataset: DatasetInfo, segment: str | None) -> str:
    """A segment as the report calls it: `Repeat customers`, or its column and value."""
    info = next((s for s in dataset.segments if s.segment == segment), None)
    if info is None or not (info.label or info.value_label):
        return clean_name((segment or "").replace("=", ": ", 1), 40)
    value = clean_name(info.value_label or info.value, 40)
    if info.value_label and dataset.case != ("row", "rows"):
        return f"{value} {clean_name(dataset.case[1])}"
    return f"{clean_name(info.label or info.column, 40)}: {value}"


def _way(gate: Finding, metric: MetricInfo) -> str:
    return "more than" if metric.better == "higher" else "less than"


def _build_form(
    gate: Finding, metric: MetricInfo, decisive: tuple[float, float, float], fewest: int | None
) -> NumberFormat:
    """Decimals at which the limit and what it needs to be subtract to the slack, which shows."""
    limit, needs, slack = decisive
    bounds = () if gate.is_of_difference else metric.bounds
    plain = choose_format(gate.value, gate.low, gate.high, metric.unit, (needs, 0.0, *bounds))
    plain = plain if fewest is None else plain.raise_decimals(fewest)
    scale = 100.0 if metric.unit == "share" else 1.0
    declared = choose_declared_precision(needs, metric.unit).decimals
    # As many as the bound was declared with; a share of the baseline's value has no such number.
    least = declared if plain.decimals < declared <= plain.decimals + _MORE else plain.decimals
    for decimals in range(least, plain.decimals + 4):
        printed = (round(scale * x, decimals) for x in (limit, needs, slack))
        end, bound, rest = printed
        are_seen = rest and (end or not limit) and (bound or not needs)
        if are_seen and abs(abs(end - bound) - abs(rest)) < 10.0**-decimals / 2:
            return NumberFormat(decimals, metric.unit)
    return NumberFormat(least, metric.unit)


def _format_share(share: Number) -> str:
    return "–" if share is None else choose_declared_precision(share, "share").number(share)


def _format_bound(bound: Number, metric: MetricInfo) -> str:
    return "–" if bound is None else choose_declared_format(bound, metric.unit).amount(bound)


def _show_size(bound: Number, metric: MetricInfo) -> str:
    return "–" if bound is None else format_size(choose_declared_format(bound, metric.unit), bound)
