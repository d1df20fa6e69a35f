"""Bins of targets and scores, counted over row groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Places, Vector
from reportgen.metrics.metric import Metric
from reportgen.metrics.rows import Amounts, Rows
from reportgen.streaming.layout import Of
from reportgen.streaming.pair_tables import PairCells, PairPlane, compute_pair_measures
from reportgen.streaming.rank_bins import (
    Binning,
    Counts,
    RankTables,
    ScoreBins,
    build_axis,
    choose_edges,
    find_binned_line,
    group_bins,
)
from reportgen.streaming.sums import State

COARSE = 1 << 10  # bins of either axis of a grid
FINE = 1 << 6  # bins within a coarse one
AT_ONCE = 1 << 18  # rows whose cells are found at a time
LOW = 15  # bits of a weight that are squared apart from the others
TARGET = ""


@dataclass(frozen=True, eq=False)
class PairCodes:
    """The codes of some rows by the target and by the score of each model, and their weights.

    Weights are whole numbers; None where each is 1.
    """

    y: Places
    scores: Mapping[str, Places]
    whole: Counts | None


@dataclass(frozen=True, eq=False)
class PairBins:
    """Bins of the target and of the score of each model."""

    planes: Mapping[str, PairPlane]
    is_weighted: bool

    def of_piece(self, data: Mapping[str, Rows], whole: Vector) -> PairCodes:
        """The codes of some rows."""
        y, scores = np.empty(0, np.int32), dict[str, Places]()
        for model, plane in self.planes.items():
            rows = data[model]
            assert isinstance(rows, Amounts)
            y = plane.y.codes(rows.y).astype(np.int32)
            scores[model] = plane.score.codes(rows.score).astype(np.int32)
        return PairCodes(y, scores, whole.astype(np.int64) if self.is_weighted else None)

    def of_group(self, pieces: Sequence[PairCodes]) -> PairCodes:
        """The codes of all pieces."""
        wholes = [piece.whole for piece in pieces if piece.whole is not None]
        return PairCodes(
            np.concatenate([piece.y for piece in pieces]),
            {m: np.concatenate([piece.scores[m] for piece in pieces]) for m in self.planes},
            np.concatenate(wholes) if wholes else None,
        )

    def running(self) -> RunningPairs:
        """No weight as yet."""
        return RunningPairs(self.planes)


def build_pair_bins(
    models: Sequence[str],
    sampled: Mapping[str, Vector],
    is_weighted: bool,
    coarse: int | None = None,
    fine: int | None = None,
) -> PairBins:
    """The bins that the targets and scores of sampled rows give, those of one row side by side.

    On either axis there are so many coarse bins, `COARSE` unless told, of so many fine ones,
    `FINE` unless told.
    """
    coarse, fine = coarse or COARSE, fine or FINE
    nothing = np.empty(0)
    target = sampled.get(TARGET, nothing)
    y, planes = build_axis(target, coarse, fine), dict[str, PairPlane]()
    for model in models:
        scores = sampled.get(model, nothing)
        score = build_axis(scores, coarse, fine)
        place = [a.coarse[a.codes_of(v)] for a, v in ((y, target), (score, scores))]
        cells = np.bincount(place[0] * coarse + place[1], minlength=coarse**2)
        cells = cells.reshape(coarse, coarse)
        used = [int(axis.coarse[-1]) + 1 for axis in (y, score)]
        planes[model] = PairPlane(
            y, score, group_bins(cells, used[1], fine), group_bins(cells.T, used[0], fine)
        )
    return PairBins(planes, is_weighted)


def estimate_pair_bytes(models: int, is_weighted: bool) -> float:
    """About how many bytes all tables take: cells, the state kept of them, and what comes of them.

    Without weights the numbers of a state are small.
    """
    cells = COARSE**2 + 2 * COARSE * FINE**2
    return 8.0 * cells * (models * (3.5 if is_weighted else 1.7) + 1)


class RunningPairs:
    """The weight in all cells by model, of all row groups so far."""

    def __init__(self, planes: Mapping[str, PairPlane]) -> None:
        self._planes = planes
        self._squares = np.zeros(3, np.int64)
        self._cells = {model: plane.empty() for model, plane in planes.items()}

    def add(self, part: PairCodes) -> None:
        """Take in the rows of a row group."""
        for start in range(0, len(part.y), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            y = part.y[rows]
            weight = np.ones(len(y), np.int64) if part.whole is None else part.whole[rows]
            high, low = weight >> LOW, weight & ((1 << LOW) - 1)
            self._squares += [(high * high).sum(), (high * low).sum(), (low * low).sum()]
            for model, plane in self._planes.items():
                _count(plane, self._cells[model], y, part.scores[model][rows], weight)

    def state(self) -> State:
        """The same as arrays by name, in as few bytes as hold them."""
        found = [
            ((model, name), _small(array))
            for model, cells in self._cells.items()
            for name, array in cells.arrays().items()
        ]
        return [(("squares",), self._squares), *found]

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""
        for name, array in state:
            if len(name) == 1:
                self._squares += array
            else:
                self._cells[name[0]].arrays()[name[1]][...] += array.astype(np.int64)

    def tables(self) -> RankTables:
        """Each measure of each model."""
        high, both, low = map(int, self._squares)
        squares = float((high << 2 * LOW) + (both << LOW + 1) + low)
        return {
            (name, model): table
            for model, plane in self._planes.items()
            for name, table in compute_pair_measures(plane, self._cells[model], squares).items()
        }


def _count(plane: PairPlane, cells: PairCells, y: Places, score: Places, weight: Counts) -> None:
    """Add the weight of rows to their cells."""
    size, fine = plane.y.most, plane.y.fine
    by_y, by_score = plane.y.coarse[y], plane.score.coarse[score]
    at = by_y * size + by_score
    over = (by_y * fine + plane.score_groups.ravel()[at]) * fine + plane.y.within[y]
    np.add.at(cells.y, y.astype(np.intp), weight)
    np.add.at(cells.score, score.astype(np.intp), weight)
    np.add.at(cells.grid.reshape(-1), at, weight)
    np.add.at(cells.by_y.reshape(-1), over, weight)
    group = plane.y_groups.ravel()[by_score * size + by_y]
    over = (by_score * fine + group) * fine + plane.score.within[score]
    np.add.at(cells.by_score.reshape(-1), over, weight)


def _small(array: Counts) -> NDArray[np.unsignedinteger]:
    """The same whole numbers, none below 0, in the fewest bytes each."""
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))


def needs_pair_bins(ranked: Mapping[Of, Metric]) -> bool:
    """Whether metrics are found from bins of target and score."""
    lines = (find_binned_line(metric) for metric in ranked.values())
    return any(line is not None and line.measure != "roc_auc" for line in lines)


def estimate_bin_bytes(ranked: Mapping[Of, Metric], is_weighted: bool) -> float:
    """About how many bytes the bins take in which rows are counted, whatever the rows."""
    models = len({model for _, model in ranked})
    return estimate_pair_bytes(models, is_weighted) if needs_pair_bins(ranked) else 0.0


def choose_binning(
    ranked: Mapping[Of, Metric], sampled: Mapping[str, Vector], is_weighted: bool
) -> Binning:
    """The bins of each model that metrics of it are found from, as values of sampled rows cut them.

    Two classes ask for bins of the score, amounts for bins of target and score.
    """
    models = list(dict.fromkeys(model for _, model in ranked))
    if needs_pair_bins(ranked):
        return build_pair_bins(models, sampled, is_weighted)
    return ScoreBins({model: choose_edges(sampled.get(model, np.empty(0))) for model in models})
