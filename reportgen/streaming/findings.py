"""The results of one streamed dataset, and its warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from reportgen.analysis import warning_rules
from reportgen.analysis.classes import (
    compute_class_values,
    iter_class_warnings,
    iter_confusion_differences,
    iter_confusion_matrices,
    iter_label_calls,
    iter_operating_points,
)
from reportgen.analysis.comparisons import iter_pairs, judge_in_families
from reportgen.analysis.estimates import iter_metric_estimates
from reportgen.analysis.heavy_tails import can_have_heavy_tail
from reportgen.analysis.plan import AnalysisPlan, PlannedMetric
from reportgen.analysis.row_subset import name_standard_error
from reportgen.analysis.run import DatasetResults
from reportgen.analysis.sensitivity.ranks import iter_differences_from_best, iter_rank_probabilities
from reportgen.analysis.sensitivity.wins import warn_few_judged_rows
from reportgen.analysis.warning_rules import (
    add_class_and_point,
    compute_fewest_rows_of_class,
    warn_below_chance,
    warn_few_rows_of_any_class,
    warn_few_rows_of_class,
    warn_skewed_by_weights,
)
from reportgen.analysis.warnings import (
    add_units,
    attach_subject,
    iter_family_warnings,
    iter_limit_warnings,
    iter_pair_warnings,
)
from reportgen.inference.intervals import compute_interval
from reportgen.inference.resampling.replicates import Replicates
from reportgen.metrics.rows import Classes, LabelSets
from reportgen.results import Comparison, Scalar, Sensitivity
from reportgen.results.types import RaisedWarning, name_bin_bound
from reportgen.streaming.analysis import StreamedAnalysis, StreamedRows
from reportgen.streaming.rank_bins import BinnedSummand
from reportgen.streaming.sums import warn_repeats
from reportgen.streaming.tails import TailsOfRows, are_tails_wanted
from reportgen.streaming.totals import Totals

Rule = Callable[[StreamedAnalysis], bool]

LOOKED_FOR = frozenset(
    {
        "W101",
        "W102",
        "W103",
        "W104",
        "W105",
        "W106",
        "W107",
        "W108",
        "W109",
        "W110",
        "W112",
        "W113",
        "W114",
        "W118",
        "W122",
        "W124",
        "W127",
        "W130",
        "W131",
        "W140",
        "W151",
        "W201",
        "W202",
        "W204",
        "W206",
        "W207",
        "W231",
        "W232",
        "W233",
        "W234",
        "W251",
    }
)
"""The codes that sums, counts and the largest values tell of."""
NOT_ASKED = frozenset(
    {
        "W115",
        "W116",
        "W117",
        "W129",
        "W143",
        "W144",  # rows to fit on, other files
        "W121",  # thresholds that are learnt, and curves
        "W125",
        "W126",
        "W128",
        "W203",  # folds, several datasets, segments
        "W235",  # runs in files of their own
        "W141",
        "W142",
        "W205",
        "W241",  # of the report, whoever read the rows
    }
)
"""The codes of what is refused or left out when streamed, or told whatever the engine is."""


def list_unchecked_codes(analysis: StreamedAnalysis) -> tuple[str, ...]:
    """The codes that were not looked for, and would be if all rows were held."""
    return tuple(code for code, is_asked in NOT_LOOKED_FOR.items() if is_asked(analysis))


def _has_tails(analysis: StreamedAnalysis) -> bool:
    """Whether some measure may have a heavy tail, and none is looked for."""
    metrics = (use.metric for use in analysis.plan.statistics.metrics)
    is_any = any(can_have_heavy_tail(metric.estimand, metric.bounds) for metric in metrics)
    return is_any and not are_tails_wanted(analysis.known)


def _has_a_sequence(analysis: StreamedAnalysis) -> bool:
    """Whether losses stand row by row, and nothing says how rows hang together."""
    plan = analysis.plan
    return not plan.sampling.is_ordered and any(
        use.metric.has_losses for use in plan.statistics.metrics
    )


def _is_of_two_classes(analysis: StreamedAnalysis) -> bool:
    """Whether some model gives probabilities of two classes."""
    every = analysis.parts[0].data.values()
    return any(
        isinstance(rows, Classes) and rows.scores.shape[1] == 1 and not rows.lacks("probability")
        for rows in every
    )


def _has_probabilities(analysis: StreamedAnalysis) -> bool:
    """Whether some model gives probabilities of classes or labels."""
    every = analysis.parts[0].data.values()
    return any(
        isinstance(rows, Classes | LabelSets) and not rows.lacks("probability") for rows in every
    )


def _is_of_answers(analysis: StreamedAnalysis) -> bool:
    """Whether a row is an answer of its own, as a query is."""
    return analysis.plan.sensitivity.has_wins


def _is_of_pairs(analysis: StreamedAnalysis) -> bool:
    """The same, where models are compared."""
    return analysis.plan.sensitivity.has_wins and bool(analysis.plan.inference.pairs)


def _is_in_single_precision(analysis: StreamedAnalysis) -> bool:
    """The same, where the primary metric compares scores in single precision."""
    ties = [
        use.metric.params.get("ties") for use in analysis.plan.statistics.metrics if use.is_primary
    ]
    return analysis.plan.sensitivity.has_wins and ties == ["trec"]


NOT_LOOKED_FOR: Mapping[str, Rule] = {
    "W103": _has_tails,
    "W111": _has_a_sequence,
    "W119": _is_of_two_classes,
    "W120": _has_probabilities,
    "W123": _has_probabilities,
    "W132": _is_of_pairs,
    "W133": _is_of_answers,
    "W134": _is_of_answers,
    "W135": _is_of_pairs,
    "W136": _is_of_pairs,
    "W137": _is_of_answers,
    "W138": _is_of_pairs,
    "W139": _is_of_pairs,
    "W236": _is_in_single_precision,
}
"""The codes that ask for all rows, each with where memory would look for it."""


def iter_streamed_warnings(
    analysis: StreamedAnalysis, compared: tuple[Comparison, ...], tails: TailsOfRows
) -> Iterator[RaisedWarning]:
    """Every such warning about clusters, weights, estimates and comparisons, once each."""
    totals, plan = analysis.known, analysis.plan
    if plan.sampling.is_used_to_choose:
        yield RaisedWarning("W110", {})
    for model, values in totals.sampled.items():
        what = "score" if model else "y"
        yield from attach_subject(warning_rules.warn_ties(values), model=model or None, what=what)
    for model, distinct in totals.scores.items():
        yield from attach_subject(warning_rules.warn_few_scores(distinct), model=model)
    for column, times in totals.repeats.items():
        yield from attach_subject(warn_repeats(times), what=column)
    if totals.clusters is not None:
        yield from attach_subject(warning_rules.warn_few_clusters(totals.clusters[:, 0]))
    yield from attach_subject(
        add_units(analysis, warning_rules.warn_uneven_weights(totals.balance))
    )
    for use in plan.statistics.metrics:
        for key, model in totals.layout.summands:
            if key == use.key:
                yield from _warn_of_estimate(analysis, use, model, tails)
    for use in plan.statistics.metrics:
        yield from iter_pair_warnings(analysis, use)
    yield from iter_family_warnings(plan, compared)
    yield from iter_limit_warnings(analysis, compared)
    if plan.sensitivity.has_wins:
        yield from warn_few_judged_rows(analysis)


def _warn_of_estimate(
    analysis: StreamedAnalysis, use: PlannedMetric, model: str, tails: TailsOfRows
) -> Iterator[RaisedWarning]:
    totals, plan = analysis.known, analysis.plan
    evidence = analysis.evidence(analysis.parts[0], use, model)
    sizes = analysis.sizes_of(use)
    few = None
    if sizes is not None and use.metric.classes is not None:
        few = warn_few_rows_of_class(*sizes, compute_fewest_rows_of_class(evidence))
    elif sizes is not None and len(totals.classes) == 2:
        few = warn_few_rows_of_any_class(*sizes)
    yield from attach_subject(add_class_and_point(few, use.metric, analysis.labels, 1), use.key)
    tail = tails.warning((use.key, model), evidence)
    yield from attach_subject(add_units(analysis, tail), use.key, model)
    payers = totals.payers.get((use.key, model))
    if payers is not None:
        few = warning_rules.warn_few_costly_errors(payers, totals.units)
        yield from attach_subject(add_units(analysis, few), use.key, model)
    found = compute_interval(evidence, plan.inference.interval, plan.inference.level)
    is_of_classes = use.metric.classes is not None and totals.clusters is None
    lean = warn_skewed_by_weights(evidence, found, evidence.is_weighted, is_of_classes)
    yield from attach_subject(None if evidence.binning else lean, use.key, model)
    if use.metric.classes is not None:
        yield from attach_subject(warn_below_chance(evidence, found), use.key, model)
    for rule in warning_rules.VALUE_RULES:
        yield from attach_subject(rule(evidence, found), use.key, model)


NOT_OFFERED = "curves, single rows, other choices"
MOST_NAMED = 3


def build_streamed_results(
    plan: AnalysisPlan,
    totals: Totals,
    asked: Sequence[str],
    untold: Sequence[str],
    tails: TailsOfRows,
) -> DatasetResults:
    """Estimates, comparisons and ranks from sums, and what is known of tails.

    `asked` are the curves that the config names, `untold` metrics that are told of no class.
    """
    part = StreamedRows(plan, None, None, totals)
    replicates: Replicates = {}
    for key, model in totals.layout.summands:
        replicates[None, (key, model)] = totals.replicates((key, model))
        own = totals.errors((key, model))
        if own is not None:
            replicates[None, name_standard_error(key, model)] = own
    for key in dict.fromkeys(key for key, _ in totals.layout.summands):
        for pair in plan.inference.pairs:
            ends = [(key, name) for name in pair]
            if all(end in totals.layout.summands for end in ends):
                own = totals.difference_errors(ends[0], ends[1])
                if own is not None:
                    replicates[None, name_standard_error(key, pair)] = own
    analysis = StreamedAnalysis(plan, (part,), replicates, totals=totals)
    compared = _compare_pairs(analysis, part)
    return DatasetResults(
        estimates=tuple(
            e for use in plan.statistics.metrics for e in iter_metric_estimates(analysis, part, use)
        ),
        comparisons=compared,
        curves=(),
        costs=(),
        sensitivity=Sensitivity(
            ranks=tuple(
                r for use in plan.statistics.metrics for r in iter_rank_probabilities(analysis, use)
            ),
            from_best=tuple(
                r
                for use in plan.statistics.metrics
                for r in iter_differences_from_best(analysis, use)
            ),
        ),
        warnings=(
            *iter_streamed_warnings(analysis, compared, tails),
            *iter_class_warnings(analysis),
            *_warn_kept_open(analysis, part, compared),
            RaisedWarning("W251", _list_left_out(analysis, asked, untold)),
        ),
        design=plan.sampling.design.kind,
        replicates=plan.sampling.design.replicates,
        block=None,
        points=tuple(iter_operating_points(analysis, analysis.cells)),
        classes=compute_class_values(analysis),
        confusions=tuple(iter_confusion_matrices(analysis)),
        confusion_differences=tuple(iter_confusion_differences(analysis)),
        label_calls=tuple(iter_label_calls(analysis)),
    )


def _compare_pairs(analysis: StreamedAnalysis, part: StreamedRows) -> tuple[Comparison, ...]:
    asked = [p for use in analysis.plan.statistics.metrics for p in iter_pairs(analysis, part, use)]
    return tuple(judge_in_families(analysis, asked))


def _warn_kept_open(
    analysis: StreamedAnalysis, part: StreamedRows, compared: tuple[Comparison, ...]
) -> Iterator[RaisedWarning]:
    """W151: only what bins may be off by keeps a comparison inconclusive."""
    bounds = {of: each.bound for of, each in analysis.known.layout.summands.items()}
    if not any(bounds.values()):
        return
    plain = StreamedAnalysis(
        analysis.plan, analysis.parts, analysis.replicates, totals=analysis.totals, is_widened=False
    )
    for found, sure in zip(compared, _compare_pairs(plain, part), strict=True):
        if found.verdict == "inconclusive" != sure.verdict:
            ends = [(found.key, model) for model in (found.candidate, found.baseline)]
            numbers = {"bound": sum(bounds[end] for end in ends), "verdict": sure.verdict}
            yield RaisedWarning("W151", numbers, key=found.key, model=found.candidate)


def _list_left_out(
    analysis: StreamedAnalysis, asked: Sequence[str], untold: Sequence[str]
) -> dict[str, Scalar]:
    """What a report of streamed rows lacks, with the curves that the config names."""
    codes = ", ".join(list_unchecked_codes(analysis))
    found: dict[str, Scalar] = (
        {"what": NOT_OFFERED, "unseen": codes} if codes else {"beside": NOT_OFFERED}
    )
    if untold:
        found["of_classes"] = ", ".join(untold)
    if asked:
        named, more = asked[:MOST_NAMED], len(asked) - MOST_NAMED
        found["named"] = ", ".join(named) + (f" and {more} more" if more > 0 else "")
    used = {use.key for use in analysis.plan.statistics.metrics}
    bounds = {
        of: each.bound
        for of, each in analysis.known.layout.summands.items()
        if isinstance(each, BinnedSummand) and of[0] in used
    }
    if bounds:
        found["binned"] = ", ".join(dict.fromkeys(key for key, _ in bounds))
        found["bound"] = max(bounds.values())
        found |= {name_bin_bound(*of): bound for of, bound in bounds.items() if bound}
    return found
