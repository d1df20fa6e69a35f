"""Costs: the decision table, and curves over the asymmetry of costs."""

from __future__ import annotations

from reportgen.document import Block, Section, phrase
from reportgen.results import Results
from reportgen.sections.cells import results_table
from reportgen.sections.curve_figures import figures
from reportgen.sections.index import Index

_LEDE = "Which model is cheapest when too high and too low do not cost the same."
_CAPTIONS = {
    "decision": "For each asymmetry: the best model, its shift, its expected cost.",
    "crossing": "Asymmetries at which two models cost the same.",
    "shift": "Constant shifts and what they change.",
}


def section(results: Results) -> Section | None:
    """None unless costs were asked for."""
    index = Index(results)
    blocks: list[Block] = [
        results_table(table, f"costs-{place}", _CAPTIONS[_kind(table.name)], index.labels)
        for place, table in enumerate(index.tables(*_CAPTIONS), 1)
    ]
    blocks += figures(index, "costs", "")
    return Section("costs", "Costs", tuple(blocks), phrase(_LEDE)) if blocks else None


def _kind(name: str) -> str:
    return next(kind for kind in _CAPTIONS if name.startswith(kind))
