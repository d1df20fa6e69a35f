"""Folds, and training rows next to test rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Figure,
    Mark,
    Panel,
    Phrase,
    Reference,
    Section,
    Series,
    Table,
    make_phrase,
)
from reportgen.report.prose import methods
from reportgen.report.sections.cells import (
    format_difference_unit,
    make_difference_axis,
    make_metric_name_cell,
)
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.tables import (
    ReportColumn,
    build_table,
    count_column,
    make_bare_estimate_cell,
    make_interval_cell,
    make_value_cell,
    model_column,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import capitalize, clean_name, lower_first_word
from reportgen.report.wording.verdicts import describe_difference_kind
from reportgen.results import Results
from reportgen.results.across_datasets import TrainTestGap
from reportgen.results.core import FoldComparison, MetricInfo, ModelInfo
from reportgen.results.types import Number

_MOST_ROWS = 40
_MOST_PANELS = 3


def build_folds_section(results: Results) -> Section | None:
    """None where one fit scored all rows."""
    index = Index(results)
    if index.main.question is None:
        return None
    blocks: list[Block] = [Bullets(tuple(_iter_fold_phrases(index)))]
    figure = _build_figure(index)
    if figure is not None:
        blocks.append(figure)
    if any(c.dataset == index.main.name for c in results.fold_comparisons):
        blocks.append(_build_questions(index))
    blocks.append(_build_values(index))
    return Section("folds", "Folds", tuple(blocks))


def _iter_fold_phrases(index: Index) -> Iterator[Phrase]:
    main = index.main
    yield prose.phrase(
        "fold_facts.fitted",
        folds=methods.describe_folds(main),
        others=methods.describe_training_folds(main),
        share=methods.format_train_share(main),
    )
    yield prose.phrase("fold_facts.question", question=methods.describe_question(main))
    if main.question == "procedure":
        yield prose.phrase("fold_facts.shared", shared=methods.describe_shared_rows(main))
    else:
        yield prose.phrase("fold_facts.within")
    yield prose.phrase("fold_facts.all_rows")
    keys = index.results.config.get("folds")
    if isinstance(keys, dict) and keys.get("average") == "folds":
        yield prose.phrase("fold_facts.means")
    yield prose.phrase("fold_facts.pooled") if main.is_pooled else prose.phrase("fold_facts.apart")


def pair_fold_questions(
    index: Index, metric: MetricInfo
) -> list[tuple[FoldComparison, FoldComparison]]:
    """Pair the comparisons with the baseline: the question that is asked, and the other one."""
    mine = [
        c
        for c in index.results.fold_comparisons
        if c.dataset == index.main.name
        and c.key == metric.key
        and index.baseline is not None
        and c.baseline == index.baseline.name
    ]
    other = {c.candidate: c for c in mine if not c.is_asked}
    return [(c, other[c.candidate]) for c in mine if c.is_asked and c.candidate in other]


def _build_questions(index: Index) -> Table:
    asked = index.main.question or "procedure"
    level = numbers.format_level(index.results.inference.level)
    against = clean_name(index.baseline.label if index.baseline else "", 40)
    return build_table(
        "folds-questions",
        prose.line("folds.questions", baseline=against, level=level),
        [
            (metric, *pair)
            for metric in index.metrics
            for pair in pair_fold_questions(index, metric)
        ],
        word_column("Metric", lambda row: make_metric_name_cell(row[0])),
        model_column(index, lambda row: row[1].candidate, "Candidate"),
        number_column("Difference", lambda row: _build_difference(index, row[1], row[0])),
        number_column(
            prose.term("fold_question", asked),
            lambda row: _build_interval(index, row[1], row[0]),
            note="decides",
        ),
        number_column(
            prose.term("fold_question", "fitted" if asked == "procedure" else "procedure"),
            lambda row: _build_interval(index, row[2], row[0]),
            note=prose.line("fold_question.other"),
        ),
    )


def _build_interval(index: Index, found: FoldComparison, metric: MetricInfo) -> Cell:
    form = index.choose_form(metric, found.dataset)
    text = form.interval(found.low, found.high, signed=True)
    return Cell(text, note="" if found.p_value is None else numbers.format_p_value(found.p_value))


def collect_fold_values(
    index: Index, metric: MetricInfo
) -> dict[str, dict[tuple[str, str], Number]]:
    """Collect the leading metric by model, and by round and fold."""
    found: dict[str, dict[tuple[str, str], Number]] = {}
    for v in index.results.fold_values:
        if v.dataset == index.main.name and v.key == metric.key:
            found.setdefault(v.model, {})[v.round, v.fold] = v.value
    return found


def _name_fold(place: tuple[str, str]) -> str:
    name, fold = (clean_name(each, 20) for each in place)
    return prose.line("fold_figure.fold", round=name, fold=fold)


def _build_figure(index: Index) -> Figure | None:
    """Each fold's difference on the leading metric, under that of all rows with its interval."""
    metric = index.leading
    values = collect_fold_values(index, metric)
    pairs = [pair for pair, _ in pair_fold_questions(index, metric) if pair.candidate in values]
    if index.baseline is None or index.baseline.name not in values or not pairs:
        return None
    base = values[index.baseline.name]
    if len(base) > _MOST_ROWS:
        return None
    shown = [
        (pair, _list_differences(values[pair.candidate], base)) for pair in pairs[:_MOST_PANELS]
    ]
    models = {m.name: m for m in index.results.models}
    panels = tuple(_build_panel(index, metric, models[c.candidate], c, d) for c, d in shown)
    first, drawn = shown[0]
    return Figure(
        "folds-differences",
        "forest",
        _format_title(index, metric, first, drawn),
        prose.line(
            "fold_figure.caption",
            baseline=clean_name(index.baseline.label, 40),
            level=numbers.format_level(first.level),
            question=methods.describe_question(index.main),
        ),
        " ".join(
            f"{_name_fold(place)}: {_format_fold_difference(value, first, metric)}."
            for place, value in drawn
        ),
        panels,
        shares_axes=True,
        shares_rows=True,
    )


def _format_fold_difference(value: Number, found: FoldComparison, metric: MetricInfo) -> str:
    """Format a fold's difference with as many digits as the interval of the overall difference."""
    form = numbers.choose_format(found.difference, found.low, found.high, metric.unit, (0.0,))
    return form.number(value, signed=True)


def _list_differences(
    candidate: dict[tuple[str, str], Number], baseline: dict[tuple[str, str], Number]
) -> list[tuple[tuple[str, str], Number]]:
    found = []
    for place, value in candidate.items():
        other = baseline.get(place)
        known = value is not None and other is not None
        found.append((place, value - other if known else None))  # type: ignore[operator]
    return found


def _format_title(
    index: Index,
    metric: MetricInfo,
    found: FoldComparison,
    drawn: Sequence[tuple[tuple[str, str], Number]],
) -> str:
    known = [value for _, value in drawn if value is not None]
    better = sum((value > 0) == (metric.better == "higher") and value != 0 for value in known)
    return prose.line(
        "fold_figure.title",
        model=index.short_label(found.candidate),
        won=better,
        folds=len(known),
        metric=lower_first_word(clean_name(metric.label)),
    )


def _build_panel(
    index: Index,
    metric: MetricInfo,
    model: ModelInfo,
    found: FoldComparison,
    drawn: Sequence[tuple[tuple[str, str], Number]],
) -> Panel:
    places = [(place, value) for place, value in drawn]
    ticks = (
        (1.0, prose.line("fold_figure.all")),
        *((float(k), _name_fold(p)) for k, (p, _) in enumerate(places, 2)),
    )
    nothing: tuple[Number, ...] = (None,) * len(places)
    mark: Mark = "open"
    marks: tuple[Mark, ...] = ("filled", *(mark for _ in places))
    role = index.role(model.name)
    series = Series(
        clean_name(model.label, 40),
        role,
        (found.difference, *(value for _, value in places)),
        tuple(place for place, _ in ticks),
        (found.low, *nothing),
        (found.high, *nothing),
        marks=marks,
        has_markers=True,
    )
    label = prose.line(
        "fold_figure.axis",
        kind=describe_difference_kind(metric, 40),
        unit=format_difference_unit(metric),
    )
    return Panel(
        clean_name(model.label, 40),
        make_difference_axis(metric, label),
        Axis("", low=0.5, high=len(ticks) + 0.5, ticks=ticks),
        (series,),
        (Reference(prose.line("curve_lines.no_difference"), x=(0.0,)),),
    )


def _build_values(index: Index) -> Table:
    metric = index.leading
    values = collect_fold_values(index, metric)
    sizes = {
        (v.round, v.fold): v.n for v in index.results.fold_values if v.dataset == index.main.name
    }

    def value_column(model: ModelInfo) -> ReportColumn[tuple[tuple[str, str], int]]:
        return number_column(
            clean_name(model.label, 40),
            lambda row: _fold_value(values[model.name].get(row[0]), metric),
        )

    return build_table(
        "folds-values",
        prose.line("fold_figure.table", metric=clean_name(metric.label)),
        list(sizes.items())[:_MOST_ROWS],
        word_column("Fold", lambda row: capitalize(_name_fold(row[0]))),
        count_column("Rows", lambda row: row[1]),
        *(value_column(model) for model in index.results.models if model.name in values),
        is_folded=True,
    )


def _fold_value(value: Number, metric: MetricInfo) -> Cell:
    if value is None:
        return Cell(numbers.MISSING)
    return Cell(
        numbers.choose_format(value, None, None, metric.unit, bounds=metric.bounds).number(value),
        value=value,
    )


def build_generalization_section(results: Results) -> Section | None:
    """None where no dataset is there to fit on, or it shares rows with those judged."""
    index = Index(results)
    gaps = [each for each in results.fresh_gaps if each.dataset == index.main.name]
    metrics = {each.key: each for each in results.metrics}
    if not gaps:
        return None
    first = metrics[index.leading.key if index.leading else gaps[0].key]
    labelled = [(index.label(each.model), each) for each in gaps if each.key == first.key]
    lines = methods.describe_generalization(labelled, first, index.main) if labelled else []
    said = (Bullets(tuple(map(make_phrase, lines))),) if lines else ()
    ordered = sorted(gaps, key=lambda gap: gap.key != first.key)
    table = _build_table(index, metrics, ordered)
    folded = fold_for_full_report(prose.line("fresh.table"), [table])
    return Section("fresh", prose.line("fresh.title"), (*said, *folded))


def _build_table(index: Index, metrics: dict[str, MetricInfo], gaps: list[TrainTestGap]) -> Table:
    level = numbers.format_level(gaps[0].level)
    firsts = {gap.key: gap for gap in reversed(gaps)}

    def choose_form(gap: TrainTestGap) -> numbers.NumberFormat:
        form = numbers.choose_format(gap.difference, gap.low, gap.high, gap.fresh.unit, (0.0,))
        values = gap.fitted.value, gap.fresh.value
        return numbers.refine_format(form, values, metrics[gap.key].bounds)

    def make_gap_cell(gap: TrainTestGap) -> Cell:
        form = choose_form(gap)
        return make_interval_cell(form, gap.difference, gap.low, gap.high, signed=True)

    return build_table(
        "fresh-gaps",
        prose.line("fresh.caption", fit=clean_name(gaps[0].fit, 40), level=level),
        gaps,
        word_column(
            "Metric",
            lambda gap: clean_name(metrics[gap.key].label, 40) if gap is firsts[gap.key] else "",
        ),
        model_column(index, lambda gap: gap.model),
        number_column("Fitted", lambda gap: make_bare_estimate_cell(gap.fitted, choose_form(gap))),
        number_column("Test", lambda gap: make_bare_estimate_cell(gap.fresh, choose_form(gap))),
        number_column("Gap", make_gap_cell),
    )


def _build_difference(index: Index, found: FoldComparison, metric: MetricInfo) -> Cell:
    form = index.choose_form(metric, found.dataset)
    return make_value_cell(form, found.difference, signed=True)
