"""Analysis plans for benchmarks and tests, by the names of their fields whatever part has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from reportgen.analysis.plan import (
    AnalysisPlan,
    ClassPlan,
    CostPlan,
    InferencePlan,
    ModelScores,
    RowNames,
    SamplingPlan,
    SensitivityPlan,
    StatisticPlan,
)
from reportgen.inference.resampling.design import Design

PARTS = {
    "sampling": SamplingPlan,
    "statistics": StatisticPlan,
    "inference": InferencePlan,
    "sensitivity": SensitivityPlan,
    "row_names": RowNames,
    "classes": ClassPlan,
    "costs": CostPlan,
}
HOMES = {
    "class_metrics": ("classes", "metrics"),
    "cost_statistics": ("costs", "statistics"),
}
"""Where a field is whose own name more than one part has."""
for part, kind in PARTS.items():
    for field in fields(kind):
        HOMES.setdefault(field.name, (part, field.name))


def make_plan(models: Sequence[ModelScores], design: Design, **given: Any) -> AnalysisPlan:
    """Make a plan at 95% with automatic intervals and no adjustment, but for what is given."""
    plan = AnalysisPlan(
        design.name,
        tuple(models),
        SamplingPlan(design),
        StatisticPlan(()),
        InferencePlan(0.95, "auto"),
    )
    return change_plan(plan, **given)


def change_plan(plan: AnalysisPlan, **given: Any) -> AnalysisPlan:
    """Return the plan with other fields: `metrics=` is that of `statistics`, and so on."""
    for name, value in given.items():
        if name in ("dataset", "models", "warnings", "training"):
            plan = replace(plan, **{name: value})
        else:
            part, field = HOMES[name]
            plan = replace(plan, **{part: replace(getattr(plan, part), **{field: value})})
    return plan
