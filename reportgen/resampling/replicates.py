"""Values of many statistics under many weightings: each batch is drawn once and read by all.

A slice is a set of rows (all of them, or a segment) with the statistics to be found on it.
Metrics that are means share one product with the weights; the others are asked one by one.
Batches are dealt to threads and land in their own place, so the number of threads moves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from threading import Lock
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from reportgen.curves.spec import BoundCurve
from reportgen.kernels.batch import LANES, Batch, Index, Matrix, Vector
from reportgen.kernels.buffers import release, spent
from reportgen.kernels.sums import Term, term_sums
from reportgen.kernels.together import Reads, by_column, walk_together
from reportgen.metrics.of_means import KEPT_TO
from reportgen.metrics.spec import BoundMetric
from reportgen.metrics.statistic import BoundStatistic
from reportgen.resampling.columns import Columns
from reportgen.resampling.design import Design
from reportgen.resampling.studentize import BoundError, FrozenError

Means = BoundMetric | BoundError | FrozenError
Replicated = Means | BoundStatistic[Any]
Where = str | None  # a segment, or None for all rows
Of = tuple[str, str]  # (metric or curve, model)
What = Of | tuple[tuple[str, str], str | tuple[str, str]]  # or an error of it, or of a difference
Replicates = dict[tuple[Where, What], Matrix]
TOGETHER = 4  # batches of which the functions of means are found at once
SHARED_FROM = 2_000  # rows from which a batch is long enough to be worth a thread's while
Tick = Callable[[int], None]


@dataclass(frozen=True)
class Slice:
    """Some rows (None: all) and the statistics wanted on them, each under its own key."""

    rows: Index | None
    statistics: Mapping[What, Replicated]

    @cached_property
    def means(self) -> dict[What, Means]:
        """The statistics that are functions of weighted column sums."""
        return {
            key: bound
            for key, bound in self.statistics.items()
            if isinstance(bound, BoundError | FrozenError)
            or (isinstance(bound, BoundMetric) and bound.is_of_means)
        }

    @cached_property
    def columns(self) -> list[Term]:
        """The columns of all of them, and products of columns, each once."""
        return self._laid_out[0]

    @cached_property
    def places(self) -> dict[What, Index]:
        """Which of `columns` each of them reads, in its own order."""
        return self._laid_out[1]

    @cached_property
    def _laid_out(self) -> tuple[list[Term], dict[What, Index]]:
        found = Columns(column for bound in self.means.values() for column in kept_by(bound))
        places = {key: found.places(terms_of(bound)) for key, bound in self.means.items()}
        return found.kept, places

    @cached_property
    def _walks(self) -> list[list[Reads]]:
        """What curves read along columns that they share."""
        curves = (each for each in self.statistics.values() if isinstance(each, BoundCurve))
        return by_column(curve.reads for curve in curves)

    def without(self, known: Set[What]) -> Slice:
        """The same rows, with only those statistics that are not known yet."""
        wanted = {key: bound for key, bound in self.statistics.items() if key not in known}
        return Slice(self.rows, wanted)

    def batch(self, batch: Batch) -> Batch:
        """The same weightings on these rows."""
        return batch if self.rows is None else batch.slice(self.rows)

    def values(self, batch: Batch) -> dict[What, Matrix]:
        """What is no function of means, under each weighting: (b,), or (b, g) for curves."""
        for reads in self._walks:
            walk_together(batch, reads)
        wanted = [item for item in self.statistics.items() if item[0] not in self.means]
        # One of two threads starts at the end, so that they do not wait for the same tables. Curves
        # come first: what their walks find by the way some metrics need.
        is_odd = batch.index is not None and batch.index % 2 == 1
        in_turn = wanted[::-1] if is_odd else wanted
        in_turn.sort(key=lambda item: not isinstance(item[1], BoundCurve))
        return {
            key: bound.replicates(batch) if isinstance(bound, BoundCurve) else bound(batch)
            for key, bound in in_turn
        }

    def from_sums(self, sums: Matrix, totals: Vector) -> dict[What, Matrix]:
        """The functions of means from the sums of `columns`, (b, m), and totals, (b,)."""
        return {
            key: bound.from_sums(np.take(sums, self.places[key], axis=1), totals)
            for key, bound in self.means.items()
        }


class _Found:
    """The replicates of one slice as they come in, batch by batch."""

    def __init__(self, part: Slice, design: Design, at_once: int) -> None:
        self.values: dict[What, Matrix] = {
            key: np.empty(shape_of(statistic, design)) for key, statistic in part.statistics.items()
        }
        self._part, self._design = part, design
        self._width = at_once * LANES
        self._draws = -(-design.batches // at_once)
        self._waiting: dict[int, dict[int, tuple[Matrix, Vector]]] = {}
        self._lock = Lock()

    def prepare(self) -> None:
        """Lay out the columns of means, which takes room for a while, before a batch takes it."""
        if self._part.means:
            self._part.columns  # noqa: B018

    def add(self, batch: Batch, index: int) -> None:
        """Put down what the batches found at once give."""
        batch = self._part.batch(batch)
        lanes = min(self._width, self._design.replicates - index * self._width)
        for key, values in self._part.values(batch).items():
            self.values[key][index * self._width :][:lanes] = values[:lanes]
        if self._part.means:
            sums = term_sums(batch, self._part.columns)
            self._add_sums(index, sums[:lanes], batch.totals[:lanes])

    def _add_sums(self, index: int, sums: Matrix, totals: Vector) -> None:
        """Keep the sums until those of some batches are there: many are as quickly read as few."""
        group = index // TOGETHER
        with self._lock:
            waiting = self._waiting.setdefault(group, {})
            waiting[index] = sums, totals
            if len(waiting) < min(TOGETHER, self._draws - group * TOGETHER):
                return
            del self._waiting[group]
        all_sums, all_totals = zip(*(waiting[k] for k in sorted(waiting)), strict=True)
        found = self._part.from_sums(np.concatenate(all_sums), np.concatenate(all_totals))
        for key, values in found.items():
            self.values[key][group * TOGETHER * self._width :][: len(values)] = values


def replicate(
    design: Design, slices: Mapping[Where, Slice], threads: int = 1, tick: Tick | None = None
) -> Replicates:
    """Replicates of every statistic of every slice, by (slice, statistic): shape (B,) or (B, g).

    `tick` is told how many batches are done.
    """
    at_once = design.side_by_side(_rows_drawn(design, slices))
    found = {
        where: _Found(part, design, at_once) for where, part in slices.items() if part.statistics
    }
    if not found:
        return {}

    release()

    def one(index: int) -> None:
        if index == 0:
            for each in found.values():
                each.prepare()
        first = index * at_once
        lanes = min(at_once * LANES, design.replicates - first * LANES)
        batch = design.batch(first, lanes if at_once > 1 else None)
        for each in found.values():
            each.add(batch, index)
        spent(batch.count)

    with one_thread_of_blas(), over_threads(threads if design.n >= SHARED_FROM else 1) as mapped:
        for done, _ in enumerate(mapped(one, range(-(-design.batches // at_once))), start=1):
            if tick is not None:
                tick(min(done * at_once, design.batches))
    release()
    return {(where, what): v for where, each in found.items() for what, v in each.values.items()}


def _rows_drawn(design: Design, slices: Mapping[Where, Slice]) -> int:
    """The rows that a batch draws: those of the design, or the rows to fit on where they are more.

    Resamples of rows to fit on are drawn beside each batch, as many as it has.
    """
    statistics = (each for part in slices.values() for each in part.statistics.values())
    bound = (each for each in statistics if isinstance(each, BoundStatistic))
    return max([design.n, *(each.rows.drawn_beside for each in bound)])


def shape_of(statistic: Replicated, design: Design) -> tuple[int, ...]:
    """The shape of a statistic's replicates: (B,), or (B, g) where it has several numbers."""
    shape = statistic.shape if isinstance(statistic, BoundStatistic) else ()
    return (design.replicates, *shape)


def terms_of(bound: Means) -> list[Term]:
    """The columns from whose sums it is found."""
    terms = bound.terms
    return terms if isinstance(terms, list) else list(terms.T)


def kept_by(bound: Means) -> Iterator[Vector]:
    """Columns of many rows that it keeps, whether they are summed or not."""
    if isinstance(bound, FrozenError) and bound.is_by_row:
        yield bound.influence
    if isinstance(bound, BoundMetric) and len(bound.rows) > KEPT_TO:
        yield from (column.values for column in bound.rows.orders())
        errors = bound.rows.errors()
        if errors is not None:
            yield errors


def one_thread_of_blas() -> AbstractContextManager[object]:
    """Matrix products on one thread, so that no number hangs on how many cores there are.

    Their threads would also wait for each other longer than the sums of a few thousand rows take.
    """
    limited: AbstractContextManager[object] = _blas().limit(limits=1)
    return limited


@cache
def _blas() -> ThreadpoolController:
    """The libraries with threads of their own, found once: looking for them takes a while."""
    return ThreadpoolController()


@contextmanager
def over_threads(threads: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """A `map` over threads that stop at an interrupt, whatever is still waiting for them."""
    if threads <= 1:
        yield map
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)
