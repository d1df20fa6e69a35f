"""Operating points against the rest of a config: tasks, models, metrics, costs, rows to fit."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config.checks.references import Names, entries, text_of
from reportgen.config.checks.uses import alias_of
from reportgen.config.faults import Faults, meant, quoted
from reportgen.config.schema import Config
from reportgen.config.thresholds import ThresholdKeys
from reportgen.config.vocabulary import TaskWord, Vocabulary
from reportgen.config.yaml.tree import Items, MappingNode, Node, Scalar, dotted, find, key_mark
from reportgen.errors import Path as At

COST, COST_CURVE = "misclassification_cost", "cumulative_cost"
RULES = ("share", "k", "budget", "cost", "maximize", "minimize", "reach", "on")
REACHED = ("recall", "precision", "specificity", "npv")


def check_points(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Points stand where classes are called, and metrics name points that there are."""
    names = Names(tree, words, faults)
    task = words.tasks.get(text_of(tree, "task") or "")
    points = tree.get("thresholds")
    if task is None:
        return
    _check_costs(tree, task, words, faults)
    if entries(points) and not (task.is_of_flags or task.is_of_labels):
        named = words.tasks.items()
        fits = ", ".join(n for n, each in named if each.is_of_flags or each.is_of_labels)
        faults.add(key_mark(tree, ("thresholds",)), f"thresholds are for task: {fits}; remove them")
        return
    for at, node in _named_points(tree):
        known = list(entries(points))
        if isinstance(node, Scalar) and node.value and node.value not in known:
            way = meant(node, known) if known else "declare it under thresholds"
            faults.add(node.mark, f"there is no operating point {quoted(node)}; {way}", at)
    for name, point in entries(points).items():
        if isinstance(point, MappingNode):
            _check_rule(names, task, ("thresholds", name), point)
            _check_names(names, ("thresholds", name), point)


def _check_costs(tree: MappingNode, task: TaskWord, words: Vocabulary, faults: Faults) -> None:
    """What errors cost is said by their side of amounts, and by the cell of the matrix of calls."""
    costs = tree.get("costs")
    if not isinstance(costs, MappingNode):
        return
    if entries(costs.get("matrix")):
        if not (task.has_several_classes and not task.is_of_labels):
            tasks = words.tasks.items()
            fits = [n for n, t in tasks if t.has_several_classes and not t.is_of_labels]
            way = "; write costs: {fp: …, fn: …}" if task.is_of_flags else "; remove it"
            said = f"costs.matrix is for task: {', '.join(fits)}{way}"
            faults.add(key_mark(tree, ("costs", "matrix")), said)
        return
    is_of_calls = bool({"fp", "fn", "tp", "tn"} & costs.entries.keys())
    if task.is_of_flags if is_of_calls else task.has_side_costs:
        return
    takes = [n for n, each in words.tasks.items()
             if (each.is_of_flags if is_of_calls else each.has_side_costs)]  # fmt: skip
    named = "{fp, fn}" if is_of_calls else "{under, over}"
    said = f"costs: {named} is for task: {', '.join(takes)}; remove it here"
    way = ", or write costs: {fp: …, fn: …}" if task.is_of_flags else ""
    faults.add(key_mark(tree, ("costs",)), said + way)


def _named_points(tree: MappingNode) -> Iterator[tuple[At, Node | None]]:
    for kind in ("metrics", "curves"):
        uses = tree.get(kind)
        for index in range(len(uses.items) if isinstance(uses, Items) else 0):
            at: At = (kind, index, "params", "at")
            yield at, find(tree, at)


def _check_rule(names: Names, task: TaskWord, at: At, point: MappingNode) -> None:
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
            said = f"{dotted(at)}: by_class is for task: {fits}; remove it"
        elif task.is_of_labels and key in RULES:
            said = f"{dotted(at)}: {key} is for two classes; labels take fixed, with by_class"
        else:
            continue
        names.faults.add(key_mark(names.tree, (*at, key)), said)


def _check_names(names: Names, at: At, point: MappingNode) -> None:
    """Models and metrics that a point names do exist, and the metrics are of calls."""
    for model in entries(point.get("by_model")):
        if model not in names.models:
            mark = key_mark(names.tree, (*at, "by_model", model))
            said = f"there is no model {model!r} in this config"
            names.faults.add(mark, f"{'.'.join(map(str, at))}.by_model: {said}")
    words = names.words.metrics
    of_calls = [name for name, word in words.items() if "at" in word.parameters]
    for key in ("maximize", "minimize"):
        node = point.get(key)
        if isinstance(node, Scalar) and node.value not in of_calls:
            own = alias_of(str(node.value), words, text_of(names.tree, "task") or "")
            way = f"here it is called {own!r}" if own in of_calls else meant(node, of_calls)
            names.faults.add(node.mark, f"{key}: {quoted(node)} is no metric of calls; {way}")
    for metric in entries(point.get("reach")):
        if metric not in REACHED:
            mark = key_mark(names.tree, (*at, "reach", metric))
            own = alias_of(metric, words, text_of(names.tree, "task") or "")
            way = f"; here it is called {own!r}" if own in REACHED else ""
            said = f"reach takes {', '.join(REACHED)}, not {metric!r}{way}"
            names.faults.add(mark, said)


def check_rules(config: Config, tree: MappingNode, faults: Faults) -> None:
    """Each rule has what it needs: probabilities, costs, rows to fit on."""
    for place, said in _turned(config):
        faults.add(key_mark(tree, place), said)
    for name, point in config.thresholds.items():
        at: At = ("thresholds", name)
        for said in _lacks(config, point):
            faults.add(key_mark(tree, at), f"thresholds.{name}: {said}")
    cheap = _cheap_errors(config, or_equal=False)
    if len(cheap) == 2:
        said = f"costs: both errors cost less than being right ({' and '.join(cheap)})"
        way = "write a loss as a number above 0, a gain as one below"
        faults.add(key_mark(tree, ("costs",)), f"{said}: {way}")
    for index, said in _have_no_threshold(config):
        faults.add(key_mark(tree, ("metrics", index)), said)
    for index, drawn in enumerate(config.curves):
        if drawn.name == COST_CURVE and not _has_costs(config):
            mark = key_mark(tree, ("curves", index))
            faults.add(mark, f"{COST_CURVE} needs costs: {{fp: …, fn: …}}")
    for index, use in enumerate(config.metrics):
        is_bare = use.name == COST and use.params.get("fp") is None
        if use.name == COST and config.costs is not None and config.costs.matrix:
            continue
        if is_bare and "calls" in use.params:
            mark = key_mark(tree, ("metrics", index))
            faults.add(mark, f"{COST} needs costs: {{matrix: …}}")
        elif is_bare and not _has_costs(config):
            mark = key_mark(tree, ("metrics", index))
            faults.add(mark, f"{COST} needs costs: {{fp: …, fn: …}}")


def _have_no_threshold(config: Config) -> Iterator[tuple[int, str]]:
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


def _turned(config: Config) -> Iterator[tuple[At, str]]:
    """A score that says more where it is low orders rows, and has no threshold that is a score."""
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


def _lacks(config: Config, point: ThresholdKeys) -> Iterator[str]:
    if point.cost is True:
        yield from _lacks_of_cost(config)
    yield from _of_two_scales(config, point)
    yield from _out_of_range(config, point)
    labels = [name for name, model in config.models.items() if model.scale == "label"]
    is_counted = any(x is not None for x in (point.share, point.k, point.budget))
    if labels and (is_counted or (point.is_learnt and point.on == "test")):
        what = "a number of calls" if is_counted else "on: test"
        way = f"take another rule, such as fixed:, or leave {labels[0]!r} out"
        yield f"{what} is for scores, and the model {labels[0]!r} says its calls itself; {way}"
    if point.minimize == COST and not _has_costs(config):
        yield f"minimize: {COST} needs costs: {{fp: …, fn: …}}"
    elif point.minimize == COST and not _are_same_for_all(config):
        yield f"minimize: {COST} needs costs that are the same for all rows"
    has_fit = any(each.role == "fit" for each in config.datasets.values())
    if point.is_learnt and point.on == "fit" and not has_fit:
        is_folded = any(each.fold for each in config.datasets.values())
        way = "on: test" if is_folded else "give a dataset role: fit, or on: test"
        yield f"{point.goal} needs rows to choose on: {way}"


def _out_of_range(config: Config, point: ThresholdKeys) -> Iterator[str]:
    """A fixed threshold that no probability reaches, or that all do."""
    probable = [n for n, m in config.models.items() if m.scale == "probability"]
    for model in probable:
        at = point.by_model.get(model, point.fixed)
        if isinstance(at, int | float) and not 0 <= at <= 1:
            percent = f"; {at:g}% is {at / 100:g}" if 1 < at <= 100 else ""
            way = f"write a number from 0 to 1{percent}, or give the model scale: score"
            yield f"{at:g} is no threshold of the probabilities of {model!r}; {way}"
            return


def _of_two_scales(config: Config, point: ThresholdKeys) -> Iterator[str]:
    """One number cannot be a threshold of probabilities and of other scores."""
    scales = {n: m.scale for n, m in config.models.items() if n not in point.by_model}
    other = next((n for n, scale in scales.items() if scale in ("score", "rank")), None)
    if point.fixed is not None and other is not None and "probability" in scales.values():
        yield (
            f"fixed: {point.fixed:g} is one of probabilities, and {other!r} has scale: "
            f"{scales[other]}; give {other!r} its own under by_model, or call a share of the rows"
        )


def _lacks_of_cost(config: Config) -> Iterator[str]:
    if config.costs is None or not config.costs.is_of_calls:
        yield "cost: true needs costs: {fp: …, fn: …}"
        return
    if not _are_same_for_all(config):
        yield "cost: true needs costs that are the same for all rows"
    if low := _cheap_errors(config):
        yield (
            "cost: true needs errors that cost more than being right; costs have "
            f"{' and '.join(low)}: write a loss as a number above 0, a gain as one below"
        )
    loose = [name for name, model in config.models.items() if model.scale != "probability"]
    if loose:
        way = f"take another rule, such as fixed:, or leave {loose[0]!r} out"
        yield f"cost: true is for probabilities, and the model {loose[0]!r} has none; {way}"


def _cheap_errors(config: Config, *, or_equal: bool = True) -> list[str]:
    """The errors that cost less than being right does, or the same, each beside it."""
    if config.costs is None:
        return []
    numbers = {cell: cost for cell, cost in config.costs.cells.items() if isinstance(cost, float)}
    return [
        f"{error} {numbers[error]:g} beside {right} {numbers[right]:g}"
        for error, right in (("fp", "tn"), ("fn", "tp"))
        if {error, right} <= numbers.keys()
        and (numbers[error] < numbers[right] or (or_equal and numbers[error] == numbers[right]))
    ]


def _are_same_for_all(config: Config) -> bool:
    return config.costs is not None and not config.costs.named_columns


def _has_costs(config: Config) -> bool:
    return config.costs is not None and config.costs.is_of_calls
