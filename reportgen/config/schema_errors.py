"""Schema violations in plain words, each with a way out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from reportgen.config.schema.config import Config
from reportgen.config.schema.fields import StrictModel
from reportgen.config.schema.report import (
    Bound,
    FewHarmed,
    NonInferior,
    NotWorseThanPrevious,
    Versus,
)
from reportgen.config.yaml.faults import ProblemList, quote_node, suggest_name
from reportgen.config.yaml.tree import (
    ListNode,
    MappingNode,
    Node,
    Scalar,
    find_key_mark,
    find_mark,
    find_node,
    format_key_path,
)
from reportgen.errors import ConfigPath, did_you_mean

RULES: dict[str, type[BaseModel]] = {
    rule: kind
    for kind in (Bound, Versus, NonInferior, FewHarmed, NotWorseThanPrevious)
    for rule in get_args(kind.model_fields["rule"].annotation)
}
EXPECTED_TYPES = {
    "string_type": "text",
    "string_too_short": "some text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a map of keys",
    "model_type": "a map of keys",
    "model_attributes_type": "a map of keys",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number from {ge} up",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number up to {le}",
    "too_short": "at least {min_length} item",
    "too_long": "at most {max_length} items",
}
PATTERNS = {
    "^#[0-9a-fA-F]{6}$": 'a colour such as "#0072B2", in quotes',
    "^W[0-9]{3}$": "a warning's code such as W101",
}
FORMS = (  # keys with a value of several forms; "" stands for any name
    ("buckets",),
    *(("costs", key) for key in ("under", "over", "fp", "fn", "tp", "tn")),
    ("prevalence", "target"),
    ("prevalence", "trained_at"),
    ("folds", "train_share"),
    ("datasets", "", "positive"),
    ("thresholds", "", "cost"),
)


def check_shape(tree: MappingNode, plain: object, faults: ProblemList) -> Config | None:
    """Return the validated config, or None with its problems added to `faults`."""
    try:
        return Config.model_validate(plain)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=False):
            _complain(detail, tree, faults)
    return None


def build_partial_config(plain: Mapping[str, Any]) -> Config:
    """Build a config from values of which some are wrong, for checks that report those of names.

    A single value of a wrong kind stays as it is, a wrong map or list is empty, and what is
    required and missing is None or empty. Gates of every rule are read as `Versus`, whose keys all
    rules share.
    """
    config = _build_partial_model(Config, plain)
    assert isinstance(config, Config)
    return config


def _build_partial_model(model: type[BaseModel], values: Mapping[str, Any]) -> BaseModel:
    keys = {name: field.alias or name for name, field in model.model_fields.items()}
    read = {
        key: _read_field(model, name, values[key]) if key in values else _make_empty(field)
        for name, field in model.model_fields.items()
        if (key := keys[name]) in values or field.is_required()
    }
    return model.model_construct({name for name in keys if keys[name] in values}, **read)


def _read_field(model: type[BaseModel], name: str, value: Any) -> Any:
    field = model.model_fields[name]
    try:
        return getattr(_make_field_model(model, name)(**{field.alias or name: value}), name)
    except ValidationError:
        return _read_value(field.annotation, value)


@cache
def _make_field_model(model: type[BaseModel], name: str) -> type[BaseModel]:
    field = model.model_fields[name]
    return create_model(name, __base__=StrictModel, **{name: (field.annotation, field)})  # type: ignore[call-overload,no-any-return]


def _read_value(kind: Any, value: Any) -> Any:
    kinds = _list_alternatives(kind)
    for each in [Versus] if Versus in kinds else kinds:
        if isinstance(value, dict) and _is_model(each):
            return _build_partial_model(each, value)
        if isinstance(value, dict) and get_origin(each) is dict:
            return {key: _read_value(get_args(each)[1], below) for key, below in value.items()}
        if isinstance(value, tuple) and get_origin(each) is tuple:
            return tuple(_read_value(get_args(each)[0], below) for below in value)
    if isinstance(value, dict | tuple) or all(map(_is_container, kinds)):
        return _make_empty(kind)
    return value


def _make_empty(kind: Any) -> Any:
    """Make the value of a type that holds nothing: None, or an empty map, list or model."""
    if isinstance(kind, FieldInfo):
        kind = kind.annotation
    first = _list_alternatives(kind)[0]
    if NoneType in get_args(kind) or not _is_container(first):
        return None
    return _build_partial_model(first, {}) if _is_model(first) else get_origin(first)()


def _is_container(kind: Any) -> bool:
    return _is_model(kind) or get_origin(kind) in (dict, tuple)


def _complain(detail: ErrorDetails, tree: MappingNode, faults: ProblemList) -> None:
    loc, kind = detail["loc"], detail["type"]
    at = _drop_tag(loc)
    if kind == "missing":
        return _complain_missing(at, tree, faults)
    if kind == "extra_forbidden":
        return _complain_unknown(at, tree, faults)
    node = find_node(tree, at)
    if kind == "too_short" and isinstance(node, ListNode) and node.items:
        return None  # what is wrong with its items is said of these
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        rule = find_node(node, ("rule",))
        if rule is None:
            return _complain_missing((*at, "rule"), tree, faults)
        faults.add(
            find_mark(tree, (*at, "rule")),
            f"{format_key_path((*at, 'rule'))} cannot be {quote_node(rule)}; "
            f"{suggest_name(rule, RULES)}",
            (*at, "rule"),
        )
        return None
    faults.add(
        find_mark(tree, at), _describe_wrong_value(kind, detail.get("ctx", {}), at, node), at
    )
    return None


def _describe_wrong_value(
    kind: str, context: dict[str, Any], at: ConfigPath, node: Node | None
) -> str:
    name, field = _format_path(at), find_field(at)
    if kind == "said":
        tail = f", not {quote_node(node)}" if isinstance(node, Scalar) else ""
        return f"{name} {context['words']}{tail}"
    if kind == "literal_error":
        choices = list_choices(field.annotation) if field else ()
        if choices == (1,):
            return f"{name} {quote_node(node)} is not known: this program reads version: 1"
        return f"{name} cannot be {quote_node(node)}; {suggest_name(node, map(str, choices))}"
    if kind == "string_pattern_mismatch":
        wanted = PATTERNS.get(context["pattern"], "another form of text")
    else:
        limits = {key: _simplify_float(value) for key, value in context.items()}
        wanted = EXPECTED_TYPES.get(kind, "another value").format(**limits)
    return f"{name} wants {wanted}, not {quote_node(node)}{_suggest_fix(kind, at, node, field)}"


def _suggest_fix(kind: str, at: ConfigPath, node: Node | None, field: FieldInfo | None) -> str:
    """Say how to mend it, where that is known."""
    if isinstance(node, Scalar) and node.value is None and node.secret is None:
        return "; write a value, or remove the key"
    if kind == "string_type" and isinstance(node, Scalar) and node.secret is None:
        return f'; put it in quotes: "{node.written}"'
    if kind == "int_type" and isinstance(node, Scalar) and _is_whole(node):
        return f"; write {node.value:.0f}"
    if kind in ("int_type", "float_type") and isinstance(node, Scalar) and not node.is_plain:
        return "; remove the quotes" if _is_number(node) else _format_example(at, field)
    if kind == "tuple_type" and isinstance(node, Scalar):
        return f"; write [{node.safe_text}]"
    return _format_example(at, field)


def _format_example(at: ConfigPath, field: FieldInfo | None) -> str:
    if field is None or not field.examples:
        return ""
    example = field.examples[0]
    if isinstance(example, dict):
        text = "{" + ", ".join(f"{key}: {value}" for key, value in example.items()) + "}"
    elif isinstance(example, list):
        text = "[" + ", ".join(map(str, example)) + "]"
    else:
        text = str(example)
    return f"; for example {_format_key(at)}: {text}"


def _complain_missing(at: ConfigPath, tree: MappingNode, faults: ProblemList) -> None:
    above, key = at[:-1], at[-1]
    field = find_field(at)
    text = field.description.rstrip(".") if field and field.description else ""
    what = f" ({text[0].lower()}{text[1:]})" if text else ""
    where = f"{_format_path(above)} has no" if above else "there is no"
    way = _format_example(at, field).removeprefix("; for example ") if field else ""
    hint = f"; add {way}" if way else "; add it"
    if key == "rule":
        what, hint = "", f"; add one of {', '.join(sorted(RULES))}"
    if key == "against":
        return  # the baseline is missing, and that is said where the models are
    if key == "dataset" and not isinstance(tree.get("datasets"), MappingNode):
        return
    faults.add(find_mark(tree, above), f"{where} {str(key)!r}{what}{hint}", at)


def _complain_unknown(at: ConfigPath, tree: MappingNode, faults: ProblemList) -> None:
    above, key = at[:-1], str(at[-1])
    model = find_model(above, tree)
    known = [f.alias or name for name, f in model.model_fields.items()] if model else []
    if not above:
        known += ["extends"]
    where = f" in {_format_path(above)}" if above else ""
    mark = find_key_mark(tree, at)
    faults.add(mark, f"unknown key {key!r}{where}; {did_you_mean(key, known)}", at)


def find_field(at: ConfigPath) -> FieldInfo | None:
    """Find the schema field at a path; for gates, the field of whichever rule has it."""
    for model in _list_models(at[:-1], None):
        for name, field in model.model_fields.items():
            if at and at[-1] in (name, field.alias):
                return field
    above = find_field(at[:-1]) if at and isinstance(at[-1], int) else None
    return above if above and not _is_list_of_models(above.annotation) else None


def find_model(at: ConfigPath, tree: MappingNode | None) -> type[BaseModel] | None:
    """Find the schema model at a path, or None."""
    return next(iter(_list_models(at, tree)), None)


def list_choices(annotation: Any) -> tuple[Any, ...]:
    """List the closed choices of a type; empty if it has none."""
    closed = [kind for kind in _list_alternatives(annotation) if get_origin(kind) is Literal]
    return tuple(choice for kind in closed for choice in get_args(kind))


def _list_models(at: ConfigPath, tree: MappingNode | None) -> list[type[BaseModel]]:
    kinds: list[Any] = [Config]
    for depth, part in enumerate(at):
        below = []
        for kind in kinds:
            below += _list_child_types(kind, part)
        kinds = below
        if at[0] == "gates" and depth == 1 and tree is not None:
            rule = find_node(tree, (*at[:2], "rule"))
            name = str(rule.value) if isinstance(rule, Scalar) else ""
            kinds = [RULES[name]] if name in RULES else kinds
    return [kind for kind in kinds if _is_model(kind)]


def _list_child_types(kind: Any, part: str | int) -> list[Any]:
    if _is_model(kind):
        for name, field in kind.model_fields.items():
            if part in (name, field.alias):
                return _list_alternatives(field.annotation)
        return []
    arguments = get_args(kind)
    if get_origin(kind) is dict:
        return _list_alternatives(arguments[1])
    if get_origin(kind) is tuple:
        return _list_alternatives(arguments[0])
    return []


def _list_alternatives(annotation: Any) -> list[Any]:
    """List the types that a value may have, other than None."""
    if get_origin(annotation) is Annotated:
        return _list_alternatives(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        parts = [_list_alternatives(part) for part in get_args(annotation) if part is not NoneType]
        return [kind for part in parts for kind in part]
    return [annotation]


def _is_model(kind: Any) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _is_list_of_models(annotation: Any) -> bool:
    return any(
        _is_model(below)
        for kind in _list_alternatives(annotation)
        for below in _list_child_types(kind, 0)
    )


def _drop_tag(loc: tuple[int | str, ...]) -> ConfigPath:
    """Drop the name of a rule or a form from a location, since it is no key of the YAML."""
    if len(loc) > 2 and loc[0] == "gates" and loc[2] in RULES:
        return (*loc[:2], *loc[3:])
    for at in FORMS:
        if len(loc) > len(at) and all(
            wanted in ("", part) for wanted, part in zip(at, loc, strict=False)
        ):
            return (*loc[: len(at)], *loc[len(at) + 1 :])
    return loc


def _format_path(at: ConfigPath) -> str:
    return format_key_path(tuple(part for part in at if part != "params"))


def _format_key(at: ConfigPath) -> str:
    return str(next((part for part in reversed(at) if isinstance(part, str)), ""))


def _simplify_float(value: object) -> object:
    """Return a limit as a person writes it: 1, not 1.0."""
    return f"{value:g}" if isinstance(value, float) else value


def _is_whole(node: Scalar) -> bool:
    return isinstance(node.value, float) and node.value.is_integer() and node.secret is None


def _is_number(node: Scalar) -> bool:
    try:
        float(node.written)
    except ValueError:
        return False
    return True
