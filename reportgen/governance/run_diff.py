"""Compare two runs: rule, causes, verdict, gates, values, warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.governance.data_shifts import iter_run_shifts
from reportgen.governance.digests import extract_rule
from reportgen.governance.verification import refuse_changed_results
from reportgen.inference.differences import mover_limits
from reportgen.metrics.tasks import TASKS
from reportgen.records import record
from reportgen.report import archive
from reportgen.report.conclusion import conclude
from reportgen.report.prose.run_changes import describe_lone_rule
from reportgen.results import Results
from reportgen.results.changes import (
    Cause,
    Changes,
    DataShift,
    GateChange,
    MoveMethod,
    MoveWord,
    PresenceChange,
    PresenceKind,
    RuleChange,
    RunStamp,
    ValueChange,
    WarningChange,
)
from reportgen.results.core import Comparison, DatasetDigests, Estimate, MetricInfo
from reportgen.results.types import Plain, round_number
from reportgen.terms import RESULTS

SAME_ROWS = "too wide: the rows are the same, but the cache has no resamples that both runs share"
OTHER_ROWS = "rows in both runs, if any, are not allowed for"
FREE_OF_SHARE = frozenset(
    """
    balanced_accuracy binary_recall_at decayed_auc fnr fpr fpr_at g_mean gini ks lr_negative
    lr_positive odds_ratio partial_auc recall roc_auc specificity youden
    """.split()
)
"""Metrics of two classes that stay the same where only the share of positives changes."""
_NORMAL = NormalDist()


class ReplicateStore(Protocol):
    """Store of replicates by name: the user's cache."""

    def get(self, digest: str, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
        """Those under a name; None if there are none."""


@record
class _Value:
    """A number with its interval, as an estimate or a difference has it."""

    value: float | None
    low: float | None
    high: float | None
    level: float


@record
class _DigestPair:
    """Both runs' digests of a dataset, and how many replicates; None where a run has none."""

    before: DatasetDigests | None
    now: DatasetDigests | None
    replicates: int

    @property
    def has_same_rows(self) -> bool:
        return (
            self.before is not None and self.now is not None and (self.before.rows == self.now.rows)
        )

    def has_same_scores(self, models: Iterable[str]) -> bool:
        """Whether each of the models has the scores that it had; so only where rows are known."""
        if self.before is None or self.now is None:
            return False
        was, now = self.before.scores, self.now.scores
        return all(m in was and was[m] == now.get(m) for m in models)

    def spread(
        self, key: str, models: tuple[str, ...], kept: ReplicateStore | None
    ) -> float | None:
        """Return the standard error of a move from replicates of the same draws; None without them.

        Of two models it is that of their difference.
        """
        if self.before is None or self.now is None or not self.now.design:
            return None
        if self.before.design != self.now.design:
            return None
        new, old = (
            self.load_replicates(each, key, models, kept) for each in (self.now, self.before)
        )
        return None if new is None or old is None else _compute_standard_deviation(new - old)

    def load_replicates(
        self, run: DatasetDigests, key: str, models: tuple[str, ...], kept: ReplicateStore | None
    ) -> NDArray[np.float64] | None:
        """Return the replicates of one model in a run, or those of the first minus the second."""
        if kept is None:
            return None
        names = (run.replicates.get(model, {}).get(key) for model in models)
        found = [kept.get(name, (self.replicates,)) if name else None for name in names]
        arrays = [each for each in found if each is not None]
        if len(arrays) < len(models):
            return None
        return arrays[0] if len(arrays) == 1 else arrays[0] - arrays[1]

    def wider(
        self, run: DatasetDigests | None, results: Results, key: str, kept: ReplicateStore | None
    ) -> float:
        """How many times as wide as by its replicates a difference of a run is printed; least 1."""
        found = [1.0]
        if run is not None:
            for c in results.comparisons:
                if (c.dataset, c.segment, c.key) != (run.dataset, None, key):
                    continue
                drawn = self.load_replicates(run, key, (c.candidate, c.baseline), kept)
                sd = None if drawn is None else _compute_standard_deviation(drawn)
                if sd and c.low is not None and c.high is not None:
                    times = _compute_normal_quantile(_compute_own_level(c))
                    found.append((c.high - c.low) / (2 * times * sd))
        return max(found)


def _compute_standard_deviation(drawn: NDArray[np.float64]) -> float | None:
    """Return the standard deviation of the finite replicates; None for fewer than three."""
    known = drawn[np.isfinite(drawn)]
    return float(np.std(known, ddof=1)) if len(known) > 2 else None


def _compute_normal_quantile(level: float) -> float:
    return _NORMAL.inv_cdf((1 + level) / 2)


def compute_moves(
    before: Results, now: Results, kept: ReplicateStore | None = None
) -> tuple[ValueChange, ...]:
    """Every move of a value, and of a difference, that both runs have on all rows of a dataset."""
    found = [*_iter_value_moves(before, now, kept), *_iter_difference_moves(before, now, kept)]
    moves = _adjust_and_word(
        [move for move in found if move.before is not None or move.now is not None]
    )
    return tuple(_withhold_words(moves, before, now))


def _withhold_words(
    moves: Iterable[ValueChange], before: Results, now: Results
) -> Iterator[ValueChange]:
    """Call no move better or worse that a changed share of positives may have made by itself."""
    shares = {} if now.config.get("prevalence") else _find_changed_shares(before, now)
    names = {metric.key: metric for metric in now.metrics}
    for move in moves:
        metric, shift = names[move.key], shares.get(move.dataset)
        is_free = metric.name in FREE_OF_SHARE and "at" not in metric.params
        if shift is None or is_free or move.method in ("not comparable", "same rows and scores"):
            yield move
            continue
        note = (
            f"the share of positives changed from {shift.before:.1%} to {shift.now:.1%}, "
            "which moves this metric by itself"
        )
        word: MoveWord = "moved" if move.word in ("improved", "worsened") else move.word
        yield replace(move, word=word, note="; ".join(filter(None, (move.note, note))))


def _find_changed_shares(before: Results, now: Results) -> dict[str, DataShift]:
    """Find the datasets of two classes whose share of positives changed beyond chance."""
    return {
        shift.dataset: shift
        for shift in iter_run_shifts(before, now, {})
        if TASKS[now.task].target == "flag"
        and shift.kind == "target"
        and shift.low is not None
        and shift.high is not None
        and not shift.low <= 0 <= shift.high
    }


def _iter_value_moves(
    before: Results, now: Results, kept: ReplicateStore | None
) -> Iterator[ValueChange]:
    was = {(e.dataset, e.model, e.key): e for e in before.estimates if e.segment is None}
    for each in now.estimates:
        old = was.get((each.dataset, each.model, each.key))
        if each.segment is None and old is not None:
            start = _build_empty_move(now, each.dataset, each.key, each.model, None)
            if start is not None:
                yield _compute_change(
                    start, _build_value(old), _build_value(each), before, now, kept
                )


def _iter_difference_moves(
    before: Results, now: Results, kept: ReplicateStore | None
) -> Iterator[ValueChange]:
    was = {
        (c.dataset, c.candidate, c.baseline, c.key): c
        for c in before.comparisons
        if c.segment is None
    }
    for each in now.comparisons:
        old = was.get((each.dataset, each.candidate, each.baseline, each.key))
        if each.segment is None and old is not None:
            start = _build_empty_move(now, each.dataset, each.key, each.candidate, each.baseline)
            if start is not None:
                yield _compute_change(
                    replace(start, margin=each.margin),
                    _build_gap(old),
                    _build_gap(each),
                    before,
                    now,
                    kept,
                )


def _build_value(found: Estimate) -> _Value:
    return _Value(found.value, found.low, found.high, found.level)


def _build_gap(found: Comparison) -> _Value:
    """Build a difference with the interval that it would have outside its family."""
    value, times = found.difference, _compute_normal_quantile(found.level)
    ratio = times / _compute_normal_quantile(_compute_own_level(found))
    if value is None:
        return _Value(None, None, None, found.level)
    low, high = (
        None if end is None else value + ratio * (end - value) for end in (found.low, found.high)
    )
    return _Value(value, low, high, found.level)


def _compute_own_level(c: Comparison) -> float:
    """Compute the level at which the limits hold by themselves."""
    return 1 - (1 - c.level) / c.family_size


def _build_empty_move(
    now: Results, dataset: str, key: str, model: str, against: str | None
) -> ValueChange | None:
    """Build a move without its numbers; None for a metric reported by class only."""
    metric = next((m for m in now.metrics if m.key == key), None)
    if metric is None:
        return None
    margin = metric.margin if metric.is_primary else None
    return ValueChange(
        dataset,
        key,
        metric.label,
        metric.unit,
        metric.better,
        model,
        against,
        None,
        None,
        None,
        margin=margin,
    )


def _compute_change(
    move: ValueChange,
    old: _Value,
    new: _Value,
    before: Results,
    now: Results,
    kept: ReplicateStore | None,
) -> ValueChange:
    """Return the move with its numbers, its interval and the method of the interval."""
    move = replace(move, before=old.value, now=new.value, level=new.level)
    if not _is_same_metric(before, now, move.key):
        return replace(move, method="not comparable", note="the metric is defined otherwise")
    if old.value is None or new.value is None:
        return replace(move, method="not comparable", note="undefined in one of the runs")
    change = new.value - old.value
    move = replace(move, change=round_number(change))
    pair = _build_pair(before, now, move.dataset)
    models = (move.model,) if move.against is None else (move.model, move.against)
    if pair.has_same_rows and pair.has_same_scores(models):
        return _compute_unmoved_change(move, change)
    se = pair.spread(move.key, models, kept)
    if se is not None:
        runs = ((pair.before, before), (pair.now, now))
        wider = max(pair.wider(*each, move.key, kept) for each in runs)
        half = _compute_normal_quantile(new.level) * se * wider
        return _set_limits(move, change, change - half, change + half, "paired", "")
    return _square_and_add(move, old, new, pair.has_same_rows)


def _compute_unmoved_change(move: ValueChange, change: float) -> ValueChange:
    if change == 0:
        return replace(move, low=0.0, high=0.0, method="same rows and scores", word="same")
    note = "the rows and the scores are the same: the code or the rule moved it"
    return replace(move, method="same rows and scores", note=note, word="moved")


def _square_and_add(
    move: ValueChange, old: _Value, new: _Value, has_same_rows: bool
) -> ValueChange:
    """Square-and-add, where both runs have intervals of one level."""
    assert old.value is not None and new.value is not None
    if None in (old.low, old.high, new.low, new.high) or old.level != new.level:
        return replace(move, note="no interval of one level in both runs")
    low, high = mover_limits((new.value, new.low, new.high), (old.value, old.low, old.high))  # type: ignore[arg-type]
    method: MoveMethod = "as if independent" if has_same_rows else "square-and-add"
    note = SAME_ROWS if has_same_rows else OTHER_ROWS
    return _set_limits(move, new.value - old.value, low, high, method, note)


def _set_limits(
    move: ValueChange, change: float, low: float, high: float, method: MoveMethod, note: str
) -> ValueChange:
    """Return the move with its limits and the p-value that the limit towards zero implies."""
    reach = change - low if change > 0 else high - change
    z = _NORMAL.inv_cdf((1 + move.level) / 2)
    p = None
    if reach > 0:
        p = 2 * _NORMAL.cdf(-abs(change) / reach * z)
    return replace(
        move,
        low=round_number(low),
        high=round_number(high),
        p_value=round_number(p),
        method=method,
        note=note,
    )


def _is_same_metric(before: Results, now: Results, key: str) -> bool:
    if before.digests is not None and now.digests is not None:
        return before.digests.metrics.get(key) == now.digests.metrics.get(key)
    first, second = (next((m for m in r.metrics if m.key == key), None) for r in (before, now))
    return first is not None and second is not None and _list_terms(first) == _list_terms(second)


def _list_terms(metric: MetricInfo) -> tuple[object, ...]:
    return metric.name, metric.params, metric.better, metric.unit


def _build_pair(before: Results, now: Results, dataset: str) -> _DigestPair:
    first, second = (
        next((d for d in r.digests.datasets if d.dataset == dataset), None) if r.digests else None
        for r in (before, now)
    )
    info = next(d for d in now.datasets if d.name == dataset)
    return _DigestPair(first, second, info.replicates or now.inference.replicates)


def _adjust_and_word(found: list[ValueChange]) -> tuple[ValueChange, ...]:
    """Adjust the moves' p-values for each other (Holm), and word what each move shows."""
    known = sorted(
        (p, place) for place, move in enumerate(found) if (p := move.p_value) is not None
    )
    so_far, shown = 0.0, list(found)
    for rank, (p, place) in enumerate(known):
        so_far = max(so_far, min(1.0, p * (len(known) - rank)))
        shown[place] = replace(found[place], p_adjusted=round_number(so_far))
    return tuple(replace(move, word=move.word or _choose_word(move)) for move in shown)


def _choose_word(move: ValueChange) -> MoveWord:
    p, change = move.p_adjusted, move.change
    if p is None or change is None or move.low is None or move.high is None:
        return ""
    if p < 1 - move.level:
        return _choose_direction_word(move, change)
    is_small = move.margin is not None and -move.margin < move.low and move.high < move.margin
    return "within the margin" if is_small and move.method != "as if independent" else ""


def _choose_direction_word(move: ValueChange, change: float) -> MoveWord:
    """Whether a move is for the better; of what is best near some value nobody can say by sign."""
    if move.better not in ("higher", "lower"):
        return "moved"
    return "improved" if (change > 0) == (move.better == "higher") else "worsened"


@record
class Run:
    """Results, the digest of their file if they are from one, and what of it could not be read."""

    results: Results
    digest: str = ""
    notes: tuple[str, ...] = ()
    path: Path = Path(RESULTS)


def load_run(place: Path) -> Run:
    """Load the run of a report's folder or a results.json.

    Raise DataError where there is none, or where it was changed after the run.
    """
    path = place / RESULTS if place.is_dir() else place
    found = archive.load_any_results(path)
    refuse_changed_results(path, found.digest)
    return Run(found.results, found.digest, found.notes, path)


def rename_models(results: Results, names: Mapping[str, str]) -> Results:
    """Results in which models are called as `names` says, old name to new.

    A model that nobody names keeps its name, unless that is given to another: then it is left out.
    """
    taken = set(names.values()) - set(names)
    known = {m.name for m in results.models}
    to = {name: names.get(name, name) for name in known if name in names or name not in taken}

    def select_shown(rows: Any, *keys: str) -> Any:
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
        models=select_shown(results.models, "name"),
        estimates=select_shown(results.estimates, "model"),
        comparisons=select_shown(results.comparisons, "candidate", "baseline"),
    )


_FIRST = ("primary", "gates", "comparisons", "bootstrap")
SEED = "bootstrap.seed"
_LONGEST = 80
NONE = "none"
"""What stands for a key without a value, as if it were not there."""


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
        if was.get(key, NONE) != new.get(key, NONE)
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
        items = list(_iter_named_items(value))
    else:
        return {place: _format_text(value)}
    if not items:
        return {place: NONE} if place else {}
    found: dict[str, str] = {}
    for key, each in items:
        found |= _flatten_config(each, f"{place}.{key}" if place else key)
    return found


def _iter_named_items(items: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield each item with a name that does not depend on its place, unless several have it."""
    times: Counter[str] = Counter()
    for place, each in enumerate(items):
        name = _name_list_item(each, place)
        times[name] += 1
        yield (name if times[name] == 1 else f"{name} {times[name]}"), each


def _name_list_item(each: Any, place: int) -> str:
    if isinstance(each, Mapping) and each.get("rule"):
        parts = (each.get(key) for key in ("rule", "metric", "model", "segment"))
        return " ".join(str(part) for part in parts if part)
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


_ORDER = ("not met", "cannot tell", "not judged", "no harm seen", "met", "skipped", "")


_DATA_CAUSES = ("rows", "labels", "scores", "seed")


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
    stamps = _build_stamp(before), _build_stamp(now)
    lone_rule = describe_lone_rule(
        (stamps[0].verdict, stamps[1].verdict),
        [(move.before, move.now) for move in moved],
        is_data_changed=any(cause.is_changed for cause in found if cause.name in _DATA_CAUSES),
    )
    return Changes(
        before=stamps[0],
        now=stamps[1],
        rule=changed,
        causes=found,
        because=" ".join(filter(None, (describe_cause(found), lone_rule))),
        gates=tuple(_iter_gates(before.results, new)),
        moves=moved,
        family=sum(move.p_value is not None for move in moved),
        warnings=tuple(_iter_warnings(old, new)),
        renamed=dict(models or {}),
        presence=tuple(_iter_presence_changes(old, new)),
        shifts=tuple(iter_run_shifts(before.results, new, models or {})),
    )


def compute_moves_since(
    before: Run, now: Results, models: Mapping[str, str], kept: ReplicateStore | None
) -> tuple[ValueChange, ...]:
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


def _iter_presence_changes(before: Results, now: Results) -> Iterator[PresenceChange]:
    """Yield what only one run has, of each kind the new ones first."""
    was, new = _collect_labels(before), _collect_labels(now)
    for kind, labels in new.items():
        older = was[kind]
        yield from (PresenceChange(kind, x, True) for key, x in labels.items() if key not in older)
        yield from (PresenceChange(kind, x, False) for key, x in older.items() if key not in labels)


def _collect_labels(results: Results) -> dict[PresenceKind, dict[str, str]]:
    return {
        "metric": {metric.key: metric.label for metric in results.metrics},
        "model": {model.name: model.label for model in results.models},
        "dataset": {dataset.name: dataset.name for dataset in results.datasets},
    }


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
