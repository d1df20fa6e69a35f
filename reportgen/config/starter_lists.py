"""The first config of judgements and runs: a commented YAML text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from reportgen.config.guessing import BASELINE
from reportgen.config.starter import text_as_yaml
from reportgen.errors import UsageError, did_you_mean
from reportgen.outputs import USUAL
from reportgen.text import quoted

DEPTH = 10
JUDGED = f"  - Judged@{DEPTH} # how many of the first results has anybody judged?"
SUFFIXES = (
    *(".gz", ".zst", ".run", ".trec", ".txt", ".json"),
    *(".pred", ".preds", ".prediction", ".predictions", ".score", ".scores"),
)


@dataclass(frozen=True)
class RankedDraft:
    """Judgements with their runs by name, as a first config shows them; `said` is what was seen.

    `judgements` has the file by the key of the config that names it: qrels, or letor with groups.
    """

    judgements: Mapping[str, str]
    runs: Mapping[str, str]
    baseline: str
    said: tuple[str, ...] = ()


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
        f"    {_file(found.judgements)} # relative to this file",
        "    # queries: {path: topics.csv, id: topic} # a line for each query; then segments,",
        "    # weight, cluster and balance name its columns",
        "task: ranking",
        "",
        "models: # one of them is the baseline that the others are compared with",
        *_models(found),
        "",
        "metrics: # `reportgen list metrics` shows them all",
        f"  - nDCG@{DEPTH} # are the best documents the first?",
        "  - AP # how far do relevant documents stand above the others?",
        *([] if "letor" in found.judgements else [JUDGED]),
        "",
        "# What decides. With a margin the report can also say 'not worse' and 'equivalent':",
        f"primary: {{metric: nDCG@{DEPTH}}} # add margin: 0.01",
        "",
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


def _file(judgements: Mapping[str, str]) -> str:
    (key, path), *more = judgements.items()
    if not more:
        return f"{key}: {text_as_yaml(path)}"
    rest = "".join(f", {name}: {text_as_yaml(own)}" for name, own in more)
    return f"{key}: {{path: {text_as_yaml(path)}{rest}}}"


def _models(found: RankedDraft) -> Iterable[str]:
    key = "lines" if "letor" in found.judgements else "run"
    for name, path in found.runs.items():
        role = ", role: baseline" if name == found.baseline and len(found.runs) > 1 else ""
        yield f"  {text_as_yaml(name)}: {{{key}: {text_as_yaml(path)}{role}}}"
    yield "  # distances, the nearest first:  order: ascending"
