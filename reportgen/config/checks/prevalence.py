"""Other shares of the classes: where they can be judged at, and what does not go with them."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config.faults import Faults
from reportgen.config.schema import Config, Dataset
from reportgen.config.vocabulary import TaskWord, Vocabulary
from reportgen.config.yaml.tree import MappingNode, key_mark
from reportgen.errors import Path as At

DRAWN_TOGETHER = ("cluster", "query", "time")


def check_prevalence(config: Config, tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Rows have one class each, are drawn one by one, and have no other weight."""
    asked, task = config.prevalence, words.tasks.get(config.task)
    if asked is None or task is None:
        return
    if not _has_one_class(task):
        fits = ", ".join(name for name, each in words.tasks.items() if _has_one_class(each))
        faults.add(key_mark(tree, ("prevalence",)), f"prevalence is for task: {fits}; remove it")
        return
    for at, said in (*_forms(config, task), *_drawn(config), *_unmoved(config)):
        faults.add(key_mark(tree, at), said)


def _has_one_class(task: TaskWord) -> bool:
    return task.is_of_flags or (task.has_several_classes and not task.is_of_labels)


def _forms(config: Config, task: TaskWord) -> Iterator[tuple[At, str]]:
    """Of two classes the share of one says it all; of several each has its own."""
    asked = config.prevalence
    if asked is None or asked.is_by_class != task.is_of_flags:
        return
    way = "the share of the positive class, such as 0.05"
    if not task.is_of_flags:
        way = "the share of each class, such as {a: 0.2, b: 0.8}"
    yield ("prevalence", "target"), f"prevalence.target: task: {config.task} wants {way}"


def _drawn(config: Config) -> Iterator[tuple[At, str]]:
    for name, dataset in config.datasets.items():
        for key, why in _clashes(dataset):
            said = f"datasets.{name}.{key}: prevalence {why}; remove one of the two"
            yield ("datasets", name, key), said
    if config.bootstrap.weights == "poisson":
        said = "bootstrap.weights: prevalence holds the rows of each class at their number, and "
        yield ("bootstrap", "weights"), f"{said}poisson does not; write multinomial"


def _clashes(dataset: Dataset) -> Iterator[tuple[str, str]]:
    for key in DRAWN_TOGETHER:
        if getattr(dataset, key) is not None:
            yield key, "draws rows within their class, and a unit of several rows has both"
    if dataset.weight is not None:
        yield "weight", "weights the rows itself"
    if dataset.labelled == "called":
        yield "labelled", "needs the class of every row"


def _unmoved(config: Config) -> Iterator[tuple[At, str]]:
    asked = config.prevalence
    has_any = any(model.scale == "probability" for model in config.models.values())
    if asked is not None and asked.trained_at is not None and not has_any:
        said = "prevalence.trained_at moves probabilities, and no model has any; remove it"
        yield ("prevalence", "trained_at"), said
