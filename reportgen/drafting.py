"""The first config of a data file: looked at, guessed, written beside the schema it names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from reportgen.catalogue import config_schema, vocabulary
from reportgen.config import (
    EACH,
    SCHEMA_LINE,
    SCHEMA_NAME,
    Guess,
    GuessedColumn,
    Named,
    guess,
    init_config,
    with_sums,
)
from reportgen.data.peek import farthest_from_one, peek
from reportgen.drafting_lists import drafted_documents, drafted_lists, is_lists
from reportgen.drafting_tables import table_of_documents
from reportgen.errors import UsageError


def drafted(scores: Path, named: Named, out: Path | None) -> tuple[str, tuple[str, ...]]:
    """The text of a config, to be written to `out`, and what is to be said of it."""
    if is_lists(scores):
        return drafted_lists(scores, named, out)
    if documents := table_of_documents(scores, named):
        return drafted_documents(scores, documents, named, out)
    columns = [GuessedColumn(**asdict(seen)) for seen in peek(str(scores))]
    found = guess(columns, named)
    if found.has_classes:
        found = with_sums(found, farthest_from_one(str(scores), _columns_of(found, columns)))
    shown = os.path.relpath(scores, out.parent if out else None)
    return init_config(found, shown, vocabulary()), found.said


def _columns_of(found: Guess, columns: Sequence[GuessedColumn]) -> dict[str, list[str]]:
    """The columns of each model that has one for each class."""
    values = next(each.values for each in columns if each.name == found.target)
    return {
        name: [pattern.replace(EACH, value) for value in values]
        for name, pattern in found.models.items()
        if EACH in pattern
    }


def put(text: str, out: Path) -> tuple[Path, ...]:
    """Write a config, and the schema that it points an editor to; the files that were made.

    A schema that is there already stays: it may be of another version, for other configs.
    """
    _write(SCHEMA_LINE + text, out)
    schema = out.with_name(SCHEMA_NAME)
    if schema.exists():
        return (out,)
    _write(config_schema(), schema)
    return out, schema


def _write(text: str, path: Path) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path}: exists already; choose another --out") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{path}: cannot be written: {why}") from None
