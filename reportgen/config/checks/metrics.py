"""Metrics and curves: names, parameters, labels, and the keys and limits that point at them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from reportgen.config.checks.view import (
    ConfigFinding,
    ConfigFindings,
    ConfigView,
    get_label,
    has_keys,
)
from reportgen.config.schema.config import CurveUse, Dataset
from reportgen.config.schema.costs import Costs
from reportgen.config.schema.fields import LARGEST, SMALLEST, is_subnormal
from reportgen.config.task_shorthand import find_use, map_metric_pointers
from reportgen.config.vocabulary import ParameterLike, Vocabulary, Word
from reportgen.config.yaml.faults import ProblemList, quote_node
from reportgen.config.yaml.tree import (
    Entry,
    ListNode,
    MappingNode,
    Node,
    Scalar,
    build_plain_data,
    find_mark,
    find_node,
    get_child,
    get_items,
    metric_key,
)
from reportgen.errors import ConfigPath, find_nearest

UsePath = tuple[str, int]
PARAMETER_KINDS = {
    "number": "a number",
    "integer": "a whole number",
    "text": "text",
    "flag": "true or false",
}


def check_uses(view: ConfigView) -> ConfigFindings:
    """Every metric and curve exists, has parameters that fit, and a label of its own."""
    words, task = view.words, view.config.task
    tasks = words.tasks if view.task is None else (task,)
    for kind, known in (("metrics", words.metrics), ("curves", words.curves)):
        fit = [name for name, word in known.items() if word.task in tasks]
        uses: tuple[CurveUse, ...] = getattr(view.config, kind)
        for index, use in enumerate(uses):
            word, at = known.get(use.name), (kind, index)
            if view.task is None:  # several tasks may have the name: which is meant is not known
                is_other = len(_list_tasks(use.name, known, words)) > 1
            else:
                is_other = word is not None and word.task != task
                if is_other:
                    yield _refuse_other_task(view, at, use, known)
            if not is_other:
                yield from _check_use(view, at, use, known, fit)
        yield from _check_labels(view, kind, uses)


def check_series(view: ConfigView) -> ConfigFindings:
    """Check that metrics of series have rows in the order of time, and columns that name series."""
    for index, use in enumerate(view.config.metrics):
        word, at = view.words.metrics.get(use.name), ("metrics", index)
        if word is None or word.needs != "series":
            continue
        by = use.params.get("by", "")
        for name, dataset in view.config.datasets.items():
            if dataset.time is None:
                text = f"{view.quote(*at, 'name')} needs an order of the rows in time"
                yield ConfigFinding((*at, "name"), f"{text}; add time: under datasets.{name}")
            columns = [*(each.column for each in dataset.segments), dataset.cluster]
            if by and by not in columns:
                place = (*at, "params", "by")
                text = f"by names {view.quote(*place)}, which is neither the cluster nor a segment"
                yield ConfigFinding(place, f"{text} of datasets.{name}")


def convert_numbers(tree: MappingNode, words: Vocabulary) -> MappingNode:
    """Return the tree with whole numbers as floats where a parameter is a number."""
    for kind, known in (("metrics", words.metrics), ("curves", words.curves)):
        node = tree.get(kind)
        if isinstance(node, ListNode):
            items = tuple(_convert_parameters(item, known) for item in node.items)
            tree = tree.set_nodes(**{kind: replace(node, items=items)})
    return tree


def _convert_parameters(node: Node, known: Mapping[str, Word]) -> Node:
    for use, params, word in find_use(node, known):
        for key, entry in params.entries.items():
            below, parameter = entry.node, word.parameters.get(key)
            is_number = parameter is not None and parameter.kind == "number"
            if is_number and isinstance(below, Scalar) and type(below.value) is int:
                number = replace(below, value=float(below.value))
                params = params.put({key: Entry(entry.mark, number)})
        return use.set_nodes(params=params)
    return node


def _check_use(
    view: ConfigView, at: UsePath, use: CurveUse, known: Mapping[str, Word], fit: Sequence[str]
) -> ConfigFindings:
    name, kind = (*at, "name"), at[0].removesuffix("s")
    word = known.get(use.name)
    if not has_keys(use, "name"):
        yield from _refuse_name_as_key(at, use, known)
    elif word is not None:
        findings = [*_check_params(view, at, use, known)]
        yield from findings or _check_by_metric(view, at, use, word)
    elif isinstance(use.name, str):
        measures = view.list_near_measures(use.name) if kind == "metric" else []
        hint = view.suggest(name, fit if view.is_hidden(name) else [*fit, *measures])
        if own := suggest_alias(use.name, known):
            hint = f"here it is called {own!r}"
        elif kind == "metric" and not view.is_hidden(name):
            scorers = view.words.scorers.get(use.name, {})
            hint = suggest_scorer(scorers, {known[each].task for each in fit}) or hint
        yield ConfigFinding(name, f"unknown {kind} {view.quote(*name)}; {hint}")


def _list_tasks(name: str, known: Mapping[str, Word], words: Vocabulary) -> list[str]:
    """List the tasks that have a metric or curve of this name."""
    tasks = [known[name].task] if name in known else []
    if known is words.metrics:
        tasks += [task for task, own in words.homonyms.items() if name in own]
    return sorted(set(tasks))


def _refuse_other_task(
    view: ConfigView, at: UsePath, use: CurveUse, known: Mapping[str, Word]
) -> ConfigFinding:
    """Refuse a metric or curve of another task, with its name in this one."""
    name, task = (*at, "name"), view.config.task
    own = suggest_alias(use.name, known, task)
    way = f"here it is called {own!r}" if own else "remove it, or change the task"
    if at[0] == "metrics" and view.task is not None and view.task.is_of_values:
        title = view.format_text(name)
        way = f"its table holds the score: write score: {{title: {title}}}, and no metrics"
    tasks = format_alternatives(_list_tasks(use.name, known, view.words))
    said = f"{view.quote(*name)} is for task: {tasks}, this config's task is {view.quote('task')}"
    return ConfigFinding(name, f"{said}; {way}")


def format_alternatives(names: Sequence[str]) -> str:
    """Names of which any will do.

    >>> format_alternatives(["binary"]), format_alternatives(["binary", "multiclass", "ranking"])
    ('binary', 'binary, multiclass or ranking')
    """
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def explain_unlisted(view: ConfigView, at: ConfigPath, name: str) -> str:
    """Say why a metric that exists is none of this config's; empty if that is not known.

    Where a table holds the one score, whatever name is not that of the score is none.
    """
    if view.is_hidden(at):
        return ""
    if view.task is not None and view.task.is_of_values:
        return (
            f"the score of the table is called {next(iter(view.metrics))!r}, not "
            f"{view.quote(*at)}; name it so, or call it so: "
            f"score: {{title: {view.format_text(at)}}}"
        )
    said = f"{view.quote(*at)} is not among this config's metrics; add it under `metrics`"
    return said if name in view.words.metrics else ""


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


def _refuse_name_as_key(at: UsePath, use: CurveUse, known: Mapping[str, Word]) -> ConfigFindings:
    """Refuse a name used as a key, as in {recall_at: 5}, and explain how to write it."""
    key = next((key for key in use.params if key in known), None)
    if key is not None:
        word = known[key]
        first = next(iter(word.parameters), "")
        way = f"{{name: {key}, {first}: …}}" if first else key
        said = f"{at[0]}[{at[1]}]: a name cannot be a key; write {way}"
        hint = _suggest_top_metrics(use.params[key], word, known)
        yield ConfigFinding(at, f"{said}; {_describe_parameters(key, word)}{hint}", settles=True)


def _suggest_top_metrics(value: object, word: Word, known: Mapping[str, Word]) -> str:
    """Name the metrics of so many first rows, where this one has no such number."""
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
    view: ConfigView, at: UsePath, use: CurveUse, known: Mapping[str, Word]
) -> ConfigFindings:
    word, name = known[use.name], (*at, "name")
    quoted, text = view.quote(*name), view.format_text(name)
    for key, value in use.params.items():
        place = (*at, "params", key)
        if key not in word.parameters:
            own = ("as", "phrase", "verb") if at[0] == "metrics" else ("as",)
            hint = _suggest_top_metrics(value, word, known) if key == "k" else ""
            said = _describe_unknown_parameter(key, quoted, text, word, own)
            yield ConfigFinding(place, said + hint, at_key=True)
        elif said := _describe_misfit(view, place, value, word.parameters[key]):
            yield ConfigFinding(place, f"{key} of {quoted} {said}")
    for key, parameter in word.parameters.items():
        if parameter.is_required and key not in use.params:
            expected = ", ".join(parameter.choices) or PARAMETER_KINDS[parameter.kind]
            way = f"{{name: {text}, {key}: …}}"
            yield ConfigFinding(name, f"{quoted} needs {key} ({expected}); write {way}")


def _describe_unknown_parameter(
    key: str, quoted: str, name: str, word: Word, own: Sequence[str]
) -> str:
    if not word.parameters and not find_nearest(key, own):
        return f"{quoted} has no parameters; remove {key!r}"
    if near := find_nearest(key, [*word.parameters, *own]):
        return f"unknown parameter {key!r} of {quoted}; did you mean {near[0]!r}?"
    said = f"unknown parameter {key!r} of {quoted}"
    return f"{said}; {_describe_parameters(name, word)}, and {' and '.join(own)} for words"


def _describe_misfit(view: ConfigView, at: ConfigPath, value: Any, parameter: ParameterLike) -> str:
    """Say why a value does not fit a parameter; empty if it does."""
    misfit = f"needs {PARAMETER_KINDS[parameter.kind]}, not {view.quote(*at)}"
    if isinstance(value, dict | tuple):
        return misfit
    if value is None and parameter.default is None and not parameter.is_required:
        return ""
    if parameter.choices:
        hint = view.suggest(at, parameter.choices)
        return "" if value in parameter.choices else f"cannot be {view.quote(*at)}; {hint}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and (not abs(value) <= LARGEST or is_subnormal(value)):
        bounds = f"from {SMALLEST:g} to {LARGEST:g} in size"
        return f"needs 0, or a number {bounds}, not {view.quote(*at)}"
    fits = {
        "number": is_number,
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "text": isinstance(value, str),
        "flag": isinstance(value, bool),
    }[parameter.kind]
    return "" if fits else misfit


def _check_by_metric(view: ConfigView, at: UsePath, use: CurveUse, word: Word) -> ConfigFindings:
    """Check the parameters by the metric's own rules."""
    if word.check is None:
        return
    costs = view.config.costs
    has_columns = costs is not None and bool(costs.columns)
    said = word.check(**_fill_unit_costs(costs, use.params))
    if not said and use.params.get("unit_costs") == "by row" and not has_columns:
        said = "unit_costs: by row takes costs: {under: {column: …}, over: …}"
    if said:
        first = said.replace(":", " ").replace("`", " ").split()[0]
        blamed = (*at, "params", first) if first in use.params else (*at, "name")
        if any(view.is_hidden((*at, "params", key)) for key in use.params):
            said = "its parameters do not fit together or are out of range"
        yield ConfigFinding(blamed, f"{view.quote(*at, 'name')}: {said}")


def _fill_unit_costs(costs: Costs | None, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fill in the declared unit costs where an expected cost names none itself."""
    is_bare = all(values.get(key) is None for key in ("alpha", "under", "over", "c"))
    if values.get("unit_costs") != "same" or not is_bare or costs is None:
        return values
    if costs.columns:
        return {**values, "unit_costs": "by row"}
    if not {"under", "over"} <= costs.model_fields_set or values.get("loss") != costs.loss:
        return values
    # What the numbers are is judged where they stand.
    return {**values, "under": 1.0, "over": 1.0}


def _check_labels(view: ConfigView, kind: str, uses: Sequence[CurveUse]) -> ConfigFindings:
    first: dict[str, ConfigPath] = {}
    for index, use in enumerate(uses):
        label = get_label(use)
        at: ConfigPath = (kind, index, "name" if label is use.name else "as")
        if label is not None and first.setdefault(label, at) != at:
            line = find_mark(view.tree, first[label]).line
            way = f"{{name: {view.format_text((kind, index, 'name'))}, as: …}}"
            said = f"{view.quote(*at)} is already at line {line}; give each a label: {way}"
            yield ConfigFinding(at, said)


OF_GATES = frozenset(
    """
    name rule metric model dataset segment between margin value on against
    inconclusive
""".split()
)


def resolve_metric_labels(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> MappingNode:
    """Return the tree with every reference to a metric replaced by the metric's label."""
    uses = [use for use in get_items(tree, "metrics") if _metric_name(use)]

    return map_metric_pointers(
        tree,
        lambda name: _replace_name_by_label(name, uses),
        lambda pointer: _resolve_pointer_label(pointer, uses, words, faults),
    )


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
    key = metric_key(use)
    return str(key.value) if key else ""


KEY = ("inference", "sequential")
DESIGN_KEYS = ("cluster", "weight", "count", "strata", "balance", "query", "fold", "looks")
"""Keys of a dataset by which rows hang together, count unevenly, or are judged so many times."""


def check_sequential(view: ConfigView) -> ConfigFindings:
    """Check that the primary metric is a mean of bounded losses, and that rows come singly."""
    config, keys = view.config, view.config.inference
    if not keys.sequential:
        if keys.largest_difference is not None:
            text = "inference.largest_difference is for `sequential: true`; add that, or remove it"
            yield ConfigFinding(("inference", "largest_difference"), text)
        return
    if config.baseline is None and config.comparisons.against == "baseline":
        way = "give a model `role: baseline`, or remove the key"
        text = f"there is no baseline, so there is no difference; {way}"
        yield ConfigFinding(KEY, f"inference.sequential: {text}")
    yield from _check_metric(view)
    for name, dataset in config.datasets.items():
        if dataset.role == "test":
            yield from _check_dataset(view, name, dataset)
    for key in ("across", "prevalence"):
        if getattr(config, key) is not None:
            text = f"inference.sequential does not allow for {key}; remove one of the two"
            yield ConfigFinding((key,), text)
    if config.comparisons.adjust == "maxt":
        text = "comparisons.adjust: maxt is for one analysis"
        at = ("comparisons", "adjust")
        yield ConfigFinding(at, f"{text}; with inference.sequential write bonferroni")
    if config.comparisons.test_of(config.deciding.metric) != "auto":
        text = "with inference.sequential the primary metric is tested by its e-value"
        yield ConfigFinding(("comparisons", "test"), f"{text}; leave out its test")
    if config.sensitivity.also:
        text = "sensitivity.also is for one analysis; leave it out with inference.sequential"
        yield ConfigFinding(("sensitivity", "also"), text)


def _check_metric(view: ConfigView) -> ConfigFindings:
    """Refuse a primary metric whose rows give no mean of bounded losses."""
    key = view.config.deciding.metric
    use = next((use for use in view.config.metrics if use.key == key), None)
    word = None if use is None else view.words.metrics.get(use.name)
    if use is None or word is None or word.row_bounds is None:
        return
    bounds = word.row_bounds(**use.params)
    if bounds is None:
        text = (
            f"inference.sequential needs a primary metric that is a mean over rows, and {key!r} "
            f"is not one; choose one such as {_list_suitable(view)}, or plan the analyses with "
            "`looks` under the dataset"
        )
        yield ConfigFinding(KEY, text)
    elif not all(map(isfinite, bounds)) and view.config.inference.largest_difference is None:
        text = (
            f"inference.sequential needs to know how far one row can move {key!r}; write the "
            "largest difference between two models' losses, as in `inference: {sequential: true, "
            "largest_difference: 50}`, or plan the analyses with `looks` under the dataset"
        )
        yield ConfigFinding(KEY, text)


def _list_suitable(view: ConfigView) -> str:
    """List some metrics of the task that are means over rows, probabilities first."""
    bounded: list[str] = []
    others: list[str] = []
    for name, word in view.words.metrics.items():
        is_usable = not any(each.is_required for each in word.parameters.values())
        if word.task != view.config.task or not is_usable or word.row_bounds is None:
            continue
        bounds = word.row_bounds()
        if bounds is not None:
            (bounded if all(map(isfinite, bounds)) else others).append(name)
    bounded.sort(key=lambda name: view.words.metrics[name].needs != "probability")
    return ", ".join([*bounded, *others][:3])


def _check_dataset(view: ConfigView, name: str, dataset: Dataset) -> ConfigFindings:
    is_of_lists = view.task is not None and view.task.is_of_lists
    for key in DESIGN_KEYS:
        if getattr(dataset, key) is None or (key == "query" and is_of_lists):
            continue
        way = (
            "leave it out"
            if key == "looks"
            else "keep it, and replace inference.sequential by `looks`"
        )
        text = f"datasets.{name}.{key} does not go with inference.sequential"
        why = "its limits hold for any number of analyses" if key == "looks" else "rows come singly"
        yield ConfigFinding(("datasets", name, key), f"{text}, where {why}; {way}")
    if dataset.labelled != "all":
        text = f"datasets.{name}.labelled does not go with inference.sequential; leave it out"
        yield ConfigFinding(("datasets", name, "labelled"), text)
