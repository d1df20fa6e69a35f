"""Tables of what single rows, few rows and other draws would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reportgen import wording
from reportgen.document import Cell, Column, Table, Tone
from reportgen.results import MetricInfo, Scalar, TableResult
from reportgen.sections.cells import MOST_ROWS, cut_note, metric_cell, results_table
from reportgen.sections.index import TONES, Index
from reportgen.wording.robustness import Record, records, telling

_MOST_ACROSS = 4
_MOST_FIRST = 4
_LIMITS = ("value", "low", "high")
_RARE = 0.01  # share of resamples below which a model is not named as first
_METRIC = Column("Metric", is_numeric=False)


def influence_table(index: Index, table: TableResult, id_: str) -> Table:
    """Each metric of each model without its most influential row, models side by side if few."""
    found = records(table)
    models = list(dict.fromkeys(str(r["model"]) for r in found))
    caption = (
        "The single most influential row of each measure and model: how far the value moves "
        "without it, in percent of the value with it (in its unit where that may be zero), and "
        f"both values.{_tried(index, found)}"
    )
    if len(models) <= _MOST_ACROSS:
        columns = (_METRIC, *(Column(wording.name(index.label(m), 40)) for m in models))
        cells = {(r["metric"], r["model"]): _moved(index, r) for r in found}
        rows = [
            (
                metric_cell(metric),
                *(cells.get((metric.key, m), Cell(wording.MISSING)) for m in models),
            )
            for metric in index.metrics
            if any((metric.key, m) in cells for m in models)
        ]
    else:
        columns = (_METRIC, Column("Model", is_numeric=False), Column("Without the row"))
        rows = [
            (metric_cell(metric), _named(index, r["model"]), _moved(index, r))
            for metric in index.metrics
            for r in found
            if r["metric"] == metric.key
        ]
    return Table(id_, caption + cut_note(len(rows)), columns, tuple(rows[:MOST_ROWS]))


def removal_table(index: Index, table: TableResult, id_: str) -> Table:
    """The primary comparisons without sets of few rows."""
    found, unit = records(table), table.units[4]
    is_judged = any(r["verdict"] is not None for r in found)
    columns = (
        Column("Candidate", is_numeric=False),
        Column("Rows removed"),
        Column("In favour of", is_numeric=False),
        Column("Difference without them", note=unit if wording.has_unit(unit) else ""),
        *((Column("Verdict without them", is_numeric=False),) * is_judged),
        *((Column("Rows", is_numeric=False),) * ("ids" in table.columns)),
    )
    shown = telling(found)
    rows = tuple(_removed(index, record, unit, is_judged) for record in shown[:MOST_ROWS])
    metric = wording.lowered(wording.name(index.labels.get(str(table.params["metric"]), "")))
    caption = (
        f"The primary comparison, on {metric}, without the 1, 5 and 1\u00a0% of the rows found to "
        "speak most for one side; of sets that come to the same only the one that says most is "
        "shown. The search is greedy: it leaves out the rows that move the difference most and, "
        "among fewer than 50,000, looks again in rounds. A set that changes more may exist."
    )
    pairs, searched = table.params.get("pairs", 0), table.params.get("searched", 0)
    if pairs != searched:
        caption += f" Looked at: the first {searched} of {pairs} comparisons."
    return Table(id_, caption + cut_note(len(shown)), columns, rows)


def places_table(index: Index, table: TableResult, id_: str) -> Table:
    """How often each model takes each place on the leading metric."""
    mine = [r for r in records(table) if r["metric"] == index.leading.key]
    metric = wording.lowered(wording.name(index.leading.label))
    caption = (
        f"Share of the resamples in which each model takes each place on {metric}; models that tie "
        "share their places. A bootstrap fraction, no probability that a model is best."
    )
    columns = [Column(wording.capital(place)) for place in _places(table)[: len(mine)]]
    rows = [
        (
            _named(index, r["model"]),
            *(_share(index, r[place]) for place in _places(table)[: len(mine)]),
        )
        for r in mine
    ]
    return Table(id_, caption, (Column("Model", is_numeric=False), *columns), tuple(rows))


def firsts_table(index: Index, table: TableResult, id_: str) -> Table:
    """Which models come first on each metric, and how often, the most frequent first."""
    found = records(table)
    first = _places(table)[0]
    rows = []
    for metric in index.metrics:
        mine = [r for r in found if r["metric"] == metric.key]
        shares = [(_number(r[first]) or 0.0, index.label(str(r["model"]))) for r in mine]
        often = sorted((pair for pair in shares if pair[0] >= _RARE), key=lambda pair: -pair[0])
        named = [
            f"{wording.name(m, 40)} {wording.fraction_ahead(s, index.resamples)}"
            for s, m in often[:_MOST_FIRST]
        ]
        if mine:
            rows.append(
                (Cell(wording.name(metric.label)), Cell("; ".join(named) or wording.MISSING))
            )
    columns = (_METRIC, Column("First, in a share of the resamples", is_numeric=False))
    caption = "Which model comes first on each measure, in at least 1\u00a0% of the resamples."
    return Table(id_, caption, columns, tuple(rows))


def tails_table(index: Index, table: TableResult, id_: str) -> Table:
    """What the largest errors hold of all error."""
    caption = "What the 1\u00a0% of the rows with the largest errors hold of a model's total error."
    return results_table(table, id_, caption, index.labels)


def counts_table(index: Index, table: TableResult, id_: str) -> Table:
    """Metrics of buckets with other numbers of buckets, one column a number."""
    found = records(table)
    counts = sorted({int(c) for r in found if isinstance(c := r["buckets"], int)})
    cells = {(r["metric"], r["candidate"], r["baseline"], r["buckets"]): r for r in found}
    rows = [
        (
            metric_cell(metric),
            _pair_cell(index, candidate, baseline),
            *(_counted(index, cells.get((key, candidate, baseline, n)), metric) for n in counts),
        )
        for key, candidate, baseline in dict.fromkeys(place[:3] for place in cells)
        for metric in index.metrics
        if metric.key == key
    ]
    columns = (
        _METRIC,
        Column("Model", is_numeric=False),
        *(Column(f"{wording.count(n)} buckets") for n in counts),
    )
    what = "Differences" if any(r["baseline"] for r in found) else "Values"
    level = wording.level(index.results.inference.level)
    caption = (
        f"{what} of metrics of buckets with other numbers of buckets, each with the {level} "
        "interval that it has alone. Verdicts rest on the number under the metric's name."
    )
    return Table(id_, caption + cut_note(len(rows)), columns, tuple(rows[:MOST_ROWS]))


def _pair_cell(index: Index, candidate: Scalar, baseline: Scalar) -> Cell:
    against = f"against {wording.name(index.label(str(baseline)), 40)}" if baseline else ""
    return replace(_named(index, candidate), note=against)


def _counted(index: Index, record: Record | None, metric: MetricInfo) -> Cell:
    """A value, or a difference, with its interval under it."""
    value, low, high = (
        (None, None, None) if record is None else map(_number, (record[k] for k in _LIMITS))
    )
    if record is None or value is None:
        return Cell(wording.MISSING)
    form = wording.form_of(value, low, high, metric.unit, (0.0,))
    is_signed = record["baseline"] is not None
    note = form.interval(low, high, signed=is_signed)
    return Cell(form.number(value, signed=is_signed), note=note, value=value)


def _places(table: TableResult) -> list[str]:
    return [column for column in table.columns if column.startswith("place ")]


def _moved(index: Index, record: Record) -> Cell:
    """How far one row moves a value, with the value before and after, and the row if told."""
    metric = next(m for m in index.results.metrics if m.key == record["metric"])
    value, without = _number(record["value"]), _number(record["without it"])
    change = _number(record["change"])
    # As many digits as show the change.
    low, high = sorted((value or 0.0, without or 0.0))
    form = wording.form_of(value, low, high, metric.unit)
    note = f"{form.number(value)} → {form.number(without)}"
    if "row" in record:
        y, score = (_plain(record[key]) for key in ("y", "score"))
        note += f"; row {wording.name(str(record['row']), 40)}, y {y}, score {score}"
    if change is None:
        if value is None or without is None:
            return Cell(wording.MISSING, note=note)
        moved = wording.form_of(without - value, None, None, metric.unit)
        return Cell(moved.amount(without - value, signed=True), note=note)
    shown = wording.form_of(change, None, None, "share")
    return Cell(shown.number(change, signed=True), note=note, value=change)


def _tried(index: Index, found: Sequence[Record]) -> str:
    """What is said of measures of which not every row was left out."""
    listed = {str(r["metric"]): str(r["tried"]) for r in found if r["tried"] != "every row"}
    return "".join(
        f" Of {wording.lowered(wording.name(index.labels[key], 40))} {tried} rows was tried."
        for key, tried in listed.items()
    )


def _removed(index: Index, record: Record, unit: str, is_judged: bool) -> tuple[Cell, ...]:
    """One set of rows: whose comparison, how many rows, what is left without them."""
    value, low, high = (_number(record[key]) for key in ("difference", "low", "high"))
    form = wording.form_of(value, low, high, unit, (0.0,))
    removed = _number(record["rows removed"])
    against = wording.name(index.label(str(record["baseline"])), 40)
    candidate = _named(index, record["candidate"])
    note = form.interval(low, high, signed=True) if low is not None else ""
    word, _, beyond = str(record["verdict"]).partition(" beyond ")
    notes = (f"beyond {beyond}" * bool(beyond), "changed" * bool(record["verdict changes"]))
    verdict = Cell(word, note=", ".join(filter(None, notes)), tone=_tone(word))
    ids = (Cell(wording.prose(str(record["ids"]), 400)),) if "ids" in record else ()
    return (
        replace(candidate, note=f"against {against}: {record['verdict before']}"),
        Cell(wording.count(removed), value=removed),
        _named(index, record["in favour of"]),
        Cell(form.number(value, signed=True), note=note, value=value),
        *((verdict,) if is_judged else ()),
        *ids,
    )


def _named(index: Index, model: Scalar) -> Cell:
    return Cell(wording.name(index.label(str(model)), 40))


def _share(index: Index, value: Scalar) -> Cell:
    share = _number(value)
    return Cell(wording.fraction_ahead(share, index.resamples) if share is not None
                else wording.MISSING, value=share)  # fmt: skip


def _tone(word: str) -> Tone:
    return next((tone for verdict, tone in TONES.items() if verdict == word), "neutral")


def _plain(value: Scalar) -> str:
    number = _number(value)
    return wording.form_of(number, None, None).number(number)


def _number(value: Scalar) -> float | None:
    return float(value) if isinstance(value, int | float) else None
