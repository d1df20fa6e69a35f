"""The columns that every model needs on every row, aligned, and the rows where one is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from reportgen.data.aligned import Aligned as Aligned
from reportgen.data.aligned import Role, rows_of
from reportgen.data.arrow import Index, Mask, is_null
from reportgen.data.labels import called_readers, label_readers
from reportgen.data.names import codes
from reportgen.data.request import ClassRequest, ColumnRequest, DatasetRequest
from reportgen.data.rows import LostRows, Matched
from reportgen.data.sample import Vector
from reportgen.data.table import FileTable, counted
from reportgen.data.tables import Tables
from reportgen.data.targets import LISTED, Values, classes_of, refuse_unknown, way_out
from reportgen.errors import DataError
from reportgen.text import quoted

SIDES = ("under", "over")  # of an amount; what calls cost may also be a gain
WEIGHTS = (1e-30, 1e30)  # where they are not zero: products of four are still numbers


def align(request: DatasetRequest, tables: Tables, matched: Matched) -> tuple[Aligned, ...]:
    """Read all columns as what they are meant to be; report all that are something else."""
    columns: list[Aligned] = []
    faults: list[str] = []
    for read in _readers(request, tables, matched):
        try:
            columns.append(read())
        except DataError as fault:
            faults += fault.lines
    if faults:
        raise DataError(*dict.fromkeys(faults))
    return tuple(columns)


def complete(request: DatasetRequest, columns: tuple[Aligned, ...], matched: Matched) -> None:
    """Remove the rows where a column is missing, or refuse them, as `missing:` says."""
    kept = matched.waterfall.kept
    lacks = [(each, each.is_missing & kept) for each in columns]
    lacks = [(each, lack) for each, lack in lacks if lack.any()]
    if lacks and request.missing == "error":
        of, whole = int(kept.sum()), partial(_whole_folds, request, columns, kept)
        lines = [_missing_fault(request, each, lack, of, whole(lack)) for each, lack in lacks]
        raise DataError(*dict.fromkeys(lines))
    told: set[tuple[str, str | None]] = set()
    for each, lack in lacks:
        if (each.column, each.model) in told:  # a column may stand for two things
            continue
        told.add((each.column, each.model))
        before = matched.waterfall.kept
        count = int(lack.sum())
        reason = lacking_values(count, each.column, each.model)
        removed = matched.waterfall.keep("dropped", ~lack, reason)
        lost = LostRows("dropped", each.column, each.model, count, removed)
        if removed:
            both = _positives(request, columns, before & lack, before & ~lack)
            lost = replace(lost, share=removed / int(before.sum()), positives=both)
        matched.waterfall.losses.append(lost)


def _positives(
    request: DatasetRequest, columns: tuple[Aligned, ...], gone: Mask, left: Mask
) -> tuple[float, float] | None:
    """The share of positives among the rows that go and those that stay; None if not of both."""
    y = next((c for c in columns if c.role == "y" and c.values is not None), None)
    if y is None or y.values is None or request.classes is None or not request.classes.is_two:
        return None
    known = ~y.is_missing if y.unknown is None else ~y.is_missing & ~y.unknown
    if not (gone & known).any() or not (left & known).any():
        return None
    return float(y.values[gone & known].mean()), float(y.values[left & known].mean())


def lacking_values(count: int, column: str, model: str | None) -> str:
    """Why rows went: values of a column are missing."""
    of = f" of model {quoted(model)}" if model else ""
    return f"{counted(count, 'missing value')} in column {quoted(column)}{of}"


def refuse_bad_weights(columns: tuple[Aligned, ...], kept: Mask) -> None:
    """Weights are zero or of a size that can be multiplied, and not all of them are zero."""
    for each in columns:
        if each.role != "weight" or each.values is None:
            continue
        negative = kept & (each.values < 0)
        if negative.any():
            rows = each.rows(negative)
            raise DataError(
                f"{each.table.shown}: weight column {quoted(each.column)} has "
                f"{counted(len(rows), 'negative value')} of {int(kept.sum())} "
                f"(first {each.values[negative][0]:g} at {each.table.where(rows[:1])})"
            )
        low, high = WEIGHTS
        strange = kept & (each.values > 0) & ((each.values < low) | (each.values > high))
        if strange.any():
            rows = each.rows(strange)
            raise DataError(
                f"{each.table.shown}: weight column {quoted(each.column)} has "
                f"{counted(len(rows), 'value')} of {int(kept.sum())} outside {low:g} to {high:g} "
                f"(first {each.values[strange][0]:g} at {each.table.where(rows[:1])}); rescale it"
            )
        if not (each.values[kept] > 0).any():
            raise DataError(
                f"{each.table.shown}: weight column {quoted(each.column)} is zero on all "
                f"{int(kept.sum())} rows; no row counts"
            )


def refuse_bad_costs(columns: tuple[Aligned, ...], kept: Mask) -> None:
    """Unit costs are 0 or more, and of each side some are not 0 where rows weigh."""
    weighs = kept.copy()
    for each in columns:
        if each.role == "weight" and each.values is not None:
            weighs &= each.values > 0
    for each in columns:
        if each.part not in SIDES or each.role != "cost" or each.values is None:
            continue
        negative = kept & (each.values < 0)
        if negative.any():
            rows = each.rows(negative)
            raise DataError(
                f"{each.table.shown}: unit cost column {quoted(each.column)} has "
                f"{counted(len(rows), 'negative value')} of {int(kept.sum())} "
                f"(first {each.values[negative][0]:g} at {each.table.where(rows[:1])}); an error "
                "costs 0 or more: mend these rows, or leave them out by `filter:`"
            )
        if not (each.values[weighs] > 0).any():
            raise DataError(
                f"{each.table.shown}: unit cost column {quoted(each.column)} is zero on all "
                f"{int(weighs.sum())} rows that weigh; no error on that side costs anything"
            )


def _readers(
    request: DatasetRequest, tables: Tables, matched: Matched
) -> Iterator[Callable[[], Aligned]]:
    """One call a column, to be made one by one so that every fault is found."""
    main = tables.main
    if request.has_labels:
        yield from label_readers(request, main, matched.waterfall.kept)
    elif not request.is_finished:
        yield partial(_target, request, main, matched.waterfall.kept)
    if request.weight is not None:
        yield partial(_numbers, "weight", request.weight, main)
    if request.count is not None:
        yield partial(_numbers, "count", request.count, main)
    for side, column in request.costs.items():
        yield partial(_numbers, "cost", column, main, part=side)
    for name, model in request.models.items():
        own = (tables.scores.get(name, main), name, matched.position.get(name))
        if model.is_label and request.has_labels:
            yield from called_readers(request, main, matched.waterfall.kept, name, own)
            continue
        if model.is_label:
            yield partial(_labels, request, matched.waterfall.kept, main, model.column, *own)
            continue
        read = FileTable.probabilities if model.is_probability else FileTable.numbers
        yield partial(_numbers, "score", model.column, *own, read=read)
        is_of_classes = request.classes is not None or request.has_labels
        for part, column in model.parts.items():
            own_read = read if is_of_classes else FileTable.amounts
            yield partial(_numbers, "part", column, *own, part, own_read)
    for each in (request.cluster, request.strata, request.query, request.fold, request.repeat):
        if each is not None:
            yield partial(_names, each.name, main)
    if request.time is not None:
        yield partial(_times, request.time.name, main)


def _names(name: str, table: FileTable) -> Aligned:
    return Aligned("name", name, table, is_null(table.texts(name)))


def _times(name: str, table: FileTable) -> Aligned:
    if not table.holds_numbers(name):
        return _names(name, table)
    return Aligned("name", name, table, np.isnan(table.numbers(name)))


def _target(request: DatasetRequest, table: FileTable, kept: Mask) -> Aligned:
    column = request.target
    if request.classes is None:
        return _numbers("y", column, table)
    if request.classes.is_cut:
        return _cut(request.classes, column, table, kept)
    found = Values.of(table, column.name, request.classes.named)
    classes = classes_of(request, found, kept, way_out(request, table, table))
    lacks, values = found.code < 0, found.codes(classes)
    unknown = np.zeros_like(lacks)
    if request.classes.is_of_called:
        lacks, unknown, values = unknown, lacks, np.where(lacks, 0.0, values)
    return Aligned("y", column.name, table, lacks, values, classes=classes, unknown=unknown,
                   absent=found.absent)  # fmt: skip


def _cut(asked: ClassRequest, column: ColumnRequest, table: FileTable, kept: Mask) -> Aligned:
    """A target of numbers as two classes: above one of them, or not."""
    values = table.amounts(column.name)
    lacks = np.isnan(values)
    known, limit = values[kept & ~lacks], asked.above
    if limit is None:
        limit = float(np.quantile(known, asked.quantile or 0.0)) if len(known) else 0.0
    upper = np.where(lacks, np.nan, (values > limit).astype(np.float64))
    return Aligned("y", column.name, table, lacks, upper, classes=("0", "1"),
                   unknown=np.zeros_like(lacks))  # fmt: skip


def _labels(
    request: DatasetRequest,
    kept: Mask,
    main: FileTable,
    column: ColumnRequest,
    table: FileTable,
    model: str,
    position: Index | None,
) -> Aligned:
    """The classes that a model names, as their places; of two those of the target."""
    asked = request.classes
    assert asked is not None
    names = tuple(asked.names)
    if asked.is_cut:
        names = ("0", "1")
    elif asked.is_two:
        target = Values.of(main, request.target.name, asked.named)
        names = classes_of(request, target, kept, way_out(request, main, main))
    found = Values.of(table, column.name, names)
    used = rows_of(table, kept, position)
    refuse_unknown(names, found, used, way_out(request, table, main), model)
    values = found.codes(names)
    if position is not None:
        values = np.where(position < 0, np.nan, values[position])
    lacks = np.isnan(values)
    return Aligned("score", column.name, table, lacks, values, model, None, position,
                   absent=found.absent)  # fmt: skip


def _numbers(
    role: Role,
    column: ColumnRequest,
    table: FileTable,
    model: str | None = None,
    position: Index | None = None,
    part: str | None = None,
    read: Callable[[FileTable, str], Vector] = FileTable.amounts,
) -> Aligned:
    values = read(table, column.name)
    if position is not None:
        values = np.where(position < 0, np.nan, values[position])
    return Aligned(role, column.name, table, np.isnan(values), values, model, part, position)


def _missing_fault(request: DatasetRequest, each: Aligned, lack: Mask, of: int, folds: str) -> str:
    rows = each.rows(lack)
    drop = f"`missing: drop` under datasets.{request.name} leaves such rows out"
    if len(rows) == of:
        drop = "no row has a value: mend this column, or name another one"
    found = counted(len(rows), "missing value")
    place = f"{each.table.shown}: column {quoted(each.column)} has {found} of {of} "
    place += f"(first at {each.table.where(rows)}{folds})"
    if not each.absent:
        return f"{place}; {drop}"
    verb = "is" if len(each.absent) == 1 else "are"
    return (
        f"{place}: {' and '.join(map(quoted, each.absent))} {verb} read as missing; if "
        f"{'it is a class' if verb == 'is' else 'they are classes'}, name all classes in quotes "
        f"under `classes:`{_naming(request)}, otherwise {drop}"
    )


def _naming(request: DatasetRequest) -> str:
    """That the positive one of two classes has to be named as well, where it is not."""
    asked = request.classes
    if asked is None or not asked.is_two or asked.positive is not None:
        return ""
    return f" and one of them as `positive:` under datasets.{request.name}"


def _whole_folds(
    request: DatasetRequest, columns: tuple[Aligned, ...], kept: Mask, lack: Mask
) -> str:
    """That the rows are all of a fold or of some: a model was not fitted there; else nothing."""
    named = request.fold and next((c for c in columns if c.column == request.fold.name), None)
    if not named or named.is_missing.any():
        return ""
    folds = codes(named.table.texts(named.column))
    inside = np.unique(folds.code[lack])
    if np.isin(folds.code[kept & ~lack], inside).any() or len(inside) == len(folds.labels):
        return ""
    listed = ", ".join(quoted(folds.labels[code]) for code in inside[:LISTED])
    listed += ", …" * (len(inside) > LISTED)
    return f"; all rows of fold {listed}"
