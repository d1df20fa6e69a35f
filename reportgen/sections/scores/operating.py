"""Operating points: of so many rows how many are called, caught, missed, false alarms; the money.

Of how many, `Index.base` says: of all numbers of calls on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

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
    """The points of the main dataset by name, each with its models, counted of the page's base."""
    found: dict[str, list[OperatingPoint]] = {}
    for point in index.main_points:
        found.setdefault(point.name, []).append(calls.counted(point, index.base))
    return found


def told_first(index: Index) -> str:
    """How the calls of the model asked about differ from the baseline's at the first point.

    The point is named where there are others.
    """
    first, other = _asked(index, next(iter(points_of(index).values())))
    if other is None:
        return _one_call(index, first)
    label, baseline = (wording.name(index.label(point.model), 40) for point in (first, other))
    if none := calls.none_called(first, other, (label, baseline), index.main.case):
        return f"{none} {_one_call(index, first)}".rstrip()
    prices = calls.prices(index.results.config.get("costs"))
    said = " ".join(calls.beside(first, label, baseline, index.base, prices))
    said = said.replace("No ", "no ", 1) if said.startswith("No ") else said
    said += " Each CI is on its own." * (" (" in said)
    of = f"f {index.base:,} {index.main.case[1]}"
    lead = f"At {calls.quoted(first.name)}, o{of}" if len(points_of(index)) > 1 else f"O{of}"
    return f"{lead}: {said} {_one_call(index, first)}".rstrip()


def first_table(index: Index) -> Table:
    """What comes of the calls at the first point: of the baseline, the model asked about, others.

    Their differences are in the sentence of `told_first`.
    """
    (name, at), *further = points_of(index).items()
    first, other = _asked(index, at)
    rest = [point for point in at if point not in (first, other)]
    shown = [*filter(None, (other, first)), *rest[:MOST_OTHERS]]
    made, how = _table(index, name, shown, 1), _setting(index, at, first)
    share = calls.share_of(first, index.main, index.base)
    said = f"{wording.capital(how)}{_of_whom(index, first, at)}.{share}"
    level = wording.level(first.outcomes[0].level)
    more = f" {wording.count(len(at) - len(shown), 'more model')}: see Calls."
    points = wording.listed([calls.quoted(each) for each, _ in further], most=4)
    return replace(
        made,
        id="first-calls",
        title=f"What comes of the calls, of {index.base:,} {index.main.case[1]}?",
        caption=f"{said.rstrip(' ,')} CIs are {level}, each on its own."
        + calls.rounding(shown, index.base)
        + more * (len(at) > len(shown))
        + f" What comes of calls at {points}: see Calls." * bool(further),
        rows=tuple(row for row in made.rows if row[0].is_strong),
        is_stacked=True,
    )


def _asked(
    index: Index, at: Sequence[OperatingPoint]
) -> tuple[OperatingPoint, OperatingPoint | None]:
    """The point of the model asked about, and the baseline's where that is another."""
    by_model = {point.model: point for point in at}
    first = by_model.get(_about(index) or "") or at[-1]
    baseline = by_model.get(index.baseline.name) if index.baseline else None
    return first, None if baseline is first else baseline


def _told(index: Index, at: Sequence[OperatingPoint]) -> str:
    first, other = _asked(index, at)
    labels = tuple(wording.name(index.label(p.model), 40) for p in (first, other or first))
    prices = calls.prices(index.results.config.get("costs"))
    said = calls.caught(first, other, (labels[0], labels[1]), index.main, index.base, prices)
    if other is not None:
        said = calls.none_called(first, other, labels, index.main.case) or said
    how = _setting(index, at, first)
    more = _one_call(index, first)
    return f"{wording.capital(how)}{_of_whom(index, first, at)}. {said} {more}".rstrip()


def _one_call(index: Index, first: OperatingPoint) -> str:
    """Where a call pays at the declared costs, if calls begin elsewhere; what one call costs."""
    label = wording.name(index.label(first.model), 40)
    has_cheapest = any(point.rule == "cost" for point in index.main_points)
    of = index.main.case, index.base
    return calls.beside_one_call(first, label, *of, has_cheapest=has_cheapest)


def _of_whom(index: Index, first: OperatingPoint, at: Sequence[OperatingPoint]) -> str:
    """Whose threshold it is, where models have thresholds of their own."""
    is_own = len({point.threshold for point in at}) > 1
    return f" ({wording.name(index.label(first.model), 40)})" if is_own else ""


def _about(index: Index) -> str | None:
    found = index.results.conclusion
    if found is not None and found.about is not None:
        return found.about
    return index.candidates[0].name if index.candidates else None


def _table(index: Index, name: str, at: Sequence[OperatingPoint], k: int) -> Table:
    shown = [o.metric for o in at[0].outcomes]
    has_thresholds = any(point.threshold is not None for point in at)
    unit = next((o.unit for o in at[0].outcomes if o.metric == calls.COST), "")
    columns = (
        TableColumn("Model", is_numeric=False),
        *([TableColumn("From")] if has_thresholds else []),
        *(TableColumn(_TITLES[m], note=unit * (m == calls.COST)) for m in shown),
    )
    level = wording.level(at[0].outcomes[0].level)
    caption = (
        f"Calls at {wording.name(name, 40)}: of {index.base:,} {index.main.case[1]}, with "
        f"{level} intervals, each on its own. Differences are from the baseline."
        f"{calls.rounding(at, index.base)}"
    )
    rows = tuple(row for point in at for row in _rows(index, point, has_thresholds))
    return Table(f"calls-{k}", caption, columns, rows)


def _rows(index: Index, point: OperatingPoint, has_thresholds: bool) -> Iterator[tuple[Cell, ...]]:
    found = point.outcomes
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


def _setting(index: Index, at: Sequence[OperatingPoint], point: OperatingPoint) -> str:
    """How a point is set; of how many rows only where each weighs as much."""
    rows = index.main.n if index.main.effective_n is None else None
    orders = [index.models[each.model].order for each in at]
    return calls.setting(point, rows, index.base, orders)
