"""Stream one dataset and analyse it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Protocol, TypeVar

import numpy as np

from reportgen.analysis.run import DatasetResults
from reportgen.config.loading import LoadedConfig
from reportgen.data.arrow import MOST, count_repeated_keys
from reportgen.data.columns import warn_absent_classes
from reportgen.data.dataset import LoadedDataset, iter_class_infos
from reportgen.data.requests import DatasetRequest
from reportgen.data.row_groups import (
    GroupedTable,
    compute_max_query_rows,
    open_row_groups,
    regroup_whole_queries,
)
from reportgen.data.sample import AmountTarget, ModelColumns, Sample
from reportgen.data.table import format_count
from reportgen.data.totals import refuse_streamed_totals
from reportgen.errors import ConfigError, DataError, Problem, ReportgenError
from reportgen.inference.resampling.cache import Cache, digest_code, digest_parts
from reportgen.kernels.batch import Vector
from reportgen.planning.requests import build_dataset_requests
from reportgen.progress import Progress
from reportgen.results.core import DatasetInfo
from reportgen.results.types import Number, round_number
from reportgen.streaming.dask import connect_cluster
from reportgen.streaming.findings import build_streamed_results
from reportgen.streaming.layout import Layout, Of, TableSums
from reportgen.streaming.pair_tables import choose_binning, estimate_bin_bytes
from reportgen.streaming.passes import (
    BinningPass,
    Engine,
    Pass,
    QueryPass,
    QueryRunsByGroup,
    SumPass,
    SurveyPass,
    TailPass,
    ThreadEngine,
    build_reader,
    with_piece_size,
)
from reportgen.streaming.rank_bins import BinnedSummand, RankTables
from reportgen.streaming.restrictions import check_streamable, list_additive_class_metrics
from reportgen.streaming.sums import (
    Checkpoints,
    RunningSums,
    State,
    column_grains,
    to_real,
    weight_grain,
)
from reportgen.streaming.survey import (
    RunningSurvey,
    Survey,
    find_identical_models,
    iter_row_warnings,
    iter_waterfall_steps,
)
from reportgen.streaming.tails import (
    BYTES,
    RunningTails,
    Tails,
    TailsOfRows,
    TailTerm,
    plan_error_tails,
    plan_tails,
)
from reportgen.streaming.totals import Totals

Part = TypeVar("Part")
GroupResult = TypeVar("GroupResult", contravariant=True)
PIECE = 32_768  # rows of which columns are made at a time
SMALLEST_PIECE = 4_096  # rows of the smallest piece
LIBRARIES = 400e6  # bytes that are taken whatever the rows are
DOCUMENT = 200  # bytes of a row of the longest query, which is found at once
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
        stream = _Stream(loaded, request, engine, progress, kept)
        with stream.blame_checkpoints():
            found = stream.compute_results()
            if stream.is_resumed:  # a damaged state may lead to values that are not numbers
                json.dumps(asdict(found[1]), allow_nan=False, skipkeys=True, default=str)
    if kept is not None:
        kept.trim()
    return found


@contextmanager
def _engine(loaded: LoadedConfig, threads: int, allow_remote: bool) -> Iterator[Engine]:
    """Who reads the rows: threads of this process, or the workers of a cluster."""
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


class _Running(Protocol[GroupResult]):
    """What is found of row groups, taken in one after the other."""

    def add(self, part: GroupResult) -> None: ...

    def state(self) -> State: ...

    def resume(self, state: State) -> None: ...


class _Stream:
    """One dataset with all that is known before its rows are read."""

    def __init__(
        self,
        loaded: LoadedConfig,
        request: DatasetRequest,
        engine: Engine,
        progress: Progress,
        cache: Cache | None,
    ) -> None:
        self.loaded, self.config, self.request = loaded, loaded.config, request
        self.engine, self.progress, self.cache = engine, progress, cache
        self.longest = self.queries = 0  # rows of a query, and how many there are
        self.is_resumed = False
        with _locate_errors(loaded):
            self.table: GroupedTable = open_row_groups(request)
            refuse_streamed_totals(request, self.table)
        if request.ranked is not None and request.query is not None:
            self._find_queries(request.query.name)
        self.config = self.config.model_copy(
            update={"per_class": list_additive_class_metrics(loaded)}
        )
        self.reader = build_reader(self.config, request, self.table, PIECE)
        self._fit_memory()

    @contextmanager
    def blame_checkpoints(self) -> Iterator[None]:
        """Within the block, blame any fault on the checkpoint of an earlier run, if one is used."""
        try:
            yield
        except (ReportgenError, OSError, MemoryError):
            raise
        except Exception as error:
            if not self.is_resumed:
                raise
            raise DataError(
                "the checkpoint of an earlier run does not fit these rows; run `reportgen "
                "cache clear`, then this again"
            ) from error

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
            summands,
            layout.centre,
            layout.same,
            layout.own,
            layout.drawn,
            *self.reader.plan.sampling.design.identity,
        )

    def compute_results(self) -> tuple[LoadedDataset, DatasetResults]:
        """All passes over what is asked, and what comes of them."""
        surveys, kept = RunningSurvey(), Checkpoints(self.cache, self.identity)
        self._follow("looking at the rows", SurveyPass(self.reader), surveys, kept)
        found = surveys.all
        if found.rows < 2 or not found.heaviest > 0:
            raise DataError(f"{self.table.shown}: {found.rows} rows left that could be judged")
        self._refuse_repeats(found)
        self.reader = replace(self.reader, apart=found.apart)
        ranks = self._tables(found, kept) if self.reader.ranked else {}
        totals = self._totals(found, ranks, kept)
        tails = self._tails(totals, kept)
        findings = build_streamed_results(
            self.reader.plan, totals, self._curves(), self._untold(), tails
        )
        self.table.refuse_replaced()
        return self._data(found, totals), findings

    def _find_queries(self, column: str) -> None:
        """Give each row group whole queries: those that begin in it."""
        table, found = self.table, QueryRunsByGroup()
        name = digest_parts(digest_code(*CODE), table.digests, table.sources, column)
        work, kept = QueryPass(table, column), Checkpoints(self.cache, name)
        self._follow("looking for queries", work, found, kept)
        with self.blame_checkpoints():
            self.table = replace(table, groups=regroup_whole_queries(table, found.runs, column))
            self.longest = compute_max_query_rows(found.runs)
            self.queries = sum(len(each.keys) for each in found.runs)

    def _tables(self, found: Survey, kept: Checkpoints) -> RankTables:
        """Sort rows into bins: measures of ranks are then sums of what a row adds to them."""
        is_weighted = self.request.weight is not None
        binning = choose_binning(self.reader.ranked, found.sampled, is_weighted)
        counts, work = (
            binning.running(),
            BinningPass(self.reader, binning, self._weight_grain(found)),
        )
        self._follow("sorting rows into bins", work, counts, kept)
        return counts.tables()

    def _follow(
        self, stage: str, work: Pass[Part], running: _Running[Part], kept: Checkpoints
    ) -> None:
        """Take in what the work finds of each row group, from where a run before was killed on."""
        groups, progress = self.table.groups, self.progress
        done, state = kept.load_state(stage)
        self.is_resumed |= bool(done)
        with self.blame_checkpoints():
            if done:
                running.resume(state)
                before = sum(group.rows for group in groups[:done])
                progress.stage(f"{stage}, from row {before + 1:,} on", self.table.rows)
            else:
                progress.stage(stage, self.table.rows)
            for number, part in enumerate(self.engine.parts(work, groups[done:]), done + 1):
                running.add(part)
                kept.keep(stage, number, running.state, number == len(groups))
                progress.done(groups[number - 1].before + groups[number - 1].rows)

    def _totals(self, found: Survey, ranks: RankTables, kept: Checkpoints) -> Totals:
        """The last pass: all sums."""
        layout, weight_grain = self.reader.layout_with(ranks), self._weight_grain(found)
        grain = layout.grains(column_grains(layout.bounds(_largest(found, layout), found.heaviest)))
        sums = RunningSums()
        work = SumPass(self.reader, ranks, grain, weight_grain)
        self._follow("adding up and resampling", work, sums, kept)
        whole, drawn, clusters = sums.all.own, sums.all.drawn, sums.all.clusters
        own, replicates = to_real(whole, grain), to_real(drawn, layout.drawn_grains(grain))
        replicates = replicates[: self.reader.plan.sampling.design.replicates]
        plain, tables = len(layout.resampled), layout.tables
        weights = clusters.sums.astype(np.float64) * weight_grain
        return Totals(
            layout,
            own[: layout.terms_in_all],
            replicates[:, :plain],
            found.rows,
            found.lacking,
            found.heaviest,
            found.amount,
            None if self.request.resampling_unit is None else weights,
            found.judged,
            own[layout.terms_in_all + 1 :][: len(layout.judging)],
            find_identical_models(found, list(self.config.models)),
            {of: len(keys) for of, keys in found.payers.items()},
            tuple(map(int, found.classes[1])),
            {value: len(keys) for value, keys in found.holders.items()},
            {model: len(scores) for model, scores in found.scores.items()},
            found.sampled,
            layout.products_of_wide(own),
            float(own[layout.terms_in_all]),
            TableSums(tables, own[len(own) - tables.own :], replicates[:, plain:]),
            found.units,
        )

    def _tails(self, totals: Totals, kept: Checkpoints) -> TailsOfRows:
        """What the rows add to the errors of measures that may have a heavy tail.

        Behind those found heavy that weigh one side more stand errors, which are looked at alike.
        """
        plan = self.reader.plan
        every = [(use.key, model.name) for use in plan.statistics.metrics for model in plan.models]
        looks = plan_tails(totals, every)
        tails = self._look_at_tails("looking at the largest", looks, kept)
        heavy = [of for of, tail in tails.items() if tail.may_be_told]
        raw = self._look_at_tails("adding up errors", plan_error_tails(totals, heavy), kept)
        about = plan_error_tails(totals, heavy, raw)
        return TailsOfRows(tails, self._look_at_tails("looking at the largest errors", about, kept))

    def _look_at_tails(self, stage: str, looks: Mapping[Of, TailTerm], kept: Checkpoints) -> Tails:
        running = RunningTails(looks)
        if looks:
            self._follow(stage, TailPass(self.reader, looks), running, kept)
        return running.all

    def _curves(self) -> list[str]:
        """The curves that the config names itself; those that it has unasked stand at its head."""
        curves, head = self.config.curves, self.loaded.place()
        return list(
            dict.fromkeys(
                use.name for k, use in enumerate(curves) if self.loaded.place(("curves", k)) != head
            )
        )

    def _untold(self) -> list[str]:
        """The metrics that rows held in memory would be told of each class."""
        return [name for name in self.loaded.config.per_class if name not in self.config.per_class]

    def _fit_memory(self) -> None:
        """Take pieces that fit into the memory that may be had, or say what would."""
        most, piece = self.config.compute.most_bytes, self.reader.piece
        while most is not None and self._need(piece) > most:
            if piece <= SMALLEST_PIECE:
                text = (
                    f"compute.memory is {self.config.compute.memory}, and these rows take at least "
                    f"{self._need(piece) / 1e6:,.0f} MB with {self.engine.holding}; "
                    "allow as much, or write the files with smaller row groups"
                )
                at = ("compute", "memory")
                raise ConfigError([Problem(text, at, self.loaded.place(at))])
            piece //= 2
        self.reader = with_piece_size(self.reader, piece)

    def _need(self, piece: int) -> float:
        """About how many bytes are taken: libraries, row groups, and columns of pieces."""
        ranked, layout = len(self.reader.ranked), self.reader.layout
        terms = 3 * (len(layout.own) + ranked**2) + 5 * (layout.columns + ranked)
        tables = (
            12
            * 8
            * (
                layout.tables.own
                + layout.tables.drawn * self.reader.plan.sampling.design.replicates
            )
        )
        drawn = 12 * 8 * self.reader.plan.sampling.design.replicates * len(layout.resampled)
        group = 3 * max(each.size for each in self.table.groups)
        ids = 32 * min(self.table.rows, MOST)
        bins = estimate_bin_bytes(self.reader.ranked, self.request.weight is not None)
        tails = 3 * BYTES * len(self.reader.plan.statistics.metrics) * len(self.config.models)
        sums = max(drawn + tables, tails)  # in one pass and in another
        each = group + sums + 8 * terms * piece + DOCUMENT * self.longest
        found = ids + bins + QUERY * self.queries
        return LIBRARIES + found + self.engine.threads * each

    def _weight_grain(self, found: Survey) -> float:
        return 1.0 if self.request.weight is None else weight_grain(found.heaviest)

    def _refuse_repeats(self, found: Survey) -> None:
        """Refuse ids that stand for several rows, as far as they are held."""
        column = self.request.table.id
        if column is None or not (many := count_repeated_keys([found.ids])):
            return
        among = f" among the {MOST:,} or so that were looked at" if self.table.rows > MOST else ""
        raise DataError(
            f"{self.table.shown}: id column {column.name!r} has {format_count(many, 'id')} more "
            "than "
            f"once{among}; an id must name one row"
        )

    def _data(self, found: Survey, totals: Totals) -> LoadedDataset:
        """What is known of the rows; their digests are those of the files."""
        together, request = self.request.resampling_unit, self.request
        weight = request.weight.name if request.weight else None
        rule = self.table.filter.text if self.table.filter else ""
        head, asked = self.reader.head, self.reader.asked
        info = DatasetInfo(
            name=request.name,
            role="test",
            target=request.target.name,
            unit=request.unit,
            n=totals.rows,
            weight=weight,
            cluster=together[1].name if together else None,
            clusters=None if totals.clusters is None else len(totals.clusters),
            design="",
            inputs=self.table.inputs(),
            waterfall=tuple(iter_waterfall_steps(found, asked, self.table.rows, rule)),
            columns=(),
            segments=(),
            is_numbered=request.table.id is None and request.ranked is None,
            is_streamed=True,
            case=("query", "queries") if request.ranked is not None else ("row", "rows"),
            classes=tuple(iter_class_infos(request, head.classes, found.classes[0])),
            labels_per_row=_labels_per_row(found, totals) if request.has_labels else None,
            effective_n=totals.weight**2 / float(totals.own[2]) if weight else None,
        )
        sizes = {each.value: each.n for each in info.classes}
        warnings = (*iter_row_warnings(found, request, asked), *warn_absent_classes(request, sizes))
        return LoadedDataset(_identify_sample(head, self.table), info, warnings)


def _largest(found: Survey, layout: Layout) -> Vector:
    """The largest size of each column, those of ranks after the others."""
    ranked = [e.largest for e in layout.summands.values() if isinstance(e, BinnedSummand)]
    return np.append(found.largest, ranked)


def _labels_per_row(found: Survey, totals: Totals) -> tuple[Number, Number, Number]:
    """How many labels a row has: on average, by its weight, at least and at most."""
    least, most = found.ends[:, 0]
    return round_number(totals.labels / totals.weight), float(least), float(most)


def _identify_sample(head: Sample, table: GroupedTable) -> Sample:
    """A sample that is told from others by the files: their digests stand for the rows."""

    def read_column(name: str) -> Vector:
        text = "\n".join((*table.digests, name)).encode()
        return np.frombuffer(sha256(text).digest(), np.uint32).astype(np.float64)

    models = {model: ModelColumns(read_column(model)) for model in head.models}
    return Sample(head.dataset, table.digests, AmountTarget(read_column("rows")), models)
