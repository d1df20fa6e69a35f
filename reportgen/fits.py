"""Which rows teach the shifts that others are judged with, and what they must not be."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from reportgen.config import Config
from reportgen.data.sample import Sample
from reportgen.errors import DataError
from reportgen.inference.design import Design
from reportgen.kernels.batch import Fit, Rows

FEWEST = 30  # rows that a shift may be fitted on


def fit_of(config: Config, dataset: str) -> str | None:
    """The dataset with `role: fit` that belongs to one with `role: test`.

    None if there is none, or nothing in the config asks for a shift.
    """
    uses = (*config.metrics, *config.curves)
    if config.costs is None and not any(use.params.get("shift") == "fitted" for use in uses):
        return None
    named = config.datasets[dataset].fit
    known = [name for name, each in config.datasets.items() if each.role == "fit"]
    return named or (known[0] if known else None)


def checked(sample: Sample, fit: Sample) -> None:
    """Refuse rows that teach a shift and are judged with it, or that are too few to teach one."""
    shared = sorted(set(sample.ids) & set(fit.ids))
    if shared:
        rows = "1 id" if len(shared) == 1 else f"{len(shared):,} ids"
        raise DataError(
            f"datasets {sample.dataset!r} and {fit.dataset!r} share {rows} (first {shared[0]!r}); "
            "a shift must not be judged on rows that it was fitted on: set a `filter` on each"
        )
    if fit.n < FEWEST:
        raise DataError(
            f"dataset {fit.dataset!r} has {fit.n} rows; a shift is fitted on {FEWEST} or more: "
            "add rows, or remove the dataset"
        )


def fits(fit: Sample, design: Design) -> Mapping[str, Fit]:
    """Each model on the rows to fit, with resamples of those rows alone."""
    draw = lru_cache(maxsize=4)(design.batch)  # all models ask for the same batches in turn
    return {
        model: Fit(
            Rows(fit.y, score, fit.parts.get(model)),
            design.weights,
            draw,
            design.identity,
        )
        for model, score in fit.scores.items()
    }
