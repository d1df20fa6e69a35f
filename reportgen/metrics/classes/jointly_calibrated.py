"""Whether the probabilities of several classes, or of labels, may be right: one test of them all.

Of several classes it asks of the class that each row is called whether it happens as often as its
probability says, and of each class against the rest; of labels of each label. Every such part is a
question of two classes, answered by how much worse the probabilities are than their rising fit. To
compare parts, that is told in standard deviations of what right probabilities show; the largest of
a model is set against the largest of each sample of a model that is right, so that many classes
reject a right model no more often than one does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, nan

import numpy as np

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.kernels.isotonic import rising_blocks
from reportgen.kernels.score_cells import ClassWeights
from reportgen.metrics.classes.calibrated_in_clusters import p_in_clusters
from reportgen.metrics.classes.corp import loss_of_blocks
from reportgen.metrics.classes.multiclass_calibration import top_label
from reportgen.metrics.classes.recalibrated import draws_by_cell, evenly_uncertain, weight_in
from reportgen.metrics.spec import METRICS
from reportgen.rows import Classes, LabelSets

DRAWS, SEED = 499, 15_079
MOST_CELLS = 200
FEWEST = 1.0  # rows, by the probabilities, that a part has of either kind: under it none is a draw
SURE_P = 0.01  # under it chance hardly makes a model that is right so wrong


@dataclass(frozen=True)
class OfCalls:
    """The mean probability of the class that each row is called, and the share it is right for."""

    said: float
    right: float


@dataclass(frozen=True)
class Miscalibrated:
    """A part whose probabilities chance hardly makes so wrong, and by how much they are.

    It is that of a label, or without one that of the class which each row is called.
    """

    label: str | None
    error: float
    calls: OfCalls | None = None


@dataclass(frozen=True)
class JointCalibration:
    """The test of all parts of a model together, and those that are not right.

    `p` is the share of models that are right with a part as far off as the farthest one here; nan
    where no part can be judged.
    """

    p: float
    parts: tuple[Miscalibrated, ...]


def joint_calibration(
    rows: Classes | LabelSets, weight: Vector, unit: Index | None = None
) -> JointCalibration:
    """All parts of one model, on rows with weights; `unit` (n,) says which hang together.

    Where some do each part is tested by their residuals, its p times the number of parts.

    >>> draw = np.random.default_rng(1)
    >>> code = draw.integers(0, 3, 300)
    >>> sure = np.where(np.arange(3) == code[:, None], 0.2, 0.4)
    >>> found = joint_calibration(Classes(code, sure, ("a", "b", "c")), np.ones(300))
    >>> found.p, [part.label for part in found.parts]
    (0.002, [None, 'a', 'b', 'c'])
    """
    if unit is not None:
        return _in_clusters(rows, weight, unit)
    rng = np.random.default_rng(SEED)
    parts, found, drawn = [], [], []
    for label, part in _parts(rows):
        away = _away(part, weight, rng)
        if away is not None:
            parts.append((label, part))
            found.append(away[0])
            drawn.append(away[1])
    if not parts:
        return JointCalibration(nan, ())
    largest = np.max(drawn, axis=0)
    chance = np.array([_share(largest, each) for each in found])
    off = (each for each, p in zip(parts, chance, strict=True) if p < SURE_P)
    return JointCalibration(
        float(chance.min()), tuple(_told(label, part, weight) for label, part in off)
    )


def said_of_each(
    rows: Classes | LabelSets, weight: Vector
) -> Iterator[tuple[str | None, float, float]]:
    """Of the called class (None) and of each class or label: said on average, and what happened."""
    total = max(float(weight.sum()), 1e-300)
    for label, part in _parts(rows):
        said, happened = (float(weight @ v) / total for v in (part.score.values, part.y.values))
        yield label, said, happened


def calls_rightly(rows: Classes | LabelSets, weight: Vector) -> int:
    """The number of rows where every one is called rightly; 0 where one is not, or all are alike.

    >>> rows = Classes(np.array([0, 1]), np.array([[0.9, 0.1], [0.2, 0.8]]), ("a", "b"))
    >>> calls_rightly(rows, np.ones(2))
    2
    """
    use = weight > 0
    if isinstance(rows, LabelSets):
        parts = [rows.of(place) for place in range(len(rows.labels))]
        happened = np.stack([part.y.values[use] > 0 for part in parts], axis=1)
        said = np.stack([part.score.values[use] >= 0.5 for part in parts], axis=1)
        is_right = np.array_equal(happened, said)
        varies = len(np.unique(happened, axis=0)) > 1
    else:
        is_right = bool((top_label(rows).y.values[use] > 0).all())
        varies = len(np.unique(rows.code[use])) > 1
    return int(use.sum()) if is_right and varies else 0


def _in_clusters(rows: Classes | LabelSets, weight: Vector, unit: Index) -> JointCalibration:
    parts = list(_parts(rows))
    each = [p_in_clusters(part.y.values, part.score.values, weight, unit) for _, part in parts]
    judged = np.array([p for p in each if isfinite(p)])
    if not len(judged):
        return JointCalibration(nan, ())
    off = [pair for pair, p in zip(parts, each, strict=True) if p * len(judged) < SURE_P]
    least = min(1.0, float(judged.min()) * len(judged))
    return JointCalibration(least, tuple(_told(label, part, weight) for label, part in off))


def _told(label: str | None, part: Classes, weight: Vector) -> Miscalibrated:
    error = METRICS["calibration_error"].bind(part).define(weight)
    if label is not None:
        return Miscalibrated(label, error)
    said, right = (float(weight @ v / weight.sum()) for v in (part.score.values, part.y.values))
    return Miscalibrated(label, error, OfCalls(said, right))


def _parts(rows: Classes | LabelSets) -> Iterator[tuple[str | None, Classes]]:
    if isinstance(rows, Classes):
        yield None, top_label(rows)
    for place, label in enumerate(rows.labels):
        yield label, rows.of(place)


def _share(largest: Vector, found: float) -> float:
    return (1 + int((largest >= found * (1 - 1e-12)).sum())) / (len(largest) + 1)


def _away(part: Classes, weight: Vector, rng: np.random.Generator) -> tuple[float, Vector] | None:
    """How far a part is from right, and as far samples of a right one, in their deviations.

    None where its probabilities promise no row of a kind.
    """
    said = np.clip(part.score.values, 0.0, 1.0)
    promised = float(weight @ said)
    heaviest = float(weight.max(initial=0.0))
    if not min(promised, float(weight.sum()) - promised) >= FEWEST * heaviest > 0:
        return None
    cells = evenly_uncertain(part, MOST_CELLS)
    both = weight_in(cells, weight)
    chance = weight_in(cells, weight * said) / np.where(both > 0, both, 1.0)
    drawn = draws_by_cell(cells, weight, chance, DRAWS, rng)
    happened = weight_in(cells, weight * part.y.values)
    found = _miscalibration(np.concatenate([happened[None], drawn]), both, chance)
    spread = float(found[1:].std())
    if not spread > 0:
        return None
    scaled = (found - found[1:].mean()) / spread
    return float(scaled[0]), scaled[1:]


def _miscalibration(upper: Matrix, both: Vector, chance: Vector) -> Vector:
    """By how much the probabilities are worse than the rising fit by the Brier score, (b,)."""
    lower = np.maximum(both - upper, 0.0)
    own = (upper @ (1 - chance) ** 2 + lower @ chance**2) / both.sum()
    return np.asarray(own - loss_of_blocks(*rising_blocks(ClassWeights.of(upper, lower)), "brier"))
