"""Read a dataset, or a piece of one, into a sample with its description and warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.data.arrow import (
    TEXT,
    ArrowTexts,
    Index,
    Keys,
    Mask,
    compute_array_keys,
    compute_row_number_keys,
    null_mask,
    sort_texts,
    take_rows,
)
from reportgen.data.codes import encode, encode_segment, encode_times, sort_codes_by_number
from reportgen.data.columns import (
    AlignedColumn,
    align_columns,
    check_costs,
    check_densities,
    check_probabilities,
    check_sample_counts,
    check_score_range,
    check_weights,
    drop_incomplete_rows,
    normalize_probabilities,
    warn_absent_classes,
)
from reportgen.data.filters import RowFilter
from reportgen.data.names import OTHERWISE, find_twins, suggest_loose
from reportgen.data.requests import ColumnRequest, DatasetRequest
from reportgen.data.row_selection import (
    DroppedRows,
    MatchedRows,
    RowWaterfall,
    check_row_minimum,
    expand_cases,
    match_rows,
    read_ids,
)
from reportgen.data.sample import (
    AmountTarget,
    ClassTarget,
    Codes,
    LabelTarget,
    ModelColumns,
    ResamplingUnits,
    Sample,
    SamplingColumns,
    Target,
    UnscoredRows,
    Vector,
)
from reportgen.data.table import FileTable, format_count
from reportgen.data.tables import DatasetTables, read_tables
from reportgen.data.targets import encode_second_target
from reportgen.data.totals import TotalRow, check_total_row, find_total_row
from reportgen.errors import DataError
from reportgen.kernels.quantiles import summarise_quantiles
from reportgen.records import record
from reportgen.results.core import (
    ClassInfo,
    ColumnProfile,
    DatasetInfo,
    SegmentInfo,
    WaterfallStep,
)
from reportgen.results.types import Number, RaisedWarning, Scalar, round_number
from reportgen.terms import DERIVED, LIMITS
from reportgen.text import LONGEST_QUOTE, LONGEST_VALUE, mask_value, quote, quote_value, shorten


def check_nested_strata(
    request: DatasetRequest, table: FileTable, sampling: SamplingColumns, rows: Index
) -> None:
    """Check that rows that are resampled together are in one stratum."""
    units, strata = sampling.units, sampling.strata
    if units is None or request.strata is None or strata is None:
        return
    pairs = np.unique(np.column_stack([units.codes.code, strata.code]), axis=0)
    unit_codes, counts = np.unique(pairs[:, 0], return_counts=True)
    crossing = unit_codes[counts > 1]
    if not len(crossing):
        return
    labels = units.codes.labels
    seen = [strata.labels[code] for unit, code in pairs if unit == crossing[0]]
    own = np.flatnonzero(units.codes.code == crossing[0])
    own = own[np.argsort(rows[own])]
    other = np.flatnonzero(strata.code[own] != strata.code[own[0]])[0]
    place = table.where(rows[own[[0, other]]])
    raise DataError(
        f"{table.shown}: {units.kind} {quote_value(labels[crossing[0]])} of column "
        f"{quote(units.column)} lies "
        f"in {len(seen)} strata of column {request.strata.name!r} "
        f"({mask_value(', '.join(map(quote, seen[:3])))}{', …' * (len(seen) > 3)}; {place}), as do "
        f"{len(crossing)} of {len(labels)} in all; rows that are resampled together "
        "must lie in one stratum: remove `strata:`, or name a column that is constant within each"
    )


def check_names(request: DatasetRequest, table: FileTable, rows: Index) -> None:
    """Refuse two segments, strata, folds or rounds that differ only in how they are written."""
    named = (request.strata, request.fold, request.repeat, request.balance)
    names = [each.column for each in request.segments if each.bins is None]
    names += [each.name for each in named if each is not None]
    rows = np.sort(rows)
    for name in dict.fromkeys(names) if request.in_doubt else ():
        if table.holds_numbers(name):
            continue
        texts = take_rows(table.texts(name), rows)
        if pair := find_twins(texts):
            first = [texts.index(each).as_py() for each in pair]
            raise DataError(
                f"{table.shown}: column {quote(name)} has two names that may be one "
                f"({table.where(rows[first])}); "
                f"they {suggest_loose(*pair, request.name)}{OTHERWISE}"
            )


def check_fold_count(table: FileTable, sampling: SamplingColumns, rows: Index) -> None:
    """Check that each round has two folds or more: a model was fitted on the rows of the others."""
    fold, repeat = sampling.fold, sampling.repeat
    if fold is None:
        return
    for number in np.unique(sampling.rounds):
        seen = np.unique(fold.code[sampling.rounds == number])
        if len(seen) > 1:
            continue
        where = "" if repeat is None else f" of round {quote_value(repeat.labels[number])}"
        first = np.sort(rows[sampling.rounds == number])[:1]
        raise DataError(
            f"{table.shown}: fold {quote_value(fold.labels[seen[0]])}{where} is the only one "
            f"(first at {table.where(first)}); a "
            "column of folds says which model scored each row, fitted on the rows of the others: "
            "keep the rows of two folds or more, or remove `fold:`"
        )


Role = Literal["y", "score", "weight", "cost", "count"]


def profile_column(
    values: Vector, role: Role, column: str, model: str | None = None
) -> ColumnProfile:
    """Describe n >= 2 finite values; of several most frequent values the lowest is the mode."""
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows becomes None
        return _build_profile(values, role, column, model)


def _build_profile(values: Vector, role: Role, column: str, model: str | None) -> ColumnProfile:
    ascending, n = np.sort(values), len(values)
    first = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
    distinct, count = ascending[first], np.diff(np.append(first, n))
    q25, median, q75 = (_read_quantile(ascending, share) for share in (0.25, 0.5, 0.75))
    most = int(np.argmax(count))
    pairs = int(np.sum(count * (count - 1)))
    return ColumnProfile(
        role=role,
        model=model,
        column=column,
        n=n,
        distinct=len(distinct),
        zeros=int(np.count_nonzero(values == 0)),
        minimum=round_number(float(distinct[0])),
        q25=round_number(float(q25)),
        median=round_number(float(median)),
        mean=round_number(float(values.mean())),
        q75=round_number(float(q75)),
        maximum=round_number(float(distinct[-1])),
        sd=round_number(float(values.std(ddof=1))),
        mode=round_number(float(distinct[most])),
        mode_share=round_number(int(count[most]) / n),
        tied_pairs=round_number(pairs / (n * (n - 1))),
        is_flag=distinct[:3].tolist() == [0.0, 1.0],
        quantiles=tuple(map(round_number, summarise_quantiles(ascending).tolist())),
    )


def _read_quantile(ascending: Vector, share: float) -> float:
    """Read a quantile, between neighbours by straight line, from a sorted column."""
    place = (len(ascending) - 1) * share
    around = ascending[int(place) : int(place) + 2]
    return float(np.quantile(around, place % 1))


FEW_ROWS = int(LIMITS["W203"]["fewest"])


@record(eq=False)
class StreamedEvidence:
    """What checks of the input look at where rows were streamed.

    `sample` holds rows that their ids choose; `constant` are the models with one score on all rows.
    `times` says how often each different row occurs, of those that their content chooses.
    """

    sample: Sample
    constant: frozenset[str]
    times: NDArray[np.intp]


@record
class LoadedDataset:
    """A dataset that was read: its rows, what is known of them, and its warnings.

    W201  the target has the same value on every row
    W202  two models have the same scores on every row
    W203  a segment has fewer than 30 rows, or none
    W206  probabilities of a row did not sum to 1, and were divided by their sum
    W207  a class has no row
    W253  an evaluation is incomplete or ambiguous
    W204  a value or an id was missing: a column of a model or of the dataset, and its rows
    """

    sample: Sample
    info: DatasetInfo
    warnings: tuple[RaisedWarning, ...]
    total: TotalRow | None = None
    """A row that holds totals of the others, if any."""
    class_rows: Mapping[str, int] = field(default_factory=dict)
    """How many streamed rows are of each class."""
    looked_at: StreamedEvidence | None = None
    """What checks of the input look at where rows were streamed."""


def read_dataset(request: DatasetRequest) -> LoadedDataset:
    """Read a dataset, or say everything that is wrong with its names or its content."""
    tables = read_tables(request)
    total = find_total_row(request, tables)
    check_total_row(request, total)
    matched = match_rows(request, tables)
    columns = align_columns(request, tables, matched)
    complete = matched.waterfall.kept.copy()
    drop_incomplete_rows(request, columns, matched)
    check_row_minimum(tables.main, matched.waterfall, request.name, tables.filter)
    check_weights(columns, matched.waterfall.kept)
    check_costs(columns, matched.waterfall.kept)
    if not request.is_finished:  # a score may have any name
        check_densities(columns, matched.waterfall.kept)
    check_probabilities(request, columns, matched.waterfall.kept)
    check_sample_counts(request, columns, matched.waterfall.kept)
    check_score_range(request, columns, matched.waterfall.kept)
    columns, of_sums = normalize_probabilities(request, columns, matched.waterfall.kept)
    rows = _order_by_id(matched.ids, np.flatnonzero(matched.waterfall.kept))
    rows = expand_cases(columns, rows, matched.waterfall)
    sample = build_sample(request, tables, columns, matched.ids, rows)
    check_names(request, tables.main, rows)
    check_nested_strata(request, tables.main, sample.sampling, rows)
    check_fold_count(tables.main, sample.sampling, rows)
    steps = matched.waterfall.finish()
    info = _build_info(request, sample, columns, rows, tables, steps)
    losses = iter_missing_row_warnings(matched.waterfall.losses)
    caveats = [RaisedWarning("W253", {"note": each}) for each in tables.main.caveats]
    warnings = (*_iter_warnings(sample, info, request), *of_sums, *losses, *caveats)
    unscored = _build_unscored_rows(columns, complete & ~matched.waterfall.kept)
    sample = replace(sample, unscored=unscored)
    return LoadedDataset(sample, info, warnings, total)


def _order_by_id(ids: Any, rows: Index) -> Index:
    """Sort the rows by the bytes of their ids."""
    return np.asarray(rows[sort_texts(take_rows(ids, rows))])


def build_sample(
    request: DatasetRequest,
    tables: DatasetTables,
    columns: tuple[AlignedColumn, ...],
    ids: Any,
    rows: Index,
) -> Sample:
    """Build the sample of some rows of the tables with their ids, as the data stage returns it."""
    table = tables.main
    costs = {str(each.part): each.used(rows) for each in columns if each.role == "cost"}
    return Sample(
        dataset=request.name,
        ids=ArrowTexts(take_rows(ids, rows)),
        target=_build_target(request, table, columns, rows),
        models=_build_models(columns, rows),
        sampling=SamplingColumns(
            weight=next((each.used(rows) for each in columns if each.role == "weight"), None),
            units=build_resampling_units(table, request, rows),
            strata=encode_column(table, request.strata, rows),
            fold=sort_codes_by_number(encode_column(table, request.fold, rows)),
            repeat=sort_codes_by_number(encode_column(table, request.repeat, rows)),
            time=encode_times(table, request.time.name, rows) if request.time else None,
            undeclared=dict(iter_units(table, tables.unnamed, rows)),
        ),
        segments={each.column: encode_segment(table, each, rows) for each in request.segments},
        subsets={
            name: _select_filtered_rows(table, name, each, rows)
            for name, each in tables.subsets.items()
        },
        unit_costs=costs,
        numbered_in="" if request.table.id else " ".join(each.sha256 for each in tables.inputs),
        places=rows,
    )


def _select_filtered_rows(table: FileTable, name: str, chosen: RowFilter, rows: Index) -> Mask:
    """Return a mask of the rows looked at alone; fewer than two are a mistake."""
    found: Mask = chosen.rows(table)[rows]
    if found.sum() < 2:
        text = shorten(chosen.text, LONGEST_QUOTE)
        raise DataError(
            f"{table.shown}: {shorten(name, LONGEST_VALUE)!r} of sensitivity.also keeps "
            f"{found.sum()} of {len(rows)} rows; its filter is {text!r}{chosen.hint(table)}"
        )
    return found


def _build_target(
    request: DatasetRequest, table: FileTable, columns: tuple[AlignedColumn, ...], rows: Index
) -> Target:
    """Build the target: amounts, classes or labels; zeros where only scores are compared."""
    labels = [each for each in columns if each.role == "flag"]
    if labels:
        flags = np.stack([each.used(rows) > 0 for each in labels], axis=1)
        masks = [each.unknown[rows] for each in labels if each.unknown is not None]
        unknown = np.stack(masks, axis=1) if masks else None
        return LabelTarget(tuple(str(each.part) for each in labels), flags, unknown)
    column = next((each for each in columns if each.role == "y"), None)
    if column is None:
        return AmountTarget(np.zeros(len(rows)))
    if request.classes is None:
        return AmountTarget(column.used(rows))
    unknown = None if column.unknown is None else column.unknown[rows]
    return ClassTarget(
        column.used(rows),
        column.classes,
        unknown if unknown is not None and unknown.any() else None,
        encode_second_target(request, table, column.classes, rows),
    )


def _build_unscored_rows(columns: tuple[AlignedColumn, ...], gone: Mask) -> UnscoredRows | None:
    """Build the rows that lack nothing but scores; None if there are none."""
    target = next((each for each in columns if each.role == "y"), None)
    for each in columns:
        if each.model is None:
            gone = gone & ~each.is_missing
    rows = np.flatnonzero(gone)
    if not len(rows):
        return None
    y = np.zeros(len(rows)) if target is None else target.used(rows)
    return UnscoredRows(y, _build_models(columns, rows))


def _build_models(columns: tuple[AlignedColumn, ...], rows: Index) -> dict[str, ModelColumns]:
    """Build the columns of each model; without a score its first part stands for it."""
    scores = {str(each.model): each.used(rows) for each in columns if each.role == "score"}
    parts: dict[str, dict[str, Vector]] = {}
    for each in columns:
        if each.role == "part":
            values = parts.setdefault(str(each.model), {})[str(each.part)] = each.used(rows)
            scores.setdefault(str(each.model), values)
    return {model: ModelColumns(score, parts.get(model, {})) for model, score in scores.items()}


def iter_units(
    table: FileTable, names: tuple[str, ...], rows: Index
) -> Iterator[tuple[str, Codes]]:
    """Yield the columns that may identify units and that have a value on every row."""
    for name in names:
        if not table.is_nested(name) and not table.is_of_floats(name):
            texts = take_rows(table.texts(name), rows)
            if not texts.null_count:
                yield name, encode(texts)


def build_resampling_units(
    table: FileTable, request: DatasetRequest, rows: Index
) -> ResamplingUnits | None:
    """Build the unit of each row if several rows are resampled together; else return None."""
    if request.resampling_unit is None:
        return None
    kind, column = request.resampling_unit
    return ResamplingUnits(kind, column.name, encode(take_rows(table.texts(column.name), rows)))


def encode_column(table: FileTable, column: ColumnRequest | None, rows: Index) -> Codes | None:
    """Encode a column of names on some rows, or return None if none is requested."""
    if column is None:
        return None
    return encode(take_rows(table.texts(column.name), rows))


def describe_sample(request: DatasetRequest, sample: Sample, **others: Any) -> DatasetInfo:
    """Describe the rows of a sample, with what is known of their files."""
    units, fold = sample.sampling.units, sample.sampling.fold
    own: dict[str, Any] = {
        "name": request.name,
        "role": request.role,
        "target": "" if request.is_finished else request.target.name,
        "unit": request.unit,
        "n": sample.n,
        "weight": request.weight.name if request.weight else None,
        "effective_n": effective_n(sample.sampling.weight),
        "cluster": units.column if units else None,
        "clusters": len(units.codes.labels) if units else None,
        "design": "",  # what is resampled is said by who does it
        "segments": tuple(iter_segment_infos(sample)),
        "time": request.time.name if request.time else None,
        "fold": request.fold.name if request.fold else None,
        "folds": len(fold.labels) if fold else None,
    }
    return DatasetInfo(**own | others)


def _build_info(
    request: DatasetRequest,
    sample: Sample,
    columns: tuple[AlignedColumn, ...],
    rows: Index,
    tables: DatasetTables,
    steps: tuple[WaterfallStep, ...],
) -> DatasetInfo:
    target = sample.target
    counts = target.count_rows() if isinstance(target, ClassTarget | LabelTarget) else ()
    return describe_sample(
        request,
        sample,
        inputs=tables.inputs,
        waterfall=steps,
        columns=tuple(_iter_profiles(_list_amount_columns(request, columns), rows)),
        is_numbered=request.table.id is None,
        classes=tuple(iter_class_infos(request, sample.classes, counts)),
        labels_per_row=_labels_per_row(sample),
        unlabelled=_count_unlabelled(request, target),
        # of several rounds a line is no row of its own: that has a line in each
        case=("row", "rows") if request.repeat is None else ("score", "scores"),
        reading=tables.describe_reading(),
    )


def _count_unlabelled(request: DatasetRequest, target: Target) -> int | None:
    """Count the rows that lack a class, or a label; None where none may."""
    if request.classes is None or not request.classes.is_of_flagged:
        return None
    unknown = target.unknown if isinstance(target, ClassTarget | LabelTarget) else None
    return 0 if unknown is None else int(unknown.reshape(len(unknown), -1).any(axis=1).sum())


def _labels_per_row(sample: Sample) -> tuple[Number, Number, Number] | None:
    """Count the labels of a row: on average, by its weight, at least and at most."""
    if not isinstance(sample.target, LabelTarget):
        return None
    mean = np.average(sample.y, weights=sample.sampling.weight)
    return round_number(float(mean)), float(sample.y.min()), float(sample.y.max())


def iter_class_infos(
    request: DatasetRequest, values: tuple[str, ...], counts: Iterable[int]
) -> Iterator[ClassInfo]:
    """Yield the classes by value with their row counts, unless they are just 0 and 1."""
    asked = request.classes
    if asked is None or (asked.is_two and not asked.names and asked.positive is None):
        return
    for value, n in zip(values, counts, strict=True):
        yield ClassInfo(value, asked.names.get(value, value), int(n))


def effective_n(weight: Vector | None) -> float | None:
    """Kish's effective number of rows, (Σw)²/Σw²; None without weights."""
    if weight is None:
        return None
    share = weight / weight.sum()
    return round_number(1 / float(share @ share))


def _list_amount_columns(
    request: DatasetRequest, columns: tuple[AlignedColumn, ...]
) -> tuple[AlignedColumn, ...]:
    """Return the columns described by mean and quartiles, without those of several classes."""
    if request.classes is None or request.classes.is_two:
        return columns
    return tuple(c for c in columns if c.role not in ("y", "score", "part"))


def _iter_profiles(columns: tuple[AlignedColumn, ...], rows: Index) -> Iterator[ColumnProfile]:
    shown = {(each.model, each.column) for each in columns if each.role == "score"}
    columns = tuple(each for each in columns if DERIVED not in (each.part or ""))
    for each in columns:
        if each.role == "y" or each.role == "weight" or each.role == "cost":
            known = rows if each.unknown is None else rows[~each.unknown[rows]]
            yield profile_column(each.used(known), each.role, each.column)
        elif each.role == "score" or (
            each.role == "part" and (each.model, each.column) not in shown
        ):
            yield profile_column(each.used(rows), "score", each.column, each.model)


def iter_segment_infos(sample: Sample) -> Iterator[SegmentInfo]:
    """Yield the segments of a sample with their sizes."""
    for column, found in sample.segments.items():
        count = np.bincount(found.code, minlength=len(found.labels))
        for label, n in zip(found.labels, count, strict=True):
            yield SegmentInfo(f"{column}={label}", column, label, int(n))


def _iter_warnings(
    sample: Sample, info: DatasetInfo, request: DatasetRequest
) -> Iterator[RaisedWarning]:
    target = sample.target.flags if isinstance(sample.target, LabelTarget) else sample.y
    if (target == target[0]).all() and not request.is_finished:
        yield warn_constant_target(info.target, float(sample.y[0]))
    yield from _iter_equal_scores(sample, request)
    yield from warn_absent_classes(request, {each.value: each.n for each in info.classes})
    yield from warn_small_segments(info.segments)


def warn_small_segments(segments: Iterable[SegmentInfo]) -> Iterator[RaisedWarning]:
    """W203: a segment has few rows or none."""
    for each in segments:
        if each.n < FEW_ROWS:
            yield RaisedWarning("W203", {"rows": each.n, "fewest": FEW_ROWS}, segment=each.segment)


def warn_constant_target(column: str, value: float) -> RaisedWarning:
    """W201: every row has the same target."""
    return RaisedWarning("W201", {"column": column, "value": round_number(value)})


def warn_equal_scores(request: DatasetRequest, model: str, earlier: str) -> RaisedWarning:
    """W202: two models have the same score on every row."""
    numbers: dict[str, Scalar] = {
        "other": earlier,
        "column": request.models[model].column.name,
        "other_column": request.models[earlier].column.name,
    }
    return RaisedWarning("W202", numbers, model=model)


def iter_missing_row_warnings(losses: Iterable[DroppedRows]) -> Iterator[RaisedWarning]:
    """W204: values are missing, and rows that nothing else had removed were left out for them."""
    return (_warn_missing_rows(each) for each in losses if each.removed or each.unused)


def _warn_missing_rows(loss: DroppedRows) -> RaisedWarning:
    numbers: dict[str, Scalar] = {
        "step": loss.step,
        "column": loss.column,
        "missing": loss.missing,
        "removed": loss.removed,
        "unused": loss.unused,
    }
    if loss.share is not None:
        numbers["share"] = round_number(loss.share)
        if loss.step == "joined":
            numbers["unmatched_share"] = numbers["share"]
    if loss.positives is not None:
        numbers["gone_positive"], numbers["kept_positive"] = map(round_number, loss.positives)
    return RaisedWarning("W204", numbers, model=loss.model)


def _iter_equal_scores(sample: Sample, request: DatasetRequest) -> Iterator[RaisedWarning]:
    first: dict[bytes, str] = {}
    is_of_several = request.table.items is not None
    is_of_several |= request.classes is not None and not request.classes.is_two
    for model, columns in sample.models.items():
        predictions = [columns.score, *(columns.parts.values() if is_of_several else ())]
        earlier = first.setdefault(b"".join((each + 0.0).tobytes() for each in predictions), model)
        if earlier != model:
            yield warn_equal_scores(request, model, earlier)


Facts = dict[tuple[str, ...], Any]


@record(eq=False)
class Piece:
    """Some rows with the keys by which they are drawn: of their clusters, or of their ids.

    `ids` are those of the rows themselves, `asked` all columns that may lack values, each with its
    model, in their order. `facts` are numbers about rows that went, by how those of pieces merge
    and by what they are. `units` are keys of units by the name of a column that the config does not
    declare; None where a row lacks one.
    """

    sample: Sample
    keys: Keys
    ids: Keys
    asked: tuple[tuple[str, str | None], ...]
    facts: Facts
    units: Mapping[str, Keys | None] = field(default_factory=dict)

    @property
    def weight(self) -> NDArray[np.float64]:
        """The weight of each row, (n,)."""
        return self.sample.weights


def build_piece(
    request: DatasetRequest, tables: DatasetTables, before: int, of: int, *, has_keys: bool = True
) -> Piece:
    """Build the piece of a table whose first row follows `before` of the `of` rows.

    Without keys where rows that were checked before are read again, and none is drawn.
    """
    table, waterfall, facts = tables.main, RowWaterfall(tables.main.rows), Facts()
    if tables.filter is not None:
        gone = waterfall.keep("filtered", tables.filter.rows(table), tables.filter.text)
        facts["sum", "filtered"] = gone
    ids = _build_ids(request, table, waterfall.kept, before, of) if has_keys else None
    matched = MatchedRows(None, waterfall, {})
    columns = align_columns(request, tables, matched)
    drop_incomplete_rows(request, columns, matched)
    kept = waterfall.kept
    if _has_weighted_row(columns, kept):
        check_weights(columns, kept)
    check_densities(columns, kept)
    check_probabilities(request, columns, kept)
    columns, of_sums = normalize_probabilities(request, columns, kept)
    rows = np.flatnonzero(kept)
    nameless = pa.repeat(pa.scalar("", TEXT), table.rows)
    sample = build_sample(request, replace(tables, unnamed=()), columns, nameless, rows)
    keys = own = np.empty(0, np.uint64) if ids is None else ids[rows]
    if ids is not None and request.resampling_unit is not None:
        keys = compute_array_keys(take_rows(table.texts(request.resampling_unit[1].name), rows))
    asked = tuple((each.column, each.model) for each in columns)
    for loss in waterfall.losses:
        facts["sum", "lost", loss.column, loss.model or ""] = loss.missing, loss.removed
    for warning in of_sums if sample.n else ():
        facts["sum", "probabilities", str(warning.model)] = warning.numbers["rows"]
        facts["furthest from 1", "probabilities", str(warning.model)] = warning.numbers["sum"]
    units = dict(_iter_unit_keys(table, tables.unnamed, rows)) if has_keys else {}
    return Piece(sample, keys, own, asked, facts, units)


def _iter_unit_keys(
    table: FileTable, names: tuple[str, ...], rows: NDArray[np.intp]
) -> Iterator[tuple[str, Keys | None]]:
    """Yield the columns that may identify units, with the keys of their texts."""
    for name in names:
        if not table.is_nested(name) and not table.is_of_floats(name):
            texts = take_rows(table.texts(name), rows)
            yield name, None if texts.null_count else compute_array_keys(texts)


def _build_ids(request: DatasetRequest, table: FileTable, kept: Mask, before: int, of: int) -> Keys:
    """Build the keys of the ids of all rows, or of row numbers without an id column."""
    column = request.table.id
    if column is None:
        return compute_row_number_keys(before + 1, table.rows, len(str(of)))
    texts = read_ids(table, column.name)
    if (lacking := np.flatnonzero(null_mask(texts) & kept)).size:
        many = format_count(len(lacking), "missing id")
        raise DataError(
            f"{table.shown}: id column {column.name!r} has {many} "
            f"(first at {table.where(lacking)}); a row without an id cannot be drawn"
        )
    return compute_array_keys(texts)


def _has_weighted_row(columns: tuple[AlignedColumn, ...], kept: Mask) -> bool:
    """Tell whether any row of a part has weight: in all of the data some must."""
    weights = [each.values for each in columns if each.role == "weight"]
    return all(values is not None and bool((values[kept] != 0).any()) for values in weights)
