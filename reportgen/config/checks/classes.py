"""Rules about classes, labels, prevalence and a second rater."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from reportgen.config.checks.references import KnownNames, get_text, list_entries
from reportgen.config.schema.config import Config, Dataset
from reportgen.config.schema.datasets import CutKeys
from reportgen.config.task_shorthand import EACH, OF
from reportgen.config.vocabulary import TaskWord, Vocabulary
from reportgen.config.yaml.faults import ProblemList, quote_node, suggest_name
from reportgen.config.yaml.tree import (
    ListNode,
    MappingNode,
    Node,
    Scalar,
    find_key_mark,
    find_node,
    format_key_path,
    get_child,
)
from reportgen.errors import ConfigPath, did_you_mean
from reportgen.text import format_yaml_value, parse_class_value

TRUE_WORDS = 1.0


def check_classes(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Classes differ, two where two are wanted, and the positive one is among them."""
    names = KnownNames(tree, words, faults)
    task = words.tasks.get(get_text(tree, "task") or "")
    if task is None:
        return
    _refuse_misplaced_keys(names, task)
    classes = tree.get("classes")
    if isinstance(classes, MappingNode) and classes.entries and task.has_classes:
        _check_values(names, task, classes)
        _check_names(names, classes)
    if not task.has_classes or task.is_of_flags:
        _refuse_patterns(names)
    else:
        for at, node in _iter_models(names):
            _check_columns(names, task, at, node, list(list_entries(classes)))
    for dataset, node in names.datasets.items():
        _check_target(names, task, ("datasets", dataset), node)
    _check_per_class(names, task)
    for index, _ in enumerate(list_items(tree.get("metrics"))):
        _refuse_null_class(names, ("metrics", index, "params", OF), list_entries(classes))
    if task.is_of_flags:
        for dataset in names.datasets:
            _check_positive(names, dataset, list(list_entries(classes)))


def _refuse_misplaced_keys(names: KnownNames, task: TaskWord) -> None:
    """Keys of classes where the target has none, and of two classes where it has more."""
    tasks = names.words.tasks.items()
    at: list[tuple[ConfigPath, str, list[str]]] = []
    if list_entries(names.tree.get("classes")) and not task.has_classes:
        at.append((("classes",), "classes is", [n for n, each in tasks if each.has_classes]))
    for dataset, node in names.datasets.items():
        if get_child(node, "positive") is not None and not task.is_of_flags:
            at.append(
                (
                    ("datasets", dataset, "positive"),
                    "positive is",
                    [n for n, each in tasks if each.is_of_flags],
                )
            )
    for model, node in names.models.items():
        if get_text(node, "sums") == "normalise" and not _has_exclusive_classes(task):
            at.append(
                (
                    ("models", model, "sums"),
                    "sums is",
                    [n for n, each in tasks if _has_exclusive_classes(each)],
                )
            )
    if list_items(names.tree.get("per_class")) and not task.per_class:
        at.append((("per_class",), "per_class is", [n for n, each in tasks if each.per_class]))
    for place, what, fits in at:
        mark = find_key_mark(names.tree, place)
        names.faults.add(mark, f"{what} for task: {', '.join(fits)}; remove it, or set that")


def _has_exclusive_classes(task: TaskWord) -> bool:
    """Return whether a row is of one of several classes, whose probabilities sum to 1."""
    return task.has_classes and not (task.is_of_flags or task.is_of_labels)


def _check_target(names: KnownNames, task: TaskWord, at: ConfigPath, node: Node) -> None:
    """Labels stand in a column each, by a pattern and the names of classes, or in a list."""
    target, separator = get_text(node, "target") or "", get_text(node, "separator")
    fits = ", ".join(name for name, each in names.words.tasks.items() if each.is_of_labels)
    place = find_key_mark(names.tree, (*at, "target"))
    if not task.is_of_labels:
        if separator is not None:
            mark = find_key_mark(names.tree, (*at, "separator"))
            names.faults.add(
                mark, f"{format_key_path(at)}: separator is for task: {fits}; remove it"
            )
        if EACH in target:
            names.faults.add(
                place, f"{format_key_path(at)}: a pattern of targets is for task: {fits}"
            )
    elif separator is None and target and EACH not in target:
        said = f"{format_key_path(at)}: {target!r} is one column, and a row may have several labels"
        ways = 'target: "y_{class}", a column for each, or separator: "|" where it lists them'
        names.faults.add(place, f"{said}; write {ways}")
    elif separator is not None and EACH in target:
        said = f"{format_key_path(at)}: separator goes with one column that lists labels"
        names.faults.add(place, f"{said}, and {target!r} is a pattern; keep one of both")
    elif EACH in target and not list_entries(names.tree.get("classes")):
        said = f"{format_key_path(at)}: the pattern {target!r} needs the labels by name"
        names.faults.add(place, f"{said}; write classes: [a, b, c]")


def list_items(node: Node | None) -> tuple[Node, ...]:
    """List the items of a list; none for anything else."""
    return node.items if isinstance(node, ListNode) else ()


def _iter_models(names: KnownNames) -> Iterator[tuple[ConfigPath, Node]]:
    """Yield where columns are named: models, and their scores in files of their own."""
    for model, node in names.models.items():
        if {"column", "columns"} & list_entries(node).keys() or not list_entries(
            get_child(node, "scores")
        ):
            yield ("models", model), node
        for dataset, below in list_entries(get_child(node, "scores")).items():
            yield ("models", model, "scores", dataset), below


def _refuse_patterns(names: KnownNames) -> None:
    for at, node in _iter_models(names):
        if EACH in list_entries(get_child(node, "columns")):
            fits = [n for n, each in names.words.tasks.items() if each.has_several_classes]
            said = f"{format_key_path(at)}: a pattern of columns is for task: {', '.join(fits)}"
            names.faults.add(find_key_mark(names.tree, (*at, "columns")), f"{said}; write a map")


def _check_columns(
    names: KnownNames, task: TaskWord, at: ConfigPath, node: Node, values: list[str]
) -> None:
    """Check that each class has a column of its own, unless the model names the class itself."""
    scale = get_text(find_node(names.tree, at[:2]), "scale")
    columns = list_entries(get_child(node, "columns"))
    if task.is_of_labels and scale == "label" and not columns:
        _check_list(names, at)
        return
    if not columns or (scale == "label" and not task.is_of_labels):
        if (scale == "label") == bool(columns) and isinstance(node, MappingNode):
            wanted = "one column with the class" if columns else "columns, one a class"
            said = f"{format_key_path(at)} has scale: {scale}, which wants {wanted}"
            way = "column: NAME" if columns else 'columns: "p_{class}"'
            key = "columns" if columns else "column"
            names.faults.add(find_key_mark(names.tree, (*at, key)), f"{said}; write {way}")
        return
    mark = find_key_mark(names.tree, (*at, "columns"))
    pattern = columns.get(EACH)
    if pattern is not None:
        if isinstance(pattern, Scalar) and EACH not in str(pattern.value):
            said = f"{format_key_path(at)}: columns {quote_node(pattern)} has no {EACH}"
            names.faults.add(mark, f"{said}, which stands for the value of a class")
        return
    known, given = ({parse_class_value(each): each for each in of} for of in (values, columns))
    for value, text in known.items():
        if value not in given:
            names.faults.add(
                mark, f"{format_key_path(at)}: columns has none for the class {text!r}"
            )
    for value, text in given.items():
        if values and value not in known:
            said = f"{format_key_path(at)}: columns names {text!r}, which is not among classes"
            names.faults.add(mark, f"{said}; {did_you_mean(text, values)}")


def _check_list(names: KnownNames, at: ConfigPath) -> None:
    """One column lists the labels that a model names only where the target is such a list."""
    if any(get_text(node, "separator") is None for node in names.datasets.values()):
        said = f"{format_key_path(at)} has one column, and a row may have several labels"
        mark = find_key_mark(names.tree, (*at, "column"))
        names.faults.add(mark, f'{said}; write columns: "p_{{class}}", a column for each')


def _check_per_class(names: KnownNames, task: TaskWord) -> None:
    """Check that each metric in `per_class` can be computed for one class."""
    words = names.words.metrics.items()
    fits = [n for n, word in words if n in task.per_class or OF in word.parameters]
    for node in list_items(names.tree.get("per_class")) if task.per_class else ():
        if isinstance(node, Scalar) and node.value not in fits:
            said = f"per_class: {quote_node(node)} is no metric of one class"
            names.faults.add(node.mark, f"{said}; {suggest_name(node, fits)}")


def _check_values(names: KnownNames, task: TaskWord, classes: MappingNode) -> None:
    mark = find_key_mark(names.tree, ("classes",))
    count = len(classes.entries)
    if count < 2 or (task.is_of_flags and count > 2):
        wanted = "two" if task.is_of_flags else "two or more"
        has = f"has {count} {'value' if count == 1 else 'values'}"
        way = "; task: multiclass takes more" if count > 2 else "; add the missing one"
        names.faults.add(mark, f"classes {has}, and {wanted} are wanted{way}")
    seen: dict[float | str, str] = {}
    for value in classes.entries:
        first = seen.setdefault(parse_class_value(value), value)
        if first != value:
            at: ConfigPath = ("classes", value)
            said = f"classes has {first!r} and {value!r}, which are one value; remove one"
            names.faults.add(find_key_mark(names.tree, at), said)


def _check_names(names: KnownNames, classes: MappingNode) -> None:
    """No two classes are called alike, or nobody could tell them apart on the page."""
    seen: dict[object, str] = {}
    for value, node in classes.entries.items():
        if isinstance(node.node, Scalar) and node.node.value is not None:
            first = seen.setdefault(node.node.value, value)
            if first != value:
                said = f"classes {first!r} and {value!r} are both called {quote_node(node.node)}"
                names.faults.add(node.node.mark, f"{said}; give each its own name")


def _check_positive(names: KnownNames, dataset: str, values: list[str]) -> None:
    at: ConfigPath = ("datasets", dataset, "positive")
    node, known = find_node(names.tree, at), {parse_class_value(value) for value in values}
    if isinstance(node, MappingNode):
        if values and known != {0.0, 1.0}:
            said = f"datasets.{dataset}.positive cuts a number into the classes 0 and 1; name those"
            names.faults.add(find_key_mark(names.tree, ("classes",)), said)
        return
    if isinstance(node, Scalar) and isinstance(node.value, str):
        if values and parse_class_value(node.value) not in known:
            said = f"datasets.{dataset}.positive: {quote_node(node)} is not among classes"
            names.faults.add(node.mark, f"{said}; {suggest_name(node, values)}", at)
    elif not _refuse_null_class(names, at, values) and len(values) == 2 and TRUE_WORDS not in known:
        ways = " or ".join(f"positive: {format_yaml_value(value)}" for value in values)
        said = f"datasets.{dataset} does not say which of the classes is the positive one"
        names.faults.add(find_key_mark(names.tree, ("datasets", dataset)), f"{said}; write {ways}")


def _refuse_null_class(names: KnownNames, at: ConfigPath, values: Collection[str]) -> bool:
    """Refuse no value where its word is one of the classes: it wants quotes."""
    node, above = find_node(names.tree, at), find_node(names.tree, at[:2])
    if not isinstance(node, Scalar) or node.value is not None or node.written not in values:
        return False
    if above is not None and node.mark == above.mark:  # nobody wrote it: it is what is not asked
        return False
    place = format_key_path(tuple(part for part in at if part != "params"))
    said = f"{place}: YAML reads {node.written} as no value"
    names.faults.add(node.mark, f'{said}; for the class put it in quotes: "{node.written}"', at)
    return True


CALLED_METRICS = ("precision", "fdr", "called", "caught", "false_alarms")


def check_called(config: Config, tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Only what the classes of called rows tell is asked for, at thresholds that stay."""
    named = [name for name, each in config.datasets.items() if each.labelled == "called"]
    task = words.tasks.get(config.task)
    if not named or task is None:
        return
    at: ConfigPath = ("datasets", named[0], "labelled")
    if not task.is_of_flags:
        fits = ", ".join(name for name, each in words.tasks.items() if each.is_of_flags)
        faults.add(find_key_mark(tree, at), f"labelled: called is for task: {fits}; remove it")
        return
    for place, said in (
        *_iter_unknowable_metrics(config),
        *_iter_unsteady_points(config),
        *_iter_refused_curves(config),
    ):
        faults.add(find_key_mark(tree, place), f"{said} (datasets.{named[0]} has labelled: called)")
    for name in named:
        if config.datasets[name].role == "fit":
            said = "rows that teach a threshold need a class each; labelled: called leaves some out"
            faults.add(find_key_mark(tree, ("datasets", name, "labelled")), said)


def _iter_unknowable_metrics(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    known = ", ".join(CALLED_METRICS[:-1]) + f" and {CALLED_METRICS[-1]}"
    for index, use in enumerate(config.metrics):
        if use.name not in CALLED_METRICS:
            said = f"{use.name} needs the class of every row; called rows tell {known}"
            yield ("metrics", index), said


def _iter_unsteady_points(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    """Yield operating points that flag other rows, of unknown class, in each resample."""
    for name, point in config.thresholds.items():
        is_counted = any(x is not None for x in (point.share, point.k, point.budget))
        if is_counted or (point.is_learnt and point.on == "test"):
            said = "calls other rows in each resample, and their class is not known; take fixed"
            yield ("thresholds", name), f"thresholds.{name} {said}"


def _iter_refused_curves(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    for index, curve in enumerate(config.curves):
        said = f"the curve {curve.name} needs the class of every row; write curves: []"
        yield ("curves", index), said


def check_second_target(
    config: Config, tree: MappingNode, words: Vocabulary, faults: ProblemList
) -> None:
    """Rows that are judged name one class each, which the same models gave a score."""
    task = words.tasks.get(config.task)
    for name, dataset in config.datasets.items():
        if dataset.second_target is None or task is None:
            continue
        mark = find_key_mark(tree, ("datasets", name, "second_target"))
        if not _has_one_class(task):
            fits = ", ".join(n for n, each in words.tasks.items() if _has_one_class(each))
            faults.add(mark, f"second_target is for task: {fits}; remove it, or set that")
            continue
        for why in _iter_second_target_conflicts(dataset):
            faults.add(mark, f"datasets.{name}.second_target {why}")


def _has_one_class(task: TaskWord) -> bool:
    return task.is_of_flags or (task.has_several_classes and not task.is_of_labels)


def _iter_second_target_conflicts(dataset: Dataset) -> Iterator[str]:
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


DRAWN_TOGETHER = ("cluster", "query", "time")


def check_prevalence(
    config: Config, tree: MappingNode, words: Vocabulary, faults: ProblemList
) -> None:
    """Rows have one class each, are drawn one by one, and have no other weight."""
    asked, task = config.prevalence, words.tasks.get(config.task)
    if asked is None or task is None:
        return
    if not _has_one_class_a_row(task):
        fits = ", ".join(name for name, each in words.tasks.items() if _has_one_class_a_row(each))
        faults.add(
            find_key_mark(tree, ("prevalence",)), f"prevalence is for task: {fits}; remove it"
        )
        return
    for at, said in (
        *_iter_wrong_prevalence_forms(config, task),
        *_iter_resampling_conflicts(config),
        *_iter_unused_prevalence(config),
    ):
        faults.add(find_key_mark(tree, at), said)


def _has_one_class_a_row(task: TaskWord) -> bool:
    return task.is_of_flags or (task.has_several_classes and not task.is_of_labels)


def _iter_wrong_prevalence_forms(
    config: Config, task: TaskWord
) -> Iterator[tuple[ConfigPath, str]]:
    """Two classes need the share of one alone, several need the share of each."""
    asked = config.prevalence
    if asked is None or asked.is_by_class != task.is_of_flags:
        return
    way = "the share of the positive class, such as 0.05"
    if not task.is_of_flags:
        way = "the share of each class, such as {a: 0.2, b: 0.8}"
    yield ("prevalence", "target"), f"prevalence.target: task: {config.task} wants {way}"


def _iter_resampling_conflicts(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    for name, dataset in config.datasets.items():
        for key, why in _iter_prevalence_conflicts(dataset):
            said = f"datasets.{name}.{key}: prevalence {why}; remove one of the two"
            yield ("datasets", name, key), said
    if config.bootstrap.weights == "poisson":
        said = "bootstrap.weights: prevalence holds the rows of each class at their number, and "
        yield ("bootstrap", "weights"), f"{said}poisson does not; write multinomial"


def _iter_prevalence_conflicts(dataset: Dataset) -> Iterator[tuple[str, str]]:
    for key in DRAWN_TOGETHER:
        if getattr(dataset, key) is not None:
            yield key, "draws rows within their class, and a unit of several rows has both"
    if dataset.weight is not None:
        yield "weight", "weights the rows itself"
    if dataset.labelled == "called":
        yield "labelled", "needs the class of every row"


def _iter_unused_prevalence(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    asked = config.prevalence
    has_any = any(model.scale == "probability" for model in config.models.values())
    if asked is not None and asked.trained_at is not None and not has_any:
        said = "prevalence.trained_at moves probabilities, and no model has any; remove it"
        yield ("prevalence", "trained_at"), said
