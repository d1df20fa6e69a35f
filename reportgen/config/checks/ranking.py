"""Rules about ranked lists."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config.checks.references import KnownNames, get_text, list_entries
from reportgen.config.schema.config import Config
from reportgen.config.task_shorthand import RUN_KEYS
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.faults import ProblemList, quote_node
from reportgen.config.yaml.tree import (
    ListNode,
    MappingNode,
    Mark,
    Node,
    Scalar,
    find_key_mark,
    find_node,
    get_child,
)
from reportgen.errors import ConfigPath, did_you_mean
from reportgen.terms import QUERIES

OF_DATASETS = (*RUN_KEYS, "queries", "balance")
NOT_OF_QUERIES = {
    "labels": "name one long table by `path:`, or a file of judgements by `qrels:` or `letor:`",
    "missing": "see `missing_document` and `missing_query` under `ranking:`",
    "unit": "a grade has none",
    "count": "a document is listed once; remove it",
}


def check_ranking(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Keys of judgements and runs stand under task: ranking, and all that it needs is there."""
    names, task = KnownNames(tree, words, faults), find_node(tree, ("task",))
    if not isinstance(task, Scalar) or task.value not in words.tasks:
        return
    if not words.tasks[str(task.value)].is_of_lists:
        _refuse_ranking_keys(names)
        return
    for dataset, node in names.datasets.items():
        if isinstance(node, MappingNode):
            _check_dataset(names, dataset, node)
    for model, node in names.models.items():
        if isinstance(node, MappingNode):
            _check_runs(names, model, node)
    if tree.get("costs") is not None:
        names.faults.add(find_key_mark(tree, ("costs",)), "costs: are for amounts; remove them")
    _check_few_harmed_metrics(names)


def _check_few_harmed_metrics(names: KnownNames) -> None:
    """Check that few_harmed is used with a metric that has a value for each query."""
    words, keys = names.words.metrics, names.metrics
    means = [key for key, name in keys.items() if name in words and words[name].has_losses]
    way = f"name one that is, such as {means[0]!r}" if means else "add one that is, such as ap"
    gates = names.tree.get("gates")
    for gate in gates.items if isinstance(gates, ListNode) else ():
        if get_text(gate, "rule") != "few_harmed":
            continue
        key, metric = get_text(gate, "metric"), find_node(gate, ("metric",))
        if isinstance(metric, Scalar) and key in keys and key not in means:
            names.faults.add(
                metric.mark, f"few_harmed: {quote_node(metric)} is no mean over queries; {way}"
            )


def check_ties(config: Config, tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Documents of one long table have ids where ties are broken by them."""
    task = words.tasks.get(config.task)
    if task is None or not task.is_of_lists or not config.are_ties_by_id:
        return
    for name, dataset in config.datasets.items():
        if dataset.qrels is None and dataset.letor is None and dataset.id is None:
            faults.add(
                find_key_mark(tree, ("datasets", name)),
                f"datasets.{name} has no 'id' (the column that names each document), by which "
                "ties: trec puts documents with equal scores in order; add id: NAME",
            )


def _refuse_ranking_keys(names: KnownNames) -> None:
    at: list[ConfigPath] = [("ranking",)] if names.tree.get("ranking") is not None else []
    at += [
        ("datasets", name, key)
        for name, node in names.datasets.items()
        for key in OF_DATASETS
        if get_child(node, key) is not None
    ]
    at += [
        ("models", name, key)
        for name, node in names.models.items()
        for key in RUN_KEYS.values()
        if _has_files(node, key)
    ]
    for place in at:
        names.faults.add(
            find_key_mark(names.tree, place),
            f"{place[-1]} is for task: ranking; remove it, or set that",
        )
    task = names.words.tasks[get_text(names.tree, "task") or ""]
    for name, node in names.models.items():
        order = get_text(node, "order")
        if order and order != "descending" and not task.is_of_flags:
            said = "order is for task: ranking, or two classes; remove it, or set that"
            names.faults.add(find_key_mark(names.tree, ("models", name, "order")), said)
    for mark, word in _iter_query_settings(names):
        names.faults.add(mark, f"{word} is for task: ranking; remove it, or set that")


def _iter_query_settings(names: KnownNames) -> Iterator[tuple[Mark, str]]:
    """Yield the outputs and gate rules that are about single queries, with their marks."""
    outputs, gates = names.tree.get("outputs"), names.tree.get("gates")
    for each in outputs.items if isinstance(outputs, ListNode) else ():
        if isinstance(each, Scalar) and each.value == QUERIES:
            yield each.mark, f"the output {QUERIES}"
    for gate in gates.items if isinstance(gates, ListNode) else ():
        rule = gate.get("rule") if isinstance(gate, MappingNode) else None
        if isinstance(rule, Scalar) and rule.value == "few_harmed":
            yield rule.mark, "the rule few_harmed"


def _has_files(node: Node, key: str) -> bool:
    files = get_child(node, key)
    return files is not None and not (isinstance(files, MappingNode) and not files.entries)


def _check_dataset(names: KnownNames, dataset: str, node: MappingNode) -> None:
    at: ConfigPath = ("datasets", dataset)
    for key, way in NOT_OF_QUERIES.items():
        if key in node.entries and get_text(node, key) != "error":
            names.faults.add(
                find_key_mark(names.tree, (*at, key)),
                f"datasets.{dataset}: {key} does not go with task: ranking; {way}",
            )
    judged = next((key for key in RUN_KEYS if key in node.entries), None)
    if judged is not None:
        for key in ("path", *RUN_KEYS, "query", "id", "filter"):
            if key in node.entries and key != judged:
                way = "keep one of the two" if key in ("path", *RUN_KEYS) else "remove it"
                where = "one long table, not" if key not in RUN_KEYS else "other files, not"
                names.faults.add(
                    find_key_mark(names.tree, (*at, key)),
                    f"datasets.{dataset}: {key} goes with {where} with {judged}; {way}",
                )
        facts = ("weight", "cluster", "strata", "balance", "fold", "time", "segments")
        for key in facts if "queries" not in node.entries else ():
            value = node.get(key)
            if value is not None and not (isinstance(value, ListNode) and not value.items):
                names.faults.add(
                    find_key_mark(names.tree, (*at, key)),
                    f"datasets.{dataset}: {key} names a column of a file with a line for each "
                    "query; add queries: {path: …, id: …}",
                )
    if judged is None and "query" not in node.entries:
        names.faults.add(
            find_key_mark(names.tree, at),
            f"datasets.{dataset} has no 'query' (the column that names the query of each "
            "document); add query: NAME",
        )
    if "balance" in node.entries and "strata" in node.entries:
        names.faults.add(
            find_key_mark(names.tree, (*at, "strata")),
            f"datasets.{dataset}: strata and balance are both given; the values of balance are "
            "strata themselves, so remove strata",
        )
    if "queries" in node.entries and judged is None:
        names.faults.add(
            find_key_mark(names.tree, (*at, "queries")),
            f"datasets.{dataset}: queries goes with qrels or letor; in one long table name its "
            "columns",
        )


def _check_runs(names: KnownNames, model: str, node: MappingNode) -> None:
    """Check that a model has answers for every dataset of judgements, in the matching form."""
    for judgements, key in RUN_KEYS.items():
        own = list_entries(node.get(key))
        judged = [
            d for d, each in names.datasets.items() if get_child(each, judgements) is not None
        ]
        for dataset in own:
            if dataset not in judged:
                names.faults.add(
                    find_key_mark(names.tree, ("models", model, key, dataset)),
                    f"models.{model}.{key}: there is no dataset {dataset!r} with `{judgements}:` "
                    f"in this config; {did_you_mean(dataset, judged)}",
                )
        for dataset in judged:
            if dataset not in own:
                names.faults.add(
                    find_key_mark(names.tree, ("models", model)),
                    f"models.{model} has no {key!r} for the dataset {dataset!r}; add {key}: FILE",
                )
