"""Leave out what is not judged, so that no page can print it: differences, verdicts, statuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from reportgen.report.conclusion.requirements import describe_silence, withhold_gates
from reportgen.results import Results
from reportgen.results.classification import OperatingPoint
from reportgen.results.core import Comparison, GateResult
from reportgen.results.costs import CostAnalysis
from reportgen.results.recommendation import Recommendation
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
