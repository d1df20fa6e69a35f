"""The figure of mean ranks over data sets, with bars below models that are not distinguishable."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import Axis, Figure, Panel, Reference, Series
from reportgen.results import AcrossDatasets
from reportgen.sections.index import Index

LONGEST_ROW = 34  # letters beside a row


def rank_figure(index: Index, found: AcrossDatasets) -> Figure:
    """A row a model, the best mean rank first, and a row a group that is not distinguishable."""
    known = [(r, m) for r, m in zip(found.mean_ranks, found.models, strict=True) if r is not None]
    ordered = sorted(known, key=lambda pair: pair[0])
    rank = {model: each for each, model in ordered}
    rows = [(float(place), model) for place, (_, model) in enumerate(ordered, 1)]
    labels = {model: wording.name(index.label(model), 40) for _, model in rows}
    bars = [(len(rows) + 1.0 + k, group) for k, group in enumerate(found.cliques)]
    ticks = [(place, f"{labels[model]}  {rank[model]:.2f}") for place, model in rows]
    ticks += [(place, _joined([labels[m] for m in group])) for place, group in bars]
    dots = tuple(
        Series("", index.role(model), (rank[model],), (place,), marks=("filled",))
        for place, model in rows
    )
    joined = tuple(
        Reference("", x=(rank[group[0]], rank[group[-1]]), y=(place, place), role="other")
        for place, group in bars
    )
    across = Axis("mean rank, 1 is the best", low=1.0, high=float(len(rows)))
    up = Axis("", low=0.5, high=len(rows) + len(bars) + 0.5, ticks=tuple(ticks))
    groups = [wording.listed([labels[m] for m in group], 10) for group in found.cliques]
    joined_said = (
        f"not distinguishable: {'; '.join(groups)}" if groups else "every two are distinguishable"
    )
    best = labels[ordered[0][1]]
    return Figure(
        "across-mean-ranks",
        "forest",
        f"{best} has the best mean rank; {joined_said}",
        f"Mean rank of each model over {wording.count(len(found.datasets), *index.unit_across)}. "
        f"{_how(found)} Ranks depend on which models take part.",
        " ".join(f"{labels[model]} {rank[model]:.2f}." for _, model in rows),
        (Panel("", across, up, dots, joined),),
    )


def _joined(names: Sequence[str]) -> str:
    """What stands beside a bar: the models that it joins, which stand one after the other.

    Both fit beside a row.

    >>> _joined(["gbm", "rf"]), _joined(["gbm", "rf", "tree"])
    ('gbm, rf', 'gbm to tree')
    >>> _joined(["Gradient boosting", "Random forest", "Naive Bayes"])
    'Gradient boosting to Naive Bayes'
    """
    between, ends = ", " if len(names) == 2 else " to ", (names[0], names[-1])
    whole = between.join(ends)
    return whole if len(whole) <= LONGEST_ROW else between.join(wording.name(e, 15) for e in ends)


def _how(found: AcrossDatasets) -> str:
    """What joins two models."""
    if found.critical_distance is not None:
        return (
            "A bar joins models whose mean ranks are less than Nemenyi's critical distance of "
            f"{found.critical_distance:.2f} apart."
        )
    return (
        "A bar joins models of which no two are distinguishable by exact signed ranks, adjusted "
        "by Holm over all pairs."
    )
