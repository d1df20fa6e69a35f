"""Where few rows are positive: what false positive rates hide, and precision at one recall shows.

The rule is that a pair is told of where the areas under both curves have different verdicts, or
precision at the baseline's recall differs by over 5 points and over ten times as much as false
positive rates do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.operating_points import operating_points
from reportgen.analysis.plan import AnalysisPlan
from reportgen.kernels.batch import Batch, Vector
from reportgen.kernels.class_sums import along, class_sums
from reportgen.metrics.spec import ESTIMANDS
from reportgen.results import Comparison, RareClass, rounded
from reportgen.rows import Classes

RARE = 0.1  # share of the weight that is positive
USUAL_RECALL = 0.8  # where no point says which
APART, TIMES = 0.05, 10.0  # of precision: what is much, also against that of false positive rates
AREA = ESTIMANDS["share of an area"]  # under precision along recall


def rare_class(analysis: DatasetAnalysis, compared: Iterable[Comparison]) -> Iterator[RareClass]:
    """Every pair of two models of which false positive rates say too little."""
    whole, plan = analysis.parts[0], analysis.plan
    rows = {name: each for name, each in whole.data.items() if isinstance(each, Classes)}
    known = {n: r for n, r in rows.items() if len(r.labels) == 2 and not r.lacks("order")}
    if any(each.fold is not None for each in rows.values()):
        return
    verdicts = {(c.key, c.candidate, c.baseline): c.verdict for c in compared if c.segment is None}
    areas = _areas(plan)
    for candidate, baseline in plan.pairs:
        if candidate not in known or baseline not in known:
            continue
        pair = (known[candidate], known[baseline])
        share = float(whole.share @ pair[1].y.values)
        recall = _recall(analysis, baseline)
        if not 0 < share < RARE or recall is None:
            continue
        (fpr, precision), (other_fpr, other) = (_at(r, whole.weight, recall) for r in pair)
        gap, of_rates = abs(precision - other), abs(fpr - other_fpr)
        of_pairs, of_recall = (
            {
                verdicts[key, candidate, baseline]
                for key in keys
                if (key, candidate, baseline) in verdicts
            }
            for keys in areas
        )
        differ = bool(of_pairs and of_recall and of_pairs != of_recall)
        if differ or (gap > APART and gap > TIMES * of_rates):
            yield RareClass(
                plan.dataset, candidate, baseline, rounded(share), rounded(recall),
                (rounded(fpr), rounded(other_fpr)), (rounded(precision), rounded(other)), differ,
            )  # fmt: skip


def _areas(plan: AnalysisPlan) -> tuple[list[str], list[str]]:
    """The metrics that are areas under the ROC curve, and those under precision along recall."""
    kinds = [(use.key, use.metric.estimand) for use in plan.uses]
    of_pairs = [key for key, each in kinds if (each.of, each.scale) == ("pairs", "share")]
    return of_pairs, [key for key, each in kinds if each == AREA]


def _recall(analysis: DatasetAnalysis, baseline: str) -> float | None:
    """The recall of the baseline's calls at the first point, if it calls any positive row."""
    if not analysis.plan.points:
        return USUAL_RECALL
    point = next((p for p in operating_points(analysis) if p.model == baseline), None)
    if point is None or not point.true_positives or point.false_negatives is None:
        return None
    return point.true_positives / (point.true_positives + point.false_negatives)


def _at(rows: Classes, weight: Vector, recall: float) -> tuple[float, float]:
    """False positive rate and precision where a share of the positives is called."""
    tp, fp = class_sums(rows, Batch.of(weight))
    caught = recall * tp[-1]
    alarms = float(along(tp, fp, caught[None, :], is_fewest=True)[0, 0])
    return alarms / float(fp[-1, 0]), float(caught[0] / (caught[0] + np.float64(alarms)))
