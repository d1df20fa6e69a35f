"""Evaluate samples of answers, and judges, of each dataset whose rows are items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from reportgen.analysis.run import DatasetResults
from reportgen.checks.scales import JudgeBias, JudgeSubject
from reportgen.config.schema.config import Config
from reportgen.data.dataset import LoadedDataset
from reportgen.data.requests import HUMAN_PARTS, SAMPLES, SPREAD
from reportgen.data.sample import Sample, Vector
from reportgen.inference.answer_samples import split_variance
from reportgen.inference.judges import (
    ClusteredValue,
    CorrectedMean,
    LabelledItems,
    compare_judge_errors,
    compute_ac1,
    compute_kappa,
    compute_sensitivity,
    compute_specificity,
    correct_mean,
    estimate_agreement,
    find_unlike_groups,
    find_unlike_score,
)
from reportgen.inference.power import DifferencePrecision, count_units_to_detect
from reportgen.inference.resampled_intervals import critical_value
from reportgen.results.core import Comparison
from reportgen.results.costs import IntervalEstimate
from reportgen.results.evaluations import (
    CorrectedScore,
    Evaluation,
    JudgeAgreement,
    JudgeFavour,
    SamplePlan,
    SampleVariance,
)
from reportgen.results.types import RaisedWarning, round_number
from reportgen.terms import DERIVED

OTHER_SAMPLES = (1, 3, 10)
"""Numbers of samples of an item for which a difference is planned, next to the present one."""
UNLIKE = 0.01  # p-value below which labelled items differ from others


def evaluate_items(
    config: Config, data: Iterable[LoadedDataset], analyses: Iterable[DatasetResults]
) -> tuple[Evaluation, ...]:
    """Evaluate samples and judges of each dataset that is compared."""
    comparisons = [c for each in analyses for c in each.comparisons if c.segment is None]
    return tuple(
        _evaluate(config, each.sample, [c for c in comparisons if c.dataset == each.info.name])
        for each in data
    )


def _evaluate(config: Config, sample: Sample, compared: list[Comparison]) -> Evaluation:
    deciding = next(use for use in config.metrics if use.key == config.deciding.metric)
    counts = [_part(sample, m, str(deciding.params["of"]), SAMPLES) for m in config.models]
    is_plain = sample.sampling.weight is None
    variances = list(_iter_variances(config, sample, compared)) if is_plain else []
    judge = _JudgeData(config, sample) if config.judge is not None and is_plain else None
    return Evaluation(
        sample.dataset,
        int(min(each.min() for each in counts)),
        int(max(each.max() for each in counts)),
        config.bootstrap.level,
        tuple(variances),
        "" if judge is None else judge.score,
        "" if judge is None else judge.unit,
        None if judge is None else judge.passes_from,
        () if judge is None else tuple(judge.iter_agreements()),
        () if judge is None else tuple(judge.iter_favours()),
        () if judge is None else tuple(judge.iter_corrected()),
    )


def _part(sample: Sample, model: str, score: str, part: str) -> Vector:
    return sample.models[model].parts[f"{score}{DERIVED}{part}"]


def _iter_variances(
    config: Config, sample: Sample, compared: list[Comparison]
) -> Iterator[SampleVariance]:
    """Split the variance of each difference of a score, with plans for the one that decides."""
    scores = {use.key: str(use.params["of"]) for use in config.metrics if use.name == "item_score"}
    for c in compared:
        if c.key not in scores or c.se is None:
            continue
        pair = (c.candidate, c.baseline)
        samples, spreads = (
            tuple(_part(sample, model, scores[c.key], part) for model in pair)
            for part in (SAMPLES, SPREAD)
        )
        parts = split_variance(c.se, (samples[0], samples[1]), (spreads[0], spreads[1]))
        plans = []
        typical = round(float(np.mean([each.mean() for each in samples])))
        for k in sorted({typical, *OTHER_SAMPLES}):
            se = parts.predict_se(sample.n, k)
            if se is None:
                break
            half = critical_value(config.bootstrap.level) * se
            items = _count_items(c, se, sample.n)
            plans.append(SamplePlan(k, round_number(se), items, round_number(half)))
        between, within = (
            None if v is None else round_number(v) for v in (parts.between, parts.within)
        )
        share = None
        if parts.between is not None and parts.within:
            noise = parts.within / typical
            share = round_number(noise / (parts.between + noise))
        yield SampleVariance(c.key, *pair, between, within, tuple(plans), share)


def _count_items(c: Comparison, se: float, items: int) -> int | None:
    """Count the items that show the margin with 80% power; None without a margin."""
    if c.margin is None or c.level is None:
        return None
    needed = count_units_to_detect(c.margin, DifferencePrecision(se, items, items - 1.0), c.level)
    return None if needed is None else needed.about


class _JudgeData:
    """The samples of one dataset that a judge scored and a human labelled."""

    def __init__(self, config: Config, sample: Sample) -> None:
        assert config.judge is not None
        self._config, self._sample, self.score = config, sample, config.judge.score
        units = sample.sampling.units
        self._cluster = np.arange(sample.n) if units is None else units.codes.code.astype(np.intp)
        self._items = {model: self._build_items(model) for model in config.models}
        others = [m for m in config.models if m != config.baseline]
        self._pairs = [(m, config.baseline) for m in others if config.baseline is not None]

    def _build_items(self, model: str) -> LabelledItems:
        labelled, human, judge, both, of_human, of_judge = (
            _part(self._sample, model, self.score, part) for part in HUMAN_PARTS[:-1]
        )
        return LabelledItems(
            both,
            of_judge - both,
            of_human - both,
            labelled - of_human - of_judge + both,
            judge,
            human,
            labelled,
            self._cluster,
        )

    def _is_of_passes(self) -> bool:
        """Tell whether scores and labels are 0 or 1, or the config says from when one passes."""
        has_limit = "from_" in self._config.scores[self.score].model_fields_set
        every = [
            np.array_equal(each, np.rint(each)) and bool((each <= items.labelled).all())
            for items in self._items.values()
            for each in (items.judge, items.human)
        ]
        return has_limit or all(every)

    @cached_property
    def passes_from(self) -> float | None:
        """The score from which the judge passes, where labels are passes of another scale."""
        scores = {m: self._sample.models[m].parts[self.score] for m in self._items}
        same = [np.array_equal(self._find_means(m), scores[m], equal_nan=True) for m in scores]
        return None if all(same) else self._config.scores[self.score].from_

    @property
    def unit(self) -> str:
        """The unit of the judge's score, on the scale of the labels."""
        keys = self._config.scores[self.score]
        if self.passes_from is not None:
            return "share"
        return "share" if (keys.bounds, keys.unit) == ((0, 1), "1") else keys.unit

    def iter_agreements(self) -> Iterator[JudgeAgreement]:
        """Yield how far judge and human agree, on all answers and on those of each model."""
        if not self._is_of_passes():
            return
        groups: dict[str | None, list[LabelledItems]] = {None: [*self._items.values()]}
        groups |= {model: [items] for model, items in self._items.items()}
        for model, own in groups.items():
            items = _join_items(own)
            if not items.labelled.any():
                continue
            both, judge_alone, human_alone, neither = items.table.sum(axis=0).astype(int).tolist()
            level = self._config.bootstrap.level
            kappa = estimate_agreement(items, compute_kappa, level, is_share=False)
            yield JudgeAgreement(
                model,
                both,
                judge_alone,
                human_alone,
                neither,
                kappa=_round(kappa),
                ac1=_round(estimate_agreement(items, compute_ac1, level, is_share=False)),
                sensitivity=_round(
                    estimate_agreement(items, compute_sensitivity, level, is_share=True)
                ),
                specificity=_round(
                    estimate_agreement(items, compute_specificity, level, is_share=True)
                ),
                reason=kappa.reason,
            )

    def iter_favours(self) -> Iterator[JudgeFavour]:
        """Yield by how much more the judge overrates each candidate than the baseline."""
        level = self._config.bootstrap.level
        for candidate, baseline in self._pairs:
            error = compare_judge_errors(self._items[candidate], self._items[baseline], level)
            yield JudgeFavour(candidate, baseline, _round(error), error.reason)

    def iter_corrected(self) -> Iterator[CorrectedScore]:
        """Yield corrected means, and differences of items that are labelled for both models."""
        assert self._config.judge is not None
        if not self._config.judge.correct:
            return
        for model, items in self._items.items():
            yield self._correct(model, None, *self._find_scores(model), items.labelled > 0)
        for candidate, baseline in self._pairs:
            first, second = self._find_scores(candidate), self._find_scores(baseline)
            both = (self._items[candidate].labelled > 0) & (self._items[baseline].labelled > 0)
            every = [self._find_means(m) for m in (candidate, baseline)]
            judge = np.where(both, first[0] - second[0], every[0] - every[1])
            yield self._correct(candidate, baseline, judge, first[1] - second[1], both)

    def _find_means(self, model: str) -> Vector:
        """Return the judge's mean of each item, on the scale of the labels."""
        return _part(self._sample, model, self.score, HUMAN_PARTS[-1])

    def _find_scores(self, model: str) -> tuple[Vector, Vector]:
        """Return the judge's and the human's score of each item, over the labelled samples if any.

        The human's is nan without a label.
        """
        items = self._items[model]
        with np.errstate(invalid="ignore", divide="ignore"):
            judge, human = items.judge / items.labelled, items.human / items.labelled
        return np.where(items.labelled > 0, judge, self._find_means(model)), human

    def _correct(
        self,
        model: str,
        baseline: str | None,
        judge: Vector,
        human: Vector,
        is_labelled: np.ndarray[tuple[int], np.dtype[np.bool_]],
    ) -> CorrectedScore:
        level = self._config.bootstrap.level
        each: CorrectedMean = correct_mean(judge, human, is_labelled, self._cluster, level)
        return CorrectedScore(
            model,
            baseline,
            _round(each.corrected),
            _round(each.human),
            round_number(each.judge),
            round_number(each.weight),
            each.labelled,
            each.others,
            round_number(each.corrected.se),
            each.corrected.reason,
        )

    def iter_warnings(self) -> Iterator[RaisedWarning]:
        """Warn where labelled items are unlike others, so that they are no random sample."""
        for model, items in self._items.items():
            is_labelled = items.labelled > 0
            if not is_labelled.any() or is_labelled.all():
                continue
            p = find_unlike_score(self._find_means(model), is_labelled, self._cluster)
            unlike = [] if p is None or p >= UNLIKE else [f"the scores of {self.score}"]
            for column, codes in self._sample.segments.items():
                p = find_unlike_groups(codes.code.astype(np.intp), is_labelled)
                unlike += [] if p is None or p >= UNLIKE else [column]
            if unlike:
                listed = " and ".join(unlike)
                note = f"the labelled items of {model} differ from the others in {listed}"
                yield RaisedWarning("W253", {"note": note})


def _join_items(each: list[LabelledItems]) -> LabelledItems:
    """Join the items of several models; those of one cluster stay together."""
    return LabelledItems(
        *(
            np.concatenate([getattr(items, name) for items in each])
            for name in (
                "both",
                "judge_alone",
                "human_alone",
                "neither",
                "judge",
                "human",
                "labelled",
                "cluster",
            )
        )
    )


def _round(each: ClusteredValue) -> IntervalEstimate:
    return IntervalEstimate.from_limits(each.value, each.low, each.high)


def warn_of_labels(config: Config, data: Iterable[LoadedDataset]) -> Iterator[RaisedWarning]:
    """Yield warnings about items that a human labelled."""
    if config.judge is None or not config.judge.correct:
        return
    for each in data:
        if each.sample.sampling.weight is None:
            yield from _JudgeData(config, each.sample).iter_warnings()


def iter_judge_subjects(config: Config, data: LoadedDataset) -> Iterator[JudgeSubject]:
    """Yield what checks read of a judge whose score decides, for each candidate."""
    deciding = next(use for use in config.metrics if use.key == config.deciding.metric)
    if config.judge is None or str(deciding.params.get("of")) != config.judge.score:
        return
    judge = _JudgeData(config, data.sample)
    sign = 1.0 if config.scores[judge.score].better == "higher" else -1.0
    corrected = {(each.model, each.baseline): each.corrected for each in judge.iter_corrected()}
    for each in judge.iter_favours():
        error = each.error
        value = corrected.get((each.candidate, each.baseline), IntervalEstimate())
        ends = [None if end is None else sign * end for end in (error.low, error.high)]
        tops = [None if end is None else sign * end for end in (value.low, value.high)]
        yield JudgeSubject(
            model=each.candidate,
            bias=JudgeBias(
                sign * (error.value or 0.0),
                None if None in ends else min(end for end in ends if end is not None),
                None if value.value is None else sign * value.value,
                None if None in tops else max(end for end in tops if end is not None),
                each.baseline,
            ),
        )
