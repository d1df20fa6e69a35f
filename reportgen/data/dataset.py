"""From a request to the rows that all models are judged on, and what is known of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data.arrow import Index, Mask, Texts, order, taken
from reportgen.data.classes import absent_classes, refuse_bad_classes, with_sums
from reportgen.data.columns import Aligned, align, complete, refuse_bad_costs, refuse_bad_weights
from reportgen.data.counts import cases_of
from reportgen.data.crossing import refuse_crossing, refuse_one_fold
from reportgen.data.densities import refuse_bad_densities
from reportgen.data.filters import Filter
from reportgen.data.finished import refuse_out_of_range
from reportgen.data.names import by_number, codes, segment, time_order
from reportgen.data.profile import profile
from reportgen.data.request import ColumnRequest, DatasetRequest
from reportgen.data.rows import LostRows, match_rows, refuse_too_few
from reportgen.data.sample import Codes, ResamplingUnits, Sample, Vector
from reportgen.data.second_target import second_codes
from reportgen.data.table import FileTable
from reportgen.data.tables import Tables, read_tables
from reportgen.errors import DataError
from reportgen.results import (
    ClassInfo,
    ColumnProfile,
    DatasetInfo,
    InputFile,
    Number,
    Scalar,
    SegmentInfo,
    WaterfallStep,
    rounded,
)
from reportgen.results.raised import RaisedWarning
from reportgen.text import LONGEST_QUOTE, LONGEST_VALUE, shorten

FEW_ROWS = 30


@dataclass(frozen=True)
class LoadedDataset:
    """A dataset that was read: its rows, what is known of them, and its warnings.

    W201  the target has the same value on every row
    W202  two models have the same scores on every row
    W203  a segment has fewer than 30 rows, or none
    W206  probabilities of a row did not sum to 1, and were divided by their sum
    W207  a class has no row
    W204  a value or an id was missing: a column of a model or of the dataset, and its rows
    """

    sample: Sample
    info: DatasetInfo
    warnings: tuple[RaisedWarning, ...]


def read_dataset(request: DatasetRequest) -> LoadedDataset:
    """Read a dataset, or say everything that is wrong with its names or its content."""
    tables = read_tables(request)
    matched = match_rows(request, tables)
    columns = align(request, tables, matched)
    complete(request, columns, matched)
    refuse_too_few(tables.main, matched.waterfall, request.name, tables.filter)
    refuse_bad_weights(columns, matched.waterfall.kept)
    refuse_bad_costs(columns, matched.waterfall.kept)
    refuse_bad_densities(columns, matched.waterfall.kept)
    refuse_bad_classes(request, columns, matched.waterfall.kept)
    refuse_out_of_range(request, columns, matched.waterfall.kept)
    columns, of_sums = with_sums(request, columns, matched.waterfall.kept)
    rows = _by_id(matched.ids, np.flatnonzero(matched.waterfall.kept))
    rows = cases_of(columns, rows, matched.waterfall)
    sample = sample_of(request, tables, columns, matched.ids, rows)
    refuse_crossing(request, tables.main, sample)
    refuse_one_fold(tables.main, sample)
    steps = matched.waterfall.finish()
    info = _info(request, sample, columns, rows, tables.inputs, steps)
    losses = map(left_out, matched.waterfall.losses)
    warnings = (*_warnings(sample, info, request), *of_sums, *losses)
    return LoadedDataset(sample, info, warnings)


def check_columns(request: DatasetRequest) -> None:
    """Raise whatever `read_dataset` would: files, columns, values and joins are all checked."""
    read_dataset(request)


def _by_id(ids: Any, rows: Index) -> Index:
    """The rows in the order of the bytes of their ids."""
    return np.asarray(rows[order(taken(ids, rows))])


def sample_of(
    request: DatasetRequest, tables: Tables, columns: tuple[Aligned, ...], ids: Any, rows: Index
) -> Sample:
    """Some rows of the tables, with their ids, as what leaves the data stage."""
    table = tables.main
    weight = [each.used(rows) for each in columns if each.role == "weight"]
    parts: dict[str, dict[str, Vector]] = {}
    for each in columns:
        if each.role == "part" and each.model is not None and each.part is not None:
            parts.setdefault(each.model, {})[each.part] = each.used(rows)
    return Sample(
        dataset=request.name,
        numbered_in="" if request.table.id else " ".join(each.sha256 for each in tables.inputs),
        ids=Texts(taken(ids, rows)),
        y=_outcome(columns, rows),
        scores=_scores(columns, rows),
        weight=weight[0] if weight else None,
        parts=parts,
        together=together_of(table, request, rows),
        strata=codes_of(table, request.strata, rows),
        fold=by_number(codes_of(table, request.fold, rows)),
        repeat=by_number(codes_of(table, request.repeat, rows)),
        time=time_order(table, request.time.name, rows) if request.time else None,
        segments={each.column: segment(table, each, rows) for each in request.segments},
        unnamed=dict(_units(table, tables.unnamed, rows)),
        subsets={name: _chosen(table, name, each, rows) for name, each in tables.subsets.items()},
        costs={str(each.part): each.used(rows) for each in columns if each.role == "cost"},
        classes=_values_of_classes(columns),
        flags=_flags(columns, rows),
        unknown=_unknown(columns, rows),
        second=second_codes(table, request.second_target, _values_of_classes(columns), rows),
    )


def _chosen(table: FileTable, name: str, chosen: Filter, rows: Index) -> Mask:
    """Which of the rows are looked at alone; fewer than two are a mistake."""
    found: Mask = chosen.rows(table)[rows]
    if found.sum() < 2:
        text = shorten(chosen.text, LONGEST_QUOTE)
        raise DataError(
            f"{table.shown}: {shorten(name, LONGEST_VALUE)!r} of sensitivity.also keeps "
            f"{found.sum()} of {len(rows)} rows; its filter is {text!r}{chosen.hint(table)}"
        )
    return found


def _outcome(columns: tuple[Aligned, ...], rows: Index) -> Vector:
    """What happened: an amount, the place of a class, or how many labels a row has; or zeros."""
    flags = [each.used(rows) for each in columns if each.role == "flag"]
    if flags:
        return np.asarray(np.sum(flags, axis=0))
    return next((each.used(rows) for each in columns if each.role == "y"), np.zeros(len(rows)))


def _scores(columns: tuple[Aligned, ...], rows: Index) -> dict[str, Vector]:
    """A score of each model; of one that only names labels that of the first."""
    found = {str(each.model): each.used(rows) for each in columns if each.role == "score"}
    for each in columns:
        if each.role == "part" and str(each.model) not in found:
            found[str(each.model)] = each.used(rows)
    return found


def _values_of_classes(columns: tuple[Aligned, ...]) -> tuple[str, ...]:
    labels = tuple(str(each.part) for each in columns if each.role == "flag")
    return labels or next((each.classes for each in columns if each.role == "y"), ())


def _flags(columns: tuple[Aligned, ...], rows: Index) -> NDArray[np.bool_] | None:
    """Which labels each row has, (n, k); None where a row has one class, or an amount."""
    flags = [each.used(rows) > 0 for each in columns if each.role == "flag"]
    return np.stack(flags, axis=1) if flags else None


def _unknown(columns: tuple[Aligned, ...], rows: Index) -> NDArray[np.bool_] | None:
    """The rows whose class nobody knows; None where there is none."""
    found = [c.unknown[rows] for c in columns if c.role == "y" and c.unknown is not None]
    return found[0] if found and found[0].any() else None


def _units(table: FileTable, names: tuple[str, ...], rows: Index) -> Iterator[tuple[str, Codes]]:
    """The columns that may tell units apart and that have a value on every row."""
    for name in names:
        if not table.is_nested(name) and not table.is_of_floats(name):
            texts = taken(table.texts(name), rows)
            if not texts.null_count:
                yield name, codes(texts)


def together_of(table: FileTable, request: DatasetRequest, rows: Index) -> ResamplingUnits | None:
    """The unit of each row, where several rows are resampled together."""
    if request.together is None:
        return None
    kind, column = request.together
    return ResamplingUnits(kind, column.name, codes(taken(table.texts(column.name), rows)))


def codes_of(table: FileTable, column: ColumnRequest | None, rows: Index) -> Codes | None:
    """A column of names on some rows, as codes; None if none is asked for."""
    if column is None:
        return None
    return codes(taken(table.texts(column.name), rows))


def _info(
    request: DatasetRequest,
    sample: Sample,
    columns: tuple[Aligned, ...],
    rows: Index,
    inputs: tuple[InputFile, ...],
    steps: tuple[WaterfallStep, ...],
) -> DatasetInfo:
    together = sample.together
    return DatasetInfo(
        name=request.name,
        role=request.role,
        target="" if request.is_finished else request.target.name,
        unit=request.unit,
        n=sample.n,
        weight=request.weight.name if request.weight else None,
        effective_n=effective_n(sample.weight),
        cluster=together.column if together else None,
        clusters=len(together.codes.labels) if together else None,
        design="",  # what is resampled is said by who does it
        inputs=inputs,
        waterfall=steps,
        columns=tuple(_profiles(_amounts_of(request, columns), rows)),
        segments=tuple(segment_infos(sample)),
        time=request.time.name if request.time else None,
        fold=request.fold.name if request.fold else None,
        folds=len(sample.fold.labels) if sample.fold else None,
        is_numbered=request.table.id is None,
        classes=tuple(_classes(request, sample)),
        labels_per_row=_labels_per_row(sample),
        unlabelled=None if sample.unknown is None else int(sample.unknown.sum()),
        # of several rounds a line is no row of its own: that has a line in each
        case=("row", "rows") if request.repeat is None else ("score", "scores"),
    )


def _labels_per_row(sample: Sample) -> tuple[Number, Number, Number] | None:
    """How many labels a row has: on average, by its weight, at least and at most."""
    if sample.flags is None:
        return None
    mean = np.average(sample.y, weights=sample.weight)
    return rounded(float(mean)), float(sample.y.min()), float(sample.y.max())


def _classes(request: DatasetRequest, sample: Sample) -> Iterator[ClassInfo]:
    """The classes of the target by their values, where these are more than 0 and 1."""
    if request.classes is None:
        return
    places = sample.y.astype(np.intp) if sample.flags is None else np.nonzero(sample.flags)[1]
    yield from class_infos(
        request, sample.classes, np.bincount(places, minlength=len(sample.classes))
    )


def class_infos(
    request: DatasetRequest, values: tuple[str, ...], count: NDArray[np.int64]
) -> Iterator[ClassInfo]:
    """The classes by their values with so many rows each, where these are more than 0 and 1."""
    asked = request.classes
    if asked is None or (asked.is_two and not asked.names and asked.positive is None):
        return
    for value, n in zip(values, count, strict=True):
        yield ClassInfo(value, asked.names.get(value, value), int(n))


def effective_n(weight: Vector | None) -> float | None:
    """Kish's effective number of rows, (Σw)²/Σw²; None without weights."""
    if weight is None:
        return None
    share = weight / weight.sum()
    return rounded(1 / float(share @ share))


def _amounts_of(request: DatasetRequest, columns: tuple[Aligned, ...]) -> tuple[Aligned, ...]:
    """The columns that are described by their mean and quartiles: none of several classes."""
    if request.classes is None or request.classes.is_two:
        return columns
    return tuple(c for c in columns if c.role not in ("y", "score", "part"))


def _profiles(columns: tuple[Aligned, ...], rows: Index) -> Iterator[ColumnProfile]:
    shown = {(each.model, each.column) for each in columns if each.role == "score"}
    for each in columns:
        if each.role == "y" or each.role == "weight" or each.role == "cost":
            known = rows if each.unknown is None else rows[~each.unknown[rows]]
            yield profile(each.used(known), each.role, each.column)
        elif each.role == "score" or (
            each.role == "part" and (each.model, each.column) not in shown
        ):
            yield profile(each.used(rows), "score", each.column, each.model)


def segment_infos(sample: Sample) -> Iterator[SegmentInfo]:
    """The segments of a sample with their sizes."""
    for column, found in sample.segments.items():
        count = np.bincount(found.code, minlength=len(found.labels))
        for label, n in zip(found.labels, count, strict=True):
            yield SegmentInfo(f"{column}={label}", column, label, int(n))


def _warnings(
    sample: Sample, info: DatasetInfo, request: DatasetRequest
) -> Iterator[RaisedWarning]:
    is_same = sample.y == sample.y[0] if sample.flags is None else sample.flags == sample.flags[0]
    if is_same.all() and not request.is_finished:
        yield one_target(info.target, float(sample.y[0]))
    yield from _equal_scores(sample, request)
    yield from absent_classes(request, {each.value: each.n for each in info.classes})
    for each in info.segments:
        if each.n < FEW_ROWS:
            yield RaisedWarning("W203", {"rows": each.n, "fewest": FEW_ROWS}, segment=each.segment)


def one_target(column: str, value: float) -> RaisedWarning:
    """W201: every row has the same target."""
    return RaisedWarning("W201", {"column": column, "value": rounded(value)})


def one_score(request: DatasetRequest, model: str, earlier: str) -> RaisedWarning:
    """W202: two models have the same score on every row."""
    numbers: dict[str, Scalar] = {
        "other": earlier,
        "column": request.models[model].column.name,
        "other_column": request.models[earlier].column.name,
    }
    return RaisedWarning("W202", numbers, model=model)


def left_out(loss: LostRows) -> RaisedWarning:
    """W204: values are missing, and rows were left out for them."""
    numbers: dict[str, Scalar] = {
        "step": loss.step,
        "column": loss.column,
        "missing": loss.missing,
        "removed": loss.removed,
        "unused": loss.unused,
    }
    if loss.share is not None:
        numbers["share"] = rounded(loss.share)
    if loss.positives is not None:
        numbers["gone_positive"], numbers["kept_positive"] = map(rounded, loss.positives)
    return RaisedWarning("W204", numbers, model=loss.model)


def _equal_scores(sample: Sample, request: DatasetRequest) -> Iterator[RaisedWarning]:
    first: dict[bytes, str] = {}
    is_of_classes = request.classes is not None and not request.classes.is_two
    for model, score in sample.scores.items():
        said = [score, *(sample.parts.get(model, {}).values() if is_of_classes else ())]
        earlier = first.setdefault(b"".join((each + 0.0).tobytes() for each in said), model)
        if earlier != model:
            yield one_score(request, model, earlier)
