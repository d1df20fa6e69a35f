"""Write what checks of the input found: the finding, its evidence, what is likely, what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.conclusion.rows import find_contradictions
from reportgen.report.facts import CheckEffect, HowToAllow, UnitsCounted
from reportgen.report.prose.marks import Marked, escape_marks, keep_code, remove_marks
from reportgen.report.selection import Selection
from reportgen.report.wording.names import capitalize, clean_name
from reportgen.report.wording.numbers import (
    add_unit,
    find_currency,
    format_count,
    format_decimal,
)
from reportgen.results.core import ClassInfo, DatasetInfo
from reportgen.results.input_checks import HEAVY_TAIL, InputFinding, find_failures
from reportgen.results.recommendation import Hold, Stop
from reportgen.results.types import Scalar
from reportgen.terms import INPUT_CHECKS, LIMITS


@record
class CheckText:
    """The texts of a check that failed, with their marks."""

    finding: Marked
    evidence: Marked
    likely: Marked
    fix: Marked
    allow: Marked


def write_check(found: InputFinding, dataset: DatasetInfo, labels: Mapping[str, str]) -> CheckText:
    """Write what a check found; `labels` are what the report calls the models."""
    values = build_check_values(found, dataset, labels)
    if found.is_hidden:
        values |= {"rule": describe_rule(found.name)}
    of = "hidden" if found.is_hidden else found.name
    keys = {part: f"check.{of}.{part}" for part in ("finding", "evidence", "likely", "fix")}
    fill = prose.load_catalogue().fill
    texts = {part: fill(key, values) for part, key in keys.items()}
    how = HowToAllow(found.check.scope, found.name, clean_name(found.model or ""))
    return CheckText(**texts, allow=prose.mark(how))


def describe_finding(found: InputFinding, dataset: DatasetInfo, labels: Mapping[str, str]) -> str:
    """Describe what a check found and what to do, in one line."""
    text = write_check(found, dataset, labels)
    said = f"{keep_code(text.finding)}."
    model = clean_name(labels.get(found.model or "", ""), 40)
    said = said if model and said.startswith(model) else capitalize(said)
    more = (text.evidence, text.likely, text.fix, text.allow)
    return " ".join([said, *map(keep_code, more)])


def write_hold(found: Selection, model: str, holds: Sequence[Hold]) -> CheckText | None:
    """Write what the first check of the input found that holds a model; None if none does."""
    name = next((hold.check for hold in holds if hold.check), "")
    failed = find_failures(found.results.checks, found.main.name, model, found.leading)
    return _write(found, failed[name]) if name in failed else None


def describe_hold(found: Selection, model: str, holds: Sequence[Hold]) -> Marked:
    """Describe what the first check of the input found that holds a model; empty if none does."""
    text = write_hold(found, model, holds)
    return Marked("") if text is None else text.finding


def write_stop(found: Selection, stop: Stop) -> CheckText | None:
    """Write what the check of a stop found; None for a stop that no check made."""
    about = (stop.code, stop.dataset, stop.model)
    for each in found.results.checks:
        if (each.name, each.dataset, each.model) == about:
            return _write(found, each)
    return None


def _write(found: Selection, each: InputFinding) -> CheckText:
    labels = {model.name: model.label for model in found.results.models}
    return write_check(each, found.datasets[each.dataset], labels)


def build_check_values(
    found: InputFinding, dataset: DatasetInfo, labels: Mapping[str, str]
) -> dict[str, object]:
    """Build the values that the messages of a check may name."""
    one, many = map(clean_name, dataset.case)
    sizes = [each.n for each in _list_classes(dataset)]
    model, other = found.model, found.numbers.get("other")
    said: dict[str, object] = {
        **found.numbers,
        **_format_amounts(found.numbers, dataset.unit),
    }
    return {
        **said,
        "counted": _count_units(found, dataset),
        "name": found.name,
        "decides": "decision" in found.metrics,
        "predicted": bool(found.numbers.get("predicted")),
        "at": found.numbers.get("at", ""),
        "dataset": clean_name(dataset.name),
        "target": clean_name(dataset.target),
        "case": one,
        "cases": many,
        "rows": dataset.n,
        "classes": _describe_classes(dataset),
        "rarer": min(sizes) if len(sizes) == 2 else None,
        "key": "" if model is None else clean_name(model),
        "model": "" if model is None else clean_name(labels.get(model, model), 40),
        "other": clean_name(labels.get(str(other), str(other or "")), 40),
    }


_AMOUNTS = ("y_low", "y_high", "y_median", "median")
_CHANCE = {"auc": "0.5", "query_auc": "50%", "spearman": "0", "kappa": "0"}


def _format_amounts(found: Mapping[str, Scalar], unit: str) -> dict[str, object]:
    """Format the amounts among the numbers of a check, those of the target with its unit."""
    if "y_low" not in found:
        return {"chance": _CHANCE.get(str(found.get("measure", "")), "")}
    said: dict[str, object] = {
        "low": _format_amount(found["low"]),
        "high": _format_amount(found["high"]),
    }
    said |= {name: _format_amount(found[name], unit) for name in _AMOUNTS if name in found}
    factor = str(found.get("transform", "")).removeprefix("{times: ").removesuffix("}")
    return {**said, "factor": factor if factor[:1].isdigit() else ""}


def _format_amount(value: Scalar, unit: str = "") -> str:
    number = float(value or 0)
    decimals = max(2 - floor(log10(abs(number))), 0) if number else 0
    return add_unit(format_decimal(number, decimals), find_currency(unit))


def _list_classes(dataset: DatasetInfo) -> list[ClassInfo]:
    """List the classes with their rows; 0 and 1 where the target has just these."""
    flags = [c for c in dataset.columns if c.role == "y" and c.is_flag and c.zeros is not None]
    known = [ClassInfo("0", "0", c.zeros) for c in flags]
    known += [ClassInfo("1", "1", c.n - c.zeros) for c in flags]
    return list(dataset.classes) or known


def _describe_classes(dataset: DatasetInfo) -> str:
    """Say how many rows the classes have; empty where there are none or numbers are hidden."""
    classes = sorted(_list_classes(dataset), key=lambda each: -each.n)
    if not classes or any(each.is_hidden for each in classes):
        return ""
    first, last = classes[0], classes[-1]
    return prose.line(
        "checked.classes",
        count=len(classes),
        is_pair=len(classes) == 2,
        first=clean_name(first.name, 24),
        first_rows=format_count(first.n, *dataset.case),
        last=clean_name(last.name, 24),
        last_rows=last.n,
    )


def _count_units(found: InputFinding, dataset: DatasetInfo) -> Marked:
    """Say what a check counted, such as rows; empty if it counted nothing."""
    count, unit = found.numbers.get("count"), found.numbers.get("unit", "row")
    if not isinstance(count, int):
        return Marked("")
    one, many = map(clean_name, dataset.case)
    if unit == "row":
        return Marked(escape_marks(format_count(count, one, many)))
    names = {each.value: each.name for each in dataset.classes}
    label = str(found.numbers.get("class", ""))
    fact = UnitsCounted(unit, count, one, many, clean_name(names.get(label, label)))  # type: ignore[arg-type]
    return prose.mark(fact)


def describe_outcome(found: InputFinding, dataset: DatasetInfo, labels: Mapping[str, str]) -> str:
    """Describe in a few words that a check passed, or what failed."""
    part = "passed" if found.outcome == "passed" else "failed"
    if found.is_hidden:
        return prose.line("hidden.failed", name=found.name)
    values = build_check_values(found, dataset, labels)
    return remove_marks(prose.load_catalogue().fill(f"check.{found.name}.{part}", values))


def describe_rule(name: str) -> str:
    """Describe what a check of the input looks for, with its limits."""
    limits = LIMITS.get(INPUT_CHECKS[name].code, {})
    return remove_marks(prose.load_catalogue().fill(f"check.{name}.rule", limits))


def describe_effect(name: str) -> str:
    """Describe what follows where a check fails, and how to allow it."""
    check = INPUT_CHECKS[name]
    return keep_code(prose.mark(CheckEffect(check.kind, name, check.scope == "model")))


def describe_allowed(found: Selection) -> tuple[str, ...]:
    """Say what the config allows, and why, once each."""
    checks = found.results.checks
    given = [(each.name, each.reason) for each in checks if each.outcome == "allowed"]
    given += [
        ("conflict", model.allow["conflict"])
        for model in found.candidates
        if "conflict" in model.allow and find_contradictions(found, model.name, found.leading)
    ]
    judged = {gate.model for gate in found.results.gates}
    given += [
        (HEAVY_TAIL, model.allow[HEAVY_TAIL])
        for model in found.results.models
        if HEAVY_TAIL in model.allow and model.name in judged
    ]
    return tuple(
        prose.line("allowed.given", name=name, reason=clean_name(reason, 160))
        for name, reason in dict.fromkeys(given)
    )
