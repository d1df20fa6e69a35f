"""Case deletion: single rows (leave-one-out), and the fewest rows that change a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.comparisons import Pair, build_pair, find_favored_model, judge_primary
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.folds import select_fold_question
from reportgen.analysis.plan import PlannedMetric, Segment
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.methods import RESAMPLED_METHODS
from reportgen.inference.resampling.replicates import (
    RowSlice,
    SliceKey,
    compute_replicates,
    thread_map,
)
from reportgen.inference.significance import RESAMPLED_TESTS
from reportgen.kernels.batch import BATCH_SIZE, Batch, Index, Vector
from reportgen.metrics.folds import bind_metric
from reportgen.metrics.metric import BoundMetric
from reportgen.metrics.rows import Rows
from reportgen.metrics.traits import NEAREST, fill_unit
from reportgen.records import record
from reportgen.results.core import Comparison
from reportgen.results.sensitivity import CaseDeletion, Deletion
from reportgen.results.types import Number, round_number
from reportgen.results.verdicts import IMPLIED, word_side

EVERY_ROW = "every row"
MOST_RECOMPUTED = 2_000  # rows up to which each is left out by computing again
MOST_SLOWLY = 250  # the same, where many weightings are not computed at once
MOST_LISTED_ROWS, MOST_LISTED = 64, 136  # rows of a known influence; of all kinds together
SLICES, OF_A_SLICE = 10, 4  # of the scores, and the rows listed of each


@record(eq=False)
class LeaveOneOutValues:
    """The value without each of some rows; `search` says which rows were tried."""

    rows: Index
    values: Vector
    search: str

    def farthest(self, value: float) -> tuple[int, float] | None:
        """Find the row whose absence moves the value the farthest, and the value without it."""
        distance = np.abs(self.values - value)
        if not np.isfinite(distance).any():
            return None
        place = int(np.nanargmax(distance))
        return int(self.rows[place]), float(self.values[place])


def compute_leave_one_out(bound: BoundMetric, weight: Vector) -> LeaveOneOutValues:
    """Compute the value without each row, shape (n,), or without each of a short list."""
    exact = bound.leave_one_out(weight)
    everyone = np.arange(len(weight))
    if exact is not None:
        return LeaveOneOutValues(everyone, exact, EVERY_ROW)
    if len(weight) <= (MOST_RECOMPUTED if _is_quick(bound) else MOST_SLOWLY):
        return LeaveOneOutValues(
            everyone, recompute_without_rows(bound, weight, everyone), EVERY_ROW
        )
    listed = select_influential_rows(bound, weight)
    said = f"a short list of the {len(listed)} most likely"
    return LeaveOneOutValues(listed, recompute_without_rows(bound, weight, listed), said)


def compute_row_effects(bound: BoundMetric, weight: Vector) -> Vector:
    """How far the value moves when each row goes, shape (n,): exactly, or to first order.

    Where neither is known, exactly for the rows that are tried, and 0 for all others.
    """
    exact = bound.leave_one_out(weight)
    if exact is None and (phi := bound.influence(weight)) is not None:
        return np.asarray(-weight / weight.sum() * phi)
    value = bound(Batch.from_weights(weight))[0]
    if exact is not None:
        return np.asarray(exact - value)
    tried = compute_leave_one_out(bound, weight)
    moved = np.zeros(len(weight))
    moved[tried.rows] = tried.values - value
    return moved


def recompute_without_rows(bound: BoundMetric, weight: Vector, rows: Index) -> Vector:
    """Compute the value without each of `rows` by evaluating it again."""
    if "zero" in bound.statistic.exempt_from:  # a row that weighs nothing would still be counted
        return np.array([_compute_on_other_rows(bound, weight, row) for row in rows.tolist()])
    blocks = (rows[start : start + BATCH_SIZE] for start in range(0, len(rows), BATCH_SIZE))
    found = [bound(Batch(_count_all_but_one(block, len(weight)), weight)) for block in blocks]
    return np.concatenate([np.empty(0), *found])


def select_influential_rows(bound: BoundMetric, weight: Vector) -> Index:
    """Select the rows that a value without an exact form is likeliest to depend on.

    Those of the largest influence where it is known, smoothed or not; where it is not exact also
    the largest weighted y in each tenth of the scores, and the ends of each order and rows spread
    evenly between them.
    """
    phi = bound.influence(weight)
    if phi is not None:
        return np.sort(_largest(weight * phi, MOST_LISTED_ROWS))
    smoothed = bound.smoothed_influence(weight)
    found = [] if smoothed is None else [_largest(weight * smoothed, MOST_LISTED_ROWS // 2)]
    found += [*_largest_in_slices(bound.rows, weight), *_iter_spread_rows(bound.rows)]
    return np.unique(np.concatenate(found))


def _largest(amounts: Vector, number: int) -> Index:
    """Return the rows of the largest sizes, ties in their order."""
    return np.argsort(-np.abs(amounts), kind="stable")[:number]


def _largest_in_slices(rows: Rows, weight: Vector) -> Iterator[Index]:
    """Of each tenth of the rows by score those with most weight times distance from its mean."""
    for slice_ in np.array_split(rows.ranking.order.astype(np.intp), SLICES):
        if len(slice_):
            y = rows.outcome.values[slice_]
            yield slice_[_largest(weight[slice_] * (y - y.mean()), OF_A_SLICE)]


def _is_quick(bound: BoundMetric) -> bool:
    return bound.statistic.fast is not None and "zero" not in bound.statistic.exempt_from


def _compute_on_other_rows(bound: BoundMetric, weight: Vector, row: int) -> float:
    """Compute the value on rows that are bound anew, one of them left out."""
    others = np.delete(np.arange(len(weight)), row)
    again = bind_metric(bound.statistic, bound.rows.take(others))
    return float(again(Batch.from_weights(np.delete(weight, row)))[0])


def _iter_spread_rows(rows: Rows) -> Iterator[Index]:
    """Yield the ends of each order and rows evenly between: quantiles depend on neighbours."""
    columns = rows.orders()
    places = np.unique(
        np.linspace(0, len(rows) - 1, MOST_LISTED_ROWS // len(columns)).astype(np.intp)
    )
    yield from (column.order[places].astype(np.intp) for column in columns)


def _count_all_but_one(rows: Index, n: int) -> NDArray[np.uint8]:
    """Return counts of one for all rows but one in each weighting."""
    counts = np.ones((n, len(rows)), np.uint8)
    counts[rows, np.arange(len(rows))] = 0
    return counts


SHARE = 0.01
MANY_ROWS = 50_000  # above which one ranking serves all sizes, and no limits are found
MANY_RESAMPLED = 10_000  # the same, where limits need resamples of anything but means
FEW_ROWS = 2_000  # up to which a set grows in twice as many rounds
MOST_PAIRS = 12  # of models, the first of them, for which a search is made
NAMED = 10  # ids told of a set
Towards = Literal["candidate", "baseline"]


@record(eq=False)
class DeletionSet:
    """A set of rows left out so that the difference moves towards one of the two models."""

    place: int
    pair: Pair
    towards: Towards
    rows: Index

    @property
    def side(self) -> str:
        """The model whom their absence is to help."""
        return self.pair.candidate if self.towards == "candidate" else self.pair.baseline

    @property
    def name(self) -> str:
        """What the rest of the rows is called among the slices."""
        return f"{self.place}/{self.towards}/{len(self.rows)}"


def search_case_deletion(analysis: DatasetAnalysis, threads: int = 1) -> CaseDeletion | None:
    """Repeat the primary comparisons without 1, 5 and 1 % of rows; None if no metric is primary."""
    use = next((use for use in analysis.plan.statistics.metrics if use.is_primary), None)
    if use is None or not analysis.plan.sensitivity.has_single_rows:
        return None
    pairs = [
        build_pair(analysis, analysis.parts[0], use, *names)
        for names in analysis.plan.inference.pairs
    ]
    before = judge_primary(analysis, pairs)
    with thread_map(threads if analysis.parts[0].n > MANY_ROWS else 1) as mapped:
        places = [place for place, pair in enumerate(pairs[:MOST_PAIRS]) if pair.is_defined]
        found = mapped(
            lambda place: list(_search_removals(place, pairs[place], before[place])), places
        )
        sets = [each for of in found for each in of]
        is_judged = is_resampling_affordable(analysis, use, before)
        rows = [] if is_judged else _compare_without_sets(pairs, before, sets, mapped)
    if is_judged:
        rows = _judge_without_sets(analysis, pairs, before, sets, threads)
    return CaseDeletion(
        dataset=analysis.plan.dataset,
        key=use.key,
        unit=fill_unit(
            use.metric.unit, analysis.plan.statistics.unit, analysis.plan.costs.currency
        ),
        search="greedy by influence",
        pairs=len(pairs),
        searched=min(len(pairs), MOST_PAIRS),
        sets=tuple(rows),
    )


def is_resampling_affordable(
    analysis: DatasetAnalysis, use: PlannedMetric, before: Sequence[Comparison]
) -> bool:
    """Return whether the limits without each set are found too, and not the difference alone.

    Where they rest on resamples of anything but means this takes fewer rows, and a metric that
    is quickly found for many weightings.
    """
    n = analysis.parts[0].n
    if not _is_resampled(analysis, before) or use.metric.shape != "whole":
        return n <= MANY_ROWS
    return n <= MANY_RESAMPLED and use.metric.fast is not None


def choose_deletion_sizes(n: int) -> tuple[int, ...]:
    """How many rows are left out: 1, 5 and 1 % of them, never a quarter or more.

    >>> choose_deletion_sizes(500), choose_deletion_sizes(23_570), choose_deletion_sizes(12)
    ((1, 5), (1, 5, 236), (1,))
    """
    return tuple(sorted(k for k in {1, 5, ceil(SHARE * n)} if 4 * k < n))


def _search_removals(place: int, pair: Pair, was: Comparison) -> Iterator[DeletionSet]:
    """Yield the nested sets of each direction in which the verdict could change."""
    ways: tuple[Towards, ...] = ("baseline", "candidate")
    side = word_side(was.word)
    if side and (was.margin is None or was.word in ("clearly better", "clearly worse")):
        ways = ("baseline",) if side > 0 else ("candidate",)
    gain = _compute_gain(pair, pair.part)
    for towards in ways:
        for rows in _iter_nested_sets(pair, towards, gain):
            yield DeletionSet(place, pair, towards, rows)


def _iter_nested_sets(pair: Pair, towards: Towards, gain: Vector) -> Iterator[Index]:
    """Yield sets of growing size, none larger than the rows that move the difference allow."""
    n = len(gain)
    if n > MANY_ROWS:
        ranked = _rank_helpful_rows(gain, towards, max(choose_deletion_sizes(n)))
        yield from (ranked[:size] for size in choose_deletion_sizes(n) if size <= len(ranked))
        return
    gone = np.empty(0, np.intp)
    for size in choose_deletion_sizes(n):
        gone = _grow_set(pair, towards, gain, gone, size)
        if len(gone) == size:
            yield gone


def _grow_set(pair: Pair, towards: Towards, gain: Vector, gone: Index, size: int) -> Index:
    """Grow the set to `size` rows; shorter where no further row moves the difference."""
    n = len(gain)
    step = ceil((size - len(gone)) / (4 if n <= FEW_ROWS else 2))
    while len(gone) < size:
        kept = np.delete(np.arange(n), gone)
        now = (
            gain if len(gone) == 0 else _compute_gain(pair, _build_kept_subset(pair, kept, "kept"))
        )
        best = _rank_helpful_rows(now, towards, min(step, size - len(gone)))
        if not len(best):
            break
        gone = np.concatenate([gone, kept[best]])
    return gone


def _rank_helpful_rows(gain: Vector, towards: Towards, most: int) -> Index:
    """Return up to `most` rows whose absence helps a model, in descending order of help."""
    help_ = gain if towards == "candidate" else -gain
    least = np.partition(help_, -most)[-most] if most < len(help_) else -np.inf
    rows = np.flatnonzero((help_ > 0) & (help_ >= least))
    order = np.argsort(-help_[rows], kind="stable")
    return np.asarray(rows[order[:most]])


def _compute_gain(pair: Pair, part: RowSubset) -> Vector:
    """How far the difference moves in the candidate's favour when each row of a part goes."""
    better = pair.use.metric.better
    moves = []
    for model in (pair.candidate, pair.baseline):
        bound = part.metrics[pair.use.key, model]
        pull = compute_row_effects(bound, part.weight)
        best = NEAREST.get(better)
        if best is not None:
            value = float(bound(Batch.from_weights(part.weight))[0])
            pull = np.abs(value - best + pull) - abs(value - best)
        moves.append(pull)
    gain: Vector = moves[0] - moves[1] if better == "higher" else moves[1] - moves[0]
    return np.where(np.isfinite(gain), gain, 0.0)


def _build_kept_subset(pair: Pair, kept: Index, name: str) -> RowSubset:
    """Return the kept rows as a part, with only the primary metric and the two models."""
    plan = pair.part.plan
    reduced = replace(
        plan,
        statistics=replace(plan.statistics, metrics=(pair.use,)),
        models=tuple(c for c in plan.models if c.name in (pair.candidate, pair.baseline)),
    )
    return RowSubset(reduced, Segment(name, kept))


def _is_resampled(analysis: DatasetAnalysis, before: Sequence[Comparison]) -> bool:
    """Return whether the limits or the tests need replicates: a formula does without them."""
    return analysis.plan.inference.adjust == "maxt" or any(
        c.method in RESAMPLED_METHODS or c.test in RESAMPLED_TESTS for c in before
    )


def _judge_without_sets(
    analysis: DatasetAnalysis,
    pairs: Sequence[Pair],
    before: Sequence[Comparison],
    sets: Sequence[DeletionSet],
    threads: int,
) -> list[Deletion]:
    """For each set what it is, and the comparison without it.

    The sets of one pair are replicated together and forgotten before those of the next.
    """
    is_resampled = _is_resampled(analysis, before)
    rows = []
    for place, was in enumerate(before):
        mine = [found for found in sets if found.place == place]
        for found, alone in zip(
            mine, _bind_without_sets(analysis, mine, is_resampled, threads), strict=True
        ):
            family = [*pairs[:place], alone, *pairs[place + 1 :]]
            rows.append(_compare_with_deletion(found, was, judge_primary(analysis, family)[place]))
    return rows


def _bind_without_sets(
    analysis: DatasetAnalysis, sets: Sequence[DeletionSet], is_resampled: bool, threads: int
) -> list[Pair]:
    """Bind the comparison of a pair to the rows that are left without each of its sets."""
    parts = []
    for found in sets:
        kept = np.delete(np.arange(found.pair.part.n), found.rows)
        parts.append(_build_kept_subset(found.pair, kept, found.name))
    if is_resampled:
        slices: dict[SliceKey, RowSlice] = {part.name: _slice(part) for part in parts}
        drawn = compute_replicates(analysis.plan.sampling.design, slices, threads)
    else:
        none = np.full(analysis.plan.sampling.design.replicates, np.nan)
        drawn = {(part.name, what): none for part in parts for what in part.bound}
    return [
        build_pair(
            select_fold_question(DatasetAnalysis(part.plan, (part,), drawn)),
            part,
            pair.use,
            pair.candidate,
            pair.baseline,
        )
        for part, pair in zip(parts, (found.pair for found in sets), strict=True)
    ]


def _slice(part: RowSubset) -> RowSlice:
    """Return what a comparison reads on a part's rows: both models' values, and its own error.

    The errors of one model alone are found with it.
    """
    own = ((what, error) for what, error in part.errors().items() if what[1] not in part.data)
    return RowSlice(part.rows, dict((*part.bound.items(), *own)))


def _compare_with_deletion(found: DeletionSet, was: Comparison, then: Comparison) -> Deletion:
    """Describe the deletion of a set: the comparison without it, and the one with it."""
    is_stronger = was.word in IMPLIED.get(then.word, ())
    plain = _build_deletion(found, was, then.difference, then.favours)
    return replace(
        plain,
        low=then.low,
        high=then.high,
        word=then.word,
        is_changed=then.word != was.word and not is_stronger,
        is_stronger=is_stronger,
    )


def _compare_without_sets(
    pairs: Sequence[Pair],
    before: Sequence[Comparison],
    sets: Sequence[DeletionSet],
    mapped: Callable[..., Iterable[list[float]]],
) -> list[Deletion]:
    """For each set what it is, and the difference without it: no limits and no verdict."""
    rows = []
    each = mapped(lambda place: _list_differences(place, pairs[place], sets), range(len(pairs)))
    for found, difference in zip(sets, chain.from_iterable(each), strict=True):
        left = round_number(difference)
        favours = find_favored_model(found.pair, left, found.pair.use.metric.better)
        rows.append(_build_deletion(found, before[found.place], left, favours))
    return rows


def _build_deletion(
    found: DeletionSet, was: Comparison, left: Number, favours: str | None
) -> Deletion:
    """Build the deletion of a set with the difference that is left, without limits and verdict.

    The favour is turned where the difference comes to the side that it was moved to. It is lost
    where the difference is exactly zero, or undefined: nobody is favoured then.
    """
    ids = found.pair.part.plan.row_names.shown
    return Deletion(
        candidate=found.pair.candidate,
        baseline=found.pair.baseline,
        rows=len(found.rows),
        in_favour_of=found.side,
        difference=left,
        low=None,
        high=None,
        word=None,
        word_before=was.word,
        is_changed=None,
        is_stronger=None,
        is_turned=favours == found.side != was.favours,
        is_lost=favours is None and was.favours is not None,
        ids=None if ids is None else tuple(ids[row] for row in found.rows[:NAMED]),
    )


def _list_differences(place: int, pair: Pair, sets: Sequence[DeletionSet]) -> list[float]:
    """List a pair's differences without each of its sets, all sets of a model at once."""
    mine = [found.rows for found in sets if found.place == place]
    if not mine:
        return []
    one, other = (_compute_values(pair, model, mine) for model in (pair.candidate, pair.baseline))
    best = NEAREST.get(pair.use.metric.better)
    if best is not None:
        one, other = np.abs(one - best), np.abs(other - best)
    return [float(difference) for difference in one - other]


def _compute_values(pair: Pair, model: str, sets: Sequence[Index]) -> Vector:
    """Compute the value of a model without each set."""
    part, key = pair.part, (pair.use.key, model)
    if "zero" in pair.use.metric.exempt_from:  # rows that weigh nothing would still be counted
        kept = (np.delete(np.arange(part.n), rows) for rows in sets)
        rest = (_build_kept_subset(pair, rows, "kept") for rows in kept)
        return np.array([r.metrics[key](Batch.from_weights(r.weight))[0] for r in rest])
    count = np.ones((part.n, len(sets)), np.uint8)
    for place, rows in enumerate(sets):
        count[rows, place] = 0
    return part.metrics[key](Batch(count, part.weight))
