"""Draft a first config from logs of an evaluation, or a long table of answers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

import numpy as np
from numpy.typing import NDArray

from reportgen.cli.init.guess_columns import UserChoices, join_names
from reportgen.cli.init.template import format_yaml_text, write_segments
from reportgen.data.arrow import encode_texts
from reportgen.data.files.evaluations.logs import ID, MODEL, SAMPLE
from reportgen.data.files.source import LOGS, find_logs, open_source
from reportgen.data.requests import TableRequest
from reportgen.data.table import FileTable, format_count
from reportgen.errors import ConfigError, DataError, UsageError, did_you_mean
from reportgen.planning.files import varies_within_items
from reportgen.planning.guesses import guess_baseline
from reportgen.records import record
from reportgen.terms import USUAL
from reportgen.text import quote

ITEM_NAMES = re.compile(r"^(item|question|case|task|doc|prompt|problem)?_?id$|^item$", re.I)
SAMPLE_NAMES = re.compile(r"^(sample|epoch|trial|attempt|repeat)$", re.I)
GROUPS = re.compile(
    r"passage|document|article|story|context|source|group|cluster|template|instance|conversation"
    r"|thread|ticket|user|customer|repo",
    re.I,
)
PRICES = re.compile(
    r"token|time|latency|duration|cost|price|error|loss|perplexity|toxic|length", re.I
)
HUMANS = re.compile(
    r"^(human|gold|expert|annotator|reviewer)(_?(label|score|grade|rating))?$", re.I
)
JUDGES = re.compile(r"judge|grader|rater|llm", re.I)
TIMES = ("total_time", "latency")
"""Columns of logs that say more about the machine than about the model."""
MOST_SEGMENTS, MOST_VALUES = 3, 12
MOST_SCORES = 8


@record
class AnswerColumns:
    """Columns of a table of answers: items, models, samples, scores, and what is known of items.

    `shares` are the scores from 0 to 1, `flags` those of 0 and 1 alone. `least` is the smallest
    number of samples of an item; `is_complete` says that each model has every score of every item,
    in one sample at least.
    `human` is the column of human labels, None without one. `left_out` are those of a table with
    no use.
    """

    id: str
    sample: str | None
    models: tuple[str, ...]
    shares: tuple[str, ...]
    flags: tuple[str, ...]
    others: tuple[str, ...]
    segments: tuple[str, ...]
    cluster: str | None
    least: int
    items: int
    is_complete: bool
    human: str | None
    left_out: tuple[str, ...] = ()

    @property
    def judge(self) -> str | None:
        """The score of a judge, whose labels a human gave too; None without both."""
        if self.human is None:
            return None
        return next(filter(JUDGES.search, self.shares), None)


def find_answers(path: Path) -> AnswerColumns | None:
    """Find the columns of logs, or of a table that names models and samples; None if it is none."""
    request = TableRequest(str(path), str(path), may_be_logs=True)
    if (path.is_dir() or path.suffix in LOGS) and find_logs(request):
        return _inspect_table(_read(request), ID, SAMPLE, is_of_logs=True)
    if path.is_dir():
        return None
    try:
        names = open_source(TableRequest(str(path), str(path))).single
    except (ConfigError, DataError):
        return None
    item, sample = (next(filter(each.match, names), None) for each in (ITEM_NAMES, SAMPLE_NAMES))
    if MODEL not in names or item is None:
        return None
    table = _read(request)
    if sample is None and _has_target(table, item):
        return None
    return _inspect_table(table, item, sample)


def _read(request: TableRequest) -> FileTable:
    source = open_source(request)
    return source.read({*source.single}, set())


def _has_target(table: FileTable, item: str) -> bool:
    """Tell whether a column of numbers has one value for each item, or items repeat in a model."""
    (_, code), (models, of) = (encode_texts(table.texts(name)) for name in (item, MODEL))
    if len(np.unique(code * len(models) + of)) < len(code):
        return True
    for name in table.parts[0].columns:
        if name == item or table.is_nested(name) or not table.holds_numbers(name):
            continue
        if not varies_within_items(table.flags(name), code):
            return True
    return False


def _inspect_table(
    table: FileTable, item: str, sample: str | None, *, is_of_logs: bool = False
) -> AnswerColumns | None:
    """Sort the columns of a table of answers by what they hold."""
    names = [n for n in table.parts[0].columns if n not in (item, sample, MODEL, *TIMES)]
    models, model_code = encode_texts(table.texts(MODEL))
    items, item_code = encode_texts(table.texts(item))
    shares, flags, others, segments, clusters = [], [], [], list[str](), list[str]()
    human = next(filter(HUMANS.match, names), None)
    pair, is_complete = item_code * len(models) + model_code, True
    for name in names:
        if table.is_nested(name) or name == human:
            continue
        if not table.holds_numbers(name):
            kind = _sort_group(table, name, item_code, len(items))
            if kind == "segment":
                segments.append(name)
            elif kind == "cluster":
                clusters.append(name)
            continue
        values = table.flags(name)
        known = values[~np.isnan(values)]
        if not (is_of_logs or varies_within_items(values, item_code)):  # known of the item
            if _sort_group(table, name, item_code, len(items)) == "segment":
                segments.append(name)
            continue
        if 2 * len(known) <= len(values):
            continue
        answered = np.unique(pair[~np.isnan(values)])
        is_complete = is_complete and len(answered) == len(items) * len(models)
        if ((known >= 0) & (known <= 1)).all() and not PRICES.search(name):
            shares.append(name)
            flags += [name] if np.isin(known, (0.0, 1.0)).all() else []
        else:
            others.append(name)
    if not shares and not others:
        return None
    counts = np.bincount(pair)
    cluster = next(filter(GROUPS.search, clusters), None)
    used = {item, sample, MODEL, human, cluster, *shares, *others, *segments[:MOST_SEGMENTS]}
    return AnswerColumns(
        item,
        sample,
        tuple(models),
        tuple(shares),
        tuple(flags),
        tuple(others),
        tuple(segments[:MOST_SEGMENTS]),
        cluster,
        int(counts[counts > 0].min()),
        len(items),
        is_complete,
        human,
        () if is_of_logs else tuple(n for n in table.parts[0].columns if n not in used),
    )


def _sort_group(table: FileTable, name: str, item: NDArray[np.int64], items: int) -> str:
    """Tell whether a column of texts slices the items, or groups those that belong together."""
    labels, code = encode_texts(table.texts(name))
    first = np.full(items, -2)
    first[item[::-1]] = code[::-1]
    if (code != first[item]).any() or (code < 0).any():
        return ""  # of answers, not of items
    if 2 <= len(labels) <= MOST_VALUES:
        return "segment"
    return "cluster" if MOST_VALUES < len(labels) < 0.8 * items else ""


def draft_answers_config(
    path: Path, columns: AnswerColumns, named: UserChoices, out: Path | None
) -> tuple[str, tuple[str, ...]]:
    """Return the text of a config, to be written to `out`, and the messages about it."""
    if named.target is not None:
        raise UsageError("--target: answers have scores, and no target; leave it out")
    for name in (*named.models, *filter(None, [named.baseline])):
        if name not in columns.models:
            hint = did_you_mean(name, columns.models)
            raise UsageError(f"{path}: there is no model {quote(name)}; {hint}")
    models = list(named.models or columns.models)
    baseline = named.baseline or guess_baseline(models)[0]
    shown = os.path.relpath(path, out.parent if out else None)
    scores = [*columns.shares, *columns.others][:MOST_SCORES]
    known = len(columns.shares) + len(columns.others)
    count = format_count(known, "score")
    count = f"{len(scores)} of {count}" if known > len(scores) else count
    facts = [f"answers: {columns.items:,} items, {len(models)} models, {count}"]
    if named.baseline is None and len(models) > 1:
        facts.append(f"guessed: baseline {quote(baseline)}")
    if columns.left_out:
        facts.append(f"left out: {join_names(columns.left_out)} (no scores, no groups of items)")
    lines = [
        *_iter_head(PurePath(path).name, facts, models, baseline),
        *_iter_data(columns, shown),
        "",
        f"models:{' # one of them is the baseline' * (len(models) > 1)}",
        *(
            f"  {format_yaml_text(name)}: "
            f"{{{'role: baseline' if name == baseline and len(models) > 1 else ''}}}"
            for name in models
        ),
        "",
        "scores:",
        *(_format_score(name, columns) for name in scores),
        "",
        *_iter_end(columns, scores, [name for name in models if name != baseline]),
    ]
    return "\n".join(lines), tuple(facts)


def _iter_head(file: str, facts: Iterable[str], models: list[str], baseline: str) -> Iterator[str]:
    yield f"# Made from {format_yaml_text(file)}. Check the lines with ←."
    yield from (f"#   {line}" for line in facts)
    yield "# Then:  reportgen run THIS_FILE"
    yield "version: 1"
    yield ""
    yield "report:"
    yield "  title: Evaluation results # printed on page one"
    if len(models) > 1:
        others = [name for name in models if name != baseline]
        decision = "replace" if len(others) == 1 else "choose"
        yield f"  decision: {decision} # the form of the answer: replace, choose, rank or enough"
    yield ""
    yield "task: scored # answers to items have scores"
    yield ""


def _iter_data(columns: AnswerColumns, shown: str) -> Iterator[str]:
    yield "datasets:"
    yield "  answers:"
    yield f"    path: {format_yaml_text(shown)} # relative to this file"
    if columns.id != ID:
        yield f"    id: {format_yaml_text(columns.id)} # names each item"
    if columns.sample not in (None, SAMPLE):
        yield f"    samples: {format_yaml_text(str(columns.sample))} # numbers an item's samples"
    if columns.cluster is not None:
        yield f"    cluster: {format_yaml_text(columns.cluster)} # ← items that belong together"
    else:
        yield "    # cluster: passage # the column of items that belong together"
    if columns.segments:
        yield write_segments(columns.segments)
    if not columns.is_complete:
        yield "    missing: intersect # ← compare what all models answered; zero: the rest is 0"


def _format_score(name: str, columns: AnswerColumns) -> str:
    """Return the line of a score: its range or its direction, as its values and name say."""
    if name in columns.shares:
        return f"  {format_yaml_text(name)}: {{bounds: [0, 1]}}"
    if PRICES.search(name):
        unit = ", unit: tokens" if "token" in name.lower() else ""
        return f"  {format_yaml_text(name)}: {{better: lower{unit}}}"
    return f"  {format_yaml_text(name)}: {{better: higher}} # ← or lower"


def _iter_end(columns: AnswerColumns, scores: list[str], candidates: list[str]) -> Iterator[str]:
    first, k = scores[0], columns.least
    names = [first]
    if k > 1 and first in columns.flags:
        names += [f"pass@{k}", f"pass^{k}"]
    listed = ", ".join(map(format_yaml_text, [*names, *scores[1:]]))
    note = f" # pass@{k}: one of {k} samples passes; pass^{k}: all do" if len(names) > 1 else ""
    yield f"metrics: [{listed}]{note}"
    yield ""
    yield f"primary: {{metric: {format_yaml_text(first)}}} # ← the metric that decides"
    yield "# add margin: 0.02, the smallest difference that matters; the report can then also say"
    yield "# 'not worse' and 'equivalent'"
    if columns.judge in scores:
        yield ""
        pair = f"score: {format_yaml_text(str(columns.judge))}, "
        pair += f"human: {format_yaml_text(str(columns.human))}"
        yield f"judge: {{{pair}}} # ← whether they agree; correct: true corrects the judge's means"
    yield ""
    yield "bootstrap: {seed: 1} # the same seed, the same report"
    if candidates:
        yield ""
        yield "# gates: # uncomment to make the run fail unless a model is shown to be no worse"
    for name in candidates:
        yield (
            f"#   - {{name: no worse, rule: non_inferior, metric: {format_yaml_text(first)}, "
            f"model: {format_yaml_text(name)}, margin: 0.02, inconclusive: fail}}"
        )
    yield ""
    yield f"outputs: [{', '.join(USUAL)}]"
    yield ""
