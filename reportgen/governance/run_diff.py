"""Compare two runs: rule, causes, verdict, gates, values, warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from reportgen.errors import DataError
from reportgen.governance.digests import extract_rule
from reportgen.governance.value_changes import ReplicateStore, compute_moves
from reportgen.paths import open_regular
from reportgen.report import archive
from reportgen.report.conclusion import conclude
from reportgen.results import DatasetDigests, Plain, Results
from reportgen.results.changes import (
    Cause,
    Changes,
    GateChange,
    Move,
    RuleChange,
    RunStamp,
    WarningChange,
)
from reportgen.terms import RESULTS


@dataclass(frozen=True)
class Run:
    """Results, the digest of their file if they are from one, and what of it could not be read."""

    results: Results
    digest: str = ""
    notes: tuple[str, ...] = ()


def load_run(place: Path) -> Run:
    """Load the run of a report's folder or a results.json; raise DataError where there is none."""
    path = place / RESULTS if place.is_dir() else place
    found = archive.load_any_results(path)
    try:
        with open_regular(path) as file:
            digest = sha256(file.read()).hexdigest()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    return Run(found.results, digest, found.notes)


def rename_models(results: Results, names: Mapping[str, str]) -> Results:
    """Results in which models are called as `names` says, old name to new.

    A model that nobody names keeps its name, unless that is given to another: then it is left out.
    """
    taken = set(names.values()) - set(names)
    known = {m.name for m in results.models}
    to = {name: names.get(name, name) for name in known if name in names or name not in taken}

    def shown(rows: Any, *keys: str) -> Any:
        kept = (row for row in rows if all(getattr(row, key) in (None, *to) for key in keys))
        return tuple(
            replace(row, **{key: to.get(getattr(row, key)) for key in keys}) for row in kept
        )

    told = results.digests
    if told is not None:
        told = replace(
            told,
            datasets=tuple(
                replace(
                    each,
                    scores={to[m]: value for m, value in each.scores.items() if m in to},
                    replicates={to[m]: value for m, value in each.replicates.items() if m in to},
                )
                for each in told.datasets
            ),
        )
    return replace(
        results,
        digests=told,
        models=shown(results.models, "name"),
        estimates=shown(results.estimates, "model"),
        comparisons=shown(results.comparisons, "candidate", "baseline"),
    )


_FIRST = ("primary", "gates", "comparisons", "bootstrap")
SEED = "bootstrap.seed"
_LONGEST = 80


def find_rule_changes(before: Results, now: Results) -> tuple[RuleChange, ...]:
    """Find the differing keys of the rule, decisive ones first; values are of resolved configs.

    Of two versions of this program the keys that only one of them knows are not told.
    """
    return find_differing_keys(
        extract_rule(before.config),
        extract_rule(now.config),
        is_one_version=_format_version(before) == _format_version(now),
    )


def find_differing_keys(
    before: Plain, now: Plain, *, is_one_version: bool
) -> tuple[RuleChange, ...]:
    """Find the keys that differ between two rules as `digests.rule` gives them."""
    was, new = _flatten_config(before), _flatten_config(now)
    keys = was.keys() | new.keys() if is_one_version else was.keys() & new.keys()
    found = [
        RuleChange(key, was.get(key, ""), new.get(key, ""))
        for key in sorted(keys, key=_rank_rule_key)
        if was.get(key) != new.get(key)
    ]
    return tuple(found)


def find_causes(
    before: Results, now: Results, changed: tuple[RuleChange, ...]
) -> tuple[Cause, ...]:
    """Everything that can have moved a number, and whether it changed."""
    return (
        *_iter_data_causes(before, now),
        *_iter_rule_causes([each.key for each in changed]),
        _compare_digest("code", before, now),
        _compare_environment(before, now),
    )


def _iter_rule_causes(changed: list[str]) -> Iterator[Cause]:
    """Yield the rule and, as a separate cause, the seed of the resamples."""
    others = [key for key in changed if key != SEED]
    yield Cause("rule", bool(others), f"{len(others)} keys" if len(others) > 1 else "")
    yield Cause("seed", SEED in changed)


def describe_cause(found: tuple[Cause, ...]) -> str:
    """Describe the one cause that differs, or why none can be named; "" where nothing differs."""
    changed = [cause for cause in found if cause.is_changed]
    unknown = [cause.name for cause in found if cause.is_changed is None]
    if unknown:
        what = _join_names([cause.name for cause in changed]) or "none that is known"
        return (
            f"Changed: {what}. Whether {_join_names(unknown)} changed too cannot be told, so no "
            "cause is named."
        )
    if not changed:
        return ""
    if len(changed) == 1:
        if changed[0].name == "rule":
            return "Only the rule changed: whatever differs follows from it."
        detail = f" ({changed[0].detail})" if changed[0].detail else ""
        return f"What moved, moved because of the {changed[0].name}{detail}: nothing else differs."
    return (
        f"The {_join_names([cause.name for cause in changed])} changed together; this cannot "
        "tell them apart."
    )


def _iter_data_causes(before: Results, now: Results) -> Iterator[Cause]:
    pairs = _list_datasets(before, now)
    if not pairs or any(None in pair for pair in pairs):
        yield from (Cause(name, None) for name in ("rows", "labels", "scores"))
        return
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    has_same_ids = all(a.ids == b.ids for a, b in both)
    yield Cause("rows", not has_same_ids)
    if not has_same_ids:
        yield Cause("labels", None, "the rows are others")
        yield Cause("scores", None, "the rows are others")
        return
    yield Cause("labels", any(a.rows != b.rows for a, b in both))
    moved = sorted(
        {
            model
            for a, b in both
            for model in a.scores.keys() & b.scores.keys()
            if a.scores[model] != b.scores[model]
        }
    )
    yield Cause(
        "scores", bool(moved), _join_names([_describe_version(before, now, m) for m in moved])
    )


def _describe_version(before: Results, now: Results, model: str) -> str:
    """Format a model's label with its version before and now, where both are stated."""
    was, new = (next((m for m in r.models if m.name == model), None) for r in (before, now))
    label = model if new is None else new.label
    if was is None or new is None or None in (was.version, new.version):
        return label
    return label if was.version == new.version else f"{label}, {was.version} → {new.version}"


def _list_datasets(
    before: Results, now: Results
) -> list[tuple[DatasetDigests | None, DatasetDigests | None]]:
    """List the digests, in both runs, of the datasets that the present run evaluates."""
    found = []
    for info in now.datasets:
        first, second = (
            next((d for d in r.digests.datasets if d.dataset == info.name), None)
            if r.digests
            else None
            for r in (before, now)
        )
        found.append((first, second))
    return found


def _compare_digest(name: str, before: Results, now: Results) -> Cause:
    if before.digests is None or now.digests is None:
        same = _format_version(before) == _format_version(now)
        return Cause(name, None if same else True)
    return Cause(name, getattr(before.digests, name) != getattr(now.digests, name))


def _compare_environment(before: Results, now: Results) -> Cause:
    """Versions of libraries and of Python, and the kind of machine."""
    was, new = _collect_environment(before), _collect_environment(now)
    names = sorted(name for name in was.keys() & new.keys() if was[name] != new[name])
    told = [f"{name} {was[name]} → {new[name]}" for name in names]
    return Cause("environment", bool(told), "; ".join(told))


def _collect_environment(results: Results) -> dict[str, str]:
    found = results.provenance
    versions = found.get("versions")
    known = dict(versions) if isinstance(versions, Mapping) else {}
    known.pop("reportgen", None)
    known |= {name: found[name] for name in ("python", "platform") if name in found}
    return {str(name): str(value) for name, value in known.items()}


def _format_version(results: Results) -> str:
    versions = results.provenance.get("versions")
    return str(versions.get("reportgen", "")) if isinstance(versions, Mapping) else ""


def _flatten_config(value: Any, place: str = "") -> dict[str, str]:
    """Every value of a config by its place; of a list of named things the place has their name."""
    if isinstance(value, Mapping):
        items = [(str(key), each) for key, each in value.items()]
    elif isinstance(value, list | tuple):
        items = [(_name_list_item(each, k), each) for k, each in enumerate(value)]
    else:
        return {place: _format_text(value)}
    if not items:
        return {place: "none"} if place else {}
    found: dict[str, str] = {}
    for key, each in items:
        found |= _flatten_config(each, f"{place}.{key}" if place else key)
    return found


def _name_list_item(each: Any, place: int) -> str:
    if isinstance(each, Mapping) and each.get("rule"):
        return f"{place} {each['rule']} {each.get('metric', '')}".strip()
    known = (each.get(key) for key in ("as", "name", "column")) if isinstance(each, Mapping) else ()
    return next((str(name) for name in known if name), str(place))


def _format_text(value: object) -> str:
    if isinstance(value, float) and value == int(value):
        value = int(value)
    told = "none" if value is None else str(value)
    return told if len(told) <= _LONGEST else told[: _LONGEST - 1] + "…"


def _rank_rule_key(key: str) -> tuple[int, str]:
    first = key.partition(".")[0]
    return (_FIRST.index(first) if first in _FIRST else len(_FIRST)), key


def _join_names(names: list[str]) -> str:
    return (
        names[0]
        if len(names) == 1
        else ", ".join(names[:-1]) + " and " * bool(names) + (names[-1] if names else "")
    )


_ORDER = ("fail", "inconclusive", "pass", "skipped", "")


def compare_runs(
    before: Run,
    now: Run,
    models: Mapping[str, str] | None = None,
    kept: ReplicateStore | None = None,
) -> Changes:
    """Compare two runs; `models` maps present model names to earlier ones where they differ."""
    old, new = _rename_previous(before, models), now.results
    changed = find_rule_changes(before.results, new)
    found = find_causes(old, new, changed)
    moved = compute_moves(old, new, kept)
    return Changes(
        before=_build_stamp(before),
        now=_build_stamp(now),
        rule=changed,
        causes=found,
        because=describe_cause(found),
        gates=tuple(_iter_gates(before.results, new)),
        moves=moved,
        family=sum(move.p_value is not None for move in moved),
        warnings=tuple(_iter_warnings(old, new)),
        renamed=dict(models or {}),
    )


def compute_moves_since(
    before: Run, now: Results, models: Mapping[str, str], kept: ReplicateStore | None
) -> tuple[Move, ...]:
    """Compute how far each value moved since a run; `models` is as in `compare_runs`."""
    return compute_moves(_rename_previous(before, models), now, kept)


def _rename_previous(before: Run, models: Mapping[str, str] | None) -> Results:
    """Return the earlier results with the present names of models."""
    to = {old: new for new, old in (models or {}).items()}
    return rename_models(before.results, to) if to else before.results


def _build_stamp(run: Run) -> RunStamp:
    results = run.results
    found = results.conclusion or conclude(results)
    versions = results.provenance.get("versions")
    version = versions.get("reportgen", "") if isinstance(versions, Mapping) else ""
    time = str(results.provenance.get("time", ""))
    return RunStamp(results.report.title, time, found.answer, run.digest, str(version))


def _iter_gates(before: Results, now: Results) -> Iterator[GateChange]:
    """Gates that ended otherwise, passed to failed first; then new and gone ones."""
    was, new = ({gate.name: gate for gate in r.gates} for r in (before, now))
    both = [
        GateChange(name, was[name].status, gate.status, gate.is_failure)
        for name, gate in new.items()
        if name in was and was[name].status != gate.status
    ]
    yield from sorted(both, key=lambda each: _rank_gate_status(each.now))
    for name in (name for name in new if name not in was):
        yield GateChange(name, "", new[name].status, new[name].is_failure)
    for name in sorted(was.keys() - new.keys()):
        yield GateChange(name, was[name].status, "")


def _rank_gate_status(status: str) -> int:
    return _ORDER.index(status) if status in _ORDER else len(_ORDER)


def _iter_warnings(before: Results, now: Results) -> Iterator[WarningChange]:
    was, new = (_identify_warnings(results) for results in (before, now))
    for code, about in sorted(new - was):
        yield WarningChange(code, about, is_new=True)
    for code, about in sorted(was - new):
        yield WarningChange(code, about, is_new=False)


def _identify_warnings(results: Results) -> set[tuple[str, str]]:
    return {
        (w.code, ", ".join(filter(None, (w.dataset, w.segment, w.key, w.model))))
        for w in results.warnings
    }


__all__ = ["ReplicateStore", "Run", "compare_runs", "load_run"]
