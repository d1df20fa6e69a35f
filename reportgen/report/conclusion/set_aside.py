"""Notes on candidates set aside; differences and verdicts that are not judged are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from reportgen.report import prose
from reportgen.report.conclusion.evidence import is_of_decisions
from reportgen.report.conclusion.input_checks import write_hold
from reportgen.report.conclusion.references import is_not_better, phrase_reference
from reportgen.report.conclusion.requirements import describe_silence, withhold_gates
from reportgen.report.conclusion.rows import build_comparison_row
from reportgen.report.facts import Quantity, SameForAll
from reportgen.report.prose.marks import Marked, remove_marks
from reportgen.report.selection import Selection
from reportgen.report.wording.names import (
    clean_name,
    lower_first_word,
    metric_phrase,
    use_case_unit,
)
from reportgen.report.wording.numbers import choose_declared_format, format_percent
from reportgen.report.wording.verdicts import choose_row_format
from reportgen.results import Results
from reportgen.results.classification import OperatingPoint
from reportgen.results.conclusion import HeadlineComparison, SetAside
from reportgen.results.core import ColumnProfile, Comparison, GateResult, MetricInfo
from reportgen.results.costs import CostAnalysis
from reportgen.results.recommendation import CandidateAnswer, Hold, Recommendation
from reportgen.results.references import ReferenceValue
from reportgen.results.sensitivity import Sensitivity

_NUMBERS = (
    "difference",
    "favours",
    "low",
    "high",
    "p_value",
    "p_adjusted",
    "probability_better",
    "units_to_detect",
    "units_to_detect_low",
    "units_to_detect_high",
)
_PAIRS = (
    ("candidate", "baseline"),
    ("first", "second"),
    ("model", "baseline"),
    ("model", "against"),
)
_OF_PAIRS = ("pairs", "curves", "rare_classes", "confusion_differences", "fold_comparisons")


def withhold(made: Recommendation, results: Results) -> Results:
    """Leave out each comparison of a model that gets no verdict; values and intervals stay."""
    if not made.stops:
        return results
    is_silent = made.is_silent
    of = _Judge(made, results)
    kept: dict[str, Any] = {name: _select(of, getattr(results, name)) for name in _OF_PAIRS}
    return replace(
        results,
        **kept,
        gates=silence_gates(made, results),
        group_gaps=_select(of, results.group_gaps),
        comparisons=_withhold_differences(of, results.comparisons),
        references=tuple(_withhold_leads(of, each) for each in results.references),
        classes=tuple(
            replace(each, comparisons=_withhold_differences(of, each.comparisons))
            for each in results.classes
        ),
        points=tuple(_withhold_point(made, each) for each in results.points),
        costs=() if is_silent else tuple(_withhold_costs(of, each) for each in results.costs),
        across=() if is_silent else results.across,
        sensitivity=_withhold_sensitivity(of, results.sensitivity),
        warnings=tuple(w for w in results.warnings if not (is_silent and "verdict" in w.numbers)),
    )


def silence_gates(made: Recommendation, results: Results) -> tuple[GateResult, ...]:
    """Judge no gate that a stop is about."""
    if not made.stops:
        return results.gates
    is_open = results.report.on_stop == "inconclusive"
    return withhold_gates(made, results.gates, _Judge(made, results).kinds, is_open=is_open)


class _Judge:
    """What is judged: by the models of a row, and by its metric where it has one."""

    def __init__(self, made: Recommendation, results: Results) -> None:
        self.made = made
        self.kinds = {m.key: m.kind for m in (*results.class_metrics, *results.metrics)}

    def judges(self, row: Any) -> bool:
        """Tell whether a row is not of two models, or both are judged."""
        kind = self.kinds.get(getattr(row, "key", ""), "")
        for pair in _PAIRS:
            names = [name for of in pair if isinstance(name := getattr(row, of, None), str)]
            if len(names) == len(pair):
                return all(self.made.judges(name, kind) for name in names)
        return True

    def describe_silence(self, c: Comparison) -> str:
        """Say why a comparison is not judged."""
        kind = self.kinds.get(c.key, "")
        return describe_silence(self.made, c.dataset, kind, c.candidate, c.baseline)


def _withhold_differences(of: _Judge, compared: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Leave out the numbers of comparisons, and say why; their rows stay."""
    silent: dict[str, Any] = dict.fromkeys(_NUMBERS)
    silent |= {"word": "no result", "status": "undefined"}
    return tuple(
        c if of.judges(c) else replace(c, **silent, reason=of.describe_silence(c)) for c in compared
    )


def _withhold_leads(of: _Judge, found: ReferenceValue) -> ReferenceValue:
    """Leave out how far models that are not judged are from what takes no model."""
    kind = of.kinds.get(found.key, "")
    kept = tuple(each for each in found.differences if of.made.judges(each.model, kind))
    return replace(found, differences=kept)


def _withhold_point(made: Recommendation, point: OperatingPoint) -> OperatingPoint:
    """Leave out how far an operating point is from others; what comes of it stays."""
    if made.judges(point.model):
        return point
    nothing: dict[str, Any] = dict.fromkeys(("difference", "difference_low", "difference_high"))
    outcomes = tuple(replace(each, **nothing) for each in point.outcomes)
    return replace(point, outcomes=outcomes, against_everyone=None, against_nobody=None)


def _withhold_costs(of: _Judge, found: CostAnalysis) -> CostAnalysis:
    """Leave out the actions with a model that is not judged, and where it is cheapest."""
    of_models: dict[str, Any] = {
        each.name: tuple(
            row
            for row in getattr(found, each.name)
            if of.judges(row)
            and of.made.judges(getattr(row, "model", ""))
            and of.made.judges(getattr(row, "best", ""))
        )
        for each in fields(found)
        if isinstance(getattr(found, each.name), tuple) and each.name != "decompositions"
    }
    return replace(found, **of_models)


def _withhold_sensitivity(of: _Judge, found: Sensitivity) -> Sensitivity:
    kept: dict[str, Any] = {
        each.name: _select(of, getattr(found, each.name)) for each in fields(found)
    }
    ranks = tuple(row for row in found.ranks if of.made.judges(row.model))
    deletions = (replace(each, sets=_select(of, each.sets)) for each in found.deletions)
    kept |= {"ranks": ranks, "deletions": tuple(each for each in deletions if each.sets)}
    return replace(found, **kept)


def _select(of: _Judge, rows: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(row for row in rows if of.judges(row))


MARKS = "①②③④⑤⑥⑦⑧⑨"
TIED_PAIRS = 0.2
"""Share of a score's pairs that are tied, from which a note names them."""
_FORGIVING = ("kendall", "spearman")


def build_notes(
    found: Selection, rows: Sequence[HeadlineComparison], made: Recommendation
) -> tuple[SetAside, ...]:
    """Build the notes, numbered in the order of the rows."""
    judged = {each.model: each for each in made.candidates}
    every = [judged[row.candidate] for row in rows if row.candidate in judged]
    judged_rows = [each for each in every if each.reason != "stopped"]
    held = [each for each in judged_rows if each.holds or each.reason == "constant"]
    said = {each.model: _write_reason(found, each) for each in held}
    numbers = {reason: number for number, reason in enumerate(dict.fromkeys(said.values()), 1)}
    return tuple(
        SetAside(number, model, remove_marks(_write_note(number, reason)))
        for model, reason in said.items()
        if (number := numbers[reason]) <= len(MARKS)
    )


def _write_note(number: int, reason: Marked) -> Marked:
    return prose.text("note.set_aside", mark=MARKS[number - 1], reason=reason)


def _write_reason(found: Selection, judged: CandidateAnswer) -> Marked:
    """Write why a candidate is set aside; the same for all that one sentence can be about."""
    if judged.reason == "constant":
        key = "decisions" if is_of_decisions(found, judged.model) else "scores"
        case = clean_name(found.main.case[0])
        return prose.mark(SameForAll(key, case))  # type: ignore[arg-type]
    if judged.reason == "requirement not met":
        mine = (gate for gate in found.results.gates if gate.model == judged.model)
        return prose.text("note.requirements", count=sum(g.status == "not met" for g in mine))
    return _write_hold(found, judged.model, judged.holds[0])


def _write_hold(found: Selection, model: str, hold: Hold) -> Marked:
    if hold.code == "reference":
        each = found.reference(found.leading.key)
        return prose.text(
            "note.reference",
            is_beaten=is_not_better(found, model, found.leading.key),
            reference=phrase_reference(found, each),
        )
    if hold.metric is None:
        text = write_hold(found, model, [hold])
        assert text is not None
        return Marked(f"{text.finding}. {text.fix}")
    assert found.baseline is not None
    baseline = found.short_label(found.baseline.name)
    tied = _find_ties(found, model)
    half = _find_half_credit(found, model) if tied is not None else None
    other = half if half is not None else found.find_metric(hold.metric)
    comparison = found.comparison(model, other.key)
    assert comparison is not None
    row = build_comparison_row(found, comparison)
    form = choose_row_format(row, use_case_unit(other, found.main))
    value, base = Quantity(row.value, form), Quantity(row.baseline_value, form)
    if tied is None or half is None:
        return prose.text(
            "note.conflict",
            other=metric_phrase(other),
            baseline=baseline,
            value=value,
            base=base,
        )
    mode = choose_declared_format(tied.mode, "")
    return prose.text(
        "note.ties",
        share=format_percent(tied.mode_share),
        mode=mode.number(tied.mode),
        metric=lower_first_word(clean_name(found.leading.label)),
        baseline=baseline,
        other=metric_phrase(other),
        value=value,
        base=base,
    )


def _find_ties(found: Selection, model: str) -> ColumnProfile | None:
    """Find the score of a model whose many ties the metric that decides barely penalises."""
    if found.leading.name not in _FORGIVING:
        return None
    for column in found.main.columns:
        is_tied = (column.tied_pairs or 0.0) > TIED_PAIRS
        if column.role == "score" and column.model == model and is_tied:
            return column
    return None


def _find_half_credit(found: Selection, model: str) -> MetricInfo | None:
    """Find a metric that counts tied pairs as half and on which the model is worse."""
    for metric in found.results.metrics:
        is_half = metric.name == "kendall_a" or (
            metric.name == "regression_auc" and metric.params.get("ties") == "half"
        )
        c = found.comparison(model, metric.key) if is_half else None
        if c is not None and c.word in ("worse", "clearly worse"):
            return metric
    return None
