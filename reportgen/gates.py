"""What the config demands, held against intervals: each gate passes, fails or stays open.

`below` and `above` rest on the interval of the estimate itself (or on its value, if the config
says `on: value`), of its size where zero is best; the other rules on the interval of the paired
difference from the baseline. A gate fails on evidence, never because the evidence is thin: then it
is inconclusive, and the config says what that counts as; so it is where units are too few. A
difference of 0 on every unit lacks no evidence: it is not inferior, and no regression. A metric
that does not apply to the model gives no evidence on any rows: such a gate cannot be judged, and
fails unless the config lets what is open pass. How a number was computed is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ulp
from typing import Literal

from reportgen import wording
from reportgen.results import Comparison, Estimate, Finding, GateStatus, Number, Results, rounded

Rule = Literal[
    "below",
    "above",
    "better",
    "non_inferior",
    "no_regression",
    "few_harmed",
    "not_worse_than_previous",
]


@dataclass(frozen=True)
class Demand:
    """One gate of the config, its names resolved.

    `bound` is the value or the margin it holds to; `is_relative` makes it a share of the
    baseline's value. `file` and `line` say where it is written, if in a file.
    """

    name: str
    rule: Rule
    dataset: str
    segment: str | None
    key: str
    model: str
    against: str | None
    bound: float
    is_relative: bool
    on: Literal["interval", "value"]
    inconclusive: Literal["pass", "warn", "fail"]
    file: str = ""
    line: int | None = None
    drop: float = 0.0


def judge(demands: Iterable[Demand], results: Results) -> tuple[Finding, ...]:
    """Every gate's finding, in the order of the config."""
    return tuple(_judged(demand, results) for demand in demands)


def _judged(demand: Demand, results: Results) -> Finding:
    if demand.rule == "few_harmed":
        return _judge_harm(demand, results)
    if demand.rule == "not_worse_than_previous":
        return _judge_move(demand, results)
    return (
        _judge_level(demand, _estimate(demand, demand.model, results), _is_size(demand, results))
        if demand.against is None
        else _judge_difference(demand, _comparison(demand, results), _margin(demand, results))
    )


def _judge_harm(demand: Demand, results: Results) -> Finding:
    """The share of rows that lose more than the drop lies below the bound."""
    key = (demand.dataset, demand.segment, demand.key, demand.model, demand.against, demand.drop)
    harm = next(
        (h for h in results.sensitivity.harms
         if (h.dataset, h.segment, h.key, h.candidate, h.baseline, h.drop) == key), None
    )  # fmt: skip
    found = _estimate(demand, demand.model, results)
    ends = (None, None) if harm is None or found.is_few else (harm.low, harm.high)
    status = _side(*_turn(*ends), -demand.bound)
    value = None if harm is None else harm.share
    low, high = (None, None) if harm is None else (harm.low, harm.high)
    shown = replace(found, value=value, low=low, high=high, unit="share")
    return _finding(demand, shown, status, demand.bound, value)


def _judge_move(demand: Demand, results: Results) -> Finding:
    """The value has not moved for the worse, beyond the margin, since the previous run."""
    found = replace(_estimate(demand, demand.model, results), low=None, high=None)
    if results.changes is None:
        reason = "skipped: a first run, with no earlier one"
        return _finding(demand, replace(found, reason=reason), "skipped", None, None)
    wanted = (demand.dataset, demand.key, demand.model, None)
    moves = (m for m in results.changes.moves if (m.dataset, m.key, m.model, m.against) == wanted)
    move = next(moves, None)
    if move is None or move.low is None or move.high is None:
        reason = "the last run has no such value" if move is None else move.note
        reason = f"cannot be compared with the last run: {reason}"
        return _finding(demand, replace(found, reason=reason), "inconclusive", None, None)
    before = abs(move.before or 0.0)
    margin = rounded(demand.bound * before) if demand.is_relative else demand.bound
    _, best = (move.low, move.high) if move.better == "higher" else _turn(move.low, move.high)
    status: GateStatus = "inconclusive"
    if move.better in ("higher", "lower") and best is not None and margin is not None:
        status = "fail" if best < -margin else "pass"
    found = replace(found, low=move.low, high=move.high, level=move.level,
                    reason=wording.of_move(move, margin))  # fmt: skip
    return _finding(demand, found, status, margin, move.change)


def _judge_level(demand: Demand, found: Estimate, is_size: bool) -> Finding:
    low, high = (found.value, found.value) if demand.on == "value" else (found.low, found.high)
    if found.is_few:
        low, high = None, None
    if is_size and low is not None and high is not None:
        low, high = max(low, -high, 0.0), max(high, -low)
    if demand.rule == "above":
        status = _side(low, high, demand.bound)
    else:
        status = _side(*_turn(low, high), -demand.bound)
    judged = replace(found, low=None, high=None) if demand.on == "value" else found
    return _finding(demand, judged, status, demand.bound, found.value)


def _judge_difference(demand: Demand, found: Comparison, margin: Number) -> Finding:
    status: GateStatus = "inconclusive"
    low, high = good_side(found)
    if found.is_same and demand.rule in ("non_inferior", "no_regression"):
        return _finding(demand, found, "pass", margin, found.difference)
    is_open = found.is_few or margin is None
    if not is_open and margin is not None and low is not None and high is not None:
        match demand.rule:
            case "better":
                status = _side(low, high, margin)
            case "non_inferior":
                status = _side(low, high, -margin)
            case _:  # no_regression asks for evidence of harm, and passes without it
                status = "fail" if high < -margin else "pass"
    return _finding(demand, found, status, margin, found.difference)


def _is_size(demand: Demand, results: Results) -> bool:
    """Whether the metric is best at zero, so that a bound is one on its size."""
    return any(m.key == demand.key and m.better == "zero" for m in results.metrics)


def _margin(demand: Demand, results: Results) -> Number:
    """The margin in the metric's unit; None if it is a share of what does not exist."""
    if not demand.is_relative:
        return demand.bound
    value = _estimate(demand, demand.against, results).value
    return None if value is None else rounded(demand.bound * abs(value))


def good_side(comparison: Comparison) -> tuple[Number, Number]:
    """The interval of the difference, turned so that more is better.

    Where its test does not reach the level it holds zero inside, so that no gate is decided by an
    interval beside an inconclusive verdict.
    """
    low, high, p = comparison.low, comparison.high, comparison.p_value
    if low is not None and high is not None and p is not None and p > 1 - comparison.level:
        low, high = min(low, -ulp(0.0)), max(high, ulp(0.0))
    return (low, high) if comparison.better == "higher" else _turn(low, high)


def _turn(low: Number, high: Number) -> tuple[Number, Number]:
    """The interval seen from the other side of zero."""
    return (None if high is None else -high), (None if low is None else -low)


def _side(low: Number, high: Number, bound: float) -> GateStatus:
    """Pass where the whole interval lies above the bound, fail where it lies below or on it."""
    if low is None or high is None:
        return "inconclusive"
    if low > bound:
        return "pass"
    return "fail" if high <= bound else "inconclusive"


def _finding(
    demand: Demand,
    found: Estimate | Comparison,
    status: GateStatus,
    bound: Number,
    value: Number,
) -> Finding:
    """The finding with its reason: why there is no number, or the numbers themselves."""
    reason = found.reason
    if found.status == "not applicable":
        status = "inconclusive" if demand.inconclusive == "pass" else "fail"
        reason = f"cannot be judged: {found.reason}"
    elif found.status == "undefined" and reason.startswith("where "):
        reason = f"the value is undefined {reason}"
    finding = Finding(
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
        bound=bound,
        value=value,
        low=found.low,
        high=found.high,
        level=found.level,
        inconclusive=demand.inconclusive,
        file=demand.file,
        line=demand.line,
        drop=demand.drop if demand.rule == "few_harmed" else None,
    )
    said = wording.finding(finding, found.unit)
    if found.is_few and status == "inconclusive" and demand.rule != "not_worse_than_previous":
        said = f"{wording.under_fewest(found.lacks)}; {said}"
    return replace(finding, reason=said)


def _estimate(demand: Demand, model: str | None, results: Results) -> Estimate:
    wanted = (demand.dataset, demand.segment, demand.key, model)
    return next(e for e in results.estimates if (e.dataset, e.segment, e.key, e.model) == wanted)


def _comparison(demand: Demand, results: Results) -> Comparison:
    """The paired difference, found the way round it was made, or turned."""
    where = (demand.dataset, demand.segment, demand.key)
    for c in results.comparisons:
        if (c.dataset, c.segment, c.key) == where:
            if (c.candidate, c.baseline) == (demand.model, demand.against):
                return c
            if (c.baseline, c.candidate) == (demand.model, demand.against):
                return _turned(c)
    raise LookupError(f"no comparison for gate {demand.name!r}")


def _turned(c: Comparison) -> Comparison:
    """The same comparison seen from the other model."""
    minus = {name: None if x is None else -x for name, x in (
        ("difference", c.difference), ("low", c.high), ("high", c.low)
    )}  # fmt: skip
    return replace(c, candidate=c.baseline, baseline=c.candidate, **minus)  # type: ignore[arg-type]
