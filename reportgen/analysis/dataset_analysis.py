"""A plan with the replicates of every statistic in it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import permutations
from math import sqrt
from typing import cast

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.bound_statistics import Mapped
from reportgen.analysis.plan import AnalysisPlan, PlannedClassMetric, PlannedMetric, PlannedPoint
from reportgen.analysis.row_subset import RowSubset, name_standard_error
from reportgen.checks.heavy_tails import ManyTails, UnitTails, measure_tail_reach
from reportgen.inference.analytic_intervals import estimate_df_of_squares, is_tau
from reportgen.inference.class_averages import add_classes
from reportgen.inference.differences import (
    build_contrast,
    distribution_over_folds,
    estimate_deciding_rows,
    remove_rounding,
)
from reportgen.inference.resampling.cache import (
    MOST,
    Cache,
    RecentValues,
    digest_code,
    digest_parts,
)
from reportgen.inference.resampling.design import Design
from reportgen.inference.resampling.replicates import (
    SHARED_FROM,
    Replicates,
    RowSlice,
    SliceKey,
    StatisticKey,
    compute_replicates,
    replicate_shape,
    thread_map,
)
from reportgen.inference.sampling_distribution import (
    RootDistribution,
    SamplingDistribution,
    count_bytes,
    estimate_unseen_variance,
    release_arrays,
)
from reportgen.inference.sequential import Arrivals
from reportgen.inference.unit_values import make_again, sum_squares
from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.buffers import release_idle
from reportgen.kernels.thresholds import CELLS, compute_confusion_shares
from reportgen.metrics.class_shares import ClassKinds, LabelRows, sum_right_called_had
from reportgen.metrics.classification.multiclass_tables import BoundTableMetric
from reportgen.metrics.count_tables import CallTable
from reportgen.metrics.folds import FoldMetric
from reportgen.metrics.metric import BoundMetric, MonotoneImage, find_amount_error
from reportgen.metrics.rows import Amounts, Classes, LabelSets, Rows
from reportgen.metrics.traits import NEAREST
from reportgen.records import record
from reportgen.results.types import Lacking


def count_units_of_rarer_class(
    upper: NDArray[np.bool_], weight: Vector, by_unit: Callable[[Vector], Vector]
) -> int:
    """How many units have a row that weighs of the rarer of two classes.

    >>> count_units_of_rarer_class(np.array([True, False, False]), np.ones(3), lambda each: each)
    1
    """
    held = (by_unit(np.where(rows, weight, 0.0)) for rows in (upper, ~upper))
    return min(int(np.count_nonzero(weights)) for weights in held)


@record(eq=False)
class ClassCounts:
    """Class counts of rows in memory: their weights, sums by unit, and the rows of each model."""

    weight: Vector
    by_unit: Callable[[Vector], Vector]
    data: Mapping[str, Rows]

    def rows(self, each: PlannedClassMetric) -> int:
        """How many rows of a class weigh anything; of an average how many rows do."""
        weighs = self.weight > 0
        return int(np.count_nonzero(weighs if each.rows is None else weighs & each.rows))

    def units(self, each: PlannedClassMetric) -> tuple[int, int]:
        """How many units have a row of a class that weighs, and how many there are."""
        assert each.rows is not None
        has = self.by_unit(each.rows * self.weight) > 0
        return int(has.sum()), len(has)

    def calls(self, model: str) -> NDArray[np.float64] | None:
        """Return the weight by true and predicted class, (k, k); None without several classes."""
        rows = self.data[model]
        if not isinstance(rows, Classes):
            return None
        k = len(rows.labels)
        cell = rows.code * k + rows.prediction
        return np.bincount(cell, self.weight, k * k).astype(np.float64).reshape(k, k)

    def labels(self, model: str, threshold: float, at: str) -> NDArray[np.float64]:
        """Of each label the weight without and with it, not predicted and predicted, (k, 4)."""
        rows = self.data[model]
        assert isinstance(rows, LabelSets)
        cells = (2 * rows.flags + rows.flag_labels(threshold, at)).T
        return np.stack([np.bincount(cell, self.weight, 4) for cell in cells])

    def cells(self, point: PlannedPoint, model: str) -> list[float]:
        """Return the weight in each cell of the confusion matrix of an operating point."""
        rows = self.data[model]
        if not isinstance(rows, Classes):
            return [np.nan] * CELLS
        batch = Batch.from_weights(self.weight)
        shares = compute_confusion_shares(point.rules[model], rows, batch)[0]
        cells = [float(each) for each in shares * self.weight.sum()]
        return [np.nan, cells[1], np.nan, cells[3]] if rows.is_of_flagged else cells


KINDS = np.arange(CELLS)
PAIRS = np.array([(c, b) for c in KINDS for b in KINDS if c // 2 == b // 2]).T
"""Kinds of rows of two models: their cells, of which both are of the row's class."""


def count_deciding_rows(part: RowSubset, key: str, *models: str) -> float:
    """How many rows a metric of calls rests on, of one model or of the first minus the second.

    The kinds of rows are what happened and what each model calls them. Each is given one row more
    than it has, as one that is missing may be there next time. nan of any other metric.
    """
    tables = [_table_of(part, key, model) for model in models]
    known = [table for table in tables if table is not None]
    if len(known) < len(tables):
        return np.nan
    kinds = KINDS[None, :] if len(known) == 1 else PAIRS
    code = np.ravel_multi_index(tuple(t.cell for t in known), (CELLS,) * len(known))
    places = np.ravel_multi_index(tuple(kinds), (CELLS,) * len(known))
    weight = part.judging(part.bound[key, models[0]]).weight
    sums, rows = _sum_weights_by_kind(part, code, weight, CELLS ** len(known))
    share, rows = sums[places] + sums.sum() / max(rows.sum(), 1.0), rows[places] + 1.0
    share /= share.sum()
    slope = np.zeros(len(places))
    for sign, table, cell in zip((1.0, -1.0), known, kinds, strict=False):
        slope += sign * table.slopes(_compute_sums(cell, share, CELLS))[cell]
    return estimate_deciding_rows(slope, share, rows)


def count_changed_calls(
    part: RowSubset, key: str, candidate: str, baseline: str
) -> tuple[int, int, int] | None:
    """How many rows only the candidate counts, only the baseline, and of how many in all.

    Of a share of rows by calls of the highest scores, of independent rows of one weight, hardly
    any of those next to the last call being positive: a row that comes in then pushes out a
    negative one. None of anything else.
    """
    design, of = part.plan.sampling.design, part.bound[key, candidate].statistic
    if of.shape != "whole" or of.calls is None:
        return None
    if part.is_clustered or design.weight is not None or design.block is not None:
        return None
    tables = [_table_of(part, key, model) for model in (candidate, baseline)]
    known = [each for each in tables if each is not None and each.is_cut_among_negatives]
    counts = known[0].counts() if len(known) == len(tables) else None
    if counts is None:
        return None
    called = [int(np.sum(each.cell % 2)) for each in known]
    if abs(called[0] - called[1]) > 1:  # more than a row is tied at an edge, and called in part
        return None
    change = counts[known[0].cell] - counts[known[1].cell]
    return int(np.sum(change > 0)), int(np.sum(change < 0)), int(np.isfinite(change).sum())


def _table_of(part: RowSubset, key: str, model: str) -> CallTable | None:
    """Return the table of a call metric on one model's rows; None for others and within folds."""
    bound = part.bound[key, model]
    of, weight = bound.statistic.calls, part.judging(bound).weight
    if of is None or isinstance(bound, FoldMetric) or not weight.any():
        return None
    found: CallTable | None = of(bound.rows, weight, **bound.statistic.params)
    return found


def _sum_weights_by_kind(
    part: RowSubset, code: Index, weight: Vector, kinds: int
) -> tuple[Vector, Vector]:
    """Compute each kind's weight, and how many equally weighted rows it is worth, (kinds,) each.

    Of clusters it is worth no more than have any row of the kind.
    """
    sums, squares = _compute_sums(code, weight, kinds), _compute_sums(code, weight**2, kinds)
    rows = np.divide(sums**2, squares, out=np.zeros(kinds), where=squares > 0)
    if part.is_clustered:
        has_any = np.zeros((kinds, part.units), dtype=np.bool_)
        has_any[code[weight > 0], part.unit[weight > 0]] = True
        rows = np.minimum(rows, has_any.sum(axis=1))
    return sums, rows


def _compute_sums(code: Index, weight: Vector, kinds: int) -> Vector:
    return np.bincount(code, weight, kinds).astype(np.float64)


def select_rows_of_either(part: RowSubset, *bound: BoundMetric) -> RowSubset | None:
    """Return the rows that any metric evaluates; None where all agree or only sums are known."""
    seen = [part.judging(each) for each in bound]
    if all(each is seen[0] for each in seen):
        return None
    known = [each.judged for each in seen if each.judged is not None]
    if len(known) < len(seen):
        return part if known else None
    return RowSubset(part.plan, part.segment, np.logical_or.reduce(known))


def spread_over_units(
    either: RowSubset, known: SamplingDistribution, own: RowSubset
) -> SamplingDistribution:
    """Spread the evidence of a mean of its own rows over the units of the rows either evaluates.

    The difference of two such means is no mean over units, but to first order a sum: what the rows
    of either add to its error.
    """
    if known.folds is not None:  # nothing is left of rows but how many there are
        return replace(known, n=either.judges, behind=either.counted)
    return replace(
        known,
        n=either.judges,
        units=either.counted,
        influence=_spread_to_units(known.influence, own, either),
        smoothed=_spread_to_units(known.smoothed, own, either),
        contributions=None,
        shares=None,
        positives=None,
        rarer=None,
        hits=None,
        unseen=0.0,
        balance=either.balance if either.balance.is_uneven else None,
    )


def _spread_to_units(each: Vector | None, own: RowSubset, more: RowSubset) -> Vector | None:
    """Values of the units that weigh anything in `own`, for those in `more`: 0 for the others."""
    if each is None:
        return None
    every = np.zeros(own.units)
    every[own.by_unit(own.weight) > 0] = each
    return more.counting(every)


def name_replicates(
    plan: AnalysisPlan, slices: Mapping[SliceKey, RowSlice], mapped: Mapped = map
) -> dict[tuple[SliceKey, StatisticKey], str]:
    """Return the name of each array of replicates: all that it depends on, if that is known."""
    ground = digest_parts(digest_code(), *plan.sampling.design.identity, plan.outcome.values)
    rows = {model.name: model.rows for model in plan.models}
    rows |= {each.name: each.rows for each in plan.references if each.rows is not None}
    digests = mapped(lambda own: digest_parts(*own.contents()), rows.values())
    each = dict(zip(rows, digests, strict=True))
    scores: dict[str | tuple[str, str], str] = dict(each.items())
    scores |= {pair: digest_parts(*(each[name] for name in pair)) for pair in permutations(each, 2)}
    return {
        (where, key): digest_parts(ground, part.rows, scores[key[1]], *statistic.identity)
        for where, part in slices.items()
        for key, statistic in part.statistics.items()
        if statistic.identity is not None
    }


def compute_hidden_variance(
    part: RowSubset, key: str, influence: Vector | None, *models: str
) -> float:
    """Compute the variance that few rows hide of one model's value, or of first minus second.

    `influence` is that of the rows that weigh, which are independent. 0 of a mean over rows, and of
    any metric but one of the calls of several classes.
    """
    bound = [part.bound[key, model] for model in models]
    weight = part.judging(bound[0]).weight
    if influence is None or bound[0].statistic.has_losses or not weight.any():
        return 0.0
    tables = [each for each in bound if isinstance(each, BoundTableMetric)]
    return _bound_class_shift(tables, influence, weight) if len(tables) == len(bound) else 0.0


def _bound_class_shift(bound: list[BoundTableMetric], influence: Vector, weight: Vector) -> float:
    if bound[0].is_of_one and len(bound) == 1:
        return 0.0
    held = weight > 0
    was, _ = bound[0].was_and_called
    moves = np.maximum.reduce([each.one_row_more(weight) for each in bound])
    groups = [(was, moves)]
    groups += [(each.was_and_called[1], each.one_row_more(weight, by_call=True)) for each in bound]
    return sum(
        estimate_unseen_variance(code[held], influence, weight[held], each) for code, each in groups
    )


def add_class_rows(
    part: RowSubset, key: str, evidence: SamplingDistribution, *models: str
) -> SamplingDistribution:
    """Add what is known of each class to a mean over classes, or to the difference of two."""
    bound = [part.bound[key, model] for model in models]
    share, weight = bound[0].statistic.class_share, part.judging(bound[0]).weight
    if share is None or isinstance(bound[0], FoldMetric) or not weight.any():
        return evidence
    tables = [each for each in bound if isinstance(each, BoundTableMetric)]
    if tables:
        was, k = tables[0].was_and_called[0], tables[0].classes_in_table
        called = tuple(each.was_and_called[1] for each in tables)
        kinds = ClassKinds.of_rows(was, called, weight**2, k)
        sums = [sum_right_called_had(was, each, weight, k) for each in called]
        return add_classes(
            evidence, share, kinds, sums, sum_right_called_had(was, called[0], weight**2, k)
        )
    rows = cast(LabelSets, bound[0].rows)
    k = len(rows.labels)
    columns = [cast(Matrix, each.columns)[:, : 3 * k] for each in bound]
    flags = tuple(each[:, k : 2 * k] > 0 for each in columns)
    sums = [(weight @ each).reshape(3, k) for each in columns]
    label_rows = LabelRows(rows.flags, flags, weight**2)
    return add_classes(evidence, share, label_rows, sums, (weight**2 @ columns[0]).reshape(3, k))


class NoReplicates(dict[tuple[SliceKey, StatisticKey], Matrix]):
    """Replicates of a plan that draws none."""

    def __missing__(self, key: object) -> Matrix:
        return np.empty(0)


EVIDENCE_BYTES = 8  # of a row: its influence
MANY_ROWS = 100_000  # rows from which what they add to a value is made again, and not kept
MOST_KEPT_BYTES = 100_000  # rows from which room is worth more than the time to make tables again


@record(eq=False)
class DatasetAnalysis:
    """A plan with the replicates of everything in it.

    `is_of_procedure` says that replicates of metrics tell of other fits, not of other rows.
    """

    plan: AnalysisPlan
    parts: tuple[RowSubset, ...]
    replicates: Replicates
    names: Mapping[tuple[SliceKey, StatisticKey], str] = field(default_factory=dict)
    is_of_procedure: bool = False

    @property
    def has_rows(self) -> bool:
        """Whether all rows are at hand, and not sums of them."""
        return True

    @cached_property
    def recent(self) -> RecentValues[SamplingDistribution]:
        """Evidence that was asked for last: room for a metric of each model and its root."""
        own = EVIDENCE_BYTES * self.plan.sampling.design.n * len(self.plan.models)
        return RecentValues(count_bytes, max(MOST, 2 * own), release_arrays)

    @cached_property
    def _differences(self) -> dict[Hashable, tuple[SamplingDistribution, float]]:
        """Differences on many rows, which hold no numbers of these."""
        return {}

    @property
    def by_class(self) -> ClassCounts:
        """How many of all rows are of each class, and how they are predicted."""
        whole = self.parts[0]
        return ClassCounts(whole.weight, whole.by_unit, whole.data)

    def evidence(self, part: RowSubset, use: PlannedMetric, model: str) -> SamplingDistribution:
        """All that is known of one metric of one model on one part; many tables ask for it."""
        key = part.name, use.key, model
        return self.recent.get(key, lambda: self._evidence(part, use, model))

    def forget(self, part: RowSubset, keys: Iterable[str]) -> None:
        """Let go of what is known of these metrics on one part; it is made again if asked for."""
        self.recent.forget(
            (part.name, key, model) for key in keys for model in (*part.data, *part.without_model)
        )

    def make_room(self) -> None:
        """Let go of what statistics computed on their way, where there are many rows."""
        if self.plan.sampling.design.n < MOST_KEPT_BYTES:
            return
        for part in self.parts:
            part.forget()
        release_idle()

    def difference(
        self, part: RowSubset, use: PlannedMetric, candidate: str, baseline: str
    ) -> tuple[SamplingDistribution, float]:
        """Return the evidence of candidate − baseline on a metric, and the baseline's value."""
        if part.n < MANY_ROWS:
            return self._difference(part, use, candidate, baseline)
        key = part.name, use.key, candidate, baseline
        known = self._differences
        if key not in known:
            found = self._difference(part, use, candidate, baseline)
            # What is asked of the rows later is computed now, while they are in memory.
            _ = found[0].squared_influence, found[0].squares_and_cubes
            if found[0].influence is not None:
                estimate_df_of_squares(found[0].influence)
            self.measure_tail_reach_of_difference(part, use, found[0], candidate, baseline)
            known[key] = found
        return known[key]

    def _difference(
        self, part: RowSubset, use: PlannedMetric, candidate: str, baseline: str
    ) -> tuple[SamplingDistribution, float]:
        first, second = self.on_same_units(part, (use, candidate), (use, baseline))
        either = ((candidate, baseline), (baseline, candidate))  # one standard error both ways
        errors = (
            self.replicates.get((part.name, name_standard_error(use.key, pair))) for pair in either
        )
        own = next((error for error in errors if error is not None), None)
        own = None if self.is_of_procedure else own
        found = build_contrast(first, second, use.metric.better, own)
        found = replace(found, has_one_score=part.is_same(candidate, baseline))
        if not self.is_of_procedure:
            found = replace(found, changed=count_changed_calls(part, use.key, candidate, baseline))
        found = self.with_hidden(part, use, found, candidate, baseline)
        basis = self.decider(part, use, candidate, baseline)
        arrivals = self._collect_arrivals(part, use, candidate, baseline)
        return replace(found, basis=basis, arrivals=arrivals), second.value

    def _collect_arrivals(
        self, part: RowSubset, use: PlannedMetric, *models: str
    ) -> Arrivals | None:
        """Collect the differences of rows in the order in which rows came.

        None unless limits are to hold at every analysis, and of all but the primary metric, or what
        decides in its place.
        """
        anytime = self.plan.inference.anytime
        primary = next((each for each in self.plan.statistics.metrics if each.is_primary), None)
        if anytime is None or primary is None:
            return None
        if use.key != part.roots.get(primary.key, (primary, None))[0].key:
            return None
        first, second = (part.bound[use.key, model] for model in models)
        low, high = use.metric.bounds
        largest = high - low if anytime.largest is None else anytime.largest
        losses, others = first.losses, second.losses
        if losses is None or others is None or select_rows_of_either(part, first, second):
            return Arrivals(np.empty(0), -largest, largest, is_on_same_rows=False)
        order = anytime.order if part.rows is None else anytime.order[part.rows]
        come = np.argsort(order, kind="stable")
        come = come[part.judging(first).weight[come] > 0]
        return Arrivals((losses - others)[come], -largest, largest)

    def with_hidden(
        self, part: RowSubset, use: PlannedMetric, found: SamplingDistribution, *models: str
    ) -> SamplingDistribution:
        """Add to the evidence of a value or a difference what few rows of a class hide.

        Nothing where rows are not independent, or another fit is what varies.
        """
        if len(models) > 1 and (use.metric.better in NEAREST or found.has_one_score):
            return found  # no row more is known to move it
        design, is_off = self.plan.sampling.design, found.folds is not None or self.is_of_procedure
        if is_off or design.unit is not None or design.block is not None:
            return found
        return self.with_classes(part, use, found, *models)

    def with_classes(
        self, part: RowSubset, use: PlannedMetric, known: SamplingDistribution, *models: str
    ) -> SamplingDistribution:
        """Add what is known of each class, or the variance that few rows of a class hide."""
        own, *other = (part.judging(part.bound[use.key, model]) for model in models)
        if any(each is not own for each in other):
            return known
        if use.metric.class_share is not None:
            return add_class_rows(part, use.key, known, *models)
        hidden = compute_hidden_variance(part, use.key, known.influence, *models)
        return replace(known, unseen=hidden)

    def tail(self, part: RowSubset, use: PlannedMetric, model: str) -> UnitTails | ManyTails | None:
        """Return what single units hold of one model's value."""
        evidence, bound = self.evidence(part, use, model), part.bound[use.key, model]
        sides = bound.sides if np.isfinite(evidence.value) else None
        error = (
            find_amount_error(use.metric, part.find_rows(model)) if sides is None else sides.error
        )
        return UnitTails(
            evidence,
            _compute_target(part, evidence),
            None if error is None else _compute_unit_deviations(part, error),
            "" if evidence.influence is None else self.plan.sampling.design.unit_kind,
            is_one_sided=sides is not None,
        )

    def measure_tail_reach(self, part: RowSubset, use: PlannedMetric, model: str) -> float | None:
        """Measure how far units that are missing may move a value; None where its tail is light."""
        evidence = self.evidence(part, use, model)
        return measure_tail_reach(self.tail(part, use, model), find_influence_norm(evidence))

    def measure_tail_reach_of_difference(
        self, part: RowSubset, use: PlannedMetric, known: SamplingDistribution, *models: str
    ) -> float | None:
        """Measure the same of a difference, by what decides it."""
        decides, slope = known, 1.0
        if known.basis is not None and known.basis.line is not None:
            decides, slope = known.basis.evidence, abs(known.basis.line[1])
        is_of_amounts = isinstance(part.data[models[0]], Amounts)
        tail = UnitTails(decides, is_of_amounts=is_of_amounts)
        reach = measure_tail_reach(tail, find_influence_norm(decides))
        return None if reach is None else slope * reach

    def on_same_units(
        self, part: RowSubset, *each: tuple[PlannedMetric, str]
    ) -> list[SamplingDistribution]:
        """Return the evidence of metrics of models, on the units that any of them evaluates."""
        found = [self.evidence(part, use, model) for use, model in each]
        bound = [part.bound[use.key, model] for use, model in each]
        either = select_rows_of_either(part, *bound)
        if either is None:
            return found
        own = map(part.judging, bound)
        return [spread_over_units(either, *one) for one in zip(found, own, strict=True)]

    def decider(
        self, part: RowSubset, use: PlannedMetric, candidate: str, baseline: str
    ) -> RootDistribution | None:
        """Return the root difference that decides in this one's place; None if it is the root."""
        if use.key not in part.roots:
            return None
        root, image = part.roots[use.key]
        found, _ = self.difference(part, root, candidate, baseline)
        sign = 1.0 if root.metric.better == use.metric.better else -1.0
        made = RootDistribution(found, image.line and (0.0, image.line[1]), sign)
        return made if np.isfinite(found.value) else None

    def root(self, part: RowSubset, use: PlannedMetric, model: str) -> RootDistribution | None:
        """Return what decides for a value that is linear in it; None if the value is not linear."""
        root, image = part.roots.get(use.key, (use, MonotoneImage(use.metric)))
        return image.line and RootDistribution(self.evidence(part, root, model), image.line)

    def _evidence(self, part: RowSubset, use: PlannedMetric, model: str) -> SamplingDistribution:
        bound, rows = part.bound[use.key, model], part.find_rows(model)
        seen, block = part.judging(bound), self.plan.sampling.design.block
        value = float(bound(seen.sample)[0])
        find_influence = partial(_find_influence, bound, seen, value)
        find_contributions = partial(_find_contributions, bound, seen)
        influence, contributions = find_influence(), find_contributions()
        if part.n >= MANY_ROWS:
            influence = make_again(find_influence, influence, is_held=True)
            contributions = make_again(find_contributions, contributions, is_held=False)
        edge = bound.smoothed_influence(seen.weight) if np.isfinite(value) else None
        share = seen.share
        portions = bound.portions(share) if block is None else ()
        classes, is_of_rows = bound.classes(), self.plan.sampling.design.unit is None
        trials = float(1 / (np.sum(share**2) or np.inf))
        found = SamplingDistribution(
            value=value,
            replicates=self.replicates[part.name, (use.key, model)],
            estimand=use.metric.estimand,
            bounds=use.metric.bounds,
            n=seen.judges,
            units=seen.counted,
            bias=bound.bias(seen.weight) if np.isfinite(value) else None,
            influence=influence,
            grouped=part.compute_group_losses(bound, value),
            smoothed=seen.counting(None if edge is None else seen.influence(edge)),
            edge_df=None if edge is None else bound.edge_df(seen.weight),
            replicate_se=self.replicates.get((part.name, name_standard_error(use.key, model))),
            contributions=contributions,
            shares=None if contributions is None else seen.unit_shares,
            positives=seen.counting(classes) if is_of_rows else None,
            rarer=None
            if is_of_rows or classes is None
            else count_units_of_rarer_class(classes, seen.weight, seen.by_unit),
            trials=None if block is not None else portions[0][1] if portions else trials,
            portions=portions,
            hits=seen.counting(bound.hits) if is_of_rows else None,
            block=block,
            strata=seen.strata,
            is_clustered=part.is_clustered,
            balance=seen.balance if seen.balance.is_uneven else None,
            is_weighted=self.plan.sampling.design.weight is not None,
            is_tied=is_tau(use.metric.estimand) and _has_ties(rows),
            basis=self.root(part, use, model),
            units_are=_name_units(self.plan.sampling.design, rows),
        )
        if self.is_of_procedure:
            found = distribution_over_folds(found, part.of_folds.values(bound, model))
        found = self.with_hidden(part, use, found, model)
        return remove_rounding(found, use.metric.unit, rows)


def find_influence_norm(evidence: SamplingDistribution) -> float:
    """Find the root of the summed squares of the influence, or the error of replicates without."""
    if evidence.influence is None:
        return evidence.bootstrap_se
    return sqrt(sum_squares(evidence.influence))


def _compute_unit_deviations(part: RowSubset, error: Vector) -> Vector:
    """Compute what each unit adds to the mean error."""
    share = part.weight / part.weight.sum()
    return part.counting(part.by_unit(share * (error - share @ error)))


def _compute_target(part: RowSubset, evidence: SamplingDistribution) -> Vector | None:
    """Return the outcome less its mean, for a measure that has groups of rows but no influence."""
    if evidence.grouped is None or evidence.influence is not None:
        return None
    share = part.weight / part.weight.sum()
    return np.asarray(share * (part.outcome - share @ part.outcome))


def _find_influence(bound: BoundMetric, seen: RowSubset, value: float) -> Vector | None:
    """Find what each unit that weighs adds to the error of a value."""
    phi = bound.influence(seen.weight) if np.isfinite(value) else None
    return seen.counting(None if phi is None else seen.influence(phi))


def _find_contributions(bound: BoundMetric, seen: RowSubset) -> Vector | None:
    """Find what each unit that weighs adds to a mean."""
    losses = bound.losses
    return None if losses is None else seen.counting(seen.by_unit(seen.share * losses))


def _has_ties(rows: Rows) -> bool:
    return any(column.groups < len(rows) for column in rows.ties().values())


def _name_units(design: Design, rows: Rows) -> Lacking:
    """Return the name of the units, used where too few of them decide nothing."""
    if design.case == "query":
        return "queries"
    return "datasets" if rows.is_of_datasets else ""


def draw_replicates(
    plan: AnalysisPlan,
    threads: int = 1,
    tick: Callable[[int], None] | None = None,
    cache: Cache | None = None,
) -> DatasetAnalysis:
    """Draw all replicates of everything that the plan names; those in the cache are taken."""
    with thread_map(threads if plan.sampling.design.n >= SHARED_FROM else 1) as mapped:
        parts = (RowSubset(plan, None), *(RowSubset(plan, s) for s in plan.sampling.segments))
        parts[0].bound_metrics.bind(mapped)
        parts[0].bound_curves.bind(mapped)
        slices: dict[SliceKey, RowSlice] = {part.name: part.slice(mapped) for part in parts}
        names = name_replicates(plan, slices, mapped)
    if cache is None:
        return DatasetAnalysis(
            plan, parts, compute_replicates(plan.sampling.design, slices, threads, tick), names
        )
    kept = {
        (where, key): found
        for (where, key), name in names.items()
        if (
            found := cache.get(
                name, replicate_shape(slices[where].statistics[key], plan.sampling.design)
            )
        )
        is not None
    }
    wanted = {
        at: part.leave_out({key for place, key in kept if place == at})
        for at, part in slices.items()
    }
    drawn = compute_replicates(plan.sampling.design, wanted, threads, tick)
    for key in names.keys() & drawn.keys():
        cache.put(names[key], drawn[key])
    return DatasetAnalysis(plan, parts, {**kept, **drawn}, names)
