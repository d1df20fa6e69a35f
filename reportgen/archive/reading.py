"""Results from a file, also from one that another version of this program wrote.

A file of an earlier major version is brought up step by step (`upgrades`). Of a later minor
version what is unknown is passed over. A number that is missing reads as null, a word that is
unknown stays as it stands, and a table that still cannot be read is left out; each is told. What
a report cannot be made without is asked for, and a later major version is refused.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

from reportgen.archive.upgrades import upgraded
from reportgen.errors import DataError
from reportgen.output.marker import stands
from reportgen.paths import open_regular
from reportgen.results import SCHEMA_MINOR, SCHEMA_VERSION, Results
from reportgen.text import foreign

_OPTIONAL = {
    field.name
    for field in fields(Results)
    if field.default is not MISSING or field.default_factory is not MISSING
}


@dataclass(frozen=True)
class Reading:
    """Results that were read, and what of their file is not as this version writes it."""

    results: Results
    notes: tuple[str, ...] = ()


def read(path: Path) -> Results:
    """Results from a file that `run` wrote; a DataError says what is wrong with any other."""
    return reading(path).results


def reading(path: Path) -> Reading:
    """The same, with what to say of a file that another version wrote."""
    if stands(path.parent):
        raise DataError(
            f"{path}: may belong to another report than the files beside it, since a run was "
            "stopped while it replaced them; run the config again"
        )
    plain = _parsed(path)
    version = plain.get("schema_version") if isinstance(plain, dict) else None
    if version not in range(1, SCHEMA_VERSION + 1):
        raise DataError(
            f"{path}: has schema_version {version!r}, this reportgen reads 1 to {SCHEMA_VERSION}; "
            f"{_maker(plain)}{_way_out(version)}"
        )
    try:
        plain, notes = upgraded(plain)
        minor = plain.get("schema_minor", 0)
        if isinstance(minor, int) and minor > SCHEMA_MINOR:
            notes = (*notes, f"what schema {SCHEMA_VERSION}.{minor} added is not shown; this "
                     f"reportgen knows {SCHEMA_VERSION}.{SCHEMA_MINOR}")  # fmt: skip
        results, lacks = _tolerant(plain)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(
            f"{path}: {place}: {foreign(first['msg'])}; {_maker(plain)}run the config again"
        ) from None
    current = replace(results, schema_version=SCHEMA_VERSION, schema_minor=SCHEMA_MINOR)
    return Reading(current, (*notes, *lacks))


def unreadable(path: Path, results: Results, error: Exception) -> DataError:
    """What to tell of a file that was read, and lacks what this version's report is made of."""
    lack = f"has no {foreign(error)}" if isinstance(error, KeyError) else foreign(error)
    maker = _maker({"provenance": results.provenance})
    return DataError(f"{path}: {lack}; {maker}run the config again")


@cache
def adapter() -> TypeAdapter[Results]:
    """What results.json is held against."""
    return TypeAdapter(Results)


def _parsed(path: Path) -> Any:
    try:
        return json.loads(_content(path), parse_constant=_refused)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise DataError(f"{path}: is nested too deeply; give a results.json made by run") from None
    except ValueError as error:
        raise DataError(
            f"{path}: is not JSON: {foreign(error)}; give a results.json made by run"
        ) from None


def _tolerant(plain: dict[str, Any]) -> tuple[Results, tuple[str, ...]]:
    """The results, with what they lack; a ValidationError for what no report can do without."""
    strict = adapter()
    try:
        return strict.validate_python(plain), ()
    except ValidationError as error:
        wrong = error.errors()
    notes = tuple(dict.fromkeys(
        text for each in wrong if (text := _note(each["type"], each["loc"], each.get("input")))
    ))  # fmt: skip
    lenient, left = _lenient(), dict(plain)
    while True:
        try:
            return lenient.validate_python(left), notes
        except ValidationError as error:
            part, lacking = _part(error.errors()[0]["loc"])
            kept = _without(left, part)
            if kept is None:
                raise
            left = kept
            notes = (*(n for n in notes if not n.startswith(f"{part}.")), lacking)


@cache
def _lenient() -> SchemaValidator:
    """What a file of another version is held against."""
    return SchemaValidator(_opened(adapter().core_schema))


def _note(kind: str, loc: tuple[int | str, ...], given: object) -> str:
    """What to say of one thing that is not as this version writes it."""
    place = ".".join(part for part in loc if isinstance(part, str))
    if kind == "missing":
        return f"{place}: not in this file"
    return f"{place}: {foreign(given)!r} is unknown here" if kind == "literal_error" else ""


def _part(loc: tuple[int | str, ...]) -> tuple[str, str]:
    """The part of the results that a place lies in, and what to say where it is left out."""
    names = [part for part in loc if isinstance(part, str)]
    part = ".".join(names[: 2 if names[:1] == ["sensitivity"] else 1])
    return part, f"{part}: cannot be read here, and is left out"


def _without(plain: dict[str, Any], part: str) -> dict[str, Any] | None:
    """The results without a part that has an empty default; None where it has none."""
    outer, _, inner = part.partition(".")
    if outer not in _OPTIONAL or outer not in plain:
        return None
    if not inner or not isinstance(plain[outer], dict):
        return {name: value for name, value in plain.items() if name != outer}
    kept = {name: value for name, value in plain[outer].items() if name != inner}
    return {**plain, outer: kept} if len(kept) < len(plain[outer]) else None


def _opened(schema: Any) -> Any:
    """A schema that takes any word where a list of words is closed, and lacks of what may be null.

    What may be null is null where it is missing.
    """
    if isinstance(schema, list | tuple):
        return type(schema)(_opened(each) for each in schema)
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "literal" and all(isinstance(w, str) for w in schema["expected"]):
        return {"type": "str"}
    opened = {key: _opened(value) for key, value in schema.items()}
    inner = opened.get("schema")
    may_be_null = isinstance(inner, dict) and inner.get("type") == "nullable"
    if opened.get("type") == "dataclass-field" and may_be_null:
        opened["schema"] = {"type": "default", "schema": inner, "default": None}
    return opened


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read()


def _maker(plain: object) -> str:
    """Which version wrote the file, where it says so."""
    found = plain
    for key in ("provenance", "versions", "reportgen"):
        found = found.get(key) if isinstance(found, dict) else None
    return f"it was made by reportgen {found}, which this one cannot read; " if found else ""


def _way_out(version: object) -> str:
    is_newer = isinstance(version, int) and version > SCHEMA_VERSION
    return "use a newer reportgen" if is_newer else "run the config again"


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no number")
