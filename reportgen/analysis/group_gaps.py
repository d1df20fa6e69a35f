"""How far apart the segments of a column are on a metric, and how a candidate changes that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import PlannedGap, PlannedMetric, explain_unsuited
from reportgen.analysis.row_subset import RowSubset
from reportgen.analysis.stability import are_apart, list_parts
from reportgen.inference.differences import build_contrast
from reportgen.inference.group_gaps import (
    GapEstimate,
    GroupValues,
    estimate_difference,
    estimate_range,
    estimate_range_change,
)
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.metrics.traits import NEAREST
from reportgen.results.core import Estimate
from reportgen.results.segments import GroupGap, OmittedSegment
from reportgen.results.types import FEWEST, Number, round_number


def iter_group_gaps(analysis: DatasetAnalysis, estimates: Iterable[Estimate]) -> Iterator[GroupGap]:
    """Yield the gaps that requirements name, and those of all columns on the primary metric.

    `estimates` are the values of the segments as the report prints them.
    """
    known = {(each.segment, each.key, each.model): each for each in estimates}
    parts = list_parts(analysis)
    for gap in dict.fromkeys((*analysis.plan.inference.gaps, *_iter_usual_gaps(analysis, parts))):
        use = next(use for use in analysis.plan.statistics.metrics if use.key == gap.key)
        yield _SegmentGap(analysis, use, gap, tuple(parts.get(gap.by, ())), known).measure()


def _iter_usual_gaps(
    analysis: DatasetAnalysis, parts: Mapping[str, Sequence[RowSubset]]
) -> Iterator[PlannedGap]:
    """Yield the gaps of every model on the primary metric, and of each candidate's change."""
    use = next((use for use in analysis.plan.statistics.metrics if use.is_primary), None)
    for by in parts if use is not None else ():
        for model in analysis.plan.models:
            yield PlannedGap(use.key, model.name, None, by)  # type: ignore[union-attr]
        for candidate, baseline in analysis.plan.inference.pairs:
            yield PlannedGap(use.key, candidate, baseline, by)  # type: ignore[union-attr]


@dataclass(frozen=True, eq=False)
class _SegmentGap:
    """A gap on the segments of its column; `known` are the values of all segments."""

    analysis: DatasetAnalysis
    use: PlannedMetric
    gap: PlannedGap
    parts: tuple[RowSubset, ...]
    known: Mapping[tuple[str | None, str, str], Estimate]

    @property
    def models(self) -> tuple[str, ...]:
        """The model, and the one that it is compared with."""
        return (self.gap.model, *((self.gap.against,) if self.gap.against else ()))

    def measure(self) -> GroupGap:
        """Measure the gap on the segments whose values and intervals are known."""
        chosen = self._choose_parts()
        omitted = [(part, reason) for part in chosen if (reason := self._explain_omission(part))]
        left_out = [part for part, _ in omitted]
        usable = [part for part in chosen if part not in left_out]
        gap, plan = self.gap, self.analysis.plan
        result = GroupGap(
            plan.dataset,
            gap.key,
            gap.model,
            gap.against,
            gap.by,
            gap.between,
            plan.inference.level,
            segments=len(usable),
            omitted=tuple(OmittedSegment(_name(part), reason) for part, reason in omitted),
        )
        unsuited = (
            explain_unsuited(self.use.metric.needs, model)
            for model in plan.models
            if model.name in self.models
        )
        if reason := next(filter(None, unsuited), ""):
            return replace(result, reason=reason)
        if len(usable) < 2:
            return replace(result, reason="fewer than two segments have a value and an interval")
        return self._estimate(result, usable)

    def _choose_parts(self) -> list[RowSubset]:
        """Choose the segments, in the order of `between` if that names two."""
        if not self.gap.between:
            return list(self.parts)
        by_name = {_name(part): part for part in self.parts}
        return [by_name[name] for name in self.gap.between]

    def _explain_omission(self, part: RowSubset) -> str:
        """Explain why a segment takes no part; return an empty text if it does."""
        for model in self.models:
            estimate = self.known[part.name, self.use.key, model]
            if estimate.value is None or estimate.low is None or estimate.high is None:
                return estimate.reason or "no interval"
            if estimate.lacks:
                return f"fewer than {FEWEST[estimate.lacks]} {estimate.lacks}"
        return ""

    def _estimate(self, result: GroupGap, usable: Sequence[RowSubset]) -> GroupGap:
        own = self._collect(usable, self.gap.model)
        if self.gap.against is None:
            is_signed = bool(self.gap.between)
            made = estimate_difference(own) if is_signed else estimate_range(own)
        else:
            theirs = self._collect(usable, self.gap.against)
            differences = self._group([self._subtract(part) for part in usable])
            made = estimate_range_change(own, theirs, differences)
            result = replace(result, gap_against=round_number(float(np.ptp(theirs.values))))
        return replace(
            result,
            **_describe(made),
            highest=_name(usable[int(own.values.argmax())]),
            lowest=_name(usable[int(own.values.argmin())]),
            **self._find_tails(usable),
        )

    def _collect(self, usable: Sequence[RowSubset], model: str) -> GroupValues:
        return self._group([self.analysis.evidence(part, self.use, model) for part in usable])

    def _group(self, members: Sequence[SamplingDistribution]) -> GroupValues:
        plan, model = self.analysis.plan, self.gap.model
        overall = self.analysis.evidence(self.analysis.parts[0], self.use, model)
        return GroupValues(
            members, plan.inference.interval, plan.inference.level, are_apart(overall, members)
        )

    def _subtract(self, part: RowSubset) -> SamplingDistribution:
        """Subtract the other model's value from the model's, both with their signs."""
        model, against = self.models
        if self.use.metric.better not in NEAREST:
            return self.analysis.difference(part, self.use, model, against)[0]
        own, other = self.analysis.on_same_units(part, (self.use, model), (self.use, against))
        contrast = build_contrast(own, other, "higher")
        return replace(contrast, has_one_score=part.is_same(model, against))

    def _find_tails(self, usable: Sequence[RowSubset]) -> dict[str, Any]:
        """Find the largest reach of the tails of these segments."""
        each = [
            self.known[part.name, self.use.key, model] for part in usable for model in self.models
        ]
        reach: Number = max((e.tail_reach for e in each if e.tail_reach is not None), default=None)
        is_decided_by_few = any(e.is_decided_by_few for e in each)
        return {"tail_reach": reach, "is_decided_by_few": is_decided_by_few}


def _describe(gap: GapEstimate) -> dict[str, Any]:
    return {
        "value": round_number(gap.value),
        "low": round_number(gap.low),
        "high": round_number(gap.high),
        "p_value": round_number(gap.p_value),
    }


def _name(part: RowSubset) -> str:
    assert part.name is not None
    return part.name.partition("=")[2]
