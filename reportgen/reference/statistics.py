"""Metrics and curves in words: what their definitions say, term by term."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from reportgen.inference import methods
from reportgen.metrics.bucket_statistics import offered
from reportgen.metrics.names import asked, parameters_of
from reportgen.metrics.spec import Metric, Parameter
from reportgen.metrics.statistic import are_built_in
from reportgen.reference.entries import told

if TYPE_CHECKING:
    from reportgen.curves.spec import Curve

SCORES = {
    "amount": "an amount in the unit of y",
    "order": "any order",
    "probability": "a probability, from 0 to 1",
    "label": "a class, or scores of which the largest names it",
    "call": "a probability, from 0 to 1, or the class itself",
    "density": "predicted quantiles, or a mean and a standard deviation",
}
BETTER = {"higher": "higher is better", "lower": "lower is better",
          "zero": "nearer zero is better", "one": "nearer one is better"}  # fmt: skip
PLUGIN = "in a plug-in of the config"


def metric_row(metric: Metric) -> tuple[str, ...]:
    """Name, task, direction, title."""
    return metric.name, metric.task, BETTER[metric.better], metric.title


def curve_row(curve: Curve) -> tuple[str, ...]:
    """Name, task, title."""
    return curve.name, curve.task, curve.title


def metric(metric: Metric) -> str:
    """All that its definition says."""
    return told(
        f"{metric.name}: {metric.title}",
        metric.description,
        {
            "task": metric.task,
            "also called": ", ".join(metric.aliases),
            "formula": metric.formula,
            "range": _range(metric.bounds),
            "direction": BETTER[metric.better],
            "unit": metric.unit,
            "score": SCORES[metric.needs],
            "undefined": metric.undefined,
            "answers": metric.answers.text if metric.answers else "",
            "blind to": metric.blind,
            "caveat": metric.caveat,
            "tests": ", ".join(methods.tests_of(metric)),
            "in a config": _asked(metric),
            "parameters": _parameters(parameters_of(metric.name)),
            "source": metric.cite,
            "defined": "" if are_built_in(metric.function) else PLUGIN,
        },
    )


def _asked(metric: Metric) -> str:
    """How a config asks for it, and with which task where another task has the name, too."""
    written = asked(metric)
    return f"{written}, with task: {metric.task}" if written == metric.asked_name else written


def curve(curve: Curve) -> str:
    """All that its definition says."""
    return told(
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


def _parameters(parameters: tuple[Parameter, ...]) -> str:
    return "; ".join(
        f"{p.name} ({' | '.join(p.choices) or p.kind}, "
        + ("required)" if p.is_required else f"default {p.default})")
        for p in map(offered, parameters)
    )


def _range(bounds: tuple[float, float]) -> str:
    low, high = ("no limit" if abs(b) == inf else f"{b:g}" for b in bounds)
    return f"{low} to {high}"
