"""Names that point at other parts of the config: all must point at something."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from reportgen.config.checks.uses import unlisted
from reportgen.config.faults import Faults, meant, quoted
from reportgen.config.longhand import COMPARING, baseline_of
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
    key_of,
)
from reportgen.errors import Path as At
from reportgen.errors import did_you_mean, nearest

_PLURAL = {"amount": "amounts", "probability": "probabilities", "order": "scores",
           "label": "classes", "call": "probabilities"}  # fmt: skip


def check_references(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Datasets, models, metrics, segments and the baseline that are named do exist."""
    names = Names(tree, words, faults)
    _check_built(names)
    _check_baseline(names)
    _check_segments(names)
    for at, node in _judged(tree):
        _check_judged(names, at, node)
    _check_gate_names(names)


@dataclass(frozen=True)
class Names:
    """What may be pointed at."""

    tree: MappingNode
    words: Vocabulary
    faults: Faults

    @property
    def datasets(self) -> Mapping[str, Node]:
        """The datasets by name."""
        return entries(self.tree.get("datasets"))

    @property
    def models(self) -> Mapping[str, Node]:
        """The models by name."""
        return entries(self.tree.get("models"))

    @property
    def metrics(self) -> Mapping[str, str]:
        """The catalogue's name of each metric in use, by what it is called here."""
        found = {}
        for use in _items(self.tree.get("metrics")):
            key, name = key_of(use) if isinstance(use, MappingNode) else None, text_of(use, "name")
            if key is not None and name is not None:
                found[str(key.value)] = name
        return found

    @property
    def sound_metrics(self) -> list[str]:
        """What metrics are called here, less those that are refused where they are listed."""
        words, task = self.words.metrics, text_of(self.tree, "task")
        fits = {name for name, word in words.items() if word.task == task}
        return [key for key, name in self.metrics.items() if name in fits]

    def need(
        self, at: At, what: str, known: Iterable[str], meant_by: Iterable[str] | None = None
    ) -> str | None:
        """The name at a path, if it is a known one; else a fault, unless it is no name at all.

        The fault suggests one of `meant_by`, by default of all that are known.
        """
        node, names = find(self.tree, at), list(known)
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            return None
        if node.value in names:
            return node.value
        said = f"{dotted(at)}: there is no {what} {quoted(node)} in this config"
        likely = names if meant_by is None else meant_by
        self.faults.add(node.mark, f"{said}; {meant(node, likely)}", at)
        return None


def _check_built(names: Names) -> None:
    """Words of the language that this version cannot honour yet."""
    words, task = names.words, names.tree.get("task")
    if isinstance(task, Scalar) and isinstance(task.value, str) and task.value not in words.tasks:
        built = ", ".join(words.tasks)
        said = f"is not built yet; this version knows {built}"
        if task.value not in words.planned_tasks:
            said = f"is no task; {meant(task, words.tasks)}"
        names.faults.settle(task.mark, f"task: {quoted(task)} {said}")
    for at, known in (
        (("bootstrap", "interval"), words.intervals),
        (("comparisons", "adjust"), words.adjustments),
        (("costs", "loss"), words.losses),
    ):
        check_word(names, at, known)
    _check_listed(names, "outputs", words.outputs)
    _check_listed(names, "sections", words.sections)
    fatal = find(names.tree, ("warnings", "fatal"))
    for index in range(len(_items(fatal)) if words.warnings else 0):
        check_word(names, ("warnings", "fatal", index), words.warnings)


def _check_listed(names: Names, key: str, known: tuple[str, ...]) -> None:
    """A list of words, each a known one and there once."""
    seen: set[object] = set()
    for index, node in enumerate(_items(names.tree.get(key))):
        check_word(names, (key, index), known)
        if isinstance(node, Scalar) and node.value in seen:
            names.faults.add(node.mark, f"{key} lists {quoted(node)} twice; remove one")
        seen.add(node.value if isinstance(node, Scalar) else index)


def check_word(
    names: Names, at: At, known: tuple[str, ...], meant_by: Iterable[str] | None = None
) -> None:
    """The text at a path is one of a closed list; what is suggested is `meant_by`, or all."""
    node = find(names.tree, at)
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value not in known:
        likely = known if meant_by is None else meant_by
        said = f"{dotted(at)} cannot be {quoted(node)}; {meant(node, likely)}"
        names.faults.add(node.mark, said, at)


def _check_baseline(names: Names) -> None:
    models = names.models
    chosen = [name for name, model in models.items() if text_of(model, "role") == "baseline"]
    for name in chosen[1:]:
        role = find(names.tree, ("models", name, "role"))
        assert role is not None
        names.faults.add(
            role.mark,
            f"{name!r} is a second baseline beside {chosen[0]!r}; "
            "exactly one model has role: baseline",
        )
    roles = {text_of(model, "role") for model in models.values()}
    is_whole = all(isinstance(model, MappingNode) for model in models.values())
    if len(models) > 1 and not chosen and is_whole and roles <= {None, "candidate", "benchmark"}:
        names.faults.add(
            key_mark(names.tree, ("models",)),
            f"none of the {len(models)} models is the baseline; give the one that the others are "
            f"compared with `role: baseline`, for example {next(iter(models))!r}",
        )


def _check_segments(names: Names) -> None:
    for dataset, node in names.datasets.items():
        seen: set[str] = set()
        for segment in _items(child(node, "segments")):
            column = child(segment, "column")
            if isinstance(column, Scalar) and isinstance(column.value, str):
                if column.value in seen:
                    names.faults.add(
                        column.mark,
                        f"datasets.{dataset}.segments lists {quoted(column)} twice; remove one",
                    )
                seen.add(column.value)


def _judged(tree: MappingNode) -> Iterator[tuple[At, MappingNode]]:
    """`primary` and every gate, with its path."""
    primary = tree.get("primary")
    if isinstance(primary, MappingNode):
        yield ("primary",), primary
    for index, gate in enumerate(_items(tree.get("gates"))):
        if isinstance(gate, MappingNode):
            yield ("gates", index), gate


def _check_judged(names: Names, at: At, node: MappingNode) -> None:
    metric, dataset = need_metric(names, (*at, "metric")), _check_dataset(names, at)
    if at == ("primary",):
        return
    model = names.need((*at, "model"), "model", names.models)
    _check_segment(names, at, dataset)
    _check_scale(names, at, metric, model)
    _check_side(names, at, metric)
    if text_of(node, "rule") in COMPARING:
        _check_against(names, at, model)


def need_metric(names: Names, at: At) -> str | None:
    """The label at a path, if it is that of one metric; else a fault, with the way out."""
    node, known = find(names.tree, at), names.metrics
    if isinstance(node, Scalar) and node.value not in known:
        listed = len(_items(names.tree.get("metrics")))
        if not known or len(known) < listed or _is_misspelt_above(names, node):
            return None  # what is wrong stands where the metrics are listed, and is said there
        labels = [key for key, name in names.metrics.items() if name == node.value]
        if len(labels) > 1:
            names.faults.add(
                node.mark,
                f"{dotted(at)}: {quoted(node)} is used {len(labels)} times; "
                f"name one by its label: {', '.join(labels)}",
            )
            return None
        if said := unlisted(names.tree, names.words, known, node):
            names.faults.add(node.mark, f"{dotted(at)}: {said}")
            return None
    return names.need(at, "metric", names.metrics, names.sound_metrics)


def _is_misspelt_above(names: Names, node: Scalar) -> bool:
    """Whether this is the right name of a metric that is listed under a wrong one."""
    catalogue = names.words.metrics
    unknown = [name for name in names.metrics.values() if name not in catalogue]
    return any(nearest(name, catalogue)[:1] == [node.value] for name in unknown)


def _check_dataset(names: Names, at: At) -> str | None:
    judged = [key for key, node in names.datasets.items() if text_of(node, "role") != "fit"]
    dataset = names.need((*at, "dataset"), "dataset", names.datasets, judged or None)
    roles = {text_of(node, "role") for node in names.datasets.values()}
    if (
        dataset is not None
        and roles != {"fit"}
        and text_of(names.datasets[dataset], "role") == "fit"
    ):
        node = find(names.tree, (*at, "dataset"))
        assert node is not None
        names.faults.add(
            node.mark,
            f"{dotted(at)} rests on the dataset {quoted(node)}, whose role is fit; "
            "verdicts rest on a dataset with role: test",
        )
    return dataset


def _check_segment(names: Names, at: At, dataset: str | None) -> None:
    node = find(names.tree, (*at, "segment"))
    if dataset is None or not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    column, sign, _ = node.value.partition("=")
    known = [
        text
        for segment in _items(child(names.datasets[dataset], "segments"))
        if (text := text_of(segment, "column")) is not None
    ]
    if not sign:
        names.faults.add(
            node.mark, f"{dotted((*at, 'segment'))} wants column=value, not {quoted(node)}", at
        )
    elif column not in known:
        hint = "" if node.secret is None else quoted(node)
        shown = hint or repr(column)
        near = did_you_mean(column, known) if known and not hint else "list its column there"
        names.faults.add(
            node.mark,
            f"{dotted((*at, 'segment'))}: {shown} is not among datasets.{dataset}.segments; {near}",
            at,
        )


def _check_scale(names: Names, at: At, metric: str | None, model: str | None) -> None:
    if metric is None:
        return
    word = names.words.metrics.get(names.metrics[metric])
    against, said = text_of(find(names.tree, at), "against"), text_of(names.tree, "task") or ""
    task = names.words.tasks.get(said)
    if word is not None and (word.task != said or _is_at_a_point(names.tree, metric)):
        return  # told where the metric is named, or every score has calls there
    for name in (model, against):
        if name is None or word is None or task is None or word.needs == "density":
            continue
        scale = text_of(names.models.get(name), "scale") or ""
        if scale in task.scales and word.needs not in task.scales[scale]:
            mark = find(names.tree, (*at, "metric"))
            assert mark is not None
            names.faults.add(
                mark.mark,
                f"{dotted(at)}: the metric {metric!r} needs {_PLURAL[word.needs]}, and the model "
                f"{name!r} has scale: {scale}; "
                + _way_out(names.words, word.task, task.scales[scale])
                + ", or name a threshold of its score: at: NAME" * ("at" in word.parameters),
            )


def _is_at_a_point(tree: MappingNode, metric: str) -> bool:
    """Whether a metric, by what it is called here, is judged at an operating point."""
    of = (
        u for u in _items(tree.get("metrics")) if metric in (text_of(u, "as"), text_of(u, "name"))
    )
    return any(text_of(child(u, "params"), "at") for u in of)


def _way_out(words: Vocabulary, task: str, offered: Collection[str]) -> str:
    """The first metric of a task that such a score is enough for, of order if there is one."""
    fit = [(n, word) for n, word in words.metrics.items() if word.task == task]
    of_order = [n for n, word in fit if word.needs == "order" and "order" in offered]
    others = [n for n, word in fit if word.needs in offered]
    kind = " of order" if of_order else ""
    return f"use a metric{kind}, such as {(of_order or others)[0]}"


def check_scales(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Each model has a kind of score that the task knows, and costs are declared where they can."""
    names, said = Names(tree, words, faults), text_of(tree, "task")
    task = words.tasks.get(said or "")
    if task is None:
        return
    for model in names.models:
        node = find(tree, ("models", model, "scale"))
        if isinstance(node, Scalar) and node.value not in task.scales:
            given = f"models.{model}.scale cannot be {quoted(node)} with task: {said}"
            faults.add(node.mark, f"{given}; {meant(node, task.scales)}")


def _check_side(names: Names, at: At, metric: str | None) -> None:
    """A metric that is best at zero is bounded by its size, and from above alone."""
    word = None if metric is None else names.words.metrics.get(names.metrics[metric])
    rule = find(names.tree, (*at, "rule"))
    if word is None or not word.is_best_at_zero or not isinstance(rule, Scalar):
        return
    if rule.value == "above":
        names.faults.add(
            rule.mark,
            f"{dotted(at)}: {quoted(rule)} would ask {metric!r} to be far from zero, where it is "
            "best; write rule: below with the largest size that is allowed",
            at,
        )


def _check_against(names: Names, at: At, model: str | None) -> None:
    others = [name for name in names.models if name != model]
    against = names.need((*at, "against"), "model", names.models, others)
    if model is not None and model == against:
        node = find(names.tree, (*at, "model"))
        assert node is not None
        names.faults.add(
            node.mark,
            f"{dotted(at)} compares the model {quoted(node)} with itself; "
            "name another model, or another one `against`",
        )
    pair = {model, against}
    if None not in pair and len(pair) == 2 and not _is_compared(names, pair):
        mark = find(names.tree, (*at, "against"))
        assert mark is not None
        names.faults.add(
            mark.mark,
            f"{dotted(at)}: {against!r} and {model!r} are not compared with each other, only with "
            "the baseline; write comparisons: {against: all}",
        )
    if against is None and len(names.models) == 1 and baseline_of(names.tree) is None:
        rule = find(names.tree, (*at, "rule"))
        assert rule is not None
        names.faults.add(
            rule.mark,
            f"{dotted(at)}: {quoted(rule)} compares two models, and this config has one; "
            "add a model with role: baseline, or use below or above",
        )


def _is_compared(names: Names, pair: set[str | None]) -> bool:
    """Whether the report compares the two, as `comparisons` says; a name unknown is told before."""
    if text_of(find(names.tree, ("comparisons",)), "against") == "all":
        return True
    return baseline_of(names.tree) in pair or not pair <= {*names.models}


def _check_gate_names(names: Names) -> None:
    seen: dict[str, Scalar] = {}
    for gate in _items(names.tree.get("gates")):
        name = child(gate, "name")
        if isinstance(name, Scalar) and isinstance(name.value, str):
            first = seen.setdefault(name.value, name)
            if first is not name:
                names.faults.add(
                    name.mark, f"a gate {quoted(name)} is already there; give each its own name"
                )


def entries(node: Node | None) -> dict[str, Node]:
    """What a map holds, by key; nothing of anything else."""
    if not isinstance(node, MappingNode):
        return {}
    return {key: entry.node for key, entry in node.entries.items()}


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Items) else ()


def text_of(node: Node | None, key: str) -> str | None:
    """The text under a key; None where there is none."""
    below = child(node, key)
    return below.value if isinstance(below, Scalar) and isinstance(below.value, str) else None
