"""Estimates, comparisons, ranks and warnings from sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.analysis.by_class import (
    class_values,
    class_warnings,
    confusion_differences,
    confusions,
    label_calls,
)
from reportgen.analysis.comparisons import in_families, pairs_of
from reportgen.analysis.estimates import estimates_of
from reportgen.analysis.findings import DatasetFindings
from reportgen.analysis.operating_points import operating_points
from reportgen.analysis.plan import AnalysisPlan
from reportgen.analysis.sensitivity.ranks import differences_from_best, rank_probabilities
from reportgen.analysis.subset import error_of_what
from reportgen.resampling.replicates import Replicates
from reportgen.results import Comparison, Scalar, Sensitivity
from reportgen.results.raised import RaisedWarning, bound_name
from reportgen.streaming.analysis import StreamedAnalysis, StreamedRows
from reportgen.streaming.ranked import BinnedSummand
from reportgen.streaming.tails import TailsOfRows
from reportgen.streaming.unseen import unseen
from reportgen.streaming.values import Totals
from reportgen.streaming.warnings import warnings_of_sums

NOT_OFFERED = "curves, single rows, other choices"
MOST_NAMED = 3


def findings_of(
    plan: AnalysisPlan,
    totals: Totals,
    asked: Sequence[str],
    untold: Sequence[str],
    tails: TailsOfRows,
) -> DatasetFindings:
    """Estimates, comparisons and ranks from sums, and what is known of tails.

    `asked` are the curves that the config names, `untold` metrics that are told of no class.
    """
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
    compared = _compared(analysis, part)
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
            *warnings_of_sums(analysis, compared, tails),
            *class_warnings(analysis),
            *_kept_open(analysis, part, compared),
            RaisedWarning("W251", _left_out(analysis, asked, untold)),
        ),
        design=plan.design.kind,
        replicates=plan.design.replicates,
        block=None,
        points=tuple(operating_points(analysis, analysis.cells)),
        classes=class_values(analysis),
        confusions=tuple(confusions(analysis)),
        confusion_differences=tuple(confusion_differences(analysis)),
        label_calls=tuple(label_calls(analysis)),
    )


def _compared(analysis: StreamedAnalysis, part: StreamedRows) -> tuple[Comparison, ...]:
    asked = [p for use in analysis.plan.uses for p in pairs_of(analysis, part, use)]
    return tuple(in_families(analysis, asked))


def _kept_open(
    analysis: StreamedAnalysis, part: StreamedRows, compared: tuple[Comparison, ...]
) -> Iterator[RaisedWarning]:
    """W151: only what bins may be off by keeps a comparison inconclusive."""
    bounds = {of: each.bound for of, each in analysis.known.layout.summands.items()}
    if not any(bounds.values()):
        return
    plain = StreamedAnalysis(
        analysis.plan, analysis.parts, analysis.replicates, totals=analysis.totals, is_widened=False
    )
    for found, sure in zip(compared, _compared(plain, part), strict=True):
        if found.verdict == "inconclusive" != sure.verdict:
            ends = [(found.key, model) for model in (found.candidate, found.baseline)]
            numbers = {"bound": sum(bounds[end] for end in ends), "verdict": sure.verdict}
            yield RaisedWarning("W151", numbers, key=found.key, model=found.candidate)


def _left_out(
    analysis: StreamedAnalysis, asked: Sequence[str], untold: Sequence[str]
) -> dict[str, Scalar]:
    """What a report of streamed rows lacks, with the curves that the config names."""
    codes = ", ".join(unseen(analysis))
    found: dict[str, Scalar] = {"what": NOT_OFFERED, "unseen": codes} if codes else {
        "beside": NOT_OFFERED}  # fmt: skip
    if untold:
        found["of_classes"] = ", ".join(untold)
    if asked:
        named, more = asked[:MOST_NAMED], len(asked) - MOST_NAMED
        found["named"] = ", ".join(named) + (f" and {more} more" if more > 0 else "")
    used = {use.key for use in analysis.plan.uses}
    bounds = {of: each.bound for of, each in analysis.known.layout.summands.items()
              if isinstance(each, BinnedSummand) and of[0] in used}  # fmt: skip
    if bounds:
        found["binned"] = ", ".join(dict.fromkeys(key for key, _ in bounds))
        found["bound"] = max(bounds.values())
        found |= {bound_name(*of): bound for of, bound in bounds.items() if bound}
    return found
