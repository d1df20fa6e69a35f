"""Gates that no value of their metric can pass: outside the range that the metric has."""

from __future__ import annotations

from math import inf

from reportgen.config.faults import Faults, quoted
from reportgen.config.gating import FewHarmed
from reportgen.config.schema import AnyGate, Bound, Config
from reportgen.config.vocabulary import Vocabulary, Word
from reportgen.config.yaml.tree import MappingNode, dotted, find, mark_of

Range = tuple[float, float]


def check_reach(config: Config, tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Refuse each gate whose bound, or margin, lies beyond all that its metric can be."""
    uses = {use.key: use for use in config.metrics}
    for index, gate in enumerate(config.gates):
        use = uses.get(gate.metric)
        word = None if use is None else words.metrics.get(use.name)
        if use is None or word is None or word.bounds is None:
            continue
        key = "value" if isinstance(gate, Bound) else "margin"
        at = ("gates", index, key)
        if said := _beyond(gate, word, word.bounds(**use.params), quoted(find(tree, at))):
            text = f"{dotted(at[:2])} can never pass: {gate.metric!r} {said}"
            faults.add(mark_of(tree, at), text, at)


def _beyond(gate: AnyGate, word: Word, bounds: Range, wanted: str) -> str:
    """What the metric is at least or at most, and what the gate asks of it; empty if it can be."""
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
