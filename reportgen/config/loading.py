"""Load and check a config file, with its places; report violations of its schema in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import isfinite, isnan
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel, Discriminator, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from reportgen.config.checks import classes, datasets, metrics, references
from reportgen.config.checks.metrics import convert_numbers, resolve_metric_labels
from reportgen.config.checks.view import ConfigView, add_findings
from reportgen.config.item_shorthand import ItemLister, expand_item_scores
from reportgen.config.schema.config import Config
from reportgen.config.schema.fields import StrictModel
from reportgen.config.schema.report import (
    Bound,
    FewHarmed,
    GapBelow,
    GapNoWider,
    NonInferior,
    NotWorseThanPrevious,
    Versus,
)
from reportgen.config.secrets import Secrets, is_file_path, mask_tree, rename_hidden
from reportgen.config.shorthand import RenamedValue, expand_shorthand, fill_defaults, rename_values
from reportgen.config.sources import ConfigMapping, Environment, SourceStack
from reportgen.config.task_shorthand import expand_external_scores, fill_keys
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.faults import ProblemList, quote_node, suggest_name
from reportgen.config.yaml.tree import (
    ConfigSource,
    Entry,
    ListNode,
    MappingNode,
    Node,
    Scalar,
    build_plain_data,
    find_key_mark,
    find_mark,
    find_node,
    format_key_path,
    get_child,
    get_entries,
    get_items,
    get_text,
    iter_scalars,
    make_scalar,
)
from reportgen.errors import ConfigPath, did_you_mean
from reportgen.paths import BUCKET, format_path
from reportgen.records import record

RULES: dict[str, type[BaseModel]] = {
    rule: kind
    for kind in (
        Bound,
        Versus,
        NonInferior,
        FewHarmed,
        NotWorseThanPrevious,
        GapBelow,
        GapNoWider,
    )
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
    return f"{name} needs {wanted}, not {quote_node(node)}{_suggest_fix(kind, at, node, field)}"


def _suggest_fix(kind: str, at: ConfigPath, node: Node | None, field: FieldInfo | None) -> str:
    """Say how to correct it, where that is known."""
    if isinstance(node, Scalar) and node.value is None and node.secret is None:
        return "; write a value, or remove the key"
    if kind == "string_type" and isinstance(node, Scalar) and node.secret is None:
        return f'; put it in quotes: "{node.written}"'
    if kind == "int_type" and isinstance(node, Scalar) and _is_whole(node):
        return f"; write {node.value:.0f}"
    if kind == "float_type" and isinstance(node, Scalar) and (share := _read_percent(node)):
        return f"; write {share}"
    if kind in ("int_type", "float_type") and isinstance(node, Scalar) and not node.is_plain:
        return "; remove the quotes" if _is_number(node) else _format_example(at, field)
    if kind == "tuple_type" and isinstance(node, Scalar):
        return f"; write [{node.safe_text}]"
    return _format_example(at, field)


def _read_percent(node: Scalar) -> str:
    """Read a percentage, such as 80%, as the share that it stands for; empty if it is none."""
    percent = re.fullmatch(r"\s*([+-]?\d+(?:\.\d+)?)\s*%\s*", str(node.value))
    return f"{float(percent[1]) / 100:.12g}" if percent and node.secret is None else ""


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
    """Drop the names of rules and forms from a location, since they are no keys of the YAML."""
    for at in _list_forms():
        if len(loc) > len(at) and all(
            wanted in ("", part) for wanted, part in zip(at, loc, strict=False)
        ):
            loc = (*loc[: len(at)], *loc[len(at) + 1 :])
    return loc


@cache
def _list_forms() -> tuple[ConfigPath, ...]:
    """List the keys with a value of several forms; "" stands for any name or place."""
    return tuple(_iter_forms(Config, (), ()))


def _iter_forms(kind: Any, metadata: Sequence[Any], at: ConfigPath) -> Iterator[ConfigPath]:
    if any(isinstance(e, Discriminator) or getattr(e, "discriminator", "") for e in metadata):
        yield at
    if get_origin(kind) is Annotated:
        below, *more = get_args(kind)
        yield from _iter_forms(below, more, at)
    elif get_origin(kind) in (Union, UnionType):
        for each in get_args(kind):
            yield from _iter_forms(each, (), at)
    elif get_origin(kind) in (dict, tuple):
        yield from _iter_forms(get_args(kind)[get_origin(kind) is dict], (), (*at, ""))
    elif _is_model(kind):
        for name, field in kind.model_fields.items():
            yield from _iter_forms(field.annotation, field.metadata, (*at, field.alias or name))


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


ModelLister = Callable[[str, Node], Mapping[str, str]]
"""Lists the models of a long table, with their roles, by its name and what the config says."""


@record
class LoadedConfig:
    """A config with its places. Paths (`at`) are those of the long form, as in `Config`.

    Texts of `config` that came from the environment stand there as they may be printed.
    """

    config: Config
    tree: MappingNode
    sources: tuple[ConfigSource, ...]
    secrets: Secrets
    renamed: tuple[RenamedValue, ...] = ()

    def place(self, at: ConfigPath = ()) -> str:
        """Return where something is written, file:line:column, or the nearest thing above it."""
        return str(find_mark(self.tree, at))

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the config is written in, the one that was named first."""
        named = (source.folder / Path(source.name).name for source in self.sources)
        return tuple(file for file in dict.fromkeys(named) if file.is_file())

    def line(self, at: ConfigPath) -> tuple[Path, int] | None:
        """Return the file and line where a value is written; None if it is not in a file."""
        mark = find_mark(self.tree, at)
        if not mark.line or mark.within is not None:
            return None
        return mark.source.folder / Path(mark.source.name).name, mark.line

    def base(self, at: ConfigPath) -> Path:
        """Return the folder of the file that sets the value at a path."""
        node = find_node(self.tree, at)
        mark = node.mark if isinstance(node, Scalar) else find_mark(self.tree, at)
        return mark.source.folder

    def file(self, at: ConfigPath) -> Path:
        """Return the file, folder or glob that the value at a path names, ready to be opened."""
        node = find_node(self.tree, at)
        assert isinstance(node, Scalar), f"{at} is not a path"
        return self.base(at) / str(node.value)

    def locate(self, at: ConfigPath) -> str:
        """Return the file, folder, glob or folder of S3 that the value at a path names."""
        text = self.get_true_text(at)
        return text if text.startswith(BUCKET) else str(self.file(at))

    def format_value(self, at: ConfigPath) -> str:
        """Return the value at a path as it may be printed, with secrets as ${VAR}."""
        node = find_node(self.tree, at)
        return node.safe_text if isinstance(node, Scalar) else ""

    def is_written(self, at: ConfigPath) -> bool:
        """Return whether the value at a path was written, and is no default."""
        return isinstance(find_node(self.tree, at), Scalar)

    def is_hidden(self, at: ConfigPath) -> bool:
        """Return whether the value at a path came from the environment, and may not be printed."""
        node = find_node(self.tree, at)
        return isinstance(node, Scalar) and node.secret is not None

    def get_true_text(self, at: ConfigPath) -> str:
        """Return the real text at a path, which names files and columns; never print it."""
        node = find_node(self.tree, at)
        return str(node.value) if isinstance(node, Scalar) else ""

    def format_file(self, at: ConfigPath) -> str:
        """Return the file path at a config path as a report prints it, without local folders."""
        return format_path(self.format_value(at), self.base(at), self.sources[0].folder)

    @property
    def json_form(self) -> dict[str, object]:
        """The whole config as JSON can hold it, defaults spelled out, secrets as ${VAR}.

        It is a config again: written as YAML or JSON it reads back as the same one. JSON has no
        infinity, so one is the text `.inf`.
        """
        dumped = self.config.model_dump(mode="json", by_alias=True, exclude_none=True)
        meta = dumped.pop("meta")
        hidden = {
            at: node.secret for at, node in iter_scalars(self.tree) if node.secret is not None
        }
        paths = {
            at: self.format_file(at).replace("${", "$${")
            for at, node in iter_scalars(self.tree)
            if is_file_path(at) and isinstance(node.value, str)
        }
        shown = _mask_secrets({**dumped, "meta": meta} if meta else dumped, (), {**paths, **hidden})
        assert isinstance(shown, dict)
        for key in ("metrics", "curves"):
            shown[key] = [_flatten_parameters(use) for use in shown[key]]
        return shown


@record
class Plugin:
    """A Python file that a config names: the file, its path as written, its place."""

    file: Path
    written: str
    place: str
    secrets: Secrets


NAME_CHECKS = (
    metrics.check_uses,
    metrics.check_series,
    references.check_references,
    references.check_scales,
    datasets.check_sources,
    datasets.check_ranking,
    datasets.check_resampling,
    datasets.check_folds,
    datasets.check_across,
    datasets.check_finished,
    datasets.check_items,
    classes.check_shifts,
    references.check_tests,
    references.check_reference_uses,
    references.check_page_one,
    classes.check_points,
    classes.check_classes,
)
"""Checks of names and of what stands together, which need no valid config."""
RULE_CHECKS = (
    references.refuse_unreachable_bounds,
    references.check_governing,
    metrics.check_sequential,
    classes.check_rules,
    classes.check_flagged,
    classes.check_positive_case,
    classes.check_prevalence,
    classes.check_second_target,
    datasets.check_ties,
)
"""Checks of what values mean together, in a config without other problems."""


def read_config(
    config: str | Path | ConfigMapping,
    vocabulary: Vocabulary,
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str],
    list_models: ModelLister | None = None,
    preview_items: ItemLister | None = None,
) -> LoadedConfig:
    """Read a config, its bases and overrides; raise a ConfigError that tells every problem.

    A map may take the place of a file. `list_models` lists the models of a long table, where the
    config names none; `preview_items` previews a file of answers to items.
    """
    faults = ProblemList()
    layers = SourceStack(environ, faults)
    tree = layers.read(str(config) if isinstance(config, Path) else config, overrides)
    tree = _fill_variables(tree, environ, faults)
    vocabulary = vocabulary.select_task(get_text(tree, "task"))
    tree = _fill_models(expand_item_scores(tree, vocabulary, preview_items), list_models)
    tree = expand_external_scores(tree, vocabulary)
    task = vocabulary.tasks.get(str(get_text(tree, "task")))
    tree, renamed = rename_values(
        expand_shorthand(tree, faults), is_of_flags=task is not None and task.is_of_flags
    )
    tree = fill_defaults(tree, vocabulary)
    tree = resolve_metric_labels(_fill_labels(tree), vocabulary, faults)
    secrets = Secrets.from_tree(tree, environ)
    faults.hide = secrets.hide
    printed = rename_hidden(tree, faults)
    for_print = mask_tree(printed)
    assert isinstance(for_print, MappingNode)
    checked = check_shape(tree, build_plain_data(convert_numbers(for_print, vocabulary)), faults)
    _check_names(tree, vocabulary, faults)
    faults.stop()
    assert checked is not None
    view = ConfigView(checked, tree, vocabulary)
    for check in RULE_CHECKS:
        add_findings(check(view), tree, faults)
    faults.stop()
    return LoadedConfig(checked, printed, tuple(layers.sources), secrets, renamed)


def _fill_models(tree: MappingNode, list_models: ModelLister | None) -> MappingNode:
    """Return the tree with the models of its long tables, where it names no model."""
    if list_models is None or "models" in tree.entries:
        return tree
    models: dict[str, str] = {}
    for name, entry in get_entries(tree, "datasets").items():
        if get_text(entry.node, "model") and isinstance(get_child(entry.node, "path"), Scalar):
            models |= list_models(name, entry.node)
    entries = {}
    for name, role in models.items():
        node = MappingNode(tree.mark).set_nodes(role=make_scalar(role, tree.mark))
        entries[name] = Entry(tree.mark, node)
    return tree.set_nodes(models=MappingNode(tree.mark, entries)) if models else tree


def _check_names(tree: MappingNode, vocabulary: Vocabulary, faults: ProblemList) -> None:
    """Run the checks that need no valid config, on the real values: names in them may be hidden."""
    plain = build_plain_data(tree)
    assert isinstance(plain, dict)
    try:
        config = Config.model_validate(plain)
    except ValidationError:
        config = build_partial_config(plain)
    view = ConfigView(config, tree, vocabulary)
    for check in NAME_CHECKS:
        add_findings(check(view), tree, faults)


def find_plugins(
    config: str | Path | ConfigMapping, *, overrides: Sequence[str] = (), environ: Mapping[str, str]
) -> tuple[Plugin, ...]:
    """Find the Python files under `plugins`, before anything else of the config is checked.

    They bring names of their own, so they must be known before the vocabulary is complete.
    """
    faults = ProblemList()
    written = str(config) if isinstance(config, Path) else config
    tree = SourceStack(environ, faults).read(written, overrides)
    plugins = []
    # What is wrong with variables elsewhere in the config is reported when all of it is read.
    secrets = Secrets.from_tree(_fill_variables(tree, environ, ProblemList()), environ)
    for item in get_items(tree, "plugins"):
        node = Environment(environ, (), faults).fill(item)
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.value:
            file = node.mark.source.folder / node.value
            plugins.append(Plugin(file, node.safe_text, str(node.mark), secrets))
    faults.stop()
    return tuple(plugins)


def _fill_variables(
    tree: MappingNode, environ: Mapping[str, str], faults: ProblemList
) -> MappingNode:
    """Return the tree with its variables filled in."""
    shown = build_plain_data(tree.get("show_variables") or ListNode(tree.mark, ()))
    found = Environment(environ, shown if isinstance(shown, tuple) else (), faults).fill(tree)
    assert isinstance(found, MappingNode)
    return found


def _fill_labels(tree: MappingNode) -> MappingNode:
    """Every model with a label: its own, or its key."""
    models = tree.get("models")
    for name, entry in get_entries(tree, "models").items():
        if isinstance(entry.node, MappingNode) and isinstance(models, MappingNode):
            node = fill_keys(entry.node, label=Scalar(entry.mark, name, name))
            models = models.put({name: Entry(entry.mark, node)})
    return tree if models is None else tree.set_nodes(models=models)


def _mask_secrets(value: Any, at: ConfigPath, hidden: Mapping[ConfigPath, str | None]) -> Any:
    """Plain data with secrets replaced, and other texts written so that they read back."""
    if at in hidden:
        return hidden[at]
    if isinstance(value, dict):
        return {key: _mask_secrets(below, (*at, key), hidden) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [_mask_secrets(below, (*at, index), hidden) for index, below in enumerate(value)]
    if isinstance(value, float) and not isfinite(value):
        return ".nan" if isnan(value) else ".inf" if value > 0 else "-.inf"
    return value.replace("${", "$${") if isinstance(value, str) else value


def _flatten_parameters(use: dict[str, Any]) -> dict[str, Any]:
    """Return a metric or curve as the YAML writes it, its parameters next to its name."""
    params = use.pop("params")
    return {**use, **params}
