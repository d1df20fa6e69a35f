"""A question as the study of coverage asks it: what a plain config would ask of drawn rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from plans import make_plan

from reportgen.analysis.plan import AnalysisPlan, ModelScores, PlannedMetric
from reportgen.inference.multiplicity import Adjust
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Column, Vector
from reportgen.metrics.curves.curve import Curve
from reportgen.metrics.rows import Amounts


def asked(
    y: Vector,
    scores: Mapping[str, Vector],
    pairs: tuple[tuple[str, str], ...],
    uses: tuple[PlannedMetric, ...],
    replicates: int,
    seed: int,
    unit: np.ndarray | None = None,
    curves: tuple[Curve, ...] = (),
    adjust: Adjust = "none",
    weight: Vector | None = None,
    parts: Mapping[str, Mapping[str, Vector]] | None = None,
) -> AnalysisPlan:
    """What a plain config would ask of these rows; `parts` are further columns of each model."""
    shared = Column(y)  # sorted once for all models
    return make_plan(
        dataset="sample",
        models=tuple(
            ModelScores(name, name, Amounts(shared, each, (parts or {}).get(name)))
            for name, each in scores.items()
        ),
        pairs=pairs,
        metrics=uses,
        curves=curves,
        design=Design("sample", len(y), replicates, seed, weight, unit=unit),
        adjust=adjust,
    )
