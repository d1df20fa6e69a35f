"""Write arrays and data frames of a notebook to a table on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import feather

from reportgen.errors import DataError
from reportgen.text import format_read_error


def write_columns(columns: Mapping[str, Any], path: Path, names: Mapping[str, str]) -> None:
    """Write columns of one length as a Feather file.

    `names` says what each column is called where it is at fault, such as `scores['boost']`; the
    first column sets the length and, if it has one, the index that the others must share.
    """
    arrays = {key: _convert_to_arrow(values, names[key]) for key, values in columns.items()}
    first = next(iter(columns))
    for key, array in arrays.items():
        if len(array) != len(arrays[first]):
            raise DataError(
                f"{names[key]} has {len(array):,} values where {names[first]} has "
                f"{len(arrays[first]):,}; give every column the same rows"
            )
        _refuse_other_index(columns[first], columns[key], names[first], names[key])
    feather.write_feather(pa.table(arrays), path, compression="uncompressed")


def list_frame_columns(frame: Any, name: str) -> dict[str, Any]:
    """Return the columns of a frame or map by name; a named Series is a frame of one column."""
    if isinstance(frame, Mapping):
        return {str(key): column for key, column in frame.items()}
    if isinstance(frame, pa.Table):
        _refuse_twice(frame.column_names, name)
        return dict(zip(frame.column_names, frame.columns, strict=True))
    if hasattr(frame, "columns"):
        _refuse_twice([str(key) for key in frame.columns], name)
        return {str(key): frame[key] for key in frame.columns}
    own = getattr(frame, "name", None)
    if own:
        return {str(own): frame}
    raise DataError(f"{name} is {_describe_shape(frame)}; give a map or a frame of named columns")


def _refuse_twice(names: Sequence[str], frame: str) -> None:
    """Columns of one name cannot be distinguished."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{frame} has {names.count(twice)} columns {twice!r}; rename all but one")


def _convert_to_arrow(values: Any, name: str) -> Any:
    """One column as Arrow has it, null where pandas and numpy say missing."""
    if getattr(values, "ndim", 1) != 1 or isinstance(values, str | bytes | Mapping):
        raise DataError(f"{name} is {_describe_shape(values)}; give one value a row")
    try:
        if hasattr(values, "__arrow_c_stream__"):
            return _convert_text_views(pa.chunked_array(values).combine_chunks())
        if isinstance(values, pa.Array | pa.ChunkedArray):
            return values
        return pa.array(values if hasattr(values, "__len__") else list(values), from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError) as fault:
        why = format_read_error(fault).rstrip(".")
        raise DataError(f"{name} cannot be read as a column: {why}") from None


def _convert_text_views(array: Any) -> Any:
    """Text as files have it: polars hands it over in a layout that Feather files had not always."""
    if pa.types.is_string_view(array.type):
        return pa.array(array.to_pylist(), pa.large_string())
    return array


def _refuse_other_index(first: Any, other: Any, name: str, other_name: str) -> None:
    """Rows that an index names are not put side by side under other names."""
    indexes = [index for index in _indexes(first, other) if hasattr(index, "equals")]
    if len(indexes) == 2 and not indexes[0].equals(indexes[1]):
        raise DataError(
            f"{other_name} has another index than {name}; align them first, as with "
            ".reindex(y.index), or give arrays to go by position"
        )


def _indexes(*columns: Any) -> Iterator[Any]:
    for column in columns:
        index = getattr(column, "index", None)
        if index is not None and not callable(index):
            yield index


def _describe_shape(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    shape = getattr(value, "shape", None)
    return f"a {type(value).__name__}" + (f" of shape {shape}" if shape else "")
