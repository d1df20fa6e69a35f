"""Stream one dataset and analyse it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import PlannedMetric
from reportgen.analysis.run import DatasetResults
from reportgen.config.loading import LoadedConfig
from reportgen.data.arrow import MOST, count_repeated_keys
from reportgen.data.codes import order_segment_labels
from reportgen.data.columns import warn_absent_classes
from reportgen.data.dataset import (
    LoadedDataset,
    describe_sample,
    iter_class_infos,
    warn_small_segments,
)
from reportgen.data.requests import DatasetRequest
from reportgen.data.row_groups import (
    GroupedTable,
    compute_max_query_rows,
    open_row_groups,
    regroup_whole_queries,
)
from reportgen.data.sample import AmountTarget, ModelColumns, Sample
from reportgen.data.table import format_count
from reportgen.data.totals import check_total_row, find_streamed_total_row
from reportgen.errors import ConfigError, DataError, Problem
from reportgen.inference.resampling.cache import Cache, digest_code, digest_parts
from reportgen.kernels.batch import Vector
from reportgen.planning.requests import build_dataset_requests, read_data
from reportgen.planning.segments import check_segments
from reportgen.progress import Progress
from reportgen.results.core import SegmentInfo
from reportgen.results.types import round_number
from reportgen.streaming.cells import (
    Cells,
    CellSummand,
    OrderMeasures,
    build_planes,
    is_cell_metric,
    measure_cells,
)
from reportgen.streaming.dask import Cluster, connect_cluster
from reportgen.streaming.findings import build_streamed_results
from reportgen.streaming.held import analyze_held_rows, estimate_held_bytes
from reportgen.streaming.passes import (
    CellPass,
    Pass,
    QueryPass,
    SumPass,
    SurveyPass,
    TailPass,
    ThreadEngine,
    build_reader,
    split_query_runs,
)
from reportgen.streaming.restrictions import (
    BYTES_OF_A_ROW,
    check_streamable,
    list_additive_class_metrics,
)
from reportgen.streaming.states import SEGMENT, Checkpoints, RunningState, State
from reportgen.streaming.sums import column_grains, to_weights, weight_grain
from reportgen.streaming.survey import (
    build_evidence,
    iter_row_warnings,
    iter_waterfall_steps,
)
from reportgen.streaming.tails import (
    BYTES,
    TailsOfRows,
    TailTerm,
    are_tails_wanted,
    build_tails,
    plan_error_tails,
    plan_tails,
)
from reportgen.streaming.totals import Totals, build_totals
from reportgen.text import quote

PIECE = 32_768  # rows of which columns are made at a time
SMALLEST_PIECE = 4_096  # rows of the smallest piece
LIBRARIES = 400e6  # bytes that are taken whatever the rows are
DOCUMENT = 200  # bytes of a row of the longest query, which is found at once
KIND = 120  # bytes of rows of one cluster that all models call alike
CELL = 60  # bytes of a cell of target and score, while cells are merged
MOST_CELLS = 3_000_000  # cells of a model, or about as many
MEMORY = 8e9  # bytes that held columns may take unless the config says how many
Engine = ThreadEngine | Cluster
Held = Literal["nothing", "resampled", "linearized", "cells"]
QUERY = 48  # bytes of what is known of each query while they are told apart
UNREAD = set("report outputs gates pdf sections warnings privacy previous compute curves".split())
"""Keys of a config that no sum depends on."""
CODE = ("data", "planning", "streaming", "metrics/tasks.py")


def stream_dataset(
    loaded: LoadedConfig,
    threads: int,
    progress: Progress,
    cache: Cache | None = None,
    *,
    allow_remote: bool = False,
) -> tuple[LoadedDataset, DatasetResults]:
    """Read the dataset twice, for sizes and for sums, and answer all that the config asks.

    What is found of row groups is kept in the cache, so that a run that was killed goes on. A
    cluster that the config names is refused unless `allow_remote`.
    """
    check_streamable(loaded)
    (request,) = build_dataset_requests(loaded)
    kept = None if loaded.config.plugins else cache
    with _engine(loaded, threads, allow_remote) as engine:
        stream = _Stream(loaded, request, engine, threads, progress, kept)
        found = stream.compute_results()
    if kept is not None:
        kept.trim()
    return found


@contextmanager
def _engine(loaded: LoadedConfig, threads: int, allow_remote: bool) -> Iterator[Engine]:
    """Yield who reads the rows: threads of this process, or the workers of a cluster."""
    if not loaded.config.compute.is_by_dask:
        yield ThreadEngine(threads)
        return
    at = ("compute", "engine", "dask")
    shown = loaded.format_value(at)
    if not allow_remote:
        message = f"a scheduler can run code here; if you trust {shown}, add --allow-remote"
        raise ConfigError([Problem(message, at, loaded.place(at))])
    with _locate_errors(loaded, at), connect_cluster(loaded.get_true_text(at), shown) as engine:
        yield engine


@contextmanager
def _locate_errors(loaded: LoadedConfig, at: tuple[str, ...] = ()) -> Iterator[None]:
    """Within the block what is wrong in the config is told with its place."""
    try:
        yield
    except ConfigError as error:
        problems = (p if p.place else replace(p, at=p.at or at) for p in error.problems)
        placed = (p if p.place else replace(p, place=loaded.place(p.at)) for p in problems)
        raise ConfigError(list(placed)) from None


class _Stream:
    """One dataset with all that is known before its rows are read."""

    def __init__(
        self,
        loaded: LoadedConfig,
        request: DatasetRequest,
        engine: Engine,
        threads: int,
        progress: Progress,
        cache: Cache | None,
    ) -> None:
        self.loaded, self.config, self.request = loaded, loaded.config, request
        self.threads = threads
        self.engine, self.progress, self.cache = engine, progress, cache
        self.longest = self.queries = 0  # rows of a query, and how many there are
        with _locate_errors(loaded):
            self.table: GroupedTable = open_row_groups(request)
            self.total = find_streamed_total_row(request, self.table)
            check_total_row(request, self.total)
        if request.ranked is not None and request.query is not None:
            self._find_queries(request.query.name)
        self.config = self.config.model_copy(
            update={"per_class": list_additive_class_metrics(loaded)}
        )
        with _locate_errors(loaded), self._say_as_in_memory():
            self.reader = build_reader(self.config, request, self.table, PIECE)
        self.held: Held = self._choose_held()
        self.reader = replace(self.reader, is_held=self.held in ("resampled", "linearized"))
        self._fit_memory()

    @contextmanager
    def _say_as_in_memory(self) -> Iterator[None]:
        """Within the block, say a fault of some rows as of all of them, where these can be held."""
        try:
            yield
        except (ConfigError, DataError):
            if self.table.rows * BYTES_OF_A_ROW <= (self.config.compute.most_bytes or MEMORY):
                self.table.refuse_replaced()
                read_data(self.loaded)
            raise

    @property
    def identity(self) -> str:
        """A name for all that the sums depend on but the rows' places in row groups."""
        asked, layout = self.config.model_dump(exclude=UNREAD), self.reader.layout
        summands = [
            (of, each.at, each.metric.name, sorted(each.metric.params.items()))
            for of, each in layout.summands.items()
        ]
        return digest_parts(
            digest_code(*CODE),
            self.table.digests,
            self.request,
            asked,
            self.held,
            summands,
            layout.centre,
            layout.same,
            layout.own,
            layout.drawn,
            *self.reader.plan.sampling.design.identity,
        )

    def compute_results(self) -> tuple[LoadedDataset, DatasetResults]:
        """Make all passes over what is asked, and compute what comes of them."""
        kept = Checkpoints(self.cache, self.identity)
        with _locate_errors(self.loaded), self._say_as_in_memory():
            facts = self._follow("looking at the rows", SurveyPass(self.reader), kept)
            sizes = self._count_segments(facts)
            check_segments(self.loaded, {self.request.name: sizes})
        rows = int(facts.number("sum", "rows"))
        if rows < 2 or not facts.number("most", "heaviest") > 0:
            raise DataError(f"{self.table.shown}: {rows} rows left that could be judged")
        self._refuse_repeats(facts)
        judged = {each.segment: (each.column, each.value) for each in sizes if each.n > 1}
        self.reader = replace(self.reader, apart=facts["any", "apart"], segments=judged)
        tables = self._measure_cells(facts, kept) if self.held == "cells" else {}
        each = self._totals(facts, tables, kept)
        totals, *segments = each
        tails = self._tails(each, kept)
        # Curves that the config has unasked stand at its head.
        head, curves = self.loaded.place(), enumerate(self.config.curves)
        asked = [use.name for k, use in curves if self.loaded.place(("curves", k)) != head]
        per_class = self.loaded.config.per_class
        untold = [name for name in per_class if name not in self.config.per_class]
        held = self._held_rows(facts)
        results = build_streamed_results(
            self.reader.plan, totals, segments, held, list(dict.fromkeys(asked)), untold, tails
        )
        self.table.refuse_replaced()
        return self._data(totals, sizes), results

    def _count_segments(self, facts: State) -> tuple[SegmentInfo, ...]:
        """Count the rows of each segment, in the order of memory."""
        known = facts.find("sum", SEGMENT).items()
        counts = {(name[0], name[1]): int(n) for name, n in known if name[2] == "rows"}
        found = []
        for each in self.request.segments:
            seen = {label for column, label in counts if column == each.column}
            is_of_numbers = self.table.rows_from(0, 1).holds_numbers(each.column)
            labels = order_segment_labels(self.table.shown, each, seen, is_of_numbers=is_of_numbers)
            for label in labels:
                n = counts.get((each.column, label), 0)
                found.append(SegmentInfo(f"{each.column}={label}", each.column, label, n))
        return tuple(found)

    def _find_queries(self, column: str) -> None:
        """Give each row group whole queries: those that begin in it."""
        table = self.table
        name = digest_parts(digest_code(*CODE), table.digests, table.sources, column)
        work, kept = QueryPass(table, column), Checkpoints(self.cache, name)
        found = self._follow("looking for queries", work, kept)
        runs = split_query_runs(found)
        self.table = replace(table, groups=regroup_whole_queries(table, runs, column))
        self.longest = compute_max_query_rows(runs)
        self.queries = len(found["join", "keys"])

    def _measure_cells(self, facts: State, kept: Checkpoints) -> OrderMeasures:
        """Sort rows into cells: measures of order are then sums of what a row adds to them."""
        metrics, is_of_classes = self.reader.order_metrics, bool(self.reader.head.classes)
        models = list(dict.fromkeys(model for _, model in metrics))
        sampled = {model: values for (model,), values in facts.find("join", "sampled").items()}
        planes = build_planes(models, sampled, is_of_classes=is_of_classes)
        is_weighted = self.request.weight is not None
        grain = weight_grain(facts.number("most", "heaviest")) if is_weighted else 1.0
        found = self._follow("sorting rows into cells", CellPass(self.reader, planes, grain), kept)
        cells = {}
        for model, plane in planes.items():
            table = found["keyed sums 1", "cells", model]
            weight = to_weights(table, grain)[:, 0]
            squares = float(found["sum", "squares"] @ [2.0**30, 1.0]) * grain**2
            cells[model] = Cells(plane, table[:, 0], weight, squares, is_of_classes)
        return {of: measure_cells(cells[of[1]], metric) for of, metric in metrics.items()}

    def _held_rows(self, facts: State) -> DatasetAnalysis | None:
        """Analyse the metrics that ask for all rows at once on the columns that were held."""
        if not self.reader.is_held:
            return None
        plan = self.reader.plan
        return analyze_held_rows(
            self.config,
            plan,
            self._list_order_uses(),
            facts,
            self.reader.head,
            self.threads,
            is_resampled=self.held == "resampled",
        )

    def _follow(self, stage: str, work: Pass, kept: Checkpoints) -> State:
        """Merge the states of all row groups, from where a run before was killed on."""
        groups, progress, running = self.table.groups, self.progress, RunningState()
        done, state = kept.load_state(stage)
        if done:
            running.add(state)
            before = sum(group.rows for group in groups[:done])
            progress.stage(f"{stage}, from row {before + 1:,} on", self.table.rows)
        else:
            progress.stage(stage, self.table.rows)
        for number, found in enumerate(self.engine.states(work, groups[done:]), done + 1):
            running.add(found)
            kept.keep(stage, number, lambda: running.all, number == len(groups))
            progress.done(groups[number - 1].before + groups[number - 1].rows)
        return running.all

    def _totals(self, facts: State, tables: OrderMeasures, kept: Checkpoints) -> list[Totals]:
        """Make the pass that finds all sums: of all rows, and of each segment."""
        layout = self.reader.layout_with(tables)
        heaviest = facts.number("most", "heaviest")
        of_cells = [s.largest for s in layout.summands.values() if isinstance(s, CellSummand)]
        largest = np.append(facts["most", "largest"], of_cells)
        labels = float(facts["most", "highest"][0]) if self.request.has_labels else 0.0
        grain = column_grains(layout.bounds(largest, heaviest, labels))
        work = SumPass(self.reader, tables, grain)
        sums = self._follow("adding up and resampling", work, kept)
        design = self.reader.plan.sampling.design
        named = (self.reader.segments or {}).values()
        known = [(facts, sums), *((facts.select_segment(n), sums.select_segment(n)) for n in named)]
        return [build_totals(layout, *each, grain, design) for each in known]

    def _tails(self, totals: Sequence[Totals], kept: Checkpoints) -> list[TailsOfRows]:
        """Find what rows add to the errors of measures that may have a heavy tail, of each part.

        Behind those found heavy that weigh one side more stand errors, which are looked at alike.
        """
        plan = self.reader.plan
        ends = (*((model.name,) for model in plan.models), *plan.inference.pairs)
        every = [(use.key, *each) for use in plan.statistics.metrics for each in ends]
        if not are_tails_wanted(totals[0]):
            return [TailsOfRows() for _ in totals]
        looks = []
        for each in totals:
            planned = list(plan_tails(each, every))
            looks.append([*planned, *plan_error_tails(each, (look.of for look in planned))])
        tails = self._look_at_tails("looking at the largest", looks, kept)
        about = []
        for each, found in zip(totals, tails, strict=True):
            heavy = [of for of, tail in found.influence.items() if tail.may_be_told]
            about.append(list(plan_error_tails(each, heavy, found.errors)))
        errors = self._look_at_tails("looking at the largest errors", about, kept)
        pairs = zip(tails, errors, strict=True)
        return [replace(found, errors=each.errors) for found, each in pairs]

    def _look_at_tails(
        self, stage: str, looks: Sequence[Sequence[TailTerm]], kept: Checkpoints
    ) -> list[TailsOfRows]:
        if not any(looks):
            return [TailsOfRows() for _ in looks]
        state = self._follow(stage, TailPass(self.reader, looks), kept)
        named = (self.reader.segments or {}).values()
        states = [state, *map(state.select_segment, named)]
        return [build_tails(*each) for each in zip(states, looks, strict=True)]

    def _fit_memory(self) -> None:
        """Take pieces that fit into the memory that may be had, or say what would."""
        most, piece = self.config.compute.most_bytes, self.reader.piece
        while most is not None and self._need(piece, self.held) > most:
            if piece <= SMALLEST_PIECE:
                text = (
                    f"compute.memory is {self.config.compute.memory}, and these rows take at least "
                    f"{self._need(piece, self.held) / 1e6:,.0f} MB with {self.engine.holding}"
                    f"{self._describe_need_of_order()}; allow as much, or write the files with "
                    "smaller row groups"
                )
                at = ("compute", "memory")
                raise ConfigError([Problem(text, at, self.loaded.place(at))])
            piece //= 2
        self.reader = replace(self.reader, piece=piece)  # no number depends on it

    def _choose_held(self) -> Held:
        """Choose how metrics that ask for all rows at once are found, by the memory that they take.

        Where no limit is set it is the same on all machines, so that the report is, too.
        """
        metrics = self.reader.order_metrics
        if not metrics:
            return "nothing"
        has_influence = all(metric.influence is not None for metric in metrics.values())
        tiers: tuple[Held, ...] = ("resampled", "linearized") if has_influence else ("resampled",)
        for held in tiers:
            if self._fits(held):
                return held
        problems = list(self._iter_not_in_cells())
        if problems:
            placed = (replace(each, place=self.loaded.place(each.at)) for each in problems)
            raise ConfigError(list(placed))
        return "cells"

    def _iter_not_in_cells(self) -> Iterator[Problem]:
        """Yield what asks for all rows at once and cannot be found from cells."""
        rows, metrics = self.table.rows, self.reader.order_metrics
        at = {use.key: place for place, use in enumerate(self.reader.plan.statistics.metrics)}
        need = estimate_held_bytes(rows, len(self.config.models), is_resampled=True) / 1e9
        takes = f"all {rows:,} rows at once, which take about {need:,.1f} GB"
        for key, metric in {key: metric for (key, _), metric in metrics.items()}.items():
            if not is_cell_metric(metric) or len(self.reader.head.classes) > 2:
                yield Problem(
                    f"metric {quote(key)} asks for {takes}; set compute.memory to more than that, "
                    "or remove the metric",
                    ("metrics", at.get(key, 0)),
                )
        if self.request.segments:
            yield Problem(
                f"segments of {self._name_order_metrics()} ask for all {rows:,} rows at once, "
                f"which take about {need:,.1f} GB; set compute.memory to more than that, use "
                "`engine: memory`, or remove them",
                ("datasets", self.request.name, "segments"),
            )
        if self.config.comparisons.adjust == "maxt":
            yield Problem(
                f"comparisons.adjust: maxt asks for {takes}; set compute.memory to more than that, "
                "or remove it",
                ("comparisons", "adjust"),
            )

    def _fits(self, held: Held) -> bool:
        """Tell whether all that is taken fits, or held columns where no limit is set."""
        most, models = self.config.compute.most_bytes, len(self.config.models)
        if most is not None:
            return self._need(SMALLEST_PIECE, held) <= most
        is_resampled = held == "resampled"
        need = estimate_held_bytes(self.table.rows, models, is_resampled=is_resampled)
        return need <= MEMORY

    def _need(self, piece: int, held: Held) -> float:
        """Estimate the bytes that are taken: libraries, row groups, and columns of pieces."""
        ranked = len(self.reader.order_metrics) if held == "cells" else 0
        layout, models, rows = self.reader.layout, len(self.config.models), self.table.rows
        replicates = self.reader.plan.sampling.design.replicates
        terms = 3 * (len(layout.own) + ranked**2) + 5 * (layout.columns + ranked)
        drawn = (layout.tables.drawn + len(layout.resampled)) * replicates
        group = 3 * max(each.size for each in self.table.groups)
        parts = 1 + sum(len(each.labels) for each in self.reader.head.segments.values())
        tails = 3 * BYTES * len(self.reader.plan.statistics.metrics) * models
        sums = parts * max(12 * 8 * drawn, tails)  # in one pass and in another
        each = group + sums + 8 * terms * piece + DOCUMENT * self.longest
        found = (
            32 * min(rows, MOST)
            + self._need_of_order(held)
            + QUERY * self.queries
            + self._need_of_keyed_sums()
        )
        return LIBRARIES + found + self.engine.threads * each

    def _need_of_order(self, held: Held) -> float:
        """Estimate the bytes of what metrics that ask for all rows at once are found from."""
        rows, models = self.table.rows, len(self.config.models)
        if held in ("resampled", "linearized"):
            return estimate_held_bytes(rows, models, is_resampled=held == "resampled")
        return CELL * min(rows, MOST_CELLS) * models if self.reader.order_metrics else 0.0

    def _describe_need_of_order(self) -> str:
        """Say how much of the memory is for metrics that ask for all rows at once; "" for none."""
        need = self._need_of_order(self.held) / 1e6
        return f", {need:,.0f} MB of it for {self._name_order_metrics()}" if need >= 1 else ""

    def _name_order_metrics(self) -> str:
        """Name the metrics of the config that ask for all rows at once."""
        keys = [use.key for use in self._list_order_uses()]
        return f"metric{'s' * (len(keys) > 1)} {', '.join(map(quote, keys))}"

    def _list_order_uses(self) -> tuple[PlannedMetric, ...]:
        keys = {key for key, _ in self.reader.order_metrics}
        return tuple(use for use in self.reader.plan.statistics.metrics if use.key in keys)

    def _need_of_keyed_sums(self) -> float:
        """Estimate the bytes of sums by cluster, and by cluster and how models call a row."""
        reader, rows, units = self.reader, self.table.rows, self.reader.head.sampling.units
        data = {each.name: each.rows for each in reader.plan.models}
        code = np.zeros(reader.head.n, np.intp) if units is None else units.codes.code
        keys = [code, *reader.layout.tables.of(data)]
        kind = np.unique(np.stack(keys), axis=1, return_inverse=True)[1]
        sums = 8 * (1 + 2 * len(reader.layout.of_units)) * count_distinct(code, rows)
        return sums + KIND * count_distinct(kind, rows)

    def _refuse_repeats(self, facts: State) -> None:
        """Refuse ids that stand for several rows, as far as they are held."""
        column = self.request.table.id
        if column is None or not (many := count_repeated_keys([facts["join", "ids"]])):
            return
        among = f" among the {MOST:,} or so that were looked at" if self.table.rows > MOST else ""
        raise DataError(
            f"{self.table.shown}: id column {column.name!r} has {format_count(many, 'id')} more "
            "than "
            f"once{among}; an id must name one row"
        )

    def _data(self, totals: Totals, segments: tuple[SegmentInfo, ...]) -> LoadedDataset:
        """Describe the rows; their digests are those of the files."""
        request, facts = self.request, totals.facts
        rule = self.table.filter.text if self.table.filter else ""
        head, asked = self.reader.head, self.reader.asked
        sizes = facts.get(("sum", "classes"), np.zeros((2, 2), np.int64))[0]
        ends = float(facts["least", "lowest"][0]), float(facts["most", "highest"][0])
        labels = (round_number(float(totals.own[4]) / totals.weight), *ends)
        effective = round_number(totals.weight**2 / totals.all_rows.squares)
        info = describe_sample(
            request,
            head,
            n=totals.rows,
            clusters=None if totals.clusters is None else len(totals.clusters),
            inputs=self.table.inputs(),
            waterfall=tuple(iter_waterfall_steps(facts, request, asked, self.table.rows, rule)),
            columns=(),
            segments=segments,
            is_numbered=request.table.id is None and request.ranked is None,
            is_streamed=True,
            case=("query", "queries") if request.ranked is not None else ("row", "rows"),
            classes=tuple(iter_class_infos(request, head.classes, sizes)),
            labels_per_row=labels if request.has_labels else None,
            effective_n=effective if request.weight else None,
        )
        by_class = {each.value: each.n for each in info.classes}
        absent = warn_absent_classes(request, by_class)
        small = warn_small_segments(segments)
        warnings = (*iter_row_warnings(facts, request, asked), *absent, *small)
        sample = _identify_sample(head, self.table)
        counted = {of: int(n) for of, n in zip(head.classes, sizes, strict=False)}
        evidence = build_evidence(facts, request, head)
        return LoadedDataset(sample, info, warnings, self.total, counted, evidence)


def count_distinct(some: NDArray[np.int64], rows: int) -> float:
    """Estimate how many numbers differ in all rows, if new ones come as in the later half of some.

    >>> count_distinct(np.array([1, 2, 1, 2]), 100), count_distinct(np.array([1, 2, 3, 4]), 100)
    (2.0, 100.0)
    """
    half = len(some) // 2
    found = len(np.unique(some))
    new = found - len(np.unique(some[:half]))
    return found + (rows - len(some)) * new / (len(some) - half)


def _identify_sample(head: Sample, table: GroupedTable) -> Sample:
    """A sample that is told from others by the files: their digests stand for the rows."""

    def read_column(name: str) -> Vector:
        text = "\n".join((*table.digests, name)).encode()
        return np.frombuffer(sha256(text).digest(), np.uint32).astype(np.float64)

    models = {model: ModelColumns(read_column(model)) for model in head.models}
    return Sample(head.dataset, table.digests, AmountTarget(read_column("rows")), models)
