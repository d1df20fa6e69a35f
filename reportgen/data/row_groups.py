"""Read Parquet files one row group at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate, pairwise
from os import SEEK_END
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.data.arrow import Index, Keys, compute_array_keys, null_mask
from reportgen.data.files.parquet import PARQUET_ERRORS
from reportgen.data.files.partitions import repeat_value
from reportgen.data.files.source import (
    FileLocation,
    check_columns_agree,
    copy_remote_files,
    describe_missing_column,
    find_files,
)
from reportgen.data.filters import RowFilter
from reportgen.data.number_styles import AS_DECLARED, NumberRules
from reportgen.data.requests import ColumnRequest, DatasetRequest
from reportgen.data.table import FileRows, FileTable, format_count
from reportgen.data.tables import find_unit_columns, list_wanted_columns
from reportgen.errors import ConfigError, DataError, Problem, did_you_mean
from reportgen.paths import open_regular
from reportgen.records import record
from reportgen.results.core import InputFile
from reportgen.text import format_read_error, quote, quote_value

PIECE = 1 << 22  # bytes of a file that are hashed at a time
Identity = tuple[int, ...]
GROUP_END = 1 << 16  # bytes at the end of a file, where Parquet says what is where


@record
class RowGroup:
    """A row group: of which file, its number there, its rows, those of all groups before it.

    `size` is how many bytes its wanted columns take in memory, `in_file` how many rows of the file
    stand before those of the row group. Where rows must stand together `skip` of its first ones
    are left to another, and `more` are row groups that follow, with how many rows are taken of
    each: it is then of other `rows`, with others `before` it.
    """

    file: int
    number: int
    rows: int
    before: int
    size: int
    in_file: int = 0
    skip: int = 0
    more: tuple[tuple[RowGroup, int], ...] = ()


@record
class GroupedTable:
    """The Parquet files of a dataset: their row groups, and the columns to read.

    `sources` says what the files call each column, `ends` are digests of the ends of files, and
    `identities` what the system says of each file: device, number, size and time of change.
    `unnamed` are columns that nobody asks for and that may tell units apart. Numbers in text
    follow `rules`, which the config may set at `keys_at`.
    """

    shown: str
    locations: tuple[FileLocation, ...]
    digests: tuple[str, ...]
    sizes: tuple[int, ...]
    ends: tuple[str, ...]
    identities: tuple[Identity, ...]
    groups: tuple[RowGroup, ...]
    sources: tuple[tuple[str, str], ...]
    filter: RowFilter | None
    unnamed: tuple[str, ...] = ()
    rules: NumberRules = AS_DECLARED
    keys_at: str = ""

    @property
    def rows(self) -> int:
        """The number of rows in all."""
        return sum(group.rows for group in self.groups)

    def read(self, group: RowGroup) -> FileTable:
        """One row group as a table."""
        own = self._rows(group, None)
        if not group.skip and not group.more:
            return own
        parts = own.part(group.skip, own.rows).parts
        for other, count in group.more:
            parts += self._rows(other, count).part(0, count).parts
        return FileTable(own.shown, parts)

    def texts_of(self, group: RowGroup, column: str) -> Any:
        """One column of a row group as text, null where it is missing."""
        return self._rows(group, None, column).texts(column)

    def _rows(self, group: RowGroup, count: int | None, only: str | None = None) -> FileTable:
        """Read the rows of a row group, or about as many of the first ones as requested."""
        location = self.locations[group.file]
        sources = [each for each in self.sources if only is None or each[0] == only]
        try:
            file = _open_parquet_file(location)
            values = _get_partition(location, file.schema_arrow.names)
            wanted = list(dict.fromkeys(own for _, own in sources if own not in values))
            table = _read_row_group(file, group.number, wanted, count)
            file.close()
        except PARQUET_ERRORS as fault:
            raise _build_read_error(location, fault) from None
        columns = {
            name: repeat_value(values[own], table.num_rows) if own in values else table.column(own)
            for name, own in sources
        }
        part = FileRows(
            location.shown,
            table.num_rows,
            columns,
            "row",
            lambda rows: [group.in_file + row + 1 for row in rows],
            True,
            self.rules,
            self.keys_at,
        )
        return FileTable(location.shown, (part,))

    def refuse_other(self, group: RowGroup) -> None:
        """Refuse files that are not those that were opened, by their sizes and their ends.

        This is for another machine, which may have a copy of its own.
        """
        for file in _list_files_of(group):
            location = self.locations[file]
            if _compute_end_digest(location) != (self.ends[file], self.sizes[file]):
                raise DataError(f"{location.shown}: is not the file that the run began with")

    def refuse_replaced(self, group: RowGroup | None = None) -> None:
        """Refuse files that were replaced or changed since the start, of a row group or all."""
        for file in range(len(self.locations)) if group is None else _list_files_of(group):
            location = self.locations[file]
            if _identify_file(location) != self.identities[file]:
                raise DataError(
                    f"{location.shown}: was replaced while it was read; nothing was published, so "
                    "run the config again once the file stays as it is"
                )

    def rows_from(self, first: int, count: int) -> FileTable:
        """Return `count` rows from row `first` on, whichever row groups they are in."""
        parts: list[FileRows] = []
        for group in self.groups:
            start, end = max(first, group.before), min(first + count, group.before + group.rows)
            if start < end:
                parts += self.read(group).part(start - group.before, end - start).parts
        return FileTable(self.shown, tuple(parts))

    def inputs(self) -> tuple[InputFile, ...]:
        """Return what identifies each file in the report."""
        rows = [sum(g.rows for g in self.groups if g.file == k) for k in range(len(self.locations))]
        found = zip(self.locations, self.digests, rows, self.sizes, strict=True)
        return tuple(
            at.copied or InputFile(at.shown, "data", sha, n, size) for at, sha, n, size in found
        )


def open_row_groups(request: DatasetRequest) -> GroupedTable:
    """Open the files of a dataset and check its columns; nothing of the rows is read."""
    locations = copy_remote_files(request.table)
    for location in locations:
        if location.format != "parquet":
            text = f"{location.shown} is not a Parquet file; only these can be streamed"
            raise ConfigError(
                [Problem(f"{text}; convert it, or use `engine: memory`", request.table.at)]
            )
    identities = tuple(map(_identify_file, locations))
    problems: list[Problem] = []
    found, columns = list_wanted_columns(request, problems)
    shown = locations[0].shown if len(locations) == 1 else request.table.shown
    unnamed = (
        ()
        if request.ranked
        else find_unit_columns(request, _list_unique_columns(locations), columns)
    )
    columns = (*columns, *map(ColumnRequest, unnamed))
    sources = {column.name: column.source or column.name for column in columns}
    groups = tuple(_iter_groups(shown, locations, columns, problems))
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)))
    digests, sizes = zip(*map(_compute_digest, locations), strict=True)
    ends = tuple(_compute_end_digest(location)[0] for location in locations)
    locations = tuple(replace(each, path=each.path.absolute()) for each in locations)
    table = GroupedTable(
        shown,
        locations,
        digests,
        sizes,
        ends,
        identities,
        groups,
        tuple(sorted(sources.items())),
        found,
        unnamed,
        NumberRules(request.table.options.decimal, request.table.options.thousands, is_auto=False),
        request.table.keys_at,
    )
    table.refuse_replaced()
    return table


def _list_unique_columns(locations: tuple[FileLocation, ...]) -> list[str]:
    """Return the columns that every file has exactly once, in the order of the first file."""
    try:
        every = [
            Counter(map(str, _open_parquet_file(location).schema_arrow.names))
            for location in locations
        ]
    except PARQUET_ERRORS:
        return []  # reported where the row groups are looked at
    return [name for name in every[0] if all(names[name] == 1 for names in every)]


def count_parquet_rows(request: DatasetRequest) -> int | None:
    """Count the rows that the Parquet files of a dataset say they hold; None for others."""
    try:
        locations = find_files(request.table)
        if any(each.format != "parquet" or each.is_remote for each in locations):
            return None
        return sum(int(_open_parquet_file(location).metadata.num_rows) for location in locations)
    except (ConfigError, DataError, *PARQUET_ERRORS):
        return None  # reported where the rows are read


def _iter_groups(
    shown: str,
    locations: tuple[FileLocation, ...],
    columns: tuple[ColumnRequest, ...],
    problems: list[Problem],
) -> Iterator[RowGroup]:
    before, wanted = 0, {column.source or column.name for column in columns}
    for place, location in enumerate(locations):
        in_file = 0
        try:
            metadata = _open_parquet_file(location).metadata
            names = [str(name) for name in metadata.schema.to_arrow_schema().names]
            names += _get_partition(location, names)
        except PARQUET_ERRORS as fault:
            raise _build_read_error(location, fault) from None
        if place == 0:
            for column in columns:
                if (column.source or column.name) not in names:
                    hint = did_you_mean(column.name, filter(None, names))
                    text = f"{describe_missing_column(shown, column)}; {hint}"
                    problems.append(Problem(text, column.at))
        if not problems:
            check_columns_agree(location.shown, names, wanted, locations[0].shown)
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            size = sum(
                max(8 * group.num_rows, group.column(k).total_uncompressed_size)
                for k in range(group.num_columns)
                if group.column(k).path_in_schema.partition(".")[0] in wanted
            )
            if group.num_rows:
                yield RowGroup(place, number, group.num_rows, before, size, in_file)
            before += group.num_rows
            in_file += group.num_rows


def _get_partition(location: FileLocation, names: Iterable[str]) -> dict[str, str | int | None]:
    """Return the columns that the folders of a file hold, but for those of `names`, its own."""
    return {key: value for key, value in location.partition if key not in names}


def _read_row_group(file: Any, number: int, wanted: list[str], count: int | None) -> Any:
    """Read a row group, or only as many of its first rows as are needed to hold `count`."""
    if count is None:
        return file.read_row_group(number, columns=wanted, use_threads=False)
    batches, left = [], count
    for batch in file.iter_batches(count, [number], columns=wanted, use_threads=False):
        batches.append(batch)
        left -= batch.num_rows
        if left <= 0:
            break
    return pa.Table.from_batches(batches)


def _open_parquet_file(location: FileLocation) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(pa.OSFile(str(location.path)))


def _list_files_of(group: RowGroup) -> Iterable[int]:
    """List the files that the rows of a group are in, by their numbers."""
    return dict.fromkeys([group.file, *(other.file for other, _ in group.more)])


def _identify_file(location: FileLocation) -> Identity:
    """Return device, number, size and time of change of a file; nothing where it is gone."""
    with suppress(OSError):
        state = location.path.stat()
        return (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
    return ()


def _compute_digest(location: FileLocation) -> tuple[str, int]:
    """Compute a file's hash and size, reading it piece by piece; of copied rows, those of rows."""
    if location.copied is not None:
        return location.copied.sha256, location.copied.size_bytes
    found, size = sha256(), 0
    try:
        with open_regular(location.path) as file:
            while piece := file.read(PIECE):
                found.update(piece)
                size += len(piece)
    except OSError as fault:
        raise DataError(f"{location.shown}: cannot be read: {fault.strerror}") from None
    return found.hexdigest(), size


def _compute_end_digest(location: FileLocation) -> tuple[str, int]:
    """Compute a digest of the end of a file, and its size."""
    try:
        with open_regular(location.path) as file:
            size = file.seek(0, SEEK_END)
            file.seek(max(0, size - GROUP_END))
            return sha256(file.read()).hexdigest(), size
    except OSError as fault:
        raise DataError(f"{location.shown}: cannot be read: {fault.strerror}") from None


def _build_read_error(location: FileLocation, fault: BaseException) -> DataError:
    why = format_read_error(fault).rstrip(".")
    return DataError(f"{location.shown}: cannot be read as Parquet: {why}")


TOGETHER = (
    "when streamed, the rows of a query stand together; sort the file by this column, or use "
    "`engine: memory`"
)


@record(eq=False)
class QueryRuns:
    """The queries of a row group: the key of each run of rows, and where it begins, (runs,)."""

    keys: Keys
    begins: Index

    @property
    def head(self) -> int:
        """The number of rows that the first run has before another begins, or all."""
        return int(self.begins[1])


def find_query_runs(table: GroupedTable, group: RowGroup, column: str) -> QueryRuns:
    """Find the queries of a row group; `begins` ends with the number of rows."""
    texts = table.texts_of(group, column)
    shown = table.locations[group.file].shown
    if (lacking := np.flatnonzero(null_mask(texts))).size:
        raise DataError(
            f"{shown}: column {quote(column)} has {format_count(len(lacking), 'missing name')} "
            "(first "
            f"at row {group.in_file + int(lacking[0]) + 1}); a query needs one on "
            "every row when streamed"
        )
    keys = compute_array_keys(texts)
    begins = find_run_starts(keys)
    runs = QueryRuns(keys[begins], np.append(begins, len(keys)))
    again = _find_first_repeat(runs.keys)
    if again is not None:
        row = int(begins[again])
        raise _build_repeat_error(shown, column, texts[row].as_py(), group.in_file + row + 1)
    return runs


def find_run_starts(keys: Keys) -> Index:
    """Find where each run of equal keys begins, (runs,)."""
    return np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))


def regroup_whole_queries(
    table: GroupedTable, runs: Sequence[QueryRuns], column: str
) -> tuple[RowGroup, ...]:
    """Regroup rows so that each query is in one row group; row groups left empty are dropped."""
    groups = table.groups
    goes_on = [False, *(a.keys[-1] == b.keys[0] for a, b in pairwise(runs))]
    _check_contiguous_queries(table, runs, goes_on, column)
    skips = [each.head if is_on else 0 for each, is_on in zip(runs, goes_on, strict=True)]
    found = []
    for place, group in enumerate(groups):
        if skips[place] == group.rows:
            continue
        more = []
        for later in range(place + 1, len(groups)):
            if not goes_on[later]:
                break
            more.append((groups[later], skips[later]))
            if skips[later] < groups[later].rows:
                break
        rows = group.rows - skips[place] + sum(count for _, count in more)
        # Of a row group that follows some rows are kept, but its first pages are read.
        size = group.size + sum(other.size * count // other.rows for other, count in more)
        size += max((other.size for other, _ in more), default=0) // 3
        parted = replace(group, rows=rows, skip=skips[place], more=tuple(more), size=size)
        found.append(parted)
    before = accumulate((group.rows for group in found), initial=0)
    return tuple(replace(g, before=b) for g, b in zip(found, before, strict=False))


def compute_max_query_rows(runs: Sequence[QueryRuns]) -> int:
    """Return the maximum number of rows of a query, counted across borders of row groups."""
    most = before = 0
    key = None
    for each in runs:
        sizes = np.diff(each.begins)
        if key is not None and each.keys[0] == key:
            sizes[0] += before
        most = max(most, int(sizes.max()))
        key, before = each.keys[-1], int(sizes[-1])
    return most


def find_last_start(texts: object) -> int:
    """Find where the last query of some rows begins."""
    return int(find_run_starts(compute_array_keys(texts))[-1])


def split_query_pieces(table: FileTable, column: str, most: int) -> list[tuple[int, int]]:
    """Whole queries of about so many rows: where each piece begins, and how many rows it has."""
    keys = compute_array_keys(table.texts(column))
    if not len(keys):
        return []
    ends = np.append(find_run_starts(keys)[1:], len(keys))
    found, start = list[tuple[int, int]](), 0
    while start < len(keys):
        place = max(int(np.searchsorted(ends, start + most, side="right")) - 1, 0)
        end = int(ends[place])
        if end <= start:
            end = int(ends[np.searchsorted(ends, start, side="right")])
        found.append((start, end - start))
        start = end
    return found


def _check_contiguous_queries(
    table: GroupedTable, runs: Sequence[QueryRuns], goes_on: Sequence[bool], column: str
) -> None:
    """Stop at a query that comes back after others."""
    starts = [each.keys[int(is_on) :] for each, is_on in zip(runs, goes_on, strict=True)]
    again = _find_first_repeat(np.concatenate(starts))
    if again is None:
        return
    ends = np.cumsum([len(each) for each in starts])
    place = int(np.searchsorted(ends, again, side="right"))
    group, run = table.groups[place], again - int(ends[place]) + len(starts[place])
    row = int(runs[place].begins[run + int(goes_on[place])])
    name = table.texts_of(group, column)[row].as_py()
    raise _build_repeat_error(
        table.locations[group.file].shown, column, name, group.in_file + row + 1
    )


def _find_first_repeat(keys: Keys) -> int | None:
    """Return the index of the first key that occurred before; None if all are distinct."""
    _, first = np.unique(keys, return_index=True)
    if len(first) == len(keys):
        return None
    is_first = np.zeros(len(keys), bool)
    is_first[first] = True
    return int(np.flatnonzero(~is_first)[0])


def _build_repeat_error(shown: str, column: str, name: str, row: int) -> DataError:
    return DataError(
        f"{shown}: query {quote_value(name)} of column {quote(column)} comes back at row {row:,} "
        f"after rows of others; {TOGETHER}"
    )
