"""Files that a request names: found, opened, and given to the reader of their format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, replace
from functools import partial
from glob import has_magic
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any

from reportgen.data.arrow import encode_texts
from reportgen.data.files.buckets import copy_object, find_objects, read_object
from reportgen.data.files.databases import copy_database, read_database
from reportgen.data.files.delimited import DelimitedReader
from reportgen.data.files.evaluations.answers import LogFile
from reportgen.data.files.evaluations.inspect_logs import is_zipped_log
from reportgen.data.files.evaluations.logs import LogReader, is_log, open_logs
from reportgen.data.files.item_tables import widen_items
from reportgen.data.files.json_files import JsonLinesReader, JsonRecordsReader, NestedJsonReader
from reportgen.data.files.list_files import (
    RANKED,
    RUN,
    TREC,
    TRIPLES,
    LetorReader,
    SpacedReader,
    read_list,
)
from reportgen.data.files.long_tables import widen_table
from reportgen.data.files.opening import (
    BROKEN,
    MOST_ENTRIES,
    FolderEscapeError,
    Format,
    ReadFile,
    SeveralFiles,
    TooLarge,
    TooManyEntries,
    build_too_large_error,
    decompress,
    find_matching_files,
    half_memory_bytes,
)
from reportgen.data.files.parquet import ParquetReader
from reportgen.data.files.partitions import (
    FileReader,
    Partition,
    PartitionReader,
    find_partitions,
)
from reportgen.data.files.remote import make_copies_folder, read_once
from reportgen.data.files.sniffing import OLD_WORKBOOK, decode_text, find_format, find_packing
from reportgen.data.files.workbook import WorkbookReader, is_workbook
from reportgen.data.requests import (
    ColumnRequest,
    ItemsRequest,
    LongRequest,
    TableRequest,
    name_item_column,
)
from reportgen.data.table import FileRows, FileTable
from reportgen.errors import ConfigError, DataError, Problem, did_you_mean, find_nearest
from reportgen.paths import BUCKET, decode_name, format_path, open_regular
from reportgen.records import record
from reportgen.results.core import InputFile
from reportgen.text import (
    are_values_hidden,
    format_read_error,
    format_yaml_value,
    quote,
    quote_value,
)


def _refuse_log(file: ReadFile) -> FileReader:
    raise DataError(f"{file.shown}: is a log of an evaluation; `task: scored` reads it")


@record
class FileFormat:
    """A format of files: its reader, and the ends of names by which it is known.

    Messages list the `suffixes`, but not the `further_suffixes`.
    """

    reader: Callable[[ReadFile], FileReader]
    suffixes: tuple[str, ...] = ()
    further_suffixes: tuple[str, ...] = ()
    may_be_compressed: bool = True


READERS: Mapping[Format, FileFormat] = {
    "csv": FileFormat(DelimitedReader, (".csv",), (".txt",)),
    "tsv": FileFormat(DelimitedReader, (".tsv",)),
    "jsonl": FileFormat(JsonLinesReader, (".jsonl", ".ndjson")),
    "records": FileFormat(JsonRecordsReader, (), (".json",)),
    "parquet": FileFormat(ParquetReader, (".parquet",), (".pq",), may_be_compressed=False),
    "feather": FileFormat(ParquetReader, (".feather",), may_be_compressed=False),
    "workbook": FileFormat(
        WorkbookReader, (".xlsx",), (".xls", ".xlsb", ".xlsm", ".ods"), may_be_compressed=False
    ),
    "spaced": FileFormat(SpacedReader),
    "nested": FileFormat(NestedJsonReader),
    "letor": FileFormat(LetorReader),
    "log": FileFormat(_refuse_log, (), (".eval",), may_be_compressed=False),
}
CONFIG_FORMATS: Mapping[str, Format] = {  # formats that a config may name
    "csv": "csv",
    "tsv": "tsv",
    "jsonl": "jsonl",
    "json": "records",
    "parquet": "parquet",
    "feather": "feather",
    "excel": "workbook",
}
BINARY: tuple[Format, ...] = ("parquet", "feather", "workbook", "log")
LOGS = (".eval", ".json", ".jsonl")  # how the names of logs of evaluations end
FORMATS: Mapping[str, Format] = {
    suffix: name
    for name, each in READERS.items()
    for suffix in (*each.suffixes, *each.further_suffixes)
}
COMPRESSIONS = (".gz", ".zst", ".bz2", ".xz", ".zip")
NESTED = ".json"  # where judgements or a run are meant; TREC's files have any other name
BY_KEY: Mapping[tuple[str, ...], Format] = {  # what the config says of a file, whatever its name
    ("query", "document", "grade"): "letor",
    ("score",): "spaced",
    ("documents",): "spaced",
}


@record
class FileLocation:
    """A file that exists: where, how it is shown, what its name and its folders say of it.

    One that holds rows of a database, `copied`, is told as these.
    """

    path: Path
    shown: str
    format: Format
    partition: Partition = ()
    is_remote: bool = False
    copied: InputFile | None = None


def find_files(request: TableRequest) -> tuple[FileLocation, ...]:
    """Find the files of a path, a folder, or a glob, sorted by their path."""
    if request.path.startswith(BUCKET):
        return _list_bucket_locations(request)
    try:
        path = Path(request.path)
        if path.exists():
            return _list_path_locations(path, request)
        if has_magic(request.path):
            return _list_glob_locations(request)
    except OSError as fault:
        text = f"no file {request.shown!r} can be reached: {fault.strerror}"
        raise ConfigError([Problem(text, request.at)]) from None
    except ValueError:  # no path at all, such as one with a zero byte
        pass
    raise ConfigError([Problem(_describe_no_file(request), request.at)])


def _describe_no_file(request: TableRequest) -> str:
    """Say that there is no file, where it was looked for, and which one has a similar name."""
    text, path = f"no file {request.shown!r}", Path(request.path)
    if request.is_hidden:
        return text
    if path.is_absolute() and request.shown != request.path:
        text += f": looked in {str(path.parent)!r}"
    try:
        files = [each for each in path.parent.iterdir() if each.is_file()]
    except (OSError, ValueError):
        return text
    names = {each.stem: each.name for each in files if each.suffix == path.suffix}
    near = find_nearest(path.stem, names)
    return f"{text}; did you mean {names[near[0]]!r}?" if near else text


def copy_remote_files(request: TableRequest) -> tuple[FileLocation, ...]:
    """Find the files of a request; rows of a database and a bucket's Parquet become local files."""
    if (sql := request.sql) is not None:
        path = make_copies_folder() / "rows.parquet"
        copied = copy_database(sql, request.shown, request.at, path)
        return (FileLocation(path, request.shown, "parquet", copied=copied),)
    locations = find_files(request)
    if not any(each.is_remote and each.format == "parquet" for each in locations):
        return locations
    folder, copies = make_copies_folder(), []
    for number, each in enumerate(locations):
        path = folder / f"{number}.parquet"
        copy_object(each.path, each.shown, request.at, path)
        copies.append(replace(each, path=path, is_remote=False))
    return tuple(copies)


def read_files(request: TableRequest) -> tuple[ReadFile, ...]:
    """Read all files of a request, unpacked; the limit to that holds for them together."""
    if (sql := request.sql) is not None:
        read = partial(read_database, sql, request.shown, request.at)
        return (read_once((request.shown, sql), read),)
    left = half_memory_bytes() if request.max_unpacked is None else request.max_unpacked
    files: list[ReadFile] = []
    for location in find_files(request):
        files.append(_read_file(location, request, left))
        left -= files[-1].unpacked_bytes
    return tuple(files)


def _read_file(location: FileLocation, request: TableRequest, most: int) -> ReadFile:
    """Read a file, unpack it, find its format by its content, and decode text."""
    data = _read_content(location, request)
    if not data:
        raise DataError(f"{location.shown}: the file is empty")
    digest, kind = sha256(data).hexdigest(), location.format
    is_open = not request.options.format and request.fields not in BY_KEY
    if is_open and is_workbook(data) and not request.fields:
        kind = "workbook"
    if kind == "log" or (request.may_be_logs and is_zipped_log(data)):
        kind, is_open = "log", False
    plain = data if kind in ("workbook", "log") else _unpack(data, location, most)
    if is_open and kind != "workbook":
        kind = _find_kind(plain, kind, request)
    file = ReadFile(
        location.shown,
        kind,
        plain,
        digest,
        len(data),
        most,
        request.options,
        request.fields,
        request.keys_at,
        request.header_at,
        request.header_key,
        unpacked_bytes=0 if plain is data else len(plain),
        partition=location.partition,
    )
    return file if kind in BINARY else decode_text(file)


def _read_content(location: FileLocation, request: TableRequest) -> bytes:
    if location.is_remote:
        return read_object(location.path, location.shown, request.at)
    try:
        with open_regular(location.path) as opened:
            return opened.read()
    except OSError as fault:
        raise DataError(f"{location.shown}: cannot be read: {fault.strerror}") from None


def find_logs(request: TableRequest) -> tuple[LogFile, ...]:
    """Find and read the logs of evaluations that a path, a folder or a glob leads to."""
    if request.path.startswith(BUCKET) or request.sql is not None or request.options.format:
        return ()
    path, logs = Path(request.path), list[LogFile]()
    if path.is_dir():
        shown = format_request_path(request)
        names = [each.relative_to(path) for each in _list_matching_files(path, "**/*", request)]
        own = [name for name in names if _find_suffix(name) in LOGS]
        locations = _locate_named(path, shown, own, request)
    else:
        locations = find_files(request)
    left = half_memory_bytes() if request.max_unpacked is None else request.max_unpacked
    for location in locations:
        if _find_suffix(location.path) not in LOGS:
            continue
        file = _read_file(location, request, left)
        left -= file.unpacked_bytes
        if is_log(file.data, location.path.name):
            logs.append(LogFile(file, location.path))
        elif file.format == "log":
            raise DataError(f"{location.shown}: is not a valid .eval file; copy it again")
    return tuple(logs)


def _find_kind(plain: bytes, kind: Format, request: TableRequest) -> Format:
    """Find the format of unpacked content; where it does not tell, `kind`, that of the name."""
    content = find_format(plain)
    if not request.fields or content in (None, "parquet", "feather"):
        return content or kind
    if kind != "spaced":
        return kind
    return "jsonl" if plain.count(b"\n{") else "nested"


def format_request_path(request: TableRequest) -> str:
    """Format the path of a request as reports print it, independent of where they are made."""
    return request.printed or format_path(request.shown, Path(), Path())


def format_file_name(shown: str, request: TableRequest) -> str:
    """Return the name of a file; one from the environment is followed by its owner."""
    is_named = request.is_hidden and request.purpose
    return f"{shown} ({request.purpose})" if is_named else shown


def _list_path_locations(path: Path, request: TableRequest) -> tuple[FileLocation, ...]:
    shown = format_request_path(request)
    if not path.is_dir():
        return (FileLocation(path, format_file_name(shown, request), _find_format(path, request)),)
    names = [each.relative_to(path) for each in _list_matching_files(path, "**/*", request)]
    return _locate_parts(path, shown, names, request)


def _list_bucket_locations(request: TableRequest) -> tuple[FileLocation, ...]:
    shown = format_request_path(request)
    root, names = find_objects(request.path, shown, request.at)
    if len(names) == 1 and request.path.rstrip("/").endswith(f"/{names[0]}"):
        kind = _find_format(root / names[0], request, is_remote=True)
        return (FileLocation(root / names[0], shown, kind, is_remote=True),)
    parts = _locate_parts(root, shown, names, request, is_remote=True)
    if has_magic(request.path) and request.is_hidden:  # as with local globs
        return tuple(
            replace(each, shown=f"{shown} ({number})") for number, each in enumerate(parts, 1)
        )
    fixed = shown.partition("*")[0].partition("[")[0].rpartition("/")[0]
    folder = fixed if has_magic(request.path) else shown.rstrip("/")
    return tuple(replace(each, shown=f"{folder}/{each.path.relative_to(root)}") for each in parts)


def _locate_parts(
    folder: Path,
    shown: str,
    names: Iterable[PurePath],
    request: TableRequest,
    *,
    is_remote: bool = False,
) -> tuple[FileLocation, ...]:
    """Locate the files of a folder that hold data, which are of one kind."""
    visible = [name for name in names if not any(part[0] in "._" for part in name.parts)]
    parts = _select_parts(visible)
    if not parts:
        raise DataError(
            f"{format_file_name(shown, request)}: is a folder without a file of data; name a "
            "file or a glob"
        )
    if len(kinds := {_find_suffix(name) for name in parts}) > 1:
        raise DataError(
            f"{format_file_name(shown, request)}: is a folder of {' and '.join(sorted(kinds))} "
            "files; name those of one kind by a glob"
        )
    return _locate_named(folder, shown, parts, request, is_remote=is_remote)


def _locate_named(
    folder: Path,
    shown: str,
    parts: Sequence[PurePath],
    request: TableRequest,
    *,
    is_remote: bool = False,
) -> tuple[FileLocation, ...]:
    """Locate some files of a folder, sorted by their path."""
    parts = sorted(parts, key=PurePath.as_posix)
    return tuple(
        FileLocation(
            folder / name,
            decode_name((PurePath(shown) / name).as_posix()),
            _find_format(folder / name, request, is_remote=is_remote),
            partition,
            is_remote,
        )
        for name, partition in zip(parts, find_partitions(parts), strict=True)
    )


def _select_parts(names: Iterable[PurePath]) -> list[PurePath]:
    """Select the files of a folder that hold data: those of Parquet, or else of other formats."""
    kinds = {name: FORMATS.get(_find_suffix(name)) for name in names}
    typed = [name for name, kind in kinds.items() if kind == "parquet"]
    return typed or [name for name, kind in kinds.items() if kind]


def _find_suffix(name: PurePath) -> str:
    """Find the end of a name that says its format, before that of a compression."""
    suffixes = [suffix.lower() for suffix in name.suffixes[-2:]]
    kept = suffixes[:-1] if suffixes and suffixes[-1] in COMPRESSIONS else suffixes
    return kept[-1] if kept else ""


def _list_glob_locations(request: TableRequest) -> tuple[FileLocation, ...]:
    root, printed = Path(_find_fixed_folder(request.path)), format_request_path(request)
    pattern = PurePath(request.path).relative_to(root).as_posix()
    files = _list_matching_files(root, pattern, request)
    if not files:
        raise ConfigError([Problem(f"no file matches {request.shown!r}", request.at)])
    if request.is_hidden:  # a name that the wildcards found may hold what the rest of them hides
        names = [
            format_file_name(f"{printed} ({number})", request)
            for number in range(1, len(files) + 1)
        ]
    else:
        names = [
            (_find_fixed_folder(printed) / path.relative_to(root)).as_posix() for path in files
        ]
    partitions = find_partitions([path.relative_to(root) for path in files])
    return tuple(
        FileLocation(path, decode_name(name), _find_format(path, request), partition)
        for path, name, partition in zip(files, names, partitions, strict=True)
    )


def _list_matching_files(root: Path, pattern: str, request: TableRequest) -> list[Path]:
    try:
        return find_matching_files(root, pattern)
    except FolderEscapeError:
        text = "leaves its folder: '..' may stand only before the first wildcard"
    except TooManyEntries:
        text = (
            f"has more than {MOST_ENTRIES:,} files and folders to search; give a more specific path"
        )
    raise ConfigError([Problem(f"{request.shown!r} {text}", request.at)])


def _find_fixed_folder(pattern: str) -> PurePath:
    """Find the folder before the first part with a wildcard."""
    parts = PurePath(pattern).parts
    fixed = next(i for i, part in enumerate([*parts, "*"]) if has_magic(part))
    return PurePath(*parts[:fixed])


def _find_format(path: Path, request: TableRequest, *, is_remote: bool = False) -> Format:
    """Find the format that the config names; else by the first bytes, then by the name."""
    if request.fields in BY_KEY:
        return BY_KEY[request.fields]
    if request.options.format:
        return CONFIG_FORMATS[request.options.format]
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    head = b"" if is_remote else _read_head(path)
    is_compressed = bool(suffixes) and suffixes[-1] in COMPRESSIONS
    kept = suffixes[:-1] if is_compressed else suffixes
    kind = FORMATS.get(kept[-1]) if kept else "csv"
    if (content := find_format(head)) in ("parquet", "feather"):
        return content
    if request.fields and (kind is None or not kept or kept[-1] in (NESTED, ".txt")):
        # TREC's files have any name, or none after a point
        kind = "nested" if kept and kept[-1] == NESTED else "spaced"
    if kind is None and (find_packing(head) == ".zip" or head.startswith(OLD_WORKBOOK)):
        kind = "csv"  # its content decides, once it is unpacked
    if kind is None or (is_compressed and not READERS[kind].may_be_compressed):
        text = f"cannot tell what {request.shown!r} is; known: {_list_suffixes()}"
        raise ConfigError([Problem(text, request.at)])
    return kind


def _read_head(path: Path) -> bytes:
    """Read the first bytes of a file; none where it cannot be read, which is an error later."""
    try:
        with open_regular(path) as file:
            return file.read(16)
    except OSError:
        return b""


def _list_suffixes() -> str:
    """List the ends of names that say a format, those first that may be compressed."""
    packed, others = (
        ", ".join(
            suffix
            for each in READERS.values()
            if each.may_be_compressed == is_packed
            for suffix in each.suffixes
        )
        for is_packed in (True, False)
    )
    return f"{packed} (each also {', '.join(COMPRESSIONS)}), {others}"


def _unpack(data: bytes, location: FileLocation, most: int) -> bytes:
    suffix = find_packing(data) or location.path.suffix.lower()
    if suffix not in COMPRESSIONS:
        return data
    try:
        return decompress(data, suffix, most)
    except SeveralFiles as fault:
        raise DataError(f"{location.shown}: {fault}") from None
    except TooLarge:
        raise build_too_large_error(location.shown, most) from None
    except BROKEN as fault:
        raise DataError(
            f"{location.shown}: is not a whole {suffix} file ({format_read_error(fault)}); "
            "was it cut off or renamed?"
        ) from None


@record
class OpenedSource:
    """Opened files that a path, folder or glob leads to, and the names of the columns to read.

    `counts` are the rows of each file, where a table has others.
    """

    shown: str
    files: tuple[ReadFile, ...]
    readers: tuple[FileReader, ...]
    wanted: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the first file, which the others must have too."""
        return self.readers[0].names

    @property
    def single(self) -> tuple[str, ...]:
        """The columns whose name no other has."""
        count = Counter(self.names)
        return tuple(name for name, times in count.items() if times == 1)

    @property
    def is_of_logs(self) -> bool:
        """True if the files are logs of evaluations, which say what a score is."""
        return isinstance(self.readers[0], LogReader)

    def rename(self, sources: Mapping[str, str]) -> OpenedSource:
        """Return the source with new names of columns; `sources` maps them to the present ones."""
        return replace(self, readers=tuple(_RenamedReader(each, sources) for each in self.readers))

    def problem_with(self, column: ColumnRequest) -> Problem | None:
        """Return the problem of a column that is not there, and the name that was probably meant.

        A header that looks like data is an error, as it names no column at all.
        """
        if column.name in self.names:
            return None
        self._refuse_data_as_header()
        text = f"{describe_missing_column(self.shown, column)}; {self.hint(column.name)}"
        return Problem(text, column.at)

    def _refuse_data_as_header(self) -> None:
        file = self.files[0]
        number = getattr(self.readers[0], "first_number", "")
        if not number:
            return
        way = "write the names of the columns in a line before it"
        if file.header_at:
            names = [*self.wanted, *(f"column_{k}" for k in range(1, len(self.names) + 1))]
            if file.fields == RUN and len(self.names) == len(TREC) and self.names[1] in ("Q0", "0"):
                names = list(TREC)
            listed = ", ".join(map(format_yaml_value, names[: len(self.names)]))
            way = f"if the file has no header, write `{file.header_key}: [{listed}]`"
            if file.fields == RUN and len(self.names) == 3 and self.names[2].strip().isdigit():
                ranked = ", ".join(RANKED)  # an integer may be a rank or a score
                way = way.replace(" write `", f" write `{file.header_key}: [{ranked}]` or `")
            way += f"{file.header_at}, with the names in the order of the file's columns"
        raise DataError(
            f"{file.shown}: line 1 looks like data, as {quote_value(number)} stands in "
            f"place of a name; {way}"
        )

    def hint(self, name: str) -> str:
        """Say which column was probably meant, or else which there are."""
        return did_you_mean(name, filter(None, self.names))

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileTable:
        """Read some columns of all files; each file must have each of them once."""
        for reader in self.readers:
            check_columns_agree(reader.shown, reader.names, columns, self.readers[0].shown)
        parts = tuple(reader.read(columns, numbers) for reader in self.readers)
        if not any(part.rows for part in parts):
            raise DataError(f"{self.shown}: has no rows, only column names")
        return FileTable(self.shown, parts)

    def inputs(self, role: str, table: FileTable) -> tuple[InputFile, ...]:
        """Return what identifies each file in the report, with its own number of rows."""
        counts = self.counts or tuple(part.rows for part in table.parts)
        return tuple(
            _describe_input(file, role, rows) for file, rows in zip(self.files, counts, strict=True)
        )


def _count_rows(source: OpenedSource, table: FileTable) -> dict[str, Any]:
    """Return the fields of a source, with the rows of each file as they were read."""
    counts = tuple(part.rows for part in table.parts)
    return {each.name: getattr(source, each.name) for each in fields(source)} | {"counts": counts}


def _describe_input(file: ReadFile, role: str, rows: int) -> InputFile:
    about = (file.sha256, rows, file.size_bytes, file.statement, file.connection, file.driver)
    return InputFile(file.shown, role, *about)


@record
class LongSource(OpenedSource):
    """A long table as a wide one: a column for each of its `models`, which `long` names.

    Rows of an id have the same values in `agreeing` columns.
    """

    long: LongRequest | None = None
    agreeing: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    @staticmethod
    def from_source(
        source: OpenedSource, long: LongRequest, columns: Iterable[str]
    ) -> OpenedSource:
        """Return the source as a wide table; as it is if a column of a long one is missing.

        The values of some columns have to agree.
        """
        named = {each.name for each in (long.id, long.model, long.score)}
        if not named <= set(source.names):
            return source
        table = source.read({long.model.name}, set())
        models = tuple(encode_texts(table.texts(long.model.name))[0])
        agreeing = tuple(name for name in columns if name not in named)
        about = _count_rows(source, table)
        return LongSource(**about, long=long, agreeing=agreeing, models=models)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of each id, and those of models that have rows."""
        assert self.long is not None
        of_rows = (self.long.model.name, self.long.score.name)
        kept = [name for name in self.readers[0].names if name not in of_rows]
        return (*kept, *(name for name, own in self.long.models.items() if own in self.models))

    def problem_with(self, column: ColumnRequest) -> Problem | None:
        """Return the problem of a model without rows, or of a column that is not there."""
        assert self.long is not None
        if column.name in self.names or column.name not in self.long.models:
            return super().problem_with(column)
        where = f"{self.shown}: column {quote(self.long.model.name)} has no row of model"
        hint = did_you_mean(column.name, self.models)
        return Problem(f"{where} {quote(column.name)}; {hint}", column.at)

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileTable:
        """Read some columns of all files, and bring them into a row for each id."""
        assert self.long is not None
        long, models = self.long, columns & self.long.models.keys()
        own = (long.id.name, long.model.name, long.score.name)
        scores = set() if long.is_text else {long.score.name}
        table = super().read({*(columns - models), *own}, {*(numbers - models), *scores})
        return widen_table(table, long, sorted(models), sorted(columns & set(self.agreeing)))


SAMPLE = "sample"


@record
class ItemSource(OpenedSource):
    """A table of answers as one of items: columns of each model's scores, which `items` names.

    Rows of an item have the same values in `agreeing` columns.
    """

    items: ItemsRequest | None = None
    models: tuple[str, ...] = ()

    @staticmethod
    def from_source(source: OpenedSource, items: ItemsRequest) -> OpenedSource:
        """Return the source as a table of items; refuse it without the columns that name these."""
        if items.sample is None and SAMPLE in source.names:
            items = replace(items, sample=ColumnRequest(SAMPLE))
        problems = [source.problem_with(column) for column in items.columns]
        if any(problems):
            raise ConfigError(list(dict.fromkeys(each for each in problems if each is not None)))
        table = source.read({items.model.name}, set())
        models = tuple(encode_texts(table.texts(items.model.name))[0])
        return ItemSource(**_count_rows(source, table), items=items, models=models)

    @property
    def own(self) -> Mapping[str, str]:
        """The names of models in the config, by the names of their columns."""
        assert self.items is not None
        parts = self.items.parts.values()
        return {name_item_column(m, *part): m for m in self.items.models for part in parts}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of each item, and those of models that have rows."""
        assert self.items is not None
        read = {each.name for each in self.items.columns} - {self.items.id.name}
        kept = [name for name in self.readers[0].names if name not in read]
        models = self.items.models
        return (*kept, *(name for name, m in self.own.items() if models[m] in self.models))

    def hint(self, name: str) -> str:
        """Say which column of the file was probably meant, or else which there are."""
        return did_you_mean(name, filter(None, self.readers[0].names))

    def problem_with(self, column: ColumnRequest) -> Problem | None:
        """Return the problem of a model without rows, or of a column that is not there."""
        assert self.items is not None
        owner = self.own.get(column.name)
        if owner is None or column.name in self.names:
            return super().problem_with(column)
        value = self.items.models[owner]
        where = f"{self.shown}: column {quote(self.items.model.name)} has no row of model"
        return Problem(f"{where} {quote(value)}; {did_you_mean(value, self.models)}", column.at)

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileTable:
        """Read some columns of all files, and bring them into a row for each item."""
        assert self.items is not None
        items, own = self.items, self.own
        scores = {score.column.name for score in items.scores.values()}
        scores |= {items.human.column.name} if items.human else set()
        read = {each.name for each in items.columns}
        kept = columns - own.keys()
        table = super().read(kept | read, (numbers - own.keys()) | scores)
        agreeing = sorted(kept & {*self.wanted} - {items.id.name})
        return widen_items(table, items, [*items.models], agreeing)


def describe_missing_column(shown: str, column: ColumnRequest) -> str:
    """Describe a missing column, by its pattern if its name contains a hidden value."""
    if column.pattern and are_values_hidden():
        return f"{shown} has no column {quote(column.pattern)} for one of the classes"
    return f"{shown} has no column {quote(column.name)}"


def check_columns_agree(
    shown: str, names: Sequence[str], columns: AbstractSet[str], first: str
) -> None:
    """Check that a file has each of the columns once, as the first file has."""
    for name in sorted(columns):
        places = [str(place) for place, own in enumerate(names, 1) if own == name]
        if not places:
            raise DataError(f"{shown}: has no column {quote(name)}, unlike {first}")
        if len(places) > 1:
            raise DataError(
                f"{shown}: {len(places)} columns are called {name!r}, so it is not clear which is "
                f"meant: columns {', '.join(places[:-1])} and {places[-1]}; rename all but one in "
                "the file"
            )


def _open_reader(file: ReadFile) -> FileReader:
    is_list = file.fields in TRIPLES and file.format in ("csv", "tsv", "spaced")
    reader = read_list(file) if is_list else READERS[file.format].reader(file)
    return PartitionReader(reader, file.partition) if file.partition else reader


class _RenamedReader:
    """A file whose columns go by the names that may be printed: `sources` has the file's own."""

    def __init__(self, reader: FileReader, sources: Mapping[str, str]) -> None:
        printed: dict[str, list[str]] = {}
        for name, source in sources.items():
            printed.setdefault(source, []).append(name)
        self.shown, self._reader, self._sources = reader.shown, reader, sources
        self.names = tuple(name for own in reader.names for name in printed.get(own, [own]))
        self.first_number = getattr(reader, "first_number", "")

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns; one that is read as text under any name is not read as floats."""
        texts = {self._sources.get(name, name) for name in columns - numbers}
        sources = {name: self._sources.get(name, name) for name in columns}
        part = self._reader.read({*sources.values()}, {sources[n] for n in numbers} - texts)
        return replace(part, columns={name: part.columns[own] for name, own in sources.items()})


def open_source(request: TableRequest, sources: Mapping[str, str] | None = None) -> OpenedSource:
    """Open all files of a request; `sources` maps the columns to read to their names there.

    Columns that the config names, for a file without a header, have the names that may be printed.
    """
    logs = find_logs(request) if request.may_be_logs else ()
    files = tuple(log.file for log in logs) or read_files(request)
    given, long = request.options.columns, request.long
    items = request.items
    if items is not None:
        models = {name_item_column(m, *p) for m in items.models for p in items.parts.values()}
        read = {c.name: c.source or c.name for c in items.columns}
        sources = {k: v for k, v in (sources or {}).items() if k not in models} | read
    if long is not None:
        own = {c.name: c.source or c.name for c in (long.id, long.model, long.score)}
        sources = {k: v for k, v in (sources or {}).items() if k not in long.models} | own
    sources = {name: name if name in given else own for name, own in (sources or {}).items()}
    shown = (
        files[0].shown
        if len(files) == 1
        else format_file_name(format_request_path(request), request)
    )
    readers: tuple[FileReader, ...] = open_logs(logs) if logs else tuple(map(_open_reader, files))
    if any(name != own for name, own in sources.items()):
        readers = tuple(_RenamedReader(reader, sources) for reader in readers)
    opened = OpenedSource(shown, files, readers, tuple(sources))
    if items is not None:
        return ItemSource.from_source(opened, items)
    return opened if long is None else LongSource.from_source(opened, long, sources)
