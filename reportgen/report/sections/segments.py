"""Segments with the gaps between them, and all comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from statistics import median

from reportgen.report import prose
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
    Text,
    make_phrase,
)
from reportgen.report.prose.curves import describe_segments
from reportgen.report.sections.cells import (
    choose_comparison_mark,
    compute_axis_ends,
    format_axis_label,
    has_drawable_interval,
    make_difference_axis,
    make_difference_cell,
    make_estimate_cell,
    make_verdict_cell,
    name_verdict,
)
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.stability import build_stability_tables, build_window_figures
from reportgen.report.sections.tables import (
    MOST_ROWS,
    ReportColumn,
    build_table,
    count_column,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers, verdicts
from reportgen.report.wording.names import (
    clean_name,
    clean_prose,
    format_segment,
    format_segment_column,
    format_segment_value,
    lower_first_word,
)
from reportgen.report.wording.verdicts import TONES
from reportgen.results import Results
from reportgen.results.core import Comparison, MetricInfo, ModelInfo, SegmentInfo
from reportgen.results.segments import GroupGap
from reportgen.results.verdicts import word_side


def build_gap_tables(index: Index, metric: MetricInfo) -> list[Block]:
    """Build the table of gaps that requirements name, and of those on the primary metric.

    Of the latter those that are no chance are printed, the others folded, for the full report.
    """
    required = {
        (g.dataset, g.key, g.model, g.against, g.by, g.between)
        for g in index.results.gates
        if g.is_of_gap
    }
    shown = [
        gap
        for gap in index.results.group_gaps
        if gap.dataset == index.main.name
        and (gap.place in required or (gap.value is not None and _is_usual(index, metric, gap)))
    ]
    printed = [gap for gap in shown if gap.place in required or gap.is_established]
    folded = [gap for gap in shown if gap not in printed]
    title = prose.line("gap_table.title")
    tables = [_build_gap_table(index, "gaps", printed, title)] if printed else []
    if not folded:
        return [*tables]
    name = "gaps-2" if printed else "gaps"
    title = prose.line("gap_table.other_title") if printed else title
    return [*tables, *fold_for_full_report(title, [_build_gap_table(index, name, folded, title)])]


def _build_gap_table(index: Index, name: str, shown: Sequence[GroupGap], title: str) -> Table:
    return build_table(
        name,
        prose.line(
            "gap_table.caption",
            omitted=_list_omitted(index, shown),
            has_others=len(index.candidates) > 1,
        ),
        shown,
        word_column(
            prose.line("gap_table.column_segments"), lambda gap: _describe_segments(index, gap)
        ),
        word_column(prose.line("gap_table.column_model"), lambda gap: _describe_models(index, gap)),
        number_column(prose.line("gap_table.column_gap"), lambda gap: _make_cell(index, gap)),
        word_column(prose.line("gap_table.column_finding"), _describe_finding),
        title=title,
    )


def _is_usual(index: Index, metric: MetricInfo, gap: GroupGap) -> bool:
    """Tell whether a gap is one of the model asked about, its baseline, or the change of it."""
    if gap.key != metric.key or gap.between:
        return False
    baseline = None if index.baseline is None else index.baseline.name
    if gap.against is not None:
        return (gap.model, gap.against) == (index.about, baseline)
    return gap.model in (index.about, baseline)


def _describe_segments(index: Index, gap: GroupGap) -> str:
    by = format_segment_column(index.main, gap.by)
    pair = gap.between or ((gap.highest, gap.lowest) if gap.highest and not gap.against else ())
    if not pair:
        return by
    known = {s.value: s.n for s in index.main.segments if s.column == gap.by}
    first, second = (
        prose.line(
            "gap_table.segment",
            value=format_segment_value(index.main, gap.by, name),
            rows=known[name],
        )
        for name in pair
    )
    if gap.against is None:
        return prose.line("gap_table.segments", by=by, first=first, second=second)
    return prose.line("gap_table.sizes", by=by, first=first, second=second)


def _describe_models(index: Index, gap: GroupGap) -> str:
    metric = clean_name(index.find_metric(gap.key).label)
    model = index.short_label(gap.model)
    if gap.against is None:
        return prose.line("gap_table.model", model=model, metric=metric)
    baseline = index.short_label(gap.against)
    return prose.line("gap_table.change", model=model, baseline=baseline, metric=metric)


def _make_cell(index: Index, gap: GroupGap) -> Cell:
    if gap.value is None:
        return Cell(numbers.MISSING, note=gap.reason)
    form = index.choose_form(index.find_metric(gap.key), index.main.name)
    ends = form.interval(gap.low, gap.high, signed=True)
    number = form.number(gap.value, signed=True)
    if not gap.against and not gap.between:  # it has no direction
        number, ends = number.replace("+", ""), ends.replace("+", "")
    return Cell(number, note=ends, value=gap.value)


def _describe_finding(gap: GroupGap) -> str:
    return prose.line(
        "gap_table.finding",
        is_found=gap.is_established,
        is_change=gap.against is not None,
        is_wider=gap.low is not None and gap.low > 0,
    )


def _list_omitted(index: Index, shown: Iterable[GroupGap]) -> list[str]:
    each = {(gap.by, part.name): part.reason for gap in shown for part in gap.omitted}
    return [
        prose.line(
            "gap_table.omitted",
            segment=format_segment(index.main, f"{by}={name}"),
            reason=clean_prose(reason, 200),
        )
        for (by, name), reason in each.items()
    ]


_MOST_ROWS = 30
_MOST_PANELS = 4
_WIDEST = 10.0  # times as wide as the median interval: the axis ends before a wider one does


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
    ends = _limit_axis(index, metric, models, rows)
    return Figure(
        f"segments-forest-{part[0]}",
        "forest",
        _format_title(index, metric, models),
        _format_caption(index, metric, models, part, is_cut=ends is not None),
        " ".join(_describe_panel(index, metric, model, rows) for model in models),
        tuple(_build_panel(index, metric, model, rows, ends) for model in models),
        shares_axes=True,
        shares_rows=True,
    )


def _limit_axis(
    index: Index, metric: MetricInfo, models: Sequence[ModelInfo], rows: Sequence[str]
) -> tuple[float, float] | None:
    """Limit the axis to the intervals that can be read on one; None where that is all of them.

    The interval of a segment of two rows may be a thousand times as wide as the others.
    """
    drawn = [
        _list_places(c)
        for model in models
        for c in index.list_segment_comparisons(model.name, metric.key)
        if c.segment in rows and has_drawable_interval(c)
    ]
    widths = [max(places) - min(places) for places in drawn]
    shown = [
        places
        for places, width in zip(drawn, widths, strict=True)
        if width <= _WIDEST * median(widths)
    ]
    if len(shown) == len(drawn):
        return None
    overall = [c for m in models if (c := index.comparison(m.name, metric.key)) is not None]
    shown += [_list_places(c) for c in overall]
    shown += [(-c.margin, c.margin) for c in overall if c.margin is not None]
    return compute_axis_ends(chain(*shown))


def _list_places(comparison: Comparison) -> tuple[float, ...]:
    """List the difference and the ends of its interval, as far as they exist."""
    each = comparison.difference, comparison.low, comparison.high
    return tuple(place for place in each if place is not None)


def _build_panel(
    index: Index,
    metric: MetricInfo,
    model: ModelInfo,
    rows: Sequence[str],
    ends: tuple[float, float] | None,
) -> Panel:
    role = index.role(model.name)
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    by_segment = {c.segment: c for c in index.list_segment_comparisons(model.name, metric.key)}
    found = [
        (float(place), by_segment[segment])
        for place, segment in enumerate(rows, 1)
        if has_drawable_interval(by_segment.get(segment))
    ]
    bounds = [(c.low, c.high) for _, c in found]
    series = Series(
        clean_name(model.label, 40),
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
    counted = {c.segment: c.n for c in index.list_segment_comparisons(model.name, metric.key)}
    ticks = tuple(
        (float(place), _row_name(index, s, counted.get(s))) for place, s in enumerate(rows, 1)
    )
    low, high = ends or (None, None)
    return Panel(
        clean_name(model.label, 40),
        replace(make_difference_axis(metric, format_axis_label(metric)), low=low, high=high),
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


def _row_name(index: Index, segment: str, counted: int | None) -> str:
    """Name a segment and the rows of its comparison: the metric may not be known of all."""
    n = next(s.n for s in index.main.segments if s.segment == segment)
    rows = numbers.format_count(n if counted is None else counted)
    return f"{format_segment(index.main, segment)} ({rows})"


def _format_title(index: Index, metric: MetricInfo, models: Sequence[ModelInfo]) -> str:
    """Describe how the model asked about fares in the segments."""
    model = next((m for m in models if m.name == index.about), models[0])
    known = [
        c
        for c in index.list_segment_comparisons(model.name, metric.key)
        if has_drawable_interval(c)
    ]
    better, worse = (sum(word_side(c.word) == side for c in known) for side in (1, -1))
    against = index.baseline.label if index.baseline else ""
    return describe_segments(model.label, against, metric, (better, worse, len(known)))


def _format_caption(
    index: Index,
    metric: MetricInfo,
    models: Sequence[ModelInfo],
    part: tuple[int, int],
    *,
    is_cut: bool,
) -> str:
    against = clean_name(index.baseline.label if index.baseline else "", 40)
    rows = clean_name(index.main.case[1], 30)
    drawn = [
        c
        for m in models
        for c in index.list_segment_comparisons(m.name, metric.key)
        if has_drawable_interval(c)
    ]
    return prose.line(
        "segment_figure.caption",
        baseline=against,
        intervals=verdicts.name_intervals(drawn),
        cases=rows,
        has_margin=any(c.margin is not None for c in drawn),
        has_open=any(choose_comparison_mark(c) == "open" for c in drawn),
        has_flips=any(index.flips(m.name, metric.key) for m in models),
        is_cut=is_cut,
        has_others=len(models) < len(index.candidates),
        part=part[0],
        parts=part[1],
    )


def _describe_panel(index: Index, metric: MetricInfo, model: ModelInfo, rows: Sequence[str]) -> str:
    found = {c.segment: c for c in index.list_segment_comparisons(model.name, metric.key)}
    each = "; ".join(
        f"{format_segment(index.main, s)} {verdicts.format_comparison(found[s], metric)}, "
        f"{name_verdict(found[s].word)}"
        for s in rows
        if s in found
    )
    return f"{clean_name(model.label, 40)}: {each}."


_WORST = 3
_MOST_WITHOUT = 3  # segments without a result that are named; more are counted


def build_segments_section(results: Results) -> Section | None:
    """None where neither segments nor windows of time are known."""
    index, title = Index(results), prose.line("segments.title")
    metric = index.leading
    blocks = build_stability_tables(index, metric)
    if not index.main.segments:
        blocks += build_window_figures(index, metric)
        return Section("segments", title, tuple(blocks)) if blocks else None
    for place, model in enumerate(_order_candidates(index), 1):
        rows = index.list_segment_comparisons(model.name, metric.key)
        if not rows:
            continue
        if all(c.status == "not applicable" for c in rows):
            blocks.append(_explain_no_comparison(model, metric, rows[0]))
            continue
        blocks += _list_candidate_blocks(index, model, metric, rows, place)
    blocks += build_window_figures(index, metric)
    if not blocks:
        blocks = [_build_values(index, metric)]
    blocks += build_gap_tables(index, metric)
    return Section("segments", title, tuple(blocks), _build_lede(index, metric))


def _order_candidates(index: Index) -> list[ModelInfo]:
    return sorted(index.candidates, key=lambda model: model.name != index.about)


def _list_candidate_blocks(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison], place: int
) -> list[Block]:
    """Build a candidate's blocks, folded unless it is asked about; tables for the full report."""
    bullets: list[Block] = [_build_worst_bullets(index, model, metric, rows)]
    name = clean_name(model.label, 40)
    table = fold_for_full_report(
        prose.line("segment_table.every", model=name),
        [_build_table(index, model, metric, rows, place)],
    )
    if model.name == index.about:
        return [*bullets, *build_small_multiples(index, metric), *table]
    return [Fold(name, (*bullets, *table), is_of_full=True)]


def _build_lede(index: Index, metric: MetricInfo) -> Phrase:
    columns = list(dict.fromkeys(clean_name(s.label or s.column, 40) for s in index.main.segments))
    on = lower_first_word(clean_name(metric.label))
    n = len(index.main.segments)
    if index.baseline is None:
        return prose.phrase("segment_lede.values", segments=n, columns=columns, metric=on)
    head = prose.line("segment_lede.compared", segments=n, columns=columns, metric=on)
    family = max(
        (
            c.family_size
            for c in index.results.comparisons
            if c.segment is not None and c.key == metric.key
        ),
        default=1,
    )
    sentences = [head]
    if len(columns) > 1:
        sentences.append(prose.line("segments.overlap", cases=clean_name(index.main.case[1])))
    sentences.append(prose.line("segments.adjusted", family=family))
    return make_phrase(" ".join((*sentences, *_name_segments_without_result(index, metric))))


def _name_segments_without_result(index: Index, metric: MetricInfo) -> list[str]:
    """Name the segments in which no candidate has a verdict, up to three, with why if it is one."""
    of: dict[str, list[Comparison]] = {s.segment: [] for s in index.main.segments}
    for model in index.candidates:
        for c in index.list_segment_comparisons(model.name, metric.key):
            of[str(c.segment)].append(c)
    lacking = {s: each for s, each in of.items() if {c.word for c in each} == {"no result"}}
    if not lacking or len(lacking) == len(of):
        return []
    if len(lacking) > _MOST_WITHOUT:
        return [prose.line("segment_lede.many_without", count=len(lacking))]
    reasons = {c.reason for each in lacking.values() for c in each}
    return [
        prose.line(
            "segment_lede.without",
            segments=[f"“{format_segment(index.main, segment)}”" for segment in lacking],
            reason=clean_prose(reasons.pop(), 200) if len(reasons) == 1 else "",
        )
    ]


def _explain_no_comparison(model: ModelInfo, metric: MetricInfo, first: Comparison) -> Text:
    """Why there is nothing to compare in any segment, in one line for all of them."""
    why = verdicts.explain_absence(metric, first.status, first.reason)
    return Text(make_phrase(Span(f"{clean_name(model.label, 40)}:", is_strong=True), f" {why}"))


def _build_worst_bullets(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison]
) -> Bullets:
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    with_limits = [c for c in rows if c.low is not None]
    known = with_limits or [c for c in rows if c.status == "ok"]
    reverses = prose.line("segment_table.also_reverses")
    items = [
        make_phrase(
            Span(f"{format_segment(index.main, c.segment)}:", is_strong=True),
            " ",
            Span(name_verdict(c.word), tone=TONES[c.word]),
            f", {verdicts.format_comparison(c, metric)}, n = {numbers.format_count(c.n)}"
            f"{reverses if c.segment in flips else ''}.",
        )
        for c in known[:_WORST]
    ]
    who = clean_name(model.label, 40)
    shown = min(_WORST, len(known))
    title = prose.line("segment_table.each", model=who, is_part=shown < len(rows))
    return Bullets(tuple(items), title)


def _build_table(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison], place: int
) -> Table:
    against = clean_name(index.baseline.label if index.baseline else "", 40)
    flips = {c.segment for c in index.flips(model.name, metric.key)}

    def choose_form(c: Comparison) -> numbers.NumberFormat:
        return index.choose_form(metric, c.dataset, c.segment, c.candidate)

    def make_model_cell(name: str, c: Comparison) -> Cell:
        found = index.estimate(name, metric.key, segment=c.segment)
        return make_estimate_cell(found, metric, choose_form(c))

    def make_word_cell(c: Comparison) -> Cell:
        verdict = make_verdict_cell(c)
        if c.segment not in flips:
            return verdict
        return Cell(
            verdict.text, prose.line("segment_table.reverses"), tone=verdict.tone, is_strong=True
        )

    return build_table(
        f"segments-{place}",
        prose.line(
            "segment_table.caption",
            model=clean_name(model.label, 40),
            baseline=against,
            metric=clean_name(metric.label),
        ),
        rows,
        word_column("Segment", lambda c: format_segment(index.main, c.segment)),
        count_column("n", lambda c: c.n),
        number_column(against, lambda c: make_model_cell(c.baseline, c)),
        number_column(clean_name(model.label, 40), lambda c: make_model_cell(c.candidate, c)),
        number_column("Difference", lambda c: make_difference_cell(c, metric, choose_form(c))),
        word_column("Verdict", make_word_cell),
        most=MOST_ROWS,
    )


def _build_values(index: Index, metric: MetricInfo) -> Table:
    """Values alone, where there is nothing to compare."""

    def value_column(model: ModelInfo) -> ReportColumn[SegmentInfo]:
        return number_column(
            clean_name(model.label, 40),
            lambda s: make_estimate_cell(
                index.estimate(model.name, metric.key, segment=s.segment),
                metric,
                index.choose_form(metric, index.main.name, s.segment),
            ),
        )

    return build_table(
        "segments-values",
        prose.line("segment_table.values", metric=clean_name(metric.label)),
        index.main.segments,
        word_column("Segment", lambda s: format_segment(index.main, s.segment)),
        count_column("n", lambda s: s.n),
        *map(value_column, index.results.models),
    )
