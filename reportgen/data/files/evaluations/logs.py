"""Tell logs of evaluations by their content, read them, and make them one table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import pyarrow as pa

from reportgen.data.arrow import TEXT
from reportgen.data.files.evaluations import (
    deepeval,
    helm,
    inspect_logs,
    lm_eval,
    openai_evals,
    promptfoo,
)
from reportgen.data.files.evaluations.answers import (
    Answers,
    LogFile,
    find_family,
    replace_lone_surrogates,
    shorten_name,
)
from reportgen.data.table import FileRows
from reportgen.errors import DataError
from reportgen.text import quote, quote_value

ID, MODEL, SAMPLE, TASK = "id", "model", "sample", "task"
HEAD = 4096  # bytes in which a log says what it is
NEXT_TO = ("results_", helm.SPEC, "instances.json", "scenario_state.json", "display_", "stats.json")
"""How the names of files begin that stand next to logs and are none."""
JsonReader = Callable[[LogFile, str], Answers]
LinesReader = Callable[[LogFile, list[dict[str, Any]]], Answers]


def find_json_reader(head: bytes, name: str) -> JsonReader | None:
    """Find the reader of a JSON log by its first bytes and its name; None if it is none."""
    text = head.decode("utf-8", "ignore").lstrip()
    if name == helm.NAME or re.match(r'\[\s*\{\s*"instance_id"\s*:', text):
        return helm.read_instances
    if not text.startswith("{"):
        return None
    keys = set(re.findall(r'"(\w+)"\s*:', text))
    if "eval" in keys and {"status", "version", "plan"} & keys:
        return inspect_logs.read_json_log
    if {"testCases", "conversationalTestCases"} & keys:
        return deepeval.read_test_run
    if "evalId" in keys or re.match(r'\{\s*"(version|results)"\s*:[^[]*"results"\s*:', text):
        return promptfoo.read_results
    return None


def find_lines_reader(head: bytes) -> LinesReader | None:
    """Find the reader of a log of lines by its first one; None if it is none."""
    first = head.decode("utf-8", "ignore").lstrip().partition("\n")[0]
    if re.match(r'\{\s*"spec"\s*:\s*\{', first):
        return openai_evals.read_events
    keys = set(re.findall(r'"(\w+)"\s*:', first))
    if {"doc_id", "doc"} <= keys or {"doc_id", "filter", "metrics"} <= keys:
        return lm_eval.read_samples
    return None


def is_log(data: bytes, name: str) -> bool:
    """Tell whether content is a log of an evaluation, by its first bytes and its name."""
    if name.startswith(NEXT_TO):
        return False
    if inspect_logs.is_zipped_log(data):
        return True
    head = data[:HEAD]
    return bool(find_json_reader(head, name) or find_lines_reader(head))


def read_log(log: LogFile) -> Answers:
    """Read a log; whatever is wrong with it is one line."""
    data = log.file.data
    try:
        if inspect_logs.is_zipped_log(data):
            return inspect_logs.read_zipped_log(log)
        if (read_json := find_json_reader(data[:HEAD], log.name)) is not None:
            return read_json(log, data.decode("utf-8", "replace"))
        read_lines = find_lines_reader(data[:HEAD])
        assert read_lines is not None
        return read_lines(log, [*_iter_lines(log)])
    except DataError:
        raise
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, character {fault.colno}"
        raise log.error(f"is not valid JSON at {place}; was it cut off? Export it again") from None
    except RecursionError:
        raise log.error("nests lists or objects too deeply; export the log again") from None
    except (ValueError, TypeError, AttributeError, KeyError) as fault:
        why = type(fault).__name__  # its message may hold text of the log
        text = f"does not match its format ({why}); was the file edited? Export the log again"
        raise log.error(text) from None


def _iter_lines(log: LogFile) -> Iterable[dict[str, Any]]:
    for number, line in enumerate(log.file.data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            text = f"line {number} is not valid JSON; was it cut off? Export the log again"
            raise log.error(text) from None
        if not isinstance(value, dict):
            raise log.error(f"line {number} is not an object")
        yield value


class LogReader:
    """A log as a table whose columns all logs of a request share."""

    def __init__(self, answers: Answers, names: Sequence[str], columns: dict[str, Any]) -> None:
        self.shown, self.names, self._columns = answers.shown, tuple(names), columns
        self._answers = answers

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns; those of other logs are empty."""
        rows = len(self._answers.items)
        named = {}
        for name in self.names:
            if name in columns:
                empty = pa.nulls(rows, pa.float64() if name in numbers else TEXT)
                named[name] = self._columns.get(name, empty)
        caveats = tuple(self._answers.caveats)
        return FileRows(
            self.shown, rows, named, "sample", _count_from_one, is_typed=True, caveats=caveats
        )


def _count_from_one(rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]


def open_logs(logs: Sequence[LogFile]) -> tuple[LogReader, ...]:
    """Open logs as tables with the same columns: id, model, sample, scores, and what is known.

    Items go by the name of their task where there are several.
    """
    read = [read_log(log) for log in logs]
    for answers in read:
        if not answers.items:
            raise DataError(f"{answers.shown}: has no samples; did the run fail at once?")
    _refuse_other_items(read)
    _name_judges(read)
    has_tasks = len({answers.task for answers in read}) > 1
    scores = list(dict.fromkeys(name for answers in read for name in answers.scores))
    taken = {ID, MODEL, SAMPLE, *scores, *([TASK] if has_tasks else ())}
    about = list(dict.fromkeys(name for answers in read for name in answers.about))
    named = {name: f"meta.{name}" if name in taken else name for name in about}
    names = [ID, MODEL, SAMPLE, *([TASK] if has_tasks else ()), *scores, *named.values()]
    return tuple(
        LogReader(each, list(dict.fromkeys(names)), _build_columns(each, named, has_tasks))
        for each in read
    )


def _build_columns(answers: Answers, named: dict[str, str], has_tasks: bool) -> dict[str, Any]:
    ids, task = answers.items, replace_lone_surrogates(answers.task)
    if has_tasks:
        ids = [f"{task}/{item}" for item in ids]
    columns = {
        ID: pa.array(ids, TEXT),
        MODEL: pa.array(answers.models, TEXT),
        SAMPLE: pa.array(list(map(str, answers.samples)), TEXT),
        **{name: pa.array(values, pa.float64()) for name, values in answers.scores.items()},
        **{named[name]: pa.array(values, TEXT) for name, values in answers.about.items()},
    }
    if has_tasks:
        columns[TASK] = pa.array([task] * len(ids), TEXT)
    return columns


def _name_judges(read: Sequence[Answers]) -> None:
    """Note judges of the same family as a model that they judge, which they may favour."""
    models = {find_family(model): model for each in read for model in each.models}
    for answers in read:
        for judge in answers.judges:
            family = find_family(judge)
            if family and family in models:
                answers.caveats.append(
                    f"the judge {shorten_name(judge)} is of the family of {models[family]}, which "
                    "it may favour"
                )


def _refuse_other_items(read: Sequence[Answers]) -> None:
    """Refuse items of one name that are others in another log, as a digest of them says."""
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for answers in read:
        for item, digest in answers.digests.items():
            known, shown = first.setdefault((answers.task, item), (digest, answers.shown))
            if known != digest:
                raise DataError(
                    f"{answers.shown}: item {quote_value(item)} of task {quote(answers.task)} is "
                    f"another one than in {shown}; evaluate both models on the same data"
                )
