"""Rules about limits that hold at every analysis."""

from __future__ import annotations

from math import isfinite

from reportgen.config.checks.view import ConfigFinding, ConfigFindings, ConfigView
from reportgen.config.schema.config import Dataset

KEY = ("inference", "sequential")
DESIGN_KEYS = ("cluster", "weight", "count", "strata", "balance", "query", "fold", "looks")
"""Keys of a dataset by which rows hang together, count unevenly, or are judged so many times."""


def check_sequential(view: ConfigView) -> ConfigFindings:
    """Check that the primary metric is a mean of bounded losses, and that rows come singly."""
    config, keys = view.config, view.config.inference
    if not keys.sequential:
        if keys.largest_difference is not None:
            text = "inference.largest_difference is for `sequential: true`; add that, or remove it"
            yield ConfigFinding(("inference", "largest_difference"), text)
        return
    if config.baseline is None and config.comparisons.against == "baseline":
        way = "give a model `role: baseline`, or remove the key"
        text = f"there is no baseline, so there is no difference; {way}"
        yield ConfigFinding(KEY, f"inference.sequential: {text}")
    yield from _check_metric(view)
    for name, dataset in config.datasets.items():
        if dataset.role == "test":
            yield from _check_dataset(view, name, dataset)
    for key in ("across", "prevalence"):
        if getattr(config, key) is not None:
            text = f"inference.sequential does not allow for {key}; remove one of the two"
            yield ConfigFinding((key,), text)
    if config.comparisons.adjust == "maxt":
        text = "comparisons.adjust: maxt is for one analysis"
        at = ("comparisons", "adjust")
        yield ConfigFinding(at, f"{text}; with inference.sequential write bonferroni")
    if config.comparisons.test_of(config.deciding.metric) != "auto":
        text = "with inference.sequential the primary metric is tested by its e-value"
        yield ConfigFinding(("comparisons", "test"), f"{text}; leave out its test")
    if config.sensitivity.also:
        text = "sensitivity.also is for one analysis; leave it out with inference.sequential"
        yield ConfigFinding(("sensitivity", "also"), text)


def _check_metric(view: ConfigView) -> ConfigFindings:
    """Refuse a primary metric whose rows give no mean of bounded losses."""
    key = view.config.deciding.metric
    use = next((use for use in view.config.metrics if use.key == key), None)
    word = None if use is None else view.words.metrics.get(use.name)
    if use is None or word is None or word.row_bounds is None:
        return
    bounds = word.row_bounds(**use.params)
    if bounds is None:
        text = (
            f"inference.sequential needs a primary metric that is a mean over rows, and {key!r} "
            f"is not one; choose one such as {_list_suitable(view)}, or plan the analyses with "
            "`looks` under the dataset"
        )
        yield ConfigFinding(KEY, text)
    elif not all(map(isfinite, bounds)) and view.config.inference.largest_difference is None:
        text = (
            f"inference.sequential needs to know how far one row can move {key!r}; write the "
            "largest difference between two models' losses, as in `inference: {sequential: true, "
            "largest_difference: 50}`, or plan the analyses with `looks` under the dataset"
        )
        yield ConfigFinding(KEY, text)


def _list_suitable(view: ConfigView) -> str:
    """List some metrics of the task that are means over rows, probabilities first."""
    bounded: list[str] = []
    others: list[str] = []
    for name, word in view.words.metrics.items():
        is_usable = not any(each.is_required for each in word.parameters.values())
        if word.task != view.config.task or not is_usable or word.row_bounds is None:
            continue
        bounds = word.row_bounds()
        if bounds is not None:
            (bounded if all(map(isfinite, bounds)) else others).append(name)
    bounded.sort(key=lambda name: view.words.metrics[name].needs != "probability")
    return ", ".join([*bounded, *others][:3])


def _check_dataset(view: ConfigView, name: str, dataset: Dataset) -> ConfigFindings:
    is_of_lists = view.task is not None and view.task.is_of_lists
    for key in DESIGN_KEYS:
        if getattr(dataset, key) is None or (key == "query" and is_of_lists):
            continue
        way = (
            "leave it out"
            if key == "looks"
            else "keep it, and replace inference.sequential by `looks`"
        )
        text = f"datasets.{name}.{key} does not go with inference.sequential"
        why = "its limits hold for any number of analyses" if key == "looks" else "rows come singly"
        yield ConfigFinding(("datasets", name, key), f"{text}, where {why}; {way}")
    if dataset.labelled != "all":
        text = f"datasets.{name}.labelled does not go with inference.sequential; leave it out"
        yield ConfigFinding(("datasets", name, "labelled"), text)
