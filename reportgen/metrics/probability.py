"""How good probabilities are: scores that a model gains most on by saying what it believes."""

from __future__ import annotations

from math import inf

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.metrics import questions
from reportgen.metrics.spec import rowwise

CLIP = float(np.finfo(np.float64).eps)  # the probability that a class has at least
GNEITING = (
    "Gneiting & Raftery (2007), Strictly proper scoring rules, prediction, and estimation, Journal "
    "of the American Statistical Association 102; doi:10.1198/016214506000001437"
)


@rowwise(
    title="Log loss",
    task="binary",
    better="lower",
    bounds=(0.0, inf),
    unit="nats",
    cite=GNEITING,
    estimand="mean",
    needs="probability",
    formula="−Σ w (y ln p + (1 − y) ln(1 − p)) / Σ w",
    undefined="where no row has weight",
    caveat="A probability of 0 for what happened has no logarithm: every class counts as at least "
    "2.2e-16 likely, which costs 36 nats.",
    answers=questions.PROBABILITY,
    asks="how far off the probabilities are, sure mistakes counting most",
    blind="what the decision is: probabilities far from any threshold count as those near it",
)
def log_loss(y: Vector, score: Vector) -> Vector:
    """Mean surprise at what happened, by the probability that the model gave it, in nats."""
    p = np.clip(score, CLIP, 1 - CLIP)
    return np.asarray(-(y * np.log(p) + (1 - y) * np.log1p(-p)))
