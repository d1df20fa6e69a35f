"""Join the scores of each model to the rows that metrics read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from reportgen.analysis.plan import LearnedPeak, ModelScores, PlannedPoint
from reportgen.analysis.sensitivity.peaks import learn_peaks
from reportgen.config.schema.config import Config
from reportgen.data.sample import LabelTarget, Sample
from reportgen.kernels.batch import Column
from reportgen.metrics.curves import Curve
from reportgen.metrics.lookup import first_metric
from reportgen.metrics.rows import PastTargets, TrainingRows
from reportgen.metrics.tasks import TASKS, Predictions
from reportgen.planning.classes import build_class_costs
from reportgen.planning.costs import build_unit_costs, fit_shifts
from reportgen.planning.flagged_rows import list_label_thresholds
from reportgen.planning.ranking import build_lists
from reportgen.planning.resampling import build_design, restrict_to_folds
from reportgen.planning.thresholds import compute_cell_costs, plan_operating_points


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
