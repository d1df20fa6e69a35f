"""The results of one streamed dataset, and its warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.comparisons import iter_pairs, judge_in_families
from reportgen.analysis.dataset_analysis import ClassCounts, DatasetAnalysis, find_influence_norm
from reportgen.analysis.plan import (
    AnalysisPlan,
    CostPlan,
    PlannedClassMetric,
    PlannedMetric,
    PlannedPoint,
    SensitivityPlan,
)
from reportgen.analysis.row_subset import RowSubset, name_standard_error
from reportgen.analysis.run import DatasetResults, collect_results
from reportgen.analysis.sensitivity.wins import iter_query_warnings
from reportgen.analysis.warnings import (
    is_chosen_maximum,
    iter_row_subjects,
    iter_value_subjects,
    name_classes,
)
from reportgen.checks.check import UNSEEN, Subject, run_checks
from reportgen.checks.comparisons import PrimaryWinsSubject, WinsSubject
from reportgen.checks.heavy_tails import (
    ManyTails,
    UnitTails,
    can_have_heavy_tail,
    measure_tail_reach,
)
from reportgen.checks.models import (
    JudgedListsSubject,
    ListsSubject,
    OrderSubject,
    ProbabilitySubject,
)
from reportgen.checks.rows import (
    ClassRows,
    ClassRowsSubject,
    ColumnSubject,
    SegmentSubject,
    UnitColumnSubject,
)
from reportgen.checks.values import ValueSubject
from reportgen.inference.class_averages import add_classes
from reportgen.inference.differences import remove_rounding_to
from reportgen.inference.intervals import compute_interval
from reportgen.inference.resampling.replicates import Replicates, SliceKey, StatisticKey
from reportgen.inference.sampling_distribution import (
    SamplingDistribution,
    WeightBalance,
    estimate_unseen_variance,
)
from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.thresholds import CELLS
from reportgen.metrics.class_shares import ClassKinds, list_label_changes, sum_right_called_had
from reportgen.metrics.classification.multiclass_tables import BoundTableMetric
from reportgen.metrics.influence import finish_means
from reportgen.metrics.metric import BoundMetric, Metric, is_of_amounts
from reportgen.metrics.rows import Amounts, Classes, LabelSets, Rows
from reportgen.records import record
from reportgen.results.core import Comparison
from reportgen.results.types import RaisedWarning, Scalar, name_bin_bound
from reportgen.streaming.cells import CellSummand
from reportgen.streaming.layout import Of, Summand, TableSummand
from reportgen.streaming.survey import HOLDERS, PAYERS, SCORES
from reportgen.streaming.tails import TailsOfRows, are_tails_wanted
from reportgen.streaming.totals import JudgedRows, Totals, UnitTotals

WHOLE = 1e-3  # rows by which a sum of whole numbers can be off


def count_changed_rows(totals: Totals, one: Of, other: Of) -> tuple[int, int, int] | None:
    """How many rows only the one counts, only the other, and of how many; None if unknown.

    Every row weighs one. It is known of shares of rows, and of losses that are all 0 or 1.
    """
    a, b = (totals.layout.summands.get(of) for of in (one, other))
    if a is None or b is None or not a.metric.estimand.is_share_of_rows:
        return None
    is_table = isinstance(a, TableSummand)
    if not is_table and a.metric.shape != "counted":
        return _count_changed_losses(totals, a, b)
    counts = _find_counted_cells(a)
    if counts is None:
        return None
    among = counts[0] + counts[1]
    pairs = (counts, counts[::-1], (among, among))
    if is_table:
        ends = [totals.tables.covariance(one[1], s, other[1], t) for s, t in pairs]
    else:
        both = np.array([[totals.product(a, i, j) for j in b.places] for i in a.places])
        ends = [float(s @ both @ t) for s, t in pairs]
    return round(ends[0]), round(ends[1]), round(ends[2])


def _count_changed_losses(totals: Totals, a: Summand, b: Summand) -> tuple[int, int, int] | None:
    """The same of losses of which each is 0 or 1."""
    metric = a.metric
    if not metric.has_losses or metric.bounds != (0.0, 1.0) or metric.leaves_out:
        return None
    if len(a.places) != 1:
        return None
    at = a.at.start, b.at.start
    sums = [float(totals.means(each)[0]) * totals.weight for each in (a, b)]
    squares = [totals.squares_of(each, k, k) for each, k in zip((a, b), at, strict=True)]
    if any(abs(x - xx) > WHOLE for x, xx in zip(sums, squares, strict=True)):
        return None
    both = totals.squares_of(a, *at)
    return round(sums[0] - both), round(sums[1] - both), round(totals.weight)


def _find_counted_cells(summand: Summand) -> tuple[Vector, Vector] | None:
    """Which cells count in a share of rows, and which do not but are among its rows, 0 or 1 each.

    None where models decide which rows are among them, or where a cell counts in part.
    """
    if isinstance(summand, TableSummand):
        cells, losses = len(summand.labels) ** 2, summand.cells.losses
    else:
        cells, losses = len(summand.places), None
        if summand.metric.has_losses:
            losses = finish_means(summand.finish, np.eye(cells))
    inside, outside = np.zeros(cells), np.zeros(cells)
    if [each.is_of_y for each in summand.shares] == [True]:
        inside[list(summand.shares[0].part)] = 1
        outside[list(summand.shares[0].among)] = 1
        return inside, outside * (1 - inside)
    if losses is None:
        return None
    losses = losses / (losses.max() or 1.0)  # a count per 1,000 rows is a share, too
    return (losses, 1 - losses) if np.isin(losses, (0, 1)).all() else None


def compute_streamed_hidden_variance(totals: Totals, key: str, *models: str) -> float:
    """The variance that few rows hide of one model's value, or of the first minus the second."""
    known = [totals.layout.summands[key, model] for model in models]
    metric = known[0].metric
    if metric.has_losses or not totals.weight > 0 or totals.clusters is not None:
        return 0.0
    tables = [each for each in known if isinstance(each, TableSummand)]
    if len(tables) == len(known):
        return _count_hidden_classes(totals, tables, models)
    return 0.0


def add_streamed_classes(
    totals: Totals, key: str, evidence: SamplingDistribution, *models: str
) -> SamplingDistribution:
    """Add what is known of each class, from sums, to the evidence of a mean over classes."""
    known = [totals.layout.summands[key, model] for model in models]
    share = known[0].metric.class_share
    assert share is not None
    if isinstance(known[0], TableSummand):
        sums = totals.tables
        k, squares = sums.tables.classes, sums.joint(*models)
        was, *called = np.nonzero(squares)
        kinds = ClassKinds(was, tuple(called), squares[was, *called], k)
        at = np.divmod(np.arange(k**2), k)
        weights = [sum_right_called_had(*at, sums.weight(model), k) for model in models]
        first = sum_right_called_had(*at, sums.squared(models[0]), k)
        return add_classes(evidence, share, kinds, weights, first)
    k = len(known[0].places) // 3
    weights = [totals.means(each).reshape(3, k) * totals.weight for each in known]
    labels = LabelSums(totals, tuple(known))
    return add_classes(evidence, share, labels, weights, labels.squares)


@record(eq=False)
class LabelSums:
    """Rows with the labels that they have and that models predict, from sums of products.

    `known` are summands of columns that say 1 or 0: right, called and there, of each label.
    """

    totals: Totals
    known: tuple[Summand, ...]

    @property
    def squares(self) -> Matrix:
        """The squared weights of the rows with each column of the first model, (3, k)."""
        places = self.known[0].places
        found = [self.totals.squares_of(self.known[0], at, at) for at in places]
        return np.asarray(found).reshape(3, -1)

    def sum_together(self, slopes: Matrix) -> Matrix:
        """Sum products of what rows add to two labels."""
        k = slopes.shape[1]
        each = np.zeros((3 * k, k))
        each[np.arange(3 * k), np.tile(np.arange(k), 3)] = slopes.ravel()
        found: Matrix = each.T @ self._products(list(self.known[0].places)) @ each
        return found

    def sum_changed(self) -> tuple[Vector, Vector]:
        """Sum the rows for which one model alone predicts a label."""
        k = len(self.known[0].places) // 3
        right, called = (
            self._sum_apart(*(each.places[at : at + k] for each in self.known)) for at in (0, k)
        )
        return right, np.maximum(called - right, 0.0)

    def list_changes(self, adds: Matrix, row: float) -> Vector:
        """Return how much each changed row adds to the difference."""
        return list_label_changes(adds, row, self.sum_changed(), self._sum_squares)

    def _sum_squares(self, adds: Matrix) -> float:
        columns = [at for each in self.known for at in each.places[: 2 * adds.shape[1]]]
        on = np.concatenate([adds[0] - adds[1], adds[1]])
        each = np.append(on, -on)
        return max(float(np.vdot(each, self._products(columns) @ each)), 0.0)

    def _sum_apart(self, one: Sequence[int], other: Sequence[int]) -> Vector:
        """Sum the squared weights of rows that one column holds and the other does not."""
        of = partial(self.totals.squares_of, self.known[0])
        each = zip(one, other, strict=True)
        found = np.array([of(a, a) + of(b, b) - 2 * of(a, b) for a, b in each])
        return np.asarray(np.maximum(found, 0.0))

    def _products(self, columns: Sequence[int]) -> Matrix:
        of = partial(self.totals.squares_of, self.known[0])
        found: Matrix = np.array([[of(a, b) for b in columns] for a in columns])
        return found


def _count_hidden_classes(
    totals: Totals, known: list[TableSummand], models: tuple[str, ...]
) -> float:
    bound = [each.cells for each in known]
    tables = [each for each in bound if isinstance(each, BoundTableMetric)]
    if tables[0].is_of_one and len(models) == 1:
        return 0.0
    k, sums = totals.tables.tables.classes, totals.tables
    squares = sums.joint(*models)
    was, *called = np.indices(squares.shape).reshape(squares.ndim, -1)
    slope = np.zeros(squares.size)
    for sign, each, model, call in zip((1.0, -1.0), known, models, called, strict=False):
        slope += sign * totals.slopes_of_cells(model, each)[was * k + call]
    root = np.sqrt(squares.ravel()) / totals.weight

    def moves(by_call: bool) -> list[Vector]:
        each = zip(tables, models, strict=True)
        return [t.one_row_more(sums.weight(m), sums.squared(m), by_call=by_call) for t, m in each]

    groups = [(was, np.maximum.reduce(moves(False))), *zip(called, moves(True), strict=True)]
    return sum(estimate_unseen_variance(group, slope * root, root, each) for group, each in groups)


@record(eq=False)
class StreamedRows(RowSubset):
    """All rows of a plan, of which the first are at hand and the others are known by sums.

    With `of` they are those that a metric of a model judges.
    """

    totals: Totals | None = None
    of: Of | None = None
    held: RowSubset | None = None
    """All rows, for metrics that ask for every row at once."""

    @property
    def known(self) -> Totals:
        """The sums of all rows."""
        assert self.totals is not None
        return self.totals

    @cached_property
    def bound(self) -> dict[tuple[str, str], BoundMetric]:
        """Every metric bound to the first rows, or to all rows where they are held."""
        return super().bound if self.held is None else super().bound | self.held.bound

    def judging(self, bound: BoundMetric) -> RowSubset:
        """The same rows as a metric sees them."""
        if self.held is not None and any(bound is each for each in self.held.bound.values()):
            return self.held.judging(bound)
        if not bound.statistic.leaves_out:
            return self
        of = next(key for key, each in self.bound.items() if each is bound)
        return replace(self, of=of)

    @property
    def rows(self) -> None:
        """None: whatever the segment, metrics are bound to the first rows."""

    @property
    def balance(self) -> WeightBalance:
        """How evenly the units share the weight."""
        return self.known.all_rows.balance

    @property
    def _judged_rows(self) -> JudgedRows:
        return self.known.all_rows if self.of is None else self.known.judged_by(self.of)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.known.rows

    @property
    def weighing(self) -> int:
        """How many rows weigh anything."""
        return self.known.weighing

    @property
    def total_weight(self) -> float:
        """The sum of the rows' weights."""
        return self._judged_rows.weight

    def is_same(self, one: str, other: str) -> bool:
        """Whether two models say the same of every row."""
        facts = self.known.facts
        return not facts.get(("any", "all", one, other), facts.get(("any", "all", other, one)))

    @property
    def judges(self) -> int:
        """How many rows a metric judges."""
        return self._judged_rows.rows

    @property
    def counted(self) -> int:
        """How many units weigh anything."""
        return self._judged_rows.units

    @cached_property
    def influences(self) -> Mapping[str, Mapping[str, Vector]]:
        """By metric and model what units add to the error, or a few numbers that stand for it."""
        models, known = [model.name for model in self.plan.models], self.known.layout.summands
        return {
            key: self.known.influences(key, of, self.sizes_of(known[key, of[0]].metric))
            for key in dict.fromkeys(key for key, _ in known)
            if (of := [m for m in models if (key, m) in known])
        }

    def sizes_of(self, metric: Metric) -> tuple[int, int] | None:
        """How many rows that weigh are of the upper of two classes, or of a class, and are not."""
        counts, of, labels = self.known.classes, metric.params.get("of"), _labels(self.data)
        if len(counts) == 2 and not of:
            return counts[1], counts[0]
        if of not in labels:
            return None
        upper = counts[labels.index(str(of))]
        return upper, self.known.weighing - upper


@record(eq=False)
class StreamedClasses(ClassCounts):
    """Those of all rows, from sums."""

    plan: AnalysisPlan
    totals: Totals

    def rows(self, each: PlannedClassMetric) -> int:
        """How many rows of a class weigh anything; of an average how many rows do."""
        totals, of = self.totals, each.use.metric.params.get("of")
        if each.rows is None:
            return totals.weighing
        return totals.classes[_labels(self.data).index(str(of))]

    def units(self, each: PlannedClassMetric) -> tuple[int, int]:
        """How many units have a row of a class that weighs, up to some, and how many there are."""
        return len(self.totals.facts[HOLDERS, "holders", each.value]), self.totals.units

    def calls(self, model: str) -> NDArray[np.float64] | None:
        """The weight by class that was and that was flagged, (k, k); None of no such table."""
        tables = self.totals.tables
        if model not in tables.tables.models:
            return None
        k = tables.tables.classes
        return tables.weight(model).reshape(k, k)

    def labels(self, model: str, threshold: float, at: str) -> NDArray[np.float64]:
        """Of each label the weight without and with it, not predicted and predicted, (k, 4)."""
        totals, found = self.totals, dict[str, Vector]()
        for each in self.plan.classes.metrics:
            params = each.use.metric.params
            summand = totals.layout.summands.get((each.use.key, model))
            is_asked = (params.get("threshold"), params.get("at")) == (threshold, at)
            if is_asked and summand is not None and summand.metric.shape == "counted":
                found[each.value] = totals.own[totals.layout.first(summand.places)]
        return np.stack([found[label] for label in _labels(self.data)])

    def cells(self, point: PlannedPoint, model: str) -> list[float]:
        """The weight in each cell of the matrix of an operating point."""
        for use in point.metrics:
            summand = self.totals.layout.summands.get((use.key, model))
            if summand is not None and summand.metric.shape == "counted":
                cells = self.totals.layout.first(summand.places)
                return [float(x) for x in self.totals.own[cells]]
        return [nan] * CELLS


@record(eq=False)
class StreamedAnalysis(DatasetAnalysis):
    """A plan with the sums of everything in it.

    Metrics that ask for every row at once are those of `held`, if columns were held. Where it
    `is_widened`, values from cells are no surer than these allow.
    """

    parts: tuple[StreamedRows, ...]
    held: DatasetAnalysis | None = None
    is_widened: bool = True
    tails: Mapping[SliceKey, TailsOfRows] = field(default_factory=dict)

    @property
    def has_rows(self) -> bool:
        """Whether all rows are at hand: the first of them are."""
        return False

    def find_held(self, use: PlannedMetric) -> DatasetAnalysis | None:
        """Find the analysis of held rows that a metric is of, if it is of such."""
        held = self.held
        is_held = held is not None and any(key == use.key for key, _ in held.parts[0].bound)
        return held if is_held else None

    def _select_held(
        self, part: RowSubset, use: PlannedMetric
    ) -> tuple[DatasetAnalysis, RowSubset] | None:
        """Select the held rows of a part with their analysis, where a metric is of such."""
        held, own = self.find_held(use), _select_part(part).held
        return None if held is None or own is None else (held, own)

    @property
    def known(self) -> Totals:
        """The sums of all rows."""
        return self.parts[0].known

    @property
    def by_class(self) -> ClassCounts:
        """How many rows are of each class, and how they are predicted."""
        whole = self.parts[0]
        return StreamedClasses(whole.weight, whole.by_unit, whole.data, self.plan, self.known)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes that rows are of, or the labels that they may have."""
        return _labels(self.parts[0].data)

    def difference(
        self, part: RowSubset, use: PlannedMetric, candidate: str, baseline: str
    ) -> tuple[SamplingDistribution, float]:
        """What is known of candidate − baseline; of shares of rows also how many rows changed."""
        if (own := self._select_held(part, use)) is not None:
            return own[0].difference(own[1], use, candidate, baseline)
        found, value = super().difference(part, use, candidate, baseline)
        totals, design = _select_part(part).known, self.plan.sampling.design
        ends = (use.key, candidate), (use.key, baseline)
        shares = totals.layout.summands[ends[0]].shares
        is_plain = totals.clusters is None and design.weight is None
        rows = count_changed_rows(totals, *ends) if is_plain else None
        # Both models have the same rows among them, or it is known which ones changed.
        has_same_rows = rows is not None or [each.is_of_y for each in shares] == [True]
        more = replace(
            found,
            signs=totals.find_signs(*ends) if design.case == "query" else None,
            changed=rows or found.changed,
            portions=() if has_same_rows else found.portions,
        )
        return more, value

    def _evidence(self, part: RowSubset, use: PlannedMetric, model: str) -> SamplingDistribution:
        if (own := self._select_held(part, use)) is not None:
            return own[0].evidence(own[1], use, model)
        known, of = _select_part(part), (use.key, model)
        totals = known.known
        portions, seen = totals.portions(of), totals.judged_by(of)
        is_clustered = totals.clusters is not None
        sizes = None if use.metric.classes is None else known.sizes_of(use.metric)
        found = SamplingDistribution(
            value=totals.value(of),
            replicates=self.replicates[part.name, of],
            estimand=use.metric.estimand,
            bounds=use.metric.bounds,
            n=seen.rows,
            units=seen.units,
            influence=known.influences.get(use.key, {}).get(model),
            replicate_se=self.replicates.get((part.name, name_standard_error(use.key, model))),
            rarer=None if sizes is None else totals.count_rarer(of, sizes),
            trials=portions[0][1] if portions else seen.weight**2 / (seen.squares or inf),
            portions=portions,
            is_clustered=is_clustered,
            balance=seen.balance if seen.balance.is_uneven else None,
            is_weighted=self.plan.sampling.design.weight is not None,
            is_tied=True,
            binning=totals.layout.summands[of].bound if self.is_widened else 0.0,
            basis=self.root(part, use, model),
            units_are="queries" if self.plan.sampling.design.case == "query" else "",
        )
        found = self.with_hidden(part, use, found, model)
        return remove_rounding_to(found, use.metric.unit, totals.largest)

    def tail(self, part: RowSubset, use: PlannedMetric, model: str) -> UnitTails | ManyTails | None:
        """What single rows hold of one model's value."""
        if (own := self._select_held(part, use)) is not None:
            return own[0].tail(own[1], use, model)
        evidence, kind = self.evidence(part, use, model), self.plan.sampling.design.unit_kind
        is_one_sided, totals = use.metric.sides is not None, _select_part(part).known
        if isinstance(totals, UnitTotals):
            error = totals.find_errors(model) if is_of_amounts(use.metric) else None
            return UnitTails(evidence, None, error, kind, is_one_sided=is_one_sided)
        return self.tails[part.name].select(
            (use.key, model), evidence, kind, is_one_sided=is_one_sided
        )

    def measure_tail_reach_of_difference(
        self, part: RowSubset, use: PlannedMetric, known: SamplingDistribution, *models: str
    ) -> float | None:
        """Measure how far rows that are missing may move a difference."""
        if (own := self._select_held(part, use)) is not None:
            return own[0].measure_tail_reach_of_difference(own[1], use, known, *models)
        has_amounts, of = isinstance(part.data[models[0]], Amounts), (use.key, *models)
        tail: UnitTails | ManyTails | None = UnitTails(known, is_of_amounts=has_amounts)
        if not isinstance(_select_part(part).known, UnitTotals):
            tail = self.tails[part.name].select(of, known, is_of_amounts=has_amounts)
        return measure_tail_reach(tail, find_influence_norm(known))

    def with_classes(
        self, part: RowSubset, use: PlannedMetric, known: SamplingDistribution, *models: str
    ) -> SamplingDistribution:
        """Add what is known of each class, or the variance that few rows of a class hide."""
        totals = _select_part(part).known
        if use.metric.class_share is not None and totals.weight > 0:
            return add_streamed_classes(totals, use.key, known, *models)
        hidden = compute_streamed_hidden_variance(totals, use.key, *models)
        return replace(known, unseen=hidden)


def _select_part(part: RowSubset) -> StreamedRows:
    assert isinstance(part, StreamedRows)
    return part


def _labels(data: Mapping[str, Rows]) -> tuple[str, ...]:
    """The classes that rows are of."""
    rows = next(iter(data.values()))
    return rows.labels if isinstance(rows, Classes | LabelSets) else ()


@iter_row_subjects.register
def _(analysis: StreamedAnalysis) -> Iterator[Subject]:
    """Yield columns, units that repeat, clusters and weights, as the facts of all rows say."""
    totals = analysis.known
    facts = totals.facts
    for (model,), values in facts.find("join", "sampled").items():
        what = "score" if model else "y"
        yield ColumnSubject(
            model=model or None,
            what=what,
            values=values,
            distinct=None,
            sampled_from=totals.rows,
        )
    for (model,), lowest in facts.find(SCORES, "few scores").items():
        yield ColumnSubject(model=model, values=None, distinct=len(lowest), rows=totals.rows)
    for (column,), times in facts.find("value counts", "units").items():
        yield describe_repeats(times, column)
    for part in analysis.parts:
        clusters = part.known.clusters
        yield SegmentSubject(
            segment=part.name,
            cluster_weights=None if clusters is None else clusters[:, 0],
            balance=part.balance,
            unit_kind=analysis.plan.sampling.design.unit_kind,
        )


@iter_value_subjects.register
def _(analysis: StreamedAnalysis, use: PlannedMetric) -> Iterator[Subject]:
    """Yield what is checked of the values of one metric: of held rows, or of sums."""
    held = analysis.find_held(use)
    if held is not None:
        yield from iter_value_subjects(held, use)
        return
    for key, model in analysis.known.layout.summands:
        if key == use.key:
            evidence = analysis.evidence(analysis.parts[0], use, model)
            yield _count_class_rows(analysis, use, evidence)
            yield _build_value(analysis, use, model, evidence)


def describe_repeats(found: NDArray[np.uint64], column: str) -> UnitColumnSubject:
    """Describe a column of units by how often each occurs; of very many units some are counted."""
    if not found.shape[1]:
        return UnitColumnSubject(what=column, times=None)
    all_rows = int(found[1, 0]) if found[0, 0] else 0
    return UnitColumnSubject(what=column, times=found[1, 1:].astype(np.int64), all_rows=all_rows)


def _count_class_rows(
    analysis: StreamedAnalysis, use: PlannedMetric, evidence: SamplingDistribution
) -> ClassRowsSubject:
    sizes, is_of_any = analysis.parts[0].sizes_of(use.metric), use.metric.classes is None
    rows = None
    if sizes is not None and (not is_of_any or len(analysis.known.classes) == 2):
        rows = ClassRows(
            *sizes,
            is_of_any=is_of_any,
            is_maximum=is_chosen_maximum(evidence),
            names=name_classes(use.metric, analysis.labels, 1) if analysis.labels else None,
            at=str(use.metric.params.get("at") or ""),
        )
    return ClassRowsSubject(key=use.key, class_rows=rows)


def _build_value(
    analysis: StreamedAnalysis,
    use: PlannedMetric,
    model: str,
    evidence: SamplingDistribution,
) -> ValueSubject:
    totals, plan, metric = analysis.known, analysis.plan, use.metric
    kind = plan.sampling.design.unit_kind
    payers = totals.facts.get((PAYERS, "payers", use.key, model))
    pairs = None if metric.classes is None else evidence
    is_lean = evidence.is_weighted and totals.clusters is None and not evidence.binning
    can_hide_tail = can_have_heavy_tail(metric.estimand, metric.bounds)
    is_hidden = can_hide_tail and totals.clusters is None and not are_tails_wanted(totals)
    has_sequence = metric.has_losses and not plan.sampling.is_ordered
    return ValueSubject(
        key=use.key,
        model=model,
        evidence=evidence,
        interval=compute_interval(evidence, plan.inference.interval, plan.inference.level),
        tail=UNSEEN if is_hidden else analysis.tail(analysis.parts[0], use, model),
        payers=None if payers is None else (len(payers), totals.units),
        unit_kind=kind,
        pairs=pairs,
        weighted=pairs if is_lean else None,
        losses=UNSEEN if has_sequence else None,
    )


def _iter_unseen_subjects(analysis: StreamedAnalysis, has_wins: bool) -> Iterator[Subject]:
    """Yield the subjects that need all rows in memory, without the fields that rules read."""
    plan = analysis.plan
    for model, rows in analysis.parts[0].data.items():
        if isinstance(rows, Classes | LabelSets) and not rows.lacks("probability"):
            is_of_two = isinstance(rows, Classes) and rows.scores.shape[1] == 1
            yield ProbabilitySubject(model=model, is_separated=UNSEEN if is_of_two else None)
    if has_wins:
        ties = [use.metric.params.get("ties") for use in plan.statistics.metrics if use.is_primary]
        yield JudgedListsSubject()
        yield ListsSubject(equal_scores=UNSEEN if ties == ["trec"] else None)
        yield OrderSubject()
        if plan.inference.pairs:
            yield WinsSubject()
            yield PrimaryWinsSubject()


NOT_OFFERED = "curves, single rows, other choices"
MOST_NAMED = 3


def build_streamed_results(
    plan: AnalysisPlan,
    totals: Totals,
    segments: Sequence[Totals],
    held: DatasetAnalysis | None,
    asked: Sequence[str],
    untold: Sequence[str],
    tails: Sequence[TailsOfRows],
) -> DatasetResults:
    """Build estimates, comparisons and ranks from sums, and what is known of tails.

    `segments` are the sums of each segment of the plan, `tails` those of all rows and of each.
    `held` is the analysis of metrics that ask for every row at once, `asked` are the curves that
    the config names, `untold` metrics that are told of no class.
    """
    has_wins = plan.sensitivity.has_wins
    plan = replace(
        plan,
        statistics=replace(plan.statistics, curves=()),
        costs=CostPlan(),
        sensitivity=SensitivityPlan(has_single_rows=False),
    )
    parts = tuple(
        StreamedRows(plan, segment, None, known, held=None if held is None else held.parts[place])
        for place, (segment, known) in enumerate(
            zip((None, *plan.sampling.segments), (totals, *segments), strict=True)
        )
    )
    replicates: Replicates = {} if held is None else dict(held.replicates)
    for part in parts:
        replicates |= _compute_replicates(part)
    of_parts = dict(zip((part.name for part in parts), tails, strict=True))
    analysis = StreamedAnalysis(plan, parts, replicates, held=held, tails=of_parts)
    results = collect_results(analysis, analysis)
    added = (
        *(iter_query_warnings(analysis) if has_wins else ()),
        *_warn_kept_open(analysis, results.comparisons),
        RaisedWarning("W251", _list_left_out(analysis, has_wins, asked, untold)),
    )
    return replace(results, warnings=(*results.warnings, *added))


def _compute_replicates(part: StreamedRows) -> Replicates:
    """Compute the replicates of all values of a part, and their standard errors."""
    totals, found, name = part.known, dict[tuple[SliceKey, StatisticKey], Vector](), part.name
    summands = totals.layout.summands
    for key, model in summands:
        found[name, (key, model)] = totals.replicates((key, model))
        own = totals.errors((key, model))
        if own is not None:
            found[name, name_standard_error(key, model)] = own
    for key in dict.fromkeys(key for key, _ in summands):
        for pair in part.plan.inference.pairs:
            ends = [(key, model) for model in pair]
            if all(end in summands for end in ends):
                own = totals.difference_errors(ends[0], ends[1])
                if own is not None:
                    found[name, name_standard_error(key, pair)] = own
    return found


def _warn_kept_open(
    analysis: StreamedAnalysis, compared: tuple[Comparison, ...]
) -> Iterator[RaisedWarning]:
    """W151: only what bins may be off by keeps a comparison open."""
    bounds = {of: each.bound for of, each in analysis.known.layout.summands.items()}
    if not any(bounds.values()):
        return
    plain = replace(analysis, is_widened=False)
    part, uses = plain.parts[0], plain.plan.statistics.metrics
    asked = [pair for use in uses for pair in iter_pairs(plain, part, use)]
    for found, sure in zip(compared, judge_in_families(plain, asked), strict=True):
        if found.word == "cannot tell" != sure.word:
            ends = [(found.key, model) for model in (found.candidate, found.baseline)]
            numbers = {"bound": sum(bounds[end] for end in ends), "verdict": sure.word}
            yield RaisedWarning("W151", numbers, key=found.key, model=found.candidate)


def _list_left_out(
    analysis: StreamedAnalysis, has_wins: bool, asked: Sequence[str], untold: Sequence[str]
) -> dict[str, Scalar]:
    """What a report of streamed rows lacks, with the curves that the config names."""
    subjects = [*iter_row_subjects(analysis), *_iter_unseen_subjects(analysis, has_wins)]
    for use in analysis.plan.statistics.metrics:
        subjects += iter_value_subjects(analysis, use)
    looks = run_checks(*subjects)
    codes = ", ".join(sorted({each.code for each in looks if each.outcome == "not looked at"}))
    found: dict[str, Scalar] = (
        {"what": NOT_OFFERED, "unseen": codes} if codes else {"beside": NOT_OFFERED}
    )
    if untold:
        found["of_classes"] = ", ".join(untold)
    if asked:
        named, more = asked[:MOST_NAMED], len(asked) - MOST_NAMED
        found["named"] = ", ".join(named) + (f" and {more} more" if more > 0 else "")
    known = {each.key for each in analysis.plan.references}
    without = [
        use.key
        for use in analysis.plan.statistics.metrics
        if use.metric.reference and use.key not in known
    ]
    if without:
        found["without"] = ", ".join(without)
    used = {use.key for use in analysis.plan.statistics.metrics}
    bounds = {
        of: each.bound
        for of, each in analysis.known.layout.summands.items()
        if isinstance(each, CellSummand) and of[0] in used
    }
    if bounds:
        found["binned"] = ", ".join(dict.fromkeys(key for key, _ in bounds))
        found["bound"] = max(bounds.values())
        found |= {name_bin_bound(*of): bound for of, bound in bounds.items() if bound}
    return found
