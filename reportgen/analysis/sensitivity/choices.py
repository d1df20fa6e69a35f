"""What would change the verdict: the primary comparison under other conventions, side by side.

Every one is made by the same method and stands alone, so that two differ in the convention and in
nothing else. Formulas are used, and no resample is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import Alternative, AnalysisPlan, Use
from reportgen.analysis.subset import RowSubset
from reportgen.inference.evidence import contrast
from reportgen.inference.intervals import equivalence_level, interval
from reportgen.inference.significance import verdict
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
        for pair, choice in _under(plan, primary, each)
    ]  # fmt: skip
    first = {pair: choice.verdict for pair, choice in reversed(found)}
    ordered = sorted(found, key=lambda one: plan.pairs.index(one[0]))
    return tuple(
        replace(choice, is_other=choice.verdict != first[pair]) for pair, choice in ordered
    )


def _under(
    plan: AnalysisPlan, primary: Use, asked: Alternative
) -> Iterator[tuple[tuple[str, str], Choice]]:
    uses = _uses(primary, asked)
    models = plan.models
    if asked.rows is not None:
        models = tuple(replace(each, rows=asked.rows(each.rows)) for each in models)
    other = replace(
        plan, models=models, uses=tuple(uses), curves=(), joints=(), segments=(), alternatives=()
    )
    found = DatasetAnalysis(other, (RowSubset(other, None),), _NoReplicates())
    for pair in plan.pairs:
        choice = _choice(found, uses, asked, primary, *pair)
        if choice is not None:
            yield pair, choice


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


def _choice(
    found: DatasetAnalysis,
    uses: Sequence[Use],
    asked: Alternative,
    primary: Use,
    candidate: str,
    baseline: str,
) -> Choice | None:
    part, level, better = found.parts[0], found.plan.level, primary.metric.better
    if (uses[0].key, candidate) not in part.metrics or (uses[-1].key, baseline) not in part.metrics:
        return None
    first, second = (
        found.evidence(part, use, model)
        for use, model in ((uses[0], candidate), (uses[-1], baseline))
    )
    evidence = contrast(first, second, better)
    limits = interval(evidence, METHOD, level)
    said = "undefined"
    if limits.is_defined:
        near = interval(evidence, METHOD, equivalence_level(level))
        margin = primary.margin.against(second.value) if primary.margin else None
        ends = (limits.low, limits.high, near.low, near.high)
        said, beyond = verdict(*ends, margin, better)
        said += " beyond the margin" * beyond
    elif evidence.value == 0:
        said = "no difference"
    return Choice(
        found.plan.dataset, primary.key, candidate, baseline, asked.name, asked.value,
        rounded(evidence.value), rounded(limits.low), rounded(limits.high), level,
        evidence.n, said, False,
    )  # fmt: skip
