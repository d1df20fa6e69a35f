"""Rules about files, columns, folds and resampling units."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config.checks.references import KnownNames, get_text, list_entries
from reportgen.config.task_shorthand import EACH, NO_TARGET
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.faults import ProblemList, quote_node
from reportgen.config.yaml.tree import (
    MappingNode,
    Node,
    Scalar,
    find_key_mark,
    find_node,
    format_key_path,
    get_child,
)
from reportgen.errors import ConfigPath, did_you_mean


def check_sources(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Files and columns of datasets and models, as far as the config alone can tell."""
    names = KnownNames(tree, words, faults)
    _check_sources(names)
    _check_columns(names)


def _check_sources(names: KnownNames) -> None:
    """Every dataset has one source of labels, every model has scores for every dataset."""
    if names.datasets and all(get_text(d, "role") == "fit" for d in names.datasets.values()):
        names.faults.add(
            find_key_mark(names.tree, ("datasets",)),
            "every dataset has role: fit; the one that models are judged on has role: test",
        )
    for dataset, node in names.datasets.items():
        path, labels = (
            get_child(node, "path") or get_child(node, "qrels") or get_child(node, "letor"),
            get_child(node, "labels"),
        )
        mark = find_key_mark(names.tree, ("datasets", dataset))
        if isinstance(node, MappingNode) and path is None and labels is None:
            names.faults.add(
                mark, f"datasets.{dataset} has no 'path'; name its file, or `labels: {{path: …}}`"
            )
        if labels is not None and get_child(node, "id") is None:
            names.faults.add(
                mark,
                f"datasets.{dataset} has no 'id' (the column that names each row), by which labels "
                "and scores in files of their own are joined; add id: NAME",
            )
        if path is not None and labels is not None:
            names.faults.add(
                find_key_mark(names.tree, ("datasets", dataset, "labels")),
                f"datasets.{dataset} has both path and labels; one wide table has a path, "
                "labels and scores in files of their own have labels",
            )
    for model, node in names.models.items():
        if isinstance(node, MappingNode):
            _check_scores(names, model, node)


def _check_scores(names: KnownNames, model: str, node: MappingNode) -> None:
    at: ConfigPath = ("models", model)
    scores = node.get("scores")
    _check_one_column(names, at, node)
    for dataset in list_entries(scores):
        below = find_node(scores, (dataset,))
        if dataset not in names.datasets:
            names.faults.add(
                find_key_mark(names.tree, (*at, "scores", dataset)),
                f"models.{model}.scores: there is no dataset {dataset!r} with `labels:` in this "
                f"config; {did_you_mean(dataset, names.datasets)}",
            )
        elif isinstance(below, MappingNode):
            _check_one_column(names, (*at, "scores", dataset), below)
            _check_has_column(names, (*at, "scores", dataset), below)
    if not list_entries(scores).keys() <= names.datasets.keys():
        return  # which dataset is meant must be clear first
    given = {name for key in ("scores", "run", "lines") for name in list_entries(node.get(key))}
    if any(name not in given for name in names.datasets):
        _check_has_column(names, at, node)


def _check_one_column(names: KnownNames, at: ConfigPath, node: MappingNode) -> None:
    if {"column", "columns"} <= node.entries.keys():
        names.faults.add(
            find_key_mark(names.tree, (*at, "columns")),
            f"{format_key_path(at)} has both column and columns; keep one of the two",
        )


def _check_has_column(names: KnownNames, at: ConfigPath, node: MappingNode) -> None:
    if not {"column", "columns"} & node.entries.keys():
        names.faults.add(
            find_key_mark(names.tree, at),
            f"{format_key_path(at)} has no 'column' (the column with its scores); "
            "add column: NAME, or columns: {mean: NAME, sd: NAME}",
        )


def _check_columns(names: KnownNames) -> None:
    """No two models read the same column, and none reads the target."""
    targets = {get_text(node, "target") for node in names.datasets.values()}
    seen: dict[str, str] = {}
    for model, node in names.models.items():
        column = get_child(node, "column") or get_child(get_child(node, "columns"), EACH)
        if not isinstance(column, Scalar) or not isinstance(column.value, str):
            continue
        is_other_file = get_child(node, "scores") is not None
        if column.value in targets and not is_other_file:
            names.faults.add(
                column.mark,
                f"models.{model} reads the target {quote_node(column)} as its score; "
                "name the column with its scores",
            )
        first = seen.setdefault(column.value, model)
        if first != model and not is_other_file:
            names.faults.add(
                column.mark,
                f"models {first!r} and {model!r} both read the column {quote_node(column)}; "
                "give each its own",
            )


OF_FOLDS = ("auto", "corrected-t")
PLACES = (("comparisons", "test"), ("bootstrap", "interval"))


FEWEST_DATASETS = 3


def check_across(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Datasets are a sample only where there are several to judge on, or a row is one."""
    task = words.tasks.get(get_text(tree, "task") or "")
    if task is not None and task.is_of_values:
        return
    datasets = list_entries(tree.get("datasets")).values()
    judged = [node for node in datasets if get_text(node, "role") != "fit"]
    across = tree.get("across")
    is_asked = isinstance(across, MappingNode)
    if is_asked and len(judged) < FEWEST_DATASETS:
        faults.add(
            find_key_mark(tree, ("across",)),
            f"across: compares models over {FEWEST_DATASETS} datasets or more, and there are "
            f"{len(judged)} to judge on; remove it",
        )


def check_folds(tree: MappingNode, faults: ProblemList) -> None:
    """Folds have a column, rounds have ids, and intervals are those of the question."""
    datasets = list_entries(tree.get("datasets"))
    folded = [name for name, node in datasets.items() if _has(node, "fold")]
    if "folds" in tree.entries and not folded:
        said = "folds: no dataset says which fit scored its rows; add `fold:` with their column"
        faults.add(find_key_mark(tree, ("folds",)), said)
    for name, node in datasets.items():
        if _has(node, "repeat"):
            _check_rounds(tree, name, node, faults)
    for name in folded:
        for other, node in datasets.items():
            if get_text(node, "role") == "fit":
                faults.add(
                    find_key_mark(tree, ("datasets", name, "fold")),
                    f"datasets.{name}: folds are judged on rows that other folds fitted, and "
                    f"{other!r} has role: fit; drop one",
                )
    if folded and (get_text(tree.get("folds"), "question") or "procedure") == "procedure":
        _check_question(tree, faults)


def _check_rounds(tree: MappingNode, name: str, node: Node, faults: ProblemList) -> None:
    mark = find_key_mark(tree, ("datasets", name, "repeat"))
    for key, of in (("fold", "the column of folds"), ("id", "the column that names each row")):
        if not _has(node, key):
            faults.add(mark, f"datasets.{name}.repeat needs `{key}:`, {of}, too")
    if get_text(tree, "task") == "ranking":
        faults.add(mark, f"datasets.{name}.repeat is not for task: ranking; remove it")
    for model, below in list_entries(tree.get("models")).items():
        if name in list_entries(find_node(below, ("scores",))):
            faults.add(
                mark,
                f"datasets.{name}.repeat wants all scores in one table, and models.{model}.scores "
                "names a file of its own; join the files",
            )


def _check_question(tree: MappingNode, faults: ProblemList) -> None:
    """Refuse tests and intervals over rows, since they answer the other question about folds."""
    for at in PLACES:
        for node in _iter_text_scalars(find_node(tree, at)):
            if node.value in OF_FOLDS:
                continue
            faults.add(
                node.mark,
                f"{'.'.join(at)}: {quote_node(node)} takes rows for independent, and folds "
                "share the "
                "rows that they learn from; remove it, or ask of the fitted models: "
                "folds: {question: fitted}",
            )


def _iter_text_scalars(node: Node | None) -> Iterator[Scalar]:
    each = list_entries(node).values() if isinstance(node, MappingNode) else [node]
    yield from (one for one in each if isinstance(one, Scalar) and isinstance(one.value, str))


def _has(node: Node, key: str) -> bool:
    below = find_node(node, (key,)) if isinstance(node, MappingNode) else None
    return isinstance(below, Scalar) and below.value is not None


UNITS = ("cluster", "query")


def check_resampling(tree: MappingNode, faults: ProblemList) -> None:
    """Blocks of time are drawn whole, from all rows, and only where there is time."""
    timed = _list_time_datasets(tree)
    for name in timed:
        if _has_value(find_node(tree, ("datasets", name)), "strata"):
            faults.add(
                find_key_mark(tree, ("datasets", name, "strata")),
                f"datasets.{name} has both time and strata, and blocks of time go across strata; "
                "remove one of the two",
            )
    weights, block = (
        find_node(tree, ("bootstrap", "weights")),
        find_node(tree, ("bootstrap", "block")),
    )
    if timed and isinstance(weights, Scalar) and weights.value in ("poisson", "bayesian"):
        faults.add(
            weights.mark,
            f"bootstrap.weights cannot be {quote_node(weights)} with blocks of time, which "
            f"datasets.{timed[0]} has by its `time:`; use multinomial, or declare a cluster",
        )
    if not timed and isinstance(block, Scalar) and block.value is not None:
        faults.add(
            find_key_mark(tree, ("bootstrap", "block")),
            "bootstrap.block is the length of blocks of time, and no dataset is resampled in "
            "time; add `time:` to a dataset without cluster or query, or remove the block",
        )


def _list_time_datasets(tree: MappingNode) -> list[str]:
    """List the datasets that are resampled in blocks of time."""
    datasets = tree.get("datasets")
    if not isinstance(datasets, MappingNode):
        return []
    return [
        name
        for name, entry in datasets.entries.items()
        if _has_value(entry.node, "time")
        and not any(_has_value(entry.node, key) for key in UNITS)
        and not _is_to_fit(entry.node)
    ]


def _has_value(node: object, key: str) -> bool:
    below = get_child(node, key) if isinstance(node, MappingNode) else None
    return isinstance(below, Scalar) and below.value is not None


def _is_to_fit(node: object) -> bool:
    role = get_child(node, "role") if isinstance(node, MappingNode) else None
    return isinstance(role, Scalar) and role.value == "fit"


NOT_OF_VALUES = {
    "unit": "the unit of the scores stands under score:",
    "count": "a row is one data set",
    "fold": "the rows are no longer there",
    "repeat": "the rows are no longer there",
    "time": "data sets have no order",
    "role": "nothing is fitted",
}


def check_finished(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """One table without a target; `score:` stands nowhere else."""
    names = KnownNames(tree, words, faults)
    task = words.tasks.get(get_text(tree, "task") or "")
    if task is None:
        return
    if not task.is_of_values:
        if tree.get("score") is not None:
            fits = ", ".join(name for name, each in words.tasks.items() if each.is_of_values)
            faults.add(find_key_mark(tree, ("score",)), f"score is for task: {fits}; remove it")
        return
    asked = tree.get("score")
    if isinstance(asked, Scalar) and asked.value is not None and asked.secret is None:
        said = f"score wants a map of keys; write score: {{title: {asked.safe_text}}}"
        faults.settle(asked.mark, said)
    if len(names.datasets) > 1:
        said = "each row of its table is a data set; put all of them into one table"
        faults.add(
            find_key_mark(tree, ("datasets",)),
            f"task: {get_text(tree, 'task')} has one dataset, as {said}",
        )
    for at, said in _iter_refused_keys(names):
        faults.add(find_key_mark(tree, at), f"{'.'.join(map(str, at))}: {said}; remove it")


def _iter_refused_keys(names: KnownNames) -> Iterator[tuple[ConfigPath, str]]:
    for dataset, node in names.datasets.items():
        at: ConfigPath = ("datasets", dataset)
        if get_text(node, "target") not in (None, NO_TARGET):
            yield (*at, "target"), "scores that were computed elsewhere have no target"
        for key, said in NOT_OF_VALUES.items():
            if get_child(node, key) is not None and get_text(node, key) != "test":
                yield (*at, key), said
    for model, node in names.models.items():
        if list_entries(get_child(node, "columns")):
            yield ("models", model, "columns"), "a model has one score of a data set; name column:"
