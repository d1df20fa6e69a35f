"""What a config may ask of streamed rows."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.datasets import CutKeys
from reportgen.data.row_groups import count_parquet_rows
from reportgen.errors import ConfigError, Problem
from reportgen.metrics.lookup import first_metric
from reportgen.metrics.metric import Metric
from reportgen.metrics.tasks import TASKS
from reportgen.paths import BUCKET
from reportgen.planning.metrics import plan_metrics
from reportgen.planning.requests import build_dataset_requests
from reportgen.streaming.layout import MOST_CLASSES
from reportgen.text import LONGEST_VALUE, quote, shorten

MOST_HELD = 25_000_000  # rows that are held in memory without a word: some 600 bytes each
BYTES_OF_A_ROW = 600
TARGETS = ("amount", "flag", "class", "labels", "grades")
MANY_ROWS = 10**6  # rows: of so many a metric is decided by the same one as of more

OFFERED = "offered when streamed; remove it, or use `engine: memory`"
KEYS = """
    labels strata balance qrels letor queries fold repeat time sample count second_target model
""".split()


def check_streamable(loaded: LoadedConfig) -> None:
    """Refuse what is not offered when streamed, each with its place."""
    problems = []
    for text, at in _iter_refused(loaded):
        for name in map(str, at):
            text = text.replace(name, shorten(name, LONGEST_VALUE))
        problems.append(Problem(text, at, loaded.place(at)))
    if problems:
        raise ConfigError(problems)


def _iter_refused(loaded: LoadedConfig) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield what is refused, and its place."""
    config, task = loaded.config, TASKS[loaded.config.task]
    is_ranked = task.target == "grades"
    if task.target not in TARGETS:
        yield f"task: {config.task} is not {OFFERED}", ("task",)
    if len(config.datasets) > 1:
        yield f"several datasets are not {OFFERED}", ("datasets",)
    for name, dataset in config.datasets.items():
        positive = dataset.positive
        asked = {key: getattr(dataset, key, None) for key in KEYS} | {
            "query, but for task: ranking,": dataset.query and not is_ranked,
            "match: loose": dataset.match == "loose",
            "labelled: flagged": dataset.labelled == "flagged",
            "positive at a quantile of all rows": isinstance(positive, CutKeys)
            and positive.quantile is not None,
            "positive without `classes:`, which name both values,": positive and not config.classes,
        }
        is_remote = (dataset.path or "").startswith(BUCKET)
        elsewhere = {"sql": dataset.sql, "sql_file": dataset.sql_file, "path": is_remote}
        for key in filter(elsewhere.get, elsewhere if config.compute.is_by_dask else ()):
            text = f"datasets.{name}.{key} is on a server, and Dask reads Parquet files only"
            yield f"{text}; use `engine: stream`", ("datasets", name, key)
        for what in filter(asked.get, asked):
            key = what.split()[0].strip(":,")
            yield f"datasets.{name}.{what} is not {OFFERED}", ("datasets", name, key)
    if task.has_several_classes:
        yield from _iter_refused_classes(loaded)
    for name, point in config.thresholds.items():
        if point.fixed is None and point.cost is not True:
            yield f"thresholds.{name}, which is not fixed, is not {OFFERED}", ("thresholds", name)
    for name, model in config.models.items():
        of_model = {
            "scores, a file of its own,": model.scores,
            "run, a file of its own,": model.run,
            "trained_on": model.trained_on,
        }
        for what in filter(of_model.get, of_model):
            yield f"models.{name}.{what} is not {OFFERED}", ("models", name)
    cells = None if config.costs is None else config.costs.cells.values()
    if cells is not None and (not cells or any(isinstance(cost, str) for cost in cells)):
        yield f"costs, but for numbers of fp, fn, tp and tn, is not {OFFERED}", ("costs",)
    for key in ("folds", "across", "prevalence"):
        if getattr(config, key) is not None:
            yield f"{key} is not {OFFERED}", (key,)
    if config.inference.sequential:
        yield f"inference.sequential is not {OFFERED}", ("inference", "sequential")
    if config.compute.is_by_dask and config.plugins:
        yield f"plugins, which workers of a cluster are not sent, are not {OFFERED}", ("plugins",)
    for place, each in enumerate(config.sensitivity.also):
        yield (
            f"sensitivity.also, here {quote(each.name)}, is not {OFFERED}",
            ("sensitivity", "also", place),
        )
    if config.bootstrap.weights != "poisson":
        yield (
            "streamed rows need `bootstrap: {weights: poisson}`; write it, or use `engine: memory`",
            ("bootstrap",),
        )
    for place, use in enumerate(plan_metrics(config)):
        metric, key, at = use.metric, quote(use.key), ("metrics", place)
        # Those that are not given are found from all rows.
        lacking = [name for name in metric.from_all_rows if metric.params.get(name) is None]
        if lacking:
            without = f"metric {key} without {' and '.join(lacking)}"
            yield f"{without}, which is then found from all rows, is not {OFFERED}", at
        elif is_ranked and not all(map(is_additive, (metric, metric.root(MANY_ROWS).metric))):
            yield f"metric {key} is not a function of sums over rows, so it is not {OFFERED}", at


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


def is_additive(metric: Metric) -> bool:
    """Whether a metric is a function of sums over rows, whatever the other rows are."""
    return metric.shape != "whole"


def list_additive_class_metrics(loaded: LoadedConfig) -> tuple[str, ...]:
    """The metrics that are told of each class: those of the task that add up over rows."""
    config = loaded.config
    return tuple(name for name in config.per_class if is_additive(first_metric(name, config.task)))


def _iter_refused_classes(loaded: LoadedConfig) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield what is wrong unless classes are named, not too many, and told of what adds up."""
    config, many = loaded.config, len(loaded.config.classes)
    if not many:
        yield (
            "classes are to be named under `classes:` when streamed, as no row is read before the "
            "plan is made",
            ("task",),
        )
    if many > MOST_CLASSES:
        yield (
            f"classes: has {many} of them, and at most {MOST_CLASSES} are offered when streamed; "
            "merge rare ones, or use `engine: memory`",
            ("classes",),
        )
    for place, name in enumerate(config.per_class):
        at = ("per_class", place)
        if not is_additive(first_metric(name, config.task)) and loaded.place(at) != loaded.place():
            yield (
                f"per_class: {name!r} is not a function of sums over rows, so it is not {OFFERED}",
                at,
            )
