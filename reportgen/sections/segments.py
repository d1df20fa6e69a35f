"""Segments: where the candidate is ahead and where not, the worst first."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Column,
    Figure,
    Panel,
    Phrase,
    Reference,
    Section,
    Series,
    Span,
    Strip,
    Table,
    phrase,
)
from reportgen.results import Comparison, MetricInfo, ModelInfo, Results
from reportgen.sections.cells import (
    cut_note,
    difference_cell,
    estimate_cell,
    verdict_cell,
    whisker_cell,
)
from reportgen.sections.index import TONES, Index

_MOST_ROWS = 30
_MOST_FIGURES = 2
_WORST = 3


def section(results: Results) -> Section | None:
    """None where no segment was declared."""
    index = Index(results)
    if not index.main.segments:
        return None
    metric = index.leading
    blocks: list[Block] = []
    for place, model in enumerate(index.candidates, 1):
        rows = index.in_segments(model.name, metric.key)
        if not rows:
            continue
        blocks.append(_worst(index, model, metric, rows))
        if place <= _MOST_FIGURES:
            blocks += _forests(index, model, metric, rows, place)
        blocks.append(_table(index, model, metric, rows, place))
    if not blocks:
        blocks = [_values(index, metric)]
    return Section("segments", "Segments", tuple(blocks), _lede(index, metric))


def _lede(index: Index, metric: MetricInfo) -> Phrase:
    columns = list(dict.fromkeys(wording.name(s.column, 40) for s in index.main.segments))
    on = wording.lowered(wording.name(metric.label))
    n = wording.count(len(index.main.segments), "segment")
    said = f"{n} by {wording.listed(columns)}, compared on {on}, worst for the candidate first."
    return phrase(said, " Segments may overlap between columns; p is corrected for their number.")


def _worst(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison]
) -> Bullets:
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    known = [c for c in rows if c.status == "ok"]
    items = [
        phrase(
            Span(f"{wording.name(c.segment or '')}: ", is_strong=True),
            Span(c.verdict, tone=TONES[c.verdict]),
            f", {wording.short(c, metric)}, n = {wording.count(c.n)}"
            f"{'; flips the order' if c.segment in flips else ''}.",
        )
        for c in known[:_WORST]
    ]
    who = wording.name(model.label)
    shown = min(_WORST, len(known))
    title = f"Where {who} does worst" if shown < len(rows) else f"{who} in each segment"
    return Bullets(tuple(items), title)


def _forests(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison], place: int
) -> list[Figure]:
    known = [c for c in rows if c.status == "ok" and None not in wording.bounds(c)]
    overall = index.comparison(model.name, metric.key)
    if not known:
        return []
    parts = [known[i : i + _MOST_ROWS] for i in range(0, len(known), _MOST_ROWS)]
    return [
        _forest(
            index, model, metric, part, overall, f"segments-forest-{place}-{number}", len(known)
        )
        for number, part in enumerate(parts, 1)
    ]


def _forest(
    index: Index,
    model: ModelInfo,
    metric: MetricInfo,
    rows: Sequence[Comparison],
    overall: Comparison | None,
    id_: str,
    total: int,
) -> Figure:
    all_rows = [c for c in (overall,) if c is not None and None not in wording.bounds(c)]
    drawn = (*all_rows, *rows)
    against = wording.name(index.baseline.label if index.baseline else "")
    flips = len(index.flips(model.name, metric.key))
    on = wording.lowered(wording.name(metric.label))
    who = wording.name(model.label)
    ahead = sum(c.favours == model.name for c in rows)
    title = f"{who} is ahead on {on} in {ahead} of {len(rows)} segments"
    part = f" These are {len(rows)} of {total}." if total > len(rows) else ""
    return Figure(
        id_,
        "forest",
        f"{title}; {flips} of all flip the order" if flips else title,
        f"Difference {who} minus {against}, {wording.interval_name(rows[0])}; the shaded strip is "
        f"the margin. The first row is all rows; n stands beside each name.{part}",
        " ".join(f"{_row_name(c)}: {wording.short(c, metric)}, {c.verdict}." for c in drawn),
        (_panel(index, model, metric, drawn),),
    )


def _panel(index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison]) -> Panel:
    places = tuple(float(len(rows) - i) for i in range(len(rows)))
    bounds = [wording.bounds(c) for c in rows]
    series = Series(
        wording.name(model.label),
        index.role(model.name),
        tuple(c.difference for c in rows),
        places,
        tuple(low for low, _ in bounds),
        tuple(high for _, high in bounds),
        tones=tuple(TONES[c.verdict] for c in rows),
        has_markers=True,
    )
    margin = rows[0].margin
    unit = f", {metric.unit}" if wording.has_unit(metric.unit) else ""
    side = "right" if metric.better == "higher" else "left"
    label = f"difference in {wording.lowered(wording.name(metric.label, 40))}{unit}"
    return Panel(
        "",
        Axis(f"{label} (better to the {side})"),
        Axis(
            "",
            low=0.5,
            high=len(rows) + 0.5,
            ticks=tuple(zip(places, map(_row_name, rows), strict=True)),
        ),
        (series,),
        (Reference("no difference", x=(0.0,)),),
        () if margin is None else (Strip("margin", "x", -margin, margin),),
    )


def _row_name(comparison: Comparison) -> str:
    where = "all rows" if comparison.segment is None else wording.name(comparison.segment, 32)
    return f"{where} ({wording.count(comparison.n)})"


def _table(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison], place: int
) -> Table:
    against = wording.name(index.baseline.label if index.baseline else "", 40)
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    columns = (
        Column("Segment", is_numeric=False),
        Column("n"),
        Column(against),
        Column(wording.name(model.label, 40)),
        Column("Difference"),
        Column("Against no difference", is_numeric=False),
        Column("p", note="corrected"),
        Column("Verdict", is_numeric=False),
    )
    caption = f"{wording.name(model.label)} against {against} on {wording.name(metric.label)}."
    return Table(
        f"segments-{place}",
        caption + cut_note(len(rows)),
        columns,
        tuple(_line(index, model, metric, c, rows, flips) for c in rows[:200]),
        is_folded=place > _MOST_FIGURES,
    )


def _line(
    index: Index,
    model: ModelInfo,
    metric: MetricInfo,
    found: Comparison,
    rows: Sequence[Comparison],
    flips: set[str | None],
) -> tuple[Cell, ...]:
    verdict = verdict_cell(found)
    if found.segment in flips:
        verdict = Cell(verdict.text, "flips the order", tone=verdict.tone, is_strong=True)
    p = found.p_value if found.p_adjusted is None else found.p_adjusted
    estimates = (index.estimate(name, metric.key, segment=found.segment)
                 for name in (found.baseline, model.name))  # fmt: skip
    return (
        Cell(wording.name(found.segment or "")),
        Cell(wording.count(found.n), value=found.n),
        *(estimate_cell(e, metric) for e in estimates),
        difference_cell(found, metric),
        whisker_cell(found, metric, rows),
        Cell(wording.bare_p_value(p), value=p),
        verdict,
    )


def _values(index: Index, metric: MetricInfo) -> Table:
    """Values alone, where there is nothing to compare."""
    models = index.results.models
    rows = tuple(
        (
            Cell(wording.name(s.segment)),
            Cell(wording.count(s.n), value=s.n),
            *(estimate_cell(index.estimate(m.name, metric.key, segment=s.segment), metric)
              for m in models),
        )
        for s in index.main.segments
    )  # fmt: skip
    columns = (Column("Segment", is_numeric=False), Column("n"),
               *(Column(wording.name(m.label, 40)) for m in models))  # fmt: skip
    return Table("segments-values", f"{wording.name(metric.label)} by segment.", columns, rows)
