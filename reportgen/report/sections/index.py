"""Look up results for sections, with model colours; axes and collapsed blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

from reportgen.report.conclusion.rows import find_contradictions
from reportgen.report.conclusion.set_aside import MARKS
from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Callout,
    Definitions,
    Figure,
    Fold,
    Heading,
    Role,
    Section,
    Table,
    Text,
    Tone,
)
from reportgen.report.prose import operating_points
from reportgen.report.prose.classes import ClassNouns, choose_class_nouns
from reportgen.report.prose.operating_points import choose_base
from reportgen.report.selection import Selection
from reportgen.report.wording.names import clean_name, use_case_unit
from reportgen.report.wording.numbers import find_currency, format_count
from reportgen.report.wording.verdicts import TONES
from reportgen.results import Results
from reportgen.results.classification import (
    ClassValues,
    ConfusionMatrix,
    LabelConfusion,
    ModelCalibration,
    OperatingPoint,
)
from reportgen.results.core import ClassInfo, Comparison, MetricInfo
from reportgen.results.verdicts import word_side

_CANDIDATE_ROLES = 9
MOST_IN_COLOUR = 4
"""Models that each have a colour; of more, the baseline, the leader and the one asked about do."""


class Index(Selection):
    """Results, found by name; a cost per case is one per customer if the rows are customers."""

    def __init__(self, results: Results) -> None:
        super().__init__(results)
        if len({dataset.case for dataset in results.datasets}) == 1:
            metrics = tuple(use_case_unit(metric, self.main) for metric in results.metrics)
            self.results = replace(results, metrics=metrics)

    def role(self, model: str) -> Role:
        """Return the colour and marker that a model has in every figure."""
        if model in self.models and self.models[model].role == "baseline":
            return "baseline"
        names = [m.name for m in self.results.models if m.role != "baseline"]
        if len(self.results.models) > MOST_IN_COLOUR:
            names = self._leading_candidates
            if model not in names:
                return "other"
        place = names.index(model) if model in names else 0
        return cast(Role, f"candidate{place % _CANDIDATE_ROLES + 1}")

    def tone(self, found: Comparison) -> Tone:
        """Return the tone of a verdict: no green if another metric of its kind contradicts it."""
        metric = self.primary
        is_decided_on = metric is not None and found.key == metric.key and found.segment is None
        if word_side(found.word) > 0 and metric is not None and is_decided_on:
            worse = find_contradictions(self, found.candidate, metric)
            if any(c.baseline == found.baseline and c.dataset == found.dataset for c in worse):
                return "neutral"
        return TONES[found.word]

    @property
    def others(self) -> str:
        """The common name of the models that have no colour of their own."""
        count = sum(self.role(model.name) == "other" for model in self.results.models)
        return format_count(count, "other model") if count else ""

    @property
    def about(self) -> str | None:
        """The candidate that the report is about: the one page one answers for, else the first."""
        conclusion = self.results.conclusion
        said = conclusion.about if conclusion is not None else None
        names = [m.name for m in self.candidates]
        return said if said in names else next(iter(names), None)

    def mark_of(self, model: str) -> str:
        """Return the mark of a model that page one sets aside, to follow its name; else ""."""
        conclusion = self.results.conclusion
        notes = () if conclusion is None else conclusion.set_aside
        return next((f" {MARKS[note.number - 1]}" for note in notes if note.model == model), "")

    def mark_label(self, model: str, most: int = 40) -> str:
        """Return a model's label, with its mark if page one sets the model aside."""
        return f"{self.short_label(model, most)}{self.mark_of(model)}"

    @cached_property
    def main_points(self) -> list[OperatingPoint]:
        """The operating points of each model on the dataset that decides."""
        return [each for each in self.results.points if each.dataset == self.main.name]

    @property
    def unit_across(self) -> tuple[str, str]:
        """The noun of one where models are compared over data sets, and of several."""
        if len(self.tests) > 1:
            return "dataset", "datasets"
        return self.main.case if self.main.clusters is None else ("cluster", "clusters")

    @cached_property
    def main_calibrations(self) -> list[ModelCalibration]:
        """The calibration of each model's probabilities, on the dataset that decides."""
        return [each for each in self.results.calibrations if each.dataset == self.main.name]

    def describe_operating_point(self, metric: MetricInfo) -> str:
        """At which operating point a metric is computed, and from where on; "" if at none."""
        at = metric.params.get("at")
        declared = self.results.config.get("thresholds")
        own = declared.get(str(at)) if isinstance(declared, dict) else None
        points = [point for point in self.main_points if point.name == at]
        return operating_points.describe_operating_point(str(at), own, points) if at else ""

    @cached_property
    def base(self) -> int:
        """The number of rows of which the page says how many are flagged."""
        return choose_base(self.main_points)

    @cached_property
    def _leading_candidates(self) -> list[str]:
        """The candidate asked about and the one with the best value, of more than have colours."""
        names = [m.name for m in self.candidates]
        found = dict.fromkeys((self.about, self.best(self.leading.key)))
        return [name for name in found if name in names]


def format_money_axis(axis: Axis, unit: str) -> Axis:
    """Put a currency sign at the numbers of an axis in place of its label, if the unit is one.

    An axis that has another unit already, or names in place of numbers, stays as it is.
    """
    sign = find_currency(unit)
    if not sign or axis.unit or axis.ticks:
        return axis
    return replace(axis, label=axis.label.replace(f", {sign}", "", 1), unit=sign)


_LONGEST = 90
_SAID = (Text, Bullets, Callout, Definitions)


def fold_for_full_report(title: str, blocks: Iterable[Block]) -> list[Block]:
    """Fold the blocks behind a title; printed pages have them in the full report alone."""
    held = tuple(blocks)
    return [Fold(title, held, is_of_full=True)] if held else []


def fold_after_lead(section: Section) -> Section:
    """Reduce the section to what it says first and one figure; fold the rest behind a title."""
    said = list(_iter_leading_blocks(section.blocks))
    figure = next((block for block in section.blocks if isinstance(block, Figure)), None)
    shown = [*said, *([figure] if figure is not None else [])]
    rest = [block for block in section.blocks if not any(block is each for each in shown)]
    blocks = (*shown, *_iter_folds(_drop_bare_headings(rest)))
    return Section(section.id, section.title, blocks, section.lede)


def _iter_leading_blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if not isinstance(block, _SAID):
            return
        yield block


def _drop_bare_headings(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks without headings that have nothing under them."""
    for block, after in zip(blocks, (*blocks, None)[1:], strict=True):
        is_bare = after is None or isinstance(after, Heading)
        if not (isinstance(block, Heading) and is_bare):
            yield block


def _iter_folds(blocks: Iterable[Block]) -> Iterator[Block]:
    """Folds as they are; what stands between them as one of its own."""
    loose: list[Block] = []
    for block in blocks:
        if not isinstance(block, Fold):
            loose.append(block)
            continue
        yield from _iter_nonempty_fold(loose)
        loose = []
        yield block
    yield from _iter_nonempty_fold(loose)


def _iter_nonempty_fold(blocks: Sequence[Block]) -> Iterator[Fold]:
    if blocks:
        yield Fold(_format_title(blocks), tuple(blocks))


def _format_title(blocks: Iterable[Block]) -> str:
    """Describe what a fold holds: the title of its first figure or table, as far as it fits."""
    named = [
        block.title if isinstance(block, Figure) or block.title else block.caption
        for block in blocks
        if isinstance(block, Figure | Table)
    ]
    if not named:
        return "Details"
    first = named[0].partition(". ")[0].rstrip(".")
    for mark in (": ", ", "):
        if len(first) > _LONGEST:
            first = first.partition(mark)[0]
    return clean_name(first, _LONGEST)


FEWEST = 10  # rows of a class under which it is too small to judge


class ClassResults:
    """The classes of the main dataset, their values and what each model takes for what.

    Of two classes they are those at an operating point.
    """

    def __init__(self, index: Index, point: str | None = None) -> None:
        self.index, self.point = index, point
        self.results = index.results
        self.classes: Sequence[ClassInfo] = index.main.classes or list(self._iter_bare_classes())
        if self.is_of_flagged:
            values = {each.value for each in self.values}
            self.classes = [each for each in self.classes if each.value in values]
        self.names = {each.value: clean_name(each.name, 24) for each in self.classes}

    @property
    def is_of_flagged(self) -> bool:
        """Whether classes are known only of rows that a model flags, or predicts as a class."""
        return self.index.main.unlabelled is not None

    @cached_property
    def values(self) -> list[ClassValues]:
        """The values of classes and of means over them, on the main dataset."""
        return [
            each
            for each in self.results.classes
            if each.dataset == self.index.main.name and self.point in (None, each.point)
        ]

    def _iter_bare_classes(self) -> Iterator[ClassInfo]:
        """Yield the classes that have no other names than 0 and 1."""
        for value in dict.fromkeys(each.value for each in self.values if each.value):
            yield ClassInfo(value, value, next(v.n for v in self.values if v.value == value))

    @cached_property
    def metrics(self) -> list[MetricInfo]:
        """The metrics that are shown of each class."""
        return list(self.results.class_metrics)

    @property
    def leading(self) -> MetricInfo:
        """The metric by which classes are compared: what sees both errors, if it is there."""
        both = [metric for metric in self.metrics if metric.name == "f"]
        return (both or self.metrics)[0]

    @property
    def few(self) -> list[ClassInfo]:
        """Classes that have rows, but too few of them."""
        return [each for each in self.classes if 0 < each.n < FEWEST]

    def find_values(self, metric: str, value: str, average: str = "") -> ClassValues | None:
        """One metric of one class, or of an average."""
        wanted = (metric, value, average)
        return next((v for v in self.values if (v.metric, v.value, v.average) == wanted), None)

    def comparisons(self, metric: str, candidate: str) -> list[tuple[str, Comparison]]:
        """Return the comparisons of a candidate on a metric, by class, the worst first."""
        found = [
            (each.value, c)
            for each in self.values
            if each.metric == metric and each.value
            for c in each.comparisons
            if c.candidate == candidate and c.difference is not None
        ]
        metric_info = next(m for m in self.metrics if m.name == metric)
        sign = -1.0 if metric_info.better == "lower" else 1.0
        return sorted(found, key=lambda pair: sign * (pair[1].difference or 0.0))

    @property
    def nouns(self) -> ClassNouns:
        """The nouns for them: classes, or labels where a row may have any number."""
        return choose_class_nouns(self.index.main)

    def calls(self, model: str) -> list[LabelConfusion]:
        """Return the outcomes of a model's predictions by label; none where a row has one class."""
        main = self.index.main.name
        return [c for c in self.results.label_confusions if (c.dataset, c.model) == (main, model)]

    def matrix(self, model: str) -> ConfusionMatrix | None:
        """Return the confusion matrix of one model, or None."""
        main = self.index.main.name
        found = (m for m in self.results.confusions if (m.dataset, m.model) == (main, model))
        return next(found, None)

    def sum_predicted(self, model: str, value: str) -> float | None:
        """Sum the weight of the rows that a model predicts as a class, or flags for a label."""
        for each in self.calls(model):
            if each.value == value:
                return (each.true_positives or 0.0) + (each.false_positives or 0.0)
        matrix, values = self.matrix(model), [each.value for each in self.index.main.classes]
        if matrix is None or value not in values:
            return None
        return sum(row[values.index(value)] or 0.0 for row in matrix.weight)

    @property
    def matrix_models(self) -> list[str]:
        """The models whose confusions are drawn: the baseline, and the one asked about."""
        baseline = self.index.baseline
        first = [baseline.name] if baseline is not None else []
        names = [*first, *([self.index.about] if self.index.about else [])]
        return names or [self.results.models[0].name]


def get_answer_model(index: Index) -> str | None:
    """Return the model that the answer is about, whose thresholds page one tabulates."""
    conclusion = index.results.conclusion
    if conclusion is None:
        return index.about
    operating = conclusion.recommendation.operating
    return conclusion.about if operating is None else operating.model
