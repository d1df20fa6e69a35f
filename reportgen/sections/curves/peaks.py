"""Where curves are highest: the rank to cut lists at, and what that gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import Block, Cell, Figure, Table, TableColumn
from reportgen.results import CurveResult, Peak
from reportgen.sections.curves.drawn import words_of
from reportgen.sections.index import Index
from reportgen.wording.rows import values_form

_SHARE = "share"


def with_peaks(index: Index, blocks: Sequence[Block]) -> list[Block]:
    """The figures, that of each curve with a peak followed by the table of its peaks."""
    tables = dict(peak_tables(index))
    made: list[Block] = []
    for block in blocks:
        made.append(block)
        curve = next((name for name in tables if _is_of(block, name)), None)
        made += [tables.pop(curve)] if curve is not None else []
    return [*made, *tables.values()]


def peak_tables(index: Index) -> Iterator[tuple[str, Table]]:
    """The peaks of each curve on the main dataset, by its name."""
    mine = [peak for peak in index.sensitivity.peaks if peak.dataset == index.main.name]
    for curve in dict.fromkeys(peak.curve for peak in mine):
        yield curve, _table(index, [peak for peak in mine if peak.curve == curve])


def finding(index: Index, curves: Sequence[CurveResult]) -> str:
    """At which rank the curve of each model is highest, as the title of its figure."""
    said = [
        (f"{x:,.0f}", wording.name(index.label(curve.model), 30))
        for curve in curves
        if (x := curve.marks.get("peak")) is not None
    ]
    is_one = len({rank for rank, _ in said}) == 1 and len(curves) == len(said) > 1
    each = [f"{said[0][0]} for every model"] if is_one else [f"{k} for {of}" for k, of in said]
    what = words_of(index, curves[0].curve).title.removesuffix(" by depth")
    return f"{what} is highest at rank {wording.listed(each)}" if each else ""


def _is_of(block: Block, curve: str) -> bool:
    return isinstance(block, Figure) and block.id.startswith(f"{curve.replace('_', '-')}-curve")


def _table(index: Index, peaks: Sequence[Peak]) -> Table:
    is_same = peaks[0].learnt_on == peaks[0].dataset
    title = words_of(index, peaks[0].curve).title.removesuffix(" by depth")
    what = wording.lowered(title) if not title.isupper() else title
    many = wording.name(index.main.case[1])
    level = wording.level(peaks[0].level)
    columns = (
        TableColumn("Model", is_numeric=False),
        TableColumn("Rank to cut at", note="95% of resamples"),
        TableColumn("Resamples with that rank"),
        TableColumn(f"{title} there", note=f"{level} interval"),
        *([] if is_same else [TableColumn(f"Highest on these {many}", note="at rank")]),
    )
    how = (
        f"It was chosen on the {many} that it is judged on, anew in each resample for the "
        f"interval: on other {many} expect less than the {what} printed here."
        if is_same
        else f"It was chosen on the {many} of {wording.name(peaks[0].learnt_on)}, of which the "
        f"resamples are, and the {what} there is that of the {many} judged."
    )
    caption = f"The rank at which {what} is highest: how many results to show. {how}"
    form = values_form([(p.value, p.low, p.high) for p in peaks], _SHARE)
    rows = tuple(_row(index, peak, form, is_same) for peak in peaks)
    return Table(f"{peaks[0].curve.replace('_', '-')}-peaks", caption, columns, rows)


def _row(index: Index, peak: Peak, form: wording.Form, is_same: bool) -> tuple[Cell, ...]:
    between = form.interval(peak.low, peak.high)
    here = Cell(form.number(peak.highest), note=_rank(peak.highest_x), value=peak.highest)
    return (
        Cell(wording.name(index.label(peak.model), 40)),
        Cell(_rank(peak.x), note=_between(peak), value=peak.x),
        Cell(wording.percent(peak.share), value=peak.share),
        Cell(
            form.number(peak.value),
            note="" if between == wording.MISSING else between,
            value=peak.value,
        ),
        *([] if is_same else [here]),
    )


def _rank(x: float | None) -> str:
    return wording.MISSING if x is None else wording.count(x)


def _between(peak: Peak) -> str:
    if peak.x_low is None or peak.x_high is None:
        return ""
    if peak.x_low == peak.x_high:
        return f"{_rank(peak.x_low)} alone"
    return f"{_rank(peak.x_low)} to {_rank(peak.x_high)}"
