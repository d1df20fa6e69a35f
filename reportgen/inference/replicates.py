"""Values of many statistics under many weightings: each batch is drawn once and read by all.

A slice is a set of rows (all of them, or a segment) with the statistics to be found on it.
Metrics that are means share one product with the weights; the others are asked one by one.
Batches are dealt to threads and land in their own place, so the number of threads moves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from threadpoolctl import threadpool_limits

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
    found: Replicates = {}

    slices = {where: part for where, part in slices.items() if part.statistics}
    if not slices:
        return found

    def one(index: int) -> None:
        batch = design.batch(index)
        for where, part in slices.items():
            for what, values in part.values(batch).items():
                _store(found, (where, what), index, values, design.replicates)

    with threadpool_limits(limits=1), _pool(threads) as pool:
        one(0)
        for done, _ in enumerate(pool.map(one, range(1, design.batches)), start=2):
            if tick is not None:
                tick(done)
    return found


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that stop at an interrupt, whatever is still waiting for them."""
    pool = ThreadPoolExecutor(max(1, threads))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _store(
    found: Replicates,
    key: tuple[Where, What],
    index: int,
    values: Matrix,
    replicates: int,
) -> None:
    """Put one batch's values where they belong; the first batch makes the room."""
    if index == 0:
        found[key] = np.empty((replicates, *values.shape[1:]))
    found[key][index * LANES : index * LANES + len(values)] = values
