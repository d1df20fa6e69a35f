"""Plans over queries: one relevant document each, found at a rank that a test says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.plans import make_plan
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Index
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Queries

DOCUMENTS = 10


def lists(ranks: Sequence[int], judged: int = DOCUMENTS, tied: int = 0, lost: int = 0) -> Lists:
    """Lists of ten whose only relevant document is at these ranks; the first `tied` are tied.

    So many judged documents are not in any list as `lost` says.
    """
    n = len(ranks)
    start: Index = np.arange(0, DOCUMENTS * n + 1, DOCUMENTS)
    score = np.tile(np.arange(DOCUMENTS, 0, -1.0), n)
    score[np.tile(np.arange(DOCUMENTS) < tied, n)] = 99.0
    grade = np.zeros(DOCUMENTS * n)
    place = np.tile(np.arange(1, DOCUMENTS + 1), n)
    grade[(place > judged) & (place != np.repeat(ranks, DOCUMENTS))] = np.nan
    grade[place == np.repeat(ranks, DOCUMENTS)] = 1.0
    of_each = np.append(1.0, np.zeros(lost))
    known = Judgements.from_grades(len(of_each) * np.arange(n + 1), np.tile(of_each, n))
    return Lists(start, grade, score, known, np.arange(len(grade)))


def analysis(
    *found: Lists,
    names: Sequence[str] = ("rr",),
    weight: Any = None,
    unit: Any = None,
    threads: int = 1,
    **more: Any,
) -> DatasetAnalysis:
    """Models a, b … on the same queries; the others are compared with a."""
    models = tuple(
        ModelScores(chr(97 + k), chr(97 + k), Queries(each)) for k, each in enumerate(found)
    )
    n = len(found[0])
    more.setdefault(
        "metrics",
        tuple(
            PlannedMetric(name, METRICS[name].use(), None, k == 0) for k, name in enumerate(names)
        ),
    )
    plan = make_plan(
        dataset="web",
        models=models,
        pairs=tuple((each.name, "a") for each in models[1:]),
        design=Design("web", n, 99, 1, weight=weight, unit=unit, case="query"),
        adjust="holm",
        has_wins=True,
        **more,
    )
    return draw_replicates(plan, threads)
