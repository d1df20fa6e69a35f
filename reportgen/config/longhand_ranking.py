"""The short forms of ranking by query, written out.

run: runs/dense.run          run: {DATASET: {path: runs/dense.run}}, for every one with qrels
lines: old.pred              lines: {DATASET: {path: old.pred}}, for every one with letor
ranking: {like: sklearn}     ranking: {like: sklearn, no_relevant: zero}
"""

from __future__ import annotations

from reportgen.config.faults import Faults
from reportgen.config.ranking import PRESETS
from reportgen.config.yaml.tree import Entry, MappingNode, Node, Scalar, find, scalar

PARAMETERS = {"top_grade": "top", "grade_weights": "weights"}  # by what metrics call them
ANSWERS = {"qrels": "run", "letor": "lines"}  # of models, by the file of judgements
KINDS = {
    "run": "a run goes with a file of judgements",
    "lines": "lines go with a file of documents and grades line by line",
}
FILE_KEYS = frozenset(("path", "query", "id", "column"))
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
    if not isinstance(node, MappingNode):
        return node
    for key in ANSWERS:
        file = node.get(key)
        if isinstance(file, Scalar):
            node = node.has(**{key: MappingNode(file.mark).has(path=file)})
        if file is not None and "target" not in node.entries:
            node = node.has(target=scalar(TARGET, file.mark))
    return node


def with_answers(node: Node, tree: MappingNode, faults: Faults) -> Node:
    """A model's `run` or `lines`: one file means that file for every dataset that has such."""
    for judgements, key in ANSWERS.items():
        node = _with_files(node, judgements, key, tree, faults)
    return node


def _with_files(node: Node, judgements: str, key: str, tree: MappingNode, faults: Faults) -> Node:
    files = node.get(key) if isinstance(node, MappingNode) else None
    if files is None or not isinstance(node, MappingNode):
        return node
    mark = node.entries[key].mark
    if isinstance(files, Scalar):
        files = MappingNode(files.mark).has(path=files)
    if not isinstance(files, MappingNode):
        return node
    judged = _judged(tree, judgements)
    if FILE_KEYS & files.entries.keys():
        if not judged:
            kind = KINDS[key]
            faults.add(mark, f"{kind}; write `{judgements}: …` in the dataset")
            return node.without(key).has(column=scalar(key, mark))
        files = MappingNode(mark, {name: Entry(mark, files) for name in judged})
    for name, entry in files.entries.items():
        if isinstance(entry.node, Scalar):
            path = MappingNode(entry.node.mark).has(path=entry.node)
            files = files.put({name: Entry(entry.mark, path)})
    return node.put({key: Entry(mark, files)})


def _judged(tree: MappingNode, judgements: str) -> tuple[str, ...]:
    """The datasets with a file of judgements of some kind."""
    datasets = tree.get("datasets")
    entries = datasets.entries.items() if isinstance(datasets, MappingNode) else ()
    return tuple(
        name
        for name, entry in entries
        if isinstance(entry.node, MappingNode) and judgements in entry.node.entries
    )
