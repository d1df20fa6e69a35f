"""Ways of resampling that do not go together."""

from __future__ import annotations

from reportgen.config.faults import Faults, quoted
from reportgen.config.yaml.tree import MappingNode, Scalar, child, find, key_mark

UNITS = ("cluster", "query")


def check_resampling(tree: MappingNode, faults: Faults) -> None:
    """Blocks of time are drawn whole, from all rows, and only where there is time."""
    timed = _timed(tree)
    for name in timed:
        if _names(find(tree, ("datasets", name)), "strata"):
            faults.add(
                key_mark(tree, ("datasets", name, "strata")),
                f"datasets.{name} has both time and strata, and blocks of time go across strata; "
                "remove one of the two",
            )
    weights, block = find(tree, ("bootstrap", "weights")), find(tree, ("bootstrap", "block"))
    if timed and isinstance(weights, Scalar) and weights.value in ("poisson", "bayesian"):
        faults.add(
            weights.mark,
            f"bootstrap.weights cannot be {quoted(weights)} with blocks of time, which "
            f"datasets.{timed[0]} has by its `time:`; use multinomial, or declare a cluster",
        )
    if not timed and isinstance(block, Scalar) and block.value is not None:
        faults.add(
            key_mark(tree, ("bootstrap", "block")),
            "bootstrap.block is the length of blocks of time, and no dataset is resampled in "
            "time; add `time:` to a dataset without cluster or query, or remove the block",
        )


def _timed(tree: MappingNode) -> list[str]:
    """The datasets that are resampled in blocks of time."""
    datasets = tree.get("datasets")
    if not isinstance(datasets, MappingNode):
        return []
    return [
        name
        for name, entry in datasets.entries.items()
        if _names(entry.node, "time")
        and not any(_names(entry.node, key) for key in UNITS)
        and not _is_to_fit(entry.node)
    ]


def _names(node: object, key: str) -> bool:
    below = child(node, key) if isinstance(node, MappingNode) else None
    return isinstance(below, Scalar) and below.value is not None


def _is_to_fit(node: object) -> bool:
    role = child(node, "role") if isinstance(node, MappingNode) else None
    return isinstance(role, Scalar) and role.value == "fit"
