"""What the config demands, held against intervals: each gate passes, fails or stays open.

`below` and `above` rest on the interval of the estimate itself (or on its value, if the config
says `on: value`); the other rules on the interval of the paired difference from the baseline.
A gate fails on evidence, never because the evidence is thin: then it is inconclusive, and the
config says what that counts as. How a number was computed is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from reportgen import wording
from reportgen.results import Comparison, Estimate, Finding, GateStatus, Number, Results

Rule = Literal["below", "above", "better", "non_inferior", "no_regression"]


@dataclass(frozen=True)
class Demand:
    """One gate of the config, its names resolved: `bound` is the value or margin it holds to."""

    name: str
    rule: Rule
    dataset: str
    segment: str | None
    key: str
    model: str
    against: str | None
    bound: float
    on: Literal["interval", "value"]
    inconclusive: Literal["pass", "warn", "fail"]


def judge(demands: Iterable[Demand], results: Results) -> tuple[Finding, ...]:
    """Every gate's finding, in the order of the config."""
    return tuple(
        _judge_level(demand, _estimate(demand, results))
        if demand.rule in ("below", "above")
        else _judge_difference(demand, _comparison(demand, results))
        for demand in demands
    )


def _judge_level(demand: Demand, found: Estimate) -> Finding:
    if found.status != "ok":
        return _open(demand, found, found.reason)
    low, high = (found.value, found.value) if demand.on == "value" else (found.low, found.high)
    status = _side(low, high, demand.bound)
    if demand.rule == "below" and status != "inconclusive":
        status = "fail" if status == "pass" else "pass"
    return _finding(demand, found, status, wording.gate_level(demand, found, status))


def _judge_difference(demand: Demand, found: Comparison) -> Finding:
    if found.status != "ok":
        return _open(demand, found, found.reason)
    low, high = good_side(found)
    status: GateStatus
    match demand.rule:
        case "better":
            status = _side(low, high, demand.bound)
        case "non_inferior":
            status = _side(low, high, -demand.bound)
        case _:  # no_regression asks for evidence of harm, and passes without it
            status = "fail" if high is not None and high < -demand.bound else "pass"
    return _finding(demand, found, status, wording.gate_difference(demand, found, status))


def good_side(comparison: Comparison) -> tuple[Number, Number]:
    """The interval of the difference, turned so that more is better."""
    low, high = comparison.low, comparison.high
    if comparison.better == "higher" or low is None or high is None:
        return low, high
    return -high, -low


def _side(low: Number, high: Number, bound: float) -> GateStatus:
    """Pass where the whole interval lies above the bound, fail where it lies below or on it."""
    if low is None or high is None:
        return "inconclusive"
    if low > bound:
        return "pass"
    return "fail" if high <= bound else "inconclusive"


def _open(demand: Demand, found: Estimate | Comparison, why: str) -> Finding:
    return _finding(demand, found, "inconclusive", why)


def _finding(
    demand: Demand, found: Estimate | Comparison, status: GateStatus, reason: str
) -> Finding:
    return Finding(
        name=demand.name,
        status=status,
        reason=reason,
        rule=demand.rule,
        dataset=demand.dataset,
        segment=demand.segment,
        key=demand.key,
        metric=found.metric,
        model=demand.model,
        against=demand.against,
        bound=demand.bound,
        value=found.value if isinstance(found, Estimate) else found.difference,
        low=found.low,
        high=found.high,
        level=found.level,
        inconclusive=demand.inconclusive,
    )


def _estimate(demand: Demand, results: Results) -> Estimate:
    return next(
        e
        for e in results.estimates
        if (e.dataset, e.segment, e.key, e.model)
        == (demand.dataset, demand.segment, demand.key, demand.model)
    )


def _comparison(demand: Demand, results: Results) -> Comparison:
    return next(
        c
        for c in results.comparisons
        if (c.dataset, c.segment, c.key, c.candidate, c.baseline)
        == (demand.dataset, demand.segment, demand.key, demand.model, demand.against)
    )
