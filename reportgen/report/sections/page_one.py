"""Page one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose

from reportgen.report import prose
from reportgen.report.conclusion import conclude, requirements
from reportgen.report.conclusion.answer import rank_models
from reportgen.report.document import (
    Block,
    Bullets,
    Callout,
    Cell,
    Header,
    Phrase,
    Section,
    SideBySide,
    Span,
    Table,
    TableColumn,
    Tone,
    make_phrase,
)
from reportgen.report.sections import classification, page_one_tables
from reportgen.report.sections.cells import BY_BINS, add_bin_bound, capitalize_verdict
from reportgen.report.sections.index import Index
from reportgen.report.sections.page_one_tables import CAUTION_SIGNS, build_part_tables
from reportgen.report.wording import answers, classes, cost_advice, numbers, verdicts
from reportgen.report.wording.answers import describe_best, describe_level_best, use_case_unit
from reportgen.report.wording.names import (
    capitalize,
    clean_name,
    clean_prose,
    format_segment,
    lower_first_word,
)
from reportgen.report.wording.verdicts import (
    NOT_ADJUSTED,
    choose_row_tone,
    format_margin,
)
from reportgen.results import Results
from reportgen.results.conclusion import BestAction, Conclusion, HeadlineComparison, Requirement
from reportgen.results.core import DatasetInfo, MetricInfo
from reportgen.results.verdicts import word_side

_LONG = 200


def build_header(results: Results) -> Header:
    """Build the header; the date is the run's own, as provenance recorded it."""
    info = results.report
    return Header(
        title=clean_name(info.title, _LONG),
        id=clean_name(info.id or "", _LONG),
        question=clean_name(info.question or "", 2 * _LONG),
        status=info.status,
        status_reason=clean_name(info.status_reason, _LONG),
        classification=clean_name(info.classification or "", _LONG),
        date=get_date(results),
        audience=clean_name(info.audience or "", _LONG),
    )


def get_date(results: Results) -> str:
    """Return the time of the run, ISO 8601, as provenance recorded it."""
    return str(results.provenance.get("time", ""))


MOST_REQUIREMENTS = 5
_TONES: dict[str, Tone] = {"met": "good", "not met": "bad", "cannot tell": "open"}


def build_requirements_table(
    index: Index, shown: Sequence[Requirement], table_id: str, title: str, caption: str
) -> Table:
    """Build one row for each requirement: what it needs, its value, its status."""
    return Table(
        table_id,
        caption,
        (
            TableColumn("Requirement", is_numeric=False),
            TableColumn("Needs"),
            TableColumn("Found"),
            TableColumn(f"{numbers.format_level(index.results.inference.level)} CI"),
            TableColumn("Status", is_numeric=False),
        ),
        tuple(_build_requirement_row(index, each) for each in shown),
        is_stacked=True,
        title=title,
    )


def _build_requirement_row(index: Index, each: Requirement) -> tuple[Cell, ...]:
    metric = use_case_unit(get_metric(index, each.key), index.main)
    unit = requirements.get_requirement_unit(each, metric)
    form = numbers.NumberFormat(each.decimals, unit, least=2)
    tone: Tone = "bad" if each.is_failure else _TONES.get(each.status, "neutral")
    word = capitalize(prose.term("status", each.status))
    is_counted = each.is_failure and each.status != "not met"
    status = Cell(word, "counts as failed" * is_counted, tone=tone, is_strong=True)
    if each.needs is None:
        missing = Cell(numbers.MISSING)
        return Cell(each.name, clean_prose(each.reason, 160)), missing, missing, missing, status
    return (
        Cell(each.name),
        Cell(requirements.format_needs(each, unit), value=each.needs),
        Cell(form.amount(each.value, signed=each.is_difference), value=each.value),
        Cell(form.interval(each.low, each.high, signed=each.is_difference)),
        status,
    )


_DIRECTIONS = {
    "lower": "lower is better",
    "zero": "nearer to 0 is better",
    "one": "nearer to 1 is better",
}


def build_consequences_table(
    index: Index, found: Conclusion, shown: Sequence[HeadlineComparison]
) -> Table:
    """One row for each thing that would change: both values, the difference, a word."""
    first = shown[0]
    about, baseline = (index.short_label(m) for m in (first.candidate, first.baseline))
    level = numbers.format_level(index.results.inference.level)
    asks = {
        "replace": f"What would change with {about} in place of {baseline}?",
        "enough": f"What else is known of {about}?",
        "shift": f"What else is known of {about} beside {baseline}?",
    }.get(found.decision, f"What else would change with {about}?")
    return Table(
        "consequences",
        _format_notes(shown, index.main.name),
        (
            TableColumn("", is_numeric=False),
            TableColumn(baseline),
            TableColumn(about),
            TableColumn("Difference", note=f"{level} CI"),
            TableColumn("Verdict", is_numeric=False),
        ),
        tuple(
            _build_consequence(index, row, is_mixed=verdicts.has_mixed_intervals(shown))
            for row in shown
        ),
        is_stacked=True,
        title=asks,
    )


def _format_notes(shown: Sequence[HeadlineComparison], main: str) -> str:
    """Describe what the intervals allow for."""
    here = [row for row in shown if row.dataset == main]
    others = "Of other datasets each has its own CI, not adjusted for their number."
    return " ".join(filter(None, (describe_families(here), others * (len(here) < len(shown)))))


def describe_families(shown: Sequence[HeadlineComparison]) -> str:
    """For how many comparisons of the report the intervals of the table are adjusted."""
    plain = {r.adjusted_for for r in shown if r.segment is None} - {0, 1}
    inside = {r.adjusted_for for r in shown if r.segment is not None} - {0, 1}
    left_out = any(r.adjusted_for == 0 for r in shown)
    if left_out and not plain | inside:
        return "CIs are not adjusted for the number of comparisons."
    parts = [f"{max(plain)} on other metrics"] if plain else []
    parts += [f"{max(inside)} within segments"] if inside else []
    if not parts:
        return ""
    more = f", unless “{NOT_ADJUSTED}” stands beside them" if left_out else ""
    return f"CIs are adjusted for all such comparisons, shown or not: {' and '.join(parts)}{more}."


def _build_consequence(
    index: Index, row: HeadlineComparison, *, is_mixed: bool
) -> tuple[Cell, ...]:
    dataset = index.datasets[row.dataset]
    metric = use_case_unit(get_metric(index, row.key), dataset)
    unit, _, per = metric.unit.partition(" per ")
    form = verdicts.choose_row_format(row, replace(metric, unit=unit))
    name, note = _name_consequence(index, row, metric, f"per {per}" if per else "")
    if row.difference is None:
        said = clean_prose(row.reason, 80)
        return (
            Cell(name, note),
            Cell(numbers.MISSING),
            Cell(numbers.MISSING),
            Cell(numbers.MISSING, said),
            _make_verdict_word_cell(row, metric),
        )
    interval = verdicts.format_row_interval(row, form)
    if is_mixed and row.adjusted_for == 0:
        interval = f"{interval}, {NOT_ADJUSTED}"
    off_by = index.off_by(row.key, row.candidate, row.baseline)
    return (
        Cell(name, note),
        Cell((form.amount(row.baseline_value)), value=row.baseline_value),
        Cell((form.amount(row.value)), value=row.value),
        Cell(
            form.amount(row.difference, signed=True),
            add_bin_bound(interval, off_by, metric),
            value=row.difference,
        ),
        _make_verdict_word_cell(
            row, metric, is_open_by_bins=index.is_open_by_bins(row.key, row.candidate)
        ),
    )


def _make_verdict_word_cell(
    row: HeadlineComparison, metric: MetricInfo, *, is_open_by_bins: bool = False
) -> Cell:
    """Make a cell of the word, the margin it depends on, and whether bins alone keep it open."""
    is_judged = row.margin is not None and row.status == "ok"
    notes = [f"margin {format_margin(row.margin, metric)}"] if is_judged else []
    notes += [BY_BINS] if is_open_by_bins else []
    return Cell(
        capitalize_verdict(row.word), "; ".join(notes), tone=choose_row_tone(row), is_strong=True
    )


def _name_consequence(
    index: Index, row: HeadlineComparison, metric: MetricInfo, per: str
) -> tuple[str, str]:
    """Return the name of what a row is about, and the small line under it."""
    dataset = index.datasets[row.dataset]
    said = answers.metric_heading(metric)
    label = lower_first_word(clean_name(metric.label))
    notes = [label] if label != answers.metric_phrase(metric) else []
    notes += [per] if per else []
    notes += [at] if (at := index.describe_operating_point(metric)) else []
    notes += [_DIRECTIONS[metric.better]] if metric.better in _DIRECTIONS else []
    notes += _describe_majority_class(dataset, metric) if row.segment is None else []
    notes += _describe_top_share(dataset, metric) if row.segment is None else []
    if row.segment is not None:
        share = (numbers.format_percent(row.n / dataset.n)) if dataset.n else ""
        notes.append(f"{numbers.format_count(row.n, *dataset.case)}, {share} of all")
        if row.worst_of is not None and row.worst_of > 1:
            notes.append(f"worst of {row.worst_of} segments")
        segment = format_segment(dataset, row.segment)
        said = f"{segment}{',' if ':' in segment else ':'} {answers.metric_phrase(metric)}"
    elif dataset is not index.main:
        said = f"{said}, dataset {clean_name(row.dataset, 40)}"
        notes.append(numbers.format_count(row.n, *dataset.case))
    return said, "; ".join(notes)


def _describe_majority_class(dataset: DatasetInfo, metric: MetricInfo) -> list[str]:
    """Describe how often the commonest class is right for all rows, where the metric asks that."""
    target = next((c for c in dataset.columns if c.role == "y"), None)
    is_asked = metric.name == "accuracy" and target is not None and target.is_flag
    if (
        not is_asked
        or target is None
        or target.mode_share is None
        or dataset.effective_n is not None
    ):
        return []
    who = "all" if target.mode else "none"
    return [f"calling {who}: {numbers.format_percent(target.mode_share, 1)}"]


def _describe_top_share(dataset: DatasetInfo, metric: MetricInfo) -> list[str]:
    """Describe how many are in the top of a metric of its share.

    Also what one point of it is worth.
    """
    share, target = (
        metric.params.get("share"),
        next((c for c in dataset.columns if c.role == "y" and not c.is_flag), None),
    )
    if metric.name != "topk_capture" or target is None or dataset.weight is not None:
        return []
    if not isinstance(share, float) or target.mean is None:
        return []
    top = (
        f"{numbers.format_count(round(share * dataset.n))} of "
        f"{numbers.format_count(dataset.n, *dataset.case)}"
    )
    point = numbers.choose_format(target.mean * dataset.n / 100, None, None, dataset.unit)
    return [top, f"1 point = {point.amount(target.mean * dataset.n / 100)}"]


def get_metric(index: Index, key: str) -> MetricInfo:
    """Return the metric with this key."""
    return next(metric for metric in index.results.metrics if metric.key == key)


MOST_LIMITS = 4
LONGEST_LIMIT = 160


def build_page_one_section(results: Results) -> Section:
    """Build the blocks of page one, as the conclusion has them."""
    found, index = _get_conclusion(results), Index(results)
    blocks: list[Block] = [_build_answer(index, found)]
    if page_one_tables.has_action_forest(found) and found.action is not None:
        blocks.append(page_one_tables.build_action_forest(index, found.action))
    elif found.rows:
        blocks.append(page_one_tables.build_candidate_forest(index, found))
    shown = (*found.rows[: page_one_tables.has_action_forest(found)], *found.consequences)
    if shown and not found.values:
        blocks.append(build_consequences_table(index, found, shown))
    if found.values:
        blocks.append(_build_values(index, found))
    if _shows_calls(index):
        blocks.append(classification.build_first_point_table(index))
    blocks += build_part_tables(index)
    blocks += _iter_requirements(index, found)
    cautions, limits = _build_caution_bullets(index, found), _build_limits(found)
    blocks.append(cautions if limits is None else SideBySide(((cautions,), (limits,))))
    return Section("decision", "Decision", tuple(blocks))


def _get_conclusion(results: Results) -> Conclusion:
    """Return the conclusion, without an action where a file lacks the costs to describe it."""
    found = results.conclusion or conclude(results)
    is_priced = Index(results).main.name in {costs.dataset for costs in results.costs}
    return found if is_priced else replace(found, action=None)


def _build_answer(index: Index, found: Conclusion) -> Callout:
    """Build the answer, with the paragraph that has the number."""
    is_action = page_one_tables.has_action_forest(found)
    body = [_build_sentence(index, found)] if found.sentence and not is_action else []
    sentences = [] if is_action else list(found.beside)
    if not is_action and (best_model := _find_best_candidate(index, found)):
        sentences.insert(0, _describe_best(index, found, best_model))
    body += [make_phrase(" ".join(sentences))] if sentences else []
    if _shows_calls(index) and (calls_text := classification.describe_first_point(index)):
        body.append(make_phrase(calls_text))
    best = found.action
    if best is not None and best.text and _is_another(found):
        is_first = is_action or (found.decision == "shift" and not best.is_primary)
        body.insert(0 if is_first else 1, _describe_action(index, best))
    if found.sensitivity and not is_action:
        body.append(make_phrase(found.sensitivity))
    return Callout(found.tone, _format_tag(index.results), found.answer, tuple(body), id="answer")


def _shows_calls(index: Index) -> bool:
    """Tell whether the config says where calls begin, and the main dataset has some."""
    return bool(index.main_points and index.results.config.get("thresholds"))


def _format_tag(results: Results) -> str:
    """Format what the answer lacks: a report that is final, a rule that was kept."""
    is_draft = results.report.status == "DRAFT"
    is_changed = results.frozen is not None and not results.frozen.is_kept
    said = ["draft"] * is_draft + ["exploratory"] * is_changed
    return capitalize(", ".join(said))


def _find_best_candidate(index: Index, found: Conclusion) -> str | None:
    """Find the candidate chosen as the best, or that the answer calls best whatever was asked."""
    metric = index.primary
    if metric is None or not found.rows:
        return None
    if found.chosen == "best":
        return found.about
    first = next(iter(rank_models(index, metric)), None)
    if first is None or index.level_with_best(metric.key) != {first}:
        return None
    several = {model.name for model in index.candidates}
    is_told = found.decision == "choose" and len(several) > 1 and first in several
    return first if is_told else None


def _describe_best(index: Index, found: Conclusion, model: str) -> str:
    """Describe that a model has the best value of all candidates, and how far the next one is."""
    metric = index.primary
    assert metric is not None
    order = rank_models(index, metric)
    candidates = len({each.name for each in index.candidates}.intersection(order))
    equal = _list_equal_models(index, model, metric)
    if equal:
        labels = [index.short_label(each) for each in (model, *equal)]
        return describe_level_best(labels, candidates, metric)
    behind = [each for each in order if each != model][:1]
    apart = [
        each
        for each in index.sensitivity.from_best
        if (each.key, each.best, [each.model]) == (metric.key, model, behind)
    ]
    label, following = (index.short_label(each) for each in (model, behind[0] if behind else model))
    row = found.rows[0]
    if model == row.candidate and [model, row.baseline] == order[:2]:  # the sentence has how far
        return f"{label} has the best value of {candidates} candidates; {following} is next."
    return describe_best(
        label,
        candidates,
        following,
        apart[0] if apart else None,
        metric.unit,
        index.results.inference.level,
    )


def _list_equal_models(index: Index, model: str, metric: MetricInfo) -> list[str]:
    """Return the other candidates that have the very value of one, but for rounding."""
    values = {each.name: index.estimate(each.name, metric.key) for each in index.candidates}
    known = {name: e.value for name, e in values.items() if e is not None and e.value is not None}
    return [
        name
        for name, value in known.items()
        if name != model and model in known and isclose(value, known[model], rel_tol=1e-12)
    ]


def _describe_action(index: Index, best: BestAction) -> Phrase:
    """Describe what the action costs, its difference in bold."""
    bold = cost_advice.describe_action_difference(best, page_one_tables.make_action_wording(index))
    before, number, after = best.text.partition(bold)
    return (
        make_phrase(before, Span(number, is_strong=True), after)
        if number
        else make_phrase(best.text)
    )


def _is_another(found: Conclusion) -> bool:
    """Tell whether the best action is asked for.

    Also where it is not the use of the model asked about alone.
    """
    best = found.action
    return best is not None and (
        found.decision == "shift" or (best.model, best.method) != (found.about, "none")
    )


def _build_sentence(index: Index, found: Conclusion) -> Phrase:
    """Build the sentence, its number in bold."""
    metric, said = index.primary, found.sentence
    if not found.rows or metric is None or found.rows[0].difference is None:
        return make_phrase(said)
    shown = use_case_unit(metric, index.main)
    before, number, after = answers.split_at_difference(said, found.rows[0], shown)
    return make_phrase(before, Span(number, is_strong=True), after) if number else make_phrase(said)


def _build_values(index: Index, found: Conclusion) -> Table:
    """One model alone: its value on a metric of each kind."""
    label = index.short_label(found.values[0].model)
    level = numbers.format_level(index.results.inference.level)
    made, finest = [], _collect_decimals(index, found)
    for row in found.values:
        metric = use_case_unit(get_metric(index, row.key), index.main)
        said = answers.metric_heading(metric)
        called = lower_first_word(clean_name(metric.label))
        note = called if called != answers.metric_phrase(metric) else ""
        unit = metric.unit.partition(" per ")[0]
        shown, _, interval = answers.format_metric_value(metric, row, finest.get(unit)).partition(
            " ("
        )
        interval = interval.rstrip(")").partition("CI ")[2] or interval.rstrip(")")
        if row.value is None:
            shown, interval = row.status, clean_prose(row.reason, 80)
        made.append((Cell(said, note), Cell(shown, interval, value=row.value)))
    return Table(
        "values",
        "",
        (TableColumn("Metric", is_numeric=False), TableColumn(label, note=f"{level} CI")),
        tuple(made),
        is_stacked=True,
        title=f"What {'else ' * bool(found.rows)}is known of {label}?",
    )


def _collect_decimals(index: Index, found: Conclusion) -> dict[str, int]:
    """Collect the decimals of the values of each unit: what stands under each other is read so."""
    finest: dict[str, int] = {}
    for row in found.values:
        unit = get_metric(index, row.key).unit.partition(" per ")[0]
        decimals = numbers.choose_format(
            row.value, row.low, row.high, unit, bounds=get_metric(index, row.key).bounds
        ).decimals
        finest[unit] = max(decimals, finest.get(unit, decimals))
    return {unit: decimals for unit, decimals in finest.items() if unit != "1"}


def _build_caution_bullets(index: Index, found: Conclusion) -> Bullets:
    """At most three points; those that a row of the forest refers to have its mark."""
    cited = {row.care for row in found.rows}
    items = tuple(
        make_phrase(
            Span(
                f"{CAUTION_SIGNS[number - 1]} {care.title}" if number in cited else care.title,
                is_strong=True,
            ),
            f" {care.text}",
        )
        for number, care in enumerate(found.cares, 1)
    )
    none = "No caveat was found beyond the limits" if found.limits else "No caveat was found"
    if index.results.warnings:
        none = "Nothing that weighs on the answer was found; Basis has points to check"
    none += f"{classes.describe_untested(index.main_calibrations)}."
    items += tuple(
        make_phrase(Span("Names without a font.", is_strong=True), f" {warning.text}")
        for warning in index.results.warnings
        if warning.code == "W205"
    )
    return Bullets(items or (make_phrase(none),), "Read with care")


def _find_unchecked_action(index: Index, found: Conclusion) -> str:
    """Find the model of the action that is the answer, where no requirement asks anything of it."""
    best = found.action if page_one_tables.has_action_forest(found) else None
    if best is None or best.model in {gate.model for gate in index.results.gates}:
        return ""
    return index.short_label(best.model)


def _iter_requirements(index: Index, found: Conclusion) -> Iterator[Table]:
    """Build the table of requirements, those not met first; yield nothing if there are none."""
    if not found.requirements:
        return
    shown = found.requirements[:MOST_REQUIREMENTS]
    left = len(found.requirements) - len(shown)
    is_gain_open = found.tone != "good" and bool(found.rows) and word_side(found.rows[0].word) <= 0
    summary = requirements.summarize_requirements(
        found.requirements,
        is_gain_open=is_gain_open,
        answer_model=_find_unchecked_action(index, found) or None,
    )
    caption = capitalize(prose.say_plain(summary)) + "."
    is_adjusted = any(row.adjusted_for > 1 for row in (*found.rows, *found.consequences))
    if is_adjusted and any(each.is_difference for each in found.requirements):
        caption += f" {prose.line('requirements.unadjusted')}"
    if left:
        caption += f" {capitalize(prose.line('requirements.rest', count=left))}."
    yield build_requirements_table(index, shown, "requirements", "Requirements", caption)


def _build_limits(found: Conclusion) -> Bullets | None:
    """List the limits that the authors state; None if they state none."""
    lines = [make_phrase(clean_prose(text, LONGEST_LIMIT)) for text in found.limits[:MOST_LIMITS]]
    left = len(found.limits) - len(lines)
    if left:
        lines.append(make_phrase(f"and {numbers.format_count(left, 'other')}; see Method"))
    return Bullets(tuple(lines), "Limits stated by the authors") if lines else None
