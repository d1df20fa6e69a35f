"""A second judge of the same rows, held against the target as a model that names classes is.

What two judges agree on is as much as a model can be shown to reach: beyond that it learns the
habits of the one who made the target. Models are judged on the rows that both judges saw, under
the same resamples, so that differences from the judge are paired.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.analysis.comparisons import comparisons
from reportgen.analysis.dataset_analysis import DatasetAnalysis, replicated
from reportgen.analysis.estimates import estimates
from reportgen.analysis.plan import AnalysisPlan, SecondJudge
from reportgen.results import Agreement

JUDGE = ""  # the name among models that no config can give


def agreements(analysis: DatasetAnalysis) -> Iterator[Agreement]:
    """Each metric of the second judge and the models, at each point where models call.

    Nothing where there is no such judge.
    """
    judge = analysis.plan.second
    if judge is None:
        return
    found = replicated(_beside(analysis.plan, judge))
    values, differences = list(estimates(found)), list(comparisons(found))
    for (metric, point), use in judge.uses.items():
        own = [replace(each, key=metric) for each in values if each.key == use.key]
        apart = (replace(each, key=metric) for each in differences if each.key == use.key)
        yield Agreement(
            dataset=analysis.plan.dataset,
            column=judge.column,
            metric=metric,
            title=use.metric.title,
            point=point,
            n=int(np.count_nonzero(found.plan.design.weights)),
            of=analysis.plan.design.n,
            judge=next(each for each in own if each.model == JUDGE),
            estimates=tuple(each for each in own if each.model != JUDGE),
            comparisons=tuple(apart),
            only=judge.only,
        )


def _beside(plan: AnalysisPlan, judge: SecondJudge) -> AnalysisPlan:
    """The plan of the models and the judge on the rows that the judge saw."""
    weight = np.where(judge.judged, plan.design.weights, 0.0)
    models = plan.models if judge.has_models else ()
    return AnalysisPlan(
        dataset=plan.dataset,
        unit=plan.unit,
        models=(*models, judge.scores),
        pairs=tuple((model.name, JUDGE) for model in models),
        uses=tuple(judge.uses.values()),
        curves=(),
        segments=(),
        design=replace(plan.design, weight=weight),
        level=plan.level,
        interval=plan.interval,
        adjust="none",
        is_ordered=plan.is_ordered,
        baseline=JUDGE,
    )
