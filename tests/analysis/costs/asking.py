"""Questions about costs, and what is answered to them."""

import numpy as np

from benchmarks.plans import make_plan
from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.costs.decisions import cost_statistic
from reportgen.analysis.plan import ModelScores
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.resampling.design import Design
from reportgen.metrics.rows import Amounts


def asked(y, scores, cost_model, *, weight=None, unit=None, replicates=199, baseline=None):
    """A question with no metric and no curve: only the decision on costs."""
    baseline = baseline or next(iter(scores))
    return make_plan(
        dataset="holdout",
        unit="USD",
        models=tuple(
            ModelScores(name, name, Amounts(np.asarray(y, float), np.asarray(score, float)))
            for name, score in scores.items()
        ),
        pairs=tuple((name, baseline) for name in scores if name != baseline),
        design=Design("holdout", len(y), replicates, 7, weight, unit),
        adjust="holm",
        cost_statistics=(cost_statistic(cost_model),),
        baseline=baseline,
    )


def analysis(y, scores, cost_model=None, **more):
    """All that is found of costs."""
    (found,) = analyze_dataset(asked(y, scores, cost_model or CostModel((0.8,)), **more)).costs
    return found


def curves(y, scores, cost_model=None, **more):
    """Every curve of costs."""
    return analyze_dataset(asked(y, scores, cost_model or CostModel((0.8,)), **more)).curves
