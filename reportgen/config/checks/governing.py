"""Rules about runs held against each other, and what is said of the gates outside the report."""

from __future__ import annotations

from reportgen.config.faults import Faults
from reportgen.config.gating import NotWorseThanPrevious
from reportgen.config.schema import Config
from reportgen.config.yaml.tree import MappingNode, dotted, mark_of
from reportgen.errors import did_you_mean
from reportgen.outputs import STATEMENT


def check_governing(config: Config, tree: MappingNode, faults: Faults) -> None:
    """Gates on moves have a previous run, looks rows that decide, a statement has gates."""
    _check_gates(config, tree, faults)
    _check_looks(config, tree, faults)
    _check_previous(config, tree, faults)
    _check_own(config, tree, faults)
    if STATEMENT in config.outputs and not config.gates:
        said = f"the output {STATEMENT} says how gates ended; declare gates, or leave it out"
        at = ("outputs", config.outputs.index(STATEMENT))
        faults.add(mark_of(tree, at), said, at)


def _check_own(config: Config, tree: MappingNode, faults: Faults) -> None:
    """An analysis of one's own changes one thing, on rows that are held."""
    names = [each.name for each in config.sensitivity.also]
    for index, each in enumerate(config.sensitivity.also):
        at = ("sensitivity", "also", index)
        if each.name in names[:index]:
            said = f"sensitivity.also has two analyses called {each.name!r}; rename one"
            faults.add(mark_of(tree, (*at, "name")), said, (*at, "name"))
        if (each.margin is None) == (each.filter is None):
            said = f"{dotted(at)} changes one thing: give it a margin or a filter"
            faults.add(mark_of(tree, at), said, at)
        elif each.filter is not None and config.primary is None:
            said = f"{dotted(at)}.filter is for the rows that decide; name the primary metric"
            faults.add(mark_of(tree, at), said, at)


def _check_gates(config: Config, tree: MappingNode, faults: Faults) -> None:
    for index, gate in enumerate(config.gates):
        if not isinstance(gate, NotWorseThanPrevious):
            continue
        at = ("gates", index)
        if config.previous is None:
            said = f"{dotted(at)} is held against a previous run; name it under `previous`"
            faults.add(mark_of(tree, (*at, "rule")), said, (*at, "rule"))
        if gate.segment is not None:
            said = f"{dotted(at)}.segment: moves are those of all rows; leave it out"
            faults.add(mark_of(tree, (*at, "segment")), said, (*at, "segment"))


def _check_looks(config: Config, tree: MappingNode, faults: Faults) -> None:
    for name, dataset in config.datasets.items():
        if dataset.looks is not None and (config.primary is None or config.primary.dataset != name):
            said = f"datasets.{name}.looks: only looks at the rows that decide are planned"
            at_looks = ("datasets", name, "looks")
            faults.add(mark_of(tree, at_looks), f"{said}; leave it out", at_looks)


def _check_previous(config: Config, tree: MappingNode, faults: Faults) -> None:
    for name in config.previous.models if config.previous else ():
        if name not in config.models:
            said = f"previous.models: there is no model {name!r} in this config"
            at_model = ("previous", "models", name)
            meant = did_you_mean(name, config.models)
            faults.add(mark_of(tree, at_model), f"{said}; {meant}", at_model)
