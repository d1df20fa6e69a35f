"""Where labels and scores come from: every dataset has a file, every model a column of its own."""

from __future__ import annotations

from reportgen.config.checks.references import Names, entries, text_of
from reportgen.config.faults import Faults, quoted
from reportgen.config.longhand_classes import EACH
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import MappingNode, Scalar, child, dotted, find, key_mark
from reportgen.errors import Path as At
from reportgen.errors import did_you_mean


def check_sources(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Files and columns of datasets and models, as far as the config alone can tell."""
    names = Names(tree, words, faults)
    _check_sources(names)
    _check_columns(names)


def _check_sources(names: Names) -> None:
    """Every dataset has one source of labels, every model has scores for every dataset."""
    if names.datasets and all(text_of(d, "role") == "fit" for d in names.datasets.values()):
        names.faults.add(
            key_mark(names.tree, ("datasets",)),
            "every dataset has role: fit; the one that models are judged on has role: test",
        )
    for dataset, node in names.datasets.items():
        path, labels = (
            child(node, "path") or child(node, "qrels") or child(node, "letor"),
            child(node, "labels"),
        )
        mark = key_mark(names.tree, ("datasets", dataset))
        if isinstance(node, MappingNode) and path is None and labels is None:
            names.faults.add(
                mark, f"datasets.{dataset} has no 'path'; name its file, or `labels: {{path: …}}`"
            )
        if labels is not None and child(node, "id") is None:
            names.faults.add(
                mark,
                f"datasets.{dataset} has no 'id' (the column that names each row), by which labels "
                "and scores in files of their own are joined; add id: NAME",
            )
        if path is not None and labels is not None:
            names.faults.add(
                key_mark(names.tree, ("datasets", dataset, "labels")),
                f"datasets.{dataset} has both path and labels; one wide table has a path, "
                "labels and scores in files of their own have labels",
            )
    for model, node in names.models.items():
        if isinstance(node, MappingNode):
            _check_scores(names, model, node)


def _check_scores(names: Names, model: str, node: MappingNode) -> None:
    at: At = ("models", model)
    scores = node.get("scores")
    _check_one_column(names, at, node)
    for dataset in entries(scores):
        below = find(scores, (dataset,))
        if dataset not in names.datasets:
            names.faults.add(
                key_mark(names.tree, (*at, "scores", dataset)),
                f"models.{model}.scores: there is no dataset {dataset!r} with `labels:` in this "
                f"config; {did_you_mean(dataset, names.datasets)}",
            )
        elif isinstance(below, MappingNode):
            _check_one_column(names, (*at, "scores", dataset), below)
            _check_has_column(names, (*at, "scores", dataset), below)
    if not entries(scores).keys() <= names.datasets.keys():
        return  # which dataset is meant must be clear first
    given = {name for key in ("scores", "run", "lines") for name in entries(node.get(key))}
    if any(name not in given for name in names.datasets):
        _check_has_column(names, at, node)


def _check_one_column(names: Names, at: At, node: MappingNode) -> None:
    if {"column", "columns"} <= node.entries.keys():
        names.faults.add(
            key_mark(names.tree, (*at, "columns")),
            f"{dotted(at)} has both column and columns; keep one of the two",
        )


def _check_has_column(names: Names, at: At, node: MappingNode) -> None:
    if not {"column", "columns"} & node.entries.keys():
        names.faults.add(
            key_mark(names.tree, at),
            f"{dotted(at)} has no 'column' (the column with its scores); "
            "add column: NAME, or columns: {mean: NAME, sd: NAME}",
        )


def _check_columns(names: Names) -> None:
    """No two models read the same column, and none reads the target."""
    targets = {text_of(node, "target") for node in names.datasets.values()}
    seen: dict[str, str] = {}
    for model, node in names.models.items():
        column = child(node, "column") or child(child(node, "columns"), EACH)
        if not isinstance(column, Scalar) or not isinstance(column.value, str):
            continue
        is_other_file = child(node, "scores") is not None
        if column.value in targets and not is_other_file:
            names.faults.add(
                column.mark,
                f"models.{model} reads the target {quoted(column)} as its score; "
                "name the column with its scores",
            )
        first = seen.setdefault(column.value, model)
        if first != model and not is_other_file:
            names.faults.add(
                column.mark,
                f"models {first!r} and {model!r} both read the column {quoted(column)}; "
                "give each its own",
            )
