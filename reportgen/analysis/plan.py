"""The analysis plan of one dataset: models, metrics, curves, and how to infer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.inference.intervals import compute_interval
from reportgen.inference.multiplicity import Adjust
from reportgen.inference.resampling.design import Design
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution
from reportgen.kernels.batch import Column, Index
from reportgen.kernels.thresholds import DecisionRule
from reportgen.metrics.curves.curve import Curve
from reportgen.metrics.folds import is_metric_within_folds
from reportgen.metrics.metric import Metric, MonotoneImage
from reportgen.metrics.rows import Rows
from reportgen.metrics.statistic import Statistic
from reportgen.records import record
from reportgen.results.classification import PointRule
from reportgen.results.costs import CostAnalysis
from reportgen.results.curves import CurveResult
from reportgen.results.references import ReferenceSource
from reportgen.results.types import ChoiceKind, DecisionKind, Family, RaisedWarning, Scalar
from reportgen.terms import Margin, Needs


@record
class PlannedMetric:
    """A metric with its parameters fixed, under the key that names it everywhere.

    `test` is how its differences are tested.
    """

    key: str
    metric: Metric
    margin: Margin | None = None
    is_primary: bool = False
    test: str = "auto"


@record
class PlannedClassMetric:
    """A metric of one class by its `value`, or an `average` over classes, beside the config's own.

    With `called` it is the share of the rows of the class that are called that. `rows` (n,) are
    those of the class, None of an average. `title` is the metric's whatever the class.
    """

    value: str
    average: str
    called: str
    title: str
    use: PlannedMetric
    rows: NDArray[np.bool_] | None = None


@record
class PlannedPoint:
    """A named operating point: the decision rule of each model, and what is computed there."""

    name: str
    kind: PointRule
    rules: Mapping[str, DecisionRule]
    metrics: tuple[PlannedMetric, ...]
    """Metrics at this point that the config need not name."""
    goal: Mapping[str, Scalar] = field(default_factory=dict)
    """The choice that a learned threshold makes, such as {"maximize": "f"}."""
    aim: str = ""
    """The title of the goal's metric."""
    by_class: tuple[PlannedClassMetric, ...] = ()
    """Metrics of each of the two classes, and their means."""


@record
class LearnedPeak:
    """Peak of a curve on other rows, and the `share` of their resamples in which it is there.

    From `low` to `high` lies the middle 95 % of where these put it.
    """

    x: float
    low: float
    high: float
    share: float
    dataset: str


@record
class ModelScores:
    """One model on the rows; `label` is for reasons that a reader sees."""

    name: str
    label: str
    rows: Rows


@record(eq=False)
class SecondRater:
    """Whoever named the class of the rows a second time, as a model that names classes.

    `judged` (n,) are the rows with a second class, `column` holds it. `uses` are metrics of calls
    by name and operating point at which models call, "" where classes have scores of their own;
    `has_models` says that they call at all. `only` is the class that all rows are named, "" where
    there are several.
    """

    column: str
    scores: ModelScores
    judged: NDArray[np.bool_]
    uses: Mapping[tuple[str, str], PlannedMetric]
    has_models: bool = True
    only: str = ""


@record
class Segment:
    """A slice of rows under the name `column=value`."""

    name: str
    rows: Index


@record(eq=False)
class FoldAssignment:
    """Fit that scored each row: `code` (n,) numbers the folds, `names` are their round and name.

    `ratio` is the size of a fold over that of the rows that its model was fitted on.
    `is_of_procedure` says that intervals are to hold for the algorithm, retrained on other
    rows of this number; else for the models that made these scores. `column` holds the folds,
    `repeat` the rounds, if any; `is_pooled` says that even ranks go across folds, `is_mean` that
    functions of counts go across none. `crossing` units of `units` lie in more than one fold of a
    round, by the column `unit`.
    """

    code: Index
    names: tuple[tuple[str, str], ...]
    ratio: float
    is_of_procedure: bool
    column: str
    repeat: str | None = None
    is_pooled: bool = False
    is_mean: bool = False
    unit: str = ""
    units: int = 0
    crossing: int = 0

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return len({name for name, _ in self.names})


@record
class JointStatistic:
    """A statistic of all models at once.

    `parts` are replicated for each model; `find` f(joint) reads the values and replicates of all of
    them (`analysis.curves.JointAnalysis`) and gives a cost analysis and curves. `metrics` are those
    whose values it tells of: what they are functions of decides in their place, as everywhere.
    """

    parts: tuple[Statistic, ...]
    find: Callable[..., Iterable[CostAnalysis | CurveResult]]
    metrics: tuple[Metric, ...] = ()


@record
class Alternative:
    """Another choice for the primary comparison: its name, and the value that it takes.

    `params` are what changes of the metric, `baseline_params` the same of the baseline where that
    differs; `metric` stands in its place; `rows` f(rows) -> rows what changes of what is judged,
    `kept` the rows that stay; `margin` is another one; without weights all rows count alike,
    without units each is one of its own.
    """

    name: str
    value: str
    params: Mapping[str, Scalar] = field(default_factory=dict)
    baseline_params: Mapping[str, Scalar] | None = None
    rows: Callable[[Rows], Rows] | None = None
    kind: ChoiceKind = "convention"
    metric: Metric | None = None
    kept: Index | None = None
    margin: Margin | None = None
    is_weighted: bool = True
    has_units: bool = True


@record
class SamplingPlan:
    """The design of the sample, and so of its resamples."""

    design: Design
    folds: FoldAssignment | None = None
    segments: tuple[Segment, ...] = ()
    windows: tuple[Segment, ...] = ()
    """Rows of equal numbers one after the other in time, named by their first and last time."""
    is_ordered: bool = False
    """Whether the config declares that rows depend on each other, by time or by cluster."""
    sequence: Index | None = None
    """The order of the rows by their ids, where it is not that in which they stand."""
    repeats: Mapping[str, Index] = field(default_factory=dict)
    """Codes of units, by the name of a column that the config does not declare."""
    is_used_to_choose: bool = False
    """Whether a model was chosen or tuned on these rows."""


@record
class StatisticPlan:
    """The metrics and curves that are computed of each model, and their unit."""

    metrics: tuple[PlannedMetric, ...]
    unit: str = "y"
    curves: tuple[Curve, ...] = ()
    peaks: Mapping[tuple[str, str], LearnedPeak] = field(default_factory=dict)
    """Where curves are highest on training rows, by curve and model."""
    order_checks: tuple[Metric, ...] = ()
    """Metrics whose value under 0.5 means that the scores of a model are in reverse order."""


@record
class FamilyPlan:
    """What is decided, and so which comparisons on the primary metric share a level.

    `required` are the comparisons that requirements name: segment, metric and both models.
    """

    decision: DecisionKind = "choose"
    about: str | None = None
    baseline: str | None = None
    benchmarks: frozenset[str] = frozenset()
    required: frozenset[tuple[str | None, str, frozenset[str]]] = frozenset()

    def name_family(self, candidate: str, baseline: str) -> Family:
        """Name the family of a comparison on the primary metric.

        A benchmark is never chosen, so that no choice allows for it.
        """
        is_with_baseline = self.baseline in (None, baseline)
        if self.decision == "replace":
            return "asked" if is_with_baseline and candidate == self.about else "others"
        if self.benchmarks & {candidate, baseline}:
            return "others"
        return "choice" if is_with_baseline else "best"


@record(eq=False)
class AnytimePlan:
    """Limits on the primary metric that hold at every analysis: the rows' order of arrival, (n,).

    `largest` is the largest difference that one row can make, where the metric does not say.
    """

    order: Index
    largest: float | None = None


@record
class PlannedGap:
    """A gap between the segments of the column `by`, or `between` two of them, on one metric.

    With `against`, how the gap of the model differs from that model's.
    """

    key: str
    model: str
    against: str | None
    by: str
    between: tuple[str, ...] = ()


MOST_CURVE_PAIRS = 66
"""The most pairs whose curves are all compared: those of twelve models."""


@record
class InferencePlan:
    """The pairs of models to compare, and the level and kind of intervals."""

    level: float
    interval: str
    adjust: Adjust = "none"
    families: FamilyPlan = FamilyPlan()
    pairs: tuple[tuple[str, str], ...] = ()
    """Each as (candidate, baseline)."""
    baseline: str | None = None
    """The current model, whatever others are compared with."""
    is_exact: bool = False
    """Whether bands are computed row by row where a grid would do."""
    anytime: AnytimePlan | None = None
    gaps: tuple[PlannedGap, ...] = ()
    """Gaps between segments that requirements name."""

    @property
    def curve_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs whose curves are compared: all, or of more those of the first baseline."""
        if len(self.pairs) <= MOST_CURVE_PAIRS:
            return self.pairs
        return tuple(pair for pair in self.pairs if pair[1] == self.pairs[0][1])

    def compute_interval(self, evidence: SamplingDistribution) -> Interval:
        """Compute the interval of one value or difference, by itself."""
        return compute_interval(evidence, self.interval, self.level)


@record
class ClassPlan:
    """Operating points, metrics of single classes, and the second rater."""

    points: tuple[PlannedPoint, ...] = ()
    metrics: tuple[PlannedClassMetric, ...] = ()
    second_rater: SecondRater | None = None


@record
class CostPlan:
    """Statistics of all models jointly, and the currency of unit costs."""

    statistics: tuple[JointStatistic, ...] = ()
    currency: str | None = None
    """Empty where unit costs have no currency; None where the config has no costs."""


@record
class SensitivityPlan:
    """The analyses that could change the conclusion: other choices, bucket counts, harmed rows."""

    alternatives: tuple[Alternative, ...] = ()
    is_varied: bool = False
    """Whether other intervals and tests are also computed from the same resamples."""
    bucket_counts: tuple[int, ...] = ()
    """Numbers of buckets to repeat the analysis with."""
    harms: tuple[tuple[str, str, str, float, str | None], ...] = ()
    """Rows on which a metric drops by `size`, as (key, candidate, baseline, size, segment)."""
    has_wins: bool = False
    has_single_rows: bool = True
    """Whether to look for the rows that values and verdicts depend on most."""


@record
class RowNames:
    """The names of rows that a report may show, and those under which it keeps their values."""

    shown: Sequence[str] | None = None
    """None where no report may name a single row."""
    kept: tuple[str, ...] | None = None
    """The ids of all rows, where the values of all rows are kept."""


@record(eq=False)
class PlannedReference:
    """What is to be had without a model on one metric: predictions of `rows`, or a value.

    `name` stands for a model, `metric` is the one that judges these predictions. `constant` is what
    is predicted for every row, if that is one number; `label` the class or the name given to the
    value; `source` says which rows the constant comes from. Only where `is_compared` is there an
    interval, and a difference from each model.
    """

    key: str
    name: str
    kind: str
    metric: Metric
    rows: Rows | None = None
    value: float | None = None
    constant: float | None = None
    label: str = ""
    source: ReferenceSource = ""
    is_compared: bool = False


@record
class AnalysisPlan:
    """Everything that is to be computed on one dataset, with one part for each concern."""

    dataset: str
    models: tuple[ModelScores, ...]
    sampling: SamplingPlan
    statistics: StatisticPlan
    inference: InferencePlan
    classes: ClassPlan = ClassPlan()
    costs: CostPlan = CostPlan()
    sensitivity: SensitivityPlan = SensitivityPlan()
    row_names: RowNames = RowNames()
    references: tuple[PlannedReference, ...] = ()
    """What is to be had without a model, at most one of each metric."""
    warnings: tuple[RaisedWarning, ...] = ()
    """Warnings that are known before any number is computed."""
    training: AnalysisPlan | None = None
    """The same metrics on the training rows."""

    def with_design(self, design: Design) -> AnalysisPlan:
        """Return this plan with another design of resamples."""
        return replace(self, sampling=replace(self.sampling, design=design))

    def with_interval(self, interval: str) -> AnalysisPlan:
        """Return this plan with another kind of intervals."""
        return replace(self, inference=replace(self.inference, interval=interval))

    def with_metrics_only(self, metrics: Sequence[PlannedMetric]) -> AnalysisPlan:
        """Return this plan with these metrics alone: no curves, joint statistics or segments."""
        return replace(
            self,
            references=(),
            sampling=replace(self.sampling, segments=()),
            statistics=replace(self.statistics, metrics=tuple(metrics), curves=()),
            costs=replace(self.costs, statistics=()),
        )

    @property
    def outcome(self) -> Column:
        """The target, one number for each row: the same for all models."""
        return self.models[0].rows.outcome


def find_root_metrics(
    uses: Sequence[PlannedMetric], n: int, in_folds: bool = False, is_fold_mean: bool = False
) -> dict[str, tuple[PlannedMetric, MonotoneImage]]:
    """By key of a metric, the one that it is a function of on n rows, and how; none for most.

    That is one of the metrics given, or one that nobody asked for. A mean over folds is a function
    of another such mean only along a straight line.
    """
    known = {use.metric.identity: use for use in uses}
    found: dict[str, tuple[PlannedMetric, MonotoneImage]] = {}
    for use in uses:
        image = use.metric.root(n)
        name = image.metric.identity
        if in_folds and image.line is None and is_metric_within_folds(use.metric, is_fold_mean):
            continue
        if name != use.metric.identity:
            found[use.key] = known.setdefault(name, plan_unlisted_metric(image.metric)), image
    return found


def plan_unlisted_metric(metric: Metric) -> PlannedMetric:
    """Plan a metric that was not requested, under a name that distinguishes it from all others."""
    return PlannedMetric(repr(metric.identity), metric)


def explain_unsuited(needs: Needs, model: ModelScores) -> str:
    """Explain why a statistic cannot evaluate a model; return an empty text if it can."""
    lack = model.rows.lacks(needs)
    return f"{model.label} {lack}" if lack else ""


def iter_all_curves(plan: AnalysisPlan) -> Iterator[Curve]:
    """Yield the curves, those that joint statistics read, and those that lend others their band."""
    parts = (part for joint in plan.costs.statistics for part in joint.parts)
    for curve in (*plan.statistics.curves, *(part for part in parts if isinstance(part, Curve))):
        yield curve
        if curve.band_source is not None:
            yield curve.band_source.curve
