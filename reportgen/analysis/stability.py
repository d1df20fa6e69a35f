"""Segments: whether a difference is the same in all of them, and the gaps between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isclose
from typing import Any

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis, NoReplicates
from reportgen.analysis.plan import PlannedGap, PlannedMetric, explain_unsuited
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.differences import build_contrast
from reportgen.inference.group_gaps import (
    FEWEST_IN_A_GROUP,
    ContrastEstimate,
    GapEstimate,
    GroupDifferences,
    GroupValues,
    compare_groups,
    estimate_contrast,
    estimate_difference,
    estimate_range,
    estimate_range_change,
)
from reportgen.inference.resampling.replicates import thread_map
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.traits import NEAREST
from reportgen.records import record
from reportgen.results.core import Comparison, Estimate
from reportgen.results.costs import IntervalEstimate
from reportgen.results.segments import GroupDifference, GroupGap, OmittedSegment, Stability
from reportgen.results.types import FEWEST, Number, round_number
from reportgen.results.verdicts import word_side


def iter_stability(
    analysis: DatasetAnalysis, compared: Sequence[Comparison]
) -> Iterator[Stability]:
    """Yield how stable each candidate's difference from the baseline is, by column and in time."""
    use = next((use for use in analysis.plan.statistics.metrics if use.is_primary), None)
    if use is None or analysis.is_of_procedure:
        return
    for candidate, baseline in analysis.plan.inference.pairs:
        models = [m for m in analysis.plan.models if m.name in (candidate, baseline)]
        if any(explain_unsuited(use.metric.needs, model) for model in models):
            continue
        by_column = [
            _Groups.collect(analysis, use, (candidate, baseline), by, parts)
            for by, parts in list_parts(analysis).items()
        ]
        if analysis.plan.sampling.windows:
            by_column.append(_collect_windows(analysis, use, (candidate, baseline)))
        known = [groups for groups in by_column if groups.can_be_judged]
        tests = sum(2 if groups.is_time else 1 for groups in known)
        overall = next(
            c
            for c in compared
            if (c.segment, c.key, c.candidate, c.baseline) == (None, use.key, candidate, baseline)
        )
        for groups in known:
            yield groups.judge(analysis.plan.inference.level, tests, overall)


def list_parts(analysis: DatasetAnalysis) -> Mapping[str, list[RowSubset]]:
    """List the segments of each column that has several."""
    by_column: dict[str, list[RowSubset]] = defaultdict(list)
    for part in analysis.parts:
        if part.name is not None:
            by_column[part.name.partition("=")[0]].append(part)
    return {by: parts for by, parts in by_column.items() if len(parts) > 1}


@record(eq=False)
class _Groups:
    """The groups of rows of one column in which two models are compared on one metric."""

    analysis: DatasetAnalysis
    use: PlannedMetric
    models: tuple[str, str]
    by: str
    members: tuple[tuple[RowSubset, SamplingDistribution], ...]
    left_out: int
    is_time: bool = False

    @property
    def can_be_judged(self) -> bool:
        """True if several groups are known; of periods, if all of them are."""
        return len(self.members) > 1 and not (self.is_time and self.left_out)

    @classmethod
    def collect(
        cls,
        analysis: DatasetAnalysis,
        use: PlannedMetric,
        models: tuple[str, str],
        by: str,
        parts: Sequence[RowSubset],
    ) -> _Groups:
        """Collect the groups with enough units and a difference whose error is known."""
        each = [(part, analysis.difference(part, use, *models)[0]) for part in parts]
        known = tuple(
            (part, evidence)
            for part, evidence in each
            if _count_units(evidence) >= FEWEST_IN_A_GROUP
            and not evidence.is_of_few_in_a_class
            and np.isfinite(evidence.value)
            and _find_error(evidence) > evidence.rounding
        )
        return cls(analysis, use, models, by, known, len(parts) - len(known))

    def judge(self, level: float, tests: int, overall: Comparison) -> Stability:
        """Judge whether the differences are equal; `tests` of the candidate share the level."""
        groups = self._measure()
        bound = (part.judging(part.bound[self.use.key, self.models[0]]) for part, _ in self.members)
        weight = np.array([each.total_weight for each in bound])
        equal = None if self.is_time else compare_groups(groups)
        within = estimate_contrast(groups, weight / weight.sum())
        sign = 1 if self.use.metric.better == "higher" else -1
        low, high = within.compute_limits(1 - (1 - level) / tests)
        is_reversed = sign * (int(low > 0) - int(high < 0)) * word_side(overall.word) < 0
        result = Stability(
            dataset=self.analysis.plan.dataset,
            key=self.use.key,
            candidate=self.models[0],
            baseline=self.models[1],
            by=self.by,
            is_time=self.is_time,
            groups=tuple(self._describe(part, evidence, level) for part, evidence in self.members),
            left_out=self.left_out,
            level=level,
            tests=tests,
            within=self._choose_limits(within, level, overall),
            is_reversed=is_reversed and not self.is_time,
        )
        if equal is not None:
            result = replace(
                result,
                statistic=round_number(equal.statistic),
                df=round_number(equal.df),
                error_df=round_number(equal.error_df),
                p_value=round_number(equal.p_value),
                differs_by_segment=equal.p_value < (1 - level) / tests,
            )
        if not self.is_time:
            return result
        change, last = self._contrast_times(groups, weight)
        return replace(
            result,
            change=_build_limits(change, level),
            change_p=round_number(change.p_value),
            last=_build_limits(last, level),
            last_p=round_number(last.p_value),
        )

    def _choose_limits(
        self, within: ContrastEstimate, level: float, overall: Comparison
    ) -> IntervalEstimate:
        """Return the limits within groups; of a mean, which all rows have too, the printed ones."""
        if overall.difference is not None and isclose(
            within.value, overall.difference, rel_tol=1e-8, abs_tol=1e-12
        ):
            return IntervalEstimate(overall.difference, overall.low, overall.high)
        return _build_limits(within, level)

    def _contrast_times(
        self, groups: GroupDifferences, weight: Vector
    ) -> tuple[ContrastEstimate, ContrastEstimate]:
        """Return the fitted change from the first window to the last, and last minus earlier."""
        k = len(weight)
        place = np.arange(k) - (k - 1) / 2
        change = np.asarray(place / float(place @ place) * (k - 1), dtype=np.float64)
        last = np.append(-weight[:-1] / weight[:-1].sum(), 1.0)
        return estimate_contrast(groups, change), estimate_contrast(groups, last)

    def _measure(self) -> GroupDifferences:
        every = [evidence for _, evidence in self.members]
        return GroupDifferences(
            np.array([each.value for each in every]),
            np.array([_find_error(each) for each in every]),
            np.array([float(each.units) for each in every]),
            np.array([max(each.unit_df, 1.0) for each in every]),
            self._correlate(every),
        )

    def _correlate(self, every: Sequence[SamplingDistribution]) -> Matrix | None:
        """Correlate the differences by the shared resamples, where groups share units.

        nan where too few resamples have all of them.
        """
        overall = self.analysis.evidence(self.analysis.parts[0], self.use, self.models[0])
        if self.is_time or are_apart(overall, every):
            return None
        replicates = np.array([each.replicates for each in every])
        replicates = replicates[:, np.isfinite(replicates).all(axis=0)]
        if replicates.shape[1] <= len(every):
            return np.full((len(every), len(every)), np.nan)
        return np.asarray(np.corrcoef(replicates), dtype=np.float64)

    def _describe(
        self, part: RowSubset, evidence: SamplingDistribution, level: float
    ) -> GroupDifference:
        limits = self.analysis.plan.inference.compute_interval(evidence)
        assert part.name is not None
        return GroupDifference(
            part.name if self.is_time else part.name.partition("=")[2],
            part.judging(part.bound[self.use.key, self.models[0]]).judges,
            round_number(evidence.value),
            round_number(limits.low),
            round_number(limits.high),
        )


def _collect_windows(
    analysis: DatasetAnalysis, use: PlannedMetric, models: tuple[str, str]
) -> _Groups:
    """Collect windows of time, whose errors come from influence values alone."""
    parts = tuple(RowSubset(analysis.plan, window) for window in analysis.plan.sampling.windows)
    alone = replace(analysis, parts=parts, replicates=NoReplicates())
    return replace(_Groups.collect(alone, use, models, "", parts), is_time=True)


def are_apart(overall: SamplingDistribution, every: Sequence[SamplingDistribution]) -> bool:
    """Return whether no unit of all rows is in several groups, nor depends on its neighbours."""
    is_of_units = overall.block is None and overall.folds is None
    return is_of_units and sum(each.units for each in every) <= overall.units


def _count_units(evidence: SamplingDistribution) -> float:
    """Count the units whose spread is known; blocks of time, unless an error over times is."""
    return evidence.units if evidence.long_run is not None else evidence.independent


def _find_error(evidence: SamplingDistribution) -> float:
    """Return the standard error by influence, or else by resamples; 0 where neither is known."""
    known = (evidence.mean_se, evidence.influence_se, evidence.smoothed_se, evidence.bootstrap_se)
    return next((se for se in known if np.isfinite(se)), 0.0)


def _build_limits(contrast: ContrastEstimate, level: float) -> IntervalEstimate:
    return IntervalEstimate.from_limits(contrast.value, *contrast.compute_limits(level))


def iter_group_gaps(
    analysis: DatasetAnalysis, estimates: Iterable[Estimate], threads: int = 1
) -> Iterator[GroupGap]:
    """Yield the gaps that requirements name, and those of all columns on the primary metric.

    `estimates` are the values of the segments as the report prints them.
    """
    known = {(each.segment, each.key, each.model): each for each in estimates}
    parts = list_parts(analysis)
    gaps = dict.fromkeys((*analysis.plan.inference.gaps, *_iter_usual_gaps(analysis, parts)))
    by_column: dict[str, list[PlannedGap]] = defaultdict(list)
    for gap in gaps:
        by_column[gap.by].append(gap)

    def measure_column(by: str) -> list[tuple[PlannedGap, GroupGap]]:
        column = tuple(parts.get(by, ()))
        values: dict[tuple[object, ...], GroupValues] = {}
        return [
            (gap, _SegmentGap(analysis, metrics[gap.key], gap, column, known, values).measure())
            for gap in by_column[by]
        ]

    metrics = {use.key: use for use in analysis.plan.statistics.metrics}
    with thread_map(threads) as mapped:
        measured = dict(chain.from_iterable(mapped(measure_column, by_column)))
    yield from map(measured.__getitem__, gaps)


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


@record(eq=False)
class _SegmentGap:
    """A gap on the segments of its column; `known` are the values of all segments.

    `values` keeps what is computed of a model on these segments, which several gaps need.
    """

    analysis: DatasetAnalysis
    use: PlannedMetric
    gap: PlannedGap
    parts: tuple[RowSubset, ...]
    known: Mapping[tuple[str | None, str, str], Estimate]
    values: dict[tuple[object, ...], GroupValues]

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
            differences = self._group([self._subtract(part) for part in usable], self.gap.model)
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
        place = (self.use.key, model, *(part.name for part in usable))
        if place not in self.values:
            members = [self.analysis.evidence(part, self.use, model) for part in usable]
            self.values[place] = self._group(members, model)
        return self.values[place]

    def _group(self, members: Sequence[SamplingDistribution], model: str) -> GroupValues:
        plan = self.analysis.plan
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
