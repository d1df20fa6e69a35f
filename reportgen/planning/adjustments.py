"""Adjust data before and results after the analysis: score direction and prevalence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Config
from reportgen.config.schema.datasets import Shares
from reportgen.data.dataset import LoadedDataset, effective_n
from reportgen.data.sample import Codes, ModelColumns, QueryTarget, Sample, Vector
from reportgen.errors import ConfigError, ConfigPath, DataError, Problem
from reportgen.planning.classes import suggest_class
from reportgen.results import Results
from reportgen.results.classification import turn_score
from reportgen.results.curves import CurveResult
from reportgen.results.types import RaisedWarning
from reportgen.terms import LIMITS
from reportgen.text import parse_class_value, quote_value


def reweight_to_prevalence(
    loaded: LoadedConfig, data: tuple[LoadedDataset, ...]
) -> tuple[LoadedDataset, ...]:
    """Every dataset at the shares that the config names; as it is where it names none."""
    return (
        tuple(_reweight_rows(loaded, each) for each in data) if loaded.config.prevalence else data
    )


def _reweight_rows(loaded: LoadedConfig, data: LoadedDataset) -> LoadedDataset:
    asked, sample = loaded.config.prevalence, data.sample
    assert asked is not None
    target = _compute_shares(loaded, ("prevalence", "target"), asked.target, sample)
    held = np.bincount(sample.y.astype(np.intp), minlength=len(target)) / sample.n
    if not held.all():
        value = sample.classes[int(np.argmin(held))]
        raise DataError(
            f"{data.info.inputs[0].path}: no row has the class {value!r}, which has a share under "
            "prevalence.target; judge other rows, or take `prevalence:` out"
        )
    weight = (target / held)[sample.y.astype(np.intp)]
    sampling = replace(sample.sampling, weight=weight, strata=_stratify_by_class(sample))
    sample = replace(sample, sampling=sampling)
    if asked.trained_at is not None:
        at: ConfigPath = ("prevalence", "trained_at")
        odds = target / _compute_shares(loaded, at, asked.trained_at, sample)
        sample = _reweight_probabilities(loaded, sample, odds)
    known = effective_n(weight)
    info = replace(data.info, effective_n=known)
    return replace(
        data,
        sample=sample,
        info=info,
        warnings=(*data.warnings, *_warn_low_effective_share(sample, known)),
    )


def _compute_shares(loaded: LoadedConfig, at: ConfigPath, asked: Shares, sample: Sample) -> Vector:
    """Return the share of each class, in class order."""
    if not isinstance(asked, Mapping):
        return np.array([1 - asked, asked])
    given = {parse_class_value(value): share for value, share in asked.items()}
    known = {parse_class_value(value) for value in sample.classes}
    for value in asked:
        if parse_class_value(value) not in known:
            place = (*at, value)
            said = f"{'.'.join(map(str, at))}: there is no class {value!r}"
            said += f"; {suggest_class(loaded, value, sample.classes)}"
            raise ConfigError([Problem(said, place, loaded.place(place))])
    for value in sample.classes:
        if parse_class_value(value) not in given:
            shown = repr(value) if loaded.config.classes else quote_value(value)
            said = f"{'.'.join(map(str, at))} has no share for the class {shown}"
            raise ConfigError([Problem(f"{said}; add it", at, loaded.place(at))])
    found = np.array([given[parse_class_value(value)] for value in sample.classes])
    return np.asarray(found / found.sum())


def _stratify_by_class(sample: Sample) -> Codes:
    """Return strata in which all rows have one class, within those that are declared."""
    code, names, strata = sample.y.astype(np.int64), sample.classes, sample.sampling.strata
    if strata is None:
        return Codes(names, code)
    pairs = [f"{stratum}, {name}" for stratum in strata.labels for name in names]
    return Codes(tuple(pairs), strata.code * len(names) + code)


def _reweight_probabilities(loaded: LoadedConfig, sample: Sample, odds: Vector) -> Sample:
    """Each model's probabilities of classes times `odds`, (k,), over the sum of these products."""
    models = dict(sample.models)
    for name, model in loaded.config.models.items():
        if model.scale != "probability":
            continue
        score, parts = models[name].score, models[name].parts
        if len(odds) == 2 and not parts:
            upper = score * odds[1]
            models[name] = ModelColumns(upper / (upper + (1 - score) * odds[0]))
            continue
        raised = {value: p * odds[k] for k, (value, p) in enumerate(parts.items())}
        total = np.sum(list(raised.values()), axis=0)
        parts = {value: p / total for value, p in raised.items()}
        models[name] = ModelColumns(next(iter(parts.values())), parts)
    return replace(sample, models=models)


def _warn_low_effective_share(sample: Sample, known: float | None) -> tuple[RaisedWarning, ...]:
    """W127: the weights leave under a quarter of what the rows know."""
    if known is None or known >= LIMITS["W127"]["effective"] * sample.n:
        return ()
    return (RaisedWarning("W127", {"rows": sample.n, "effective": known}),)


def orient_scores(config: Config, data: tuple[LoadedDataset, ...]) -> tuple[LoadedDataset, ...]:
    """Orient scores where a low one stands for more; documents are put in order elsewhere.

    Probabilities are then those of the other of two classes.
    """
    falling = {
        name: model.scale == "probability"
        for name, model in config.models.items()
        if model.order != "descending"
    }
    return tuple(_orient_sample(each, falling) for each in data) if falling else data


def _orient_sample(data: LoadedDataset, falling: Mapping[str, bool]) -> LoadedDataset:
    sample = data.sample
    if isinstance(sample.target, QueryTarget):
        return data
    sample = replace(sample, models=_orient_models(sample.models, falling))
    if sample.unscored is not None:
        models = _orient_models(sample.unscored.models, falling)
        sample = replace(sample, unscored=replace(sample.unscored, models=models))
    return replace(data, sample=sample)


def _orient_models(
    models: Mapping[str, ModelColumns], falling: Mapping[str, bool]
) -> dict[str, ModelColumns]:
    oriented = {
        name: replace(models[name], score=float(is_probability) - models[name].score)
        for name, is_probability in falling.items()
    }
    return {**models, **oriented}


_ALONG = ("x", "y", "low", "high", "band_low", "band_high", "x_labels", "base")


def restore_score_direction(results: Results) -> Results:
    """Restore the scores of models that rank the other way to the numbers in the data.

    Curves of probabilities stay those of the positive class; thresholds are in the data's own.
    """
    ends = {
        model.name: float(model.scale == "probability")
        for model in results.models
        if model.order != "descending"
    }
    if not ends:
        return results
    falling = {name for name, end in ends.items() if not end}
    with_scores = {info.curve for info in results.curve_infos if info.has_points}
    along = {i.curve for i in results.curve_infos if {i.curve, i.onto} & with_scores}
    return replace(
        results,
        curves=tuple(
            _reverse_curve(c) if c.curve in along and c.model in falling else c
            for c in results.curves
        ),
        points=tuple(
            p.turn_scores(ends[p.model]) if p.model in ends else p for p in results.points
        ),
    )


def _reverse_curve(curve: CurveResult) -> CurveResult:
    """Reverse a curve, with the scores as they were given."""
    along: dict[str, Any] = {name: getattr(curve, name)[::-1] for name in _ALONG}
    return replace(curve, **{**along, "x": tuple(turn_score(x, 0.0) for x in along["x"])})
