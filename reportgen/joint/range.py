"""Over which asymmetries an answer holds: envelope, differences from the baseline, crossings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from reportgen.curves import Curve
from reportgen.curves.hull import Line, crossings, lower_envelope
from reportgen.inference.bands import simultaneous
from reportgen.inference.joint import Range, Together, ranges
from reportgen.joint.prices import Prices, Shift
from reportgen.kernels.batch import Matrix, Vector
from reportgen.results import Scalar, TableResult, rounded

MOST_MODELS = 6  # up to which every pair is looked at
VERDICTS = {-1: "cheaper", 0: "undetermined", 1: "dearer"}
Row = tuple[Scalar, ...]


def range_tables(together: Together, prices: Prices) -> Iterator[TableResult]:
    """`cost_envelope`, `cost_ranges` and `crossing`, each for every way to shift by a constant."""
    dataset = together.question.dataset
    made: tuple[tuple[str, tuple[str, ...], tuple[Row, ...]], ...] = (
        ("cost_envelope", ("shift", "model", "low", "high"), _each(together, prices, _envelope)),
        (
            "cost_ranges",
            ("shift", "candidate", "baseline", "verdict", "low", "high"),
            _each(together, prices, _compared),
        ),
        (
            "crossing",
            ("shift", "first", "second", "alpha", "low", "high", "cheaper_below",
             "cheaper_above", "judged_low", "judged_high"),
            _each(together, prices, _crossed),
        ),
    )  # fmt: skip
    for name, columns, rows in made:
        units = tuple("1" for _ in columns)
        params: dict[str, Scalar] = {"level": together.question.level, **prices.axis}
        yield TableResult(name, dataset, columns, units, rows, params=params)


def differences(
    together: Together, curve: Curve, first: str, second: str
) -> tuple[Vector, Vector, Matrix, Vector | None]:
    """α, the first model's cost minus the second's, its replicates, and the rows behind each α."""
    bound = together.bound(curve, first)
    value = together.value(curve, first) - together.value(curve, second)
    drawn = together.drawn(curve, first) - together.drawn(curve, second)
    return bound.grid, value, drawn, bound.rows_beside(together.part.weight)


def _each(
    together: Together,
    prices: Prices,
    rows: Callable[[Together, Shift, Curve], Iterator[Row]],
) -> tuple[Row, ...]:
    return tuple(row for s in prices.ways for row in rows(together, s, prices.over_alpha(s)))


def _envelope(together: Together, shift: Shift, curve: Curve) -> Iterator[Row]:
    """The cheapest model over each stretch of α, by what was estimated."""
    lines = {m: (together.bound(curve, m).grid, together.value(curve, m)) for m in together.models}
    for stretch in lower_envelope(lines).stretches:
        for model in stretch.models:
            yield shift, model, rounded(stretch.low), rounded(stretch.high)


def _compared(together: Together, shift: Shift, curve: Curve) -> Iterator[Row]:
    """Where the band of a difference, which holds over all α at once, leaves out zero."""
    for candidate, baseline in together.question.pairs:
        if candidate not in together.models or baseline not in together.models:
            continue
        x, value, drawn, rows = differences(together, curve, candidate, baseline)
        band = simultaneous(value, drawn, together.question.level, rows)
        for found in ranges(x, band.low, band.high, rows):
            said = VERDICTS[found.sign]
            yield shift, candidate, baseline, said, rounded(found.low), rounded(found.high)


def _crossed(together: Together, shift: Shift, curve: Curve) -> Iterator[Row]:
    """Each pair's crossings: {α: the interval of the paired difference holds 0}, piece by piece.

    A set of one piece has one line, an empty one a line without bounds.
    """
    for first, second in _pairs(together):
        x, value, drawn, rows = differences(together, curve, first, second)
        found = ranges(x, *together.limits(value, drawn), rows)
        if not found:
            continue
        line: Line = (x, value)
        at = crossings(line, (x[[0, -1]], np.zeros(2)))
        judged = (rounded(found[0].low), rounded(found[-1].high))
        names = {-1: first, 0: "", 1: second}
        held = [k for k, each in enumerate(found) if each.sign == 0]
        if not held:
            yield shift, first, second, None, None, None, *([names[found[0].sign]] * 2), *judged
        for k in held:
            below = names[found[k - 1].sign] if k > 0 else ""
            above = names[found[k + 1].sign] if k + 1 < len(found) else ""
            for alpha in _inside(at, found[k]):
                limits = (rounded(found[k].low), rounded(found[k].high))
                yield shift, first, second, alpha, *limits, below, above, *judged


def _inside(at: Vector, piece: Range) -> list[float | None]:
    """The crossings that were estimated within a piece; None if there is none."""
    inside = [rounded(float(a)) for a in at if piece.low <= a <= piece.high]
    return inside or [None]


def _pairs(together: Together) -> list[tuple[str, str]]:
    if len(together.models) <= MOST_MODELS:
        return list(combinations(together.models, 2))
    known = set(together.models)
    return [pair for pair in together.question.pairs if set(pair) <= known]
