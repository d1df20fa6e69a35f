"""Several columns summed along one walk: what curves of one model have in common.

A curve of ranking reads the weighted sum of a column where shares of the weight end, in the order
of another column. Gathering the weights in that order is most of the work, so curves that share
the order share the walk. Every sum has the bits that it has alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.kernels import native
from reportgen.kernels.column import Column, Matrix, Vector
from reportgen.kernels.lanes import WIDE, byte_lanes, fits_bytes, padded
from reportgen.kernels.quantiles import SLACK, upto_cuts_of
from reportgen.kernels.ties import weight_totals
from reportgen.kernels.weightings import Weightings

MOST = 4  # columns that compiled code sums in one walk
Known = dict[int, tuple[Vector, Vector, Matrix]]


@dataclass(frozen=True, eq=False)
class Reads:
    """Sums of `values`, (n,), over the first `shares` of the weight by a column; shares rise."""

    column: Column
    values: Vector
    shares: Vector


def walk_together(batch: Weightings, reads: Sequence[Reads]) -> None:
    """Find all that is read along one column, and keep it with the batch for `known_sums`.

    Compiled code does so for one-byte counts; elsewhere each is found when it is asked for.
    """
    is_quick = native.is_native() and batch.is_whole and fits_bytes(batch) and batch.size > 1
    if not is_quick or len(reads) < 2:
        return
    column = reads[0].column
    columns = {id(read.values): read.values for read in reads}
    shares = np.unique(np.concatenate([read.shares for read in reads]))
    known, values = _known(batch, column), list(columns.values())
    for first in range(0, len(values), MOST):
        some = values[first : first + MOST]
        for each, sums in zip(some, _sums(batch, column, some, shares), strict=True):
            known[id(each)] = each, shares, sums


def known_sums(batch: Weightings, column: Column, values: Vector, shares: Vector) -> Matrix | None:
    """What a walk before has found of these values at these shares, (b, s); None if none has."""
    found = _known(batch, column).get(id(values))
    if found is None:
        return None
    _, reached, sums = found
    place = np.minimum(np.searchsorted(reached, shares), len(reached) - 1)
    return sums[:, place] if np.array_equal(reached[place], shares) else None


def by_column(reads: Iterable[Reads | None]) -> list[list[Reads]]:
    """What is read, column by column, of those columns along which there are several."""
    groups: dict[int, list[Reads]] = {}
    for read in reads:
        if read is not None:
            groups.setdefault(id(read.column), []).append(read)
    return [group for group in groups.values() if len(group) > 1]


def _known(batch: Weightings, column: Column) -> Known:
    known: Known = batch.once(column, "walk together", dict)
    return known


def _sums(
    batch: Weightings, column: Column, values: Sequence[Vector], shares: Vector
) -> list[Matrix]:
    """Of each column the sums at all shares, (b, s)."""
    columns = [np.ascontiguousarray(each) for each in values]
    totals = weight_totals(batch)
    cuts = np.zeros((len(shares) + 2, batch.size))
    cuts[1:-1], cuts[-1] = (shares[None, :] * totals[:, None]).T, totals
    parts = []
    for first in range(0, batch.size, WIDE):
        some = padded(cuts[:, first : first + WIDE], WIDE)
        found = upto_cuts_of(column, columns, byte_lanes(batch, first), some)
        parts.append(found[:, :, : batch.size - first])
    sums = np.concatenate(parts, axis=2)[:, 1:]
    is_all = cuts[1:-1] >= cuts[-1] * (1 - SLACK)
    return [np.ascontiguousarray(np.where(is_all, each[-1], each[:-1]).T) for each in sums]
