"""Rules about gates, earlier runs and planned looks."""

from __future__ import annotations

from math import inf

from reportgen.config.checks.view import ConfigFinding, ConfigFindings, ConfigView
from reportgen.config.schema.report import AnyGate, Bound, FewHarmed, NotWorseThanPrevious
from reportgen.config.vocabulary import Word
from reportgen.config.yaml.tree import format_key_path
from reportgen.errors import did_you_mean
from reportgen.terms import STATEMENT


def check_governing(view: ConfigView) -> ConfigFindings:
    """Gates on moves have a previous run, looks rows that decide, a statement has gates."""
    config = view.config
    for index, gate in enumerate(config.gates):
        at = ("gates", index)
        if isinstance(gate, NotWorseThanPrevious):
            said = f"{format_key_path(at)} is held against a previous run"
            if config.previous is None:
                yield ConfigFinding((*at, "rule"), f"{said}; name it under `previous`")
            if gate.segment is not None:
                said = f"{format_key_path(at)}.segment: moves are those of all rows; leave it out"
                yield ConfigFinding((*at, "segment"), said)
    for name, dataset in config.datasets.items():
        if dataset.looks is not None and (config.primary is None or config.primary.dataset != name):
            said = f"datasets.{name}.looks: only looks at the rows that decide are planned"
            yield ConfigFinding(("datasets", name, "looks"), f"{said}; leave it out")
    for name in config.previous.models if config.previous else ():
        if name not in config.models:
            said = f"previous.models: there is no model {name!r} in this config"
            meant = did_you_mean(name, config.models)
            yield ConfigFinding(("previous", "models", name), f"{said}; {meant}")
    yield from _check_own_variants(view)
    if STATEMENT in config.outputs and not config.gates:
        said = f"the output {STATEMENT} says how gates ended; declare gates, or leave it out"
        yield ConfigFinding(("outputs", config.outputs.index(STATEMENT)), said)


def _check_own_variants(view: ConfigView) -> ConfigFindings:
    """Check that each analysis in `sensitivity.also` changes one thing and has its own name."""
    variants = view.config.sensitivity.also
    names = [variant.name for variant in variants]
    for index, variant in enumerate(variants):
        at = ("sensitivity", "also", index)
        if variant.name in names[:index]:
            said = f"sensitivity.also has two analyses called {variant.name!r}; rename one"
            yield ConfigFinding((*at, "name"), said)
        if (variant.margin is None) == (variant.filter is None):
            said = f"{format_key_path(at)} changes one thing: give it a margin or a filter"
            yield ConfigFinding(at, said)
        elif variant.filter is not None and view.config.primary is None:
            said = f"{format_key_path(at)}.filter is for the rows that decide"
            yield ConfigFinding(at, f"{said}; name the primary metric")


MetricRange = tuple[float, float]


def refuse_unreachable_gates(view: ConfigView) -> ConfigFindings:
    """Refuse each gate whose bound, or margin, lies beyond all that its metric can be."""
    uses = {use.key: use for use in view.config.metrics}
    for index, gate in enumerate(view.config.gates):
        use = uses.get(gate.metric)
        word = None if use is None else view.words.metrics.get(use.name)
        if use is None or word is None or word.bounds is None:
            continue
        at = ("gates", index, "value" if isinstance(gate, Bound) else "margin")
        bounds = word.bounds(**use.params)
        if said := _describe_unreachable(gate, word, bounds, view.quote(*at)):
            text = f"{format_key_path(at[:2])} can never pass: {gate.metric!r} {said}"
            yield ConfigFinding(at, text)


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
