"""What changed from one run to another, in the order in which it is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reportgen.conclusion import conclude
from reportgen.diff.causes import because, causes, rule_changes
from reportgen.diff.moves import KeptReplicates, moves
from reportgen.diff.runs import Run, renamed
from reportgen.results import Results
from reportgen.results.changes import Changes, GateChange, RunStamp, WarningChange

_ORDER = ("fail", "inconclusive", "pass", "skipped", "")


def changes_between(
    before: Run,
    now: Run,
    models: Mapping[str, str] | None = None,
    kept: KeptReplicates | None = None,
) -> Changes:
    """What changed; `models` says what a model of now was called before, where names differ."""
    to = {old: new for new, old in (models or {}).items()}
    old, new = renamed(before.results, to) if to else before.results, now.results
    changed = rule_changes(before.results, new)
    found = causes(old, new, changed)
    moved = moves(old, new, kept)
    return Changes(
        before=_stamp(before),
        now=_stamp(now),
        rule=changed,
        causes=found,
        because=because(found),
        gates=tuple(_gates(before.results, new)),
        moves=moved,
        family=sum(move.p_value is not None for move in moved),
        warnings=tuple(_warnings(old, new)),
        renamed=dict(models or {}),
    )


def _stamp(run: Run) -> RunStamp:
    results = run.results
    found = results.conclusion or conclude(results)
    versions = results.provenance.get("versions")
    version = versions.get("reportgen", "") if isinstance(versions, Mapping) else ""
    time = str(results.provenance.get("time", ""))
    return RunStamp(results.report.title, time, found.answer, run.digest, str(version))


def _gates(before: Results, now: Results) -> Iterator[GateChange]:
    """Gates that ended otherwise, passed to failed first; then new and gone ones."""
    was, new = ({gate.name: gate for gate in r.gates} for r in (before, now))
    both = [
        GateChange(name, was[name].status, gate.status, gate.is_failure)
        for name, gate in new.items()
        if name in was and was[name].status != gate.status
    ]
    yield from sorted(both, key=lambda each: _place(each.now))
    for name in (name for name in new if name not in was):
        yield GateChange(name, "", new[name].status, new[name].is_failure)
    for name in sorted(was.keys() - new.keys()):
        yield GateChange(name, was[name].status, "")


def _place(status: str) -> int:
    return _ORDER.index(status) if status in _ORDER else len(_ORDER)


def _warnings(before: Results, now: Results) -> Iterator[WarningChange]:
    was, new = (_given(results) for results in (before, now))
    for code, about in sorted(new - was):
        yield WarningChange(code, about, is_new=True)
    for code, about in sorted(was - new):
        yield WarningChange(code, about, is_new=False)


def _given(results: Results) -> set[tuple[str, str]]:
    return {
        (w.code, ", ".join(filter(None, (w.dataset, w.segment, w.key, w.model))))
        for w in results.warnings
    }
