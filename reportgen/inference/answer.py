"""A question about one dataset, and everything that is answered to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reportgen.inference.cache import Cache
from reportgen.inference.comparisons import comparisons
from reportgen.inference.curvebands import curve_results
from reportgen.inference.doubting import doubts
from reportgen.inference.estimates import estimates
from reportgen.inference.joint import joint_results
from reportgen.inference.question import Doubt, Question
from reportgen.inference.study import study
from reportgen.results import Comparison, CurveResult, Estimate, TableResult


@dataclass(frozen=True)
class Answer:
    """What is found on one dataset, rounded, and what makes one doubt it."""

    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...]
    curves: tuple[CurveResult, ...]
    tables: tuple[TableResult, ...]
    doubts: tuple[Doubt, ...]


def infer(
    question: Question,
    threads: int = 1,
    tick: Callable[[int], None] | None = None,
    cache: Cache | None = None,
) -> Answer:
    """Answer a question: estimates, comparisons, curves and doubts from one set of resamples."""
    found = study(question, threads, tick, cache)
    joint = tuple(joint_results(found))
    return Answer(
        estimates=tuple(estimates(found)),
        comparisons=tuple(comparisons(found)),
        curves=(*curve_results(found), *(c for c in joint if isinstance(c, CurveResult))),
        tables=tuple(table for table in joint if isinstance(table, TableResult)),
        doubts=tuple(doubts(found)),
    )
