"""Expand the short forms of `task: scored`: scores of answers to items."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field

from reportgen.config.task_shorthand import NO_TARGET, fill_keys
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import (
    Entry,
    ListNode,
    MappingNode,
    Node,
    Scalar,
    get_child,
    get_entries,
    get_items,
    get_text,
    make_scalar,
)
from reportgen.records import record

PASSES = {"pass@": "pass_at", "pass^": "pass_all"}
_PASS = re.compile(r"(pass[@^])(\d{1,4})")
Bounds = tuple[float, float]


@record
class ItemPreview:
    """What a file of answers holds: its models, with their roles, and scores from 0 to 1."""

    models: Mapping[str, str] = field(default_factory=dict)
    scores: tuple[str, ...] = ()


ItemLister = Callable[[str, Node], ItemPreview]
"""Previews a file of answers, by the name of its dataset and what the config says of it."""


def expand_item_scores(
    tree: MappingNode, words: Vocabulary, preview: ItemLister | None
) -> MappingNode:
    """Return the tree with models, scores and metrics of answers spelled out."""
    task = words.tasks.get(get_text(tree, "task") or "")
    if task is None or not task.is_of_items:
        return tree
    mark, datasets = tree.mark, tree.get("datasets")
    if isinstance(datasets, MappingNode):
        expanded = {
            k: Entry(each.mark, _expand_dataset(each.node)) for k, each in datasets.entries.items()
        }
        tree = tree.set_nodes(datasets=MappingNode(datasets.mark, expanded))
    tree = _expand_score_names(tree)
    if preview is not None and not {"models", "scores"} <= tree.entries.keys():
        tree = _fill_from_files(tree, preview)
    scores = get_entries(tree, "scores")
    usual = ListNode(mark, tuple(make_scalar(name, mark) for name in scores))
    tree = fill_keys(tree, metrics=usual) if scores else tree
    items = tuple(_expand_metric(each, scores) for each in get_items(tree, "metrics"))
    return tree.set_nodes(metrics=ListNode(mark, items)) if items else tree


def _expand_score_names(tree: MappingNode) -> MappingNode:
    """Return the tree with scores as a map of maps, where a list or a bare key names them."""
    given = tree.get("scores")
    if isinstance(given, ListNode) and all(isinstance(each, Scalar) for each in given.items):
        names = [each for each in given.items if isinstance(each, Scalar)]
        entries = {str(each.value): Entry(each.mark, MappingNode(each.mark)) for each in names}
        return tree.set_nodes(scores=MappingNode(given.mark, entries))
    if not isinstance(given, MappingNode):
        return tree
    for name, entry in given.entries.items():
        if isinstance(entry.node, Scalar) and entry.node.value is None:
            given = given.put({name: Entry(entry.mark, MappingNode(entry.mark))})
    return tree.set_nodes(scores=given)


def _expand_dataset(node: Node) -> Node:
    """Fill in the columns that logs have, the noun for rows, and that there is no target."""
    if not isinstance(node, MappingNode):
        return node
    mark = node.mark
    noun = {"one": make_scalar("item", mark), "many": make_scalar("items", mark)}
    return fill_keys(
        node,
        target=make_scalar(NO_TARGET, mark),
        id=make_scalar("id", mark),
        model=make_scalar("model", mark),
        case=MappingNode(mark).set_nodes(**noun),
    )


def _fill_from_files(tree: MappingNode, preview: ItemLister) -> MappingNode:
    """Fill in the models and scores that files of answers hold, where the config names none."""
    mark, models, scores = tree.mark, dict[str, Node](), dict[str, Node]()
    for name, entry in get_entries(tree, "datasets").items():
        if not isinstance(get_child(entry.node, "path"), Scalar):
            continue
        seen = preview(name, entry.node)
        for model, role in seen.models.items():
            node = MappingNode(mark).set_nodes(role=make_scalar(role, mark))
            models.setdefault(model, node)
        for score in seen.scores:
            ends = ListNode(mark, (make_scalar(0, mark), make_scalar(1, mark)))
            scores.setdefault(score, MappingNode(mark).set_nodes(bounds=ends))
    entries = {
        key: MappingNode(mark, {name: Entry(mark, node) for name, node in each.items()})
        for key, each in (("models", models), ("scores", scores))
        if each
    }
    return fill_keys(tree, **entries)


def _expand_metric(node: Node, scores: Mapping[str, Entry]) -> Node:
    """Return the metric that a score, or a form such as pass@3, stands for."""
    if isinstance(node, Scalar):
        node = MappingNode(node.mark).set_nodes(name=node)
    name = get_child(node, "name")
    if not isinstance(node, MappingNode) or not isinstance(name, Scalar):
        return node
    if (entry := scores.get(str(name.value))) is not None:
        own = _build_score_parameters(str(name.value), entry.node, name)
        return fill_keys(node.set_nodes(**own), **{"as": name})
    if (short := _PASS.fullmatch(str(name.value))) is not None:
        k = make_scalar(int(short[2]), name.mark)
        node = fill_keys(node.set_nodes(name=make_scalar(PASSES[short[1]], name.mark)), k=k)
        node = fill_keys(node, **{"as": name})
    if get_text(node, "name") in PASSES.values():
        return _expand_pass(node, scores)
    return node


def _build_score_parameters(score: str, keys: Node, name: Scalar) -> dict[str, Node]:
    """Build the name and parameters of the mean of a score, from its keys."""
    parts: dict[str, Node] = {
        "name": make_scalar("item_score", name.mark),
        "of": make_scalar(score, name.mark),
    }
    given = {key: get_child(keys, key) for key in ("better", "unit")}
    ends = get_items(keys, "bounds")
    if len(ends) == 2:
        given |= dict(zip(("low", "high"), ends, strict=True))
    return parts | {key: each for key, each in given.items() if isinstance(each, Scalar)}


def _expand_pass(node: MappingNode, scores: Mapping[str, Entry]) -> MappingNode:
    """Fill in the score of pass@k, from which value a sample passes, and its label."""
    for key, own in (("score", "of"), ("from", "least")):
        if key in node.entries:
            entry = node.entries[key]
            node = fill_keys(node.remove_keys(key), **{own: entry.node})
    first = next(iter(scores), "")
    node = fill_keys(node, of=make_scalar(first, node.mark))
    of = get_text(node, "of") or first
    least = get_child(scores[of].node, "from") if of in scores else None
    if isinstance(least, Scalar):
        node = fill_keys(node, least=least)
    k = get_child(node, "k")
    if isinstance(k, Scalar):
        short = next(form for form, name in PASSES.items() if name == get_text(node, "name"))
        label = f"{short}{k.written}" + (f" of {of}" if of != first else "")
        node = fill_keys(node, **{"as": make_scalar(label, node.mark)})
    return node
