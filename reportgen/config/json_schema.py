"""The JSON Schema of a config (draft 2020-12), for editors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reportgen.config.schema.config import Config
from reportgen.config.task_shorthand import PATTERN
from reportgen.config.vocabulary import ParameterLike, Vocabulary, Word

Schema = dict[str, Any]

VARIABLE: Schema = {"type": "string", "pattern": r"\$\{", "description": "An environment variable."}
TEXT: Schema = {"type": "string", "minLength": 1}
PERCENT: Schema = {"type": "string", "pattern": r"^\s*[0-9.]+(e-?[0-9]+)?\s*%\s*$"}
SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}
VALUE: Schema = {"type": ["string", "number", "boolean"]}
GATES = (
    "Bound",
    "Versus",
    "NonInferior",
    "FewHarmed",
    "NotWorseThanPrevious",
    "GapBelow",
    "GapNoWider",
)
MERGED = ("ReportKeys", "Dataset", "Labels", "Primary", "SampleOf", "Scores", "Model")
LIMITS: Schema = {
    "gt": "exclusiveMinimum",
    "ge": "minimum",
}  # as pydantic says next to a check of ours
NOT_OF_LABELS = ("path", "sql", "sql_file", "labels")


def build_config_schema(vocabulary: Vocabulary) -> Schema:
    """Build the JSON Schema of a config that may use the names in `vocabulary`."""
    schema = _loosen_node(Config.model_json_schema(by_alias=True))
    kinds, keys = schema["$defs"], schema["properties"]
    phrase = {key: kinds["MetricUse"]["properties"][key] for key in ("phrase", "verb")}
    shared = [item for words in vocabulary.homonyms.values() for item in words.items()]
    kinds["MetricUse"] = _build_use_schema([*vocabulary.metrics.items(), *shared], phrase)
    kinds["MetricUse"]["anyOf"] += _build_measure_schemas()
    kinds["CurveUse"] = _build_use_schema([*vocabulary.curves.items()], {})
    keys["curves"]["items"] = {"$ref": "#/$defs/CurveUse"}
    keys["extends"] = {
        "description": "A base file, or several: maps merge, lists and values replace.",
        "anyOf": [TEXT, {"type": "array", "items": TEXT}],
    }
    keys["threshold"] = {
        "description": "One operating point: the score from which a row is flagged.",
        "anyOf": [{"type": "number"}, VARIABLE],
    }
    _add_name_lists(schema, vocabulary)
    _allow_short_forms(kinds)
    keys["scores"] = _either(keys["scores"], {"type": "array", "items": TEXT})
    keys["scores"]["anyOf"][0]["additionalProperties"] = {
        "anyOf": [keys["scores"]["anyOf"][0]["additionalProperties"], {"type": "null"}]
    }
    _allow_parameters(kinds, vocabulary.metrics)
    keys["classes"] = {
        **_pick_description(keys["classes"]),
        "anyOf": [
            {"type": "array", "items": VALUE},
            {"type": "object", "additionalProperties": VALUE},
        ],
    }
    scored = [name for name, task in vocabulary.tasks.items() if task.is_of_items]
    _set_required_keys(
        schema,
        [name for name, task in vocabulary.tasks.items() if task.is_of_values],
        scored,
    )
    _free_metrics_of_scores(schema, scored)
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "reportgen config"}
    return {**about, **schema}


def _loosen_node(node: Any) -> Any:
    """Return a schema node that also allows variables, except in free text, and `x-` keys."""
    if isinstance(node, list):
        return [_loosen_node(part) for part in node]
    if not isinstance(node, dict):
        return node
    made = {
        str(LIMITS.get(key, key)): _loosen_properties(part)
        if key in ("properties", "$defs")
        else _loosen_node(part)
        for key, part in node.items()
        if key not in ("title", "default", "discriminator")
    }
    if made.get("additionalProperties") is False:
        made["patternProperties"] = {"^x-": {}}
    if default := _pick_simple_default(node):
        made["default"] = default
    return _allow_variable(made)


def _loosen_properties(parts: Mapping[str, Any]) -> Schema:
    return {name: _loosen_node(part) for name, part in parts.items()}


def _pick_simple_default(node: Schema) -> Any:
    default = node.get("default")
    return default if isinstance(default, str | int | float) else None


def _allow_variable(node: Schema) -> Schema:
    """Return a schema that accepts a variable in place of a number, a flag or a choice."""
    is_free = node.get("type") == "string" and not {"enum", "const", "pattern"} & node.keys()
    if is_free or node.get("type") in ("object", "array", "null") or "type" not in node:
        return node
    said: Schema = {
        key: node.pop(key) for key in ("description", "default", "examples") if key in node
    }
    return {**said, "anyOf": [node, VARIABLE]}


def _build_use_schema(words: Sequence[tuple[str, Word]], own: Schema) -> Schema:
    """Build the schema of a metric or curve: its name alone, or with parameters and `own` keys."""
    return {
        "anyOf": [
            *({"const": name, "description": word.description} for name, word in words),
            *(_add_parameters(name, word, own) for name, word in words),
            VARIABLE,
        ]
    }


def _build_measure_schemas() -> list[Schema]:
    """Build the schemas of a ranking measure in another program's form, bare or labelled."""
    text = {"type": "string", "pattern": PATTERN, "description": "A measure such as nDCG@10."}
    return [
        text,
        {
            "type": "object",
            "properties": {"name": text, "as": TEXT, "phrase": TEXT, "verb": TEXT},
            "required": ["name"],
            "additionalProperties": False,
        },
    ]


def _add_parameters(name: str, word: Word, own: Schema) -> Schema:
    required = [key for key, parameter in word.parameters.items() if parameter.is_required]
    parameters = {key: _build_parameter(parameter) for key, parameter in word.parameters.items()}
    return {
        "type": "object",
        "description": word.description,
        "properties": {
            "name": {"const": name},
            "as": {**TEXT, "description": "A label for primary and gates."},
            **own,
            **parameters,
        },
        "required": ["name", *required],
        "additionalProperties": False,
        "patternProperties": {"^x-": {}},
    }


def _build_parameter(parameter: ParameterLike) -> Schema:
    if parameter.choices:
        allowed: Schema = {"enum": list(parameter.choices)}
    else:
        kinds = {"number": "number", "integer": "integer", "text": "string", "flag": "boolean"}
        allowed = {"type": kinds[parameter.kind]}
    options = [allowed, VARIABLE]
    if parameter.default is None and not parameter.is_required:
        options.append({"type": "null"})
    said = {} if parameter.default is None else {"default": parameter.default}
    return {**said, "anyOf": options}


def _add_name_lists(schema: Schema, words: Vocabulary) -> None:
    """Replace free text with the closed lists of names that the vocabulary has."""
    kinds, keys = schema["$defs"], schema["properties"]
    kinds["Test"] = {"anyOf": [{"enum": list(words.tests)}, VARIABLE]}
    named, test = {"$ref": "#/$defs/Test"}, kinds["Comparisons"]["properties"]["test"]
    kinds["Comparisons"]["properties"]["test"] = {
        **{k: v for k, v in test.items() if k in ("description", "default")},
        "anyOf": [named, {"type": "object", "additionalProperties": named}],
    }
    for place, key, known in (
        (keys, "task", tuple(words.tasks)),
        (kinds["Bootstrap"]["properties"], "interval", words.intervals),
        (kinds["Comparisons"]["properties"], "adjust", words.adjustments),
        (kinds["Costs"]["properties"], "loss", words.losses),
        (keys["outputs"], "items", words.outputs),
        (keys["sections"], "items", words.sections),
    ):
        said = {k: v for k, v in place[key].items() if k in ("description", "default")}
        place[key] = {**said, "anyOf": [{"enum": list(known)}, VARIABLE]}


def _allow_short_forms(kinds: Schema) -> None:
    kinds["MarginKeys"] = {
        "description": "In the metric's unit, or a share of the baseline's value such as \"2%\".",
        "anyOf": [{"type": "number", "minimum": 0}, PERCENT, VARIABLE],
    }
    long_segment = kinds["SegmentKeys"]
    kinds["SegmentKeys"] = {"anyOf": [TEXT, long_segment]}
    bins = long_segment["properties"]["bins"]
    free = {**long_segment, "required": []}
    dataset = kinds["Dataset"]["properties"]
    by_column = {"anyOf": [bins, free, {"type": "null"}]}
    dataset["segments"] = _either(
        dataset["segments"], {"type": "object", "additionalProperties": by_column}
    )
    for noun in ("case", "positive_case"):
        dataset[noun] = _either(dataset[noun], TEXT)
    cut = {"$ref": "#/$defs/CutKeys"}
    dataset["positive"] = {**_pick_description(dataset["positive"]), "anyOf": [VALUE, cut]}
    kinds["Labels"]["properties"] |= {
        key: part for key, part in dataset.items() if key not in NOT_OF_LABELS
    }
    for key in ("qrels", "letor"):
        dataset[key] = _either(dataset[key], TEXT)
    model = kinds["Model"]["properties"]
    for key, kind in (("run", "RunKeys"), ("lines", "LinesKeys")):
        own = {"$ref": f"#/$defs/{kind}"}
        model[key]["additionalProperties"] = {"anyOf": [TEXT, own]}
        model[key] = _either(_either(model[key], TEXT), own)
    for kind in ("Model", "Scores"):
        keys = kinds[kind]["properties"]
        keys["columns"] = _either(keys["columns"], TEXT)
    scores = kinds["Model"]["properties"]["scores"]
    kinds["Model"]["properties"]["scores"] = _either(scores, {"$ref": "#/$defs/Scores"})
    of_file = kinds["Scores"]["properties"]  # a file of its own may stand in the model itself
    kinds["Model"]["properties"] = {"is": VALUE, **of_file, **kinds["Model"]["properties"]}
    for gate in GATES:
        pair = {"type": "object", "minProperties": 1, "maxProperties": 1}
        keys = kinds[gate]["properties"]
        if "between" in keys:
            keys["between"]["items"] = VALUE
        else:
            keys["segment"] = _either(keys["segment"], pair)


def _allow_parameters(kinds: Schema, metrics: Mapping[str, Word]) -> None:
    """Allow parameters where a metric is named: they say which one is meant."""
    known = sorted({key for word in metrics.values() for key in word.parameters})
    for kind in (*GATES, "Primary"):
        keys = kinds[kind]["properties"]
        keys |= {key: SCALAR for key in known if key not in keys}


def _either(schema: Schema, other: Schema) -> Schema:
    said = {"description": schema["description"]} if "description" in schema else {}
    return {**said, "anyOf": [{k: v for k, v in schema.items() if k != "description"}, other]}


def _pick_description(schema: Schema) -> Schema:
    """Pick the description and the examples of a schema."""
    return {key: schema[key] for key in ("description", "examples") if key in schema}


def _set_required_keys(schema: Schema, finished: list[str], scored: list[str]) -> None:
    """Require the keys that must be there: all of them only if no base file can supply them.

    Tasks that are `finished` elsewhere have one metric, and no target; of those that are `scored`,
    the files say what the models and scores are.
    """
    kinds = schema["$defs"]
    for kind in MERGED:
        kinds[kind].pop("required", None)
    for gate in GATES:
        kinds[gate]["required"] = _remove_keys(kinds[gate]["required"], ("dataset", "against"))
    schema["if"] = {"required": ["extends"]}
    required = _remove_keys(schema.pop("required"), ("outputs", "sections"))
    each = [
        {"required": ["path", "target"]},
        {"required": ["sql", "connection", "target"]},
        {"required": ["sql_file", "connection", "target"]},
        {"required": ["labels"]},
        {"required": ["qrels"]},
        {"required": ["letor"]},
    ]
    schema["else"] = {
        "if": {"required": ["task"], "properties": {"task": {"enum": finished}}},
        "then": {"required": _remove_keys(required, ("metrics",))},
        "else": {
            "if": {"required": ["task"], "properties": {"task": {"enum": scored}}},
            "then": {"required": _remove_keys(required, ("metrics", "models"))},
            "else": {
                "required": required,
                "properties": {"datasets": {"additionalProperties": {"anyOf": each}}},
            },
        },
        "properties": {"report": {"required": ["title"]}, "primary": {"required": ["metric"]}},
    }
    schema["then"] = {}


def _free_metrics_of_scores(schema: Schema, scored: list[str]) -> None:
    """Let tasks that are `scored` list scores, which a config names as it likes, as metrics."""
    metrics = schema["properties"]["metrics"]
    is_scored = {"required": ["task"], "properties": {"task": {"enum": scored}}}
    others = {"properties": {"metrics": {"items": metrics.pop("items")}}}
    schema["allOf"] = [{"if": is_scored, "then": {}, "else": others}]


def _remove_keys(keys: Iterable[str], gone: tuple[str, ...]) -> list[str]:
    return [key for key in keys if key not in gone]
