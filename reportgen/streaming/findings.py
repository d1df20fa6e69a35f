"""Estimates, comparisons, ranks and warnings from sums."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.analysis.comparisons import in_families, pairs_of
from reportgen.analysis.estimates import estimates_of
from reportgen.analysis.findings import DatasetFindings
from reportgen.analysis.operating_points import operating_points
from reportgen.analysis.plan import AnalysisPlan
from reportgen.analysis.sensitivity.ranks import differences_from_best, rank_probabilities
from reportgen.analysis.subset import error_of_what
from reportgen.resampling.replicates import Replicates
from reportgen.results import Scalar, Sensitivity
from reportgen.results.raised import RaisedWarning
from reportgen.streaming.analysis import StreamedAnalysis, StreamedRows
from reportgen.streaming.values import Totals
from reportgen.streaming.warnings import warnings_of_sums

NOT_OFFERED = "curves, single rows, other choices"
MOST_NAMED = 3


def findings_of(plan: AnalysisPlan, totals: Totals, asked: Sequence[str] = ()) -> DatasetFindings:
    """Estimates, comparisons and ranks from sums; `asked` are the curves that the config names."""
    part = StreamedRows(plan, None, None, totals)
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
            *warnings_of_sums(analysis, compared),
            RaisedWarning("W251", _left_out(asked)),
        ),
        design=plan.design.kind,
        replicates=plan.design.replicates,
        block=None,
        points=tuple(operating_points(analysis, analysis.cells)),
    )


def _left_out(asked: Sequence[str]) -> dict[str, Scalar]:
    """What a report of streamed rows lacks, with the curves that the config names."""
    if not asked:
        return {"what": NOT_OFFERED}
    named, more = asked[:MOST_NAMED], len(asked) - MOST_NAMED
    others = f" and {more} more" if more > 0 else ""
    return {"what": NOT_OFFERED, "named": ", ".join(named) + others}
