"""Folds, rounds, and what cannot be asked where folds are what varies; datasets as a sample."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config.checks.references import entries, text_of
from reportgen.config.faults import Faults, quoted
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import MappingNode, Node, Scalar, find, key_mark

OF_FOLDS = ("auto", "corrected-t")
PLACES = (("comparisons", "test"), ("bootstrap", "interval"))


FEWEST_DATASETS = 3


def check_across(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Datasets are a sample only where there are several to judge on, or a row is one."""
    task = words.tasks.get(text_of(tree, "task") or "")
    if task is not None and task.is_of_values:
        return
    datasets = entries(tree.get("datasets")).values()
    judged = [node for node in datasets if text_of(node, "role") != "fit"]
    across = tree.get("across")
    is_asked = isinstance(across, MappingNode)
    if is_asked and len(judged) < FEWEST_DATASETS:
        faults.add(
            key_mark(tree, ("across",)),
            f"across: compares models over {FEWEST_DATASETS} datasets or more, and there are "
            f"{len(judged)} to judge on; remove it",
        )


def check_folds(tree: MappingNode, faults: Faults) -> None:
    """Folds have a column, rounds have ids, and intervals are those of the question."""
    datasets = entries(tree.get("datasets"))
    folded = [name for name, node in datasets.items() if _has(node, "fold")]
    if "folds" in tree.entries and not folded:
        said = "folds: no dataset says which fit scored its rows; add `fold:` with their column"
        faults.add(key_mark(tree, ("folds",)), said)
    for name, node in datasets.items():
        if _has(node, "repeat"):
            _check_rounds(tree, name, node, faults)
    for name in folded:
        for other, node in datasets.items():
            if text_of(node, "role") == "fit":
                faults.add(
                    key_mark(tree, ("datasets", name, "fold")),
                    f"datasets.{name}: folds are judged on rows that other folds fitted, and "
                    f"{other!r} has role: fit; drop one",
                )
    if folded and (text_of(tree.get("folds"), "question") or "procedure") == "procedure":
        _check_question(tree, faults)


def _check_rounds(tree: MappingNode, name: str, node: Node, faults: Faults) -> None:
    mark = key_mark(tree, ("datasets", name, "repeat"))
    for key, of in (("fold", "the column of folds"), ("id", "the column that names each row")):
        if not _has(node, key):
            faults.add(mark, f"datasets.{name}.repeat needs `{key}:`, {of}, too")
    if text_of(tree, "task") == "ranking":
        faults.add(mark, f"datasets.{name}.repeat is not for task: ranking; remove it")
    for model, below in entries(tree.get("models")).items():
        if name in entries(find(below, ("scores",))):
            faults.add(
                mark,
                f"datasets.{name}.repeat wants all scores in one table, and models.{model}.scores "
                "names a file of its own; join the files",
            )


def _check_question(tree: MappingNode, faults: Faults) -> None:
    """Tests and intervals over rows answer the other question."""
    for at in PLACES:
        for node in _asked(find(tree, at)):
            if node.value in OF_FOLDS:
                continue
            faults.add(
                node.mark,
                f"{'.'.join(at)}: {quoted(node)} takes rows for independent, and folds share the "
                "rows that they learn from; remove it, or ask of the fitted models: "
                "folds: {question: fitted}",
            )


def _asked(node: Node | None) -> Iterator[Scalar]:
    each = entries(node).values() if isinstance(node, MappingNode) else [node]
    yield from (one for one in each if isinstance(one, Scalar) and isinstance(one.value, str))


def _has(node: Node, key: str) -> bool:
    below = find(node, (key,)) if isinstance(node, MappingNode) else None
    return isinstance(below, Scalar) and below.value is not None
