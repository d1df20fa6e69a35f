"""Expand the short forms of the language, give values their new names, and fill in defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from reportgen.config.task_shorthand import (
    expand_class_value,
    expand_classes,
    expand_judgements,
    expand_measure,
    expand_pattern,
    expand_presets,
    expand_runs,
    expand_threshold,
    fill_keys,
    find_use,
    has_labels_of_flagged_only,
    list_ranking_defaults,
    scalar_to_text,
    use_first_point,
)
from reportgen.config.vocabulary import TaskWord, Vocabulary, Word
from reportgen.config.yaml.faults import ProblemList
from reportgen.config.yaml.tree import (
    Entry,
    ListNode,
    MappingNode,
    Mark,
    Node,
    Scalar,
    format_key_path,
    get_child,
    get_entries,
    get_items,
    get_text,
    make_scalar,
    metric_key,
)
from reportgen.errors import ConfigPath
from reportgen.records import record
from reportgen.terms import RENAMED_METRICS as METRICS
from reportgen.terms import RENAMED_SECTIONS as SECTIONS

SCORE_KEYS = frozenset(
    """
    path id column columns header format encoding delimiter decimal thousands skip_rows sheet
    max_unpacked
""".split()
)
TABLES = frozenset(("path", "sql", "sql_file", "labels"))
COMPARING = ("better", "non_inferior", "no_regression", "few_harmed", "gap_no_wider")
DEFAULT_BUCKETS = 10
TreeChange = Callable[[Node], Node]


def expand_shorthand(tree: MappingNode, faults: ProblemList) -> MappingNode:
    """Return the tree with every short form expanded into its long form."""
    tree = _map_items(
        tree, "datasets", lambda node: expand_judgements(_expand_dataset(node, faults))
    )
    tree = expand_classes(expand_threshold(expand_presets(tree), faults), faults)
    tree = _map_items(
        tree, "metrics", lambda node: _expand_use(node, "name", "as", "phrase", "verb")
    )
    tree = _map_items(
        tree, "metrics", lambda node: expand_class_value(expand_measure(node, tree, faults))
    )
    tree = _map_items(tree, "curves", lambda node: _expand_use(node, "name", "as"))
    tree = _map_items(
        tree, "models", lambda node: expand_runs(_expand_model(node, tree, faults), tree, faults)
    )
    tree = _fill_long_columns(tree)
    for key, inner in (("sensitivity", "variants"), ("privacy", "level")):
        asked = tree.get(key)
        if isinstance(asked, Scalar) and asked.value is not None:
            tree = tree.set_nodes(**{key: MappingNode(asked.mark).set_nodes(**{inner: asked})})
    return _map_items(_expand_references(tree), "gates", _expand_gate)


def _expand_references(tree: MappingNode) -> MappingNode:
    """Return the tree with `references` as a list of maps: `none` is an empty one."""
    asked = tree.get("references")
    if isinstance(asked, Scalar) and asked.value is not None:
        items = () if asked.value == "none" else (asked,)
        tree = tree.set_nodes(references=ListNode(asked.mark, items))
    return _map_items(tree, "references", _expand_reference)


def _expand_reference(node: Node) -> Node:
    return MappingNode(node.mark).set_nodes(name=node) if isinstance(node, Scalar) else node


def fill_defaults(tree: MappingNode, words: Vocabulary) -> MappingNode:
    """Return the tree with the defaults that depend on the task, datasets or catalogue."""
    mark = tree.mark
    name = get_text(tree, "task")
    curves = [
        n for n, word in words.curves.items() if word.task == name and _is_drawn_byfill_keys(word)
    ]
    is_of_flagged = has_labels_of_flagged_only(tree)
    if is_of_flagged:
        curves = []
    uses = tuple(
        MappingNode(mark).set_nodes(name=make_scalar(n, mark), params=MappingNode(mark))
        for n in curves
    )
    tree = fill_keys(tree, curves=ListNode(mark, uses))
    metrics = words.tasks[str(name)].per_class if name in words.tasks else ()
    metrics = tuple(each for each in metrics if each == "precision" or not is_of_flagged)
    tree = fill_keys(tree, per_class=_expand_texts(metrics, mark)) if metrics else tree
    tree = fill_keys(
        tree,
        outputs=_expand_texts(words.usual_outputs, mark),
        sections=_expand_texts(words.sections, mark),
    )
    buckets = _list_buckets(tree)
    tree = _repeat_bucket_curves(tree, words.curves, buckets)
    shared = {"buckets": buckets[0], **list_ranking_defaults(tree)}
    for kind, known in (("metrics", words.metrics), ("curves", words.curves)):
        tree = _map_items(tree, kind, partial(use_first_point, tree=tree, known=known))
        tree = _map_items(tree, kind, partial(_fill_parameters, known=known, shared=shared))
    tree = _map_items(tree, "models", lambda node: _fill_scale(node, words.tasks.get(str(name))))
    return _complete_gates(_fill_primary(tree))


def _list_buckets(tree: MappingNode) -> list[Scalar]:
    """List the numbers of buckets, the one for metrics first."""
    given = get_items(tree, "buckets") or (tree.get("buckets"),)
    known = [each for each in given if isinstance(each, Scalar) and type(each.value) is int]
    return known or [make_scalar(DEFAULT_BUCKETS, tree.mark)]


def _repeat_bucket_curves(
    tree: MappingNode, known: Mapping[str, Word], buckets: Sequence[Scalar]
) -> MappingNode:
    """Return the tree with bucket curves repeated for every number of buckets they do not set."""
    curves = tree.get("curves")
    if not isinstance(curves, ListNode):
        return tree
    items = tuple(each for use in curves.items for each in _iter_bucket_curves(use, known, buckets))
    return tree.set_nodes(curves=replace(curves, items=items))


def _iter_bucket_curves(
    node: Node, known: Mapping[str, Word], buckets: Sequence[Scalar]
) -> Iterator[Node]:
    """Yield a curve as it is, then a copy for each further number of buckets."""
    yield node
    key = metric_key(node)
    for use, params, word in find_use(node, known):
        if key is not None and "buckets" in word.parameters and "buckets" not in params.entries:
            for count in buckets[1:]:
                label = make_scalar(f"{key.value} of {count.value}", use.mark)
                yield use.set_nodes(params=params.set_nodes(buckets=count), **{"as": label})


def _fill_primary(tree: MappingNode) -> MappingNode:
    """One metric and no primary: it is the primary one."""
    uses = get_items(tree, "metrics")
    key = metric_key(uses[0]) if len(uses) == 1 else None
    if key is None or "primary" in tree.entries:
        return tree
    return tree.set_nodes(primary=MappingNode(uses[0].mark).set_nodes(metric=key))


def find_default_dataset(tree: MappingNode) -> str | None:
    """Return the dataset meant where none is named: the first that is not for fitting."""
    datasets = get_entries(tree, "datasets")
    judged = [name for name, each in datasets.items() if get_text(each.node, "role") != "fit"]
    return next(iter([*judged, *datasets]), None)


def find_baseline(tree: MappingNode) -> str | None:
    """Find the first model that is declared the baseline; None if there is none."""
    models = get_entries(tree, "models").items()
    return next((n for n, each in models if get_text(each.node, "role") == "baseline"), None)


def _map_items(tree: MappingNode, key: str, change: TreeChange) -> MappingNode:
    node = tree.get(key)
    if isinstance(node, ListNode):
        return tree.set_nodes(**{key: replace(node, items=tuple(map(change, node.items)))})
    if isinstance(node, MappingNode):
        return tree.set_nodes(**{key: _map_entries(node, change)})
    return tree


def _map_entries(node: MappingNode, change: TreeChange) -> MappingNode:
    entries = {key: Entry(entry.mark, change(entry.node)) for key, entry in node.entries.items()}
    return replace(node, entries=entries)


def _expand_use(node: Node, *own: str) -> Node:
    """Return a metric or curve with its parameters in a map of their own, next to `own` keys."""
    if isinstance(node, Scalar):
        return MappingNode(node.mark).set_nodes(name=node, params=MappingNode(node.mark))
    if not isinstance(node, MappingNode):
        return node
    params = node.remove_keys(*own)
    kept = {key: entry for key, entry in node.entries.items() if key in own}
    return replace(node, entries=kept).set_nodes(params=params)


def _expand_dataset(node: Node, faults: ProblemList) -> Node:
    if not isinstance(node, MappingNode):
        return node
    labels = node.get("labels")
    if isinstance(labels, MappingNode):
        for key in labels.entries.keys() & node.entries.keys():
            if key != "path":
                faults.add(
                    labels.entries[key].mark,
                    f"{key!r} is set under labels and beside it; keep one of the two",
                )
        lifted = labels.remove_keys("path").entries
        path = replace(labels, entries={k: e for k, e in labels.entries.items() if k == "path"})
        node = node.put(lifted).set_nodes(labels=path)
    segments = node.get("segments")
    if segments is not None:
        node = node.set_nodes(segments=_expand_segments(segments))
    for key in ("case", "positive_case"):
        noun = node.get(key)
        if isinstance(noun, Scalar) and noun.value is not None:
            node = node.set_nodes(**{key: MappingNode(noun.mark).set_nodes(one=noun)})
    positive = node.get("positive")
    return node if positive is None else node.set_nodes(positive=scalar_to_text(positive))


def _expand_segments(node: Node) -> Node:
    if isinstance(node, ListNode):
        return replace(node, items=tuple(map(_expand_segment, node.items)))
    if not isinstance(node, MappingNode):
        return node
    items = []
    for column, entry in node.entries.items():
        below = entry.node
        table = below if isinstance(below, MappingNode) else MappingNode(entry.mark)
        if isinstance(below, ListNode):
            table = table.set_nodes(bins=below)
        items.append(table.set_nodes(column=Scalar(entry.mark, column, column)))
    return ListNode(node.mark, tuple(items))


def _expand_segment(node: Node) -> Node:
    return MappingNode(node.mark).set_nodes(column=node) if isinstance(node, Scalar) else node


def _expand_model(node: Node, tree: MappingNode, faults: ProblemList) -> Node:
    """Expand a model's `scores`: one file serves every dataset that has a table or labels."""
    node = _lift_model_file(_rename_long_value(expand_pattern(node)), faults)
    scores = node.get("scores") if isinstance(node, MappingNode) else None
    if not isinstance(scores, MappingNode) or not isinstance(node, MappingNode):
        return node
    split = {
        name: entry.node
        for name, entry in get_entries(tree, "datasets").items()
        if isinstance(entry.node, MappingNode) and TABLES & entry.node.entries.keys()
    }
    if SCORE_KEYS & scores.entries.keys():
        mark = node.entries["scores"].mark
        if not split:
            faults.add(
                mark,
                "scores in a file of their own go with a file of targets: write `path: …` in the "
                "dataset",
            )
            return node.remove_keys("scores").set_nodes(column=Scalar(mark, "scores", "scores"))
        scores = MappingNode(mark, {name: Entry(mark, scores) for name in split})
    return node.set_nodes(scores=_fill_id_columns(scores, split))


def _rename_long_value(node: Node) -> Node:
    """Return a model with its value in a long table, `is`, as its column."""
    entry = node.entries.get("is") if isinstance(node, MappingNode) else None
    if entry is None or not isinstance(node, MappingNode):
        return node
    return fill_keys(node.remove_keys("is"), column=scalar_to_text(entry.node))


def _fill_long_columns(tree: MappingNode) -> MappingNode:
    """Return the tree with the key of each model that names no column as its column.

    It is then the model's value in the column `model` of a long table.
    """
    datasets = get_entries(tree, "datasets").values()
    models = tree.get("models")
    if not isinstance(models, MappingNode) or not any(get_text(d.node, "model") for d in datasets):
        return tree
    for name, entry in models.entries.items():
        if isinstance(entry.node, MappingNode) and "columns" not in entry.node.entries:
            node = fill_keys(entry.node, column=Scalar(entry.mark, name, name))
            models = models.put({name: Entry(entry.mark, node)})
    return tree.set_nodes(models=models)


def _lift_model_file(node: Node, faults: ProblemList) -> Node:
    """Return a model with a `path` of its own, and what describes that file, under `scores`."""
    if not isinstance(node, MappingNode) or "path" not in node.entries:
        return node
    if "scores" in node.entries:
        text = "the model has both path and scores; keep one of the two"
        faults.add(node.entries["path"].mark, text)
    own = {key: entry for key, entry in node.entries.items() if key in SCORE_KEYS}
    file = MappingNode(node.entries["path"].mark, own)
    return fill_keys(node.remove_keys(*own), scores=file)


def _fill_id_columns(scores: MappingNode, split: Mapping[str, MappingNode]) -> MappingNode:
    """Scores name their rows by the same column as the labels, unless they say otherwise."""
    first = next(iter(split.values()), None)
    for name, entry in scores.entries.items():
        dataset = split.get(name, first)
        below, id_ = entry.node, dataset.get("id") if dataset else None
        if isinstance(below, MappingNode):
            below = below if id_ is None else fill_keys(below, id=id_)
            scores = scores.put({name: Entry(entry.mark, expand_pattern(below))})
    return scores


def _expand_gate(node: Node) -> Node:
    """Return a gate with its segment as the text column=value, and names of segments as texts."""
    between = node.get("between") if isinstance(node, MappingNode) else None
    if isinstance(node, MappingNode) and isinstance(between, ListNode):
        items = tuple(map(scalar_to_text, between.items))
        node = node.set_nodes(between=replace(between, items=items))
    segment = get_entries(node, "segment")
    if isinstance(node, MappingNode) and len(segment) == 1:
        [(column, entry)] = segment.items()
        if isinstance(entry.node, Scalar):
            text = f"{column}={entry.node.written}"
            secret = None if entry.node.secret is None else f"{column}={entry.node.secret}"
            name = Scalar(entry.node.mark, text, text, secret=secret)
            return node.put({"segment": Entry(node.entries["segment"].mark, name)})
    return node


def _complete_gates(tree: MappingNode) -> MappingNode:
    """Return the tree with the dataset and opponent of `primary` and gates named."""
    dataset, baseline = find_default_dataset(tree), find_baseline(tree)

    def complete(node: Node) -> Node:
        if not isinstance(node, MappingNode):
            return node
        if dataset is not None:
            node = fill_keys(node, dataset=make_scalar(dataset, node.mark))
        if baseline is not None and get_text(node, "rule") in COMPARING:
            node = fill_keys(node, against=make_scalar(baseline, node.mark))
        return node

    primary = tree.get("primary")
    if primary is not None:
        tree = tree.set_nodes(primary=complete(primary))
    return _map_items(tree, "gates", complete)


def _fill_parameters(node: Node, known: Mapping[str, Word], shared: Mapping[str, Scalar]) -> Node:
    """Fill in the parameters of a metric or curve from the shared values and its defaults."""
    for use, params, word in find_use(node, known):
        for key, parameter in word.parameters.items():
            if key in shared:
                params = fill_keys(params, **{key: shared[key]})
            elif not parameter.is_required:
                params = fill_keys(params, **{key: make_scalar(parameter.default, node.mark)})
        ordered = {key: params.entries[key] for key in word.parameters if key in params.entries}
        return use.set_nodes(params=replace(params, entries={**ordered, **params.entries}))
    return node


def _fill_scale(node: Node, task: TaskWord | None) -> Node:
    """Fill in the scale of a model that declares none: the first one of the task."""
    if not isinstance(node, MappingNode):
        return node
    scale = "amount" if task is None else next(iter(task.scales))
    if task is not None and task.has_several_classes and _has_column(node):
        scale = "label"  # a single column cannot hold a score for each class
    return fill_keys(node, scale=make_scalar(scale, node.mark))


def _has_column(node: MappingNode) -> bool:
    """Return whether a model has one column, in the dataset's table or in one of its own."""
    sources = [node, *(each.node for each in get_entries(node, "scores").values())]
    return any(get_child(source, "column") is not None for source in sources)


def _expand_texts(values: Iterable[str], mark: Mark) -> ListNode:
    return ListNode(mark, tuple(make_scalar(value, mark) for value in values))


def _is_drawn_byfill_keys(word: Word) -> bool:
    """Tell whether a curve is drawn by itself: not on request, and its name says all of it."""
    has_holes = any(parameter.is_required for parameter in word.parameters.values())
    return not has_holes and not word.is_on_request


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


@record
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
