"""What would change the verdict: the primary comparison under other choices, side by side.

One choice differs at a time. Those that change rows, metric or design are made by formulas, and
adjusted among the pairs as the primary comparisons are, so that two differ in the choice and in
nothing else; where the largest deviation of resamples would adjust, Holm's procedure does. Of a
metric without a formula a few resamples are drawn, the same for every choice. A specification curve
(Simonsohn, Simmons and Nelson 2020, doi:10.1038/s41562-020-0912-z) shows them; they are no random
sample of analyses, so neither a p-value nor a vote is made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, isnan, nan

import numpy as np

from reportgen.analysis.binding import find_of_queries
from reportgen.analysis.comparisons import judged, paired
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import Alternative, AnalysisPlan, Segment, Use
from reportgen.analysis.sensitivity.reread import reread
from reportgen.analysis.subset import RowSubset
from reportgen.inference.contrasts import contrast
from reportgen.inference.evidence import Evidence
from reportgen.inference.intervals import interval
from reportgen.inference.multiplicity import Adjusted, adjusted
from reportgen.inference.significance import significance, verdict
from reportgen.kernels.batch import Matrix
from reportgen.resampling.replicates import What, Where, over_threads, replicate
from reportgen.results import Choice, Comparison, rounded

AS_DECLARED = Alternative("as declared", "", kind="declared")
BY_FORMULA = Alternative("formula", "", kind="formula")
METHOD = "auto"
DRAWN = 199  # resamples of a metric that has no formula
PART = 4  # of the resamples of all metrics, at most one in so many is drawn again here
Pairs = tuple[str, str]


class _NoReplicates(dict[tuple[Where, What], Matrix]):
    """Replicates of a plan that draws none."""

    def __missing__(self, key: object) -> Matrix:
        return np.empty(0)


def choices(analysis: DatasetAnalysis, threads: int = 1) -> tuple[Choice, ...]:
    """Every pair as declared, then under each alternative of the plan."""
    plan = analysis.plan
    primary = next((use for use in plan.uses if use.is_primary), None)
    if primary is None or not plan.pairs or not (plan.alternatives or plan.is_varied):
        return ()
    first = {_pair(c): c for c in _declared(analysis, primary)}
    again = [_choice(plan, c, asked) for asked, c in reread(analysis, primary)]
    by_kind = _by_formula(analysis, primary, threads)
    formula = {_pair(c): c for c in by_kind.pop(0)}
    if not any(_is_told_otherwise(c, formula.get(pair)) for pair, c in first.items()):
        formula = {}
    reference = {**first, **formula}
    others = [_beside(c, first) for c in (*again, *formula.values())]
    others += [_beside(c, reference) for found in by_kind for c in found]
    ordered = sorted((*first.values(), *others), key=lambda c: plan.pairs.index(_pair(c)))
    return tuple(ordered)


def _pair(choice: Choice) -> Pairs:
    return choice.candidate, choice.baseline


def _beside(choice: Choice, reference: Mapping[Pairs, Choice]) -> Choice:
    return replace(choice, is_other=choice.verdict != reference[_pair(choice)].verdict)


def _is_told_otherwise(first: Choice, other: Choice | None) -> bool:
    """Whether a formula gives other limits, or another verdict, than what is declared."""
    if other is None:
        return False
    return (first.low, first.high, first.verdict) != (other.low, other.high, other.verdict)


def _declared(analysis: DatasetAnalysis, primary: Use) -> Iterator[Choice]:
    """The primary comparisons themselves."""
    plan, whole = analysis.plan, analysis.parts[0]
    members = [paired(analysis, whole, primary, *names) for names in plan.pairs]
    for found in judged(analysis, members, "primary"):
        if found.status != "not applicable":
            yield _choice(plan, found, AS_DECLARED)


def _choice(plan: AnalysisPlan, found: Comparison, asked: Alternative) -> Choice:
    """A comparison as one of several that could have been made.

    What has no limits of its own either is undefined.
    """
    said = f"{found.verdict} beyond the margin" if found.beyond_margin else str(found.verdict)
    if found.low is None and found.high is None:
        said = "no difference" if found.difference == 0 else "undefined"
    adjust = plan.adjust if len(plan.pairs) > 1 else "none"
    return Choice(
        found.dataset, found.key, found.candidate, found.baseline, asked.name, asked.value,
        found.difference, found.adjusted_low, found.adjusted_high, plan.level, found.n, said,
        False, found.margin, adjust, asked.kind,
    )  # fmt: skip


def _by_formula(analysis: DatasetAnalysis, primary: Use, threads: int) -> list[list[Choice]]:
    """What formulas say as declared, then under each alternative, as many as there is time for."""
    plan, asked = analysis.plan, [BY_FORMULA, *analysis.plan.alternatives]
    under = partial(_under, analysis, primary)
    if not _has_formula(analysis, primary):
        asked[0] = replace(BY_FORMULA, name="resamples", value=str(DRAWN))
        asked = asked[: max(plan.design.replicates * len(plan.uses) // (PART * DRAWN), 1)]
        return [list(under(each, drawn=DRAWN, threads=threads)) for each in asked]
    with over_threads(threads) as mapped:  # what is drawn again goes over them by itself
        of_all = [each for each in asked if each.rows is None and each.kept is None]
        metrics = [use.metric for each in of_all for use in _uses(primary, each)]
        find_of_queries([(rows, metrics) for rows in analysis.parts[0].data.values()], mapped)
        return list(mapped(lambda each: list(under(each)), asked))


def _has_formula(analysis: DatasetAnalysis, primary: Use) -> bool:
    """Whether the limits of the first pair can be found without resamples."""
    if analysis.is_of_procedure:
        return True
    part, nothing = analysis.parts[0], np.empty(0)
    members = (paired(analysis, part, primary, *names).evidence for names in analysis.plan.pairs)
    known = next((each for each in members if each is not None and isfinite(each.value)), None)
    if known is None:
        return True
    bare = replace(known, replicates=nothing, replicate_se=None, basis=None)
    return interval(bare, METHOD, analysis.plan.level).reason != "few-replicates"


def _under(
    analysis: DatasetAnalysis, primary: Use, asked: Alternative, drawn: int = 0, threads: int = 1
) -> Iterator[Choice]:
    plan, uses = analysis.plan, _uses(primary, asked)
    other = _varied(plan, uses, asked)
    if drawn:
        other = replace(other, design=replace(other.design, replicates=drawn))
    kept = None if asked.kept is None else Segment("kept", asked.kept)
    part = RowSubset(other, kept)
    found = DatasetAnalysis(
        other,
        (part,),
        replicate(other.design, {part.name: part.slice()}, threads) if drawn else _NoReplicates(),
        is_of_procedure=analysis.is_of_procedure,
    )
    if asked is BY_FORMULA and not analysis.is_of_procedure:
        _take_known(analysis, primary, found, uses[0])
    if asked.kept is not None or asked.rows is not None:
        _one_model_after_another(found, uses)
    pairs = [pair for pair in plan.pairs if not _is_of_one(analysis, asked, pair)]
    asked_of = [(pair, _contrast(found, uses, primary, asked, pair)) for pair in pairs]
    known = [(pair, each) for pair, each in asked_of if each is not None]
    adjust = "holm" if plan.adjust == "maxt" else plan.adjust
    defined = [each for _, (each, _) in known if isfinite(each.value)]
    p_values = [significance(each, METHOD, plan.design.seed).p_value for each in defined]
    strict = iter(adjusted(defined, p_values, adjust, METHOD, plan.level))
    for pair, (evidence, margin) in known:
        limits = next(strict) if isfinite(evidence.value) else None
        said = _verdict(evidence, limits, margin, primary, plan.level)
        yield Choice(
            plan.dataset, primary.key, *pair, asked.name, asked.value, rounded(evidence.value),
            rounded(nan if limits is None else limits.low),
            rounded(nan if limits is None else limits.high),
            plan.level, evidence.n, said, False, rounded(nan if margin is None else margin),
            adjust if len(defined) > 1 else "none", asked.kind,
        )  # fmt: skip


def _is_of_one(analysis: DatasetAnalysis, asked: Alternative, pair: Pairs) -> bool:
    """Whether two models that say the same would be judged in two ways: no order does so."""
    return asked.baseline_params is not None and analysis.parts[0].is_same(*pair)


def _take_known(analysis: DatasetAnalysis, primary: Use, found: DatasetAnalysis, use: Use) -> None:
    """Take what is known of the primary metric as it is, but for its replicates."""
    whole, part = analysis.parts[0], found.parts[0]
    for model in part.data:
        if (use.key, model) in part.metrics:
            known = partial(_without_replicates, analysis, whole, primary, model)
            found.recent.get((part.name, use.key, model), known)


def _without_replicates(
    analysis: DatasetAnalysis, part: RowSubset, use: Use, model: str
) -> Evidence:
    known = analysis.evidence(part, use, model)
    return replace(known, replicates=np.empty(0), replicate_se=None, basis=None)


def _one_model_after_another(found: DatasetAnalysis, uses: Sequence[Use]) -> None:
    """Find what the pairs rest on, and keep none of what was computed of the rows for it."""
    part = found.parts[0]
    for model in part.data:
        for use in uses:
            if (use.key, model) in part.metrics:
                found.evidence(part, use, model)
        found.make_room()


def _varied(plan: AnalysisPlan, uses: Sequence[Use], asked: Alternative) -> AnalysisPlan:
    """The plan with one thing of it as the alternative has it."""
    models, design = plan.models, plan.design
    if asked.rows is not None:
        models = tuple(replace(each, rows=asked.rows(each.rows)) for each in models)
    if not asked.is_weighted:
        design = replace(design, weight=None)
    if not asked.has_units and design.unit is not None:
        stratum = None if design.stratum is None else design.stratum[design.unit]
        design = replace(design, unit=None, stratum=stratum, block=None)
    return replace(
        plan, models=models, design=design, uses=tuple(uses), curves=(), joints=(), segments=(),
        points=(), class_uses=(), alternatives=(), is_varied=False,
    )  # fmt: skip


def _uses(primary: Use, asked: Alternative) -> Sequence[Use]:
    """The metric of the candidate, and that of the baseline where it is another."""
    if asked.metric is not None:
        return [Use(f"{primary.key} 0", asked.metric, primary.margin)]
    own = primary.metric
    sides = [asked.params]
    if asked.baseline_params is not None:
        sides.append(asked.baseline_params)
    return [
        Use(f"{primary.key} {k}", own.use(**{**own.params, **params}), primary.margin)
        for k, params in enumerate(sides)
    ]


def _contrast(
    found: DatasetAnalysis, uses: Sequence[Use], primary: Use, asked: Alternative, pair: Pairs
) -> tuple[Evidence, float | None] | None:
    """The difference of a pair and its margin; None where a model has no value."""
    part, (candidate, baseline) = found.parts[0], pair
    if (uses[0].key, candidate) not in part.metrics or (uses[-1].key, baseline) not in part.metrics:
        return None
    first, second = found.on_same_units(part, (uses[0], candidate), (uses[-1], baseline))
    declared = asked.margin or primary.margin
    margin = declared.against(second.value) if declared else None
    known = contrast(first, second, primary.metric.better)
    known = replace(known, has_one_score=part.is_same(candidate, baseline))
    if uses[0] is uses[-1]:
        known = found.with_hidden(part, uses[0], known, *pair)
    return known, margin


def _verdict(
    evidence: Evidence, limits: Adjusted | None, margin: float | None, primary: Use, level: float
) -> str:
    """The verdict by the limits that hold for the pairs together; none on too few units."""
    losses = evidence.contributions
    if evidence.lacks and (evidence.value != 0 or (losses is not None and np.any(losses))):
        return "inconclusive"
    if limits is not None and isfinite(limits.low) and isfinite(limits.high):
        ends = (limits.low, limits.high, limits.equal_low, limits.equal_high)
        is_told = limits.p_value <= 1 - level or isnan(limits.p_value)
        said, beyond = verdict(*ends, margin, primary.metric.better, is_told)
        return f"{said} beyond the margin" if beyond else said
    return "no difference" if evidence.value == 0 else "undefined"
