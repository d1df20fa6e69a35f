"""Whether the difference on the primary metric is the same in all segments and at all times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis, NoReplicates
from reportgen.analysis.plan import PlannedMetric, explain_unsuited
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.heterogeneity import (
    FEWEST_IN_A_GROUP,
    ContrastEstimate,
    GroupDifferences,
    compare_groups,
    estimate_contrast,
)
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Matrix, Vector
from reportgen.results.core import Comparison
from reportgen.results.costs import IntervalEstimate
from reportgen.results.segments import GroupDifference, Stability
from reportgen.results.types import round_number
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


@dataclass(frozen=True, eq=False)
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
