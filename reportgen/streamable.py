"""What a config may ask of rows that are streamed: all else is refused, with its place."""

from __future__ import annotations

from reportgen.config import Loaded
from reportgen.errors import ConfigError, Problem
from reportgen.tasks import TASKS

KEYS = ("labels", "strata", "balance", "query", "fold", "repeat", "time", "segments", "sample",
        "count")  # fmt: skip


def refuse(loaded: Loaded) -> None:
    """Refuse what is not offered when streamed, each with its place."""
    config, problems = loaded.config, []

    def add(text: str, *at: str | int) -> None:
        said = f"{text} when streamed; remove it, or use `engine: memory`"
        problems.append(Problem(said, at, loaded.place(at)))

    if TASKS[config.task].target != "amount":
        add(f"task: {config.task} is not offered", "task")
    if len(config.datasets) > 1:
        add("several datasets are not offered", "datasets")
    for name, dataset in config.datasets.items():
        for key in KEYS:
            if getattr(dataset, key):
                add(f"datasets.{name}.{key} is not offered", "datasets", name, key)
    for name, model in config.models.items():
        if model.scores:
            add(f"models.{name}.scores, a file of its own, is not offered", "models", name)
        if model.trained_on:
            add(f"models.{name}.trained_on is not offered", "models", name)
    for key in ("costs", "folds", "across"):
        if getattr(config, key) is not None:
            add(f"{key} is not offered", key)
    if config.bootstrap.weights != "poisson":
        add("bootstrap.weights is poisson, written out, and nothing else", "bootstrap")
    if problems:
        raise ConfigError(problems)
