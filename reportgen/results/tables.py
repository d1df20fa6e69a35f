"""Tables of results."""

from __future__ import annotations

from dataclasses import dataclass, field

from reportgen.results.numbers import Params, Scalar


@dataclass(frozen=True)
class TableResult:
    """Numbers that are neither estimates nor curves: deciles, influence, decisions, ranks."""

    name: str
    dataset: str
    columns: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[tuple[Scalar, ...], ...]
    model: str | None = None
    segment: str | None = None
    params: Params = field(default_factory=dict)
