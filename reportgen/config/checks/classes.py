"""Classes against the rest of a config: tasks that have them, the positive one of two."""

from __future__ import annotations

from reportgen.config.checks.references import Names, entries, text_of
from reportgen.config.faults import Faults, meant, quoted
from reportgen.config.vocabulary import TaskWord, Vocabulary
from reportgen.config.yaml.tree import MappingNode, Scalar, child, find, key_mark
from reportgen.errors import Path as At
from reportgen.text import class_value

YES = 1.0


def check_classes(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Classes are told apart, two where two are wanted, and the positive one is among them."""
    names = Names(tree, words, faults)
    task = words.tasks.get(text_of(tree, "task") or "")
    if task is None:
        return
    _refuse_elsewhere(names, task)
    classes = tree.get("classes")
    if isinstance(classes, MappingNode) and classes.entries and task.has_classes:
        _check_values(names, task, classes)
        _check_names(names, classes)
    if task.is_of_flags:
        for dataset in names.datasets:
            _check_positive(names, dataset, list(entries(classes)))


def _refuse_elsewhere(names: Names, task: TaskWord) -> None:
    """Keys of classes where the target has none, and of two classes where it has more."""
    tasks = names.words.tasks.items()
    at: list[tuple[At, str, list[str]]] = []
    if entries(names.tree.get("classes")) and not task.has_classes:
        at.append((("classes",), "classes is", [n for n, each in tasks if each.has_classes]))
    for dataset, node in names.datasets.items():
        if child(node, "positive") is not None and not task.is_of_flags:
            at.append((("datasets", dataset, "positive"), "positive is",
                       [n for n, each in tasks if each.is_of_flags]))  # fmt: skip
    for place, what, fits in at:
        mark = key_mark(names.tree, place)
        names.faults.add(mark, f"{what} for task: {', '.join(fits)}; remove it, or set that")


def _check_values(names: Names, task: TaskWord, classes: MappingNode) -> None:
    mark = key_mark(names.tree, ("classes",))
    count = len(classes.entries)
    if count < 2 or (task.is_of_flags and count > 2):
        wanted = "two" if task.is_of_flags else "two or more"
        has = f"has {count} {'value' if count == 1 else 'values'}"
        way = "; task: multiclass takes more" if count > 2 else "; add the missing one"
        names.faults.add(mark, f"classes {has}, and {wanted} are wanted{way}")
    seen: dict[float | str, str] = {}
    for value in classes.entries:
        first = seen.setdefault(class_value(value), value)
        if first != value:
            at: At = ("classes", value)
            said = f"classes has {first!r} and {value!r}, which are one value; remove one"
            names.faults.add(key_mark(names.tree, at), said)


def _check_names(names: Names, classes: MappingNode) -> None:
    """No two classes are called alike, or nobody could tell them apart on the page."""
    seen: dict[object, str] = {}
    for value, node in classes.entries.items():
        if isinstance(node.node, Scalar):
            first = seen.setdefault(node.node.value, value)
            if first != value:
                said = f"classes {first!r} and {value!r} are both called {quoted(node.node)}"
                names.faults.add(node.node.mark, f"{said}; give each its own name")


def _check_positive(names: Names, dataset: str, values: list[str]) -> None:
    at: At = ("datasets", dataset, "positive")
    node, known = find(names.tree, at), {class_value(value) for value in values}
    if isinstance(node, Scalar) and isinstance(node.value, str):
        if values and class_value(node.value) not in known:
            said = f"datasets.{dataset}.positive: {quoted(node)} is not among classes"
            names.faults.add(node.mark, f"{said}; {meant(node, values)}", at)
    elif node is None and len(values) == 2 and YES not in known:
        ways = " or ".join(f"positive: {value}" for value in values)
        said = f"datasets.{dataset} does not say which of the classes is the positive one"
        names.faults.add(key_mark(names.tree, ("datasets", dataset)), f"{said}; write {ways}")
