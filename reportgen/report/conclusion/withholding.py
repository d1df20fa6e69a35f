"""Leave out what is not judged, so that no page can print it: differences, verdicts, statuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from reportgen.report.conclusion.requirements import describe_silence, withhold_gates
from reportgen.results import Results
from reportgen.results.classification import OperatingPoint
from reportgen.results.core import Comparison
from reportgen.results.costs import CostAnalysis
from reportgen.results.recommendation import Recommendation
from reportgen.results.sensitivity import Sensitivity

_NUMBERS = "difference favours low high p_value p_adjusted probability_better".split()
_PAIRS = (("candidate", "baseline"), ("first", "second"), ("model", "baseline"))
_OF_PAIRS = "pairs curves rare_classes confusion_differences fold_comparisons".split()


def withhold(made: Recommendation, results: Results) -> Results:
    """Leave out each comparison of a model that gets no verdict; values and intervals stay."""
    if not made.stops:
        return results
    is_silent = made.answer == "no verdict"
    kept: dict[str, Any] = {name: _select(made, getattr(results, name)) for name in _OF_PAIRS}
    return replace(
        results,
        **kept,
        gates=withhold_gates(made, results.gates),
        comparisons=_withhold_differences(made, results.comparisons),
        classes=tuple(
            replace(each, comparisons=_withhold_differences(made, each.comparisons))
            for each in results.classes
        ),
        points=tuple(_withhold_point(made, each) for each in results.points),
        costs=() if is_silent else tuple(_withhold_costs(made, each) for each in results.costs),
        across=() if is_silent else results.across,
        sensitivity=_withhold_sensitivity(made, results.sensitivity),
        warnings=tuple(w for w in results.warnings if not (is_silent and "verdict" in w.numbers)),
    )


def _withhold_differences(
    made: Recommendation, compared: Sequence[Comparison]
) -> tuple[Comparison, ...]:
    """Leave out the numbers of comparisons, and say why; their rows stay."""
    silent: dict[str, Any] = dict.fromkeys(_NUMBERS)
    silent |= {"word": "no result", "status": "undefined"}
    return tuple(
        c
        if _is_judged(made, c)
        else replace(c, **silent, reason=describe_silence(made, c.dataset, c.candidate, c.baseline))
        for c in compared
    )


def _withhold_point(made: Recommendation, point: OperatingPoint) -> OperatingPoint:
    """Leave out how far an operating point is from others; what comes of it stays."""
    if made.judges(point.model):
        return point
    nothing: dict[str, Any] = dict.fromkeys(("difference", "difference_low", "difference_high"))
    outcomes = tuple(replace(each, **nothing) for each in point.outcomes)
    return replace(point, outcomes=outcomes, against_everyone=None, against_nobody=None)


def _withhold_costs(made: Recommendation, found: CostAnalysis) -> CostAnalysis:
    """Leave out the actions with a model that is not judged, and where it is cheapest."""
    of_models: dict[str, Any] = {
        each.name: tuple(
            row
            for row in getattr(found, each.name)
            if _is_judged(made, row)
            and made.judges(getattr(row, "model", ""))
            and made.judges(getattr(row, "best", ""))
        )
        for each in fields(found)
        if isinstance(getattr(found, each.name), tuple) and each.name != "decompositions"
    }
    return replace(found, **of_models)


def _withhold_sensitivity(made: Recommendation, found: Sensitivity) -> Sensitivity:
    kept: dict[str, Any] = {
        each.name: _select(made, getattr(found, each.name)) for each in fields(found)
    }
    ranks = tuple(row for row in found.ranks if made.judges(row.model))
    deletions = (replace(each, sets=_select(made, each.sets)) for each in found.deletions)
    kept |= {"ranks": ranks, "deletions": tuple(each for each in deletions if each.sets)}
    return replace(found, **kept)


def _select(made: Recommendation, rows: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(row for row in rows if _is_judged(made, row))


def _is_judged(made: Recommendation, row: Any) -> bool:
    """Tell whether a row is not of two models, or both are judged."""
    for pair in _PAIRS:
        names = [name for of in pair if isinstance(name := getattr(row, of, None), str)]
        if len(names) == len(pair):
            return all(made.judges(name) for name in names)
    return True
