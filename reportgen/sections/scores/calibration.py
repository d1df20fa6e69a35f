"""Whether the probabilities of each model may be right: parts of its loss, slope, tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import Bullets, Cell, Section, Table, TableColumn, phrase
from reportgen.results import ModelCalibration, Number, Results
from reportgen.sections.index import Index
from reportgen.sections.scores import class_calibration
from reportgen.wording import calibrations

_ONE, _P = "1 is right", "p"


def section(results: Results) -> Section | None:
    """None where no model gives probabilities of classes."""
    index = Index(results)
    found = index.main_calibrations
    if not found:
        return class_calibration.section(index)
    said = Bullets(tuple(phrase(calibrations.told(c, _name(index, c))) for c in found))
    return Section("probabilities", "Probabilities", (said, _table(index, found)))


def _name(index: Index, found: ModelCalibration) -> str:
    return wording.name(index.label(found.model), 40)


def _table(index: Index, found: Sequence[ModelCalibration]) -> Table:
    level = wording.level(found[0].level)
    columns = (
        TableColumn("Model", is_numeric=False),
        TableColumn("On average", note="happened"),
        TableColumn("O/E", note=_ONE),
        TableColumn("Slope", note=_ONE),
        TableColumn("Miscalibration", note="lower is better"),
        TableColumn("Discrimination", note="higher is better"),
        TableColumn("Spiegelhalter's z", note=_P),
        TableColumn("Calibrated?", note=_P),
    )
    draws = next((c.draws for c in found if c.draws), 0)
    caption = (
        "What the probabilities say on average, beside the share that happened; O/E is what "
        f"happened over what they say. {level} intervals, each on its own. The "
        "Brier score is miscalibration less discrimination plus uncertainty, which is "
        f"{_plain(found[0].uncertainty).text} for all, found by the rising fit of what happened on "
        "the probability."
    )
    if draws:
        caption += (
            f" The last column is the share of {draws:,} samples of a calibrated model that show "
            "as much miscalibration: a small one says that the probabilities are not right."
        )
    elif any(c.p_calibrated is not None for c in found):
        caption += (
            " The last column tests by clusters whether what happened differs from what was said, "
            "in up to five bins (Archer, Lemeshow and Hosmer 2007)."
        )
    rows = tuple(tuple(_cells(index, each)) for each in found)
    title = "Are the probabilities of each model right?"
    return Table("probabilities", caption, columns, rows, title=title)


def _cells(index: Index, found: ModelCalibration) -> Iterator[Cell]:
    yield Cell(_name(index, found), is_strong=True)
    said, happened = found.said, found.happened
    if said is None or happened is None:
        yield Cell(wording.MISSING)
    else:
        yield Cell(wording.fine_percent(said), note=wording.fine_percent(happened), value=said)
    ratio = happened / said if said and happened is not None else None
    yield _one(ratio, found.ratio_low, found.ratio_high)
    yield _one(found.slope, found.slope_low, found.slope_high)
    for part in (found.miscalibration, found.discrimination):
        yield _plain(part)
    yield _test(found)
    p = found.p_calibrated
    yield Cell(wording.MISSING) if p is None else Cell(wording.bare_p_value(p), value=p)


def _one(value: Number, low: Number, high: Number) -> Cell:
    form = wording.form_of(value, low, high, "1")
    between = form.interval(low, high)
    note = "" if between == wording.MISSING else between
    return Cell(form.number(value), note=note, value=value)


def _test(found: ModelCalibration) -> Cell:
    z = found.spiegelhalter
    if z is None or found.p_spiegelhalter is None:
        return Cell(wording.MISSING)
    note = wording.p_value(found.p_spiegelhalter)
    return Cell(f"{z:.2f}".replace("-", "−"), note=note, value=z)


def _plain(value: Number) -> Cell:
    if value is None:
        return Cell(wording.MISSING)
    return Cell(wording.form_of(value, None, None, "1").number(value), value=value)
