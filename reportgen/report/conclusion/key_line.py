"""Write the line under the answer: the number that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.report import prose
from reportgen.report.conclusion.evidence import are_in_rows, list_options
from reportgen.report.conclusion.input_checks import write_stop
from reportgen.report.conclusion.references import phrase_reference
from reportgen.report.facts import Limits, Quantity
from reportgen.report.prose.marks import Marked
from reportgen.report.selection import Selection
from reportgen.report.wording.names import (
    clean_name,
    is_named,
    lower_first_word,
    metric_phrase,
    pluralize,
    use_case_unit,
)
from reportgen.report.wording.numbers import (
    choose_format,
    format_count,
    format_level,
    refine_format,
)
from reportgen.report.wording.verdicts import choose_row_format, format_margin
from reportgen.results.conclusion import HeadlineComparison, HeadlineValue
from reportgen.results.core import MetricInfo
from reportgen.results.recommendation import Recommendation


def write_key_line(
    found: Selection,
    made: Recommendation,
    rows: Sequence[HeadlineComparison],
    values: Sequence[HeadlineValue],
    model: str,
    answer: str,
) -> Marked:
    """Write the number that the answer rests on; empty where nothing was measured."""
    if made.is_silent and (text := write_stop(found, made.stops[0])):
        return text.evidence
    is_of_action = made.decision == "shift" and not are_in_rows(found, list_options(found))
    if is_of_action and (line := _write_action(found, made)):
        return line
    row = next((row for row in rows if row.candidate == model), None)
    if row is None:
        return _write_value(found, values)
    line = _write_difference(found, made, rows, row, answer)
    if found.results.inference.is_primary_declared:
        return line
    return prose.text("key.first_listed", line=line, metric=metric_phrase(found.leading))


def _write_difference(
    found: Selection,
    made: Recommendation,
    rows: Sequence[HeadlineComparison],
    row: HeadlineComparison,
    answer: str,
) -> Marked:
    """Write the difference of a row with both values, of a model that the answer names or this."""
    metric = use_case_unit(found.find_metric(row.key), found.datasets[row.dataset])
    name = lower_first_word(clean_name(metric.label))
    if row.difference is None:
        return _write_absence(found, name, row, (row.candidate, row.baseline))
    form = choose_row_format(row, metric)
    margin = format_margin(row.margin, metric) if row.margin is not None else ""
    values = [row.value, row.baseline_value]
    if metric.better == "zero":  # a difference of sizes, as the verdict is on them
        values = [None if value is None else abs(value) for value in values]
        name = prose.line("key.absolute", metric=name)
    has_limits, has_values = (row.low, row.high) != (None, None), None not in values
    used = [form.amount(each.value) for each in rows if each.candidate in made.use]
    is_both = has_values and len(made.use) == 2 and len(set(used)) == 1
    label = found.short_label(row.candidate)
    is_of_several = len(made.use) > 1 and not is_both
    return prose.text(
        "key.difference",
        difference=Quantity(row.difference, form),
        level=format_level(row.level),
        limits=Limits(row.low, row.high, form) if has_limits else None,
        family=row.adjusted_for,
        metric=name,
        model=label if is_of_several or not (is_both or is_named(label, answer)) else "",
        extreme=_name_extreme(row, rows, metric) if is_of_several else "",
        value=Quantity(values[0], form) if has_values else None,
        base=Quantity(values[1], form) if has_values else None,
        is_both=is_both,
        rows=_describe_rows(found, row),
        margin=margin,
    )


def _name_extreme(
    row: HeadlineComparison, rows: Sequence[HeadlineComparison], metric: MetricInfo
) -> str:
    """Name the value of a row as the best; empty where a model that is not used has a better."""
    sign = 1.0 if metric.better == "higher" else -1.0
    best = max(sign * each.difference for each in rows if each.difference is not None)
    is_best = row.difference is not None and sign * row.difference >= best
    return prose.line("key.extreme", better=metric.better) if is_best else ""


def _write_absence(
    found: Selection,
    metric: str,
    of: HeadlineComparison | HeadlineValue,
    models: Sequence[str],
) -> Marked:
    """Write why there is no result: which of the cases that its reason names holds, if known."""
    main, is_where = found.datasets[of.dataset], of.reason.startswith("where ")
    equal = [column for column in main.columns if column.distinct == 1] if is_where else []
    case = clean_name(main.case[0])
    if any(column.role == "y" for column in equal):
        return prose.text("key.no_result_equal", metric=metric, case=case)
    if same := [m for m in models if any((c.role, c.model) == ("score", m) for c in equal)]:
        return prose.text(
            "key.no_result_constant",
            metric=metric,
            model=found.short_label(same[0]),
            case=case,
        )
    why = of.reason.rstrip(".")
    return prose.text("key.no_result", metric=metric, reason=why, is_where=is_where)


def _describe_rows(found: Selection, row: HeadlineComparison) -> Marked:
    main = found.datasets[row.dataset]
    clusters = ""
    if main.clusters is not None and main.cluster is not None:
        clusters = f"{format_count(main.clusters)} {pluralize(main.cluster)}"
    is_one_of = len(found.tests) > 1
    return prose.text(
        "key.rows",
        count=format_count(row.n, *main.case),
        clusters=clusters,
        samples=_count_samples(found, row.dataset),
        dataset=clean_name(main.name, 40) if is_one_of else "",
    )


def _count_samples(found: Selection, dataset: str) -> str:
    """Count the samples of each item; empty where each has one, or where there are none."""
    every = found.results.evaluations
    own = next((each for each in every if each.dataset == dataset), None)
    if own is None or own.most <= 1:
        return ""
    if own.fewest == own.most:
        return format_count(own.most, "sample")
    return prose.line("key.samples", fewest=own.fewest, most=own.most)


def _write_value(found: Selection, values: Sequence[HeadlineValue]) -> Marked:
    """Write the value of the metric that decides, where nothing is compared."""
    if not values:
        return Marked("")
    first = values[0]
    metric: MetricInfo = use_case_unit(found.find_metric(first.key), found.main)
    name = lower_first_word(clean_name(metric.label))
    if first.value is None:
        return _write_absence(found, name, first, (first.model,))
    form = choose_format(first.value, first.low, first.high, metric.unit, bounds=metric.bounds)
    count = format_count(found.main.n, *found.main.case)
    has_limits, each = (first.low, first.high) != (None, None), found.reference(first.key)
    base = None
    if each is not None:
        base = Quantity(each.value, refine_format(form, (each.value,), metric.bounds))
    return prose.text(
        "key.value",
        value=Quantity(first.value, form),
        level=format_level(first.level),
        limits=Limits(first.low, first.high, form) if has_limits else None,
        metric=name,
        reference="" if each is None else phrase_reference(found, each),
        base=base,
        rows=count,
    )


def _write_action(found: Selection, made: Recommendation) -> Marked | None:
    """Write what the recommended action costs, or the cheapest that was tried."""
    options = list_options(found)
    assert found.baseline is not None
    today = next((e for e in options if (e.model, e.method) == (found.baseline.name, "none")), None)
    others = [each for each in options if each is not today]
    wanted = (*made.use[:1], made.correction or "none")
    best = next((e for e in others if (e.model, e.method) == wanted), None) or next(
        iter(others), None
    )
    if today is None or best is None or best.saving.value is None:
        return None
    costs = found.costs[found.main.name]
    cases = costs.model.cases
    change = best.saving.opposite.scale(1 / cases)
    form = choose_format(change.value, change.low, change.high, costs.model.money)
    count = format_count(found.main.n, *found.main.case)
    values = [
        Quantity(None if each.cost.value is None else each.cost.value / cases, form)
        for each in (best, today)
    ]
    return prose.text(
        "key.action",
        difference=Quantity(change.value, form),
        level=format_level(found.results.inference.level),
        limits=Limits(change.low, change.high, form),
        family=len(others),
        case=clean_name(found.main.case[0]),
        value=values[0],
        base=values[1],
        rows=count,
    )
