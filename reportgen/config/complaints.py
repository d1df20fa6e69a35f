"""What the schema finds wrong, in plain words with a way out; its own words reach nobody."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from reportgen.config.faults import Faults, meant, quoted
from reportgen.config.gating import FewHarmed, NotWorseThanPrevious
from reportgen.config.schema import Bound, Config, NonInferior, Versus
from reportgen.config.yaml.tree import (
    Items,
    MappingNode,
    Node,
    Scalar,
    dotted,
    find,
    key_mark,
    mark_of,
)
from reportgen.errors import Path as At
from reportgen.errors import did_you_mean

RULES: dict[str, type[BaseModel]] = {
    "below": Bound,
    "above": Bound,
    "better": Versus,
    "no_regression": Versus,
    "non_inferior": NonInferior,
    "few_harmed": FewHarmed,
    "not_worse_than_previous": NotWorseThanPrevious,
}
WANTED = {
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


def check_shape(tree: MappingNode, plain: object, faults: Faults) -> Config | None:
    """The config, or None and its faults."""
    try:
        return Config.model_validate(plain)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=False):
            _complain(detail, tree, faults)
    return None


def _complain(detail: ErrorDetails, tree: MappingNode, faults: Faults) -> None:
    loc, kind = detail["loc"], detail["type"]
    at = _without_tag(loc)
    if kind == "missing":
        return _complain_missing(at, tree, faults)
    if kind == "extra_forbidden":
        return _complain_unknown(at, tree, faults)
    node = find(tree, at)
    if kind == "too_short" and isinstance(node, Items) and node.items:
        return None  # what is wrong with its items is said of these
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        rule = find(node, ("rule",))
        if rule is None:
            return _complain_missing((*at, "rule"), tree, faults)
        faults.add(
            mark_of(tree, (*at, "rule")),
            f"{dotted((*at, 'rule'))} cannot be {quoted(rule)}; {meant(rule, RULES)}",
            (*at, "rule"),
        )
        return None
    faults.add(mark_of(tree, at), _value(kind, detail.get("ctx", {}), at, node), at)
    return None


def _value(kind: str, context: dict[str, Any], at: At, node: Node | None) -> str:
    name, field = _shown(at), field_of(at)
    if kind == "said":
        tail = f", not {quoted(node)}" if isinstance(node, Scalar) else ""
        return f"{name} {context['words']}{tail}"
    if kind == "literal_error":
        choices = choices_of(field.annotation) if field else ()
        if choices == (1,):
            return f"{name} {quoted(node)} is not known: this program reads version: 1"
        return f"{name} cannot be {quoted(node)}; {meant(node, map(str, choices))}"
    if kind == "string_pattern_mismatch":
        wanted = PATTERNS.get(context["pattern"], "another form of text")
    else:
        limits = {key: _short(value) for key, value in context.items()}
        wanted = WANTED.get(kind, "another value").format(**limits)
    return f"{name} wants {wanted}, not {quoted(node)}{_way_out(kind, at, node, field)}"


def _way_out(kind: str, at: At, node: Node | None, field: FieldInfo | None) -> str:
    """How to mend it, where that can be said."""
    if isinstance(node, Scalar) and node.value is None and node.secret is None:
        return "; write a value, or remove the key"
    if kind == "string_type" and isinstance(node, Scalar) and node.secret is None:
        return f'; put it in quotes: "{node.written}"'
    if kind == "int_type" and isinstance(node, Scalar) and _is_whole(node):
        return f"; write {node.value:.0f}"
    if kind in ("int_type", "float_type") and isinstance(node, Scalar) and not node.is_plain:
        return "; remove the quotes" if _is_number(node) else _example(at, field)
    if kind == "tuple_type" and isinstance(node, Scalar):
        return f"; write [{node.printed}]"
    return _example(at, field)


def _example(at: At, field: FieldInfo | None) -> str:
    if field is None or not field.examples:
        return ""
    example = field.examples[0]
    if isinstance(example, dict):
        text = "{" + ", ".join(f"{key}: {value}" for key, value in example.items()) + "}"
    elif isinstance(example, list):
        text = "[" + ", ".join(map(str, example)) + "]"
    else:
        text = str(example)
    return f"; for example {_key(at)}: {text}"


def _complain_missing(at: At, tree: MappingNode, faults: Faults) -> None:
    above, key = at[:-1], at[-1]
    field = field_of(at)
    text = field.description.rstrip(".") if field and field.description else ""
    what = f" ({text[0].lower()}{text[1:]})" if text else ""
    where = f"{_shown(above)} has no" if above else "there is no"
    way = _example(at, field).removeprefix("; for example ") if field else ""
    hint = f"; add {way}" if way else "; add it"
    if key == "rule":
        what, hint = "", f"; add one of {', '.join(sorted(RULES))}"
    if key == "against":
        return  # the baseline is missing, and that is said where the models are
    if key == "dataset" and not isinstance(tree.get("datasets"), MappingNode):
        return
    faults.add(mark_of(tree, above), f"{where} {str(key)!r}{what}{hint}", at)


def _complain_unknown(at: At, tree: MappingNode, faults: Faults) -> None:
    above, key = at[:-1], str(at[-1])
    model = model_at(above, tree)
    known = [f.alias or name for name, f in model.model_fields.items()] if model else []
    if not above:
        known += ["extends"]
    where = f" in {_shown(above)}" if above else ""
    mark = key_mark(tree, at)
    faults.add(mark, f"unknown key {key!r}{where}; {did_you_mean(key, known)}", at)


def field_of(at: At) -> FieldInfo | None:
    """The field of the schema at a path; of gates, that of whichever rule has it."""
    for model in _models_at(at[:-1], None):
        for name, field in model.model_fields.items():
            if at and at[-1] in (name, field.alias):
                return field
    above = field_of(at[:-1]) if at and isinstance(at[-1], int) else None
    return above if above and not _is_list_of_models(above.annotation) else None


def model_at(at: At, tree: MappingNode | None) -> type[BaseModel] | None:
    """The model of the schema at a path."""
    return next(iter(_models_at(at, tree)), None)


def choices_of(annotation: Any) -> tuple[Any, ...]:
    """The closed choices of a type, if it has any."""
    closed = [kind for kind in _alternatives(annotation) if get_origin(kind) is Literal]
    return tuple(choice for kind in closed for choice in get_args(kind))


def _models_at(at: At, tree: MappingNode | None) -> list[type[BaseModel]]:
    kinds: list[Any] = [Config]
    for depth, part in enumerate(at):
        below = []
        for kind in kinds:
            below += _descend(kind, part)
        kinds = below
        if at[0] == "gates" and depth == 1 and tree is not None:
            rule = find(tree, (*at[:2], "rule"))
            name = str(rule.value) if isinstance(rule, Scalar) else ""
            kinds = [RULES[name]] if name in RULES else kinds
    return [kind for kind in kinds if _is_model(kind)]


def _descend(kind: Any, part: str | int) -> list[Any]:
    if _is_model(kind):
        for name, field in kind.model_fields.items():
            if part in (name, field.alias):
                return _alternatives(field.annotation)
        return []
    arguments = get_args(kind)
    if get_origin(kind) is dict:
        return _alternatives(arguments[1])
    if get_origin(kind) is tuple:
        return _alternatives(arguments[0])
    return []


def _alternatives(annotation: Any) -> list[Any]:
    """The types that a value may have, None aside."""
    if get_origin(annotation) is Annotated:
        return _alternatives(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        parts = [_alternatives(part) for part in get_args(annotation) if part is not NoneType]
        return [kind for part in parts for kind in part]
    return [annotation]


def _is_model(kind: Any) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _is_list_of_models(annotation: Any) -> bool:
    return any(
        _is_model(below) for kind in _alternatives(annotation) for below in _descend(kind, 0)
    )


def _without_tag(loc: tuple[int | str, ...]) -> At:
    """A place without the name of a rule or a form, which is no key of the YAML."""
    if len(loc) > 2 and loc[0] == "gates" and loc[2] in RULES:
        return (*loc[:2], *loc[3:])
    for at in FORMS:
        if len(loc) > len(at) and all(
            wanted in ("", part) for wanted, part in zip(at, loc, strict=False)
        ):
            return (*loc[: len(at)], *loc[len(at) + 1 :])
    return loc


def _shown(at: At) -> str:
    return dotted(tuple(part for part in at if part != "params"))


def _key(at: At) -> str:
    return str(next((part for part in reversed(at) if isinstance(part, str)), ""))


def _short(value: object) -> object:
    """A limit as a person writes it: 1, not 1.0."""
    return f"{value:g}" if isinstance(value, float) else value


def _is_whole(node: Scalar) -> bool:
    return isinstance(node.value, float) and node.value.is_integer() and node.secret is None


def _is_number(node: Scalar) -> bool:
    try:
        float(node.written)
    except ValueError:
        return False
    return True
