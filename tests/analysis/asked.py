"""Small questions for whole studies: seeded rows, a few models, a few metrics of all kinds."""

import numpy as np

from benchmarks.plans import make_plan
from reportgen.analysis.plan import ModelScores, PlannedMetric, Segment
from reportgen.inference.resampling.design import Design
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts

NAMES = ("mae", "rmse", "kendall", "spearman", "r2", "median_ae")


def uses(*names):
    """Metrics by name, the first of them primary."""
    return tuple(
        PlannedMetric(name, METRICS[name].use(), None, i == 0) for i, name in enumerate(names)
    )


def rows(n=60, models=2, seed=5):
    """Outcomes with ties, and scores that follow it with noise."""
    draw = np.random.default_rng(seed)
    y = np.round(draw.gamma(2.0, 5.0, n))
    return y, [y + draw.normal(0, 2 + k, n) for k in range(models)]


def but(contestant, score=None, *, name=None, **about):
    """The same model with another score, further columns, rows to fit, or kind of score."""
    was = contestant.rows
    given = {"parts": was.parts, "fit": was.fit, "scale": was.scale} | about
    rows_ = Amounts(was.y, was.score if score is None else score, **given)
    return ModelScores(name or contestant.name, name or contestant.label, rows_)


def question(n=60, models=2, names=NAMES, replicates=199, segments=(), data=None, **more):
    """A question about the first `models` of three models; `more` is the design's."""
    y, scores = data or rows(n, 3)
    found = tuple(
        ModelScores(f"m{k}", f"m{k}", Amounts(y, score)) for k, score in enumerate(scores[:models])
    )
    keys = ("interval", "adjust", "is_ordered", "is_used_to_choose", "level")
    asked = {key: more.pop(key) for key in keys if key in more}
    return make_plan(
        dataset="test",
        models=found,
        pairs=tuple((c.name, "m0") for c in found[1:]),
        metrics=uses(*names),
        segments=tuple(Segment(name, np.flatnonzero(rows_)) for name, rows_ in segments),
        design=Design(name="test", n=len(y), replicates=replicates, seed=7, **more),
        **{"level": 0.95, "interval": "auto", "adjust": "holm"} | asked,
    )
