"""The two figures of the scores: differences in one forest, values side by side."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import (
    Axis,
    Cell,
    Figure,
    Panel,
    Reference,
    Series,
    Table,
    TableColumn,
)
from reportgen.results import Comparison, Estimate, MetricInfo, ModelInfo
from reportgen.sections.axes import in_money
from reportgen.sections.index import Index
from reportgen.sections.scores.forests import forest, is_drawable, mark_of

_MOST_ROWS = 20
_MOST_PANELS = 6
_MOST_CANDIDATES = 4
_Row = tuple[MetricInfo, Comparison, float]


def candidates_figure(index: Index) -> Figure | None:
    """Several candidates on the leading metric, in its own unit, as they stand in the config."""
    metric = index.leading
    pairs = [(m, index.comparison(m.name, metric.key)) for m in index.candidates]
    rows = [
        (wording.name(m.label, 40), index.role(m.name), c)
        for m, c in pairs
        if c is not None and is_drawable(c)
    ]
    if len(rows) < 2:
        return None
    better = sum(c.verdict == "better" for _, _, c in rows)
    on = wording.lowered(wording.name(metric.label))
    verb = "is" if better == 1 else "are"
    return forest(
        index,
        metric,
        rows,
        id_="scores-candidates",
        title=f"{better} of {len(pairs)} candidates {verb} better than the baseline on {on}",
        reading=f"n = {wording.count(index.main.n)}.",
    )


def differences_figure(index: Index) -> Figure | None:
    """Differences of every metric in units of the baseline's standard error, better to the right.

    Differences have many units. The standard error is the one yardstick that every metric has,
    near zero too, where a percentage of the baseline would not do.
    """
    candidates = index.candidates[:_MOST_CANDIDATES]
    rows = {c.name: _rows(index, c) for c in candidates}
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


def values_figure(index: Index) -> Figure | None:
    """Each model's value with its interval, one panel a metric on its own axis."""
    metrics = [m for m in index.metrics if _known(index, m)][:_MOST_PANELS]
    if not metrics or len(index.results.models) < 2:
        return None
    level = wording.level(index.results.inference.level)
    rest = len(index.metrics) - len(metrics)
    verb = "is" if rest == 1 else "are"
    more = f" {wording.count(rest, 'more metric')} {verb} in the table." if rest > 0 else ""
    return Figure(
        "scores-values",
        "forest",
        _values_title(index, metrics[0]),
        f"Dots are values, lines {level} intervals of each model alone; two that overlap may still "
        f"differ, since models are compared on the same {wording.name(index.main.case[1])}. "
        f"Axes differ.{more}",
        " ".join(_said(index, metric) for metric in metrics),
        tuple(_values_panel(index, metric) for metric in metrics),
        table=_values_table(index, metrics),
    )


def _rows(index: Index, candidate: ModelInfo) -> list[_Row]:
    """Metrics whose difference, interval and yardstick are all known."""
    rows = []
    for metric, c in index.compared(candidate.name):
        base = index.estimate(c.baseline, metric.key)
        bounds = wording.bounds(c)
        if base is None or not base.se or c.difference is None or None in bounds:
            continue
        rows.append((metric, c, base.se if metric.better == "higher" else -base.se))
    return rows[:_MOST_ROWS]


def _forest_panel(index: Index, candidate: ModelInfo, rows: Sequence[_Row]) -> Panel:
    places = tuple(float(i) for i in range(1, len(rows) + 1))
    scaled = [_scaled(c, unit) for _, c, unit in rows]
    series = Series(
        wording.name(candidate.label),
        index.role(candidate.name),
        tuple(value for value, _, _ in scaled),
        places,
        tuple(low for _, low, _ in scaled),
        tuple(high for _, _, high in scaled),
        marks=tuple(mark_of(c) for _, c, _ in rows),
        has_markers=True,
    )
    ticks = tuple(
        (place, wording.name(m.label, 40)) for place, (m, _, _) in zip(places, rows, strict=True)
    )
    return Panel(
        wording.name(candidate.label, 40),
        Axis("standard errors (right is better)"),
        Axis("", low=0.5, high=len(rows) + 0.5, ticks=ticks),
        (series,),
        (Reference("no difference", x=(0.0,)),),
    )


def _scaled(comparison: Comparison, unit: float) -> tuple[float, float, float]:
    """Difference and bounds in the yardstick; a negative one turns the axis."""
    low, high = wording.bounds(comparison)
    ends = sorted(((low or 0.0) / unit, (high or 0.0) / unit))
    return (comparison.difference or 0.0) / unit, ends[0], ends[1]


def _forest_title(index: Index, candidates: Sequence[ModelInfo]) -> str:
    if len(candidates) > 1:
        counts = [
            f"{sum(c.verdict == 'better' for _, c in index.compared(m.name))} for "
            f"{wording.name(m.label, 30)}"
            for m in candidates
        ]
        return f"Metrics on which each is better than the baseline: {wording.listed(counts)}"
    found = index.compared(candidates[0].name)
    good = sum(c.verdict == "better" for _, c in found)
    bad = sum(c.verdict == "worse" for _, c in found)
    who = wording.name(candidates[0].label)
    return f"{who} is better on {good} of {wording.count(len(found), 'metric')}, worse on {bad}"


def _forest_caption(index: Index) -> str:
    against = wording.name(index.baseline.label if index.baseline else "")
    cut = len(index.candidates) - _MOST_CANDIDATES
    more = f" The other {wording.count(cut, 'candidate')} are in the tables." if cut > 0 else ""
    if len(index.metrics) > _MOST_ROWS:
        more += f" The first {_MOST_ROWS} metrics are drawn."
    more += _without_a_line(index)
    n = wording.count(index.main.n)
    drawn = [c for m in index.candidates[:_MOST_CANDIDATES] for _, c, _ in _rows(index, m)]
    lines = wording.interval_names(drawn or index.results.comparisons[:1])
    return (
        f"Difference from {against} divided by the standard error of its value, so that metrics "
        f"of different units stand on one axis, better to the right; where lower is better the "
        f"metric is turned. "
        f"A line is the {lines}; n = {n}.{more}"
    )


def _without_a_line(index: Index) -> str:
    """The metrics whose value has no standard error to measure a difference by, with the verdict.

    The title counts them: what is not drawn may be the one that is worse.
    """
    told = []
    for model in index.candidates[:_MOST_CANDIDATES]:
        drawn = {m.key for m, _, _ in _rows(index, model)}
        for metric, c in index.compared(model.name)[:_MOST_ROWS]:
            if metric.key not in drawn and c.difference is not None:
                of = f" of {wording.name(model.label, 30)}" if len(index.candidates) > 1 else ""
                told.append(f"{wording.lowered(wording.name(metric.label))}{of} ({c.verdict})")
    return f" Not drawn, without a standard error: {wording.listed(told, 5)}." if told else ""


def _forest_description(index: Index, candidates: Sequence[ModelInfo]) -> str:
    return " ".join(
        f"{wording.name(m.label)}, {wording.name(c.label)}: {_told(found, m)}."
        for c in candidates
        for m, found in index.compared(c.name)[:_MOST_ROWS]
    )


def _told(comparison: Comparison, metric: MetricInfo) -> str:
    """The difference with its verdict; the verdict alone where there is no difference."""
    if comparison.status != "ok":
        return comparison.verdict
    return f"{wording.short(comparison, metric)}, {comparison.verdict}"


def _forest_table(index: Index, rows: Sequence[tuple[ModelInfo, _Row]]) -> Table:
    columns = ("Metric", "Candidate", "Difference", "Lower end", "Upper end")
    return Table(
        "scores-forest-table",
        "Differences in standard errors of the baseline, better above zero.",
        tuple(TableColumn(title, is_numeric=place > 1) for place, title in enumerate(columns)),
        tuple(
            (
                Cell(wording.name(metric.label)),
                Cell(wording.name(candidate.label)),
                *(Cell(wording.decimal(v, 2, signed=True), value=v) for v in _scaled(c, unit)),
            )
            for candidate, (metric, c, unit) in rows
        ),
        is_folded=True,
    )


def _known(index: Index, metric: MetricInfo) -> list[tuple[ModelInfo, Estimate]]:
    found = [(m, index.estimate(m.name, metric.key)) for m in index.results.models]
    return [(m, e) for m, e in found if e is not None and e.status == "ok" and e.value is not None]


def _values_panel(index: Index, metric: MetricInfo) -> Panel:
    known = _known(index, metric)
    places = {model.name: float(i) for i, (model, _) in enumerate(known, 1)}
    series = tuple(
        Series(
            wording.name(model.label, 40),
            index.role(model.name),
            (e.value,),
            (places[model.name],),
            (e.low,),
            (e.high,),
            has_markers=True,
        )
        for model, e in known
    )
    ticks = tuple((places[model.name], wording.name(model.label, 24)) for model, _ in known)
    direction = wording.DIRECTIONS[metric.better]
    return Panel(
        wording.name(metric.label, 40),
        in_money(Axis(", ".join(filter(None, (direction, _unit(metric))))), metric.unit),
        Axis("", low=0.5, high=len(known) + 0.5, ticks=ticks),
        series,
    )


def _values_title(index: Index, metric: MetricInfo) -> str:
    level = index.level_with_best(metric.key)
    names = [wording.name(m.label, 40) for m in index.results.models if m.name in level]
    on = wording.lowered(wording.name(metric.label))
    if len(_known(index, metric)) == 1:
        return f"Only {names[0]} has a value of {on}"
    if len(names) == 1:
        return f"{names[0]} leads on {on}"
    return f"On {on} the best are not separated: {wording.listed(names)}"


def _said(index: Index, metric: MetricInfo) -> str:
    values = ", ".join(
        f"{wording.name(model.label, 40)} {_with_interval(e, metric)}"
        for model, e in _known(index, metric)
    )
    return f"{wording.name(metric.label)}: {values}."


def _with_interval(estimate: Estimate, metric: MetricInfo) -> str:
    form = wording.form_of(estimate.value, estimate.low, estimate.high, metric.unit)
    interval = form.interval(estimate.low, estimate.high)
    return f"{form.amount(estimate.value)} ({interval})"


def _unit(metric: MetricInfo) -> str:
    return metric.unit if wording.has_unit(metric.unit) else ""


def _value_cell(estimate: Estimate, metric: MetricInfo) -> Cell:
    form = wording.form_of(estimate.value, estimate.low, estimate.high, metric.unit)
    interval = form.interval(estimate.low, estimate.high)
    return Cell(f"{form.number(estimate.value)} ({interval})", value=estimate.value)


def _values_table(index: Index, metrics: Sequence[MetricInfo]) -> Table:
    return Table(
        "scores-values-table",
        "Values and intervals as drawn.",
        (
            TableColumn("Metric", is_numeric=False),
            TableColumn("Model", is_numeric=False),
            TableColumn("Value"),
        ),
        tuple(
            (
                Cell(wording.name(metric.label), note=_unit(metric)),
                Cell(wording.name(model.label)),
                _value_cell(e, metric),
            )
            for metric in metrics
            for model, e in _known(index, metric)
        ),
        is_folded=True,
    )
