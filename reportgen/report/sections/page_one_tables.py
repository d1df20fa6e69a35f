"""The forest and the small tables of page one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reportgen.report import prose
from reportgen.report.axis_places import find_linear_places
from reportgen.report.conclusion.references import label_reference
from reportgen.report.conclusion.set_aside import MARKS
from reportgen.report.document import Cell, Forest, ForestRow, Table, TableColumn, Text
from reportgen.report.prose import methods
from reportgen.report.sections.cells import (
    capitalize_verdict,
    compute_axis_ends,
    format_row_interval,
)
from reportgen.report.sections.folds import collect_fold_values, pair_fold_questions
from reportgen.report.sections.index import ClassResults, Index
from reportgen.report.wording import names, numbers, verdicts
from reportgen.report.wording.names import count_comparisons, use_case_unit
from reportgen.report.wording.numbers import NumberFormat, format_ratio
from reportgen.report.wording.verdicts import TONES
from reportgen.results.across_datasets import AcrossComparison
from reportgen.results.conclusion import Conclusion, HeadlineComparison, UsableAction
from reportgen.results.core import Comparison, FoldComparison, MetricInfo
from reportgen.results.types import Number
from reportgen.results.verdicts import decide_verdict, word_side

MOST_ROWS = 12
MOST_ACTIONS = 8


def build_action_forest(index: Index, found: Conclusion) -> Forest:
    """Build a forest of every action next to the baseline as it is, the cheapest first."""
    costs, baseline = index.costs[index.main.name], index.baseline
    assert baseline is not None
    unit = f"{costs.model.money} per {names.clean_name(index.main.case[0])}"
    today = (baseline.name, "none")
    known = [a for a in found.actions if (a.model, a.method) != today and a.difference is not None]
    shown = known[:MOST_ACTIONS]
    low, high = compute_axis_ends(
        -x for a in shown for x in (a.difference, a.low, a.high) if x is not None
    )
    label = index.short_label(baseline.name, 24)
    first = shown[0]
    form = numbers.choose_format(first.difference, first.low, first.high, costs.model.money)
    caption = prose.line(
        "forest.actions",
        baseline=label,
        ratio=format_ratio(costs.model.declared or 0.5),
        level=numbers.format_level(index.results.inference.level),
        family=len(known),
    )
    if left := len(known) - len(shown):
        caption += " " + prose.line("forest.actions_left", count=left)
    return Forest(
        id="actions",
        title=prose.line("forest.title"),
        caption=caption,
        axis=prose.line("forest.actions_axis", unit=unit),
        right=prose.line("forest.actions_right", baseline=label),
        axis_low=low,
        axis_high=high,
        ticks=tuple(_iter_ticks(low, high, -1.0, form)),
        rows=tuple(_build_action_row(index, found, a, form) for a in shown),
    )


def _build_action_row(
    index: Index, found: Conclusion, action: UsableAction, form: NumberFormat
) -> ForestRow:
    difference = _leave_rate(form).amount(action.difference, signed=True)
    interval = form.interval(action.low, action.high, signed=True)
    word = decide_verdict(action.low, action.high, None, "lower")
    made = found.recommendation
    is_used = (action.model, action.method) == (
        next(iter(made.use), ""),
        made.correction or "none",
    )
    ends = [None if x is None else -x for x in (action.difference, action.high, action.low)]
    name = index.short_label(action.model)
    if action.method != "none":
        name = f"{name}, {prose.term('corrected', action.method)}"
    verdict = capitalize_verdict(word)
    return ForestRow(
        name=name,
        difference=difference,
        interval=interval,
        word=verdict,
        tone=TONES[word],
        description=f"{name}: {difference} ({interval}), {verdict}",
        value=ends[0],
        low=ends[1],
        high=ends[2],
        is_strong=is_used,
    )


def build_candidate_forest(index: Index, found: Conclusion) -> Forest:
    """Build every candidate on the primary metric, on one axis where better is to the right."""
    metric = use_case_unit(index.find_metric(found.rows[0].key), index.main)
    shown = found.rows[:MOST_ROWS]
    forms = [verdicts.choose_row_format(row, metric, shown[0]) for row in shown]
    low, high = _compute_axis(shown)
    sign = 1.0 if metric.better == "higher" else -1.0
    baseline = index.short_label(shown[0].baseline, 24)
    return Forest(
        id="candidates",
        title=prose.line("forest.title"),
        caption=_format_caption(index, found, metric, len(found.rows) - len(shown)),
        axis=prose.line("forest.axis", metric=names.metric_phrase(metric)),
        right=prose.line("forest.right", baseline=baseline),
        axis_low=low,
        axis_high=high,
        ticks=tuple(_iter_ticks(low, high, sign, forms[0])),
        rows=(
            *(
                _build_row(index, found, row, form, sign)
                for row, form in zip(shown, forms, strict=True)
            ),
            *_iter_grey_rows(index, metric, shown[0], forms[0]),
        ),
        margin=shown[0].margin,
        notes=tuple(dict.fromkeys(note.note for note in found.set_aside)),
    )


def _format_caption(index: Index, found: Conclusion, metric: MetricInfo, left: int) -> str:
    """Describe the forest: its metric, for how many it is adjusted."""
    row = found.rows[0]
    what = names.lower_first_word(names.clean_name(metric.label))
    baseline = index.short_label(row.baseline)
    said = [
        prose.line(
            "forest.caption",
            baseline=baseline,
            metric=f"{names.distance_prefix(metric)}{what}",
            is_lower=metric.better == "lower",
        )
    ]
    if row.margin is not None:
        margin = verdicts.format_margin(row.margin, metric)
        said.append(prose.line("forest.margin", margin=margin))
    said.append(_describe_family(index, found))
    pairs = (index.comparison(each.candidate, each.key) for each in found.rows)
    wider = [c.times_as_wide for c in pairs if c is not None and c.times_as_wide is not None]
    if wider:
        said.append(prose.line("forest.anytime", times=numbers.format_times(max(wider))))
    if len(index.tests) > 1:
        dataset = names.clean_name(index.main.name, 40)
        said.append(prose.line("forest.dataset", dataset=dataset))
    if shares := methods.describe_prevalence(index.results.config, index.main):
        said.append(prose.line("forest.weights", shares=shares))
    off_by = max(index.off_by(each.key, each.candidate, each.baseline) for each in found.rows)
    if off_by:
        size = numbers.format_bin_offset(off_by, metric.unit)
        said.append(prose.line("forest.bins", size=size))
    if index.main.question is not None:
        is_procedure = index.main.question == "procedure"
        said.append(prose.line("forest.question", is_procedure=is_procedure))
    if left > 0:
        said.append(prose.line("forest.left", count=left))
    return " ".join(said)


def _describe_family(index: Index, found: Conclusion) -> str:
    """Describe for how many comparisons the intervals of the forest are adjusted."""
    level = numbers.format_level(index.results.inference.level)
    family = max(row.adjusted_for for row in found.rows)
    if index.results.inference.adjust == "none" and len(found.rows) > 1:
        return prose.line("forest.unadjusted", level=level)
    is_asked_alone = found.rows[0].adjusted_for <= 1
    if found.recommendation.decision == "replace" and len(found.rows) > 1 and is_asked_alone:
        return prose.line("forest.asked", level=level, family=family)
    if family > 1:
        return prose.line("forest.choice", level=level, family=family)
    return prose.line("forest.one", level=level)


def _build_row(
    index: Index, found: Conclusion, row: HeadlineComparison, form: NumberFormat, sign: float
) -> ForestRow:
    label = names.start_with_name(index.short_label(row.candidate))
    difference = _leave_rate(form).amount(row.difference, signed=True)
    interval = format_row_interval(row, form) if row.difference is not None else ""
    verdict = capitalize_verdict(row.word)
    mark = f" {MARKS[row.note - 1]}" if row.note is not None else ""
    ends = [None if x is None else sign * x for x in (row.low, row.high)]
    ends.sort(key=lambda x: (x is None, x))
    has_difference = row.difference is not None
    said = f"{label}: {difference} ({interval}), {verdict}"
    return ForestRow(
        name=label,
        difference=difference if has_difference else numbers.MISSING,
        interval=interval,
        word=f"{verdict}{mark}",
        tone="neutral" if row.note is not None else TONES[row.word],
        description=said if has_difference else f"{label}: {verdict}",
        value=None if row.difference is None else sign * row.difference,
        low=ends[0],
        high=ends[1],
        note="" if has_difference else names.clean_prose(row.reason, 120),
        is_strong=row.candidate == found.about,
        amount="" if row.value is None else _leave_rate(form).amount(row.value),
    )


def _iter_grey_rows(
    index: Index, metric: MetricInfo, first: HeadlineComparison, form: NumberFormat
) -> Iterator[ForestRow]:
    """Yield the baseline's value, and the one that takes no model: they have no difference."""
    plain = _leave_rate(form)
    if first.baseline_value is not None:
        name = names.start_with_name(index.short_label(first.baseline))
        note = prose.line("forest.baseline")
        yield _build_grey_row(name, plain.amount(first.baseline_value), note)
    each = index.reference(metric.key)
    if each is not None:
        label = names.capitalize(label_reference(index, each))
        own = numbers.refine_format(plain, (each.value,), metric.bounds)
        yield _build_grey_row(prose.line("reference.column"), own.amount(each.value), label)


def _build_grey_row(name: str, amount: str, note: str) -> ForestRow:
    return ForestRow(
        name=name,
        difference="",
        interval="",
        word="",
        tone="neutral",
        description=f"{name}: {amount}, {note}",
        note=note,
        amount=amount,
    )


def _compute_axis(shown: Sequence[HeadlineComparison]) -> tuple[float, float]:
    """Compute the ends of the axis from all intervals, zero, and the margin, with some room."""
    turn = 1.0 if shown[0].better == "higher" else -1.0
    places = [*(side * (shown[0].margin or 0.0) for side in (-1.0, 1.0))]
    places += [
        turn * x for row in shown for x in (row.difference, row.low, row.high) if x is not None
    ]
    return compute_axis_ends(places)


def _iter_ticks(
    low: float, high: float, sign: float, form: NumberFormat
) -> Iterator[tuple[float, str]]:
    """Yield round places with the differences that stand there."""
    places = find_linear_places(low, high)
    step = float(f"{places[1] - places[0]:.9g}")  # without the error of the subtraction
    for place in places:
        yield place, _format_tick(place * sign, step, form) if place else "0"


def _format_tick(value: float, step: float, form: NumberFormat) -> str:
    decimals = numbers.choose_declared_precision(step, form.unit).decimals
    short = _leave_rate(form)
    said = replace(short, decimals=decimals, least=0).amount(value, signed=True)
    return said.removesuffix(" points").removesuffix(f" {short.unit}")


def _leave_rate(form: NumberFormat) -> NumberFormat:
    """Print “EUR per payment” as EUR: the key line has the whole unit, a row has no room for it."""
    return replace(form, unit=form.unit.partition(" per ")[0])


MOST = 7  # rows of such a table


def build_part_tables(index: Index) -> list[Table | Text]:
    """Build one small table of what the task has: classes, folds or data sets; none else."""
    for made in (_build_class_table(index), _build_fold_table(index), _build_dataset_table(index)):
        if made is not None:
            return [made]
    return []


def _build_class_table(index: Index) -> Table | Text | None:
    """Tabulate the classes on which a model differs most; one sentence where none differs."""
    found = ClassResults(index)
    about, baseline = index.about, index.baseline
    if about is None or baseline is None or not found.metrics:
        return None
    metric = found.leading
    compared = found.comparisons(metric.name, about)
    most = sorted(compared, key=lambda each: _compute_clearness(each[1]), reverse=True)[:MOST]
    if not most:
        return None
    if len(most) < len(compared):
        most.sort(key=lambda each: (not _is_shown(each[1]), -abs(each[1].difference or 0.0)))
    else:
        most = list(compared)
    one, many = found.nouns
    what = names.lower_first_word(names.clean_name(metric.label))
    candidate, other = _format_model(index, about), _format_model(index, baseline.name)
    if all(c.word in ("cannot tell", "no result") for _, c in compared):
        return Text(
            prose.phrase(
                "classes.none",
                candidate=candidate,
                baseline=other,
                metric=what,
                count=len(compared),
                many=many,
            )
        )
    caption = prose.line(
        "classes.caption",
        metric=what,
        one=one,
        many=many,
        cut=len(most) if len(most) < len(compared) else None,
        count=len(compared),
    )
    if few := [found.names[each.value] for each in found.few]:
        caption += " " + prose.line("classes.few", cases=index.main.case[1], classes=few)
    level = numbers.format_level(index.results.inference.level)
    return Table(
        "first-classes",
        caption,
        (
            TableColumn("", is_numeric=False),
            TableColumn(other),
            TableColumn(candidate),
            TableColumn(
                prose.line("changes.difference"), note=prose.line("changes.interval", level=level)
            ),
            TableColumn(prose.line("changes.verdict"), is_numeric=False),
        ),
        tuple(_class_row(found, metric, value, c) for value, c in most),
        title=prose.line(
            "classes.title", many=many, candidate=candidate, baseline=other, metric=what
        ),
    )


def _compute_clearness(c: Comparison) -> tuple[bool, float]:
    """Return whether models are shown to differ, and by how many standard errors they do."""
    far = abs(c.difference or 0.0)
    return _is_shown(c), far / c.se if c.se else 0.0


def _is_shown(c: Comparison) -> bool:
    """Tell whether a word says which side is better."""
    return word_side(c.word) != 0


def _class_row(
    found: ClassResults, metric: MetricInfo, value: str, c: Comparison
) -> tuple[Cell, ...]:
    each = found.find_values(metric.name, value)
    known = {e.model: e.value for e in each.estimates} if each else {}
    ends = [known.get(model) for model in (c.baseline, c.candidate)]
    form = verdicts.choose_pair_format(c, metric, ends)
    limits = verdicts.format_interval(c, form)
    n = numbers.format_count(each.n if each else 0, *found.index.main.case)
    n = "" if found.is_of_flagged else n  # of its rows those alone are known that were looked at
    return (
        Cell(found.names[value], note=n, is_strong=True),
        *(Cell(form.number(end), value=end) for end in ends),
        Cell(form.amount(c.difference, signed=True), limits, value=c.difference),
        Cell(capitalize_verdict(c.word), tone=TONES[c.word]),
    )


def _build_fold_table(index: Index) -> Table | None:
    """Count the folds on which each candidate is ahead.

    A last column gives what the other question answers.
    """
    metric, main = index.leading, index.main
    values, baseline = collect_fold_values(index, metric), index.baseline
    found = [(c, other) for c, other in pair_fold_questions(index, metric) if c.candidate in values]
    if baseline is None or baseline.name not in values or not found:
        return None
    level = numbers.format_level(index.results.inference.level)
    is_procedure = main.question == "procedure"
    other_models = (
        prose.line("folds.these_models") if is_procedure else prose.line("folds.retrained")
    )
    difference = prose.line("folds.difference")
    return Table(
        "first-folds",
        prose.line(
            "folds.caption",
            metric=names.lower_first_word(names.clean_name(metric.label)),
            folds=methods.describe_folds(main),
            is_procedure=is_procedure,
        ),
        (
            TableColumn("", is_numeric=False),
            TableColumn(prose.line("folds.won")),
            TableColumn(prose.line("folds.best"), note=difference),
            TableColumn(prose.line("folds.worst"), note=difference),
            TableColumn(other_models, note=prose.line("folds.difference_interval", level=level)),
        ),
        tuple(_fold_row(index, metric, values, *pair) for pair in found[:MOST]),
        title=prose.line("folds.title", baseline=_format_model(index, baseline.name)),
    )


def _fold_row(
    index: Index,
    metric: MetricInfo,
    values: Mapping[str, Mapping[tuple[str, str], Number]],
    asked: FoldComparison,
    other: FoldComparison,
) -> tuple[Cell, ...]:
    mine, base = values[asked.candidate], values[asked.baseline]
    each = [
        v - b for place, v in mine.items() if v is not None and (b := base.get(place)) is not None
    ]
    sign = -1.0 if metric.better == "lower" else 1.0
    ahead = sum(sign * d > 0 for d in each)
    ordered = sorted(each, key=lambda d: -sign * d)
    ends = (ordered[0], ordered[-1]) if ordered else (None, None)
    form = index.choose_form(metric, index.main.name)
    return (
        Cell(_format_model(index, asked.candidate), is_strong=True),
        Cell(prose.line("folds.count", won=ahead, folds=len(each)), value=ahead),
        *(Cell(form.number(d, signed=True), value=d) for d in ends),
        Cell(
            form.number(other.difference, signed=True),
            form.interval(other.low, other.high, signed=True),
            value=other.difference,
        ),
    )


def _build_dataset_table(index: Index) -> Table | None:
    """Tabulate each model's mean rank, and on how many datasets it is ahead of the baseline."""
    metric, baseline = index.leading, index.baseline
    found = next((each for each in index.results.across if each.key == metric.key), None)
    if found is None or baseline is None:
        return None
    beaten = {c.candidate: c for c in found.comparisons if c.baseline == baseline.name}
    ranked = sorted(
        zip(found.models, found.mean_ranks, strict=True), key=lambda each: each[1] or 0.0
    )
    many = names.clean_name(index.unit_across[1])
    level = numbers.format_level(index.results.inference.level)
    base = index.results.inference.level
    family = max((count_comparisons(c.level, base) for c in beaten.values()), default=1)
    said = [
        prose.line(
            "datasets.caption",
            count=len(found.datasets),
            many=many,
            family=family,
            is_unadjusted=index.results.inference.adjust == "none",
        ),
        _explain_other_verdicts(index, metric, beaten),
    ]
    if (left := len(ranked) - MOST) > 0:
        said.append(prose.line("datasets.left", count=left))
    return Table(
        "first-ranks",
        " ".join(filter(None, said)),
        (
            TableColumn("", is_numeric=False),
            TableColumn(prose.line("datasets.rank")),
            TableColumn(prose.line("datasets.counts")),
            TableColumn(
                prose.line("changes.difference"), note=prose.line("changes.interval", level=level)
            ),
            TableColumn(prose.line("changes.verdict"), is_numeric=False),
        ),
        tuple(
            _rank_row(index, metric, model, rank, beaten.get(model))
            for model, rank in ranked[:MOST]
        ),
        title=prose.line("datasets.title", many=many, baseline=_format_model(index, baseline.name)),
    )


def _explain_other_verdicts(
    index: Index, metric: MetricInfo, pairs: Mapping[str, AcrossComparison]
) -> str:
    """Explain why a verdict here is another than that above; empty if none is."""
    differ = [
        _format_model(index, model)
        for model, c in pairs.items()
        if (plain := index.comparison(model, metric.key)) is not None and plain.word != c.word
    ]
    if not differ:
        return ""
    return prose.line(
        "datasets.other_verdicts",
        models=differ,
        dataset=names.clean_name(index.main.name, 40) if len(index.tests) > 1 else "",
        many=names.clean_name(index.unit_across[1]),
    )


def _rank_row(
    index: Index, metric: MetricInfo, model: str, rank: Number, c: AcrossComparison | None
) -> tuple[Cell, ...]:
    cells = (
        Cell(_format_model(index, model), is_strong=True),
        Cell(numbers.MISSING if rank is None else numbers.format_decimal(rank, 2), value=rank),
    )
    if c is None or c.difference is None:
        return (
            *cells,
            *(
                Cell(prose.line("datasets.baseline") if c is None and k == 0 else "")
                for k in range(3)
            ),
        )
    form = numbers.choose_format(c.difference, c.low, c.high, metric.unit, (0.0,))
    return (
        *cells,
        Cell(f"{c.wins}, {c.ties}, {c.losses}"),
        Cell(
            form.number(c.difference, signed=True),
            form.interval(c.low, c.high, signed=True),
            value=c.difference,
        ),
        Cell(capitalize_verdict(c.word), tone=TONES[c.word]),
    )


def _format_model(index: Index, model: str) -> str:
    return index.short_label(model)
