"""Expand the short forms of classification, ranking and external scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from reportgen.config.schema.datasets import PRESETS
from reportgen.config.vocabulary import Vocabulary, Word
from reportgen.config.yaml.faults import ProblemList, quote_node
from reportgen.config.yaml.tree import (
    Entry,
    ListNode,
    MappingNode,
    Node,
    Scalar,
    find_key_mark,
    find_node,
    get_child,
    get_entries,
    get_items,
    get_text,
    make_scalar,
)
from reportgen.errors import normalize_spelling
from reportgen.text import format_yaml_value

AT, OF = "at", "of"
EACH = "{class}"


def expand_threshold(tree: MappingNode, faults: ProblemList) -> MappingNode:
    """Return the tree with a single threshold as an operating point."""
    single = tree.get("threshold")
    if single is None:
        return tree
    mark = find_key_mark(tree, ("threshold",))
    if tree.get("thresholds") is not None:
        faults.add(mark, "threshold stands beside thresholds; name it there: {fixed: …}")
        return tree.remove_keys("threshold")
    point = MappingNode(mark).set_nodes(fixed=single)
    return tree.remove_keys("threshold").set_nodes(
        thresholds=MappingNode(mark).set_nodes(threshold=point)
    )


def expand_classes(tree: MappingNode, faults: ProblemList) -> MappingNode:
    """Return the tree with `classes` as a map from values, as text, to names."""
    given, entries = tree.get("classes"), {}
    if isinstance(given, MappingNode):
        for value, each in given.entries.items():
            way = (
                f"there is no name for the class; write one, or {format_yaml_value(value)} once "
                "more"
            )
            _refuse_null(f"classes.{value}", each.node, way, faults)
        entries = {
            k: Entry(each.mark, scalar_to_text(each.node)) for k, each in given.entries.items()
        }
        return tree.set_nodes(classes=MappingNode(given.mark, entries))
    if not isinstance(given, ListNode):
        return tree
    for index, item in enumerate(given.items):
        if not isinstance(item, Scalar):
            said = f"classes[{index}] needs the value of a class, not {quote_node(item)}"
            faults.add(item.mark, f"{said}; names stand in a map, as in classes: {{no: stayed}}")
            return tree.remove_keys("classes")
        way = "there is nothing here; write the value of a class, or remove the item"
        _refuse_null(f"classes[{index}]", item, way, faults)
        if item.secret is not None:
            faults.add(item.mark, "a class cannot come from the environment; write it out")
            return tree.remove_keys("classes")
        if item.written in entries:
            faults.add(item.mark, f"classes lists {item.written!r} twice; remove one")
        text = item if isinstance(item.value, str) else replace(item, value=item.written)
        entries[item.written] = Entry(item.mark, text)
    return tree.set_nodes(classes=MappingNode(given.mark, entries))


def _refuse_null(place: str, node: Node, way: str, faults: ProblemList) -> None:
    """Refuse a class, or its name, that YAML reads as no value, as the only problem there."""
    if not isinstance(node, Scalar) or node.value is not None or node.secret is not None:
        return
    if node.written:
        way = f"YAML reads {node.written} as no value; if a class is called so, put it in quotes"
        way += f': "{node.written}"'
    faults.settle(node.mark, f"{place}: {way}")


def expand_pattern(node: Node) -> Node:
    """Expand a column pattern of a model, or of its scores, into a map of one entry."""
    columns = get_child(node, "columns")
    if not isinstance(node, MappingNode) or columns is None or not get_text(node, "columns"):
        return node
    entries = {EACH: Entry(columns.mark, columns)}
    return node.set_nodes(columns=MappingNode(columns.mark, entries))


def expand_class_value(node: Node) -> Node:
    """Return a metric of one class with the class value, which may be a number, as text."""
    params = get_child(node, "params")
    value = get_child(params, OF)
    if value is None or not isinstance(node, MappingNode) or not isinstance(params, MappingNode):
        return node
    return node.set_nodes(params=params.set_nodes(of=scalar_to_text(value)))


def has_labels_of_flagged_only(tree: MappingNode) -> bool:
    """Tell whether some dataset has the class of called rows alone, which allows no curve."""
    datasets = get_entries(tree, "datasets").values()
    return any(get_text(each.node, "labelled") == "flagged" for each in datasets)


def scalar_to_text(node: Node) -> Node:
    """Return a number, or true or false, as the text that it was written as."""
    if not isinstance(node, Scalar) or isinstance(node.value, str) or node.value is None:
        return node
    return replace(node, value=node.written)


def use_first_point(node: Node, tree: MappingNode, known: Mapping[str, Word]) -> Node:
    """Fill in the first operating point where a metric or curve names no point or threshold."""
    first = next(iter(get_entries(tree, "thresholds")), None)
    for use, params, word in find_use(node, known):
        has_point = bool({AT, "threshold"} & params.entries.keys())
        if AT in word.parameters and first is not None and not has_point:
            return use.set_nodes(params=params.set_nodes(at=make_scalar(first, node.mark)))
    return node


NO_TARGET = "(none)"
SCORE_TITLE = "score"


def expand_external_scores(tree: MappingNode, words: Vocabulary) -> MappingNode:
    """Fill in the metric, `across` and the noun for rows in a config of external scores."""
    task = words.tasks.get(get_text(tree, "task") or "")
    if task is None or not task.is_of_values or task.first is None:
        return tree
    mark, asked = tree.mark, tree.get("score")
    described = asked if isinstance(asked, MappingNode) else None
    metric = _build_score_metric(tree, described, next(iter(task.first.metrics)))
    tree = fill_keys(tree, metrics=ListNode(mark, (metric,)))
    tree = fill_keys(tree, across=MappingNode(mark))
    datasets = tree.get("datasets")
    if not isinstance(datasets, MappingNode):
        return tree
    expanded = {
        k: Entry(each.mark, _expand_dataset(each.node)) for k, each in datasets.entries.items()
    }
    return tree.set_nodes(datasets=MappingNode(datasets.mark, expanded))


def _build_score_metric(tree: MappingNode, asked: MappingNode | None, name: str) -> MappingNode:
    """Build the metric that `score:` describes."""
    mark = tree.mark if asked is None else asked.mark
    node = MappingNode(mark).set_nodes(name=make_scalar(name, mark))
    parts = {key: get_child(asked, key) for key in ("better", "unit")}
    ends = get_items(asked, "bounds")
    if len(ends) == 2:
        parts |= dict(zip(("low", "high"), ends, strict=True))
    node = node.set_nodes(**{k: each for k, each in parts.items() if isinstance(each, Scalar)})
    title = get_child(asked, "title")
    named_so = title if isinstance(title, Scalar) else make_scalar(SCORE_TITLE, mark)
    return node.set_nodes(**{"as": named_so})


def _expand_dataset(node: Node) -> Node:
    """Fill in the defaults of a table whose rows are datasets and that has no target."""
    if not isinstance(node, MappingNode):
        return node
    node = fill_keys(node, target=make_scalar(NO_TARGET, node.mark))
    noun = {"one": make_scalar("dataset", node.mark), "many": make_scalar("datasets", node.mark)}
    return fill_keys(node, case=MappingNode(node.mark).set_nodes(**noun))


def fill_keys(table: MappingNode, **nodes: Node) -> MappingNode:
    """Return the table with those of some keys set that it has not."""
    return table.set_nodes(**{k: node for k, node in nodes.items() if k not in table.entries})


def map_metric_pointers(
    tree: MappingNode, change_name: Callable[[Node], Node], change_pointer: Callable[[Node], Node]
) -> MappingNode:
    """Return the tree with changed names in `report.headline`, and changed `primary` and gates."""
    primary, gates, report = (tree.get(key) for key in ("primary", "gates", "report"))
    headline = get_child(report, "headline")
    if isinstance(report, MappingNode) and isinstance(headline, ListNode):
        names = replace(headline, items=tuple(map(change_name, headline.items)))
        tree = tree.set_nodes(report=report.set_nodes(headline=names))
    if primary is not None:
        tree = tree.set_nodes(primary=change_pointer(primary))
    if isinstance(gates, ListNode):
        items = tuple(map(change_pointer, gates.items))
        tree = tree.set_nodes(gates=replace(gates, items=items))
    return tree


def find_use(
    node: Node, known: Mapping[str, Word]
) -> Iterator[tuple[MappingNode, MappingNode, Word]]:
    """Yield a metric or curve with its parameters and its word, if it is one that is known."""
    params, name = get_child(node, "params"), get_child(node, "name")
    word = known.get(str(name.value)) if isinstance(name, Scalar) else None
    if isinstance(node, MappingNode) and isinstance(params, MappingNode) and word is not None:
        yield node, params, word


PARAMETERS = {"top_grade": "top", "grade_weights": "weights"}  # by what metrics call them
RUN_KEYS = {"qrels": "run", "letor": "lines"}  # of models, by the file of judgements
JUDGEMENT_KINDS = {
    "run": "a run goes with a file of judgements",
    "lines": "lines go with a file of documents and grades line by line",
}
FILE_KEYS = frozenset(("path", "query", "id", "column"))
TARGET = "grade"


def expand_presets(tree: MappingNode) -> MappingNode:
    """Return the tree with the keys that `like` stands for spelled out next to it."""
    ranking, like = tree.get("ranking"), find_node(tree, ("ranking", "like"))
    preset = PRESETS.get(str(like.value), {}) if isinstance(like, Scalar) else {}
    if not isinstance(ranking, MappingNode) or not isinstance(like, Scalar):
        return tree
    missing = {
        key: make_scalar(value, like.mark)
        for key, value in preset.items()
        if key not in ranking.entries
    }
    return tree.set_nodes(ranking=ranking.set_nodes(**missing))


def list_ranking_defaults(tree: MappingNode) -> dict[str, Scalar]:
    """Return the parameters that `ranking:` sets for metrics that have them and set no value."""
    found: dict[str, Scalar] = {}
    for key, entry in get_entries(tree, "ranking").items():
        node = entry.node
        if key == "grade_weights" and isinstance(node, MappingNode):
            node = make_scalar(_format_weights(node), entry.mark)
        if key == "grades" and isinstance(node, MappingNode):
            weights = _weight_scale(node)
            if weights:
                found.setdefault("weights", make_scalar(weights, entry.mark))
        elif isinstance(node, Scalar):
            found[PARAMETERS.get(key, key)] = node
    return found


def _weight_scale(grades: MappingNode) -> str:
    """Weigh every grade above 0 of a declared scale alike, whether it occurs or not."""
    values = [each.node.value for each in grades.entries.values() if isinstance(each.node, Scalar)]
    scale = {float(each) for each in values if isinstance(each, int | float) and each > 0}
    return ", ".join(f"{grade:g}: 1" for grade in sorted(scale))


def _format_weights(weights: MappingNode) -> str:
    """Grades and their weights as one text, which a parameter can be."""
    pairs = ((grade, each.node) for grade, each in weights.entries.items())
    return ", ".join(f"{g}: {n.value}" for g, n in pairs if isinstance(n, Scalar))


def expand_judgements(node: Node) -> Node:
    """Expand a dataset of judgements: its file as a map, and the grade as its target."""
    if not isinstance(node, MappingNode):
        return node
    for key in RUN_KEYS:
        file = node.get(key)
        if isinstance(file, Scalar):
            node = node.set_nodes(**{key: MappingNode(file.mark).set_nodes(path=file)})
        if file is not None and "target" not in node.entries:
            node = node.set_nodes(target=make_scalar(TARGET, file.mark))
    return node


def expand_runs(node: Node, tree: MappingNode, faults: ProblemList) -> Node:
    """Expand a model's `run` or `lines`: one file serves every dataset with such judgements."""
    for judgements, key in RUN_KEYS.items():
        node = _fill_judgement_files(node, judgements, key, tree, faults)
    return node


def _fill_judgement_files(
    node: Node, judgements: str, key: str, tree: MappingNode, faults: ProblemList
) -> Node:
    files = node.get(key) if isinstance(node, MappingNode) else None
    if files is None or not isinstance(node, MappingNode):
        return node
    mark = node.entries[key].mark
    if isinstance(files, Scalar):
        files = MappingNode(files.mark).set_nodes(path=files)
    if not isinstance(files, MappingNode):
        return node
    judged = _list_judged_datasets(tree, judgements)
    if FILE_KEYS & files.entries.keys():
        if not judged:
            kind = JUDGEMENT_KINDS[key]
            faults.add(mark, f"{kind}; write `{judgements}: …` in the dataset")
            return node.remove_keys(key).set_nodes(column=make_scalar(key, mark))
        files = MappingNode(mark, {name: Entry(mark, files) for name in judged})
    for name, entry in files.entries.items():
        if isinstance(entry.node, Scalar):
            path = MappingNode(entry.node.mark).set_nodes(path=entry.node)
            files = files.put({name: Entry(entry.mark, path)})
    return node.put({key: Entry(mark, files)})


def _list_judged_datasets(tree: MappingNode, judgements: str) -> tuple[str, ...]:
    """List the datasets that have a file of judgements of the given kind."""
    datasets = get_entries(tree, "datasets").items()
    return tuple(n for n, each in datasets if get_child(each.node, judgements) is not None)


Value = float | int | str
ParsedMeasure = tuple[str, Mapping[str, Value]]
# By the name of another program: ours, and what that program fixes.
IR_MEASURES: Mapping[str, ParsedMeasure] = {
    "nDCG": ("ndcg", {}),
    "NDCG": ("ndcg", {}),
    "DCG": ("dcg", {}),
    "F": ("f_at", {}),
    "P": ("precision_at", {}),
    "Precision": ("precision_at", {}),
    "R": ("recall_at", {}),
    "Recall": ("recall_at", {}),
    "AP": ("ap", {}),
    "MAP": ("ap", {}),
    "RR": ("rr", {}),
    "MRR": ("rr", {}),
    "Rprec": ("r_precision", {}),
    "RPrec": ("r_precision", {}),
    "Success": ("success_at", {}),
    "Judged": ("judged_at", {}),
    "ERR": ("err", {"top": 4.0}),
    "RBP": ("rbp", {}),
    "Bpref": ("bpref", {}),
    "BPref": ("bpref", {}),
    "SetP": ("precision_at", {}),
    "SetR": ("recall_at", {}),
    "SetF": ("f_at", {}),
    "IPrec": ("iprec", {}),
}
TREC_EVAL: Mapping[str, ParsedMeasure] = {
    "map": ("ap", {}),
    "gm_map": ("gmap", {}),
    "recip_rank": ("rr", {}),
    "set_P": ("precision_at", {}),
    "set_recall": ("recall_at", {}),
    "set_F": ("f_at", {}),
    "ndcg_cut": ("ndcg", {}),
    "map_cut": ("ap", {}),
    "recall": ("recall_at", {}),
    "success": ("success_at", {}),
    "iprec_at_recall": ("iprec", {}),
    "11pt_avg": ("eleven_point", {}),
}
CUT = ("ndcg_cut", "map_cut", "recall", "success", "P")
NAMES: Mapping[str, str] = {"rel": "relevant", "p": "p", "k": "k", "beta": "beta", "T": "relevant"}
GAINS: Mapping[str, str] = {"log2": "linear", "exp-log2": "exp2"}
OF_RECALL = ("IPrec", "iprec_at_recall")  # whose cut is a recall
_FORM = re.compile(r"([A-Za-z]+)(?:\(([^()]*)\))?(?:@(\d+(?:\.\d+)?))?")
PATTERN = (
    rf"^(({'|'.join(IR_MEASURES)})(\([^()]*\))?(@[0-9]+(\.[0-9]+)?)?"
    rf"|({'|'.join(CUT)})_[0-9]+|iprec_at_recall_[01]\.[0-9]+"
    rf"|{'|'.join(name for name in TREC_EVAL if name not in (*CUT, *OF_RECALL))})$"
)
"""What such a form looks like, as a regular expression."""


def parse_measure_name(text: str) -> tuple[str, dict[str, Value]] | None:
    """Our name and parameters of a measure in another program's short form; None of any other.

    >>> parse_measure_name("nDCG@10"), parse_measure_name("P(rel=2)@5"), parse_measure_name(
    ...     "ndcg_cut_10"), parse_measure_name("mae")
    (('ndcg', {'k': 10}), ('precision_at', {'relevant': 2.0, 'k': 5}), ('ndcg', {'k': 10}), None)
    """
    return _parse_trec_eval(text) or _parse_ir_measures(text)


def list_measure_spellings(text: str) -> list[str]:
    """List the short forms of all measures that have the cut and the parameters of a text.

    >>> [each for each in list_measure_spellings("ndcg@10") if "CG" in each]
    ['nDCG@10', 'DCG@10']
    """
    shape, (_, _, cut) = _FORM.fullmatch(text), text.rpartition("_")
    forms = [] if shape is None else [head + text[shape.end(1) :] for head in IR_MEASURES]
    forms += [*(f"{head}_{cut}" for head in CUT), f"iprec_at_recall_{cut}", *TREC_EVAL]
    distinct = {normalize_spelling(each): each for each in reversed(forms)}  # nDCG, not NDCG
    return [each for each in forms if each in distinct.values() and parse_measure_name(each)]


def _parse_trec_eval(text: str) -> tuple[str, dict[str, Value]] | None:
    head, _, cut = text.rpartition("_")
    if cut.isdigit() and head in CUT:
        name = "precision_at" if head == "P" else TREC_EVAL[head][0]
        return name, {"k": int(cut)}
    if head == "iprec_at_recall" and re.fullmatch(r"[01]\.\d+", cut):
        return "iprec", {"recall": float(cut)}
    if text in TREC_EVAL and text not in (*CUT, *OF_RECALL):
        return TREC_EVAL[text][0], {}
    return None


def _parse_ir_measures(text: str) -> tuple[str, dict[str, Value]] | None:
    found = _FORM.fullmatch(text)
    if found is None or found[1] not in IR_MEASURES:
        return None
    name, fixed = IR_MEASURES[found[1]]
    given = _collect_parameters(found[2] or "")
    if given is None:
        return None
    params = {**fixed, **given}
    if found[3] is not None and found[1] in OF_RECALL:
        params["recall"] = float(found[3])
    elif found[3] is not None:
        if not found[3].isdigit():
            return None
        params["k"] = int(found[3])
    return name, params


def _collect_parameters(text: str) -> dict[str, Value] | None:
    """Parse the parameters in brackets; None if a part of them is not known."""
    found: dict[str, Value] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        key, _, value = (each.strip() for each in part.partition("="))
        value = value.strip("'\"")
        if key == "dcg" and value in GAINS:
            found["gain"] = GAINS[value]
        elif key in NAMES and re.fullmatch(r"\d+(\.\d+)?", value):
            found[NAMES[key]] = int(value) if NAMES[key] == "k" else float(value)
        else:
            return None
    return found


def expand_measure(node: Node, tree: MappingNode, faults: ProblemList) -> Node:
    """Expand a metric whose name is a short form, with that form as its label."""
    named = get_child(node, "name")
    if not isinstance(node, MappingNode) or not isinstance(named, Scalar):
        return node
    if get_text(tree, "task") != "ranking":
        return node
    found = parse_measure_name(str(named.value))
    if found is None:
        return node
    params = node.get("params")
    if isinstance(params, MappingNode) and params.entries:
        key = next(iter(params.entries))
        faults.add(
            params.entries[key].mark,
            f"{named.value!r} says its parameters itself; write {{name: {found[0]}, {key}: …}} "
            f"or leave out {key!r}",
        )
        return node
    name, values = found
    if find_node(tree, ("ranking", "top_grade")) is not None:  # said for all measures at once
        values = {key: value for key, value in values.items() if key != "top"}
    made = MappingNode(named.mark).set_nodes(
        **{k: make_scalar(v, named.mark) for k, v in values.items()}
    )
    label = node.get("as") or make_scalar(str(named.value), named.mark)
    return node.set_nodes(name=make_scalar(name, named.mark), params=made, **{"as": label})
