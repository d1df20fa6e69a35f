"""Write down all that the catalogue says of every metric and curve, and their values on few rows.

    PYTHONPATH=. python benchmarks/catalogue.py > before.txt

A refactoring of metrics or curves changes nothing if `diff` finds none between what this prints
before and after. Each entry is told with its defaults, with the parameters of its cases, and with
one parameter changed at a time: every field, what it finds wrong, which metric decides for it, and
its values, influence and marks on rows with ties, zeros and weights. A function is told by its
name, signature and docstring if it is the definition, and otherwise by what comes of it.
"""

from __future__ import annotations

import hashlib
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.kernels.thresholds import Threshold, TopShare
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.metric import Metric
from reportgen.metrics.rows import LabelSets, Rows
from reportgen.metrics.statistic import Parameter, Statistic
from reportgen.metrics.tasks import TASKS, Predictions
from tests.metrics.cases import CASES, documents_of, rows_of
from tests.metrics.test_laws import SAMPLES, suited

NUMBERS = (-1.0, 0.0, 0.2, 0.5, 1.0, 2.0, 5.0, 1000.0)
TEXTS = ("", "list", "top", "1", "median", "elsewhere")
OF_METRICS = (
    "request_name request_params withstands has_losses is_share_of_some_rows is_sum is_built_in"
)
FORMS = "influence smoothed_influence bias leave_one_out"
OF_ROWS = "columns losses hits sides is_of_means is_counted identity"
COUNTS = "count_thinner_rows rows_among rows_of_the_rarest_kind estimate_unseen_effects"
MOST_SHOWN = 4  # numbers of an array that are written out beside its digest


def main() -> None:
    """Print one line for each fact."""
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    for catalogue in (METRICS, CURVES):
        for name, entry in catalogue.items():
            prefix = f"{type(entry).__name__.lower()} {name}"
            for key, value in describe_entry(entry):
                print(f"{prefix} {key} = {value}")


def describe_entry(entry: Statistic) -> Iterator[tuple[str, str]]:
    """List the fields of an entry, of its variants, and what they compute."""
    for each in fields(entry):
        yield each.name, describe_value(getattr(entry, each.name), each.name == "function")
    yield "signature", str(inspect.signature(entry.function))
    for params in list_params(entry):
        own = ", ".join(f"{key}={value}" for key, value in params.items())
        if entry.check is not None:
            refusal = attempt(partial(entry.check, **params))
            yield f"({own}) check", refusal
            if refusal != "None":
                continue
        try:
            used = entry.use(**params)
        except Exception as error:
            yield f"({own}) use", repr(error)
            continue
        for each in fields(used):
            now = describe_value(getattr(used, each.name), each.name == "function")
            if now != describe_value(getattr(entry, each.name), each.name == "function"):
                yield f"({own}) {each.name}", now
        for key, value in compute_values(used):
            yield f"({own}) {key}", value


def list_params(entry: Statistic) -> Iterator[dict[str, Any]]:
    """List parameters: defaults, those of cases, and each with one of them changed."""
    defaults = {p.name: p.default for p in entry.parameters}
    of_cases = [case.params for case in CASES if case.metric == entry.name] or [{}]
    known = {str({**defaults, **params}): {**defaults, **params} for params in [{}, *of_cases]}
    first = next(iter(known.values())) if len(known) == 1 else list(known.values())[1]
    for parameter in entry.parameters:
        for value in list_values(parameter):
            known[str({**first, parameter.name: value})] = {**first, parameter.name: value}
    if {"at", "moves"} <= defaults.keys():
        moving = {**first, "at": "top", "moves": True}
        known[str(moving)] = moving
    yield from known.values()


def list_values(parameter: Parameter) -> tuple[Any, ...]:
    """List values to try for a parameter."""
    if parameter.kind == "text":
        return parameter.choices or TEXTS
    if parameter.kind == "flag":
        return False, True
    return NUMBERS if parameter.kind == "number" else tuple(int(v) for v in NUMBERS if v != 0.5)


def compute_values(entry: Statistic) -> Iterator[tuple[str, str]]:
    """Compute all that an entry tells of itself, and of each sample of rows."""
    if isinstance(entry, Metric):
        yield "root", attempt(lambda: describe_root(entry))
        for name in OF_METRICS.split():
            yield name, attempt(partial(getattr, entry, name))
    else:
        yield "presentation", attempt(lambda: entry.presentation)
    list_computations = list_metric_values if isinstance(entry, Metric) else list_curve_values
    for sample, weight, rows in list_rows(entry):
        try:
            found = list_computations(entry, rows, weight)
        except Exception as error:
            yield sample, repr(error)
            continue
        for key, compute in found.items():
            yield f"{sample} {key}", attempt(compute)


def list_metric_values(metric: Any, rows: Rows, weight: Vector) -> dict[str, Callable[[], Any]]:
    """List what a metric computes from rows."""
    bound = metric.bind(rows)
    return {
        "define": lambda: bound.define(weight),
        "batch": lambda: bound(make_batch(weight)),
        "why_undefined": lambda: bound.why_undefined(0 * weight + 1),
        "portions": lambda: bound.portions(weight / weight.sum()),
        "classes": lambda: bound.classes(),
        "calls": lambda: metric.calls and metric.calls(rows, weight, **metric.params),
        **{name: partial(getattr(bound, name), weight) for name in FORMS.split()},
        **{name: partial(getattr, bound, name) for name in OF_ROWS.split()},
    }


def list_curve_values(curve: Any, rows: Rows, weight: Vector) -> dict[str, Callable[[], Any]]:
    """List what a curve computes from rows."""
    bound = curve.bind(rows, weight)
    given: dict[str, tuple[Any, ...]] = {
        "base": (rows, make_batch(weight), bound.grid),
        "by_grid": (rows, make_batch(weight), bound.grid),
        "judges": (rows,),
        "by_chance": (rows, weight, bound.grid, 0.95),
    }
    own = {name: of for name, of in given.items() if getattr(curve, name) is not None}
    return {
        "grid": lambda: bound.grid,
        "estimate": lambda: bound.estimate,
        "batch": lambda: bound(make_batch(weight)),
        "trace": lambda: bound.trace(weight),
        "reads": lambda: bound.reads,
        "band": lambda: (source := curve.band_source) and source.curve.key,
        "multiple": lambda: curve.multiple and curve.multiple(bound.grid),
        **{name: partial(getattr(bound, name), weight) for name in COUNTS.split()},
        **{name: partial(getattr(curve, name), *of, **curve.params) for name, of in own.items()},
    }


def list_rows(entry: Statistic) -> Iterator[tuple[str, Vector, Rows]]:
    """List samples of rows that an entry of the catalogue may judge, with their weights."""
    for sample in ("ties", "zeros", "two rows", "all equal"):
        y, score, weight = SAMPLES[sample]
        yield sample, weight, make_rows(entry.task, y, score)


def make_rows(task: str, y: Vector, score: Vector) -> Rows:
    """Make rows of a task with everything beside them that a metric may ask for."""
    of = next(name for name, metric in METRICS.items() if metric.task == task)
    parts = {"mean": score, "sd": 1 + np.abs(score) / 4}
    if task == "binary":
        y, score = (y > 1) * 1.0, 1 / (1 + np.exp(-score / 4))
        costs = np.array([0.0, 1.0, 5.0, -2.0]) + np.arange(len(y))[:, None] % 3
        rules = {"list": Threshold(0.6), "top": TopShare(0.3)}
        said = Predictions(score, "probability", {}, None, rules=rules, cell_costs=costs)
        return TASKS[task].rows(Column(y), said)
    if task == "ranking":
        return TASKS[task].rows(*documents_of(y, score))
    rows = rows_of(of, *suited(of, y, score), parts)
    if isinstance(rows, LabelSets):
        return LabelSets(rows.flags, rows.scores, rows.labels, points={"list": np.full(3, 0.6)})
    return rows


def make_batch(weight: Vector) -> Batch:
    """Return a batch of three weightings: the rows' own, every other row twice, and all alike."""
    return Batch(np.stack([weight, weight * (1 + np.arange(len(weight)) % 2), 0 * weight + 1], 1))


def describe_root(metric: Metric) -> str:
    """Return the metric that decides, and the line to it."""
    found = (metric.root(n) for n in (1, 40))
    return "; ".join(f"{root.metric.key} {root.line}" for root in found)


def attempt(compute: Callable[[], Any]) -> str:
    """Describe what a function returns, or the error that it raises."""
    try:
        return describe_value(compute())
    except Exception as error:
        return repr(error)


def describe_value(value: Any, is_definition: bool = False) -> str:
    """Describe a value in one line, an array by its digest as well."""
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
        shown = value.ravel()[:MOST_SHOWN].tolist()
        return f"{value.dtype}{value.shape} {digest} {shown}"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, Statistic):
        return value.key
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {describe_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(describe_value(each) for each in value) + ")"
    if is_dataclass(value) and not isinstance(value, type):
        own = (f"{f.name}: {describe_value(getattr(value, f.name))}" for f in fields(value))
        return f"{type(value).__name__}({', '.join(own)})"
    if callable(value):
        return f"{value.__name__}: {inspect.getdoc(value)!r}" if is_definition else "a function"
    return f"an object {type(value).__name__}" if " at 0x" in repr(value) else repr(value)


if __name__ == "__main__":
    main()
