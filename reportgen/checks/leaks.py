"""Checks of models that are too good: nearly without error, or where they are certain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.checks.check import UNSEEN, Numbers, Read, check
from reportgen.checks.inputs import OfModel
from reportgen.kernels.batch import Column, Index, Matrix, Vector

FEWEST_STEPS = 20
"""Different probabilities from which on a gap between them says something."""
CUTS = (0.99, 0.995)
"""Probabilities from which on a model is called certain."""
WIDTH = 1.5  # log odds
LOWEST_ODDS = -9.3


@dataclass(frozen=True)
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


@dataclass(frozen=True, eq=False)
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
