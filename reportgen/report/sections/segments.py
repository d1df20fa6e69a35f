"""Segments, and all comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.report import wording
from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Figure,
    Fold,
    Mark,
    Panel,
    Phrase,
    Reference,
    Section,
    Series,
    Span,
    Strip,
    Table,
    TableColumn,
    Text,
    make_phrase,
)
from reportgen.report.sections.cells import (
    choose_comparison_mark,
    choose_fewest_decimals,
    has_drawable_interval,
    make_difference_axis,
    make_difference_cell,
    make_estimate_cell,
    make_verdict_cell,
    make_whisker_cell,
)
from reportgen.report.sections.index import TONES, Index, fold_for_full_report
from reportgen.report.sections.tables import MOST_ROWS, describe_cut
from reportgen.results import Comparison, MetricInfo, ModelInfo, Results

_MOST_ROWS = 30
_MOST_PANELS = 4


def build_small_multiples(index: Index, metric: MetricInfo) -> list[Figure]:
    """Build figures of the segments in the order of the config, as many as their number takes."""
    models = _select_panel_models(index, metric)
    known = {
        c.segment
        for m in models
        for c in index.list_segment_comparisons(m.name, metric.key)
        if has_drawable_interval(c)
    }
    rows = [s.segment for s in index.main.segments if s.segment in known]
    parts = [rows[i : i + _MOST_ROWS] for i in range(0, len(rows), _MOST_ROWS)]
    return [
        _build_figure(index, metric, models, part, (number, len(parts)))
        for number, part in enumerate(parts, 1)
    ]


def _select_panel_models(index: Index, metric: MetricInfo) -> list[ModelInfo]:
    """Select candidates with a colour that are compared in a segment, the one asked about first."""
    return [
        model
        for model in sorted(index.candidates, key=lambda model: model.name != index.about)
        if index.role(model.name) != "other"
        and any(map(has_drawable_interval, index.list_segment_comparisons(model.name, metric.key)))
    ][:_MOST_PANELS]


def _build_figure(
    index: Index,
    metric: MetricInfo,
    models: Sequence[ModelInfo],
    rows: Sequence[str],
    part: tuple[int, int],
) -> Figure:
    return Figure(
        f"segments-forest-{part[0]}",
        "forest",
        _format_title(index, metric, models),
        _format_caption(index, metric, models, part),
        " ".join(_describe_panel(index, metric, model, rows) for model in models),
        tuple(_build_panel(index, metric, model, rows) for model in models),
        shares_axes=True,
        shares_rows=True,
    )


def _build_panel(index: Index, metric: MetricInfo, model: ModelInfo, rows: Sequence[str]) -> Panel:
    role = index.role(model.name)
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    by_segment = {c.segment: c for c in index.list_segment_comparisons(model.name, metric.key)}
    found = [
        (float(place), by_segment[segment])
        for place, segment in enumerate(rows, 1)
        if has_drawable_interval(by_segment.get(segment))
    ]
    bounds = [wording.deciding_interval(c) for _, c in found]
    series = Series(
        wording.clean_name(model.label, 40),
        role,
        tuple(c.difference for _, c in found),
        tuple(place for place, _ in found),
        tuple(low for low, _ in bounds),
        tuple(high for _, high in bounds),
        marks=tuple(_build_mark(c, flips) for _, c in found),
        has_markers=True,
    )
    overall = index.comparison(model.name, metric.key)
    whole = None if overall is None else overall.difference
    margin = None if overall is None else overall.margin
    unit = f", {metric.unit}" if wording.has_unit(metric.unit) else ""
    ticks = tuple((float(place), _row_name(index, s)) for place, s in enumerate(rows, 1))
    return Panel(
        wording.clean_name(model.label, 40),
        make_difference_axis(
            metric, f"difference in {wording.describe_difference_kind(metric, 40)}{unit}"
        ),
        Axis("", low=0.5, high=len(rows) + 0.5, ticks=ticks),
        (series,),
        (
            Reference("", x=(0.0,)),
            *(() if whole is None else (Reference("", x=(whole,), role=role),)),
        ),
        () if margin is None else (Strip("margin", "x", -margin, margin),),
    )


def _build_mark(comparison: Comparison, flips: set[str | None]) -> Mark:
    return "crossed" if comparison.segment in flips else choose_comparison_mark(comparison)


def _row_name(index: Index, segment: str) -> str:
    n = next(s.n for s in index.main.segments if s.segment == segment)
    return f"{wording.format_segment(index.main, segment)} ({wording.format_count(n)})"


def _format_title(index: Index, metric: MetricInfo, models: Sequence[ModelInfo]) -> str:
    """Describe how the model asked about fares in the segments."""
    model = next((m for m in models if m.name == index.about), models[0])
    known = [
        c
        for c in index.list_segment_comparisons(model.name, metric.key)
        if has_drawable_interval(c)
    ]
    better, worse = (sum(c.verdict == said for c in known) for said in ("better", "worse"))
    flips = len(index.flips(model.name, metric.key))
    against = index.baseline.label if index.baseline else ""
    return wording.describe_segments(
        model.label, against, metric, (better, worse, len(known)), flips
    )


def _format_caption(
    index: Index, metric: MetricInfo, models: Sequence[ModelInfo], part: tuple[int, int]
) -> str:
    against = wording.clean_name(index.baseline.label if index.baseline else "", 40)
    rows = wording.clean_name(index.main.case[1], 30)
    drawn = [
        c
        for m in models
        for c in index.list_segment_comparisons(m.name, metric.key)
        if has_drawable_interval(c)
    ]
    said = [
        f"Differences from {against} with the {wording.name_intervals(drawn)}; the unbroken line "
        f"is the difference of all {rows}, the broken one no difference."
    ]
    if any(c.margin is not None for c in drawn):
        said.append("The shaded strip is the margin.")
    if any(choose_comparison_mark(c) == "open" for c in drawn):
        said.append("An open mark is a difference that is not shown.")
    if any(index.flips(m.name, metric.key) for m in models):
        said.append(f"A cross is a result that is the reverse of that of all {rows}.")
    if len(models) < len(index.candidates):
        said.append("The other candidates are in the tables.")
    if part[1] > 1:
        said.append(f"Part {part[0]} of {part[1]}.")
    return " ".join(said)


def _describe_panel(index: Index, metric: MetricInfo, model: ModelInfo, rows: Sequence[str]) -> str:
    found = {c.segment: c for c in index.list_segment_comparisons(model.name, metric.key)}
    each = "; ".join(
        f"{wording.format_segment(index.main, s)} {wording.format_comparison(found[s], metric)}, "
        f"{found[s].verdict}"
        for s in rows
        if s in found
    )
    return f"{wording.clean_name(model.label, 40)}: {each}."


_WORST = 3


def build_segments_section(results: Results) -> Section | None:
    """None where no segment was declared."""
    index = Index(results)
    if not index.main.segments:
        return None
    metric = index.leading
    blocks: list[Block] = []
    for place, model in enumerate(_order_candidates(index), 1):
        rows = index.list_segment_comparisons(model.name, metric.key)
        if not rows:
            continue
        if all(c.status == "not applicable" for c in rows):
            blocks.append(_explain_no_comparison(model, metric, rows[0]))
            continue
        blocks += _list_candidate_blocks(index, model, metric, rows, place)
    if not blocks:
        blocks = [_build_values(index, metric)]
    return Section("segments", "Segments", tuple(blocks), _build_lede(index, metric))


def _order_candidates(index: Index) -> list[ModelInfo]:
    return sorted(index.candidates, key=lambda model: model.name != index.about)


def _list_candidate_blocks(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison], place: int
) -> list[Block]:
    """Build a candidate's blocks, folded unless it is asked about; tables for the full report."""
    bullets: list[Block] = [_build_worst_bullets(index, model, metric, rows)]
    name = wording.clean_name(model.label)
    table = fold_for_full_report(
        f"{name} in every segment", [_build_table(index, model, metric, rows, place)]
    )
    if model.name == index.about:
        return [*bullets, *build_small_multiples(index, metric), *table]
    return [Fold(name, (*bullets, *table))]


def _build_lede(index: Index, metric: MetricInfo) -> Phrase:
    columns = list(
        dict.fromkeys(wording.clean_name(s.label or s.column, 40) for s in index.main.segments)
    )
    on = wording.lower_first_word(wording.clean_name(metric.label))
    n = wording.format_count(len(index.main.segments), "segment")
    head = f"{n} by {wording.join_list(columns)}"
    if index.baseline is None:
        return make_phrase(f"{head}; values of {on}.")
    corrected = "p is corrected for the number of segments."
    if len(columns) == 1:
        return make_phrase(f"{head}, compared on {on}; {corrected}")
    cases = wording.clean_name(index.main.case[1])
    shared = f"Segments of different columns hold the same {cases}"
    return make_phrase(f"{head}, compared on {on}. {shared}; {corrected}")


def _explain_no_comparison(model: ModelInfo, metric: MetricInfo, first: Comparison) -> Text:
    """Why there is nothing to compare in any segment, in one line for all of them."""
    why = wording.explain_absence(metric, first.status, first.reason)
    return Text(make_phrase(Span(f"{wording.clean_name(model.label)}:", is_strong=True), f" {why}"))


def _build_worst_bullets(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison]
) -> Bullets:
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    known = [c for c in rows if c.status == "ok"]
    items = [
        make_phrase(
            Span(f"{wording.format_segment(index.main, c.segment)}:", is_strong=True),
            " ",
            Span(c.verdict, tone=TONES[c.verdict]),
            f", {wording.format_comparison(c, metric)}, n = {wording.format_count(c.n)}"
            f"{'; the result reverses' if c.segment in flips else ''}.",
        )
        for c in known[:_WORST]
    ]
    who = wording.clean_name(model.label)
    shown = min(_WORST, len(known))
    title = f"Where {who} does worst" if shown < len(rows) else f"{who} in each segment"
    return Bullets(tuple(items), title)


def _build_table(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison], place: int
) -> Table:
    against = wording.clean_name(index.baseline.label if index.baseline else "", 40)
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    columns = (
        TableColumn("Segment", is_numeric=False),
        TableColumn("n"),
        TableColumn(against),
        TableColumn(wording.clean_name(model.label, 40)),
        TableColumn("Difference"),
        TableColumn("Interval", note="the line is 0", is_numeric=False),
        TableColumn("p", note="corrected"),
        TableColumn("Verdict", is_numeric=False),
    )
    caption = (
        f"{wording.clean_name(model.label)} against {against} on "
        f"{wording.clean_name(metric.label)}."
    )
    return Table(
        f"segments-{place}",
        caption + describe_cut(len(rows)),
        columns,
        tuple(_build_line(index, model, metric, c, rows, flips) for c in rows[:200]),
    )


def _build_line(
    index: Index,
    model: ModelInfo,
    metric: MetricInfo,
    found: Comparison,
    rows: Sequence[Comparison],
    flips: set[str | None],
) -> tuple[Cell, ...]:
    verdict = make_verdict_cell(found)
    if found.segment in flips:
        verdict = Cell(verdict.text, "reverses the result", tone=verdict.tone, is_strong=True)
    p = found.p_value if found.p_adjusted is None else found.p_adjusted
    own, other = (
        index.estimate(name, metric.key, segment=found.segment)
        for name in (model.name, found.baseline)
    )
    fewest = choose_fewest_decimals(own, other, found, metric)
    return (
        Cell(wording.format_segment(index.main, found.segment)),
        Cell(wording.format_count(found.n), value=found.n),
        *(make_estimate_cell(e, metric, fewest=fewest) for e in (other, own)),
        make_difference_cell(found, metric, fewest=fewest),
        make_whisker_cell(found, metric, rows),
        Cell(wording.format_bare_p_value(p), value=p),
        verdict,
    )


def _build_values(index: Index, metric: MetricInfo) -> Table:
    """Values alone, where there is nothing to compare."""
    models = index.results.models
    rows = tuple(
        (
            Cell(wording.format_segment(index.main, s.segment)),
            Cell(wording.format_count(s.n), value=s.n),
            *(
                make_estimate_cell(index.estimate(m.name, metric.key, segment=s.segment), metric)
                for m in models
            ),
        )
        for s in index.main.segments
    )
    columns = (
        TableColumn("Segment", is_numeric=False),
        TableColumn("n"),
        *(TableColumn(wording.clean_name(m.label, 40)) for m in models),
    )
    return Table(
        "segments-values", f"{wording.clean_name(metric.label)} by segment.", columns, rows
    )


_COLUMNS = (
    TableColumn("Metric", is_numeric=False),
    TableColumn("Candidate against baseline", is_numeric=False, note="segment"),
    TableColumn("n"),
    TableColumn("Difference"),
    TableColumn("SE", note="standard error"),
    TableColumn("Interval", note="adjusted below"),
    TableColumn("p", note="adjusted below"),
    TableColumn("Verdict", is_numeric=False),
)


def build_comparisons_section(results: Results) -> Section | None:
    """None where nothing was compared; all rows before segments."""
    if not results.comparisons:
        return None
    index = Index(results)
    metrics = {m.key: m for m in results.metrics}
    ordered = sorted(results.comparisons, key=lambda c: c.segment is not None)
    table = Table(
        "comparisons-table",
        "Every difference, candidate minus the model it is compared with."
        + describe_cut(len(ordered)),
        _COLUMNS,
        tuple(_build_row(index, c, metrics[c.key]) for c in ordered[:MOST_ROWS]),
    )
    return Section(
        "comparisons", "All comparisons", tuple(fold_for_full_report("All comparisons", [table]))
    )


def _build_row(index: Index, found: Comparison, metric: MetricInfo) -> tuple[Cell, ...]:
    form = wording.choose_difference_format(found, metric)
    pair = f"{index.short_label(found.candidate)} against " + index.short_label(found.baseline)
    raw = form.interval(found.low, found.high, signed=True)
    error = wording.choose_format(found.se, None, None, metric.unit)
    return (
        Cell(
            wording.clean_name(metric.label),
            note=metric.unit if wording.has_unit(metric.unit) else "",
        ),
        Cell(pair, note=_describe_rows_compared(index, found)),
        Cell(wording.format_count(found.n), value=found.n),
        Cell(
            form.number(found.difference, signed=True),
            wording.format_bin_bound(
                index.off_by(found.key, found.candidate, found.baseline), metric.unit
            ),
            value=found.difference,
        ),
        Cell(error.number(found.se), value=found.se),
        Cell(raw, note=_format_adjusted_interval(found, form)),
        Cell(
            wording.format_bare_p_value(found.p_value),
            note=wording.format_bare_p_value(found.p_adjusted),
            value=found.p_value,
        ),
        make_verdict_cell(
            found,
            index.tone(found),
            is_open_by_bins=index.is_open_by_bins(found.key, found.candidate),
        ),
    )


def _format_adjusted_interval(found: Comparison, form: wording.NumberFormat) -> str:
    """Format the interval that allows for the family; a dash where the resamples are too few."""
    if found.verdict == "equivalent":
        return form.interval(found.adjusted_low, found.adjusted_high, signed=True)
    if wording.is_unadjusted(found):
        return wording.MISSING
    return wording.format_interval(found, form)


def _describe_rows_compared(index: Index, found: Comparison) -> str:
    named = wording.clean_name(found.dataset, 40) if len(index.tests) > 1 else ""
    every = f"all {wording.clean_name(index.main.case[1])}"
    rows = wording.format_segment(index.datasets[found.dataset], found.segment)
    rows = rows if found.segment else every
    return ", ".join(filter(None, (named, rows)))
