"""Page one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reportgen.report import prose
from reportgen.report.conclusion import conclude, requirements, write_page
from reportgen.report.conclusion.recommendation import BETTER
from reportgen.report.document import (
    Block,
    Bullets,
    Callout,
    Cell,
    Header,
    Section,
    SignOff,
    Span,
    Table,
    TableColumn,
    Tone,
    make_phrase,
)
from reportgen.report.prose.marks import Marked, parse_marks, remove_marks
from reportgen.report.sections import classification, page_one_tables
from reportgen.report.sections.cells import (
    add_bin_bound,
    capitalize_verdict,
    format_row_interval,
    make_reference_cell,
)
from reportgen.report.sections.index import Index
from reportgen.report.sections.input_checks import (
    build_checked_table,
    build_found_table,
    iter_stop_points,
)
from reportgen.report.sections.page_one_tables import build_part_tables
from reportgen.report.selection import Selection
from reportgen.report.wording import names, numbers, verdicts
from reportgen.report.wording.names import (
    capitalize,
    clean_name,
    clean_prose,
    format_segment,
    lower_first_word,
    start_with_name,
    use_case_unit,
)
from reportgen.report.wording.verdicts import TONES, format_margin
from reportgen.results import Results
from reportgen.results.conclusion import Conclusion, HeadlineComparison, Requirement
from reportgen.results.core import DatasetInfo, MetricInfo
from reportgen.results.recommendation import Answer
from reportgen.results.references import ReferenceValue
from reportgen.terms import LIMITS

_LONG = 200


def build_header(results: Results) -> Header:
    """Build the header; the date is the run's own, as provenance recorded it."""
    info, declared = results.report, results.config.get("report")
    is_declared = isinstance(declared, Mapping) and declared.get("status") is not None
    conclusion = results.conclusion
    question = info.question if conclusion is None else conclusion.question
    has_status = is_declared or bool(info.sign_off)
    replaced = len(prose.get_messages().own)
    return Header(
        title=clean_name(info.title, _LONG),
        id=clean_name(info.id or "", _LONG),
        question=clean_name(question or "", 2 * _LONG),
        status=info.status if has_status else "",
        status_reason=clean_name(info.status_reason, _LONG) if has_status else "",
        classification=clean_name(info.classification or "", _LONG),
        date=get_date(results),
        audience=clean_name(info.audience or "", _LONG),
        note=prose.line("header.replaced", count=replaced) if replaced else "",
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
    level = numbers.format_level(index.results.inference.level)
    return Table(
        table_id,
        caption,
        (
            TableColumn(prose.line("requirements.requirement"), is_numeric=False),
            TableColumn(prose.line("requirements.needs")),
            TableColumn(prose.line("requirements.found")),
            TableColumn(prose.line("changes.interval", level=level)),
            TableColumn(prose.line("requirements.status"), is_numeric=False),
        ),
        tuple(_build_requirement_row(index, each) for each in shown),
        title=title,
    )


def _build_requirement_row(index: Index, each: Requirement) -> tuple[Cell, ...]:
    metric = use_case_unit(index.find_metric(each.key), index.main)
    unit = requirements.get_requirement_unit(each, metric)
    form = requirements.choose_requirement_format(each, unit)
    tone: Tone = "bad" if each.is_failure else _TONES.get(each.status, "neutral")
    word = capitalize(prose.term("status", each.status))
    is_counted = each.is_failure and each.status != "not met"
    counted = prose.line("requirements.counts_as_failed")
    status = Cell(word, counted * is_counted, tone=tone, is_strong=True)
    about = [clean_prose(each.gate, 60), clean_prose(each.reason, 160)]
    name = Cell(each.name, ": ".join(filter(None, about)))
    if each.needs is None:
        missing = Cell(numbers.MISSING)
        return name, missing, missing, missing, status
    return (
        name,
        Cell(requirements.format_needs(each, unit), value=each.needs),
        Cell(requirements.format_found(each, form), value=each.value),
        Cell(requirements.format_limits(each, form)),
        status,
    )


def build_consequences_table(
    index: Index, found: Conclusion, shown: Sequence[HeadlineComparison]
) -> Table:
    """Build one row for each thing that changes: both values, the difference, the verdict."""
    first = shown[0]
    about, baseline = (index.short_label(m) for m in (first.candidate, first.baseline))
    has_references = any(_find_reference(index, row) is not None for row in shown)
    level = numbers.format_level(index.results.inference.level)
    if found.recommendation.decision in ("enough", "shift", "rank"):
        title = prose.line("changes.enough", model=about)
    else:
        title = prose.line("changes.replace", model=about)
    return Table(
        "consequences",
        _format_notes(index, shown),
        (
            TableColumn("", is_numeric=False),
            TableColumn(start_with_name(baseline)),
            TableColumn(start_with_name(about)),
            *([TableColumn(prose.line("reference.column"))] if has_references else []),
            TableColumn(
                prose.line("changes.difference"), note=prose.line("changes.interval", level=level)
            ),
            TableColumn(prose.line("changes.verdict"), is_numeric=False),
        ),
        tuple(_build_consequence(index, row, has_reference=has_references) for row in shown),
        title=title,
    )


def _format_notes(index: Index, shown: Sequence[HeadlineComparison]) -> str:
    """Describe for how many comparisons the intervals are adjusted."""
    here = [row for row in shown if row.dataset == index.main.name]
    metrics = max((row.adjusted_for for row in here if row.segment is None), default=1)
    segments = max((row.adjusted_for for row in here if row.segment is not None), default=1)
    said = []
    if index.results.inference.adjust == "none":
        said.append(prose.line("changes.unadjusted"))
    elif metrics > 1 or segments > 1:
        said.append(
            prose.line(
                "changes.families",
                metrics=metrics if metrics > 1 else None,
                segments=segments if segments > 1 else None,
            )
        )
    if len(here) < len(shown):
        said.append(prose.line("changes.other_datasets"))
    return " ".join(said)


def _build_consequence(
    index: Index, row: HeadlineComparison, *, has_reference: bool
) -> tuple[Cell, ...]:
    dataset = index.datasets[row.dataset]
    metric = use_case_unit(index.find_metric(row.key), dataset)
    unit, _, per = metric.unit.partition(" per ")
    form = verdicts.choose_row_format(row, replace(metric, unit=unit))
    name, note = _name_consequence(index, row, metric, per)
    word = _make_verdict_cell(
        row, metric, is_open_by_bins=index.is_open_by_bins(row.key, row.candidate)
    )
    if row.difference is None:
        said = clean_prose(row.reason, 80)
        missing = Cell(numbers.MISSING)
        without = (missing,) if has_reference else ()
        return Cell(name, note), missing, missing, *without, Cell(numbers.MISSING, said), word
    interval = format_row_interval(row, form)
    off_by = index.off_by(row.key, row.candidate, row.baseline)
    return (
        Cell(name, note),
        Cell((form.amount(row.baseline_value)), value=row.baseline_value),
        Cell((form.amount(row.value)), value=row.value),
        *([_build_reference_cell(index, row, form)] if has_reference else []),
        Cell(
            form.amount(row.difference, signed=True),
            add_bin_bound(interval, off_by, metric),
            value=row.difference,
        ),
        word,
    )


def _find_reference(index: Index, row: HeadlineComparison) -> tuple[ReferenceValue, float] | None:
    """Find what takes no model on the rows that a line is about, with its value there."""
    each = index.reference(row.key, row.dataset)
    if each is None:
        return None
    value = each.value if row.segment is None else each.segments.get(row.segment)
    return None if value is None else (each, value)


def _build_reference_cell(
    index: Index, row: HeadlineComparison, form: numbers.NumberFormat
) -> Cell:
    found = _find_reference(index, row)
    if found is None:
        return Cell("")
    bounds = index.find_metric(row.key).bounds
    own = numbers.refine_format(form, found[1:], bounds)
    return make_reference_cell(index, *found, own.amount(found[1]))


def _make_verdict_cell(
    row: HeadlineComparison, metric: MetricInfo, *, is_open_by_bins: bool = False
) -> Cell:
    """Make a cell of the verdict, the margin it depends on, and whether bins alone keep it open."""
    notes = []
    if row.margin is not None and row.status == "ok":
        notes.append(prose.line("changes.margin", margin=format_margin(row.margin, metric)))
    notes += [prose.line("changes.open_by_bins")] if is_open_by_bins else []
    word = capitalize_verdict(row.word)
    return Cell(word, "; ".join(notes), tone=TONES[row.word], is_strong=True)


def _name_consequence(
    index: Index, row: HeadlineComparison, metric: MetricInfo, per: str
) -> tuple[str, str]:
    """Return the name of what a row is about, and the small line under it."""
    dataset = index.datasets[row.dataset]
    said = names.metric_heading(metric)
    label = lower_first_word(clean_name(metric.label))
    notes = [label] if label != names.metric_phrase(metric) else []
    notes += [prose.line("changes.per", case=per)] if per else []
    notes += [at] if (at := index.describe_operating_point(metric)) else []
    if metric.better != "higher":
        notes.append(prose.term("direction", metric.better))
    notes += _describe_top_share(dataset, metric) if row.segment is None else []
    if row.segment is not None:
        whole = index.comparison(row.candidate, row.key, row.dataset)  # rows the metric counts
        of = dataset.n if whole is None else whole.n
        share = numbers.format_percent(row.n / of) if of else ""
        count = numbers.format_count(row.n, *dataset.case)
        notes.append(prose.line("changes.share_of_rows", count=count, share=share))
        if row.worst_of is not None and row.worst_of > 1:
            fewest = LIMITS["W203"]["fewest"]
            has_smaller = any(each.n < fewest <= row.n for each in dataset.segments)
            least = numbers.format_count(int(fewest), *dataset.case) if has_smaller else ""
            notes.append(prose.line("changes.worst_of", count=row.worst_of, fewest=least))
        said = prose.line(
            "changes.in_segment",
            metric=names.metric_phrase(metric),
            segment=format_segment(dataset, row.segment),
        )
    elif dataset is not index.main:
        said = prose.line(
            "changes.in_dataset",
            metric=names.metric_phrase(metric),
            dataset=clean_name(row.dataset, 40),
        )
        notes.append(numbers.format_count(row.n, *dataset.case))
    return said, "; ".join(notes)


def _describe_top_share(dataset: DatasetInfo, metric: MetricInfo) -> list[str]:
    """Describe how many are in the top of a metric of its share, and what one point is worth."""
    share, target = (
        metric.params.get("share"),
        next((c for c in dataset.columns if c.role == "y" and not c.is_flag), None),
    )
    if metric.name != "topk_capture" or target is None or dataset.weight is not None:
        return []
    if not isinstance(share, float) or target.mean is None:
        return []
    top = prose.line(
        "changes.top",
        count=numbers.format_count(share * dataset.n),
        rows=numbers.format_count(dataset.n, *dataset.case),
    )
    worth = target.mean * dataset.n / 100
    point = numbers.choose_format(worth, None, None, dataset.unit)
    return [top, prose.line("changes.point", amount=point.amount(worth))]


MOST_LIMITS = 4
LONGEST_LIMIT = 160
_ANSWER_TONES: Mapping[Answer, Tone] = {
    "yes": "good",
    "no": "bad",
    "cannot tell": "neutral",
    "no verdict": "stop",
}


def build_page_one_section(results: Results) -> Section:
    """Build the blocks of page one, as the conclusion has them."""
    found, index = results.conclusion or conclude(results), Index(results)
    blocks: list[Block] = [_build_answer(index, found)]
    if found.actions:
        blocks.append(page_one_tables.build_action_forest(index, found))
    elif found.rows:
        blocks.append(page_one_tables.build_candidate_forest(index, found))
    shown = found.consequences
    if shown:
        blocks.append(build_consequences_table(index, found, shown))
    if found.recommendation.is_silent and found.values:
        blocks.append(build_found_table(index, found))
    elif found.values:
        blocks.append(_build_values(index, found))
    if _has_thresholds(index) and not found.recommendation.is_silent:
        blocks.append(classification.build_flagging_table(index))
    blocks += build_part_tables(index)
    blocks += _iter_requirements(index, found)
    checked = build_checked_table(index, found)
    blocks += [] if checked is None else [checked]
    limits = _build_limits(found, results)
    blocks += [] if limits is None else [limits]
    blocks += _list_sign_off(results)
    return Section("decision", "Decision", tuple(blocks))


def _list_sign_off(results: Results) -> list[SignOff]:
    """List the lines for those who sign; none where the config names nobody."""
    people = tuple(
        (
            clean_name(person.get("name", "")),
            clean_name(person.get("role", "")),
            clean_name(person.get("decision", "")),
            clean_name(str(person.get("date", ""))),
        )
        for person in results.report.sign_off
    )
    return [SignOff(people)] if people else []


def _build_answer(index: Index, found: Conclusion) -> Callout:
    """Build the answer, the number that it rests on, and the three points."""
    text = write_page(Selection(index.results), found)
    body = [parse_marks(text.key_line)] if text.key_line else []
    points = text.points
    for title, sentences in (
        (prose.line("point.gain"), points.gain),
        (prose.line("point.drawback"), points.drawback),
        (prose.line("point.unsure"), points.unsure),
    ):
        if sentences:
            said = parse_marks(Marked(" ".join(sentences)))
            body.append((Span(title, is_strong=True), Span(" "), *said))
    body += iter_stop_points(index, found)
    body += [make_phrase(line) for line in found.allowed]
    tone = _ANSWER_TONES[found.recommendation.answer]
    if found.recommendation.answer == "no" and found.recommendation.decision != "replace":
        tone = "neutral"
    return Callout(
        tone, _format_tag(index.results), remove_marks(text.answer), tuple(body), id="answer"
    )


def _has_thresholds(index: Index) -> bool:
    """Tell whether the config declares thresholds, and the main dataset has their outcomes."""
    return bool(index.main_points and index.results.config.get("thresholds"))


def _format_tag(results: Results) -> str:
    """Format what the answer lacks: a rule that was kept."""
    is_kept = results.frozen is None or results.frozen.is_kept
    return "" if is_kept else capitalize(prose.line("tag.exploratory"))


def _build_values(index: Index, found: Conclusion) -> Table:
    """Build a table of one model alone: its value on a metric of each kind."""
    label = index.short_label(found.values[0].model)
    level = numbers.format_level(index.results.inference.level)
    made, finest = [], _collect_decimals(index, found)
    has_references = any(index.reference(row.key) is not None for row in found.values)
    for row in found.values:
        metric = use_case_unit(index.find_metric(row.key), index.main)
        said = names.metric_heading(metric)
        named = lower_first_word(clean_name(metric.label))
        note = named if named != names.metric_phrase(metric) else ""
        unit = metric.unit.partition(" per ")[0]
        form = numbers.choose_format(
            row.value, row.low, row.high, metric.unit, bounds=metric.bounds
        )
        if unit in finest:
            form = replace(form, decimals=finest[unit])
        shown, interval = form.amount(row.value), form.interval(row.low, row.high)
        if row.value is None:
            shown, interval = row.status, clean_prose(row.reason, 80)
        each = index.reference(row.key)
        without = Cell("")
        if each is not None and each.value is not None:
            own = numbers.refine_format(form, (each.value,), metric.bounds)
            without = make_reference_cell(index, each, each.value, own.amount(each.value))
        cells = (Cell(said, note), Cell(shown, interval, value=row.value), without)
        made.append(cells[: 2 + has_references])
    return Table(
        "values",
        "",
        (
            TableColumn(prose.line("values.metric"), is_numeric=False),
            TableColumn(label, note=prose.line("changes.interval", level=level)),
            *([TableColumn(prose.line("reference.column"))] if has_references else []),
        ),
        tuple(made),
        title=prose.line("values.title", model=label),
    )


def _collect_decimals(index: Index, found: Conclusion) -> dict[str, int]:
    """Collect the decimals of the values of each unit: what stands under each other is read so."""
    finest: dict[str, int] = {}
    for row in found.values:
        unit = index.find_metric(row.key).unit.partition(" per ")[0]
        decimals = numbers.choose_format(
            row.value, row.low, row.high, unit, bounds=index.find_metric(row.key).bounds
        ).decimals
        finest[unit] = max(decimals, finest.get(unit, decimals))
    return {unit: decimals for unit, decimals in finest.items() if unit != "1"}


def _iter_requirements(index: Index, found: Conclusion) -> Iterator[Table]:
    """Build the table of requirements, those not met first; yield nothing if there are none."""
    if not found.requirements:
        return
    shown = found.requirements[:MOST_REQUIREMENTS]
    left = len(found.requirements) - len(shown)
    made = found.recommendation
    asked = {each.model: each for each in made.candidates}
    about = asked.get(found.about or "")
    is_gain_open = made.answer == "cannot tell" and about is not None and about.word not in BETTER
    named = made.use[0] if made.decision == "shift" and made.use else None
    is_unchecked = named is not None and named not in {each.model for each in found.requirements}
    summary = requirements.summarize_requirements(
        found.requirements,
        is_gain_open=is_gain_open and made.decision in ("replace", "choose"),
        answer_model=index.short_label(named) if named and is_unchecked else None,
    )
    caption = capitalize(prose.say_plain(summary)) + "."
    if left:
        caption += f" {prose.line('requirements.rest', count=left)}."
    title = prose.line("requirements.title")
    yield build_requirements_table(index, shown, "requirements", title, caption)


def _build_limits(found: Conclusion, results: Results) -> Bullets | None:
    """List the limits that the authors state, and what a review found; None if there is none."""
    lines = [make_phrase(clean_prose(text, LONGEST_LIMIT)) for text in found.limits[:MOST_LIMITS]]
    left = len(found.limits) - len(lines)
    if left:
        others = numbers.format_count(left, "other")
        lines.append(prose.phrase("limits.rest", others=others))
    lines += [
        prose.phrase(
            "limits.finding",
            id=clean_name(each.get("id", "")),
            text=clean_prose(each.get("text", ""), 300),
            said=", ".join(
                clean_prose(each[key], 80)
                for key in ("severity", "owner", "due", "status")
                if each.get(key)
            ),
        )
        for each in results.report.findings
    ]
    return Bullets(tuple(lines), prose.line("limits.title")) if lines else None
