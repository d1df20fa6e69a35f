"""Values that have a new name: the old one stays valid for two minor versions, with a warning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from reportgen.config.yaml.tree import (
    ListNode,
    MappingNode,
    Node,
    Scalar,
    format_key_path,
    get_items,
    get_text,
)
from reportgen.errors import ConfigPath
from reportgen.terms import RENAMED_METRICS as METRICS
from reportgen.terms import RENAMED_SECTIONS as SECTIONS

CURVES: Mapping[str, str] = {"called_by_threshold": "flagged_by_threshold"}
ANY = None
PLACES: Mapping[tuple[str | None, ...], Mapping[str, str]] = {
    ("datasets", ANY, "labelled"): {"called": "flagged"},
    ("metrics", ANY, "name"): METRICS,
    ("curves", ANY, "name"): CURVES,
    ("sections", ANY): SECTIONS,
    ("primary", "metric"): METRICS,
    ("gates", ANY, "metric"): METRICS,
    ("report", "headline", ANY): METRICS,
    ("thresholds", ANY, "maximize"): METRICS,
    ("thresholds", ANY, "minimize"): METRICS,
}
"""Where a value may have an old name; `ANY` is each key or item."""


@dataclass(frozen=True)
class RenamedValue:
    """A value by its old name, as the config has it, and the new name."""

    place: str
    old: str
    new: str


def rename_values(
    tree: MappingNode, *, is_of_flags: bool
) -> tuple[MappingNode, tuple[RenamedValue, ...]]:
    """Return a config's tree with new names for old ones, and what was renamed.

    Metrics are renamed where the task flags rows.
    """
    labels = {get_text(use, "as") for use in get_items(tree, "metrics")}
    renamed: list[RenamedValue] = []
    for place, names in PLACES.items():
        is_of_metrics = names is METRICS
        if is_of_metrics and not is_of_flags:
            continue
        taken = labels if is_of_metrics and place[0] != "metrics" else set()
        left = {old: new for old, new in names.items() if old not in taken}
        new = _rename_at(tree, place, (), left, renamed)
        assert isinstance(new, MappingNode)
        tree = new
    return tree, tuple(renamed)


def _rename_at(
    node: Node,
    place: tuple[str | None, ...],
    at: ConfigPath,
    names: Mapping[str, str],
    renamed: list[RenamedValue],
) -> Node:
    """Return a node with the values at a place below it renamed; add them to `renamed`.

    An item of a list whose new name the list has already is dropped.
    """
    if not place:
        new = names.get(str(node.value)) if isinstance(node, Scalar) else None
        if new is None or not isinstance(node, Scalar):
            return node
        renamed.append(RenamedValue(format_key_path(at), node.written, new))
        return replace(node, value=new, written=new)
    first, rest = place[0], place[1:]
    if isinstance(node, ListNode) and first is ANY:
        items = [
            _rename_at(item, rest, (*at, index), names, renamed)
            for index, item in enumerate(node.items)
        ]
        kept = {item.value for item in node.items if isinstance(item, Scalar) and not rest}
        return replace(
            node,
            items=tuple(
                item
                for item, old in zip(items, node.items, strict=True)
                if item is old or not (isinstance(item, Scalar) and item.value in kept)
            ),
        )
    if not isinstance(node, MappingNode):
        return node
    keys = [key for key in node.entries if first is ANY or key == first]
    entries = {
        key: replace(entry, node=_rename_at(entry.node, rest, (*at, key), names, renamed))
        for key in keys
        for entry in [node.entries[key]]
    }
    return node.put(entries)
