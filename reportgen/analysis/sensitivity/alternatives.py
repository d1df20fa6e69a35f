"""The primary comparison under alternative analysis choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, nan

import numpy as np

from reportgen.analysis.bound_statistics import precompute_query_values
from reportgen.analysis.comparisons import Pair, build_pair, judge_primary
from reportgen.analysis.dataset_analysis import DatasetAnalysis, NoReplicates, draw_replicates
from reportgen.analysis.plan import Alternative, AnalysisPlan, InferencePlan, PlannedMetric, Segment
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval
from reportgen.inference.multiplicity import AdjustedComparison, adjust_family
from reportgen.inference.resampling.replicates import (
    compute_replicates,
    thread_map,
)
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.inference.significance import (
    FEWEST_CLUSTERS,
    assess_significance,
)
from reportgen.results.core import Comparison
from reportgen.results.sensitivity import AlternativeChoice, BucketCount
from reportgen.results.types import Family, Number, Word, round_number
from reportgen.results.verdicts import agrees, decide_verdict

BUCKETS = "buckets"


def compute_bucket_counts(whole: DatasetAnalysis, threads: int = 1) -> tuple[BucketCount, ...]:
    """Every metric of buckets with each number of buckets asked for, and with its own.

    Each difference from the baseline (each value, where nothing is compared) has the interval that
    it has alone, from the same resamples as all others. Empty unless several numbers are asked for.
    """
    plan = whole.plan
    uses = [use for use in plan.statistics.metrics if BUCKETS in use.metric.params]
    if len(plan.sensitivity.bucket_counts) < 2 or not uses:
        return ()
    counts = plan.sensitivity.bucket_counts
    varied = [_vary_bucket_counts(use, n) for use in uses for n in _list_counts(counts, use)]
    asked = plan.with_metrics_only(varied)
    found = draw_replicates(asked, threads)
    return tuple(row for use in varied for row in _iter_rows(found, use))


def _list_counts(requested: Sequence[int], use: PlannedMetric) -> list[int]:
    """List the requested bucket counts and the metric's own, in order."""
    own = use.metric.params[BUCKETS]
    return sorted({*requested, *((own,) if isinstance(own, int) else ())})


def _vary_bucket_counts(use: PlannedMetric, count: int) -> PlannedMetric:
    """Return the metric with another bucket count; its own key precedes the last space."""
    metric = use.metric.use(**{**use.metric.params, BUCKETS: count})
    return PlannedMetric(f"{use.key} {count}", metric, test=use.test)


def _iter_rows(found: DatasetAnalysis, use: PlannedMetric) -> Iterator[BucketCount]:
    part, pairs = found.parts[0], found.plan.inference.pairs
    for candidate, baseline in pairs:
        pair = build_pair(found, part, use, candidate, baseline)
        if pair.evidence is not None:
            yield _build_row(found, use, pair.evidence, candidate, baseline)
    alone = () if pairs else [model for of, model in part.metrics if of == use.key]
    for model in alone:
        yield _build_row(found, use, found.evidence(part, use, model), model, None)


def _build_row(
    found: DatasetAnalysis,
    use: PlannedMetric,
    evidence: SamplingDistribution,
    model: str,
    baseline: str | None,
) -> BucketCount:
    count = use.metric.params[BUCKETS]
    assert isinstance(count, int)
    key = use.key.rpartition(" ")[0]
    limits = _bucket_limits(found, evidence)
    return BucketCount(found.plan.dataset, key, model, baseline, count, *limits)


def _bucket_limits(
    found: DatasetAnalysis, evidence: SamplingDistribution
) -> tuple[Number, Number, Number]:
    """Return the value and its own limits; None where there is none."""
    if not np.isfinite(evidence.value):
        return None, None, None
    limits = found.plan.inference.compute_interval(evidence)
    return round_number(evidence.value), round_number(limits.low), round_number(limits.high)


INTERVALS = ("percentile", "bca", "studentized", "se")
FEWEST = 199  # resamples in each third
THIRDS = ("first third", "second third", "last third")


def iter_other_intervals(
    analysis: DatasetAnalysis, primary: PlannedMetric
) -> Iterator[tuple[Alternative, Comparison]]:
    """Each pair by every other method of resamples that applies, and by each third of them."""
    if not analysis.plan.sensitivity.is_varied or analysis.is_of_procedure:
        return
    plan, whole = analysis.plan, analysis.parts[0]
    members = [build_pair(analysis, whole, primary, *names) for names in plan.inference.pairs]
    members = [pair for pair in members if pair.is_defined]
    if not members:
        return
    yield from _iter_other_methods(analysis, members)
    yield from _iter_thirds(analysis, members)


def _iter_other_methods(
    analysis: DatasetAnalysis, members: Sequence[Pair]
) -> Iterator[tuple[Alternative, Comparison]]:
    """By each method that gives limits of its own for every pair."""
    seen = {tuple(_list_used_methods(analysis, members, analysis.plan.inference.interval))}
    for name in INTERVALS:
        used = _list_used_methods(analysis, members, name)
        if tuple(used) in seen or len(set(used)) > 1:
            continue  # where it does not apply another took its place
        seen.add(tuple(used))
        other = replace(analysis, plan=analysis.plan.with_interval(name))
        made = judge_primary(other, members)
        if _needs_more_replicates(made):
            continue
        for found in made:
            yield Alternative("interval", found.method, kind="interval"), found


def _list_used_methods(analysis: DatasetAnalysis, members: Sequence[Pair], name: str) -> list[str]:
    """Return the method that is actually used for each pair where one is requested."""
    level = analysis.plan.inference.level
    return [
        compute_interval(p.evidence, name, level).method for p in members if p.evidence is not None
    ]


def _iter_thirds(
    analysis: DatasetAnalysis, members: Sequence[Pair]
) -> Iterator[tuple[Alternative, Comparison]]:
    size = analysis.plan.sampling.design.replicates // len(THIRDS)
    drawn = min(len(p.evidence.replicates) for p in members if p.evidence is not None)
    if size < FEWEST or drawn < size * len(THIRDS):
        return
    known = [_interval_limits(found) for found in judge_primary(analysis, members)]
    for k, name in enumerate(THIRDS):
        part = slice(k * size, (k + 1) * size)
        mine = [
            replace(pair, evidence=_select_replicates(pair.evidence, part))
            for pair in members
            if pair.evidence is not None
        ]
        made = judge_primary(analysis, mine)
        if [_interval_limits(found) for found in made] == known or _needs_more_replicates(made):
            return  # formulas know no resamples
        for found in made:
            yield Alternative("resamples", name, kind="chance"), found


def _needs_more_replicates(made: Sequence[Comparison]) -> bool:
    """Whether it takes more resamples to have limits that allow for all pairs: no other verdict."""
    return any(found.replicates_to_settle is not None for found in made)


def _interval_limits(found: Comparison) -> tuple[Number, Number]:
    return found.low, found.high


def _select_replicates(evidence: SamplingDistribution, part: slice) -> SamplingDistribution:
    """Return the evidence of some of the replicates."""
    basis, signed, errors = evidence.basis, evidence.signed, evidence.replicate_se
    return replace(
        evidence,
        replicates=evidence.replicates[part],
        replicate_se=None if errors is None else errors[part],
        basis=None
        if basis is None
        else replace(basis, evidence=_select_replicates(basis.evidence, part)),
        signed=None
        if signed is None
        else (_select_replicates(signed[0], part), _select_replicates(signed[1], part)),
    )


DECLARED = Alternative("as declared", "", kind="declared")
BY_FORMULA = Alternative("formula", "", kind="formula")
METHOD = "auto"
DRAWN = 199  # resamples of a metric that has no formula
PART = 4  # of the resamples of all metrics, at most one in so many is drawn again here
Pairs = tuple[str, str]


def compute_alternatives(
    analysis: DatasetAnalysis, threads: int = 1
) -> tuple[AlternativeChoice, ...]:
    """Every pair as declared, then under each alternative of the plan."""
    plan = analysis.plan
    primary = next((use for use in plan.statistics.metrics if use.is_primary), None)
    if (
        primary is None
        or not plan.inference.pairs
        or not (plan.sensitivity.alternatives or plan.sensitivity.is_varied)
    ):
        return ()
    first = {_build_pair(c): c for c in _iter_declared_choices(analysis, primary)}
    by_interval = iter_other_intervals(analysis, primary)
    again = [_build_choice(plan.inference, c, asked) for asked, c in by_interval]
    by_kind = _compute_by_formula(analysis, primary, threads)
    formula = {_build_pair(c): c for c in by_kind.pop(0)}
    if not any(_is_told_otherwise(c, formula.get(pair)) for pair, c in first.items()):
        formula = {}
    reference = {**first, **formula}
    others = [_mark_other_verdict(c, first) for c in (*again, *formula.values())]
    others += [_mark_other_verdict(c, reference) for found in by_kind for c in found]
    ordered = sorted(
        (*first.values(), *others), key=lambda c: plan.inference.pairs.index(_build_pair(c))
    )
    return tuple(ordered)


def _build_pair(choice: AlternativeChoice) -> Pairs:
    return choice.candidate, choice.baseline


def _mark_other_verdict(
    choice: AlternativeChoice, reference: Mapping[Pairs, AlternativeChoice]
) -> AlternativeChoice:
    return replace(choice, is_other=not agrees(choice.word, reference[_build_pair(choice)].word))


def _is_told_otherwise(first: AlternativeChoice, other: AlternativeChoice | None) -> bool:
    """Return whether a formula gives other limits, or another verdict, than what is declared."""
    if other is None:
        return False
    return (first.low, first.high, first.word) != (other.low, other.high, other.word)


def _iter_declared_choices(
    analysis: DatasetAnalysis, primary: PlannedMetric
) -> Iterator[AlternativeChoice]:
    """Yield the primary comparisons themselves."""
    plan, whole = analysis.plan, analysis.parts[0]
    members = [build_pair(analysis, whole, primary, *names) for names in plan.inference.pairs]
    for found in judge_primary(analysis, members):
        if found.status != "not applicable":
            yield _build_choice(plan.inference, found, DECLARED)


def _build_choice(
    inference: InferencePlan, found: Comparison, asked: Alternative
) -> AlternativeChoice:
    """Build the choice for a comparison, as one of several that could have been made."""
    return AlternativeChoice(
        found.dataset,
        found.key,
        found.candidate,
        found.baseline,
        asked.name,
        asked.value,
        found.difference,
        found.low,
        found.high,
        inference.level,
        found.n,
        found.word,
        False,
        found.margin,
        found.family_size,
        asked.kind,
    )


def _compute_by_formula(
    analysis: DatasetAnalysis, primary: PlannedMetric, threads: int
) -> list[list[AlternativeChoice]]:
    """Compute choices by formula as declared, then under each alternative that time allows."""
    plan, asked = analysis.plan, [BY_FORMULA, *analysis.plan.sensitivity.alternatives]
    under = partial(_iter_choices_under, analysis, primary)
    if not _has_formula(analysis, primary):
        asked[0] = replace(BY_FORMULA, name="resamples", value=str(DRAWN))
        asked = asked[
            : max(
                plan.sampling.design.replicates * len(plan.statistics.metrics) // (PART * DRAWN), 1
            )
        ]
        return [list(under(each, drawn=DRAWN, threads=threads)) for each in asked]
    with thread_map(threads) as mapped:  # what is drawn again goes over them by itself
        of_all = [each for each in asked if each.rows is None and each.kept is None]
        metrics = [use.metric for each in of_all for use in _list_uses(primary, each)]
        precompute_query_values(
            [(rows, metrics) for rows in analysis.parts[0].data.values()], mapped
        )
        return list(mapped(lambda each: list(under(each)), asked))


def _has_formula(analysis: DatasetAnalysis, primary: PlannedMetric) -> bool:
    """Return whether the limits of the first pair can be found without resamples."""
    if analysis.is_of_procedure:
        return True
    part, nothing = analysis.parts[0], np.empty(0)
    members = (
        build_pair(analysis, part, primary, *names).evidence
        for names in analysis.plan.inference.pairs
    )
    known = next((each for each in members if each is not None and isfinite(each.value)), None)
    if known is None:
        return True
    bare = replace(known, replicates=nothing, replicate_se=None, basis=None)
    return compute_interval(bare, METHOD, analysis.plan.inference.level).reason != "few-replicates"


def _iter_choices_under(
    analysis: DatasetAnalysis,
    primary: PlannedMetric,
    asked: Alternative,
    drawn: int = 0,
    threads: int = 1,
) -> Iterator[AlternativeChoice]:
    plan, uses = analysis.plan, _list_uses(primary, asked)
    other = _apply_alternative(plan, uses, asked)
    if drawn:
        other = other.with_design(replace(other.sampling.design, replicates=drawn))
    kept = None if asked.kept is None else Segment("kept", asked.kept)
    part = RowSubset(other, kept)
    found = DatasetAnalysis(
        other,
        (part,),
        compute_replicates(other.sampling.design, {part.name: part.slice()}, threads)
        if drawn
        else NoReplicates(),
        is_of_procedure=analysis.is_of_procedure,
    )
    if asked is BY_FORMULA and not analysis.is_of_procedure:
        _take_known(analysis, primary, found, uses[0])
    if asked.kept is not None or asked.rows is not None:
        _precompute_by_model(found, uses)
    pairs = [pair for pair in plan.inference.pairs if not _is_of_one(analysis, asked, pair)]
    asked_of = [(pair, _build_contrast(found, uses, primary, asked, pair)) for pair in pairs]
    known = [(pair, each) for pair, each in asked_of if each is not None]
    adjusted = _adjust_in_families(plan, known)
    for pair, (evidence, margin) in known:
        limits = None if evidence.lacks else adjusted.get(pair)
        word = _decide_verdict(evidence, limits, margin, primary, plan.inference.level)
        yield AlternativeChoice(
            plan.dataset,
            primary.key,
            *pair,
            asked.name,
            asked.value,
            round_number(evidence.value),
            round_number(nan if limits is None else limits.low),
            round_number(nan if limits is None else limits.high),
            plan.inference.level,
            evidence.n,
            word,
            False,
            round_number(nan if margin is None else margin),
            1 if limits is None else limits.family_size,
            asked.kind,
        )


def _adjust_in_families(
    plan: AnalysisPlan, known: Sequence[tuple[Pairs, tuple[SamplingDistribution, float | None]]]
) -> dict[Pairs, AdjustedComparison]:
    """Adjust the pairs that are defined within the families of the primary comparisons."""
    inference, seed = plan.inference, plan.sampling.design.seed
    adjust = "bonferroni" if inference.adjust == "maxt" else inference.adjust
    families: dict[Family, dict[Pairs, SamplingDistribution]] = {}
    for pair, (evidence, _) in known:
        if isfinite(evidence.value):
            families.setdefault(inference.families.name_family(*pair), {})[pair] = evidence
    adjusted: dict[Pairs, AdjustedComparison] = {}
    for members in families.values():
        p = [assess_significance(each, METHOD, seed).p_value for each in members.values()]
        limits = adjust_family(list(members.values()), p, adjust, METHOD, inference.level)
        adjusted |= zip(members, limits, strict=True)
    return adjusted


def _is_of_one(analysis: DatasetAnalysis, asked: Alternative, pair: Pairs) -> bool:
    """Whether two models that say the same would be judged in two ways: no order does so."""
    return asked.baseline_params is not None and analysis.parts[0].is_same(*pair)


def _take_known(
    analysis: DatasetAnalysis, primary: PlannedMetric, found: DatasetAnalysis, use: PlannedMetric
) -> None:
    """Take what is known of the primary metric as it is, but for its replicates."""
    whole, part = analysis.parts[0], found.parts[0]
    for model in part.data:
        if (use.key, model) in part.metrics:
            known = partial(_drop_replicates, analysis, whole, primary, model)
            found.recent.get((part.name, use.key, model), known)


def _drop_replicates(
    analysis: DatasetAnalysis, part: RowSubset, use: PlannedMetric, model: str
) -> SamplingDistribution:
    known = analysis.evidence(part, use, model)
    return replace(known, replicates=np.empty(0), replicate_se=None, basis=None)


def _precompute_by_model(found: DatasetAnalysis, uses: Sequence[PlannedMetric]) -> None:
    """Find what the pairs rest on, and keep none of what was computed of the rows for it."""
    part = found.parts[0]
    for model in part.data:
        for use in uses:
            if (use.key, model) in part.metrics:
                found.evidence(part, use, model)
        found.make_room()


def _apply_alternative(
    plan: AnalysisPlan, uses: Sequence[PlannedMetric], asked: Alternative
) -> AnalysisPlan:
    """Return the plan with one thing changed as the alternative has it."""
    models, design = plan.models, plan.sampling.design
    if asked.rows is not None:
        models = tuple(replace(each, rows=asked.rows(each.rows)) for each in models)
    if not asked.is_weighted:
        design = replace(design, weight=None)
    if not asked.has_units and design.unit is not None:
        stratum = None if design.stratum is None else design.stratum[design.unit]
        design = replace(design, unit=None, stratum=stratum, block=None)
    return replace(
        plan.with_metrics_only(uses).with_design(design),
        models=models,
        classes=replace(plan.classes, points=(), metrics=()),
        sensitivity=replace(plan.sensitivity, alternatives=(), is_varied=False),
    )


def _list_uses(primary: PlannedMetric, asked: Alternative) -> Sequence[PlannedMetric]:
    """List the metric of the candidate, and that of the baseline where it is another."""
    if asked.metric is not None:
        return [PlannedMetric(f"{primary.key} 0", asked.metric, primary.margin)]
    own = primary.metric
    sides = [asked.params]
    if asked.baseline_params is not None:
        sides.append(asked.baseline_params)
    return [
        PlannedMetric(f"{primary.key} {k}", own.use(**{**own.params, **params}), primary.margin)
        for k, params in enumerate(sides)
    ]


def _build_contrast(
    found: DatasetAnalysis,
    uses: Sequence[PlannedMetric],
    primary: PlannedMetric,
    asked: Alternative,
    pair: Pairs,
) -> tuple[SamplingDistribution, float | None] | None:
    """Build the difference of a pair and its margin; None where a model has no value."""
    part, (candidate, baseline) = found.parts[0], pair
    if (uses[0].key, candidate) not in part.metrics or (uses[-1].key, baseline) not in part.metrics:
        return None
    first, second = found.on_same_units(part, (uses[0], candidate), (uses[-1], baseline))
    declared = asked.margin or primary.margin
    margin = declared.at(second.value) if declared else None
    known = build_contrast(first, second, primary.metric.better)
    known = replace(known, has_one_score=part.is_same(candidate, baseline))
    if uses[0] is uses[-1]:
        known = found.with_hidden(part, uses[0], known, *pair)
    return known, margin


def _decide_verdict(
    evidence: SamplingDistribution,
    limits: AdjustedComparison | None,
    margin: float | None,
    primary: PlannedMetric,
    level: float,
) -> Word:
    """Decide the verdict by the limits that hold for all pairs; too few units give none."""
    losses = evidence.contributions
    is_one_loss = (
        losses is not None and not np.any(losses) and not evidence.estimand.is_share_of_rows
    )
    if evidence.value == 0 and (evidence.has_one_score or is_one_loss):
        return "equivalent"
    if evidence.lacks:
        return "no result"
    if limits is not None and isfinite(limits.low) and isfinite(limits.high):
        ends = limits.low, limits.high
    elif evidence.value != 0 and _is_same_in_each_unit(evidence):
        ends = evidence.value, evidence.value
    else:
        return "no result"
    return decide_verdict(*ends, margin, primary.metric.better)


def _is_same_in_each_unit(evidence: SamplingDistribution) -> bool:
    """Tell whether enough units all have the same difference, so that no limits are needed."""
    losses = evidence.contributions
    if losses is None or evidence.estimand.is_share_of_rows or evidence.units < FEWEST_CLUSTERS:
        return False
    return bool(np.ptp(losses) <= 1e-12 * np.max(np.abs(losses)))
