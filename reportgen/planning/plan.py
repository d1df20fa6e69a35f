"""Build the analysis plan of one dataset, with the rows of its models."""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from reportgen.analysis.plan import (
    Alternative,
    AnalysisPlan,
    InferencePlan,
    LearnedPeak,
    ModelScores,
    PlannedMetric,
    PlannedPoint,
    RowNames,
    SamplingPlan,
    Segment,
    SensitivityPlan,
    StatisticPlan,
)
from reportgen.analysis.sensitivity.peaks import learn_peaks
from reportgen.config.schema.config import Config
from reportgen.data.arrow import Index, Mask
from reportgen.data.sample import AmountTarget, LabelTarget, Sample
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Column, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.classification.probability import CLIPPING, count_confident_mistakes
from reportgen.metrics.curves import Curve
from reportgen.metrics.lookup import first_metric
from reportgen.metrics.rows import Amounts, Classes, LabelSets, PastTargets, Rows, TrainingRows
from reportgen.metrics.tasks import TASKS, Predictions
from reportgen.planning.classes import build_class_costs, plan_classes
from reportgen.planning.costs import (
    build_cost_model,
    build_unit_costs,
    find_fit_dataset,
    find_training_dataset,
    fit_shifts,
    plan_costs,
    plan_shift_warnings,
)
from reportgen.planning.flagged_rows import list_label_thresholds
from reportgen.planning.metrics import (
    plan_anytime,
    plan_curves,
    plan_inference,
    plan_metrics,
    plan_statistics,
)
from reportgen.planning.ranking import build_lists, plan_conventions, plan_harms
from reportgen.planning.references import plan_reference_values, plan_references
from reportgen.planning.resampling import (
    build_design,
    choose_replicates,
    plan_sampling,
    restrict_to_folds,
)
from reportgen.planning.segments import iter_segments
from reportgen.planning.thresholds import (
    check_shared_ids,
    compute_cell_costs,
    iter_threshold_warnings,
    plan_operating_points,
)
from reportgen.terms import QUERIES


def build_models(
    config: Config,
    sample: Sample,
    fit: Sample | None,
    replicates: int,
    points: Iterable[PlannedPoint],
    training: Sample | None = None,
) -> Iterator[ModelScores]:
    """Build the rows of every model; shifts are fitted on the rows of `fit`.

    Naive forecasts repeat the targets of `training`, or of the same rows where there are none.
    """
    fitted: Mapping[str, TrainingRows] = {}
    if fit is not None and TASKS[config.task].has_side_costs:
        fitted = fit_shifts(
            fit, build_design(config, fit, (None, None), replicates), build_unit_costs(config, fit)
        )
    unit_costs, cell_costs = build_unit_costs(config, sample), compute_cell_costs(config, sample)
    classes = sample.classes
    flags = sample.target.flags if isinstance(sample.target, LabelTarget) else None
    task, target, lists = TASKS[config.task], Column(sample.y), build_lists(config, sample)
    past = {
        by: build_past(sample, sample if training is None else training, by)
        for by in list_series_columns(config)
    }
    for name, model in config.models.items():
        predictions = Predictions(
            sample.models[name].score,
            model.scale,
            sample.models[name].parts,
            fitted.get(name),
            unit_costs,
            lists.get(name),
            {point.name: point.rules[name] for point in points},
            cell_costs,
            classes,
            flags,
            list_label_thresholds(config, name, classes),
            build_class_costs(config, classes),
            past,
        )
        rows = restrict_to_folds(config, sample.sampling, task.rows(target, predictions))
        rows.is_of_flagged = config.datasets[sample.dataset].labelled == "flagged"
        yield ModelScores(name, model.label or name, rows)


def list_series_columns(config: Config) -> list[str]:
    """List the columns of series that metrics name; "" where one takes all rows as one."""
    uses = (u for u in config.metrics if first_metric(u.name, config.task).needs == "series")
    return sorted({str(use.params.get("by", "")) for use in uses})


def build_past(sample: Sample, known: Sample, by: str) -> PastTargets:
    """Build the targets that naive forecasts repeat, by the series of a column."""
    times = known.sampling.time
    assert times is not None
    own, series = sample.find_series(by), known.find_series(by)
    order = np.lexsort((times.code, series.code))
    code, moment = series.code[order], times.code[order]
    is_repeated = (code[1:] == code[:-1]) & (moment[1:] == moment[:-1])
    count = len(series.labels)
    place = {label: k for k, label in enumerate(series.labels)}
    matched = np.array([place.get(label, count) for label in own.labels], dtype=np.intp)
    return PastTargets(
        matched[own.code],
        np.searchsorted(code, np.arange(count + 1)).astype(np.intp),
        known.y[order],
        np.bincount(code[1:][is_repeated], minlength=count) > 0,
    )


def build_model_rows(config: Config, sample: Sample) -> Iterator[ModelScores]:
    """Build every model on some rows; nothing is learned on other rows."""
    return build_models(config, sample, None, 0, plan_operating_points(config, sample))


def learn_curve_peaks(
    config: Config, curves: Sequence[Curve], fit: Sample | None, replicates: int
) -> dict[tuple[str, str], LearnedPeak]:
    """Learn where curves are highest on the rows of `fit`; nothing without such rows."""
    if fit is None or not any(curve.has_peak for curve in curves):
        return {}
    points = plan_operating_points(config, fit)
    models = tuple(build_models(config, fit, None, replicates, points))
    return learn_peaks(curves, models, build_design(config, fit, (None, None), replicates))


TOP_SHARES = 0.01  # share of the rows that are left out
FEWEST = 100  # rows from which there is such a share
MOST_COLUMNS = 3  # whose largest segment is left out
BUCKETS = (5, 10, 20)
FACTORS = (0.8, 1.25)
OTHER_DEFINITIONS: Mapping[str, str] = {
    "kendall": "kendall_a",
    "kendall_a": "kendall",
    "average_precision": "pr_auc",
    "pr_auc": "average_precision",
}
OTHER_TIES: Mapping[str, str] = {"half": "strict", "strict": "half"}


def plan_sensitivity(
    config: Config,
    sample: Sample,
    metrics: Sequence[PlannedMetric],
    models: Sequence[ModelScores],
    design: Design,
) -> SensitivityPlan:
    """Plan what could change the conclusion on one dataset.

    Other limits than those that hold at every analysis answer another question.
    """
    is_anytime = config.inference.sequential
    return SensitivityPlan(
        alternatives=()
        if is_anytime
        else (
            *plan_conventions(config, sample, metrics),
            *plan_alternatives(config, sample, metrics, models, design),
        ),
        is_varied=config.sensitivity.variants == "usual" and not is_anytime,
        bucket_counts=config.bucket_counts,
        harms=plan_harms(config, sample.dataset),
        has_wins=TASKS[config.task].has_wins,
        has_single_rows=config.sensitivity.variants == "usual" and "robustness" in config.sections,
    )


def plan_alternatives(
    config: Config,
    sample: Sample,
    uses: Sequence[PlannedMetric],
    models: Sequence[ModelScores],
    design: Design,
) -> tuple[Alternative, ...]:
    """Plan the alternatives on the dataset that decides; none elsewhere, or if not asked for."""
    primary = next((use for use in uses if use.is_primary), None)
    is_main = config.deciding_dataset == sample.dataset
    if primary is None or not is_main or config.sensitivity.variants == "none":
        return ()
    return (
        *_iter_declared_alternatives(config, sample),
        *_iter_rows(sample, models),
        *_iter_definitions(primary),
        *_iter_clips(primary, models, design),
        *_iter_buckets(primary),
        *_iter_costs(primary, models),
        *_iter_designs(design),
    )


def _iter_declared_alternatives(config: Config, sample: Sample) -> Iterator[Alternative]:
    """Yield the alternatives that the config requests: another margin, other rows."""
    for each in config.sensitivity.also:
        if each.margin is not None:
            yield Alternative("own", each.name, kind="own", margin=each.margin.to_margin())
        elif each.name in sample.subsets:
            kept = np.flatnonzero(sample.subsets[each.name])
            yield Alternative("own", each.name, kind="own", kept=kept)


def _iter_rows(sample: Sample, models: Sequence[ModelScores]) -> Iterator[Alternative]:
    """Without the rows that count most, and without the largest segment of each column."""
    if sample.n >= FEWEST:
        found = [each.rows.errors() for each in models]
        errors = [np.abs(each) for each in found if each is not None]
        if errors:
            kept = _drop_largest(np.max(errors, axis=0))
            yield Alternative("rows", "without the largest errors", kind="rows", kept=kept)
        if all(isinstance(each.rows, Amounts) for each in models) and _is_amount(sample):
            kept = _drop_largest(sample.y)
            yield Alternative("rows", "without the largest targets", kind="rows", kept=kept)
            yield Alternative("rows", "largest targets capped", kind="rows", rows=_cap_targets)
    for column, codes in [*sample.segments.items()][:MOST_COLUMNS]:
        count = np.bincount(codes.code, minlength=len(codes.labels))
        largest = int(np.argmax(count))
        kept = np.flatnonzero(codes.code != largest)
        if len(kept) > 1:
            name = f"{column}={codes.labels[largest]}"
            yield Alternative("without", name, kind="rows", kept=kept)


def _is_amount(sample: Sample) -> bool:
    return isinstance(sample.target, AmountTarget) and len(np.unique(sample.y[:1000])) > 2


def _drop_largest(size: Vector) -> Index:
    """Drop the share of rows with the largest sizes; of equal ones the first are kept."""
    stay = len(size) - ceil(TOP_SHARES * len(size))
    least = np.partition(size, stay)[stay]  # of those that go
    kept: Mask = size < least
    kept[np.flatnonzero(size == least)[: stay - int(kept.sum())]] = True
    return np.flatnonzero(kept)


def _cap_targets(rows: Rows) -> Rows:
    """Return the rows with every target above the 99% quantile set to it."""
    if not isinstance(rows, Amounts):
        return rows
    capped = rows.y.once("capped", lambda: Column(_cap_values(rows.y.values)))
    others = rows.fit, rows.scale, rows.unit_costs, rows.past
    return Amounts(capped, rows.score, rows.parts, *others)


def _cap_values(y: Vector) -> Vector:
    """Cap values at their 99% quantile."""
    return np.minimum(y, np.quantile(y, 1 - TOP_SHARES, method="lower"))


def _iter_definitions(primary: PlannedMetric) -> Iterator[Alternative]:
    metric = primary.metric
    other = OTHER_DEFINITIONS.get(metric.name)
    if other is not None:
        yield Alternative("metric", other, kind="definition", metric=METRICS[other].use())
    ties = OTHER_TIES.get(str(metric.params.get("ties")))
    if ties is not None:
        yield Alternative("tied scores", ties, {"ties": ties}, kind="definition")


def _iter_clips(
    primary: PlannedMetric, models: Sequence[ModelScores], design: Design
) -> Iterator[Alternative]:
    """Yield a log loss whose probabilities are at least 1/(2n), where an outcome had none."""
    if primary.metric.name not in CLIPPING:
        return
    weight = np.ones(design.n) if design.weight is None else design.weight
    probable = [each.rows for each in models if isinstance(each.rows, Classes | LabelSets)]
    clip = 1 / (2 * design.n)
    if any(count_confident_mistakes(rows, weight)[0] for rows in probable):
        yield Alternative("clip", f"{clip:.2g}", {"clip": clip}, kind="definition")


def _iter_buckets(primary: PlannedMetric) -> Iterator[Alternative]:
    own = primary.metric.params.get("buckets")
    for count in BUCKETS if own is not None else ():
        if count != own:
            yield Alternative("buckets", str(count), {"buckets": count}, kind="buckets")


def _iter_costs(primary: PlannedMetric, models: Sequence[ModelScores]) -> Iterator[Alternative]:
    """Yield the asymmetry, or the threshold, at odds 0.8 and 1.25 times as large.

    No other threshold where models say their calls, which none changes.
    """
    params = primary.metric.params
    for name in ("alpha", "threshold"):
        value = params.get(name)
        if not isinstance(value, float) or not 0 < value < 1 or params.get("at"):
            continue
        if name == "threshold" and all(_predicts_classes(each) for each in models):
            continue
        for factor in FACTORS:
            odds = factor * value / (1 - value)
            other = odds / (1 + odds)
            said = f"{odds:.3g} : 1" if name == "alpha" else f"{other:.3g}"
            word = "asymmetry" if name == "alpha" else name
            yield Alternative(word, said, {name: other}, kind="costs")


def _predicts_classes(model: ModelScores) -> bool:
    """Whether a model says which class a row is of, and not how likely."""
    return isinstance(model.rows, Classes | LabelSets) and model.rows.scale == "label"


def _iter_designs(design: Design) -> Iterator[Alternative]:
    """As if all rows counted alike, or were drawn one by one: for comparison only."""
    if design.weight is not None:
        yield Alternative("weights", "off", kind="design", is_weighted=False)
    if design.is_clustered:
        yield Alternative("units", "off", kind="design", has_units=False)


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
