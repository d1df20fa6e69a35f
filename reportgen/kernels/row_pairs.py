"""Each row's share of concordant pairs, and the best share it could have."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Column, Index, Places, Scored, Vector, sort_by_group
from reportgen.kernels.buffers import borrow_buffer
from reportgen.records import record

PART_PLACES = 1 << 15  # of the compiled walk over rows that weigh one, as single.h has it

Each = TypeVar("Each", bound=NDArray[Any])
Numbers = NDArray[Any]  # weights, or where each row weighs one how many rows, (n,)


@record
class RowPairWeights:
    """For each row, the weight of the other rows by where they lie from it; all shape (n,).

    `above` and `below` differ from the row in both y and score, in the same direction.
    `y_above` is above in y and tied in score, `score_above` tied in y and above in score;
    `tied_score` and `tied_y` count both directions; `tied_both` leaves the row itself out.
    What is the same for all rows, as ties are where there are none, takes no room; numbers of rows
    take half as much as weights. Sums of different ones of them are of no more rows than there are.
    """

    above: Numbers
    below: Numbers
    discordant: Numbers
    y_above: Numbers
    score_above: Numbers
    tied_y: Numbers
    tied_score: Numbers
    tied_both: Numbers

    @property
    def concordant(self) -> Numbers:
        """Weight of the rows that y and the score put on the same side."""
        return self.above + self.below

    @property
    def untied_y(self) -> Numbers:
        """Weight of the rows with another y."""
        return self.concordant + self.discordant + self.tied_score

    @property
    def untied_score(self) -> Numbers:
        """Weight of the rows with another score."""
        return self.concordant + self.discordant + self.tied_y


def compute_row_pairs(rows: Scored, weight: Vector) -> RowPairWeights:
    """Return where the weight lies around each row; kept for the last weight asked of these rows.

    >>> from reportgen.metrics.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 2, 3]), np.array([5.0, 5, 6]))
    >>> pairs = compute_row_pairs(rows, np.array([1.0, 1, 4]))
    >>> pairs.concordant, pairs.tied_score
    (array([4., 4., 2.]), array([1., 1., 0.]))
    """
    kept: dict[str, tuple[Vector, RowPairWeights]] = rows.once("row pairs", dict)
    last, pairs = kept.get("last", (None, None))
    if pairs is None or last is None or not np.array_equal(last, weight):
        pairs = _row_pairs(rows.y, rows.score, weight)
        kept["last"] = _compress_constant(weight.copy()), pairs
    return pairs


def compute_lower_and_tied(column: Column, weight: Vector) -> tuple[Vector, Vector]:
    """For each row, the weight of the rows with a lower value, and with the same (its own too)."""
    return _spread_by_group(column.group, column.groups, weight)


def _spread_by_group(group: Places, groups: int, weight: Vector) -> tuple[Vector, Vector]:
    """Compute the lower and the tied weight of each row, by the numbers of the rows' groups."""
    if native.is_native():
        with borrow_buffer((2, groups), np.float64) as (tied, below):
            row_below, row_tied = np.empty((2, len(group)))
            where = (np.ascontiguousarray(weight), len(group), groups, tied, below)
            native.call_kernel("group_spread", group, *where, row_below, row_tied)
        return row_below, row_tied
    tied = np.bincount(group, weights=weight, minlength=groups).astype(np.float64)
    below = np.append(0.0, np.cumsum(tied)[:-1])
    return below[group], tied[group]


def sum_untied_pairs(column: Column, weight: Vector) -> float:
    """Sum of w_i * w_j over the pairs with different values; exactly 0 where all are tied."""
    tied = _group_weights(column, weight)
    return float(tied[1:] @ np.cumsum(tied)[:-1])


def is_tied_without(column: Column, weight: Vector) -> NDArray[np.bool_]:
    """Whether, once row i is gone, all rows that weigh anything share one value; shape (n,)."""
    counted = np.bincount(column.group[weight > 0], minlength=column.groups)
    groups = int((counted > 0).sum())
    if groups > 2:  # one row takes away one value at most
        return np.zeros(len(weight), dtype=np.bool_)
    is_alone = (weight > 0) & (counted[column.group] == 1)
    return np.asarray(groups - is_alone.astype(int) <= 1)


def compute_weight_below(y: Column, score: Column, weight: Vector) -> Vector:
    """For each row, the weight of the rows strictly below it in both y and score.

    The rows stand in order of score and are parted by the bits of their place in y, highest
    first, each part keeping the order. A row's bit 1 meets every row below it exactly once: in
    the part where the two first differ, as a bit 0 that stands before it. Ties are ordered so
    that they never count: equal y by falling score, equal scores by falling y.
    """
    if y.groups <= 2:  # two classes: the lower one is below the upper
        lower = np.where(y.group == 0, weight, 0.0)
        return np.where(y.group == 1, compute_lower_and_tied(score, lower)[0], 0.0)
    down = score.order[::-1]
    by_place = down[sort_by_group(y.group[down])]
    place = np.empty(len(y), dtype=np.intp)
    place[by_place] = np.arange(len(y))
    last_first = by_place[::-1]
    rows = last_first[sort_by_group(score.group[last_first])]
    find = _sum_below_compiled if native.is_native() else _sum_below
    below = np.empty(len(y))
    below[by_place] = find(place[rows], weight[rows])
    return below


def _sum_below_compiled(place: Index, weight: Vector) -> Vector:
    """Compute the same as `_sum_below`, in compiled code."""
    n = len(place)
    places, weights = np.empty((2, n), np.int32), np.empty((2, n))
    places[0], weights[0] = place, weight
    sums = np.zeros((2, n))
    native.call_kernel("weight_below", *places, *weights, *sums, n, _bits(n))
    below: Vector = sums[0]
    return below


def _sum_below(place: Index, weight: Vector) -> Vector:
    """Sum, by place, the weight of the rows that stand before a row and have a lower place."""
    n = len(place)
    below = np.zeros(n)
    for bit in reversed(range(_bits(n))):
        is_high = (place >> bit & 1).astype(bool)
        before = np.append(0.0, np.cumsum(np.where(is_high, 0.0, weight)))
        # Places have no gaps, so a part of the rows starts where its first place says.
        start = place >> (bit + 1) << (bit + 1)
        below[place[is_high]] += (before[:-1] - before[start])[is_high]
        to = _partition_places(start, is_high, bit)
        place, weight = _move_values(place, to), _move_values(weight, to)
    return below


def _bits(n: int) -> int:
    """Return how many bits the places of n rows have."""
    return max(n - 1, 0).bit_length()


def _row_pairs(by_y: Column, by_score: Column, weight: Vector) -> RowPairWeights:
    if native.is_native() and len(weight) and weight.min() == weight.max() == 1:
        return _count_unweighted_pairs(by_y, by_score)
    y_below, y_tied = compute_lower_and_tied(by_y, weight)
    score_below, score_tied = compute_lower_and_tied(by_score, weight)
    cell_before, cell_tied = _spread_by_group(*_group_by_both(by_y, by_score), weight)
    tied_y_score_below = cell_before - y_below
    tied_score_y_below = _spread_by_group(*_group_by_both(by_score, by_y), weight)[0] - score_below
    total = y_below + y_tied
    top = total.max(initial=0.0)
    below = compute_weight_below(by_y, by_score, weight)
    above = top - total - (score_below + score_tied) + below
    above = np.maximum(above + tied_y_score_below + tied_score_y_below + cell_tied, 0.0)
    tied_y, tied_score = y_tied - cell_tied, score_tied - cell_tied
    each = {
        "above": above,
        "below": below,
        "discordant": np.maximum(top - above - below - y_tied - tied_score, 0.0),
        "y_above": np.maximum(tied_score - tied_score_y_below, 0.0),
        "score_above": np.maximum(tied_y - tied_y_score_below, 0.0),
        "tied_y": tied_y,
        "tied_score": tied_score,
        "tied_both": np.maximum(cell_tied - weight, 0.0),
    }
    return RowPairWeights(**{name: _compress_constant(values) for name, values in each.items()})


def _count_unweighted_pairs(by_y: Column, by_score: Column) -> RowPairWeights:
    """Count pairs where every row has weight 1: whole numbers, in one walk along the score."""
    n = len(by_y)
    sequence = by_score.order
    if by_score.groups < n:  # equal scores by y
        sequence = by_y.order[sort_by_group(by_score.group[by_y.order])]
    starts = (_starts(by_y), _starts(by_score))
    parts = n // PART_PLACES + 1
    scratch = (np.zeros(by_y.groups, np.int32), np.zeros(n // 64 + 9, np.uint64))
    blocks, before = np.zeros(64 * parts, np.int32), np.zeros(parts, np.int32)
    pairs = [np.empty(n, np.int32) for _ in fields(RowPairWeights)]
    with borrow_buffer((n, 4), np.int32) as found:
        native.call_kernel(
            "unit_pairs",
            sequence,
            by_y.group,
            by_score.group,
            *starts,
            n,
            *scratch,
            blocks,
            before,
            parts,
            found,
            native.get_addresses(pairs, np.int32),
        )
    return RowPairWeights(*map(_compress_constant, pairs))


def _starts(column: Column) -> Places:
    """Return how many rows stand before each group of equal values, and in the end all."""
    return np.append(0, np.flatnonzero(column.is_last) + 1).astype(np.int32)


def _compress_constant(values: Numbers) -> Numbers:
    """Return the same values; where all are equal, as a view of one number."""
    is_one = len(values) > 0 and bool(np.all(values == values[0]))
    return np.broadcast_to(values[0].copy(), values.shape) if is_one else values


def _group_by_both(first: Column, second: Column) -> tuple[Places, int]:
    """Group rows by the first column, then by the second, tied where both are; count the groups."""
    order = second.order[sort_by_group(first.group[second.order])]
    one, other = first.group[order], second.group[order]
    is_new = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
    number = np.cumsum(np.append(False, is_new)[: len(order)], dtype=np.int32)
    groups = np.empty(len(order), np.int32)
    groups[order] = number
    return groups, int(number[-1]) + 1 if len(number) else 0


def _group_weights(column: Column, weight: Vector) -> Vector:
    return np.bincount(column.group, weights=weight, minlength=column.groups).astype(np.float64)


def _partition_places(start: Index, is_high: NDArray[np.bool_], bit: int) -> Index:
    """Return where rows go: those of each part with bit 0 first, order kept within both."""
    highs = np.append(0, np.cumsum(is_high))
    high_rank = highs[:-1] - highs[start]
    low_rank = np.arange(len(start)) - start - high_rank
    return np.asarray(start + np.where(is_high, (1 << bit) + high_rank, low_rank))


def _move_values(values: Each, to: Index) -> Each:
    moved: Each = np.empty_like(values)
    moved[to] = values
    return moved


def compute_best_concordance(y: Column, score: Column, weight: Vector) -> Vector:
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
    signed = _sum_signs_below(y, place, weight, best)
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
    """Compute the same as `_best_in_ranges`, in compiled code."""
    found = np.empty(len(middle), dtype=np.int64)
    wide = (each.astype(np.int64) for each in (starts, middle, first, last))
    native.call_kernel("best_in_ranges", y, weight, *wide, len(middle), found)
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


def _sum_signs_below(y: Column, place: Index, weight: Vector, best: Index) -> Vector:
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
