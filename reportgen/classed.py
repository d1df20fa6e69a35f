"""From the config to what is read of classes, and what they are called on the page."""

from __future__ import annotations

from reportgen.config import Loaded
from reportgen.data.request import ClassRequest, ColumnRequest
from reportgen.tasks import TASKS


def class_request(loaded: Loaded, dataset: str) -> ClassRequest | None:
    """What the target of a dataset may hold; None where it holds no classes."""
    config = loaded.config
    if TASKS[config.task].target != "flag":
        return None
    positive, at = config.datasets[dataset].positive, ("datasets", dataset, "positive")
    column = None if positive is None else ColumnRequest(positive, at, loaded.true(at))
    return ClassRequest(config.classes, True, column)
