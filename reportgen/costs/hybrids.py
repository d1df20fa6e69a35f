"""Hybrids: two models mixed at random, which reaches every point between them in expectation.

At the asymmetry at which both cost the same a hybrid costs that too; at any other one of the two
costs less. So a hybrid is for a target that is no cost: a mean error, or an over-estimation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from reportgen.analysis.joint import JointAnalysis
from reportgen.costs.cost_model import CostModel
from reportgen.costs.plane import points
from reportgen.costs.statistics import POSITION, position
from reportgen.inference.intervals import interval
from reportgen.kernels.batch import Vector
from reportgen.losses.hull import Stretch, hull, hybrid, lower_envelope
from reportgen.results import IntervalEstimate, Mixture, rounded, ten_digits


def best_stretches(joint: JointAnalysis, cost_model: CostModel) -> tuple[Stretch, ...]:
    """The models that are cheapest as they are for some asymmetry, by where they are."""
    if cost_model.has_alpha:
        return hull(points(joint, cost_model.power)).stretches
    curve = cost_model.over_alpha("none")
    lines = {m: (joint.bound(curve, m).grid, joint.value(curve, m)) for m in joint.models}
    return lower_envelope(lines).stretches


def mixtures(joint: JointAnalysis, cost_model: CostModel) -> Iterator[Mixture]:
    """For each segment of the hull the mixture of its ends that is wanted."""
    known, stretches = points(joint), best_stretches(joint, cost_model)
    kind, wanted = cost_model.target
    target: dict[str, float] = {kind: wanted}
    for left, right in pairwise(stretches):
        first, second = left.models[0], right.models[0]
        if first == second:
            continue
        one, other = known[first], known[second]
        share = hybrid(one, other, **target)
        yield Mixture(
            first=first,
            second=second,
            asymmetry=ten_digits(left.high),
            first_over=rounded(one.over),
            second_over=rounded(other.over),
            first_bias=rounded(one.bias),
            second_bias=rounded(other.bias),
            quantity=kind,
            target=rounded(wanted),
            share=_share(joint, (first, second), share, target),
            over=rounded(share * one.over + (1 - share) * other.over),
            under=rounded(share * one.under + (1 - share) * other.under),
        )


def _share(
    joint: JointAnalysis, pair: tuple[str, str], share: float, target: Mapping[str, float]
) -> IntervalEstimate:
    """The share of the first, with percentiles of what each resample would want, from 0 to 1."""
    if not np.isfinite(share):
        return IntervalEstimate()
    ((kind, wanted),) = target.items()
    start, end = (_drawn(joint, m, kind) for m in pair)
    gap = start - end
    with np.errstate(over="ignore"):  # beyond all numbers is beyond 0 or 1
        drawn = np.divide(wanted - end, gap, out=np.full(len(gap), np.nan), where=gap != 0)
    evidence = joint.evidence(share, np.clip(drawn, 0, 1), "quantile", None, (0.0, 1.0))
    found = interval(evidence, "percentile", joint.plan.level)
    return IntervalEstimate.of(share, found.low, found.high)


def _drawn(joint: JointAnalysis, model: str, kind: str) -> Vector:
    drawn: Vector = joint.drawn(position(), model)[:, POSITION.index(kind)]
    return drawn
