"""Say on page one where, or since when, the difference is another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.report import prose
from reportgen.report.facts import Limits, Quantity
from reportgen.report.prose.marks import Marked
from reportgen.report.selection import Selection
from reportgen.report.wording.names import (
    clean_name,
    format_segment_column,
    format_segment_value,
)
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
    """The sentences about one model against the baseline."""

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

    def iter_sentences(self) -> Iterator[Instability]:
        """Iterate over what is established: a reversal, the last window, a trend, segments."""
        for each in self.own:
            if each.is_reversed:
                yield self._describe_reversal(each)
        for each in self.own:
            if each.differs_in_last_period:
                yield self._describe_last_window(each)
            elif each.is_changing:
                yield self._describe_change(each)
        for each in self.own:
            if each.differs_by_segment:
                yield Instability(self._describe_segments(each), is_of_segments=True)

    def _describe_reversal(self, of: Stability) -> Instability:
        is_worse = self._is_worse(of.within.value)
        sentence = prose.text(
            "stability.reversed",
            model=self.model,
            by=self._name_column(of),
            is_worse=is_worse,
            within=Quantity(of.within.value, self.form),
            limits=self._get_limits(of.within),
            cases=clean_name(self.found.main.case[1]),
        )
        return Instability(sentence, is_worse)

    def _describe_last_window(self, of: Stability) -> Instability:
        last, is_worse = of.groups[-1].difference or 0.0, self._is_worse(of.last.value)
        sentence = prose.text(
            "stability.lately",
            model=self.model,
            is_worse=is_worse,
            window=clean_name(of.groups[-1].name, 40),
            last=Quantity(last, self.form),
            before=Quantity(last - (of.last.value or 0.0), self.form),
        )
        return Instability(sentence, is_worse)

    def _describe_change(self, of: Stability) -> Instability:
        is_worse = self._is_worse(of.change.value)
        sentence = prose.text(
            "stability.changing",
            model=self.model,
            is_worse=is_worse,
            change=Quantity(of.change.value, self.form),
            limits=self._get_limits(of.change),
        )
        return Instability(sentence, is_worse)

    def _describe_segments(self, of: Stability) -> Marked:
        low, *_, high = sorted(of.groups, key=lambda group: group.difference or 0.0)
        return prose.text(
            "stability.uneven",
            by=self._name_column(of),
            low=Quantity(low.difference, self.form),
            high=Quantity(high.difference, self.form),
            low_segment=self._name_segment(of, low),
            high_segment=self._name_segment(of, high),
        )

    def _name_column(self, of: Stability) -> str:
        return format_segment_column(self.found.main, of.by)

    def _name_segment(self, of: Stability, group: GroupDifference) -> str:
        return format_segment_value(self.found.main, of.by, group.name)

    def _is_worse(self, change: Number) -> bool:
        return ((change or 0.0) > 0) != (self.found.leading.better == "higher")

    def _get_limits(self, found: IntervalEstimate) -> Limits:
        return Limits(found.low, found.high, self.form)
