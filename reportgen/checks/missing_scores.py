"""Checks of rows that were left out because a model has no score for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from reportgen.checks.check import UNSEEN, Numbers, Read, check
from reportgen.checks.inputs import OfModel
from reportgen.checks.orders import compute_quantile
from reportgen.kernels.batch import Vector


@dataclass(frozen=True, eq=False)
class LeftOutRows:
    """Losses of a model and of its baseline on the rows that are kept, and of the latter on others.

    `most` is the largest loss that the model may have there: that of a probability is 1, that of
    an amount the largest of the others, or of the baseline.
    """

    model: Vector
    baseline: Vector
    left_out: Vector
    most: float
    baseline_name: str = ""


def compute_losses(y: Vector, score: Vector, *, is_probability: bool) -> Vector:
    """Compute squared errors of probabilities, or absolute errors of amounts."""
    error = score - y
    return error**2 if is_probability else np.abs(error)


class LeftOutSubject(OfModel):
    """A model that has no score for some rows, which were left out."""

    rows: Read[LeftOutRows] = UNSEEN


@check("W322", LeftOutSubject)
def find_left_out(rows: LeftOutRows, *, fewest: int, tail: float, times: float) -> Numbers | None:
    """Find that the rows without a score of a model are harder, and could reverse its advantage.

    Harder are rows on which the baseline loses more, beyond chance and beyond a notable ratio. They
    could reverse the advantage if the model lost as much there as is possible.
    """
    n, left = len(rows.baseline), len(rows.left_out)
    if min(n, left) < fewest:
        return None
    kept_loss, lost = float(rows.baseline.mean()), float(rows.left_out.mean())
    error = sqrt(float(rows.baseline.var(ddof=1)) / n + float(rows.left_out.var(ddof=1)) / left)
    units = min(n, left)
    if not (lost > times * kept_loss and lost - kept_loss > compute_quantile(tail, units) * error):
        return None
    gain = kept_loss - float(rows.model.mean())
    worst = (n * gain + left * (lost - rows.most)) / (n + left)
    best = (n * gain + left * lost) / (n + left)
    if not gain > 0 or not worst < 0:
        return None
    ratio = lost / kept_loss if kept_loss > 0 else inf
    return {
        "left_out": left,
        "share": left / (n + left),
        "kept_loss": kept_loss,
        "lost": lost,
        "ratio": ratio,
        "gain": gain,
        "worst": worst,
        "best": best,
        "other": rows.baseline_name,
    }
