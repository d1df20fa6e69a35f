"""What is found of each class on all rows: values, paired differences, and what is called instead.

Comparisons of classes are a family of their own: all classes, metrics and pairs are allowed for
together. A class of few rows takes no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.analysis.checks_of_classes import few_of_a_class
from reportgen.analysis.comparisons import Pair, judged, paired
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.estimates import estimates_of
from reportgen.analysis.plan import ClassUse
from reportgen.results import (
    ClassValues,
    ConfusionDifference,
    ConfusionMatrix,
    LabelCalls,
    Number,
    Scalar,
    rounded,
)
from reportgen.results.raised import RaisedWarning
from reportgen.rows import LabelSets

FEWEST = 10  # rows of a class under which nothing is decided on it
ABSENT = 0.01  # share of resamples that may lack a class without a word


def class_values(analysis: DatasetAnalysis) -> tuple[ClassValues, ...]:
    """Every metric of every class, and the means over classes, with all comparisons of classes."""
    whole = analysis.parts[0]
    uses = [each for each in analysis.plan.class_uses if not each.called]
    pairs = {id(each): _pairs(analysis, each) for each in uses if _is_judged(analysis, each)}
    found = judged(analysis, [pair for of in pairs.values() for pair in of], "classes")
    judgements = iter(found)
    by_use = {key: tuple(next(judgements) for _ in of) for key, of in pairs.items()}
    return tuple(
        ClassValues(
            dataset=analysis.plan.dataset,
            value=each.value,
            average=each.average,
            metric=each.use.metric.asked_name,
            title=each.title,
            n=_rows(analysis, each),
            estimates=tuple(estimates_of(analysis, whole, each.use)),
            comparisons=by_use.get(id(each), ()),
        )
        for each in uses
    )


def confusions(analysis: DatasetAnalysis) -> Iterator[ConfusionMatrix]:
    """Which classes each model takes for which."""
    for model in analysis.plan.models if analysis.plan.class_uses else ():
        table = analysis.by_class.calls(model.name)
        if table is not None:
            weight = tuple(tuple(rounded(float(x)) for x in row) for row in table)
            yield ConfusionMatrix(analysis.plan.dataset, model.name, weight)


def label_calls(analysis: DatasetAnalysis) -> Iterator[LabelCalls]:
    """What comes of each model's calls of each label that a row may have beside others."""
    whole = analysis.parts[0]
    asked = (use.use.metric.params for use in analysis.plan.class_uses)
    point = next((params for params in asked if "threshold" in params), None)
    for model in analysis.plan.models if point is not None else ():
        rows = whole.data[model.name]
        if point is not None and isinstance(rows, LabelSets) and not rows.lacks("label"):
            yield from _label_calls(analysis, model.name, rows, point)


def _label_calls(
    analysis: DatasetAnalysis, model: str, rows: LabelSets, point: Mapping[str, Scalar]
) -> Iterator[LabelCalls]:
    at, threshold = str(point["at"] or ""), point["threshold"]
    tables = analysis.by_class.labels(model, float(threshold or 0.0), at)
    for k, (label, table) in enumerate(zip(rows.labels, tables, strict=True)):
        cells: list[Number] = [rounded(float(x)) for x in table]
        of_point = rounded(float(rows.points[at][k])) if at else threshold
        is_scored = rows.scale != "label"
        yield LabelCalls(
            analysis.plan.dataset, model, label, at, float(of_point or 0.0) if is_scored else None,
            *cells,
        )  # fmt: skip


def confusion_differences(analysis: DatasetAnalysis) -> Iterator[ConfusionDifference]:
    """How the share of a class that is called another differs, all cells allowed for together."""
    uses = [each for each in analysis.plan.class_uses if each.called and _is_judged(analysis, each)]
    pairs = [(each, pair) for each in uses for pair in _pairs(analysis, each)]
    found = judged(analysis, [pair for _, pair in pairs], "confusions")
    for (each, _), c in zip(pairs, found, strict=True):
        low, high = c.adjusted_low, c.adjusted_high
        is_shown = low is not None and high is not None and (low > 0 or high < 0)
        yield ConfusionDifference(
            c.dataset, each.value, each.called, c.candidate, c.baseline, c.difference, low, high,
            is_shown,
        )  # fmt: skip


def class_warnings(analysis: DatasetAnalysis) -> Iterator[RaisedWarning]:
    """W101 of the smallest class that has rows, W122 of those that resamples may lack."""
    classes = {each.value: each for each in analysis.plan.class_uses if each.value}
    sizes = {value: _rows(analysis, each) for value, each in classes.items()}
    held = {value: n for value, n in sizes.items() if n}
    if held:
        smallest = min(held, key=lambda value: held[value])
        rest = analysis.parts[0].weighing - held[smallest]
        few = few_of_a_class(held[smallest], rest)
        if few is not None:
            numbers = {k: v for k, v in few.numbers.items() if k in ("count", "is_too_few")}
            yield RaisedWarning("W101", {**numbers, "class": smallest})
    for value in held:
        share = _absent(analysis, classes[value])
        if share > ABSENT:
            yield RaisedWarning("W122", {"class": value, "share": rounded(share)})


def _absent(analysis: DatasetAnalysis, each: ClassUse) -> float:
    """The chance that a resample draws no unit of a class."""
    assert each.rows is not None
    has, units = analysis.by_class.units(each)
    return float((1 - has / units) ** units)


def _pairs(analysis: DatasetAnalysis, each: ClassUse) -> Sequence[Pair]:
    whole = analysis.parts[0]
    return [paired(analysis, whole, each.use, *names) for names in analysis.plan.pairs]


def _is_judged(analysis: DatasetAnalysis, each: ClassUse) -> bool:
    """Whether differences are told: of single classes alone, and of those with enough rows."""
    return each.rows is not None and _rows(analysis, each) >= FEWEST


def _rows(analysis: DatasetAnalysis, each: ClassUse) -> int:
    return analysis.by_class.rows(each)
