"""What would change the verdict: the primary comparison under other conventions, side by side.

Every one is made by the same method, and adjusted among the pairs as the primary comparisons are,
so that two differ in the convention and in nothing else. Formulas are used, and no resample is
drawn: where the largest deviation of resamples would adjust, Holm's procedure does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite, isnan, nan

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import Alternative, AnalysisPlan, Use
from reportgen.analysis.subset import RowSubset
from reportgen.inference.contrasts import contrast
from reportgen.inference.evidence import Evidence
from reportgen.inference.multiplicity import Adjusted, adjusted
from reportgen.inference.significance import significance, verdict
from reportgen.kernels.batch import Matrix
from reportgen.resampling.replicates import What, Where
from reportgen.results import Choice, rounded

AS_DECLARED = Alternative("as declared", "")
METHOD = "auto"


class _NoReplicates(dict[tuple[Where, What], Matrix]):
    """Replicates of a plan that draws none."""

    def __missing__(self, key: object) -> Matrix:
        return np.empty(0)


def choices(analysis: DatasetAnalysis) -> tuple[Choice, ...]:
    """Every pair as declared, then under each alternative of the plan."""
    plan = analysis.plan
    primary = next((use for use in plan.uses if use.is_primary), None)
    if primary is None or not plan.alternatives:
        return ()
    every = (AS_DECLARED, *plan.alternatives)
    found = [
        (pair, choice)
        for each in every
        for pair, choice in _under(plan, primary, each, analysis.is_of_procedure)
    ]  # fmt: skip
    first = {pair: choice.verdict for pair, choice in reversed(found)}
    ordered = sorted(found, key=lambda one: plan.pairs.index(one[0]))
    return tuple(
        replace(choice, is_other=choice.verdict != first[pair]) for pair, choice in ordered
    )


def _under(
    plan: AnalysisPlan, primary: Use, asked: Alternative, is_of_procedure: bool
) -> Iterator[tuple[tuple[str, str], Choice]]:
    uses = _uses(primary, asked)
    models = plan.models
    if asked.rows is not None:
        models = tuple(replace(each, rows=asked.rows(each.rows)) for each in models)
    other = replace(
        plan, models=models, uses=tuple(uses), curves=(), joints=(), segments=(), alternatives=()
    )
    found = DatasetAnalysis(
        other,
        (RowSubset(other, None),),
        _NoReplicates(),
        is_of_procedure=is_of_procedure,
    )
    asked_of = [(pair, _contrast(found, uses, primary, *pair)) for pair in plan.pairs]
    known = [(pair, each) for pair, each in asked_of if each is not None]
    adjust = "holm" if plan.adjust == "maxt" else plan.adjust
    defined = [each for _, (each, _) in known if isfinite(each.value)]
    p_values = [significance(each, METHOD, plan.design.seed).p_value for each in defined]
    strict = iter(adjusted(defined, p_values, adjust, METHOD, plan.level))
    for pair, (evidence, margin) in known:
        limits = next(strict) if isfinite(evidence.value) else None
        said = _verdict(evidence, limits, margin, primary, plan.level)
        yield pair, Choice(
            plan.dataset, primary.key, *pair, asked.name, asked.value, rounded(evidence.value),
            rounded(nan if limits is None else limits.low),
            rounded(nan if limits is None else limits.high),
            plan.level, evidence.n, said, False, rounded(nan if margin is None else margin),
            adjust if len(defined) > 1 else "none",
        )  # fmt: skip


def _uses(primary: Use, asked: Alternative) -> Sequence[Use]:
    """The metric of the candidate, and that of the baseline where it is another."""
    own = primary.metric
    sides = [asked.params]
    if asked.baseline_params is not None:
        sides.append(asked.baseline_params)
    return [
        Use(f"{primary.key} {k}", own.use(**{**own.params, **params}), primary.margin)
        for k, params in enumerate(sides)
    ]


def _contrast(
    found: DatasetAnalysis, uses: Sequence[Use], primary: Use, candidate: str, baseline: str
) -> tuple[Evidence, float | None] | None:
    """The difference of a pair and its margin; None where a model has no value."""
    part = found.parts[0]
    if (uses[0].key, candidate) not in part.metrics or (uses[-1].key, baseline) not in part.metrics:
        return None
    first, second = (
        found.evidence(part, use, model)
        for use, model in ((uses[0], candidate), (uses[-1], baseline))
    )
    margin = primary.margin.against(second.value) if primary.margin else None
    return contrast(first, second, primary.metric.better), margin


def _verdict(
    evidence: Evidence, limits: Adjusted | None, margin: float | None, primary: Use, level: float
) -> str:
    """The verdict by the limits that hold for the pairs together."""
    if limits is not None and isfinite(limits.low) and isfinite(limits.high):
        ends = (limits.low, limits.high, limits.equal_low, limits.equal_high)
        is_told = limits.p_value <= 1 - level or isnan(limits.p_value)
        said, beyond = verdict(*ends, margin, primary.metric.better, is_told)
        return f"{said} beyond the margin" if beyond else said
    return "no difference" if evidence.value == 0 else "undefined"
