"""Requirements of page one: what each needs, its value, its status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reportgen.report import prose
from reportgen.report.conclusion.references import phrase_reference
from reportgen.report.facts import (
    HeldRequirement,
    Quantity,
    RequirementsSummary,
    RequirementText,
    StatusCount,
)
from reportgen.report.selection import Selection
from reportgen.report.wording.names import (
    clean_name,
    format_segment,
    format_segment_column,
    format_segment_value,
    metric_heading,
    metric_phrase,
    use_case_unit,
)
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_declared_format,
    choose_format,
    format_count,
)
from reportgen.report.wording.verdicts import choose_difference_format, choose_row_format
from reportgen.results.conclusion import HeadlineComparison, Requirement
from reportgen.results.core import DatasetInfo, GateResult, MetricInfo
from reportgen.results.input_checks import HEAVY_TAIL
from reportgen.results.recommendation import Recommendation
from reportgen.results.types import FEWEST, Kind, Lacking, Number, RequirementStatus, round_number
from reportgen.terms import LIMITS, REFERENCE

_NO_DIFFERENCE: Mapping[str, Any] = {"value": None, "low": None, "high": None}
_BELOW = ("below", "few_harmed")
_ORDER: Sequence[RequirementStatus] = (
    "not met",
    "cannot tell",
    "not judged",
    "no harm seen",
    "met",
    "skipped",
)


def build_requirements(
    selection: Selection,
    rows: Sequence[HeadlineComparison],
    consequences: Sequence[HeadlineComparison],
) -> tuple[Requirement, ...]:
    """Build all requirements: those that fail the run first, then the open ones.

    A requirement on a comparison of page one has the decimals of that row.
    """
    shown = [(row, rows[0]) for row in rows] + [(row, row) for row in consequences]
    made = [_build_requirement(selection, gate, shown) for gate in selection.results.gates]
    return tuple(sorted(made, key=lambda r: (not r.is_failure, _ORDER.index(r.status))))


def withhold_gates(
    made: Recommendation, gates: Sequence[GateResult], kinds: Mapping[str, Kind], *, is_open: bool
) -> tuple[GateResult, ...]:
    """Judge no gate on a model that gets no verdict, for the reason of its stop.

    A skipped one stays skipped. `is_open`: such a gate counts as its `inconclusive` says.
    """
    return tuple(
        each
        if each.status == "skipped"
        or all(made.judges(m, kinds[each.key]) for m in (each.model, each.against) if m)
        else replace(
            each,
            **(_NO_DIFFERENCE if each.is_of_difference else {}),
            status="not judged",
            counts_as_open=is_open,
            reason=describe_silence(
                made, each.dataset, kinds[each.key], each.model, each.against or ""
            ),
        )
        for each in gates
    )


def describe_silence(found: Recommendation, dataset: str, kind: str, *models: str) -> str:
    """Say why models are not judged on a data set by a kind of metric."""
    return f"not judged: {found.find_stop(dataset, kind, *models).full_text}"


def summarize_requirements(
    shown: Sequence[Requirement], *, is_gain_open: bool, answer_model: str | None
) -> RequirementsSummary:
    """Count the requirements by status; `is_gain_open` if the question asks for a gain."""
    counts = Counter(each.status for each in shown)
    outcome: str = "mixed"
    if set(counts) == {"met"}:
        outcome = "all met without gain" if is_gain_open else "all met"
    return RequirementsSummary(
        outcome,  # type: ignore[arg-type]
        len(shown),
        tuple(StatusCount(counts[status], status) for status in _ORDER if counts[status]),
        answer_model,
    )


def format_needs(each: Requirement, unit: str) -> str:
    """Format what a requirement needs, its bound as it was declared: `< $40`, `> −0.01`."""
    if each.needs is None:
        return ""
    form = choose_declared_format(each.needs, unit)
    if each.is_within:
        return form.amount(each.needs, signed=True).replace("+", "±")
    sign = ">" if each.is_lower_bound else "<"
    return f"{sign} {_format_amount(each, form, each.needs)}"


def format_found(each: Requirement, form: NumberFormat) -> str:
    """Format the value of a requirement; a gap between shares is in points."""
    return _format_amount(each, form, each.value)


def format_limits(each: Requirement, form: NumberFormat) -> str:
    """Format the limits of a value as the value is, but without the name of its unit."""
    is_gap = each.is_of_gap and not each.is_difference
    limits = form.plain_interval(each.low, each.high, signed=each.is_difference or is_gap)
    return limits.replace("+", "") if is_gap else limits


def _format_amount(each: Requirement, form: NumberFormat, value: Number) -> str:
    is_gap = each.is_of_gap and not each.is_difference
    amount = form.amount(value, signed=each.is_difference or is_gap)
    return amount.replace("+", "") if is_gap else amount


def choose_requirement_format(each: Requirement, unit: str) -> NumberFormat:
    """Choose the format of a value and its limits: a difference is printed as in its own row."""
    return NumberFormat(each.decimals, unit, least=0 if each.is_difference else 2)


def get_requirement_unit(each: Requirement, metric: MetricInfo) -> str:
    """Return the unit of what a requirement judges, which may be a share of the rows."""
    return "share" if each.is_share_of_rows else metric.unit


def _build_requirement(
    selection: Selection,
    gate: GateResult,
    shown: Sequence[tuple[HeadlineComparison, HeadlineComparison]],
) -> Requirement:
    metric = use_case_unit(
        next(m for m in selection.results.metrics if m.key == gate.key),
        selection.datasets[gate.dataset],
    )
    lacks = _find_lack(selection, gate) if gate.status == "cannot tell" else ""
    is_open = gate.held_by == HEAVY_TAIL
    is_of_numbers = not lacks and (is_open or not gate.held_by) and gate.value is not None
    needs = _compute_needs(gate, metric) if is_of_numbers else None
    is_shown = needs is not None
    is_of_two = bool(gate.between)
    made = Requirement(
        name=prose.say_plain(_make_request(selection, gate, metric)),
        gate=gate.name,
        model=gate.model,
        status=gate.status if gate.status in _ORDER else "not judged",
        is_failure=gate.is_failure,
        key=gate.key,
        needs=needs,
        value=gate.value if is_shown else None,
        low=gate.low if is_shown else None,
        high=gate.high if is_shown else None,
        is_difference=gate.is_of_difference or is_of_two,
        is_lower_bound=_needs_more(gate, metric),
        is_share_of_rows=gate.drop is not None,
        reason=_describe_few_rows(selection, gate)
        if is_shown and not is_open
        else _describe_absence(selection, gate, lacks),
        is_within=is_of_two and gate.against is None,
        is_of_gap=gate.is_of_gap,
    )
    made = replace(made, decimals=_count_decimals(selection, made, gate, metric, shown))
    return replace(made, text=_describe(made, get_requirement_unit(made, metric)))


def _describe_absence(selection: Selection, gate: GateResult, lacks: Lacking) -> str:
    """Say why no number decides a requirement."""
    if gate.held_by:
        case, cases = map(clean_name, selection.datasets[gate.dataset].case)
        return prose.say_plain(HeldRequirement(gate.held_by, case, cases))  # type: ignore[arg-type]
    return _describe_too_few(lacks) if lacks else gate.reason


def _describe_few_rows(selection: Selection, gate: GateResult) -> str:
    """Say how few rows the segment of a gate has; nothing where they are enough."""
    dataset = selection.datasets[gate.dataset]
    n = next((each.n for each in dataset.segments if each.segment == gate.segment), None)
    if n is None or n >= LIMITS["W203"]["fewest"]:
        return ""
    return prose.line("requirement.few_rows", rows=format_count(n, *dataset.case))


def _count_decimals(
    selection: Selection,
    each: Requirement,
    gate: GateResult,
    metric: MetricInfo,
    shown: Sequence[tuple[HeadlineComparison, HeadlineComparison]],
) -> int:
    """Count the decimals of the value and its limits, at least those of its row on page one."""
    unit = get_requirement_unit(each, metric)
    is_compared = each.is_difference and not gate.is_of_gap
    bounds = None if each.is_difference else metric.bounds
    apart = (each.needs, 0.0, *(bounds or ()))
    form = choose_format(each.value, each.low, each.high, unit, apart, bounds=bounds)
    place = (gate.dataset, gate.segment, gate.key, gate.model, gate.against)
    for row, first in shown:
        same = (row.dataset, row.segment, row.key, row.candidate, row.baseline)
        if is_compared and same == place:
            return _keep_apart(each, choose_row_format(row, metric, first)).decimals
    for c in selection.results.comparisons:
        if is_compared and (c.dataset, c.segment, c.key, c.candidate, c.baseline) == place:
            return _keep_apart(each, choose_difference_format(c, metric)).decimals
    if not each.is_share_of_rows:
        values = selection.choose_form(metric, gate.dataset, gate.segment)
        form = form.raise_decimals(values.decimals)
    return form.raise_decimals(0).decimals if unit == "share" else form.decimals


def _keep_apart(each: Requirement, form: NumberFormat) -> NumberFormat:
    """Add a decimal or two if a limit would read as the bound."""
    for _ in range(2):
        if not any(
            end is not None and end != each.needs and form.bare(end) == form.bare(each.needs)
            for end in (each.low, each.high)
        ):
            break
        form = replace(form, decimals=form.decimals + 1)
    return form


def _make_request(selection: Selection, gate: GateResult, metric: MetricInfo) -> RequirementText:
    unit = "share" if gate.drop is not None else metric.unit
    baseline = "" if gate.against is None else clean_name(selection.label(gate.against), 40)
    each = selection.reference(gate.key, gate.dataset)
    if gate.against == REFERENCE and REFERENCE not in selection.models and each is not None:
        baseline = phrase_reference(selection, each)
    is_ranked = metric.kind == "order" and selection.results.task != "ranking"
    is_alone = len(selection.candidates) == 1 and selection.baseline is not None
    is_alone = is_alone and gate.model == selection.candidates[0].name
    return RequirementText(
        rule=gate.rule,
        metric=metric_phrase(metric),
        heading=metric_heading(metric),
        model=clean_name(selection.label(gate.model), 40),
        baseline=baseline,
        bound=Quantity(gate.bound, choose_declared_format(gate.bound, unit)),
        drop=Quantity(gate.drop, choose_declared_format(gate.drop, metric.unit)),
        rows=clean_name(selection.main.case[1]),
        where=_describe_place(selection, gate),
        ranked=clean_name(selection.main.case[1]) * is_ranked,
        is_named=not is_alone,
        is_size=metric.better == "zero",
        groups=_name_gap_groups(selection.datasets[gate.dataset], gate),
    )


def _describe(each: Requirement, unit: str) -> str:
    """Describe the value and what it needs, or say why there is no number."""
    if each.needs is None:
        return each.reason
    form = choose_requirement_format(each, unit)
    has_limits = each.low is not None or each.high is not None
    return prose.line(
        "requirement_value",
        needs=format_needs(each, unit),
        value=format_found(each, form),
        limits=format_limits(each, form) if has_limits else "",
        reason=each.reason,
    )


def _find_lack(selection: Selection, gate: GateResult) -> Lacking:
    """Return what is too few for a verdict on a gate: queries, folds or data sets."""
    place, results = (gate.dataset, gate.segment, gate.key), selection.results
    pair = {gate.model, gate.against}
    of_pairs = [c for c in results.comparisons if {c.candidate, c.baseline} == pair]
    of_values = [e for e in results.estimates if e.model == gate.model]
    known = of_values if gate.against is None else of_pairs
    return next((e.lacks for e in known if e.lacks and (e.dataset, e.segment, e.key) == place), "")


def _describe_too_few(lacks: Lacking) -> str:
    return prose.line("requirement.too_few", fewest=FEWEST[lacks], units=lacks)


def _describe_place(selection: Selection, gate: GateResult) -> str:
    """Return the segment or the dataset of a gate, where it is not all rows of the main one."""
    dataset = selection.datasets[gate.dataset]
    parts = [format_segment(dataset, gate.segment)] if gate.segment else []
    parts += [clean_name(gate.dataset, 40)] if dataset is not selection.main else []
    gap = (gate.dataset, gate.key, gate.model, gate.against, gate.by, gate.between)
    omitted = [
        each.name for g in selection.results.group_gaps if g.place == gap for each in g.omitted
    ]
    if omitted:
        names = [format_segment_value(dataset, gate.by, name) for name in omitted]
        parts.append(prose.line("requirement.without", segments=names))
    return ", ".join(parts)


def _name_gap_groups(dataset: DatasetInfo, gate: GateResult) -> str:
    """Name the segments between which a gap lies: two, or all of a column; else nothing."""
    if not gate.between:
        by = format_segment_column(dataset, gate.by)
        return prose.line("gap.all_segments", by=by) if gate.by else ""
    first, second = (format_segment_value(dataset, gate.by, name) for name in gate.between)
    by = format_segment_column(dataset, gate.by)
    return prose.line("gap.two_segments", first=first, second=second, by=by)


def _needs_more(gate: GateResult, metric: MetricInfo) -> bool:
    """Tell whether the interval must lie above the bound."""
    if gate.is_of_gap:
        return False
    return metric.better == "higher" if gate.is_of_difference else gate.rule not in _BELOW


def _compute_needs(gate: GateResult, metric: MetricInfo) -> Number:
    """Compute the bound for the interval; None if the gate's reason says everything."""
    if gate.bound is None or gate.rule == "not_worse_than_previous":
        return None
    if gate.status == "cannot tell" and (gate.low, gate.high) == (None, None) and gate.reason:
        return None
    if not gate.is_of_difference or gate.is_of_gap:
        return gate.bound
    loss = gate.bound if gate.rule == "better" else -gate.bound
    return round_number(loss if metric.better == "higher" else -loss)
