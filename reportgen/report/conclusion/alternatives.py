"""Describe what the answer depends on: other analyses, and where and when it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.facts import (
    AnalysisRows,
    AnalysisSetting,
    Limits,
    Quantity,
    RowsKind,
    SettingKind,
)
from reportgen.report.prose.marks import Marked
from reportgen.report.selection import Selection
from reportgen.report.wording.names import (
    clean_name,
    format_segment,
    format_segment_column,
    format_segment_value,
)
from reportgen.report.wording.numbers import NumberFormat
from reportgen.results.core import DatasetInfo
from reportgen.results.costs import IntervalEstimate
from reportgen.results.segments import GroupDifference, Stability
from reportgen.results.sensitivity import AlternativeChoice
from reportgen.results.types import Number, Params, Word
from reportgen.results.verdicts import word_side

_TIES = {
    "the candidate's at best, the baseline's at worst": "for the candidate",
    "the candidate's at worst, the baseline's at best": "for the baseline",
}


def list_alternatives(choices: Sequence[AlternativeChoice]) -> list[AlternativeChoice]:
    """Return those that are not as declared."""
    return [c for c in choices if not is_declared_choice(c)]


def is_declared_choice(found: AlternativeChoice) -> bool:
    """Tell whether it is the analysis that the config asks for, in a file of any version."""
    return "declared" in (found.kind, found.choice.removeprefix("as "))


def describe_alternative(
    found: AlternativeChoice, of: DatasetInfo, declared: Params | None = None
) -> Marked:
    """Describe what is different in a re-analysis, as the end of a sentence.

    `declared` are the parameters of the metric that decides.
    """
    value = found.value
    cases = clean_name(of.case[1])
    if is_declared_choice(found):
        return prose.text("analysis.declared")
    if found.kind == "formula":
        if found.value:
            return prose.text("analysis.resamples", value=value)
        return prose.text("analysis.formula")
    if found.kind == "interval":
        return prose.text("analysis.interval", method=prose.term("interval", value))
    if found.kind == "chance":
        return prose.text("analysis.chance", value=value)
    if found.kind == "rows":
        if found.choice == "rows" and value in get_args(RowsKind):
            return prose.mark(AnalysisRows(value))  # type: ignore[arg-type]
        segment = format_segment(of, value)
        return prose.text("analysis.segment", segment=segment, is_quoted=":" in segment)
    if found.kind == "definition":
        return _describe_definition(found)
    if found.kind == "buckets":
        return prose.text("analysis.buckets", count=value)
    if found.kind == "costs":
        return prose.text("analysis.costs", choice=found.choice, value=value)
    if found.kind == "own":
        return prose.text("analysis.own", name=clean_name(value, 60))
    if found.kind == "design":
        if found.choice == "weights":
            return prose.text("analysis.weights", cases=cases)
        return prose.text("analysis.units", cases=cases)
    return _describe_setting(found, declared or {})


def _describe_definition(found: AlternativeChoice) -> Marked:
    if found.choice == "clip":
        return prose.text("analysis.clip", value=found.value)
    if found.choice != "tied scores":
        return prose.text("analysis.definition", metric=prose.term("definition", found.value))
    if found.value == "half":
        return prose.text("analysis.tied_half")
    return prose.text("analysis.tied_wrong")


def describe_agreement(
    choices: Sequence[AlternativeChoice], of: DatasetInfo, declared: Params
) -> Marked | None:
    """Describe in how many re-analyses the verdict is another one; None if in none."""
    tried = list_alternatives(choices)
    changed = [c for c in tried if c.is_other]
    if not changed:
        return None
    first = changed[0]
    second = next((c for c in changed if c.word != first.word), None)
    how = describe_alternative(first, of, declared)
    says = prose.term("says", first.word)
    if len(changed) == 1:
        verdict = prose.term("verdict", first.word)
        return prose.text("unsure.one_differs", how=how, verdict=verdict)
    as_declared = _rank_declared(choices)
    stronger = sum(_rank(c.word) > as_declared for c in changed)
    if second is None:
        return prose.text(
            "unsure.some_differ",
            changed=len(changed),
            total=len(tried),
            stronger=stronger,
            first=says,
            how=how,
        )
    return prose.text(
        "unsure.differ_twice",
        changed=len(changed),
        total=len(tried),
        stronger=stronger,
        first=says,
        how=how,
        second=prose.term("says", second.word),
        how_else=describe_alternative(second, of, declared),
    )


def count_stronger_and_weaker(choices: Sequence[AlternativeChoice]) -> tuple[int, int]:
    """Count the re-analyses that agree with the declared one, but more or less strongly."""
    as_declared = _rank_declared(choices)
    side = -1 if as_declared < 0 else 1
    leads = [
        side * (_rank(c.word) - as_declared) for c in list_alternatives(choices) if not c.is_other
    ]
    return sum(lead > 0 for lead in leads), sum(lead < 0 for lead in leads)


def _rank_declared(choices: Sequence[AlternativeChoice]) -> int:
    return next((_rank(c.word) for c in choices if is_declared_choice(c)), 2)


def _rank(word: Word) -> int:
    """Rank a verdict by how much it favours the candidate; 0 where it favours neither."""
    return word_side(word) * (2 if word.startswith("clearly") else 1)


def _describe_setting(found: AlternativeChoice, declared: Params) -> Marked:
    choice, value = found.choice, found.value
    if choice == "k" and value.isdigit():
        given = declared.get("k")
        return prose.text("analysis.ranks", k=int(value), declared=str(given) if given else "")
    if choice == "relevant":
        return prose.text("analysis.relevant", grade=value.removesuffix(".0"))
    setting = f"{choice} {_TIES.get(value, value)}".replace("_", " ")
    if setting in get_args(SettingKind):
        return prose.mark(AnalysisSetting(setting))  # type: ignore[arg-type]
    return prose.text("analysis.other", choice=choice, value=value)


@record
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
        self.model = found.short_label(model)
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
                ends = [group.difference or 0.0 for group in each.groups]
                is_against = min(ends) < 0 < max(ends)
                yield Instability(self._describe_segments(each), is_against, is_of_segments=True)

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
