"""Files of earlier major versions, brought up to this one: one step a version, kept for good.

A step is a pure function of what the file holds. It moves what has another place, and takes
away what this version has no place for, which is told.

    1 -> 2  tables of English columns became rows of one class each
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Plain = dict[str, Any]
_Row = dict[str, Any]


def upgraded(plain: Plain) -> tuple[Plain, tuple[str, ...]]:
    """The file's content as the current major version has it, and what is left out of it."""
    notes: tuple[str, ...] = ()
    while (step := STEPS.get(plain["schema_version"])) is not None:
        plain, said = step(plain)
        notes = (*notes, *said)
    return plain, notes


def _from_1_to_2(plain: Plain) -> tuple[Plain, tuple[str, ...]]:
    found: dict[str, list[_Row]] = {}
    left: list[str] = []
    for table in _tables(plain):
        name, convert = _MOVED.get(str(table.get("name")), ("", None))
        if convert is None:
            left.append(str(table.get("name")))
        else:
            found.setdefault(name, []).extend(convert(table))
    kept = {key: value for key, value in plain.items() if key != "tables"}
    names = ", ".join(dict.fromkeys(left))
    notes = (f"tables of version 1 that are not shown: {names}",) if left else ()
    return {**kept, "schema_version": 2, "sensitivity": found}, notes


STEPS: Mapping[int, Callable[[Plain], tuple[Plain, tuple[str, ...]]]] = {1: _from_1_to_2}


def _tables(plain: Plain) -> Iterator[Plain]:
    listed = plain.get("tables")
    yield from (each for each in listed if isinstance(each, dict)) if listed else ()


def _rows(table: Plain) -> Iterator[_Row]:
    """The rows of a table of version 1 by the names of its columns."""
    for row in table.get("rows") or ():
        yield dict(zip(table.get("columns") or (), row, strict=False))


def _picked(table: Plain, names: Mapping[str, str]) -> Iterator[_Row]:
    """Rows under other names; a column that is not there is left out, not null."""
    for row in _rows(table):
        yield {"dataset": table.get("dataset")} | {
            new: row[old] for new, old in names.items() if old in row
        }


def _ranks(table: Plain) -> Iterator[_Row]:
    places = [name for name in table.get("columns") or () if name.startswith("place ")]
    for row, raw in zip(_picked(table, {"key": "metric", "model": "model"}), _rows(table),
                        strict=True):  # fmt: skip
        shares = [raw.get(name) for name in places]
        yield {**row, "shares": [share for share in shares if share is not None]}


def _from_best(table: Plain) -> Iterator[_Row]:
    same = ("best", "model", "difference", "low", "high", "level")
    names = {"key": "metric", **{name: name for name in same}, "is_distinguishable": "is separated"}
    return _picked(table, names)


def _influence(table: Plain) -> Iterator[_Row]:
    known = ("metric", "model", "value", "without it", "change", "tried", "row")
    names = {"key": "metric", "model": "model", "value": "value", "without": "without it",
             "change": "change", "search": "tried"}  # fmt: skip
    for row, raw in zip(_picked(table, names), _rows(table), strict=True):
        shown = {name: value for name, value in raw.items() if name not in known}
        yield {**row, **({"row": {"id": raw["row"], "shown": shown}} if "row" in raw else {})}


def _tails(table: Plain) -> Iterator[_Row]:
    return _picked(table, {
        "model": "model", "rows": "rows", "absolute_error": "share of absolute error",
        "squared_error": "share of squared error",
    })  # fmt: skip


def _deletions(table: Plain) -> Iterator[_Row]:
    params, units = table.get("params") or {}, list(table.get("units") or ())
    names = {
        **{name: name for name in ("candidate", "baseline", "difference", "low", "high")},
        "rows": "rows removed", "in_favour_of": "in favour of", "verdict": "verdict",
        "verdict_before": "verdict before", "is_changed": "verdict changes",
        "is_stronger": "verdict is stronger", "is_turned": "favour changes",
        "is_lost": "favour lost",
    }  # fmt: skip
    sets = [{k: v for k, v in row.items() if k != "dataset"} for row in _picked(table, names)]
    for row, raw in zip(sets, _rows(table), strict=True):
        if raw.get("ids"):
            row["ids"] = str(raw["ids"]).removesuffix(", …").split(", ")
    yield {
        "dataset": table.get("dataset"), "key": params.get("metric"),
        "unit": units[4] if len(units) > 4 else "", "search": params.get("search"),
        "pairs": params.get("pairs"), "searched": params.get("searched"), "sets": sets,
    }  # fmt: skip


def _bucket_counts(table: Plain) -> Iterator[_Row]:
    same = ("baseline", "buckets", "value", "low", "high")
    return _picked(table, {"key": "metric", "model": "candidate", **{name: name for name in same}})


_MOVED: Mapping[str, tuple[str, Callable[[Plain], Iterator[_Row]]]] = {
    "rank_probabilities": ("ranks", _ranks),
    "separation": ("from_best", _from_best),
    "influence": ("influence", _influence),
    "tails": ("tails", _tails),
    "removal": ("deletions", _deletions),
    "bucket_counts": ("bucket_counts", _bucket_counts),
}
