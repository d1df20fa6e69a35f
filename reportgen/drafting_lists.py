"""The first config of judgements and runs: files looked at, runs beside them found."""

from __future__ import annotations

import os
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
from reportgen.data.files.opening import COMPRESSIONS
from reportgen.data.files.source import open_source
from reportgen.data.files.spaced import QRELS, RUN
from reportgen.data.request import TableRequest
from reportgen.data.table import FileTable
from reportgen.errors import UsageError
from reportgen.text import quoted

JUDGED = ".qrels"
RUNS = ("*.run", "*.run.gz", "*.run.zst")
FOLDERS = (".", "runs")


def is_judgements(path: Path) -> bool:
    """Whether a file is one of judgements, by its name."""
    name = PurePath(path.name)
    return (name if name.suffix not in COMPRESSIONS else PurePath(name.stem)).suffix == JUDGED


def drafted_lists(judgements: Path, named: Named, out: Path | None) -> tuple[str, tuple[str, ...]]:
    """The text of a config, to be written to `out`, and what is to be said of it."""
    if named.target is not None:
        raise UsageError("--target: judgements have grades in their fourth field; leave it out")
    judged = _read(str(judgements), QRELS)
    paths = [*dict.fromkeys(named.models)] or _beside(judgements)
    if not paths:
        raise UsageError(
            f"{judgements}: there is no run beside it, or in a folder `runs`; name them, such as "
            "--models runs/bm25.run,runs/dense.run"
        )
    runs = named_runs(paths)
    baseline = baseline_of(runs, named.baseline)
    queries = set(encoded(judged.texts("query"))[0])
    said = [_of_judgements(judged, len(queries))]
    said += [_of_run(name, _read(path, RUN), queries) for name, path in runs.items()]
    said += [] if named.models else [f"found beside the judgements: {len(paths)} runs"]
    if named.baseline is None and len(runs) > 1:
        said.append(f"guessed: baseline {quoted(baseline)}")
    base = out.parent if out else None
    shown = {name: os.path.relpath(path, base) for name, path in runs.items()}
    draft = RankedDraft(os.path.relpath(judgements, base), shown, baseline, tuple(said))
    return lists_config(draft), draft.said


def _read(path: str, fields: tuple[str, ...]) -> FileTable:
    wanted = {"query", "document", fields[-1] if fields is QRELS else "score"}
    return open_source(TableRequest(path, path, fields=fields)).read(wanted, set())


def _beside(judgements: Path) -> list[str]:
    found = (
        path
        for folder in FOLDERS
        for pattern in RUNS
        for path in (judgements.parent / folder).glob(pattern)
    )
    return sorted(map(str, found))


def _of_judgements(table: FileTable, queries: int) -> str:
    labels = sorted(encoded(table.texts("grade"))[0])
    shown = ", ".join(map(quoted, labels[:6])) + (" …" if len(labels) > 6 else "")
    return f"judgements: {table.rows:,} documents of {queries:,} queries; grades {shown}"


def _of_run(name: str, table: FileTable, judged: set[str]) -> str:
    labels, code = encoded(table.texts("query"))
    deep = int(np.bincount(code[code >= 0]).max(initial=0))
    known = len(judged & set(labels))
    return f"run {quoted(name)}: answers {known:,} of {len(judged):,} judged queries, {deep:,} deep"
