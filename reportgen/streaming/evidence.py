"""What is known of each number from sums alone, as an analysis that tables can be made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reportgen.analysis.comparisons import in_families, pairs_of
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.estimates import estimates_of
from reportgen.analysis.findings import DatasetFindings
from reportgen.analysis.plan import AnalysisPlan, Use
from reportgen.analysis.sensitivity.ranks import differences_from_best, rank_probabilities
from reportgen.analysis.subset import RowSubset, error_of_what
from reportgen.analysis.warnings import warnings_of_families
from reportgen.inference.evidence import Evidence
from reportgen.inference.rounding import settled_to
from reportgen.kernels.batch import Vector
from reportgen.resampling.replicates import Replicates
from reportgen.results import Scalar, Sensitivity
from reportgen.results.raised import RaisedWarning
from reportgen.streaming.values import Totals

NOT_OFFERED = "curves, single rows, other choices"
MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class StreamedRows(RowSubset):
    """All rows of a plan, of which the first are at hand and the others are known by sums."""

    rows_in_all: int = 0
    units_in_all: int = 0

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.rows_in_all

    @property
    def judges(self) -> int:
        """How many rows a metric judges: all of them."""
        return self.rows_in_all

    @property
    def counted(self) -> int:
        """How many units weigh anything."""
        return self.units_in_all


@dataclass(frozen=True, eq=False)
class StreamedAnalysis(DatasetAnalysis):
    """A plan with the sums of everything in it."""

    totals: Totals | None = None

    @cached_property
    def _influences(self) -> Mapping[str, Mapping[str, Vector]]:
        totals, models = self._known, [model.name for model in self.plan.models]
        if totals.clusters is not None:
            return {}
        keys = dict.fromkeys(key for key, _ in totals.layout.summands)
        known = totals.layout.summands
        return {
            key: totals.influences(key, [m for m in models if (key, m) in known]) for key in keys
        }

    @property
    def _known(self) -> Totals:
        assert self.totals is not None
        return self.totals

    def _evidence(self, part: RowSubset, use: Use, model: str) -> Evidence:
        totals, of = self._known, (use.key, model)
        portions, balance = totals.portions(of), totals.balance()
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
            balance=balance if balance.is_uneven and not is_clustered else None,
            is_weighted=self.plan.design.weight is not None,
            is_tied=True,
            basis=self.root(part, use, model),
        )
        return settled_to(found, use.metric.unit, totals.largest)


def findings_of(plan: AnalysisPlan, totals: Totals, asked: Sequence[str] = ()) -> DatasetFindings:
    """Estimates, comparisons and ranks from sums; `asked` are the curves that the config names."""
    part = StreamedRows(plan, None, None, totals.rows, totals.units)
    replicates: Replicates = {}
    for key, model in totals.layout.summands:
        replicates[None, (key, model)] = totals.replicates((key, model))
        own = totals.errors((key, model))
        if own is not None:
            replicates[None, error_of_what(key, model)] = own
    for key in dict.fromkeys(key for key, _ in totals.layout.summands):
        for pair in plan.pairs:
            ends = [(key, name) for name in pair]
            if all(end in totals.layout.summands for end in ends):
                own = totals.difference_errors(ends[0], ends[1])
                if own is not None:
                    replicates[None, error_of_what(key, pair)] = own
    analysis = StreamedAnalysis(plan, (part,), replicates, totals=totals)
    compared = tuple(
        in_families(analysis, [p for use in plan.uses for p in pairs_of(analysis, part, use)])
    )
    return DatasetFindings(
        estimates=tuple(e for use in plan.uses for e in estimates_of(analysis, part, use)),
        comparisons=compared,
        curves=(),
        costs=(),
        sensitivity=Sensitivity(
            ranks=tuple(r for use in plan.uses for r in rank_probabilities(analysis, use)),
            from_best=tuple(r for use in plan.uses for r in differences_from_best(analysis, use)),
        ),
        warnings=(
            *((RaisedWarning("W110", {}),) if plan.is_used_to_choose else ()),
            *warnings_of_families(plan, compared),
            RaisedWarning("W251", _left_out(asked)),
        ),
        design=plan.design.kind,
        replicates=plan.design.replicates,
        block=None,
    )


def _left_out(asked: Sequence[str]) -> dict[str, Scalar]:
    """What a report of streamed rows lacks, with the curves that the config names."""
    if not asked:
        return {"what": NOT_OFFERED}
    named, more = asked[:MOST_NAMED], len(asked) - MOST_NAMED
    others = f" and {more} more" if more > 0 else ""
    return {"what": NOT_OFFERED, "named": ", ".join(named) + others}


def metrics_that_lack_sums(plan: AnalysisPlan) -> list[Use]:
    """The metrics that are no functions of sums over rows, and so are not offered."""
    part = RowSubset(plan, None)
    return [
        use
        for use in plan.uses
        if any(
            not part.bound[key].is_of_means or use.metric.leaves_out
            for key in part.bound
            if key[0] == use.key
        )
    ]
