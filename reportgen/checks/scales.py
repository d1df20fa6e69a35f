"""Checks of scores: their scale, labels in place of probabilities, and rows without one."""

from __future__ import annotations

from math import atanh, exp, inf, isfinite, log, sqrt, tanh

import numpy as np

from reportgen.checks.check import UNSEEN, Numbers, Read, check
from reportgen.checks.inputs import OfModel
from reportgen.checks.orders import compute_quantile, measure_spearman
from reportgen.kernels.batch import Column, Matrix, Vector
from reportgen.records import record
from reportgen.results.types import Scalar

TIMES = (0.001, 0.01, 0.1, 10.0, 100.0, 1000.0)
FEWEST_SCORES = 3  # that differ
FEWEST_RATIOS = 10  # of a score and a target that are not 0
NORMAL_IQR = 1.349  # quartile range of a Normal distribution over its standard deviation


@record
class ScaleGuess:
    """A transform of scores, as a config writes it, and the median that it gives them."""

    transform: str
    median: float


class ScaleSubject(OfModel):
    """A target of amounts and the scores of a model as such, or (n, k) probabilities of classes."""

    y: Read[Column] = UNSEEN
    score: Read[Column] = UNSEEN
    probability: Read[Matrix] = UNSEEN


@check("W305", ScaleSubject)
def find_scale(
    y: Column,
    score: Column,
    *,
    rows: int,
    factor: float,
    level: float,
    level_of_spread: float,
    spread: float,
) -> Numbers | None:
    """Find amounts on another scale than the target, although they rise together.

    Their size is off tenfold, in the mean and in the median ratio beyond what the spread of y
    explains. Too small ones must rise closely with y: those of a weak model may all be near 0. Or
    errors are several times as large as the spread of y.
    """
    n = len(y)
    if n < rows or score.groups < FEWEST_SCORES or y.groups < 2:
        return None
    size = _compare_sizes(y.values, score.values)
    is_far = size is not None and abs(size[0]) >= log(factor)
    is_wide = _is_error_wide(y, score, spread)
    if not is_far and not is_wide:
        return None
    order = measure_spearman(y, score)
    if order is None:
        return None
    low = _lower_spearman(order.value, n)
    is_off = (
        is_far
        and size is not None
        and low > (0.0 if size[0] > 0 else level)
        and abs(size[1]) >= log(factor) + size[2]
        and size[0] * size[1] > 0
    )
    if not is_off and not (is_wide and low > level_of_spread):
        return None
    numbers: dict[str, Scalar] = {
        "metrics": "amount cost",
        "low": float(score.values.min()),
        "high": float(score.values.max()),
        "y_low": float(y.values.min()),
        "y_high": float(y.values.max()),
        "spearman": order.value,
        "y_median": float(np.median(y.values)),
    }
    guess = guess_transform(y.values, score.values)
    if guess is None:
        return {**numbers, "transform": "", "median": None}
    return {**numbers, "transform": guess.transform, "median": guess.median}


def _compare_sizes(y: Vector, score: Vector) -> tuple[float, float, float] | None:
    """Compare sizes: the log ratio of means, its median over rows, and what y's spread explains."""
    mean_y, mean_score = float(np.abs(y).mean()), float(np.abs(score).mean())
    both = (y != 0) & (score != 0)
    if np.count_nonzero(both) < FEWEST_RATIOS or not (mean_y > 0 and mean_score > 0):
        return None
    logs = np.log(np.abs(y[both]))
    typical = float(np.median(np.log(np.abs(score[both])) - logs))
    return log(mean_score / mean_y), typical, float(logs.var()) / 2


def _is_error_wide(y: Column, score: Column, times: float) -> bool:
    error = np.abs(score.values - y.values)
    if not sqrt(float(error @ error) / len(error)) > times * float(y.values.std()):
        return False
    quartiles = np.quantile(y.values, [0.25, 0.75])
    return float(np.median(error)) > times * float(quartiles[1] - quartiles[0]) / NORMAL_IQR


def _lower_spearman(value: float, n: int) -> float:
    """Compute the lower 99% limit of Spearman's correlation (Bonett and Wright)."""
    inside = min(max(value, -0.999999), 0.999999)
    return tanh(atanh(inside) - 2.576 * sqrt((1 + value**2 / 2) / (n - 3)))


def guess_transform(y: Vector, score: Vector) -> ScaleGuess | None:
    """Guess the transform that brings scores to the target's scale; None if none does.

    Compared are the medians and the quartile ranges of rows whose target is not 0.
    """
    has_size = y != 0
    aim = np.quantile(y[has_size], [0.25, 0.5, 0.75])
    own = np.quantile(score[has_size], [0.25, 0.5, 0.75])
    name = "expm1" if (y == 0).any() else "exp"
    tried = [(name, np.exp(own) - (name == "expm1"))] if own[2] < 700 else []
    tried += [(f"{{times: {times:g}}}", times * own) for times in TIMES]
    rated = [(_rate(aim, each), k) for k, (_, each) in enumerate(tried)]
    off, best = min(rated)
    if not off < log(1.5):
        return None
    name, _ = tried[best]
    middle = float(np.median(score))
    if name.startswith("exp"):
        return ScaleGuess(name, exp(middle) - (name == "expm1"))
    return ScaleGuess(name, float(name[8:-1]) * middle)


def _rate(aim: Vector, each: Vector) -> float:
    """Rate how far quantiles are from those aimed at: the larger of two log ratios."""
    if not (aim[1] * each[1] > 0 and aim[2] > aim[0] and each[2] > each[0]):
        return np.inf
    off = abs(log(each[1] / aim[1]))
    width = abs(log((each[2] - each[0]) / (aim[2] - aim[0])))
    return max(off, width / 3) if isfinite(off) else np.inf


@check("W312", ScaleSubject)
def find_hard_labels(probability: Matrix, *, rows: int) -> Numbers | None:
    """Find probabilities that are all 0 or 1, both of them."""
    if len(probability) < rows or not np.isin(probability[: 2 * rows], (0.0, 1.0)).all():
        return None
    ones = int(np.count_nonzero(probability == 1))
    zeros = int(np.count_nonzero(probability == 0))
    if not (ones and zeros and ones + zeros == probability.size):
        return None
    return {"ones": ones, "metrics": "order probability"}


@record(eq=False)
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


@record
class JudgeBias:
    """A judge's error for a model less that for its baseline, with limits, and the corrected gain.

    Both are signed so that above 0 is in favour of the model; None where there are no limits.
    """

    favour: float
    favour_low: float | None
    corrected: float | None = None
    corrected_high: float | None = None
    baseline_name: str = ""


class JudgeSubject(OfModel):
    """A model that a judge scored, next to the labels of a human."""

    bias: Read[JudgeBias] = UNSEEN


@check("W324", JudgeSubject)
def find_judge_bias(bias: JudgeBias) -> Numbers | None:
    """Find that a judge favours a model, or that labels make its gain a loss."""
    is_for = bias.favour_low is not None and bias.favour_low > 0
    is_loss = bias.corrected_high is not None and bias.corrected_high < 0
    if not is_for and not is_loss:
        return None
    return {
        "favour": bias.favour,
        "other": bias.baseline_name,
        **({} if bias.corrected is None else {"corrected": bias.corrected}),
    }
