"""Shifts in a config: the dataset they are fitted on, and the columns of a predictive density."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from reportgen.config.faults import Faults, meant, quoted
from reportgen.config.vocabulary import Vocabulary
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

_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


def check_shifts(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Every dataset that is judged knows where its shifts are fitted, if any are."""
    datasets = _entries(tree.get("datasets"))
    fits = [name for name, node in datasets.items() if _text(node, "role") == "fit"]
    wanted = list(_fitted(tree))
    task = words.tasks.get(_text(tree, "task") or "")
    is_wanted = bool(wanted) or (task is not None and task.is_of_lists)
    for name, node in datasets.items():
        if _text(node, "role") != "fit":
            _check_fit(tree, name, node, fits, is_wanted=is_wanted, faults=faults)
    if not fits and datasets:
        for node in wanted:
            faults.add(
                node.mark,
                f"shift: {quoted(node)} needs rows to fit on; add a dataset with role: fit",
            )
    if task is not None and task.has_densities:
        for at, columns in _columns(tree):
            _check_density(tree, at, columns, faults)


def _check_fit(
    tree: MappingNode, name: str, node: Node, fits: list[str], *, is_wanted: bool, faults: Faults
) -> None:
    """The dataset to fit on that is named does exist; with several, one is named."""
    named = child(node, "fit")
    if isinstance(named, Scalar) and isinstance(named.value, str):
        if named.value not in fits:
            hint = meant(named, fits) if fits else "add one"
            said = f"there is no dataset {quoted(named)} with role: fit in this config; {hint}"
            faults.add(named.mark, f"datasets.{name}.fit: {said}")
    elif len(fits) > 1 and (is_wanted or isinstance(tree.get("costs"), MappingNode)):
        faults.add(
            key_mark(tree, ("datasets", name)),
            f"datasets.{name}: {len(fits)} datasets have role: fit; say which one its shifts "
            f"or cut-offs are fitted on: fit: {fits[0]}",
        )


def _check_density(tree: MappingNode, at: At, columns: MappingNode, faults: Faults) -> None:
    """Named columns of a score in the unit of y: mean and sd, or quantiles."""
    names = list(columns.entries)
    levels = {name: float(m[1]) for name in names if (m := _QUANTILE.fullmatch(name))}
    for name, level in levels.items():
        if not 0 < level < 100:
            faults.add(
                columns.entries[name].mark,
                f"{dotted((*at, name))}: a quantile lies above 0% and below 100%, as q10 does",
            )
    said = ""
    if "sd" in names and "mean" not in names:
        said = "has sd without mean; a Normal density needs both"
    elif "sd" in names and levels:
        said = "has both sd and quantiles; keep one of the two"
    elif len(levels) == 1:
        said = f"has one quantile, {next(iter(levels))}; a density needs two or more"
    if said:
        faults.add(key_mark(tree, at), f"{dotted(at)} {said}")


def _columns(tree: MappingNode) -> Iterator[tuple[At, MappingNode]]:
    """Every `columns` of a model and of its files, with its path."""
    for model, node in _entries(tree.get("models")).items():
        own = [("models", model)]
        own += [("models", model, "scores", each) for each in _entries(child(node, "scores"))]  # type: ignore[misc]
        for at in own:
            columns = find(tree, (*at, "columns"))
            if isinstance(columns, MappingNode):
                yield (*at, "columns"), columns


def _fitted(tree: MappingNode) -> Iterator[Scalar]:
    """Every `shift: fitted` of a metric or a curve."""
    for key in ("metrics", "curves"):
        uses = tree.get(key)
        for use in uses.items if isinstance(uses, Items) else ():
            shift = find(use, ("params", "shift"))
            if isinstance(shift, Scalar) and shift.value == "fitted":
                yield shift


def _entries(node: Node | None) -> Mapping[str, Node]:
    if not isinstance(node, MappingNode):
        return {}
    return {key: entry.node for key, entry in node.entries.items()}


def _text(node: Node | None, key: str) -> str | None:
    below = child(node, key)
    return below.value if isinstance(below, Scalar) and isinstance(below.value, str) else None
