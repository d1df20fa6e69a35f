"""Rows that have a class only where a model flags them, or predicts a class that is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.plan import PlannedPoint
from reportgen.config.schema.config import Config
from reportgen.config.task_shorthand import OF
from reportgen.data.sample import ClassTarget, LabelTarget, ModelColumns, Sample
from reportgen.errors import DataError
from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.kernels.thresholds import Threshold
from reportgen.metrics.tasks import TASKS
from reportgen.text import parse_class_value, quote, quote_first

Mask = NDArray[np.bool_]
DEFAULT_THRESHOLD = 0.5


def check_flagged_rows(config: Config, sample: Sample, points: Sequence[PlannedPoint]) -> None:
    """Stop where a model flags a row whose class nobody knows."""
    unknown = sample.target.unknown if isinstance(sample.target, ClassTarget) else None
    if unknown is None:
        return
    faults = [
        _describe_fault(config, sample, f"{quote(model)} flags{where}", flagged, missing)
        for model, where, flagged in _iter_flagged_rows(config, sample, points)
        for missing in [flagged & unknown]
        if missing.any()
    ]
    if faults:
        raise DataError(*faults)


def _describe_fault(
    config: Config, sample: Sample, what: str, flagged: Mask, missing: Mask, target: str = ""
) -> str:
    dataset = config.datasets[sample.dataset]
    first = quote_first(sample.ids[int(np.flatnonzero(missing)[0])], "look for empty fields")
    return (
        f"{dataset.file}: {int(missing.sum())} of {int(flagged.sum())} rows that {what} have no "
        f"{quote(target or dataset.target)} ({first}); labelled: flagged needs one on every "
        "flagged row"
    )


def _iter_flagged_rows(
    config: Config, sample: Sample, points: Sequence[PlannedPoint]
) -> Iterator[tuple[str, str, Mask]]:
    """Yield which rows each model flags, (n,), at each point and at the thresholds of metrics."""
    for model in config.models:
        score = sample.models[model].score
        for point in points:
            if isinstance(rule := point.rules[model], Threshold):
                yield model, f" at {quote(point.name)}", score >= rule.value
        for use in config.metrics:
            if not use.params.get("at"):
                value = float(use.params.get("threshold", DEFAULT_THRESHOLD))
                yield model, f" from {value:g} on", score >= value


def find_evaluated_classes(config: Config, sample: Sample) -> tuple[str, ...] | None:
    """Find the classes, or labels, whose precision is known; None where every row has its class.

    Every row that a model flags for a label must tell whether it has it. A class is evaluated where
    every row that is predicted as it has a class: of others, nobody looked at all such rows.
    """
    if config.datasets[sample.dataset].labelled != "flagged":
        return None
    target = sample.target
    if isinstance(target, LabelTarget):
        _check_flagged_labels(config, sample, target)
        return target.classes
    assert isinstance(target, ClassTarget)
    faults = _find_unknown_predictions(config, sample, target)
    evaluated = tuple(value for value in target.classes if value not in faults)
    named = {str(use.params[OF]) for use in config.metrics if use.params.get(OF)}
    faults_of_metrics = [
        fault for value, fault in faults.items() if value in named or not evaluated
    ]
    if faults_of_metrics:
        raise DataError(*faults_of_metrics)
    return evaluated


def _find_unknown_predictions(
    config: Config, sample: Sample, target: ClassTarget
) -> dict[str, str]:
    """Find the classes as which a model predicts rows of unknown class, each with what is wrong."""
    faults: dict[str, str] = {}
    for model in config.models if target.unknown is not None else ():
        predicted = _predict_classes(sample.models[model], config.models[model].scale == "label")
        for place, value in enumerate(target.classes):
            flagged = predicted == place
            missing = flagged & target.unknown
            if missing.any() and value not in faults:
                what = f"{quote(model)} predicts as {quote(value)}"
                faults[value] = _describe_fault(config, sample, what, flagged, missing)
    return faults


def _predict_classes(columns: ModelColumns, is_label: bool) -> Index:
    if is_label:
        return columns.score.astype(np.intp)
    return np.asarray(_stack_parts(columns).argmax(axis=1), dtype=np.intp)


def _stack_parts(columns: ModelColumns) -> Matrix:
    return np.stack(list(columns.parts.values()), axis=1)


def _check_flagged_labels(config: Config, sample: Sample, target: LabelTarget) -> None:
    """Stop where a model flags a row for a label of which nobody knows whether it has it."""
    if target.unknown is None:
        return
    faults = []
    for model in config.models:
        scores = _stack_parts(sample.models[model])
        for where, least in _iter_label_thresholds(config, model, target.classes):
            flagged = scores >= least
            missing = flagged & target.unknown
            for place in np.flatnonzero(missing.any(axis=0)):
                label = target.classes[place]
                what = f"{quote(model)} flags for {quote(label)}{where}"
                column = config.datasets[sample.dataset].target.replace("{class}", label)
                faults.append(
                    _describe_fault(
                        config, sample, what, flagged[:, place], missing[:, place], column
                    )
                )
    if faults:
        raise DataError(*dict.fromkeys(faults))


def _iter_label_thresholds(
    config: Config, model: str, labels: Sequence[str]
) -> Iterator[tuple[str, Vector | float]]:
    """Yield from where on labels are flagged: at each point, and by the thresholds of metrics."""
    points = list_label_thresholds(config, model, labels)
    yield from ((f" at {quote(name)}", least) for name, least in points.items())
    uses = [use.params for use in config.metrics if not use.params.get("at")]
    values = {float(params.get("threshold", DEFAULT_THRESHOLD)) for params in uses}
    if not points:
        values.add(DEFAULT_THRESHOLD)
    yield from ((f" from {value:g} on", value) for value in sorted(values))


def list_label_thresholds(config: Config, model: str, labels: Sequence[str]) -> dict[str, Vector]:
    """List the score from which each label is predicted, (k,), by operating point."""
    found = {}
    for name, point in config.thresholds.items() if TASKS[config.task].target == "labels" else ():
        own = {parse_class_value(label): value for label, value in point.by_class.items()}
        plain = point.by_model.get(model, point.fixed or 0.0)
        found[name] = np.array([own.get(parse_class_value(label), plain) for label in labels])
    return found
