"""How far values moved between two runs, with an interval that both runs allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.inference.differences import mover_limits
from reportgen.results import (
    Comparison,
    DatasetDigests,
    Estimate,
    MetricInfo,
    Results,
    round_number,
)
from reportgen.results.changes import Move, MoveMethod, MoveWord

SAME_ROWS = "too wide: the rows are the same"
OTHER_ROWS = "rows in both runs, if any, are not allowed for"
_NORMAL = NormalDist()


class ReplicateStore(Protocol):
    """Store of replicates by name: the user's cache."""

    def get(self, digest: str, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
        """Those under a name; None if there are none."""


@dataclass(frozen=True)
class _Value:
    """A number with its interval, as an estimate or a difference has it."""

    value: float | None
    low: float | None
    high: float | None
    level: float


@dataclass(frozen=True)
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
        new, old = (self.drawn(each, key, models, kept) for each in (self.now, self.before))
        return None if new is None or old is None else _compute_standard_deviation(new - old)

    def drawn(
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
                drawn = self.drawn(run, key, (c.candidate, c.baseline), kept)
                sd = None if drawn is None else _compute_standard_deviation(drawn)
                if sd and c.low is not None and c.high is not None:
                    found.append((c.high - c.low) / (2 * _compute_normal_quantile(c.level) * sd))
        return max(found)


def _compute_standard_deviation(drawn: NDArray[np.float64]) -> float | None:
    """Return the standard deviation of the finite replicates; None for fewer than three."""
    known = drawn[np.isfinite(drawn)]
    return float(np.std(known, ddof=1)) if len(known) > 2 else None


def _compute_normal_quantile(level: float) -> float:
    return _NORMAL.inv_cdf((1 + level) / 2)


def compute_moves(
    before: Results, now: Results, kept: ReplicateStore | None = None
) -> tuple[Move, ...]:
    """Every move of a value, and of a difference, that both runs have on all rows of a dataset."""
    found = [*_iter_value_moves(before, now, kept), *_iter_difference_moves(before, now, kept)]
    return _adjust_and_word(
        [move for move in found if move.before is not None or move.now is not None]
    )


def _iter_value_moves(before: Results, now: Results, kept: ReplicateStore | None) -> Iterator[Move]:
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
) -> Iterator[Move]:
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
    return _Value(found.difference, found.low, found.high, found.level)


def _build_empty_move(
    now: Results, dataset: str, key: str, model: str, against: str | None
) -> Move | None:
    """Build a move without its numbers; None for a metric reported by class only."""
    metric = next((m for m in now.metrics if m.key == key), None)
    if metric is None:
        return None
    margin = metric.margin if metric.is_primary else None
    return Move(
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
    move: Move, old: _Value, new: _Value, before: Results, now: Results, kept: ReplicateStore | None
) -> Move:
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


def _compute_unmoved_change(move: Move, change: float) -> Move:
    if change == 0:
        return replace(move, low=0.0, high=0.0, method="same rows and scores", word="same")
    note = "the rows and the scores are the same: the code or the rule moved it"
    return replace(move, method="same rows and scores", note=note, word="moved")


def _square_and_add(move: Move, old: _Value, new: _Value, has_same_rows: bool) -> Move:
    """Square-and-add, where both runs have intervals of one level."""
    assert old.value is not None and new.value is not None
    if None in (old.low, old.high, new.low, new.high) or old.level != new.level:
        return replace(move, note="no interval of one level in both runs")
    low, high = mover_limits((new.value, new.low, new.high), (old.value, old.low, old.high))  # type: ignore[arg-type]
    method: MoveMethod = "as if independent" if has_same_rows else "square-and-add"
    note = SAME_ROWS if has_same_rows else OTHER_ROWS
    return _set_limits(move, new.value - old.value, low, high, method, note)


def _set_limits(
    move: Move, change: float, low: float, high: float, method: MoveMethod, note: str
) -> Move:
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


def _adjust_and_word(found: list[Move]) -> tuple[Move, ...]:
    """Adjust the moves' p-values for each other (Holm), and word what each move shows."""
    known = sorted(
        (p, place) for place, move in enumerate(found) if (p := move.p_value) is not None
    )
    so_far, shown = 0.0, list(found)
    for rank, (p, place) in enumerate(known):
        so_far = max(so_far, min(1.0, p * (len(known) - rank)))
        shown[place] = replace(found[place], p_adjusted=round_number(so_far))
    return tuple(replace(move, word=move.word or _choose_word(move)) for move in shown)


def _choose_word(move: Move) -> MoveWord:
    p, change = move.p_adjusted, move.change
    if p is None or change is None or move.low is None or move.high is None:
        return ""
    if p < 1 - move.level:
        return _choose_direction_word(move, change)
    is_small = move.margin is not None and -move.margin < move.low and move.high < move.margin
    return "within the margin" if is_small and move.method != "as if independent" else ""


def _choose_direction_word(move: Move, change: float) -> MoveWord:
    """Whether a move is for the better; of what is best near some value nobody can say by sign."""
    if move.better not in ("higher", "lower"):
        return "moved"
    return "improved" if (change > 0) == (move.better == "higher") else "worsened"
