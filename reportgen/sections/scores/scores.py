"""Scores: every model on every metric, differences from the baseline, and two figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import Block, Cell, Section, Table, TableColumn
from reportgen.results import Comparison, DatasetInfo, MetricInfo, ModelInfo, Results
from reportgen.sections.cells import (
    MARK,
    difference_cell,
    estimate_cell,
    fewest_decimals,
    metric_cell,
    verdict_cell,
    whisker_cell,
)
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index
from reportgen.sections.scores.figures import (
    candidates_figure,
    differences_figure,
    values_figure,
)

_MOST_ACROSS = 4


def section(results: Results) -> Section:
    """One table for a pair of models, a table of values and one a candidate for more."""
    index = Index(results)
    blocks: list[Block] = list(tables(index, index.main))
    made = (candidates_figure(index), differences_figure(index), values_figure(index))
    blocks += in_full("All metrics drawn", (figure for figure in made if figure is not None))
    return Section("scores", "Scores", tuple(blocks))


def tables(index: Index, dataset: DatasetInfo) -> Iterator[Block]:
    """Values and differences on one dataset: one table for a pair of models, else several."""
    where = f" Dataset {wording.name(dataset.name)}." if len(index.tests) > 1 else ""
    suffix = "" if dataset is index.main else f"-{index.tests.index(dataset) + 1}"
    if index.baseline is not None and len(index.candidates) == 1:
        yield _pair(index, index.baseline, dataset, f"scores-table{suffix}", where)
        return
    if len(index.results.models) <= _MOST_ACROSS:
        yield _across(index, dataset, f"scores-table{suffix}", where)
    else:
        yield from _down(index, dataset, f"scores-table{suffix}", where)
    if index.baseline is not None:
        baseline = index.baseline
        yield from in_full(
            f"Differences from {wording.name(baseline.label, 40)}",
            (
                _differences(index, candidate, baseline, dataset, f"differences{suffix}-{k}", where)
                for k, candidate in enumerate(index.candidates, 1)
            ),
        )


def _pair(index: Index, baseline: ModelInfo, dataset: DatasetInfo, id_: str, where: str) -> Table:
    candidate = index.candidates[0]
    columns = (
        TableColumn("Metric", is_numeric=False),
        TableColumn(wording.name(baseline.label, 40)),
        TableColumn(wording.name(candidate.label, 40)),
        TableColumn("Difference"),
        TableColumn("Interval", note="the line is 0", is_numeric=False),
        TableColumn(f"{wording.name(candidate.label, 40)} is", is_numeric=False),
    )
    rows = []
    for metric in index.metrics:
        level = index.level_with_best(metric.key, dataset.name)
        found = index.comparison(candidate.name, metric.key, dataset.name)
        both = [index.estimate(m.name, metric.key, dataset.name) for m in (candidate, baseline)]
        fewest = fewest_decimals(both[0], both[1], found, metric)
        rows.append(
            (
                metric_cell(index, metric),
                _value(index, baseline, metric, dataset, level, fewest),
                _value(index, candidate, metric, dataset, level, fewest),
                *_compared(index, found, metric, whisker_cell(found, metric), fewest),
            )
        )
    return Table(id_, f"Values, differences and verdicts.{where}{_mark(index)}", columns,
                 tuple(rows))  # fmt: skip


def _across(index: Index, dataset: DatasetInfo, id_: str, where: str) -> Table:
    """Metrics down, models across."""
    models = index.results.models
    columns = (
        TableColumn("Metric", is_numeric=False),
        *(TableColumn(wording.name(m.label, 40)) for m in models),
    )
    rows = []
    for metric in index.metrics:
        level = index.level_with_best(metric.key, dataset.name)
        values = (_value(index, m, metric, dataset, level) for m in models)
        rows.append((metric_cell(index, metric), *values))
    return Table(id_, f"Values with intervals.{where}{_mark(index)}", columns, tuple(rows))


def _down(index: Index, dataset: DatasetInfo, id_: str, where: str) -> Iterator[Table]:
    """Models down, a few metrics across, in as many tables as it takes."""
    for start in range(0, len(index.metrics), _MOST_ACROSS):
        metrics = index.metrics[start : start + _MOST_ACROSS]
        levels = {m.key: index.level_with_best(m.key, dataset.name) for m in metrics}
        rows = [
            (
                Cell(wording.name(model.label), note=model.role),
                *(_value(index, model, m, dataset, levels[m.key]) for m in metrics),
            )
            for model in index.results.models
        ]
        yield Table(
            f"{id_}-{start // _MOST_ACROSS + 1}",
            f"Values with intervals: {_named(metrics)}.{where}{_mark(index)}",
            (TableColumn("Model", is_numeric=False), *(_headed(index, m) for m in metrics)),
            tuple(rows),
            is_folded=start > 0,
        )


def _differences(
    index: Index,
    candidate: ModelInfo,
    baseline: ModelInfo,
    dataset: DatasetInfo,
    id_: str,
    where: str,
) -> Table:
    columns = (
        TableColumn("Metric", is_numeric=False),
        TableColumn("Difference"),
        TableColumn("Interval", note="the line is 0", is_numeric=False),
        TableColumn(f"{wording.name(candidate.label, 40)} is", is_numeric=False),
    )
    rows = []
    for metric in index.metrics:
        found = index.comparison(candidate.name, metric.key, dataset.name)
        all_ = (index.comparison(c.name, metric.key, dataset.name) for c in index.candidates)
        others = [c for c in all_ if c is not None]
        rows.append(
            (
                metric_cell(index, metric),
                *_compared(index, found, metric, whisker_cell(found, metric, others)),
            )
        )
    caption = f"{wording.name(candidate.label)} minus {wording.name(baseline.label)}.{where}"
    return Table(id_, caption, columns, tuple(rows))


def _value(
    index: Index,
    model: ModelInfo,
    metric: MetricInfo,
    dataset: DatasetInfo,
    level: set[str],
    fewest: int | None = None,
) -> Cell:
    estimate = index.estimate(model.name, metric.key, dataset.name)
    is_level = len(index.results.models) > 1 and model.name in level
    off_by = index.off_by(metric.key, model.name)
    return estimate_cell(estimate, metric, is_level=is_level, off_by=off_by, fewest=fewest)


def _compared(
    index: Index,
    found: Comparison | None,
    metric: MetricInfo,
    whisker: Cell,
    fewest: int | None = None,
) -> tuple[Cell, ...]:
    """A difference, its interval drawn, and the verdict."""
    if found is None:
        return difference_cell(found, metric), whisker, verdict_cell(found)
    off_by = index.off_by(found.key, found.candidate, found.baseline)
    is_open = index.is_open_by_bins(found.key, found.candidate)
    return (
        difference_cell(found, metric, off_by=off_by, fewest=fewest),
        whisker,
        verdict_cell(found, index.tone(found), is_open_by_bins=is_open),
    )


def _headed(index: Index, metric: MetricInfo) -> TableColumn:
    cell = metric_cell(index, metric)
    return TableColumn(cell.text, note=cell.note)


def _named(metrics: Sequence[MetricInfo]) -> str:
    return wording.listed([wording.lowered(wording.name(m.label, 40)) for m in metrics])


def _mark(index: Index) -> str:
    """What the mark says, and on which comparisons it rests."""
    if len(index.results.models) < 2:
        return ""
    said = f" {MARK} marks the best value and every one that is not separated from it"
    if len(index.results.models) == 2:
        return f"{said}."
    info = index.results.inference
    family = "" if info.adjust == "none" else ", while verdicts allow for every comparison"
    return (
        f"{said} by the paired difference, of all models at once "
        f"({wording.level(info.level)} for each metric{family})."
    )
