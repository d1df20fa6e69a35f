"""Checks of models that are too good, of scores that repeat the target, and of repeated rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.checks.check import UNSEEN, Numbers, Read, check
from reportgen.checks.inputs import OfData, OfModel
from reportgen.kernels.batch import Column, Index, Matrix, Vector
from reportgen.records import record

if TYPE_CHECKING:  # the names of checks must not wait for files
    from reportgen.data.totals import TotalRow


FEWEST_STEPS = 20
"""Different probabilities from which on a gap between them says something."""
CUTS = (0.99, 0.995)
"""Probabilities from which on a model is called certain."""
WIDTH = 1.5  # log odds
LOWEST_ODDS = -9.3


@record
class Errors:
    """The rows, those of the rarer class, and those on the wrong side of the best threshold.

    `auc` is None where predicted classes are evaluated: `wrong` are then those in error.
    """

    rows: int
    rarer: int
    wrong: int
    auc: float | None = None


def count_errors_at_best(y: Column, score: Column) -> int:
    """Count the rows of two classes on the wrong side of the threshold that divides them best."""
    ends = np.flatnonzero(score.is_last)
    upper = np.cumsum(y.values[score.order] > 0)[ends]
    wrong = upper + (len(y) - upper[-1]) - (ends + 1 - upper)
    return int(min(wrong.min(), len(y) - upper[-1]))


@record(eq=False)
class Certainty:
    """The log odds that a model gives the class of each row, and those of its wrong claims.

    `given` (ascending) are of the rows of the rarer of two classes, or of rows that are predicted
    rightly; `wrong` are claims of that class for other rows, or of a wrong class. `rows` are all.
    """

    given: Vector
    wrong: Vector
    rows: int
    certain: int = 0


def measure_certainty(code: Index, probability: Matrix) -> Certainty | None:
    """Measure how certain a model is, from classes by number and (n, k) probabilities."""
    n, k = probability.shape
    if k == 1:
        is_upper = code > 0
        claimed = probability[:, 0]
        if 2 * np.count_nonzero(is_upper) > n:
            is_upper, claimed = ~is_upper, 1 - claimed
        certain = np.count_nonzero(np.maximum(claimed, 1 - claimed) >= CUTS[0])
    else:
        claimed = probability.max(axis=1)
        is_upper = probability.argmax(axis=1) == code
        certain = np.count_nonzero(claimed >= CUTS[0])
    odds = _compute_log_odds(claimed)
    return Certainty(np.sort(odds[is_upper]), odds[~is_upper], n, int(certain))


def _compute_log_odds(probability: Vector) -> Vector:
    inside = np.clip(probability, 1e-5, 1 - 1e-5)
    return np.asarray(np.log(inside / (1 - inside)))


class LeakSubject(OfModel):
    """A model that tells classes apart: its errors, and how certain its probabilities are."""

    errors: Read[Errors] = UNSEEN
    certainty: Read[Certainty] = UNSEEN


@check("W314", LeakSubject)
def find_too_good(
    errors: Errors, *, rarer: int, auc: float, rows: int, rarer_of_rows: int, wrong: int
) -> Numbers | None:
    """Find classes that a model tells apart nearly without error, on many rows."""
    if errors.auc is None:
        is_notable = errors.rows >= rows and errors.wrong == 0
    else:
        is_notable = errors.rarer >= rarer and errors.auc > auc
        is_divided = errors.rows >= rows and errors.rarer >= rarer_of_rows
        is_notable = is_notable or (is_divided and errors.wrong <= wrong)
    if not is_notable:
        return None
    return {"wrong": errors.wrong, "auc": errors.auc or 0.0}


def _is_coarse(unsure: Vector) -> bool:
    """Return whether few probabilities are possible, as of neighbours that are counted."""
    return len(np.unique(unsure)) < max(FEWEST_STEPS, len(unsure) / 2)


@check("W321", LeakSubject)
def find_certain_part(
    certainty: Certainty, *, fewest: int, share: float, wrong: float, valley: float
) -> Numbers | None:
    """Find that a model is certain on some rows and never wrong there, and unsure on the others.

    Between the two lies a valley: few rows are nearly certain. A model that knows more of some rows
    than of others has none, however strong it is.
    """
    given = certainty.given
    for cut in CUTS:
        edge = float(_compute_log_odds(np.array([cut]))[0])
        certain = len(given) - int(np.searchsorted(given, edge))
        mistakes = int(np.count_nonzero(certainty.wrong >= edge))
        if certain < max(fewest, share * len(given)) or mistakes > wrong * certain:
            continue
        if _is_coarse(given[: len(given) - certain]):
            continue
        bounds = np.arange(edge - WIDTH, LOWEST_ODDS - WIDTH, -WIDTH)[::-1]
        places: Index = np.searchsorted(given, bounds)
        below = int(np.diff(places).max())
        between = len(given) - certain - int(places[-1])
        if below >= fewest and valley * between < min(certain, below):
            return {
                "share": certainty.certain / certainty.rows,
                "certain": certain,
                "mistakes": mistakes,
                "probability": cut,
            }
    return None


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


@record(eq=False)
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
