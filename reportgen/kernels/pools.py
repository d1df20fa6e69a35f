"""What of lists was judged, how long and how tied they are, and what stands at each rank."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import nan

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.lists import CLOSE, Lists, sum_by, sums_to_ranks
from reportgen.kernels.pieces import Mapped, over_pieces, over_spans


def pool(
    lists: Lists, k: int, weight: Vector | None = None, mapped: Mapped = map
) -> Mapping[str, float]:
    """How much of the first k was judged on average, and how long lists are.

    Shares of queries and means over them count each by its weight, (n,); alike without.
    What a list does not hold is not said to lack a judgement; `judged` is nan without any list.
    `short` is the share of queries with fewer than k documents whose list lacks some that were
    judged: one of all candidates is whole at any length. `tied` is the share of documents
    that are tied, `empty` the number of queries without any, `single` the number of neighbours
    whose scores differ, but not in single precision.
    """
    found = over_pieces([(lists, {"": partial(_of_each, k=k)})], mapped)[0][""]
    judged, lacks, size, documents, tied, single = found.T
    own = np.ones(len(lists)) if weight is None else weight
    has = (size > 0) & (own > 0)
    share, every = judged[has] / np.minimum(size, k)[has], documents.sum()
    return {
        "judged": float(np.average(share, weights=own[has])) if len(share) else nan,
        "short": float(own @ ((size < k) & (lacks > 0)) / own.sum()),
        "deepest": int(size.max(initial=0)),
        "documents": int(every),
        "tied": float(tied.sum() / every) if every else 0.0,
        "empty": int((size == 0).sum()),
        "single": int(single.sum()),
    }


def _of_each(lists: Lists, k: int) -> Matrix:
    """Of each query: judged in the first k, whether it lacks any, and documents, (n, 6)."""
    found, size = lists.ordered(), np.minimum(np.diff(lists.start), lists.depth)
    is_judged = found.group_means(found.is_judged) * (found.rank <= lists.depth)
    lacks = found.total(is_judged) < np.diff(lists.judgements.start) - CLOSE
    tied = found.total_of_groups(np.where(found.size > 1, found.size, 0.0))
    of_first = found.total(is_judged * (found.rank <= k))
    each = (of_first, lacks, size, np.diff(found.start), tied, _tied_in_single_precision(lists))
    return np.column_stack(each).astype(np.float64)


def _tied_in_single_precision(lists: Lists) -> Vector:
    found = lists.by_score
    with np.errstate(over="ignore"):
        short = found.score.astype(np.float32)
    is_one = (np.diff(found.query) == 0) & (np.diff(found.score) != 0) & (short[1:] == short[:-1])
    return sum_by(found.query[1:], is_one, len(found))


def grades_to(
    lists: Lists, k: int, share: Vector, mapped: Mapped = map
) -> Mapping[float | None, Vector]:
    """By grade, from the highest, the chance to stand at each rank, (k,): a mean over queries.

    `share` (n,) is what each query counts. A grade of None is a document that nobody judged.
    """
    kinds: list[float | None] = [*lists.judgements.levels[::-1], 0.0, None]

    def of_piece(piece: Lists, begin: int) -> Matrix:
        own = share[begin : begin + len(piece)]
        return np.stack([own @ chances for chances in _chances(piece, k, kinds)])

    sums = sum(over_spans(of_piece, lists, mapped))
    return dict(zip(kinds, np.asarray(sums), strict=True))


def _chances(lists: Lists, k: int, kinds: list[float | None]) -> list[Matrix]:
    """The chance of each query to have each grade at each rank, (n, k) a grade."""
    found, ranks = lists.ordered(), np.arange(1.0, k + 1)
    chances = []
    for grade in kinds:
        is_it = ~found.is_judged if grade is None else found.is_judged & (found.grade == grade)
        chance = found.group_means(is_it) * (found.rank <= lists.depth)
        held = sums_to_ranks(found.query, found.rank, chance, len(found), ranks)
        chances.append(np.diff(held, axis=1, prepend=0.0))
    return chances
