"""The best action under the declared costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose

from reportgen.report.selection import Selection
from reportgen.report.wording import cost_advice
from reportgen.report.wording.names import clean_name
from reportgen.results.conclusion import (
    BestAction,
    HeadlineComparison,
    TotalDifference,
    UsableAction,
)
from reportgen.results.costs import CostAnalysis, CostOption, IntervalEstimate, ModelCost
from reportgen.results.types import DecisionKind, Number


def build_best_action(
    found: Selection, rows: Sequence[HeadlineComparison] = ()
) -> BestAction | None:
    """The advised action at the declared asymmetry; None where none is declared or advised."""
    costs = found.costs.get(found.main.name)
    if costs is None or costs.model.declared is None or found.baseline is None:
        return None
    options = _list_options(costs, costs.model.declared)
    advised = next((each for each in options if each.is_advised), None)
    if advised is None:
        return None
    cases, today = costs.model.cases, (found.baseline.name, "none")
    saving = _per_case(advised.saving.value, cases)
    made = BestAction(
        asymmetry=advised.asymmetry,
        model=advised.model,
        method=advised.method,
        degree=advised.degree,
        cost=_per_case(advised.cost.value, cases),
        saving=saving,
        low=_per_case(advised.saving.low, cases),
        high=_per_case(advised.saving.high, cases),
        level=found.results.inference.level,
        options=len(options),
        level_with=tuple(
            (each.model, each.method)
            for each in options
            if each is not advised and not each.is_distinguishable
        ),
        is_tried=any(each.method != "none" for each in options),
        is_today=(advised.model, advised.method) == today,
        today=next(
            (
                _per_case(each.cost.value, cases)
                for each in options
                if (each.model, each.method) == today
            ),
            None,
        ),
        is_primary=advised.method == "none" and _is_told(rows, advised.model, saving),
        actions=tuple(
            sorted((_build_action(each, cases) for each in options), key=lambda a: a.cost or 0.0)
        ),
    )
    return replace(made, text=_format_text(found, made))


def is_action_answer(decision: DecisionKind, best: BestAction | None) -> bool:
    """Tell whether page one is about one of several actions, not about a comparison."""
    return decision == "shift" and best is not None and best.is_tried and bool(best.actions)


def does_constant_help(found: Selection, chosen: BestAction) -> bool:
    """Tell whether the best constant for these rows is shown to lower the chosen model's cost."""
    best = _find_hindsight_cost(found, chosen)
    return best is not None and best.saving_by_shift.is_above_zero


def compute_action_total(found: Selection, chosen: BestAction) -> TotalDifference | None:
    """Return what the advised action would change over all rows; None where they weigh."""
    if found.main.weight is not None or chosen.is_today or chosen.saving is None:
        return None
    n = found.main.n
    saved = IntervalEstimate(chosen.saving, chosen.low, chosen.high).opposite.scale(n)
    return TotalDifference(n, saved.value, saved.low, saved.high)


def _format_text(found: Selection, made: BestAction) -> str:
    """Describe what the action costs and saves.

    Then follows what is known of constants and other corrections.
    """
    costs = found.costs[found.main.name]
    labels = {model.name: clean_name(model.label, 40) for model in found.results.models}
    assert found.baseline is not None
    terms = cost_advice.ActionWording(
        labels, found.baseline.name, costs.model.money, found.main.case, found.main.unit
    )
    said = (
        []
        if made.is_primary
        else [cost_advice.describe_action(made, terms, compute_action_total(found, made))]
    )
    if made.is_tried:
        chosen = (made.model, made.method)
        alike = [
            s
            for s in costs.shifts
            if isclose(s.asymmetry, made.asymmetry) and (s.model, s.method) == chosen
        ]
        if alike and made.method != "none":
            said.append(
                cost_advice.describe_regret(alike[0].gap.scale(1 / costs.model.cases), terms)
            )
    else:
        best = _find_hindsight_cost(found, made)
        if best is not None:
            saved = best.saving_by_shift.scale(1 / costs.model.cases)
            said.append(cost_advice.describe_hindsight(made, best.constant, saved, terms))
        said.append(cost_advice.NOT_TRIED)
    return " ".join(said)


def _find_hindsight_cost(found: Selection, chosen: BestAction) -> ModelCost | None:
    """Find what the model chosen costs with the best constant for these rows."""
    known = (
        each
        for decision in found.costs[found.main.name].decisions
        if decision.shift == "optimal" and isclose(decision.asymmetry, chosen.asymmetry)
        for each in decision.models
        if each.model == chosen.model
    )
    return next(known, None)


def _is_told(rows: Sequence[HeadlineComparison], model: str, saving: Number) -> bool:
    """Tell whether the first row is of this model and has this very difference."""
    row = rows[0] if rows else None
    if row is None or row.candidate != model or row.difference is None or saving is None:
        return False
    return isclose(row.difference, -saving, rel_tol=1e-6)


def _build_action(option: CostOption, cases: int) -> UsableAction:
    difference = option.saving.opposite.scale(1 / cases)
    return UsableAction(
        model=option.model,
        method=option.method,
        cost=_per_case(option.cost.value, cases),
        difference=difference.value,
        low=difference.low,
        high=difference.high,
        is_advised=option.is_advised,
        is_level=not option.is_advised and not option.is_distinguishable,
    )


def _list_options(costs: CostAnalysis, asymmetry: float) -> list[CostOption]:
    return [each for each in costs.options if isclose(each.asymmetry, asymmetry)]


def _per_case(value: float | None, cases: int) -> float | None:
    return None if value is None else value / cases
