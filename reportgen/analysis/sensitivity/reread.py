"""The primary comparison read from the same resamples in other ways: other intervals, and thirds.

A third of the resamples in place of all shows what chance does that another seed would have drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.analysis.comparisons import Pair, judged, paired
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import Alternative, Use
from reportgen.inference.evidence import Evidence
from reportgen.inference.intervals import interval
from reportgen.results import Comparison, Number

INTERVALS = ("percentile", "bca", "studentized", "se")
FEWEST = 199  # resamples in each third
THIRDS = ("first third", "second third", "last third")


def reread(analysis: DatasetAnalysis, primary: Use) -> Iterator[tuple[Alternative, Comparison]]:
    """Each pair by every other method of resamples that applies, and by each third of them."""
    if not analysis.plan.is_varied or analysis.is_of_procedure:
        return
    plan, whole = analysis.plan, analysis.parts[0]
    members = [paired(analysis, whole, primary, *names) for names in plan.pairs]
    members = [pair for pair in members if pair.is_defined]
    if not members:
        return
    yield from _by_method(analysis, members)
    yield from _by_thirds(analysis, members)


def _by_method(
    analysis: DatasetAnalysis, members: Sequence[Pair]
) -> Iterator[tuple[Alternative, Comparison]]:
    """By each method that gives limits of its own for every pair."""
    seen = {tuple(_used(analysis, members, analysis.plan.interval))}
    for name in INTERVALS:
        used = _used(analysis, members, name)
        if tuple(used) in seen or len(set(used)) > 1:
            continue  # where it does not apply another took its place
        seen.add(tuple(used))
        other = replace(analysis, plan=replace(analysis.plan, interval=name))
        made = judged(other, members, "primary")
        if _is_short(made):
            continue
        for found in made:
            yield Alternative("interval", found.method, kind="interval"), found


def _used(analysis: DatasetAnalysis, members: Sequence[Pair], name: str) -> list[str]:
    """The method that is really used for each pair where one is asked for."""
    level = analysis.plan.level
    return [interval(p.evidence, name, level).method for p in members if p.evidence is not None]


def _by_thirds(
    analysis: DatasetAnalysis, members: Sequence[Pair]
) -> Iterator[tuple[Alternative, Comparison]]:
    size = analysis.plan.design.replicates // len(THIRDS)
    drawn = min(len(p.evidence.replicates) for p in members if p.evidence is not None)
    if size < FEWEST or drawn < size * len(THIRDS):
        return
    known = [_limits(found) for found in judged(analysis, members, "primary")]
    for k, name in enumerate(THIRDS):
        part = slice(k * size, (k + 1) * size)
        mine = [
            replace(pair, evidence=_cut(pair.evidence, part))
            for pair in members
            if pair.evidence is not None
        ]
        made = judged(analysis, mine, "primary")
        if [_limits(found) for found in made] == known or _is_short(made):
            return  # formulas know no resamples
        for found in made:
            yield Alternative("resamples", name, kind="chance"), found


def _is_short(made: Sequence[Comparison]) -> bool:
    """Whether it takes more resamples to have limits that allow for all pairs: no other verdict."""
    return any(found.replicates_to_settle is not None for found in made)


def _limits(found: Comparison) -> tuple[Number, Number]:
    return found.adjusted_low, found.adjusted_high


def _cut(evidence: Evidence, part: slice) -> Evidence:
    """What is known from some of the replicates."""
    basis, signed, errors = evidence.basis, evidence.signed, evidence.replicate_se
    return replace(
        evidence,
        replicates=evidence.replicates[part],
        replicate_se=None if errors is None else errors[part],
        basis=None if basis is None else replace(basis, evidence=_cut(basis.evidence, part)),
        signed=None if signed is None else (_cut(signed[0], part), _cut(signed[1], part)),
    )
