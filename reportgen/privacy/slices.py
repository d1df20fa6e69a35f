"""Which slices are hidden: the small ones, and as many others as it takes to keep them hidden.

What a report tells of slices are sums over rows, or leads to them. So a slice that is not told can
be had where it is a combination of told ones: all rows less the others of its column, or slices of
another column. Told slices are taken away until no hidden one is such a combination, by their
numbers of rows in common alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.data.sample import Codes
from reportgen.results import SegmentInfo

NOTHING = 1e-6  # rows that a slice and a combination of others differ by, where they are the same
Matrix = NDArray[np.float64]


def small_slices(segments: Sequence[SegmentInfo], fewest: int) -> Iterator[str]:
    """The slices of each column with fewer rows, and the next smallest while they can be had.

    Hidden are none, or two and more with as many rows together: the total less the others tells
    of them as of one.

    >>> three = [SegmentInfo(f"a={k}", "a", str(k), n) for k, n in enumerate((9, 40, 50))]
    >>> [*small_slices(three, 30)]
    ['a=0', 'a=1']
    """
    yield from _with_the_next(segments, fewest, {s.segment for s in segments if s.n < fewest})


def hidden_slices(
    segments: Sequence[SegmentInfo], codes: Mapping[str, Codes], fewest: int
) -> frozenset[str]:
    """The slices that are not told, so that none of them can be had from those that are."""
    hidden = set(small_slices(segments, fewest))
    known = [s for s in segments if s.column in codes and s.value in codes[s.column].labels]
    if not hidden or len({s.column for s in known}) < 2:
        return frozenset(hidden)
    common = _rows_in_common(known, codes)
    while (more := _to_hide(known, common, hidden, fewest)) is not None:
        hidden = set(_with_the_next(segments, fewest, {*hidden, more}))
    return frozenset(hidden)


def _with_the_next(
    segments: Sequence[SegmentInfo], fewest: int, hidden: Iterable[str]
) -> Iterator[str]:
    known = set(hidden)
    for column in dict.fromkeys(each.column for each in segments):
        mine = sorted((s for s in segments if s.column == column), key=lambda s: (s.n, s.segment))
        kept = [s for s in mine if s.segment in known]
        others = (s for s in mine if s.segment not in known)
        while kept and (len(kept) < 2 or sum(s.n for s in kept) < fewest):
            following = next(others, None)
            if following is None:
                break
            kept.append(following)
        yield from (each.segment for each in kept)


def _rows_in_common(known: Sequence[SegmentInfo], codes: Mapping[str, Codes]) -> Matrix:
    """How many rows each two slices share; the last row and column are those of all rows."""
    columns = list(dict.fromkeys(s.column for s in known))
    blocks: list[list[Matrix]] = []
    for a in columns:
        one = codes[a]
        shared = [
            np.bincount(
                one.code * len(codes[b].labels) + codes[b].code,
                minlength=len(one.labels) * len(codes[b].labels),
            ).reshape(len(one.labels), -1)
            for b in columns
        ]
        blocks.append([each.astype(np.float64) for each in shared])
    whole = np.block(blocks)
    starts = dict(zip(columns, np.cumsum([0, *(len(codes[c].labels) for c in columns)]),
                      strict=False))  # fmt: skip
    at = [int(starts[s.column]) + codes[s.column].labels.index(s.value) for s in known]
    inner = whole[np.ix_(at, at)]
    size = np.diag(inner)
    n = float(len(codes[columns[0]].code))
    return np.block([[inner, size[:, None]], [size[None, :], np.array([[n]])]])


def _to_hide(
    known: Sequence[SegmentInfo], common: Matrix, hidden: set[str], fewest: int
) -> str | None:
    """A told slice that gives a hidden one, or few rows, away; None if there is none."""
    away = [k for k, s in enumerate(known) if s.segment in hidden]
    told = [k for k, s in enumerate(known) if s.segment not in hidden]
    if not told:
        return None
    for k in told:
        inside = [j for j in told if j != k and common[j, k] == common[j, j]
                  and 0 < common[k, k] - common[j, j] < fewest]  # fmt: skip
        if inside:
            return known[inside[0]].segment
    whole = [*told, len(known)]
    inverse = np.linalg.pinv(common[np.ix_(whole, whole)], rcond=1e-12, hermitian=True)
    for h in away:
        shared = common[h, whole]
        if common[h, h] - shared @ inverse @ shared < NOTHING * max(common[h, h], 1.0):
            return _one_of(known, common, told, h)
    return None


def _one_of(known: Sequence[SegmentInfo], common: Matrix, told: Sequence[int], h: int) -> str:
    """The smallest told slice of the column of a hidden one; else one that shares rows with it."""
    own = [k for k in told if known[k].column == known[h].column]
    near = own or [k for k in told if common[k, h] > 0] or list(told)
    return known[min(near, key=lambda k: (known[k].n, known[k].segment))].segment
