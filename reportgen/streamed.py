"""A dataset whose rows are read piece by piece: what a config may ask, and how it is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import sha256
from typing import Protocol, TypeVar

import numpy as np

from reportgen.analysis.findings import DatasetFindings
from reportgen.analysis.plan import AnalysisPlan
from reportgen.analysis.subset import RowSubset
from reportgen.config import Config, Loaded
from reportgen.data.dataset import LoadedDataset, class_infos
from reportgen.data.groups import GroupedTable, RowGroup, open_groups
from reportgen.data.keys import MOST, repeated
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
from reportgen.resampling.cache import Cache, code_digest, digest
from reportgen.results import DatasetInfo
from reportgen.rows import Rows
from reportgen.streamable import refuse
from reportgen.streaming.checkpoints import Checkpoints, State
from reportgen.streaming.clusters import (
    NONE,
    grain_of,
    together,
    weights_of,
)
from reportgen.streaming.findings import findings_of
from reportgen.streaming.grids import (
    Counts,
    binned,
    binned_summand,
    edges_of,
    is_binned,
    weight_by_bin,
)
from reportgen.streaming.layout import Layout, columns_of, layout_of, layout_with
from reportgen.streaming.summed import RunningBins, RunningSums, SummedRows
from reportgen.streaming.sums import added, carried, drawn_sums, grains, own_sums, real
from reportgen.streaming.values import Totals
from reportgen.surveyed import (
    Asked,
    RunningSurvey,
    Survey,
    joined,
    same_rows,
    survey,
    warnings_of_rows,
    waterfall,
)

Part = TypeVar("Part")
Taken = TypeVar("Taken", contravariant=True)
PIECE = 32_768  # rows of which columns are made at a time
LEAST = 4_096  # rows of the smallest piece
LIBRARIES = 400e6  # bytes that are taken whatever the rows are
UNREAD = {"report", "outputs", "gates", "pdf", "sections", "warnings", "privacy", "previous",
          "compute", "curves"}  # fmt: skip
"""Keys of a config that no sum depends on."""
CODE = ("data", "streaming", "surveyed.py", "streamed.py", "plan.py", "operating.py", "tasks")
FIRST = 10_000  # rows that give the centres of columns


@dataclass(frozen=True, eq=False)
class Streamed:
    """A dataset that was streamed: what is known of it, what is found, and its first rows."""

    data: LoadedDataset
    findings: DatasetFindings


def is_streamed(config: Config) -> bool:
    """Whether rows are to be read piece by piece."""
    return config.compute.engine == "stream"


def streamed(
    loaded: Loaded, threads: int, progress: Progress, cache: Cache | None = None
) -> Streamed:
    """Read the dataset twice, for sizes and for sums, and answer all that the config asks.

    What is found of row groups is kept in the cache, so that a run that was killed goes on.
    """
    refuse(loaded)
    (request,) = dataset_requests(loaded)
    stream = _Stream(loaded, request, threads)
    kept = None if loaded.config.plugins else cache
    found = stream.answered(progress, Checkpoints(kept, stream.identity))
    if kept is not None:
        kept.trim()
    return found


class _Running(Protocol[Taken]):
    """What is found of row groups, taken in one after the other."""

    def add(self, part: Taken) -> None: ...

    def state(self) -> State: ...

    def resume(self, state: State) -> None: ...


class _Stream:
    """One dataset with all that is known before its rows are read."""

    def __init__(self, loaded: Loaded, request: DatasetRequest, threads: int) -> None:
        self.loaded, self.config, self.request = loaded, loaded.config, request
        self.threads, self.piece = threads, PIECE
        try:
            self.table: GroupedTable = open_groups(request)
        except ConfigError as error:
            placed = (replace(p, place=loaded.place(p.at)) for p in error.problems)
            raise ConfigError(list(placed)) from None
        self.asked: Asked = ()
        self.head = self._head()
        with about_zero():
            self.plan: AnalysisPlan = analysis_plan(self.config, self.head)
            bound = RowSubset(self.plan, None).bound
            self.layout: Layout = layout_of(bound, self.plan.pairs)
        self.ranked = {of: e.statistic for of, e in bound.items() if is_binned(e.statistic)}
        self._fit_memory()

    @property
    def identity(self) -> str:
        """A name for all that the sums depend on but the rows' places in row groups."""
        asked = self.config.model_dump(exclude=UNREAD)
        summands = [
            (of, each.at, each.metric.name, sorted(each.metric.params.items()))
            for of, each in self.layout.summands.items()
        ]
        return digest(
            code_digest(*CODE), self.table.digests, self.request, asked, summands,
            self.layout.centre, self.layout.own, self.layout.drawn, *self.plan.design.identity,
        )  # fmt: skip

    def answered(self, progress: Progress, kept: Checkpoints) -> Streamed:
        """Both passes, and what comes of them."""
        surveys = RunningSurvey()
        self._follow("looking at the rows", self._surveyed, surveys, progress, kept)
        found = surveys.all
        if found.rows < 2 or not found.heaviest > 0:
            raise DataError(f"{self.table.shown}: {found.rows} rows left that could be judged")
        self._refuse_repeats(found)
        if self.ranked:
            found = self._with_ranks(found, progress, kept)
        totals = self._totals(found, progress, kept)
        return Streamed(self._data(found, totals), findings_of(self.plan, totals, self._curves()))

    def _with_ranks(self, found: Survey, progress: Progress, kept: Checkpoints) -> Survey:
        """Sort scores into bins: measures of ranks are then sums of what a row adds to them."""
        edges = {model: edges_of(scores) for model, scores in found.sampled.items()}
        bins, grain = RunningBins(), self._weight_grain(found)

        def sorted_into(group: RowGroup) -> dict[str, Counts]:
            part = RunningBins()
            for piece in self._pieces(group):
                data, weight = self._rows(piece.sample), piece.weight
                part.add({m: weight_by_bin(edges[m], data[m], np.rint(weight / grain))
                          for m in edges})  # fmt: skip
            return part.all

        self._follow("sorting scores into bins", sorted_into, bins, progress, kept)
        tables = {model: binned(edges[model], counts) for model, counts in bins.all.items()}
        place, summands = self.layout.columns, dict(self.layout.summands)
        largest = list(found.largest)
        for of, metric in self.ranked.items():
            each = binned_summand(metric, place, tables[of[1]])
            summands[of], place = each, place + 1
            largest.append(each.largest)
        self.layout = layout_with(summands, self.plan.pairs)
        return replace(found, largest=np.array(largest))

    def _follow(
        self,
        stage: str,
        work: Callable[[RowGroup], Part],
        running: _Running[Part],
        progress: Progress,
        kept: Checkpoints,
    ) -> None:
        """Take in what the work finds of each row group, from where a run before was killed on."""
        groups = self.table.groups
        done, state = kept.found(stage)
        if done:
            running.resume(state)
            before = sum(group.rows for group in groups[:done])
            progress.stage(f"{stage}, from row {before + 1:,} on", self.table.rows)
        else:
            progress.stage(stage, self.table.rows)
        for number, part in enumerate(self._mapped(work, progress, done), done + 1):
            running.add(part)
            kept.keep(stage, number, running.state, number == len(groups))

    def _totals(self, found: Survey, progress: Progress, kept: Checkpoints) -> Totals:
        """The second pass: all sums."""
        grain = grains(self.layout.bounds(found.largest, found.heaviest))
        sums = RunningSums()
        self._follow("adding up and resampling", lambda group: self._summed(group, grain, found),
                     sums, progress, kept)  # fmt: skip
        own, drawn, clusters = sums.all.own, sums.all.drawn, sums.all.clusters
        replicates = real(drawn, grain[self.layout.resampled])
        whole = clusters.sums.astype(np.float64) * self._weight_grain(found)
        return Totals(
            self.layout,
            real(own[:, 0], grain) + real(own[:, 1], grain * 2.0**-38),
            replicates[: self.plan.design.replicates],
            found.rows,
            found.lacking,
            found.heaviest,
            found.amount,
            None if self.request.together is None else whole,
            same_rows(found, list(self.config.models)),
            {of: len(keys) for of, keys in found.payers.items()},
            (int(found.classes[1, 0]), int(found.classes[1, 1])),
            {model: len(scores) for model, scores in found.scores.items()},
        )

    def _curves(self) -> list[str]:
        """The curves that the config names itself; those that it has unasked stand at its head."""
        curves, head = self.config.curves, self.loaded.place()
        return list(dict.fromkeys(
            use.name for k, use in enumerate(curves) if self.loaded.place(("curves", k)) != head
        ))  # fmt: skip

    def _mapped(
        self, work: Callable[[RowGroup], Part], progress: Progress, first: int
    ) -> Iterator[Part]:
        """The work on every row group from one on, a few at a time over the threads."""
        groups = self.table.groups[first:]
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
        for start in range(0, self.table.rows, FIRST):
            table = self.table.rows_from(start, FIRST)
            tables = Tables(table, {}, self.table.filter, ())
            found = piece_of(self.request, tables, start, self.table.rows)
            if found.sample.n > 1:
                self.asked = found.asked
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
        ranked = len(self.ranked)
        terms = 3 * (len(self.layout.own) + ranked**2) + 5 * (self.layout.columns + ranked)
        drawn = 6 * 8 * self.plan.design.replicates * len(self.layout.resampled)
        group = 3 * max(each.size for each in self.table.groups)
        ids = 32 * min(self.table.rows, MOST)
        return LIBRARIES + ids + self.threads * (group + drawn + 8 * terms * self.piece)

    def _rows(self, sample: Sample) -> dict[str, Rows]:
        return {each.name: each.rows for each in model_rows(self.config, sample)}

    def _surveyed(self, group: RowGroup) -> Survey:
        ranked = tuple(dict.fromkeys(model for _, model in self.ranked))
        with about_zero():
            return reduce(joined, (
                survey(piece, self.request, self.layout, self._rows(piece.sample),
                       self.table.rows, ranked)
                for piece in self._pieces(group)
            ))  # fmt: skip

    def _weight_grain(self, found: Survey) -> float:
        return 1.0 if self.request.weight is None else grain_of(found.heaviest)

    def _summed(self, group: RowGroup, grain: Vector, found: Survey) -> SummedRows:
        design, columns = self.plan.design, self.layout.resampled
        batches = -(-design.replicates // LANES)
        own = [carried(np.zeros((2, len(grain)), np.int64))]
        drawn = [carried(np.zeros((batches * LANES, len(columns)), np.int64))]
        clusters = [NONE]
        for piece in self._pieces(group):
            sample = piece.sample
            if not sample.n:
                continue
            with about_zero():
                centred, _ = columns_of(self.layout, self._rows(sample))
            weight = piece.weight
            high, sums = own_sums(self.layout.terms(centred, weight), grain)
            own.append(carried(sums))
            drawn.append(carried(drawn_sums(high[columns], piece.keys, design.stream_key, batches)))
            if self.request.together is not None:
                clusters.append(weights_of(piece.keys, weight, self._weight_grain(found)))
        return SummedRows(added(own), added(drawn), together(clusters))

    def _refuse_repeats(self, found: Survey) -> None:
        """Refuse ids that stand for several rows, as far as they are held."""
        column, many = self.request.table.id, repeated([found.ids])
        if column is None or not many:
            return
        among = f" among the {MOST:,} or so that were looked at" if self.table.rows > MOST else ""
        raise DataError(
            f"{self.table.shown}: id column {column.name!r} has {counted(many, 'id')} more than "
            f"once{among}; an id must name one row"
        )

    def _data(self, found: Survey, totals: Totals) -> LoadedDataset:
        """What is known of the rows; their digests are those of the files."""
        together, request = self.request.together, self.request
        weight = request.weight.name if request.weight else None
        rule = self.table.filter.text if self.table.filter else ""
        info = DatasetInfo(
            name=request.name, role="test", target=request.target.name, unit=request.unit,
            n=totals.rows, weight=weight, cluster=together[1].name if together else None,
            clusters=None if totals.clusters is None else len(totals.clusters),
            design="", inputs=self.table.inputs(),
            waterfall=tuple(waterfall(found, self.asked, self.table.rows, rule)),
            columns=(), segments=(),
            is_numbered=request.table.id is None, is_streamed=True,
            classes=tuple(class_infos(request, self.head.classes, found.classes[0])),
            effective_n=totals.weight**2 / float(totals.own[2]) if weight else None,
        )  # fmt: skip
        warnings = tuple(warnings_of_rows(found, request, self.asked))
        return LoadedDataset(_known_by(self.head, self.table), info, warnings)


def _known_by(head: Sample, table: GroupedTable) -> Sample:
    """A sample that is told from others by the files: their digests stand for the rows."""

    def told(name: str) -> Vector:
        text = "\n".join((*table.digests, name)).encode()
        return np.frombuffer(sha256(text).digest(), np.uint32).astype(np.float64)

    scores = {model: told(model) for model in head.scores}
    return Sample(head.dataset, table.digests, told("rows"), scores)
