"""Sums of products of weighted midranks: all that Spearman's rho needs.

The midrank of a row is the weight below its value plus half the weight at it: for whole-number
weights the mean rank, less one half, of its copies in the resample written out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Matrix, Scored, Vector
from reportgen.kernels.buffers import room, room_for
from reportgen.kernels.lanes import Lanes, lanes_of, largest_count, ordered_running, ordered_sum
from reportgen.kernels.ties import (
    BIGGEST,
    Groups,
    group_numbers,
    groups_of,
    tie_powers,
    weight_cubes,
    weight_totals,
)

PRODUCTS = "products of ranks"


@dataclass(frozen=True)
class RankSums:
    """Weighted sums over rows of products of centred midranks, each of shape (b,).

    Whole-number weights of a total below two million are exact to the last division; a spread is
    exactly 0 where all weight lies on one value.
    """

    score_y: Vector
    score_score: Vector
    y_y: Vector


def rank_sums(rows: Scored, batch: Batch) -> RankSums:
    """Sxy, Sxx and Syy of the midranks of score (x) and y under each weighting.

    >>> from reportgen.rows import Amounts
    >>> rows = Amounts(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    >>> sums = rank_sums(rows, Batch.of(np.ones(3)))
    >>> sums.score_y, sums.y_y
    (array([1.]), array([2.]))
    """
    return batch.once(rows, "rank sums", lambda: _rank_sums(rows, batch))


def _rank_sums(rows: Scored, batch: Batch) -> RankSums:
    if batch.is_whole and (weight_totals(batch) < BIGGEST).all():
        score_y = batch.once(rows, PRODUCTS, lambda: _products(rows, batch)).astype(np.float64)
        return RankSums(score_y / 4, _whole_spread(rows.score, batch), _whole_spread(rows.y, batch))
    parts = np.concatenate([_real_products(rows, lanes) for lanes in lanes_of(batch)], axis=1)
    return RankSums(*(parts[:, : batch.size] / 4))


def keep_products(rows: Scored, batch: Batch, products: NDArray[np.int64]) -> None:
    """Leave with the batch what a walk has found: sums of weight * both ranks, (b,).

    Ranks are doubled and centred midranks.
    """
    batch.once(rows, PRODUCTS, lambda: products)


def _products(rows: Scored, batch: Batch) -> NDArray[np.int64]:
    """The same where no walk has found it."""
    parts = [_whole_products(rows, batch, lanes) for lanes in lanes_of(batch)]
    return np.concatenate(parts)[: batch.size]


def _whole_spread(column: Column, batch: Batch) -> Vector:
    """Sum of count * midrank^2 = (W^3 - sum of the groups' cubes) / 12, in whole numbers."""
    total = weight_totals(batch).astype(np.int64)
    ties = tie_powers(column, batch, groups_of(column))[1]
    groups = weight_cubes(batch).astype(np.int64) + ties.astype(np.int64)
    return np.asarray((total**3 - groups) / 12)


def _whole_products(rows: Scored, batch: Batch, lanes: Lanes) -> NDArray[np.int64]:
    """Sum of count * rank by score * rank by y, both doubled and centred."""
    if not lanes.is_bytes:
        weight = lanes.weight.astype(np.int64)
        x, y = (_whole_ranks(weight, groups_of(column)) for column in (rows.score, rows.y))
        products: NDArray[np.int64] = (weight * x[rows.score.group] * y[rows.y.group]).sum(axis=0)
        return products
    score, totals = groups_of(rows.score), _totals_of(lanes, batch)
    table = batch.once(
        rows.y, f"ranks {lanes.first}", lambda: _byte_ranks(rows.y, batch, lanes, totals)
    )
    most = max(1, int(totals.max())) ** 2 * largest_count(batch)
    out = np.empty(lanes.width, dtype=np.int64)
    group = rows.once("y group by score", lambda: rows.y.group[score.order])
    where = (lanes.weight, score.order, score.last, group, len(rows), totals, table)
    native.run("whole_rank_products", *where, max(1, 2**53 // most), out)
    return out


def _totals_of(lanes: Lanes, batch: Batch) -> NDArray[np.uint64]:
    """The totals of these lanes, 0 for lanes that pad."""
    totals = np.zeros(lanes.width, dtype=np.uint64)
    here = weight_totals(batch)[lanes.first : lanes.first + lanes.width]
    totals[: len(here)] = here.astype(np.uint64)
    return totals


def _byte_ranks(
    y: Column, batch: Batch, lanes: Lanes, totals: NDArray[np.uint64]
) -> NDArray[np.float32]:
    """Doubled centred midranks by group; single precision holds them, being below 2^21."""
    groups = groups_of(y)
    table = room_for(batch, (groups.number, lanes.width), np.float32)
    where = (lanes.weight, groups.order, groups.last, len(groups.order), totals)
    native.run("whole_centred_ranks", *where, table)
    return table


def _whole_ranks(weight: NDArray[np.int64], groups: Groups) -> NDArray[np.int64]:
    """Doubled centred midranks by group, in whole numbers."""
    running = np.zeros((len(weight) + 1, weight.shape[1]), dtype=np.int64)
    np.cumsum(weight[groups.order], axis=0, out=running[1:])
    ends = running[np.append(0, groups.end)]
    return np.asarray(ends[1:] + ends[:-1] - running[-1])


def _real_products(rows: Scored, lanes: Lanes) -> Matrix:
    """Sums of w*x*y, w*x*x and w*y*y over doubled centred midranks, in row order: (3, width)."""
    score, y = groups_of(rows.score), groups_of(rows.y)
    if not native.is_native():
        a = _real_ranks(lanes, score)[rows.score.group]
        b = _real_ranks(lanes, y)[rows.y.group]
        wa, wb = lanes.weight * a, lanes.weight * b
        return np.stack([ordered_sum(wa * b), ordered_sum(wa * a), ordered_sum(wb * b)])
    out = np.empty((3, lanes.width))
    with room((score.number + y.number, lanes.width), np.float64) as tables:
        tables_of = (tables[: score.number], tables[score.number :])
        for groups, table in zip((score, y), tables_of, strict=True):
            ordered = (groups.order, groups.last)
            native.run("real_ranks", lanes.width, lanes.weight, *ordered, len(rows), table)
        numbers = (group_numbers(rows.score), group_numbers(rows.y))
        where = (lanes.weight, *numbers, len(rows), *tables_of, out)
        native.run("real_rank_products", lanes.width, *where)
    return out


def _real_ranks(lanes: Lanes, groups: Groups) -> Matrix:
    """Doubled centred midranks by group: weight up to its start plus weight up to its end."""
    running = ordered_running(lanes.weight[groups.order])
    ends = running[np.append(0, groups.end)]
    return np.asarray((ends[:-1] + ends[1:]) - running[-1])
