"""Segments: where the candidate is ahead and where not, the worst first."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import (
    Block,
    Bullets,
    Cell,
    Fold,
    Phrase,
    Section,
    Span,
    Table,
    TableColumn,
    Text,
    phrase,
)
from reportgen.results import Comparison, MetricInfo, ModelInfo, Results
from reportgen.sections.cells import (
    cut_note,
    difference_cell,
    estimate_cell,
    fewest_decimals,
    verdict_cell,
    whisker_cell,
)
from reportgen.sections.folding import in_full
from reportgen.sections.index import TONES, Index
from reportgen.sections.scores.multiples import small_multiples

_WORST = 3


def section(results: Results) -> Section | None:
    """None where no segment was declared."""
    index = Index(results)
    if not index.main.segments:
        return None
    metric = index.leading
    blocks: list[Block] = []
    for place, model in enumerate(_asked_first(index), 1):
        rows = index.in_segments(model.name, metric.key)
        if not rows:
            continue
        if all(c.status == "not applicable" for c in rows):
            blocks.append(_unsuited(model, metric, rows[0]))
            continue
        blocks += _of_candidate(index, model, metric, rows, place)
    if not blocks:
        blocks = [_values(index, metric)]
    return Section("segments", "Segments", tuple(blocks), _lede(index, metric))


def _asked_first(index: Index) -> list[ModelInfo]:
    return sorted(index.candidates, key=lambda model: model.name != index.about)


def _of_candidate(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison], place: int
) -> list[Block]:
    """The model asked about is read at once, the others behind their names; tables in full."""
    told: list[Block] = [_worst(index, model, metric, rows)]
    name = wording.name(model.label)
    table = in_full(f"{name} in every segment", [_table(index, model, metric, rows, place)])
    if model.name == index.about:
        return [*told, *small_multiples(index, metric), *table]
    return [Fold(name, (*told, *table))]


def _lede(index: Index, metric: MetricInfo) -> Phrase:
    columns = list(
        dict.fromkeys(wording.name(s.label or s.column, 40) for s in index.main.segments)
    )
    on = wording.lowered(wording.name(metric.label))
    n = wording.count(len(index.main.segments), "segment")
    head = f"{n} by {wording.listed(columns)}"
    if index.baseline is None:
        return phrase(f"{head}; values of {on}.")
    corrected = "p is corrected for the number of segments."
    if len(columns) == 1:
        return phrase(f"{head}, compared on {on}; {corrected}")
    cases = wording.name(index.main.case[1])
    shared = f"Segments of different columns hold the same {cases}"
    return phrase(f"{head}, compared on {on}. {shared}; {corrected}")


def _unsuited(model: ModelInfo, metric: MetricInfo, first: Comparison) -> Text:
    """Why there is nothing to compare in any segment, in one line for all of them."""
    why = wording.absence(metric, first.status, first.reason)
    return Text(phrase(Span(f"{wording.name(model.label)}:", is_strong=True), f" {why}"))


def _worst(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison]
) -> Bullets:
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    known = [c for c in rows if c.status == "ok"]
    items = [
        phrase(
            Span(f"{wording.segment_name(index.main, c.segment)}:", is_strong=True),
            " ",
            Span(c.verdict, tone=TONES[c.verdict]),
            f", {wording.short(c, metric)}, n = {wording.count(c.n)}"
            f"{'; the result reverses' if c.segment in flips else ''}.",
        )
        for c in known[:_WORST]
    ]
    who = wording.name(model.label)
    shown = min(_WORST, len(known))
    title = f"Where {who} does worst" if shown < len(rows) else f"{who} in each segment"
    return Bullets(tuple(items), title)


def _table(
    index: Index, model: ModelInfo, metric: MetricInfo, rows: Sequence[Comparison], place: int
) -> Table:
    against = wording.name(index.baseline.label if index.baseline else "", 40)
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    columns = (
        TableColumn("Segment", is_numeric=False),
        TableColumn("n"),
        TableColumn(against),
        TableColumn(wording.name(model.label, 40)),
        TableColumn("Difference"),
        TableColumn("Interval", note="the line is 0", is_numeric=False),
        TableColumn("p", note="corrected"),
        TableColumn("Verdict", is_numeric=False),
    )
    caption = f"{wording.name(model.label)} against {against} on {wording.name(metric.label)}."
    return Table(
        f"segments-{place}",
        caption + cut_note(len(rows)),
        columns,
        tuple(_line(index, model, metric, c, rows, flips) for c in rows[:200]),
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
        verdict = Cell(verdict.text, "reverses the result", tone=verdict.tone, is_strong=True)
    p = found.p_value if found.p_adjusted is None else found.p_adjusted
    own, other = (index.estimate(name, metric.key, segment=found.segment)
                  for name in (model.name, found.baseline))  # fmt: skip
    fewest = fewest_decimals(own, other, found, metric)
    return (
        Cell(wording.segment_name(index.main, found.segment)),
        Cell(wording.count(found.n), value=found.n),
        *(estimate_cell(e, metric, fewest=fewest) for e in (other, own)),
        difference_cell(found, metric, fewest=fewest),
        whisker_cell(found, metric, rows),
        Cell(wording.bare_p_value(p), value=p),
        verdict,
    )


def _values(index: Index, metric: MetricInfo) -> Table:
    """Values alone, where there is nothing to compare."""
    models = index.results.models
    rows = tuple(
        (
            Cell(wording.segment_name(index.main, s.segment)),
            Cell(wording.count(s.n), value=s.n),
            *(estimate_cell(index.estimate(m.name, metric.key, segment=s.segment), metric)
              for m in models),
        )
        for s in index.main.segments
    )  # fmt: skip
    columns = (TableColumn("Segment", is_numeric=False), TableColumn("n"),
               *(TableColumn(wording.name(m.label, 40)) for m in models))  # fmt: skip
    return Table("segments-values", f"{wording.name(metric.label)} by segment.", columns, rows)
