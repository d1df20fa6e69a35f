"""Counts that few rows make: those of small classes, and of rows that a model was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen import wording
from reportgen.results import (
    ClassCalibration,
    ClassInfo,
    ConfusionMatrix,
    DatasetInfo,
    ModelCalibration,
    ModelInfo,
    Scalar,
    TrainedOn,
    Warning,
)

_COUNTS = frozenset(("class", "positives", "happened"))  # what a warning that counts a class has
_OF_DROPPED = ("gone_positive", "kept_positive")  # shares of classes among rows left out


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

    def only(warning: Warning, numbers: Mapping[str, Scalar]) -> Warning:
        info = about.get(warning.dataset or "")
        case = info.case if info else ("row", "rows")
        text = wording.warning(warning.code, numbers, case)
        return replace(warning, numbers=dict(numbers), text=text)

    def told(warning: Warning) -> Warning:
        if is_of_hidden(warning):
            return only(warning, {})
        left = {k: v for k, v in warning.numbers.items() if k not in _OF_DROPPED}
        return warning if len(left) == len(warning.numbers) else only(warning, left)

    return tuple(map(told, warnings))


def told_calibrations(
    found: Sequence[ModelCalibration], untold: Mapping[str, set[str]]
) -> tuple[ModelCalibration, ...]:
    """The calibrations; what happened on average is the count of a class, which may be hidden."""
    return tuple(
        replace(c, said=None, happened=None, ratio_low=None, ratio_high=None, p_total=None)
        if untold.get(c.dataset) else c
        for c in found
    )  # fmt: skip


def told_of_classes(
    found: Sequence[ClassCalibration],
    datasets: Sequence[DatasetInfo],
    untold: Mapping[str, set[str]],
    fewest: int,
) -> tuple[ClassCalibration, ...]:
    """What is said of each class and happened, but for those that are hidden or of few rows."""
    rows = {(d.name, c.value): c.n for d in datasets for c in d.classes}
    return tuple(
        c
        for c in found
        if c.label is None
        or (
            c.label not in untold.get(c.dataset, ()) and rows.get((c.dataset, c.label), 0) >= fewest
        )
    )
