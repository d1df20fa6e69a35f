"""Rules about gates, earlier runs and planned looks."""

from __future__ import annotations

from math import inf

from reportgen.config.schema.config import AnyGate, Bound, Config
from reportgen.config.schema.report import FewHarmed, NotWorseThanPrevious
from reportgen.config.vocabulary import Vocabulary, Word
from reportgen.config.yaml.faults import ProblemList, quote_node
from reportgen.config.yaml.tree import MappingNode, find_mark, find_node, format_key_path
from reportgen.errors import did_you_mean
from reportgen.terms import STATEMENT


def check_governing(config: Config, tree: MappingNode, faults: ProblemList) -> None:
    """Gates on moves have a previous run, looks rows that decide, a statement has gates."""
    _check_gates(config, tree, faults)
    _check_looks(config, tree, faults)
    _check_previous(config, tree, faults)
    _check_own_variants(config, tree, faults)
    if STATEMENT in config.outputs and not config.gates:
        said = f"the output {STATEMENT} says how gates ended; declare gates, or leave it out"
        at = ("outputs", config.outputs.index(STATEMENT))
        faults.add(find_mark(tree, at), said, at)


def _check_own_variants(config: Config, tree: MappingNode, faults: ProblemList) -> None:
    """Check that each analysis in `sensitivity.also` changes one thing and has its own name."""
    names = [each.name for each in config.sensitivity.also]
    for index, each in enumerate(config.sensitivity.also):
        at = ("sensitivity", "also", index)
        if each.name in names[:index]:
            said = f"sensitivity.also has two analyses called {each.name!r}; rename one"
            faults.add(find_mark(tree, (*at, "name")), said, (*at, "name"))
        if (each.margin is None) == (each.filter is None):
            said = f"{format_key_path(at)} changes one thing: give it a margin or a filter"
            faults.add(find_mark(tree, at), said, at)
        elif each.filter is not None and config.primary is None:
            said = (
                f"{format_key_path(at)}.filter is for the rows that decide; name the primary metric"
            )
            faults.add(find_mark(tree, at), said, at)


def _check_gates(config: Config, tree: MappingNode, faults: ProblemList) -> None:
    for index, gate in enumerate(config.gates):
        if not isinstance(gate, NotWorseThanPrevious):
            continue
        at = ("gates", index)
        if config.previous is None:
            said = f"{format_key_path(at)} is held against a previous run; name it under `previous`"
            faults.add(find_mark(tree, (*at, "rule")), said, (*at, "rule"))
        if gate.segment is not None:
            said = f"{format_key_path(at)}.segment: moves are those of all rows; leave it out"
            faults.add(find_mark(tree, (*at, "segment")), said, (*at, "segment"))


def _check_looks(config: Config, tree: MappingNode, faults: ProblemList) -> None:
    for name, dataset in config.datasets.items():
        if dataset.looks is not None and (config.primary is None or config.primary.dataset != name):
            said = f"datasets.{name}.looks: only looks at the rows that decide are planned"
            at_looks = ("datasets", name, "looks")
            faults.add(find_mark(tree, at_looks), f"{said}; leave it out", at_looks)


def _check_previous(config: Config, tree: MappingNode, faults: ProblemList) -> None:
    for name in config.previous.models if config.previous else ():
        if name not in config.models:
            said = f"previous.models: there is no model {name!r} in this config"
            at_model = ("previous", "models", name)
            meant = did_you_mean(name, config.models)
            faults.add(find_mark(tree, at_model), f"{said}; {meant}", at_model)


MetricRange = tuple[float, float]


def refuse_unreachable_gates(
    config: Config, tree: MappingNode, words: Vocabulary, faults: ProblemList
) -> None:
    """Refuse each gate whose bound, or margin, lies beyond all that its metric can be."""
    uses = {use.key: use for use in config.metrics}
    for index, gate in enumerate(config.gates):
        use = uses.get(gate.metric)
        word = None if use is None else words.metrics.get(use.name)
        if use is None or word is None or word.bounds is None:
            continue
        key = "value" if isinstance(gate, Bound) else "margin"
        at = ("gates", index, key)
        if said := _describe_unreachable(
            gate, word, word.bounds(**use.params), quote_node(find_node(tree, at))
        ):
            text = f"{format_key_path(at[:2])} can never pass: {gate.metric!r} {said}"
            faults.add(find_mark(tree, at), text, at)


def _describe_unreachable(gate: AnyGate, word: Word, bounds: MetricRange, wanted: str) -> str:
    """Describe the metric's limit and what the gate asks of it; empty if that can be reached."""
    is_size = word.is_best_at_zero
    low, high = (0.0, max(map(abs, bounds))) if is_size else bounds
    of = " in size" * is_size
    if isinstance(gate, Bound):
        if gate.rule == "below" and gate.value <= low:
            return f"is never below {low:g}{of}, and the bound is {wanted}; write a larger one"
        if gate.rule == "above" and gate.value >= high:
            return f"is never above {high:g}{of}, and the bound is {wanted}; write a smaller one"
        return ""
    if isinstance(gate, FewHarmed):
        return ""  # a share
    margin, most = gate.margin, high - low
    if gate.rule != "better" or margin is None or margin.is_relative or most == inf:
        return ""
    if margin.value < most:
        return ""
    return f"differs by {most:g} at most, and the margin is {wanted}; write a smaller one"
