"""Every metric on the rows to fit on beside that on fresh rows, and the gap."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.document import Bullets, Cell, Section, Table, TableColumn, phrase
from reportgen.results import Estimate, FreshGap, MetricInfo, Results
from reportgen.sections.index import Index
from reportgen.wording import fresh


def section(results: Results) -> Section | None:
    """None where no dataset is there to fit on, or it shares rows with those judged."""
    index = Index(results)
    gaps = [each for each in results.fresh_gaps if each.dataset == index.main.name]
    metrics = {each.key: each for each in results.metrics}
    if not gaps:
        return None
    first = metrics[index.leading.key if index.leading else gaps[0].key]
    told = [(index.label(each.model), each) for each in gaps if each.key == first.key]
    lines = fresh.told(told, first, index.main) if told else []
    said = (Bullets(tuple(map(phrase, lines))),) if lines else ()
    ordered = sorted(gaps, key=lambda gap: gap.key != first.key)
    return Section("fresh", "Fitted beside fresh rows", (*said, _table(index, metrics, ordered)))


def _table(index: Index, metrics: dict[str, MetricInfo], gaps: list[FreshGap]) -> Table:
    level = wording.level(gaps[0].level)
    return Table(
        "fresh-gaps",
        f"Values on rows to fit on ({wording.name(gaps[0].fit, 40)}) and on fresh rows, with "
        f"{level} intervals, each on its own. The gap is fresh less fitted; its limits are those "
        "of two independent samples (square-and-add).",
        (
            TableColumn("Metric", is_numeric=False),
            TableColumn("Model", is_numeric=False),
            TableColumn("Fitted"),
            TableColumn("Fresh"),
            TableColumn("Gap"),
        ),
        tuple(_rows(index, metrics, gaps)),
    )


def _rows(
    index: Index, metrics: dict[str, MetricInfo], gaps: list[FreshGap]
) -> Iterator[tuple[Cell, ...]]:
    seen: set[str] = set()
    for gap in gaps:
        form = wording.form_of(gap.difference, gap.low, gap.high, gap.fresh.unit, (0.0,))
        between = form.interval(gap.low, gap.high, signed=True)
        yield (
            Cell("" if gap.key in seen else wording.name(metrics[gap.key].label, 40)),
            Cell(wording.name(index.label(gap.model), 40)),
            _value(gap.fitted),
            _value(gap.fresh),
            Cell(form.number(gap.difference, signed=True),
                 note="" if between == wording.MISSING else between, value=gap.difference),
        )  # fmt: skip
        seen.add(gap.key)


def _value(found: Estimate) -> Cell:
    form = wording.form_of(found.value, found.low, found.high, found.unit)
    between = form.interval(found.low, found.high)
    note = "" if between == wording.MISSING else between
    return Cell(form.number(found.value), note=note, value=found.value)
