"""A dataset whose rows are read piece by piece: what a config may ask, and how it is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TypeVar

import numpy as np

from reportgen.analysis.findings import DatasetFindings
from reportgen.analysis.plan import AnalysisPlan
from reportgen.analysis.subset import RowSubset
from reportgen.config import Config, Loaded
from reportgen.data.dataset import LoadedDataset
from reportgen.data.groups import GroupedTable, RowGroup, open_groups
from reportgen.data.keys import MOST, Keys, held, repeated
from reportgen.data.pieces import Piece, piece_of
from reportgen.data.request import DatasetRequest
from reportgen.data.sample import Sample
from reportgen.data.table import counted
from reportgen.data.tables import Tables
from reportgen.errors import ConfigError, DataError, Problem
from reportgen.kernels.batch import LANES, Vector
from reportgen.metrics.residual import about_zero
from reportgen.plan import analysis_plan, dataset_requests, model_rows
from reportgen.progress import Progress
from reportgen.results import DatasetInfo, WaterfallStep
from reportgen.rows import Rows
from reportgen.streaming.evidence import findings_of, metrics_that_lack_sums
from reportgen.streaming.layout import Layout, columns_of, layout_of
from reportgen.streaming.sums import Whole, added, carried, drawn_sums, grains, own_sums, real
from reportgen.streaming.values import Totals
from reportgen.tasks import TASKS

Found = TypeVar("Found")
PIECE = 32_768  # rows of which columns are made at a time
LEAST = 4_096  # rows of the smallest piece
LIBRARIES = 400e6  # bytes that are taken whatever the rows are
FIRST = 10_000  # rows that give the centres of columns
KEYS = ("labels", "strata", "balance", "query", "fold", "repeat", "time", "segments", "sample",
        "count")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Streamed:
    """A dataset that was streamed: what is known of it, what is found, and its first rows."""

    data: LoadedDataset
    findings: DatasetFindings


@dataclass(frozen=True, eq=False)
class Survey:
    """What a first look at some rows gives: all of it a count or a largest value."""

    rows: int
    removed: dict[tuple[str, str], int]
    largest: Vector
    heaviest: float
    amount: float
    lacking: Vector
    clusters: Keys
    ids: Keys


def is_streamed(config: Config) -> bool:
    """Whether rows are to be read piece by piece."""
    return config.compute.engine == "stream"


def streamed(loaded: Loaded, threads: int, progress: Progress, piece: int = PIECE) -> Streamed:
    """Read the dataset twice, for sizes and for sums, and answer all that the config asks."""
    refuse(loaded)
    (request,) = dataset_requests(loaded)
    return _Stream(loaded, request, threads, piece).answered(progress)


def refuse(loaded: Loaded) -> None:
    """Refuse what is not offered when streamed, each with its place."""
    config, problems = loaded.config, []

    def add(text: str, *at: str | int) -> None:
        said = f"{text} when streamed; remove it, or use `engine: memory`"
        problems.append(Problem(said, at, loaded.place(at)))

    if TASKS[config.task].target != "amount":
        add(f"task: {config.task} is not offered", "task")
    if len(config.datasets) > 1:
        add("several datasets are not offered", "datasets")
    for name, dataset in config.datasets.items():
        for key in KEYS:
            if getattr(dataset, key):
                add(f"datasets.{name}.{key} is not offered", "datasets", name, key)
    for name, model in config.models.items():
        if model.scores:
            add(f"models.{name}.scores, a file of its own, is not offered", "models", name)
        if model.trained_on:
            add(f"models.{name}.trained_on is not offered", "models", name)
    for key in ("costs", "folds", "across"):
        if getattr(config, key) is not None:
            add(f"{key} is not offered", key)
    if config.bootstrap.weights != "poisson":
        add("bootstrap.weights is poisson, written out, and nothing else", "bootstrap")
    if problems:
        raise ConfigError(problems)


class _Stream:
    """One dataset with all that is known before its rows are read."""

    def __init__(self, loaded: Loaded, request: DatasetRequest, threads: int, piece: int) -> None:
        self.loaded, self.config, self.request = loaded, loaded.config, request
        self.threads, self.piece = threads, piece
        try:
            self.table: GroupedTable = open_groups(request)
        except ConfigError as error:
            placed = (replace(p, place=loaded.place(p.at)) for p in error.problems)
            raise ConfigError(list(placed)) from None
        self.head = self._head()
        with about_zero():
            self.plan: AnalysisPlan = analysis_plan(self.config, self.head)
            self._refuse_metrics()
            bound = RowSubset(self.plan, None).bound
            self.layout: Layout = layout_of(bound, self.plan.pairs)
        self._fit_memory()

    def answered(self, progress: Progress) -> Streamed:
        """Both passes, and what comes of them."""
        progress.stage("looking at the rows", self.table.rows)
        surveys = list(self._mapped(self._surveyed, progress))
        largest = np.max([each.largest for each in surveys], axis=0)
        heaviest = max(each.heaviest for each in surveys)
        rows = sum(each.rows for each in surveys)
        if rows < 2 or not heaviest > 0:
            raise DataError(f"{self.table.shown}: {rows} rows left that could be judged")
        self._refuse_repeats(surveys)
        grain = grains(self.layout.bounds(largest, heaviest))
        progress.stage("adding up and resampling", self.table.rows)
        own: list[Whole] = []
        drawn: list[Whole] = []
        for one, other in self._mapped(lambda group: self._summed(group, grain), progress):
            own, drawn = [added([*own, one])], [added([*drawn, other])]
        low = grain * 2.0**-38
        sums = real(own[0][:, 0], grain) + real(own[0][:, 1], low)
        replicates = real(drawn[0], grain[self.layout.resampled])
        totals = Totals(
            self.layout,
            sums,
            replicates[: self.plan.design.replicates],
            rows,
            np.sum([each.lacking for each in surveys], axis=0),
            heaviest,
            max(each.amount for each in surveys),
            self._clusters(surveys),
        )
        return Streamed(self._data(surveys, totals), findings_of(self.plan, totals, self._curves()))

    def _curves(self) -> list[str]:
        """The curves that the config names itself; those that it has unasked stand at its head."""
        curves, head = self.config.curves, self.loaded.place()
        return list(dict.fromkeys(
            use.name for k, use in enumerate(curves) if self.loaded.place(("curves", k)) != head
        ))  # fmt: skip

    def _mapped(self, work: Callable[[RowGroup], Found], progress: Progress) -> Iterator[Found]:
        """The work on every row group, a few at a time over the threads."""
        groups = self.table.groups
        with ThreadPoolExecutor(self.threads) as pool:
            for start in range(0, len(groups), self.threads):
                some = groups[start : start + self.threads]
                yield from pool.map(work, some)
                progress.done(some[-1].before + some[-1].rows)

    def _pieces(self, group: RowGroup) -> Iterator[Piece]:
        table = self.table.read(group)
        for start in range(0, group.rows, self.piece):
            part = table.part(start, self.piece)
            tables = Tables(part, {}, self.table.filter, ())
            yield piece_of(self.request, tables, group.before + start, self.table.rows)

    def _head(self) -> Sample:
        """The first rows that are judged: the same whatever the pieces."""
        for group in self.table.groups:
            table = self.table.read(group).part(0, FIRST)
            tables = Tables(table, {}, self.table.filter, ())
            found = piece_of(self.request, tables, group.before, self.table.rows)
            if found.sample.n > 1:
                return found.sample
        raise DataError(f"{self.table.shown}: no rows left to compare models on")

    def _fit_memory(self) -> None:
        """Take pieces that fit into the memory that may be had, or say what would."""
        most = self.config.compute.most_bytes
        while most is not None and self._need() > most:
            if self.piece <= LEAST:
                text = (
                    f"compute.memory is {self.config.compute.memory}, and these rows take at least "
                    f"{self._need() / 1e6:,.0f} MB with --threads {self.threads}; allow as much, "
                    "or write the files with smaller row groups"
                )
                at = ("compute", "memory")
                raise ConfigError([Problem(text, at, self.loaded.place(at))])
            self.piece //= 2

    def _need(self) -> float:
        """About how many bytes are taken: libraries, row groups, and columns of pieces."""
        terms = 3 * len(self.layout.own) + 5 * self.layout.columns
        drawn = 6 * 8 * self.plan.design.replicates * len(self.layout.resampled)
        group = 3 * max(each.size for each in self.table.groups)
        ids = 32 * min(self.table.rows, MOST)
        return LIBRARIES + ids + self.threads * (group + drawn + 8 * terms * self.piece)

    def _refuse_metrics(self) -> None:
        places = {use.key: index for index, use in enumerate(self.config.metrics)}
        problems = [
            Problem(
                f"metric {use.key!r} is no function of sums over rows, and not offered when "
                "streamed; remove it, or use `engine: memory`",
                ("metrics", places[use.key]),
                self.loaded.place(("metrics", places[use.key])),
            )
            for use in metrics_that_lack_sums(self.plan)
        ]
        if problems:
            raise ConfigError(problems)

    def _rows(self, sample: Sample) -> dict[str, Rows]:
        return {each.name: each.rows for each in model_rows(self.config, sample)}

    def _surveyed(self, group: RowGroup) -> Survey:
        removed: dict[tuple[str, str], int] = {}
        largest, lacking = np.zeros(self.layout.columns), np.zeros(len(self.layout.summands))
        heaviest = amount = 0.0
        rows, clusters, ids = 0, [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
        for piece in self._pieces(group):
            for step in piece.steps[1:-1]:
                key = step.step, "" if step.step == "dropped" else step.reason
                removed[key] = removed.get(key, 0) + step.removed
            sample = piece.sample
            if not sample.n:
                continue
            rows += sample.n
            if self.request.table.id is not None:
                ids.append(held(piece.ids, self.table.rows))
            heaviest = max(heaviest, 1.0 if sample.weight is None else float(sample.weight.max()))
            data = self._rows(sample)
            with about_zero():
                columns, lacks = columns_of(self.layout, data)
            largest = np.maximum(largest, np.abs(columns).max(axis=1))
            lacking += lacks
            amount = max(amount, *(each.largest() for each in data.values()))
            if self.request.together is not None:
                weighs = slice(None) if sample.weight is None else sample.weight > 0
                clusters.append(np.unique(piece.keys[weighs]))
        found = np.unique(np.concatenate(clusters))
        own = np.concatenate(ids)
        return Survey(rows, removed, largest, heaviest, amount, lacking, found, own)

    def _summed(self, group: RowGroup, grain: Vector) -> tuple[Whole, Whole]:
        design, columns = self.plan.design, self.layout.resampled
        batches = -(-design.replicates // LANES)
        own, drawn = [], []
        for piece in self._pieces(group):
            sample = piece.sample
            if not sample.n:
                continue
            with about_zero():
                centred, _ = columns_of(self.layout, self._rows(sample))
            weight = np.ones(sample.n) if sample.weight is None else sample.weight
            high, sums = own_sums(self.layout.terms(centred, weight), grain)
            own.append(carried(sums))
            drawn.append(carried(drawn_sums(high[columns], piece.keys, design.stream_key, batches)))
        if not own:
            empty = np.zeros((2, len(grain)), np.int64)
            return carried(empty), carried(np.zeros((batches * LANES, len(columns)), np.int64))
        return added(own), added(drawn)

    def _refuse_repeats(self, surveys: list[Survey]) -> None:
        """Refuse ids that stand for several rows, as far as they are held."""
        column, many = self.request.table.id, repeated([each.ids for each in surveys])
        if column is None or not many:
            return
        among = f" among the {MOST:,} or so that were looked at" if self.table.rows > MOST else ""
        raise DataError(
            f"{self.table.shown}: id column {column.name!r} has {counted(many, 'id')} more than "
            f"once{among}; an id must name one row"
        )

    def _clusters(self, surveys: list[Survey]) -> int | None:
        if self.request.together is None:
            return None
        return len(np.unique(np.concatenate([each.clusters for each in surveys])))

    def _data(self, surveys: list[Survey], totals: Totals) -> LoadedDataset:
        """What is known of the rows; their digests are those of the files."""
        steps, left = [WaterfallStep("read", self.table.rows, 0, "")], self.table.rows
        removed: dict[tuple[str, str], int] = {}
        for survey in surveys:
            for key, count in survey.removed.items():
                removed[key] = removed.get(key, 0) + count
        for (step, reason), count in removed.items():
            left -= count
            steps.append(WaterfallStep(step, left, count, reason or "missing values"))
        together, request = self.request.together, self.request
        weight = request.weight.name if request.weight else None
        info = DatasetInfo(
            name=request.name, role="test", target=request.target.name, unit=request.unit,
            n=totals.rows, weight=weight, cluster=together[1].name if together else None,
            clusters=totals.clusters, design="", inputs=self.table.inputs(),
            waterfall=(*steps, WaterfallStep("used", totals.rows, 0, "")), columns=(), segments=(),
            is_numbered=request.table.id is None, is_streamed=True,
            effective_n=totals.weight**2 / float(totals.own[2]) if weight else None,
        )  # fmt: skip
        return LoadedDataset(_known_by(self.head, self.table), info, ())


def _known_by(head: Sample, table: GroupedTable) -> Sample:
    """A sample that is told from others by the files: their digests stand for the rows."""

    def told(name: str) -> Vector:
        text = "\n".join((*table.digests, name)).encode()
        return np.frombuffer(sha256(text).digest(), np.uint32).astype(np.float64)

    scores = {model: told(model) for model in head.scores}
    return Sample(head.dataset, table.digests, told("rows"), scores)
