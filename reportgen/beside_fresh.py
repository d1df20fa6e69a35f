"""From a config and rows to fit on to the same metrics asked of these rows."""

from __future__ import annotations

from dataclasses import replace

from reportgen.analysis.plan import AnalysisPlan
from reportgen.config import Config
from reportgen.data.sample import Sample
from reportgen.designed import design_of
from reportgen.operating import calls_on
from reportgen.plan import models_on
from reportgen.tasks import TASKS


def with_fitted(config: Config, plan: AnalysisPlan, sample: Sample, fit: Sample) -> AnalysisPlan:
    """The plan with that of its metrics on the rows to fit on.

    As it is where rows have no classes, where rows or units stand in both samples, which are then
    not independent, and where intervals tell of other fits, not of other rows.
    """
    has_classes = TASKS[config.task].has_classes
    if not has_classes or plan.folding is not None or _is_shared(sample, fit):
        return plan
    rows = {model.name: model.rows for model in plan.models}
    models = tuple(models_on(config, fit, plan.design.replicates, calls_on(config, rows, fit)))
    asked = AnalysisPlan(
        dataset=fit.dataset,
        unit=plan.unit,
        models=models,
        pairs=(),
        uses=plan.uses,
        curves=(),
        segments=(),
        design=design_of(config, fit, (None, None), plan.design.replicates),
        level=plan.level,
        interval=plan.interval,
        adjust="none",
        currency=plan.currency,
        is_exact=plan.is_exact,
    )
    return replace(plan, fitted=asked)


def _is_shared(sample: Sample, fit: Sample) -> bool:
    """Whether rows, or the units that rows are drawn in, stand in both."""
    if sample.numbered_in == fit.numbered_in and set(sample.ids) & set(fit.ids):
        return True
    if sample.together is None or fit.together is None:
        return False
    return bool(set(sample.together.codes.labels) & set(fit.together.codes.labels))
