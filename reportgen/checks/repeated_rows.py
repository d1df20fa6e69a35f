"""Checks of rows that repeat each other or hold their sum, and of scores that repeat the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.checks.check import UNSEEN, Numbers, Read, check
from reportgen.checks.inputs import OfData, OfModel
from reportgen.kernels.batch import Column, Vector

if TYPE_CHECKING:  # the names of checks must not wait for files
    from reportgen.data.totals import TotalRow

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def identify_rows(columns: Sequence[Vector]) -> NDArray[np.uint64]:
    """Compute a number for each row, (n,): rows with equal values have the same one."""
    identity = np.zeros(len(columns[0]), np.uint64)
    for values in columns:
        identity ^= (np.asarray(values, np.float64) + 0.0).view(np.uint64)
        identity *= _ODD
        identity ^= identity >> _SHIFT
    return identity


SIEVE = np.uint64(1 << 59)  # of numbers below it, one in 32, rows are counted before all are


def count_repeats(identity: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Count how often each different row occurs; one row that occurs once stands for all.

    It settles whether rows are doubled, and soon turns up among many.
    """
    few = _count_equal(identity[identity < SIEVE])
    return few[few == 1][:1] if np.any(few == 1) else _count_equal(identity)


def _count_equal(values: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Count how often each different value occurs."""
    ascending = np.sort(values)
    ends = np.flatnonzero(np.append(ascending[1:] != ascending[:-1], True))
    return np.diff(ends, prepend=-1)


@dataclass(frozen=True, eq=False)
class ScoreColumns:
    """A target of amounts, and every column of scores, of some or all of `rows` rows.

    Of an amount there are all rows or none.
    """

    y: Column
    scores: Sequence[Vector]
    rows: int


class RepeatedRowsSubject(OfData):
    """The rows of a data set: how often each occurs, the amounts, and a row of totals.

    `times` are those of `count_repeats`, `total` is False where no row holds totals.
    """

    times: Read[NDArray[np.intp]] = UNSEEN
    columns: Read[ScoreColumns] = UNSEEN
    total: Read[TotalRow | Literal[False]] = UNSEEN


class CopySubject(OfModel):
    """A target of amounts, and the scores of one model."""

    y: Read[Column] = UNSEEN
    score: Read[Column] = UNSEEN


@check("W308", RepeatedRowsSubject)
def find_doubled(times: NDArray[np.intp], *, distinct: int) -> Numbers | None:
    """Find that every row, target and scores, occurs a multiple of two or more times."""
    if len(times) < distinct:
        return None
    multiple, n = int(np.gcd.reduce(times)), int(times.sum())
    return {"times": multiple, "distinct": len(times), "rows": n} if multiple > 1 else None


@check("W309", RepeatedRowsSubject)
def find_copies(
    columns: ScoreColumns,
    *,
    rare: float,
    fewest: int,
    share: float,
    distinct: float,
) -> Numbers | None:
    """Find that many rows with a rare target are equal to another in the target and all scores.

    Not if scores differ little, as those of models that know few values do.
    """
    y, scores = columns.y, columns.scores
    n, times = len(y), np.bincount(y.group, minlength=y.groups)
    is_rare = (times <= max(2, rare * columns.rows))[y.group]
    count = int(np.count_nonzero(is_rare))
    if count < fewest:
        return None
    times_equal = _count_equal(identify_rows([each[is_rare] for each in (y.values, *scores)]))
    copied = int(times_equal[times_equal > 1].sum())
    if copied < share * count or len(_count_equal(identify_rows(scores))) < distinct * n:
        return None
    return {"copied": copied, "rare": count, "share": copied / count}


@check("W310", RepeatedRowsSubject)
def find_total_row(total: TotalRow | Literal[False]) -> Numbers | None:
    """Find a row that holds totals of the others."""
    if not total:
        return None
    return {
        "where": total.where,
        "because": total.because,
        "rule": "" if total.is_more else total.rule,
        "more_rule": total.rule if total.is_more else "",
    }


@check("W311", CopySubject)
def find_target_copy(
    y: Column, score: Column, *, values: int, rows: int, share: float
) -> Numbers | None:
    """Find a score that is the target, or in exactly its order, but for its commonest value."""
    times = np.bincount(y.group, minlength=y.groups)
    is_other = y.group != int(np.argmax(times))
    others = int(np.count_nonzero(is_other))
    if y.groups < values or others < rows:
        return None
    equal = int(np.count_nonzero(score.values[is_other] == y.values[is_other]))
    if equal >= share * others:
        return {"equal": equal, "others": others}
    if score.groups != y.groups:
        return None
    is_same = np.array_equal(score.group, y.group)
    is_opposite = np.array_equal(score.group, y.groups - 1 - y.group)
    return {"equal": 0, "others": others} if is_same or is_opposite else None
