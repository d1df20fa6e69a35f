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
from math import nan

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.isotonic import rising_blocks
from reportgen.kernels.score_cells import ClassWeights
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


def joint_calibration(rows: Classes | LabelSets, weight: Vector) -> JointCalibration:
    """All parts of one model, on rows with weights.

    >>> draw = np.random.default_rng(1)
    >>> code = draw.integers(0, 3, 300)
    >>> sure = np.where(np.arange(3) == code[:, None], 0.2, 0.4)
    >>> found = joint_calibration(Classes(code, sure, ("a", "b", "c")), np.ones(300))
    >>> found.p, [part.label for part in found.parts]
    (0.002, [None, 'a', 'b', 'c'])
    """
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
