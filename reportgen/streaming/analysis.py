"""What is known of each number from sums alone, as an analysis that tables can be made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import nan

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import OperatingRule, Use
from reportgen.analysis.subset import RowSubset, error_of_what
from reportgen.inference.evidence import Evidence
from reportgen.inference.rounding import settled_to
from reportgen.kernels.batch import Vector
from reportgen.kernels.cuts import CELLS
from reportgen.streaming.values import Totals


@dataclass(frozen=True, eq=False)
class StreamedRows(RowSubset):
    """All rows of a plan, of which the first are at hand and the others are known by sums."""

    totals: Totals | None = None

    @property
    def known(self) -> Totals:
        """The sums of all rows."""
        assert self.totals is not None
        return self.totals

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
        """How many rows a metric judges: all of them."""
        return self.known.rows

    @property
    def counted(self) -> int:
        """How many units weigh anything."""
        return self.known.units


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
            key: totals.influences(key, [m for m in models if (key, m) in known]) for key in keys
        }

    @property
    def known(self) -> Totals:
        """The sums of all rows."""
        assert self.totals is not None
        return self.totals

    def cells(self, _: DatasetAnalysis, rule: OperatingRule, model: str) -> list[float]:
        """The weight in each cell of the matrix of an operating point."""
        for use in rule.uses:
            summand = self.known.layout.summands.get((use.key, model))
            if summand is not None and summand.metric.shape == "counted":
                cells = self.known.layout.first(summand.places)
                return [float(x) for x in self.known.own[cells]]
        return [nan] * CELLS

    def _evidence(self, part: RowSubset, use: Use, model: str) -> Evidence:
        totals, of = self.known, (use.key, model)
        portions, balance = totals.portions(of), totals.balance
        is_clustered = totals.clusters is not None
        found = Evidence(
            value=totals.value(of),
            replicates=self.replicates[None, of],
            estimand=use.metric.estimand,
            bounds=use.metric.bounds,
            n=totals.rows,
            units=totals.units,
            influence=self._influences.get(use.key, {}).get(model),
            replicate_se=self.replicates.get((None, error_of_what(use.key, model))),
            trials=portions[0][1] if portions else totals.weight**2 / float(totals.own[2]),
            portions=portions,
            is_clustered=is_clustered,
            balance=balance if balance.is_uneven else None,
            is_weighted=self.plan.design.weight is not None,
            is_tied=True,
            binning=totals.layout.summands[of].bound if self.is_widened else 0.0,
            basis=self.root(part, use, model),
        )
        return settled_to(found, use.metric.unit, totals.largest)
