"""Classes and operating points: values per class, confusion matrices, outcomes of calls."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import nan

import numpy as np

from reportgen.analysis.comparisons import Pair, build_pair, judge_by_family, judge_family
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.estimates import iter_metric_estimates
from reportgen.analysis.plan import (
    ModelScores,
    PlannedClassMetric,
    PlannedMetric,
    PlannedPoint,
    explain_unsuited,
)
from reportgen.checks.check import iter_raised
from reportgen.checks.rows import ClassRows, ClassRowsSubject, ClassSubject
from reportgen.kernels.batch import Batch, Vector
from reportgen.kernels.class_curves import compute_class_sums, interpolate_other_class
from reportgen.kernels.thresholds import (
    FN,
    FP,
    TN,
    TP,
    BestThreshold,
    DecisionRule,
    Threshold,
    TopShare,
)
from reportgen.metrics.classification.costs import (
    break_even_probability,
    costs_by_flag,
    do_errors_cost_more,
)
from reportgen.metrics.rows import Classes, LabelSets
from reportgen.metrics.traits import ESTIMANDS, fill_unit
from reportgen.results.classification import (
    ClassValues,
    ConfusionDifference,
    ConfusionMatrix,
    CostDifference,
    LabelConfusion,
    OperatingPoint,
    PointOutcome,
    RareClassComparison,
)
from reportgen.results.core import Comparison
from reportgen.results.types import Family, Number, RaisedWarning, Scalar, round_number
from reportgen.results.verdicts import decide_verdict


def iter_operating_points(analysis: DatasetAnalysis) -> Iterator[OperatingPoint]:
    """Every model at every point that it can be judged at, in the order of the config."""
    for point in analysis.plan.classes.points:
        for model in analysis.plan.models:
            if not any(explain_unsuited(use.metric.needs, model) for use in point.metrics):
                yield _build_point(analysis, point, model)


def _build_point(
    analysis: DatasetAnalysis, point: PlannedPoint, model: ModelScores
) -> OperatingPoint:
    counted = analysis.by_class.cells(point, model.name)
    cells: list[Number] = [round_number(each) for each in counted]
    rule, is_label = point.rules[model.name], model.rows.scale == "label"
    learned = rule.learned if isinstance(rule, Threshold) else None
    threshold, lowest = _find_flagged_scores(analysis, rule, model.name)
    learnt_on = analysis.plan.dataset if isinstance(rule, BestThreshold) else None
    return OperatingPoint(
        dataset=analysis.plan.dataset,
        name=point.name,
        rule=point.kind,
        model=model.name,
        true_negatives=cells[0],
        false_positives=cells[1],
        false_negatives=cells[2],
        true_positives=cells[3],
        outcomes=tuple(
            _build_outcome(analysis, use, model.name)
            for use in point.metrics
            if not use.metric.params.get("against")
        ),
        goal={} if is_label else dict(point.goal),
        share=round_number(rule.share) if isinstance(rule, TopShare) else None,
        threshold=None if is_label else round_number(threshold),
        threshold_low=None if learned is None else round_number(learned.low),
        threshold_high=None if learned is None else round_number(learned.high),
        aim=point.aim,
        learnt_on=learnt_on if learned is None else learned.dataset,
        lowest_flagged=round_number(lowest),
        false_positive_rate=_compute_share(cells[1], cells[0]),
        false_negative_rate=_compute_share(cells[2], cells[3]),
        **_compute_constant_costs(analysis, model.name, cells),
        against_everyone=_compare_with_constant(analysis, point, model.name, "everyone"),
        against_nobody=_compare_with_constant(analysis, point, model.name, "nobody"),
    )


def _compare_with_constant(
    analysis: DatasetAnalysis, point: PlannedPoint, model: str, against: str
) -> CostDifference | None:
    """Compare the cost at a point with that of flagging everyone, or nobody, row by row.

    None where flags have no costs.
    """
    uses = (use for use in point.metrics if use.metric.params.get("against") == against)
    if (use := next(uses, None)) is None:
        return None
    evidence = analysis.evidence(analysis.parts[0], use, model)
    if evidence.value == 0 and not evidence.varies:  # all rows are flagged alike
        return CostDifference(0.0, 0.0, 0.0, "equivalent")
    limits = analysis.plan.inference.compute_interval(evidence)
    word = decide_verdict(limits.low, limits.high, None, use.metric.better)
    return CostDifference(
        round_number(evidence.value), round_number(limits.low), round_number(limits.high), word
    )


def _compute_constant_costs(
    analysis: DatasetAnalysis, model: str, cells: Sequence[Number]
) -> dict[str, Number]:
    """Compute a row's cost if nobody is flagged and if everyone is, and where flagging pays."""
    whole = analysis.parts[0]
    rows = whole.data[model]
    if not isinstance(rows, Classes) or rows.cell_costs is None or rows.is_of_flagged:
        return {}
    costs, pays = rows.cell_costs, nan
    if len(costs) > 0 and (costs == costs[0]).all():  # also where further rows are not at hand
        weights = np.array(cells, dtype=np.float64)
        classes = np.repeat([weights[:FN].sum(), weights[FN:].sum()], 2)
        each = costs[0] * classes / weights.sum()
        none, all_ = each[TN] + each[FN], each[FP] + each[TP]
        if rows.scale == "probability" and do_errors_cost_more(*costs[0]):
            pays = break_even_probability(*map(float, costs[0]))
    else:
        if_flagged, if_not = costs_by_flag(rows.y.values, costs)
        none, all_ = (whole.weight @ each / whole.weight.sum() for each in (if_not, if_flagged))
    return {
        "cost_of_none": round_number(float(none)),
        "cost_of_all": round_number(float(all_)),
        "pays_from": round_number(pays),
    }


def _compute_share(some: Number, rest: Number) -> Number:
    """Return the share of `some` in `some` plus `rest`; None where unknown or of nothing."""
    if some is None or rest is None or some + rest <= 0:
        return None
    return round_number(some / (some + rest))


def _find_flagged_scores(
    analysis: DatasetAnalysis, rule: DecisionRule, model: str
) -> tuple[float | None, float | None]:
    """Return the threshold on the evaluated rows; of a share, the lowest flagged score instead."""
    if isinstance(rule, Threshold):
        return rule.value, None
    rows, batch = analysis.parts[0].data[model], Batch.from_weights(analysis.parts[0].weight)
    if not isinstance(rows, Classes):
        return None, None
    if isinstance(rule, TopShare):
        return None, rule.find_lowest_score(rows, batch)
    return float(rule.find_thresholds(rows, batch)[0]), None


def _build_outcome(analysis: DatasetAnalysis, use: PlannedMetric, model: str) -> PointOutcome:
    plan, whole = analysis.plan, analysis.parts[0]
    evidence = analysis.evidence(whole, use, model)
    found = plan.inference.compute_interval(evidence)
    beside: dict[str, Number] = {}
    if plan.inference.baseline is not None and plan.inference.baseline != model:
        difference, _ = analysis.difference(whole, use, model, plan.inference.baseline)
        limits = plan.inference.compute_interval(difference)
        beside = {
            "difference": round_number(difference.value),
            "difference_low": round_number(limits.low),
            "difference_high": round_number(limits.high),
        }
    return PointOutcome(
        use.metric.name,
        fill_unit(use.metric.unit, plan.statistics.unit, plan.costs.currency),
        round_number(evidence.value),
        round_number(found.low),
        round_number(found.high),
        found.level,
        **beside,
    )


FEWEST = 10  # rows of a class under which nothing is decided on it


def compute_class_values(analysis: DatasetAnalysis) -> tuple[ClassValues, ...]:
    """Compute each metric of each class, the means over classes, and all their comparisons.

    Of two classes there are no comparisons: those at an operating point are of its outcomes.
    """
    whole, plan = analysis.parts[0], analysis.plan.classes
    uses = [each for each in plan.metrics if not each.called]
    pairs = {id(each): _list_pairs(analysis, each) for each in uses if _is_judged(analysis, each)}
    families: list[tuple[Family, Hashable]] = [
        ("classes", (each.title, pair.candidate, pair.baseline))
        for each in uses
        for pair in pairs.get(id(each), ())
    ]
    every = [pair for of in pairs.values() for pair in of]
    judgements = iter(judge_by_family(analysis, every, families))
    by_use = {key: tuple(next(judgements) for _ in of) for key, of in pairs.items()}
    return tuple(
        ClassValues(
            dataset=analysis.plan.dataset,
            value=each.value,
            average=each.average,
            metric=each.use.metric.request_name,
            title=each.title,
            n=_count_rows(analysis, each),
            estimates=tuple(iter_metric_estimates(analysis, whole, each.use)),
            comparisons=by_use.get(id(each), ()),
            point=str(each.use.metric.params.get("at") or ""),
        )
        for each in (*uses, *(each for point in plan.points for each in point.by_class))
    )


def iter_confusion_matrices(analysis: DatasetAnalysis) -> Iterator[ConfusionMatrix]:
    """Count which classes each model predicts as which; None where nobody knows."""
    judged = {each.value for each in analysis.plan.classes.metrics}
    for model in analysis.plan.models if judged else ():
        table, rows = analysis.by_class.calls(model.name), model.rows
        if table is not None and isinstance(rows, Classes):
            if rows.is_of_flagged:
                table[:, [label not in judged for label in rows.labels]] = np.nan
            weight = tuple(tuple(round_number(float(x)) for x in row) for row in table)
            yield ConfusionMatrix(analysis.plan.dataset, model.name, weight)


def iter_label_confusions(analysis: DatasetAnalysis) -> Iterator[LabelConfusion]:
    """Yield the outcome of each model's decisions on each label, where a row may have several."""
    whole = analysis.parts[0]
    asked = (use.use.metric.params for use in analysis.plan.classes.metrics)
    point = next((params for params in asked if "threshold" in params), None)
    for model in analysis.plan.models if point is not None else ():
        rows = whole.data[model.name]
        if point is not None and isinstance(rows, LabelSets) and not rows.lacks("label"):
            yield from _label_confusions(analysis, model.name, rows, point)


def _label_confusions(
    analysis: DatasetAnalysis, model: str, rows: LabelSets, point: Mapping[str, Scalar]
) -> Iterator[LabelConfusion]:
    at, threshold = str(point["at"] or ""), point["threshold"]
    tables = analysis.by_class.labels(model, float(threshold or 0.0), at)
    for k, (label, table) in enumerate(zip(rows.labels, tables, strict=True)):
        cells: list[Number] = [round_number(float(x)) for x in table]
        if rows.is_of_flagged:
            cells[TN] = cells[FN] = None
        of_point = round_number(float(rows.points[at][k])) if at else threshold
        is_scored = rows.scale != "label"
        yield LabelConfusion(
            analysis.plan.dataset,
            model,
            label,
            at,
            float(of_point or 0.0) if is_scored else None,
            *cells,
        )


def iter_confusion_differences(analysis: DatasetAnalysis) -> Iterator[ConfusionDifference]:
    """How shares of a class predicted as another differ, all cells allowed for together."""
    uses = [
        each for each in analysis.plan.classes.metrics if each.called and _is_judged(analysis, each)
    ]
    pairs = [(each, pair) for each in uses for pair in _list_pairs(analysis, each)]
    found = judge_family(analysis, [pair for _, pair in pairs], "confusions")
    for (each, _), c in zip(pairs, found, strict=True):
        low, high = c.low, c.high
        is_shown = low is not None and high is not None and (low > 0 or high < 0)
        yield ConfusionDifference(
            c.dataset,
            each.value,
            each.called,
            c.candidate,
            c.baseline,
            c.difference,
            low,
            high,
            is_shown,
        )


def iter_class_warnings(analysis: DatasetAnalysis) -> Iterator[RaisedWarning]:
    """W101 of the smallest class that has rows, W122 of those that resamples may lack."""
    classes = {each.value: each for each in analysis.plan.classes.metrics if each.value}
    if analysis.plan.models[0].rows.is_of_flagged:  # precision rests on predictions
        return
    sizes = {value: _count_rows(analysis, each) for value, each in classes.items()}
    held = {value: n for value, n in sizes.items() if n}
    if held:
        smallest = min(held, key=lambda value: held[value])
        rest = analysis.parts[0].weighing - held[smallest]
        rows = ClassRows(held[smallest], rest, value=smallest)
        yield from iter_raised(ClassRowsSubject(class_rows=rows))
    for value in held:
        absence = _compute_absence_probability(analysis, classes[value])
        yield from iter_raised(ClassSubject(value=value, absence=absence))


def _compute_absence_probability(analysis: DatasetAnalysis, each: PlannedClassMetric) -> float:
    """Return the probability that a resample draws no unit of a class."""
    assert each.rows is not None
    has, units = analysis.by_class.units(each)
    return float((1 - has / units) ** units)


def _list_pairs(analysis: DatasetAnalysis, each: PlannedClassMetric) -> Sequence[Pair]:
    whole = analysis.parts[0]
    return [
        build_pair(analysis, whole, each.use, *names) for names in analysis.plan.inference.pairs
    ]


def _is_judged(analysis: DatasetAnalysis, each: PlannedClassMetric) -> bool:
    """Whether differences are told: of single classes alone, and of those with enough rows."""
    return each.rows is not None and _count_rows(analysis, each) >= FEWEST


def _count_rows(analysis: DatasetAnalysis, each: PlannedClassMetric) -> int:
    return analysis.by_class.rows(each)


RARE = 0.1  # share of the weight that is positive
USUAL_RECALL = 0.8  # where no point says which
APART, TIMES = 0.05, 10.0  # of precision: what is much, also against that of false positive rates
BATCHES = 16  # of resamples that say whether precision differs
AREA = ESTIMANDS["share of an area"]  # under precision along recall


def iter_rare_class_results(
    analysis: DatasetAnalysis, compared: Iterable[Comparison]
) -> Iterator[RareClassComparison]:
    """Every pair of two models of which false positive rates say too little."""
    whole, plan = analysis.parts[0], analysis.plan
    rows = {name: each for name, each in whole.data.items() if isinstance(each, Classes)}
    known = {n: r for n, r in rows.items() if len(r.labels) == 2 and not r.lacks("order")}
    if any(each.fold is not None for each in rows.values()):
        return
    sides = {
        (c.key, c.candidate, c.baseline): _side(c.low, c.high)
        for c in compared
        if c.segment is None
    }
    areas = _list_areas(plan.statistics.metrics)
    for candidate, baseline in plan.inference.pairs:
        if candidate not in known or baseline not in known:
            continue
        pair = (known[candidate], known[baseline])
        share = float(whole.share @ pair[1].y.values)
        recall = _compute_recall(analysis, baseline)
        if not 0 < share < RARE or recall is None:
            continue
        each = [
            _compute_rates_at_recall(rows, Batch.from_weights(whole.weight), recall)
            for rows in pair
        ]
        (fpr, precision), (other_fpr, other) = ((float(x[0]), float(y[0])) for x, y in each)
        gap, of_rates = abs(precision - other), abs(fpr - other_fpr)
        of_pairs, of_recall = (
            {sides[key, candidate, baseline] for key in keys if (key, candidate, baseline) in sides}
            for keys in areas
        )
        differ = bool(of_pairs and of_recall and of_pairs != of_recall)
        if not differ and not (gap > APART and gap > TIMES * of_rates):
            continue
        low, high = _compute_limits(analysis, pair, recall)
        if _side(low, high):
            yield RareClassComparison(
                plan.dataset,
                candidate,
                baseline,
                round_number(share),
                round_number(recall),
                (round_number(fpr), round_number(other_fpr)),
                (round_number(precision), round_number(other)),
                differ,
                round_number(low),
                round_number(high),
            )


def _side(low: Number, high: Number) -> int:
    """On which side of zero an interval lies; 0 if it holds zero or does not exist."""
    if low is None or high is None:
        return 0
    return int(low > 0) - int(high < 0)


def _compute_limits(
    analysis: DatasetAnalysis, pair: tuple[Classes, Classes], recall: float
) -> tuple[float, float]:
    """Percentile limits of the difference in precision at one recall, by paired resamples."""
    design, level, drawn = analysis.plan.sampling.design, analysis.plan.inference.level, []
    for k in range(min(design.batches, BATCHES)):
        batch = design.batch(k)
        ends = [_compute_rates_at_recall(rows, batch, recall)[1] for rows in pair]
        drawn.append((ends[0] - ends[1])[: design.count_replicates(k)])
    found = np.concatenate(drawn)
    found = found[np.isfinite(found)]
    if not len(found):
        return 0.0, 0.0
    tail = (1 - level) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


def _list_areas(metrics: Iterable[PlannedMetric]) -> tuple[list[str], list[str]]:
    """List the metrics that are areas under ROC curves, and those under precision-recall curves."""
    kinds = [(use.key, use.metric.estimand) for use in metrics]
    of_pairs = [key for key, each in kinds if (each.of, each.scale) == ("pairs", "share")]
    return of_pairs, [key for key, each in kinds if each == AREA]


def _compute_recall(analysis: DatasetAnalysis, baseline: str) -> float | None:
    """Return the recall of the baseline at the first point, if it flags any positive row."""
    if not analysis.plan.classes.points:
        return USUAL_RECALL
    point = next((p for p in iter_operating_points(analysis) if p.model == baseline), None)
    if point is None or not point.true_positives or point.false_negatives is None:
        return None
    return point.true_positives / (point.true_positives + point.false_negatives)


def _compute_rates_at_recall(rows: Classes, batch: Batch, recall: float) -> tuple[Vector, Vector]:
    """Compute the false positive rate and the precision at a given recall; (b,) each."""
    tp, fp = compute_class_sums(rows, batch)
    caught = recall * tp[-1]
    alarms = interpolate_other_class(tp, fp, caught[None, :], is_fewest=True)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return alarms / fp[-1], caught / (caught + alarms)
