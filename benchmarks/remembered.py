"""A question as the study asks it, and its answer with the evidence of each number kept.

A report makes the evidence of a number when it needs it; the study needs it many times over.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.curves.spec import Curve
from reportgen.inference.design import Design
from reportgen.inference.evidence import Evidence
from reportgen.inference.multiplicity import Adjust
from reportgen.inference.question import Contestant, Question, Use
from reportgen.inference.study import Part, Study, study
from reportgen.kernels.batch import Vector


class Remembering(Study):
    """A study that makes each piece of evidence once."""

    def evidence(self, part: Part, use: Use, model: str) -> Evidence:
        """The evidence of a number, from memory if it was asked for before."""
        known = self.__dict__.setdefault("_known", {})
        key = (part.name, use.key, model)
        if key not in known:
            known[key] = super().evidence(part, use, model)
        return known[key]


def asked(
    y: Vector,
    scores: Mapping[str, Vector],
    pairs: tuple[tuple[str, str], ...],
    uses: tuple[Use, ...],
    replicates: int,
    seed: int,
    unit: np.ndarray | None = None,
    curves: tuple[Curve, ...] = (),
    adjust: Adjust = "none",
) -> Question:
    """What a plain config would ask of these rows."""
    return Question(
        dataset="sample",
        unit="y",
        y=y,
        contestants=tuple(Contestant(name, name, "amount", each) for name, each in scores.items()),
        pairs=pairs,
        uses=uses,
        curves=curves,
        segments=(),
        design=Design("sample", len(y), replicates, seed, unit=unit),
        level=0.95,
        interval="auto",
        adjust=adjust,
    )


def remembered(question: Question) -> Study:
    """The study of a question, with the evidence kept."""
    found = study(question)
    return Remembering(found.question, found.parts, found.replicates)
