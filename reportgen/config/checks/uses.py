"""Metrics and curves against the catalogue: names, parameters, labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from reportgen.config.faults import Faults, meant, quoted
from reportgen.config.fields import LARGEST, SMALLEST, is_tiny
from reportgen.config.vocabulary import ParameterLike, Vocabulary, Word
from reportgen.config.yaml.tree import (
    Entry,
    Items,
    MappingNode,
    Mark,
    Node,
    Scalar,
    Value,
    find,
    key_mark,
    key_of,
)
from reportgen.errors import nearest

KINDS = {
    "number": "a number",
    "integer": "a whole number",
    "text": "text",
    "flag": "true or false",
}


def check_uses(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Every metric and curve exists, has parameters that fit, and a label of its own."""
    task = tree.get("task")
    is_built = isinstance(task, Scalar) and task.value in words.tasks
    for kind, known in (("metrics", words.metrics), ("curves", words.curves)):
        tasks = (task.value,) if isinstance(task, Scalar) and is_built else words.tasks
        fit = [name for name, word in known.items() if word.task in tasks]
        for index, use in _uses(tree, kind):
            if is_built and isinstance(task, Scalar):
                is_other = _is_other(task, use, known, words, faults)
            else:  # several tasks may have the name: which is meant is not known
                is_other = len(_tasks_of(use, known, words)) > 1
            if not is_other:
                scorers = words.scorers if kind == "metrics" else {}
                _check_use(tree, (kind, index), use, known, fit, faults, scorers)
        _check_labels(tree, kind, faults)


def as_numbers(tree: MappingNode, words: Vocabulary) -> MappingNode:
    """The tree with whole numbers written as numbers where a parameter is a number."""
    for kind, known in (("metrics", words.metrics), ("curves", words.curves)):
        node = tree.get(kind)
        if isinstance(node, Items):
            items = tuple(_numbers_of(item, known) for item in node.items)
            tree = tree.has(**{kind: replace(node, items=items)})
    return tree


def _numbers_of(use: Node, known: Mapping[str, Word]) -> Node:
    name, params = find(use, ("name",)), find(use, ("params",))
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
    return use.has(params=params)


def _uses(tree: MappingNode, kind: str) -> Iterator[tuple[int, MappingNode]]:
    node = tree.get(kind)
    for index, item in enumerate(node.items if isinstance(node, Items) else ()):
        if isinstance(item, MappingNode):
            yield index, item


def _check_use(
    tree: MappingNode,
    at: tuple[str, int],
    use: MappingNode,
    known: Mapping[str, Word],
    of_the_task: Sequence[str],
    faults: Faults,
    scorers: Mapping[str, Mapping[str, str]],
) -> None:
    name, params = use.get("name"), use.get("params")
    if name is None and isinstance(params, MappingNode):
        _check_nameless(use, at, params, known, faults)
    if not isinstance(name, Scalar) or not isinstance(name.value, str):
        return
    one = at[0].removesuffix("s")
    own = ("as", "phrase") if at[0] == "metrics" else ("as",)
    word = known.get(name.value)
    if word is None:
        own_name = alias_of(name.value, known)
        tasks = {known[each].task for each in of_the_task}
        theirs = "" if name.secret else scorer_here(scorers.get(name.value, {}), tasks)
        hint = f"here it is called {own_name!r}" if own_name else theirs or meant(name, of_the_task)
        faults.add(name.mark, f"unknown {one} {quoted(name)}; {hint}", at)
        return
    if isinstance(params, MappingNode):
        before = len(faults.found)
        _check_params(tree, at, params, name, known, faults, own)
        if len(faults.found) == before:
            _check_sense(tree, params, name, word, faults)


def _tasks_of(use: MappingNode, known: Mapping[str, Word], words: Vocabulary) -> list[str]:
    """The tasks that have a metric or curve of this name."""
    name = use.get("name")
    found = str(name.value) if isinstance(name, Scalar) else ""
    tasks = [known[found].task] if found in known else []
    if known is words.metrics:
        tasks += [task for task, own in words.homonyms.items() if found in own]
    return sorted(set(tasks))


def _is_other(
    task: Scalar,
    use: MappingNode,
    known: Mapping[str, Word],
    words: Vocabulary,
    faults: Faults,
) -> bool:
    """Whether it is of another task, which is said, with the name that it has in this one."""
    name = use.get("name")
    word = known.get(str(name.value)) if isinstance(name, Scalar) else None
    if not isinstance(name, Scalar) or word is None or word.task == task.value:
        return False
    own = alias_of(str(name.value), known, str(task.value))
    way = f"here it is called {own!r}" if own else "remove it, or change the task"
    own_task = words.tasks.get(str(task.value))
    if known is words.metrics and own_task is not None and own_task.is_of_values:
        way = f"its table holds the score: write score: {{title: {name.printed}}}, and no metrics"
    tasks = listed(_tasks_of(use, known, words))
    said = f"{quoted(name)} is for task: {tasks}, this config's task is {quoted(task)}; {way}"
    faults.add(name.mark, said)
    return True


def listed(names: Sequence[str]) -> str:
    """Names of which any will do.

    >>> listed(["binary"]), listed(["binary", "multiclass", "ranking"])
    ('binary', 'binary, multiclass or ranking')
    """
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def unlisted(tree: MappingNode, words: Vocabulary, known: Iterable[str], name: Scalar) -> str:
    """Why a metric that exists is none of this config's, whose labels are `known`; else empty.

    Where a table holds the one score, whatever name is not that of the score is none.
    """
    if name.secret is not None:
        return ""
    task = words.tasks.get(str(of.value)) if isinstance(of := tree.get("task"), Scalar) else None
    if task is not None and task.is_of_values:
        return (
            f"the score of the table is called {next(iter(known))!r}, not {quoted(name)}; name it "
            f"so, or call it so: score: {{title: {name.printed}}}"
        )
    is_metric = name.value in words.metrics
    said = f"{quoted(name)} is not among this config's metrics; add it under `metrics`"
    return said if is_metric else ""


def alias_of(name: str, known: Mapping[str, Word], task: str = "") -> str:
    """What a metric with another name elsewhere is called here; empty if nothing is."""
    return next(
        (own for own, word in known.items() if name in word.aliases and task in ("", word.task)), ""
    )


def scorer_here(found: Mapping[str, str], tasks: Iterable[str]) -> str:
    """How a scorer of another library is written here, given how by task; empty if it is not.

    >>> scorer_here({"one": "rmse"}, ["one"])
    'here it is written rmse'
    >>> scorer_here({"one": "{name: f, average: macro}"}, ["two"])
    'in task: one it is written {name: f, average: macro}'
    """
    own = next((found[task] for task in found if task in {*tasks}), "")
    if own or not found:
        return own and f"here it is written {own}"
    return f"in task: {listed([*found])} it is written {next(iter(found.values()))}"


def _check_nameless(
    use: MappingNode,
    at: tuple[str, int],
    params: MappingNode,
    known: Mapping[str, Word],
    faults: Faults,
) -> None:
    """A name that stands as a key, as in {recall_at: 5}: how it is written."""
    for key, entry in params.entries.items():
        if (word := known.get(key)) is None:
            continue
        first = next(iter(word.parameters), "")
        way = f"{{name: {key}, {first}: …}}" if first else key
        said = f"{at[0]}[{at[1]}]: a name does not stand as a key; write {way}"
        wanted = _of_the_first(entry.node, word, known)
        faults.settle(use.mark, f"{said}; {_parameters_of(key, word)}{wanted}")
        return


def _of_the_first(node: Node, word: Word, known: Mapping[str, Word]) -> str:
    """Which metrics are of so many rows as a whole number says, where this one is not."""
    value = node.value if isinstance(node, Scalar) else None
    is_whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if not is_whole or not word.parameters or "k" in word.parameters:
        return ""
    names = [n for n, w in known.items() if w.task == word.task and "k" in w.parameters]
    if not names:
        return ""
    return f"; of the first {value} rows are {', '.join(names)}: {{name: {names[0]}, k: {value}}}"


def _parameters_of(name: str, word: Word) -> str:
    """What may be said beside a name, with the kind of each value and what it is unless said."""
    if not word.parameters:
        return f"{name!r} has no parameters"
    each = [
        f"{key} ({' or '.join(p.choices) if p.choices else KINDS[p.kind]}"
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
    faults: Faults,
    own: Sequence[str],
) -> None:
    word = known[str(name.value)]
    for key, entry in params.entries.items():
        if key not in word.parameters:
            mark = key_mark(tree, (*at, "params", key))
            wanted = _of_the_first(entry.node, word, known) if key == "k" else ""
            faults.add(mark, _unknown(key, name, word, own) + wanted, (*at, "params", key))
        elif said := _misfit(entry.node, word.parameters[key]):
            mark = entry.node.mark if isinstance(entry.node, Scalar) else entry.mark
            faults.add(mark, f"{key} of {quoted(name)} {said}", (*at, "params", key))
    for key, parameter in word.parameters.items():
        if parameter.is_required and key not in params.entries:
            wanted = ", ".join(parameter.choices) or KINDS[parameter.kind]
            faults.add(
                name.mark,
                f"{quoted(name)} needs {key} ({wanted}); write {{name: {name.printed}, {key}: …}}",
                at,
            )


def _unknown(key: str, name: Scalar, word: Word, own: Sequence[str]) -> str:
    if not word.parameters and not nearest(key, own):
        return f"{quoted(name)} has no parameters; remove {key!r}"
    if near := nearest(key, [*word.parameters, *own]):
        return f"unknown parameter {key!r} of {quoted(name)}; did you mean {near[0]!r}?"
    said = f"unknown parameter {key!r} of {quoted(name)}"
    return f"{said}; {_parameters_of(name.printed, word)}, and {' and '.join(own)} for words"


def _misfit(node: Node, parameter: ParameterLike) -> str:
    """Why a value does not fit a parameter; empty if it does."""
    if not isinstance(node, Scalar):
        return f"wants {KINDS[parameter.kind]}, not {quoted(node)}"
    value = node.value
    if value is None and parameter.default is None and not parameter.is_required:
        return ""
    if parameter.choices:
        fits = value in parameter.choices
        return "" if fits else f"cannot be {quoted(node)}; {meant(node, parameter.choices)}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and (not abs(value) <= LARGEST or is_tiny(value)):  # type: ignore[arg-type]
        return f"wants 0, or a number from {SMALLEST:g} to {LARGEST:g} in size, not {quoted(node)}"
    fits = {
        "number": is_number,
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "text": isinstance(value, str),
        "flag": isinstance(value, bool),
    }[parameter.kind]
    return "" if fits else f"wants {KINDS[parameter.kind]}, not {quoted(node)}"


def _check_sense(
    tree: MappingNode, params: MappingNode, name: Scalar, word: Word, faults: Faults
) -> None:
    """What the metric itself says of its parameters."""
    if word.check is None:
        return
    nodes = {key: entry.node for key, entry in params.entries.items()}
    values = {key: node.value for key, node in nodes.items() if isinstance(node, Scalar)}
    is_secret = any(isinstance(node, Scalar) and node.secret for node in nodes.values())
    said = word.check(**_priced(tree, values)) or _unpriced(tree, values)
    if said:
        shown = "its parameters do not fit together or are out of range" if is_secret else said
        faults.add(_blamed(said, nodes, name), f"{quoted(name)}: {shown}")


def _priced(tree: MappingNode, values: Mapping[str, Value]) -> Mapping[str, Value]:
    """The parameters with the declared unit costs, where an expected cost names none itself."""
    is_bare = all(values.get(key) is None for key in ("alpha", "under", "over", "c"))
    if values.get("unit_costs") != "same" or not is_bare:
        return values
    sides = {side: find(tree, ("costs", side)) for side in ("under", "over")}
    loss = find(tree, ("costs", "loss"))
    declared = loss.value if isinstance(loss, Scalar) else "linlin"
    if any(isinstance(side, MappingNode) for side in sides.values()):
        return {**values, "unit_costs": "by row"}
    if None in sides.values() or values.get("loss") != declared:
        return values
    # What the numbers are is judged where they stand.
    return {**values, "under": 1.0, "over": 1.0}


def _unpriced(tree: MappingNode, values: Mapping[str, Value]) -> str:
    """Why unit costs by row are asked for in vain; empty if they are not."""
    sides = [find(tree, ("costs", side)) for side in ("under", "over")]
    if values.get("unit_costs") != "by row" or any(isinstance(side, MappingNode) for side in sides):
        return ""
    return "unit_costs: by row takes costs: {under: {column: …}, over: …}"


def _blamed(said: str, nodes: Mapping[str, Node], name: Scalar) -> Mark:
    """The place of the parameter that a sentence begins with, else of the metric."""
    words = said.replace(":", " ").replace("`", " ").split()
    first = nodes.get(words[0]) if words else None
    return first.mark if first else name.mark


def _check_labels(tree: MappingNode, kind: str, faults: Faults) -> None:
    seen: dict[str, Scalar] = {}
    for _, use in _uses(tree, kind):
        key = key_of(use)
        if key is None:
            continue
        first = seen.setdefault(str(key.value), key)
        if first is not key:
            faults.add(
                key.mark,
                f"{quoted(key)} is already at line {first.mark.line}; give each a label: "
                f"{{name: {_name(use)}, as: …}}",
            )


def _name(use: MappingNode) -> str:
    name = use.get("name")
    return name.printed if isinstance(name, Scalar) else "…"
