"""Over which asymmetries an answer holds: envelope, differences from the baseline, crossings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from math import nan

import numpy as np

from reportgen.analysis.curves import difference
from reportgen.analysis.joint import JointAnalysis, Range, Sign, ranges
from reportgen.costs.actions import Action, Actions
from reportgen.curves import Curve
from reportgen.inference.bands import critical, spread
from reportgen.kernels.batch import Matrix, Vector
from reportgen.losses.hull import Line, crossings, lower_envelope
from reportgen.results import (
    CheapestRange,
    CostRange,
    Crossing,
    CurveResult,
    RangeVerdict,
    Shift,
    rounded,
    rounded_all,
    ten_digits,
)

MOST_MODELS = 6  # up to which every pair is looked at
VERDICTS: Mapping[Sign, RangeVerdict] = {-1: "cheaper", 0: "undetermined", 1: "dearer"}
ALL_PAIRS = "sup-t of all pairs"
Band = tuple[tuple[str, str], Vector, Vector, Vector, Vector | None]


def differences(
    joint: JointAnalysis, curve: Curve, first: str, second: str
) -> tuple[Vector, Vector, Matrix, Vector | None]:
    """α, the first model's cost minus the second's, its replicates, and the rows behind each α."""
    bound = joint.bound(curve, first)
    value = joint.value(curve, first) - joint.value(curve, second)
    drawn = joint.drawn(curve, first) - joint.drawn(curve, second)
    return bound.grid, value, drawn, bound.rows_beside(joint.part.weight)


def envelope(actions: Actions) -> Iterator[CheapestRange]:
    """The cheapest model over each stretch of α, by what was estimated, for every shift."""
    joint = actions.joint
    for shift in actions.cost_model.options:
        curve = actions.cost_model.over_alpha(shift)
        lines = {m: (joint.bound(curve, m).grid, joint.value(curve, m)) for m in joint.models}
        for stretch in lower_envelope(lines).stretches:
            low, high = ten_digits(stretch.low), ten_digits(stretch.high)
            yield from (CheapestRange(shift, model, low, high) for model in stretch.models)


def range_curves(actions: Actions) -> Iterator[CurveResult]:
    """The differences of costs over the asymmetry, with the band that the ranges are read from."""
    joint = actions.joint
    for shift in actions.cost_model.options:
        curve, bands = actions.cost_model.over_alpha(shift), list(_bands(actions, shift))
        for pair, _, value, half, _ in bands:
            found = difference(joint.analysis, joint.part, curve, *pair)
            if found is not None:
                low, high = rounded_all(value - half), rounded_all(value + half)
                method = ALL_PAIRS if len(bands) > 1 else found.method
                yield replace(found, band_low=low, band_high=high, method=method)


def cost_ranges(actions: Actions) -> Iterator[CostRange]:
    """Where the band of a difference leaves out zero; it holds for all pairs and α at once."""
    for shift in actions.cost_model.options:
        for pair, x, value, half, rows in _bands(actions, shift):
            for found in ranges(x, value - half, value + half, rows):
                low, high = ten_digits(found.low), ten_digits(found.high)
                yield CostRange(shift, *pair, VERDICTS[found.sign], low, high)


def _bands(actions: Actions, shift: Shift) -> Iterator[Band]:
    """Each pair that is compared, with α, the difference, half its band, and the rows behind it."""
    joint, curve = actions.joint, actions.cost_model.over_alpha(shift)
    pairs = [pair for pair in joint.plan.pairs if set(pair) <= set(joint.models)]
    largest = [spread(*differences(joint, curve, *pair)[1:])[1] for pair in pairs]
    times = critical(np.fmax.reduce(np.stack(largest)), joint.plan.level) if pairs else nan
    for pair in pairs:
        x, value, drawn, rows = differences(joint, curve, *pair)
        se, _ = spread(value, drawn, rows)
        half = np.fmax(times, _least(actions, shift, pair, x, value, se)) * se
        yield pair, x, value, half, rows


def _least(
    actions: Actions, shift: Shift, pair: tuple[str, str], x: Vector, value: Vector, half: Vector
) -> float:
    """How many times `half` reaches as far as the decision's own limits, where it has any.

    These allow for other things than all α, and what they leave open a band must not decide.
    """
    times, cost_model = 0.0, actions.cost_model
    first, second = (Action(model, shift) for model in pair)
    for place, at in enumerate(cost_model.alphas):
        less, known = actions.less(first, second, place), np.isfinite(half)
        whole, low, high = less.value, less.low, less.high
        if whole is None or low is None or high is None or not known.any():
            continue
        money = cost_model.of_cases * (1.0 if cost_model.has_alpha else at**2 / 2)
        own = money * float(np.interp(at, x[known], half[known]))
        off = abs(money * float(np.interp(at, x, value)) - whole)
        times = max(times, (max(whole - low, high - whole) + off) / own) if own > 0 else times
    return times


def model_crossings(actions: Actions) -> Iterator[Crossing]:
    """Each pair's crossings: {α: the interval of the paired difference holds 0}, piece by piece.

    A set of one piece has one row, an empty one a row without bounds.
    """
    for shift in actions.cost_model.options:
        for first, second in _pairs(actions.joint):
            yield from _crossed(actions, shift, first, second)


def _crossed(actions: Actions, shift: Shift, first: str, second: str) -> Iterator[Crossing]:
    joint, curve = actions.joint, actions.cost_model.over_alpha(shift)
    x, value, drawn, rows = differences(joint, curve, first, second)
    half = joint.limits(value, drawn)[1] - value
    half = half * max(_least(actions, shift, (first, second), x, value, half), 1.0)
    found = ranges(x, value - half, value + half, rows)
    if not found:
        return
    line: Line = (x, value)
    at = crossings(line, (x[[0, -1]], np.zeros(2)))
    ends = (rounded(found[0].low), rounded(found[-1].high))
    names = {-1: first, 0: None, 1: second}
    held = [k for k, each in enumerate(found) if each.sign == 0]
    if not held:
        only = names[found[0].sign]
        yield Crossing(shift, first, second, None, None, None, only, only, *ends)
    for k in held:
        below = names[found[k - 1].sign] if k > 0 else None
        above = names[found[k + 1].sign] if k + 1 < len(found) else None
        limits = (rounded(found[k].low), rounded(found[k].high))
        for alpha in _inside(at, found[k]):
            yield Crossing(shift, first, second, alpha, *limits, below, above, *ends)


def _inside(at: Vector, piece: Range) -> list[float | None]:
    """The crossings that were estimated within a piece; None if there is none."""
    inside = [rounded(float(a)) for a in at if piece.low <= a <= piece.high]
    return inside or [None]


def _pairs(joint: JointAnalysis) -> list[tuple[str, str]]:
    if len(joint.models) <= MOST_MODELS:
        return list(combinations(joint.models, 2))
    known = set(joint.models)
    return [pair for pair in joint.plan.pairs if set(pair) <= known]
