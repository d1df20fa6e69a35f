"""Lists cut between queries into pieces whose numbers fit into the processor's cache.

What is found of a query depends on no other, so the pieces together say what the whole does, to the
last bit; sums over patterns nearly, as these are as wide as the longest list beside them. Measures
of one piece share its order and its counts, which go with it: of a large study no more is held at a
time than of one piece a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Result
from reportgen.kernels.lists import Judgements, Lists

PIECE = 1 << 18  # documents of lists and judgements, about
Measure = Callable[[Lists], NDArray[Any]]
Mapped = Callable[..., Iterable[Any]]  # `map`, or that of threads


def over_queries(measure: Measure, lists: Lists) -> NDArray[Any]:
    """What a measure says of each query, (n,) or (n, k)."""
    return over_pieces([(lists, {"": measure})])[0][""]


def over_pieces(
    asked: Sequence[tuple[Lists, Mapping[Hashable, Measure]]], mapped: Mapped = map
) -> list[dict[Hashable, NDArray[Any]]]:
    """What several measures say of each query of several lists, by the measures' names.

    Pieces of all lists go over the threads together.
    """

    def of_piece(work: tuple[int, int, int]) -> dict[Hashable, NDArray[Any]]:
        at, begin, end = work
        lists, measures = asked[at]
        piece = _between(lists, begin, end)
        return {name: measure(piece) for name, measure in measures.items()}

    work = [(at, *span) for at, (lists, of) in enumerate(asked) if of for span in _spans(lists)]
    found: list[dict[Hashable, list[NDArray[Any]]]] = [{} for _ in asked]
    for (at, *_), each in zip(work, mapped(of_piece, work), strict=True):
        for name, values in each.items():
            found[at].setdefault(name, []).append(values)
    return [{name: _joined(parts) for name, parts in each.items()} for each in found]


def over_spans(
    function: Callable[[Lists, int], Result], lists: Lists, mapped: Mapped = map
) -> Iterable[Result]:
    """What a function says of each piece and the number of its first query, in their order."""

    def of_piece(span: tuple[int, int]) -> Result:
        return function(_between(lists, *span), span[0])

    return mapped(of_piece, _spans(lists))


def _spans(lists: Lists) -> list[tuple[int, int]]:
    """The first query of each piece, and the one after its last; a query is never cut."""
    n, size = len(lists), lists.start + lists.judgements.start
    at = np.searchsorted(size, np.arange(PIECE, int(size[-1]), PIECE), side="right") - 1
    return list(pairwise([0, *sorted({int(k) for k in at} - {0, n}), n]))


def _between(lists: Lists, begin: int, end: int) -> Lists:
    """The queries from `begin` to before `end`: seen, not copied; all are the lists themselves."""
    if end - begin == len(lists):
        return lists
    judged = lists.judgements
    start, known = lists.start[begin : end + 1], judged.start[begin : end + 1]
    inside, beside = slice(start[0], start[-1]), slice(known[0], known[-1])
    name = None if lists.name is None else lists.name[inside]
    of = Judgements(known - known[0], judged.grade[beside], judged.levels, judged.deepest)
    return Lists(start - start[0], lists.grade[inside], lists.score[inside], of, name, lists.depth)


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
