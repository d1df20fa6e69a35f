"""All that is asked of one metric, found while what it rests on is at hand.

The sampling distribution of a value holds numbers for every unit, and many tables ask for it. So
tables are not made one after the other, but metric by metric: each distribution is made once and
let go of. Metrics that are functions of one another share theirs and go together; the others go
over the threads, those first that take longest, and land in their own place. What the primary
metric rests on is kept, since what would change its verdict is asked next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.analysis.comparisons import Pair, pairs_of
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.estimates import estimates_of
from reportgen.analysis.plan import Use
from reportgen.analysis.sensitivity.ranks import differences_from_best, rank_probabilities
from reportgen.analysis.sensitivity.robustness import influence
from reportgen.analysis.subset import RowSubset
from reportgen.analysis.warnings import warnings_of_calls, warnings_of_pairs, warnings_of_values
from reportgen.kernels.buffers import release
from reportgen.resampling.replicates import over_threads
from reportgen.results import DifferenceFromBest, Estimate, Influence, RankProbabilities
from reportgen.results.raised import RaisedWarning


@dataclass(frozen=True, eq=False)
class OfMetric:
    """What is found of one metric on one part; on all rows also what is told of them alone."""

    estimates: tuple[Estimate, ...]
    pairs: tuple[Pair, ...]
    ranks: tuple[RankProbabilities, ...] = ()
    from_best: tuple[DifferenceFromBest, ...] = ()
    influence: tuple[Influence, ...] = ()
    warnings_of_values: tuple[RaisedWarning, ...] = ()
    warnings_of_pairs: tuple[RaisedWarning, ...] = ()


def by_metric(analysis: DatasetAnalysis, threads: int = 1) -> list[OfMetric]:
    """Every metric on every part, in their order."""
    together = sorted(_together(analysis), key=_is_quick)
    with over_threads(threads) as mapped:
        found = mapped(lambda group: _all_of(analysis, group), together)
        pairs = zip(together, found, strict=True)
        made = {_place(*each): of for group, all_of in pairs
                for each, of in zip(group, all_of, strict=True)}  # fmt: skip
    return [made[_place(part, use)] for part in analysis.parts for use in analysis.plan.uses]


def _together(analysis: DatasetAnalysis) -> Iterator[Sequence[tuple[RowSubset, Use]]]:
    """The metrics of each part in groups that rest on the same distributions."""
    for part in analysis.parts:
        groups: dict[str, list[tuple[RowSubset, Use]]] = {}
        for use in analysis.plan.uses:
            root = part.roots[use.key][0] if use.key in part.roots else use
            groups.setdefault(root.key, []).append((part, use))
        yield from groups.values()


def _is_quick(group: Sequence[tuple[RowSubset, Use]]) -> bool:
    """Whether the metrics of a group are means over rows, which take less than orders do."""
    return all(use.metric.shape != "whole" for _, use in group)


def _all_of(analysis: DatasetAnalysis, group: Sequence[tuple[RowSubset, Use]]) -> list[OfMetric]:
    """The metrics of a group; of what they rest on only what the primary one does is kept."""
    found = [_found(analysis, *each) for each in group]
    if any(use.is_primary and part.segment is None for part, use in group):
        return found
    for part, use in group:
        root = part.roots[use.key][0].key if use.key in part.roots else use.key
        analysis.forget(part, (use.key, root))
    release()
    return found


def _found(analysis: DatasetAnalysis, part: RowSubset, use: Use) -> OfMetric:
    estimates = tuple(estimates_of(analysis, part, use))
    pairs = tuple(pairs_of(analysis, part, use))
    if part.segment is not None:
        return OfMetric(estimates, pairs)
    return OfMetric(
        estimates,
        pairs,
        ranks=tuple(rank_probabilities(analysis, use)),
        from_best=tuple(differences_from_best(analysis, use)),
        influence=tuple(influence(analysis, use)),
        warnings_of_values=tuple(warnings_of_values(analysis, use)),
        warnings_of_pairs=(*warnings_of_pairs(analysis, use), *warnings_of_calls(analysis, use)),
    )


def _place(part: RowSubset, use: Use) -> tuple[str | None, str]:
    return part.name, use.key
