"""Tables of counts without cells of fewer rows than may be told.

A cell that is hidden alone in its line is the total of the line less the others, so the next
smallest is hidden with it, until at least two are and they hold enough rows together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.data.sample import Sample
from reportgen.privacy.bins import SURE, rows_worth
from reportgen.results import (
    ConfusionDifference,
    ConfusionMatrix,
    LabelCalls,
    OperatingPoint,
    PairedValues,
    Wins,
)

Samples = Mapping[str, Sample]
Flags = NDArray[np.bool_]


def told_points(
    points: Sequence[OperatingPoint], fewest: int, samples: Samples
) -> tuple[OperatingPoint, ...]:
    """The operating points; one at which any model has a small cell is left out for all."""
    few = {(p.dataset, p.name) for p in points if _has_few(p, fewest, samples)}
    return tuple(p for p in points if (p.dataset, p.name) not in few)


def told_calls(
    calls: Iterable[LabelCalls], fewest: int, samples: Samples
) -> tuple[LabelCalls, ...]:
    """The calls of labels without a small cell."""
    return tuple(each for each in calls if not _has_few(each, fewest, samples))


def _has_few(of: OperatingPoint | LabelCalls, fewest: int, samples: Samples) -> bool:
    cells = (of.true_negatives, of.false_positives, of.false_negatives, of.true_positives)
    known = [each or 0.0 for each in cells]
    size = _by_rows(sum(known), of.dataset, samples)
    return any(0 < size(each) < fewest - SURE for each in known)


def _by_rows(total: float, dataset: str, samples: Samples) -> Callable[[float], float]:
    """How many rows a weight is at least."""
    sample = samples.get(dataset)
    if sample is None or sample.weight is None or not total:
        return lambda weight: weight
    share = rows_worth(sample.n, sample) / total
    return lambda weight: weight * share


def told_confusions(
    matrices: Iterable[ConfusionMatrix], fewest: int, samples: Samples
) -> tuple[ConfusionMatrix, ...]:
    """The confusions with None for cells off the diagonal that are not told."""
    return tuple(_masked(each, fewest, samples) for each in matrices)


def told_differences(
    differences: Iterable[ConfusionDifference],
    matrices: Iterable[ConfusionMatrix],
    classes: Mapping[str, Sequence[str]],
) -> Iterator[ConfusionDifference]:
    """Those whose cells are told of both models; the share of a class would be its count."""
    known = {(each.dataset, each.model): each.weight for each in matrices}
    for each in differences:
        names = classes[each.dataset]
        i, j = names.index(each.value), names.index(each.called)
        if all(known[each.dataset, model][i][j] is not None
               for model in (each.candidate, each.baseline)):  # fmt: skip
            yield each


def _masked(matrix: ConfusionMatrix, fewest: int, samples: Samples) -> ConfusionMatrix:
    weight = np.array([[x or 0.0 for x in row] for row in matrix.weight])
    size = _by_rows(float(weight.sum()), matrix.dataset, samples)
    hidden = hidden_cells(np.vectorize(size, otypes=[float])(weight), fewest)
    return replace(matrix, weight=tuple(
        tuple(None if hidden[i, j] else x for j, x in enumerate(row))
        for i, row in enumerate(matrix.weight)
    ))  # fmt: skip


def hidden_cells(rows: NDArray[np.float64], fewest: int) -> Flags:
    """Which cells off the diagonal are hidden, so that no line gives a small one away.

    >>> few = np.array([[50.0, 1, 4, 9], [8, 60, 0, 7], [7, 9, 70, 6], [8, 5, 5, 80]])
    >>> hidden_cells(few, 5).astype(int)
    array([[0, 1, 1, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0],
           [0, 1, 1, 0]])
    """
    away = ~np.eye(len(rows), dtype=bool)
    hidden: Flags = away & (rows > 0) & (rows < fewest - SURE)
    before = -1
    while int(hidden.sum()) != before:
        before = int(hidden.sum())
        for line in range(len(rows)):
            _hide_more(rows[line], hidden[line], away[line], fewest)
        for line in range(len(rows)):
            _hide_more(rows[:, line], hidden[:, line], away[:, line], fewest)
    return hidden


def _hide_more(size: NDArray[np.float64], hidden: Flags, away: Flags, fewest: int) -> None:
    """Hide the next smallest cells of a line, in place, while those hidden can be had."""
    while hidden.any() and (hidden.sum() < 2 or size[hidden].sum() < fewest - SURE):
        free = np.flatnonzero(away & ~hidden)
        if not len(free):
            return
        held = free[size[free] > 0]
        among = held if len(held) else free
        hidden[among[np.argmin(size[among])]] = True


def told_pairs(pairs: Iterable[PairedValues], fewest: int) -> tuple[PairedValues, ...]:
    """Both values of each row, where every box and every bar that holds rows holds enough."""
    return tuple(
        each
        for each in pairs
        if not any(0 < (size or 0.0) < fewest for size in (*each.count, *each.bars))
    )


def told_wins(wins: Iterable[Wins], fewest: int) -> Iterator[Wins]:
    """The wins with means of enough rows in place of the difference of each."""
    for each in wins:
        values = [x for x in each.differences if x is not None]
        count = min(len(values), each.n // fewest) if fewest > 1 else len(values)
        if count == len(values):
            yield each
            continue
        parts = np.array_split(np.array(values), count) if count else []
        yield replace(each, differences=tuple(float(f"{part.mean():.10g}") for part in parts))
