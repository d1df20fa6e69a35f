"""What changed in the data: the target, the scores and the segments, from what results hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from reportgen.config.schema.config import Config
from reportgen.inference.distribution_shift import (
    LimitedValue,
    bound_distance,
    compare_means,
    compare_means_relatively,
    compare_shares,
    compute_grid_distance,
    compute_stability_index,
    group_by_earlier,
)
from reportgen.planning.costs import find_training_dataset
from reportgen.results import Results
from reportgen.results.changes import DataShift, ShiftKind
from reportgen.results.core import ColumnProfile, DatasetInfo
from reportgen.results.types import round_number

HIDDEN = "\0hidden"


def iter_training_shifts(config: Config, results: Results) -> Iterator[DataShift]:
    """Yield how each evaluated dataset differs from that with `role: fit`, if there is one."""
    by_name = {each.name: each for each in results.datasets}
    for info in results.datasets:
        training = find_training_dataset(config, info.name) if info.role == "test" else None
        if training is not None:
            level = results.inference.level
            yield from iter_shifts(by_name[training], info, level, since=training)


def iter_run_shifts(before: Results, now: Results, names: Mapping[str, str]) -> Iterator[DataShift]:
    """Yield how each evaluated dataset differs from that of an earlier run.

    `names` are earlier names of models, by the present ones.
    """
    earlier = {each.name: each for each in before.datasets}
    for info in now.datasets:
        if info.role == "test" and info.name in earlier:
            shifts = iter_shifts(earlier[info.name], info, now.inference.level, names=names)
            is_same = _has_same_rows(before, now, info.name)
            for shift in shifts:
                if not is_same or shift.kind == "score":
                    yield replace(shift, has_same_rows=is_same)


def iter_shifts(
    before: DatasetInfo,
    now: DatasetInfo,
    level: float,
    since: str = "",
    names: Mapping[str, str] | None = None,
) -> Iterator[DataShift]:
    """Yield how the target, each model's scores and each column of segments differ."""
    rows = _count_independent(before), _count_independent(now)
    if min(rows) < 2:
        return
    start: dict[str, Any] = {"dataset": now.name, "since": since, "level": level}
    start |= {"n_before": before.n, "n_now": now.n}
    yield from _iter_class_shifts(before, now, rows, start)
    for column in now.columns:
        kind: ShiftKind = "score" if column.role == "score" else "target"
        other = _find_column(before, column, names or {})
        classes = (*before.classes, *now.classes) if kind == "target" else ()
        is_of_classes = len(classes) > 4 or any(each.is_hidden for each in classes)
        if column.role not in ("y", "score", "count") or other is None or is_of_classes:
            continue
        is_target = column.role == "y"
        unit, name = (now.unit, now.target_label) if is_target else ("", "")
        name = name or column.column
        made = DataShift(kind=kind, name=name, model=column.model, unit=unit, **start)
        yield _compare_columns(made, other, column, rows)
    for name in dict.fromkeys(each.column for each in now.segments):
        counts = _count_segments(before, now, name)
        if counts is not None:
            made = DataShift(kind="segment", name=name, model=None, unit="", **start)
            yield _compare_counts(made, *counts, rows)


def _iter_class_shifts(
    before: DatasetInfo, now: DatasetInfo, rows: tuple[float, float], start: Mapping[str, Any]
) -> Iterator[DataShift]:
    """Yield how the shares of several classes differ, if none of them is hidden."""
    if len(now.classes) < 3 or now.labels_per_row is not None:
        return
    if any(each.is_hidden for each in (*before.classes, *now.classes)):
        return
    was, new = ({each.value: each.n for each in info.classes} for info in (before, now))
    values = list(dict.fromkeys([*was, *new]))
    made = DataShift(
        kind="target", name=now.target_label or now.target, model=None, unit="", **start
    )
    if sum(was.values()) and sum(new.values()):
        first, second = ([float(each.get(value, 0)) for value in values] for each in (was, new))
        yield _compare_counts(made, first, second, rows)


def _has_same_rows(before: Results, now: Results, name: str) -> bool:
    known = [
        next((each.rows for each in run.digests.datasets if each.dataset == name), "")
        for run in (before, now)
        if run.digests is not None
    ]
    return len(known) > 1 and bool(known[0]) and known[0] == known[1]


def _count_independent(info: DatasetInfo) -> float:
    """Count the rows that are independent: effective ones, clusters, or blocks of time."""
    rows = float(info.n if info.effective_n is None else info.effective_n)
    if info.clusters is not None:
        rows = min(rows, float(info.clusters))
    return rows / max(info.block_length or 1.0, 1.0)


def _find_column(
    info: DatasetInfo, column: ColumnProfile, names: Mapping[str, str]
) -> ColumnProfile | None:
    """Find the same column of an earlier dataset; of a model with several, by its name."""
    model = names.get(column.model, column.model) if column.model else None
    fit = [each for each in info.columns if (each.role, each.model) == (column.role, model)]
    same = [each for each in fit if each.column == column.column]
    return (same or fit)[0] if same or len(fit) == 1 else None


def _compare_columns(
    shift: DataShift, before: ColumnProfile, now: ColumnProfile, rows: tuple[float, float]
) -> DataShift:
    """Compare two columns by their means and, where quantiles of both are known, by these."""
    old, new = _get_moments(before, rows[0]), _get_moments(now, rows[1])
    if old is not None and new is not None:
        change = compare_means(old, new, shift.level)
        share = compare_means_relatively(old, new, shift.level)
        shift = replace(
            shift,
            before=before.mean,
            now=now.mean,
            unit="share" if before.is_flag and now.is_flag else shift.unit,
            **_name_limits(change, "change", "low", "high"),
            **(_name_limits(share, "relative", "relative_low", "relative_high") if share else {}),
        )
    if before.is_flag and now.is_flag:
        if shift.change is None:
            return shift
        zeros, others = ([float(each.zeros), float(each.n - each.zeros)] for each in (before, now))
        return _compare_counts(shift, zeros, others, rows)
    grids = [np.array([x for x in each.quantiles if x is not None]) for each in (before, now)]
    if not all(len(each) for each in grids):
        return shift
    distance, off = compute_grid_distance(grids[0], grids[1])
    result = bound_distance(distance, rows, shift.level, off)
    return replace(
        shift,
        measure="ks",
        resolution=round_number(off),
        stability_index=round_number(compute_stability_index(*group_by_earlier(*grids))),
        **_name_limits(result, "distance", "distance_low", "distance_high"),
    )


def _get_moments(column: ColumnProfile, rows: float) -> tuple[float, float, float] | None:
    """Return the mean, the standard deviation and the independent rows of a column, if known."""
    if column.mean is None or column.sd is None or not isfinite(column.sd):
        return None
    return column.mean, column.sd, rows


def _compare_counts(
    shift: DataShift, before: Sequence[float], now: Sequence[float], rows: tuple[float, float]
) -> DataShift:
    """Compare two lists of counts of the same groups."""
    result = compare_shares(before, now, rows, shift.level)
    return replace(
        shift,
        measure="tv",
        stability_index=round_number(compute_stability_index(before, now)),
        **_name_limits(result, "distance", "distance_low", "distance_high"),
    )


def _count_segments(
    before: DatasetInfo, now: DatasetInfo, column: str
) -> tuple[list[float], list[float]] | None:
    """Count the rows of each segment of a column; those that a run hides are one group in both.

    None where the earlier run does not have the column.
    """
    hidden = {each for info in (before, now) for each in info.hidden}
    counts: list[dict[str, float]] = []
    for info in (before, now):
        own = {each.segment: float(each.n) for each in info.segments if each.column == column}
        shown = {name: n for name, n in own.items() if name not in hidden}
        rest = info.n - sum(shown.values())
        counts.append(shown | ({HIDDEN: rest} if rest > 0 else {}))
        if not own:
            return None
    names = list(dict.fromkeys([*counts[0], *counts[1]]))
    if len(names) < 2:
        return None
    first, second = ([each.get(name, 0.0) for name in names] for each in counts)
    return first, second


def _name_limits(result: LimitedValue, *names: str) -> dict[str, Any]:
    values = (result.value, result.low, result.high)
    return {name: round_number(value) for name, value in zip(names, values, strict=True)}
