"""Answers of a log as columns, a row for each item, model and sample."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from reportgen.data.files.opening import ReadFile
from reportgen.errors import DataError
from reportgen.records import record
from reportgen.text import quote, shorten

LONGEST_VALUE = 64  # characters of what is known of an item; longer ones are texts, not groups
TEXTS = re.compile(
    r"answer|choice|completion|content|context|ctx|description|expected|explanation|gold|input"
    r"|message|option|output|prompt|query|question|reason|reference|response|solution|target"
    r"|text|label$",
    re.IGNORECASE,
)
"""Names of what holds the text of prompts and answers, which is not kept."""

EXPENSES = ("total_tokens", "total_time", "cost", "latency")
"""What readers call what an answer took, which is no score."""

Json = Any


@record
class LogFile:
    """A log to be read: its content, how it is shown, and its path, if it is on this machine."""

    file: ReadFile
    path: Path | None

    @property
    def shown(self) -> str:
        """How messages call it."""
        return self.file.shown

    @property
    def name(self) -> str:
        """The last part of its path."""
        return Path(self.file.shown).name if self.path is None else self.path.name

    def error(self, text: str) -> DataError:
        """Return an error about this log."""
        return DataError(f"{self.shown}: {text}")


@dataclass
class Answers:
    """Answers as they are read; columns that come late are missing in the rows before.

    `task` is what the log evaluates, `digests` tell whether items of one name are the same.
    `judges` are the models that gave scores.
    """

    shown: str
    task: str = ""
    model: str = ""
    items: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)
    scores: dict[str, list[float | None]] = field(default_factory=dict)
    about: dict[str, list[str | None]] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    judges: dict[str, None] = field(default_factory=dict)
    caveats: list[str] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(
        self,
        item: object,
        scores: Mapping[str, object],
        about: object = None,
        *,
        model: str = "",
        sample: int | None = None,
    ) -> None:
        """Add an answer; without a number its sample is the next one of its item and model."""
        name, owner = (
            replace_lone_surrogates(str(item)),
            replace_lone_surrogates(model or self.model),
        )
        self.seen[name, owner] += 1
        self.items.append(name)
        self.models.append(owner)
        self.samples.append(self.seen[name, owner] if sample is None else sample)
        for score, value in self._iter_scores(scores):
            _put(self.scores, score, value, len(self.items))
        for key, group in _iter_groups(about):
            _put(self.about, key, group, len(self.items))

    def _iter_scores(self, scores: Mapping[str, object]) -> list[tuple[str, float | None]]:
        """Flatten maps of scores into `name.key`; what is no number is missing."""
        flat = []
        for name, value in scores.items():
            if isinstance(value, dict):
                flat += self._iter_scores({f"{name}.{key}": v for key, v in value.items()})
            else:
                number = parse_score(value)
                if number is None and value is not None and not isinstance(value, float):
                    self.unread[name] += 1
                flat.append((replace_lone_surrogates(name), number))
        return flat

    def finish(self) -> Answers:
        """Make all columns equally long, and say how many samples failed."""
        for columns in (self.scores, self.about):
            for values in columns.values():
                values.extend([None] * (len(self.items) - len(values)))
        for name in [name for name, values in self.scores.items() if not any_known(values)]:
            del self.scores[name]
        for name in self.unread.keys() & self.scores.keys():
            self.caveats.append(f"{self.unread[name]} values of {name} are not numbers")
        for model, count in self.errors.items():
            samples = sum(each == model for each in self.models)
            self.caveats.append(f"{count} of {samples} samples of {model} ended in an error")
        return self


def replace_lone_surrogates(text: str) -> str:
    """Return a text with “?” for each lone surrogate, which JSON may hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def any_known(values: list[float | None]) -> bool:
    """Tell whether a column has any value."""
    return any(value is not None for value in values)


def find_family(model: str) -> str:
    """Find the family of a model by its name: letters before the first number.

    >>> find_family("openai/gpt-4o-mini"), find_family("claude-3-5-sonnet"), find_family("m")
    ('gpt', 'claude', '')
    """
    name = model.rpartition("/")[2].rpartition(":")[2].lower()
    family = re.match(r"[a-z]+", name)
    is_named = family is not None and len(family[0]) > 2 and family[0] not in ("model", "judge")
    return family[0] if family is not None and is_named else ""


def _put(columns: dict[str, list[Any]], name: str, value: object, rows: int) -> None:
    """Put a value into the last of some rows of a column."""
    column = columns.setdefault(name, [])
    column.extend([None] * (rows - 1 - len(column)))
    if len(column) < rows:
        column.append(value)


LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partial, no answer


def parse_score(value: object) -> float | None:
    """Parse a score: a number, a flag, or a letter as Inspect writes it; None if it is missing.

    >>> parse_score("C"), parse_score(True), parse_score("0.5"), parse_score(float("nan"))
    (1.0, 1.0, 0.5, None)
    """
    if isinstance(value, str):
        if value in LETTERS:
            return LETTERS[value]
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if isnan(number) else number


def _iter_groups(about: object) -> list[tuple[str, str]]:
    """List what is known of an item by short values, without the text of prompts and answers."""
    if not isinstance(about, dict):
        return []
    groups = []
    for key, value in about.items():
        if TEXTS.search(str(key)) or not isinstance(value, str | int | float):
            continue
        text = str(value)
        if text.strip() and len(text) <= LONGEST_VALUE and "\n" not in text:
            groups.append((replace_lone_surrogates(str(key)), replace_lone_surrogates(text)))
    return groups


def require_map(value: object, log: LogFile, what: str) -> dict[str, Json]:
    """Return a value that must be a map of keys."""
    if not isinstance(value, dict):
        text = f"{what} must be a JSON object; was the file edited? Export the log again"
        raise log.error(text)
    return value


def require_key(value: dict[str, Json], key: str, log: LogFile, what: str) -> Json:
    """Return what stands under a key that must be there."""
    if key not in value:
        text = f"{what} has no {quote(key)}; was the file edited? Export the log again"
        raise log.error(text)
    return value[key]


def shorten_name(text: object) -> str:
    """Shorten a name that stands in a log to what fits into a line."""
    return shorten(str(text), LONGEST_VALUE)
