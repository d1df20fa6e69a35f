"""Gates as page one prints them: what is required, which limit decides, and by how much."""

from __future__ import annotations

from dataclasses import replace

from reportgen import wording
from reportgen.results import Finding, MetricInfo, Number, rounded
from reportgen.results.conclusion import Requirement
from reportgen.results.literals import Lacking
from reportgen.selection import Selection
from reportgen.wording.requirements import required, slack_text

_BELOW = ("below", "few_harmed")


def requirements(found: Selection) -> tuple[Requirement, ...]:
    """Every gate, those that fail the run first, then those not shown, in the config's order."""
    order = {"fail": 0, "inconclusive": 1, "pass": 2, "skipped": 3}
    gates = sorted(found.results.gates, key=lambda g: (not g.is_failure, order.get(g.status, 1)))
    return tuple(_requirement(found, gate) for gate in gates)


def _requirement(found: Selection, gate: Finding) -> Requirement:
    metric = wording.per_case(
        next(m for m in found.results.metrics if m.key == gate.key), found.datasets[gate.dataset]
    )
    limit, needs, slack = _slack(gate, metric)
    lacks = _lacks(found, gate) if gate.status == "inconclusive" else ""
    if lacks:
        limit, needs, slack = None, None, None
    labels = (found.label(gate.model), "" if gate.against is None else found.label(gate.against))
    where = _where(found, gate)
    named = len(found.candidates) > 1 or found.baseline is None or gate.model == gate.against
    return Requirement(
        name=required(gate, metric, labels, where, is_named=named, case=found.main.case),
        status=gate.status,
        is_failure=gate.is_failure,
        key=gate.key,
        limit=limit,
        needs=needs,
        slack=slack,
        text=slack_text(
            replace(gate, reason=wording.under_fewest(lacks)) if lacks else gate,
            _of_value(gate, metric),
            limit,
            needs,
            slack,
        ),
    )


def _lacks(found: Selection, gate: Finding) -> Lacking:
    """What there are too few of for a gate to rest on."""
    place, results = (gate.dataset, gate.segment, gate.key), found.results
    pair = {gate.model, gate.against}
    of_pairs = [c for c in results.comparisons if {c.candidate, c.baseline} == pair]
    of_values = [e for e in results.estimates if e.model == gate.model]
    asked = of_values if gate.against is None else of_pairs
    return next((e.lacks for e in asked if e.lacks and (e.dataset, e.segment, e.key) == place), "")


def _of_value(gate: Finding, metric: MetricInfo) -> MetricInfo:
    """The metric with the unit of what the gate judges, which may be a share of the rows."""
    return metric if gate.drop is None else replace(metric, unit="share", better="lower")


def _where(found: Selection, gate: Finding) -> str:
    """The segment or the dataset of a gate, where it is not all rows of the main one."""
    dataset = found.datasets[gate.dataset]
    parts = [wording.segment_name(dataset, gate.segment)] if gate.segment else []
    parts += [wording.name(gate.dataset, 40)] if dataset is not found.main else []
    return ", ".join(parts)


def _slack(gate: Finding, metric: MetricInfo) -> tuple[Number, Number, Number]:
    """The limit that decides, what it is held against, and how far it is on the right side.

    One that is met or open hangs on the worse end of the interval, one that is not met on the
    better end, which is on the wrong side too.
    """
    low, high, bound = gate.low, gate.high, gate.bound
    if gate.rule == "not_worse_than_previous":
        return None, None, None  # its reason says it
    if gate.status == "inconclusive" and low is None and high is None and gate.reason:
        return None, None, None  # there is no interval to hold against it, and its reason says why
    if low is None and high is None and not gate.is_of_difference and gate.value is not None:
        low = high = gate.value  # the gate is on the value
    if gate.value is None or bound is None or (low is None and high is None):
        return None, None, None
    if not gate.is_of_difference:
        if metric.better == "zero" and low is not None and high is not None:
            low, high = max(low, -high, 0.0), max(high, -low)
        worse, better = (high, low) if gate.rule in _BELOW else (low, high)
        sign = -1.0 if gate.rule in _BELOW else 1.0
        is_beyond = better is not None and sign * (better - bound) <= 0
        limit = better if gate.status == "fail" and is_beyond else worse
        return limit, bound, None if limit is None else rounded(sign * (limit - bound))
    return _of_difference(gate, metric, bound)


def _of_difference(
    gate: Finding, metric: MetricInfo, bound: float
) -> tuple[Number, Number, Number]:
    """As `_slack`, of a difference: what is better may be above zero or below."""
    is_up = metric.better == "higher"
    worst, best = (gate.low, gate.high) if is_up else (gate.high, gate.low)
    limit = best if gate.rule == "no_regression" or gate.status == "fail" else worst
    needs = bound if gate.rule == "better" else -bound
    needs = needs if is_up else -needs
    if limit is None:
        return None, None, None
    slack = limit - needs if is_up else needs - limit
    return limit, rounded(needs), rounded(slack)
