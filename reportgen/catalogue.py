"""What can be named in a config, told from the registries: `list` and `explain`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import inf

from reportgen import wording
from reportgen.config import Vocabulary, Word, json_schema
from reportgen.curves import CURVES, Curve
from reportgen.errors import UsageError, did_you_mean
from reportgen.inference import methods
from reportgen.metrics import METRICS, Metric, Parameter
from reportgen.metrics.losses import LOSSES

SCORES = {
    "amount": "an amount in the unit of y",
    "order": "any order",
    "density": "predicted quantiles, or a mean and a standard deviation",
}
BETTER = {"higher": "higher is better", "lower": "lower is better", "zero": "nearer zero is better"}


def vocabulary() -> Vocabulary:
    """The names that a config may use, from the registries."""
    return Vocabulary(
        metrics={
            m.name: Word(
                m.task,
                m.needs,
                {p.name: p for p in m.parameters},
                m.definition,
                m.check,
                methods.tests_of(m),
            )
            for m in METRICS.values()
        },
        curves={
            c.name: Word(
                c.task,
                c.needs,
                {p.name: p for p in c.parameters},
                c.description,
                c.check,
                is_on_request=c.is_on_request,
            )
            for c in CURVES.values()
        },
        intervals=methods.INTERVALS,
        tests=methods.TESTS,
        adjustments=methods.ADJUSTMENTS,
        losses=tuple(LOSSES),
        warnings=tuple(wording.WARNINGS),
    )


def config_schema() -> str:
    """The JSON Schema of a config, as the text of a file."""
    return json.dumps(json_schema(vocabulary()), indent=2, ensure_ascii=False) + "\n"


def list_warnings() -> str:
    """One line a warning: code, title."""
    return _lines((code, doubt.title) for code, doubt in wording.WARNINGS.items())


def list_metrics() -> str:
    """One line a metric: name, task, direction, title."""
    return _lines((m.name, m.task, BETTER[m.better], m.title) for m in METRICS.values())


def list_curves() -> str:
    """One line a curve: name, task, title."""
    return _lines((c.name, c.task, c.title) for c in CURVES.values())


def explain(name: str) -> str:
    """All that is known of a metric, a curve or the code of a warning, for a reader."""
    if name in METRICS:
        return _metric(METRICS[name])
    if name in CURVES:
        return _curve(CURVES[name])
    if name.upper() in wording.WARNINGS:
        return wording.explain(name.upper())
    known = [*METRICS, *CURVES, *wording.WARNINGS]
    raise UsageError(f"nothing is called {name!r}; {did_you_mean(name, known)}")


def _metric(metric: Metric) -> str:
    return _facts(
        f"{metric.name}: {metric.title}",
        metric.definition,
        {
            "task": metric.task,
            "formula": metric.formula,
            "range": _range(metric.bounds),
            "direction": BETTER[metric.better],
            "unit": metric.unit,
            "score": SCORES[metric.needs],
            "undefined": metric.undefined,
            "caveat": metric.caveat,
            "tests": ", ".join(methods.tests_of(metric)),
            "parameters": _parameters(metric.parameters),
            "source": metric.cite,
        },
    )


def _curve(curve: Curve) -> str:
    return _facts(
        f"{curve.name}: {curve.title}",
        curve.description,
        {
            "task": curve.task,
            "x": curve.x_label,
            "y": curve.y_label,
            "range": _range(curve.bounds),
            "drawn": "only where curves: names it" if curve.is_on_request else "",
            "parameters": _parameters(curve.parameters),
            "source": curve.cite,
        },
    )


def _facts(head: str, definition: str, facts: dict[str, str]) -> str:
    told = [f"  {term + ':':<12}{text}" for term, text in facts.items() if text]
    return "\n".join((head, "", f"  {definition}", "", *told))


def _parameters(parameters: tuple[Parameter, ...]) -> str:
    return "; ".join(
        f"{p.name} ({' | '.join(p.choices) or p.kind}, "
        + ("required)" if p.is_required else f"default {p.default})")
        for p in parameters
    )


def _range(bounds: tuple[float, float]) -> str:
    low, high = ("no limit" if abs(b) == inf else f"{b:g}" for b in bounds)
    return f"{low} to {high}"


def _lines(rows: Iterable[tuple[str, ...]]) -> str:
    table = sorted(rows)
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )
