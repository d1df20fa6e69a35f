"""Passes over row groups, by threads of this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.bound_statistics import precompute_query_values
from reportgen.analysis.plan import AnalysisPlan, Segment
from reportgen.analysis.row_subset import RowSubset
from reportgen.config.schema.config import Config
from reportgen.data.dataset import Piece, build_piece
from reportgen.data.queries import build_query_piece
from reportgen.data.requests import DatasetRequest
from reportgen.data.row_groups import (
    GroupedTable,
    QueryRuns,
    RowGroup,
    find_last_start,
    find_query_runs,
    split_query_pieces,
)
from reportgen.data.sample import Sample
from reportgen.data.tables import DatasetTables
from reportgen.errors import DataError
from reportgen.inference.resampling.design import CountsByKey
from reportgen.kernels.batch import BATCH_SIZE, Index, Matrix, Vector
from reportgen.metrics.folds import bind_metric
from reportgen.metrics.metric import METRICS, Metric
from reportgen.metrics.rows import Amounts, Rows
from reportgen.planning.plan import build_analysis_plan, build_model_rows
from reportgen.records import record
from reportgen.streaming.cells import CellSummand, OrderMeasures, Plane
from reportgen.streaming.held import put_held_columns
from reportgen.streaming.layout import (
    ERROR,
    Layout,
    Of,
    build_layout,
    build_layout_of_summands,
    compute_columns,
)
from reportgen.streaming.states import (
    SegmentName,
    State,
    build_keyed_sums,
    merge_keyed_sums,
    merge_states,
)
from reportgen.streaming.sums import (
    carry_halves,
    iter_blocks,
    reshape_by_resample,
    split_to_grain,
    sum_own,
    sum_products,
    sum_resampled,
)
from reportgen.streaming.survey import (
    ColumnsAsked,
    iter_segments,
    put_evidence,
    survey_piece,
)
from reportgen.streaming.tails import RowsOfTails, TailTerm, put_tail

FIRST_ROWS = 10_000  # rows that give the centres of columns


class _FieldsOnly:
    """What is sent as its fields alone: what is made of them is made again where they are read."""

    def __getstate__(self) -> dict[str, Any]:
        assert is_dataclass(self)
        return {each.name: getattr(self, each.name) for each in fields(self)}


@record(eq=False)
class RowReader(_FieldsOnly):
    """How rows are read and what is asked of them; pieces are of so many rows at most.

    `head` are the first rows that are judged, from which the plan is made; `asked` are all columns
    that may lack values. `apart` are columns that all rows tell from those that the first rows do
    not tell them from, once these have been looked at; so are the `segments` that are judged, by
    name. Columns are held if `is_held`.
    """

    config: Config
    request: DatasetRequest
    table: GroupedTable
    head: Sample
    asked: ColumnsAsked
    piece: int
    apart: NDArray[np.bool_] | None = None
    is_held: bool = False
    segments: Mapping[str, SegmentName] | None = None

    @cached_property
    def plan(self) -> AnalysisPlan:
        """What is asked of the rows."""
        if self.segments is None:
            return build_analysis_plan(self.config, self.head)
        segments = tuple(Segment(name, np.empty(0, np.intp)) for name in self.segments)
        return build_analysis_plan(self.config, self.head, segments=segments)

    @cached_property
    def layout(self) -> Layout:
        """The columns whose sums answer it, but those of ranks."""
        head, pairs = RowSubset(self.plan, None), self.plan.inference.pairs
        is_weighted = self.head.sampling.weight is not None
        errors = {
            (ERROR, model): bind_metric(METRICS["bias"], rows)
            for model, rows in head.data.items()
            if isinstance(rows, Amounts) and self.head.sampling.units is not None
        }
        found = build_layout(head.bound | errors, head.data, pairs, is_weighted=is_weighted)
        return found if self.apart is None else found.told_apart(self.apart, pairs)

    @cached_property
    def order_metrics(self) -> Mapping[Of, Metric]:
        """The metrics that ask for all rows at once, by key and model."""
        bound = RowSubset(self.plan, None).bound
        known = self.layout.summands
        return {of: each.statistic for of, each in bound.items() if of not in known}

    def layout_with(self, tables: OrderMeasures) -> Layout:
        """Return the columns with those of measures that are found from cells."""
        if not tables:
            return self.layout
        place, summands = self.layout.columns, dict(self.layout.summands)
        for of, metric in self.order_metrics.items():
            found, at = tables[of], slice(place, place + 1)
            summands[of] = CellSummand(
                metric, at, np.zeros(1), False, found, level=found.value, bound=found.bound
            )
            place += 1
        is_weighted = self.layout.is_weighted
        return build_layout_of_summands(
            summands, self.plan.inference.pairs, self.layout.same, is_weighted=is_weighted
        )

    def pieces(self, group: RowGroup, *, has_keys: bool = True) -> Iterator[Piece]:
        """Yield the rows of a row group piece by piece, with or without the keys that draw them."""
        table, query = self.table.read(group), self.request.query
        cuts = [(start, self.piece) for start in range(0, group.rows, self.piece)]
        if self.request.ranked is not None and query is not None:
            cuts = split_query_pieces(table, query.name, self.piece)
        for start, rows in cuts:
            part, unnamed = table.part(start, rows), self.table.unnamed
            tables = DatasetTables(part, {}, self.table.filter, (), unnamed)
            before = group.before + start
            yield _piece(self.request, tables, before, self.table.rows, has_keys=has_keys)

    def rows(self, sample: Sample) -> dict[str, Rows]:
        """What each model says of some rows."""
        found = {each.name: each.rows for each in build_model_rows(self.config, sample)}
        precompute_query_values(
            (rows, self._metrics_by_model.get(model, ())) for model, rows in found.items()
        )
        return found

    @cached_property
    def _metrics_by_model(self) -> Mapping[str, list[Metric]]:
        """By model the metrics that are summed."""
        found: dict[str, list[Metric]] = {}
        for (_, model), each in self.layout.summands.items():
            found.setdefault(model, []).append(each.metric)
        return found


def build_reader(
    config: Config, request: DatasetRequest, table: GroupedTable, piece: int
) -> RowReader:
    """The reader of a table, with its first rows that are judged: the same whatever the pieces."""
    start, most = 0, FIRST_ROWS
    while start < table.rows:
        rows = table.rows_from(start, most)
        if request.ranked is not None and request.query is not None and start + most < table.rows:
            texts = rows.texts(request.query.name)
            end = find_last_start(texts)
            if not end:  # a query that is not at its end
                most *= 2
                continue
            rows = rows.part(0, end)
        found = _piece(request, DatasetTables(rows, {}, table.filter, ()), start, table.rows)
        if found.sample.n > 1:
            return RowReader(config, request, table, found.sample, found.asked, piece)
        start += rows.rows
    why = f"; {table.filter.key} under datasets.{request.name} leaves none" if table.filter else ""
    raise DataError(f"{table.shown}: no rows left to compare models on{why}")


def _piece(
    request: DatasetRequest, tables: DatasetTables, before: int, of: int, *, has_keys: bool = True
) -> Piece:
    """Some rows, or some queries with all of their documents."""
    if request.ranked is not None:
        return build_query_piece(request, tables)
    return build_piece(request, tables, before, of, has_keys=has_keys)


@record(eq=False)
class PiecePass(_FieldsOnly):
    """The state of a row group as that of its pieces, one after the other.

    It `has_keys` if it reads the keys by which rows are drawn.
    """

    has_keys: ClassVar[bool] = True
    reader: RowReader

    @property
    def table(self) -> GroupedTable:
        """The files with their row groups."""
        return self.reader.table

    def __call__(self, group: RowGroup) -> State:
        """Find the state of a row group."""
        found = []
        for piece in self.reader.pieces(group, has_keys=self.has_keys):
            found.append(self.find(piece, self.reader.rows(piece.sample) if piece.sample.n else {}))
        return merge_states(found)

    def find(self, piece: Piece, data: Mapping[str, Rows]) -> State:
        """Find the state of a piece, with what each model says; with nothing where no row is."""
        raise NotImplementedError


@record(eq=False)
class SurveyPass(PiecePass):
    """The first look at rows: counts, largest values, and a sample of scores where ranks ask."""

    def find(self, piece: Piece, data: Mapping[str, Rows]) -> State:
        """Survey a piece."""
        reader, rows = self.reader, self.reader.table.rows
        state = survey_piece(piece, reader.layout, data, rows)
        if reader.is_held and data:
            put_held_columns(state, piece)
        if reader.request.ranked is None and data:
            put_evidence(state, piece, rows)
        return state


@record(eq=False)
class CellPass(PiecePass):
    """The weight in the cells of each model, and what weights are multiples of."""

    has_keys: ClassVar[bool] = False
    planes: Mapping[str, Plane]
    grain: float

    def find(self, piece: Piece, data: Mapping[str, Rows]) -> State:
        """Find the cells of the rows of a piece."""
        state, weighs = State(), piece.weight > 0
        whole = np.rint(piece.weight[weighs] / self.grain).astype(np.int64)[:, None]
        for model, plane in self.planes.items() if data else ():
            cells = plane.find_cells(data[model])[weighs]
            state.put("keyed sums 1", "cells", model, value=build_keyed_sums(whole, cells))
        # Squares of whole weights under 2^30: multiples of 2^30, and what is left.
        squares = np.sum(whole**2 >> 30), np.sum(whole**2 & (1 << 30) - 1)
        state.put("sum", "squares", value=np.array(squares))
        return state


@record(eq=False)
class SummedRows:
    """Rows with the columns to sum, (k, n), and the cell of each row in the table of each model.

    `labels` is how many labels a row has.
    """

    columns: Matrix
    weight: Vector
    keys: NDArray[np.uint64]
    cells: Sequence[Index]
    labels: Vector

    def take(self, rows: slice | Index) -> SummedRows:
        """Take some of the rows."""
        return SummedRows(
            self.columns[:, rows],
            self.weight[rows],
            self.keys[rows],
            [cell[rows] for cell in self.cells],
            self.labels[rows],
        )


@record(eq=False)
class SumPass(PiecePass):
    """All sums, under the rows' weights and under each resample.

    `grain` is what each term is a multiple of. Clusters are drawn once their sums are known.
    """

    tables: OrderMeasures
    grain: Vector

    @cached_property
    def layout(self) -> Layout:
        """The columns that are summed."""
        return self.reader.layout_with(self.tables)

    @property
    def is_clustered(self) -> bool:
        """Whether rows are drawn in clusters."""
        return self.reader.request.resampling_unit is not None

    @property
    def resampled(self) -> Index:
        """The terms that are summed under each resample of rows."""
        return self.layout.resampled[:0] if self.is_clustered else self.layout.resampled

    def find(self, piece: Piece, data: Mapping[str, Rows]) -> State:
        """Sum all rows of a piece and those of each segment: of one column they add up to all."""
        has_labels = self.reader.request.has_labels
        columns = (
            compute_columns(self.layout, data)[0] if data else np.empty((self.layout.columns, 0))
        )
        labels = piece.sample.y if has_labels else np.zeros(piece.sample.n)
        cells = self.layout.tables.of(data) if data else []
        rows = SummedRows(columns, piece.weight, piece.keys, cells, labels)
        found, of_first = State(), list[State]()
        for name, chosen in iter_segments(piece.sample):
            own = self._sum_rows(rows.take(chosen))
            found.put_segment(name, own)
            if name[0] == next(iter(piece.sample.segments)):
                of_first.append(own)
        found.update(merge_states(of_first) if of_first else self._sum_rows(rows))
        return found

    def _sum_rows(self, rows: SummedRows) -> State:
        """Sum some rows, a block of them at a time, which stays in the processor's cache."""
        layout, design = self.layout, self.reader.plan.sampling.design
        batches, wide = -(-design.replicates // BATCH_SIZE), list(layout.wide)
        width = len(self.resampled) + layout.tables.drawn
        own = np.zeros((2, len(self.grain)), np.int64)
        drawn = np.zeros((2, batches, width, BATCH_SIZE), np.int64)
        products = np.zeros((2, len(wide) * (len(wide) + 1) // 2), np.int64)
        by_unit, by_call = [], []
        for chosen in iter_blocks(len(rows.weight)):
            block = rows.take(chosen)
            terms = layout.terms(block.columns, block.weight, block.labels)
            parts = split_to_grain(terms, self.grain)
            of_block = sum_own(parts)
            own += of_block
            drawn += sum_resampled(
                parts,
                of_block,
                self.resampled,
                [CountsByKey(block.keys, design.stream_key, k) for k in range(batches)],
                [(cell, layout.tables.cells) for cell in block.cells],
                weight=1,
            )
            products += [sum_products(block.columns[wide], part[2]) for part in parts]
            if self.is_clustered:
                whole = np.concatenate(parts[:, layout.of_units]).T.astype(np.int64)
                by_unit.append(build_keyed_sums(whole, block.keys))
            if block.cells:
                unit = block.keys if self.is_clustered else np.zeros_like(block.keys)
                whole = np.concatenate(parts[:, 1:3]).T.astype(np.int64)
                by_call.append(build_keyed_sums(whole, unit, *block.cells))
        state = State()
        state.put("sum", "own", value=carry_halves(own))
        state.put("sum", "drawn", value=carry_halves(reshape_by_resample(drawn)))
        state.put("sum", "products", value=carry_halves(products))
        if by_unit:
            state.put("keyed sums 1", "units", value=merge_keyed_sums(np.concatenate(by_unit)))
        if by_call:
            keys = 1 + len(rows.cells)
            table = merge_keyed_sums(np.concatenate(by_call), keys)
            halves = np.concatenate(carry_halves(table[:, keys:].view(np.int64)), axis=1)
            value = np.hstack([table[:, :keys], halves.view(np.uint64)])
            state.put(f"keyed sums {keys}", "calls", value=value)
        return state


@record(eq=False)
class TailPass(PiecePass):
    """What each row adds to the errors of measures, once their values are known.

    `looks` are those of all rows, and of each segment that is judged.
    """

    has_keys: ClassVar[bool] = False
    looks: Sequence[Sequence[TailTerm]]

    def find(self, piece: Piece, data: Mapping[str, Rows]) -> State:
        """Find the tails of the rows of a piece."""
        state = self._find_tails(self.looks[0], data, piece.weight)
        chosen = dict(iter_segments(piece.sample)) if data else {}
        named = (self.reader.segments or {}).values()
        for name, looks in zip(named, self.looks[1:], strict=True):
            rows = chosen.get(name, np.empty(0, np.intp))
            taken = {model: each.take(rows) for model, each in data.items()} if len(rows) else {}
            state.put_segment(name, self._find_tails(looks, taken, piece.weight[rows]))
        return state

    def _find_tails(
        self, looks: Sequence[TailTerm], data: Mapping[str, Rows], weight: Vector
    ) -> State:
        state, rows = State(), RowsOfTails(self.reader.layout.summands, data, weight)
        for look in looks:
            put_tail(state, look, rows.find(look))
        return state


@record
class ThreadEngine:
    """Threads of this process."""

    threads: int

    @property
    def holding(self) -> str:
        """How many there are, in words."""
        return f"--threads {self.threads}"

    def states(self, work: Pass, groups: Sequence[RowGroup]) -> Iterator[State]:
        """Yield the state of each row group, in their order."""

        def compute_state(group: RowGroup) -> State:
            try:
                return work(group)
            finally:  # whatever came of a file that was replaced
                work.table.refuse_replaced(group)

        with ThreadPoolExecutor(self.threads) as pool:
            for start in range(0, len(groups), self.threads):
                some = groups[start : start + self.threads]
                own = [copy_context().run for _ in some]  # what messages may show
                yield from pool.map(lambda run, group: run(compute_state, group), own, some)


@record(eq=False)
class QueryPass:
    """A look at the column of queries alone, where rows are documents: where each begins."""

    table: GroupedTable
    column: str

    def __call__(self, group: RowGroup) -> State:
        """Find the queries of a row group."""
        found, runs = State(), find_query_runs(self.table, group, self.column)
        found.put("join", "keys", value=runs.keys)
        found.put("join", "begins", value=runs.begins)
        found.put("join", "runs", value=[len(runs.keys)])
        return found


Pass = PiecePass | QueryPass


def split_query_runs(state: State) -> list[QueryRuns]:
    """Split the queries of all rows into those of each row group."""
    ends = np.cumsum(state["join", "runs"])
    keys = np.split(state["join", "keys"], ends[:-1])
    # Each row group's begins end with how many rows it has.
    begins = np.split(state["join", "begins"], (ends + np.arange(1, len(ends) + 1))[:-1])
    return [QueryRuns(k, b) for k, b in zip(keys, begins, strict=True)]
