"""Which warnings are raised from sums: each rule of the checks that asks for no single row."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.analysis import checks
from reportgen.analysis.checks_of_classes import (
    below_chance,
    few_for_any,
    few_of_a_class,
    fewest_of_a_class,
    of_what,
)
from reportgen.analysis.checks_of_weights import leaning
from reportgen.analysis.plan import Use
from reportgen.analysis.sensitivity.row_warnings import few_judged
from reportgen.analysis.warnings import (
    in_units,
    told,
    warnings_of_families,
    warnings_of_limits,
    warnings_of_pairs,
)
from reportgen.inference.intervals import interval
from reportgen.results import Comparison
from reportgen.results.raised import RaisedWarning
from reportgen.streaming.analysis import StreamedAnalysis
from reportgen.streaming.repeats import warning_of
from reportgen.streaming.tails import TailsOfRows


def warnings_of_sums(
    analysis: StreamedAnalysis, compared: tuple[Comparison, ...], tails: TailsOfRows
) -> Iterator[RaisedWarning]:
    """Every such warning about clusters, weights, estimates and comparisons, once each."""
    totals, plan = analysis.known, analysis.plan
    if plan.is_used_to_choose:
        yield RaisedWarning("W110", {})
    for model, values in totals.sampled.items():
        what = "score" if model else "y"
        yield from told(checks.ties(values), model=model or None, what=what)
    for model, distinct in totals.scores.items():
        yield from told(checks.few_scores(distinct), model=model)
    for column, times in totals.repeats.items():
        yield from told(warning_of(times), what=column)
    if totals.clusters is not None:
        yield from told(checks.few_clusters(totals.clusters[:, 0]))
    yield from told(in_units(analysis, checks.uneven_weights(totals.balance)))
    for use in plan.uses:
        for key, model in totals.layout.summands:
            if key == use.key:
                yield from _of_estimate(analysis, use, model, tails)
    for use in plan.uses:
        yield from warnings_of_pairs(analysis, use)
    yield from warnings_of_families(plan, compared)
    yield from warnings_of_limits(analysis, compared)
    if plan.has_wins:
        yield from few_judged(analysis)


def _of_estimate(
    analysis: StreamedAnalysis, use: Use, model: str, tails: TailsOfRows
) -> Iterator[RaisedWarning]:
    totals, plan = analysis.known, analysis.plan
    evidence = analysis.evidence(analysis.parts[0], use, model)
    sizes = analysis.sizes_of(use)
    few = None
    if sizes is not None and use.metric.classes is not None:
        few = few_of_a_class(*sizes, fewest_of_a_class(evidence))
    elif sizes is not None and len(totals.classes) == 2:
        few = few_for_any(*sizes)
    yield from told(of_what(few, use.metric, analysis.labels, 1), use.key)
    tail = tails.warning((use.key, model), evidence)
    yield from told(in_units(analysis, tail), use.key, model)
    payers = totals.payers.get((use.key, model))
    if payers is not None:
        few = checks.few_payers(payers, totals.units)
        yield from told(in_units(analysis, few), use.key, model)
    found = interval(evidence, plan.interval, plan.level)
    is_of_classes = use.metric.classes is not None and totals.clusters is None
    lean = leaning(evidence, found, evidence.is_weighted, is_of_classes)
    yield from told(None if evidence.binning else lean, use.key, model)
    if use.metric.classes is not None:
        yield from told(below_chance(evidence, found), use.key, model)
    for rule in checks.OF_VALUES:
        yield from told(rule(evidence, found), use.key, model)
