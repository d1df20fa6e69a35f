"""Rows whose classes have other shares than where the models will be used.

Each row weighs the wanted share of its class over that of the rows, and rows are drawn within
their class, so that every resample has the wanted shares too. Where models were fitted at known
shares their probabilities are moved to the wanted ones, by the odds (Saerens, Latinne and
Decaestecker 2002, doi:10.1162/089976602753284446).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from reportgen.config import Loaded
from reportgen.config.prevalence import Shares
from reportgen.data.dataset import LoadedDataset, effective_n
from reportgen.data.sample import Codes, Sample, Vector
from reportgen.errors import ConfigError, DataError, Path, Problem, did_you_mean
from reportgen.results.raised import RaisedWarning
from reportgen.text import class_value

LEFT = 0.25  # of the rows, under which weights leave few


def at_prevalence(loaded: Loaded, data: tuple[LoadedDataset, ...]) -> tuple[LoadedDataset, ...]:
    """Every dataset at the shares that the config names; as it is where it names none."""
    return tuple(_reweighted(loaded, each) for each in data) if loaded.config.prevalence else data


def _reweighted(loaded: Loaded, data: LoadedDataset) -> LoadedDataset:
    asked, sample = loaded.config.prevalence, data.sample
    assert asked is not None
    target = _shares(loaded, ("prevalence", "target"), asked.target, sample)
    held = np.bincount(sample.y.astype(np.intp), minlength=len(target)) / sample.n
    if not held.all():
        value = sample.classes[int(np.argmin(held))]
        raise DataError(
            f"{data.info.inputs[0].path}: no row has the class {value!r}, which has a share under "
            "prevalence.target; judge other rows, or take `prevalence:` out"
        )
    weight = (target / held)[sample.y.astype(np.intp)]
    sample = replace(sample, weight=weight, strata=_within_classes(sample))
    if asked.trained_at is not None:
        at: Path = ("prevalence", "trained_at")
        odds = target / _shares(loaded, at, asked.trained_at, sample)
        sample = _moved(loaded, sample, odds)
    known = effective_n(weight)
    info = replace(data.info, effective_n=known)
    return replace(data, sample=sample, info=info, warnings=(*data.warnings, *_few(sample, known)))


def _shares(loaded: Loaded, at: Path, asked: Shares, sample: Sample) -> Vector:
    """The share of each class, in their order."""
    if not isinstance(asked, Mapping):
        return np.array([1 - asked, asked])
    given = {class_value(value): share for value, share in asked.items()}
    known = {class_value(value) for value in sample.classes}
    for value in asked:
        if class_value(value) not in known:
            place = (*at, value)
            said = f"{'.'.join(map(str, at))}: there is no class {value!r}"
            said += f"; {did_you_mean(value, sample.classes)}"
            raise ConfigError([Problem(said, place, loaded.place(place))])
    for value in sample.classes:
        if class_value(value) not in given:
            said = f"{'.'.join(map(str, at))} has no share for the class {value!r}"
            raise ConfigError([Problem(f"{said}; add it", at, loaded.place(at))])
    found = np.array([given[class_value(value)] for value in sample.classes])
    return np.asarray(found / found.sum())


def _within_classes(sample: Sample) -> Codes:
    """Strata in which all rows have one class, within those that are declared."""
    code = sample.y.astype(np.int64)
    names = sample.classes or ("0", "1")
    if sample.strata is None:
        return Codes(tuple(names), code)
    both = sample.strata.code * len(names) + code
    pairs = [f"{stratum}, {name}" for stratum in sample.strata.labels for name in names]
    return Codes(tuple(pairs), both)


def _moved(loaded: Loaded, sample: Sample, odds: Vector) -> Sample:
    """Each model's probabilities of classes times `odds`, (k,), over the sum of these products."""
    scores, parts = dict(sample.scores), dict(sample.parts)
    for name, model in loaded.config.models.items():
        if model.scale != "probability":
            continue
        if len(odds) == 2 and name not in parts:
            upper = scores[name] * odds[1]
            scores[name] = upper / (upper + (1 - scores[name]) * odds[0])
            continue
        raised = {value: p * odds[k] for k, (value, p) in enumerate(parts[name].items())}
        total = np.sum(list(raised.values()), axis=0)
        parts[name] = {value: p / total for value, p in raised.items()}
        scores[name] = next(iter(parts[name].values()))
    return replace(sample, scores=scores, parts=parts)


def _few(sample: Sample, known: float | None) -> tuple[RaisedWarning, ...]:
    """W127: the weights leave under a quarter of what the rows know."""
    if known is None or known >= LEFT * sample.n:
        return ()
    return (RaisedWarning("W127", {"rows": sample.n, "effective": known}),)
