"""Questions about costs, and what is answered to them."""

import numpy as np

from reportgen.analysis.findings import infer
from reportgen.analysis.plan import AnalysisPlan, ModelScores
from reportgen.costs import Prices, costs
from reportgen.resampling.design import Design
from reportgen.rows import Amounts


def asked(y, scores, prices, *, weight=None, unit=None, replicates=199, baseline=None):
    """A question with no metric and no curve: only the decision on costs."""
    baseline = baseline or next(iter(scores))
    return AnalysisPlan(
        dataset="holdout",
        unit="USD",
        models=tuple(
            ModelScores(name, name, Amounts(np.asarray(y, float), np.asarray(score, float)))
            for name, score in scores.items()
        ),
        pairs=tuple((name, baseline) for name in scores if name != baseline),
        uses=(),
        curves=(),
        segments=(),
        design=Design("holdout", len(y), replicates, 7, weight, unit),
        level=0.95,
        interval="auto",
        adjust="holm",
        joints=(costs(prices),),
        baseline=baseline,
    )


def analysis(y, scores, prices=None, **more):
    """All that is found of costs."""
    (found,) = infer(asked(y, scores, prices or Prices((0.8,)), **more)).costs
    return found


def curves(y, scores, prices=None, **more):
    """Every curve of costs."""
    return infer(asked(y, scores, prices or Prices((0.8,)), **more)).curves
