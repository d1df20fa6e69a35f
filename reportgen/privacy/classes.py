"""Counts that few rows make: those of small classes, and of rows that a model was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen import wording
from reportgen.results import (
    ClassInfo,
    ConfusionMatrix,
    DatasetInfo,
    ModelInfo,
    TrainedOn,
    Warning,
)

_COUNTS = frozenset(("class", "positives"))  # what a warning that counts a class has


def told_classes(classes: Sequence[ClassInfo], fewest: int) -> tuple[ClassInfo, ...]:
    """The classes without counts of fewer rows than may be told.

    The total less all others would give the count of one that is hidden alone, so the next smallest
    is hidden with it, until at least two are that hold enough rows together.

    >>> sizes = told_classes([ClassInfo(str(n), "", n) for n in (3, 40, 0, 57)], 5)
    >>> [(each.n, each.is_hidden) for each in sizes]
    [(0, True), (0, True), (0, False), (57, False)]
    """
    held = sorted((each for each in classes if each.n), key=lambda each: each.n)
    hidden = [each for each in held if each.n < fewest]
    if not hidden:
        return tuple(classes)
    for each in held[len(hidden) :]:
        if len(hidden) > 1 and sum(one.n for one in hidden) >= fewest:
            break
        hidden.append(each)
    return tuple(replace(c, n=0, is_hidden=True) if c in hidden else c for c in classes)


def without_rows(
    matrices: Sequence[ConfusionMatrix], datasets: Sequence[DatasetInfo]
) -> tuple[ConfusionMatrix, ...]:
    """The confusions without the rows of hidden classes, whose sums are their counts."""
    hidden = {d.name: [each.is_hidden for each in d.classes] for d in datasets}
    return tuple(
        replace(each, weight=tuple(
            tuple(None for _ in row) if is_hidden else row
            for row, is_hidden in zip(each.weight, hidden[each.dataset], strict=True)
        ))
        for each in matrices
    )  # fmt: skip


def told_models(
    models: Sequence[ModelInfo], datasets: Sequence[DatasetInfo], fewest: int
) -> tuple[ModelInfo, ...]:
    """The models; how many rows one was trained on is hidden where they, or the rest, are few."""
    sizes = {each.name: each.n for each in datasets}
    return tuple(
        replace(each, trained_on=each.trained_on and _told(each.trained_on, sizes, fewest))
        for each in models
    )


def _told(known: TrainedOn, sizes: Mapping[str, int], fewest: int) -> TrainedOn:
    few = [
        name
        for name, shared in known.shared.items()
        if 0 < shared < fewest or 0 < sizes.get(name, shared) - shared < fewest
    ]
    shared = {name: n for name, n in known.shared.items() if name not in few}
    return replace(known, shared=shared, hidden=tuple(few))


def told_warnings(
    warnings: Sequence[Warning], datasets: Sequence[DatasetInfo], models: Sequence[ModelInfo]
) -> tuple[Warning, ...]:
    """The warnings; those that count what is hidden are said by their code alone."""
    about = {each.name: each for each in datasets}
    untold = {(m.name, name) for m in models for name in (m.trained_on.hidden if m.trained_on
                                                         else ())}  # fmt: skip

    def is_of_hidden(warning: Warning) -> bool:
        if "shared" in warning.numbers:
            return (warning.model, warning.dataset) in untold
        info = about.get(warning.dataset or "")
        has_hidden = info is not None and any(each.is_hidden for each in info.classes)
        return has_hidden and not _COUNTS.isdisjoint(warning.numbers)

    def bare(warning: Warning) -> Warning:
        info = about.get(warning.dataset or "")
        case = info.case if info else ("row", "rows")
        return replace(warning, numbers={}, text=wording.warning(warning.code, {}, case))

    return tuple(bare(each) if is_of_hidden(each) else each for each in warnings)
