"""Which few rows decide the verdict: sets whose removal changes that of the primary comparison.

The search is greedy. Each round leaves out those rows whose absence moves the difference most
in one direction, and looks again at the rest; so a set that changes the verdict may exist though
none is found. The verdict without a set is made as the first one was, from the same stream of
resamples, the other comparisons of the family standing as they are. Where that would cost too
much, only the difference without the set is found, and whom it favours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil
from typing import Literal

import numpy as np

from reportgen.analysis.comparisons import Pair, favoured, judged, paired
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.folds import as_asked
from reportgen.analysis.plan import Segment, Use
from reportgen.analysis.sensitivity.leave_one_out import pulls
from reportgen.analysis.subset import RowSubset
from reportgen.inference.intervals import RESAMPLED
from reportgen.inference.significance import RESAMPLED_TESTS
from reportgen.kernels.batch import Batch, Index, Vector
from reportgen.metrics.spec import NEAREST
from reportgen.metrics.units import unit_of
from reportgen.resampling.replicates import Slice, Where, over_threads, replicate
from reportgen.results import CaseDeletion, Comparison, Deletion, Number, rounded

SHARE = 0.01
MANY_ROWS = 50_000  # above which one ranking serves all sizes, and no limits are found
MANY_RESAMPLED = 10_000  # the same, where limits need resamples of anything but means
FEW_ROWS = 2_000  # up to which a set grows in twice as many rounds
MOST_PAIRS = 12  # of models, the first of them, for which a search is made
NAMED = 10  # ids told of a set
# What a verdict says of others, which it makes stronger and does not change.
IMPLIED: Mapping[str, tuple[str, ...]] = {
    "better beyond the margin": ("better", "not worse"),
    "better": ("not worse",),
    "equivalent": ("not worse",),
    "worse beyond the margin": ("worse",),
}
Towards = Literal["candidate", "baseline"]


@dataclass(frozen=True, eq=False)
class Removed:
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


def case_deletion(analysis: DatasetAnalysis, threads: int = 1) -> CaseDeletion | None:
    """The primary comparisons without 1, 5 and 1 % of the rows; None without a primary metric."""
    use = next((use for use in analysis.plan.uses if use.is_primary), None)
    if use is None:
        return None
    pairs = [paired(analysis, analysis.parts[0], use, *names) for names in analysis.plan.pairs]
    before = judged(analysis, pairs, "primary")
    with over_threads(threads if analysis.parts[0].n > MANY_ROWS else 1) as mapped:
        places = [place for place, pair in enumerate(pairs[:MOST_PAIRS]) if pair.is_defined]
        found = mapped(lambda place: list(_searched(place, pairs[place], before[place])), places)
        sets = [each for of in found for each in of]
        is_judged = is_affordable(analysis, use, before)
        rows = [] if is_judged else _found_without(pairs, before, sets, mapped)
    if is_judged:
        rows = _judged_without(analysis, pairs, before, sets, threads)
    return CaseDeletion(
        dataset=analysis.plan.dataset,
        key=use.key,
        unit=unit_of(use.metric.unit, analysis.plan.unit, analysis.plan.currency),
        search="greedy by influence",
        pairs=len(pairs),
        searched=min(len(pairs), MOST_PAIRS),
        sets=tuple(rows),
    )


def is_affordable(analysis: DatasetAnalysis, use: Use, before: Sequence[Comparison]) -> bool:
    """Whether the limits without each set are found too, and not the difference alone.

    Where they rest on resamples of anything but means this takes fewer rows, and a metric that
    is quickly found for many weightings.
    """
    n = analysis.parts[0].n
    if not _is_resampled(analysis, before) or use.metric.shape != "whole":
        return n <= MANY_ROWS
    return n <= MANY_RESAMPLED and use.metric.fast is not None


def sizes(n: int) -> tuple[int, ...]:
    """How many rows are left out: 1, 5 and 1 % of them, never a quarter or more.

    >>> sizes(500), sizes(23_570), sizes(12)
    ((1, 5), (1, 5, 236), (1,))
    """
    return tuple(sorted(k for k in {1, 5, ceil(SHARE * n)} if 4 * k < n))


def _searched(place: int, pair: Pair, was: Comparison) -> Iterator[Removed]:
    """The nested sets of each direction in which the verdict could change."""
    ways: tuple[Towards, ...] = ("baseline", "candidate")
    if was.beyond_margin or (was.margin is None and was.verdict in ("better", "worse")):
        ways = ("baseline",) if was.verdict == "better" else ("candidate",)
    gain = _gain(pair, pair.part)
    for towards in ways:
        for rows in _nested(pair, towards, gain):
            yield Removed(place, pair, towards, rows)


def _nested(pair: Pair, towards: Towards, gain: Vector) -> Iterator[Index]:
    """Sets of growing size; none larger than the rows that move the difference allow."""
    n = len(gain)
    if n > MANY_ROWS:
        ranked = _foremost(gain, towards, max(sizes(n)))
        yield from (ranked[:size] for size in sizes(n) if size <= len(ranked))
        return
    gone = np.empty(0, np.intp)
    for size in sizes(n):
        gone = _grown(pair, towards, gain, gone, size)
        if len(gone) == size:
            yield gone


def _grown(pair: Pair, towards: Towards, gain: Vector, gone: Index, size: int) -> Index:
    """The set grown to `size` rows; shorter where no further row moves the difference."""
    n = len(gain)
    step = ceil((size - len(gone)) / (4 if n <= FEW_ROWS else 2))
    while len(gone) < size:
        kept = np.delete(np.arange(n), gone)
        now = gain if len(gone) == 0 else _gain(pair, _rest(pair, kept, "kept"))
        best = _foremost(now, towards, min(step, size - len(gone)))
        if not len(best):
            break
        gone = np.concatenate([gone, kept[best]])
    return gone


def _foremost(gain: Vector, towards: Towards, most: int) -> Index:
    """The rows whose absence helps a model, at most so many, the most helpful first."""
    help_ = gain if towards == "candidate" else -gain
    least = np.partition(help_, -most)[-most] if most < len(help_) else -np.inf
    rows = np.flatnonzero((help_ > 0) & (help_ >= least))
    order = np.argsort(-help_[rows], kind="stable")
    return np.asarray(rows[order[:most]])


def _gain(pair: Pair, part: RowSubset) -> Vector:
    """How far the difference moves in the candidate's favour when each row of a part goes."""
    better = pair.use.metric.better
    moves = []
    for model in (pair.candidate, pair.baseline):
        bound = part.metrics[pair.use.key, model]
        pull = pulls(bound, part.weight)
        best = NEAREST.get(better)
        if best is not None:
            value = float(bound(Batch.of(part.weight))[0])
            pull = np.abs(value - best + pull) - abs(value - best)
        moves.append(pull)
    gain: Vector = moves[0] - moves[1] if better == "higher" else moves[1] - moves[0]
    return np.where(np.isfinite(gain), gain, 0.0)


def _rest(pair: Pair, kept: Index, name: str) -> RowSubset:
    """The kept rows as a part of their own, with the primary metric and the two models only."""
    plan = pair.part.plan
    reduced = replace(
        plan,
        uses=(pair.use,),
        models=tuple(c for c in plan.models if c.name in (pair.candidate, pair.baseline)),
    )
    return RowSubset(reduced, Segment(name, kept))


def _is_resampled(analysis: DatasetAnalysis, before: Sequence[Comparison]) -> bool:
    """Whether the limits or the tests need replicates: a formula does without them."""
    return analysis.plan.adjust == "maxt" or any(
        c.method in RESAMPLED or c.test in RESAMPLED_TESTS for c in before
    )


def _judged_without(
    analysis: DatasetAnalysis,
    pairs: Sequence[Pair],
    before: Sequence[Comparison],
    sets: Sequence[Removed],
    threads: int,
) -> list[Deletion]:
    """For each set what it is, and the comparison without it.

    The sets of one pair are replicated together and forgotten before those of the next.
    """
    is_resampled = _is_resampled(analysis, before)
    rows = []
    for place, was in enumerate(before):
        mine = [found for found in sets if found.place == place]
        for found, alone in zip(mine, _without(analysis, mine, is_resampled, threads), strict=True):
            family = [*pairs[:place], alone, *pairs[place + 1 :]]
            rows.append(_compared(found, was, judged(analysis, family, "primary")[place]))
    return rows


def _without(
    analysis: DatasetAnalysis, sets: Sequence[Removed], is_resampled: bool, threads: int
) -> list[Pair]:
    """The comparison of a pair on the rows that are left without each of its sets."""
    parts = []
    for found in sets:
        kept = np.delete(np.arange(found.pair.part.n), found.rows)
        parts.append(_rest(found.pair, kept, found.name))
    if is_resampled:
        slices: dict[Where, Slice] = {part.name: _slice(part) for part in parts}
        drawn = replicate(analysis.plan.design, slices, threads)
    else:
        none = np.full(analysis.plan.design.replicates, np.nan)
        drawn = {(part.name, what): none for part in parts for what in part.bound}
    return [
        paired(
            as_asked(DatasetAnalysis(part.plan, (part,), drawn)),
            part,
            pair.use,
            pair.candidate,
            pair.baseline,
        )
        for part, pair in zip(parts, (found.pair for found in sets), strict=True)
    ]


def _slice(part: RowSubset) -> Slice:
    """What a comparison reads on the rows of a part: both models' values, and its own error.

    The errors of one model alone are found with it.
    """
    own = ((what, error) for what, error in part.errors().items() if what[1] not in part.data)
    return Slice(part.rows, dict((*part.bound.items(), *own)))


def _compared(found: Removed, was: Comparison, then: Comparison) -> Deletion:
    """A set, and the comparison without it beside the one with it."""
    is_plain = then.adjusted_low is None and then.adjusted_high is None and not then.reason
    limits = (then.low, then.high) if is_plain else (then.adjusted_low, then.adjusted_high)
    said, before = _verdict(then), _verdict(was)
    is_stronger = before in IMPLIED.get(said, ())
    plain = _deletion(found, was, then.difference, then.favours)
    return replace(
        plain,
        low=limits[0],
        high=limits[1],
        verdict=said,
        is_changed=said != before and not is_stronger,
        is_stronger=is_stronger,
    )


def _found_without(
    pairs: Sequence[Pair],
    before: Sequence[Comparison],
    sets: Sequence[Removed],
    mapped: Callable[..., Iterable[list[float]]],
) -> list[Deletion]:
    """For each set what it is, and the difference without it: no limits and no verdict."""
    rows = []
    each = mapped(lambda place: _differences(place, pairs[place], sets), range(len(pairs)))
    for found, difference in zip(sets, chain.from_iterable(each), strict=True):
        left = rounded(difference)
        favours = favoured(found.pair, left, found.pair.use.metric.better)
        rows.append(_deletion(found, before[found.place], left, favours))
    return rows


def _deletion(found: Removed, was: Comparison, left: Number, favours: str | None) -> Deletion:
    """A set and the difference that is left, without limits and verdict.

    The favour is turned where the difference comes to the side that it was moved to. It is lost
    where the difference is exactly zero, or undefined: nobody is favoured then.
    """
    ids = found.pair.part.plan.ids
    return Deletion(
        candidate=found.pair.candidate,
        baseline=found.pair.baseline,
        rows=len(found.rows),
        in_favour_of=found.side,
        difference=left,
        low=None,
        high=None,
        verdict=None,
        verdict_before=_verdict(was),
        is_changed=None,
        is_stronger=None,
        is_turned=favours == found.side != was.favours,
        is_lost=favours is None and was.favours is not None,
        ids=None if ids is None else tuple(ids[row] for row in found.rows[:NAMED]),
    )


def _differences(place: int, pair: Pair, sets: Sequence[Removed]) -> list[float]:
    """The difference of a pair without each of its sets, all sets of a model side by side."""
    mine = [found.rows for found in sets if found.place == place]
    if not mine:
        return []
    one, other = (_values(pair, model, mine) for model in (pair.candidate, pair.baseline))
    best = NEAREST.get(pair.use.metric.better)
    if best is not None:
        one, other = np.abs(one - best), np.abs(other - best)
    return [float(difference) for difference in one - other]


def _values(pair: Pair, model: str, sets: Sequence[Index]) -> Vector:
    """The value of a model without each set."""
    part, key = pair.part, (pair.use.key, model)
    if "zero" in pair.use.metric.exempt_from:  # rows that weigh nothing would still be counted
        kept = (np.delete(np.arange(part.n), rows) for rows in sets)
        rest = (_rest(pair, rows, "kept") for rows in kept)
        return np.array([r.metrics[key](Batch.of(r.weight))[0] for r in rest])
    count = np.ones((part.n, len(sets)), np.uint8)
    for place, rows in enumerate(sets):
        count[rows, place] = 0
    return part.metrics[key](Batch(count, part.weight))


def _verdict(comparison: Comparison) -> str:
    return comparison.verdict + " beyond the margin" * comparison.beyond_margin
