"""The first config of lists: judgements with runs, or documents and scores line by line.

Files are looked at, and those beside them found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath

import numpy as np

from reportgen.config import Named
from reportgen.config.starter_lists import (
    RankedDraft,
    baseline_of,
    lists_config,
    named_runs,
)
from reportgen.data.arrow import encoded
from reportgen.data.files.letor import LETOR
from reportgen.data.files.opening import COMPRESSIONS
from reportgen.data.files.source import open_source
from reportgen.data.files.spaced import QRELS, RUN, SCORES, SIZES
from reportgen.data.peek import Seen
from reportgen.data.request import TableRequest
from reportgen.data.table import FileTable
from reportgen.data.targets import in_order
from reportgen.drafting_tables import drafted_table, found_beside, is_table
from reportgen.errors import UsageError
from reportgen.paths import open_regular
from reportgen.text import quoted

JUDGED = ".qrels"
PEEKED = 1 << 16  # bytes in which the first line is looked for
RUNS = ("*.run", "*.run.gz", "*.run.zst")
PREDICTED = ("*.pred", "*.preds", "*.prediction", "*.predictions", "*.score", "*.scores")
QRELS_LINE = re.compile(rb"\s*\S+\s+\S+\s+\S+\s+-?\d+(\.\d+)?\s*$")
RUN_LINE = re.compile(rb"\s*(\S+\s+){4}[-+]?[\d.]+([eE][-+]?\d+)?\s+\S+\s*$")
LETOR_LINE = re.compile(rb"\s*\S+\s+(qid:\S+|\d+:\S+)(\s+\d+:|\s*#|\s*$)")
Found = tuple[dict[str, str], dict[str, str], list[str]]  # files by key, models, what is said
SIZES_OF = (".query", ".group", ".groups")
FOLDERS = (".", "runs")


def is_lists(path: Path) -> bool:
    """Whether a file is one of judgements by its name, or of documents by its first line."""
    return _is_judgements(path) or _is_letor(path)


def _is_judgements(path: Path) -> bool:
    """By its name, or by the four fields of its first line where the name says nothing."""
    name = PurePath(path.name)
    suffix = (name if name.suffix not in COMPRESSIONS else PurePath(name.stem)).suffix
    return suffix == JUDGED or _begins_as(path, QRELS_LINE)


def _begins_as(path: Path, pattern: re.Pattern[bytes]) -> bool:
    """Whether the first line of what is no table by its name is as TREC writes it."""
    return not is_table(path) and pattern.match(_first_line(path)) is not None


def _first_line(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            lines = file.read(PEEKED).splitlines()
    except OSError:
        return b""
    return next((line for line in lines if line.strip() and line[:1] != b"#"), b"")


def _is_letor(path: Path) -> bool:
    """Whether the first line is a grade, and then a query or a feature with its number."""
    return LETOR_LINE.match(_first_line(path)) is not None


def drafted_lists(file: Path, named: Named, out: Path | None) -> tuple[str, tuple[str, ...]]:
    """The text of a config, to be written to `out`, and what is to be said of it."""
    if named.target is not None:
        raise UsageError("--target: the grade stands on each line of the file; leave it out")
    look = _trec if _is_judgements(file) else _letor
    files, models, said = look(file, [*dict.fromkeys(named.models)])
    baseline = baseline_of(models, named.baseline)
    if named.baseline is None and len(models) > 1:
        said.append(f"guessed: baseline {quoted(baseline)}")
    return _written(RankedDraft(files, models, baseline, tuple(said)), out)


def drafted_documents(
    file: Path, columns: Sequence[Seen], named: Named, out: Path | None
) -> tuple[str, tuple[str, ...]]:
    """The same of a table of graded documents."""
    found = drafted_table(file, columns, named)
    baseline, said = baseline_of(found.runs, named.baseline), found.said
    if named.baseline is None and len(found.runs) > 1:
        said = (*said, f"guessed: baseline {quoted(baseline)}")
    return _written(replace(found, baseline=baseline, said=said), out)


def _written(found: RankedDraft, out: Path | None) -> tuple[str, tuple[str, ...]]:
    """The text, with paths as they are seen from where it is written."""
    base = out.parent if out else None
    files = {key: os.path.relpath(path, base) for key, path in found.judgements.items()}
    runs = dict(found.runs)
    if "path" not in files:
        runs = {name: os.path.relpath(path, base) for name, path in runs.items()}
    return lists_config(replace(found, judgements=files, runs=runs)), found.said


def _trec(file: Path, named: list[str]) -> Found:
    """Judgements and their runs."""
    paths = named or _beside(file, RUNS) or [
        str(path) for path in sorted(file.parent.iterdir())
        if path != file and path.is_file() and _begins_as(path, RUN_LINE)
    ]  # fmt: skip
    if not paths:
        raise UsageError(
            f"{file}: there is no run beside it, or in a folder `runs`; name them, such as "
            "--models runs/bm25.run,runs/dense.run"
        )
    judged = _read(str(file), QRELS)
    queries = set(encoded(judged.texts("query"))[0])
    read = {path: _read(path, RUN) for path in paths}
    fitting = [
        path for path in paths if named or queries & set(encoded(read[path].texts("query"))[0])
    ]
    runs = named_runs(fitting or paths)
    said = [_of_judgements(judged, len(queries))]
    said += [_of_run(name, read[path], queries) for name, path in runs.items()]
    said += _repeats([judged, *(read[path] for path in runs.values())])
    said += [] if named else [found_beside(len(runs), "run")]
    return {"qrels": str(file)}, runs, said


def _letor(file: Path, named: list[str]) -> Found:
    """Documents with their grades, and files with a score for each."""
    source = open_source(TableRequest(str(file), str(file), fields=LETOR))
    table = source.read(set(source.names), set())
    files = {"letor": str(file)}
    if "query" in source.names:
        queries = len(encoded(table.texts("query"))[0])
    else:
        files["groups"] = str(_sizes_of(file))
        queries = _read(files["groups"], SIZES).rows
    rows = {path: _read(path, SCORES).rows for path in named or _beside(file, PREDICTED)}
    fitting = [path for path in rows if named or rows[path] == table.rows]
    if not fitting:
        raise UsageError(
            f"{file}: there is no file with a score for each of its {table.rows:,} documents "
            "beside it; name them, such as --models old.pred,new.pred"
        )
    models = named_runs(fitting)
    said = [_of_judgements(table, queries)]
    said += [f"scores {quoted(name)}: {rows[path]:,} lines" for name, path in models.items()]
    said += [] if named else [found_beside(len(fitting), "file", " of as many scores")]
    return files, models, said


def _sizes_of(file: Path) -> Path:
    """The file beside it that says how many documents each query has."""
    beside = [
        p for end in SIZES_OF for p in (file.with_name(file.name + end), file.with_suffix(end))
    ]
    for path in beside:
        if path.exists():
            return path
    raise UsageError(
        f"{file}: its lines name no query (qid:…), and there is no {beside[0].name} beside it "
        "with how many documents each query has"
    )


def _read(path: str, fields: tuple[str, ...]) -> FileTable:
    wanted = {*fields} & {"query", "document", "grade", "score", "documents"}
    return open_source(TableRequest(path, path, fields=fields)).read(wanted, set())


def _beside(file: Path, patterns: tuple[str, ...]) -> list[str]:
    found = (
        path
        for folder in FOLDERS
        for pattern in patterns
        for path in (file.parent / folder).glob(pattern)
    )
    return sorted(map(str, found))


def _repeats(tables: Sequence[FileTable]) -> list[str]:
    """What is said of files that name a document of a query again, which a run refuses."""
    said = []
    for table in tables:
        (_, query), (labels, document) = (encoded(table.texts(n)) for n in ("query", "document"))
        named = (query >= 0) & (document >= 0)
        key = query[named].astype(np.int64) * len(labels) + document[named]
        again = len(key) - len(np.unique(key))
        if again:
            what = "line names" if again == 1 else "lines name"
            said.append(
                f"{table.shown}: {again:,} {what} a document that its query has already; keep one "
                "line of each before `run`"
            )
    return said


def _of_judgements(table: FileTable, queries: int) -> str:
    labels = in_order(encoded(table.texts("grade"))[0])
    shown = ", ".join(map(quoted, labels[:6])) + (" …" if len(labels) > 6 else "")
    return f"judgements: {table.rows:,} documents of {queries:,} queries; grades {shown}"


def _of_run(name: str, table: FileTable, judged: set[str]) -> str:
    labels, code = encoded(table.texts("query"))
    deep = int(np.bincount(code[code >= 0]).max(initial=0))
    known = len(judged & set(labels))
    return f"run {quoted(name)}: answers {known:,} of {len(judged):,} judged queries, {deep:,} deep"
