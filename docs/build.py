"""The reference pages of the documentation, made from the program itself.

    python docs/build.py

Writes them into reference/, which every build of the site does first and the repository leaves out,
and the JSON Schema of a config beside the examples, which a test holds to be current.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from reportgen.checks.check import CHECKS
from reportgen.cli.explain import ADVICE, BETTER, group_metrics_by_question
from reportgen.config.json_schema import build_config_schema
from reportgen.config.schema import config, datasets, report
from reportgen.config.schema.costs import CostColumn, Costs, ErrorCostColumn, Hybrid, ThresholdKeys
from reportgen.config.schema.report import FewHarmed
from reportgen.inference.intervals import (
    DIFFERENCE_RULES,
    LAST_RESORTS,
    TEST_RULES,
    VALUE_RULES,
    select_methods,
)
from reportgen.metrics import METRICS, Metric, Parameter
from reportgen.metrics.curves import CURVES, Curve
from reportgen.metrics.lookup import (
    config_name,
    list_homonyms,
    list_name_parameters,
    name_within_task,
)
from reportgen.metrics.traits import ESTIMANDS
from reportgen.planning.loading import build_vocabulary, dump_config_schema
from reportgen.report import archive
from reportgen.report.conclusion.input_checks import describe_effect, describe_rule
from reportgen.report.prose.warnings import describe_code, format_warning, is_known
from reportgen.report.wording.names import capitalize
from reportgen.terms import INPUT_CHECKS

HERE = Path(__file__).parent
REFERENCE = HERE / "reference"
SCHEMA = HERE.parent / "configs" / "config.schema.json"
NEEDS = {
    "amount": "an amount in the unit of y",
    "order": "any order, `scale: rank` too",
    "density": "predicted quantiles, or a mean and a standard deviation (`columns:`)",
    "series": "an amount, and rows in the order of time (`time:`)",
    "probability": "a probability, from 0 to 1",
    "label": "a class, or scores of which the largest names it",
    "call": "a probability, from 0 to 1, or the class itself (`scale: label`)",
}
TABLES: Sequence[tuple[str, type[BaseModel], str]] = (
    ("The file", config.Config, "Config"),
    ("report", report.ReportKeys, "ReportKeys"),
    ("report.sign_off, each", report.SignOffKeys, "SignOffKeys"),
    ("report.findings, each", report.FindingKeys, "FindingKeys"),
    ("datasets, each", config.Dataset, "Dataset"),
    ("datasets.labels", datasets.Labels, "Labels"),
    ("datasets.qrels", datasets.QrelsKeys, "QrelsKeys"),
    ("datasets.letor", datasets.LetorKeys, "LetorKeys"),
    ("datasets.queries", datasets.QueriesFileKeys, "QueriesFileKeys"),
    ("datasets.segments, each", datasets.SegmentKeys, "SegmentKeys"),
    ("datasets.case", datasets.Case, "Case"),
    ("datasets.positive, of a number", datasets.CutKeys, "CutKeys"),
    ("datasets.sample", datasets.SampleOf, "SampleOf"),
    ("models, each", datasets.Model, "Model"),
    ("models.scores", datasets.Scores, "Scores"),
    ("models.artifact", datasets.ArtifactKeys, "ArtifactKeys"),
    ("models.trained_on", datasets.TrainedOnKeys, "TrainedOnKeys"),
    ("models.run", datasets.RunKeys, "RunKeys"),
    ("models.lines", datasets.LinesKeys, "LinesKeys"),
    ("folds", datasets.FoldKeys, "FoldKeys"),
    ("models.NAME.transform, of a factor", datasets.TimesKeys, "TimesKeys"),
    ("prevalence", datasets.PrevalenceKeys, "PrevalenceKeys"),
    ("across", datasets.AcrossKeys, "AcrossKeys"),
    ("score", datasets.ScoreKeys, "ScoreKeys"),
    ("scores, each", datasets.ItemScoreKeys, "ItemScoreKeys"),
    ("judge", datasets.JudgeKeys, "JudgeKeys"),
    ("ranking", datasets.RankingKeys, "RankingKeys"),
    ("primary", config.Primary, "Primary"),
    ("costs", Costs, "Costs"),
    ("costs.hybrid", Hybrid, "Hybrid"),
    ("costs.under", CostColumn, "CostColumn"),
    ("costs.fp", ErrorCostColumn, "ErrorCostColumn"),
    ("thresholds, each", ThresholdKeys, "ThresholdKeys"),
    ("bootstrap", report.Bootstrap, "Bootstrap"),
    ("compute", report.Compute, "Compute"),
    ("compute.engine, of a cluster", report.DaskEngine, "DaskEngine"),
    ("comparisons", config.Comparisons, "Comparisons"),
    ("gates with rule below or above", report.Bound, "Bound"),
    ("gates with rule better or no_regression", report.Versus, "Versus"),
    ("gates with rule non_inferior", report.NonInferior, "NonInferior"),
    ("gates with rule few_harmed", FewHarmed, "FewHarmed"),
    ("gates with rule gap_below", report.GapBelow, "GapBelow"),
    ("gates with rule gap_no_wider", report.GapNoWider, "GapNoWider"),
    (
        "gates with rule not_worse_than_previous",
        report.NotWorseThanPrevious,
        "NotWorseThanPrevious",
    ),
    ("references, each", report.ReferenceUse, "ReferenceUse"),
    ("theme", report.ThemeKeys, "ThemeKeys"),
    ("sensitivity", report.SensitivityKeys, "SensitivityKeys"),
    ("sensitivity.also, each", report.OwnVariant, "OwnVariant"),
    ("privacy", report.PrivacyKeys, "PrivacyKeys"),
    ("previous", report.Previous, "Previous"),
    ("pdf", report.Pdf, "Pdf"),
    ("warnings", report.Warnings, "Warnings"),
    ("checks", config.ChecksKeys, "ChecksKeys"),
    ("inference", report.InferenceKeys, "InferenceKeys"),
)
METRIC = "a metric: its name, or a map of its name, `as`, `phrase` and parameters"
PARAMETER = "Which of several metrics of this name is meant; other parameters may stand here too"
IN_WORDS = {
    "MarginKeys": 'a number from 0 up, or a percent such as `"2%"`',
    "MetricUse": METRIC,
    "Test": "a [test](../intervals.md#tests)",
    "CurveUse": "a curve: its name, or a map of its name, `as` and parameters",
}
PLAIN = {
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
}

TIERS = {
    "stable": (
        "schema_version",
        "schema_minor",
        "task",
        "report",
        "inference",
        "models",
        "metrics",
        "datasets",
        "estimates",
        "comparisons",
        "gates",
        "warnings",
        "provenance",
        "files",
    ),
    "opaque": ("config",),
}
RESULTS_INTRO = """\
Every run writes `results.json`: all numbers, enough to make every other output again. Its [JSON
Schema](results.schema.json) is what `reportgen schema results` prints.

- `schema_version` is the major version. Within it nothing is renamed, removed or given another
  type, unit or meaning; what is added is optional and makes `schema_minor` one more.
- Each later reportgen reads every major version since 1. A later major version than its own it
  refuses (exit 3); of a later minor version it passes over what it does not know, and says so.
- A number that is missing reads as null; a word that is unknown is printed as it stands; a
  table that still cannot be read is left out. Each is told on standard error.
- What does not exist is `null`; numbers have ten significant digits.

*Stable* parts keep names and meaning. In a part with a *stable shape, open list* each row does,
but which rows there are depends on the version. An *opaque* part is for people to read, and may
change."""


def main() -> None:
    """Write every page, and the schema beside the examples."""
    write_reference(pages())
    SCHEMA.write_text(dump_config_schema(), encoding="utf-8")


def write_reference(files: Mapping[str, str]) -> None:
    """Write files into the folder of made pages; one that is as it was keeps its time."""
    for name, text in files.items():
        path = REFERENCE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Every page and file that is made from the program, by its path in the folder."""
    return {name: make() for name, make in PAGES.items()}


def results_schema() -> str:
    """The JSON Schema of results.json."""
    return json.dumps(archive.build_results_schema(), indent=1, ensure_ascii=False) + "\n"


def results_page() -> str:
    """What stands in results.json: how firm each part is, and every class of it by its fields."""
    told = archive.build_results_schema()
    firm = {name: tier for tier, names in TIERS.items() for name in names}
    rows = [
        (f"`{name}`", _held(field), firm.get(name, "stable shape, open list"))
        for name, field in told["properties"].items()
    ]
    parts = [_table(("key", "holds", "how firm"), rows)]
    for name, each in sorted(told["$defs"].items()):
        rows = [(f"`{key}`", _held(field)) for key, field in each["properties"].items()]
        about = each.get("description", "").replace("\n\n", "\n").replace("\n", " ")
        parts.append(f"## {name}\n\n{about}\n\n{_table(('field', 'holds'), rows)}")
    return _page("results.json", RESULTS_INTRO, *parts)


def _held(field: dict[str, Any]) -> str:
    """What a field may hold, in words."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(map(_held, field["anyOf"])))
    if "enum" in field or "const" in field:
        return ", ".join(f"`{word}`" for word in field.get("enum", [field.get("const")]))
    if field.get("type") == "array":
        inner = field.get("items") or {}
        return f"list of {_held(inner)}" if inner else "list"
    plain = {**PLAIN, "object": "map", "null": "null"}
    return plain.get(field.get("type", ""), "any value")


def metrics_page() -> str:
    """Every metric: an overview, then its facts."""
    metrics = sorted(METRICS.values(), key=lambda m: m.name)
    rows = [
        (f"[{m.name}](#{m.name})", m.title, BETTER[m.better], _range(m.bounds), m.unit, m.needs)
        for m in metrics
    ]
    head = ("name", "title", "direction", "range", "unit", "needs")
    intro = (
        "[Choosing a metric](choosing-a-metric.md) leads from a question to a metric. "
        "Metrics are named in a config under `metrics:`; `reportgen explain NAME` prints what "
        "stands here. Every metric takes weights. "
        "Where a metric is undefined the report says so, with the reason; it is never 0. "
        "`order` means that only the order of the scores is read, or a straight line through "
        "them, so a score with `scale: rank` may be judged; `amount` needs scores in the unit of "
        "y; `density` needs predicted quantiles, or a mean and a standard deviation.\n\n"
        "In Python each is a function of arrays, `reportgen.metrics.kendall(y, score, "
        'weight=None)`, with its parameters by name. `reportgen.metrics.scorer("kendall")` is a '
        "scikit-learn scorer of it, for a search over hyperparameters. What has been used to "
        "choose is no test set: judge the chosen model on other rows."
    )
    return _page("Metrics", intro, _table(head, rows), *map(_metric, metrics))


def choosing_page() -> str:
    """Which metric answers which question, and what it is blind to."""
    parts = [ADVICE + " `reportgen explain which` prints what stands here."]
    for task, by_question in group_metrics_by_question().items():
        parts.append(f"## Task {task}")
        for question, metrics in by_question.items():
            rows = [
                (f"[{name_within_task(m)}](metrics.md#{m.name})", m.title, m.blind) for m in metrics
            ]
            table = _table(("metric", "title", "blind to"), rows)
            parts.append(f"### {question.text}\n\n{question.when}\n\n{table}")
    return _page("Choosing a metric", *parts)


def curves_page() -> str:
    """Every curve: an overview, then its facts."""
    curves = sorted(CURVES.values(), key=lambda c: c.name)
    rows = [(f"[{c.name}](#{c.name})", c.title, c.x_label, c.y_label, c.needs) for c in curves]
    intro = (
        "A report draws all curves of the task but those drawn on request, or exactly those "
        "listed under `curves:`. Each but those that only show the data has a band "
        "that holds for the whole curve at once and, inside it, limits for each point alone; "
        "[Resampling](../resampling.md#bands) says how they are made. Differences between two "
        "models are drawn where both curves are found at the same positions."
    )
    head = ("name", "title", "x", "y", "needs")
    return _page("Curves", intro, _table(head, rows), *map(_curve, curves))


def warnings_page() -> str:
    """Every coded doubt, with its meaning and the way out."""
    intro = (
        "A warning is a coded doubt. It changes no number; it says how far to trust one. Codes "
        "never change their meaning: W1xx doubt the statistics, W2xx the data and the page. "
        "`reportgen explain W103` prints what stands here. `warnings: {fatal: [W103]}` in a config "
        "makes a run with that warning end with exit code 1."
    )
    codes = [*filter(is_known, sorted(CHECKS))]
    rows = [(f"[{code}](#{code.lower()})", describe_code(code, "title")) for code in codes]
    parts = [
        f"## {code}\n\n**{capitalize(describe_code(code, 'title'))}.** "
        f"{describe_code(code, 'meaning')}\n\n"
        f"Why it matters: {describe_code(code, 'matters')}\n\n"
        f"What to do: {describe_code(code, 'remedy')}\n\n"
        f"In a report: {format_warning(code, {})}"
        for code in codes
    ]
    return _page("Warnings", intro, _table(("code", "doubt"), rows), *parts)


def checks_page() -> str:
    """Every check of the input, with its rule and how to allow it."""
    intro = (
        "Checks of the input say whether the data, or a model, support a judgement at all. A "
        "*stop* gives no verdict, a *hold* gives no “yes” for that model, and a model that is "
        "*out* is never recommended. What is *open* leaves requirements open. Values, intervals "
        "and curves are printed in any case. "
        "Of more than 250,000 rows, rules about orders, scales and copies look at about so many, "
        "the same in every run. "
        '`allow: {too_few: "why"}` accepts a check of the data, the same under a model one of '
        "that model; the report prints the reason. `reportgen explain too_few` prints what stands "
        "here."
    )
    known = {name: each for name, each in INPUT_CHECKS.items() if each.code in CHECKS}
    rows = [
        (f"[{name}](#{name})", each.code, each.kind, each.scope) for name, each in known.items()
    ]
    parts = [f"## {name}\n\n{describe_rule(name)}\n\n{describe_effect(name)}" for name in known]
    return _page("Checks", intro, _table(("name", "code", "kind", "of"), rows), *parts)


def config_page() -> str:
    """Every key of a config, table by table."""
    whole = build_config_schema(build_vocabulary())
    intro = (
        "Every key, from the models that check a config. [The config](../config.md) explains the "
        "language. Any number, choice or flag may be an environment variable instead, "
        '`"${NAME:-default}"`; keys that begin with `x-` are allowed everywhere and never read. '
        "`reportgen schema` prints the same as a JSON Schema for editors."
    )
    parts = [
        f"## {title}\n\n{_keys(model, whole if kind == 'Config' else whole['$defs'][kind])}"
        for title, model, kind in TABLES
    ]
    return _page("Config reference", intro, *parts)


def methods_page() -> str:
    """Which methods `auto` tries for each estimand, in order, and which metrics are such."""
    intro = (
        "`auto` takes the first method that applies to the data, for one model and for a "
        "difference. [Intervals](../intervals.md) says what each does and when it applies."
    )
    rows = [
        (
            name,
            _names(m.name for m in METRICS.values() if m.estimand == kind),
            _methods(select_methods(kind, VALUE_RULES), ()),
            _methods(select_methods(kind, DIFFERENCE_RULES), LAST_RESORTS[:1]),
            _methods(select_methods(kind, TEST_RULES), ("bootstrap",)),
        )
        for name, kind in ESTIMANDS.items()
    ]
    head = ("estimand", "metrics", "one model", "paired difference", "test")
    return _page("Methods", intro, _table(head, rows))


def _kind(metric: Metric) -> str:
    named = [name for name, kind in ESTIMANDS.items() if kind == metric.estimand]
    if not named:
        raise KeyError(f"the estimand of {metric.name} has no name in ESTIMANDS")
    return named[0]


def _asked(metric: Metric) -> str:
    """How a config asks for a metric, and what is asked for by the same name in other tasks."""
    written = config_name(metric)
    others = [f"[{m.name}](#{m.name}) with `task: {m.task}`" for m in list_homonyms(metric)]
    own = f"`{written or metric.name}` with `task: {metric.task}`" if others else f"`{written}`"
    said = [own if written or others else "", "; the same name is " * bool(others)]
    return "".join(said) + ", ".join(others)


REFERENCES = {
    "median": "the median of y for every row",
    "mean": "the mean of y for every row",
    "quantile": "the α-quantile of y for every row",
    "relative median": "the median of y, each row weighing 1/|y|, for every row",
    "log mean": "the exponential of the mean of log(1 + y), less 1, for every row",
    "best constant": "the constant that is best by the metric for every row",
    "distribution": "the quantiles of y for every row",
    "normal": "a Normal distribution with the mean and standard deviation of y for every row",
    "random order": "a random order: all scores tied, of a query all documents that were judged or "
    "that its list names",
    "share": "the share of positives for every row",
    "everyone": "every row flagged",
    "nobody": "no row flagged",
    "everyone or nobody": "every row flagged or none, whichever is better",
    "commonest class": "the commonest class for every row; of one class, that class",
    "best class": "the class that is best by the metric for every row",
    "class shares": "the share of each class for every row",
    "labels": "the labels that most rows have, or every label, whichever is better",
    "label set": "the commonest set of labels for every row",
    "label shares": "the share of rows with each label for every row",
}


def _reference(metric: Metric) -> str:
    """What a model is held against that takes no model, or why there is nothing."""
    if metric.chance is not None:
        return f"{metric.chance:g}, what anything without skill has"
    said = REFERENCES.get(metric.reference, "")
    return said or (f"nothing, as {metric.no_reference}" if metric.no_reference else "")


def _metric(metric: Metric) -> str:
    facts = {
        "Formula": f"`{metric.formula}`" if metric.formula else "",
        "Direction": f"{BETTER[metric.better]}; {_range(metric.bounds)}; unit {metric.unit}",
        "Score": NEEDS[metric.needs],
        "Undefined": metric.undefined,
        "Answers": metric.answers.text if metric.answers else "",
        "Blind to": metric.blind,
        "Without a model": _reference(metric),
        "Caveat": metric.caveat,
        "Interval and test": f"those of the estimand {_kind(metric)}, see [methods](methods.md)",
        "In a config": _asked(metric),
        "Parameters": _parameters(list_name_parameters(metric.name)),
        "Source": metric.cite,
    }
    return _entry(metric.name, metric.title, metric.function, facts)


def _curve(curve: Curve) -> str:
    facts = {
        "Axes": f"{curve.x_label} ({curve.x_unit}); {curve.y_label} ({curve.y_unit})",
        "Range": _range(curve.bounds),
        "Drawn": "only where `curves:` names it" if curve.is_on_request else "",
        "Score": "the same for every score" if curve.is_of_target else NEEDS[curve.needs],
        "Parameters": _parameters(curve.parameters),
        "Source": curve.cite,
    }
    return _entry(curve.name, curve.title, curve.function, facts)


def _entry(name: str, title: str, function: Callable[..., Any], facts: dict[str, str]) -> str:
    listed = "\n".join(f"- {term}: {text}" for term, text in facts.items() if text)
    return f"## {name}\n\n**{title}.** {_told(function)}\n\n{listed}"


def _told(function: Callable[..., Any]) -> str:
    """The docstring, less its examples."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    told = [p.replace("\n", " ") for p in paragraphs if p and not p.startswith((">>>", " "))]
    return "\n\n".join(told)


def _parameters(parameters: Iterable[Parameter]) -> str:
    return "; ".join(
        f"`{p.name}` ({' or '.join(f'`{c}`' for c in p.choices) or PLAIN_KIND[p.kind]}, "
        + ("required)" if p.is_required else f"default {_value(p.default)})")
        for p in parameters
    )


PLAIN_KIND = {
    "number": "a number",
    "integer": "a whole number",
    "text": "text",
    "flag": "true or false",
}


def _keys(model: type[BaseModel], node: dict[str, Any]) -> str:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    rows = []
    long = next(n for n in (node, *node.get("anyOf", ())) if "properties" in n)
    for key, below in long["properties"].items():
        field = fields.get(key)
        if field is None and key not in ("extends", "threshold"):
            continue  # a metric's parameters, allowed where a metric is pointed at
        description = (
            PARAMETER
            if field is None and key == "threshold"
            else below.get("description") or (field.description if field else "") or ""
        )
        meaning, _, default = description.partition("default: ")
        cell = default.rstrip(".") if default else _default(field)
        meaning = meaning.rstrip("; ")
        meaning += "" if meaning.endswith(".") else "."
        rows.append((f"`{key}`", _type(below), cell, meaning, _example(field, key)))
    return _table(("key", "type", "default", "meaning", "example"), rows)


def _default(field: FieldInfo | None) -> str:
    if field is None:
        return "none"
    if field.is_required():
        return "required"
    value = field.default
    if isinstance(value, BaseModel):
        return "see below"
    empty = value is None or value is PydanticUndefined or value in ((), {}, "")
    return "none" if empty else _value(value)


def _example(field: FieldInfo | None, key: str) -> str:
    if field is None:
        return "`0.5`" if key == "threshold" else "`base.yaml`"
    return f"`{_flow(field.examples[0])}`" if field.examples else ""


def _flow(value: Any) -> str:
    """A value as YAML writes it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return str(value)


def _type(node: dict[str, Any]) -> str:
    """The type of a key in words."""
    if "$ref" in node:
        kind = node["$ref"].rpartition("/")[2]
        title = next((title for title, _, name in TABLES if name == kind), "")
        shown = title.removeprefix("gates with ").removesuffix(", each").rpartition(".")[2]
        if not title and kind not in IN_WORDS:
            raise KeyError(f"{kind} has no table and no words of its own")
        return IN_WORDS.get(kind) or f"[{shown}](#{slug(title)})"
    options = node.get("anyOf") or node.get("oneOf")
    if options:
        told = [_type(each) for each in options if not _is_left_out(each)]
        return " or ".join(dict.fromkeys(filter(None, told)))
    if "enum" in node:
        return ", ".join(f"`{value}`" for value in node["enum"])
    if "const" in node:
        return f"`{node['const']}`"
    return _of_kind(node)


def _of_kind(node: dict[str, Any]) -> str:
    kind = node.get("type")
    if kind == "array":
        if "prefixItems" in node:
            return f"list: {', '.join(map(_type, node['prefixItems']))}"
        each = _type(node["items"]) if "items" in node else METRIC
        return f"list of {each}"
    if isinstance(kind, list):
        return ", ".join(PLAIN[each] for each in kind if each != "null")
    if kind == "object":
        below = node.get("additionalProperties")
        return f"map of {_type(below)}" if isinstance(below, dict) and below else "map"
    pattern = {"^#[0-9a-fA-F]{6}$": " such as `#0072B2`", "^W[0-9]{3}$": " such as `W103`"}
    return PLAIN[str(kind)] + _limits(node) + pattern.get(node.get("pattern", ""), "")


def _limits(node: dict[str, Any]) -> str:
    words = (
        ("minimum", "from {}"),
        ("exclusiveMinimum", "above {}"),
        ("maximum", "to {}"),
        ("exclusiveMaximum", "below {}"),
    )
    told = [text.format(_size(node[key])) for key, text in words if key in node]
    return "".join(f" {part}" for part in told)


def _size(number: float) -> str:
    return "2⁶³" if number == 2**63 else f"{number:,}"


def _is_left_out(node: dict[str, Any]) -> bool:
    """Null, and the variable that may stand anywhere."""
    return node.get("type") == "null" or node.get("pattern") == r"\$\{"


def _methods(names: Sequence[str], last: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys((*names, *last)))


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"[{name}](metrics.md#{name})" for name in sorted(names)) or "none yet"


def _value(value: object) -> str:
    words = {None: "none", True: "`true`", False: "`false`"}
    return words[value] if value is None or isinstance(value, bool) else f"`{value}`"


def _range(bounds: tuple[float, float]) -> str:
    low, high = bounds
    if (low, high) == (-inf, inf):
        return "any number"
    if high == inf:
        return f"{low:g} or more"
    return f"{high:g} or less" if low == -inf else f"{low:g} to {high:g}".replace("-", "−")


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it.

    >>> slug("datasets, each")
    'datasets-each'
    """
    kept = (c for c in heading.lower() if c.isalnum() or c in " -_")
    return "".join(kept).replace(" ", "-")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def _page(title: str, *parts: str) -> str:
    return "\n\n".join((f"# {title}", *parts)) + "\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "metrics.md": metrics_page,
    "choosing-a-metric.md": choosing_page,
    "curves.md": curves_page,
    "warnings.md": warnings_page,
    "checks.md": checks_page,
    "config-reference.md": config_page,
    "methods.md": methods_page,
    "results.schema.json": results_schema,
    "results.md": results_page,
}
"""The function that writes each page or file."""


if __name__ == "__main__":
    main()
