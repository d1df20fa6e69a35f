"""Files that are opened but not yet read, and the choice of their reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Protocol

from reportgen.data.files.delimited import DelimitedReader, LetorReader, SpacedReader
from reportgen.data.files.json_files import JsonLinesReader, NestedJsonReader
from reportgen.data.files.opening import ReadFile, format_file_name, format_request_path, read_files
from reportgen.data.files.parquet import ParquetReader
from reportgen.data.requests import ColumnRequest, TableRequest
from reportgen.data.table import FileRows, FileTable
from reportgen.errors import DataError, Problem, did_you_mean
from reportgen.results import InputFile
from reportgen.text import quote


class Reader(Protocol):
    """A file of one format, whose columns are known and can be read."""

    shown: str
    names: tuple[str, ...]

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns; those of `numbers` may be read as floats."""
        ...


@dataclass(frozen=True)
class OpenedSource:
    """Opened files that a path, folder or glob leads to."""

    shown: str
    files: tuple[ReadFile, ...]
    readers: tuple[Reader, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the first file, which the others must have too."""
        return self.readers[0].names

    @property
    def single(self) -> tuple[str, ...]:
        """The columns whose name no other has."""
        count = Counter(self.names)
        return tuple(name for name, times in count.items() if times == 1)

    def problem_with(self, column: ColumnRequest) -> Problem | None:
        """Say that a column is not there, and which was probably meant."""
        if column.name in self.names:
            return None
        said = f"{self.shown} has no column {quote(column.name)}; {self.hint(column.name)}"
        return Problem(said, column.at)

    def hint(self, name: str) -> str:
        """Say which column was probably meant, or else which there are."""
        return did_you_mean(name, filter(None, self.names))

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileTable:
        """Read some columns of all files; each file must have each of them once."""
        for reader in self.readers:
            self._refuse_unlike(reader, columns)
        parts = tuple(reader.read(columns, numbers) for reader in self.readers)
        if not any(part.rows for part in parts):
            raise DataError(f"{self.shown}: holds no rows, only the names of columns")
        return FileTable(self.shown, parts)

    def inputs(self, role: str, table: FileTable) -> tuple[InputFile, ...]:
        """Return what identifies each file in the report."""
        return tuple(
            InputFile(file.shown, role, file.sha256, part.rows, file.size_bytes)
            for file, part in zip(self.files, table.parts, strict=True)
        )

    def _refuse_unlike(self, reader: Reader, columns: AbstractSet[str]) -> None:
        found = Counter(reader.names)
        for name in sorted(columns):
            if found[name] > 1:
                raise DataError(_describe_repeated_column(reader, name))
            if found[name] == 0:
                raise DataError(
                    f"{reader.shown}: has no column {quote(name)}, unlike {self.readers[0].shown}"
                )


def _describe_repeated_column(reader: Reader, name: str) -> str:
    places = [str(place) for place, own in enumerate(reader.names, 1) if own == name]
    return (
        f"{reader.shown}: {len(places)} columns are called {name!r}, so it is not clear which is "
        f"meant: columns {', '.join(places[:-1])} and {places[-1]}; rename all but one in the file"
    )


class _RenamedReader:
    """A file whose columns go by the names that may be printed: `sources` has the file's own."""

    def __init__(self, reader: Reader, sources: Mapping[str, str]) -> None:
        printed: dict[str, list[str]] = {}
        for name, source in sources.items():
            printed.setdefault(source, []).append(name)
        self.shown, self._reader, self._sources = reader.shown, reader, sources
        self.names = tuple(name for own in reader.names for name in printed.get(own, [own]))

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns; one that is wanted as text under any name is not read as floats."""
        texts = {self._sources.get(name, name) for name in columns - numbers}
        sources = {name: self._sources.get(name, name) for name in columns}
        part = self._reader.read({*sources.values()}, {sources[n] for n in numbers} - texts)
        return replace(part, columns={name: part.columns[own] for name, own in sources.items()})


def open_source(request: TableRequest, sources: Mapping[str, str] | None = None) -> OpenedSource:
    """Open all files of a request; `sources` says what they call the columns that are wanted."""
    files = read_files(request)
    shown = (
        files[0].shown
        if len(files) == 1
        else format_file_name(format_request_path(request), request)
    )
    readers = tuple(_build_reader(file) for file in files)
    if sources and any(name != own for name, own in sources.items()):
        readers = tuple(_RenamedReader(reader, sources) for reader in readers)
    return OpenedSource(shown, files, readers)


def _build_reader(file: ReadFile) -> Reader:
    if file.format == "spaced":
        return SpacedReader(file, file.fields)
    if file.format == "nested":
        return NestedJsonReader(file)
    if file.format == "letor":
        return LetorReader(file)
    if file.format in ("csv", "tsv"):
        return DelimitedReader(file)
    return JsonLinesReader(file) if file.format == "jsonl" else ParquetReader(file)
