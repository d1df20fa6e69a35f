"""Where few rows are positive: what false positive rates hide, and precision at one recall shows.

The rule is that a pair is told of where resamples show that precision at the baseline's recall
differs; and it does so by over 5 points and over ten times as much as false positive rates do, or
the intervals of the areas under both curves do not agree on the side of zero.
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
from reportgen.results import Comparison, Number, RareClass, rounded
from reportgen.rows import Classes

RARE = 0.1  # share of the weight that is positive
USUAL_RECALL = 0.8  # where no point says which
APART, TIMES = 0.05, 10.0  # of precision: what is much, also against that of false positive rates
BATCHES = 16  # of resamples that say whether precision differs
AREA = ESTIMANDS["share of an area"]  # under precision along recall


def rare_class(analysis: DatasetAnalysis, compared: Iterable[Comparison]) -> Iterator[RareClass]:
    """Every pair of two models of which false positive rates say too little."""
    whole, plan = analysis.parts[0], analysis.plan
    rows = {name: each for name, each in whole.data.items() if isinstance(each, Classes)}
    known = {n: r for n, r in rows.items() if len(r.labels) == 2 and not r.lacks("order")}
    if any(each.fold is not None for each in rows.values()):
        return
    sides = {
        (c.key, c.candidate, c.baseline): _side(c.adjusted_low, c.adjusted_high)
        for c in compared
        if c.segment is None
    }
    areas = _areas(plan)
    for candidate, baseline in plan.pairs:
        if candidate not in known or baseline not in known:
            continue
        pair = (known[candidate], known[baseline])
        share = float(whole.share @ pair[1].y.values)
        recall = _recall(analysis, baseline)
        if not 0 < share < RARE or recall is None:
            continue
        each = [_at(rows, Batch.of(whole.weight), recall) for rows in pair]
        (fpr, precision), (other_fpr, other) = ((float(x[0]), float(y[0])) for x, y in each)
        gap, of_rates = abs(precision - other), abs(fpr - other_fpr)
        of_pairs, of_recall = (
            {sides[key, candidate, baseline] for key in keys if (key, candidate, baseline) in sides}
            for keys in areas
        )
        differ = bool(of_pairs and of_recall and of_pairs != of_recall)
        if not differ and not (gap > APART and gap > TIMES * of_rates):
            continue
        low, high = _limits(analysis, pair, recall)
        if _side(low, high):
            yield RareClass(
                plan.dataset, candidate, baseline, rounded(share), rounded(recall),
                (rounded(fpr), rounded(other_fpr)), (rounded(precision), rounded(other)), differ,
                rounded(low), rounded(high),
            )  # fmt: skip


def _side(low: Number, high: Number) -> int:
    """On which side of zero an interval lies; 0 if it holds zero or does not exist."""
    if low is None or high is None:
        return 0
    return int(low > 0) - int(high < 0)


def _limits(
    analysis: DatasetAnalysis, pair: tuple[Classes, Classes], recall: float
) -> tuple[float, float]:
    """Percentile limits of the difference in precision at one recall, by paired resamples."""
    design, level, drawn = analysis.plan.design, analysis.plan.level, []
    for k in range(min(design.batches, BATCHES)):
        batch = design.batch(k)
        ends = [_at(rows, batch, recall)[1] for rows in pair]
        drawn.append((ends[0] - ends[1])[: design.lanes(k)])
    found = np.concatenate(drawn)
    found = found[np.isfinite(found)]
    if not len(found):
        return 0.0, 0.0
    tail = (1 - level) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


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


def _at(rows: Classes, batch: Batch, recall: float) -> tuple[Vector, Vector]:
    """False positive rate and precision where a share of the positives is called; (b,) each."""
    tp, fp = class_sums(rows, batch)
    caught = recall * tp[-1]
    alarms = along(tp, fp, caught[None, :], is_fewest=True)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return alarms / fp[-1], caught / (caught + alarms)
