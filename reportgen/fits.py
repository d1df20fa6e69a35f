"""On which rows shifts are fitted that others are judged with, and the warnings about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import numpy as np

from reportgen.config import Config
from reportgen.curves import CURVES
from reportgen.data.sample import Sample
from reportgen.errors import DataError
from reportgen.kernels.batch import Vector
from reportgen.kernels.unit_costs import UnitCosts
from reportgen.resampling.design import Design
from reportgen.results.raised import RaisedWarning
from reportgen.rows import Amounts, Fit
from reportgen.text import quoted

FEWEST = 5  # rows that a shift may be fitted on
FEW = 30  # rows under which it is doubted


def fit_of(config: Config, dataset: str) -> str | None:
    """The dataset with `role: fit` that belongs to one with `role: test`.

    None if there is none, or nothing in the config asks for a shift, or learns a threshold or where
    a curve is highest.
    """
    uses = (*config.metrics, *config.curves)
    is_learning = any(each.is_learnt for each in config.thresholds.values())
    is_shifting = any(use.params.get("shift") == "fitted" for use in uses)
    is_learning = is_learning or any(CURVES[use.name].has_peak for use in config.curves)
    if config.costs is None and not is_shifting and not is_learning:
        return None
    return fit_beside(config, dataset)


def fit_beside(config: Config, dataset: str) -> str | None:
    """The dataset with `role: fit` that stands beside one that is judged; None if none does."""
    named = config.datasets[dataset].fit
    known = [name for name, each in config.datasets.items() if each.role == "fit"]
    return named or (known[0] if known else None)


def warnings(config: Config, sample: Sample, fit: Sample) -> Iterator[RaisedWarning]:
    """The warnings about shifts fitted on these rows; rows on which none can be are refused.

    W115  ids that teach are judged as well, which the config says on purpose
    W116  fewer than 30 rows that weigh teach
    W117  the same clusters are in both sets of rows
    """
    shared = _shared_ids(sample, fit)
    if shared and not config.datasets[sample.dataset].used_to_fit:
        many = "1 id" if len(shared) == 1 else f"{len(shared):,} ids"
        raise DataError(
            f"datasets {sample.dataset!r} and {fit.dataset!r} share {many} "
            f"(first {quoted(shared[0])}); a shift must not be judged on rows that it was fitted "
            "on: set a `filter` on each, or "
            f"`used_to_fit: true` on {sample.dataset!r} to go on with a warning"
        )
    _refuse_too_few(config, fit)
    if shared:
        yield RaisedWarning("W115", {"shared": len(shared), "rows": sample.n, "fit": fit.dataset})
    if (rows := _weighing(fit)) < FEW:
        yield RaisedWarning("W116", {"rows": rows, "few": FEW, "fit": fit.dataset})
    column, both = _shared_clusters(sample, fit)
    if both and not shared:
        yield RaisedWarning("W117", {"shared": both, "column": column, "fit": fit.dataset})


def fits(fit: Sample, design: Design, unit_costs: UnitCosts | None = None) -> Mapping[str, Fit]:
    """Each model on the training rows, with resamples of those rows alone."""
    draw = lru_cache(maxsize=4)(design.batch)  # all models ask for the same batches in turn
    return {
        model: Fit(
            Amounts(fit.y, score, fit.parts.get(model), unit_costs=unit_costs),
            design.weights,
            draw,
            design.identity,
        )
        for model, score in fit.scores.items()
    }


def are_same(sample: Sample, fit: Sample) -> bool:
    """Whether the rows that teach are those judged, number for number.

    The same ids alone may be other rows, such as last year's of the same customers.
    """
    if fit.ids != sample.ids or fit.scores.keys() != sample.scores.keys():
        return False
    both = [(fit.y, sample.y), (_weight(fit), _weight(sample))]
    both += [(fit.scores[model], score) for model, score in sample.scores.items()]
    return all(np.array_equal(one, other) for one, other in both)


def share_ids(sample: Sample, fit: Sample) -> bool:
    """Whether some of the rows that teach are judged as well."""
    return not set(sample.ids).isdisjoint(fit.ids)


def _weight(sample: Sample) -> Vector:
    return np.ones(sample.n) if sample.weight is None else sample.weight


def _refuse_too_few(config: Config, fit: Sample) -> None:
    """A polynomial passes through as many rows as it has coefficients: one more is the least."""
    degree = _degree(config)
    fewest = max(FEWEST, degree + 2)
    rows = _weighing(fit)
    if rows >= fewest:
        return
    what = f"a polynomial of degree {degree}" if fewest > FEWEST else "a shift"
    raise DataError(
        f"dataset {fit.dataset!r} has {rows} rows{' that weigh' * (rows < fit.n)}; "
        f"{what} is fitted on {fewest} or more: add rows, or remove the dataset"
    )


def _weighing(sample: Sample) -> int:
    """How many rows weigh: one of weight 0 teaches nothing."""
    return int(np.count_nonzero(_weight(sample) > 0))


def _degree(config: Config) -> int:
    """The highest degree of a polynomial that the config asks for."""
    asked = [use.params.get("degree") for use in config.metrics]
    if config.costs is not None and config.costs.loss == "linlin":
        asked.append(config.costs.degree)
    return max((each for each in asked if isinstance(each, int)), default=0)


def _shared_clusters(sample: Sample, fit: Sample) -> tuple[str, int]:
    """The column of what is resampled together in both sets, and how many are in both."""
    one, other = sample.together, fit.together
    if one is None or other is None or one.column != other.column:
        return "", 0
    return one.column, len(_shared(one.codes.labels, other.codes.labels))


def _shared_ids(sample: Sample, fit: Sample) -> list[str]:
    """The ids in both sets; the numbers of rows are ids only within the same files."""
    return _shared(sample.ids, fit.ids) if sample.numbered_in == fit.numbered_in else []


def _shared(one: Iterable[str], other: Iterable[str]) -> list[str]:
    return sorted(set(one) & set(other))
