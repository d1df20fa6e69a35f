"""From measured results to decided ones: gates, what may be shown, status, conclusion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.report import AnyGate, Bound, FewHarmed, Gap, GapBelow
from reportgen.data.sample import Sample
from reportgen.errors import ConfigPath
from reportgen.governance.data_shifts import iter_training_shifts
from reportgen.governance.freeze import add_report_status
from reportgen.governance.history import map_previous_models
from reportgen.governance.privacy import (
    apply_disclosure_rules,
    get_disclosure_rules,
    suppress_changes,
)
from reportgen.governance.provenance import format_repository_path
from reportgen.governance.run_diff import Run, compare_runs, compute_moves_since
from reportgen.governance.study import Options, Study
from reportgen.planning.adjustments import restore_score_direction
from reportgen.planning.result_assembly import build_warning
from reportgen.records import record
from reportgen.report import archive, prose
from reportgen.report.conclusion import add_conclusion
from reportgen.report.prose.run_changes import describe_move_interval
from reportgen.report.wording.names import clean_name
from reportgen.results import Results
from reportgen.results.changes import ValueChange
from reportgen.results.core import Comparison, Estimate, GateResult, Warning
from reportgen.results.input_checks import HEAVY_TAIL, HELD, find_failures
from reportgen.results.recommendation import Stop
from reportgen.results.types import (
    GateRule,
    Number,
    RaisedWarning,
    RequirementStatus,
    copy_fields,
    round_number,
)
from reportgen.results.verdicts import compare_with_bound, decide_status
from reportgen.terms import INPUT_CHECKS, Margin


@record
class ResolvedGate:
    """One gate of the config, its names resolved.

    `bound` is the value or the margin it holds to. `file` and `line` say where it is written, if
    in a file. `allows_heavy_tail`: the config lets it rest on a value that a few units decide. Of a
    gap, `by` is the column of the segments, `between` are two of its values if it names them.
    """

    name: str
    rule: GateRule
    dataset: str
    segment: str | None
    key: str
    model: str
    against: str | None
    bound: Margin
    on: Literal["interval", "value"]
    inconclusive: Literal["pass", "warn", "fail"]
    file: str = ""
    line: int | None = None
    drop: float = 0.0
    is_against_reference: bool = False
    allows_heavy_tail: bool = False
    by: str = ""
    between: tuple[str, ...] = ()


def judge_gates(
    demands: Iterable[ResolvedGate], results: Results, moves: Sequence[ValueChange] | None = None
) -> tuple[GateResult, ...]:
    """Judge every gate, in the order of the config; `moves` are those since the previous run."""
    return tuple(_hold(_judge_gate(demand, results, moves), results) for demand in demands)


def _hold(gate: GateResult, results: Results) -> GateResult:
    """Leave a gate open on a model that may not be relied on; fail one that tells nothing apart."""
    metric = next(each for each in results.metrics if each.key == gate.key)
    failed = find_failures(results.checks, gate.dataset, gate.model, metric)
    if gate.status == "skipped":
        return gate
    if "constant" in failed:
        return replace(gate, status="not met", held_by="constant")
    held = next((name for name in HELD if name in failed), "")
    if held:
        return replace(gate, status="cannot tell", held_by=held)
    if gate.held_by != HEAVY_TAIL:
        return gate
    cases = next((d.case[1] for d in results.datasets if d.name == gate.dataset), "rows")
    return replace(gate, reason=prose.line("requirement.heavy_tail", cases=clean_name(cases)))


def _judge_gate(
    demand: ResolvedGate, results: Results, moves: Sequence[ValueChange] | None
) -> GateResult:
    if demand.rule == "few_harmed":
        return _judge_harm(demand, results)
    if demand.rule == "not_worse_than_previous":
        return _judge_move(demand, results, moves)
    if demand.by:
        return _judge_gap(demand, results)
    if demand.is_against_reference:
        return _judge_against_reference(demand, results)
    return (
        _judge_level(
            demand, _find_estimate(demand, demand.model, results), _is_best_at_zero(demand, results)
        )
        if demand.against is None
        else _judge_difference(
            demand, _find_comparison(demand, results), _compute_margin(demand, results)
        )
    )


def _judge_against_reference(demand: ResolvedGate, results: Results) -> GateResult:
    """Check that a model is better than what takes no model, by more than the margin if any."""
    found = _find_estimate(demand, demand.model, results)
    place = (demand.dataset, demand.key)
    each = next((r for r in results.references if (r.dataset, r.key) == place), None)
    own = None if each is None else each.difference(demand.model)
    if each is None or own is None or each.value is None:
        nothing = "there is no value without a model"
        shown = replace(found, value=None, low=None, high=None, reason=nothing)
        return _build_finding(demand, shown, "cannot tell", None, None)
    margin = round_number(demand.bound.at(each.value))
    assert margin is not None
    judge = partial(decide_status, demand.rule, margin=margin, better=each.better)
    reason = found.reason if found.status == "not applicable" else own.reason
    shown = replace(found, value=own.difference, low=own.low, high=own.high, reason=reason)
    made = _build_finding(demand, shown, judge(own.low, own.high), margin, own.difference)
    return _leave_open(demand, made, shown, judge) if demand.bound.size else made


def _judge_harm(demand: ResolvedGate, results: Results) -> GateResult:
    """Check that the share of rows that lose more than the drop is below the bound."""
    key = (demand.dataset, demand.segment, demand.key, demand.model, demand.against, demand.drop)
    harm = next(
        (
            h
            for h in results.sensitivity.harms
            if (h.dataset, h.segment, h.key, h.candidate, h.baseline, h.drop) == key
        ),
        None,
    )
    found = _find_estimate(demand, demand.model, results)
    ends = (None, None) if harm is None or found.is_few else (harm.low, harm.high)
    status = compare_with_bound(*_reflect_interval(*ends), -demand.bound.size)
    value = None if harm is None else harm.share
    low, high = (None, None) if harm is None else (harm.low, harm.high)
    shown = replace(found, value=value, low=low, high=high, unit="share")
    return _build_finding(demand, shown, status, demand.bound.size, value)


def _judge_gap(demand: ResolvedGate, results: Results) -> GateResult:
    """Check that a gap between segments, or how much wider it is, lies below the bound."""
    place = demand.dataset, demand.key, demand.model, demand.against, demand.by, demand.between
    gap = next(each for each in results.group_gaps if each.place == place)
    bound: Number = demand.bound.size
    if demand.bound.is_relative:
        bound = None if gap.gap_against is None else round_number(demand.bound.at(gap.gap_against))
    shown = replace(
        _find_estimate(demand, demand.model, results),
        value=gap.value,
        low=gap.low,
        high=gap.high,
        level=gap.level,
        status="ok",
        reason=gap.reason,
        tail_reach=gap.tail_reach,
        is_decided_by_few=gap.is_decided_by_few,
    )
    if bound is None or shown.is_few:
        return _build_finding(demand, shown, "cannot tell", bound, gap.value)
    is_size = demand.against is None
    judge = partial(_decide_level, replace(demand, bound=Margin(bound)), is_size)
    made = _build_finding(demand, shown, judge(gap.low, gap.high), bound, gap.value)
    return _leave_open(demand, made, shown, judge)


def _judge_move(
    demand: ResolvedGate, results: Results, known: Sequence[ValueChange] | None
) -> GateResult:
    """Check that the value has not worsened by more than the margin since the previous run."""
    found = replace(_find_estimate(demand, demand.model, results), low=None, high=None)
    if known is None:
        reason = "skipped: a first run, with no earlier one"
        return _build_finding(demand, replace(found, reason=reason), "skipped", None, None)
    wanted = (demand.dataset, demand.key, demand.model, None)
    moves = (m for m in known if (m.dataset, m.key, m.model, m.against) == wanted)
    move = next(moves, None)
    if move is None or move.low is None or move.high is None:
        reason = "the last run has no such value" if move is None else move.note
        reason = f"cannot be compared with the last run: {reason}"
        return _build_finding(demand, replace(found, reason=reason), "cannot tell", None, None)
    before = abs(move.before or 0.0)
    margin = round_number(demand.bound.at(before))
    _, best = (
        (move.low, move.high) if move.better == "higher" else _reflect_interval(move.low, move.high)
    )
    status: RequirementStatus = "cannot tell"
    if move.better in ("higher", "lower") and best is not None and margin is not None:
        status = "not met" if best < -margin else "met"
    found = replace(
        found,
        low=move.low,
        high=move.high,
        level=move.level,
        reason=describe_move_interval(move, margin),
    )
    return _build_finding(demand, found, status, margin, move.change)


def _judge_level(demand: ResolvedGate, found: Estimate, is_size: bool) -> GateResult:
    low, high = (found.value, found.value) if demand.on == "value" else (found.low, found.high)
    if found.is_few:
        low, high = None, None
    judge = partial(_decide_level, demand, is_size)
    judged = replace(found, low=None, high=None) if demand.on == "value" else found
    made = _build_finding(demand, judged, judge(low, high), demand.bound.size, found.value)
    return made if demand.on == "value" else _leave_open(demand, made, found, judge)


def _decide_level(
    demand: ResolvedGate, is_size: bool, low: Number, high: Number
) -> RequirementStatus:
    """Decide the status of a bound on a value, or on its size, by its limits."""
    if is_size and low is not None and high is not None:
        low, high = max(low, -high, 0.0), max(high, -low)
    if demand.rule == "above":
        return compare_with_bound(low, high, demand.bound.size)
    return compare_with_bound(*_reflect_interval(low, high), -demand.bound.size)


def _judge_difference(demand: ResolvedGate, found: Comparison, margin: Number) -> GateResult:
    """Judge a difference; one held against zero rests on its interval as it is.

    Between models that are equal the tails of both sides are alike, so that no interval is met too
    often.
    """
    if found.is_same and demand.rule in ("non_inferior", "no_regression"):
        return _build_finding(demand, found, "met", margin, found.difference)
    if found.is_few or margin is None:
        return _build_finding(demand, found, "cannot tell", margin, found.difference)
    judge = partial(decide_status, demand.rule, margin=margin, better=found.better)
    made = _build_finding(demand, found, judge(found.low, found.high), margin, found.difference)
    return _leave_open(demand, made, found, judge) if margin else made


def _leave_open(
    demand: ResolvedGate,
    made: GateResult,
    known: Estimate | Comparison,
    judge: Callable[[Number, Number], RequirementStatus],
) -> GateResult:
    """Leave open what three more units like the most extreme one would no longer meet.

    What passes without evidence of harm still does.
    """
    if made.status != "met" or demand.allows_heavy_tail:
        return made
    reach, low, high = known.tail_reach, made.low, made.high
    is_open = known.is_decided_by_few
    if reach is not None and low is not None and high is not None:
        is_open = is_open or judge(low - reach, high + reach) != "met"
    if not is_open:
        return made
    if demand.rule == "no_regression":
        return replace(made, status="no harm seen")
    return replace(made, status="cannot tell", held_by=HEAVY_TAIL)


def _is_best_at_zero(demand: ResolvedGate, results: Results) -> bool:
    """Return whether the metric is best at zero, so that a bound is one on its size."""
    return any(m.key == demand.key and m.better == "zero" for m in results.metrics)


def _compute_margin(demand: ResolvedGate, results: Results) -> Number:
    """Return the margin in the metric's unit; None if it is relative to an undefined value."""
    if not demand.bound.is_relative:
        return demand.bound.size
    value = _find_estimate(demand, demand.against, results).value
    return None if value is None else round_number(demand.bound.at(value))


def _reflect_interval(low: Number, high: Number) -> tuple[Number, Number]:
    """Return the interval reflected about zero."""
    return (None if high is None else -high), (None if low is None else -low)


def _build_finding(
    demand: ResolvedGate,
    found: Estimate | Comparison,
    status: RequirementStatus,
    bound: Number,
    value: Number,
) -> GateResult:
    """Build the finding; where there is no number, its reason says why."""
    reason = found.reason or ("the number does not exist" if value is None else "")
    if found.status == "not applicable":
        status = "cannot tell" if demand.inconclusive == "pass" else "not met"
        reason = f"cannot be judged: {found.reason}"
    elif found.status == "undefined" and reason.startswith("where "):
        reason = f"the value is undefined {reason}"
    return copy_fields(
        GateResult,
        demand,
        status=status,
        reason=reason,
        metric=found.metric,
        bound=bound,
        value=value,
        low=found.low,
        high=found.high,
        level=found.level,
        drop=demand.drop if demand.rule == "few_harmed" else None,
    )


def _find_estimate(demand: ResolvedGate, model: str | None, results: Results) -> Estimate:
    wanted = (demand.dataset, demand.segment, demand.key, model)
    return next(e for e in results.estimates if (e.dataset, e.segment, e.key, e.model) == wanted)


def _find_comparison(demand: ResolvedGate, results: Results) -> Comparison:
    """Find the paired difference of a gate, reversed if it was computed the other way round."""
    where = (demand.dataset, demand.segment, demand.key)
    for c in results.comparisons:
        if (c.dataset, c.segment, c.key) == where:
            if (c.candidate, c.baseline) == (demand.model, demand.against):
                return c
            if (c.baseline, c.candidate) == (demand.model, demand.against):
                return _swap_models(c)
    raise LookupError(f"no comparison for gate {demand.name!r}")


def _swap_models(c: Comparison) -> Comparison:
    """Return the same comparison with candidate and baseline swapped."""
    minus = {
        name: None if x is None else -x
        for name, x in (("difference", c.difference), ("low", c.high), ("high", c.low))
    }
    return replace(c, candidate=c.baseline, baseline=c.candidate, **minus)  # type: ignore[arg-type]


def build_gates(loaded: LoadedConfig) -> tuple[ResolvedGate, ...]:
    """Build the gates with their names resolved."""
    return tuple(
        replace(
            _build_demand(gate),
            is_against_reference=loaded.config.is_against_reference(gate),
            allows_heavy_tail=HEAVY_TAIL in loaded.config.models[gate.model].allow,
            **_locate(loaded, ("gates", index)),
        )
        for index, gate in enumerate(loaded.config.gates)
    )


def _locate(loaded: LoadedConfig, at: ConfigPath) -> dict[str, Any]:
    """Return the file and line of a key; the name of the file is the same on every machine."""
    found = loaded.line(at)
    return {} if found is None else {"file": format_repository_path(found[0]), "line": found[1]}


def _locate_stops(loaded: LoadedConfig, results: Results) -> Results:
    """Say at each stop where the config has the key that its fix names, the model or the data."""
    found = results.conclusion
    if found is None or not results.is_stopped:
        return results
    stops = tuple(_locate_stop(loaded, stop) for stop in found.recommendation.stops)
    made = replace(found.recommendation, stops=stops)
    return replace(results, conclusion=replace(found, recommendation=made))


def _locate_stop(loaded: LoadedConfig, stop: Stop) -> Stop:
    at = ("datasets", stop.dataset) if stop.model is None else ("models", stop.model)
    key = INPUT_CHECKS[stop.code].key if stop.code in INPUT_CHECKS else ""
    own = _locate(loaded, (*at, key)) if key else {}
    return replace(stop, **(own or _locate(loaded, at)))


def _build_demand(gate: AnyGate) -> ResolvedGate:
    against: str | None = getattr(gate, "against", None)
    on: Literal["interval", "value"] = "interval"
    if isinstance(gate, Bound):
        bound, on = Margin(gate.value), gate.on
    elif isinstance(gate, FewHarmed):
        bound = Margin(gate.value.value)
    elif isinstance(gate, GapBelow):
        bound = Margin(gate.value)
    else:
        bound = Margin(0.0) if gate.margin is None else gate.margin.to_margin()
    return ResolvedGate(
        name=gate.name,
        rule=gate.rule,
        dataset=gate.dataset,
        segment=None if isinstance(gate, Gap) else gate.segment,
        key=gate.metric,
        model=gate.model,
        against=against,
        bound=bound,
        on=on,
        inconclusive=gate.inconclusive,
        drop=gate.drop if isinstance(gate, FewHarmed) else 0.0,
        by=gate.segment if isinstance(gate, Gap) else "",
        between=gate.between if isinstance(gate, Gap) else (),
    )


def _warn_of_unneeded_tails(
    loaded: LoadedConfig, gates: Sequence[GateResult], strict: Sequence[GateResult]
) -> Iterator[Warning]:
    """Yield W252 for each model whose heavy tails are allowed, and would hold no requirement open.

    `strict` are the gates as they would end without it.
    """
    used = {gate.model for gate, other in zip(gates, strict, strict=True) if gate != other}
    for name, model in loaded.config.models.items():
        if HEAVY_TAIL in model.allow and name not in used:
            yield build_warning(
                loaded.config, RaisedWarning("W252", {"allowed": f"{name}: {HEAVY_TAIL}"})
            )


def decide(
    measured: Results, study: Study, samples: Mapping[str, Sample], options: Options
) -> Results:
    """Return the results with gates, status, conclusion and changes, without suppressed numbers.

    Gates are evaluated on all numbers, suppressed ones too; every later step reads what is shown.
    """
    loaded, previous, cache = study.loaded, study.previous, options.open_cache()
    models = map_previous_models(loaded)
    moves = None
    if previous is not None:
        with archive.explain_unreadable(previous.path):
            moves = compute_moves_since(previous, measured, models, cache)
    demands = build_gates(loaded)
    gates = judge_gates(demands, measured, moves)
    strict = [replace(each, allows_heavy_tail=False) for each in demands]
    unneeded = _warn_of_unneeded_tails(loaded, gates, judge_gates(strict, measured, moves))
    judged = replace(measured, gates=gates, warnings=(*measured.warnings, *unneeded))
    rules = get_disclosure_rules(loaded.config)
    shown = apply_disclosure_rules(judged, rules, samples)
    shown = restore_score_direction(shown)
    shown = replace(shown, shifts=tuple(iter_training_shifts(loaded.config, shown)))
    ranked = add_report_status(loaded, shown, options.without_git)
    decided = _locate_stops(loaded, add_conclusion(ranked))
    if previous is None:
        return decided
    with archive.explain_unreadable(previous.path):
        changes = compare_runs(previous, Run(decided), models, cache)
    return suppress_changes(replace(decided, changes=changes), rules)
