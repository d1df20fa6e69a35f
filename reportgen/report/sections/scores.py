"""Scores: every model on every metric, with figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Block,
    Cell,
    Figure,
    Panel,
    Reference,
    Section,
    Series,
    Table,
)
from reportgen.report.sections.cells import (
    MARK,
    build_forest,
    choose_comparison_mark,
    choose_estimate_format,
    choose_fewest_decimals,
    has_drawable_interval,
    make_difference_cell,
    make_estimate_cell,
    make_metric_cell,
    make_reference_cell,
    make_verdict_cell,
    make_whisker_cell,
    name_verdict,
)
from reportgen.report.sections.index import Index, fold_for_full_report, format_money_axis
from reportgen.report.sections.tables import ReportColumn, build_table, number_column, word_column
from reportgen.report.wording import numbers
from reportgen.report.wording.cautions import DIRECTIONS
from reportgen.report.wording.names import clean_name, join_list, lower_first_word
from reportgen.report.wording.verdicts import (
    format_comparison,
    name_intervals,
)
from reportgen.results import Results
from reportgen.results.core import Comparison, DatasetInfo, Estimate, MetricInfo, ModelInfo
from reportgen.results.verdicts import word_side

_MOST_ROWS = 20
_MOST_PANELS = 6
_MOST_CANDIDATES = 4
_Row = tuple[MetricInfo, Comparison, float]


def build_candidates_figure(index: Index) -> Figure | None:
    """Several candidates on the leading metric, in its own unit, as they stand in the config."""
    metric = index.leading
    pairs = [(m, index.comparison(m.name, metric.key)) for m in index.candidates]
    rows = [
        (clean_name(m.label, 40), index.role(m.name), c)
        for m, c in pairs
        if c is not None and has_drawable_interval(c)
    ]
    if len(rows) < 2:
        return None
    better = sum(word_side(c.word) > 0 for _, _, c in rows)
    on = lower_first_word(clean_name(metric.label))
    verb = "is" if better == 1 else "are"
    return build_forest(
        index,
        metric,
        rows,
        id_="scores-candidates",
        title=f"{better} of {len(pairs)} candidates {verb} better than the baseline on {on}",
        reading=f"n = {numbers.format_count(index.main.n)}.",
    )


def build_differences_figure(index: Index) -> Figure | None:
    """Differences of every metric in units of the baseline's standard error, better to the right.

    Differences have many units. The standard error is the one yardstick that every metric has,
    near zero too, where a percentage of the baseline would not do.
    """
    candidates = index.candidates[:_MOST_CANDIDATES]
    rows = {c.name: _list_rows(index, c) for c in candidates}
    if index.baseline is None or not any(rows.values()):
        return None
    return Figure(
        "scores-forest",
        "forest",
        _forest_title(index, candidates),
        _forest_caption(index),
        _forest_description(index, candidates),
        tuple(_forest_panel(index, c, rows[c.name]) for c in candidates if rows[c.name]),
        shares_axes=True,
        table=_forest_table(index, [(c, row) for c in candidates for row in rows[c.name]]),
    )


def build_values_figure(index: Index) -> Figure | None:
    """Each model's value with its interval, one panel a metric on its own axis."""
    metrics = [m for m in index.metrics if _list_known_estimates(index, m)][:_MOST_PANELS]
    if not metrics or len(index.results.models) < 2:
        return None
    level = numbers.format_level(index.results.inference.level)
    rest = len(index.metrics) - len(metrics)
    verb = "is" if rest == 1 else "are"
    more = f" {numbers.format_count(rest, 'more metric')} {verb} in the table." if rest > 0 else ""
    return Figure(
        "scores-values",
        "forest",
        _values_title(index, metrics[0]),
        f"Dots are values, lines {level} intervals of each model alone; two that overlap may still "
        f"differ, since models are compared on the same {clean_name(index.main.case[1])}. "
        f"Axes differ.{more}",
        " ".join(_describe_estimates(index, metric) for metric in metrics),
        tuple(_values_panel(index, metric) for metric in metrics),
        table=_values_table(index, metrics),
    )


def _list_rows(index: Index, candidate: ModelInfo) -> list[_Row]:
    """Metrics whose difference, interval and yardstick are all known."""
    rows = []
    for metric, c in index.list_comparisons(candidate.name):
        base = index.estimate(c.baseline, metric.key)
        bounds = c.low, c.high
        if base is None or not base.se or c.difference is None or None in bounds:
            continue
        rows.append((metric, c, base.se if metric.better == "higher" else -base.se))
    return rows[:_MOST_ROWS]


def _forest_panel(index: Index, candidate: ModelInfo, rows: Sequence[_Row]) -> Panel:
    places = tuple(float(i) for i in range(1, len(rows) + 1))
    scaled = [_scale_difference(c, unit) for _, c, unit in rows]
    series = Series(
        clean_name(candidate.label),
        index.role(candidate.name),
        tuple(value for value, _, _ in scaled),
        places,
        tuple(low for _, low, _ in scaled),
        tuple(high for _, _, high in scaled),
        marks=tuple(choose_comparison_mark(c) for _, c, _ in rows),
        has_markers=True,
    )
    ticks = tuple(
        (place, clean_name(m.label, 40)) for place, (m, _, _) in zip(places, rows, strict=True)
    )
    return Panel(
        clean_name(candidate.label, 40),
        Axis("standard errors (right is better)"),
        Axis("", low=0.5, high=len(rows) + 0.5, ticks=ticks),
        (series,),
        (Reference("no difference", x=(0.0,)),),
    )


def _scale_difference(comparison: Comparison, unit: float) -> tuple[float, float, float]:
    """Difference and bounds in the yardstick; a negative one turns the axis."""
    low, high = comparison.low, comparison.high
    ends = sorted(((low or 0.0) / unit, (high or 0.0) / unit))
    return (comparison.difference or 0.0) / unit, ends[0], ends[1]


def _forest_title(index: Index, candidates: Sequence[ModelInfo]) -> str:
    if len(candidates) > 1:
        counts = [
            f"{sum(word_side(c.word) > 0 for _, c in index.list_comparisons(m.name))} for "
            f"{clean_name(m.label, 30)}"
            for m in candidates
        ]
        return f"Metrics on which each is better than the baseline: {join_list(counts)}"
    found = index.list_comparisons(candidates[0].name)
    good = sum(word_side(c.word) > 0 for _, c in found)
    bad = sum(word_side(c.word) < 0 for _, c in found)
    who = clean_name(candidates[0].label)
    return (
        f"{who} is better on {good} of {numbers.format_count(len(found), 'metric')}, worse on {bad}"
    )


def _forest_caption(index: Index) -> str:
    against = clean_name(index.baseline.label if index.baseline else "")
    cut = len(index.candidates) - _MOST_CANDIDATES
    more = (
        f" The other {numbers.format_count(cut, 'candidate')} are in the tables." if cut > 0 else ""
    )
    if len(index.metrics) > _MOST_ROWS:
        more += f" The first {_MOST_ROWS} metrics are drawn."
    more += _describe_undrawn_metrics(index)
    n = numbers.format_count(index.main.n)
    drawn = [c for m in index.candidates[:_MOST_CANDIDATES] for _, c, _ in _list_rows(index, m)]
    lines = name_intervals(drawn or index.results.comparisons[:1])
    return (
        f"Difference from {against} divided by the standard error of its value, so that metrics "
        f"of different units stand on one axis, better to the right; where lower is better the "
        f"metric is turned. "
        f"A line is the {lines}; n = {n}.{more}"
    )


def _describe_undrawn_metrics(index: Index) -> str:
    """Describe metrics not drawn for want of a standard error, each with its verdict.

    The title counts them: what is not drawn may be the one that is worse.
    """
    names = []
    for model in index.candidates[:_MOST_CANDIDATES]:
        drawn = {m.key for m, _, _ in _list_rows(index, model)}
        for metric, c in index.list_comparisons(model.name)[:_MOST_ROWS]:
            if metric.key not in drawn and c.difference is not None:
                of = f" of {clean_name(model.label, 30)}" if len(index.candidates) > 1 else ""
                names.append(
                    f"{lower_first_word(clean_name(metric.label))}{of} ({name_verdict(c.word)})"
                )
    return f" Not drawn, without a standard error: {join_list(names, 5)}." if names else ""


def _forest_description(index: Index, candidates: Sequence[ModelInfo]) -> str:
    return " ".join(
        f"{clean_name(m.label)}, {clean_name(c.label)}: {_describe_difference(found, m)}."
        for c in candidates
        for m, found in index.list_comparisons(c.name)[:_MOST_ROWS]
    )


def _describe_difference(comparison: Comparison, metric: MetricInfo) -> str:
    """Format the difference with its verdict; the verdict alone where there is no difference."""
    if comparison.status != "ok":
        return name_verdict(comparison.word)
    return f"{format_comparison(comparison, metric)}, {name_verdict(comparison.word)}"


def _forest_table(index: Index, rows: Sequence[tuple[ModelInfo, _Row]]) -> Table:
    def scaled_column(title: str, place: int) -> ReportColumn[tuple[ModelInfo, _Row]]:
        def make_cell(row: tuple[ModelInfo, _Row]) -> Cell:
            value = _scale_difference(row[1][1], row[1][2])[place]
            return Cell(numbers.format_decimal(value, 2, signed=True), value=value)

        return number_column(title, make_cell)

    return build_table(
        "scores-forest-table",
        "Differences in standard errors of the baseline, better above zero.",
        rows,
        word_column("Metric", lambda row: clean_name(row[1][0].label)),
        word_column("Candidate", lambda row: clean_name(row[0].label)),
        scaled_column("Difference", 0),
        scaled_column("Lower end", 1),
        scaled_column("Upper end", 2),
        is_folded=True,
    )


def _list_known_estimates(index: Index, metric: MetricInfo) -> list[tuple[ModelInfo, Estimate]]:
    found = [(m, index.estimate(m.name, metric.key)) for m in index.results.models]
    return [(m, e) for m, e in found if e is not None and e.status == "ok" and e.value is not None]


def _values_panel(index: Index, metric: MetricInfo) -> Panel:
    known = _list_known_estimates(index, metric)
    places = {model.name: float(i) for i, (model, _) in enumerate(known, 1)}
    series = tuple(
        Series(
            clean_name(model.label, 40),
            index.role(model.name),
            (e.value,),
            (places[model.name],),
            (e.low,),
            (e.high,),
            has_markers=True,
        )
        for model, e in known
    )
    ticks = tuple((places[model.name], clean_name(model.label, 24)) for model, _ in known)
    direction = DIRECTIONS[metric.better]
    return Panel(
        clean_name(metric.label, 40),
        format_money_axis(
            Axis(", ".join(filter(None, (direction, _format_unit(metric))))), metric.unit
        ),
        Axis("", low=0.5, high=len(known) + 0.5, ticks=ticks),
        series,
    )


def _values_title(index: Index, metric: MetricInfo) -> str:
    best = index.best(metric.key)
    assert best is not None
    on = lower_first_word(clean_name(metric.label))
    if len(_list_known_estimates(index, metric)) == 1:
        return f"Only {clean_name(index.label(best), 40)} has a value of {on}"
    return f"{clean_name(index.label(best), 40)} has the best value of {on}"


def _describe_estimates(index: Index, metric: MetricInfo) -> str:
    values = ", ".join(
        f"{clean_name(model.label, 40)} {_format_with_interval(e, metric)}"
        for model, e in _list_known_estimates(index, metric)
    )
    return f"{clean_name(metric.label)}: {values}."


def _format_with_interval(estimate: Estimate, metric: MetricInfo) -> str:
    form = choose_estimate_format(estimate, metric)
    interval = form.interval(estimate.low, estimate.high)
    return f"{form.amount(estimate.value)} ({interval})"


def _format_unit(metric: MetricInfo) -> str:
    return metric.unit if numbers.has_unit(metric.unit) else ""


def _value_cell(estimate: Estimate, metric: MetricInfo) -> Cell:
    form = choose_estimate_format(estimate, metric)
    interval = form.interval(estimate.low, estimate.high)
    return Cell(f"{form.number(estimate.value)} ({interval})", value=estimate.value)


def _values_table(index: Index, metrics: Sequence[MetricInfo]) -> Table:
    return build_table(
        "scores-values-table",
        "Values and intervals as drawn.",
        [(metric, *pair) for metric in metrics for pair in _list_known_estimates(index, metric)],
        word_column(
            "Metric", lambda row: Cell(clean_name(row[0].label), note=_format_unit(row[0]))
        ),
        word_column("Model", lambda row: clean_name(row[1].label)),
        number_column("Value", lambda row: _value_cell(row[2], row[0])),
        is_folded=True,
    )


_MOST_ACROSS = 4


def build_scores_section(results: Results) -> Section:
    """One table for a pair of models, a table of values and one a candidate for more."""
    index = Index(results)
    blocks: list[Block] = list(iter_score_tables(index, index.main))
    made = (
        build_candidates_figure(index),
        build_differences_figure(index),
        build_values_figure(index),
    )
    blocks += fold_for_full_report(
        "All metrics drawn", (figure for figure in made if figure is not None)
    )
    return Section("scores", "Scores", tuple(blocks))


def iter_score_tables(index: Index, dataset: DatasetInfo) -> Iterator[Block]:
    """Values and differences on one dataset: one table for a pair of models, else several."""
    where = f" Dataset {clean_name(dataset.name)}." if len(index.tests) > 1 else ""
    suffix = "" if dataset is index.main else f"-{index.tests.index(dataset) + 1}"
    if index.baseline is not None and len(index.candidates) == 1:
        yield _build_pair(index, index.baseline, dataset, f"scores-table{suffix}", where)
        return
    if len(index.results.models) <= _MOST_ACROSS:
        yield _build_wide_table(index, dataset, f"scores-table{suffix}", where)
    else:
        yield from _iter_score_tables(index, dataset, f"scores-table{suffix}", where)
    if index.baseline is not None:
        baseline = index.baseline
        yield from fold_for_full_report(
            f"Differences from {clean_name(baseline.label, 40)}",
            (
                _build_differences(
                    index, candidate, baseline, dataset, f"differences{suffix}-{k}", where
                )
                for k, candidate in enumerate(index.candidates, 1)
            ),
        )


def _build_pair(
    index: Index, baseline: ModelInfo, dataset: DatasetInfo, id_: str, where: str
) -> Table:
    candidate = index.candidates[0]

    def compare(metric: MetricInfo) -> Comparison | None:
        return index.comparison(candidate.name, metric.key, dataset.name)

    def choose_fewest(metric: MetricInfo) -> int | None:
        estimates = [
            index.estimate(m.name, metric.key, dataset.name) for m in (candidate, baseline)
        ]
        return choose_fewest_decimals(estimates[0], estimates[1], compare(metric), metric)

    return build_table(
        id_,
        f"Values, differences and verdicts.{where}{_format_mark(index)}",
        index.metrics,
        word_column("Metric", lambda m: make_metric_cell(index, m)),
        *(
            _make_value_column(index, model, dataset, choose_fewest)
            for model in (baseline, candidate)
        ),
        make_reference_column(index, dataset),
        *_make_comparison_columns(index, candidate, compare, choose_fewest),
    )


def _build_wide_table(index: Index, dataset: DatasetInfo, id_: str, where: str) -> Table:
    """Metrics down, models across."""
    return build_table(
        id_,
        f"Values with intervals.{where}{_format_mark(index)}",
        index.metrics,
        word_column("Metric", lambda m: make_metric_cell(index, m)),
        *(_make_value_column(index, model, dataset) for model in index.results.models),
        make_reference_column(index, dataset),
    )


def _iter_score_tables(index: Index, dataset: DatasetInfo, id_: str, where: str) -> Iterator[Table]:
    """Models down, a few metrics across, in as many tables as it takes."""

    def metric_column(metric: MetricInfo) -> ReportColumn[ModelInfo | None]:
        head = make_metric_cell(index, metric)
        return number_column(head.text, lambda model: build_cell(model, metric), note=head.note)

    def build_cell(model: ModelInfo | None, metric: MetricInfo) -> Cell:
        if model is None:
            return build_reference_cell(index, metric, dataset)
        return _build_value(index, model, metric, dataset)

    def build_name(model: ModelInfo | None) -> Cell:
        if model is None:
            return Cell(prose.line("reference.column"))
        return Cell(clean_name(model.label), note=model.role)

    models: list[ModelInfo | None] = [*index.results.models]
    models += [None] * any(index.reference(m.key, dataset.name) for m in index.metrics)
    for start in range(0, len(index.metrics), _MOST_ACROSS):
        metrics = index.metrics[start : start + _MOST_ACROSS]
        yield build_table(
            f"{id_}-{start // _MOST_ACROSS + 1}",
            f"Values with intervals: {_list_metric_names(metrics)}.{where}{_format_mark(index)}",
            models,
            word_column("Model", build_name),
            *map(metric_column, metrics),
            is_folded=start > 0,
        )


def _build_differences(
    index: Index,
    candidate: ModelInfo,
    baseline: ModelInfo,
    dataset: DatasetInfo,
    id_: str,
    where: str,
) -> Table:
    def list_others(metric: MetricInfo) -> list[Comparison]:
        each = (index.comparison(c.name, metric.key, dataset.name) for c in index.candidates)
        return [c for c in each if c is not None]

    return build_table(
        id_,
        f"{clean_name(candidate.label)} minus {clean_name(baseline.label)}.{where}",
        index.metrics,
        word_column("Metric", lambda m: make_metric_cell(index, m)),
        *_make_comparison_columns(
            index,
            candidate,
            lambda m: index.comparison(candidate.name, m.key, dataset.name),
            list_others=list_others,
        ),
    )


def _build_value(
    index: Index,
    model: ModelInfo,
    metric: MetricInfo,
    dataset: DatasetInfo,
    fewest: int | None = None,
) -> Cell:
    estimate = index.estimate(model.name, metric.key, dataset.name)
    best = index.best(metric.key, dataset.name) if len(index.results.models) > 1 else None
    off_by = index.off_by(metric.key, model.name)
    return make_estimate_cell(
        estimate, metric, is_best=model.name == best, off_by=off_by, fewest=fewest
    )


def _list_metric_names(metrics: Sequence[MetricInfo]) -> str:
    return join_list([lower_first_word(clean_name(m.label, 40)) for m in metrics])


def _format_mark(index: Index) -> str:
    """Describe what the mark means."""
    return f" {MARK} marks the best value." if len(index.results.models) > 1 else ""


def _make_value_column(
    index: Index,
    model: ModelInfo,
    dataset: DatasetInfo,
    choose_fewest: Callable[[MetricInfo], int | None] = lambda metric: None,
) -> ReportColumn[MetricInfo]:
    """Make the column of a model's values, of a metric a row."""
    return number_column(
        clean_name(model.label, 40),
        lambda m: _build_value(index, model, m, dataset, choose_fewest(m)),
    )


def make_reference_column(index: Index, dataset: DatasetInfo) -> ReportColumn[MetricInfo] | None:
    """Make the column of what takes no model; None where no metric has such a value."""
    if not any(index.reference(m.key, dataset.name) for m in index.metrics):
        return None
    title = prose.line("reference.column")
    return number_column(title, lambda m: build_reference_cell(index, m, dataset))


def build_reference_cell(index: Index, metric: MetricInfo, dataset: DatasetInfo) -> Cell:
    """Build the cell of what takes no model, as precise as a model's value."""
    each = index.reference(metric.key, dataset.name)
    if each is None or each.value is None:
        return Cell("")
    known = [index.estimate(m.name, metric.key, dataset.name) for m in index.results.models]
    shown = next((e for e in known if e is not None and e.value is not None), None)
    form = numbers.choose_format(each.value, None, None, metric.unit)
    if shown is not None:
        form = choose_estimate_format(shown, metric)
    return make_reference_cell(index, each, each.value, form.number(each.value))


def _make_comparison_columns(
    index: Index,
    candidate: ModelInfo,
    compare: Callable[[MetricInfo], Comparison | None],
    choose_fewest: Callable[[MetricInfo], int | None] = lambda metric: None,
    list_others: Callable[[MetricInfo], Sequence[Comparison]] = lambda metric: (),
) -> tuple[ReportColumn[MetricInfo], ...]:
    """Make the columns of a difference, its drawn interval, and the verdict."""

    def make_number_cell(metric: MetricInfo) -> Cell:
        found = compare(metric)
        off_by = found and index.off_by(found.key, found.candidate, found.baseline)
        fewest = choose_fewest(metric)
        return make_difference_cell(found, metric, off_by=off_by or 0.0, fewest=fewest)

    def make_word_cell(metric: MetricInfo) -> Cell:
        found = compare(metric)
        if found is None:
            return make_verdict_cell(found)
        is_open = index.is_open_by_bins(found.key, found.candidate)
        return make_verdict_cell(found, index.tone(found), is_open_by_bins=is_open)

    return (
        number_column("Difference", make_number_cell),
        word_column(
            "Interval",
            lambda m: make_whisker_cell(compare(m), m, list_others(m)),
            note="the line is 0",
        ),
        word_column(f"{clean_name(candidate.label, 40)} is", make_word_cell),
    )
