"""Say on page one where, or since when, the difference is another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.report import prose
from reportgen.report.facts.values import Limits, Quantity
from reportgen.report.prose.marks import Marked
from reportgen.report.selection import Selection
from reportgen.report.wording.names import clean_name
from reportgen.report.wording.numbers import NumberFormat
from reportgen.results.costs import IntervalEstimate
from reportgen.results.stability import GroupDifference, Stability
from reportgen.results.types import Number


@dataclass(frozen=True)
class Instability:
    """A sentence, and whether it speaks against the model or only says that segments differ."""

    text: Marked
    is_against: bool = False
    is_of_segments: bool = False


def describe_instability(found: Selection, model: str, form: NumberFormat) -> Instability | None:
    """Say what weighs most of what is established of the differences elsewhere and over time."""
    if found.baseline is None:
        return None
    writer = _Writer(found, model, form)
    return next(writer.iter_sentences(), None)


class _Writer:
    """The sentences about one model against the baseline; more is better in all of them."""

    def __init__(self, found: Selection, model: str, form: NumberFormat) -> None:
        self.found, self.form = found, form
        self.model = clean_name(found.label(model), 40)
        assert found.baseline is not None
        pair = (found.main.name, found.leading.key, model, found.baseline.name)
        self.own = [
            each
            for each in found.results.stability
            if (each.dataset, each.key, each.candidate, each.baseline) == pair and each.groups
        ]
        self.sign = 1 if found.leading.better == "higher" else -1

    def iter_sentences(self) -> Iterator[Instability]:
        """Iterate over what is established: a reversal, the last window, a trend, segments."""
        for each in self.own:
            if each.is_reversed:
                yield self._describe_reversal(each)
        for each in self.own:
            if each.is_lately_other:
                yield self._describe_last_window(each)
            elif each.is_changing:
                yield self._describe_change(each)
        for each in self.own:
            if each.is_uneven:
                yield Instability(self._describe_segments(each), is_of_segments=True)

    def _describe_reversal(self, of: Stability) -> Instability:
        limits = self._orient_limits(of.within)
        is_worse = self._orient(of.within.value) < 0
        sentence = prose.text(
            "stability.reversed",
            model=self.model,
            by=self._name_column(of),
            is_worse=is_worse,
            within=Quantity(self._orient(of.within.value), self.form),
            limits=limits,
            cases=clean_name(self.found.main.case[1]),
        )
        return Instability(sentence, is_worse)

    def _describe_last_window(self, of: Stability) -> Instability:
        last = self._orient(of.groups[-1].difference)
        apart = self._orient(of.last.value)
        sentence = prose.text(
            "stability.lately",
            window=clean_name(of.groups[-1].name, 40),
            last=Quantity(last, self.form),
            before=Quantity(last - apart, self.form),
        )
        return Instability(sentence, apart < 0)

    def _describe_change(self, of: Stability) -> Instability:
        is_falling = self._orient(of.change.value) < 0
        sentence = prose.text(
            "stability.changing",
            is_falling=is_falling,
            first=Quantity(self._orient(of.groups[0].difference), self.form),
            last=Quantity(self._orient(of.groups[-1].difference), self.form),
        )
        return Instability(sentence, is_falling)

    def _describe_segments(self, of: Stability) -> Marked:
        low, *_, high = sorted(of.groups, key=lambda group: self._orient(group.difference))
        return prose.text(
            "stability.uneven",
            by=self._name_column(of),
            low=Quantity(self._orient(low.difference), self.form),
            high=Quantity(self._orient(high.difference), self.form),
            low_segment=self._name_segment(of, low),
            high_segment=self._name_segment(of, high),
        )

    def _name_column(self, of: Stability) -> str:
        known = (s.label for s in self.found.main.segments if s.column == of.by)
        return clean_name(next(known, "") or of.by, 40)

    def _name_segment(self, of: Stability, group: GroupDifference) -> str:
        known = (s for s in self.found.main.segments if (s.column, s.value) == (of.by, group.name))
        segment = next(known, None)
        return clean_name((segment and segment.value_label) or group.name, 40)

    def _orient(self, value: Number) -> float:
        return self.sign * (value or 0.0)

    def _orient_limits(self, found: IntervalEstimate) -> Limits:
        low, high = (None if end is None else self.sign * end for end in (found.low, found.high))
        return Limits(*((low, high) if self.sign > 0 else (high, low)), self.form)
