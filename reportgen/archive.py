"""results.json: the numbers as a file, written first and enough to make every other output.

The file has a version and a JSON Schema. Keys are sorted where order has no meaning, numbers are
as rounded on entering the results, and what does not exist is null.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from reportgen.errors import DataError
from reportgen.output.marker import stands
from reportgen.paths import open_regular
from reportgen.results import SCHEMA_VERSION, Results
from reportgen.text import foreign, in_json


def to_json(results: Results) -> bytes:
    """The file's bytes: UTF-8, one value a line, a newline at the end."""
    plain = {"schema_version": results.schema_version, **_fields(results)}
    text = json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False, default=_fields)
    return (in_json(text) + "\n").encode()


def read(path: Path) -> Results:
    """Results from a file that `run` wrote; a DataError says what is wrong with any other."""
    if stands(path.parent):
        raise DataError(
            f"{path}: may belong to another report than the files beside it, since a run was "
            "stopped while it replaced them; run the config again"
        )
    try:
        plain = json.loads(_content(path), parse_constant=_refused)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise DataError(f"{path}: is nested too deeply; give a results.json made by run") from None
    except ValueError as error:
        raise DataError(
            f"{path}: is not JSON: {foreign(error)}; give a results.json made by run"
        ) from None
    version = plain.get("schema_version") if isinstance(plain, dict) else None
    if version != SCHEMA_VERSION:
        raise DataError(
            f"{path}: has schema_version {version!r}, this reportgen reads {SCHEMA_VERSION}; "
            f"{_maker(plain)}{_way_out(version)}"
        )
    try:
        return _adapter().validate_python(plain)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(
            f"{path}: {place}: {foreign(first['msg'])}; {_maker(plain)}run the config again"
        ) from None


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read()


def unreadable(path: Path, results: Results, error: Exception) -> DataError:
    """What to tell of a file that was read, and lacks what this version's report is made of."""
    lack = f"has no {foreign(error)}" if isinstance(error, KeyError) else foreign(error)
    maker = _maker({"provenance": results.provenance})
    return DataError(f"{path}: {lack}; {maker}run the config again")


def json_schema() -> dict[str, Any]:
    """The JSON Schema of results.json."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:reportgen:results:{SCHEMA_VERSION}",
        **_adapter().json_schema(),
    }


def _maker(plain: object) -> str:
    """Which version wrote the file, where it says so."""
    found = plain
    for key in ("provenance", "versions", "reportgen"):
        found = found.get(key) if isinstance(found, dict) else None
    return f"it was made by reportgen {found}, which this one cannot read; " if found else ""


def _way_out(version: object) -> str:
    is_newer = isinstance(version, int) and version > SCHEMA_VERSION
    return "use a newer reportgen" if is_newer else "run the config again"


def _fields(part: object) -> dict[str, Any]:
    """A part of the results by its fields; `asdict` would copy every number first."""
    if not is_dataclass(part):
        raise TypeError(f"{part!r} has no place in results.json")
    return {field.name: getattr(part, field.name) for field in fields(part)}


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _adapter() -> TypeAdapter[Results]:
    return TypeAdapter(Results)
