"""How rows were resampled, in a sentence without its full stop."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.results import Counted, DatasetInfo, Inference
from reportgen.wording.names import name, of_cases
from reportgen.wording.numbers import count, decimal

_NOUNS: Mapping[Counted, tuple[str, str]] = {
    "row": ("row", "rows"),
    "cluster": ("cluster", "clusters"),
    "query": ("query", "queries"),
    "time": ("point in time", "points in time"),
}


def units(number: float | None, counted: Counted) -> str:
    """A number of what was resampled, with its noun.

    >>> units(1, "row"), units(2000, "query"), units(3, "time")
    ('1 row', '2,000 queries', '3 points in time')
    """
    return count(number, *_NOUNS[counted])


def plural(counted: Counted) -> str:
    """What several of them are called.

    >>> plural("cluster")
    'clusters'
    """
    return _NOUNS[counted][1]


def design(dataset: DatasetInfo, inference: Inference) -> str:
    """What was drawn from a dataset, and how; or what varies in place of draws."""
    if dataset.question == "procedure":
        return (
            "the differences between folds, which share the rows they learn from: their variance "
            "is raised by that share (Nadeau and Bengio 2003); nothing of it rests on resamples"
        )
    if dataset.block_length is not None:
        return _in_time(dataset, inference)
    what = of_cases(dataset.design or "rows", dataset.case)
    if dataset.question == "fitted":
        what = what.replace("strata", "folds")
    if inference.weights == "poisson":
        return f"{what}, each drawn on its own, once on average (Poisson)"
    if inference.weights == "bayesian":
        return f"{what}, with random weights instead of draws (Bayesian bootstrap)"
    return f"{what}, drawn with replacement"


def _in_time(dataset: DatasetInfo, inference: Inference) -> str:
    assert dataset.block_length is not None
    length = decimal(dataset.block_length, 1)
    order = f" by {name(dataset.time)}" if dataset.time else ""
    source = (
        "as declared"
        if inference.block is not None
        else ("a length found from the data (Politis and White 2004, corrected 2009)")
    )
    return (
        f"blocks of neighbouring times{order}, {length} times long on average, {source}, drawn "
        "with replacement (stationary bootstrap); formulas for independent rows are not used"
    )
