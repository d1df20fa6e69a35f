"""Which model page one is about, which decision it serves, and why."""

from __future__ import annotations

from math import isclose

from reportgen.results import DecisionKind, MetricInfo
from reportgen.results.conclusion import Chosen
from reportgen.selection import Selection, merit


def decision_of(found: Selection) -> DecisionKind:
    """The declared decision; else replace with one candidate, and choose with several."""
    declared = found.results.report.decision
    return declared or ("choose" if len(found.candidates) > 1 else "replace")


def asked(found: Selection) -> tuple[str | None, Chosen, int]:
    """The model, why it is that one, and among how many it is the best where it is."""
    if found.baseline is None:
        return found.results.models[0].name, "only model", 1
    names = [model.name for model in found.candidates]
    declared = found.results.report.about
    if declared in names:
        return declared, "declared", 1
    if len(names) == 1:
        return names[0], "only candidate", 1
    if found.results.report.decision == "shift" and (advised := _advised(found)) in names:
        return str(advised), "cheapest", len(names)
    for gate in found.results.gates:
        pair = [name for name in (gate.model, gate.against) if name in names]
        if gate.against is not None and pair:
            return pair[0], "first gate", 1
    ranked = ranking(found, found.leading)
    best = [name for name in ranked if name in names]
    return (best[0], "best", len(best)) if best else (names[0], "none", 1)


def _advised(found: Selection) -> str | None:
    """The model of the action that the costs advise, where corrections of scores were tried."""
    costs = found.costs.get(found.main.name)
    declared = None if costs is None else costs.model.declared
    if costs is None or declared is None:
        return None
    options = [each for each in costs.options if isclose(each.asymmetry, declared)]
    is_tried = any(each.method != "none" for each in options)
    return next((each.model for each in options if each.is_advised and is_tried), None)


def ranking(found: Selection, metric: MetricInfo) -> list[str]:
    """The models to choose from that have a value of a metric on the main dataset, best first."""
    models = [model for model in found.results.models if model.role != "benchmark"]
    known = [found.estimate(model.name, metric.key) for model in models]
    values = {e.model: e.value for e in known if e is not None and e.value is not None}
    return sorted(values, key=lambda model: -merit(values[model], metric))
