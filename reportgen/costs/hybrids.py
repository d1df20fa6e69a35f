"""Hybrids: two models mixed at random, which reaches every point between them in expectation.

At the asymmetry at which both cost the same a hybrid costs that too; at any other one of the two
costs less. So a hybrid is for a target that is no cost: a mean error, or an over-estimation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from reportgen.analysis.joint import Together
from reportgen.costs.plane import points
from reportgen.costs.prices import Prices
from reportgen.curves.decision import POSITION, position
from reportgen.inference.intervals import interval
from reportgen.kernels.batch import Vector
from reportgen.losses.hull import Point, Stretch, hull, hybrid, lower_envelope
from reportgen.results import Number, Scalar, TableResult, rounded

COLUMNS = (
    "first", "second", "alpha", "first_over", "second_over", "first_bias", "second_bias",
    "target", "share", "share_low", "share_high", "over", "under",
)  # fmt: skip


def best_stretches(together: Together, prices: Prices) -> tuple[Stretch, ...]:
    """The models that are cheapest as they are for some asymmetry, by where they are."""
    if prices.has_alpha:
        return hull(points(together, prices.power)).stretches
    curve = prices.over_alpha("none")
    lines = {m: (together.bound(curve, m).grid, together.value(curve, m)) for m in together.models}
    return lower_envelope(lines).stretches


def hybrid_table(together: Together, prices: Prices) -> TableResult:
    """`rroc_hybrids`: one line for each segment of the hull, with the mixture that is wanted."""
    kind, wanted = prices.target
    unit = together.question.unit
    units = tuple(
        "share" if c.startswith("share") else "1" if c in COLUMNS[:3] else unit for c in COLUMNS
    )
    params: dict[str, Scalar] = {"kind": kind, "target": rounded(wanted), **prices.axis}
    rows = tuple(_rows(together, prices))
    return TableResult("rroc_hybrids", together.question.dataset, COLUMNS, units, rows,
                       params=params)  # fmt: skip


def _rows(together: Together, prices: Prices) -> Iterator[tuple[Scalar, ...]]:
    known, stretches = points(together), best_stretches(together, prices)
    kind, wanted = prices.target
    target: dict[str, float] = {kind: wanted}
    for left, right in pairwise(stretches):
        first, second = left.models[0], right.models[0]
        if first == second:
            continue
        one, other = known[first], known[second]
        share = hybrid(one, other, **target)
        mixed = Point(*(share * a + (1 - share) * b for a, b in
                        ((one.over, other.over), (one.under, other.under))))  # fmt: skip
        yield (
            first, second, rounded(left.high), rounded(one.over), rounded(other.over),
            rounded(one.bias), rounded(other.bias), rounded(wanted), rounded(share),
            *_limits(together, first, second, share, target),
            rounded(mixed.over), rounded(mixed.under),
        )  # fmt: skip


def _limits(
    together: Together, first: str, second: str, share: float, target: Mapping[str, float]
) -> tuple[Number, Number]:
    """Percentiles of the mixture that each resample would want, within 0 and 1."""
    if not np.isfinite(share):
        return None, None
    ((kind, wanted),) = target.items()
    start, end = (_drawn(together, m, kind) for m in (first, second))
    gap = start - end
    drawn = np.divide(wanted - end, gap, out=np.full(len(gap), np.nan), where=gap != 0)
    evidence = together.evidence(share, np.clip(drawn, 0, 1), "quantile", None, (0.0, 1.0))
    found = interval(evidence, "percentile", together.question.level)
    return rounded(found.low), rounded(found.high)


def _drawn(together: Together, model: str, kind: str) -> Vector:
    drawn: Vector = together.drawn(position(), model)[:, POSITION.index(kind)]
    return drawn
