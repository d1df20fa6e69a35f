"""Replicates of many statistics: each batch of weights is drawn once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache, cached_property
from itertools import combinations_with_replacement
from threading import Lock
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from reportgen.inference.resampling.design import WIDEST, Design
from reportgen.inference.resampling.studentize import (
    BoundStandardError,
    FrozenStandardError,
    LinearizedMetric,
)
from reportgen.kernels.batch import BATCH_SIZE, Batch, Index, Matrix, Vector
from reportgen.kernels.buffers import release_idle, return_buffer
from reportgen.kernels.cumulative import CumulativeReads, group_reads, read_together
from reportgen.kernels.native import is_native
from reportgen.kernels.sums import AbsoluteColumn, Term, sum_terms_by_row, term_sums
from reportgen.metrics.curves.curve import BoundCurve
from reportgen.metrics.influence import KEPT_TO
from reportgen.metrics.metric import BoundMetric
from reportgen.metrics.statistic import BoundStatistic
from reportgen.records import record

COMPARED_ROWS = 64  # rows by which two columns are told apart before all rows are looked at


Place = tuple[int, float]  # of a sum, and how many times it counts


class SharedColumns:
    """Columns, their sizes and products; `place` says where one of them stands, and adds new ones.

    `there` are columns that are kept by others anyway: whatever equals one of them, the size
    of one, or a product of two, takes no memory. Twice or half of any column is not summed again.
    """

    def __init__(self, there: Iterable[Vector]) -> None:
        self.kept: list[Term] = []
        self._alike: dict[bytes, list[Vector]] = {}
        self._where: dict[int, int] = {}  # of a column of `there` or of its own, by its id
        self._products: dict[tuple[int, int], int] = {}
        self._squares: dict[int, int] = {}  # of such a column or of its size
        self._factors: dict[bytes, tuple[Vector, Vector]] = {}
        self._sizes: dict[int, int] = {}  # of the size of such a column
        self._scaled: dict[bytes, tuple[Vector, float]] = {}
        self._beside: list[Vector] = []  # new columns of the statistic that is looked at
        plain: list[Vector] = []
        for column in there:
            if self._find_equal_column(column) is None:
                self._alike.setdefault(_compute_lookup_key(column), []).append(column)
                plain.append(column)
        self._signed = {_compute_lookup_key(AbsoluteColumn(column)): column for column in plain}
        for pair in combinations_with_replacement(plain, 2):
            self._factors.setdefault(_compute_lookup_key(pair), pair)

    def places(self, terms: Sequence[Term]) -> list[Place]:
        """Find the places of a statistic's columns; products are of columns before them."""
        self._beside = []
        return [self.place(term) for term in terms]

    def place(self, term: Term) -> Place:
        """Return where a column, or the product of two, stands among the sums."""
        if isinstance(term, tuple):
            (first, times), (second, more) = map(self.place, term)
            return self._product(first, second), times * more
        if isinstance(term, AbsoluteColumn):
            return self._size(term.of), 1.0
        known = self._find_equal_column(term)
        if known is not None:
            return self._locate(known), 1.0
        factors = self._factors.get(_compute_lookup_key(term))
        if factors is not None and np.array_equal(factors[0] * factors[1], term):
            return self._product(*map(self._locate, factors)), 1.0
        signed = self._signed.get(_compute_lookup_key(term))
        if signed is not None and np.array_equal(np.abs(signed), term):
            return self._size(signed), 1.0
        scaled = self._scaled.get(_compute_lookup_key(term))
        if scaled is not None and np.array_equal(scaled[0] * scaled[1], term):
            return self._locate(scaled[0]), scaled[1]
        own = np.ascontiguousarray(term)
        own = own if own.base is None else own.copy()  # what it is a part of need not be kept
        self._alike.setdefault(_compute_lookup_key(own), []).append(own)
        for times in (2.0, 0.5):  # powers of two: such a multiple of a sum is exact
            self._scaled.setdefault(_compute_lookup_key(own, times), (own, times))
        self._beside.append(own)
        for other in self._beside:
            self._factors.setdefault(_compute_lookup_key((other, own)), (other, own))
        return self._locate(own), 1.0

    def _find_equal_column(self, column: Vector) -> Vector | None:
        alike = self._alike.get(_compute_lookup_key(column), ())
        return next((each for each in alike if np.array_equal(each, column)), None)

    def _locate(self, column: Vector) -> int:
        return self._put(self._where, id(column), column)

    def _size(self, column: Vector) -> int:
        return self._put(self._sizes, id(column), AbsoluteColumn(column))

    def _product(self, first: int, second: int) -> int:
        one, other = self.kept[first], self.kept[second]
        if one is other and not isinstance(one, tuple):
            signed = one.of if isinstance(one, AbsoluteColumn) else one
            return self._put(self._squares, id(signed), (one, other))
        return self._put(self._products, (min(first, second), max(first, second)), (one, other))

    def _put(self, places: dict[Any, int], name: Any, term: Term) -> int:
        """Return the place of a term by its name, and add it unless it has one."""
        if name not in places:
            places[name] = len(self.kept)
            self.kept.append(term)
        return places[name]


def _compute_lookup_key(term: Term, times: float = 1.0) -> bytes:
    """Return some of the values of a term, or of a multiple of it, by which it is looked up."""
    if isinstance(term, AbsoluteColumn):
        return np.abs(np.frombuffer(_compute_lookup_key(term.of))).tobytes()
    if isinstance(term, tuple):
        first, second = (np.frombuffer(_compute_lookup_key(each)) for each in term)
        with np.errstate(over="ignore", invalid="ignore"):
            return (first * second).tobytes()
    return (term[:: max(1, len(term) // COMPARED_ROWS)] * times).tobytes()


Means = BoundMetric | BoundStandardError | FrozenStandardError | LinearizedMetric
Replicated = Means | BoundStatistic[Any]
SliceKey = str | None  # a segment, or None for all rows
ModelKey = tuple[str, str]  # (metric or curve, model)
StatisticKey = (
    ModelKey | tuple[tuple[str, str], str | tuple[str, str]]
)  # or an error of it, or of a difference
Replicates = dict[tuple[SliceKey, StatisticKey], Matrix]
MOST_TOGETHER = 4  # batches of which the functions of means are found at once
SHARED_FROM = 2_000  # rows from which a batch is long enough to be worth a thread's while
Tick = Callable[[int], None]


@record
class RowSlice:
    """Some rows (None: all) and the statistics wanted on them, each under its own key."""

    rows: Index | None
    statistics: Mapping[StatisticKey, Replicated]

    @cached_property
    def means(self) -> dict[StatisticKey, Means]:
        """The statistics that are functions of weighted column sums."""
        return {
            key: bound
            for key, bound in self.statistics.items()
            if isinstance(bound, BoundStandardError | FrozenStandardError | LinearizedMetric)
            or (isinstance(bound, BoundMetric) and bound.is_of_means)
        }

    @cached_property
    def columns(self) -> list[Term]:
        """The columns of all of them, and products of columns, each once."""
        return self._laid_out[0]

    @cached_property
    def places(self) -> dict[StatisticKey, list[Place]]:
        """The places among `columns` that each of them reads, in its own order."""
        return self._laid_out[1]

    @cached_property
    def _laid_out(self) -> tuple[list[Term], dict[StatisticKey, list[Place]]]:
        found = SharedColumns(
            column for bound in self.means.values() for column in iter_kept_columns(bound)
        )
        places = {key: found.places(list_terms(bound)) for key, bound in self.means.items()}
        return found.kept, places

    @cached_property
    def _walks(self) -> list[list[CumulativeReads]]:
        """The reads of curves along common columns."""
        curves = (each for each in self.statistics.values() if isinstance(each, BoundCurve))
        return group_reads(curve.reads for curve in curves)

    def leave_out(self, known: Set[StatisticKey]) -> RowSlice:
        """Return the same rows, with only the statistics that are not known yet."""
        wanted = {key: bound for key, bound in self.statistics.items() if key not in known}
        return RowSlice(self.rows, wanted)

    def batch(self, batch: Batch) -> Batch:
        """Return the same weightings on these rows."""
        return batch if self.rows is None else batch.slice(self.rows)

    def values(self, batch: Batch, *, has_curves: bool) -> dict[StatisticKey, Matrix]:
        """Compute what is no function of means, per weighting: (b,).

        Curves, (b, g), are computed if `has_curves`.
        """
        for reads in self._walks if has_curves else ():
            read_together(batch, reads)
        wanted = [
            (key, bound)
            for key, bound in self.statistics.items()
            if key not in self.means
            and not isinstance(bound, BoundStandardError | FrozenStandardError | LinearizedMetric)
            and (has_curves or not isinstance(bound, BoundCurve))
        ]
        # One of two threads starts at the end, so that they do not wait for the same tables. Curves
        # come first: what their walks find by the way some metrics need.
        is_odd = batch.index is not None and batch.index % 2 == 1
        in_turn = wanted[::-1] if is_odd else wanted
        in_turn.sort(key=lambda item: not isinstance(item[1], BoundCurve))
        return {
            key: bound.replicates(batch) if isinstance(bound, BoundCurve) else bound(batch)
            for key, bound in in_turn
        }

    def compute_from_sums(self, sums: Matrix, totals: Vector) -> dict[StatisticKey, Matrix]:
        """Compute the functions of means from the sums of `columns`, (b, m), and totals, (b,)."""
        values = {}
        for key, bound in self.means.items():
            at, times = map(list, zip(*self.places[key], strict=True))
            own = np.take(sums, at, axis=1) * times
            values[key] = bound.compute_from_sums(own, totals)
        return values


class _SliceReplicates:
    """The replicates of one slice as they come in, batch by batch."""

    def __init__(self, part: RowSlice, design: Design, at_once: int) -> None:
        self.values: dict[StatisticKey, Matrix] = {
            key: np.empty(replicate_shape(statistic, design))
            for key, statistic in part.statistics.items()
        }
        self._part, self._design = part, design
        self._width = at_once * BATCH_SIZE
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
        first = index * self._width
        columns = min(self._width, self._design.replicates - first)
        has_curves = first < self._design.curve_replicates
        for key, values in self._part.values(batch, has_curves=has_curves).items():
            kept = self.values[key][first:][:columns]
            kept[:] = values[: len(kept)]
        if self._part.means:
            sums = term_sums(batch, self._part.columns)
            self._add_sums(index, sums[:columns], batch.totals[:columns])

    def add_by_row(self, first: int, batches: int, index: int) -> None:
        """Put down what batches give whose counts are made while rows are summed."""
        design = self._design
        draws = design.list_counts(first, batches)
        sums, totals = sum_terms_by_row(design.n, design.weight, draws, self._part.columns)
        columns = min(self._width, design.replicates - index * self._width)
        self._add_sums(index, sums[:columns], totals[:columns])

    def _add_sums(self, index: int, sums: Matrix, totals: Vector) -> None:
        """Keep the sums until those of some batches are there: many are as quickly read as few."""
        group = index // MOST_TOGETHER
        with self._lock:
            waiting = self._waiting.setdefault(group, {})
            waiting[index] = sums, totals
            if len(waiting) < min(MOST_TOGETHER, self._draws - group * MOST_TOGETHER):
                return
            del self._waiting[group]
        all_sums, all_totals = zip(*(waiting[k] for k in sorted(waiting)), strict=True)
        found = self._part.compute_from_sums(np.concatenate(all_sums), np.concatenate(all_totals))
        for key, values in found.items():
            self.values[key][group * MOST_TOGETHER * self._width :][: len(values)] = values


def compute_replicates(
    design: Design, slices: Mapping[SliceKey, RowSlice], threads: int = 1, tick: Tick | None = None
) -> Replicates:
    """Replicates of every statistic of every slice, by (slice, statistic): shape (B,) or (B, g).

    `tick` is told how many batches are done.
    """
    at_once = design.side_by_side(_count_drawn_rows(design, slices))
    is_by_row = is_native() and design.is_sampled_by_key and _are_sums_of_all_rows(slices)
    if is_by_row:  # columns that are made for some rows serve several batches
        at_once = max(at_once, min(WIDEST, -(-design.batches // threads)))
    found = {
        where: _SliceReplicates(part, design, at_once)
        for where, part in slices.items()
        if part.statistics
    }
    if not found:
        return {}

    release_idle()
    if is_by_row:
        for each in found.values():
            each.prepare()

    def one(index: int) -> None:
        if index == 0:
            for each in found.values():
                each.prepare()
        first = index * at_once
        if is_by_row:
            for each in found.values():
                each.add_by_row(first, at_once, index)
            return
        columns = min(at_once * BATCH_SIZE, design.replicates - first * BATCH_SIZE)
        batch = design.batch(first, columns if at_once > 1 else None)
        for each in found.values():
            each.add(batch, index)
        return_buffer(batch.count)

    with limit_blas_threads(), thread_map(threads if design.n >= SHARED_FROM else 1) as mapped:
        for done, _ in enumerate(mapped(one, range(-(-design.batches // at_once))), start=1):
            if tick is not None:
                tick(min(done * at_once, design.batches))
    release_idle()
    return {(where, what): v for where, each in found.items() for what, v in each.values.items()}


def _are_sums_of_all_rows(slices: Mapping[SliceKey, RowSlice]) -> bool:
    """Tell whether all statistics are sums over all rows."""
    parts = [part for part in slices.values() if part.statistics]
    return (
        len(parts) == 1
        and parts[0].rows is None
        and len(parts[0].means) == len(parts[0].statistics)
    )


def _count_drawn_rows(design: Design, slices: Mapping[SliceKey, RowSlice]) -> int:
    """Count the rows that a batch draws: the design's, or the rows to fit on where these are more.

    Resamples of rows to fit on are drawn beside each batch, as many as it has.
    """
    statistics = (each for part in slices.values() for each in part.statistics.values())
    bound = (each for each in statistics if isinstance(each, BoundStatistic))
    return max([design.n, *(each.rows.training_row_count for each in bound)])


def replicate_shape(statistic: Replicated, design: Design) -> tuple[int, ...]:
    """Return the shape of a statistic's replicates: (B,), or (B, g) if it has several numbers.

    For curves, B is the number of replicates that curves use.
    """
    shape = statistic.shape if isinstance(statistic, BoundStatistic) else ()
    is_curve = isinstance(statistic, BoundCurve)
    return (design.curve_replicates if is_curve else design.replicates, *shape)


def list_terms(bound: Means) -> list[Term]:
    """Return the columns from whose sums the statistic is found."""
    terms = bound.terms
    return terms if isinstance(terms, list) else list(terms.T)


def iter_kept_columns(bound: Means) -> Iterator[Vector]:
    """Columns of many rows that it keeps, whether they are summed or not."""
    if isinstance(bound, FrozenStandardError) and bound.is_by_row:
        yield bound.influence
    if isinstance(bound, BoundMetric) and len(bound.rows) > KEPT_TO:
        yield from (bound.rows.outcome.values, bound.rows.ranking.values)
        errors = bound.rows.errors()
        if errors is not None:
            yield errors


def limit_blas_threads() -> AbstractContextManager[object]:
    """Matrix products on one thread, so that no number hangs on how many cores there are.

    Their threads would also wait for each other longer than the sums of a few thousand rows take.
    """
    limited: AbstractContextManager[object] = _blas().limit(limits=1)
    return limited


@cache
def _blas() -> ThreadpoolController:
    """Find the libraries with threads of their own, once: looking for them takes a while."""
    return ThreadpoolController()


@contextmanager
def thread_map(threads: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yield a `map` over threads that stop at an interrupt, whatever is still waiting for them."""
    if threads <= 1:
        yield map
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)
