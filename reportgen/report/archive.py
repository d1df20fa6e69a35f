"""results.json: write the results, and read those of any version."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from hashlib import sha256
from math import inf, isfinite
from pathlib import Path
from typing import Any, NoReturn

from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

from reportgen.errors import DataError, ReportgenError
from reportgen.paths import open_regular
from reportgen.records import record
from reportgen.report.conclusion import add_conclusion
from reportgen.report.publish.marker import is_marked
from reportgen.results import Results
from reportgen.results.core import SCHEMA_MINOR, SCHEMA_VERSION
from reportgen.results.recommendation import settle_question
from reportgen.results.types import Better, Number, Word
from reportgen.results.verdicts import IMPLIED, agrees, decide_status, decide_verdict
from reportgen.terms import RENAMED_METRICS
from reportgen.text import escape_json, format_foreign_error

Plain = dict[str, Any]
_Row = dict[str, Any]


def upgrade_results(plain: Plain) -> tuple[Plain, tuple[str, ...]]:
    """Upgrade the file's content to the current major version; return notes on what is left out."""
    notes: tuple[str, ...] = ()
    while (step := UPGRADES.get(plain["schema_version"])) is not None:
        plain, said = step(plain)
        notes = (*notes, *said)
    return plain, notes


def _upgrade_1_to_2(plain: Plain) -> tuple[Plain, tuple[str, ...]]:
    found: dict[str, list[_Row]] = {}
    left: list[str] = []
    for table in _iter_tables(plain):
        name, convert = _MOVED.get(str(table.get("name")), ("", None))
        if convert is None:
            left.append(str(table.get("name")))
        else:
            found.setdefault(name, []).extend(convert(table))
    kept = {key: value for key, value in plain.items() if key != "tables"}
    names = ", ".join(dict.fromkeys(left))
    notes = (f"tables of version 1 that are not shown: {names}",) if left else ()
    return {**kept, "schema_version": 2, "sensitivity": found}, notes


def _upgrade_2_to_3(plain: Plain) -> tuple[Plain, tuple[str, ...]]:
    """Leave out the conclusion, which `load_any_results` computes again, and decide verdicts again.

    Version 2 knew no “not better”, and decided “equivalent” by other intervals. Outcomes at
    thresholds had other names.
    """
    plain = _rename_outcomes(plain)
    if "report" in plain and "models" in plain:
        report = _add_question(plain["report"], plain["models"])
        plain = _upgrade_families({**plain, "report": report})
    upgraded = {
        **plain,
        "schema_version": 3,
        "schema_minor": 0,
        "conclusion": None,
        "comparisons": [_decide_again(row) for row in plain.get("comparisons") or ()],
    }
    for name in ("classes", "agreements"):
        upgraded |= {name: [_decide_inside(each) for each in plain[name]]} if name in plain else {}
    if plain.get("across"):
        upgraded["across"] = [_rename_verdicts(each, "comparisons") for each in plain["across"]]
    if isinstance(found := plain.get("sensitivity"), dict):
        upgraded["sensitivity"] = _decide_sensitivity(found, upgraded)
    decided = [_decide_gate_again(gate, plain) for gate in plain.get("gates") or ()]
    upgraded["gates"] = [gate for gate, _ in decided]
    notes = tuple(note for _, note in decided if note)
    if plain.get("history"):
        upgraded["history"] = [_rename_past_statuses(run) for run in plain["history"]]
    if plain.get("changes"):
        changed = [_rename_change(gate) for gate in plain["changes"].get("gates") or ()]
        upgraded["changes"] = {**plain["changes"], "gates": changed}
    if plain.get("warnings"):
        choices = (upgraded.get("sensitivity") or {}).get("choices") or ()
        named = map(_rename_family, plain["warnings"])
        upgraded["warnings"] = [w for each in named for w in _decide_convention(each, choices)]
    return upgraded, notes


def _add_question(report: Plain, models: Sequence[Plain]) -> Plain:
    """Add what was decided, and about which model, where the config had left it open."""
    by_role: dict[str, list[str]] = {"baseline": [], "candidate": []}
    for model in models:
        by_role.setdefault(str(model["role"]), []).append(str(model["name"]))
    baseline = next(iter(by_role["baseline"]), None)
    declared = report.get("decision"), report.get("about")
    question = settle_question(*declared, baseline, by_role["candidate"])
    return {**report, "decision": question.decision, "about": question.about}


def _decide_again(row: _Row) -> _Row:
    """Decide a comparison of version 2 again, by the interval that its page printed."""
    renamed = _rename_verdict(row)
    low, high = row.get("low"), row.get("high")
    if row.get("status", "ok") != "ok" or row.get("is_few"):
        return renamed
    if row.get("is_same"):
        return {**renamed, "word": "equivalent"}
    if low is None and high is None:
        return {**renamed, "word": "no result"}
    if row.get("reason"):
        return renamed
    return {**renamed, "word": _decide_ends(low, high, row.get("margin"), row["better"])}


def _decide_ends(low: Number, high: Number, margin: Number, better: Better) -> Word:
    """Decide a verdict by limits of which one may be missing: nothing is excluded there."""
    low, high = -inf if low is None else low, inf if high is None else high
    return decide_verdict(low, high, margin, better)


def _upgrade_families(plain: Plain) -> Plain:
    """Give each comparison of version 2 its one interval, and its family by the question.

    The size of a family is how many comparisons its interval allowed for.
    """
    report, inference = plain["report"], plain.get("inference") or {}
    is_adjusted = inference.get("adjust", "none") != "none"
    rows = plain.get("comparisons") or ()
    sizes = _count_families(rows) if is_adjusted else {}
    baseline = next((m["name"] for m in plain["models"] if m["role"] == "baseline"), None)

    def upgrade(row: _Row) -> _Row:
        family = _FAMILIES_OF_2.get(row.get("family", ""))
        if family == "choice" and report["decision"] == "replace":
            family = "asked" if row["candidate"] == report["about"] else "others"
        elif family == "choice" and row["baseline"] != baseline:
            family = "best"
        named = {"family": family or row.get("family", "metrics")}
        return _take_printed_interval(row, sizes) | named

    compared = list(map(upgrade, rows))
    better = {metric["key"]: metric["better"] for metric in plain.get("metrics") or ()}
    sensitivity = plain.get("sensitivity") or {}
    pairs = [
        _convert_best(row, better[row["key"]], inference.get("level", 0.95), compared)
        for row in sensitivity.get("from_best") or ()
        if row.get("key") == inference.get("primary") and {"dataset", "best", "model"} <= set(row)
    ]
    left = {k: v for k, v in sensitivity.items() if k != "from_best"}
    if left.get("choices"):
        left["choices"] = _count_choices(left["choices"])
    inside: Plain = {}
    for name in ("classes", "agreements"):
        parts = plain.get(name) or ()
        of_parts = [row for part in parts for row in part.get("comparisons") or ()]
        counts = _count_families(of_parts) if is_adjusted and name == "classes" else {}
        inside[name] = [
            each
            | {"comparisons": [_take_printed_interval(row, counts) for row in each["comparisons"]]}
            for each in parts
        ]
    return {**plain, "sensitivity": left, **inside, "comparisons": compared, "pairs": pairs}


def _count_families(rows: Sequence[_Row]) -> Counter[tuple[object, object]]:
    """Count the comparisons of each family of version 2 that its limits allow for."""
    return Counter(
        _name_old_family(row)
        for row in rows
        if row.get("p_value") is not None and row.get("counted_with") is None
    )


def _name_old_family(row: _Row) -> tuple[object, object]:
    return row.get("dataset"), row.get("family")


def _count_choices(rows: Sequence[_Row]) -> list[_Row]:
    """Add how many pairs under one choice the limits of a re-analysis allow for."""

    def name(row: _Row) -> tuple[object, ...]:
        return tuple(row.get(key) for key in ("dataset", "key", "kind", "choice", "value"))

    counts = Counter(name(row) for row in rows if row.get("low") is not None)
    return [
        {k: v for k, v in row.items() if k != "adjust"}
        | {"family_size": max(counts[name(row)], 1) if row.get("adjust", "none") != "none" else 1}
        for row in rows
    ]


def _take_printed_interval(row: _Row, sizes: Mapping[tuple[object, object], int]) -> _Row:
    """Keep the limits that allow for the family, or the plain ones where they are the same."""
    ends = row.get("adjusted_low"), row.get("adjusted_high")
    kept = {k: v for k, v in row.items() if k not in ("adjusted_low", "adjusted_high")}
    kept.pop("counted_with", None)
    kept["family_size"] = max(sizes.get(_name_old_family(row), 1), 1)
    if None not in (row.get("low"), row.get("high")) and row.get("reason"):
        ends = None, None  # the resamples were too few for the family
    elif ends == (None, None):
        return kept
    return {**kept, "low": ends[0], "high": ends[1]}


def _convert_best(row: _Row, better: Better, level: float, compared: Sequence[_Row]) -> _Row:
    """Convert the difference of a model from the best to that of the best from the model.

    Its own level is what is left of `level` for each of the models that the best was held against.
    Where the report compared the two models, that comparison has the interval.
    """
    one = row.get("level") or level
    size = max(round((1 - level) / (1 - one)), 1)
    known: Plain = {"family": "best", "family_size": size, "margin": None, "reason": ""}
    place = {"dataset": row["dataset"], "key": row["key"], "segment": None}
    c, is_reversed = _find_comparison(compared, place, row["best"], row["model"])
    if c is None:
        c, is_reversed = row, True
    else:
        known = {name: c.get(name, known[name]) for name in known}
    difference, low, high = _turn_interval(c, is_reversed=is_reversed)
    return {
        "dataset": row["dataset"],
        "key": row["key"],
        "first": row["best"],
        "second": row["model"],
        "better": better,
        "difference": difference,
        "low": low,
        "high": high,
        "level": level,
        **known,
        "word": decide_verdict(low, high, known["margin"], better),
    }


def _find_comparison(
    compared: Sequence[_Row], place: _Row, model: object, against: object
) -> tuple[_Row | None, bool]:
    """Find the comparison of two models at a place, and whether it is the other way round."""
    for row in compared:
        pair = row.get("candidate"), row.get("baseline")
        if pair in ((model, against), (against, model)) and all(
            row.get(name) == value for name, value in place.items()
        ):
            return row, pair != (model, against)
    return None, False


def _turn_interval(row: _Row, *, is_reversed: bool) -> tuple[Number, Number, Number]:
    """Return a difference and its limits, of the second model from the first if reversed."""
    difference, low, high = (row.get(name) for name in ("difference", "low", "high"))
    if not is_reversed:
        return difference, low, high
    minus = [None if x is None else -x for x in (difference, high, low)]
    return minus[0], minus[1], minus[2]


def _decide_sensitivity(found: Plain, plain: Plain) -> Plain:
    """Decide the re-analyses and what single rows change again, as their comparisons were."""
    better = {metric.get("key"): metric.get("better") for metric in plain.get("metrics") or ()}
    choices = [_rename_verdict(row) for row in found.get("choices") or ()]
    declared: dict[object, Word] = {}
    like: dict[object, Word] = {}  # what other choices differ from: by formula, where that is so
    for row in choices:
        row["word"] = _decide_limits(row, row.get("margin"), better.get(row.get("key")))
        pair = tuple(row.get(name) for name in ("dataset", "key", "candidate", "baseline"))
        kind = row.get("kind")
        if kind == "declared":
            declared[pair] = row["word"]
        if kind in ("declared", "formula"):
            like[pair] = row["word"]
        against = declared if kind in ("declared", "formula", "interval") else like
        if pair in against:
            row["is_other"] = not agrees(row["word"], against[pair])
    deletions = []
    for table in found.get("deletions") or ():
        place = {"dataset": table.get("dataset"), "key": table.get("key"), "segment": None}
        sets = [
            _decide_set(_rename_verdict(row), place, plain, better.get(table.get("key")))
            for row in table.get("sets") or ()
        ]
        deletions.append({**table, "sets": sets})
    return {**found, "choices": choices, "deletions": deletions}


def _decide_set(row: _Row, place: _Row, plain: Plain, better: Better | None) -> _Row:
    """Decide a comparison without a set of rows again, and whether the set changes the verdict."""
    models = row.get("candidate"), row.get("baseline")
    c, is_reversed = _find_comparison(plain.get("comparisons") or (), place, *models)
    if c is None or is_reversed or row.get("word") is None:
        return row
    now, was = _decide_limits(row, c.get("margin"), better), c.get("word")
    is_stronger = was in IMPLIED.get(now, ())
    changes = {"is_changed": now != was and not is_stronger, "is_stronger": is_stronger}
    return {**row, "word": now, "word_before": was, **changes}


def _decide_limits(row: _Row, margin: Number, better: Better | None) -> Any:
    """Decide a verdict by the limits of a row, or leave it where there are none apart."""
    low, high = row.get("low"), row.get("high")
    return row.get("word") if low == high or not better else _decide_ends(low, high, margin, better)


def _decide_convention(warning: _Row, choices: Sequence[_Row]) -> Iterator[_Row]:
    """Yield a warning with the verdicts of today; none where no convention has another."""
    numbers = warning.get("numbers") or {}
    if warning.get("code") != "W139" or not choices:
        yield warning
        return
    about = (warning.get("dataset"), warning.get("key"), warning.get("model"))
    mine = [c for c in choices if (c.get("dataset"), c.get("key"), c.get("candidate")) == about]
    others = [c for c in mine if c.get("is_other")]
    conventions = [c for c in others if c.get("kind") == "convention"]
    named: Plain = {f"{c.get('choice')}: {c.get('value')}": c for c in reversed(conventions)}
    if named:
        name = str(numbers.get("choice"))
        name = name if name in named else [*named][-1]
        told = {"choices": len(others), "choice": name, "verdict": named[name]["word"]}
        yield {**warning, "numbers": {**numbers, **told, "declared": mine[0]["word"]}}


def _decide_inside(part: Plain) -> Plain:
    return {**part, "comparisons": [_decide_again(row) for row in part.get("comparisons") or ()]}


def _rename_verdicts(part: Plain, rows: str) -> Plain:
    return {**part, rows: [_rename_verdict(row) for row in part.get(rows) or ()]}


def _rename_verdict(row: _Row) -> _Row:
    """Replace the verdicts of version 2 by their words."""
    renamed = {name: row[name] for name in row if name not in _VERDICTS_OF_2}
    for name, new in _VERDICTS_OF_2.items():
        if new and name in row:
            old = str(row[name]) + " beyond the margin" * bool(row.get("beyond_margin"))
            renamed[new] = None if row[name] is None else _WORDS_OF_2.get(old, old)
    return renamed


def _decide_gate_again(gate: _Row, plain: Plain) -> tuple[_Row, str]:
    """Decide a gate on a difference again, by the one interval of its comparison.

    Version 2 gave it an interval of its own, which allowed for no other comparison. A note tells of
    a status that changes so. `no_regression` is met where a loss is excluded.
    """
    if "status" not in gate:
        return gate, ""
    status = _STATUSES_OF_2.get(gate["status"], gate["status"])
    renamed = {**gate, "status": status}
    rule, bound, against = gate.get("rule"), gate.get("bound"), gate.get("against")
    if rule not in _ON_DIFFERENCES or against is None or bound is None:
        return renamed, ""
    place = {name: gate.get(name) for name in ("dataset", "segment", "key")}
    compared = plain.get("comparisons") or ()
    c, is_reversed = _find_comparison(compared, place, gate.get("model"), against)
    _, low, high = _turn_interval(c or {}, is_reversed=is_reversed)
    if c is None or low is None or high is None:
        c, low, high = None, gate.get("low"), gate.get("high")
    if low is None or high is None or status not in _STATUSES_OF_2.values():
        return renamed, ""
    every: Sequence[Plain] = plain.get("metrics") or ()
    metric: Plain = next((m for m in every if m.get("key") == gate.get("key")), {})
    is_open = c is not None and c.get("is_few")
    is_same = gate.get("value") == low == high == 0 if c is None else c.get("is_same")
    now = status
    if not is_open and not (is_same and status == "met"):
        now = decide_status(rule, low, high, bound, metric.get("better", "higher"))
    note = ""
    if {status, now} not in ({status}, {"met", "no harm seen"}):
        note = f"gate {gate.get('name')!r}: {status} as it was run, {now} by the interval printed"
    return {**renamed, "status": now, "low": low, "high": high}, note


def _rename_family(warning: _Row) -> _Row:
    """Give the family that a warning names the name that it has now."""
    numbers = warning.get("numbers") or {}
    if numbers.get("family") not in _FAMILIES_OF_2:
        return warning
    return {**warning, "numbers": {**numbers, "family": _FAMILIES_OF_2[numbers["family"]]}}


_ON_DIFFERENCES = ("better", "non_inferior", "no_regression")
_FAMILIES_OF_2: Mapping[str, str] = {"primary": "choice", "secondary": "metrics"}


def _rename_past_statuses(run: Plain) -> Plain:
    gates = {name: _STATUSES_OF_2.get(said, said) for name, said in run.get("gates", {}).items()}
    return {**run, "gates": gates}


def _rename_change(gate: Plain) -> Plain:
    words = {name: _STATUSES_OF_2.get(gate[name], gate[name]) for name in ("before", "now")}
    return {**gate, **words}


_STATUSES_OF_2: Mapping[str, str] = {
    "pass": "met",
    "fail": "not met",
    "inconclusive": "cannot tell",
}
_VERDICTS_OF_2 = {"verdict": "word", "verdict_before": "word_before", "beyond_margin": ""}
_WORDS_OF_2: Mapping[str, str] = {
    "better beyond the margin": "clearly better",
    "worse beyond the margin": "clearly worse",
    "inconclusive": "cannot tell",
    "no difference": "equivalent",
    "undefined": "no result",
    "not applicable": "no result",
}


def _rename_outcomes(plain: Plain) -> Plain:
    """Give the outcomes at thresholds, and the metrics of these, the names of version 3."""
    renamed = _rename_keys(plain, {"label_calls": "label_confusions"})
    for key in ("estimates", "comparisons"):
        renamed = _change_rows(renamed, key, _rename_metric)
    renamed = _change_rows(renamed, "metrics", lambda row: _rename_metric(row, "name"))
    renamed = _change_rows(
        renamed, "confusion_differences", lambda row: _rename_keys(row, {"called": "predicted"})
    )
    return _change_rows(
        renamed,
        "points",
        lambda row: _change_rows(
            _rename_keys(row, {"lowest_called": "lowest_flagged"}), "outcomes", _rename_metric
        ),
    )


def _change_rows(plain: Plain, key: str, change: Callable[[_Row], _Row]) -> Plain:
    rows = plain.get(key)
    if not isinstance(rows, list):
        return plain
    return {**plain, key: [change(row) if isinstance(row, dict) else row for row in rows]}


def _rename_keys(row: _Row, names: Mapping[str, str]) -> _Row:
    return {names.get(key, key): value for key, value in row.items()}


def _rename_metric(row: _Row, key: str = "metric") -> _Row:
    old = row.get(key)
    return {**row, key: RENAMED_METRICS.get(old, old)} if isinstance(old, str) else row


UPGRADES: Mapping[int, Callable[[Plain], tuple[Plain, tuple[str, ...]]]] = {
    1: _upgrade_1_to_2,
    2: _upgrade_2_to_3,
}


def _iter_tables(plain: Plain) -> Iterator[Plain]:
    listed = plain.get("tables")
    yield from (each for each in listed if isinstance(each, dict)) if listed else ()


def _iter_rows(table: Plain) -> Iterator[_Row]:
    """Yield the rows of a table of version 1 by the names of its columns."""
    for row in table.get("rows") or ():
        yield dict(zip(table.get("columns") or (), row, strict=False))


def _iter_renamed_rows(table: Plain, names: Mapping[str, str]) -> Iterator[_Row]:
    """Rows under other names; a column that is not there is left out, not null."""
    for row in _iter_rows(table):
        yield {"dataset": table.get("dataset")} | {
            new: row[old] for new, old in names.items() if old in row
        }


def _iter_ranks(table: Plain) -> Iterator[_Row]:
    places = [name for name in table.get("columns") or () if name.startswith("place ")]
    for row, raw in zip(
        _iter_renamed_rows(table, {"key": "metric", "model": "model"}),
        _iter_rows(table),
        strict=True,
    ):
        shares = [raw.get(name) for name in places]
        yield {**row, "shares": [share for share in shares if share is not None]}


def _convert_best_table(table: Plain) -> Iterator[_Row]:
    same = ("best", "model", "difference", "low", "high", "level")
    names = {"key": "metric", **{name: name for name in same}, "is_distinguishable": "is separated"}
    return _iter_renamed_rows(table, names)


def _influence(table: Plain) -> Iterator[_Row]:
    known = ("metric", "model", "value", "without it", "change", "tried", "row")
    names = {
        "key": "metric",
        "model": "model",
        "value": "value",
        "without": "without it",
        "change": "change",
        "search": "tried",
    }
    for row, raw in zip(_iter_renamed_rows(table, names), _iter_rows(table), strict=True):
        shown = {name: value for name, value in raw.items() if name not in known}
        yield {**row, **({"row": {"id": raw["row"], "shown": shown}} if "row" in raw else {})}


def _iter_tails(table: Plain) -> Iterator[_Row]:
    return _iter_renamed_rows(
        table,
        {
            "model": "model",
            "rows": "rows",
            "absolute_error": "share of absolute error",
            "squared_error": "share of squared error",
        },
    )


def _deletions(table: Plain) -> Iterator[_Row]:
    params, units = table.get("params") or {}, list(table.get("units") or ())
    names = {
        **{name: name for name in ("candidate", "baseline", "difference", "low", "high")},
        "rows": "rows removed",
        "in_favour_of": "in favour of",
        "verdict": "verdict",
        "verdict_before": "verdict before",
        "is_changed": "verdict changes",
        "is_stronger": "verdict is stronger",
        "is_turned": "favour changes",
        "is_lost": "favour lost",
    }
    sets = [
        {k: v for k, v in row.items() if k != "dataset"} for row in _iter_renamed_rows(table, names)
    ]
    for row, raw in zip(sets, _iter_rows(table), strict=True):
        if raw.get("ids"):
            row["ids"] = str(raw["ids"]).removesuffix(", …").split(", ")
    yield {
        "dataset": table.get("dataset"),
        "key": params.get("metric"),
        "unit": units[4] if len(units) > 4 else "",
        "search": params.get("search"),
        "pairs": params.get("pairs"),
        "searched": params.get("searched"),
        "sets": sets,
    }


def _bucket_counts(table: Plain) -> Iterator[_Row]:
    same = ("baseline", "buckets", "value", "low", "high")
    return _iter_renamed_rows(
        table, {"key": "metric", "model": "candidate", **{name: name for name in same}}
    )


_MOVED: Mapping[str, tuple[str, Callable[[Plain], Iterator[_Row]]]] = {
    "rank_probabilities": ("ranks", _iter_ranks),
    "separation": ("from_best", _convert_best_table),
    "influence": ("influence", _influence),
    "tails": ("tails", _iter_tails),
    "removal": ("deletions", _deletions),
    "bucket_counts": ("bucket_counts", _bucket_counts),
}

_OPTIONAL = {
    field.name
    for field in fields(Results)
    if field.default is not MISSING or field.default_factory is not MISSING
}


@record
class ReadResults:
    """Results that were read, and what of their file is not as this version writes it."""

    results: Results
    digest: str
    notes: tuple[str, ...] = ()


def load_results(path: Path) -> Results:
    """Results from a file that `run` wrote; a DataError says what is wrong with any other."""
    return load_any_results(path).results


def load_any_results(path: Path) -> ReadResults:
    """Load results of any version, with notes on a file that another version wrote."""
    if is_marked(path.parent):
        raise DataError(
            f"{path}: may belong to another report than the files beside it, since a run was "
            "stopped while it replaced them; run the config again"
        )
    content = _read_content(path)
    plain = _parse_json(path, content)
    version = plain.get("schema_version") if isinstance(plain, dict) else None
    if version not in range(1, SCHEMA_VERSION + 1):
        raise DataError(
            f"{path}: has schema_version {version!r}, this reportgen reads 1 to {SCHEMA_VERSION}; "
            f"{_maker(plain)}{_way_out(version)}"
        )
    try:
        with explain_unreadable(path, plain):
            plain, notes = upgrade_results(plain)
        minor = plain.get("schema_minor", 0)
        if isinstance(minor, int) and minor > SCHEMA_MINOR:
            notes = (
                *notes,
                f"what schema {SCHEMA_VERSION}.{minor} added is not shown; this "
                f"reportgen knows {SCHEMA_VERSION}.{SCHEMA_MINOR}",
            )
        results, lacks = _validate_results(plain)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(
            f"{path}: {place}: {format_foreign_error(first['msg'])}; {_maker(plain)}run the "
            "config again"
        ) from None
    current = replace(results, schema_version=SCHEMA_VERSION, schema_minor=SCHEMA_MINOR)
    if version != SCHEMA_VERSION:
        with explain_unreadable(path, plain):
            current = add_conclusion(current)
    return ReadResults(current, sha256(content).hexdigest(), (*notes, *lacks))


@contextmanager
def explain_unreadable(path: Path | str, plain: object = None) -> Iterator[None]:
    """Within the block, blame the file for any fault: it was read, but its parts do not fit.

    `plain` is what the file holds, which may name the version that made it; `path` is where it is,
    or where the files are.
    """
    try:
        yield
    except (ReportgenError, OSError, MemoryError, ValidationError):
        raise
    except Exception as error:
        lack = (
            f"has no {format_foreign_error(error)}"
            if isinstance(error, KeyError)
            else f"its parts do not fit: {format_foreign_error(error)}"
        )
        raise DataError(f"{path}: {lack}; {_maker(plain)}run the config again") from error


@cache
def get_results_adapter() -> TypeAdapter[Results]:
    """Return the adapter that validates results.json."""
    return TypeAdapter(Results)


def _read_content(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            return file.read()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


def _parse_json(path: Path, content: bytes) -> Any:
    try:
        plain = json.loads(content, parse_constant=_refuse_constant, parse_float=_parse_finite)
        if _find_depth(plain) > _DEEPEST:
            raise RecursionError
        return plain
    except RecursionError:
        raise DataError(f"{path}: is nested too deeply; give a results.json made by run") from None
    except ValueError as error:
        raise DataError(
            f"{path}: is not JSON: {format_foreign_error(error)}; give a results.json made by run"
        ) from None


def _validate_results(plain: dict[str, Any]) -> tuple[Results, tuple[str, ...]]:
    """Return the results, and what they lack; raise ValidationError if that is indispensable."""
    strict = get_results_adapter()
    try:
        return strict.validate_python(plain), ()
    except ValidationError as error:
        wrong = error.errors()
    notes = tuple(
        dict.fromkeys(
            text
            for each in wrong
            if (text := _format_note(each["type"], each["loc"], each.get("input")))
        )
    )
    lenient, left = _build_lenient_validator(), dict(plain)
    while True:
        try:
            return lenient.validate_python(left), notes
        except ValidationError as error:
            part, lacking = _part(error.errors()[0]["loc"])
            kept = _drop_part(left, part)
            if kept is None:
                raise
            left = kept
            notes = (*(n for n in notes if not n.startswith(f"{part}.")), lacking)


@cache
def _build_lenient_validator() -> SchemaValidator:
    """Build the validator for a file of another version."""
    return SchemaValidator(_loosen_schema(get_results_adapter().core_schema))


def _format_note(kind: str, loc: tuple[int | str, ...], given: object) -> str:
    """Format the note on one thing that is not as this version writes it."""
    place = ".".join(part for part in loc if isinstance(part, str))
    if kind == "missing":
        return f"{place}: not in this file"
    return (
        f"{place}: {format_foreign_error(given)!r} is unknown here"
        if kind == "literal_error"
        else ""
    )


def _part(loc: tuple[int | str, ...]) -> tuple[str, str]:
    """Return the part of the results that a location lies in, and the note if it is left out."""
    names = [part for part in loc if isinstance(part, str)]
    part = ".".join(names[: 2 if names[:1] == ["sensitivity"] else 1])
    return part, f"{part}: cannot be read here, and is left out"


def _drop_part(plain: dict[str, Any], part: str) -> dict[str, Any] | None:
    """Drop a part that has an empty default from the results; return None where it has none."""
    outer, _, inner = part.partition(".")
    if outer not in _OPTIONAL or outer not in plain:
        return None
    if not inner or not isinstance(plain[outer], dict):
        return {name: value for name, value in plain.items() if name != outer}
    kept = {name: value for name, value in plain[outer].items() if name != inner}
    return {**plain, outer: kept} if len(kept) < len(plain[outer]) else None


def _loosen_schema(schema: Any) -> Any:
    """Loosen a schema: take any word for a closed list, and let what may be null be absent.

    What may be null is null where it is missing.
    """
    if isinstance(schema, list | tuple):
        return type(schema)(_loosen_schema(each) for each in schema)
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "literal" and all(isinstance(w, str) for w in schema["expected"]):
        return {"type": "str"}
    opened = {key: _loosen_schema(value) for key, value in schema.items()}
    inner = opened.get("schema")
    may_be_null = isinstance(inner, dict) and inner.get("type") == "nullable"
    if opened.get("type") == "dataclass-field" and may_be_null:
        opened["schema"] = {"type": "default", "schema": inner, "default": None}
    return opened


def _maker(plain: object) -> str:
    """Return the version that wrote the file, where it says so."""
    found = plain
    for key in ("provenance", "versions", "reportgen"):
        found = found.get(key) if isinstance(found, dict) else None
    return f"it was made by reportgen {found}, which this one cannot read; " if found else ""


def _way_out(version: object) -> str:
    is_newer = isinstance(version, int) and version > SCHEMA_VERSION
    return "use a newer reportgen" if is_newer else "run the config again"


_DEEPEST = 100
"""Levels of lists and maps: results have some ten, and a config may have more."""


def _find_depth(plain: object) -> int:
    """Return how many levels of lists and maps a JSON value has, without recursion."""
    depth, level = 0, [plain]
    while level := [
        inner
        for outer in level
        if isinstance(outer, dict | list)
        for inner in (outer.values() if isinstance(outer, dict) else outer)
        if isinstance(inner, dict | list)
    ]:
        depth += 1
    return depth


def _parse_finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _refuse_constant(text)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def dump_results(results: Results) -> bytes:
    """Return the file's bytes: UTF-8, one value a line, a newline at the end."""
    version = {"schema_version": SCHEMA_VERSION, "schema_minor": SCHEMA_MINOR}
    plain = {**version, **_collect_fields(results), **version}
    text = json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False, default=_collect_fields)
    return (escape_json(text) + "\n").encode()


def build_results_schema() -> dict[str, Any]:
    """Build the JSON Schema of results.json."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:reportgen:results:{SCHEMA_VERSION}",
        **get_results_adapter().json_schema(),
    }


def _collect_fields(part: object) -> dict[str, Any]:
    """Return a part of the results by its fields; `asdict` would copy every number first."""
    if not is_dataclass(part):
        raise TypeError(f"{part!r} has no place in results.json")
    return {field.name: getattr(part, field.name) for field in fields(part)}
