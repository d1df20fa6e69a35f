"""results.json: the numbers as a file, written first and enough to make every other output.

The file has a version and a JSON Schema. Keys are sorted where order has no meaning, numbers are
as rounded on entering the results, and what does not exist is null. Writing is strict, reading
is not (`reading`): a file of any earlier version is read, and so is one of a later minor version.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any

from reportgen.archive.reading import Reading, adapter, read, reading, unreadable
from reportgen.results import SCHEMA_MINOR, SCHEMA_VERSION, Results
from reportgen.text import in_json

__all__ = ["Reading", "json_schema", "read", "reading", "to_json", "unreadable"]


def to_json(results: Results) -> bytes:
    """The file's bytes: UTF-8, one value a line, a newline at the end."""
    version = {"schema_version": SCHEMA_VERSION, "schema_minor": SCHEMA_MINOR}
    plain = {**version, **_fields(results), **version}
    text = json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False, default=_fields)
    return (in_json(text) + "\n").encode()


def json_schema() -> dict[str, Any]:
    """The JSON Schema of results.json."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:reportgen:results:{SCHEMA_VERSION}",
        **adapter().json_schema(),
    }


def _fields(part: object) -> dict[str, Any]:
    """A part of the results by its fields; `asdict` would copy every number first."""
    if not is_dataclass(part):
        raise TypeError(f"{part!r} has no place in results.json")
    return {field.name: getattr(part, field.name) for field in fields(part)}
