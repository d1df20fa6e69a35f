"""From the gates of a config to what is to be judged, with the place of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reportgen.config import AnyGate, Bound, FewHarmed, Loaded, MarginKeys
from reportgen.config.gating import NotWorseThanPrevious
from reportgen.errors import Path
from reportgen.gates import Demand
from reportgen.repository import name_in_repository


def demands(loaded: Loaded) -> tuple[Demand, ...]:
    """The gates, their names resolved."""
    return tuple(
        replace(_demand(gate), **_written(loaded, ("gates", index)))
        for index, gate in enumerate(loaded.config.gates)
    )


def _written(loaded: Loaded, at: Path) -> dict[str, Any]:
    """Where a gate is written, by a name of the file that is the same on every machine."""
    found = loaded.line(at)
    return {} if found is None else {"file": name_in_repository(found[0]), "line": found[1]}


def _demand(gate: AnyGate) -> Demand:
    if isinstance(gate, Bound):
        bound, is_relative, against, on = gate.value, False, None, gate.on
    elif isinstance(gate, FewHarmed):
        bound, is_relative, against, on = gate.value.value, False, gate.against, "interval"
    else:
        size, is_relative = (0.0, False) if gate.margin is None else _size(gate.margin)
        against = None if isinstance(gate, NotWorseThanPrevious) else gate.against
        bound, on = size, "interval"
    return Demand(
        name=gate.name,
        rule=gate.rule,
        dataset=gate.dataset,
        segment=gate.segment,
        key=gate.metric,
        model=gate.model,
        against=against,
        bound=bound,
        is_relative=is_relative,
        on=on,
        inconclusive=gate.inconclusive,
        drop=gate.drop if isinstance(gate, FewHarmed) else 0.0,
    )


def _size(margin: MarginKeys) -> tuple[float, bool]:
    return margin.value, margin.is_relative
