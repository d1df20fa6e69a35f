"""Values of curves from whole prefix sums, one row of weights after another: what walks must meet.

Each takes the weights of all rows as doubles, keeps sums at every group of equal values, and looks
the places of the grid up in them.
"""

import numpy as np
from scipy.sparse import csr_array

from reportgen.kernels.cumulative import compute_midranks as midranks_of
from reportgen.kernels.cumulative import cumulate_values, cumulate_weight, divide
from reportgen.metrics.curves.concordance import compute_concordances
from reportgen.metrics.losses.rroc_geometry import rroc_vertices


def rec(rows, batch, grid):
    """Share of the rows whose error is no larger than a tolerance: steps that end at 1.

    The area over the curve up to the largest error is the MAE; `area` is the share of the box up
    to that tolerance which lies under the curve.
    """
    size = rows.absolute_error
    ends = size.values[size.order][size.is_last]
    up = cumulate_weight(batch, size)[np.searchsorted(ends, grid, side="right")]
    return divide(up, batch.totals[None, :]).T


def error_by_rank(rows, batch, grid, *, bins=25):
    sums = cumulate_values(batch, rows.score, rows.error.values)
    return between_shares(bins, cumulate_weight(batch, rows.score), sums)


def error_density(rows, batch, grid):
    """How errors are spread, smoothed: a Normal kernel of Silverman's width, as a density.

    Each error is first shared between two places a sixteenth of that width apart. Undefined if
    all errors are equal.
    """
    if len(grid) < 2:
        return np.full((batch.size, len(grid)), np.nan)
    width = 2 * float(grid[1] - grid[0])
    middles = np.arange(grid[0] - 5 * width, grid[-1] + 5 * width, width / 16)
    place = (rows.error.values - middles[0]) / (width / 16)
    left = np.clip(np.floor(place), -1, len(middles) - 1)
    to_right = np.clip(place - left, 0.0, 1.0)
    sums = np.zeros((batch.size, len(middles) + 2))  # the first and the last: beyond all kernels
    for step, part in ((1, 1.0 - to_right), (2, to_right)):
        sums += sums_by_bin(batch, left.astype(np.intp) + step, len(middles) + 2, part)
    shares = divide(sums[:, 1:-1], batch.totals[:, None])
    kernel = np.exp(-(((grid[None, :] - middles[:, None]) / width) ** 2) / 2)
    density = shares @ kernel / (width * np.sqrt(2 * np.pi))
    return density


def rroc(rows, batch, grid, *, raw=False):
    """Under-estimation against over-estimation while a constant is added to every score.

    `over` and `under` are the model as it is. The area over the curve, `aoc`, is half the variance
    of the errors (W²/2 times it if `raw`, when sums take the place of means). Of more than 100
    rows the stretch is drawn in which 5 to 95% are over-estimated; `aoc` is that of all.
    """
    over, under = rroc_vertices(rows, batch)
    scale = batch.totals if raw else np.ones(batch.size)
    lanes = zip(over.T, under.T, scale, strict=True)
    values = np.full((batch.size, len(grid)), np.nan)
    for lane, (x, y, k) in enumerate(lanes):
        if len(x) and k > 0:
            values[lane] = np.interp(grid, x * k, y * k)
    return values


def minimal_costs(rows, batch, alphas):
    """Expected Lin-Lin loss once the best constant for each α is added, shape (b, g).

    2(Σ of the errors among the α·W of the weight with the largest − α·Σ of all)/W.
    """
    weight = cumulate_weight(batch, rows.error)
    sums = cumulate_values(batch, rows.error, rows.error.values)
    top = sums[-1][:, None] - at_shares(1.0 - alphas, weight, sums)
    spare = 2 * (top - alphas[None, :] * sums[-1][:, None])
    return np.maximum(divide(spare, batch.totals[:, None]), 0.0)


def points(rows, batch, *, power=1):
    """Mean over- and under-estimation under each weighting, shapes (b,).

    With `power=2` errors count squared: in that plane the isometrics of Quad-Quad are straight.
    """
    size = np.abs(rows.error.values) ** power
    sides = np.stack([size * (rows.error.values > 0), -size * (rows.error.values < 0)])
    over, under = divide(sides @ batch.weights, batch.totals[None, :])
    return over, under


def held_by_top(amounts, order, rows, batch, shares):
    if order == "worst":
        return 1.0 - held_by_top(amounts, "best", rows, batch, 1.0 - shares)
    column = rows.y if order == "best" else rows.score
    weight, sums = (
        cumulate_weight(batch, column),
        cumulate_values(batch, column, amounts(rows, batch)),
    )
    return 1.0 - divide(at_shares(1.0 - shares, weight, sums), sums[-1][:, None])


def concordance(rows, batch, grid, *, bins=25):
    """Mean of c_i/(W − w_i) in equal parts of the axis, on which row i is w_i(W − w_i) wide."""
    others = batch.weights.sum(axis=0) - batch.weights
    width = cumulate_values(batch, rows.score, others)
    return between_shares(
        bins, width, cumulate_values(batch, rows.score, compute_concordances(rows, batch))
    )


def cutoff_aucs(rows, batch):
    """AUC of each cut between two distinct y, low to high, and its width; shapes (cuts, b).

    A cut with weight A above and B below it is g·A·B wide, g the mean weight of the two groups
    of equal y beside it. A group that weighs nothing is passed over: its cuts have no width
    beyond the one that they make together.
    """
    up = cumulate_weight(batch, rows.y)
    ranks = cumulate_values(batch, rows.y, midranks_of(batch, rows.score))
    above, below = up[-1] - up[1:-1], up[1:-1]
    pairs = ranks[-1] - ranks[1:-1] - above**2 / 2
    return np.clip(divide(pairs, above * below), 0.0, 1.0), _gaps(up) * above * below


def _gaps(up):
    """Mean weight of the neighbouring groups that weigh something, once for each such pair."""
    groups = np.diff(up, axis=0)
    if (groups > 0).all():
        return (groups[:-1] + groups[1:]) / 2
    gaps = np.zeros((max(len(groups) - 1, 0), groups.shape[1]))
    for lane, weight in enumerate(groups.T):
        filled = np.flatnonzero(weight > 0)
        gaps[filled[1:] - 1, lane] = (weight[filled[1:]] + weight[filled[:-1]]) / 2
    return gaps


def auc_by_cutoff(rows, batch, grid, *, bins=100):
    """Mean AUC in equal parts of the axis, shape (b, bins); their mean is the area exactly."""
    aucs, widths = cutoff_aucs(rows, batch)
    start = np.zeros((1, aucs.shape[1]))
    width = np.concatenate([start, np.cumsum(widths, axis=0)])
    area = np.concatenate([start, np.cumsum(widths * np.nan_to_num(aucs), axis=0)])
    return between_shares(bins, width, area)


def between_shares(bins, width, sums):
    """Mean height of a step curve in each of `bins` equal shares of its axis, shape (b, bins).

    `width` and `sums` grow along the curve: the axis, and the area so far, as (points, b). The
    mean of the result is the area over the width. nan where there is no width.
    """
    edges = np.linspace(0.0, 1.0, bins + 1)
    areas = np.diff(at_shares(edges, width, sums), axis=1)
    return divide(areas, np.diff(edges)[None, :] * width[-1][:, None])


def at_shares(shares, weight, sums):
    """Sums over the first share of each weighting's weight, shape (b, s).

    `weight` and `sums` are as `cumulate_weight` and `cumulate_values` give them.
    """
    return at_weights(shares[None, :] * weight[-1][:, None], weight, sums)


def at_weights(targets, weight, sums):
    """Sums over the first rows that weigh as much as `targets`, of shape (b, s), say."""
    if len(weight) < 2:
        return np.zeros(targets.shape)
    lane = np.arange(weight.shape[1])[:, None]
    right = _first_reaching(targets, weight)
    below, above = weight[right - 1, lane], weight[right, lane]
    start, end = sums[right - 1, lane], sums[right, lane]
    share = np.divide(targets - below, above - below, where=above > below, out=0.0 * targets)
    return np.asarray(start + np.clip(share, 0.0, 1.0) * (end - start))


def _first_reaching(targets, weight):
    """The first place, from 1, at which each lane's weight is no less than its target."""
    lane = np.arange(weight.shape[1])[:, None]
    low = np.ones(targets.shape, dtype=np.intp)
    high = np.full(targets.shape, len(weight) - 1, dtype=np.intp)
    for _ in range((len(weight) - 1).bit_length()):
        middle = (low + high) // 2
        is_reached = weight[middle, lane] >= targets
        high = np.where(is_reached, middle, high)
        low = np.where(is_reached, low, np.minimum(middle + 1, high))
    return high


def sums_by_bin(batch, bins, size, values=None):
    """Weight, or weighted sum of `values`, of the rows in each bin, shape (b, size)."""
    n = len(bins)
    data = np.ones(n) if values is None else values
    member = csr_array((data, (bins, np.arange(n))), shape=(size, n))
    sums = np.ascontiguousarray((member @ batch.weights).T)
    return sums
