"""Classes against the rest of a config: tasks that have them, the positive one of two."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from reportgen.config.checks.references import Names, entries, text_of
from reportgen.config.faults import Faults, meant, quoted
from reportgen.config.longhand_classes import EACH, OF
from reportgen.config.vocabulary import TaskWord, Vocabulary
from reportgen.config.yaml.tree import (
    Items,
    MappingNode,
    Node,
    Scalar,
    child,
    dotted,
    find,
    key_mark,
)
from reportgen.errors import Path as At
from reportgen.errors import did_you_mean
from reportgen.text import class_value, in_yaml

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
    if not task.has_classes or task.is_of_flags:
        _refuse_patterns(names)
    else:
        for at, node in _models(names):
            _check_columns(names, task, at, node, list(entries(classes)))
    for dataset, node in names.datasets.items():
        _check_target(names, task, ("datasets", dataset), node)
    _check_per_class(names, task)
    for index, _ in enumerate(entries_of(tree.get("metrics"))):
        _refuse_no_class(names, ("metrics", index, "params", OF), entries(classes))
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
    for model, node in names.models.items():
        if text_of(node, "sums") == "normalise" and not _is_of_one(task):
            at.append((("models", model, "sums"), "sums is",
                       [n for n, each in tasks if _is_of_one(each)]))  # fmt: skip
    if entries_of(names.tree.get("per_class")) and not task.per_class:
        at.append((("per_class",), "per_class is", [n for n, each in tasks if each.per_class]))
    for place, what, fits in at:
        mark = key_mark(names.tree, place)
        names.faults.add(mark, f"{what} for task: {', '.join(fits)}; remove it, or set that")


def _is_of_one(task: TaskWord) -> bool:
    """Whether a row is of one of several classes, whose probabilities sum to 1."""
    return task.has_classes and not (task.is_of_flags or task.is_of_labels)


def _check_target(names: Names, task: TaskWord, at: At, node: Node) -> None:
    """Labels stand in a column each, by a pattern and the names of classes, or in a list."""
    target, separator = text_of(node, "target") or "", text_of(node, "separator")
    fits = ", ".join(name for name, each in names.words.tasks.items() if each.is_of_labels)
    place = key_mark(names.tree, (*at, "target"))
    if not task.is_of_labels:
        if separator is not None:
            mark = key_mark(names.tree, (*at, "separator"))
            names.faults.add(mark, f"{dotted(at)}: separator is for task: {fits}; remove it")
        if EACH in target:
            names.faults.add(place, f"{dotted(at)}: a pattern of targets is for task: {fits}")
    elif separator is None and target and EACH not in target:
        said = f"{dotted(at)}: {target!r} is one column, and a row may have several labels"
        ways = 'target: "y_{class}", a column for each, or separator: "|" where it lists them'
        names.faults.add(place, f"{said}; write {ways}")
    elif separator is not None and EACH in target:
        said = f"{dotted(at)}: separator goes with one column that lists labels"
        names.faults.add(place, f"{said}, and {target!r} is a pattern; keep one of both")
    elif EACH in target and not entries(names.tree.get("classes")):
        said = f"{dotted(at)}: the pattern {target!r} needs the labels by name"
        names.faults.add(place, f"{said}; write classes: [a, b, c]")


def entries_of(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; none of anything else."""
    return node.items if isinstance(node, Items) else ()


def _models(names: Names) -> Iterator[tuple[At, Node]]:
    """Where columns are named: models, and their scores in files of their own."""
    for model, node in names.models.items():
        if {"column", "columns"} & entries(node).keys() or not entries(child(node, "scores")):
            yield ("models", model), node
        for dataset, below in entries(child(node, "scores")).items():
            yield ("models", model, "scores", dataset), below


def _refuse_patterns(names: Names) -> None:
    for at, node in _models(names):
        if EACH in entries(child(node, "columns")):
            fits = [n for n, each in names.words.tasks.items() if each.has_several_classes]
            said = f"{dotted(at)}: a pattern of columns is for task: {', '.join(fits)}"
            names.faults.add(key_mark(names.tree, (*at, "columns")), f"{said}; write a map")


def _check_columns(names: Names, task: TaskWord, at: At, node: Node, values: list[str]) -> None:
    """A class has a column of its own, unless the model names the class itself."""
    scale = text_of(find(names.tree, at[:2]), "scale")
    columns = entries(child(node, "columns"))
    if task.is_of_labels and scale == "label" and not columns:
        _check_list(names, at)
        return
    if not columns or (scale == "label" and not task.is_of_labels):
        if (scale == "label") == bool(columns) and isinstance(node, MappingNode):
            wanted = "one column with the class" if columns else "columns, one a class"
            said = f"{dotted(at)} has scale: {scale}, which wants {wanted}"
            way = "column: NAME" if columns else 'columns: "p_{class}"'
            key = "columns" if columns else "column"
            names.faults.add(key_mark(names.tree, (*at, key)), f"{said}; write {way}")
        return
    mark = key_mark(names.tree, (*at, "columns"))
    pattern = columns.get(EACH)
    if pattern is not None:
        if isinstance(pattern, Scalar) and EACH not in str(pattern.value):
            said = f"{dotted(at)}: columns {quoted(pattern)} has no {EACH}"
            names.faults.add(mark, f"{said}, which stands for the value of a class")
        return
    known, given = ({class_value(each): each for each in of} for of in (values, columns))
    for value, text in known.items():
        if value not in given:
            names.faults.add(mark, f"{dotted(at)}: columns has none for the class {text!r}")
    for value, text in given.items():
        if values and value not in known:
            said = f"{dotted(at)}: columns names {text!r}, which is not among classes"
            names.faults.add(mark, f"{said}; {did_you_mean(text, values)}")


def _check_list(names: Names, at: At) -> None:
    """One column lists the labels that a model names only where the target is such a list."""
    if any(text_of(node, "separator") is None for node in names.datasets.values()):
        said = f"{dotted(at)} has one column, and a row may have several labels"
        mark = key_mark(names.tree, (*at, "column"))
        names.faults.add(mark, f'{said}; write columns: "p_{{class}}", a column for each')


def _check_per_class(names: Names, task: TaskWord) -> None:
    """What is told of each class is a metric that can be asked of one."""
    words = names.words.metrics.items()
    fits = [n for n, word in words if n in task.per_class or OF in word.parameters]
    for node in entries_of(names.tree.get("per_class")) if task.per_class else ():
        if isinstance(node, Scalar) and node.value not in fits:
            said = f"per_class: {quoted(node)} is no metric of one class"
            names.faults.add(node.mark, f"{said}; {meant(node, fits)}")


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
        if isinstance(node.node, Scalar) and node.node.value is not None:
            first = seen.setdefault(node.node.value, value)
            if first != value:
                said = f"classes {first!r} and {value!r} are both called {quoted(node.node)}"
                names.faults.add(node.node.mark, f"{said}; give each its own name")


def _check_positive(names: Names, dataset: str, values: list[str]) -> None:
    at: At = ("datasets", dataset, "positive")
    node, known = find(names.tree, at), {class_value(value) for value in values}
    if isinstance(node, MappingNode):
        if values and known != {0.0, 1.0}:
            said = f"datasets.{dataset}.positive cuts a number into the classes 0 and 1; name those"
            names.faults.add(key_mark(names.tree, ("classes",)), said)
        return
    if isinstance(node, Scalar) and isinstance(node.value, str):
        if values and class_value(node.value) not in known:
            said = f"datasets.{dataset}.positive: {quoted(node)} is not among classes"
            names.faults.add(node.mark, f"{said}; {meant(node, values)}", at)
    elif not _refuse_no_class(names, at, values) and len(values) == 2 and YES not in known:
        ways = " or ".join(f"positive: {in_yaml(value)}" for value in values)
        said = f"datasets.{dataset} does not say which of the classes is the positive one"
        names.faults.add(key_mark(names.tree, ("datasets", dataset)), f"{said}; write {ways}")


def _refuse_no_class(names: Names, at: At, values: Collection[str]) -> bool:
    """Refuse no value where its word is one of the classes: it wants quotes."""
    node, above = find(names.tree, at), find(names.tree, at[:2])
    if not isinstance(node, Scalar) or node.value is not None or node.written not in values:
        return False
    if above is not None and node.mark == above.mark:  # nobody wrote it: it is what is not asked
        return False
    place = dotted(tuple(part for part in at if part != "params"))
    said = f"{place}: YAML reads {node.written} as no value"
    names.faults.add(node.mark, f'{said}; for the class put it in quotes: "{node.written}"', at)
    return True
