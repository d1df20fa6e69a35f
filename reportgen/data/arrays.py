"""Columns of arrays, lists and frames of any library, and the table that they are written to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import ipc

from reportgen.errors import DataError, UsageError
from reportgen.kernels.batch import Vector
from reportgen.text import format_read_error

MOST_NUMBERS = 12
"""Different numbers of a segment column that are segments by themselves."""


@dataclass
class TableColumns:
    """Columns of the table that is written, each with what messages call it.

    The first column sets the number of rows and, if it has one, the index that others must share.
    `rows` (m,) are the rows of the arguments that the table has, as after splits; None for all.
    """

    rows: np.ndarray | None = None
    values: dict[str, Any] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    _first: tuple[str, Any, int] | None = None

    def add(
        self, name: str, values: Any, column: str, *, given: Any = None, is_of_rows: bool = True
    ) -> str:
        """Add a column under its own name, which no other may have.

        `given` is what the values were converted from, if they were. `is_of_rows` says that there
        is a value for each row of the arguments; else there is one for each row of the table.
        """
        if column in self.names:
            raise UsageError(
                f"{name} and {self.names[column]} would both be the column {column!r}; rename one"
            )
        array = convert_to_arrow(values, name)
        if is_of_rows:
            self._check_rows(name, values if given is None else given, array)
            array = array if self.rows is None else array.take(pa.array(self.rows))
        self.values[column], self.names[column] = array, name
        return column

    def _check_rows(self, name: str, values: Any, array: Any) -> None:
        if self._first is None:
            self._first = name, values, len(array)
        first_name, first, count = self._first
        if len(array) != count:
            raise DataError(
                f"{name} has {len(array):,} rows, but {first_name} has {count:,}; give every "
                "column the same rows"
            )
        _refuse_other_index(first, values, first_name, name)

    def write(self, path: Path) -> None:
        """Write the table, as Parquet or Feather by the name of the file."""
        table = pa.table({name: _convert_text_views(each) for name, each in self.values.items()})
        if path.suffix == ".parquet":
            from pyarrow import parquet  # here, since it loads pandas

            parquet.write_table(table, path)
        else:
            with pa.OSFile(str(path), "wb") as sink, ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)


def list_frame_columns(frame: Any, name: str) -> dict[str, Any]:
    """Return the columns of a frame or map by name; a named Series is a frame of one column."""
    if isinstance(frame, Mapping):
        return {str(key): column for key, column in frame.items()}
    if isinstance(frame, pa.Table):
        _refuse_twice(frame.column_names, name)
        return dict(zip(frame.column_names, frame.columns, strict=True))
    if hasattr(frame, "collect"):  # a lazy frame
        frame = nw.from_native(frame).collect().to_native()
    if hasattr(frame, "columns"):
        _refuse_twice([str(key) for key in frame.columns], name)
        return {str(key): frame[key] for key in frame.columns}
    own = getattr(frame, "name", None)
    if own:
        return {str(own): frame}
    raise DataError(f"{name} is {describe_shape(frame)}; give a map or a frame of named columns")


def _refuse_twice(names: Sequence[str], frame: str) -> None:
    """Refuse several columns of one name, which cannot be distinguished."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{frame} has {names.count(twice)} columns {twice!r}; rename all but one")


def is_frame(value: Any) -> bool:
    """Return whether a value is a frame of named columns."""
    return not isinstance(value, Mapping) and hasattr(value, "columns")


def convert_to_arrow(values: Any, name: str) -> Any:
    """Convert a column to Arrow, null where pandas and NumPy have missing values."""
    if isinstance(values, pa.ChunkedArray):
        return values.combine_chunks()
    if isinstance(values, pa.Array):
        return values
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1:] == (1,):
        values = values[:, 0]
    if getattr(values, "ndim", 1) != 1 or isinstance(values, str | bytes | Mapping):
        raise DataError(f"{name} is {describe_shape(values)}; give one value a row")
    try:
        given = nw.from_native(values, pass_through=True, allow_series=True)
        if isinstance(given, nw.Series):
            array = given.to_arrow()
            return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        return _null_missing(_convert_array(values))
    except (pa.ArrowException, TypeError, ValueError) as fault:
        why = format_read_error(fault).rstrip(".")
        raise DataError(f"{name} cannot be read as a column: {why}") from None


def _convert_array(values: Any) -> Any:
    """Convert an array or list; numbers without `pa.array`, which loads pandas."""
    if not isinstance(values, np.ndarray):
        values = values if hasattr(values, "__len__") else list(values)
        is_plain = isinstance(values, range) or all(type(each) in (int, float) for each in values)
        if not is_plain:
            return pa.array(values)
        values = np.asarray(values)
    kinds = {np.dtype(np.float64): pa.float64(), np.dtype(np.int64): pa.int64()}
    if values.dtype not in kinds or not len(values):
        return pa.array(values)
    buffer = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(kinds[values.dtype], len(values), [None, buffer])


def _null_missing(array: Any) -> Any:
    if not pa.types.is_floating(array.type):
        return array
    return pc.if_else(pc.is_nan(array), pa.nulls(len(array), array.type), array)


def convert_to_numbers(values: Any, name: str) -> Vector:
    """Convert a column of numbers to an array, nan where a value is missing."""
    array = convert_to_arrow(values, name)
    if not (pa.types.is_floating(array.type) or pa.types.is_integer(array.type)):
        raise DataError(f"{name} is {describe_shape(values)} that holds no numbers and no classes")
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype=np.float64)


def list_values(array: Any) -> list[Any]:
    """List the different values of a column, without missing ones, sorted where they can be."""
    values = pc.unique(array.dictionary_decode() if pa.types.is_dictionary(array.type) else array)
    known = [each for each in values.to_pylist() if each is not None and each == each]
    try:
        return sorted(known)
    except TypeError:
        return known


def name_value(value: Any) -> str:
    """Name a class as text: whole numbers without decimals, true and false as 1 and 0.

    >>> name_value(3.0), name_value(np.True_), name_value("a b")
    ('3', '1', 'a b')
    """
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, float | np.floating) and np.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def name_values(array: Any) -> Any:
    """Convert a column of classes to their names."""
    plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    return pa.array(
        [None if v is None or v != v else name_value(v) for v in plain.to_pylist()], pa.string()
    )


def prepare_segments(values: Any, name: str) -> Any:
    """Convert a segment column; a few different numbers become the names of segments."""
    if hasattr(getattr(values, "dtype", None), "categories"):  # of pandas, such as intervals
        values = [None if each != each else str(each) for each in values]
    array = convert_to_arrow(values, name)
    is_fraction = pa.types.is_floating(array.type)
    if is_fraction and len(known := list_values(array)) <= MOST_NUMBERS:
        names = {value: f"{value:.15g}" for value in known}
        return pa.array([names.get(value) for value in array.to_pylist()], pa.string())
    return array


def find_backend(values: Any) -> str:
    """Find the library that a column or frame is of; pandas for arrays and lists."""
    given = nw.from_native(values, pass_through=True, allow_series=True)
    is_known = isinstance(given, nw.Series | nw.DataFrame | nw.LazyFrame)
    return str(given.implementation) if is_known else "pandas"


def _convert_text_views(array: Any) -> Any:
    """Text as files have it: polars hands it over in a layout that Feather files had not always."""
    if pa.types.is_string_view(array.type):
        return pa.array(array.to_pylist(), pa.large_string())
    return array


def _refuse_other_index(first: Any, other: Any, name: str, other_name: str) -> None:
    """Rows that an index names are not put side by side under other names."""
    indexes = [index for index in _iter_indexes(first, other) if hasattr(index, "equals")]
    if len(indexes) == 2 and not indexes[0].equals(indexes[1]):
        raise DataError(
            f"{other_name} has another index than {name}; align them first, as with "
            ".reindex(y.index), or give arrays to go by position"
        )


def _iter_indexes(*columns: Any) -> Iterator[Any]:
    for column in columns:
        index = getattr(column, "index", None)
        if index is not None and not callable(index):
            yield index


def describe_shape(value: Any) -> str:
    """Describe an argument by its type and shape."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    shape = getattr(value, "shape", None)
    return f"a {type(value).__name__}" + (f" of shape {shape}" if shape else "")


def list_matrix_columns(values: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the columns of a matrix (n, k) under k names."""
    matrix = np.asarray(values)
    return {name: matrix[:, place] for place, name in enumerate(names)}
