"""Collect from the results what a recommendation rests on, and recommend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose

from reportgen.report import prose
from reportgen.report.conclusion.input_checks import write_check
from reportgen.report.conclusion.recommendation import (
    BETTER,
    WORSE,
    CandidateEvidence,
    combine_datasets,
    recommend_choice,
    recommend_order,
    recommend_replacement,
    recommend_value,
    withhold_verdict,
)
from reportgen.report.conclusion.references import (
    is_not_better,
    judge_against_reference,
)
from reportgen.report.conclusion.rows import find_contradictions, list_shown_metrics
from reportgen.report.prose.marks import keep_code
from reportgen.report.prose.operating_points import COST
from reportgen.report.selection import Selection, orient_value
from reportgen.report.wording.names import capitalize_label
from reportgen.results.classification import OperatingPoint, PointOutcome
from reportgen.results.conclusion import Requirement
from reportgen.results.core import MetricInfo
from reportgen.results.costs import CostOption, IntervalEstimate
from reportgen.results.input_checks import InputFinding, find_failures
from reportgen.results.recommendation import (
    Answer,
    CandidateAnswer,
    Hold,
    NotFor,
    OperatingChoice,
    ReasonCode,
    Recommendation,
    ReportQuestion,
    Stop,
    settle_question,
)
from reportgen.results.types import DecisionKind, Number, RequirementStatus

TODAY = "none"
"""The method of an action that leaves scores as they are."""


def recommend(found: Selection, requirements: Sequence[Requirement]) -> Recommendation:
    """Recommend what the results support; the decision is the one that the config declares."""
    decision = _settle_question(found).decision
    if found.baseline is None or decision == "meets":
        model, stops = found.results.models[0].name, _find_stops(found)
        metric = found.leading
        made = recommend_value(
            model,
            _list_statuses(requirements, model),
            _list_deciding(found, stops),
            reference=judge_against_reference(found, model, metric.key),
            holds=_list_holds(found, model, metric, found.main.name),
            is_beaten=is_not_better(found, model, metric.key),
        )
        return replace(made, stops=tuple(stops))
    if decision == "shift" and (options := list_options(found)):
        return _recommend_action(found, options, requirements)
    each = [
        (dataset.name, _recommend_on(found, dataset.name, decision, requirements))
        for dataset in found.tests
    ]
    made = each[0][1] if len(each) == 1 else combine_datasets(each)
    shown = choose_shown_model(found, made)
    return replace(
        made,
        not_for=_list_unsuited(found, shown),
        operating=_choose_operating_point(found, made.use or (shown,)),
    )


def _settle_question(found: Selection) -> ReportQuestion:
    report = found.results.report
    models = found.results.models if found.baseline is None else found.candidates
    baseline = None if found.baseline is None else found.baseline.name
    return settle_question(report.decision, report.about, baseline, [m.name for m in models])


def choose_shown_model(found: Selection, made: Recommendation) -> str:
    """Choose the model whose values page one shows beside the baseline's.

    It is the model asked about, else the first to use, else the candidate with the best value.
    """
    names = [model.name for model in found.candidates]
    about = _settle_question(found).about
    if made.decision == "replace" and about in names:
        return str(about)
    chosen = [*made.use, *(model for group in made.order for model in group)]
    ranked = rank_models(found, found.leading)
    return next((model for model in (*chosen, *ranked, *names) if model in names), "") or (
        found.results.models[0].name
    )


def rank_models(found: Selection, metric: MetricInfo, dataset: str | None = None) -> list[str]:
    """List the models to choose from that have a value of a metric, best first."""
    models = [model for model in found.results.models if model.role != "benchmark"]
    known = [found.estimate(model.name, metric.key, dataset) for model in models]
    values = {e.model: e.value for e in known if e is not None and e.value is not None}
    return sorted(values, key=lambda model: -orient_value(values[model], metric))


def list_options(found: Selection) -> list[CostOption]:
    """List the actions at the declared cost ratio, the cheapest first; empty if none is declared.

    An action is a model whose scores are used as they are, or with a correction. The saving of one
    that is compared on the metric that decides has the interval of that comparison.
    """
    costs = found.costs.get(found.main.name)
    if costs is None or costs.model.declared is None or found.baseline is None:
        return []
    options = [
        _use_printed_interval(found, each, costs.model.cases)
        for each in costs.options
        if isclose(each.asymmetry, costs.model.declared)
    ]
    return sorted(options, key=lambda each: each.cost.value or 0.0)


def are_in_rows(found: Selection, options: Sequence[CostOption]) -> bool:
    """Tell whether the figure of candidates has all actions: costs decide, without corrections."""
    return found.leading.kind == "cost" and all(each.method == TODAY for each in options)


def _use_printed_interval(found: Selection, option: CostOption, cases: int) -> CostOption:
    c = found.comparison(option.model, found.leading.key)
    saving = option.saving.value
    if option.method != TODAY or c is None or c.difference is None or saving is None:
        return option
    if found.leading.kind != "cost" or not isclose(c.difference * cases, -saving, rel_tol=1e-6):
        return option
    printed = IntervalEstimate(c.difference, c.low, c.high).scale(cases)
    return replace(option, saving=printed.opposite)


def _recommend_on(
    found: Selection,
    dataset: str,
    decision: DecisionKind,
    requirements: Sequence[Requirement],
) -> Recommendation:
    every_stop = _find_stops(found, dataset)
    deciding = _list_deciding(found, every_stop)
    made = _recommend_by(found, dataset, decision, requirements, deciding)
    return replace(made, stops=tuple(every_stop))


def _list_deciding(found: Selection, stops: Sequence[Stop]) -> list[Stop]:
    """List the stops that are about the metric that decides."""
    return [stop for stop in stops if stop.covers(found.leading.kind)]


def _recommend_by(
    found: Selection,
    dataset: str,
    decision: DecisionKind,
    requirements: Sequence[Requirement],
    stops: Sequence[Stop],
) -> Recommendation:
    metric, baseline = found.leading, found.baseline
    assert baseline is not None
    every = [
        _collect_evidence(found, model.name, metric, dataset, requirements, stops)
        for model in found.candidates
    ]
    if decision == "rank":
        judged = {each.model for each in every if not each.is_stopped} | {baseline.name}
        ranked = [model for model in rank_models(found, metric, dataset) if model in judged]
        beaten = found.list_beaten(dataset)
        return recommend_order(ranked, every, baseline.name, beaten, stops)
    about = _settle_question(found).about
    if decision == "replace":
        asked = next((each for each in every if each.model == about), every[0])
        others = [each for each in every if each is not asked]
        needs = found.results.report.needs
        return recommend_replacement(asked, baseline.name, needs, others, stops)
    chosen = recommend_choice(every, baseline.name, found.list_beaten(dataset), stops)
    return _judge_sufficiency(chosen) if decision == "enough" else chosen


def _judge_sufficiency(chosen: Recommendation) -> Recommendation:
    """Answer whether the rows suffice: yes if they answer the question which model to use."""
    answer: Answer = chosen.answer
    if answer != "no verdict":
        answer = "no" if answer == "cannot tell" else "yes"
    return replace(chosen, decision="enough", answer=answer)


def _collect_evidence(
    found: Selection,
    model: str,
    metric: MetricInfo,
    dataset: str,
    requirements: Sequence[Requirement],
    stops: Sequence[Stop],
) -> CandidateEvidence:
    comparison = found.comparison(model, metric.key, dataset)
    is_stopped = model in {stop.model for stop in stops}
    statuses = _list_statuses(requirements, model)
    if comparison is None:
        return CandidateEvidence(
            model, "no result", None, None, None, statuses=statuses, is_stopped=is_stopped
        )
    failed = find_failures(found.results.checks, dataset, model, metric)
    sign = 1 if comparison.better == "higher" else -1
    ends = [_times(sign, end) for end in (comparison.low, comparison.high)]
    low, high = ends if sign > 0 else reversed(ends)
    return CandidateEvidence(
        model,
        comparison.word,
        _times(sign, comparison.difference),
        low,
        high,
        comparison.margin or 0.0,
        statuses,
        tuple(_list_losses(found, model, dataset)),
        tuple(_list_holds(found, model, metric, dataset)),
        "constant" in failed,
        is_stopped,
    )


def _times(sign: int, value: Number) -> Number:
    return None if value is None else sign * value


def is_of_decisions(found: Selection, model: str) -> bool:
    """Tell whether the decisions of a model are all the same, and not its scores."""
    failed = find_failures(found.results.checks, found.main.name, model, found.leading)
    constant = failed.get("constant")
    return constant is not None and bool(constant.metrics or constant.numbers.get("predicted"))


def _list_statuses(
    requirements: Sequence[Requirement], model: str
) -> tuple[RequirementStatus, ...]:
    return tuple(each.status for each in requirements if each.model == model)


def _list_losses(found: Selection, model: str, dataset: str) -> list[str]:
    """List the shown metrics on which a model is worse and that no requirement on it settles.

    A requirement that was skipped settles nothing, nor does one on a gap between segments, and one
    on a segment settles only that.
    """
    settled = {
        gate.key
        for gate in found.results.gates
        if (gate.model, gate.dataset, gate.segment) == (model, dataset, None)
        and not gate.is_of_gap
        and gate.status != "skipped"
    }
    compared = [
        (metric.key, found.comparison(model, metric.key, dataset))
        for metric in list_shown_metrics(found)
    ]
    return [key for key, c in compared if c and c.word in WORSE and key not in settled]


def _list_holds(found: Selection, model: str, metric: MetricInfo, dataset: str) -> list[Hold]:
    comparison = found.comparison(model, metric.key, dataset)
    is_better = comparison is not None and comparison.word in BETTER
    worse = find_contradictions(found, model, metric, dataset) if is_better else []
    is_allowed = "conflict" in found.models[model].allow
    holds = [] if is_allowed else [Hold("conflict", c.key) for c in worse[:1]]
    failed = find_failures(found.results.checks, dataset, model, metric)
    names = [name for name, each in failed.items() if each.check.kind == "hold"]
    of_checks = [Hold("check", check=name) for name in names if name != "reference"]
    return [*of_checks, *([Hold("reference")] if "reference" in names else []), *holds]


def _find_stops(found: Selection, dataset: str | None = None) -> list[Stop]:
    """Find what forbids a verdict: checks of the input that failed, else an undefined value."""
    where = dataset or found.main.name
    stops = [
        _build_stop(found, each)
        for each in found.results.checks
        if each.is_stop and each.dataset == where
    ]
    stopped = {stop.model for stop in _list_deciding(found, stops)}
    undefined = [] if None in stopped else _find_undefined(found, where)
    return [*stops, *(stop for stop in undefined if stop.model not in stopped)]


def _build_stop(found: Selection, each: InputFinding) -> Stop:
    labels = {model.name: model.label for model in found.results.models}
    text = write_check(each, found.datasets[each.dataset], labels)
    return Stop(
        each.name,
        each.dataset,
        each.model,
        keep_code(text.finding),
        evidence=keep_code(text.evidence),
        likely=keep_code(text.likely),
        fix=keep_code(text.fix),
        allow=keep_code(text.allow),
        metrics=each.metrics,
    )


def _find_undefined(found: Selection, where: str) -> list[Stop]:
    """Find models of which the metric that decides is undefined."""
    metric = capitalize_label(found.leading)
    judged = [model.name for model in found.results.models if model.role != "benchmark"]
    known = {model: found.estimate(model, found.leading.key, where) for model in judged}
    lost = {model: e.reason for model, e in known.items() if e and e.status == "undefined"}
    if len(lost) == len(judged) > 1:
        text = prose.line("stop.undefined_for_all", metric=metric)
        return [Stop("undefined", where, None, text, next(iter(lost.values())))]
    labels = {model: found.short_label(model) for model in lost}
    texts = {m: prose.line("stop.undefined", metric=metric, model=labels[m]) for m in lost}
    return [Stop("undefined", where, model, texts[model], why) for model, why in lost.items()]


def find_cost(point: OperatingPoint) -> Number:
    """Find the cost of one row at an operating point; None if errors have no costs."""
    outcome = find_cost_outcome(point)
    return None if outcome is None else outcome.value


def find_cost_outcome(point: OperatingPoint) -> PointOutcome | None:
    """Find the cost of one row at an operating point with its limits, if errors have costs."""
    return next((each for each in point.outcomes if each.metric == COST), None)


def list_priced_points(found: Selection, models: Sequence[str]) -> list[OperatingPoint]:
    """List the operating points of models on the main dataset that have a cost, cheapest first."""
    points = [
        point
        for point in found.results.points
        if point.dataset == found.main.name and point.model in models
    ]
    priced = [point for point in points if find_cost(point) is not None]
    return sorted(priced, key=lambda point: find_cost(point) or 0.0)


def _choose_operating_point(found: Selection, models: Sequence[str]) -> OperatingChoice | None:
    points = list_priced_points(found, models)
    if not points:
        return None
    best = points[0]
    everyone, nobody = best.against_everyone, best.against_nobody
    return OperatingChoice(
        best.name,
        best.model,
        find_cost(best),
        None if everyone is None else everyone.value,
        None if nobody is None else nobody.value,
    )


def _list_unsuited(found: Selection, model: str) -> tuple[NotFor, ...]:
    """List the metrics and the segments on which a model is worse."""
    of_metrics = [
        NotFor(model, metric.key)
        for metric in list_shown_metrics(found)
        for c in [found.comparison(model, metric.key)]
        if c is not None and c.word in WORSE
    ]
    of_segments = [
        NotFor(model, c.key, c.segment)
        for c in found.list_segment_comparisons(model, found.leading.key)
        if c.word in WORSE
    ]
    return (*of_metrics, *of_segments)


def _recommend_action(
    found: Selection, options: Sequence[CostOption], requirements: Sequence[Requirement]
) -> Recommendation:
    """Recommend the cheapest action that costs less than the uncorrected baseline."""
    baseline, stops = found.baseline, tuple(_find_stops(found))
    assert baseline is not None
    stopped = {stop.model for stop in _list_deciding(found, stops)}
    if stopped & {None, baseline.name} or stopped >= {each.name for each in found.candidates}:
        return withhold_verdict("shift", (), stops)
    options = [each for each in options if each.model not in stopped]
    today = (baseline.name, TODAY)
    others = [each for each in options if (each.model, each.method) != today]
    cheaper = [each for each in others if each.saving.is_above_zero]
    failed = [each for each in cheaper if "not met" in _list_statuses(requirements, each.model)]
    usable = [each for each in cheaper if each not in failed]
    answer: Answer = "yes"
    reason: ReasonCode = "qualified"
    if not usable:
        is_known = all(each in failed or _is_not_cheaper(each) for each in others)
        answer, reason = ("no" if is_known else "cannot tell"), "verdict"
    first = usable[0] if usable else None
    better = tuple(dict.fromkeys(each.model for each in cheaper))
    is_used = first is not None
    return Recommendation(
        "shift",
        answer,
        use=(first.model,) if first is not None else (),
        keep=None if is_used else baseline.name,
        better=better,
        level=tuple(dict.fromkeys(each.model for each in usable if not each.is_distinguishable)),
        candidates=tuple(
            CandidateAnswer(model, _judge_user(model, usable), reason, "better") for model in better
        ),
        correction=first.method if first is not None and first.method != TODAY else "",
        stops=stops,
    )


def _is_not_cheaper(option: CostOption) -> bool:
    return option.saving.high is not None and option.saving.high <= 0


def _judge_user(model: str, usable: Sequence[CostOption]) -> Answer:
    return "yes" if model in {each.model for each in usable} else "no"
