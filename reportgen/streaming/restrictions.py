"""What a config may ask of streamed rows."""

from __future__ import annotations

from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.datasets import CutKeys
from reportgen.data.row_groups import count_parquet_rows
from reportgen.errors import ConfigError, Problem
from reportgen.metrics.lookup import first_metric
from reportgen.metrics.metric import Metric
from reportgen.metrics.tasks import TASKS
from reportgen.planning.metrics import plan_metrics
from reportgen.planning.requests import build_dataset_requests
from reportgen.streaming.layout import MOST_CLASSES
from reportgen.text import LONGEST_VALUE, quote, shorten

MOST_HELD = 25_000_000  # rows that are held in memory without a word: some 600 bytes each
BYTES_OF_A_ROW = 600
TARGETS = ("amount", "flag", "class", "labels", "grades")
MANY_ROWS = 10**6  # rows: of so many a metric is decided by the same one as of more

KEYS = tuple(
    """
    labels strata balance qrels letor queries fold repeat time sample count second_target
""".split()
)


def check_streamable(loaded: LoadedConfig) -> None:
    """Refuse what is not offered when streamed, each with its place."""
    config, problems = loaded.config, []

    def add(text: str, *at: str | int) -> None:
        for name in (str(part) for part in at):
            text = text.replace(name, shorten(name, LONGEST_VALUE))
        said = f"{text} when streamed; remove it, or use `engine: memory`"
        problems.append(Problem(said, at, loaded.place(at)))

    if TASKS[config.task].target not in TARGETS:
        add(f"task: {config.task} is not offered", "task")
    if len(config.datasets) > 1:
        add("several datasets are not offered", "datasets")
    for name, dataset in config.datasets.items():
        for key in KEYS:
            if getattr(dataset, key, None):
                add(f"datasets.{name}.{key} is not offered", "datasets", name, key)
        if dataset.query and TASKS[config.task].target != "grades":
            add(
                f"datasets.{name}.query, but for task: ranking, is not offered",
                "datasets",
                name,
                "query",
            )
        if dataset.match == "loose":
            add(f"datasets.{name}.match: loose is not offered", "datasets", name, "match")
        if dataset.labelled == "flagged":
            add(f"datasets.{name}.labelled: flagged is not offered", "datasets", name, "labelled")
        if isinstance(dataset.positive, CutKeys) and dataset.positive.quantile is not None:
            add(
                f"datasets.{name}.positive at a quantile of all rows is not offered",
                "datasets",
                name,
                "positive",
            )
        if dataset.positive and not config.classes:
            add(
                f"datasets.{name}.positive without `classes:`, which name both values, is not "
                "offered",
                "datasets",
                name,
                "positive",
            )
    if TASKS[config.task].has_several_classes:
        _refuse_unnamed_classes(loaded, problems)
    for name, point in config.thresholds.items():
        if point.fixed is None and point.cost is not True:
            add(f"thresholds.{name}, which is not fixed, is not offered", "thresholds", name)
    for name, model in config.models.items():
        if model.scores:
            add(f"models.{name}.scores, a file of its own, is not offered", "models", name)
        if model.run:
            add(f"models.{name}.run, a file of its own, is not offered", "models", name)
        if model.trained_on:
            add(f"models.{name}.trained_on is not offered", "models", name)
    cells = None if config.costs is None else config.costs.cells.values()
    if cells is not None and (not cells or any(isinstance(cost, str) for cost in cells)):
        add("costs, but for numbers of fp, fn, tp and tn, is not offered", "costs")
    for key in ("folds", "across", "prevalence"):
        if getattr(config, key) is not None:
            add(f"{key} is not offered", key)
    if config.compute.is_by_dask and config.plugins:
        add("plugins, which workers of a cluster are not sent, are not offered", "plugins")
    for place, each in enumerate(config.sensitivity.also):
        add(
            f"sensitivity.also, here {quote(each.name)}, is not offered",
            "sensitivity",
            "also",
            place,
        )
    if config.bootstrap.weights != "poisson":
        message = (
            "streamed rows need `bootstrap: {weights: poisson}`; write it, or use `engine: memory`"
        )
        problems.append(Problem(message, ("bootstrap",), loaded.place(("bootstrap",))))
    is_ranked = TASKS[config.task].target == "grades"
    for place, use in enumerate(plan_metrics(config)):
        key, decided = quote(use.key), use.metric.root(MANY_ROWS).metric
        if lacking := _list_parameters_from_rows(use.metric):
            names = " and ".join(lacking)
            add(
                f"metric {key} without {names}, which is then found from all rows, is not offered",
                "metrics",
                place,
            )
        elif is_ranked and not (is_additive(use.metric) and is_additive(decided)):
            add(f"metric {key} is no function of sums over rows, and not offered", "metrics", place)
    if problems:
        raise ConfigError(problems)


def check_row_count(loaded: LoadedConfig) -> None:
    """Refuse to hold very many rows where the config leaves the engine open: it shall say one."""
    if loaded.config.compute.engine != "auto":
        return
    at = ("compute", "engine")
    for request in build_dataset_requests(loaded):
        rows = None if request.ranked else count_parquet_rows(request)
        if rows is not None and rows > MOST_HELD:
            need = rows * BYTES_OF_A_ROW / 1e9
            text = (
                f"datasets.{request.name} has {rows:,} rows, more than {MOST_HELD:,}, and held in "
                f"memory they take about {need:,.0f} GB; write `compute: {{engine: stream}}` to "
                "read them piece by piece, or `engine: memory` to hold them"
            )
            raise ConfigError([Problem(text, at, loaded.place(at))])


def _list_parameters_from_rows(metric: Metric) -> list[str]:
    """The parameters that are not given, and are then found from all rows."""
    return [name for name in metric.from_all_rows if metric.params.get(name) is None]


def is_additive(metric: Metric) -> bool:
    """Whether a metric is a function of sums over rows, whatever the other rows are."""
    return metric.shape != "whole"


def list_additive_class_metrics(loaded: LoadedConfig) -> tuple[str, ...]:
    """The metrics that are told of each class: those of the task that add up over rows."""
    config = loaded.config
    return tuple(name for name in config.per_class if is_additive(first_metric(name, config.task)))


def _refuse_unnamed_classes(loaded: LoadedConfig, problems: list[Problem]) -> None:
    """Classes are to be named, not too many, and the metrics told of each to add up."""
    config = loaded.config

    def add(text: str, *at: str | int) -> None:
        problems.append(Problem(text, at, loaded.place(at)))

    if not config.classes:
        add(
            "classes are to be named under `classes:` when streamed, as no row is read before the "
            "plan is made",
            "task",
        )
    many = len(config.classes)
    if many > MOST_CLASSES:
        add(
            f"classes: has {many} of them, and at most {MOST_CLASSES} are offered when streamed; "
            "bring rare ones together, or use `engine: memory`",
            "classes",
        )
    head = loaded.place()
    for place, name in enumerate(config.per_class):
        at = ("per_class", place)
        if not is_additive(first_metric(name, config.task)) and loaded.place(at) != head:
            add(
                f"per_class: {name!r} is no function of sums over rows, and not offered when "
                "streamed; remove it, or use `engine: memory`",
                *at,
            )
