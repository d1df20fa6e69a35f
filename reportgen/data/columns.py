"""Align and check the columns of targets, scores, weights, probabilities and densities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import inf, isnan

import numpy as np

from reportgen.data.arrow import Index, Mask, encode_texts, null_mask
from reportgen.data.codes import encode
from reportgen.data.requests import SAMPLES, ClassRequest, ColumnRequest, DatasetRequest
from reportgen.data.row_selection import DroppedRows, MatchedRows
from reportgen.data.sample import Vector
from reportgen.data.table import AlignedColumn as AlignedColumn
from reportgen.data.table import FileTable, Role, find_table_rows, format_count, parse_number
from reportgen.data.tables import DatasetTables
from reportgen.data.targets import (
    MOST_LISTED,
    ClassValuesColumn,
    check_class_values,
    choose_class_order,
    iter_label_readers,
    iter_predicted_label_readers,
    suggest_fix,
)
from reportgen.data.transforms import transform_scores
from reportgen.errors import DataError
from reportgen.results.types import RaisedWarning, round_number
from reportgen.text import mask_number, mask_value, quote

COST_SIDES = ("under", "over")  # of an amount; what calls cost may also be a gain
WEIGHTS = (1e-30, 1e30)  # where they are not zero: products of four are still numbers
ROLE_MEANINGS = {
    "weight": "a weight is a number of 0 or more, how much a row counts",
    "cost": "a unit cost is a number, what one error of the row costs",
    "count": "a count is a whole number, how many cases a row stands for",
}


def align_columns(
    request: DatasetRequest, tables: DatasetTables, matched: MatchedRows
) -> tuple[AlignedColumn, ...]:
    """Read all columns as what they are meant to be; report all that are something else."""
    columns: list[AlignedColumn] = []
    faults: list[str] = []
    for read in _iter_readers(request, tables, matched):
        try:
            columns.append(_transform(request, read(), matched.waterfall.kept))
        except DataError as fault:
            faults += fault.lines
    if faults:
        raise DataError(*dict.fromkeys(faults))
    return tuple(columns)


def _transform(request: DatasetRequest, each: AlignedColumn, kept: Mask) -> AlignedColumn:
    """Transform a column of scores as the config says."""
    model = None if each.model is None else request.models[each.model]
    if model is None or model.transform is None or each.role not in ("score", "part"):
        return each
    return transform_scores(each, model.transform, kept)


def drop_incomplete_rows(
    request: DatasetRequest, columns: tuple[AlignedColumn, ...], matched: MatchedRows
) -> None:
    """Remove the rows where a column is missing, or refuse them, as `missing:` says."""
    kept = matched.waterfall.kept
    lacks = [(each, each.is_missing & kept) for each in columns]
    lacks = [(each, lack) for each, lack in lacks if lack.any()]
    if lacks and request.missing == "error":
        of, whole = int(kept.sum()), partial(_describe_missing_folds, request, columns, kept)
        lines = [
            _describe_missing_rows(request, each, lack, of, whole(lack)) for each, lack in lacks
        ]
        raise DataError(*dict.fromkeys(lines))
    reported: set[tuple[str, str | None]] = set()
    for each, lack in lacks:
        if (each.column, each.model) in reported:  # a column may stand for two things
            continue
        reported.add((each.column, each.model))
        before = matched.waterfall.kept
        count = int(lack.sum())
        reason = describe_missing_values(count, each.column, each.model)
        removed = matched.waterfall.keep("dropped", ~lack, reason)
        lost = DroppedRows("dropped", each.column, each.model, count, removed)
        if removed:
            both = _compute_positives(request, columns, before & lack, before & ~lack)
            lost = replace(lost, share=removed / int(before.sum()), positives=both)
        matched.waterfall.losses.append(lost)


def _compute_positives(
    request: DatasetRequest, columns: tuple[AlignedColumn, ...], gone: Mask, left: Mask
) -> tuple[float, float] | None:
    """Compute the share of positives among dropped rows and kept rows; None without both."""
    y = next((c for c in columns if c.role == "y" and c.values is not None), None)
    if y is None or y.values is None or request.classes is None or not request.classes.is_two:
        return None
    known = ~y.is_missing if y.unknown is None else ~y.is_missing & ~y.unknown
    if not (gone & known).any() or not (left & known).any():
        return None
    return float(y.values[gone & known].mean()), float(y.values[left & known].mean())


def describe_missing_values(count: int, column: str, model: str | None) -> str:
    """Why rows went: values of a column are missing."""
    of = f" of model {quote(model)}" if model else ""
    return f"{format_count(count, 'missing value')} in column {quote(column)}{of}"


def read_role_numbers(role: str, table: FileTable, name: str) -> Vector:
    """Read weights, costs or counts; for texts, raise an error that says what the role needs."""
    try:
        return table.amounts(name)
    except DataError:
        if table.is_nested(name):
            raise
        parsed = {label: parse_number(label) for label in encode_texts(table.texts(name))[0]}
        labels = sorted(label for label, number in parsed.items() if number is None)
        if any(number is not None and not isnan(number) for number in parsed.values()):
            raise  # some are numbers: this error names the lines of the others
    known = ", ".join(map(quote, labels[:MOST_LISTED]))
    more = f" and {len(labels) - MOST_LISTED} more" if len(labels) > MOST_LISTED else ""
    raise DataError(
        f"{table.shown}: {role} column {quote(name)} holds texts, {mask_value(known + more)}; "
        f"{ROLE_MEANINGS[role]}"
    )


def check_weights(columns: tuple[AlignedColumn, ...], kept: Mask) -> None:
    """Weights are zero or of a size that can be multiplied, and not all of them are zero."""
    for each in columns:
        if each.role != "weight" or each.values is None:
            continue
        negative = kept & (each.values < 0)
        if negative.any():
            rows = each.rows(negative)
            raise DataError(
                f"{each.table.shown}: weight column {quote(each.column)} has "
                f"{format_count(len(rows), 'negative value')} of {int(kept.sum())} "
                f"(first {mask_number(each.values[negative][0])} at {each.table.where(rows[:1])})"
            )
        low, high = WEIGHTS
        strange = kept & (each.values > 0) & ((each.values < low) | (each.values > high))
        if strange.any():
            rows = each.rows(strange)
            raise DataError(
                f"{each.table.shown}: weight column {quote(each.column)} has "
                f"{format_count(len(rows), 'value')} of {int(kept.sum())} outside {low:g} to "
                f"{high:g} "
                f"(first {mask_number(each.values[strange][0])} at "
                f"{each.table.where(rows[:1])}); rescale it"
            )
        if not (each.values[kept] > 0).any():
            raise DataError(
                f"{each.table.shown}: weight column {quote(each.column)} is zero on all "
                f"{int(kept.sum())} rows; no row counts"
            )


def check_costs(columns: tuple[AlignedColumn, ...], kept: Mask) -> None:
    """Check that unit costs are 0 or more and, for each side, above 0 on some row with weight."""
    has_weight = kept.copy()
    for each in columns:
        if each.role == "weight" and each.values is not None:
            has_weight &= each.values > 0
    for each in columns:
        if each.part not in COST_SIDES or each.role != "cost" or each.values is None:
            continue
        negative = kept & (each.values < 0)
        if negative.any():
            rows = each.rows(negative)
            raise DataError(
                f"{each.table.shown}: unit cost column {quote(each.column)} has "
                f"{format_count(len(rows), 'negative value')} of {int(kept.sum())} "
                f"(first {mask_number(each.values[negative][0])} at "
                f"{each.table.where(rows[:1])}); an error costs 0 or more: correct these "
                "rows, or leave them out by `filter:`"
            )
        if not (each.values[has_weight] > 0).any():
            raise DataError(
                f"{each.table.shown}: unit cost column {quote(each.column)} is zero on all "
                f"{int(has_weight.sum())} rows that weigh; no error on that side costs anything"
            )


def _iter_readers(
    request: DatasetRequest, tables: DatasetTables, matched: MatchedRows
) -> Iterator[Callable[[], AlignedColumn]]:
    """One call a column, to be made one by one so that every fault is found."""
    main = tables.main
    if request.has_labels:
        yield from iter_label_readers(request, main, matched.waterfall.kept)
    elif not request.is_finished:
        yield partial(_build_target, request, main, matched.waterfall.kept)
    if request.weight is not None:
        yield partial(_build_numbers, "weight", request.weight, main)
    if request.count is not None:
        yield partial(_build_numbers, "count", request.count, main)
    for side, column in request.costs.items():
        yield partial(_build_numbers, "cost", column, main, part=side)
    for name, model in request.models.items():
        own = (tables.scores.get(name, main), name, matched.position.get(name))
        if model.is_label and request.has_labels:
            yield from iter_predicted_label_readers(
                request, main, matched.waterfall.kept, name, own
            )
            continue
        if model.is_label:
            yield partial(_build_labels, request, matched.waterfall.kept, main, model.column, *own)
            continue
        read = FileTable.probabilities if model.is_probability else FileTable.numbers
        yield partial(_build_numbers, "score", model.column, *own, read=read)
        is_of_classes = request.classes is not None or request.has_labels
        for part, column in model.parts.items():
            own_read = read if is_of_classes else FileTable.amounts
            yield partial(_build_numbers, "part", column, *own, part, own_read)
    for each in (request.cluster, request.strata, request.query, request.fold, request.repeat):
        if each is not None:
            yield partial(_build_names, each.name, main)
    if request.time is not None:
        yield partial(_times, request.time.name, main)


def _build_names(name: str, table: FileTable) -> AlignedColumn:
    return AlignedColumn("name", name, table, null_mask(table.texts(name)))


def _times(name: str, table: FileTable) -> AlignedColumn:
    if not table.holds_numbers(name):
        return _build_names(name, table)
    return AlignedColumn("name", name, table, table.ordered_numbers(name)[1])


def _build_target(request: DatasetRequest, table: FileTable, kept: Mask) -> AlignedColumn:
    column = request.target
    if request.classes is None:
        return _build_numbers("y", column, table)
    if request.classes.is_cut:
        return _split_target(request.classes, column, table, kept)
    found = ClassValuesColumn.from_table(table, column.name, request.classes.all_names)
    classes = choose_class_order(request, found, kept, suggest_fix(request, table, table))
    lacks, values = found.code < 0, found.codes(classes)
    unknown = np.zeros_like(lacks)
    if request.classes.is_of_flagged:
        lacks, unknown, values = unknown, lacks, np.where(lacks, 0.0, values)
    return AlignedColumn(
        "y",
        column.name,
        table,
        lacks,
        values,
        classes=classes,
        unknown=unknown,
        absent=found.absent,
    )


def _split_target(
    asked: ClassRequest, column: ColumnRequest, table: FileTable, kept: Mask
) -> AlignedColumn:
    """Split a numeric target into two classes: above a limit, or not."""
    values = table.amounts(column.name)
    lacks = np.isnan(values)
    known, limit = values[kept & ~lacks], asked.above
    if limit is None:
        limit = float(np.quantile(known, asked.quantile or 0.0)) if len(known) else 0.0
    upper = np.where(lacks, np.nan, (values > limit).astype(np.float64))
    return AlignedColumn(
        "y", column.name, table, lacks, upper, classes=("0", "1"), unknown=np.zeros_like(lacks)
    )


def _build_labels(
    request: DatasetRequest,
    kept: Mask,
    main: FileTable,
    column: ColumnRequest,
    table: FileTable,
    model: str,
    position: Index | None,
) -> AlignedColumn:
    """Build the column of a model's labels as class indices; two classes follow the target."""
    asked = request.classes
    assert asked is not None
    names = tuple(asked.names)
    if asked.is_cut:
        names = ("0", "1")
    elif asked.is_two:
        target = ClassValuesColumn.from_table(main, request.target.name, asked.all_names)
        names = choose_class_order(request, target, kept, suggest_fix(request, main, main))
    found = ClassValuesColumn.from_table(table, column.name, names)
    used = find_table_rows(table, kept, position)
    way = suggest_fix(request, table, main)
    check_class_values(names, found, used, way, model, request.in_doubt)
    values = found.codes(names)
    if position is not None:
        values = np.where(position < 0, np.nan, values[position])
    lacks = np.isnan(values)
    return AlignedColumn(
        "score", column.name, table, lacks, values, model, None, position, absent=found.absent
    )


def _build_numbers(
    role: Role,
    column: ColumnRequest,
    table: FileTable,
    model: str | None = None,
    position: Index | None = None,
    part: str | None = None,
    read: Callable[[FileTable, str], Vector] = FileTable.amounts,
) -> AlignedColumn:
    values = (
        read_role_numbers(role, table, column.name)
        if role in ROLE_MEANINGS
        else read(table, column.name)
    )
    if position is not None:
        values = np.where(position < 0, np.nan, values[position])
    return AlignedColumn(role, column.name, table, np.isnan(values), values, model, part, position)


def _describe_missing_rows(
    request: DatasetRequest, each: AlignedColumn, lack: Mask, of: int, folds: str
) -> str:
    rows = each.rows(lack)
    drop = f"`missing: drop` under datasets.{request.name} leaves such rows out"
    if len(rows) == of:
        drop = "no row has a value: correct this column, or name another one"
    found = format_count(len(rows), "missing value")
    place = f"{each.table.shown}: column {quote(each.column)} has {found} of {of} "
    place += f"(first at {each.table.where(rows)}{folds})"
    if not each.absent:
        return f"{place}; {drop}"
    verb = "is" if len(each.absent) == 1 else "are"
    return (
        f"{place}: {mask_value(' and '.join(map(quote, each.absent)))} {verb} read as missing; if "
        f"{'it is a class' if verb == 'is' else 'they are classes'}, name all classes in quotes "
        f"under `classes:`{_suggest_positive_class(request)}, otherwise {drop}"
    )


def _suggest_positive_class(request: DatasetRequest) -> str:
    """Return the advice to name the positive one of two classes as well, or an empty text."""
    asked = request.classes
    if asked is None or not asked.is_two or asked.positive is not None:
        return ""
    return f" and one of them as `positive:` under datasets.{request.name}"


def _describe_missing_folds(
    request: DatasetRequest, columns: tuple[AlignedColumn, ...], kept: Mask, lack: Mask
) -> str:
    """Return a note on whole folds where a model was not fitted, or an empty text."""
    named = request.fold and next((c for c in columns if c.column == request.fold.name), None)
    if not named or named.is_missing.any():
        return ""
    folds = encode(named.table.texts(named.column))
    inside = np.unique(folds.code[lack])
    if np.isin(folds.code[kept & ~lack], inside).any() or len(inside) == len(folds.labels):
        return ""
    listed = mask_value(", ".join(quote(folds.labels[code]) for code in inside[:MOST_LISTED]))
    listed += ", …" * (len(inside) > MOST_LISTED)
    return f"; all rows of fold {listed}"


ROUNDING = 1e-6  # by which probabilities may miss 1, for each class


def check_probabilities(
    request: DatasetRequest, columns: tuple[AlignedColumn, ...], kept: Mask
) -> None:
    """Report probabilities that are none."""
    probable = {name for name, model in request.models.items() if model.is_probability}
    seen = {each.model for each in columns if each.role == "part"}
    faults = []
    for each in columns:
        is_one = each.role == "part" or (each.role == "score" and each.model not in seen)
        if each.values is None or not is_one or each.model not in probable:
            continue
        bad = kept & ((each.values < 0) | (each.values > 1))
        if bad.any():
            faults.append(_describe_bad_probabilities(each, bad, kept))
    if faults:
        raise DataError(*faults)


def normalize_probabilities(
    request: DatasetRequest, columns: tuple[AlignedColumn, ...], kept: Mask
) -> tuple[tuple[AlignedColumn, ...], tuple[RaisedWarning, ...]]:
    """Return the columns, with each row's probabilities scaled to sum to 1 where requested.

    W206 tells of rows that were not; rows that no config forgives are an error.
    """
    changed, raised, faults = {}, [], []
    for name, model in request.models.items():
        parts = [c for c in columns if c.model == name and c.role == "part"]
        own = [(each, each.values) for each in parts if each.values is not None]
        if not model.is_probability or not own or request.classes is None or request.has_labels:
            continue
        total = np.sum([values for _, values in own], axis=0)
        off = kept & ~(np.abs(total - 1) <= ROUNDING * len(own))
        if not off.any():
            continue
        if model.sums == "error" or (total[off] <= 0).any():
            is_short = request.classes.are_found and bool((total[kept] < 1).all())
            faults.append(_describe_bad_sum(own[0][0], name, total, off, is_short))
            continue
        divisor = np.where(off, total, 1.0)
        changed.update({id(each): values / divisor for each, values in own})
        worst = float(total[off][np.argmax(np.abs(total[off] - 1))])
        numbers = {"rows": int(off.sum()), "of": int(kept.sum()), "sum": round_number(worst)}
        raised.append(RaisedWarning("W206", numbers, model=name))
    if faults:
        raise DataError(*faults)
    made = (replace(c, values=changed[id(c)]) if id(c) in changed else c for c in columns)
    return tuple(made), tuple(raised)


def warn_absent_classes(request: DatasetRequest, counts: dict[str, int]) -> Iterator[RaisedWarning]:
    """W207: a class that is declared, or found elsewhere, has no row here."""
    if request.classes is None or request.classes.is_two:
        return
    others = sum(n > 0 for n in counts.values())
    for value, n in counts.items():
        if not n:
            name = request.classes.names.get(value, value)
            yield RaisedWarning("W207", {"class": name, "others": others})


def _describe_bad_sum(
    each: AlignedColumn, model: str, total: Vector, off: Mask, is_short: bool
) -> str:
    rows = each.rows(off)
    return (
        f"{each.table.shown}: probabilities of {quote(model)} sum to "
        f"{mask_number(total[off][0], '.8g')} at {each.table.where(rows[:1])} "
        f"(of {format_count(len(rows), 'row')} that are off); "
        + "a class that no row has is left out unless classes: names it; else "
        * is_short
        + "sums: normalise in the model divides them by their sum, which is not what the model "
        "said, or scale: score judges their order alone"
    )


def _describe_bad_probabilities(each: AlignedColumn, bad: Mask, kept: Mask) -> str:
    assert each.values is not None
    rows, of = each.rows(bad), f" of model {quote(each.model)}" if each.model else ""
    return (
        f"{each.table.shown}: column {quote(each.column)}{of} has "
        f"{format_count(len(rows), 'value')} "
        f"of {int(kept.sum())} outside 0 to 1 (first {mask_number(each.values[bad][0])} at "
        f"{each.table.where(rows[:1])}); give the model scale: score, if it is no probability"
    )


_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


def check_densities(columns: tuple[AlignedColumn, ...], kept: Mask) -> None:
    """Report every model whose `sd` is negative or whose quantile columns cross."""
    parts = [each for each in columns if each.role == "part" and each.values is not None]
    faults = [
        fault for each in parts if each.part == "sd" if (fault := _describe_negative_sd(each, kept))
    ]
    for model in dict.fromkeys(each.model for each in parts):
        levels = [
            (float(m[1]), each)
            for each in parts
            if each.model == model
            if (m := _QUANTILE.fullmatch(each.part or ""))
        ]
        ordered = [each for _, each in sorted(levels, key=lambda pair: pair[0])]
        faults += [
            fault
            for pair in pairwise(ordered)
            if (fault := _describe_crossed_quantiles(*pair, kept))
        ]
    if faults:
        raise DataError(*faults)


def _describe_negative_sd(each: AlignedColumn, kept: Mask) -> str:
    assert each.values is not None
    bad = kept & (each.values < 0)
    if not bad.any():
        return ""
    rows = each.rows(bad)
    return (
        f"{each.table.shown}: column {quote(each.column)}, the sd of model "
        f"{quote(each.model)}, has {format_count(len(rows), 'negative value')} of "
        f"{int(kept.sum())} "
        f"(first {mask_number(each.values[bad][0])} at "
        f"{each.table.where(rows[:1])}); a standard deviation is 0 or more"
    )


def _describe_crossed_quantiles(low: AlignedColumn, high: AlignedColumn, kept: Mask) -> str:
    assert low.values is not None and high.values is not None
    bad = kept & (low.values > high.values)
    if not bad.any():
        return ""
    rows = low.rows(bad)
    crossed = mask_value(f"{low.values[bad][0]:g} above {high.values[bad][0]:g}")
    return (
        f"{low.table.shown}: quantiles of model {quote(low.model)} cross: {low.part} (column "
        f"{quote(low.column)}) is above {high.part} (column {quote(high.column)}) in "
        f"{format_count(len(rows), 'row')} of {int(kept.sum())} (first {crossed} "
        f"at {low.table.where(rows[:1])}); sort them within each row"
    )


def check_sample_counts(
    request: DatasetRequest, columns: tuple[AlignedColumn, ...], kept: Mask
) -> None:
    """Refuse a metric of k samples where an item has fewer."""
    items, faults = request.table.items, []
    for each in columns if items is not None else ():
        assert items is not None
        score, part = items.parts.get(each.part or "", ("", ""))
        if part != SAMPLES or each.values is None:
            continue
        k, metric = items.scores[score].needed
        few = np.flatnonzero(kept & (each.values < k))
        if len(few):
            faults.append(
                f"{each.table.shown}: {quote(metric)} needs {k} samples of each item, and "
                f"{len(few)} of {format_count(int(kept.sum()), 'item')} have fewer from model "
                f"{quote(each.model or '')} (first at {each.table.where(few[:1])}); lower k, or "
                "remove the metric"
            )
    if faults:
        raise DataError(*faults)


def check_score_range(
    request: DatasetRequest, columns: tuple[AlignedColumn, ...], kept: Mask
) -> None:
    """Report values below the least or above the largest that the scores can be."""
    if request.bounds is None:
        return
    low, high = request.bounds
    faults = []
    for each in columns:
        if each.role != "score" or each.values is None:
            continue
        under = each.values < (-inf if low is None else low)
        bad = kept & (under | (each.values > (inf if high is None else high)))
        if bad.any():
            rows = each.rows(bad)
            faults.append(
                f"{each.table.shown}: column {quote(each.column)} of model "
                f"{quote(each.model)} has {format_count(len(rows), 'value')} of {int(kept.sum())} "
                f"beyond the bounds of the score (first {mask_number(each.values[bad][0])} at "
                f"{each.table.where(rows[:1])}); mend score.bounds, or the values"
            )
    if faults:
        raise DataError(*faults)
