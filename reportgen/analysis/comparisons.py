"""Paired comparisons: candidate minus baseline on the same rows and the same resamples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Sequence
from math import inf, isinf, isnan, nan
from typing import Any

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis, select_rows_of_either
from reportgen.analysis.plan import InferencePlan, PlannedMetric, explain_unsuited
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.intervals import (
    ANYTIME_METHOD,
    compute_second_opinion,
    count_method_tails,
    measure_widening,
)
from reportgen.inference.multiplicity import AdjustedComparison, adjust_family, transfer_adjustment
from reportgen.inference.power import (
    count_units_to_detect,
    measure_precision,
    smallest_detectable,
)
from reportgen.inference.resampled_intervals import count_needed_replicates
from reportgen.inference.resampling.replicates import thread_map
from reportgen.inference.sampling_distribution import (
    NO_INTERVAL,
    Interval,
    SamplingDistribution,
    explain_no_interval,
    release_arrays,
)
from reportgen.inference.significance import (
    FEWEST_CLUSTERS,
    Significance,
    assess_significance,
    is_test_of_interval,
    probability_better,
)
from reportgen.kernels.batch import Batch
from reportgen.metrics.traits import Better, fill_unit
from reportgen.records import record
from reportgen.results.core import Comparison
from reportgen.results.types import FEWEST, Family, Number, Word, round_number
from reportgen.results.verdicts import decide_verdict

PRIMARY_FAMILIES: frozenset[Family] = frozenset(("asked", "others", "choice", "best"))


@record(eq=False)
class Pair:
    """One comparison in the making: who against whom, on what, and what is known of it."""

    part: RowSubset
    use: PlannedMetric
    candidate: str
    baseline: str
    reason: str
    evidence: SamplingDistribution | None
    margin: float | None

    @property
    def is_defined(self) -> bool:
        """Whether there is a difference to speak of."""
        return self.evidence is not None and bool(np.isfinite(self.evidence.value))


def iter_comparisons(analysis: DatasetAnalysis) -> Iterator[Comparison]:
    """Every pair on every metric and part, family by family."""
    of_each = (
        iter_pairs(analysis, part, use)
        for part in analysis.parts
        for use in analysis.plan.statistics.metrics
    )
    yield from judge_in_families(analysis, [pair for pairs in of_each for pair in pairs])


def iter_pairs(analysis: DatasetAnalysis, part: RowSubset, use: PlannedMetric) -> Iterator[Pair]:
    """Every pair on one metric and part."""
    for names in analysis.plan.inference.pairs:
        yield build_pair(analysis, part, use, *names)


def judge_in_families(
    analysis: DatasetAnalysis, pairs: Sequence[Pair], threads: int = 1
) -> list[Comparison]:
    """All pairs of an analysis, each judged in its family.

    Those on the primary metric stand first, those in segments last.
    """
    first = {
        identify_hypothesis(pair) for pair in pairs if pair.use.is_primary and not pair.part.segment
    }
    required = {identify_hypothesis(pair) for pair in pairs if _is_required(analysis, pair)}
    named = [_identify_family(analysis, pair, first, required) for pair in pairs]
    compared = judge_by_family(analysis, pairs, named, threads)
    order = [
        (pair.part.segment is not None, identify_hypothesis(pair) not in first) for pair in pairs
    ]
    return [compared[place] for place in sorted(range(len(pairs)), key=order.__getitem__)]


def judge_primary(analysis: DatasetAnalysis, pairs: Sequence[Pair]) -> list[Comparison]:
    """Pairs on the primary metric, whatever rows they are of, in the families of all rows."""
    name = analysis.plan.inference.families.name_family
    named = [(name(pair.candidate, pair.baseline), None) for pair in pairs]
    return judge_by_family(analysis, pairs, named)


def judge_by_family(
    analysis: DatasetAnalysis,
    pairs: Sequence[Pair],
    named: Sequence[tuple[Family, Hashable]],
    threads: int = 1,
) -> list[Comparison]:
    """Judge each pair in the family that is named for it, in their order."""
    places: dict[tuple[Family, Hashable], list[int]] = defaultdict(list)
    for place, each in enumerate(named):
        places[each].append(place)

    def judge(family: tuple[Family, Hashable]) -> list[Comparison]:
        members = [pairs[place] for place in places[family]]
        compared = judge_family(analysis, members, family[0])
        for pair in members:
            if pair.evidence is not None:
                release_arrays(pair.evidence)
        return compared

    with thread_map(threads) as mapped:
        results = zip(places.values(), mapped(judge, places), strict=True)
        compared = {place: one for of, each in results for place, one in zip(of, each, strict=True)}
    return [compared[place] for place in range(len(pairs))]


def _is_required(analysis: DatasetAnalysis, pair: Pair) -> bool:
    models = frozenset((pair.candidate, pair.baseline))
    return (pair.part.name, pair.use.key, models) in analysis.plan.inference.families.required


def _identify_family(
    analysis: DatasetAnalysis,
    pair: Pair,
    first: Container[Hashable],
    required: Container[Hashable],
) -> tuple[Family, Hashable]:
    """Identify the family of a pair: its name, and what else its members have in common.

    All that tests the same stands in one family, so that it has one answer.
    """
    hypothesis, models = identify_hypothesis(pair), (pair.candidate, pair.baseline)
    if hypothesis in first:
        return analysis.plan.inference.families.name_family(*models), None
    if hypothesis in required:
        return "declared", hypothesis
    if pair.part.segment is not None:
        return "segments", hypothesis[1:]
    return "metrics", models


def identify_hypothesis(pair: Pair) -> tuple[Hashable, ...]:
    """Identify what a comparison tests: the same for metrics that order models alike."""
    root = pair.part.roots.get(pair.use.key)
    key = pair.use.key if root is None else root[0].key
    return pair.part.name, key, pair.use.test, pair.candidate, pair.baseline


def build_pair(
    analysis: DatasetAnalysis, part: RowSubset, use: PlannedMetric, candidate: str, baseline: str
) -> Pair:
    """Build the comparison of two models on one metric and part, with all that is known of it."""
    by_name = {c.name: c for c in analysis.plan.models}
    reasons = (explain_unsuited(use.metric.needs, by_name[name]) for name in (candidate, baseline))
    reason = next((r for r in reasons if r), "")
    if reason:
        return Pair(part, use, candidate, baseline, reason, None, None)
    difference, value = analysis.difference(part, use, candidate, baseline)
    margin = use.margin.at(value) if use.margin is not None else None
    return Pair(part, use, candidate, baseline, "", difference, margin)


def judge_family(
    analysis: DatasetAnalysis, members: Sequence[Pair], family: Family
) -> list[Comparison]:
    """Return the comparisons of one family, in its members' order, adjusted among themselves."""
    plan = analysis.plan
    asked: dict[Hashable, Pair] = {}
    for pair in members:
        if pair.is_defined:
            asked.setdefault(identify_hypothesis(pair), pair)
    evidence = [
        _get_deciding_evidence(pair.evidence)
        for pair in asked.values()
        if pair.evidence is not None
    ]
    tests = [
        assess_significance(each, pair.use.test, plan.sampling.design.seed)
        for pair, each in zip(asked.values(), evidence, strict=True)
    ]
    p_values = [test.p_value for test in tests]
    adjust = plan.inference.adjust
    if adjust == "maxt" and family not in PRIMARY_FAMILIES:
        adjust = "bonferroni"  # over mixed metrics with heavy tails the limits would be useless
    strict = adjust_family(
        evidence, p_values, adjust, plan.inference.interval, plan.inference.level
    )
    found = dict(zip(asked, zip(tests, strict, strict=True), strict=True))
    size = max((each.family_size for each in strict), default=1)
    return [
        _build_missing_comparison(analysis, pair, family, size)
        if pair.evidence is None or not pair.is_defined
        else _build_comparison(
            analysis, pair, pair.evidence, *found[identify_hypothesis(pair)], family
        )
        for pair in members
    ]


def find_favored_model(pair: Pair, difference: Number, better: Better) -> str | None:
    """Whom the sign of the difference speaks for; None if it is exactly zero."""
    if not difference:
        return None
    return pair.candidate if (difference > 0) == (better == "higher") else pair.baseline


def _get_deciding_evidence(evidence: SamplingDistribution) -> SamplingDistribution:
    """Return the evidence that decides a difference: that of its root if any, or its own."""
    return evidence if evidence.basis is None else evidence.basis.evidence


def _build_comparison(
    analysis: DatasetAnalysis,
    pair: Pair,
    evidence: SamplingDistribution,
    test: Significance,
    decided: AdjustedComparison,
    family: Family,
) -> Comparison:
    plan, better = analysis.plan, pair.use.metric.better
    strict = transfer_adjustment(evidence, decided, plan.inference.interval, plan.inference.level)
    plain = plan.inference.compute_interval(evidence)
    more = _replicates_lacking(evidence, plain, strict)
    difference = round_number(evidence.value)
    has_p = is_test_of_interval(test.test, plain.method)
    return Comparison(
        **_collect_names(analysis, pair, family),
        **_collect_limits(evidence, plain, strict),
        **_decide_verdict(pair, evidence, plain, strict, plan.inference),
        **_count_units_for_margin(pair, evidence, plain, strict.level),
        **_describe_anytime(evidence, plain, strict.level, plan.inference),
        **describe_reach(
            analysis.measure_tail_reach_of_difference(
                pair.part, pair.use, evidence, pair.candidate, pair.baseline
            )
        ),
        reason=_explain_missing_limits(evidence, plain, strict, is_short=more is not None),
        replicates_to_settle=more,
        family_size=strict.family_size,
        is_same=_is_same(pair, evidence),
        is_few=bool(evidence.lacks),
        lacks=evidence.lacks,
        difference=difference,
        favours=find_favored_model(pair, difference, better),
        level=plan.inference.level,
        method=plain.method,
        p_value=round_number(test.p_value) if has_p else None,
        p_adjusted=round_number(strict.p_value) if has_p else None,
        test=test.test,
        probability_better=round_number(probability_better(evidence, better)),
        smallest_detectable=round_number(
            _compute_detectable_difference(evidence, plain, strict.level)
        ),
    )


def describe_reach(reach: float | None) -> dict[str, Any]:
    """Say how far units that are missing may move a value, or that no interval reaches as far."""
    if reach is None:
        return {}
    return {"is_decided_by_few": True} if isinf(reach) else {"tail_reach": round_number(reach)}


def _count_units_for_margin(
    pair: Pair, evidence: SamplingDistribution, plain: Interval, level: float
) -> dict[str, Any]:
    """Count the units that would show a true difference of the margin, on all rows.

    The level is that of the family, so the number is for as many comparisons as are printed. It is
    one for a single analysis: limits that hold at every analysis take more.
    """
    if not pair.margin or pair.part.segment is not None or evidence.lacks:
        return {}
    if plain.method == ANYTIME_METHOD:
        return {}
    found = count_units_to_detect(pair.margin, measure_precision(evidence, plain), level)
    if found is None:
        return {}
    return {
        "units_to_detect": found.about,
        "units_to_detect_low": found.low,
        "units_to_detect_high": found.high,
    }


def _describe_anytime(
    evidence: SamplingDistribution, plain: Interval, level: float, inference: InferencePlan
) -> dict[str, Any]:
    """Describe limits that hold at every analysis: what they cost, and their e-value."""
    decides = _get_deciding_evidence(evidence)
    if decides.arrivals is None or not plain.is_defined:
        return {}
    return {
        "e_value": round_number(decides.arrivals.e_value),
        "times_as_wide": round_number(measure_widening(decides, inference.interval, level)),
    }


def _compute_detectable_difference(
    evidence: SamplingDistribution, plain: Interval, level: float
) -> float:
    """Return the smallest true difference that would be shown; nan if none can be that large.

    nan too of limits that hold at every analysis, which show less than the standard error does.
    """
    if plain.method == ANYTIME_METHOD:
        return nan
    found = smallest_detectable(measure_precision(evidence, plain), level)
    return found if found <= evidence.bounds[1] else nan


def _collect_limits(
    evidence: SamplingDistribution, plain: Interval, strict: AdjustedComparison
) -> dict[str, Any]:
    """Collect the limits of a comparison, which allow for its family; too few units have none."""
    has_none = evidence.lacks or not plain.is_defined or _is_adjusted_away(evidence, plain, strict)
    return {
        "low": None if has_none else round_number(strict.low),
        "high": None if has_none else round_number(strict.high),
        "se": round_number(plain.se),
    }


def _explain_missing_limits(
    evidence: SamplingDistribution, plain: Interval, strict: AdjustedComparison, *, is_short: bool
) -> str:
    """Why there is no interval, or none that allows for the family but the whole range."""
    if evidence.lacks and not plain.reason:
        return f"no interval: fewer than {FEWEST[evidence.lacks]} {evidence.lacks}"
    if _is_adjusted_away(evidence, plain, strict):
        return NO_INTERVAL["few-for-family" if is_short else "whole-range"]
    return explain_no_interval(plain.reason, evidence)


def _is_adjusted_away(
    evidence: SamplingDistribution, plain: Interval, strict: AdjustedComparison
) -> bool:
    """Return whether there are limits, and none that allow for the family but the whole range."""
    limits = strict.low, strict.high
    return plain.is_defined and limits == evidence.bounds != (plain.low, plain.high)


def _replicates_lacking(
    evidence: SamplingDistribution, plain: Interval, strict: AdjustedComparison
) -> int | None:
    """How many replicates limits for the family take; None where these are enough, or count not."""
    is_short = strict.reason == "few-for-family" and _is_adjusted_away(evidence, plain, strict)
    tails = count_method_tails(plain.method)
    if not (is_short and tails):
        return None
    needed = count_needed_replicates(tails, strict.level)
    return needed if needed > len(evidence.existing) else None


def _decide_verdict(
    pair: Pair,
    evidence: SamplingDistribution,
    plain: Interval,
    strict: AdjustedComparison,
    inference: InferencePlan,
) -> dict[str, Any]:
    """Return the verdict by the family's limits, and whether the method matters."""
    level, margin, better = inference.level, round_number(pair.margin), pair.use.metric.better
    limits = strict.low, strict.high
    word: Word = "no result"
    if evidence.lacks:
        word = "no result"
    elif _is_same(pair, evidence):
        word = "equivalent"
    elif _is_adjusted_away(evidence, plain, strict):
        word = "no result"
    elif (plain.is_defined and not any(map(isnan, limits))) or _is_settled(pair, evidence, plain):
        filled = _fill_undefined_limits(
            limits, evidence.value, _compute_unseen_shift(pair, evidence, strict.level)
        )
        word = decide_verdict(*filled, margin, better)
    other = compute_second_opinion(evidence, inference.interval, level)
    by_itself = _decide_by_method(plain, margin, better)
    is_other = other is not None and by_itself != _decide_by_method(other, margin, better)
    return {
        "margin": margin,
        "word": word,
        "is_method_sensitive": is_other,
    }


def _fill_undefined_limits(
    limits: tuple[float, float], value: float, unseen: float
) -> tuple[float, float]:
    """Return limits as they are printed; a difference that never varies gives its own limits."""
    ends = value - unseen, value + unseen
    known = (end if isnan(x) else x for x, end in zip(limits, ends, strict=True))
    low, high = (x if isinf(x) else round_number(x) or 0.0 for x in known)
    return low, high


def _compute_unseen_shift(pair: Pair, evidence: SamplingDistribution, level: float) -> float:
    """How far rows of which none is here would move a difference that never varies.

    So many of them may be among as many rows as decide it, and each moves it by all that one can.
    Nothing does where each row says the same, nor where no row can say how far.
    """
    farthest = evidence.bounds[1]
    has_losses = evidence.contributions is not None and not evidence.estimand.is_share_of_rows
    if has_losses or _is_same_score(pair) or isinf(farthest):
        return 0.0
    deciding = _count_deciding_units(pair, evidence)
    if not deciding:  # such as of a slice without a positive row
        return float(farthest)
    return float(farthest * (1 - ((1 - level) / 2) ** (1 / deciding)))


def _is_settled(pair: Pair, evidence: SamplingDistribution, plain: Interval) -> bool:
    """Whether a difference that never varies is evidence: not of few rows, unless of one score."""
    is_enough = _count_deciding_units(pair, evidence) >= FEWEST_CLUSTERS or _is_same_score(pair)
    return plain.reason == "no-variation" and is_enough


def _count_deciding_units(pair: Pair, evidence: SamplingDistribution) -> float:
    """How many units decide a difference: all, those that weigh, or those of the rarer class."""
    return min(evidence.units, pair.part.weighing, _count_measured_rows(evidence))


def _count_measured_rows(evidence: SamplingDistribution) -> float:
    """How many rows a measure of some is about, or those of the rarer class; else no limit."""
    if evidence.hits is not None:
        return float(np.count_nonzero(~np.isnan(evidence.hits)))
    return inf if evidence.rarer_class_size is None else evidence.rarer_class_size


def _is_same(pair: Pair, evidence: SamplingDistribution) -> bool:
    """Return whether there is nothing in any unit that could make a difference."""
    if evidence.value != 0 or _is_same_score(pair):
        return evidence.value == 0
    losses = evidence.contributions
    if losses is None and pair.use.metric.has_losses:
        losses = evidence.influence
    is_counted = evidence.estimand.is_share_of_rows  # other rows may be called otherwise
    return losses is not None and not is_counted and not np.any(losses)


def _is_same_score(pair: Pair) -> bool:
    return pair.part.is_same(pair.candidate, pair.baseline)


def _decide_by_method(limits: Interval, margin: Number, better: Better) -> Word:
    """Return the verdict of one method alone, to compare with that of another."""
    return decide_verdict(limits.low, limits.high, margin, better)


def _build_missing_comparison(
    analysis: DatasetAnalysis, pair: Pair, family: Family, size: int
) -> Comparison:
    """Build a comparison that cannot be made, with the reason."""
    is_unsuited = pair.evidence is None
    nothing: dict[str, Any] = dict.fromkeys(
        """
            difference favours low high se p_value p_adjusted probability_better
        """.split()
    )
    return Comparison(
        **_collect_names(analysis, pair, family),
        **nothing,
        family_size=size,
        level=analysis.plan.inference.level,
        method="",
        test="",
        margin=round_number(pair.margin),
        word="no result",
        status="not applicable" if is_unsuited else "undefined",
        reason=pair.reason if is_unsuited else _explain_undefined(pair),
    )


def _explain_undefined(pair: Pair) -> str:
    """Why the candidate has no value, or the baseline where the candidate has one."""
    weight = pair.part.weight
    bound = [pair.part.bound[pair.use.key, name] for name in (pair.candidate, pair.baseline)]
    lost = next((b for b in bound if not np.isfinite(b(Batch.from_weights(weight))[0])), bound[0])
    return lost.why_undefined(weight)


def _collect_names(analysis: DatasetAnalysis, pair: Pair, family: Family) -> dict[str, Any]:
    """Collect what a comparison is about."""
    metric, names = pair.use.metric, (pair.candidate, pair.baseline)
    each = [pair.part.bound.get((pair.use.key, name)) for name in names]
    bound = [one for one in each if one is not None]
    seen = pair.part
    if bound:
        seen = select_rows_of_either(pair.part, *bound) or pair.part.judging(bound[0])
    return {
        "dataset": analysis.plan.dataset,
        "segment": pair.part.name,
        "key": pair.use.key,
        "metric": metric.request_name,
        "params": dict(metric.request_params),
        "unit": fill_unit(metric.unit, analysis.plan.statistics.unit, analysis.plan.costs.currency),
        "better": metric.better,
        "candidate": pair.candidate,
        "baseline": pair.baseline,
        "family": family,
        "n": seen.judges,
        "units": seen.counted,
        "counted": analysis.plan.sampling.design.unit_kind,
    }
