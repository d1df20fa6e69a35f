"""The best action: which model, with which correction of its scores, as the costs advise."""

from __future__ import annotations

from dataclasses import replace
from math import isclose

from reportgen import wording
from reportgen.results import CostAnalysis, CostOption
from reportgen.results.conclusion import BestAction
from reportgen.selection import Selection
from reportgen.wording import actions


def action(found: Selection) -> BestAction | None:
    """The advised action at the declared asymmetry; None where none is declared or advised."""
    costs = found.costs.get(found.main.name)
    if costs is None or costs.model.declared is None or found.baseline is None:
        return None
    options = _options(costs, costs.model.declared)
    advised = next((each for each in options if each.is_advised), None)
    if advised is None:
        return None
    cases = costs.model.cases
    made = BestAction(
        asymmetry=advised.asymmetry,
        model=advised.model,
        method=advised.method,
        degree=advised.degree,
        cost=_per_case(advised.cost.value, cases),
        saving=_per_case(advised.saving.value, cases),
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
        is_today=(advised.model, advised.method) == (found.baseline.name, "none"),
    )
    labels = {model.name: wording.name(model.label, 40) for model in found.results.models}
    unit = f"{costs.model.money} per {wording.name(found.main.case[0])}"
    return replace(made, text=actions.sentence(made, labels, found.baseline.name, unit))


def helps_in_hindsight(found: Selection, chosen: BestAction) -> bool:
    """Whether the best constant for these rows is shown to lower the cost of the model chosen."""
    costs = found.costs[found.main.name]
    return any(
        each.model == chosen.model and each.saving_by_shift.is_above_zero
        for decision in costs.decisions
        if decision.shift == "optimal" and isclose(decision.asymmetry, chosen.asymmetry)
        for each in decision.models
    )


def _options(costs: CostAnalysis, asymmetry: float) -> list[CostOption]:
    return [each for each in costs.options if isclose(each.asymmetry, asymmetry)]


def _per_case(value: float | None, cases: int) -> float | None:
    return None if value is None else value / cases
