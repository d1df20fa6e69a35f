"""How much each row adds to the error of a statistic with an edge: of buckets, of a median.

Such a statistic hangs on what stands at the edge. The one row found there says little of what
another sample would have there, and resampling repeats that row's accident: replicates of a mean
over the highest tenth of 100 or 500 scores spread 4 to 9 % too far. So what stands at the edge is
taken from its neighbours: y from the rows around the edge of a bucket, the density of a size of
error from the distance between the sizes around the median.
"""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Column, Vector
from reportgen.kernels.effective import effective_rows
from reportgen.rows import Amounts

# Of the weight to either side of an edge; of n^(4/5), the best rate for a mean by neighbours.
NEAR_AN_EDGE = 1 / 8
EVEN = 0.9  # share that effective rows are of all, under which weights hide the density
NEIGHBOURS = 20  # different values that must stand around a median for its density to be known


def bucket_influence(rows: Amounts, weight: Vector, per_bucket: Vector) -> Vector:
    """Smoothed phi_i of Σ_b c_b · mean of y in bucket b, shape (n,), for given c.

    Buckets of equal weight, cut along the ascending scores. For each edge above it a row adds
    q · (c below the edge − c above it) · (y − m), with m the mean of y near that edge and q the
    number of buckets. The weighted sum is zero.
    """
    q, total = len(per_bucket), float(weight.sum())
    edges = np.linspace(0.0, total, q + 1)
    per_edge = q * (np.append(0.0, per_bucket) - np.append(per_bucket, 0.0))
    phi = np.zeros(len(rows))
    for edge, factor in zip(edges[1:], per_edge[1:], strict=True):
        if factor != 0:
            phi += factor * amount_influence(rows, weight, float(edge), total / q / 2)
    return phi - float(weight @ phi) / total


def amount_influence(rows: Amounts, weight: Vector, edge: float, most: float) -> Vector:
    """Smoothed W · d/dw_i of the mean amount of y below an edge in the scores, not centred.

    Below the edge lies `edge` of the weight W, always the same share of it. Rows count as near
    up to `most` of the weight away. Tied scores are below in equal parts.
    """
    total, (ends, amounts) = float(weight.sum()), _cumulated(rows, weight)
    reach = min(most, total * NEAR_AN_EDGE * effective_rows(weight) ** -0.2)
    low, high = max(edge - reach, 0.0), min(edge + reach, total)
    near = float(np.diff(np.interp([low, high], ends, amounts))[0]) / max(high - low, 1e-300)
    share = share_below(rows.score, weight, edge)
    return np.asarray(rows.y.values * share - near * (share - edge / total))


def share_below(score: Column, weight: Vector, edge: float) -> Vector:
    """Which share of each row, (n,), lies in the lowest `edge` of the weight, ties in parts."""
    size = np.bincount(score.group, weight, minlength=score.groups)
    start = np.cumsum(size) - size
    below = np.zeros(len(size))
    np.divide(np.clip(edge - start, 0.0, size), size, out=below, where=size > 0)
    return np.asarray(below[score.group])


def median_influence(values: Column, weight: Vector, median: float) -> Vector | None:
    """Smoothed phi_i of a weighted median, shape (n,); None where too many are tied.

    None too for few rows, and for uneven weights, by which the density is hardly known.

    (1/2 − [below the median]) over the density there, which is the share of the weight among the
    neighbours, √n to either side, over their range (Siddiqui 1960; Bloch and Gastwirth 1968).
    """
    order = values.order[weight[values.order] > 0]
    if not len(order) or effective_rows(weight) < max(NEIGHBOURS, EVEN * len(order)):
        return None
    shares = np.cumsum(weight[order])
    shares /= shares[-1]
    half = effective_rows(weight) ** -0.5
    first, last = np.searchsorted(shares, [0.5 - half, 0.5 + half])
    last = min(int(last), len(order) - 1)
    around = values.values[order[first : last + 1]]
    spacing = float(around[-1] - around[0])
    if len(np.unique(around)) < min(NEIGHBOURS, len(around)) or not spacing > 0:
        return None
    density = float(shares[last] - shares[first]) / spacing
    is_below = (values.values < median) + 0.5 * (values.values == median)
    phi = (0.5 - is_below) / density
    return np.asarray(phi - float(weight @ phi) / float(weight.sum()))


def _cumulated(rows: Amounts, weight: Vector) -> tuple[Vector, Vector]:
    """Weight and weighted y up to the end of each group of tied scores, both from 0."""
    score = rows.score
    mass = np.bincount(score.group, weight, minlength=score.groups)
    amount = np.bincount(score.group, weight * rows.y.values, minlength=score.groups)
    return np.append(0.0, np.cumsum(mass)), np.append(0.0, np.cumsum(amount))
