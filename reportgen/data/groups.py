"""Parquet files read a row group at a time: what is in them is known before any row is read.

`ParquetFile.read_row_group` gives a row group and lets go of it. Readers of whole datasets keep
what they have read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from os import SEEK_END
from typing import Any

import pyarrow as pa

from reportgen.data.files.columnar import BROKEN
from reportgen.data.files.opening import Location, find_files
from reportgen.data.filters import Filter
from reportgen.data.request import ColumnRequest, DatasetRequest
from reportgen.data.table import FileRows, FileTable
from reportgen.data.tables import asked_columns, columns_of_units
from reportgen.errors import ConfigError, DataError, Problem, did_you_mean
from reportgen.paths import open_regular
from reportgen.results import InputFile
from reportgen.text import foreign

PIECE = 1 << 22  # bytes of a file that are hashed at a time
END = 1 << 16  # bytes at the end of a file, where Parquet says what is where


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class GroupedTable:
    """The Parquet files of a dataset: their row groups, and which columns are wanted of them.

    `sources` says what the files call each column, `ends` are digests of the ends of files.
    `unnamed` are columns that nobody asks for and that may tell units apart.
    """

    shown: str
    locations: tuple[Location, ...]
    digests: tuple[str, ...]
    sizes: tuple[int, ...]
    ends: tuple[str, ...]
    groups: tuple[RowGroup, ...]
    sources: tuple[tuple[str, str], ...]
    filter: Filter | None
    unnamed: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """How many rows there are in all."""
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
        """The rows of a row group, or about as many of the first as are asked for."""
        location = self.locations[group.file]
        sources = [each for each in self.sources if only is None or each[0] == only]
        try:
            file = _opened(location)
            wanted = list(dict.fromkeys(own for _, own in sources))
            table = _read(file, group.number, wanted, count)
            file.close()
        except BROKEN as fault:
            raise _fault(location, fault) from None
        columns = {name: table.column(own) for name, own in sources}
        part = FileRows(
            location.shown,
            table.num_rows,
            columns,
            "row",
            lambda rows: [group.in_file + row + 1 for row in rows],
            True,
        )
        return FileTable(location.shown, (part,))

    def refuse_other(self, group: RowGroup) -> None:
        """Refuse files that are not those that were opened, by their sizes and their ends."""
        for file in dict.fromkeys([group.file, *(other.file for other, _ in group.more)]):
            location = self.locations[file]
            if _end(location) != (self.ends[file], self.sizes[file]):
                raise DataError(f"{location.shown}: is not the file that the run began with")

    def rows_from(self, first: int, count: int) -> FileTable:
        """Some rows, whatever row groups they are of."""
        parts: list[FileRows] = []
        for group in self.groups:
            start, end = max(first, group.before), min(first + count, group.before + group.rows)
            if start < end:
                parts += self.read(group).part(start - group.before, end - start).parts
        return FileTable(self.shown, tuple(parts))

    def inputs(self) -> tuple[InputFile, ...]:
        """What identifies each file in the report."""
        rows = [sum(g.rows for g in self.groups if g.file == k) for k in range(len(self.locations))]
        found = zip(self.locations, self.digests, rows, self.sizes, strict=True)
        return tuple(InputFile(at.shown, "data", sha, n, size) for at, sha, n, size in found)


def open_groups(request: DatasetRequest) -> GroupedTable:
    """Open the files of a dataset and check its columns; nothing of the rows is read."""
    locations = find_files(request.table)
    for location in locations:
        if location.format != "parquet":
            text = f"{location.shown} is no Parquet file, and only these are streamed"
            raise ConfigError([Problem(f"{text}; convert it, or use `engine: memory`",
                                       request.table.at)])  # fmt: skip
    problems: list[Problem] = []
    found, columns = asked_columns(request, problems)
    shown = locations[0].shown if len(locations) == 1 else request.table.shown
    unnamed = () if request.ranked else columns_of_units(request, _single(locations), columns)
    columns = (*columns, *map(ColumnRequest, unnamed))
    sources = {column.name: column.source or column.name for column in columns}
    groups = tuple(_groups(locations, frozenset(sources.values()), columns, problems))
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)))
    digests, sizes = zip(*map(_digest, locations), strict=True)
    ends = tuple(_end(location)[0] for location in locations)
    locations = tuple(replace(each, path=each.path.absolute()) for each in locations)
    return GroupedTable(
        shown, locations, digests, sizes, ends, groups, tuple(sorted(sources.items())), found,
        unnamed,
    )  # fmt: skip


def _single(locations: tuple[Location, ...]) -> list[str]:
    """The columns that every file has once, as the first file has them."""
    try:
        every = [Counter(map(str, _opened(location).schema_arrow.names)) for location in locations]
    except BROKEN:
        return []  # told where the row groups are looked at
    return [name for name in every[0] if all(names[name] == 1 for names in every)]


def rows_in_parquet(request: DatasetRequest) -> int | None:
    """How many rows the Parquet files of a dataset say they hold; None of other files."""
    try:
        locations = find_files(request.table)
        if any(location.format != "parquet" for location in locations):
            return None
        return sum(int(_opened(location).metadata.num_rows) for location in locations)
    except (ConfigError, DataError, *BROKEN):
        return None  # told where the rows are read


def _groups(
    locations: tuple[Location, ...],
    wanted: frozenset[str],
    columns: tuple[ColumnRequest, ...],
    problems: list[Problem],
) -> Iterator[RowGroup]:
    before = 0
    for place, location in enumerate(locations):
        in_file = 0
        try:
            metadata = _opened(location).metadata
            names = [str(name) for name in metadata.schema.to_arrow_schema().names]
        except BROKEN as fault:
            raise _fault(location, fault) from None
        for column in columns:
            if names.count(column.source or column.name) != 1:
                hint = did_you_mean(column.name, names)
                text = f"{location.shown} has no one column {column.name!r}; {hint}"
                problems.append(Problem(text, column.at))
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


def _read(file: Any, number: int, wanted: list[str], count: int | None) -> Any:
    """A row group, or no more of its first rows than hold so many."""
    if count is None:
        return file.read_row_group(number, columns=wanted, use_threads=False)
    batches, left = [], count
    for batch in file.iter_batches(count, [number], columns=wanted, use_threads=False):
        batches.append(batch)
        left -= batch.num_rows
        if left <= 0:
            break
    return pa.Table.from_batches(batches)


def _opened(location: Location) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(pa.OSFile(str(location.path)))


def _digest(location: Location) -> tuple[str, int]:
    """The file's hash and size, read piece by piece."""
    found, size = sha256(), 0
    try:
        with open_regular(location.path) as file:
            while piece := file.read(PIECE):
                found.update(piece)
                size += len(piece)
    except OSError as fault:
        raise DataError(f"{location.shown}: cannot be read: {fault.strerror}") from None
    return found.hexdigest(), size


def _end(location: Location) -> tuple[str, int]:
    """A digest of the end of a file, and its size."""
    try:
        with open_regular(location.path) as file:
            size = file.seek(0, SEEK_END)
            file.seek(max(0, size - END))
            return sha256(file.read()).hexdigest(), size
    except OSError as fault:
        raise DataError(f"{location.shown}: cannot be read: {fault.strerror}") from None


def _fault(location: Location, fault: BaseException) -> DataError:
    why = foreign(fault).rstrip(".")
    return DataError(f"{location.shown}: cannot be read as Parquet: {why}")
