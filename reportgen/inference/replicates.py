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

import numpy as np
from threadpoolctl import ThreadpoolController

from reportgen.curves.spec import BoundCurve
from reportgen.inference.design import Design
from reportgen.inference.studentize import BoundError, FrozenError
from reportgen.kernels.batch import LANES, Batch, Index, Matrix
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics.spec import BoundMetric

Means = BoundMetric | BoundError | FrozenError
Statistic = Means | BoundCurve
Where = str | None  # a segment, or None for all rows
What = tuple[str, str]  # (metric or curve, model)
Replicates = dict[tuple[Where, What], Matrix]
SHARED_FROM = 2_000  # rows from which a batch is long enough to be worth a thread's while
Tick = Callable[[int], None]


@dataclass(frozen=True)
class Slice:
    """Some rows (None: all) and the statistics wanted on them, each under its own key."""

    rows: Index | None
    statistics: Mapping[What, Statistic]

    @cached_property
    def means(self) -> dict[What, Means]:
        """The statistics that are functions of weighted column sums."""
        return {
            key: bound
            for key, bound in self.statistics.items()
            if isinstance(bound, Means) and bound.columns is not None
        }

    @cached_property
    def columns(self) -> Matrix:
        """The columns of all of them side by side, shape (n, m)."""
        return np.ascontiguousarray(np.hstack([b.columns for b in self.means.values()]))  # type: ignore[misc]

    def without(self, known: Set[What]) -> Slice:
        """The same rows, with only those statistics that are not known yet."""
        wanted = {key: bound for key, bound in self.statistics.items() if key not in known}
        return Slice(self.rows, wanted)

    def values(self, batch: Batch) -> dict[What, Matrix]:
        """Every statistic under each weighting: (b,) for metrics, (b, g) for curves."""
        if self.rows is not None:
            batch = batch.slice(self.rows)
        found = self._means(batch) if self.means else {}
        return {
            key: found[key] if key in found else bound(batch)
            for key, bound in self.statistics.items()
        }

    def _means(self, batch: Batch) -> dict[What, Matrix]:
        sums = weighted_sums(batch, self.columns)
        found, first = {}, 0
        for key, bound in self.means.items():
            width = bound.columns.shape[1]  # type: ignore[union-attr]
            found[key] = bound.from_sums(sums[:, first : first + width], batch.totals)
            first += width
        return found


def replicate(
    design: Design, slices: Mapping[Where, Slice], threads: int = 1, tick: Tick | None = None
) -> Replicates:
    """Replicates of every statistic of every slice, by (slice, statistic): shape (B,) or (B, g).

    `tick` is told how many batches are done.
    """
    slices = {where: part for where, part in slices.items() if part.statistics}
    found: Replicates = {
        (where, what): np.empty((design.replicates, *_shape(statistic)))
        for where, part in slices.items()
        for what, statistic in part.statistics.items()
    }
    if not found:
        return found

    def one(index: int) -> None:
        batch = design.batch(index)
        first = index * LANES
        for where, part in slices.items():
            for what, values in part.values(batch).items():
                found[where, what][first : first + len(values)] = values

    with one_thread_of_blas(), _mapped(threads if design.n >= SHARED_FROM else 1) as mapped:
        for done, _ in enumerate(mapped(one, range(design.batches)), start=1):
            if tick is not None:
                tick(done)
    return found


def one_thread_of_blas() -> AbstractContextManager[object]:
    """Matrix products on one thread, so that no number hangs on how many cores there are.

    Their threads would also wait for each other longer than the sums of a few thousand rows take.
    """
    limited: AbstractContextManager[object] = _blas().limit(limits=1)
    return limited


def _shape(statistic: Statistic) -> tuple[int, ...]:
    return (len(statistic.grid),) if isinstance(statistic, BoundCurve) else ()


@cache
def _blas() -> ThreadpoolController:
    """The libraries with threads of their own, found once: looking for them takes a while."""
    return ThreadpoolController()


@contextmanager
def _mapped(threads: int) -> Iterator[Callable[..., Iterator[None]]]:
    """A `map` over threads that stop at an interrupt, whatever is still waiting for them."""
    if threads <= 1:
        yield map
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)
