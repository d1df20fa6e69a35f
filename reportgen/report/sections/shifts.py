"""What changed in the data: the target, the scores and the segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.report import prose
from reportgen.report.document import Block, Bullets, Cell, Phrase
from reportgen.report.sections.tables import build_table, number_column, word_column
from reportgen.report.wording.names import clean_name
from reportgen.report.wording.numbers import (
    MISSING,
    NumberFormat,
    choose_format,
    format_decimal,
    format_level,
)
from reportgen.results.changes import DataShift
from reportgen.results.types import Number

SHARE = "share"


def iter_shift_blocks(
    shifts: Sequence[DataShift], labels: Mapping[str, str], *, has_index: bool
) -> Iterator[Block]:
    """Yield a table of what changed in each dataset, and the changes of means in sentences."""
    for place, (dataset, since) in enumerate(dict.fromkeys((s.dataset, s.since) for s in shifts)):
        found = [s for s in shifts if (s.dataset, s.since) == (dataset, since)]
        lines = tuple(iter_mean_phrases(found, labels))
        if lines:
            yield Bullets(lines)
        title = prose.line("shifts.title", dataset=clean_name(dataset, 40), since=_name(since))
        yield build_table(
            f"shifts-{place + 1}",
            _describe_table(found),
            found,
            word_column("What", lambda s: Cell(clean_name(s.name, 40), _describe(s, labels))),
            number_column(
                prose.line("shifts.before", since=_name(since)), lambda s: _format_end(s, s.before)
            ),
            number_column(prose.line("shifts.now"), lambda s: _format_end(s, s.now)),
            number_column(prose.line("shifts.change"), _format_change),
            number_column("Distance", _format_distance),
            number_column("PSI", _format_index) if has_index else None,
            title=title,
        )


def iter_mean_phrases(shifts: Sequence[DataShift], labels: Mapping[str, str]) -> Iterator[Phrase]:
    """Yield a sentence for each mean that changed by more than chance."""
    for shift in shifts:
        is_known = shift.low is not None and shift.high is not None and shift.change is not None
        if not is_known or (shift.low or 0.0) <= 0 <= (shift.high or 0.0) or shift.has_same_rows:
            continue
        form, value, low, high = _choose_words(shift)
        rises = (shift.change or 0.0) > 0
        ends = (low, high) if rises else (_turn(high), _turn(low))
        in_points = form.unit == SHARE and shift.unit == SHARE
        yield prose.phrase(
            "shifts.mean",
            name=clean_name(shift.name, 40),
            model=clean_name(labels.get(shift.model, shift.model), 40) if shift.model else "",
            rises=rises,
            by=form.amount(value if rises else _turn(value), signed=in_points).lstrip("+"),
            limits=form.interval(*ends, signed=in_points).replace("+", ""),
        )


def iter_shift_lines(shifts: Sequence[DataShift], labels: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each distribution that is compared."""
    for shift in shifts:
        yield prose.line(
            "shifts.line",
            name=clean_name(shift.name, 40),
            what=_describe(shift, labels),
            cells=[
                f"{cell.text} ({cell.note})"
                for cell in (_format_change(shift), _format_distance(shift))
                if cell.value is not None
            ],
        )


def _choose_words(shift: DataShift) -> tuple[NumberFormat, Number, Number, Number]:
    """Choose the change as a share of the mean where that is known, else as it is."""
    values = shift.relative, shift.relative_low, shift.relative_high
    unit = SHARE
    if shift.relative is None or shift.unit == SHARE:
        values, unit = (shift.change, shift.low, shift.high), shift.unit
    return choose_format(*values, unit), *values


def _turn(value: Number) -> Number:
    return None if value is None else -value


def _name(since: str) -> str:
    return clean_name(since, 40) if since else ""


def _describe(shift: DataShift, labels: Mapping[str, str]) -> str:
    if shift.model is not None:
        model = clean_name(labels.get(shift.model, shift.model), 40)
        return prose.line("shifts.score", model=model)
    return prose.term("shift", shift.kind)


def _describe_table(found: Sequence[DataShift]) -> str:
    off = max((s.resolution or 0.0 for s in found), default=0.0)
    first = found[0]
    return prose.line(
        "shifts.caption",
        level=format_level(first.level),
        off=format_decimal(off, 2) if off else "",
        is_same=any(s.has_same_rows for s in found),
    )


def _format_end(shift: DataShift, value: Number) -> Cell:
    form = choose_format(shift.change, shift.low, shift.high, shift.unit)
    return Cell(MISSING if value is None else form.amount(value), value=value)


def _format_change(shift: DataShift) -> Cell:
    if shift.change is None:
        return Cell(MISSING)
    form = choose_format(shift.change, shift.low, shift.high, shift.unit, (0.0,))
    limits = form.interval(shift.low, shift.high, signed=True)
    return Cell(form.amount(shift.change, signed=True), limits, value=shift.change)


def _format_distance(shift: DataShift) -> Cell:
    if shift.distance is None:
        return Cell(MISSING, prose.line("shifts.no_distance"))
    form = choose_format(shift.distance, shift.distance_low, shift.distance_high, "", (0.0,))
    limits = form.interval(shift.distance_low, shift.distance_high)
    measure = prose.term("distance", shift.measure)
    return Cell(f"{measure} {form.number(shift.distance)}", limits, value=shift.distance)


def _format_index(shift: DataShift) -> Cell:
    index = shift.stability_index
    return Cell(MISSING if index is None else format_decimal(index, 3), value=index)
