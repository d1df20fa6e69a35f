"""What is known of each number from sums alone, as an analysis that tables can be made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.class_counts import ClassCounts
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import AnalysisPlan, ClassUse, OperatingRule, Use
from reportgen.analysis.subset import RowSubset, error_of_what
from reportgen.inference.evidence import Evidence
from reportgen.inference.rounding import settled_to
from reportgen.kernels.batch import Vector
from reportgen.kernels.cuts import CELLS
from reportgen.metrics.spec import BoundMetric, Metric
from reportgen.rows import Classes, LabelSets, Rows
from reportgen.streaming.changes import changed
from reportgen.streaming.hidden import hidden
from reportgen.streaming.judged import JudgedRows
from reportgen.streaming.summand import Of
from reportgen.streaming.values import Totals


@dataclass(frozen=True, eq=False)
class StreamedRows(RowSubset):
    """All rows of a plan, of which the first are at hand and the others are known by sums.

    With `of` they are those that a metric of a model judges.
    """

    totals: Totals | None = None
    of: Of | None = None

    @property
    def known(self) -> Totals:
        """The sums of all rows."""
        assert self.totals is not None
        return self.totals

    def judging(self, bound: BoundMetric) -> RowSubset:
        """The same rows as a metric sees them."""
        if not bound.statistic.leaves_out:
            return self
        of = next(key for key, each in self.bound.items() if each is bound)
        return replace(self, of=of)

    @property
    def _judged(self) -> JudgedRows:
        return self.known.all_rows if self.of is None else self.known.judged_by(self.of)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.known.rows

    @property
    def weighing(self) -> int:
        """How many rows weigh anything."""
        return self.known.weighing

    def is_same(self, one: str, other: str) -> bool:
        """Whether two models say the same of every row."""
        return (one, other) in self.known.same

    @property
    def judges(self) -> int:
        """How many rows a metric judges."""
        return self._judged.rows

    @property
    def counted(self) -> int:
        """How many units weigh anything."""
        return self._judged.units


@dataclass(frozen=True, eq=False)
class StreamedClasses(ClassCounts):
    """Those of all rows, from sums."""

    plan: AnalysisPlan
    totals: Totals

    def rows(self, each: ClassUse) -> int:
        """How many rows of a class weigh anything; of an average how many rows do."""
        totals, labels = self.totals, _labels(self.data)
        return totals.weighing if each.rows is None else totals.classes[labels.index(each.value)]

    def units(self, each: ClassUse) -> tuple[int, int]:
        """How many units have a row of a class that weighs, up to some, and how many there are."""
        return self.totals.holders[each.value], self.totals.units

    def calls(self, model: str) -> NDArray[np.float64] | None:
        """The weight by class that was and that was called, (k, k); None of no such table."""
        tables = self.totals.called
        if model not in tables.tables.models:
            return None
        k = tables.tables.classes
        return tables.weight(model).reshape(k, k)

    def labels(self, model: str, threshold: float, at: str) -> NDArray[np.float64]:
        """Of each label the weight that lacks it or has it, each not called and called, (k, 4)."""
        totals, found = self.totals, dict[str, Vector]()
        for each in self.plan.class_uses:
            params, summand = each.use.metric.params, totals.summand((each.use.key, model))
            is_asked = (params.get("threshold"), params.get("at")) == (threshold, at)
            if is_asked and summand is not None and summand.metric.shape == "counted":
                found[each.value] = totals.own[totals.layout.first(summand.places)]
        return np.stack([found[label] for label in _labels(self.data)])


@dataclass(frozen=True, eq=False)
class StreamedAnalysis(DatasetAnalysis):
    """A plan with the sums of everything in it.

    Where it `is_widened`, values from bins of scores are no surer than these allow.
    """

    totals: Totals | None = None
    is_widened: bool = True

    @cached_property
    def _influences(self) -> Mapping[str, Mapping[str, Vector]]:
        totals, models = self.known, [model.name for model in self.plan.models]
        if totals.clusters is not None:
            return {}
        keys = dict.fromkeys(key for key, _ in totals.layout.summands)
        known = totals.layout.summands
        return {
            key: totals.influences(key, of, self._sizes(known[key, of[0]].metric))
            for key in keys
            if (of := [m for m in models if (key, m) in known])
        }

    @property
    def known(self) -> Totals:
        """The sums of all rows."""
        assert self.totals is not None
        return self.totals

    @property
    def by_class(self) -> ClassCounts:
        """How many rows are of each class, and how they are called."""
        whole = self.parts[0]
        return StreamedClasses(whole.weight, whole.by_unit, whole.data, self.plan, self.known)

    def sizes_of(self, use: Use) -> tuple[int, int] | None:
        """How many rows that weigh are of the upper of two classes, or of a class, and are not."""
        return self._sizes(use.metric)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes that rows are of, or the labels that they may have."""
        return _labels(self.parts[0].data)

    def _sizes(self, metric: Metric) -> tuple[int, int] | None:
        counts, of = self.known.classes, metric.params.get("of")
        labels = self.labels
        if len(counts) == 2 and not of:
            return counts[1], counts[0]
        if of not in labels:
            return None
        upper = counts[labels.index(str(of))]
        return upper, self.known.weighing - upper

    def cells(self, _: DatasetAnalysis, rule: OperatingRule, model: str) -> list[float]:
        """The weight in each cell of the matrix of an operating point."""
        for use in rule.uses:
            summand = self.known.layout.summands.get((use.key, model))
            if summand is not None and summand.metric.shape == "counted":
                cells = self.known.layout.first(summand.places)
                return [float(x) for x in self.known.own[cells]]
        return [nan] * CELLS

    def difference(
        self, part: RowSubset, use: Use, candidate: str, baseline: str
    ) -> tuple[Evidence, float]:
        """What is known of candidate − baseline; of shares of rows also how many rows changed."""
        found, value = super().difference(part, use, candidate, baseline)
        if self.known.clusters is not None or self.plan.design.weight is not None:
            return found, value
        rows = changed(self.known, (use.key, candidate), (use.key, baseline))
        if rows is not None:
            found = replace(found, changed=rows, portions=())
        return found, value

    def _evidence(self, part: RowSubset, use: Use, model: str) -> Evidence:
        totals, of = self.known, (use.key, model)
        portions, seen = totals.portions(of), totals.judged_by(of)
        is_clustered = totals.clusters is not None
        sizes = None if use.metric.classes is None else self.sizes_of(use)
        found = Evidence(
            value=totals.value(of),
            replicates=self.replicates[None, of],
            estimand=use.metric.estimand,
            bounds=use.metric.bounds,
            n=seen.rows,
            units=seen.units,
            influence=self._influences.get(use.key, {}).get(model),
            replicate_se=self.replicates.get((None, error_of_what(use.key, model))),
            rarer=None if sizes is None else min(sizes),
            trials=portions[0][1] if portions else seen.weight**2 / (seen.squares or inf),
            portions=portions,
            is_clustered=is_clustered,
            balance=seen.balance if seen.balance.is_uneven else None,
            is_weighted=self.plan.design.weight is not None,
            is_tied=True,
            binning=totals.layout.summands[of].bound if self.is_widened else 0.0,
            basis=self.root(part, use, model),
            units_are="queries" if self.plan.design.case == "query" else "",
        )
        found = self.with_hidden(part, use, found, model)
        return settled_to(found, use.metric.unit, totals.largest)

    def hidden(self, part: RowSubset, use: Use, known: Evidence, *models: str) -> float:
        """The variance that few rows of a class hide, of one model's value or a difference."""
        return hidden(self.known, use.key, *models)


def _labels(data: Mapping[str, Rows]) -> tuple[str, ...]:
    """The classes that rows are of."""
    rows = next(iter(data.values()))
    return rows.labels if isinstance(rows, Classes | LabelSets) else ()
