"""Select rows: filter, match by id, sample, and count what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.data.arrow import (
    Index,
    Mask,
    build_texts,
    compute_array_keys,
    convert_mask,
    convert_positions,
    encode_texts,
    null_mask,
    take_rows,
)
from reportgen.data.filters import RowFilter
from reportgen.data.names import OTHERWISE, find_near_rows, suggest_loose
from reportgen.data.requests import ColumnRequest, DatasetRequest, SampleRequest, TableRequest
from reportgen.data.table import AlignedColumn, FileTable, format_count
from reportgen.data.tables import DatasetTables
from reportgen.errors import DataError
from reportgen.records import record
from reportgen.results.core import WaterfallStep
from reportgen.text import are_values_hidden, mask_number, mask_value, quote, quote_value

REPEATED_ID = "; if cross-validation was repeated, name the column of its rounds: repeat:"


@record
class DroppedRows:
    """Count of the missing values of one column or model's table, and of the rows dropped for it.

    `missing` counts the rows that lack it, `removed` those that were still there; `unused`
    counts the ids of a table of scores that no row has. `share` is `removed` as a share of
    the rows that were there; where tables are joined, it is the share of all rows that are not in
    every table. `positives` are the shares of positives among the dropped and the other rows, if
    known.
    """

    step: Literal["joined", "dropped"]
    column: str
    model: str | None
    missing: int
    removed: int
    unused: int = 0
    share: float | None = None
    positives: tuple[float, float] | None = None


class RowWaterfall:
    """The rows that are left, as a mask, and the steps that led there."""

    def __init__(self, rows: int) -> None:
        self.kept: Mask = np.ones(rows, dtype=bool)
        self.steps = [WaterfallStep("read", rows, 0, "")]
        self.cases: int | None = None
        self.losses: list[DroppedRows] = []

    @property
    def remaining(self) -> int:
        """The number of rows left; where they were counted, of cases that they stand for."""
        return int(np.count_nonzero(self.kept)) if self.cases is None else self.cases

    def count(self, cases: int, reason: str) -> None:
        """Note that the rows that are left stand for so many cases."""
        self.cases = cases
        self.steps.append(WaterfallStep("counted", cases, 0, reason))

    def keep(self, step: str, rows: Mask, reason: str) -> int:
        """Keep only some rows, note why, and return how many went."""
        before = self.remaining
        self.kept = self.kept & rows
        self.steps.append(WaterfallStep(step, self.remaining, before - self.remaining, reason))
        return before - self.remaining

    def finish(self) -> tuple[WaterfallStep, ...]:
        """Return all steps, with the rows used at the end."""
        return (*self.steps, WaterfallStep("used", self.remaining, 0, ""))


@record
class MatchedRows:
    """Rows chosen so far, their ids, and where each row's scores stand (-1: nowhere)."""

    ids: Any
    waterfall: RowWaterfall
    position: Mapping[str, Index]


@record
class _Match:
    """One model's table of scores next to the rows: where each row is in it, and what is not."""

    table: FileTable
    request: TableRequest
    ids: Any
    position: Index
    extra: Index


def match_rows(request: DatasetRequest, tables: DatasetTables) -> MatchedRows:
    """Filter, match with the tables of scores, and sample."""
    waterfall = RowWaterfall(tables.main.rows)
    if tables.filter is not None:
        waterfall.keep("filtered", tables.filter.rows(tables.main), tables.filter.text)
        check_row_minimum(tables.main, waterfall, request.name, tables.filter)
    ids = _build_ids(tables.main, request.table.id, waterfall.kept, request)
    matches = {
        name: _build_match(table, request.models[name].scores, ids)
        for name, table in tables.scores.items()
    }
    if request.in_doubt:
        near = [_describe_near_ids(request, tables.main, ids, each) for each in matches.values()]
        _raise_faults([fault for fault in near if fault])
    if request.missing != "intersect":
        faults = [
            _format_mismatch(tables.main, ids, waterfall.kept, each) for each in matches.values()
        ]
        way = _describe_way(request, waterfall.kept, [*matches.values()])
        _raise_faults([fault + way for fault in faults if fault])
    if request.sample is not None:
        chosen = sample_rows(ids.to_pylist(), waterfall, request.sample, tables.main.shown)
        reason = f"n {request.sample.n}, seed {request.sample.seed}"
        waterfall.keep("sampled", chosen, reason)
    if matches:
        _drop_unscored_rows(waterfall, matches)
    return MatchedRows(ids, waterfall, {name: each.position for name, each in matches.items()})


def _raise_faults(faults: list[str]) -> None:
    if faults:
        raise DataError(*dict.fromkeys(faults))


def check_row_minimum(
    table: FileTable, waterfall: RowWaterfall, dataset: str, filtered: RowFilter | None = None
) -> None:
    """Fewer than two rows are no data; `filtered` is what left some out."""
    if waterfall.remaining >= 2:
        return
    of_filter = f"left out by {filtered.key} under datasets.{dataset}" if filtered else ""
    names = {"filtered": of_filter}
    went = [
        f"{each.removed} {names.get(each.step, each.step)}"
        for each in waterfall.steps
        if each.removed
    ]
    why = f" ({', '.join(went)})" if went else ""
    raise DataError(
        f"{table.shown}: {format_count(waterfall.remaining, 'row')} of {waterfall.steps[0].rows} "
        f"left to compare models on{why}; at least 2 are needed"
        + (filtered.hint(table) if filtered is not None else "")
    )


def read_ids(table: FileTable, name: str) -> Any:
    """Read a column of ids as text; floating point numbers are refused."""
    if table.is_of_floats(name):
        raise DataError(
            f"{table.shown}: id column {name!r} holds floating point numbers, which cannot "
            "tell large ids apart; save it as text or as integers"
        )
    return table.texts(name)


def _build_ids(
    table: FileTable,
    column: ColumnRequest | None,
    kept: Mask,
    request: DatasetRequest | None = None,
) -> Any:
    """Return the ids of all rows; without an id column, row numbers padded to sort as numbers.

    With a column of rounds in the request an id is that of a row in a round.
    """
    if column is None:
        width = len(str(table.rows))
        return build_texts(f"{row:0{width}d}" for row in range(1, table.rows + 1))
    ids = read_ids(table, column.name)
    is_missing = null_mask(ids) & kept
    if is_missing.any():
        rows = np.flatnonzero(is_missing)
        raise DataError(
            f"{table.shown}: id column {column.name!r} has "
            f"{format_count(len(rows), 'missing id')} of "
            f"{table.rows} (first at {table.where(rows)}); a row without an id cannot be matched"
        )
    if request is not None and request.repeat is not None:
        rounds = table.texts(request.repeat.name)
        between = pa.scalar(" in round ", type=ids.type)
        ids = pc.binary_join_element_wise(ids, rounds, between, null_handling="replace")
    is_rowed = request is None or request.fold is None or request.repeat is not None
    _refuse_repeats(table, column.name, ids, kept, "" if is_rowed else REPEATED_ID)
    return ids


def _refuse_repeats(table: FileTable, column: str, ids: Any, kept: Mask, hint: str = "") -> None:
    keys = np.sort(compute_array_keys(ids))
    if (keys[1:] != keys[:-1]).all():
        return
    labels, code = encode_texts(ids)
    count = np.bincount(code[kept], minlength=len(labels))  # no kept row is without an id
    repeated = int(np.count_nonzero(count > 1))
    if not repeated:
        return
    is_repeated = kept & (count[code] > 1)
    first = list(dict.fromkeys(code[is_repeated].tolist()))[:3]
    rows = np.flatnonzero(kept & (code == first[0]))
    named = mask_value(", ".join(quote(labels[i]) for i in first))
    named += ", …" * (repeated > 3)
    raise DataError(
        f"{table.shown}: id column {quote(column)} has {format_count(repeated, 'id')} more than "
        f"once ({named}; {quote_value(labels[first[0]])} at {table.where(rows)}); "
        f"an id must name one row{hint}"
    )


def _build_match(table: FileTable, request: TableRequest | None, ids: Any) -> _Match:
    assert request is not None
    theirs = _build_ids(table, request.id, np.ones(table.rows, dtype=bool))
    position = convert_positions(pc.index_in(ids, value_set=theirs))
    extra = np.flatnonzero(~convert_mask(pc.is_in(theirs, value_set=ids)))
    return _Match(table, request, theirs, position, extra)


def _describe_near_ids(request: DatasetRequest, main: FileTable, ids: Any, match: _Match) -> str:
    """Describe ids of scores that are those of rows but for how they are written, if there are."""
    near = find_near_rows(match.ids, match.extra, ids)
    if near is None:
        return ""
    rows, one, other = near
    share = f"{len(rows)} of {format_count(match.table.rows, 'id')}"
    return (
        f"{match.table.shown}: {share} (first at {match.table.where(rows[:1])}) are not in "
        f"{main.shown} as they are written; they {suggest_loose(one, other, request.name)}"
        f"{OTHERWISE}"
    )


def _format_mismatch(main: FileTable, ids: Any, kept: Mask, match: _Match) -> str:
    """Say which ids are on one side only; nothing if there are none."""
    lacking = np.flatnonzero(kept & (match.position < 0))
    shown = match.table.shown
    sides = []
    if len(lacking):
        share = f"{len(lacking)} of {int(kept.sum())} ids of {main.shown}"
        sides.append(f"{share} are not in {shown} (first {_quote_ids(main, ids, lacking)})")
    if len(match.extra):
        share = f"{len(match.extra)} of {match.table.rows} ids of {shown}"
        first = _quote_ids(match.table, match.ids, match.extra)
        sides.append(f"{share} are not in {main.shown} (first {first})")
    return f"{shown}: {'; '.join(sides)}" if sides else ""


def _describe_way(request: DatasetRequest, kept: Mask, matches: Sequence[_Match]) -> str:
    """Suggest `missing: intersect` if at least half of the ids are in all files."""
    matched = int(np.count_nonzero(_select_matched(kept, matches)))
    rows = int(kept.sum())
    if 2 * matched >= rows:
        return f"; `missing: intersect` under datasets.{request.name} keeps what is in all files"
    return f"; only {matched} of {rows} ids are in all files: do the id columns hold the same ids?"


def _select_matched(kept: Mask, matches: Iterable[_Match]) -> Mask:
    """Select the rows that every table of scores has."""
    for match in matches:
        kept = kept & (match.position >= 0)
    return kept


def _quote_ids(table: FileTable, ids: Any, rows: Index) -> str:
    if are_values_hidden():
        return f"at {table.where(rows)} of {table.shown}"
    first = sorted(take_rows(ids, rows).to_pylist())[:3]
    return ", ".join(map(quote, first))


def sample_rows(
    ids: Sequence[str], waterfall: RowWaterfall, sample: SampleRequest, shown: str
) -> Mask:
    """Sample the n rows with the lowest keyed hashes of their ids, whatever the file order."""
    rows = np.flatnonzero(waterfall.kept)
    if sample.n > len(rows):
        raise DataError(
            f"{shown}: {format_count(len(rows), 'row')} left, of which {sample.n} cannot be "
            "sampled; lower `sample: n`"
        )
    key = blake2b(str(sample.seed).encode(), digest_size=32).digest()
    names = [ids[row] for row in rows.tolist()]
    ranked = sorted(
        range(len(names)),
        key=lambda i: (blake2b(names[i].encode(), key=key, digest_size=8).digest(), names[i]),
    )
    chosen = np.zeros(len(waterfall.kept), dtype=bool)
    chosen[rows[ranked[: sample.n]]] = True
    return chosen


def _drop_unscored_rows(waterfall: RowWaterfall, matches: Mapping[str, _Match]) -> None:
    """Remove rows without a score, model by model; say how many each model lacks."""
    before = waterfall.kept
    lost = {
        name: (int(np.count_nonzero(before & (match.position < 0))), len(match.extra))
        for name, match in matches.items()
    }
    matched = _select_matched(before, matches.values())
    share = 1 - int(matched.sum()) / max(int(before.sum()), 1)
    if not any(lacking or extra for lacking, extra in lost.values()):
        waterfall.keep("joined", np.ones_like(before), "")
    for name, (lacking, extra) in lost.items():
        if not lacking and not extra:
            continue
        match = matches[name]
        reasons = [f"no score of {name!r} for {format_count(lacking, 'id')}"] if lacking else []
        reasons += (
            [f"{format_count(extra, 'id')} of {match.table.shown} without a row"] if extra else []
        )
        removed = waterfall.keep("joined", match.position >= 0, ", ".join(reasons))
        column = match.request.id.name if match.request.id else ""
        of_all = share if lacking else None
        loss = DroppedRows("joined", column, name, lacking, removed, extra, of_all)
        waterfall.losses.append(loss)


MOST_CASES = 50_000_000  # cases; more of them take more memory than a count column lets one expect


def expand_cases(columns: tuple[AlignedColumn, ...], rows: Index, waterfall: RowWaterfall) -> Index:
    """Repeat each row as often as it stands for a case; return rows as they are without counts."""
    each = next((c for c in columns if c.role == "count"), None)
    if each is None:
        return rows
    assert each.values is not None
    kept = np.zeros(len(each.values), dtype=bool)
    kept[rows] = True
    bad = kept & ((each.values < 0) | (each.values != np.floor(each.values)))
    if bad.any():
        at = each.rows(bad)
        raise DataError(
            f"{each.table.shown}: count column {quote(each.column)} has "
            f"{format_count(len(at), 'value')} of {len(rows)} below 0 or not whole (first "
            f"{mask_number(each.values[bad][0])} at {each.table.where(at[:1])}); parts of a "
            "case are a weight: name the column there"
        )
    total = float(each.values[rows].sum())
    if not 2 <= total <= MOST_CASES:
        cases = format_count(int(total), "case")
        way = "two are the least" if total < 2 else f"at most {MOST_CASES:,} are read; use weight:"
        raise DataError(
            f"{each.table.shown}: count column {quote(each.column)} counts {cases}; {way}"
        )
    found = np.repeat(rows, each.values[rows].astype(np.int64))
    waterfall.count(len(found), f"{len(rows):,} rows stand for {quote(each.column)} cases each")
    return np.asarray(found, dtype=np.intp)
