"""Metrics and curves: names, parameters, labels, and the keys that point at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from reportgen.config.schema.fields import LARGEST, SMALLEST, is_subnormal
from reportgen.config.vocabulary import ParameterLike, Vocabulary, Word
from reportgen.config.yaml.faults import ProblemList, quote_node, suggest_name
from reportgen.config.yaml.tree import (
    Entry,
    ListNode,
    MappingNode,
    Mark,
    Node,
    Scalar,
    Value,
    build_plain_data,
    find_key_mark,
    find_node,
    get_child,
    metric_key,
)
from reportgen.errors import find_nearest

PARAMETER_KINDS = {
    "number": "a number",
    "integer": "a whole number",
    "text": "text",
    "flag": "true or false",
}


def check_uses(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Every metric and curve exists, has parameters that fit, and a label of its own."""
    task = tree.get("task")
    is_built = isinstance(task, Scalar) and task.value in words.tasks
    for kind, known in (("metrics", words.metrics), ("curves", words.curves)):
        tasks = (task.value,) if isinstance(task, Scalar) and is_built else words.tasks
        fit = [name for name, word in known.items() if word.task in tasks]
        for index, use in _iter_uses(tree, kind):
            if is_built and isinstance(task, Scalar):
                is_other = _refuse_other_task(task, use, known, words, faults)
            else:  # several tasks may have the name: which is meant is not known
                is_other = len(_list_tasks(use, known, words)) > 1
            if not is_other:
                scorers = words.scorers if kind == "metrics" else {}
                _check_use(tree, (kind, index), use, known, fit, faults, scorers)
        _check_labels(tree, kind, faults)


def convert_numbers(tree: MappingNode, words: Vocabulary) -> MappingNode:
    """Return the tree with whole numbers as floats where a parameter is a number."""
    for kind, known in (("metrics", words.metrics), ("curves", words.curves)):
        node = tree.get(kind)
        if isinstance(node, ListNode):
            items = tuple(_convert_parameters(item, known) for item in node.items)
            tree = tree.set_nodes(**{kind: replace(node, items=items)})
    return tree


def _convert_parameters(use: Node, known: Mapping[str, Word]) -> Node:
    name, params = find_node(use, ("name",)), find_node(use, ("params",))
    word = known.get(str(name.value)) if isinstance(name, Scalar) else None
    if word is None or not isinstance(params, MappingNode) or not isinstance(use, MappingNode):
        return use
    for key, entry in params.entries.items():
        below, parameter = entry.node, word.parameters.get(key)
        if parameter is None or parameter.kind != "number" or not isinstance(below, Scalar):
            continue
        if isinstance(below.value, int) and not isinstance(below.value, bool):
            number = replace(below, value=float(below.value))
            params = params.put({key: Entry(entry.mark, number)})
    return use.set_nodes(params=params)


def _iter_uses(tree: MappingNode, kind: str) -> Iterator[tuple[int, MappingNode]]:
    node = tree.get(kind)
    for index, item in enumerate(node.items if isinstance(node, ListNode) else ()):
        if isinstance(item, MappingNode):
            yield index, item


def _check_use(
    tree: MappingNode,
    at: tuple[str, int],
    use: MappingNode,
    known: Mapping[str, Word],
    of_the_task: Sequence[str],
    faults: ProblemList,
    scorers: Mapping[str, Mapping[str, str]],
) -> None:
    name, params = use.get("name"), use.get("params")
    if name is None and isinstance(params, MappingNode):
        _refuse_name_as_key(use, at, params, known, faults)
    if not isinstance(name, Scalar) or not isinstance(name.value, str):
        return
    one = at[0].removesuffix("s")
    own = ("as", "phrase") if at[0] == "metrics" else ("as",)
    word = known.get(name.value)
    if word is None:
        own_name = suggest_alias(name.value, known)
        tasks = {known[each].task for each in of_the_task}
        theirs = "" if name.secret else suggest_scorer(scorers.get(name.value, {}), tasks)
        hint = (
            f"here it is called {own_name!r}"
            if own_name
            else theirs or suggest_name(name, of_the_task)
        )
        faults.add(name.mark, f"unknown {one} {quote_node(name)}; {hint}", at)
        return
    if isinstance(params, MappingNode):
        before = len(faults.found)
        _check_params(tree, at, params, name, known, faults, own)
        if len(faults.found) == before:
            _check_by_metric(tree, params, name, word, faults)


def _list_tasks(use: MappingNode, known: Mapping[str, Word], words: Vocabulary) -> list[str]:
    """List the tasks that have a metric or curve of this name."""
    name = use.get("name")
    found = str(name.value) if isinstance(name, Scalar) else ""
    tasks = [known[found].task] if found in known else []
    if known is words.metrics:
        tasks += [task for task, own in words.homonyms.items() if found in own]
    return sorted(set(tasks))


def _refuse_other_task(
    task: Scalar,
    use: MappingNode,
    known: Mapping[str, Word],
    words: Vocabulary,
    faults: ProblemList,
) -> bool:
    """Report a metric of another task, with its name in this one; tell whether it is."""
    name = use.get("name")
    word = known.get(str(name.value)) if isinstance(name, Scalar) else None
    if not isinstance(name, Scalar) or word is None or word.task == task.value:
        return False
    own = suggest_alias(str(name.value), known, str(task.value))
    way = f"here it is called {own!r}" if own else "remove it, or change the task"
    own_task = words.tasks.get(str(task.value))
    if known is words.metrics and own_task is not None and own_task.is_of_values:
        way = f"its table holds the score: write score: {{title: {name.safe_text}}}, and no metrics"
    tasks = format_alternatives(_list_tasks(use, known, words))
    said = (
        f"{quote_node(name)} is for task: {tasks}, this config's task is {quote_node(task)}; {way}"
    )
    faults.add(name.mark, said)
    return True


def format_alternatives(names: Sequence[str]) -> str:
    """Names of which any will do.

    >>> format_alternatives(["binary"]), format_alternatives(["binary", "multiclass", "ranking"])
    ('binary', 'binary, multiclass or ranking')
    """
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def explain_unlisted(
    tree: MappingNode, words: Vocabulary, known: Iterable[str], name: Scalar
) -> str:
    """Why a metric that exists is none of this config's, whose labels are `known`; else empty.

    Where a table holds the one score, whatever name is not that of the score is none.
    """
    if name.secret is not None:
        return ""
    task = words.tasks.get(str(of.value)) if isinstance(of := tree.get("task"), Scalar) else None
    if task is not None and task.is_of_values:
        return (
            f"the score of the table is called {next(iter(known))!r}, not {quote_node(name)}; "
            "name it "
            f"so, or call it so: score: {{title: {name.safe_text}}}"
        )
    is_metric = name.value in words.metrics
    said = f"{quote_node(name)} is not among this config's metrics; add it under `metrics`"
    return said if is_metric else ""


def suggest_alias(name: str, known: Mapping[str, Word], task: str = "") -> str:
    """Return the name used here for a metric that has another elsewhere; empty if none."""
    return next(
        (own for own, word in known.items() if name in word.aliases and task in ("", word.task)), ""
    )


def suggest_scorer(found: Mapping[str, str], tasks: Iterable[str]) -> str:
    """Say how a scorer of another library is written here, by task; empty if it is not.

    >>> suggest_scorer({"one": "rmse"}, ["one"])
    'here it is written rmse'
    >>> suggest_scorer({"one": "{name: f, average: macro}"}, ["two"])
    'in task: one it is written {name: f, average: macro}'
    """
    own = next((found[task] for task in found if task in {*tasks}), "")
    if own or not found:
        return own and f"here it is written {own}"
    return f"in task: {format_alternatives([*found])} it is written {next(iter(found.values()))}"


def _refuse_name_as_key(
    use: MappingNode,
    at: tuple[str, int],
    params: MappingNode,
    known: Mapping[str, Word],
    faults: ProblemList,
) -> None:
    """Refuse a name used as a key, as in {recall_at: 5}, and explain how to write it."""
    for key, entry in params.entries.items():
        if (word := known.get(key)) is None:
            continue
        first = next(iter(word.parameters), "")
        way = f"{{name: {key}, {first}: …}}" if first else key
        said = f"{at[0]}[{at[1]}]: a name does not stand as a key; write {way}"
        wanted = _suggest_top_metrics(entry.node, word, known)
        faults.settle(use.mark, f"{said}; {_describe_parameters(key, word)}{wanted}")
        return


def _suggest_top_metrics(node: Node, word: Word, known: Mapping[str, Word]) -> str:
    """Name the metrics of so many first rows, where this one has no such number."""
    value = node.value if isinstance(node, Scalar) else None
    is_whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if not is_whole or not word.parameters or "k" in word.parameters:
        return ""
    names = [n for n, w in known.items() if w.task == word.task and "k" in w.parameters]
    if not names:
        return ""
    return f"; of the first {value} rows are {', '.join(names)}: {{name: {names[0]}, k: {value}}}"


def _describe_parameters(name: str, word: Word) -> str:
    """Describe the parameters of a metric or curve, each with its kind and its default."""
    if not word.parameters:
        return f"{name!r} has no parameters"
    each = [
        f"{key} ({' or '.join(p.choices) if p.choices else PARAMETER_KINDS[p.kind]}"
        f"{'' if p.default in (None, '') else f'; {str(p.default).lower()} unless said'})"
        for key, p in word.parameters.items()
    ]
    return f"{name!r} has {', '.join(each)}"


def _check_params(
    tree: MappingNode,
    at: tuple[str, int],
    params: MappingNode,
    name: Scalar,
    known: Mapping[str, Word],
    faults: ProblemList,
    own: Sequence[str],
) -> None:
    word = known[str(name.value)]
    for key, entry in params.entries.items():
        if key not in word.parameters:
            mark = find_key_mark(tree, (*at, "params", key))
            wanted = _suggest_top_metrics(entry.node, word, known) if key == "k" else ""
            faults.add(
                mark,
                _describe_unknown_parameter(key, name, word, own) + wanted,
                (*at, "params", key),
            )
        elif said := _describe_misfit(entry.node, word.parameters[key]):
            mark = entry.node.mark if isinstance(entry.node, Scalar) else entry.mark
            faults.add(mark, f"{key} of {quote_node(name)} {said}", (*at, "params", key))
    for key, parameter in word.parameters.items():
        if parameter.is_required and key not in params.entries:
            wanted = ", ".join(parameter.choices) or PARAMETER_KINDS[parameter.kind]
            faults.add(
                name.mark,
                f"{quote_node(name)} needs {key} ({wanted}); write "
                f"{{name: {name.safe_text}, {key}: …}}",
                at,
            )


def _describe_unknown_parameter(key: str, name: Scalar, word: Word, own: Sequence[str]) -> str:
    if not word.parameters and not find_nearest(key, own):
        return f"{quote_node(name)} has no parameters; remove {key!r}"
    if near := find_nearest(key, [*word.parameters, *own]):
        return f"unknown parameter {key!r} of {quote_node(name)}; did you mean {near[0]!r}?"
    said = f"unknown parameter {key!r} of {quote_node(name)}"
    return (
        f"{said}; {_describe_parameters(name.safe_text, word)}, and {' and '.join(own)} for words"
    )


def _describe_misfit(node: Node, parameter: ParameterLike) -> str:
    """Why a value does not fit a parameter; empty if it does."""
    if not isinstance(node, Scalar):
        return f"wants {PARAMETER_KINDS[parameter.kind]}, not {quote_node(node)}"
    value = node.value
    if value is None and parameter.default is None and not parameter.is_required:
        return ""
    if parameter.choices:
        fits = value in parameter.choices
        return (
            "" if fits else f"cannot be {quote_node(node)}; {suggest_name(node, parameter.choices)}"
        )
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and (not abs(value) <= LARGEST or is_subnormal(value)):  # type: ignore[arg-type]
        return (
            f"wants 0, or a number from {SMALLEST:g} to {LARGEST:g} in size, not {quote_node(node)}"
        )
    fits = {
        "number": is_number,
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "text": isinstance(value, str),
        "flag": isinstance(value, bool),
    }[parameter.kind]
    return "" if fits else f"wants {PARAMETER_KINDS[parameter.kind]}, not {quote_node(node)}"


def _check_by_metric(
    tree: MappingNode, params: MappingNode, name: Scalar, word: Word, faults: ProblemList
) -> None:
    """Check the parameters by the metric's own rules."""
    if word.check is None:
        return
    nodes = {key: entry.node for key, entry in params.entries.items()}
    values = {key: node.value for key, node in nodes.items() if isinstance(node, Scalar)}
    is_secret = any(isinstance(node, Scalar) and node.secret for node in nodes.values())
    said = word.check(**_fill_unit_costs(tree, values)) or _describe_missing_unit_costs(
        tree, values
    )
    if said:
        shown = "its parameters do not fit together or are out of range" if is_secret else said
        faults.add(_find_blamed_mark(said, nodes, name), f"{quote_node(name)}: {shown}")


def _fill_unit_costs(tree: MappingNode, values: Mapping[str, Value]) -> Mapping[str, Value]:
    """Fill in the declared unit costs where an expected cost names none itself."""
    is_bare = all(values.get(key) is None for key in ("alpha", "under", "over", "c"))
    if values.get("unit_costs") != "same" or not is_bare:
        return values
    sides = {side: find_node(tree, ("costs", side)) for side in ("under", "over")}
    loss = find_node(tree, ("costs", "loss"))
    declared = loss.value if isinstance(loss, Scalar) else "linlin"
    if any(isinstance(side, MappingNode) for side in sides.values()):
        return {**values, "unit_costs": "by row"}
    if None in sides.values() or values.get("loss") != declared:
        return values
    # What the numbers are is judged where they stand.
    return {**values, "under": 1.0, "over": 1.0}


def _describe_missing_unit_costs(tree: MappingNode, values: Mapping[str, Value]) -> str:
    """Why unit costs by row are asked for in vain; empty if they are not."""
    sides = [find_node(tree, ("costs", side)) for side in ("under", "over")]
    if values.get("unit_costs") != "by row" or any(isinstance(side, MappingNode) for side in sides):
        return ""
    return "unit_costs: by row takes costs: {under: {column: …}, over: …}"


def _find_blamed_mark(said: str, nodes: Mapping[str, Node], name: Scalar) -> Mark:
    """Find the mark of the parameter that a sentence begins with, or else of the metric."""
    words = said.replace(":", " ").replace("`", " ").split()
    first = nodes.get(words[0]) if words else None
    return first.mark if first else name.mark


def _check_labels(tree: MappingNode, kind: str, faults: ProblemList) -> None:
    seen: dict[str, Scalar] = {}
    for _, use in _iter_uses(tree, kind):
        key = metric_key(use)
        if key is None:
            continue
        first = seen.setdefault(str(key.value), key)
        if first is not key:
            faults.add(
                key.mark,
                f"{quote_node(key)} is already at line {first.mark.line}; give each a label: "
                f"{{name: {_use_name(use)}, as: …}}",
            )


def _use_name(use: MappingNode) -> str:
    name = use.get("name")
    return name.safe_text if isinstance(name, Scalar) else "…"


OF_GATES = frozenset(
    [
        "name",
        "rule",
        "metric",
        "model",
        "dataset",
        "segment",
        "margin",
        "value",
        "on",
        "against",
        "inconclusive",
    ]
)


def resolve_metric_labels(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> MappingNode:
    """Return the tree with every reference to a metric replaced by the metric's label."""
    node = tree.get("metrics")
    uses = [use for use in (node.items if isinstance(node, ListNode) else ()) if _metric_name(use)]

    def resolve(pointer: Node) -> Node:
        return _resolve_pointer_label(pointer, uses, words, faults)

    primary, gates, report = (tree.get(key) for key in ("primary", "gates", "report"))
    headline = get_child(report, "headline")
    if isinstance(report, MappingNode) and isinstance(headline, ListNode):
        keys = (_replace_name_by_label(item, uses) for item in headline.items)
        tree = tree.set_nodes(
            report=report.set_nodes(headline=replace(headline, items=tuple(keys)))
        )
    if primary is not None:
        tree = tree.set_nodes(primary=resolve(primary))
    if isinstance(gates, ListNode):
        tree = tree.set_nodes(gates=replace(gates, items=tuple(map(resolve, gates.items))))
    return tree


def _replace_name_by_label(node: Node, uses: list[Node]) -> Node:
    """Replace a metric name in a list by its label, if the name alone is unambiguous."""
    if not isinstance(node, Scalar) or any(_format_label(use) == node.value for use in uses):
        return node
    meant = [use for use in uses if _metric_name(use) == node.value]
    if len(meant) != 1:
        return node
    return Scalar(node.mark, _format_label(meant[0]), _format_label(meant[0]), secret=node.secret)


def _resolve_pointer_label(
    pointer: Node, uses: list[Node], words: Vocabulary, faults: ProblemList
) -> Node:
    name = get_child(pointer, "metric")
    if not isinstance(name, Scalar) or not isinstance(pointer, MappingNode):
        return pointer
    word = words.metrics.get(str(name.value))
    parameters = word.parameters.keys() - OF_GATES if word else frozenset[str]()
    given = {key: e for key, e in pointer.entries.items() if key in parameters}
    if not given and any(_format_label(use) == name.value for use in uses):
        return pointer
    meant = [use for use in uses if _metric_name(use) == name.value and _has_parameters(use, given)]
    pointer = pointer.remove_keys(*given)
    if len(meant) == 1:
        label = _format_label(meant[0])
        return pointer.set_nodes(metric=Scalar(name.mark, label, label, secret=name.secret))
    if given:
        faults.settle(name.mark, _describe_unlisted_metric(name, given, len(meant)))
    return pointer


def _describe_unlisted_metric(name: Scalar, given: Mapping[str, Entry], found: int) -> str:
    wanted = ", ".join(f"{key}: {_print_node(entry.node)}" for key, entry in given.items())
    if found:
        return f"{found} metrics are {quote_node(name)} with {wanted}; name one by its label"
    return (
        f"no metric {quote_node(name)} with {wanted} is listed; "
        f"add {{name: {name.safe_text}, {wanted}}} under `metrics`"
    )


def _has_parameters(use: Node, given: Mapping[str, Entry]) -> bool:
    """Return whether a metric's parameters are those given, as far as they are given."""
    params = get_child(use, "params")
    found = ((find_node(params, (key,)), entry.node) for key, entry in given.items())
    return all(
        own is not None and build_plain_data(own) == build_plain_data(other) for own, other in found
    )


def _print_node(node: Node) -> str:
    return node.safe_text if isinstance(node, Scalar) else "…"


def _metric_name(use: Node) -> str:
    name = get_child(use, "name")
    return str(name.value) if isinstance(name, Scalar) and name.value is not None else ""


def _format_label(use: Node) -> str:
    key = metric_key(use) if isinstance(use, MappingNode) else None
    return str(key.value) if key else ""
