"""Rules about operating points and fitted shifts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from reportgen.config.checks.metrics import suggest_alias
from reportgen.config.checks.references import KnownNames, get_text, list_entries
from reportgen.config.schema.config import Config
from reportgen.config.schema.costs import ThresholdKeys
from reportgen.config.vocabulary import TaskWord, Vocabulary
from reportgen.config.yaml.faults import ProblemList, quote_node, suggest_name
from reportgen.config.yaml.tree import (
    ListNode,
    MappingNode,
    Node,
    Scalar,
    find_key_mark,
    find_node,
    format_key_path,
    get_child,
)
from reportgen.errors import ConfigPath

COST, COST_CURVE = "misclassification_cost", "cumulative_cost"
RULES = ("share", "k", "budget", "cost", "maximize", "minimize", "reach", "on")
REACHED = ("recall", "precision", "specificity", "npv")


def check_points(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Points stand where classes are called, and metrics name points that there are."""
    names = KnownNames(tree, words, faults)
    task = words.tasks.get(get_text(tree, "task") or "")
    points = tree.get("thresholds")
    if task is None:
        return
    _check_costs(tree, task, words, faults)
    if list_entries(points) and not (task.is_of_flags or task.is_of_labels):
        named = words.tasks.items()
        fits = ", ".join(n for n, each in named if each.is_of_flags or each.is_of_labels)
        faults.add(
            find_key_mark(tree, ("thresholds",)), f"thresholds are for task: {fits}; remove them"
        )
        return
    for at, node in _iter_named_points(tree):
        known = list(list_entries(points))
        if isinstance(node, Scalar) and node.value and node.value not in known:
            way = suggest_name(node, known) if known else "declare it under thresholds"
            faults.add(node.mark, f"there is no operating point {quote_node(node)}; {way}", at)
    for name, point in list_entries(points).items():
        if isinstance(point, MappingNode):
            _check_rule(names, task, ("thresholds", name), point)
            _check_names(names, ("thresholds", name), point)


def _check_costs(tree: MappingNode, task: TaskWord, words: Vocabulary, faults: ProblemList) -> None:
    """Check that costs are by side for amounts, and by cell of the confusion matrix for classes."""
    costs = tree.get("costs")
    if not isinstance(costs, MappingNode):
        return
    if list_entries(costs.get("matrix")):
        if not (task.has_several_classes and not task.is_of_labels):
            tasks = words.tasks.items()
            fits = [n for n, t in tasks if t.has_several_classes and not t.is_of_labels]
            way = "; write costs: {fp: …, fn: …}" if task.is_of_flags else "; remove it"
            said = f"costs.matrix is for task: {', '.join(fits)}{way}"
            faults.add(find_key_mark(tree, ("costs", "matrix")), said)
        return
    is_of_calls = bool({"fp", "fn", "tp", "tn"} & costs.entries.keys())
    if task.is_of_flags if is_of_calls else task.has_side_costs:
        return
    takes = [
        n
        for n, each in words.tasks.items()
        if (each.is_of_flags if is_of_calls else each.has_side_costs)
    ]
    named = "{fp, fn}" if is_of_calls else "{under, over}"
    said = f"costs: {named} is for task: {', '.join(takes)}; remove it here"
    way = ", or write costs: {fp: …, fn: …}" if task.is_of_flags else ""
    faults.add(find_key_mark(tree, ("costs",)), said + way)


def _iter_named_points(tree: MappingNode) -> Iterator[tuple[ConfigPath, Node | None]]:
    for kind in ("metrics", "curves"):
        uses = tree.get(kind)
        for index in range(len(uses.items) if isinstance(uses, ListNode) else 0):
            at: ConfigPath = (kind, index, "params", "at")
            yield at, find_node(tree, at)


def _check_rule(names: KnownNames, task: TaskWord, at: ConfigPath, point: MappingNode) -> None:
    """Labels are called from fixed thresholds on, and they alone have thresholds of their own."""
    tasks = names.words.tasks.items()
    for key in point.entries:
        node = point.get(key)
        if isinstance(node, Scalar) and node.value == "fit":
            continue  # a default that is written out says nothing
        if isinstance(node, MappingNode) and not node.entries:
            continue
        if key == "by_class" and not task.is_of_labels:
            fits = ", ".join(name for name, each in tasks if each.is_of_labels)
            said = f"{format_key_path(at)}: by_class is for task: {fits}; remove it"
        elif task.is_of_labels and key in RULES:
            said = (
                f"{format_key_path(at)}: {key} is for two classes; labels take fixed, with by_class"
            )
        else:
            continue
        names.faults.add(find_key_mark(names.tree, (*at, key)), said)


def _check_names(names: KnownNames, at: ConfigPath, point: MappingNode) -> None:
    """Models and metrics that a point names do exist, and the metrics are of calls."""
    for model in list_entries(point.get("by_model")):
        if model not in names.models:
            mark = find_key_mark(names.tree, (*at, "by_model", model))
            said = f"there is no model {model!r} in this config"
            names.faults.add(mark, f"{'.'.join(map(str, at))}.by_model: {said}")
    words = names.words.metrics
    of_calls = [name for name, word in words.items() if "at" in word.parameters]
    for key in ("maximize", "minimize"):
        node = point.get(key)
        if isinstance(node, Scalar) and node.value not in of_calls:
            own = suggest_alias(str(node.value), words, get_text(names.tree, "task") or "")
            way = f"here it is called {own!r}" if own in of_calls else suggest_name(node, of_calls)
            names.faults.add(node.mark, f"{key}: {quote_node(node)} is no metric of calls; {way}")
    for metric in list_entries(point.get("reach")):
        if metric not in REACHED:
            mark = find_key_mark(names.tree, (*at, "reach", metric))
            own = suggest_alias(metric, words, get_text(names.tree, "task") or "")
            way = f"; here it is called {own!r}" if own in REACHED else ""
            said = f"reach takes {', '.join(REACHED)}, not {metric!r}{way}"
            names.faults.add(mark, said)


def check_rules(config: Config, tree: MappingNode, faults: ProblemList) -> None:
    """Each rule has what it needs: probabilities, costs, rows to fit on."""
    for place, said in _check_score_order(config):
        faults.add(find_key_mark(tree, place), said)
    for name, point in config.thresholds.items():
        at: ConfigPath = ("thresholds", name)
        for said in _iter_unmet_needs(config, point):
            faults.add(find_key_mark(tree, at), f"thresholds.{name}: {said}")
    cheap = _list_cheap_errors(config, or_equal=False)
    if len(cheap) == 2:
        said = f"costs: both errors cost less than being right ({' and '.join(cheap)})"
        way = "write a loss as a number above 0, a gain as one below"
        faults.add(find_key_mark(tree, ("costs",)), f"{said}: {way}")
    for index, said in _iter_metrics_without_threshold(config):
        faults.add(find_key_mark(tree, ("metrics", index)), said)
    for index, drawn in enumerate(config.curves):
        if drawn.name == COST_CURVE and not _has_costs(config):
            mark = find_key_mark(tree, ("curves", index))
            faults.add(mark, f"{COST_CURVE} needs costs: {{fp: …, fn: …}}")
    for index, use in enumerate(config.metrics):
        is_bare = use.name == COST and use.params.get("fp") is None
        if use.name == COST and config.costs is not None and config.costs.matrix:
            continue
        if is_bare and "calls" in use.params:
            mark = find_key_mark(tree, ("metrics", index))
            faults.add(mark, f"{COST} needs costs: {{matrix: …}}")
        elif is_bare and not _has_costs(config):
            mark = find_key_mark(tree, ("metrics", index))
            faults.add(mark, f"{COST} needs costs: {{fp: …, fn: …}}")


def _iter_metrics_without_threshold(config: Config) -> Iterator[tuple[int, str]]:
    """Metrics of calls that no model has: from where on a score is called nobody has said.

    A number that a metric names is one from 0 to 1, of probabilities.
    """
    if not {model.scale for model in config.models.values()} <= {"score", "rank"}:
        return
    for index, use in enumerate(config.metrics):
        if use.params.get("at") == "":
            said = "needs a threshold: no model here has probabilities; say where calls begin, such"
            yield (
                index,
                f"{use.name} {said} as thresholds: {{calls: {{fixed: …}}}}, or {{share: 0.1}} for "
                "the highest tenth",
            )


def _check_score_order(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    """Yield misuses of low-first scores, which order rows but allow no threshold on the score."""
    for name, model in config.models.items():
        if model.order == "descending":
            continue
        if model.scale in ("probability", "label"):
            said = f"models.{name}.order: a {model.scale} has none; remove it, or say scale: score"
            yield ("models", name, "order"), said
            continue
        for point, rule in config.thresholds.items():
            is_counted = any(x is not None for x in (rule.share, rule.k, rule.budget))
            if not is_counted:
                said = f"thresholds.{point}: the model {name!r} has order: {model.order}, so that "
                yield ("thresholds", point), f"{said}calls are counted: take share, k or budget"


def _iter_unmet_needs(config: Config, point: ThresholdKeys) -> Iterator[str]:
    if point.cost is True:
        yield from _iter_unmet_cost_needs(config)
    yield from _check_one_scale(config, point)
    yield from _check_reachable(config, point)
    labels = [name for name, model in config.models.items() if model.scale == "label"]
    is_counted = any(x is not None for x in (point.share, point.k, point.budget))
    if labels and (is_counted or (point.is_learnt and point.on == "test")):
        what = "a number of calls" if is_counted else "on: test"
        way = f"take another rule, such as fixed:, or leave {labels[0]!r} out"
        yield f"{what} is for scores, and the model {labels[0]!r} says its calls itself; {way}"
    if point.minimize == COST and not _has_costs(config):
        yield f"minimize: {COST} needs costs: {{fp: …, fn: …}}"
    elif point.minimize == COST and not _has_uniform_costs(config):
        yield f"minimize: {COST} needs costs that are the same for all rows"
    has_fit = any(each.role == "fit" for each in config.datasets.values())
    if point.is_learnt and point.on == "fit" and not has_fit:
        is_folded = any(each.fold for each in config.datasets.values())
        way = "on: test" if is_folded else "give a dataset role: fit, or on: test"
        yield f"{point.goal} needs rows to choose on: {way}"


def _check_reachable(config: Config, point: ThresholdKeys) -> Iterator[str]:
    """Yield a problem if a fixed threshold is one that no probability reaches, or that all do."""
    probable = [n for n, m in config.models.items() if m.scale == "probability"]
    for model in probable:
        at = point.by_model.get(model, point.fixed)
        if isinstance(at, int | float) and not 0 <= at <= 1:
            percent = f"; {at:g}% is {at / 100:g}" if 1 < at <= 100 else ""
            way = f"write a number from 0 to 1{percent}, or give the model scale: score"
            yield f"{at:g} is no threshold of the probabilities of {model!r}; {way}"
            return


def _check_one_scale(config: Config, point: ThresholdKeys) -> Iterator[str]:
    """One number cannot be a threshold of probabilities and of other scores."""
    scales = {n: m.scale for n, m in config.models.items() if n not in point.by_model}
    other = next((n for n, scale in scales.items() if scale in ("score", "rank")), None)
    if point.fixed is not None and other is not None and "probability" in scales.values():
        yield (
            f"fixed: {point.fixed:g} is one of probabilities, and {other!r} has scale: "
            f"{scales[other]}; give {other!r} its own under by_model, or call a share of the rows"
        )


def _iter_unmet_cost_needs(config: Config) -> Iterator[str]:
    if config.costs is None or not config.costs.is_of_calls:
        yield "cost: true needs costs: {fp: …, fn: …}"
        return
    if not _has_uniform_costs(config):
        yield "cost: true needs costs that are the same for all rows"
    if low := _list_cheap_errors(config):
        yield (
            "cost: true needs errors that cost more than being right; costs have "
            f"{' and '.join(low)}: write a loss as a number above 0, a gain as one below"
        )
    loose = [name for name, model in config.models.items() if model.scale != "probability"]
    if loose:
        way = f"take another rule, such as fixed:, or leave {loose[0]!r} out"
        yield f"cost: true is for probabilities, and the model {loose[0]!r} has none; {way}"


def _list_cheap_errors(config: Config, *, or_equal: bool = True) -> list[str]:
    """List errors that cost less than being right does, or the same, each with both costs."""
    if config.costs is None:
        return []
    numbers = {cell: cost for cell, cost in config.costs.cells.items() if isinstance(cost, float)}
    return [
        f"{error} {numbers[error]:g} beside {right} {numbers[right]:g}"
        for error, right in (("fp", "tn"), ("fn", "tp"))
        if {error, right} <= numbers.keys()
        and (numbers[error] < numbers[right] or (or_equal and numbers[error] == numbers[right]))
    ]


def _has_uniform_costs(config: Config) -> bool:
    return config.costs is not None and not config.costs.all_columns


def _has_costs(config: Config) -> bool:
    return config.costs is not None and config.costs.is_of_calls


_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


def check_shifts(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Every dataset that is judged knows where its shifts are fitted, if any are."""
    datasets = _entries(tree.get("datasets"))
    fits = [name for name, node in datasets.items() if _get_text(node, "role") == "fit"]
    wanted = list(_iter_fitted_shifts(tree))
    task = words.tasks.get(_get_text(tree, "task") or "")
    is_wanted = bool(wanted) or (task is not None and task.is_of_lists)
    for name, node in datasets.items():
        if _get_text(node, "role") != "fit":
            _check_fit(tree, name, node, fits, is_wanted=is_wanted, faults=faults)
    if not fits and datasets:
        for node in wanted:
            faults.add(
                node.mark,
                f"shift: {quote_node(node)} needs rows to fit on; add a dataset with role: fit",
            )
    if task is not None and task.has_densities:
        for at, columns in _iter_columns(tree):
            _check_density(tree, at, columns, faults)


def _check_fit(
    tree: MappingNode,
    name: str,
    node: Node,
    fits: list[str],
    *,
    is_wanted: bool,
    faults: ProblemList,
) -> None:
    """Check that the named dataset to fit on exists, and that of several one is named."""
    named = get_child(node, "fit")
    if isinstance(named, Scalar) and isinstance(named.value, str):
        if named.value not in fits:
            hint = suggest_name(named, fits) if fits else "add one"
            said = f"there is no dataset {quote_node(named)} with role: fit in this config; {hint}"
            faults.add(named.mark, f"datasets.{name}.fit: {said}")
    elif len(fits) > 1 and (is_wanted or isinstance(tree.get("costs"), MappingNode)):
        faults.add(
            find_key_mark(tree, ("datasets", name)),
            f"datasets.{name}: {len(fits)} datasets have role: fit; say which one its shifts "
            f"or cut-offs are fitted on: fit: {fits[0]}",
        )


def _check_density(
    tree: MappingNode, at: ConfigPath, columns: MappingNode, faults: ProblemList
) -> None:
    """Named columns of a score in the unit of y: mean and sd, or quantiles."""
    names = list(columns.entries)
    levels = {name: float(m[1]) for name in names if (m := _QUANTILE.fullmatch(name))}
    for name, level in levels.items():
        if not 0 < level < 100:
            faults.add(
                columns.entries[name].mark,
                f"{format_key_path((*at, name))}: a quantile lies above 0% and below 100%, as "
                "q10 does",
            )
    said = ""
    if "sd" in names and "mean" not in names:
        said = "has sd without mean; a Normal density needs both"
    elif "sd" in names and levels:
        said = "has both sd and quantiles; keep one of the two"
    elif len(levels) == 1:
        said = f"has one quantile, {next(iter(levels))}; a density needs two or more"
    if said:
        faults.add(find_key_mark(tree, at), f"{format_key_path(at)} {said}")


def _iter_columns(tree: MappingNode) -> Iterator[tuple[ConfigPath, MappingNode]]:
    """Every `columns` of a model and of its files, with its path."""
    for model, node in _entries(tree.get("models")).items():
        own = [("models", model)]
        own += [("models", model, "scores", each) for each in _entries(get_child(node, "scores"))]  # type: ignore[misc]
        for at in own:
            columns = find_node(tree, (*at, "columns"))
            if isinstance(columns, MappingNode):
                yield (*at, "columns"), columns


def _iter_fitted_shifts(tree: MappingNode) -> Iterator[Scalar]:
    """Every `shift: fitted` of a metric or a curve."""
    for key in ("metrics", "curves"):
        uses = tree.get(key)
        for use in uses.items if isinstance(uses, ListNode) else ():
            shift = find_node(use, ("params", "shift"))
            if isinstance(shift, Scalar) and shift.value == "fitted":
                yield shift


def _entries(node: Node | None) -> Mapping[str, Node]:
    if not isinstance(node, MappingNode):
        return {}
    return {key: entry.node for key, entry in node.entries.items()}


def _get_text(node: Node | None, key: str) -> str | None:
    below = get_child(node, key)
    return below.value if isinstance(below, Scalar) and isinstance(below.value, str) else None
