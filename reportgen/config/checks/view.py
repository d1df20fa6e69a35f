"""A config as checks read it: typed values, and how each was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from pydantic import BaseModel

from reportgen.config.schema.config import Config, CurveUse
from reportgen.config.task_shorthand import list_measure_spellings
from reportgen.config.vocabulary import TaskWord, Vocabulary
from reportgen.config.yaml.faults import ProblemList, quote_node, suggest_name
from reportgen.config.yaml.tree import (
    MappingNode,
    Scalar,
    find_key_mark,
    find_mark,
    find_node,
    format_key_path,
)
from reportgen.errors import ConfigPath, find_nearest, normalize_spelling
from reportgen.records import record


class ConfigFinding(NamedTuple):
    """A problem: its path and message; it is placed at the value there, or `at_key`, at its key.

    One that `settles` explains whatever else seems wrong at its place.
    """

    at: ConfigPath
    message: str
    at_key: bool = False
    settles: bool = False


ConfigFindings = Iterator[ConfigFinding]


@record
class ConfigView:
    """A config to be checked: its values, the tree that they were read from, and the vocabulary.

    Where the config has other problems, `config` is partial: see `build_partial_config`.
    """

    config: Config
    tree: MappingNode
    words: Vocabulary

    @property
    def task(self) -> TaskWord | None:
        """The task of the config, if there is such a one."""
        return self.words.tasks.get(self.config.task)

    @cached_property
    def metrics(self) -> dict[str, str]:
        """The catalogue's name of each metric in use, by its label."""
        labels = ((get_label(use), use.name) for use in self.config.metrics)
        return {key: name for key, name in labels if key is not None and isinstance(name, str)}

    @property
    def sound_metrics(self) -> list[str]:
        """Labels of metrics here, less those that are refused where they are listed."""
        words, task = self.words.metrics, self.config.task
        fits = {name for name, word in words.items() if word.task == task}
        return [key for key, name in self.metrics.items() if name in fits]

    @property
    def fit_datasets(self) -> list[str]:
        """Names of the datasets that shifts and thresholds are fitted on."""
        return [name for name, each in self.config.datasets.items() if each.role == "fit"]

    def quote(self, *at: str | int) -> str:
        """Return the value at a path as it may be shown."""
        return quote_node(find_node(self.tree, at))

    def suggest(self, at: ConfigPath, known: Iterable[str]) -> str:
        """Say what the name at a path probably meant."""
        return suggest_name(find_node(self.tree, at), known)

    def list_near_measures(self, name: str) -> list[str]:
        """List the short forms of ranking metrics that are spelt much like a name.

        Without those that differ from a name of the catalogue in capitals alone.
        """
        if self.config.task != "ranking":
            return []
        own = set(map(normalize_spelling, self.words.metrics))
        forms = [
            each for each in list_measure_spellings(name) if normalize_spelling(each) not in own
        ]
        return find_nearest(name, forms)

    def format_text(self, at: ConfigPath) -> str:
        """Return the text at a path without quotes, as it may be shown; … if it is not one."""
        node = find_node(self.tree, at)
        return node.safe_text if isinstance(node, Scalar) else "…"

    def is_hidden(self, at: ConfigPath) -> bool:
        """Tell whether the value at a path came from the environment."""
        node = find_node(self.tree, at)
        return isinstance(node, Scalar) and node.secret is not None

    def is_scalar(self, at: ConfigPath) -> bool:
        """Tell whether a single value was written at a path."""
        return isinstance(find_node(self.tree, at), Scalar)

    def is_text(self, at: ConfigPath) -> bool:
        """Tell whether a single value was written at a path that anybody may see."""
        node = find_node(self.tree, at)
        return isinstance(node, Scalar) and node.value is not None and node.secret is None

    def is_map(self, *at: str | int) -> bool:
        """Tell whether a map was written at a path."""
        return isinstance(find_node(self.tree, at), MappingNode)

    def is_empty_map(self, at: ConfigPath) -> bool:
        """Tell whether a map without keys was written at a path."""
        node = find_node(self.tree, at)
        return isinstance(node, MappingNode) and not node.entries

    def list_tasks(self, attribute: str) -> str:
        """List the tasks for which a property of `TaskWord` holds."""
        tasks = self.words.tasks.items()
        return ", ".join(name for name, task in tasks if getattr(task, attribute))

    def check_name(
        self,
        at: ConfigPath,
        name: object,
        what: str,
        known: Iterable[str],
        likely: Iterable[str] | None = None,
    ) -> ConfigFindings:
        """Yield a finding if a text is no known name; suggest from `likely`, or any."""
        names = list(known)
        if isinstance(name, str) and name not in names:
            hint = self.suggest(at, names if likely is None else likely)
            said = f"there is no {what} {self.quote(*at)} in this config"
            yield ConfigFinding(at, f"{format_key_path(at)}: {said}; {hint}")

    def check_word(
        self,
        at: ConfigPath,
        word: object,
        known: tuple[str, ...],
        likely: Iterable[str] | None = None,
    ) -> ConfigFindings:
        """Yield a finding if a text is not in a closed list; suggest from `likely`, or any."""
        if isinstance(word, str) and word not in known:
            hint = self.suggest(at, known if likely is None else likely)
            yield ConfigFinding(at, f"{format_key_path(at)} cannot be {self.quote(*at)}; {hint}")


def get_label(use: CurveUse) -> str | None:
    """Return the label of a metric or curve, or else its name; None if neither is a text."""
    return next((text for text in (use.as_, use.name) if isinstance(text, str)), None)


def has_keys(model: BaseModel, *keys: str) -> bool:
    """Tell whether any of some keys is set, be it to nothing."""
    return bool(model.model_fields_set.intersection(keys))


def add_findings(findings: ConfigFindings, tree: MappingNode, faults: ProblemList) -> None:
    """Add findings to the problems of a config, each with its place."""
    for at, message, at_key, settles in findings:
        mark = find_key_mark(tree, at) if at_key else find_mark(tree, at)
        if settles:
            faults.settle(mark, message)
        else:
            faults.add(mark, message, at)
