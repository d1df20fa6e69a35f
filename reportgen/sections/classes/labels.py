"""Labels that a row may have beside others: what comes of each model's calls of each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import Block, Cell, Phrase, Table, TableColumn, phrase
from reportgen.results import LabelCalls
from reportgen.sections.classes.found import FEWEST, FoundClasses
from reportgen.sections.folding import in_full
from reportgen.wording import classes as said


def label_blocks(found: FoundClasses) -> Iterator[Block]:
    """A table of calls for each model, that of the model asked about first and open."""
    about = found.index.about
    models = sorted(found.results.models, key=lambda m: (m.name != about, m.role != "baseline"))
    tables = [table for k, m in enumerate(models, 1) if (table := _table(found, m.name, k))]
    for place, table in enumerate(tables):
        yield from [table] if place == 0 else in_full(table.title, [table])


def label_findings(found: FoundClasses) -> Iterator[Phrase]:
    """Which label the model asked about misses, and calls in vain, most often for its size.

    No such share says much of labels that few rows have, nor of those that few are called.
    """
    judged = {each.value for each in found.classes if each.n >= FEWEST}
    model = found.index.about or found.results.models[0].name
    calls = found.calls(model)
    missed = _worst([(e, e.false_negatives, e.true_positives) for e in calls if e.value in judged])
    vain = _worst([(e, e.false_positives, e.true_positives) for e in calls if _called(e) >= FEWEST])
    if calls:
        label = wording.name(found.index.label(calls[0].model), 40)
        named = [(found.names[e.value], s) if e else None for e, s in (missed, vain)]
        text = said.label_errors(label, named[0], named[1], found.index.main.case)
        if text:
            yield phrase(text)


def _called(each: LabelCalls) -> float:
    return (each.true_positives or 0.0) + (each.false_positives or 0.0)


def _worst(
    calls: Sequence[tuple[LabelCalls, float | None, float | None]],
) -> tuple[LabelCalls | None, float]:
    """The label with the largest share of errors among these and the right calls."""
    shares = [
        (wrong / (wrong + right), each)
        for each, wrong, right in calls
        if wrong and right is not None
    ]
    if not shares:
        return None, 0.0
    share, each = max(shares, key=lambda pair: pair[0])
    return each, share


def _table(found: FoundClasses, model: str, place: int) -> Table | None:
    calls = found.calls(model)
    if not calls:
        return None
    label, case = wording.name(found.index.label(model), 40), found.index.main.case
    is_scored = any(each.threshold is not None for each in calls)
    columns = (
        TableColumn("Label", is_numeric=False),
        *([TableColumn("Called from")] if is_scored else []),
        TableColumn(f"{wording.capital(wording.name(case[1]))} with it"),
        TableColumn("Called"),
        TableColumn("Rightly"),
        TableColumn("In vain"),
        TableColumn("Missed"),
    )
    rows = tuple(_row(found, each, is_scored) for each in calls)
    caption = said.calls_of(label, calls[0].point, bool(found.index.main.weight), case)
    title = f"Calls of {label}"
    return Table(f"labels-calls-{place}", caption, columns, rows, title=title)


def _row(found: FoundClasses, each: LabelCalls, is_scored: bool) -> tuple[Cell, ...]:
    tp, fp, fn = (x or 0.0 for x in (each.true_positives, each.false_positives,
                                     each.false_negatives))  # fmt: skip
    threshold = each.threshold
    from_ = Cell(
        "" if threshold is None else wording.plain_form(threshold).number(threshold),
        value=threshold,
    )
    cells = (
        _count(tp + fn), _count(tp + fp), _count(tp, tp + fp), _count(fp, tp + fp),
        _count(fn, tp + fn),
    )  # fmt: skip
    return Cell(found.names[each.value]), *([from_] if is_scored else []), *cells


def _count(weight: float, among: float = 0.0) -> Cell:
    """A weight, and below it its share."""
    is_whole = weight == int(weight)
    text = wording.count(weight) if is_whole else wording.decimal(weight, 1)
    return Cell(text, note=wording.percent(weight / among) if among else "", value=weight)
