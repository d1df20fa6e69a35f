"""Build the analysis plan of one dataset; each concern has its builder, in a module of its own."""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.analysis.plan import (
    AnalysisPlan,
    InferencePlan,
    RowNames,
    SamplingPlan,
    Segment,
    StatisticPlan,
)
from reportgen.config.schema.config import Config
from reportgen.data.sample import Sample
from reportgen.metrics.tasks import TASKS
from reportgen.planning.alternatives import plan_sensitivity
from reportgen.planning.classes import plan_classes
from reportgen.planning.costs import (
    build_cost_model,
    find_fit_dataset,
    find_training_dataset,
    plan_costs,
    plan_shift_warnings,
)
from reportgen.planning.metrics import (
    plan_anytime,
    plan_curves,
    plan_inference,
    plan_metrics,
    plan_statistics,
)
from reportgen.planning.models import build_models, learn_curve_peaks
from reportgen.planning.references import plan_reference_values, plan_references
from reportgen.planning.resampling import build_design, choose_replicates, plan_sampling
from reportgen.planning.segments import iter_segments
from reportgen.planning.thresholds import (
    check_shared_ids,
    iter_threshold_warnings,
    plan_operating_points,
)
from reportgen.terms import QUERIES

PSEUDONYM_KEY_VARIABLE = "REPORTGEN_ID_KEY"
PSEUDONYM_LENGTH = 12


def plan_row_names(config: Config, sample: Sample) -> RowNames:
    """Plan the names of single rows, and whether the values of all rows are kept."""
    kept = tuple(sample.ids) if QUERIES in config.outputs else None
    return RowNames(choose_shown_ids(config, sample.ids), kept)


def choose_shown_ids(config: Config, ids: Sequence[str]) -> Sequence[str] | None:
    """Return the ids that a report may show for rows, or None if it may show none.

    Without a key, ids are shown only at the privacy level `open`.
    """
    if not config.report.show_ids:
        return None
    key = os.environ.get(PSEUDONYM_KEY_VARIABLE, "")
    if key:
        return [pseudonymize_id(key, each) for each in ids]
    return ids if config.privacy.level == "open" else None


def pseudonymize_id(key: str, text: str) -> str:
    """Return the first characters of the HMAC-SHA256 of an id under a key.

    >>> pseudonymize_id("key", "The quick brown fox jumps over the lazy dog")
    'f7bc83f43053'
    """
    return hmac.new(key.encode(), text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[
        :PSEUDONYM_LENGTH
    ]


def plan_datasets(config: Config, samples: Mapping[str, Sample]) -> dict[str, AnalysisPlan]:
    """Plan every evaluated dataset; one with `role: fit` only serves to fit on."""
    return {
        name: _plan_dataset(config, samples, name)
        for name, dataset in config.datasets.items()
        if dataset.role == "test"
    }


def _plan_dataset(config: Config, samples: Mapping[str, Sample], name: str) -> AnalysisPlan:
    fit, training = find_fit_dataset(config, name), find_training_dataset(config, name)
    known = samples[training] if training else None
    plan = build_analysis_plan(config, samples[name], samples[fit] if fit else None, known)
    plan = replace(plan, references=plan_references(config, plan, samples[name], known))
    if training is None:
        return plan
    return replace(plan, training=plan_training(config, plan, samples[name], samples[training]))


def build_analysis_plan(
    config: Config,
    sample: Sample,
    fit: Sample | None = None,
    training: Sample | None = None,
    segments: tuple[Segment, ...] | None = None,
) -> AnalysisPlan:
    """Plan the analysis of one dataset; shifts and thresholds are learned on the rows of `fit`.

    Naive forecasts repeat the targets of `training`, which nothing may have to be learned on.

    `segments` are those of the sample unless more rows are known to have others.
    """
    inference, metrics = plan_inference(config, sample.dataset), plan_metrics(config)
    inference = replace(inference, anytime=plan_anytime(config, sample))
    segments = tuple(iter_segments(sample)) if segments is None else segments
    replicates = choose_replicates(config, sample.n, metrics, inference, len(segments))
    shared = check_shared_ids(config, sample, fit)
    points = plan_operating_points(config, sample, fit, replicates)
    models = tuple(build_models(config, sample, fit, replicates, points, training))
    cost_model = build_cost_model(config, sample, fit)
    curves = plan_curves(config, cost_model)
    peaks = learn_curve_peaks(config, curves, fit, replicates)
    sampling = plan_sampling(config, sample, models, metrics, replicates, segments)
    return AnalysisPlan(
        dataset=sample.dataset,
        models=models,
        sampling=sampling,
        statistics=plan_statistics(config, sample.dataset, metrics, curves, peaks),
        inference=inference,
        classes=plan_classes(config, sample, points),
        costs=plan_costs(config, cost_model, fit),
        sensitivity=plan_sensitivity(config, sample, metrics, models, sampling.design),
        row_names=plan_row_names(config, sample),
        references=plan_reference_values(config, metrics),
        warnings=(
            *plan_shift_warnings(config, sample, fit),
            *shared,
            *iter_threshold_warnings(points, fit),
        ),
    )


def plan_training(
    config: Config, plan: AnalysisPlan, sample: Sample, fit: Sample
) -> AnalysisPlan | None:
    """Plan the same metrics on the training rows, for the generalization gap.

    None where rows have no classes, where rows or units stand in both samples, which are then not
    independent, and where intervals are about other fits, not about other rows.
    """
    has_classes = TASKS[config.task].has_classes
    if not has_classes or plan.sampling.folds is not None or _is_shared(sample, fit):
        return None
    replicates = plan.sampling.design.replicates
    models = tuple(build_models(config, fit, fit, replicates, plan.classes.points))
    return AnalysisPlan(
        dataset=fit.dataset,
        models=models,
        sampling=SamplingPlan(build_design(config, fit, (None, None), replicates)),
        statistics=StatisticPlan(plan.statistics.metrics, plan.statistics.unit),
        inference=InferencePlan(
            plan.inference.level, plan.inference.interval, is_exact=plan.inference.is_exact
        ),
        costs=replace(plan.costs, statistics=()),
    )


def _is_shared(sample: Sample, fit: Sample) -> bool:
    """Tell whether rows, or the units that rows are drawn in, stand in both samples."""
    if sample.find_common_ids(fit):
        return True
    one, other = sample.sampling.units, fit.sampling.units
    if one is None or other is None:
        return False
    return bool(set(one.codes.labels) & set(other.codes.labels))
