"""Scores: every model on every metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.report import prose
from reportgen.report.document import Block, Bullets, Cell, Section, Table, make_phrase
from reportgen.report.sections.cells import (
    make_difference_cell,
    make_estimate_cell,
    make_metric_cell,
    make_reference_cell,
    make_verdict_cell,
    name_verdict,
)
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.tables import ReportColumn, build_table, number_column, word_column
from reportgen.report.wording import numbers, verdicts
from reportgen.report.wording.names import clean_name, clean_prose, join_list, lower_first_word
from reportgen.results import Results
from reportgen.results.core import DatasetInfo, MetricInfo, ModelInfo

MOST_COMPARED = 3
"""Models whose differences stand in the table of values."""
MOST_ACROSS = 4
"""Models, or else metrics, that stand next to each other."""
MOST_REASONS = 4
"""Reasons why a metric has no value, a sentence each."""


def build_scores_section(results: Results) -> Section:
    """Build one table of every metric, and what of it has no value; differences of many models."""
    index = Index(results)
    blocks: list[Block] = list(iter_score_tables(index, index.main))
    if reasons := list(_iter_inapplicable_notes(index)):
        blocks.append(Bullets(tuple(map(make_phrase, reasons))))
    return Section("scores", "Scores", tuple(blocks))


def iter_score_tables(index: Index, dataset: DatasetInfo) -> Iterator[Block]:
    """Yield what every model has on one dataset: one table, or several for many models."""
    where = f" Dataset {clean_name(dataset.name)}." if len(index.tests) > 1 else ""
    suffix = "" if dataset is index.main else f"-{index.tests.index(dataset) + 1}"
    models = len(index.results.models)
    if models <= MOST_ACROSS:
        yield _build_wide_table(index, dataset, f"scores-table{suffix}", where)
    else:
        yield from _iter_long_tables(index, dataset, f"scores-table{suffix}", where)
    if index.baseline is not None and models > MOST_COMPARED:
        yield from fold_for_full_report(
            prose.line("scores.fold", baseline=clean_name(index.baseline.label, 40)),
            [_build_differences(index, dataset, f"differences{suffix}", where)],
        )


def _iter_inapplicable_notes(index: Index) -> Iterator[str]:
    """Yield why metrics have no value for a model, all with the same reason in one sentence."""
    labels: dict[str, dict[str, None]] = {}
    for metric in index.metrics:
        for model in index.results.models:
            found = index.comparison(model.name, metric.key)
            if found is not None and found.status == "not applicable" and found.reason:
                labels.setdefault(found.reason, {})[metric.label] = None
    for reason, metrics in [*labels.items()][:MOST_REASONS]:
        yield prose.line(
            "scores.not_applicable",
            metrics=[lower_first_word(clean_name(label)) for label in metrics],
            reason=clean_prose(reason, 120),
        )


def _sort_by_kind(index: Index) -> list[MetricInfo]:
    """Sort the metrics: the primary one first, then those of its kind, then the others."""
    kinds = list(dict.fromkeys(metric.needs for metric in index.metrics))
    return sorted(index.metrics, key=lambda metric: kinds.index(metric.needs))


def _list_compared(index: Index) -> list[ModelInfo]:
    """List the models that are compared with the baseline, where there is one."""
    is_compared = index.baseline is not None
    return [m for m in index.results.models if is_compared and m.role != "baseline"]


def _build_wide_table(index: Index, dataset: DatasetInfo, id_: str, where: str) -> Table:
    """Tabulate the metrics down and the models across, with the differences of a few."""
    compared = _list_compared(index) if len(index.results.models) <= MOST_COMPARED else []
    return build_table(
        id_,
        f"{_describe_values(index, has_differences=bool(compared))}{where}",
        _sort_by_kind(index),
        word_column("Metric", lambda m: make_metric_cell(index, m)),
        *(_make_value_column(index, model, dataset) for model in index.results.models),
        make_reference_column(index, dataset),
        *(_make_verdict_column(index, model, dataset) for model in compared),
        title=prose.line("scores.title"),
    )


def _describe_values(index: Index, *, has_differences: bool) -> str:
    """Describe what stands in the table of values."""
    is_compared = index.baseline is not None and bool(index.candidates)
    used = {
        found.word
        for model in _list_compared(index)
        for _, found in index.list_comparisons(model.name)
    }
    marks = [
        f"{verdicts.MARKS[word]} {name_verdict(word)}" for word in verdicts.MARKS if word in used
    ]
    return prose.line(
        "scores.caption",
        level=numbers.format_level(index.results.inference.level),
        baseline=index.short_label(index.baseline.name)
        if index.baseline is not None and is_compared
        else "",
        has_differences=has_differences,
        marks="" if has_differences else "; ".join(marks),
        family=max((c.family_size for c in index.results.comparisons), default=1),
    )


def _make_verdict_column(
    index: Index, model: ModelInfo, dataset: DatasetInfo
) -> ReportColumn[MetricInfo]:
    """Make the column of a model's verdicts, each with its difference under it."""

    def make_cell(metric: MetricInfo) -> Cell:
        found = index.comparison(model.name, metric.key, dataset.name)
        if found is None or found.difference is None:
            return make_verdict_cell(found)
        off_by = index.off_by(found.key, found.candidate, found.baseline)
        form = index.choose_form(metric, dataset.name)
        shown = make_difference_cell(found, metric, form, off_by=off_by)
        is_open = index.is_open_by_bins(found.key, found.candidate)
        word = make_verdict_cell(found, index.tone(found), is_open_by_bins=is_open)
        notes = filter(None, (f"{shown.text} ({shown.note})", word.note))
        return Cell(word.text, note="; ".join(notes), value=found.difference, tone=word.tone)

    note = prose.line("scores.benchmark") if model.role == "benchmark" else ""
    title = prose.line("scores.verdict", model=clean_name(model.label, 40))
    return word_column(title, make_cell, note=note)


def _make_value_column(
    index: Index, model: ModelInfo, dataset: DatasetInfo
) -> ReportColumn[MetricInfo]:
    title = clean_name(model.label, 40)
    return number_column(title, lambda m: _make_value(index, model, m, dataset))


def _make_value(index: Index, model: ModelInfo, metric: MetricInfo, dataset: DatasetInfo) -> Cell:
    """Make the cell of a value, after the mark of its verdict where no column has that.

    Why a metric does not apply is said under the table.
    """
    estimate = index.estimate(model.name, metric.key, dataset.name)
    if estimate is not None and estimate.status == "not applicable":
        return Cell(estimate.status, tone="open")
    form = index.choose_form(metric, dataset.name)
    off_by = index.off_by(metric.key, model.name)
    cell = make_estimate_cell(estimate, metric, form, off_by=off_by)
    found = index.comparison(model.name, metric.key, dataset.name)
    if found is None or found.difference is None or len(index.results.models) <= MOST_COMPARED:
        return cell
    mark = verdicts.MARKS[found.word]
    return Cell(f"{mark} {cell.text}", cell.note, cell.value, index.tone(found))


def _iter_long_tables(index: Index, dataset: DatasetInfo, id_: str, where: str) -> Iterator[Table]:
    """Yield tables with the models down and a few metrics across, as many as it takes."""

    def metric_column(metric: MetricInfo) -> ReportColumn[ModelInfo | None]:
        head = make_metric_cell(index, metric)
        return number_column(head.text, lambda model: build_cell(model, metric), note=head.note)

    def build_cell(model: ModelInfo | None, metric: MetricInfo) -> Cell:
        if model is None:
            return build_reference_cell(index, metric, dataset)
        return _make_value(index, model, metric, dataset)

    def build_name(model: ModelInfo | None) -> Cell:
        if model is None:
            return Cell(prose.line("reference.column"))
        return Cell(clean_name(model.label, 40), note=model.role)

    every = _sort_by_kind(index)
    models: list[ModelInfo | None] = [*index.results.models]
    models += [None] * any(index.reference(m.key, dataset.name) for m in every)
    for start in range(0, len(every), MOST_ACROSS):
        metrics = every[start : start + MOST_ACROSS]
        said = _describe_values(index, has_differences=False) if not start else _list_names(metrics)
        yield build_table(
            f"{id_}-{start // MOST_ACROSS + 1}",
            f"{said}{where}",
            models,
            word_column("Model", build_name),
            *map(metric_column, metrics),
            title="" if start else prose.line("scores.title"),
            is_folded=start > 0,
        )


def _build_differences(index: Index, dataset: DatasetInfo, id_: str, where: str) -> Table:
    """Tabulate the metrics down, and across each model's verdict with its difference."""
    assert index.baseline is not None
    baseline = clean_name(index.baseline.label, 40)
    return build_table(
        id_,
        prose.line("scores.differences", baseline=baseline) + where,
        _sort_by_kind(index),
        word_column("Metric", lambda m: make_metric_cell(index, m)),
        *(_make_verdict_column(index, model, dataset) for model in _list_compared(index)),
    )


def _list_names(metrics: Sequence[MetricInfo]) -> str:
    names = join_list([lower_first_word(clean_name(m.label, 40)) for m in metrics])
    return prose.line("scores.more", metrics=names)


def make_reference_column(index: Index, dataset: DatasetInfo) -> ReportColumn[MetricInfo] | None:
    """Make the column of what takes no model; None where no metric has such a value."""
    if not any(index.reference(m.key, dataset.name) for m in index.metrics):
        return None
    title = prose.line("reference.column")
    return number_column(title, lambda m: build_reference_cell(index, m, dataset))


def build_reference_cell(index: Index, metric: MetricInfo, dataset: DatasetInfo) -> Cell:
    """Build the cell of what takes no model, no less precise than the models' values."""
    each = index.reference(metric.key, dataset.name)
    if each is None or each.value is None:
        return Cell("")
    form = index.choose_form(metric, dataset.name)
    own = numbers.refine_format(form, (each.value,), metric.bounds)
    return make_reference_cell(index, each, each.value, own.number(each.value))
