"""The short forms of ranking by query, written out.

run: runs/dense.run          run: {DATASET: {path: runs/dense.run}}, for every one with qrels
ranking: {like: sklearn}     ranking: {like: sklearn, no_relevant: zero}
"""

from __future__ import annotations

from reportgen.config.faults import Faults
from reportgen.config.ranking import PRESETS
from reportgen.config.yaml.tree import Entry, MappingNode, Node, Scalar, find, scalar

PARAMETERS = {"top_grade": "top", "grade_weights": "weights"}  # by what metrics call them
RUN_KEYS = frozenset(("path", "query", "id", "column"))
TARGET = "grade"


def without_presets(tree: MappingNode) -> MappingNode:
    """The tree with what `like` stands for spelled out beside it."""
    ranking, like = tree.get("ranking"), find(tree, ("ranking", "like"))
    preset = PRESETS.get(str(like.value), {}) if isinstance(like, Scalar) else {}
    if not isinstance(ranking, MappingNode) or not isinstance(like, Scalar):
        return tree
    missing = {
        key: scalar(value, like.mark) for key, value in preset.items() if key not in ranking.entries
    }
    return tree.has(ranking=ranking.has(**missing))


def policies(tree: MappingNode) -> dict[str, Scalar]:
    """The parameters that `ranking:` sets for every metric that has them and does not say."""
    ranking = tree.get("ranking")
    entries = ranking.entries.items() if isinstance(ranking, MappingNode) else ()
    found = {}
    for key, entry in entries:
        node = entry.node
        if key == "grade_weights" and isinstance(node, MappingNode):
            node = scalar(_as_text(node), entry.mark)
        if isinstance(node, Scalar):
            found[PARAMETERS.get(key, key)] = node
    return found


def _as_text(weights: MappingNode) -> str:
    """Grades and their weights as one text, which a parameter can be."""
    pairs = ((grade, each.node) for grade, each in weights.entries.items())
    return ", ".join(f"{g}: {n.value}" for g, n in pairs if isinstance(n, Scalar))


def with_targets(node: Node) -> Node:
    """A dataset of judgements: their file as a map, and the grade as the target."""
    qrels = node.get("qrels") if isinstance(node, MappingNode) else None
    if qrels is None or not isinstance(node, MappingNode):
        return node
    if isinstance(qrels, Scalar):
        node = node.has(qrels=MappingNode(qrels.mark).has(path=qrels))
    return node if "target" in node.entries else node.has(target=scalar(TARGET, qrels.mark))


def with_runs(node: Node, tree: MappingNode, faults: Faults) -> Node:
    """A model's `run`: one file means that file for every dataset with judgements."""
    run = node.get("run") if isinstance(node, MappingNode) else None
    if run is None or not isinstance(node, MappingNode):
        return node
    mark = node.entries["run"].mark
    if isinstance(run, Scalar):
        run = MappingNode(run.mark).has(path=run)
    if not isinstance(run, MappingNode):
        return node
    judged = _judged(tree)
    if RUN_KEYS & run.entries.keys():
        if not judged:
            faults.add(
                mark, "a run goes with a file of judgements; write `qrels: …` in the dataset"
            )
            return node.without("run").has(column=scalar("run", mark))
        run = MappingNode(mark, {name: Entry(mark, run) for name in judged})
    for name, entry in run.entries.items():
        if isinstance(entry.node, Scalar):
            path = MappingNode(entry.node.mark).has(path=entry.node)
            run = run.put({name: Entry(entry.mark, path)})
    return node.has(run=run)


def _judged(tree: MappingNode) -> tuple[str, ...]:
    """The datasets with a file of judgements."""
    datasets = tree.get("datasets")
    entries = datasets.entries.items() if isinstance(datasets, MappingNode) else ()
    return tuple(
        name
        for name, entry in entries
        if isinstance(entry.node, MappingNode) and "qrels" in entry.node.entries
    )
