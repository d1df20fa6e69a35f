"""The best that each row could do if its score stood anywhere: the locally optimal concordance."""

from __future__ import annotations

import numpy as np

from reportgen.kernels import native
from reportgen.kernels.batch import Column, Index, Places, Vector


def best_concordance(y: Column, score: Column, weight: Vector) -> Vector:
    """Most weight that row i could agree with, ties half, all other scores fixed; shape (n,).

    Put just below the p-th distinct score, row i agrees with the lower y below p and with the
    higher y from p on. So it wants the p with the largest Σ_{score < p} w·sign(y_i − y), and that
    p can only rise with y_i: raising y_i adds weight below every p, the more the higher p.
    Halving the y's and the p's together finds all of them in O(n log n), ties and weights exact.
    """
    if not len(y):
        return np.zeros(0)
    place = score.group.astype(np.intp)
    best = _best_places(y, score, weight)
    signed = _signed_below(y, place, weight, best)
    tied = np.bincount(y.group, weights=weight, minlength=y.groups)
    higher = weight.sum() - np.cumsum(tied)
    agreed: Vector = (higher + tied / 2 + signed)[y.group] - weight / 2
    return agreed


def _best_places(y: Column, score: Column, weight: Vector) -> Index:
    """For each distinct y, a number of distinct scores to stand above; rises with y."""
    best = np.zeros(y.groups, dtype=np.intp)
    starts = np.append(0, np.flatnonzero(score.is_last) + 1)  # rows below the p-th distinct score
    y_by_score, weight_by_score = y.group[score.order], weight[score.order]
    find = _best_compiled if native.is_native() else _best_in_ranges
    # Each part is a range of y's whose p lies in a range of p's; its middle y is decided.
    low, high = np.array([0]), np.array([y.groups])
    first, last = np.array([0]), np.array([score.groups])
    while len(low):
        middle = (low + high) // 2
        found = find(y_by_score, weight_by_score, starts, middle, first, last)
        best[middle] = found
        low, high = np.append(low, middle + 1), np.append(middle, high)
        first, last = np.append(first, found), np.append(found, last)
        is_left = low < high
        order = np.argsort(low[is_left], kind="stable")
        low, high, first, last = (part[is_left][order] for part in (low, high, first, last))
    return best


def _best_compiled(
    y: Places, weight: Vector, starts: Index, middle: Index, first: Index, last: Index
) -> Index:
    """The same as `_best_in_ranges`."""
    found = np.empty(len(middle), dtype=np.int64)
    wide = (each.astype(np.int64) for each in (starts, middle, first, last))
    native.run("best_in_ranges", y, weight, *wide, len(middle), found)
    return found.astype(np.intp)


def _best_in_ranges(
    y: Places, weight: Vector, starts: Index, middle: Index, first: Index, last: Index
) -> Index:
    """For the middle y of each part, the p between `first` and `last` with the largest sum."""
    sizes = starts[last] - starts[first]
    part = np.repeat(np.arange(len(middle)), sizes)
    ends = np.cumsum(sizes)
    row = np.arange(len(part)) + np.repeat(starts[first] - (ends - sizes), sizes)
    running = np.append(0.0, np.cumsum(weight[row] * np.sign(middle[part] - y[row])))
    # A cut may stand before the first row of the range, and after each last row of a tie group.
    cut_sizes = last - first + 1
    cut_part = np.repeat(np.arange(len(middle)), cut_sizes)
    cut_ends = np.cumsum(cut_sizes)
    cut = np.arange(len(cut_part)) + np.repeat(first - (cut_ends - cut_sizes), cut_sizes)
    at = starts[cut] - starts[first][cut_part] + (ends - sizes)[cut_part]
    gain = running[at]
    most = np.maximum.reduceat(gain, cut_ends - cut_sizes)
    hits = np.flatnonzero(gain == most[cut_part])
    found = np.empty(len(middle), dtype=np.intp)
    found[cut_part[hits][::-1]] = cut[hits][::-1]
    return found


def _signed_below(y: Column, place: Index, weight: Vector, best: Index) -> Vector:
    """For each distinct y, the sum of w·sign(y − y_j) over the rows below its place."""
    top = np.append(best, len(place) + 1)
    reached = np.searchsorted(best, place, side="right")  # the first y that stands above row j
    size = len(top)
    below = np.bincount(np.maximum(reached, y.group + 1), weights=weight, minlength=size)
    all_below = np.bincount(reached, weights=weight, minlength=size)
    is_under = place < best[y.group]
    tied = np.bincount(y.group[is_under], weights=weight[is_under], minlength=size)
    signed = 2.0 * np.cumsum(below) + tied - np.cumsum(all_below)
    return np.asarray(signed[:-1], dtype=np.float64)
