"""Whether the difference is the same in all segments and at all times: a table and a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Block,
    Cell,
    Figure,
    Panel,
    Reference,
    Series,
    Table,
    Text,
)
from reportgen.report.sections.cells import format_axis_label, make_difference_axis
from reportgen.report.sections.index import Index
from reportgen.report.sections.tables import build_table, number_column, word_column
from reportgen.report.wording import numbers
from reportgen.report.wording.names import clean_name, format_segment_column, lower_first_word
from reportgen.results.core import MetricInfo
from reportgen.results.costs import IntervalEstimate
from reportgen.results.segments import GroupDifference, Stability
from reportgen.terms import FEWEST_IN_A_WINDOW


def _list_own(index: Index, metric: MetricInfo) -> list[Stability]:
    """List what is known of the model asked about."""
    return [
        each
        for each in index.results.stability
        if (each.dataset, each.key, each.candidate) == (index.main.name, metric.key, index.about)
        and each.groups
    ]


def build_stability_tables(index: Index, metric: MetricInfo) -> list[Block]:
    """Build a table for each baseline of the candidate in question."""
    by_baseline: dict[str, list[Stability]] = {}
    for each in _list_own(index, metric):
        by_baseline.setdefault(each.baseline, []).append(each)
    return [
        _build_table(index, metric, own, _make_id("stability", place))
        for place, own in enumerate(by_baseline.values(), 1)
    ]


def _make_id(name: str, place: int) -> str:
    """Return the id of one of several blocks: the name, with a number from the second on."""
    return name if place == 1 else f"{name}-{place}"


def _build_table(index: Index, metric: MetricInfo, own: Sequence[Stability], id_: str) -> Table:
    form = index.choose_form(metric, index.main.name, None, own[0].candidate)
    return build_table(
        id_,
        prose.line(
            "stability_table.caption",
            model=index.short_label(own[0].candidate),
            baseline=index.short_label(own[0].baseline),
            metric=lower_first_word(clean_name(metric.label)),
            tests=own[0].tests,
            family=_count_quoted_family(index, own),
            cases=clean_name(index.main.case[1]),
            left_out=sum(_count_left_out(index, each) for each in own),
        ),
        [row for each in own for row in _list_rows(index, each)],
        word_column("Question", lambda row: row.question),
        number_column("Difference", lambda row: _make_cell(row, form)),
        word_column("Finding", lambda row: row.finding),
        title=prose.line("stability_table.title"),
    )


def build_window_figures(index: Index, metric: MetricInfo) -> list[Block]:
    """Build the figure of the periods of the model asked about, or say that none are judged."""
    periods = [each for each in _list_own(index, metric) if each.is_time]
    if periods:
        return [
            _build_figure(index, metric, each, _make_id("windows", place))
            for place, each in enumerate(periods, 1)
        ]
    if index.main.time is None or index.baseline is None:
        return []
    cluster = clean_name(index.main.cluster or "")
    cases = clean_name(index.main.case[1])
    text = prose.phrase("periods.none", cluster=cluster, cases=cases, fewest=FEWEST_IN_A_WINDOW)
    return [Text(text)]


def _count_left_out(index: Index, of: Stability) -> int:
    """Count the groups that are not compared, including segments of one row, which `of` omits."""
    every = sum(each.column == of.by for each in index.main.segments)
    return of.left_out if of.is_time else max(every - len(of.groups), of.left_out)


def _count_quoted_family(index: Index, own: Sequence[Stability]) -> int:
    """Count the comparisons that a mean within segments is adjusted for; 1 if for none.

    It is where it has the printed interval of the difference on all rows.
    """
    overall = index.comparison(own[0].candidate, own[0].key, baseline=own[0].baseline)
    if overall is None:
        return 1
    printed = (overall.difference, overall.low, overall.high)
    within = (each.within for each in own if not each.is_time)
    is_quoted = any((each.value, each.low, each.high) == printed for each in within)
    return overall.family_size if is_quoted else 1


@record
class _Row:
    question: str
    found: IntervalEstimate
    finding: str
    is_range: bool = False


def _list_rows(index: Index, of: Stability) -> Iterator[_Row]:
    if of.is_time:
        count = len(of.groups)
        is_better = ((of.change.value or 0.0) > 0) == (index.leading.better == "higher")
        yield _Row(
            prose.line("stability_table.change", count=count),
            of.change,
            prose.line("stability_table.changes", is_found=of.is_changing, is_better=is_better),
        )
        yield _Row(
            prose.line("stability_table.last", window=clean_name(of.groups[-1].name, 60)),
            of.last,
            prose.line("stability_table.differs", is_found=of.differs_in_last_period),
        )
        return
    by = format_segment_column(index.main, of.by)
    ends = [group.difference for group in of.groups if group.difference is not None]
    yield _Row(
        prose.line(
            "stability_table.range",
            by=by,
            count=len(of.groups),
            left_out=_count_left_out(index, of),
        ),
        IntervalEstimate(None, min(ends), max(ends)),
        prose.line("stability_table.differs", is_found=of.differs_by_segment),
        is_range=True,
    )
    yield _Row(
        prose.line("stability_table.within", by=by, cases=clean_name(index.main.case[1])),
        of.within,
        prose.line("stability_table.reverses", is_found=of.is_reversed),
    )


def _make_cell(row: _Row, form: numbers.NumberFormat) -> Cell:
    ends = form.interval(row.found.low, row.found.high, signed=True)
    if row.is_range or row.found.value is None:
        return Cell(ends)
    return Cell(form.number(row.found.value, signed=True), note=ends, value=row.found.value)


def _build_figure(index: Index, metric: MetricInfo, of: Stability, id_: str) -> Figure:
    """Build a forest of the windows, the first on top."""
    known = [
        (float(place), group, group.difference, group.low, group.high)
        for place, group in enumerate(of.groups, 1)
        if group.difference is not None and group.low is not None and group.high is not None
    ]
    model = index.short_label(of.candidate)
    overall = index.comparison(of.candidate, metric.key, baseline=of.baseline)
    whole = None if overall is None else overall.difference
    role = index.role(of.candidate)
    series = Series(
        model,
        role,
        tuple(difference for _, _, difference, _, _ in known),
        tuple(place for place, *_ in known),
        tuple(low for _, _, _, low, _ in known),
        tuple(high for _, _, _, _, high in known),
        has_markers=True,
    )
    panel = Panel(
        model,
        make_difference_axis(metric, format_axis_label(metric)),
        Axis("", low=0.5, high=len(of.groups) + 0.5, ticks=tuple(map(_name_tick, known))),
        (series,),
        (
            Reference("", x=(0.0,)),
            *(() if whole is None else (Reference("", x=(whole,), role=role),)),
        ),
    )
    baseline = index.short_label(of.baseline)
    caption = prose.line(
        "stability_figure.caption",
        baseline=baseline,
        level=f"{100 * of.level:g}%",
        cases=clean_name(index.main.case[1]),
    )
    form = index.choose_form(metric, index.main.name, None, of.candidate)
    each = "; ".join(
        f"{clean_name(group.name, 60)} {form.number(difference, signed=True)}"
        for _, group, difference, _, _ in known
    )
    title = prose.line(
        "stability_figure.title",
        model=model,
        baseline=baseline,
        is_found=of.is_changing or of.differs_in_last_period,
    )
    return Figure(id_, "forest", title, caption, f"{model}: {each}.", (panel,))


def _name_tick(known: tuple[float, GroupDifference, float, float, float]) -> tuple[float, str]:
    place, group, *_ = known
    start = clean_name(group.name.partition(" to ")[0], 40)
    return place, prose.line("stability_figure.period", start=start, rows=group.n)
