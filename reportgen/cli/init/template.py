"""The text of a first config, as commented YAML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import PurePath

from reportgen.cli.init.guess_classes import EACH
from reportgen.cli.init.guess_columns import ColumnGuess
from reportgen.config.vocabulary import FirstConfigLike, TaskWord, Vocabulary
from reportgen.config.yaml.parsing import resolve_scalar
from reportgen.errors import UsageError, did_you_mean
from reportgen.planning.guesses import choose_metrics, guess_baseline
from reportgen.records import record
from reportgen.terms import USUAL
from reportgen.text import quote, quote_yaml

SCHEMA_NAME = "config.schema.json"
SCHEMA_LINE = f"# yaml-language-server: $schema={SCHEMA_NAME}\n#\n"
DRAFT_TITLE = "Score"
SAFE = re.compile(r"\w[\w./-]*")


def format_table_config(found: ColumnGuess, path: str, words: Vocabulary) -> str:
    """Return the text of a config for a wide table; `path` is written as given."""
    tasks = words.tasks.items()
    name, task = next(pair for pair in tasks if _fits(pair[1], found))
    assert task.first is not None
    rest = _format_remaining_lines(found, task.first, _list_metrics(found, name, task))
    models = _iter_model_lines(found, task.first)
    task_lines = [f"task: {name}", "", *_iter_classes(found)]
    return "\n".join(
        [
            *_iter_head(found, PurePath(path).name),
            *_iter_data_lines(found, path),
            *task_lines,
            *models,
            *rest,
        ]
    )


def _iter_classes(found: ColumnGuess) -> Iterable[str]:
    """Yield the lines that name the labels a row may have."""
    if found.labels:
        listed = ", ".join(map(format_yaml_text, found.labels))
        yield f"classes: [{listed}] # a row may have any of them"
        yield ""


def _fits(task: TaskWord, found: ColumnGuess) -> bool:
    """Return whether a task is of such a target."""
    if found.is_of_values or task.is_of_values:
        return task.is_of_values == found.is_of_values
    if found.labels:
        return task.is_of_labels
    if found.has_classes:
        return task.has_several_classes
    return task.is_of_flags == found.is_flag and not task.is_of_lists


def _iter_head(found: ColumnGuess, file: str) -> Iterable[str]:
    yield f"# Made from {format_yaml_text(file)}. Check the lines with ←."
    yield from (f"#   {line}" for line in found.said)
    yield from (
        "# Then:  reportgen run THIS_FILE",
        "version: 1",
        "",
        "report:",
        "  title: Model comparison # printed on page one",
        *_iter_question_lines(found),
        "  limitations: [] # what this report cannot show, one line each",
        "",
    )


def _iter_question_lines(found: ColumnGuess) -> Iterable[str]:
    """Yield the lines on what page one answers: its title, and the form of the answer."""
    others = [name for name in found.models if name != found.baseline]
    if len(found.models) == 1:
        yield "  # question: What should be known of this model? # the title of page one"
        return
    asked = "Which model is best?"
    if len(others) == 1:
        asked = f"Should {others[0]} replace {found.baseline}?"
    decision = "replace" if len(others) == 1 else "choose"
    yield f"  question: {_quote_sentence(asked)} # the title of page one, which answers it"
    yield f"  decision: {decision} # the form of the answer: replace, choose, rank, shift or enough"
    last = format_yaml_text(others[-1])
    yield f"  # about: {last} # the model that the answer is about; else the best"
    yield "  # headline: [] # metrics to list under 'What else changes' on page one"
    yield "  # length: standard # or memo, two pages; or full"


def _iter_data_lines(found: ColumnGuess, path: str) -> Iterable[str]:
    yield "datasets:"
    yield "  holdout:"
    yield f"    path: {format_yaml_text(path)} # relative to this file"
    if found.id is not None:
        yield f"    id: {format_yaml_text(found.id)} # names each row"
    if not found.is_of_values:
        yield f"    target: {format_yaml_text(found.target)} # ← the outcome to predict"
    if found.positive is not None:
        yield f"    positive: {format_yaml_text(found.positive)} # ← the class you want to find"
    noun = "dataset" if found.is_of_values else "customer"
    yield f"    # case: {noun} # what a row is, in the words of the report"
    if found.weight is not None:
        yield f"    # weight: {format_yaml_text(found.weight)} # how much each row counts"
    if found.cluster is not None:
        mark = "" if found.is_unit else "# "
        yield f"    {mark}cluster: {format_yaml_text(found.cluster)} # rows that belong together"
    if found.time is not None:
        yield f"    time: {format_yaml_text(found.time)} # neighbours in time may be alike"
    elif year := next((name for name in found.left_out if name.lower() == "year"), None):
        yield f"    # time: {format_yaml_text(year)} # if the rows follow one another in time"
    if found.fold is not None:
        yield (
            f"    # fold: {format_yaml_text(found.fold)} # its models were fitted on the other "
            "folds"
        )
    if found.repeat is not None:
        yield f"    # repeat: {format_yaml_text(found.repeat)} # the round of folds; needs an id"
    if found.segments:
        yield write_segments(found.segments)
    if found.lacking:
        yield "    missing: drop # rows without a target or a score are left out"
    yield ""


def _iter_model_lines(found: ColumnGuess, first: FirstConfigLike) -> Iterable[str]:
    is_alone = len(found.models) == 1
    about = "" if is_alone else " # one of them is the baseline that the others are compared with"
    yield f"models:{about}"
    for name, column in found.models.items():
        role = ", role: baseline" if name == found.baseline and not is_alone else ""
        scale = f", scale: {first.loose_scale}" if found.is_flag and name in found.unsure else ""
        key = "columns" if EACH in column or name in found.positions else "column"
        sums = ", sums: normalise" if name in found.unsummed else ""
        sums += ", transform: exp" if name in found.logarithms else ""
        shown = format_yaml_text(column)
        if name in found.positions:
            pairs = found.positions[name].items()
            each = ", ".join(f"{format_yaml_text(v)}: {format_yaml_text(c)}" for v, c in pairs)
            shown = f"{{{each}}}"
        yield f"  {format_yaml_text(name)}: {{{key}: {shown}{role}{scale}{sums}}}"
    if not found.is_of_values:
        yield f"  # add scale: {first.loose_scale} to a model that gives {first.loose}"
    yield ""


def _list_metrics(found: ColumnGuess, name: str, task: TaskWord) -> list[str]:
    """List the metrics of a first config that every model can have, each as its line."""
    assert task.first is not None
    scale: str = next(iter(task.scales))
    has_columns = found.positions or any(EACH in column for column in found.models.values())
    if found.has_classes and not has_columns:
        scale = "label"
    elif found.is_flag and found.unsure:
        scale = task.first.loose_scale
    chosen = choose_metrics(name, [scale])
    return [f"{metric} # {remark}".removesuffix(" # ") for metric, remark in chosen.items()]


def _format_remaining_lines(
    found: ColumnGuess, first: FirstConfigLike, metrics: Sequence[str]
) -> Iterable[str]:
    primary = DRAFT_TITLE if found.is_of_values else metrics[0].partition(" ")[0]
    what, rule, bound = first.gate
    if found.size:  # a tenth of it, to one digit
        digit = float(f"{found.size / 10:.1g}")
        bound = f"{digit:.15g}"
    if found.is_of_values:
        rule = rule.replace(next(iter(first.metrics)), primary)
    measured = (
        "metrics: # `reportgen list metrics` shows them all",
        *(f"  - {line}" for line in metrics),
    )
    described = (
        "score: # what the numbers of the table are",
        f"  title: {DRAFT_TITLE} # its name on the page, such as ROC AUC",
        "  better: higher # or lower",
        "  bounds: [0, 1]",
    )
    return (
        *(described if found.is_of_values else measured),
        "",
        f"primary: {{metric: {primary}}} # ← the metric that decides",
        "# add margin: 2%, the smallest difference that matters; the report can then also say",
        "# 'not worse' and 'equivalent'",
        "",
        "bootstrap: {seed: 1} # the same seed, the same report",
        "",
        "# gates: # uncomment to make the run fail when a requirement is not met",
        f"#   - {{name: {what}, rule: {rule}, model: "
        f"{format_yaml_text(list(found.models)[-1])}, value: {bound}}}",
        "",
        f"outputs: [{', '.join(USUAL)}]",
        "",
    )


def _quote_sentence(text: str) -> str:
    """Format a sentence for YAML: plain where that reads back as it is."""
    is_plain = re.fullmatch(r"[\w][\w ?.,()-]*", text) is not None
    return text if is_plain else format_yaml_text(text)


def format_yaml_text(text: str) -> str:
    """Format a text for YAML, in quotes only where it needs them."""
    if SAFE.fullmatch(text) and isinstance(resolve_scalar(text), str):
        return text
    return quote_yaml(text)


DRAFT_DEPTH = 10
JUDGED = f"  - Judged@{DRAFT_DEPTH} # how many of the first results has anybody judged?"
SUFFIXES = (
    *(".gz", ".zst", ".run", ".trec", ".txt", ".json", ".csv", ".tsv", ".jsonl", ".parquet"),
    *(".pred", ".preds", ".prediction", ".predictions", ".score", ".scores"),
)


def write_segments(columns: Iterable[str]) -> str:
    """Write the line of a dataset that names its segments."""
    names = ", ".join(map(format_yaml_text, columns))
    return f"    segments: [{names}] # every metric again for each segment"


@record
class RankedDraft:
    """Judgements with their runs by name, as a first config shows them; `said` is what was seen.

    `judgements` has the file by the key of the config that names it: qrels, letor with groups, or
    path of one long table, whose columns `runs` names. `names` are columns of tables by their keys,
    `segments` those of queries, `labels` what grades are written as. `is_ascending`: the columns
    hold ranks, the first is best.
    """

    judgements: Mapping[str, str]
    runs: Mapping[str, str]
    baseline: str
    said: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    is_ascending: bool = False
    segments: tuple[str, ...] = ()


def name_runs(paths: Iterable[str]) -> dict[str, str]:
    """Return runs by short names: each file's own name, without the suffixes that mark a run.

    >>> name_runs(["runs/bm25.run", "runs/dense.run.gz"])
    {'bm25': 'runs/bm25.run', 'dense': 'runs/dense.run.gz'}
    """
    every = [*paths]
    short = []
    for path in every:
        name = PurePath(path).name
        while PurePath(name).suffix in SUFFIXES:
            name = PurePath(name).stem
        short.append(name)
    is_good = len(set(short)) == len(short) and all(short) and not any("$" in s for s in short)
    names = short if is_good else [f"model_{k}" for k in range(1, len(every) + 1)]
    return dict(zip(names, every, strict=True))


def guess_baseline_run(runs: Mapping[str, str], named: str | None) -> str:
    """Return the run that is named, else the one with the name of a baseline, else the first."""
    if named is None:
        plain, is_named = guess_baseline(runs)
        return plain if is_named else next((n for n in runs if "bm25" in n.lower()), plain)
    for name, path in runs.items():
        if named in (name, path):
            return name
    raise UsageError(
        f"--baseline: {quote(named)} is none of the runs; {did_you_mean(named, [*runs])}"
    )


def format_lists_config(found: RankedDraft) -> str:
    """Return the text of the config."""
    last = next((n for n in reversed([*found.runs]) if n != found.baseline), found.baseline)
    lines = [
        "# A comparison of runs on the same queries. Look at each line once:",
        *(f"#   {line}" for line in found.said),
        "# Then:  reportgen run THIS_FILE",
        "version: 1",
        "",
        "report:",
        "  title: Comparison of runs # printed on page one",
        "  # question: What is to be decided?",
        "  limitations: [] # what this report cannot show, one line each",
        "",
        "datasets:",
        "  queries:",
        *_write_list_data(found),
        "task: ranking",
        "",
        "models: # one of them is the baseline that the others are compared with",
        *_write_list_models(found),
        "",
        "metrics: # `reportgen list metrics` shows them all",
        f"  - nDCG@{DRAFT_DEPTH} # are the best documents the first?",
        "  - AP # how far do relevant documents stand above the others?",
        *([JUDGED] if "qrels" in found.judgements else []),
        "",
        "# What decides. With a margin the report can also say 'not worse' and 'equivalent':",
        f"primary: {{metric: nDCG@{DRAFT_DEPTH}}} # add margin: 0.01",
        "",
        *_iter_grades(found),
        "# ranking: {like: trec_eval} # conventions of another program; default: ties as a mean",
        "",
        "bootstrap: {seed: 1} # the same seed, the same report",
        "",
        "# gates: # what must hold, or the run fails",
        f"#   - {{name: few hurt, rule: few_harmed, metric: nDCG@{DRAFT_DEPTH}, "
        f"model: {format_yaml_text(last)}, drop: 0.2, value: 5%}}",
        "",
        f"outputs: [{', '.join(USUAL)}]",
        "",
    ]
    return "\n".join(lines)


def _write_list_data(found: RankedDraft) -> Iterable[str]:
    yield f"    {_format_file(found)} # relative to this file"
    for key in ("query", "id", "target") if "path" in found.judgements else ():
        if key in found.names:
            yield f"    {key}: {format_yaml_text(found.names[key])}"
    if "qrels" in found.judgements and "target" in found.names:
        yield f"    target: {format_yaml_text(found.names['target'])} # the grade"
    if found.segments:
        yield write_segments(found.segments)
    if "path" in found.judgements:
        yield "    # segments, weight and cluster name columns that are the same within a query"
    else:
        yield "    # queries: {path: topics.csv, id: topic} # a line for each query; then segments,"
        yield "    # weight, cluster and balance name its columns"


def _iter_grades(found: RankedDraft) -> Iterable[str]:
    if found.labels:
        each = ", ".join(f"{format_yaml_text(label)}: {k}" for k, label in enumerate(found.labels))
        yield f"ranking: {{grades: {{{each}}}}} # look at it: the most relevant has the highest"


def _format_file(found: RankedDraft) -> str:
    (key, path), *more = found.judgements.items()
    names = {name: found.names[name] for name in ("query", "id") if name in found.names}
    if key == "path" or not (more or names):
        return f"{key}: {format_yaml_text(path)}"
    rest = "".join(f", {name}: {format_yaml_text(own)}" for name, own in (*more, *names.items()))
    return f"{key}: {{path: {format_yaml_text(path)}{rest}}}"


def _write_list_models(found: RankedDraft) -> Iterable[str]:
    key = {"letor": "lines", "path": "column"}.get(next(iter(found.judgements)), "run")
    wanted = ("query", "id", "column") if key == "run" else ()
    names = {name: found.names[name] for name in wanted if name in found.names}
    rest = "".join(f", {name}: {format_yaml_text(own)}" for name, own in names.items())
    for name, path in found.runs.items():
        role = ", role: baseline" if name == found.baseline and len(found.runs) > 1 else ""
        own = f"{{path: {format_yaml_text(path)}{rest}}}" if rest else format_yaml_text(path)
        order = ", order: ascending" if found.is_ascending else ""
        yield f"  {format_yaml_text(name)}: {{{key}: {own}{role}{order}}}"
    if not found.is_ascending:
        yield "  # distances, the nearest first:  order: ascending"
