"""The first config of judgements and runs: a commented YAML text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from reportgen.config.guessing import BASELINE
from reportgen.config.starter import text_as_yaml
from reportgen.errors import UsageError, did_you_mean
from reportgen.outputs import USUAL
from reportgen.text import quoted

DEPTH = 10
JUDGED = f"  - Judged@{DEPTH} # how many of the first results has anybody judged?"
SUFFIXES = (
    *(".gz", ".zst", ".run", ".trec", ".txt", ".json", ".csv", ".tsv", ".jsonl", ".parquet"),
    *(".pred", ".preds", ".prediction", ".predictions", ".score", ".scores"),
)


@dataclass(frozen=True)
class RankedDraft:
    """Judgements with their runs by name, as a first config shows them; `said` is what was seen.

    `judgements` has the file by the key of the config that names it: qrels, letor with groups, or
    path of one long table, whose columns `runs` names. `names` are columns of tables by their keys,
    `labels` what grades are written as.
    """

    judgements: Mapping[str, str]
    runs: Mapping[str, str]
    baseline: str
    said: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()


def named_runs(paths: Iterable[str]) -> dict[str, str]:
    """Runs by short names: the file's own name, without what says that it is a run.

    >>> named_runs(["runs/bm25.run", "runs/dense.run.gz"])
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


def baseline_of(runs: Mapping[str, str], named: str | None) -> str:
    """The run that is named, or the one whose name says that it is the baseline, or the first."""
    if named is None:
        is_plain = (name for name in runs if BASELINE.search(name) or "bm25" in name.lower())
        return next(is_plain, next(iter(runs)))
    for name, path in runs.items():
        if named in (name, path):
            return name
    raise UsageError(
        f"--baseline: {quoted(named)} is none of the runs; {did_you_mean(named, [*runs])}"
    )


def lists_config(found: RankedDraft) -> str:
    """The text of the config."""
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
        *_data(found),
        "task: ranking",
        "",
        "models: # one of them is the baseline that the others are compared with",
        *_models(found),
        "",
        "metrics: # `reportgen list metrics` shows them all",
        f"  - nDCG@{DEPTH} # are the best documents the first?",
        "  - AP # how far do relevant documents stand above the others?",
        *([JUDGED] if "qrels" in found.judgements else []),
        "",
        "# What decides. With a margin the report can also say 'not worse' and 'equivalent':",
        f"primary: {{metric: nDCG@{DEPTH}}} # add margin: 0.01",
        "",
        *_grades(found),
        "# ranking: {like: trec_eval} # conventions of another program; default: ties as a mean",
        "",
        "bootstrap: {seed: 1} # the same seed, the same report",
        "",
        "# gates: # what must hold, or the run fails",
        f"#   - {{name: few hurt, rule: few_harmed, metric: nDCG@{DEPTH}, "
        f"model: {text_as_yaml(last)}, drop: 0.2, value: 5%}}",
        "",
        f"outputs: [{', '.join(USUAL)}]",
        "",
    ]
    return "\n".join(lines)


def _data(found: RankedDraft) -> Iterable[str]:
    yield f"    {_file(found)} # relative to this file"
    for key in ("query", "id", "target") if "path" in found.judgements else ():
        if key in found.names:
            yield f"    {key}: {text_as_yaml(found.names[key])}"
    if "qrels" in found.judgements and "target" in found.names:
        yield f"    target: {text_as_yaml(found.names['target'])} # the grade"
    if "path" in found.judgements:
        yield "    # segments, weight and cluster name columns that are the same within a query"
    else:
        yield "    # queries: {path: topics.csv, id: topic} # a line for each query; then segments,"
        yield "    # weight, cluster and balance name its columns"


def _grades(found: RankedDraft) -> Iterable[str]:
    if found.labels:
        each = ", ".join(f"{text_as_yaml(label)}: {k}" for k, label in enumerate(found.labels))
        yield f"ranking: {{grades: {{{each}}}}} # look at it: the most relevant has the highest"


def _file(found: RankedDraft) -> str:
    (key, path), *more = found.judgements.items()
    names = {name: found.names[name] for name in ("query", "id") if name in found.names}
    if key == "path" or not (more or names):
        return f"{key}: {text_as_yaml(path)}"
    rest = "".join(f", {name}: {text_as_yaml(own)}" for name, own in (*more, *names.items()))
    return f"{key}: {{path: {text_as_yaml(path)}{rest}}}"


def _models(found: RankedDraft) -> Iterable[str]:
    key = {"letor": "lines", "path": "column"}.get(next(iter(found.judgements)), "run")
    wanted = ("query", "id", "column") if key == "run" else ()
    names = {name: found.names[name] for name in wanted if name in found.names}
    rest = "".join(f", {name}: {text_as_yaml(own)}" for name, own in names.items())
    for name, path in found.runs.items():
        role = ", role: baseline" if name == found.baseline and len(found.runs) > 1 else ""
        own = f"{{path: {text_as_yaml(path)}{rest}}}" if rest else text_as_yaml(path)
        yield f"  {text_as_yaml(name)}: {{{key}: {own}{role}}}"
    yield "  # distances, the nearest first:  order: ascending"
