"""Whether what a model says of each class, or label, happens: on average over all rows."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import Bullets, Cell, Phrase, Section, Table, TableColumn, phrase
from reportgen.results import ClassCalibration
from reportgen.sections.index import Index

MOST, MOST_NAMED = 20, 4  # classes in the table, and in a sentence
CALLED = "the class that is called"


def section(index: Index) -> Section | None:
    """None where no model gives probabilities of several classes, or of labels."""
    found = [c for c in index.results.class_calibrations if c.dataset == index.main.name]
    if not found:
        return None
    by_model = {m.name: [c for c in found if c.model == m.name] for m in index.results.models}
    said = [_told(index, name, own) for name, own in by_model.items() if own]
    return Section("probabilities", "Probabilities", (Bullets(tuple(said)), _table(index, found)))


def _told(index: Index, model: str, own: Sequence[ClassCalibration]) -> Phrase:
    """Which probabilities of one model are off, the farthest first."""
    head = f"{wording.name(index.label(model), 40)}: "
    if all(c.is_off is None for c in own):
        return phrase(f"{head}the probabilities are not tested, since rows follow one another, or "
                      "clusters are few.")  # fmt: skip
    off = sorted((c for c in own if c.is_off), key=lambda c: (c.label is not None, -_gap(c)))
    if not off:
        return phrase(f"{head}no probabilities are shown to be off, by one test of all of them.")
    each = [
        f"{_label(index, c)} ({_percent(c.said)} said, {_percent(c.happened)} happened)"
        for c in off
    ]
    return phrase(f"{head}the probabilities are off for {wording.listed(each, MOST_NAMED)}.")


def _table(index: Index, found: Sequence[ClassCalibration]) -> Table:
    models = [m.name for m in index.results.models if any(c.model == m.name for c in found)]
    cells = {(c.label, c.model): c for c in found}
    labels = list(dict.fromkeys(c.label for c in found))
    far = {
        label: max(_gap(cells[label, m]) for m in models if (label, m) in cells) for label in labels
    }
    shown = set(sorted(labels, key=lambda each: -far[each])[:MOST])
    caption = (
        "What the probabilities say on average, and below it what happened. Bold where one test of "
        "all that a model says finds them off. They may be right on average and still too high on "
        "some rows and too low on others."
    )
    if len(labels) > MOST:
        caption += f" The {MOST} of {len(labels)} where these are farthest apart."
    rows = tuple(
        (
            Cell(_label(index, cells[label, next(m for m in models if (label, m) in cells)])),
            *(_cell(cells.get((label, m))) for m in models),
        )
        for label in labels
        if label in shown
    )
    heads = (TableColumn(wording.name(index.label(m), 40), note="happened") for m in models)
    kind = "Label" if index.main.labels_per_row is not None else "Class"
    columns = (TableColumn(kind, is_numeric=False), *heads)
    title = f"Are the probabilities of each {kind.lower()} right?"
    return Table("probabilities", caption, columns, rows, title=title)


def _cell(found: ClassCalibration | None) -> Cell:
    if found is None:
        return Cell(wording.MISSING)
    said, happened = _percent(found.said), _percent(found.happened)
    return Cell(said, note=happened, value=found.said, is_strong=bool(found.is_off))


def _label(index: Index, found: ClassCalibration) -> str:
    if found.label is None:
        return CALLED
    return wording.name(index.labels.get(f"class {found.label}", found.label), 40)


def _gap(found: ClassCalibration) -> float:
    return abs((found.said or 0.0) - (found.happened or 0.0))


def _percent(value: float | None) -> str:
    return wording.MISSING if value is None else wording.fine_percent(value)
