"""Answers to items: more samples or more items, and a judge next to a human."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.report import prose
from reportgen.report.document import Block, Bullets, Cell, Section, Table, make_phrase
from reportgen.report.sections.index import Index
from reportgen.report.sections.tables import (
    ReportColumn,
    build_table,
    count_column,
    make_interval_cell,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import clean_name, clean_prose, lower_first_word
from reportgen.report.wording.verdicts import format_margin
from reportgen.results import Results
from reportgen.results.core import MetricInfo
from reportgen.results.costs import IntervalEstimate
from reportgen.results.evaluations import (
    CorrectedScore,
    Evaluation,
    JudgeAgreement,
    SamplePlan,
    SampleVariance,
)


def find_evaluation(index: Index) -> Evaluation | None:
    """Find what is known of the answers of the dataset that decides."""
    every = index.results.evaluations
    return next((each for each in every if each.dataset == index.main.name), None)


def build_samples_section(results: Results) -> Section | None:
    """Build the table of other numbers of samples; None where nothing is compared by a score."""
    index = Index(results)
    evaluation, metric = find_evaluation(index), index.primary
    if evaluation is None or metric is None:
        return None
    title = prose.line("samples.title")
    own = next(
        (
            each
            for each in evaluation.variances
            if (each.key, each.candidate) == (metric.key, index.about)
        ),
        None,
    )
    if own is None:
        return None
    if not own.plans:
        text = make_phrase(prose.line("samples.one"))
        return Section("samples", title, (Bullets((text,)),))
    return Section("samples", title, (_build_plan_table(index, own, metric),))


def _build_plan_table(index: Index, own: SampleVariance, metric: MetricInfo) -> Table:
    present = find_evaluation(index)
    assert present is not None
    margin = "" if metric.margin is None else format_margin(metric.margin, metric)
    has_items = any(plan.items_to_detect for plan in own.plans)

    def make_se_cell(plan: SamplePlan) -> Cell:
        reach = plan.half_width
        form = numbers.choose_format(reach, 0.0, reach, metric.unit)
        return Cell(numbers.format_size(form, reach), value=reach)

    return build_table(
        "sampling",
        prose.line(
            "samples.caption",
            model=index.short_label(own.candidate),
            baseline=index.short_label(own.baseline),
            metric=lower_first_word(clean_name(metric.label)),
            share=numbers.format_percent(own.share_within),
            samples=present.most,
            clusters=index.main.cluster is not None,
        ),
        own.plans,
        count_column(prose.line("samples.column.samples"), lambda plan: plan.samples),
        number_column(
            prose.line(
                "samples.column.reach",
                level=numbers.format_level(present.level),
                items=numbers.format_count(index.main.n, *index.main.case),
            ),
            make_se_cell,
        ),
        count_column(
            prose.line("samples.column.items", margin=margin), lambda plan: plan.items_to_detect
        )
        if has_items
        else None,
    )


def build_judge_section(results: Results) -> Section | None:
    """Build the tables of a judge and a human; None where no judge was declared."""
    index = Index(results)
    evaluation = find_evaluation(index)
    if evaluation is None or not evaluation.judge:
        return None
    blocks: list[Block] = [Bullets(tuple(map(make_phrase, _iter_favours(index, evaluation))))]
    if evaluation.agreements:
        blocks.append(_build_agreement_table(index, evaluation))
    else:
        blocks = [Bullets((make_phrase(prose.line("judge.no_passes")),))]
    if evaluation.corrected:
        blocks.append(_build_corrected_table(index, evaluation))
    return Section("judge", prose.line("judge.title"), tuple(blocks))


def _iter_favours(index: Index, evaluation: Evaluation) -> Iterator[str]:
    for each in evaluation.favours:
        error = each.error
        form = numbers.choose_format(error.value, error.low, error.high, evaluation.unit)
        ends = (error.low or 0.0, error.high or 0.0)
        yield prose.line(
            "judge.favours",
            model=index.short_label(each.candidate),
            baseline=index.short_label(each.baseline),
            difference=form.number(error.value, signed=True),
            limits=form.interval(error.low, error.high, signed=True),
            has_limits=error.low is not None,
            is_for=ends[0] > 0,
            is_against=ends[1] < 0,
        )


def _build_agreement_table(index: Index, evaluation: Evaluation) -> Table:
    def make_column(name: str, unit: str, read: object) -> ReportColumn[JudgeAgreement]:
        def make_cell(row: JudgeAgreement) -> Cell:
            each: IntervalEstimate = getattr(row, str(read))
            form = numbers.choose_format(each.value, each.low, each.high, unit)
            why = clean_prose(row.reason, 80) if each is row.kappa else ""
            return make_interval_cell(form, each.value, each.low, each.high, missing=why)

        return number_column(name, make_cell)

    def name_answers(row: JudgeAgreement) -> str:
        if row.model is None:
            return prose.line("judge.all")
        return index.short_label(row.model)

    return build_table(
        "agreement",
        prose.line(
            "judge.caption",
            judge=clean_name(evaluation.judge),
            least="" if evaluation.passes_from is None else f"{evaluation.passes_from:g}",
            level=f"{100 * evaluation.level:g}%",
            clusters=clean_name(index.main.cluster or ""),
        ),
        evaluation.agreements,
        word_column(prose.line("judge.column.answers"), name_answers),
        count_column(prose.line("judge.column.both"), lambda row: row.both),
        count_column(prose.line("judge.column.judge"), lambda row: row.judge_alone),
        count_column(prose.line("judge.column.human"), lambda row: row.human_alone),
        count_column(prose.line("judge.column.neither"), lambda row: row.neither),
        make_column(prose.line("judge.column.kappa"), "1", "kappa"),
        make_column(prose.line("judge.column.gwet"), "1", "ac1"),
        make_column(prose.line("judge.column.sensitivity"), "share", "sensitivity"),
        make_column(prose.line("judge.column.specificity"), "share", "specificity"),
    )


def _build_corrected_table(index: Index, evaluation: Evaluation) -> Table:
    def make_cell(row: CorrectedScore, each: IntervalEstimate) -> Cell:
        form = numbers.choose_format(each.value, each.low, each.high, evaluation.unit)
        is_signed = row.baseline is not None
        return make_interval_cell(form, each.value, each.low, each.high, signed=is_signed)

    def make_judge_cell(row: CorrectedScore) -> Cell:
        form = numbers.choose_format(
            row.judge, row.corrected.low, row.corrected.high, evaluation.unit
        )
        return Cell(form.number(row.judge, signed=row.baseline is not None), value=row.judge)

    def name_row(row: CorrectedScore) -> str:
        if row.baseline is None:
            return index.short_label(row.model)
        return prose.line(
            "judge.difference",
            model=index.short_label(row.model),
            baseline=index.short_label(row.baseline),
        )

    return build_table(
        "correction",
        prose.line(
            "judge.corrected_caption",
            judge=clean_name(evaluation.judge),
            least="" if evaluation.passes_from is None else f"{evaluation.passes_from:g}",
            level=f"{100 * evaluation.level:g}%",
        ),
        evaluation.corrected,
        word_column(prose.line("judge.column.of"), name_row),
        number_column(
            prose.line("judge.column.corrected"), lambda row: make_cell(row, row.corrected)
        ),
        number_column(prose.line("judge.column.by_human"), lambda row: make_cell(row, row.human)),
        number_column(prose.line("judge.column.by_judge"), make_judge_cell),
        count_column(prose.line("judge.column.labelled"), lambda row: row.labelled),
        number_column(
            prose.line("judge.column.weight"),
            lambda row: numbers.format_decimal(row.weight or 0.0, 2),
        ),
    )
