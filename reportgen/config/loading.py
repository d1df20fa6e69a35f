"""Load a config file as a checked `Loaded` that remembers where every value was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from reportgen.config.checks import NAME_CHECKS, RULE_CHECKS
from reportgen.config.checks.metrics import convert_numbers, resolve_metric_labels
from reportgen.config.checks.view import ConfigView, add_findings
from reportgen.config.schema.config import Config
from reportgen.config.schema_errors import build_partial_config, check_shape
from reportgen.config.secrets import Secrets, is_file_path, mask_tree, rename_hidden
from reportgen.config.shorthand import expand_shorthand, fill_defaults
from reportgen.config.sources import ConfigMapping, Environment, SourceStack
from reportgen.config.task_shorthand import expand_external_scores, fill_keys
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.faults import ProblemList
from reportgen.config.yaml.tree import (
    ConfigSource,
    Entry,
    ListNode,
    MappingNode,
    Scalar,
    build_plain_data,
    find_mark,
    find_node,
    get_entries,
    get_items,
    get_text,
    iter_scalars,
)
from reportgen.errors import ConfigPath
from reportgen.paths import format_path


@dataclass(frozen=True)
class LoadedConfig:
    """A config with its places. Paths (`at`) are those of the long form, as in `Config`.

    Texts of `config` that came from the environment stand there as they may be printed.
    """

    config: Config
    tree: MappingNode
    sources: tuple[ConfigSource, ...]
    secrets: Secrets

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
        assert isinstance(node, Scalar), f"{at} is no path"
        return self.base(at) / str(node.value)

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


@dataclass(frozen=True)
class Plugin:
    """A Python file that a config names: the file, its path as written, its place."""

    file: Path
    written: str
    place: str
    secrets: Secrets


def read_config(
    config: str | Path | ConfigMapping,
    vocabulary: Vocabulary,
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str],
) -> LoadedConfig:
    """Read a config, its bases and overrides; raise a ConfigError that tells every problem.

    A map may take the place of a file.
    """
    faults = ProblemList()
    layers = SourceStack(environ, faults)
    tree = layers.read(str(config) if isinstance(config, Path) else config, overrides)
    tree = _fill_variables(tree, environ, faults)
    vocabulary = vocabulary.select_task(get_text(tree, "task"))
    tree = expand_external_scores(tree, vocabulary)
    tree = fill_defaults(expand_shorthand(tree, faults), vocabulary)
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
    return LoadedConfig(checked, printed, tuple(layers.sources), secrets)


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
    config: str | Path | ConfigMapping,
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str],
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
