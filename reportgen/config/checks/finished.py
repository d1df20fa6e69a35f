"""Scores that were computed elsewhere: what their table has, and what nobody can ask of it."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config.checks.references import Names, entries, text_of
from reportgen.config.faults import Faults
from reportgen.config.longhand_finished import NO_TARGET
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import MappingNode, Scalar, child, key_mark
from reportgen.errors import Path as At

NOT_OF_VALUES = {
    "unit": "the unit of the scores stands under score:",
    "count": "a row is one data set",
    "fold": "the rows are no longer there",
    "repeat": "the rows are no longer there",
    "time": "data sets have no order",
    "role": "nothing is fitted",
}


def check_finished(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """One table without a target; `score:` stands nowhere else."""
    names = Names(tree, words, faults)
    task = words.tasks.get(text_of(tree, "task") or "")
    if task is None:
        return
    if not task.is_of_values:
        if tree.get("score") is not None:
            fits = ", ".join(name for name, each in words.tasks.items() if each.is_of_values)
            faults.add(key_mark(tree, ("score",)), f"score is for task: {fits}; remove it")
        return
    asked = tree.get("score")
    if isinstance(asked, Scalar) and asked.value is not None and asked.secret is None:
        said = f"score wants a map of keys; write score: {{title: {asked.printed}}}"
        faults.settle(asked.mark, said)
    if len(names.datasets) > 1:
        said = "each row of its table is a data set; put all of them into one table"
        faults.add(
            key_mark(tree, ("datasets",)),
            f"task: {text_of(tree, 'task')} has one dataset, as {said}",
        )
    for at, said in _refused(names):
        faults.add(key_mark(tree, at), f"{'.'.join(map(str, at))}: {said}; remove it")


def _refused(names: Names) -> Iterator[tuple[At, str]]:
    for dataset, node in names.datasets.items():
        at: At = ("datasets", dataset)
        if text_of(node, "target") not in (None, NO_TARGET):
            yield (*at, "target"), "scores that were computed elsewhere have no target"
        for key, said in NOT_OF_VALUES.items():
            if child(node, key) is not None and text_of(node, key) != "test":
                yield (*at, key), said
    for model, node in names.models.items():
        if entries(child(node, "columns")):
            yield ("models", model, "columns"), "a model has one score of a data set; name column:"
