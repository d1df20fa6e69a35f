"""A second judge of the classes: where a row can have one, and what does not go with it."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config.datasets import CutKeys
from reportgen.config.faults import Faults
from reportgen.config.schema import Config, Dataset
from reportgen.config.vocabulary import TaskWord, Vocabulary
from reportgen.config.yaml.tree import MappingNode, key_mark


def check_second_target(
    config: Config, tree: MappingNode, words: Vocabulary, faults: Faults
) -> None:
    """Rows that are judged name one class each, which the same models gave a score."""
    task = words.tasks.get(config.task)
    for name, dataset in config.datasets.items():
        if dataset.second_target is None or task is None:
            continue
        mark = key_mark(tree, ("datasets", name, "second_target"))
        if not _has_one_class(task):
            fits = ", ".join(n for n, each in words.tasks.items() if _has_one_class(each))
            faults.add(mark, f"second_target is for task: {fits}; remove it, or set that")
            continue
        for why in _clashes(dataset):
            faults.add(mark, f"datasets.{name}.second_target {why}")


def _has_one_class(task: TaskWord) -> bool:
    return task.is_of_flags or (task.has_several_classes and not task.is_of_labels)


def _clashes(dataset: Dataset) -> Iterator[str]:
    if dataset.second_target == dataset.target:
        yield "is the target itself; name the column of the other judge"
    if dataset.role == "fit":
        yield "is of rows that are judged, and these teach; put it on the dataset judged"
    if dataset.fold is not None:
        yield "is held against the models of one fit, and folds have several; remove it, or fold"
    if dataset.labelled == "called":
        yield "needs the target of every row, and labelled: called leaves some out; remove it"
    if isinstance(dataset.positive, CutKeys):
        yield "names a class, and positive cuts a number in two; write the class of each row"
