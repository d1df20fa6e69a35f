"""A config file -> a checked Config that remembers where everything was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path
from typing import Any

from reportgen.config.checks.called import check_called
from reportgen.config.checks.classes import check_classes
from reportgen.config.checks.comparing import check_tests
from reportgen.config.checks.finished import check_finished
from reportgen.config.checks.folds import check_across, check_folds
from reportgen.config.checks.governing import check_governing
from reportgen.config.checks.page_one import check_page_one
from reportgen.config.checks.pointers import with_labels
from reportgen.config.checks.prevalence import check_prevalence
from reportgen.config.checks.ranking import check_ranking, check_ties
from reportgen.config.checks.references import check_references, check_scales
from reportgen.config.checks.resampling import check_resampling
from reportgen.config.checks.second_target import check_second_target
from reportgen.config.checks.shifts import check_shifts
from reportgen.config.checks.sources import check_sources
from reportgen.config.checks.thresholds import check_points, check_rules
from reportgen.config.checks.uses import as_numbers, check_uses
from reportgen.config.complaints import check_shape
from reportgen.config.environment import Environment
from reportgen.config.faults import Faults
from reportgen.config.given import Given
from reportgen.config.hiding import Secrets, is_path, renamed
from reportgen.config.hiding import hidden as as_printed
from reportgen.config.layers import Layers
from reportgen.config.longhand import filled, written_out
from reportgen.config.longhand_finished import with_finished
from reportgen.config.reach import check_reach
from reportgen.config.schema import Config
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import (
    ConfigSource,
    Entry,
    Items,
    MappingNode,
    Scalar,
    find,
    mark_of,
    plain,
    scalars,
)
from reportgen.errors import Path as At
from reportgen.paths import shown_path


@dataclass(frozen=True)
class Loaded:
    """A config with its places. Paths (`at`) are those of the long form, as in `Config`.

    Texts of `config` that came from the environment stand there as they may be printed.
    """

    config: Config
    tree: MappingNode
    sources: tuple[ConfigSource, ...]
    secrets: Secrets

    def place(self, at: At = ()) -> str:
        """Where something is written, file:line:column, or the nearest thing above it."""
        return str(mark_of(self.tree, at))

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the config is written in, the one that was named first."""
        named = (source.folder / Path(source.name).name for source in self.sources)
        return tuple(file for file in dict.fromkeys(named) if file.is_file())

    def line(self, at: At) -> tuple[Path, int] | None:
        """The file and line where something is written; None if it was typed elsewhere."""
        mark = mark_of(self.tree, at)
        if not mark.line or mark.within is not None:
            return None
        return mark.source.folder / Path(mark.source.name).name, mark.line

    def base(self, at: At) -> Path:
        """The folder of the file that wrote the value at a path."""
        node = find(self.tree, at)
        mark = node.mark if isinstance(node, Scalar) else mark_of(self.tree, at)
        return mark.source.folder

    def file(self, at: At) -> Path:
        """The file, folder or glob that the value at a path names, to be opened."""
        node = find(self.tree, at)
        assert isinstance(node, Scalar), f"{at} is no path"
        return self.base(at) / str(node.value)

    def written(self, at: At) -> str:
        """The value at a path as it may be printed: secrets as ${VAR}."""
        node = find(self.tree, at)
        return node.printed if isinstance(node, Scalar) else ""

    def is_written(self, at: At) -> bool:
        """Whether the value at a path was written, and is no default."""
        return isinstance(find(self.tree, at), Scalar)

    def is_hidden(self, at: At) -> bool:
        """Whether the value at a path came from the environment, and may not be printed."""
        node = find(self.tree, at)
        return isinstance(node, Scalar) and node.secret is not None

    def true(self, at: At) -> str:
        """The text at a path as files and columns are called by it: never to be printed."""
        node = find(self.tree, at)
        return str(node.value) if isinstance(node, Scalar) else ""

    def printed_path(self, at: At) -> str:
        """The path at a path of the config as a report prints it: no folder of this machine."""
        return shown_path(self.written(at), self.base(at), self.sources[0].folder)

    @property
    def resolved(self) -> dict[str, object]:
        """The whole config as JSON can hold it, defaults spelled out, secrets as ${VAR}.

        It is a config again: written as YAML or JSON it reads back as the same one. JSON has no
        infinity, so one is the text `.inf`.
        """
        dumped = self.config.model_dump(mode="json", by_alias=True, exclude_none=True)
        meta = dumped.pop("meta")
        hidden = {at: node.secret for at, node in scalars(self.tree) if node.secret is not None}
        paths = {
            at: self.printed_path(at).replace("${", "$${")
            for at, node in scalars(self.tree)
            if is_path(at) and isinstance(node.value, str)
        }
        shown = _masked({**dumped, "meta": meta} if meta else dumped, (), {**paths, **hidden})
        assert isinstance(shown, dict)
        for key in ("metrics", "curves"):
            shown[key] = [_short(use) for use in shown[key]]
        return shown


@dataclass(frozen=True)
class Plugin:
    """A Python file that a config names: the file, its path as written, its place."""

    file: Path
    written: str
    place: str
    secrets: Secrets


def read_config(
    config: str | Path | Given,
    vocabulary: Vocabulary,
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str],
) -> Loaded:
    """Read a config, its bases and overrides; raise a ConfigError that tells every problem.

    A map may take the place of a file.
    """
    faults = Faults()
    layers = Layers(environ, faults)
    tree = layers.read(str(config) if isinstance(config, Path) else config, overrides)
    tree = _with_variables(tree, environ, faults)
    task = tree.get("task")
    vocabulary = vocabulary.of(task.value if isinstance(task, Scalar) else None)
    tree = with_finished(tree, vocabulary)
    tree = filled(written_out(tree, faults), vocabulary)
    tree = with_labels(_labelled(tree), vocabulary, faults)
    secrets = Secrets.of(tree, environ)
    faults.hide = secrets.hide
    printed = renamed(tree, faults)
    for_print = as_printed(printed)
    assert isinstance(for_print, MappingNode)
    checked = check_shape(tree, plain(as_numbers(for_print, vocabulary)), faults)
    check_uses(tree, vocabulary, faults)
    check_references(tree, vocabulary, faults)
    check_scales(tree, vocabulary, faults)
    check_sources(tree, vocabulary, faults)
    check_ranking(tree, vocabulary, faults)
    check_resampling(tree, faults)
    check_folds(tree, faults)
    check_across(tree, vocabulary, faults)
    check_finished(tree, vocabulary, faults)
    check_shifts(tree, vocabulary, faults)
    check_tests(tree, vocabulary, faults)
    check_page_one(tree, vocabulary, faults)
    check_points(tree, vocabulary, faults)
    check_classes(tree, vocabulary, faults)
    faults.stop()
    assert checked is not None
    check_reach(checked, tree, vocabulary, faults)
    check_governing(checked, tree, faults)
    check_rules(checked, tree, faults)
    check_called(checked, tree, vocabulary, faults)
    check_prevalence(checked, tree, vocabulary, faults)
    check_second_target(checked, tree, vocabulary, faults)
    check_ties(checked, tree, vocabulary, faults)
    faults.stop()
    return Loaded(checked, printed, tuple(layers.sources), secrets)


def find_plugins(
    config: str | Path | Given,
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str],
) -> tuple[Plugin, ...]:
    """The Python files under `plugins`, found before anything else of the config is checked.

    They bring names of their own, so they must be known before the vocabulary is complete.
    """
    faults = Faults()
    written = str(config) if isinstance(config, Path) else config
    tree = Layers(environ, faults).read(written, overrides)
    listed = tree.get("plugins")
    plugins = []
    # What is wrong with variables elsewhere in the config is told when all of it is read.
    secrets = Secrets.of(_with_variables(tree, environ, Faults()), environ)
    for item in listed.items if isinstance(listed, Items) else ():
        node = Environment(environ, (), faults).fill(item)
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.value:
            file = node.mark.source.folder / node.value
            plugins.append(Plugin(file, node.printed, str(node.mark), secrets))
    faults.stop()
    return tuple(plugins)


def _with_variables(tree: MappingNode, environ: Mapping[str, str], faults: Faults) -> MappingNode:
    """The tree with its variables filled in."""
    shown = plain(tree.get("show_variables") or Items(tree.mark, ()))
    found = Environment(environ, shown if isinstance(shown, tuple) else (), faults).fill(tree)
    assert isinstance(found, MappingNode)
    return found


def _labelled(tree: MappingNode) -> MappingNode:
    """Every model with a label: its own, or its key."""
    models = tree.get("models")
    if not isinstance(models, MappingNode):
        return tree
    for name, entry in models.entries.items():
        node = entry.node
        if isinstance(node, MappingNode):
            label = node.get("label") or Scalar(entry.mark, name, name)
            models = models.put({name: Entry(entry.mark, node.has(label=label))})
    return tree.has(models=models)


def _masked(value: Any, at: At, hidden: Mapping[At, str | None]) -> Any:
    """Plain data with secrets replaced, and other texts written so that they read back."""
    if at in hidden:
        return hidden[at]
    if isinstance(value, dict):
        return {key: _masked(below, (*at, key), hidden) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(below, (*at, index), hidden) for index, below in enumerate(value)]
    if isinstance(value, float) and not isfinite(value):
        return ".nan" if isnan(value) else ".inf" if value > 0 else "-.inf"
    return value.replace("${", "$${") if isinstance(value, str) else value


def _short(use: dict[str, Any]) -> dict[str, Any]:
    """A metric or curve as the YAML writes it: its parameters beside its name."""
    params = use.pop("params")
    return {**use, **params}
