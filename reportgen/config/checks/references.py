"""Names that point at other parts of the config must exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from reportgen.config.checks.metrics import explain_unlisted
from reportgen.config.shorthand import COMPARING, find_baseline
from reportgen.config.vocabulary import Vocabulary
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
    metric_key,
)
from reportgen.errors import ConfigPath, did_you_mean, find_nearest

_PLURAL = {
    "amount": "amounts",
    "probability": "probabilities",
    "order": "scores",
    "label": "classes",
    "call": "probabilities",
}


def check_references(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Datasets, models, metrics, segments and the baseline that are named do exist."""
    names = KnownNames(tree, words, faults)
    _check_supported_words(names)
    _check_baseline(names)
    _check_segments(names)
    for at, node in _iter_primary_and_gates(tree):
        _check_primary_or_gate(names, at, node)
    _check_gate_names(names)


@dataclass(frozen=True)
class KnownNames:
    """Names that other parts of a config may refer to."""

    tree: MappingNode
    words: Vocabulary
    faults: ProblemList

    @property
    def datasets(self) -> Mapping[str, Node]:
        """The datasets by name."""
        return list_entries(self.tree.get("datasets"))

    @property
    def models(self) -> Mapping[str, Node]:
        """The models by name."""
        return list_entries(self.tree.get("models"))

    @property
    def metrics(self) -> Mapping[str, str]:
        """The catalogue's name of each metric in use, by what it is called here."""
        found = {}
        for use in _list_items(self.tree.get("metrics")):
            key, name = (
                metric_key(use) if isinstance(use, MappingNode) else None,
                get_text(use, "name"),
            )
            if key is not None and name is not None:
                found[str(key.value)] = name
        return found

    @property
    def sound_metrics(self) -> list[str]:
        """Labels of metrics here, less those that are refused where they are listed."""
        words, task = self.words.metrics, get_text(self.tree, "task")
        fits = {name for name, word in words.items() if word.task == task}
        return [key for key, name in self.metrics.items() if name in fits]

    def need(
        self, at: ConfigPath, what: str, known: Iterable[str], meant_by: Iterable[str] | None = None
    ) -> str | None:
        """Return the name at a path if it is a known one; else add a problem, unless it is no name.

        The fault suggests one of `meant_by`, by default of all that are known.
        """
        node, names = find_node(self.tree, at), list(known)
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            return None
        if node.value in names:
            return node.value
        said = f"{format_key_path(at)}: there is no {what} {quote_node(node)} in this config"
        likely = names if meant_by is None else meant_by
        self.faults.add(node.mark, f"{said}; {suggest_name(node, likely)}", at)
        return None


def _check_supported_words(names: KnownNames) -> None:
    """Words of the language that this version cannot honour yet."""
    words, task = names.words, names.tree.get("task")
    if isinstance(task, Scalar) and isinstance(task.value, str) and task.value not in words.tasks:
        built = ", ".join(words.tasks)
        said = f"is not built yet; this version knows {built}"
        if task.value not in words.planned_tasks:
            said = f"is no task; {suggest_name(task, words.tasks)}"
        names.faults.settle(task.mark, f"task: {quote_node(task)} {said}")
    for at, known in (
        (("bootstrap", "interval"), words.intervals),
        (("comparisons", "adjust"), words.adjustments),
        (("costs", "loss"), words.losses),
    ):
        check_word(names, at, known)
    _check_listed(names, "outputs", words.outputs)
    _check_listed(names, "sections", words.sections)
    fatal = find_node(names.tree, ("warnings", "fatal"))
    for index in range(len(_list_items(fatal)) if words.warnings else 0):
        check_word(names, ("warnings", "fatal", index), words.warnings)


def _check_listed(names: KnownNames, key: str, known: tuple[str, ...]) -> None:
    """Check that every word of a list is known and is listed once."""
    seen: set[object] = set()
    for index, node in enumerate(_list_items(names.tree.get(key))):
        check_word(names, (key, index), known)
        if isinstance(node, Scalar) and node.value in seen:
            names.faults.add(node.mark, f"{key} lists {quote_node(node)} twice; remove one")
        seen.add(node.value if isinstance(node, Scalar) else index)


def check_word(
    names: KnownNames, at: ConfigPath, known: tuple[str, ...], meant_by: Iterable[str] | None = None
) -> None:
    """Check that the text at a path is one of a closed list; suggest from `meant_by`, or any."""
    node = find_node(names.tree, at)
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value not in known:
        likely = known if meant_by is None else meant_by
        said = f"{format_key_path(at)} cannot be {quote_node(node)}; {suggest_name(node, likely)}"
        names.faults.add(node.mark, said, at)


def _check_baseline(names: KnownNames) -> None:
    models = names.models
    chosen = [name for name, model in models.items() if get_text(model, "role") == "baseline"]
    for name in chosen[1:]:
        role = find_node(names.tree, ("models", name, "role"))
        assert role is not None
        names.faults.add(
            role.mark,
            f"{name!r} is a second baseline beside {chosen[0]!r}; "
            "exactly one model has role: baseline",
        )
    roles = {get_text(model, "role") for model in models.values()}
    is_whole = all(isinstance(model, MappingNode) for model in models.values())
    if len(models) > 1 and not chosen and is_whole and roles <= {None, "candidate", "benchmark"}:
        names.faults.add(
            find_key_mark(names.tree, ("models",)),
            f"none of the {len(models)} models is the baseline; give the one that the others are "
            f"compared with `role: baseline`, for example {next(iter(models))!r}",
        )


def _check_segments(names: KnownNames) -> None:
    for dataset, node in names.datasets.items():
        seen: set[str] = set()
        for segment in _list_items(get_child(node, "segments")):
            column = get_child(segment, "column")
            if isinstance(column, Scalar) and isinstance(column.value, str):
                if column.value in seen:
                    names.faults.add(
                        column.mark,
                        f"datasets.{dataset}.segments lists {quote_node(column)} twice; remove one",
                    )
                seen.add(column.value)


def _iter_primary_and_gates(tree: MappingNode) -> Iterator[tuple[ConfigPath, MappingNode]]:
    """`primary` and every gate, with its path."""
    primary = tree.get("primary")
    if isinstance(primary, MappingNode):
        yield ("primary",), primary
    for index, gate in enumerate(_list_items(tree.get("gates"))):
        if isinstance(gate, MappingNode):
            yield ("gates", index), gate


def _check_primary_or_gate(names: KnownNames, at: ConfigPath, node: MappingNode) -> None:
    metric, dataset = require_metric(names, (*at, "metric")), _check_dataset(names, at)
    if at == ("primary",):
        return
    model = names.need((*at, "model"), "model", names.models)
    _check_segment(names, at, dataset)
    _check_scale(names, at, metric, model)
    _check_side(names, at, metric)
    if get_text(node, "rule") in COMPARING:
        _check_against(names, at, model)


def require_metric(names: KnownNames, at: ConfigPath) -> str | None:
    """Return the label at a path if it is that of one metric; else add a problem with a fix."""
    node, known = find_node(names.tree, at), names.metrics
    if isinstance(node, Scalar) and node.value not in known:
        listed = len(_list_items(names.tree.get("metrics")))
        if not known or len(known) < listed or _is_misspelt_above(names, node):
            return None  # what is wrong stands where the metrics are listed, and is said there
        labels = [key for key, name in names.metrics.items() if name == node.value]
        if len(labels) > 1:
            names.faults.add(
                node.mark,
                f"{format_key_path(at)}: {quote_node(node)} is used {len(labels)} times; "
                f"name one by its label: {', '.join(labels)}",
            )
            return None
        if said := explain_unlisted(names.tree, names.words, known, node):
            names.faults.add(node.mark, f"{format_key_path(at)}: {said}")
            return None
    return names.need(at, "metric", names.metrics, names.sound_metrics)


def _is_misspelt_above(names: KnownNames, node: Scalar) -> bool:
    """Return whether this is the right name of a metric that is listed under a wrong one."""
    catalogue = names.words.metrics
    unknown = [name for name in names.metrics.values() if name not in catalogue]
    return any(find_nearest(name, catalogue)[:1] == [node.value] for name in unknown)


def _check_dataset(names: KnownNames, at: ConfigPath) -> str | None:
    judged = [key for key, node in names.datasets.items() if get_text(node, "role") != "fit"]
    dataset = names.need((*at, "dataset"), "dataset", names.datasets, judged or None)
    roles = {get_text(node, "role") for node in names.datasets.values()}
    if (
        dataset is not None
        and roles != {"fit"}
        and get_text(names.datasets[dataset], "role") == "fit"
    ):
        node = find_node(names.tree, (*at, "dataset"))
        assert node is not None
        names.faults.add(
            node.mark,
            f"{format_key_path(at)} rests on the dataset {quote_node(node)}, whose role is fit; "
            "verdicts rest on a dataset with role: test",
        )
    return dataset


def _check_segment(names: KnownNames, at: ConfigPath, dataset: str | None) -> None:
    node = find_node(names.tree, (*at, "segment"))
    if dataset is None or not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    column, sign, _ = node.value.partition("=")
    known = [
        text
        for segment in _list_items(get_child(names.datasets[dataset], "segments"))
        if (text := get_text(segment, "column")) is not None
    ]
    if not sign:
        names.faults.add(
            node.mark,
            f"{format_key_path((*at, 'segment'))} wants column=value, not {quote_node(node)}",
            at,
        )
    elif column not in known:
        hint = "" if node.secret is None else quote_node(node)
        shown = hint or repr(column)
        near = did_you_mean(column, known) if known and not hint else "list its column there"
        names.faults.add(
            node.mark,
            f"{format_key_path((*at, 'segment'))}: {shown} is not among "
            f"datasets.{dataset}.segments; {near}",
            at,
        )


def _check_scale(names: KnownNames, at: ConfigPath, metric: str | None, model: str | None) -> None:
    if metric is None:
        return
    word = names.words.metrics.get(names.metrics[metric])
    against, said = (
        get_text(find_node(names.tree, at), "against"),
        get_text(names.tree, "task") or "",
    )
    task = names.words.tasks.get(said)
    if word is not None and (word.task != said or _has_operating_point(names.tree, metric)):
        return  # reported where the metric is named, or every score has calls there
    for name in (model, against):
        if name is None or word is None or task is None or word.needs == "density":
            continue
        scale = get_text(names.models.get(name), "scale") or ""
        if scale in task.scales and word.needs not in task.scales[scale]:
            mark = find_node(names.tree, (*at, "metric"))
            assert mark is not None
            names.faults.add(
                mark.mark,
                f"{format_key_path(at)}: the metric {metric!r} needs {_PLURAL[word.needs]}, and "
                "the model "
                f"{name!r} has scale: {scale}; "
                + _suggest_metric(names.words, word.task, task.scales[scale])
                + ", or name a threshold of its score: at: NAME" * ("at" in word.parameters),
            )


def _has_operating_point(tree: MappingNode, metric: str) -> bool:
    """Tell whether a metric, by its label here, is judged at an operating point."""
    of = (
        u
        for u in _list_items(tree.get("metrics"))
        if metric in (get_text(u, "as"), get_text(u, "name"))
    )
    return any(get_text(get_child(u, "params"), "at") for u in of)


def _suggest_metric(words: Vocabulary, task: str, offered: Collection[str]) -> str:
    """Suggest the first metric of a task that the offered score suffices for, of order if any."""
    fit = [(n, word) for n, word in words.metrics.items() if word.task == task]
    of_order = [n for n, word in fit if word.needs == "order" and "order" in offered]
    others = [n for n, word in fit if word.needs in offered]
    kind = " of order" if of_order else ""
    return f"use a metric{kind}, such as {(of_order or others)[0]}"


def check_scales(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Each model has a kind of score that the task knows, and costs are declared where they can."""
    names, said = KnownNames(tree, words, faults), get_text(tree, "task")
    task = words.tasks.get(said or "")
    if task is None:
        return
    for model in names.models:
        node = find_node(tree, ("models", model, "scale"))
        if isinstance(node, Scalar) and node.value not in task.scales:
            given = f"models.{model}.scale cannot be {quote_node(node)} with task: {said}"
            faults.add(node.mark, f"{given}; {suggest_name(node, task.scales)}")


def _check_side(names: KnownNames, at: ConfigPath, metric: str | None) -> None:
    """Check that a metric that is best at zero is bounded by its size, and only from above."""
    word = None if metric is None else names.words.metrics.get(names.metrics[metric])
    rule = find_node(names.tree, (*at, "rule"))
    if word is None or not word.is_best_at_zero or not isinstance(rule, Scalar):
        return
    if rule.value == "above":
        names.faults.add(
            rule.mark,
            f"{format_key_path(at)}: {quote_node(rule)} would ask {metric!r} to be far from "
            "zero, where it is "
            "best; write rule: below with the largest size that is allowed",
            at,
        )


def _check_against(names: KnownNames, at: ConfigPath, model: str | None) -> None:
    others = [name for name in names.models if name != model]
    against = names.need((*at, "against"), "model", names.models, others)
    if model is not None and model == against:
        node = find_node(names.tree, (*at, "model"))
        assert node is not None
        names.faults.add(
            node.mark,
            f"{format_key_path(at)} compares the model {quote_node(node)} with itself; "
            "name another model, or another one `against`",
        )
    pair = {model, against}
    if None not in pair and len(pair) == 2 and not _is_compared(names, pair):
        mark = find_node(names.tree, (*at, "against"))
        assert mark is not None
        names.faults.add(
            mark.mark,
            f"{format_key_path(at)}: {against!r} and {model!r} are not compared with each "
            "other, only with "
            "the baseline; write comparisons: {against: all}",
        )
    if against is None and len(names.models) == 1 and find_baseline(names.tree) is None:
        rule = find_node(names.tree, (*at, "rule"))
        assert rule is not None
        names.faults.add(
            rule.mark,
            f"{format_key_path(at)}: {quote_node(rule)} compares two models, and this config "
            "has one; add a model with role: baseline, or use below or above",
        )


def _is_compared(names: KnownNames, pair: set[str | None]) -> bool:
    """Tell whether `comparisons` has the report compare the two."""
    if get_text(find_node(names.tree, ("comparisons",)), "against") == "all":
        return True
    return find_baseline(names.tree) in pair or not pair <= {*names.models}


def _check_gate_names(names: KnownNames) -> None:
    seen: dict[str, Scalar] = {}
    for gate in _list_items(names.tree.get("gates")):
        name = get_child(gate, "name")
        if isinstance(name, Scalar) and isinstance(name.value, str):
            first = seen.setdefault(name.value, name)
            if first is not name:
                names.faults.add(
                    name.mark, f"a gate {quote_node(name)} is already there; give each its own name"
                )


def list_entries(node: Node | None) -> dict[str, Node]:
    """Return the entries of a map by key; empty for anything else."""
    if not isinstance(node, MappingNode):
        return {}
    return {key: entry.node for key, entry in node.entries.items()}


def _list_items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, ListNode) else ()


def get_text(node: Node | None, key: str) -> str | None:
    """Return the text under a key; None if there is none."""
    below = get_child(node, key)
    return below.value if isinstance(below, Scalar) and isinstance(below.value, str) else None


ABOUT, HEADLINE = ("report", "about"), ("report", "headline")
ROLES = {
    "baseline": "the baseline, which the others are compared with",
    "benchmark": "a benchmark, which is not chosen",
}


def check_page_one(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """`report.about` is a candidate, and each metric of `report.headline` is listed once."""
    names = KnownNames(tree, words, faults)
    roles = {m: get_text(node, "role") for m, node in names.models.items()}
    candidates = [m for m, role in roles.items() if role not in ROLES]
    if {*roles.values()} == {*ROLES}:
        said = "every model but the baseline is a benchmark; at least one is a candidate"
        faults.add(find_key_mark(tree, ("models",)), said)
    about = find_node(names.tree, ABOUT)
    model = names.need(ABOUT, "model", names.models, candidates or None)
    if model is not None and candidates and model not in candidates:
        assert about is not None
        names.faults.add(
            about.mark,
            f"{format_key_path(ABOUT)}: {model!r} is {ROLES[str(roles.get(model))]}; "
            f"name a candidate, such as {candidates[0]!r}",
            ABOUT,
        )
    headline, seen = find_node(names.tree, HEADLINE), set[object]()
    for index, node in enumerate(headline.items if isinstance(headline, ListNode) else ()):
        require_metric(names, (*HEADLINE, index))
        if isinstance(node, Scalar) and node.value in seen:
            said = f"{format_key_path(HEADLINE)} lists {quote_node(node)} twice; remove one"
            names.faults.add(node.mark, said, HEADLINE)
        seen.add(node.value if isinstance(node, Scalar) else index)


TEST_KEY = ("comparisons", "test")


def check_tests(tree: MappingNode, words: Vocabulary, faults: ProblemList) -> None:
    """Each test is known, and suits the metrics it is asked for."""
    names, node = KnownNames(tree, words, faults), find_node(tree, TEST_KEY)
    check_word(names, TEST_KEY, words.tests, _list_common_tests(names, names.metrics))
    if isinstance(node, Scalar):
        _check_for_all(names, node)
    for key, below in list_entries(node).items():
        if key not in names.metrics:
            said = f"{format_key_path(TEST_KEY)}: there is no metric {key!r} in this config"
            mark = find_key_mark(tree, (*TEST_KEY, key))
            faults.add(mark, f"{said}; {did_you_mean(key, names.sound_metrics)}", TEST_KEY)
            continue
        check_word(names, (*TEST_KEY, key), words.tests, _list_common_tests(names, [key]))
        if isinstance(below, Scalar) and not _is_suitable_test(names, below, key):
            _refuse_test(names, below, [key], _tests_for(names, key))


def _list_common_tests(names: KnownNames, keys: Iterable[str]) -> list[str]:
    """List the tests that all these metrics can have; only such tests are suggested."""
    words = (names.words.metrics.get(names.metrics[key]) for key in keys)
    known = [word.tests for word in words if word is not None and word.tests is not None]
    return [test for test in names.words.tests if all(test in tests for tests in known)]


def _check_for_all(names: KnownNames, test: Scalar) -> None:
    """One test for every metric."""
    unsuited = [key for key in names.metrics if not _is_suitable_test(names, test, key)]
    suited = [key for key in names.metrics if key not in unsuited]
    if unsuited and suited:
        way = f"name the metrics that it is for: test: {{{suited[0]}: {test.safe_text}}}"
        _refuse_test(names, test, unsuited, way)
    elif unsuited:
        _refuse_test(names, test, unsuited, _tests_for(names, unsuited[0]))


def _is_suitable_test(names: KnownNames, test: Scalar, key: str) -> bool:
    """Tell whether a metric can have a test; unknown names are reported elsewhere."""
    word = names.words.metrics.get(names.metrics.get(key, ""))
    tests = word.tests if word is not None else None
    return tests is None or test.value in tests or test.value not in names.words.tests


def _refuse_test(names: KnownNames, test: Scalar, keys: list[str], way: str) -> None:
    named = ", ".join(map(repr, keys[:3])) + (", …" if len(keys) > 3 else "")
    said = f"{format_key_path(TEST_KEY)}: {quote_node(test)} does not suit {named}; {way}"
    names.faults.add(test.mark, said, TEST_KEY)


def _tests_for(names: KnownNames, key: str) -> str:
    word = names.words.metrics[names.metrics[key]]
    return f"for {key!r} there are {', '.join(word.tests or ())}"
