"""How far apart the segments of a column are: one table."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.report import prose
from reportgen.report.document import Block, Cell
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.tables import build_table, number_column, word_column
from reportgen.report.wording import numbers
from reportgen.report.wording.names import (
    clean_name,
    format_segment,
    format_segment_column,
    format_segment_value,
)
from reportgen.results.core import MetricInfo
from reportgen.results.group_gaps import GroupGap


def build_gap_tables(index: Index, metric: MetricInfo) -> list[Block]:
    """Build the table of gaps on the primary metric and of those that requirements name.

    Where no requirement names one, the table is folded, and printed in the full report alone.
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
    if not shown:
        return []
    title = prose.line("gap_table.title")
    table = build_table(
        "gaps",
        prose.line("gap_table.caption", omitted=_list_omitted(index, shown)),
        shown,
        word_column(
            prose.line("gap_table.column_segments"), lambda gap: _describe_segments(index, gap)
        ),
        word_column(prose.line("gap_table.column_model"), lambda gap: _describe_models(index, gap)),
        number_column(prose.line("gap_table.column_gap"), lambda gap: _make_cell(index, gap)),
        word_column(prose.line("gap_table.column_finding"), _describe_finding),
        title=title,
    )
    if any(gap.place in required for gap in shown):
        return [table]
    return fold_for_full_report(title, [table])


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
    first, second = (format_segment_value(index.main, gap.by, name) for name in pair)
    if gap.against is None:
        return prose.line("gap_table.segments", by=by, first=first, second=second)
    return prose.line("gap_table.sizes", by=by, first=first, second=second)


def _describe_models(index: Index, gap: GroupGap) -> str:
    metric = clean_name(index.find_metric(gap.key).label)
    model = clean_name(index.label(gap.model), 40)
    if gap.against is None:
        return prose.line("gap_table.model", model=model, metric=metric)
    baseline = clean_name(index.label(gap.against), 40)
    return prose.line("gap_table.change", model=model, baseline=baseline, metric=metric)


def _make_cell(index: Index, gap: GroupGap) -> Cell:
    if gap.value is None:
        return Cell(numbers.MISSING, note=gap.reason)
    form = index.choose_form(index.find_metric(gap.key), index.main.name)
    is_signed = bool(gap.against or gap.between)
    ends = form.interval(gap.low, gap.high, signed=is_signed)
    return Cell(form.number(gap.value, signed=is_signed), note=ends, value=gap.value)


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
            reason=clean_name(reason, 80),
        )
        for (by, name), reason in each.items()
    ]
