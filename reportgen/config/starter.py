"""The first config: a commented YAML text made from what the columns of a data file are for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reportgen.config.guessing import Guess
from reportgen.config.guessing_classes import EACH
from reportgen.config.vocabulary import FirstConfigLike, TaskWord, Vocabulary
from reportgen.config.yaml.scalars import resolve
from reportgen.outputs import USUAL
from reportgen.text import in_yaml_quotes

SCHEMA_NAME = "config.schema.json"
SCHEMA_LINE = f"# yaml-language-server: $schema={SCHEMA_NAME}\n#\n"
TITLE = "Score"
SAFE = re.compile(r"\w[\w./-]*")


def init_config(found: Guess, path: str, words: Vocabulary) -> str:
    """The text of a config for a wide table; `path` is written as given."""
    tasks = words.tasks.items()
    name, task = next(pair for pair in tasks if _fits(pair[1], found))
    assert task.first is not None
    words = words.of(name)
    rest = _rest(found, task.first, _metrics(found, task, task.first, words))
    models = _models(found, task.first)
    task_lines = [f"task: {name}", "", *_classes(found)]
    return "\n".join([*_head(found), *_data(found, path), *task_lines, *models, *rest])


def _classes(found: Guess) -> Iterable[str]:
    """The labels that a row may have, by name."""
    if found.labels:
        listed = ", ".join(map(text_as_yaml, found.labels))
        yield f"classes: [{listed}] # a row may have any of them"
        yield ""


def _fits(task: TaskWord, found: Guess) -> bool:
    """Whether a task is of such a target."""
    if found.is_of_values or task.is_of_values:
        return task.is_of_values == found.is_of_values
    if found.labels:
        return task.is_of_labels
    if found.has_classes:
        return task.has_several_classes
    return task.is_of_flags == found.is_flag and not task.is_of_lists


def _head(found: Guess) -> Iterable[str]:
    yield "# A comparison of models on one file. Look at each line once:"
    yield from (f"#   {line}" for line in found.said)
    yield from (
        "# Then:  reportgen run THIS_FILE",
        "version: 1",
        "",
        "report:",
        "  title: Model comparison # printed on page one",
        *_asked(found),
        "  limitations: [] # what this report cannot show, one line each",
        "",
    )


def _asked(found: Guess) -> Iterable[str]:
    """What page one answers: the question is its title, the decision the form of the answer."""
    others = [name for name in found.models if name != found.baseline]
    if len(found.models) == 1:
        yield "  # question: What should be known of this model? # the title of page one"
        return
    asked = "Which model is best?"
    if len(others) == 1:
        asked = f"Should {others[0]} replace {found.baseline}?"
    decision = "replace" if len(others) == 1 else "choose"
    yield f"  question: {_quoted(asked)} # the title of page one, which answers it"
    yield f"  decision: {decision} # or replace, choose, rank, shift, enough"
    last = text_as_yaml(others[-1])
    yield f"  # about: {last} # the model that the answer is about; else the best"
    yield "  # headline: [] # metrics of which page one says what else would change"
    yield "  # length: standard # or memo, two pages; or full"


def _data(found: Guess, path: str) -> Iterable[str]:
    yield "datasets:"
    yield "  holdout:"
    yield f"    path: {text_as_yaml(path)} # relative to this file"
    if found.id is not None:
        yield f"    id: {text_as_yaml(found.id)} # names each row"
    if not found.is_of_values:
        yield f"    target: {text_as_yaml(found.target)} # what happened"
    if found.positive is not None:
        why = "by its name" if found.is_positive_said else "as the last of both: look at it"
        value = text_as_yaml(found.positive)
        yield f"    positive: {value} # the class that is looked for, taken {why}"
    noun = "dataset" if found.is_of_values else "customer"
    yield f"    # case: {noun} # what a row is, in the words of the report"
    if found.weight is not None:
        yield f"    # weight: {text_as_yaml(found.weight)} # how much each row counts"
    if found.cluster is not None:
        yield f"    # cluster: {text_as_yaml(found.cluster)} # rows that belong together"
    if found.fold is not None:
        yield f"    # fold: {text_as_yaml(found.fold)} # its models were fitted on the other folds"
    if found.repeat is not None:
        yield f"    # repeat: {text_as_yaml(found.repeat)} # the round of folds; wants an id"
    if found.segments:
        names = ", ".join(map(text_as_yaml, found.segments))
        yield f"    segments: [{names}] # every number once more for each slice"
    if found.lacking:
        yield "    missing: drop # rows without a target or a score are left out"
    yield ""


def _models(found: Guess, first: FirstConfigLike) -> Iterable[str]:
    is_alone = len(found.models) == 1
    about = "" if is_alone else " # one of them is the baseline that the others are compared with"
    yield f"models:{about}"
    for name, column in found.models.items():
        role = ", role: baseline" if name == found.baseline and not is_alone else ""
        scale = f", scale: {first.loose_scale}" if found.is_flag and name in found.unsure else ""
        key = "columns" if EACH in column else "column"
        sums = ", sums: normalise" if name in found.unsummed else ""
        yield f"  {text_as_yaml(name)}: {{{key}: {text_as_yaml(column)}{role}{scale}{sums}}}"
    if not found.is_of_values:
        yield f"  # {first.loose}:  scale: {first.loose_scale}"
    yield ""


def _metrics(found: Guess, task: TaskWord, first: FirstConfigLike, words: Vocabulary) -> list[str]:
    """The metrics of a first config that every model can have, each as its line."""
    if found.has_classes and not any(EACH in column for column in found.models.values()):
        return [n for n in first.metrics if words.metrics[n].needs == "label"]
    offered = task.scales[first.loose_scale]
    is_unsure = found.is_flag and bool(found.unsure)
    names = [n for n in first.metrics if not is_unsure or words.metrics[n].needs in offered]
    return [f"{name} # {first.metrics[name]}".removesuffix(" # ") for name in names]


def _rest(found: Guess, first: FirstConfigLike, metrics: Sequence[str]) -> Iterable[str]:
    primary = TITLE if found.is_of_values else metrics[0].partition(" ")[0]
    what, rule, bound = first.gate
    if found.is_of_values:
        rule = rule.replace(next(iter(first.metrics)), primary)
    measured = (
        "metrics: # `reportgen list metrics` shows them all",
        *(f"  - {line}" for line in metrics),
    )
    described = (
        "score: # what the numbers of the table are",
        f"  title: {TITLE} # its name on the page, such as ROC AUC",
        "  better: higher # or lower",
        "  bounds: [0, 1]",
    )
    return (
        *(described if found.is_of_values else measured),
        "",
        "# What decides. With a margin the report can also say 'not worse' and 'equivalent':",
        "# the largest difference that does not matter, in the metric's unit, or as 2%.",
        f"primary: {{metric: {primary}}} # add margin: 0.01",
        "",
        "bootstrap: {seed: 1} # the same seed, the same report",
        "",
        "# gates: # what must hold, or the run fails",
        f"#   - {{name: {what}, rule: {rule}, model: "
        f"{text_as_yaml(list(found.models)[-1])}, value: {bound}}}",
        "",
        f"outputs: [{', '.join(USUAL)}]",
        "",
    )


def _quoted(text: str) -> str:
    """A sentence as YAML writes it: plain where that reads back as it is."""
    is_plain = re.fullmatch(r"[\w][\w ?.,()-]*", text) is not None
    return text if is_plain else text_as_yaml(text)


def text_as_yaml(text: str) -> str:
    """A text as YAML writes it: in quotes only where it needs them."""
    if SAFE.fullmatch(text) and isinstance(resolve(text), str):
        return text
    return in_yaml_quotes(text)
