"""The plan for one dataset with its replicates, and all that is known of each number of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from reportgen.analysis.class_counts import ClassCounts, of_rarer_class
from reportgen.analysis.few_calls import changed_calls
from reportgen.analysis.judged import judging_either, on_units_of
from reportgen.analysis.kept import names_of
from reportgen.analysis.one_row_more import hidden
from reportgen.analysis.plan import AnalysisPlan, ModelScores, Use
from reportgen.analysis.subset import RowSubset, error_of_what
from reportgen.inference.contrasts import contrast
from reportgen.inference.evidence import Basis, Evidence, size_of
from reportgen.inference.folds import of_folds
from reportgen.inference.rounding import settled
from reportgen.kernels.batch import Batch
from reportgen.kernels.buffers import release
from reportgen.metrics.spec import NEAREST, Image
from reportgen.resampling.cache import Cache
from reportgen.resampling.recent import Recent
from reportgen.resampling.replicates import (
    SHARED_FROM,
    Replicates,
    Slice,
    What,
    Where,
    over_threads,
    replicate,
    shape_of,
)
from reportgen.results.literals import Lacking
from reportgen.rows import Rows

MANY = 100_000  # rows from which room is worth more than the time to make tables again


@dataclass(frozen=True, eq=False)
class DatasetAnalysis:
    """A plan with the replicates of everything in it.

    `is_of_procedure` says that replicates of metrics tell of other fits, not of other rows.
    """

    plan: AnalysisPlan
    parts: tuple[RowSubset, ...]
    replicates: Replicates
    names: Mapping[tuple[Where, What], str] = field(default_factory=dict)
    recent: Recent[Evidence] = field(default_factory=lambda: Recent(size_of))
    is_of_procedure: bool = False

    @property
    def by_class(self) -> ClassCounts:
        """How many of all rows are of each class, and how they are called."""
        whole = self.parts[0]
        return ClassCounts(whole.weight, whole.by_unit, whole.data)

    def evidence(self, part: RowSubset, use: Use, model: str) -> Evidence:
        """All that is known of one metric of one model on one part; many tables ask for it."""
        key = part.name, use.key, model
        return self.recent.get(key, lambda: self._evidence(part, use, model))

    def forget(self, part: RowSubset, keys: Iterable[str]) -> None:
        """Let go of what is known of these metrics on one part; it is made again if asked for."""
        self.recent.forget((part.name, key, model) for key in keys for model in part.data)

    def make_room(self) -> None:
        """Let go of what statistics computed on their way, where there are many rows."""
        if self.plan.design.n < MANY:
            return
        for part in self.parts:
            part.forget()
        release()

    def difference(
        self, part: RowSubset, use: Use, candidate: str, baseline: str
    ) -> tuple[Evidence, float]:
        """What is known of candidate − baseline on one metric and part; the baseline's value."""
        first, second = self.on_same_units(part, (use, candidate), (use, baseline))
        either = ((candidate, baseline), (baseline, candidate))  # one standard error both ways
        errors = (self.replicates.get((part.name, error_of_what(use.key, pair))) for pair in either)
        own = next((error for error in errors if error is not None), None)
        own = None if self.is_of_procedure else own
        found = contrast(first, second, use.metric.better, own)
        found = replace(found, has_one_score=part.is_same(candidate, baseline))
        if not self.is_of_procedure:
            found = replace(found, changed=changed_calls(part, use.key, candidate, baseline))
        found = self.with_hidden(part, use, found, candidate, baseline)
        return replace(found, basis=self.decider(part, use, candidate, baseline)), second.value

    def with_hidden(self, part: RowSubset, use: Use, found: Evidence, *models: str) -> Evidence:
        """What is known of one model's value or a difference, with the variance few rows hide."""
        if len(models) > 1 and (use.metric.better in NEAREST or found.has_one_score):
            return found  # no row more is known to move it
        return replace(found, unseen=self.hidden(part, use, found, *models))

    def hidden(self, part: RowSubset, use: Use, known: Evidence, *models: str) -> float:
        """The variance that few rows of a class hide, of one model's value or a difference.

        None where rows are not independent, or another fit is what varies.
        """
        design, is_off = self.plan.design, known.folds is not None or self.is_of_procedure
        if is_off or design.unit is not None or design.block is not None:
            return 0.0
        own, *other = (part.judging(part.bound[use.key, model]) for model in models)
        are_same = all(each is own for each in other)
        return hidden(part, use.key, known.influence, *models) if are_same else 0.0

    def on_same_units(self, part: RowSubset, *each: tuple[Use, str]) -> list[Evidence]:
        """What is known of metrics of models, on the units that any of them judges."""
        found = [self.evidence(part, use, model) for use, model in each]
        bound = [part.bound[use.key, model] for use, model in each]
        either = judging_either(part, *bound)
        if either is None:
            return found
        own = map(part.judging, bound)
        return [on_units_of(either, *one) for one in zip(found, own, strict=True)]

    def decider(self, part: RowSubset, use: Use, candidate: str, baseline: str) -> Basis | None:
        """The difference that decides in place of one in a function of it; None if it is that."""
        if use.key not in part.roots:
            return None
        root, image = part.roots[use.key]
        found, _ = self.difference(part, root, candidate, baseline)
        sign = 1.0 if root.metric.better == use.metric.better else -1.0
        made = Basis(found, image.line and (0.0, image.line[1]), sign)
        return made if np.isfinite(found.value) else None

    def root(self, part: RowSubset, use: Use, model: str) -> Basis | None:
        """What decides in place of a value that is a straight line of it; None if it is none."""
        root, image = part.roots.get(use.key, (use, Image(use.metric)))
        return image.line and Basis(self.evidence(part, root, model), image.line)

    def _evidence(self, part: RowSubset, use: Use, model: str) -> Evidence:
        bound, rows = part.bound[use.key, model], part.data[model]
        seen, block = part.judging(bound), self.plan.design.block
        value = float(bound(Batch.of(seen.weight))[0])
        phi = bound.influence(seen.weight) if np.isfinite(value) else None
        edge = bound.smoothed_influence(seen.weight) if np.isfinite(value) else None
        share, losses = seen.share, bound.losses
        portions = bound.portions(share) if block is None else ()
        classes, is_of_rows = bound.classes(), self.plan.design.unit is None
        trials = float(1 / (np.sum(share**2) or np.inf))
        found = Evidence(
            value=value,
            replicates=self.replicates[part.name, (use.key, model)],
            estimand=use.metric.estimand,
            bounds=use.metric.bounds,
            n=seen.judges,
            units=seen.counted,
            bias=bound.bias(seen.weight) if np.isfinite(value) else None,
            influence=seen.counting(None if phi is None else seen.influence(phi)),
            grouped=part.grouped(bound, value),
            smoothed=seen.counting(None if edge is None else seen.influence(edge)),
            replicate_se=self.replicates.get((part.name, error_of_what(use.key, model))),
            contributions=None if losses is None else seen.counting(seen.by_unit(share * losses)),
            shares=None if losses is None else seen.unit_shares,
            positives=seen.counting(classes) if is_of_rows else None,
            rarer=None
            if is_of_rows or classes is None
            else of_rarer_class(classes, seen.weight, seen.by_unit),
            trials=None if block is not None else portions[0][1] if portions else trials,
            portions=portions,
            hits=seen.counting(bound.hits) if is_of_rows else None,
            block=block,
            strata=seen.strata,
            is_clustered=part.is_clustered,
            balance=seen.balance if seen.balance.is_uneven else None,
            is_weighted=self.plan.design.weight is not None,
            is_tied=any(column.groups < len(rows) for column in rows.ties().values()),
            basis=self.root(part, use, model),
            units_are=_counted_as(self.plan, rows),
        )
        if self.is_of_procedure:
            found = of_folds(found, part.of_folds.values(bound, model))
        found = self.with_hidden(part, use, found, model)
        return settled(found, use.metric.unit, rows)


def _counted_as(plan: AnalysisPlan, rows: Rows) -> Lacking:
    """What units are, where too few of them decide nothing."""
    if plan.design.case == "query":
        return "queries"
    return "datasets" if rows.is_of_datasets else ""


def replicated(
    plan: AnalysisPlan,
    threads: int = 1,
    tick: Callable[[int], None] | None = None,
    cache: Cache | None = None,
) -> DatasetAnalysis:
    """Draw all replicates of everything that the plan names; those in the cache are taken."""
    with over_threads(threads if plan.design.n >= SHARED_FROM else 1) as mapped:
        deque(mapped(_sorted, plan.models), maxlen=0)
        parts = (RowSubset(plan, None), *(RowSubset(plan, s) for s in plan.segments))
        parts[0].bound_metrics.bind(mapped)
        parts[0].bound_curves.bind(mapped)
        slices: dict[Where, Slice] = {part.name: part.slice(mapped) for part in parts}
    names = names_of(plan, slices)
    if cache is None:
        return DatasetAnalysis(plan, parts, replicate(plan.design, slices, threads, tick), names)
    kept = {
        (where, key): found
        for (where, key), name in names.items()
        if (found := cache.get(name, shape_of(slices[where].statistics[key], plan.design)))
        is not None
    }
    wanted = {
        at: part.without({key for place, key in kept if place == at}) for at, part in slices.items()
    }
    drawn = replicate(plan.design, wanted, threads, tick)
    for key in names.keys() & drawn.keys():
        cache.put(names[key], drawn[key])
    return DatasetAnalysis(plan, parts, {**kept, **drawn}, names)


def _sorted(model: ModelScores) -> None:
    """Sort what is read in order, so that models are sorted side by side."""
    deque((column.is_last for column in model.rows.orders()), maxlen=0)
