"""Operating points: of 1,000 rows how many are called, caught, missed, false alarms; the money."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import Bullets, Cell, Section, Span, Table, TableColumn, phrase
from reportgen.results import CallOutcome, OperatingPoint, Results
from reportgen.sections.index import Index
from reportgen.wording import calls

MOST_OTHERS = 3
_TITLES = {
    "called": "Called",
    "caught": "Caught",
    "missed": "Missed",
    "false_alarms": "False alarms",
    calls.COST: "Cost",
}


def section(results: Results) -> Section | None:
    """None where nothing is called."""
    index = Index(results)
    points = points_of(index)
    if not points:
        return None
    said = Bullets(
        tuple(phrase(Span(f"{wording.name(name, 40)}: ", is_strong=True), _told(index, at))
              for name, at in points.items())
    )  # fmt: skip
    tables = (_table(index, name, at, k) for k, (name, at) in enumerate(points.items(), 1))
    return Section("calls", "Calls", (said, *tables))


def points_of(index: Index) -> dict[str, list[OperatingPoint]]:
    """The points of the main dataset by name, each with its models."""
    found: dict[str, list[OperatingPoint]] = {}
    for point in index.results.points:
        if point.dataset == index.main.name:
            found.setdefault(point.name, []).append(point)
    return found


def told_first(index: Index) -> str:
    """What comes of the calls at the first point: of the model asked about, and of the others."""
    at = next(iter(points_of(index).values()))
    known = {index.baseline.name if index.baseline else None, _about(index)}
    rest = [(wording.name(index.label(p.model), 40), p) for p in at if p.model not in known]
    return " ".join(filter(None, (_told(index, at), calls.others(rest[:MOST_OTHERS]))))


def _told(index: Index, at: Sequence[OperatingPoint]) -> str:
    by_model = {point.model: point for point in at}
    first = by_model.get(_about(index) or "") or at[-1]
    baseline = by_model.get(index.baseline.name) if index.baseline else None
    other = None if baseline is None or baseline is first else baseline
    labels = tuple(wording.name(index.label(p.model), 40) for p in (first, other or first))
    prices = calls.prices(index.results.config.get("costs"))
    said = calls.caught(first, other, (labels[0], labels[1]), index.main, prices)
    how = calls.setting(first, index.main.n)
    return f"{wording.capital(how)}{_of_whom(first, at, labels[0])}. {said}"


def _of_whom(first: OperatingPoint, at: Sequence[OperatingPoint], label: str) -> str:
    """Whose threshold it is, where models have thresholds of their own."""
    return f" ({label})" if len({point.threshold for point in at}) > 1 else ""


def _about(index: Index) -> str | None:
    found = index.results.conclusion
    if found is not None and found.about is not None:
        return found.about
    return index.candidates[0].name if index.candidates else None


def _table(index: Index, name: str, at: Sequence[OperatingPoint], k: int) -> Table:
    shown = [o.metric for o in at[0].outcomes]
    has_thresholds = any(point.threshold is not None for point in at)
    unit = next((calls.of_1000(o).unit for o in at[0].outcomes if o.metric == calls.COST), "")
    columns = (
        TableColumn("Model", is_numeric=False),
        *([TableColumn("From")] if has_thresholds else []),
        *(TableColumn(_TITLES[m], note=unit * (m == calls.COST)) for m in shown),
    )
    level = wording.level(at[0].outcomes[0].level)
    caption = (
        f"Calls at {wording.name(name, 40)}: of 1,000 {index.main.case[1]}, with {level} "
        "intervals, each on its own. Differences are from the baseline."
    )
    rows = tuple(row for point in at for row in _rows(index, point, has_thresholds))
    return Table(f"calls-{k}", caption, columns, rows)


def _rows(index: Index, point: OperatingPoint, has_thresholds: bool) -> Iterator[tuple[Cell, ...]]:
    found = [calls.of_1000(o) for o in point.outcomes]
    label = wording.name(index.label(point.model), 40)
    from_ = [Cell(calls.threshold(point), value=point.threshold)] if has_thresholds else []
    yield (Cell(label, is_strong=True), *from_, *map(_value, found))
    if any(each.difference is not None for each in found):
        blank = [Cell("")] if has_thresholds else []
        yield (Cell("difference"), *blank, *map(_difference, found))


def _value(found: CallOutcome) -> Cell:
    form = calls.form_of_count(found)
    between = form.interval(found.low, found.high)
    note = "" if between == wording.MISSING else between
    return Cell(form.number(found.value), note=note, value=found.value)


def _difference(found: CallOutcome) -> Cell:
    low, high = found.difference_low, found.difference_high
    form = calls.form_of_difference(found)
    between = form.interval(low, high, signed=True)
    note = "" if between == wording.MISSING else between
    return Cell(form.number(found.difference, signed=True), note=note, value=found.difference)
