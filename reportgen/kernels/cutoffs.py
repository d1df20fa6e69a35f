"""The walk over all cuts of y by compiled code that takes 32 lanes at once, for one-byte counts.

It reads ranks by score, each as the rank of its block and a small number more. What the ranks of
score and of y have to do with each other, which is all that Spearman's rho needs beside spreads,
falls off by the way and is left with the batch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Matrix, Scored, Vector
from reportgen.kernels.buffers import room
from reportgen.kernels.lanes import FEW_TO_WALK, WIDE, byte_lanes, fits_bytes, largest_count
from reportgen.kernels.ranks import keep_products
from reportgen.kernels.ties import BIGGEST, groups_of, weight_totals

BLOCK = 512  # rows of a block of groups, unless it is one group;
MOST = 63  # times counts up to this, twice, stays below 2^16
HALF = 32  # lanes at once
LARGE = 0.2  # share of the rows from which a group of y is summed up beside the ranks,
MOST_INSIDE = 2**26  # where totals stay below this, so that its sums are exact
Largest = tuple[NDArray[np.uint8] | None, int, int]


def can_walk_wide(batch: Batch) -> bool:
    """Whether compiled code can take these weightings so."""
    is_quick = native.is_native() and batch.is_whole and fits_bytes(batch)
    return is_quick and batch.size > FEW_TO_WALK and largest_count(batch) <= MOST


def walked_wide(rows: Scored, batch: Batch, shares: Vector) -> Matrix:
    """Heights at the shares, the length and the last height: (s + 2, b)."""
    parts, products = [], []
    for first in range(0, batch.size, WIDE):
        found, product = _lanes(rows, batch, first, shares)
        parts.append(found)
        products.append(product)
    if weight_totals(batch).max(initial=0.0) < BIGGEST:
        keep_products(rows, batch, np.concatenate(products)[: batch.size])
    return np.concatenate(parts, axis=1)[:, : batch.size]


def _lanes(
    rows: Scored, batch: Batch, first: int, shares: Vector
) -> tuple[Matrix, NDArray[np.int64]]:
    """The same of 64 lanes, and the products of ranks where no sum of them can be too large."""
    count, n, k = byte_lanes(batch, first), len(rows), len(shares)
    by_y, by_score, blocks = groups_of(rows.y), groups_of(rows.score), _blocks(rows.score)
    group = rows.once("score group by y", lambda: rows.score.group[rows.y.order])
    totals = np.zeros(WIDE, np.uint64)
    here = weight_totals(batch)[first : first + WIDE]
    totals[: len(here)] = here.astype(np.uint64)
    name = f"cut-off lengths {first}"
    lengths = batch.once(rows.y, name, lambda: _lengths(rows.y, count, totals))
    found, products = np.empty((k + 2, WIDE)), np.zeros(WIDE, np.int64)
    most = int(totals.max(initial=0))
    inside, start, past = _largest(rows) if most < MOST_INSIDE else (None, 0, 0)
    along = (by_y.order, by_y.last, group, by_score.order, by_score.last, blocks)
    sizes = (int(blocks.max(initial=0)) + 1, HALF), (by_score.number, HALF)
    with room(sizes[0], np.int32) as base, room(sizes[1], np.uint16) as off:
        where = (n, by_score.number, lengths, shares, k, base, off, found[:k], found[k:])
        out = products if most < BIGGEST else None
        native.run("whole_cutoffs_wide", count, *along, inside, start, past, *where, out)
    return found, products


def _lengths(y: Column, count: NDArray[np.uint8], totals: NDArray[np.uint64]) -> Vector:
    """The length of the walk of each lane, (64,): the same for every score."""
    groups, lengths = groups_of(y), np.empty(WIDE)
    native.run("whole_cutoff_lengths", count, groups.order, groups.last, len(y), totals, lengths)
    return lengths


def _largest(rows: Scored) -> Largest:
    """The largest group of equal y, if it is large: flags in the order of the score, its places."""
    return rows.once("large group of y", lambda: _found_largest(rows))


def _found_largest(rows: Scored) -> Largest:
    ends = groups_of(rows.y).end
    starts = np.append(0, ends[:-1])[: len(ends)]
    largest = int(np.argmax(ends - starts)) if len(ends) else 0
    if not len(ends) or ends[largest] - starts[largest] < LARGE * len(rows):
        return None, 0, 0
    inside = rows.y.group[rows.score.order] == largest
    return inside.view(np.uint8), int(starts[largest]), int(ends[largest])


def _blocks(column: Column) -> NDArray[np.int32]:
    """The block of each group of equal values: at most 512 rows in a block, or one group."""
    return column.once("blocks of groups", lambda: _found_blocks(groups_of(column).end))


def _found_blocks(ends: NDArray[np.intp]) -> NDArray[np.int32]:
    starts = np.append(0, ends[:-1])[: len(ends)]
    block, number, group = np.empty(len(ends), np.int32), 0, 0
    while group < len(ends):
        past = max(int(np.searchsorted(ends, starts[group] + BLOCK, side="right")), group + 1)
        block[group:past] = number
        number, group = number + 1, past
    return block
