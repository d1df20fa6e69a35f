"""How often each value of a column occurs that may tell units apart, whoever reads which rows.

Counts stand by the keys of values. Where there are more different values than are held, those are
counted whose keys lie in a half of all, a quarter of all, and so on: which these are depends on the
values alone, and a value is counted on all of its rows or on none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.checks import units_that_repeat
from reportgen.results.raised import RaisedWarning

MOST = 1 << 20  # different values that are counted
_WORD = 64
Keys = NDArray[np.uint64]
Times = NDArray[np.uint64]
"""(2, 1 + g): how often the keys were halved and how many rows there are, then keys and counts."""


def blank() -> Times:
    """What is known of a column that lacks a value: nothing, whatever else it holds."""
    return np.empty((2, 0), np.uint64)


def times_of(keys: Keys) -> Times:
    """How often each key occurs among some."""
    values, count = np.unique(keys, return_counts=True)
    head = np.array([[0], [len(keys)]], np.uint64)
    return _held(np.hstack([head, np.stack([values, count.astype(np.uint64)])]))


def together(one: Times, other: Times) -> Times:
    """The same of the rows of both, in any order the same."""
    if not (one.shape[1] and other.shape[1]):
        return blank()
    halved, rows = max(one[0, 0], other[0, 0]), one[1, 0] + other[1, 0]
    keys, counts = np.hstack([one[:, 1:], other[:, 1:]])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    values = np.stack([keys[first], np.add.reduceat(counts, first)])
    return _held(np.hstack([np.array([[halved], [rows]], np.uint64), values]))


def by_column(one: Mapping[str, Times], other: Mapping[str, Times]) -> dict[str, Times]:
    """The same of each column."""
    found = dict(one)
    for name, times in other.items():
        found[name] = together(found[name], times) if name in found else times
    return found


def warning_of(found: Times) -> RaisedWarning | None:
    """W107 of a column; of very many units their share is that of those that are counted."""
    if not found.shape[1]:
        return None
    raised = units_that_repeat(found[1, 1:].astype(np.int64))
    if raised is None or not found[0, 0]:
        return raised
    numbers = {key: raised.numbers[key] for key in ("share",)}
    return RaisedWarning(raised.code, {**numbers, "n": int(found[1, 0])})


def _held(found: Times) -> Times:
    """As many of the different values as are held."""
    halved = int(found[0, 0])
    while True:
        kept = found[0, 1:] >> np.uint64(_WORD - halved) == 0 if halved else None
        if kept is not None:
            found = np.hstack([found[:, :1], found[:, 1:][:, kept]])
        if found.shape[1] - 1 <= MOST:
            found[0, 0] = halved
            return found
        halved += 1
