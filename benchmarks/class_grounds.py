"""Where the study of two classes draws from: populations, samples of them, and what is true."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import expit, logit, ndtri

from reportgen.kernels.batch import Column, Index, Vector
from reportgen.metrics.classification.costs import list_cell_costs
from reportgen.metrics.rows import Classes

COSTS = {"fp": 1.0, "fn": 5.0, "tp": 0.0, "tn": 0.0}
CORRELATED = 0.2  # within a cluster: what decides the class, and each part of the scores
MODELS = ("first", "second", "third")


@dataclass(frozen=True)
class Drawn:
    """Rows: their class, each model's probabilities, their weight and their cluster, if any."""

    y: Vector
    models: dict[str, Vector]
    weight: Vector | None = None
    unit: Index | None = None


@dataclass(frozen=True)
class Ground:
    """Binormal scores: `positives` expected among n rows; `apart` is the distance of the classes.

    Log odds are multiplied by `slope`: below 1 probabilities are too timid. With `is_weighted`
    rows weigh by a law of their own with as much spread as mean, so that n rows count as n/2;
    with `clusters` so many equally large clusters share a part of what makes class and scores.
    """

    positives: int
    share: float
    auc: float
    slope: float = 1.0
    is_weighted: bool = False
    clusters: int = 0

    @property
    def n(self) -> int:
        """Rows."""
        return round(self.positives / self.share)

    @property
    def name(self) -> str:
        """It in words."""
        right = "right" if self.slope == 1 else f"log odds times {self.slope:g}"
        rows = f"{self.positives} of {self.n:,} positive, AUC {self.auc:g}, probabilities {right}"
        if self.is_weighted:
            rows += ", uneven weights"
        return f"{rows}, {self.clusters} clusters" if self.clusters else rows

    def draw(self, n: int, rng: np.random.Generator) -> Drawn:
        """What happened, and three models: two equally good, and one worse."""
        apart = sqrt(2) * float(ndtri(self.auc))
        if self.clusters:
            unit = np.arange(n) // (self.n // self.clusters)
            y = (_shared(unit, rng) < ndtri(self.share)).astype(float)
            noise = _shared(unit, rng)
            own = [_shared(unit, rng) for _ in MODELS]
        else:
            unit = None
            y = (rng.random(n) < self.share).astype(float)
            noise = rng.normal(size=n)
            own = [rng.normal(size=n) for _ in MODELS]
        models = {}
        for name, each in zip(MODELS, own, strict=True):
            d = 0.7 * apart if name == "third" else apart
            x = d * y + noise * sqrt(0.5) + sqrt(0.5) * each
            odds = d * (x - d / 2) + logit(self.share)
            models[name] = expit(self.slope * odds)
        weight = rng.gamma(1.0, size=n) if self.is_weighted else None
        return Drawn(y, models, weight, unit)


PLAIN = tuple(
    Ground(*each)
    for each in (
        (20, 0.1, 0.7),
        (20, 0.1, 0.87),
        (50, 0.5, 0.87),
        (50, 0.02, 0.87),
        (200, 0.1, 0.87),
        (200, 0.5, 0.97),
        (200, 0.5, 0.7, 0.6),
    )
)
SHAPED = (
    Ground(10, 0.05, 0.7),
    Ground(10, 0.05, 0.87),
    Ground(40, 0.2, 0.87, is_weighted=True),
    Ground(200, 0.5, 0.87, is_weighted=True),
    Ground(60, 0.1, 0.87, clusters=30),
    Ground(300, 0.5, 0.87, clusters=30),
)
FRESH = (Ground(75, 0.25, 0.8, is_weighted=True), Ground(100, 0.25, 0.8, clusters=20))
"""Populations at which nobody looked while limits were made."""


def rows_of(y: Vector, p: Vector, outcome: Column | None = None) -> Classes:
    """What statistics see of a model; a false alarm costs 1, a missed positive 5."""
    costs = np.tile(list_cell_costs(**COSTS), (len(y), 1))
    return Classes(
        y.astype(np.intp),
        p[:, None],
        ("0", "1"),
        "probability",
        outcome=outcome,
        cell_costs=costs,
    )


def _shared(unit: Index, rng: np.random.Generator) -> Vector:
    """Standard Normal numbers that correlate within a cluster."""
    of_unit = rng.normal(size=int(unit[-1]) + 1)[unit]
    return sqrt(CORRELATED) * of_unit + sqrt(1 - CORRELATED) * rng.normal(size=len(unit))
