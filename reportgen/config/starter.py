"""The first config: a commented YAML text made from the columns of a data file.

What a column is gets guessed from its name and kind; every guess is said in a comment, so that
a wrong one is seen and mended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.config.scalars import resolve

SCHEMA_LINE = "# yaml-language-server: $schema=config.schema.json"
ID = re.compile(r"(^|_)(id|uuid|key|number|nr)$|^id_", re.IGNORECASE)
TARGET = re.compile(r"^(y|y_.*|target|actual|label|truth|outcome|observed|spend)$", re.IGNORECASE)
SCORE = re.compile(r"^(score|pred|prediction|yhat|y_hat|model|forecast|estimate)s?(_|$)", re.I)
WEIGHT = re.compile(r"^(sample_)?weights?$", re.IGNORECASE)
SAFE = re.compile(r"\w[\w./-]*")


@dataclass(frozen=True)
class ColumnGuess:
    """A column of a file: its name, and whether it holds ids, numbers or text.

    `values` is how many different ones a text column holds, if known: few make a segment.
    """

    name: str
    kind: Literal["id", "number", "text"]
    values: int | None = None


@dataclass(frozen=True)
class Guess:
    """What each column is for."""

    id: str
    target: str
    scores: tuple[str, ...]
    weight: str | None
    segments: tuple[str, ...]


def init_config(columns: Sequence[ColumnGuess], path: str) -> str:
    """The text of a config for a wide table; `path` is written as given."""
    return "\n".join([*_head(), *_data(guess(columns), path), *_models(guess(columns)), *_rest()])


def guess(columns: Sequence[ColumnGuess]) -> Guess:
    """What each column is probably for.

    >>> numbers = [ColumnGuess(name, "number") for name in ("y", "score_a")]
    >>> guess([ColumnGuess("id", "id"), *numbers])
    Guess(id='id', target='y', scores=('score_a',), weight=None, segments=())
    """
    numbers = [c.name for c in columns if c.kind == "number"]
    texts = [c for c in columns if c.kind == "text" and (c.values is None or c.values <= 20)]
    id_ = _first(
        [c.name for c in columns if c.kind == "id"],
        [c.name for c in columns if ID.search(c.name)],
        [columns[0].name] if columns else [],
        ["ID_COLUMN"],
    )
    free = [name for name in numbers if name != id_]
    scored = [name for name in free if SCORE.search(name)]
    target = _first(
        [name for name in free if TARGET.search(name) and name not in scored],
        [name for name in free if name not in scored],
        ["TARGET_COLUMN"],
    )
    weight = next((n for n in free if WEIGHT.search(n) and n != target), None)
    rest = [n for n in free if n not in (target, weight)]
    scores = [n for n in scored if n != target] or rest[:3] or ["SCORE_COLUMN"]
    segments = tuple(c.name for c in texts if c.name != id_)
    return Guess(id_, target, tuple(scores), weight, segments[:5])


def _head() -> Iterable[str]:
    return (
        SCHEMA_LINE,
        "#",
        "# A comparison of models on one file. Look at each line once: what stands here was",
        "# guessed from the names of the columns. Then:  reportgen run THIS_FILE",
        "version: 1",
        "",
        "report:",
        "  title: Model comparison # printed on page one",
        "  # question: What is to be decided?",
        "  limitations: [] # what this report cannot show, one line each",
        "",
    )


def _data(found: Guess, path: str) -> Iterable[str]:
    yield "datasets:"
    yield "  holdout:"
    yield f"    path: {_text(path)} # relative to this file"
    yield f"    id: {_text(found.id)} # names each row"
    yield f"    target: {_text(found.target)} # what happened"
    if found.weight is not None:
        yield f"    # weight: {_text(found.weight)} # how much each row counts"
    if found.segments:
        names = ", ".join(map(_text, found.segments))
        yield f"    segments: [{names}] # every number once more for each slice"
    yield ""
    yield "task: regression"
    yield ""


def _models(found: Guess) -> Iterable[str]:
    yield "models: # one of them is the baseline that the others are compared with"
    names = _names(found.scores)
    for index, (name, column) in enumerate(zip(names, found.scores, strict=True)):
        role = ", role: baseline" if index == 0 else ""
        yield f"  {_text(name)}: {{column: {_text(column)}{role}}}"
    yield "  # a score that only orders the rows and is no amount:  scale: rank"
    yield ""


def _rest() -> Iterable[str]:
    return (
        "metrics: # `reportgen list metrics` shows them all",
        "  - kendall # does the order agree?",
        "  - spearman",
        "  - mae # how far off, on average, in the target's unit?",
        "  - rmse",
        "",
        "# What decides. With a margin the report can also say 'not worse' and 'equivalent':",
        "# the largest difference that does not matter, in the metric's unit, or as 2%.",
        "primary: {metric: kendall} # add margin: 0.01",
        "",
        "bootstrap: {replicates: 1999, seed: 1} # the same seed, the same report",
        "",
        "# gates: # what must hold, or the run fails",
        "#   - {name: error in bounds, rule: below, metric: mae, model: MODEL, value: 40}",
        "",
        "outputs: [html, pdf, json, markdown, junit]",
        "",
    )


def _names(columns: Sequence[str]) -> list[str]:
    """Short names for models: the columns without a shared beginning such as score_."""
    short = [SCORE.sub("", name) for name in columns]
    is_good = all(short) and len(set(short)) == len(short)
    free = [name for name in short if not name.startswith("x-") and name != "<<"]
    return short if is_good and free == short else [f"model_{i + 1}" for i in range(len(columns))]


def _first(*candidates: Sequence[str]) -> str:
    return next(names[0] for names in candidates if names)


def _text(text: str) -> str:
    """A text as YAML writes it: in quotes only where it needs them."""
    if SAFE.fullmatch(text) and isinstance(resolve(text), str):
        return text
    escaped = text.replace("${", "$${")
    inside = "".join(_escape(letter) for letter in escaped)
    return f'"{inside}"'


def _escape(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    return letter if letter.isprintable() else f"\\U{ord(letter):08X}"
